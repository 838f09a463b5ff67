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

/// The predicates that a beat reads.
pub struct PredicatesRead {
    /// Lanes that pass the guard.
    pub guard: Expr,
    /// p1, p2, p3 as each lane gets them, 4 bits of which the highest is 0.
    pub row: Expr,
    /// Threads of a vote where it is true; with the first beat.
    pub vote: Expr,
    /// What the vote has found; with the first beat.
    pub found: Expr,
    /// It is a vote.
    pub votes: Expr,
}

impl PredicatesRead {
    /// Of beat `beat`, from a warp's row; `active`: the warp's active threads, `before`: what a vote found with
    /// its first beat, for its others.
    pub fn of(d: &Dims, row: &Expr, beat: &Expr, control: &Expr, active: &Expr, before: Option<(&Expr, Expr)>) -> Self {
        let c = PredicateControl::unpack((), "p", control);
        let threads = row.each_word(WARP);
        let lanes: Vec<Expr> = threads.iter().map(|t| t.word_at(beat, d.lanes)).collect();
        let read = |name: &str, words: &[Expr], number: &Expr, not: &Expr| {
            let width = words[0].width();
            let words = [words, &[ones(width)]].concat();
            wire(name, select(number, &words) ^ not.repeat(width))
        };
        // A vote is over the threads of all beats.
        let voters = wire("voters", active & &read("guard_threads", &threads, &c.guard, &c.guard_not));
        let p1 = read("p1_threads", &threads, &c.p1, &c.p1_not);
        let vote = wire("vote", &voters & &p1);
        let all = wire("all_true", !(&voters & &!&p1).any());
        let some = wire("some_true", vote.any());
        let found = c.vote.is(vote::ALL).mux(&all, &c.vote.is(vote::ANY).mux(&some, &(&all | &!&some)));
        let found = match before {
            Some((first, before)) => first.mux(&found, &before),
            None => found,
        };
        let found = wire("found", found);
        let votes = wire("votes", c.vote.any());

        let guard = read("guard", &lanes, &c.guard, &c.guard_not);
        let p1 = votes.mux(&found.repeat(d.lanes), &read("p1_lanes", &lanes, &c.p1, &c.p1_not));
        let p2 = read("p2_lanes", &lanes, &c.p2, &c.p2_not);
        let p3 = read("p3_lanes", &lanes, &c.p3, &c.p3_not);
        let row: Vec<Expr> = (0..d.lanes).flat_map(|l| [p1.bit(l), p2.bit(l), p3.bit(l), zero(1)]).collect();
        Self { guard, row: pack(row.iter()), vote, found, votes }
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
