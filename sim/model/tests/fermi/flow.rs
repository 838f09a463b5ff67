//! Control flow of Fermi: random structured programs on the warp model against an evaluator that knows
//! one thread and no warp.
//!
//! A program is a tree of mixes of an accumulator, branches, loops with break and continue, calls and
//! exits. It is written as Fermi text the way compilers write it (SSY and `.S`, PBK and BRK, PCNT and CONT, CAL
//! and RET) and evaluated from the tree.

use crate::common::reference::cases;
use std::fmt::Write;
use warpsmith_model::fermi::Fermi;
use warpsmith_model::uop::Machine;
use warpsmith_model::Launch;
use warpsmith_testkit::Random;

/// Factor of every mix.
const FACTOR: u32 = 1_664_525;
/// Functions of a program; each calls later ones only.
const FUNCTIONS: usize = 3;

/// A statement.
enum Node {
    /// acc = acc * FACTOR + k.
    Mix(u32),
    /// Bit `bit` of acc chooses.
    If(u32, Vec<Node>, Vec<Node>),
    /// The body, then again while a counter is below 1 + (acc & 3) of the start.
    Loop(Vec<Node>),
    /// The same, written with a branch to the top and no stack entry but SSY's.
    Plain(Vec<Node>),
    /// Leaves the loop where bit `bit` of acc is 1.
    Break(u32),
    /// Goes on with the next turn where bit `bit` of acc is 1.
    Continue(u32),
    /// Leaves the function, or ends at the top level, where bit `bit` of acc is 1.
    Return(u32),
    /// Ends the thread where bits `bit` and `bit + 1` of acc are 1.
    Exit(u32),
    /// Calls a function.
    Call(usize),
}

/// What surrounds a statement.
#[derive(Clone, Copy)]
struct Around {
    depth: u32,
    /// Directly inside a loop that break and continue leave.
    in_loop: bool,
    /// Functions from here on may be called.
    callable: usize,
}

fn body(r: &mut Random, a: Around) -> Vec<Node> {
    let n = 1 + r.below(3);
    (0..n).map(|_| node(r, a)).collect()
}

fn node(r: &mut Random, a: Around) -> Node {
    let bit = r.below(28);
    let inner = Around { depth: a.depth + 1, ..a };
    let leaf = a.depth >= 4;
    match r.below(if leaf { 7 } else { 13 }) {
        0 | 1 => Node::Mix(r.bits() as u32),
        2 if a.in_loop => Node::Break(bit),
        3 if a.in_loop => Node::Continue(bit),
        4 => Node::Return(bit),
        5 => Node::Exit(bit),
        6 | 7 if a.callable < FUNCTIONS => {
            let n = a.callable as u32 + r.below((FUNCTIONS - a.callable) as u32);
            Node::Call(n as usize)
        }
        7..=9 => Node::If(bit, body(r, inner), body(r, inner)),
        10 | 11 => Node::Loop(body(r, Around { in_loop: true, ..inner })),
        12 => Node::Plain(body(r, Around { in_loop: false, ..inner })),
        _ => Node::Mix(r.bits() as u32),
    }
}

/// Loops of a program; each has registers of its own.
fn loops(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|n| match n {
            Node::If(_, a, b) => loops(a) + loops(b),
            Node::Loop(inner) | Node::Plain(inner) => 1 + loops(inner),
            _ => 0,
        })
        .sum()
}

/// Why a statement is left.
#[derive(Clone, Copy, PartialEq)]
enum Left {
    Normally,
    Broken,
    Continued,
    Returned,
    Ended,
}

/// One thread.
fn evaluate(nodes: &[Node], functions: &[Vec<Node>], acc: &mut u32) -> Left {
    for n in nodes {
        let bit = |acc: u32, b: &u32| acc >> b & 1 == 1;
        let left = match n {
            Node::Mix(k) => {
                *acc = acc.wrapping_mul(FACTOR).wrapping_add(*k);
                Left::Normally
            }
            Node::If(b, yes, no) => {
                let side = if bit(*acc, b) { yes } else { no };
                evaluate(side, functions, acc)
            }
            Node::Loop(inner) | Node::Plain(inner) => {
                let turns = 1 + (*acc & 3);
                let mut left = Left::Normally;
                for _ in 0..turns {
                    match evaluate(inner, functions, acc) {
                        Left::Broken => break,
                        Left::Normally | Left::Continued => {}
                        out => {
                            left = out;
                            break;
                        }
                    }
                }
                left
            }
            Node::Break(b) if bit(*acc, b) => Left::Broken,
            Node::Continue(b) if bit(*acc, b) => Left::Continued,
            Node::Return(b) if bit(*acc, b) => Left::Returned,
            Node::Exit(b) if bit(*acc, b) && bit(*acc, &(b + 1)) => Left::Ended,
            Node::Call(f) => match evaluate(&functions[*f], functions, acc) {
                Left::Ended => Left::Ended,
                _ => Left::Normally,
            },
            _ => Left::Normally,
        };
        if left != Left::Normally {
            return left;
        }
    }
    Left::Normally
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

    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|n| self.node(n));
    }

    fn node(&mut self, n: &Node) {
        match n {
            Node::Mix(k) => {
                self.line(format!("MOV32I R3, {k:#x}"));
                self.line("IMAD.U32.U32 R1, R1, R2, R3");
            }
            Node::If(bit, yes, no) => {
                let (then, end) = (self.label(), self.label());
                self.test(*bit, 1);
                self.line(format!("SSY L{end}"));
                self.line(format!("@P0 BRA L{then}"));
                self.nodes(no);
                self.line("NOP.S");
                self.here(then);
                self.nodes(yes);
                self.line("NOP.S");
                self.here(end);
            }
            Node::Loop(inner) => {
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
            Node::Plain(inner) => {
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
            Node::Break(bit) => self.leave(*bit, 1, "BRK"),
            Node::Continue(bit) => self.leave(*bit, 1, "CONT"),
            Node::Return(bit) => self.leave(*bit, 1, "RET"),
            Node::Exit(bit) => self.leave(*bit, 3, "EXIT"),
            Node::Call(f) => self.line(format!("CAL F{f}")),
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
        let functions: Vec<Vec<Node>> = (0..FUNCTIONS)
            .map(|f| {
                let a = Around { depth: 2, in_loop: false, callable: f + 1 };
                body(&mut r, a)
            })
            .collect();
        let top = Around { depth: 0, in_loop: false, callable: 0 };
        let main = body(&mut r, top);
        if loops(&main) + functions.iter().map(|f| loops(f)).sum::<usize>() > 25 {
            continue;
        }
        let mut w = Writer { text: String::new(), labels: 0, loops: 0 };
        w.line("S2R R0, SR_Tid_X");
        w.line(format!("MOV32I R2, {FACTOR:#x}"));
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
        let stats = m.run(10_000_000, None).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", w.text));
        for t in 0..THREADS {
            let mut acc = (t + 1).wrapping_mul(0x9e37_79b9);
            let want = match evaluate(&main, &functions, &mut acc) {
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
