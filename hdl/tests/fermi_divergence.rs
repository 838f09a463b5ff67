//! Fermi's divergence unit against the golden model.

use crate::support;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::divergence::{check, Expected, Op, Outcome, Step};
use support::dut::Dut;
use support::fermi_divergence::Warp;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::sm::dims::pc_width;
use warpsmith_hdl::sm::divergence::fermi::FermiDivergence;
use warpsmith_hdl::sm::divergence::{marker, op};

const NO_OP: (u64, u64) = (op::NONE, marker::NONE);
const JOIN: (u64, u64) = (op::NONE, marker::JOIN);

/// Who executes an instruction.
#[derive(Clone, Copy)]
enum Guard {
    /// All active threads.
    All,
    /// Some of them, all or none.
    Some,
}

#[derive(Clone, Copy)]
struct Instruction {
    code: (u64, u64),
    guard: Guard,
    /// Number of the instruction.
    target: usize,
}

/// A program of nested statements, as compilers emit them.
#[derive(Clone, Default)]
struct Nested {
    program: Vec<Instruction>,
}

impl Nested {
    fn random(r: &mut ChaCha8Rng) -> Self {
        let mut nested = Self::default();
        nested.block(r, 3);
        nested.put((op::EXIT, marker::NONE), Guard::All);
        nested
    }

    /// The number of the instruction.
    fn put(&mut self, code: (u64, u64), guard: Guard) -> usize {
        self.program.push(Instruction { code, guard, target: 0 });
        self.program.len() - 1
    }

    fn op(&mut self, op: u64, guard: Guard) -> usize {
        self.put((op, marker::NONE), guard)
    }

    fn jump(&mut self, op: u64, guard: Guard, target: usize) {
        let at = self.op(op, guard);
        self.program[at].target = target;
    }

    /// The instruction `at` goes to the next one that is put.
    fn here(&mut self, at: usize) {
        self.program[at].target = self.program.len();
    }

    fn block(&mut self, r: &mut ChaCha8Rng, nesting: usize) {
        for _ in 0..r.gen_range(1..4) {
            self.statement(r, nesting);
        }
    }

    fn statement(&mut self, r: &mut ChaCha8Rng, nesting: usize) {
        let kind = if nesting == 0 { 0 } else { r.gen_range(0..7) };
        match kind {
            0 if r.gen_bool(0.1) => {
                self.op(op::EXIT, Guard::Some);
            }
            0 => {
                self.put(NO_OP, Guard::Some);
            }
            // if, with or without else
            1 | 2 => {
                let ssy = self.op(op::SSY, Guard::All);
                let bra = self.op(op::BRA, Guard::Some);
                self.block(r, nesting - 1);
                self.put(JOIN, Guard::All);
                self.here(bra);
                if kind == 1 {
                    self.block(r, nesting - 1);
                }
                self.put(JOIN, Guard::All);
                self.here(ssy);
            }
            // loop
            3 => {
                let pbk = self.op(op::PBK, Guard::All);
                let head = self.program.len();
                self.block(r, nesting - 1);
                self.op(op::BRK, Guard::Some);
                self.jump(op::BRA, Guard::All, head);
                self.here(pbk);
            }
            // loop with continue, and a break within an if
            4 => {
                let pbk = self.op(op::PBK, Guard::All);
                let head = self.program.len();
                let pcnt = self.op(op::PCNT, Guard::All);
                let ssy = self.op(op::SSY, Guard::All);
                let bra = self.op(op::BRA, Guard::Some);
                self.op(op::BRK, Guard::Some);
                self.put(JOIN, Guard::All);
                self.here(bra);
                self.op(op::CONT, Guard::Some);
                self.put(JOIN, Guard::All);
                self.here(ssy);
                self.block(r, nesting - 1);
                self.op(op::CONT, Guard::All);
                self.here(pcnt);
                self.op(op::BRK, Guard::Some);
                self.jump(op::BRA, Guard::All, head);
                self.here(pbk);
            }
            // call
            5 => {
                let cal = self.op(op::CAL, Guard::All);
                let over = self.op(op::BRA, Guard::All);
                self.here(cal);
                self.function(r, nesting - 1);
                self.here(over);
            }
            // call by PRET and a branch
            _ => {
                let pret = self.op(op::PRET, Guard::All);
                self.function(r, nesting - 1);
                self.here(pret);
            }
        }
    }

    fn function(&mut self, r: &mut ChaCha8Rng, nesting: usize) {
        let ssy = self.op(op::SSY, Guard::All);
        let bra = self.op(op::BRA, Guard::Some);
        self.block(r, nesting);
        self.op(op::RET, Guard::Some);
        self.put(JOIN, Guard::All);
        self.here(bra);
        self.put(JOIN, Guard::All);
        self.here(ssy);
        self.op(op::RET, Guard::All);
    }
}

fn some_of(r: &mut ChaCha8Rng, active: u32) -> u32 {
    active
        & match r.gen_range(0..6) {
            0 => u32::MAX,
            1 => 0,
            2 => 1 << r.gen_range(0..32),
            3 => !(1 << r.gen_range(0..32)),
            _ => r.gen(),
        }
}

/// A warp and the program it runs, if it is not just any operations.
struct Running {
    warp: Warp,
    pc: u32,
    program: Option<Nested>,
}

impl Running {
    fn start(r: &mut ChaCha8Rng, nested: bool, entries: usize) -> Self {
        let mask = if r.gen_bool(0.7) { u32::MAX } else { r.gen_range(1..=u32::MAX) };
        Self { warp: Warp::new(mask, entries), pc: 0, program: nested.then(|| Nested::random(r)) }
    }

    fn next(&self, r: &mut ChaCha8Rng, grow: bool, pc: usize) -> Op {
        let active = self.warp.active();
        match &self.program {
            Some(nested) => {
                let i = &nested.program[self.pc as usize / 8];
                Op {
                    op: i.code.0,
                    marker: i.code.1,
                    exec: match i.guard {
                        Guard::All => active,
                        Guard::Some => some_of(r, active),
                    },
                    target: 8 * i.target as u32,
                    next: self.pc + 8,
                }
            }
            None => any_op(r, active, grow, pc),
        }
    }
}

/// Operations without any order.
fn any_op(r: &mut ChaCha8Rng, active: u32, grow: bool, pc: usize) -> Op {
    const PUSHES: [u64; 6] = [op::BRA, op::CAL, op::PBK, op::SSY, op::PCNT, op::PRET];
    let op = if grow && r.gen_bool(0.7) {
        *PUSHES.choose(r).expect("six of them")
    } else {
        r.gen_range(op::NONE..=op::EXIT)
    };
    let joins = r.gen_bool(if op == op::NONE { 0.8 } else { 0.05 });
    let mut exec = some_of(r, active);
    if op == op::EXIT && r.gen_bool(0.5) {
        exec &= r.gen::<u32>() & r.gen::<u32>();
    }
    let mut address = || r.gen_range(0..(1u32 << (pc - 1)) / 8) * 8;
    Op { op, marker: if joins { marker::JOIN } else { marker::NONE }, exec, target: address(), next: address() }
}

/// What a run has met.
#[derive(Debug, Default)]
struct Met {
    overflows: usize,
    underflows: usize,
    ends: usize,
    /// Threads that RET without an entry ended, or EXIT with entries.
    ended: usize,
    longest: usize,
    deepest: usize,
}

impl Met {
    fn note(&mut self, o: &Op, out: &Outcome, depth: usize) {
        self.overflows += usize::from(out.trap == 6);
        self.underflows += usize::from(out.trap == 7);
        self.ends += usize::from(out.finished);
        self.ended += usize::from([op::RET, op::EXIT].contains(&o.op) && out.looked > 0);
        self.longest = self.longest.max(out.looked);
        self.deepest = self.deepest.max(depth);
    }
}

fn waits(o: &Op) -> bool {
    [op::RET, op::BRK, op::CONT, op::EXIT].contains(&o.op) || o.marker == marker::JOIN
}

fn unit_follows_the_rules(entries: usize, nested: bool, operations: usize) {
    let seed = 0xfe41 + entries as u64;
    println!("seed {seed:#x}, {operations} operations, {entries} entries");
    let cfg = GpuConfig {
        isa: Isa::Fermi,
        stack_depth: entries,
        ..GpuConfig::named("tiny").expect("a built-in configuration")
    };
    let r = &mut ChaCha8Rng::seed_from_u64(seed);
    let pc = pc_width(&cfg);
    let mut warps: Vec<Option<Running>> = (0..cfg.warps).map(|_| None).collect();
    let (mut steps, mut expected) = (vec![], vec![]);
    let mut met = Met::default();
    while expected.len() < operations {
        let w = r.gen_range(0..cfg.warps);
        let grow = expected.len() / 400 % 3 != 0;
        let running = match &mut warps[w] {
            Some(running) => running,
            none => {
                steps.push(Step::Start(w));
                none.insert(Running::start(r, nested, entries))
            }
        };
        let o = running.next(r, grow, pc);
        let gap = if r.gen_bool(0.5) { 0 } else { r.gen_range(0..4) };
        let active = running.warp.active();
        let outcome = running.warp.step(&o);
        running.pc = outcome.pc;
        met.note(&o, &outcome, running.warp.depth());
        assert!(!nested || outcome.trap != 7, "a program of statements");
        // What a trap leaves behind means nothing, but a full stack stays as it is.
        if outcome.finished || outcome.trap == 7 || nested && outcome.trap != 0 {
            warps[w] = None;
        }
        expected.push(Expected { warp: w, outcome, waits: waits(&o) });
        steps.push(Step::Op(w, active, o, gap));
    }
    println!("{met:?}");
    assert!(met.ends > 50 && met.ended > 100 && met.longest > 3, "{met:?}");
    if nested {
        assert!(met.deepest > 3, "{met:?}");
    } else {
        assert!(met.overflows > 10 && met.underflows > 10, "{met:?}");
        assert!(met.deepest == entries && met.longest == entries, "{met:?}");
    }
    let mut dut = Dut::native(&FermiDivergence::new(&cfg));
    check(&mut dut, steps, &expected);
}

#[test]
fn fermi_divergence_follows_the_rules_without_order() {
    for entries in [4, 8, 16, 32, 64] {
        unit_follows_the_rules(entries, false, 40_000);
    }
}

#[test]
fn fermi_divergence_follows_the_rules_in_nested_statements() {
    for entries in [4, 8, 16, 32, 64] {
        unit_follows_the_rules(entries, true, 40_000);
    }
}
