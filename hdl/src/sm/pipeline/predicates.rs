//! Predicates P0 to P6 of every thread: how a warp's row of their memory is laid out.
//!
//! A row has one word of 32 threads for each predicate. P7 is always true and not stored.

use super::bundles::{BeatTag, ConditionWrite};
use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::uop::{vote, PredicateControl, TRUE};
use crate::sm::dims::Dims;

/// Predicates of a thread that are stored.
const STORED: usize = TRUE as usize;

/// Bits of a warp's row.
pub const ROW: usize = STORED * WARP;

/// The memory: a row a warp, every bit with an enable of its own. Of SM 1.0 flags stand in it: a row for each
/// flag register of a warp, 4 bits a thread, written together.
pub fn memory(d: &Dims) -> Ram {
    match d.has_predicates() {
        true => Ram::with_granule(RamKind::Lut, d.warps, ROW, 1, 1),
        false => Ram::with_granule(RamKind::Lut, d.warps * 4, WARP * 4, 4, 1),
    }
}

/// What is written into it, from W.
pub fn written_to<S: Side>(d: &Dims) -> ConditionWrite<S> {
    match d.has_predicates() {
        true => ConditionWrite::new(d.warp, ROW, ROW),
        false => ConditionWrite::new(d.warp + 2, 4 * WARP, WARP),
    }
}

/// The predicates an instruction reads, 32 threads each.
pub struct PredicatesRead {
    /// Threads that pass the guard.
    pub guard: Expr,
    /// p1, p2, p3 as the lane gets them, for each thread 4 bits of which the highest is 0.
    pub row: Expr,
    /// Threads of a vote where it is true.
    pub vote: Expr,
    /// It is a vote.
    pub votes: Expr,
}

impl PredicatesRead {
    /// From a warp's row; `active`: its active threads.
    pub fn of(row: &Expr, control: &Expr, active: &Expr) -> Self {
        let c = PredicateControl::unpack((), "p", control);
        let mut words = row.each_word(WARP);
        words.push(ones(WARP));
        let threads = |name: &str, number: &Expr, not: &Expr| wire(name, select(number, &words) ^ not.repeat(WARP));
        let guard = threads("guard", &c.guard, &c.guard_not);
        let [p1, p2, p3] = [
            threads("p1_threads", &c.p1, &c.p1_not),
            threads("p2_threads", &c.p2, &c.p2_not),
            threads("p3_threads", &c.p3, &c.p3_not),
        ];
        let voters = wire("voters", active & &guard);
        let vote = wire("vote", &voters & &p1);
        let all = wire("all_true", !(&voters & &!&p1).any());
        let some = wire("some_true", vote.any());
        let found = c.vote.is(vote::ALL).mux(&all, &c.vote.is(vote::ANY).mux(&some, &(&all | &!&some)));
        let votes = wire("votes", c.vote.any());
        let p1 = votes.mux(&found.repeat(WARP), &p1);
        let row: Vec<Expr> = (0..WARP).flat_map(|t| [p1.bit(t), p2.bit(t), p3.bit(t), zero(1)]).collect();
        Self { guard, row: pack(row.iter()), vote, votes }
    }
}

/// What a cycle writes into the memory.
pub struct PredicatesWritten {
    /// Row, data and enables of a bit each.
    pub row: Expr,
    pub data: Expr,
    pub enable: Expr,
    /// A beat writes predicates.
    pub writes: Expr,
}

/// The predicates of a beat in W: `q1`, `q2` a bit a lane. Where there is none and `clear` asks for it,
/// the row of warp `cleared` becomes zero.
pub fn written(
    d: &Dims,
    (valid, tag): (&Expr, &BeatTag),
    (q1, q2): (&Expr, &Expr),
    (clear, cleared): (&Expr, &Expr),
) -> PredicatesWritten {
    let writes = wire("writes_predicates", valid & &tag.flags_we);
    let here: Vec<Expr> = (0..d.beats)
        .flat_map(|b| {
            let here = match d.beats {
                1 => writes.clone(),
                _ => &writes & tag.beat.is(b as u64),
            };
            (&tag.exec & &here.repeat(d.lanes)).each_bit()
        })
        .collect();
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
    let row = clears.mux(cleared, &tag.warp);
    PredicatesWritten { row, data: pack(data.iter()), enable: pack(enable.iter()), writes }
}
