//! Flags of SM 1.0: four registers of zero, sign, carry and overflow a thread, and the guard.
//!
//! | port        | width   | meaning                                                              |
//! |-------------|---------|----------------------------------------------------------------------|
//! | `register`  | warp, 2 | the flag register that the beat reads: warp slot and number          |
//! | `beat`      | beat    | which threads                                                        |
//! | `advance`   | 1       | the beat in I, which `register` and `beat` are of, comes             |
//! | `condition` | 5       | the guard                                                            |
//! | `flags`     | 4 × l   | what the lanes read                                                  |
//! | `guard`     | l       | lanes whose flags meet the condition                                 |
//! | `write_*`   |         | flags that W writes                                                  |
//!
//! Timing: flags are read in I, as registers are, and stand in a register in A; with forwarding, and on chips with votes, which
//! look at all threads, they are read in A, without `advance`. What is written can be read in the next cycle.
//! Reset: none, flags are undefined. Errors: none.
//! Source: docs/semantics.md, Condition codes.

use super::bundles::{BeatTag, ConditionWrite, Issue};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::control::{vote, Control};
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct Flags(cfg: &GpuConfig) {
        in register(d.warp + 2),
        in beat(d.beat),
        in advance(if reads_ahead(&d); 1),
        in condition(5),
        /// Of SM 1.2 and later: it is the first beat of its instruction, one of [`vote`] or 0, active threads of the warp. A
        /// vote is over the threads of all beats: it is taken with the first, since it may write the flags that it reads.
        /// The lanes read what it has found, as flags, and all of them pass the guard.
        in first(if d.has.votes; 1),
        in vote(if d.has.votes; 2),
        in active(if d.has.votes; WARP),
        out flags(4 * d.lanes),
        out guard(d.lanes),
        part write(ConditionWrite<Sink> = written_to(&d)),
        /// A row a register, 4 bits a thread.
        part memory(Ram = Ram::with_granule(RamKind::Lut, d.warps * 4, WARP * 4, 4, 1)),
        /// The flags of the beat in A.
        data held(if reads_ahead(&d); 4 * d.lanes),
        /// What a vote has found.
        data found(if d.has.votes && d.beats > 1; 1),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

/// Whether the flags are read a stage ahead of their use.
fn reads_ahead(d: &Dims) -> bool {
    !d.forward && !d.has.votes
}

/// Lanes whose flags meet the guard condition; `row`: 4 bits a lane.
///
/// Where Z is known, a condition is an exclusive or of some of S, O or C, and 1.
fn guard(code: &Expr, row: &Expr) -> Expr {
    const Z: u8 = 1;
    const S: u8 = 2;
    const C: u8 = 4;
    const O: u8 = 8;
    let holds = |code: u8, flags: u8| warpsmith_isa::pred_holds(code, flags) == Some(true);
    // Whether `on` is true of the condition, by a table over all of them.
    let codes = |name: &str, on: &dyn Fn(u8) -> bool| {
        let set = (0..32u8).filter(|c| on(*c)).fold(0u64, |m, c| m | 1 << c);
        lit(32, set).called(&format!("{name}_table")).bit_at(code).called(name)
    };
    // Conditions that change with a flag, by Z; of O and C no condition takes both.
    let changes =
        |name: &str, flag: u8| [0, Z].map(|z| codes(&format!("{name}_z{z}"), &|c| holds(c, z) != holds(c, z | flag)));
    let holds = [0, Z].map(|z| codes(&format!("holds_z{z}"), &|c| holds(c, z)));
    let (sign, overflow, carry) = (changes("by_sign", S), changes("by_overflow", O), changes("by_carry", C));
    let other = [0, 1].map(|z: usize| (&overflow[z] | &carry[z]).called(&format!("by_other_z{z}")));
    let lane = |f: &Expr| {
        let [z, s, c, o] = [0, 1, 2, 3].map(|i| f.bit(i));
        let sign = (&s & &z.mux(&sign[1], &sign[0])) ^ z.mux(&holds[1], &holds[0]);
        (sign ^ (z.mux(&other[1], &other[0]) & carry[0].mux(&c, &o))).called("passes")
    };
    let lanes: Vec<Expr> = row.each_word(4).iter().map(lane).collect();
    pack(lanes.iter())
}

impl Rtl for Flags {
    fn rtl(&self) {
        let row = wire("row", self.memory.read(0, &get(&self.register)));
        let flags = wire("of_beat", row.word_at(&get(&self.beat), 4 * self._d.lanes));
        let flags = match (self.held.get(), self.advance.get()) {
            (Some(held), Some(advance)) => {
                when(&get(advance), || set(held, &flags));
                get(held)
            }
            _ => flags,
        };
        let condition = get(&self.condition);
        match self.vote.get() {
            Some(vote) => self.read_or_vote(&get(vote), &condition, &row, &flags),
            None => {
                set(&self.guard, guard(&condition, &flags));
                set(&self.flags, flags);
            }
        }
        self.memory.write(&get(&self.write.row), &get(&self.write.data), &get(&self.write.enable));
    }
}

/// Flags of a truth: those of the word -1 where it holds, of 0 where not.
pub fn truth(holds: &Expr) -> Expr {
    cat([&zero(2), holds, &!holds])
}

impl Flags {
    /// Reads those of a beat.
    pub fn of(&self, issue: &Issue, c: &Control, beat: &Expr) {
        set(&self.register, cat([&issue.warp, &c.cc]));
        set(&self.beat, beat);
    }

    /// What the lanes read on a chip with votes. `row`: the flags of all threads, `flags`: those of the beat.
    fn read_or_vote(&self, code: &Expr, condition: &Expr, row: &Expr, flags: &Expr) {
        let lanes = self._d.lanes;
        let holds = wire("holds", guard(condition, row));
        let active = self.active.get().map_or(ones(WARP), get);
        let all = wire("all_hold", !(&active & &!&holds).any());
        let some = wire("some_hold", (&active & &holds).any());
        let finds = code.is(vote::ALL).mux(&all, &some);
        let finds = match (self.found.get(), self.first.get()) {
            (Some(found), Some(first)) => {
                let finds = wire("finds", get(first).mux(&finds, &get(found)));
                set(found, &finds);
                finds
            }
            _ => wire("finds", finds),
        };
        let votes = wire("votes", code.any());
        let truth = truth(&finds).repeat(lanes);
        set(&self.guard, votes.repeat(lanes) | holds.word_at(&get(&self.beat), lanes));
        set(&self.flags, votes.mux(&truth, flags));
    }
}

rtl_block!(Flags, "flags");

/// The ports through which W writes: a register of a warp's threads, an enable a thread.
pub fn written_to<S: Side>(d: &Dims) -> ConditionWrite<S> {
    ConditionWrite::new(d.warp + 2, 4 * WARP, WARP)
}

/// Flags that the unit for floats of 64 bits writes.
pub struct LateFlags {
    /// It writes, and no beat does.
    pub on: Expr,
    /// Slot of the warp.
    pub warp: Expr,
    /// Flag register.
    pub cdst: Expr,
    /// Number of the beat.
    pub beat: Expr,
    /// Lanes that write.
    pub mask: Expr,
    /// 4 bits a lane.
    pub data: Expr,
}

/// Writes those of a beat in W: `flags`, 4 bits a lane; or those that come later.
pub fn write(
    d: &Dims, to: &ConditionWrite<Source>, (valid, tag): (&Expr, &BeatTag), flags: &Expr, late: Option<&LateFlags>,
) {
    let mut enable = vec![];
    for b in 0..d.beats {
        let of = |on: &Expr, beat: &Expr| if d.beats == 1 { on.clone() } else { on & beat.is(b as u64) };
        let here = of(valid, &tag.beat);
        let own = &tag.exec & &(here & &tag.flags_we).repeat(d.lanes);
        enable.push(match late {
            Some(late) => own | (&late.mask & &of(&late.on, &late.beat).repeat(d.lanes)),
            None => own,
        });
    }
    if let Some(late) = late {
        set(&to.row, late.on.mux(&cat([&late.warp, &late.cdst]), &cat([&tag.warp, &tag.cdst])));
        set(&to.data, late.on.mux(&late.data, flags).called("flags_now").repeat(d.beats));
        return set(&to.enable, pack(enable.iter()));
    }
    set(&to.row, cat([&tag.warp, &tag.cdst]));
    set(&to.data, flags.repeat(d.beats));
    set(&to.enable, pack(enable.iter()));
}
