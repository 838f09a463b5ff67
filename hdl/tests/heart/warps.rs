//! Warp table and scheduler: a model of where each warp stands, beside the block.

use super::tiny;
use crate::support::{dut::Dut, mutants::tells, Random};
use std::collections::VecDeque;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::warps::Warps;

#[test]
fn every_warp_goes_where_it_stands_and_only_when_it_may() {
    let cfg = tiny();
    let d = Dims::of(&cfg);
    tells(&Warps::new(&cfg), 75, |dut| check(dut, &d));
}

#[test]
fn an_instruction_a_cycle_goes_beside_bursts_of_redirections() {
    let cfg = GpuConfig { lanes: 32, port_words: 32, ..tiny() };
    check(&mut Dut::native(&Warps::new(&cfg)), &Dims::of(&cfg));
}

/// Where a warp stands.
#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    live: bool,
    blocked: bool,
    hazard: bool,
    /// Its line has not been asked for.
    unfetched: bool,
    /// Selected and neither issued nor refused.
    flying: bool,
    /// Waits at a barrier.
    waiting: bool,
    pc: u64,
    mask: u32,
    depth: u64,
    /// Cycles in which it might have been selected and was not.
    passed_over: u32,
}

impl Warp {
    fn may_go(&self) -> bool {
        self.live && !self.blocked && !self.hazard && !self.unfetched && !self.flying && !self.waiting
    }
}

fn mask_of(warps: &[Warp], of: impl Fn(&Warp) -> bool) -> u64 {
    warps.iter().enumerate().map(|(i, w)| u64::from(of(w)) << i).sum()
}

fn check(dut: &mut Dut, d: &Dims) {
    let mut r = Random(0x5EED_0204);
    let queue = if d.beats < 4 { 8 / d.beats } else { 0 };
    let mut warps = vec![Warp::default(); d.warps];
    // A warp that starts, until it has its place; requests for lines that wait; the warps in DEC and H.
    let mut start: Option<(usize, u32, u64)> = None;
    let mut postponed: VecDeque<(usize, u64)> = VecDeque::new();
    let (mut dec, mut h): (Option<usize>, Option<usize>) = (None, None);
    // What was offered and not taken is offered again.
    let mut offered: Option<usize> = None;
    // Each warp a cycle before.
    let mut earlier = warps.clone();
    let (mut issued, mut ended, mut full, mut deepest) = (0, 0, 0, 0);
    let pulses =
        ["start_valid", "redirect_valid", "unblock_valid", "dec_valid", "issue_valid", "refused", "hazard_set"];
    for cycle in 0..4000 {
        pulses.iter().for_each(|p| dut.set(p, false));
        for w in warps.iter_mut() {
            w.waiting = if w.waiting { r.chance(70) } else { w.live && r.chance(3) };
        }
        let now = warps.clone();
        dut.set("waiting", mask_of(&now, |w| w.waiting));
        let wakes = r.bits() & r.bits() & ((1 << d.warps) - 1);
        dut.set("wake", wakes);
        let address = |r: &mut Random| 4 * r.below_wide(1u64 << (d.pc - 3));

        let pick = r.index(d.warps);
        let starts =
            (start.is_none() && !now[pick].live && r.chance(60)).then(|| (pick, r.word() | 1, address(&mut r)));
        if let Some((warp, mask, pc)) = starts {
            dut.set("start_valid", true);
            dut.set("start_warp", warp as u64);
            dut.set("start_mask", mask);
            dut.set("start_pc", pc);
        }
        // A warp that control holds goes on, elsewhere or where it stands, or ends. They come in bursts.
        let often = if cycle / 40 % 2 == 0 { 10 } else { 100 };
        let held = now.iter().position(|w| w.blocked).filter(|_| r.chance(often));
        let redirect = held.filter(|_| r.chance(80));
        if let Some(w) = redirect {
            let (mask, pc, depth) = (r.word(), address(&mut r), r.below_wide(16));
            let finished = r.chance(20);
            ended += u32::from(finished);
            dut.set("redirect_valid", true);
            dut.set("redirect_warp", w as u64);
            dut.set("redirect_mask", mask);
            dut.set("redirect_pc", pc);
            dut.set("redirect_depth", depth);
            dut.set("redirect_finished", finished);
            warps[w] = Warp { live: !finished, blocked: false, mask, pc, depth, ..warps[w] };
        } else if let Some(w) = held {
            dut.set("unblock_valid", true);
            dut.set("unblock_warp", w as u64);
            warps[w].blocked = false;
        }
        // The latest that waits stands in front of the queue of the others, where there is one.
        let places = redirect.is_some() || start.is_some();
        let full_now = postponed.len() == queue + 1 && (queue > 0 || places);
        full += u32::from(full_now);
        deepest = deepest.max(postponed.len());
        // The instruction in H goes, is refused, or stays.
        let mut behind = None;
        if let Some(w) = h {
            dut.set("dec_valid", true);
            dut.set("dec_warp", w as u64);
            let s = &mut warps[w];
            let refetch = r.chance(50);
            match r.below(4) {
                0 | 1 if !(refetch && full_now) => {
                    let block = r.chance(50);
                    s.pc = (s.pc + 4) & ((1 << d.pc) - 1);
                    dut.set("issue_valid", true);
                    dut.set("issue_next", s.pc);
                    dut.set("issue_refetch", refetch);
                    dut.set("issue_block", block);
                    (s.flying, s.blocked) = (false, block);
                    behind = refetch.then_some((w, s.pc));
                    issued += 1;
                    h = None;
                }
                2 => {
                    let hazard = r.chance(60);
                    dut.set("refused", true);
                    dut.set("hazard_set", hazard);
                    dut.set("waits_for", r.below_wide(3));
                    (s.flying, s.hazard) = (false, hazard);
                    h = None;
                }
                _ => {}
            }
        }
        let take = h.is_none() && dec.is_none() && r.chance(80);
        dut.set("take", take);
        dut.eval();

        assert_eq!(dut.is("start_ready"), start.is_none(), "{cycle}");
        assert_eq!(dut.get("state_live"), mask_of(&now, |w| w.live), "{cycle}");
        assert_eq!(dut.get("state_blocked"), mask_of(&now, |w| w.blocked), "{cycle}");
        assert_eq!(dut.get("state_hazard"), mask_of(&now, |w| w.hazard), "{cycle}");
        assert_eq!(dut.get("state_unfetched"), mask_of(&now, |w| w.unfetched), "{cycle}");
        assert_eq!(dut.is("fetch_full"), full_now, "{cycle}");
        let offer = dut.is("sel_valid").then(|| dut.get("sel_warp") as usize);
        let mut ready = mask_of(&now, Warp::may_go);
        if let Some(w) = offer {
            ready &= !(1 << w);
        }
        assert_eq!(dut.get("state_ready"), ready, "{cycle}");
        match (offer, offered) {
            (Some(w), None) => {
                assert!(earlier[w].may_go(), "{cycle}: {w} was chosen: {:?}", earlier[w]);
                warps[w].flying = true;
            }
            (offer, Some(_)) => assert_eq!(offer, offered, "{cycle}: what was offered stays"),
            (None, None) => {}
        }
        if let Some(w) = offer {
            let place = (dut.word("sel_mask"), dut.get("sel_pc"), dut.get("sel_depth"));
            assert_eq!(place, (now[w].mask, now[w].pc, now[w].depth), "{cycle}: {w}");
        }
        offered = offer.filter(|_| !take);
        dec = dec.or(offer.filter(|_| take));
        for (i, w) in warps.iter_mut().enumerate() {
            w.passed_over = if w.may_go() && now[i].may_go() { now[i].passed_over + 1 } else { 0 };
            assert!(w.passed_over < 64 * d.warps as u32, "{cycle}: warp {i} is never selected");
        }
        // A start takes its place in a cycle without a redirection.
        let mut placed = redirect.map(|w| (w, warps[w].pc));
        if let Some((w, mask, pc)) = start.filter(|_| redirect.is_none()) {
            warps[w] = Warp { live: true, mask, pc, depth: 0, ..warps[w] };
            placed = Some((w, pc));
            start = None;
        }
        // Program memory serves what sets an address first, then what waits.
        let next = placed.or_else(|| postponed.pop_front()).or_else(|| behind.take());
        if let Some(late) = behind {
            warps[late.0].unfetched = true;
            postponed.push_back(late);
        }
        let asks = dut.is("fetch_valid").then(|| (dut.get("fetch_warp") as usize, dut.get("fetch_pc")));
        assert_eq!(asks, next, "{cycle}");
        if let Some((w, _)) = next.filter(|_| placed.is_none()) {
            warps[w].unfetched = false;
        }
        start = starts.or(start);
        // A wake prevails.
        for (i, w) in warps.iter_mut().enumerate() {
            w.hazard &= wakes >> i & 1 == 0;
        }
        if h.is_none() {
            h = dec.take();
        }
        earlier = now;
        dut.tick();
    }
    assert!(issued > 400 && ended > 10, "{issued} {ended}");
    assert!(if queue > 0 { deepest > 1 } else { full > 5 }, "{deepest} wait, {full} cycles are full");
}
