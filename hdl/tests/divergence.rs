//! The divergence unit against the golden model.

use crate::support;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::divergence::{check, Expected, Op, Outcome, Step};
use support::dut::Dut;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::dims::pc_width;
use warpsmith_hdl::sm::divergence::{marker, op, Divergence};
use warpsmith_model::divergence::{Control, EntryKind};

/// Executes an operation on the golden model's warp.
fn step(warp: &mut Control, o: &Op) -> Outcome {
    let (e, depth) = (o.exec, warp.stack().len());
    let pushes = match o.op {
        op::BRA => e != 0 && warp.active & !e != 0,
        op::CAL | op::PBK | op::SSY => true,
        _ => false,
    };
    let trap = |cause| Outcome { mask: 0, pc: 0, finished: false, trap: cause, depth: Some(depth), looked: 0 };
    if pushes && warp.is_full() {
        return trap(6);
    }
    if o.marker == marker::JOIN && depth == 0 {
        return trap(7);
    }
    warp.pc = o.next;
    match (o.op, o.marker) {
        (op::BRA, _) => warp.branch(e, o.target, o.next),
        (op::CAL, _) => warp.call(o.target, o.next),
        (op::PBK, _) => warp.push(EntryKind::Prebreak, o.target),
        (op::SSY, _) => warp.push(EntryKind::Joinat, o.target),
        (op::BRK, _) => warp.brk(e, o.next),
        (op::RET, _) => warp.ret(e, o.next),
        (_, marker::EXIT) => warp.exit(o.next),
        (_, marker::JOIN) => warp.join(o.next),
        _ => {}
    }
    let (left, finished) = (warp.stack().len(), warp.is_finished());
    // That there is none is seen by looking, too.
    let looked = depth + usize::from(pushes) + usize::from(finished) - left;
    Outcome { mask: warp.active, pc: warp.pc, finished, trap: 0, depth: Some(left), looked }
}

fn random_op(r: &mut ChaCha8Rng, active: u32, grow: bool, pc: usize) -> Op {
    let op = if grow && r.gen_bool(0.7) {
        [op::BRA, op::CAL, op::PBK, op::SSY][r.gen_range(0..4)]
    } else {
        r.gen_range(0..7)
    };
    let marker = if op != op::NONE {
        marker::NONE
    } else if r.gen_bool(0.15) {
        marker::EXIT
    } else if r.gen_bool(0.8) {
        marker::JOIN
    } else {
        marker::NONE
    };
    let exec = active
        & match r.gen_range(0..6) {
            0 => u32::MAX,
            1 => 0,
            2 => 1 << r.gen_range(0..32),
            3 => !(1 << r.gen_range(0..32)),
            _ => r.gen(),
        };
    let mut address = || r.gen_range(0..(1u32 << (pc - 1)) / 8) * 8;
    Op { op, marker, exec, target: address(), next: address() + 4 }
}

fn unit_follows_the_rules(name: &str, operations: usize) {
    let seed = 0xd1f3;
    println!("seed {seed:#x}, {operations} operations, configuration {name}");
    let cfg = GpuConfig::named(name).unwrap();
    let r = &mut ChaCha8Rng::seed_from_u64(seed);
    let pc = pc_width(&cfg);
    let mut warps: Vec<Option<Control>> = vec![None; cfg.warps];
    let mut steps = vec![];
    let mut expected = vec![];
    let (mut overflows, mut underflows, mut ends, mut longest) = (0, 0, 0, 0);
    while expected.len() < operations {
        let w = r.gen_range(0..cfg.warps);
        let grow = expected.len() / 400 % 3 != 0;
        let warp = match &mut warps[w] {
            Some(warp) => warp,
            none => {
                let mask = if r.gen_bool(0.7) { u32::MAX } else { r.gen_range(1..=u32::MAX) };
                steps.push(Step::Start(w));
                none.insert(Control::new(mask, cfg.stack_depth))
            }
        };
        let o = random_op(r, warp.active, grow, pc);
        let gap = if r.gen_bool(0.5) { 0 } else { r.gen_range(0..4) };
        let active = warp.active;
        let out = step(warp, &o);
        overflows += (out.trap == 6) as usize;
        underflows += (out.trap == 7) as usize;
        ends += out.finished as usize;
        longest = longest.max(out.looked);
        if out.finished {
            warps[w] = None;
        }
        let may_pop = [op::RET, op::BRK].contains(&o.op) || o.marker != marker::NONE;
        steps.push(Step::Op(w, active, o, gap));
        expected.push(Expected { warp: w, outcome: out, waits: may_pop });
    }
    assert!(overflows > 10 && underflows > 10 && ends > 50 && longest > 4, "{overflows} {underflows} {ends} {longest}");
    let Some(mut dut) = Dut::new(&Divergence::new(&cfg)) else { return };
    check(&mut dut, steps, &expected);
}

#[test]
fn divergence_follows_the_rules_in_a_small_sm() {
    unit_follows_the_rules("tiny", 20_000);
}

#[test]
fn divergence_follows_the_rules_in_a_large_sm() {
    unit_follows_the_rules("default", 40_000);
}
