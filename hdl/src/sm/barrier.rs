//! Barriers: 16 for each resident block; a warp arrives, waits, or both.
//!
//! A barrier releases when every live warp of the block has arrived at it or waits at it: all its
//! arrivals are forgotten and its waiters run. A warp that ends is not waited for any more.
//!
//! | port            | width | meaning                                                       |
//! |-----------------|-------|---------------------------------------------------------------|
//! | `clear`         | 1     | forget everything (kernel start)                              |
//! | `start_valid`   | 1     | a block becomes resident                                      |
//! | `start_warps`   | warps | all its warp slots: they are live from now on                 |
//! | `start_block`   | block | its block slot                                                |
//! | `bar_valid`     | 1     | warp `bar_warp` executes BAR; always taken                    |
//! | `bar_id`        | 4     | which barrier                                                 |
//! | `bar_arrive`    | 1     | it arrives                                                    |
//! | `bar_wait`      | 1     | it waits                                                      |
//! | `exit_valid`    | 1     | warp `exit_warp` has ended; always taken                      |
//! | `waiting`       | warps | the warp must not issue                                       |
//! | `exiting`       | warps | the warp's end is still being worked on                       |
//! | `busy`          | 1     | events are still being worked on                              |
//! | `released`      | 1     | one cycle: a barrier has released                             |
//! | `deadlock`      | 1     | one cycle: every live warp of a block waits, none can go on   |
//! | `deadlock_warp` | warp  | the lowest of them                                            |
//! | `deadlock_block`| block | its block slot                                                |
//!
//! All warps of a block must become live together: a barrier that one warp reaches before another
//! has begun would release too early.
//!
//! Timing: `waiting` is set in the cycle after `bar_valid`. Events are kept, one a warp, and worked
//! on one after the other, the lowest warp first: 2 cycles for a BAR (its warp is `waiting` until
//! then, whether it waits or not), 17 for the exits of a block (their arrivals are taken back and
//! all 16 barriers looked at). A warp slot must not start again while it is `exiting`; a warp gives
//! no second event while it is `waiting`.
//! Reset or `clear`: no warp is live; events are worked on after 16 cycles. `clear` must not come
//! together with another event.
//! Errors: a deadlock is reported by `deadlock`, trap cause 11.
//! Source: sm10-isa.md §3a; FlexGripPlus has one barrier that counts warps and hangs when one ends.

use super::dims::Dims;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

/// Barriers of a block.
pub const BARRIERS: usize = 16;

const PICK: u64 = 0;
const EVALUATE: u64 = 1;
const CLEAR: u64 = 2;

/// See the module.
#[derive(LogicBlock)]
pub struct Barrier {
    pub clear: Input,
    pub start_valid: Input,
    pub start_warps: Input,
    pub start_block: Input,
    pub bar_valid: Input,
    pub bar_warp: Input,
    pub bar_id: Input,
    pub bar_arrive: Input,
    pub bar_wait: Input,
    pub exit_valid: Input,
    pub exit_warp: Input,
    pub waiting: Output,
    pub exiting: Output,
    pub busy: Output,
    pub released: Output,
    pub deadlock: Output,
    pub deadlock_warp: Output,
    pub deadlock_block: Output,
    state: Reg,
    live: Reg,
    /// Bit j of every warp's block slot number: all warps are compared at once.
    block_bits: Vec<Reg>,
    pending_bar: Reg,
    pending_exit: Reg,
    /// Warps waiting at some barrier.
    waits: Reg,
    /// The event being worked on: its warp (several for exits), the live warps of its block (without those that end).
    event_warps: Reg,
    event_exit: Reg,
    event_arrive: Reg,
    event_wait: Reg,
    event_block: Reg,
    members: Reg,
    index: Reg,
    checking: Reg,
    asked: Ram,
    /// For each barrier number: warps waiting at it, warps arrived at it.
    rows: Ram,
    _d: Dims,
}

impl Barrier {
    /// The barriers of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        let w = d.warps;
        Self {
            clear: Input::new(1),
            start_valid: Input::new(1),
            start_warps: Input::new(w),
            start_block: Input::new(d.block),
            bar_valid: Input::new(1),
            bar_warp: Input::new(d.warp),
            bar_id: Input::new(4),
            bar_arrive: Input::new(1),
            bar_wait: Input::new(1),
            exit_valid: Input::new(1),
            exit_warp: Input::new(d.warp),
            waiting: Output::new(w),
            exiting: Output::new(w),
            busy: Output::new(1),
            released: Output::new(1),
            deadlock: Output::new(1),
            deadlock_warp: Output::new(d.warp),
            deadlock_block: Output::new(d.block),
            state: Reg::reset_to(2, CLEAR),
            live: Reg::new(w),
            block_bits: (0..d.block).map(|_| Reg::data(w)).collect(),
            pending_bar: Reg::new(w),
            pending_exit: Reg::new(w),
            waits: Reg::new(w),
            event_warps: Reg::data(w),
            event_exit: Reg::data(1),
            event_arrive: Reg::data(1),
            event_wait: Reg::data(1),
            event_block: Reg::data(d.block),
            members: Reg::data(w),
            index: Reg::new(4),
            checking: Reg::new(1),
            asked: Ram::new(RamKind::Lut, w, 6, 1),
            rows: Ram::new(RamKind::Lut, BARRIERS, 2 * w, 1),
            _d: d,
        }
    }
}

impl Rtl for Barrier {
    fn rtl(&self) {
        let d = &self._d;
        let w = d.warps;
        let hot = |valid: &Input, warp: &Input| get(warp).one_hot(w) & get(valid).repeat(w);
        let state = get(&self.state);
        let (picking, evaluating) = (
            wire("picking", state.is(PICK)),
            wire("evaluating", state.is(EVALUATE)),
        );
        let clearing = wire("clearing", state.is(CLEAR));
        let index = get(&self.index);
        let (live, waits) = (get(&self.live), get(&self.waits));
        let (pending_bar, pending_exit) = (get(&self.pending_bar), get(&self.pending_exit));

        // The next event.
        let pending = wire("pending", &pending_bar | &pending_exit);
        let pick = wire("pick", &picking & &pending.any());
        let picked = wire("picked", lowest_one_hot(&pending) & picking.repeat(w));
        let exits = wire("exits", (&picked & &pending_exit).any());
        let asked = self.asked.read(0, &one_hot_index(&picked, d.warp)).named();
        let (id, arrive, wait) = (asked.bits(0, 4), asked.bit(4), asked.bit(5));
        let block_bits = get_all(&self.block_bits);
        let block: Vec<Ex> = block_bits
            .iter()
            .map(|bits| (bits & &picked).any())
            .collect();
        let same: Vec<Ex> = block_bits
            .iter()
            .zip(&block)
            .map(|(bits, b)| !(bits ^ &b.repeat(w)))
            .collect();
        let same = wire("same_block", all_of(&same));
        // All warps of the block that have ended leave together.
        let ending = wire("ending", &same & &pending_exit & exits.repeat(w));
        let taken = wire("taken", &picked | &ending);
        let members = &same & &live & !&ending;
        let waiter = &picked & &(!&exits & &wait).repeat(w);
        when(&pick, || {
            set(&self.state, lit(2, EVALUATE));
            set(&self.event_warps, exits.mux(&ending, &picked));
            set(&self.event_exit, &exits);
            set(&self.event_arrive, &arrive);
            set(&self.event_wait, &wait);
            set(&self.event_block, pack(block.iter()));
            set(&self.members, &members);
            set(&self.index, exits.mux(&zero(4), &id));
        });

        // One barrier of its block.
        let (warp, ends) = (get(&self.event_warps), get(&self.event_exit));
        let members = get(&self.members);
        let row = self.rows.read(0, &index).named();
        let leaves = wire("leaves", warp.clone() & ends.repeat(w));
        let arrives = warp.clone() & (get(&self.event_arrive) & !&ends).repeat(w);
        let enters = warp.clone() & (get(&self.event_wait) & !&ends).repeat(w);
        let arrived = wire("arrived", (row.bits(0, w) & !&leaves) | arrives);
        let here = wire("here", row.bits(w, w) | enters);
        let missing = &members & !(&arrived | &here);
        let releases = wire(
            "releases",
            evaluating.clone() & members.any() & !missing.any(),
        );
        let gone = wire("gone", &members & &releases.repeat(w));
        let data = cat([&(&here & !&gone), &(&arrived & !&gone)]);
        self.rows
            .write(&index, &(data & (!&clearing).repeat(2 * w)), &!&picking);
        let last = wire("last", index.is(15));
        let over = wire("over", &evaluating & &(!&ends | &last));
        when(&!&picking, || {
            set(&self.index, &index + lit(4, 1));
            when(&(&over | &(&clearing & &last)), || {
                set(&self.state, lit(2, PICK))
            });
        });
        set(&self.checking, &over);

        // Deadlock: nothing can release after the event, and nobody of the block runs.
        let checking = get(&self.checking);
        let stuck = members.any() & !(&members & !&waits).any();
        set(&self.deadlock, &checking & &stuck);
        set(&self.deadlock_block, get(&self.event_block));
        set(
            &self.deadlock_warp,
            one_hot_index(&lowest_one_hot(&members), d.warp),
        );

        let bar = get(&self.bar_valid);
        let bar_hot = wire("bar_hot", hot(&self.bar_valid, &self.bar_warp));
        let request = cat([
            &get(&self.bar_wait),
            &get(&self.bar_arrive),
            &get(&self.bar_id),
        ]);
        self.asked.write(&get(&self.bar_warp), &request, &bar);
        let started = wire(
            "started",
            get(&self.start_warps) & get(&self.start_valid).repeat(w),
        );
        set(&self.pending_bar, (&pending_bar & !&taken) | &bar_hot);
        set(
            &self.pending_exit,
            (&pending_exit & !&taken) | hot(&self.exit_valid, &self.exit_warp),
        );
        set(&self.live, (&live & !&ending) | &started);
        set(&self.waits, (&waits | &waiter) & !(&here & &gone));
        let block = get(&self.start_block);
        for (j, bits) in self.block_bits.iter().enumerate() {
            set(
                bits,
                (get(bits) & !&started) | (&started & &block.bit(j).repeat(w)),
            );
        }
        when(&get(&self.clear), || {
            set(&self.state, lit(2, CLEAR));
            set(&self.index, zero(4));
            set(&self.checking, zero(1));
            for mask in [
                &self.pending_bar,
                &self.pending_exit,
                &self.live,
                &self.waits,
            ] {
                set(mask, zero(w));
            }
        });

        // A BAR that does not wait may go on as soon as it has been picked.
        set(&self.waiting, &waits | &pending_bar);
        set(
            &self.exiting,
            &pending_exit | &(leaves & evaluating.repeat(w)),
        );
        set(&self.busy, !&picking | pending.any() | &checking);
        set(&self.released, releases);
    }
}

rtl_block!(Barrier, "barrier");
