//! Control flow: random structured programs against an evaluator of one channel at a time.

use super::bench::{code, Bench};
use crate::common::structured::Statement::{self, *};
use crate::common::structured::{Kinds, Within, FUNCTIONS};
use warpsmith_isa::ivb::Ivb;
use warpsmith_isa::set::{InstructionSet, Place};
use warpsmith_testkit::Random;

const KINDS: Kinds =
    Kinds { factor: 2, most: 4, bits: 8, end: 1, rare: 4, conditions: true, returns: false, calls: true };

/// The text of a program.
struct Writer {
    text: String,
    labels: usize,
    /// `(16)`, `1H`.
    size: String,
    part: &'static str,
    /// Jumps hop over code without channels as far as they may, or no further than to the next instruction.
    far: bool,
}

/// Labels that a statement branches to.
#[derive(Clone)]
struct Labels {
    /// The next place where channels of this block meet others.
    end: String,
    /// The `while` of the loop.
    again: String,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn op(&mut self, head: &str, rest: &str) {
        let (size, part) = (self.size.clone(), self.part);
        self.sized(head, &size, rest, part);
    }

    fn sized(&mut self, head: &str, size: &str, rest: &str, options: &str) {
        let text = format!("{head}{size} {rest} {{ align1 {options}");
        let short = format!("{text} compacted }}");
        // Instructions of 8 bytes among those of 16, where there are such.
        match Ivb.parse(&short, &Place::at(0)) {
            Ok(_) => self.line(&short),
            Err(_) => self.line(&format!("{text} }}")),
        }
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn test(&mut self, bit: u32) {
        let mask = 1u32 << bit;
        self.op("and.nz.f0.0", &format!("null<1>UD g16<8,8,1>UD {mask:#010x}UD"));
    }

    fn block(&mut self, block: &[Statement], depth: usize, labels: &Labels) {
        for s in block {
            self.statement(s, depth, labels);
        }
    }

    fn statement(&mut self, s: &Statement, depth: usize, labels: &Labels) {
        let Labels { end, again } = labels;
        match s {
            Mix(n) => {
                self.op("shl", "g16<1>UD g16<8,8,1>UD 0x00000001UD");
                self.op("add", &format!("g16<1>UD g16<8,8,1>UD {n:#010x}UD"));
            }
            If(bit, then, other) => {
                let (otherwise, start, out) = (self.label(), self.label(), self.label());
                let inner = |end: &String| Labels { end: end.clone(), again: again.clone() };
                self.test(*bit);
                match other {
                    Some(other) => {
                        self.op("(+f0.0) if", &format!("JIP: {start} UIP: {out}"));
                        self.block(then, depth + 1, &inner(&otherwise));
                        self.line(&format!("{otherwise}:"));
                        self.op("else", &format!("JIP: {out}"));
                        self.line(&format!("{start}:"));
                        self.block(other, depth + 1, &inner(&out));
                    }
                    None => {
                        self.op("(+f0.0) if", &format!("JIP: {out} UIP: {out}"));
                        self.block(then, depth + 1, &inner(&out));
                    }
                }
                self.line(&format!("{out}:"));
                let hop = if self.far { end.as_str() } else { "2" };
                self.op("endif", &format!("JIP: {hop}"));
            }
            Loop(rounds, body, last) => {
                let (top, next) = (self.label(), self.label());
                let (counter, rounds) = (format!("g{}", 30 + 2 * depth), rounds.unwrap_or_default());
                self.op("mov", &format!("{counter}<1>UD {rounds:#010x}UD"));
                self.line(&format!("{top}:"));
                let (size, options) = (self.size.clone(), format!("{} switch", self.part));
                self.sized("cmp.z.f0.1", &size, &format!("null<1>UD {counter}<8,8,1>UD 0x00000000UD"), &options);
                self.op("(+f0.1) break", &format!("JIP: {next} UIP: {next}"));
                self.op("add", &format!("{counter}<1>D {counter}<8,8,1>D -1D"));
                let inner = Labels { end: next.clone(), again: next.clone() };
                self.block(body, depth + 1, &inner);
                // Channels that a `cont` sent to the while have its condition in their flag: 1.
                if let Some(bit) = last {
                    self.test(*bit);
                }
                self.line(&format!("{next}:"));
                let head = if last.is_some() { "(+f0.0) while" } else { "while" };
                self.op(head, &format!("JIP: {top}"));
            }
            Break(bit) => {
                self.test(*bit);
                self.op("(+f0.0) break", &format!("JIP: {end} UIP: {again}"));
            }
            Continue(bit) => {
                self.test(*bit);
                self.op("(+f0.0) cont", &format!("JIP: {end} UIP: {again}"));
            }
            End(bit) => {
                self.test(*bit);
                self.op("(+f0.0) halt", &format!("JIP: {end} UIP: end"));
            }
            Call(routine, when) => {
                let dst = 100 + 2 * routine;
                let head = match when {
                    Some(bit) => {
                        self.test(*bit);
                        "(+f0.0) call"
                    }
                    None => "call",
                };
                self.sized(head, "(2)", &format!("g{dst}<1>UD r{routine}"), "1N");
            }
            Plain(_) | Return(_) => unreachable!("the set has none"),
        }
    }
}

const EOT: &str = "send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT }";

fn text(main: &[Statement], routines: &[Vec<Statement>], channels: u32, far: bool) -> String {
    let mut w = Writer {
        text: String::new(),
        labels: 0,
        size: format!("({channels})"),
        part: if channels == 16 { "1H" } else { "1Q" },
        far,
    };
    let labels = Labels { end: "end".into(), again: "end".into() };
    w.block(main, 0, &labels);
    w.line("end:");
    w.line(EOT);
    for (n, routine) in routines.iter().enumerate() {
        w.line(&format!("r{n}:"));
        let labels = Labels { end: format!("x{n}"), again: "end".into() };
        // Loops of different routines count in different registers.
        w.block(routine, 4 * (n + 1) + 6, &labels);
        w.line(&format!("x{n}:"));
        w.op("ret", &format!("null<1>UD g{}<2,2,1>UD", 100 + 2 * n));
    }
    w.text
}

/// A program, its text for so many channels.
fn program(seed: u32, calls: bool) -> (Vec<Statement>, Vec<Vec<Statement>>) {
    let (mut random, kinds) = (Random(seed.into()), Kinds { calls, ..KINDS });
    let main = (0..3).flat_map(|_| kinds.body(&mut random, Within::top(0, 0))).collect();
    let functions = if calls { FUNCTIONS } else { 0 };
    let routines = (1..=functions).map(|n| kinds.body(&mut random, Within::top(0, n))).collect();
    (main, routines)
}

/// Runs a program; x of every channel.
fn run(code: &[u8], channels: u32, dispatched: u32, start: &[u32], single: bool) -> Vec<u32> {
    let mut bench = Bench::new(dispatched, code);
    for (n, x) in start.iter().enumerate() {
        bench.set_dword(128 + n, *x);
    }
    if single {
        bench.set_control(1 << 2);
    }
    bench.run(200_000).unwrap_or_else(|e| panic!("{e}"));
    (0..channels as usize).map(|n| bench.dword(128 + n)).collect()
}

#[test]
fn random_programs_do_what_each_channel_would_alone() {
    let (mut channels_run, mut programs, mut instructions) = (0, 0, 0);
    for seed in 0..600 {
        let (main, routines) = program(seed, seed % 3 == 0);
        let channels = [8, 16][seed as usize % 2];
        let text = text(&main, &routines, channels, seed % 5 < 2);
        let code = code(&text);
        instructions += code.len() / 16;
        let mut random = Random(u64::from(seed) + 1000);
        let dispatched = 1 + random.word() % channels;
        let start: Vec<u32> = (0..channels).map(|_| random.word()).collect();
        let found = run(&code, channels, dispatched, &start, false);
        for (n, x) in start.iter().enumerate() {
            let mut want = *x;
            if n < dispatched as usize {
                KINDS.evaluate(&main, &routines, &mut want);
                channels_run += 1;
            }
            assert_eq!(found[n], want, "program {seed}, channel {n}\n{text}");
        }
        programs += 1;
    }
    println!("{programs} programs of {instructions} instructions, {channels_run} channels");
}

#[test]
fn a_single_instruction_pointer_follows_its_channel() {
    let mut programs = 0;
    for seed in 5000..5200 {
        let (main, routines) = program(seed, false);
        let code = code(&text(&main, &routines, 8, false));
        let mut random = Random(seed.into());
        let start = [random.word()];
        let found = run(&code, 1, 1, &start, true);
        let mut want = start[0];
        KINDS.evaluate(&main, &routines, &mut want);
        assert_eq!(found[0], want, "program {seed}");
        programs += 1;
    }
    println!("{programs} programs of one channel, cr0.0 bit 2 set");
}

#[test]
fn brd_and_brc_take_channels_along() {
    // Channels whose bit is 1 go over the addition; all meet behind it.
    for (branch, jumps) in [("(+f0.0) brd(8) JIP: out", false), ("(+f0.0) brc(8) JIP: out UIP: out", true)] {
        for start in [0u32, 0xff, 0xaa, 0x0f] {
            let text = format!(
                "and.nz.f0.0(8) null<1>UD g16<8,8,1>UD 0x1UD\n{branch} {{ align1 1Q switch }}\n\
                 add(8) g16<1>UD g16<8,8,1>UD 0x64UD\nout: endif(8) JIP: 2\n{EOT}\n"
            );
            let mut bench = Bench::new(8, &code(&text));
            for n in 0..8 {
                bench.set_dword(128 + n, start >> n & 1);
            }
            let steps = bench.run(10).expect("it ends");
            for n in 0..8 {
                let bit = start >> n & 1;
                let want = if bit == 1 { 1 } else { 0x64 };
                assert_eq!(bench.dword(128 + n), want, "{branch} {start:#x} {n}");
            }
            // The addition is skipped where no channel needs it.
            assert_eq!(steps, if start == 0xff { 4 } else { 5 }, "{jumps}");
        }
    }
}

#[test]
fn a_jump_takes_all_channels_by_the_predicate_of_the_first() {
    for (flag, want) in [(0x0001, 0), (0xfffe, 7)] {
        let text = format!(
            "(+f0.0) jmpi(1) out {{ align1 WE_all 1N }}\n\
             mov(8) g16<1>UD 0x7UD\nout: {EOT}\n"
        );
        let mut bench = Bench::new(8, &code(&text));
        bench.set_flag(0, flag);
        bench.run(10).expect("it ends");
        assert_eq!(bench.dword(128), want);
        // The distance in a register: two instructions of 16 bytes are 4 units.
        let text = format!(
            "(+f0.0) jmpi(1) g20<0,1,0>D {{ align1 WE_all 1N }}\n\
             mov(8) g16<1>UD 0x7UD\nout: {EOT}\n"
        );
        let mut bench = Bench::new(8, &code(&text));
        bench.set_flag(0, flag);
        bench.set_dword(160, 2);
        bench.run(10).expect("it ends");
        assert_eq!(bench.dword(128), want);
    }
}

#[test]
fn the_end_of_the_program_and_illegal_trap() {
    let mut bench = Bench::new(8, &code("mov(8) g2<1>UD 0x1UD\n"));
    let e = bench.run(10).expect_err("no end");
    assert!(e.contains("no instruction"), "{e}");
    let mut bench = Bench::new(8, &code("illegal\n"));
    assert!(bench.run(10).is_err());
}
