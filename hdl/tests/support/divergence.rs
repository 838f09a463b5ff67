//! Divergence units on the engine: operations as fast as the unit and the rules of its ports allow.

use super::dut::Dut;
use std::collections::VecDeque;

/// An operation, as the ports have it.
#[derive(Clone, Debug)]
pub struct Op {
    /// Operation.
    pub op: u64,
    /// Marker.
    pub marker: u64,
    /// Threads that execute it.
    pub exec: u32,
    /// Target address.
    pub target: u32,
    /// Address after the instruction.
    pub next: u32,
}

/// What an operation does.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// Threads active from now on.
    pub mask: u32,
    /// Address they go on at.
    pub pc: u32,
    /// The warp has ended.
    pub finished: bool,
    /// Trap cause, 0 for none; with one, mask and pc mean nothing.
    pub trap: u32,
    /// Stack entries of the warp; `None`: they mean nothing.
    pub depth: Option<usize>,
    /// Entries looked at: one cycle each.
    pub looked: usize,
}

/// The answer to an operation.
pub struct Expected {
    /// Its warp.
    pub warp: usize,
    /// What it does.
    pub outcome: Outcome,
    /// The unit takes the next one in the cycle of its result only.
    pub waits: bool,
}

/// What the unit is given.
pub enum Step {
    /// A warp begins in a slot.
    Start(usize),
    /// An operation of a warp with these active threads, and cycles before the next step.
    Op(usize, u32, Op, u32),
}

/// An operation under way.
struct Under {
    warp: usize,
    /// Cycle in which it was taken.
    taken: u64,
    /// Whether the unit was ready in the cycle after.
    ready_after: bool,
}

/// What the unit answered.
#[derive(Debug)]
struct Answer {
    warp: usize,
    mask: u32,
    pc: u32,
    finished: bool,
    /// Cause, 0 for none.
    trap: u32,
    depth: usize,
    /// Cycles from taking it to the result.
    latency: usize,
    ready_after: bool,
    /// Whether the unit is ready in the cycle of the result.
    ready: bool,
}

/// Gives the steps as fast as the unit and the rules of its port allow.
fn play(dut: &mut Dut, steps: Vec<Step>) -> Vec<Answer> {
    let wanted = steps.iter().filter(|s| matches!(s, Step::Op(..))).count();
    let mut steps = steps.into_iter().peekable();
    let mut under: VecDeque<Under> = VecDeque::new();
    let mut gap = 0;
    let mut answers = vec![];
    while steps.peek().is_some() || answers.len() < wanted {
        dut.set("valid", false);
        dut.set("start_valid", false);
        let pause = gap > 0;
        gap -= u32::from(pause);
        // A warp may begin while operations of others are under way, and beside the next one of another.
        let mut begun = None;
        match steps.peek() {
            // The slot's former warp must be through.
            Some(Step::Start(w)) if !pause && under.iter().all(|u| u.warp != *w) => {
                dut.set("start_valid", true);
                dut.set("start_warp", *w as u32);
                begun = Some(*w);
                steps.next();
            }
            _ => {}
        }
        match steps.peek() {
            Some(Step::Op(w, active, o, wait)) if !pause && begun != Some(*w) => {
                // Which threads are active is known when the warp's operation before is complete.
                let answered = dut.is("result_valid");
                let held = under.iter().enumerate().any(|(i, u)| u.warp == *w && !(answered && i == 0));
                dut.set("valid", !held);
                dut.set("op", o.op);
                dut.set("marker", o.marker);
                dut.set("warp", *w as u32);
                for (port, value) in [("active", *active), ("exec", o.exec), ("target", o.target), ("next", o.next)] {
                    dut.set(port, value);
                }
                dut.eval();
                if !held && dut.is("ready") {
                    gap = *wait;
                    under.push_back(Under { warp: *w, taken: dut.cycle, ready_after: false });
                    steps.next();
                }
            }
            _ => {}
        }
        dut.eval();
        let ready = dut.is("ready");
        for u in under.iter_mut().filter(|u| dut.cycle == u.taken + 1) {
            u.ready_after = ready;
        }
        if dut.is("result_valid") {
            let u = under.pop_front().expect("an operation is under way");
            let trapped = dut.is("result_trap");
            answers.push(Answer {
                warp: dut.get("result_warp") as usize,
                mask: dut.word("result_mask"),
                pc: dut.word("result_pc"),
                finished: dut.is("result_finished"),
                trap: if trapped { dut.word("result_cause") } else { 0 },
                depth: dut.get("result_depth") as usize,
                latency: (dut.cycle - u.taken) as usize,
                ready_after: u.ready_after,
                ready,
            });
            assert_eq!(answers.last().map(|a| a.warp), Some(u.warp));
        }
        dut.tick();
    }
    assert!(!dut.is("busy"), "nothing is under way at the end");
    answers
}

/// Gives the steps and compares the answers; then nothing is under way.
pub fn check(dut: &mut Dut, steps: Vec<Step>, expected: &[Expected]) {
    let answers = play(dut, steps);
    assert_eq!(answers.len(), expected.len());
    for (i, (got, expected)) in answers.iter().zip(expected).enumerate() {
        let want = &expected.outcome;
        assert_eq!(
            (got.warp, got.finished, got.trap),
            (expected.warp, want.finished, want.trap),
            "operation {i}: {got:x?}, expected {want:x?}"
        );
        if let Some(depth) = want.depth {
            assert_eq!(got.depth, depth, "depth of {i}: expected {want:x?}");
        }
        if want.trap == 0 {
            assert_eq!(got.mask, want.mask, "mask of {i}: expected {want:x?}");
            if !want.finished {
                assert_eq!(got.pc, want.pc, "pc of {i}: expected {want:x?}");
            }
        }
        assert_eq!(got.latency, 2 + want.looked, "cycles of {i}: {want:x?}");
        // Ready in the next cycle, or in that of the result.
        let waits = expected.waits;
        assert_eq!(got.ready_after, !waits, "ready behind {i}: {want:x?}");
        assert!(!waits || got.ready, "ready at the result of {i}");
    }
}
