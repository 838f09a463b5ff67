//! Predicates of Fermi, P0 to P6 of every thread: the guard, operands and votes.
//!
//! | port        | width            | meaning                                                        |
//! |-------------|------------------|----------------------------------------------------------------|
//! | `warp`      | warp             | whose predicates the beat reads                                |
//! | `beat`      | beat             | which threads                                                  |
//! | `first`     | 1                | it is the first beat of its instruction                        |
//! | `control`   | PredicateControl | guard, p1, p2, p3, vote                                        |
//! | `active`    | 32               | active threads of the warp                                     |
//! | `guard`     | l                | lanes that pass the guard                                      |
//! | `operands`  | 4 × l            | p1, p2, p3 as each lane gets them, 4 bits of which the highest is 0 |
//! | `vote`      | 32               | threads of a vote where it is true; with the first beat        |
//! | `votes`     | 1                | the instruction is a vote                                      |
//! | `write_*`   |                  | predicates that W writes                                       |
//!
//! P7 is always true and not stored. A vote is over the threads of all beats: it is taken with the first, since an
//! instruction may write the predicates that it reads.
//!
//! Timing: reads are combinational; what is written can be read in the next cycle. What a vote finds is kept from
//! its first beat on.
//! Reset: none; W clears the predicates of a starting warp. Errors: none.
//! Source: docs/instruction-sets.md, Fermi.

use super::bundles::{BeatTag, ConditionWrite};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::control::uop::{vote, PredicateControl, TRUE};
use crate::sm::dims::Dims;

/// Predicates of a thread that are stored.
const STORED: usize = TRUE as usize;

/// Bits of a warp's row: a word of 32 threads for each predicate.
pub const ROW: usize = STORED * WARP;

block! {
    /// See the module.
    pub struct Predicates(cfg: &GpuConfig) {
        in warp(d.warp),
        in beat(d.beat),
        in first(1),
        in control(PredicateControl::width(())),
        in active(WARP),
        out guard(d.lanes),
        out operands(4 * d.lanes),
        out vote(WARP),
        out votes(1),
        part write(ConditionWrite<Sink> = written_to(&d)),
        /// A row a warp, every bit with an enable of its own.
        part memory(Ram = Ram::with_granule(RamKind::Lut, d.warps, ROW, 1, 1)),
        /// What a vote has found.
        data found(if d.beats > 1; 1),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for Predicates {
    fn rtl(&self) {
        let l = self._d.lanes;
        let c = PredicateControl::unpack((), "p", &get(&self.control));
        let threads = wire("row", self.memory.read(0, &get(&self.warp))).each_word(WARP);
        let lanes: Vec<Expr> = threads.iter().map(|t| t.word_at(&get(&self.beat), l)).collect();
        let read = |name: &str, words: &[Expr], number: &Expr, not: &Expr| {
            let width = words[0].width();
            let words = [words, &[ones(width)]].concat();
            wire(name, select(number, &words) ^ not.repeat(width))
        };
        let voters = wire("voters", get(&self.active) & read("guard_threads", &threads, &c.guard, &c.guard_not));
        let p1 = read("p1_threads", &threads, &c.p1, &c.p1_not);
        let true_of = wire("true_of", &voters & &p1);
        let all = wire("all_true", !(&voters & &!&p1).any());
        let some = wire("some_true", true_of.any());
        let finds = c.vote.is(vote::ALL).mux(&all, &c.vote.is(vote::ANY).mux(&some, &(&all | &!&some)));
        let finds = match self.found.get() {
            Some(found) => {
                let finds = wire("finds", get(&self.first).mux(&finds, &get(found)));
                set(found, &finds);
                finds
            }
            None => wire("finds", finds),
        };
        let votes = c.vote.any();

        let p1 = votes.mux(&finds.repeat(l), &read("p1_lanes", &lanes, &c.p1, &c.p1_not));
        let p2 = read("p2_lanes", &lanes, &c.p2, &c.p2_not);
        let p3 = read("p3_lanes", &lanes, &c.p3, &c.p3_not);
        let operands: Vec<Expr> = (0..l).flat_map(|i| [p1.bit(i), p2.bit(i), p3.bit(i), zero(1)]).collect();
        set(&self.guard, read("guard_lanes", &lanes, &c.guard, &c.guard_not));
        set(&self.operands, pack(operands.iter()));
        set(&self.vote, true_of);
        set(&self.votes, votes);
        self.memory.write(&get(&self.write.row), &get(&self.write.data), &get(&self.write.enable));
    }
}

rtl_block!(Predicates, "predicates");

/// The ports through which W writes: a warp's row, an enable a predicate of a thread.
pub fn written_to<S: Side>(d: &Dims) -> ConditionWrite<S> {
    ConditionWrite::new(d.warp, ROW, ROW)
}

/// Writes those of a beat in W: `q1`, `q2`, a bit a lane; returns whether there are some. Where there are none and
/// `clear` asks for it, the row of warp `cleared` becomes zero.
pub fn write(
    d: &Dims, to: &ConditionWrite<Source>, (valid, tag): (&Expr, &BeatTag), (q1, q2): (&Expr, &Expr),
    (clear, cleared): (&Expr, &Expr),
) -> Expr {
    let writes = wire("writes_predicates", valid & &tag.flags_we);
    let here: Vec<Expr> = tag.in_warp(d, &writes).iter().flat_map(Expr::each_bit).collect();
    let here = wire("predicate_threads", pack(here.iter()));
    let clears = wire("clears_predicates", clear & &!&writes);
    let (mut data, mut enable) = (vec![], vec![]);
    for p in 0..STORED as u64 {
        let (first, second) = (tag.q1.is(p), tag.q2.is(p));
        // Where both are one predicate the second stays.
        let value = second.mux(q2, q1).repeat(d.beats);
        data.push(&value & &(!&clears).repeat(WARP));
        enable.push((&here & &(first | second).repeat(WARP)) | clears.repeat(WARP));
    }
    set(&to.row, clears.mux(cleared, &tag.warp));
    set(&to.data, pack(data.iter()));
    set(&to.enable, pack(enable.iter()));
    writes
}
