//! Control flow of Fermi: random structured programs on the warp model against an evaluator that knows
//! one thread and no warp.
//!
//! A program is a tree of mixes of an accumulator, branches, loops with break and continue, calls and
//! exits. It is written as Fermi text the way compilers write it (SSY and `.S`, PBK and BRK, PCNT and CONT, CAL
//! and RET) and evaluated from the tree.

use crate::common::reference::cases;
use crate::common::structured::{Kinds, Left, Statement, Within, FUNCTIONS};
use std::fmt::Write;
use warpsmith_model::fermi::Fermi;
use warpsmith_model::uop::Machine;
use warpsmith_model::Launch;
use warpsmith_testkit::Random;

const KINDS: Kinds =
    Kinds { factor: 1_664_525, most: 3, bits: 28, end: 3, rare: 1, conditions: false, returns: true, calls: true };

/// Loops of a program; each has registers of its own.
fn loops(nodes: &[Statement]) -> usize {
    let of = |n: &Statement| match n {
        Statement::If(_, a, b) => loops(a) + b.as_ref().map_or(0, |b| loops(b)),
        Statement::Loop(_, inner, _) | Statement::Plain(inner) => 1 + loops(inner),
        _ => 0,
    };
    nodes.iter().map(of).sum()
}

/// Text of a program with its labels and loop registers.
struct Writer {
    text: String,
    labels: u32,
    loops: u32,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{};", line.as_ref());
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn here(&mut self, label: u32) {
        let _ = writeln!(self.text, "L{label}:");
    }

    /// P0 = all bits of `mask << bit` are 1 in acc (R1).
    fn test(&mut self, bit: u32, mask: u32) {
        self.line(format!("SHR.U32 R3, R1, {bit:#x}"));
        self.line(format!("LOP.AND R3, R3, {mask:#x}"));
        self.line(format!("ISETP.EQ.AND P0, PT, R3, {mask:#x}, PT"));
    }

    /// Registers of a loop: turns done, turns.
    fn counter(&mut self) -> (u32, u32) {
        let n = self.loops;
        self.loops += 1;
        assert!(n < 25, "registers for 25 loops");
        let (i, turns) = (10 + 2 * n, 11 + 2 * n);
        self.line(format!("MOV32I R{i}, 0x0"));
        self.line(format!("LOP.AND R{turns}, R1, 0x3"));
        (i, turns)
    }

    fn nodes(&mut self, nodes: &[Statement]) {
        nodes.iter().for_each(|n| self.node(n));
    }

    fn node(&mut self, n: &Statement) {
        match n {
            Statement::Mix(k) => {
                self.line(format!("MOV32I R3, {k:#x}"));
                self.line("IMAD.U32.U32 R1, R1, R2, R3");
            }
            Statement::If(bit, yes, no) => {
                let (then, end) = (self.label(), self.label());
                self.test(*bit, 1);
                self.line(format!("SSY L{end}"));
                self.line(format!("@P0 BRA L{then}"));
                self.nodes(no.as_deref().unwrap_or_default());
                self.line("NOP.S");
                self.here(then);
                self.nodes(yes);
                self.line("NOP.S");
                self.here(end);
            }
            Statement::Loop(_, inner, _) => {
                let (top, next, exit) = (self.label(), self.label(), self.label());
                let (i, turns) = self.counter();
                self.line(format!("PBK L{exit}"));
                self.here(top);
                self.line(format!("PCNT L{next}"));
                self.nodes(inner);
                self.line("CONT");
                self.here(next);
                self.line(format!("ISETP.GE.U32.AND P0, PT, R{i}, R{turns}, PT"));
                self.line("@P0 BRK");
                self.line(format!("IADD R{i}, R{i}, 0x1"));
                self.line(format!("BRA L{top}"));
                self.here(exit);
            }
            Statement::Plain(inner) => {
                let (top, end) = (self.label(), self.label());
                let (i, turns) = self.counter();
                self.line(format!("SSY L{end}"));
                self.here(top);
                self.nodes(inner);
                self.line(format!("ISETP.LT.U32.AND P0, PT, R{i}, R{turns}, PT"));
                self.line(format!("IADD R{i}, R{i}, 0x1"));
                self.line(format!("@P0 BRA L{top}"));
                self.line("NOP.S");
                self.here(end);
            }
            Statement::Break(bit) => self.leave(*bit, 1, "BRK"),
            Statement::Continue(bit) => self.leave(*bit, 1, "CONT"),
            Statement::Return(bit) => self.leave(*bit, 1, "RET"),
            Statement::End(bit) => self.leave(*bit, 3, "EXIT"),
            Statement::Call(f, _) => self.line(format!("CAL F{f}")),
        }
    }

    fn leave(&mut self, bit: u32, mask: u32, how: &str) {
        self.test(bit, mask);
        self.line(format!("@P0 {how}"));
    }
}

/// Random programs, each of two warps, the second one not full.
#[test]
fn random_structured_programs_do_what_each_thread_alone_would_do() {
    const THREADS: u32 = 48;
    let (mut programs, mut instructions) = (0, 0);
    for seed in 0..u64::from(cases(400)) {
        let mut r = Random(seed);
        let functions: Vec<Vec<Statement>> =
            (0..FUNCTIONS).map(|f| KINDS.body(&mut r, Within::top(2, f + 1))).collect();
        let main = KINDS.body(&mut r, Within::top(0, 0));
        if loops(&main) + functions.iter().map(|f| loops(f)).sum::<usize>() > 25 {
            continue;
        }
        let mut w = Writer { text: String::new(), labels: 0, loops: 0 };
        w.line("S2R R0, SR_Tid_X");
        w.line(format!("MOV32I R2, {:#x}", KINDS.factor));
        w.line("IADD R1, R0, 0x1");
        w.line(format!("IMUL32I.U32.U32 R1, R1, {:#x}", 0x9e37_79b9u32));
        // A return at the top level ends the part that a call encloses here.
        w.line("CAL MAIN");
        w.line("ISCADD R3, R0, c[0x0][0x20], 0x2");
        w.line("ST [R3], R1");
        w.line("EXIT");
        w.text.push_str("MAIN:\n");
        w.nodes(&main);
        w.line("RET");
        for (n, f) in functions.iter().enumerate() {
            let _ = writeln!(w.text, "F{n}:");
            w.nodes(f);
            w.line("RET");
        }
        let code = warpsmith_isa::set::assemble(&warpsmith_isa::fermi::Fermi, &w.text, "flow")
            .unwrap_or_else(|e| panic!("{e}\n{}", w.text));
        let launch = Launch {
            block: [THREADS, 1, 1],
            params: vec![0x100],
            global_bytes: 4096,
            ..Launch::from_code(warpsmith_isa::Isa::Fermi, code.bytes)
        };
        let mut m = Machine::new(&Fermi, &launch, 64);
        let stats = m.run(10_000_000).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", w.text));
        for t in 0..THREADS {
            let mut acc = (t + 1).wrapping_mul(0x9e37_79b9);
            let want = match KINDS.evaluate(&main, &functions, &mut acc) {
                Left::Ended => 0,
                _ => acc,
            };
            assert_eq!(m.global().word(0x100 + 4 * t), want, "seed {seed}, thread {t}\n{}", w.text);
        }
        programs += 1;
        instructions += stats.warp_instructions;
    }
    println!("{programs} programs, {instructions} warp instructions");
}
