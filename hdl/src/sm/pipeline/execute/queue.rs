//! Queue of beats beside the lanes, for special functions and floats of 64 bits.
//!
//! A beat takes a place from stage M on: it comes, waits for its unit, is served, is complete, and leaves for the
//! registers. Beats leave in the order they came.

use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

/// Beats a queue holds.
pub const QUEUE: usize = 32;
/// Bits of the number of a place.
const INDEX: usize = clog2(QUEUE);

packed! {
    /// Where the results of a beat go.
    pub struct To(d: &Dims) {
        warp: d.warp,
        /// Scoreboard slot.
        slot: 2,
        /// Register-file entry.
        entry: d.entry,
        /// Lanes that write.
        mask: d.lanes,
        /// Completes the instruction.
        last: 1,
        /// Halves of the register that are written; of G13 alone.
        halves: d.has.late_halves.bits(2),
        /// Of SM 1.3: they are flags, of which register and beat.
        flags: d.has.late_flags.bits(1),
        cdst: d.has.late_flags.bits(2),
        beat: d.has.late_flags.bits(d.beat),
        /// Of Ivy Bridge: `ChannelControl::keeps`, and of which warp and beat.
        keeps: d.has.channels.bits(2),
        kept_at: d.has.channels.bits(d.kept()),
    }
}

impl To {
    /// Of what writes no flags: `flags`, `cdst`, `beat`.
    pub fn no_flags(d: &Dims) -> [Expr; 3] {
        match d.has.late_flags {
            true => [zero(1), zero(2), zero(d.beat)],
            false => std::array::from_fn(|_| nothing()),
        }
    }
}

// Without a description: in the Verilog these are registers of the block around them.
group! {
    pub(crate) struct Queue() as "" {
        /// Places taken, from `reserve` to the write of the results.
        reg places(INDEX + 1),
        /// Beats that wait for their unit, the one being served included.
        reg waiting(INDEX + 1),
        /// Beats whose results wait for the register file.
        reg finished(INDEX + 1),
        /// There are such.
        reg some_finished(1),
        reg tail(INDEX),
        reg serving(INDEX),
        reg head(INDEX),
    }
}

/// What happens to the beats of a queue in a cycle, 1 bit each.
pub(crate) struct Events<'a> {
    /// A beat in stage M will come.
    pub reserve: &'a Expr,
    /// The first words of a beat are written at `tail`.
    pub begins: &'a Expr,
    /// A beat has all its words.
    pub comes: &'a Expr,
    /// The beat at `serving` has been taken by its unit.
    pub served: &'a Expr,
    /// A beat has all its results.
    pub complete: &'a Expr,
    /// The beat at `head` leaves.
    pub leaves: &'a Expr,
    /// Everything is forgotten.
    pub clear: &'a Expr,
}

impl Queue {
    /// Counts and places in the next cycle.
    pub fn step(&self, e: &Events) {
        next(&self.tail, e.begins, e.clear);
        next(&self.serving, e.served, e.clear);
        next(&self.head, e.leaves, e.clear);
        // `reserve` stands behind the stall of the whole pipeline.
        count_late(&self.places, e.reserve, e.leaves, e.clear);
        count(&self.waiting, e.comes, e.served, e.clear);
        count(&self.finished, e.complete, e.leaves, e.clear);
        let others = get(&self.some_finished) & !(e.leaves & get(&self.finished).is(1));
        set(&self.some_finished, (e.complete | others) & !e.clear);
    }

    /// There is a place; from registers only.
    pub fn ready(&self) -> Expr {
        !get(&self.places).msb()
    }

    /// A place is taken.
    pub fn busy(&self) -> Expr {
        get(&self.places).any()
    }
}

/// What goes through the stages of a unit. Returns both as they stand behind the last.
pub(super) fn shifted(valid: Expr, stage: Expr, through: [&[Reg]; 2], clear: &Expr) -> (Expr, Expr) {
    let [valids, stages] = through;
    valids.iter().zip(stages).fold((valid, stage), |(valid, stage), (v, s)| {
        set(v, &valid & !clear);
        set(s, &stage);
        (get(v), get(s))
    })
}

/// A count that goes up and down; both at once leave it.
fn count(to: &Reg, up: &Expr, down: &Expr, clear: &Expr) {
    let now = get(to);
    let width = now.width();
    let step = cat([&(down & !up).repeat(width - 1), &(up ^ down)]);
    set(to, clear.mux(&zero(width), &(&now + &step)));
}

/// The same, for an `up` that comes late: it chooses between two sums.
fn count_late(to: &Reg, up: &Expr, down: &Expr, clear: &Expr) {
    let now = get(to);
    let width = now.width();
    let without = wire("places_without", &now - &down.zext(width));
    let with = wire("places_with", &now + &(!down).zext(width));
    set(to, clear.mux(&zero(width), &up.mux(&with, &without)));
}

/// A number that counts on, beginning again at 0 behind the last.
pub(super) fn next(to: &Reg, on: &Expr, clear: &Expr) {
    let now = get(to);
    let width = now.width();
    set(to, clear.mux(&zero(width), &(&now + &on.zext(width))));
}
