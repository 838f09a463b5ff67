//! The issue stage: instructions become beats in order, and their tokens wake and free in time.

use super::{field, flat, set_fields, tiny};
use crate::support::{dut::Dut, mutants::tells, Random};
use std::collections::VecDeque;
use warpsmith_hdl::sm::control::Control;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::bundles::Issue;
use warpsmith_hdl::sm::pipeline::issue::{IssueStage, AHEAD};
use warpsmith_hdl::sm::pipeline::timing::token_stages;

#[test]
fn instructions_become_beats_and_tokens_come_in_time() {
    let cfg = tiny();
    let d = Dims::of(&cfg);
    tells(&IssueStage::new(&cfg), 80, |dut| check(dut, &d));
}

/// An instruction that was handed over.
#[derive(Clone, Copy, Debug)]
struct Given {
    warp: u64,
    slot: u64,
    pc: u64,
    /// Log2 of the passes.
    passes: u64,
    /// Loads, stores and special functions are completed by their own units.
    by_unit: bool,
}

/// A token under way: what it frees, and moves since its beat stood in the stage.
struct Token {
    of: Given,
    moves: usize,
    woken: bool,
}

fn check(dut: &mut Dut, d: &Dims) {
    let fields = flat(Issue::fields(d), ("control", Control::fields(d)));
    let mut r = Random(0x5EED_0205);
    let mut next: Option<Given> = None;
    // The instruction in the stage, its pass and beat.
    let mut held: Option<(Given, u64, u64)> = None;
    let mut tokens: VecDeque<Token> = VecDeque::new();
    let (mut begun, mut freed, mut dropped, mut gaps) = (0, 0, 0, 0);
    // Events of the last cycle's move.
    let (mut wakes, mut frees): (Option<u64>, Option<(u64, u64)>) = (None, None);
    for n in 0..4000u64 {
        let (advance, hold, halt) = (r.chance(75), r.chance(20), r.chance(2));
        dut.set("advance", advance);
        dut.set("hold", hold);
        dut.set("halt", halt);
        dut.eval();
        let last = held.is_some_and(|(i, pass, beat)| pass + 1 == 1 << i.passes && beat + 1 == d.beats as u64);
        let ready = held.is_none() || last;
        let begins = advance && ready && !hold && next.is_some();
        gaps += u32::from(advance && ready && hold && next.is_some());
        let room = dut.is("room");
        assert!(!room || next.is_none() || begins, "{n}: what waits is overwritten");
        assert!(room || next.is_some(), "{n}: nothing waits");
        assert_eq!((dut.is("ready"), dut.is("begins"), dut.is("valid")), (ready, begins, held.is_some()), "{n}");
        if let Some((i, pass, beat)) = held {
            let shown = ["warp", "slot", "pc"].map(|f| field(dut, "out", &fields, f));
            assert_eq!(shown, [i.warp, i.slot, i.pc], "{n}");
            assert_eq!((dut.get("beat"), dut.get("pass")), (beat, pass), "{n}");
            assert_eq!((dut.is("first"), dut.is("last")), (beat == 0 && pass == 0, last), "{n}");
        }
        assert_eq!(dut.is("waking_valid").then(|| dut.get("waking_warp")), wakes.take(), "{n}");
        let free = dut.is("free_valid").then(|| (dut.get("free_warp"), dut.get("free_slot")));
        assert_eq!(free, frees.take(), "{n}");
        let busy = next.is_some() || held.is_some() || !tokens.is_empty() || free.is_some();
        assert_eq!(dut.is("busy"), busy, "{n}");

        let comes = (room && r.chance(70)).then(|| Given {
            warp: r.below_wide(d.warps as u64),
            slot: r.below_wide(4),
            pc: n & 0x7f,
            passes: if r.chance(25) { r.below_wide(3) } else { 0 },
            by_unit: r.chance(30),
        });
        dut.set("issue_valid", comes.is_some());
        if let Some(i) = comes {
            let mem = if i.by_unit { 2 + r.below_wide(6) } else { r.below_wide(2) };
            let values = [
                ("warp", i.warp),
                ("slot", i.slot),
                ("pc", i.pc),
                ("passes", i.passes),
                ("mem", mem),
                ("mask", u64::from(u32::MAX)),
            ];
            set_fields(dut, "issue", &fields, &values);
        }
        dut.eval();

        // The edge.
        if advance {
            for t in tokens.iter_mut() {
                t.moves += 1;
            }
            if let Some(t) = tokens.iter_mut().find(|t| t.moves + AHEAD == token_stages(d) && !t.woken) {
                t.woken = true;
                wakes = Some(t.of.warp);
            }
            if tokens.front().is_some_and(|t| t.moves == token_stages(d)) {
                let t = tokens.pop_front().expect("a token");
                frees = Some((t.of.warp, t.of.slot));
                freed += 1;
            }
            if let Some((i, pass, beat)) = held {
                if beat == 0 && pass + 1 == 1 << i.passes && !i.by_unit {
                    tokens.push_back(Token { of: i, moves: 0, woken: false });
                }
            }
            held = match held {
                _ if begins => next.take().map(|i| (i, 0, 0)),
                Some(_) if last => None,
                Some((i, pass, beat)) if beat + 1 == d.beats as u64 => Some((i, pass + 1, 0)),
                Some((i, pass, beat)) => Some((i, pass, beat + 1)),
                None => None,
            };
            begun += u32::from(begins);
        }
        next = comes.or(next);
        if halt {
            dropped += u32::from(next.is_some());
            next = None;
        }
        dut.tick();
    }
    assert!(begun > 200 && freed > 150 && dropped > 5 && gaps > 20, "{begun} {freed} {dropped} {gaps}");
    dut.set("clear", true);
    dut.eval();
    dut.tick();
    dut.set("issue_valid", false);
    dut.eval();
    dut.tick();
    assert!(!dut.is("busy") && !dut.is("valid"), "clear leaves something");
}
