//! What stage W does of G13 alone: uniforms, ballots, the beats of a new execution mask.

use super::WriteBackStage;
use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::g13::exchange;
use crate::sm::divergence::g13::MaskBeat;
use crate::sm::pipeline::bundles::{BeatTag, UniformWrite};

impl WriteBackStage {
    /// The uniform that a beat writes: what the last executing thread has. Later beats write over it.
    pub(super) fn uniform(&self, to: &UniformWrite<Source>, (valid, tag): (&Expr, &BeatTag), ys: &[Expr]) {
        let last = select_last(&tag.exec, ys).called("last_thread");
        let high = tag.dst_half.mux(&last.bits(0, 16), &last.bits(16, 16));
        set(&to.number, &tag.uniform);
        set(&to.data, cat([&high, &last.bits(0, 16)]));
        let halves = cat([&(!&tag.dst_half | &tag.dst_hi), &!(&tag.dst_half & &tag.dst_hi)]);
        let writes = all_of(&[valid.clone(), tag.stores.clone(), tag.exec.any()]);
        set(&to.halves, halves & writes.repeat(2));
    }

    /// Results of a ballot: the first pass gathers a bit of each executing thread, the second gives all of them.
    pub(super) fn ballots(&self, register: &Reg, (valid, tag): (&Expr, &BeatTag), ys: &[Expr]) -> Vec<Expr> {
        let d = &self._d;
        let on = wire("is_ballot", tag.exchange.bits(1, 3).is(exchange::BALLOT >> 1));
        let bits: Vec<Expr> = ys.iter().map(|y| y.bit(0)).collect();
        let here = wire("votes_here", &tag.exec & &pack(bits.iter()));
        let place = |i: usize| match d.beats {
            1 => here.clone(),
            _ => &here & &tag.beat.is(i as u64).repeat(d.lanes),
        };
        let places: Vec<Expr> = (0..d.beats).map(place).collect();
        let kept = get(register) & (!&tag.first).repeat(WARP);
        when(&all_of(&[valid.clone(), on.clone(), tag.first_of_two.clone()]), || {
            set(register, kept | pack(places.iter()));
        });
        let gives = wire("gives_ballot", &on & !&tag.first_of_two);
        let found = get(register);
        let moved: Vec<Expr> = (0..WARP / 4).map(|q| found.bits(4 * q, WARP - 4 * q).zext(WARP)).collect();
        let result = |(l, y): (usize, &Expr)| {
            let thread = d.with_beat_high(&tag.beat, &lit(clog2(d.lanes), l as u64)).called("thread");
            let first = wire("first_quad", thread.bits(2, 3) & tag.exchange.bit(0).repeat(3));
            gives.mux(&select(&first, &moved), y)
        };
        ys.iter().enumerate().map(result).collect()
    }

    /// The threads of a beat whose counter of the execution mask is 0.
    pub(super) fn mask_beat(&self, to: &MaskBeat<Source>, (valid, tag): (&Expr, &BeatTag), counters: &[Expr]) {
        let counts_0: Vec<Expr> = counters.iter().map(|y| !y.bits(0, 16).any()).collect();
        set(&to.valid, valid & (&tag.mask | &tag.stores));
        set(&to.first, &tag.first);
        set(&to.last, &tag.last);
        set(&to.warp, &tag.warp);
        set(&to.number, &tag.beat);
        // The threads stay active that write a uniform.
        let active = pack(counts_0.iter()) | tag.stores.repeat(self._d.lanes);
        set(&to.active, &tag.exec & &active);
        let step = cat([&tag.length, &zero(1)]);
        set(&to.next, &tag.pc + &step.zext(self._d.pc));
    }
}
