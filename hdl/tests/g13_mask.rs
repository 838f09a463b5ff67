//! The mask unit of G13 against its rules: jumps, the end of a warp, masks that come beat by beat.

use crate::support::{dut::Dut, Random};
use std::collections::VecDeque;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::divergence::g13::MaskUnit;
use warpsmith_hdl::sm::divergence::op;

#[derive(Debug, PartialEq)]
struct Result {
    warp: u64,
    mask: u64,
    pc: u64,
    finished: bool,
    /// Threads jump to different addresses.
    traps: bool,
}

/// A mask operation whose beats are being given.
struct Beats {
    warp: u64,
    mask: u32,
    next: u64,
    given: usize,
}

fn of_jump(op: u64, marker: u32, warp: u64, active: u32, target: u64, next: u64) -> Result {
    let jumps = match op {
        op::JUMP => true,
        op::JUMP_ANY | op::JUMP_REGISTER => active != 0,
        op::JUMP_NONE => active == 0,
        _ => false,
    };
    let finished = op == op::END;
    let traps = op == op::JUMP_REGISTER && marker & 1 == 1;
    let mask = if finished { 0 } else { active.into() };
    Result { warp, mask, pc: if jumps { target } else { next }, finished, traps }
}

fn unit_follows_the_rules(name: &str, cycles: usize) {
    let named = GpuConfig::named(name).expect("a known configuration");
    let cfg = GpuConfig { isa: Isa::G13, ..named };
    let d = Dims::of(&cfg);
    let mut dut = Dut::native(&MaskUnit::new(&cfg));
    let mut r = Random(0x5EED_0130);
    let mut beats: Option<Beats> = None;
    // Results of operations; of the mask operation that was completed in the cycle before.
    let mut jumps: VecDeque<Result> = VecDeque::new();
    let mut mask: Option<Result> = None;
    let mut both = 0;
    let address = |r: &mut Random| u64::from(r.below(1 << d.pc) & !1);
    for _ in 0..cycles {
        let operation = [op::NONE, op::JUMP, op::JUMP_ANY, op::JUMP_NONE, op::JUMP_REGISTER, op::END];
        let operation = operation[r.below(6) as usize];
        let marker = r.below(4);
        let valid = r.chance(60);
        let warp = u64::from(r.below(d.warps as u32));
        let active = if r.chance(30) { 0 } else { r.word() };
        let (target, next) = (address(&mut r), address(&mut r));
        dut.set("valid", valid);
        for (port, value) in [("op", operation), ("warp", warp), ("target", target), ("next", next)] {
            dut.set(port, value);
        }
        dut.set("active", active);
        dut.set("marker", marker);

        let now = beats.take().or_else(|| {
            r.chance(50).then(|| Beats {
                warp: r.below(d.warps as u32).into(),
                mask: if r.chance(20) { 0 } else { r.word() },
                next: address(&mut r),
                given: 0,
            })
        });
        let given = now.is_some() && r.chance(80);
        dut.set("beat_valid", given);
        let mut completed = None;
        if let Some(mut b) = now {
            let last = b.given + 1 == d.beats;
            let part = u64::from(b.mask) >> (b.given * d.lanes) & ((1 << d.lanes) - 1);
            dut.set("beat_first", b.given == 0);
            dut.set("beat_last", last);
            dut.set("beat_warp", b.warp);
            dut.set("beat_number", b.given as u64);
            dut.set("beat_active", part);
            dut.set("beat_next", b.next);
            if given {
                b.given += 1;
            }
            if given && last {
                completed =
                    Some(Result { warp: b.warp, mask: b.mask.into(), pc: b.next, finished: false, traps: false });
            } else {
                beats = Some(b);
            }
        }
        dut.eval();

        let due = mask.is_some() || !jumps.is_empty();
        assert_eq!(dut.is("result_valid"), due);
        assert_eq!(dut.is("busy"), due);
        both += usize::from(mask.is_some() && !jumps.is_empty());
        assert_eq!(dut.is("ready"), mask.is_none() || jumps.is_empty());
        if let Some(want) = mask.take().or_else(|| jumps.pop_front()) {
            let got = Result {
                warp: dut.get("result_warp"),
                mask: dut.get("result_mask"),
                pc: dut.get("result_pc"),
                finished: dut.is("result_finished"),
                traps: dut.is("result_trap"),
            };
            assert_eq!(got, want);
            assert!(!got.traps || dut.get("result_cause") == u64::from(TrapCause::StackUnderflow.number()));
            assert_eq!(dut.get("result_depth"), 0);
        }
        if valid && dut.is("ready") {
            jumps.push_back(of_jump(operation, marker, warp, active, target, next));
        }
        mask = completed;
        dut.tick();
    }
    assert!(both > cycles / 100, "{both} results of both kinds at once");
}

#[test]
fn mask_unit_follows_the_rules_in_a_small_sm() {
    unit_follows_the_rules("tiny", 20_000);
}

#[test]
fn mask_unit_follows_the_rules_where_a_beat_is_a_warp() {
    unit_follows_the_rules("wide", 10_000);
}
