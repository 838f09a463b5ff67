//! The divergence unit against the rules of docs/decisions.md, written out thread by thread.

use crate::support;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::divergence::{check, Expected, Op, Outcome, Step};
use support::dut::Dut;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::dims::pc_width;
use warpsmith_hdl::sm::divergence::{kind, marker, op, Divergence};

#[derive(Clone, Copy, PartialEq)]
enum State {
    Run,
    Brk,
    Ret,
    Exit,
}

#[derive(Clone)]
struct Warp {
    active: u32,
    threads: [State; 32],
    stack: Vec<(u64, u32, u32)>,
}

impl Warp {
    fn new(active: u32) -> Self {
        Self { active, threads: [State::Run; 32], stack: vec![] }
    }

    fn of(mask: u32) -> impl Iterator<Item = usize> {
        (0..32).filter(move |t| mask >> t & 1 == 1)
    }

    fn run(&self) -> u32 {
        (0..32).filter(|&t| self.threads[t] == State::Run).fold(0, |m, t| m | 1 << t)
    }

    fn mark(&mut self, mask: u32, state: State) {
        Self::of(mask).for_each(|t| self.threads[t] = state);
    }

    fn revive(&mut self, mask: u32, from: State) {
        Self::of(mask).for_each(|t| {
            if self.threads[t] == from {
                self.threads[t] = State::Run;
            }
        });
    }

    /// Pops an entry; the address its threads go on at.
    fn resume(&mut self, (k, pc, mask): (u64, u32, u32), join_next: Option<u32>) -> u32 {
        match k {
            kind::PREBREAK => self.revive(mask, State::Brk),
            kind::CALL => self.revive(mask, State::Ret),
            _ => {}
        }
        self.active = mask & self.run();
        if k == kind::JOINAT {
            join_next.unwrap_or(pc + 8)
        } else {
            pc
        }
    }

    fn step(&mut self, o: &Op, limit: usize) -> Outcome {
        let (a, e) = (self.active, o.exec);
        let mut pc = o.next;
        let mut pops = 0;
        let push = match o.op {
            op::BRA if e != 0 && a & !e != 0 => Some((kind::BRANCH, o.next, a & !e)),
            op::CAL => Some((kind::CALL, o.next, a)),
            op::PBK => Some((kind::PREBREAK, o.target, a)),
            op::SSY => Some((kind::JOINAT, o.target, a)),
            _ => None,
        };
        let trap =
            |cause, depth| Outcome { mask: 0, pc: 0, finished: false, trap: cause, depth: Some(depth), looked: 0 };
        if push.is_some() && self.stack.len() == limit {
            return trap(6, limit);
        }
        if o.marker == marker::JOIN && self.stack.is_empty() {
            return trap(7, 0);
        }
        self.stack.extend(push);
        match (o.op, o.marker) {
            (op::BRA, _) if e != 0 => (self.active, pc) = (e, o.target),
            (op::CAL, _) => pc = o.target,
            (op::BRK, _) => {
                self.mark(e, State::Brk);
                self.active &= !e;
            }
            (op::RET, _) => {
                self.mark(e, State::Ret);
                self.active &= !e;
            }
            (_, marker::EXIT) => {
                self.mark(a, State::Exit);
                self.active = 0;
            }
            (_, marker::JOIN) => {
                let entry = self.stack.pop().unwrap();
                pc = self.resume(entry, Some(o.next));
                pops += 1;
            }
            _ => {}
        }
        let mut finished = false;
        while self.active == 0 && !finished {
            match self.stack.pop() {
                Some(entry) => pc = self.resume(entry, None),
                None => finished = true,
            }
            pops += 1;
        }
        Outcome { mask: self.active, pc, finished, trap: 0, depth: Some(self.stack.len()), looked: pops }
    }
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
    let mut warps: Vec<Option<Warp>> = vec![None; cfg.warps];
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
                none.insert(Warp::new(mask))
            }
        };
        let o = random_op(r, warp.active, grow, pc);
        let gap = if r.gen_bool(0.5) { 0 } else { r.gen_range(0..4) };
        let active = warp.active;
        let out = warp.step(&o, cfg.stack_depth);
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
    let Some(mut dut) = Dut::new(&Divergence::new(&cfg)) else {
        return;
    };
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
