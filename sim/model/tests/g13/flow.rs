//! Control flow: random structured programs against an evaluator of one thread at a time.

use super::{code, launch};
use warpsmith_model::uop::Cause;
use warpsmith_model::uop::Ended;
use warpsmith_testkit::{cases, Random};

/// Variables of a thread: r2 to r5.
const VARIABLES: u64 = 4;
/// Counter of the loop at depth 0, r8; the next depths follow.
const FIRST_COUNTER: u64 = 8;
/// Comparisons that a select has, which has no inverted ones.
const DIRECT: u64 = 3;
const OUT: u32 = 0x4000;

/// A variable or a number.
#[derive(Clone, Copy, Debug)]
enum Value {
    Variable(u64),
    Number(u64),
}

/// A comparison of unsigned numbers.
#[derive(Clone, Copy, Debug)]
struct Test {
    name: &'static str,
    a: Value,
    b: Value,
}

#[derive(Clone, Debug)]
enum Statement {
    /// Mnemonic, destination, sources.
    Assign(&'static str, u64, Value, Value),
    If(Test, Vec<Statement>, Vec<Statement>),
    /// Until so many turns, or the low bits of a variable.
    Loop(Value, Vec<Statement>),
    Break(Test),
    Continue(Test),
}

/// What a thread does next.
#[derive(PartialEq)]
enum Go {
    On,
    Break,
    Continue,
}

fn value(random: &mut Random) -> Value {
    match random.below_wide(3) {
        0 => Value::Number(random.below_wide(16)),
        _ => Value::Variable(random.below_wide(VARIABLES)),
    }
}

/// One of the first so many comparisons.
fn test(random: &mut Random, names: u64) -> Test {
    const NAMES: [&str; 6] = ["ueq", "ult", "ugt", "nueq", "ugte", "ulte"];
    Test { name: NAMES[random.below_wide(names) as usize], a: value(random), b: value(random) }
}

fn block(random: &mut Random, depth: u32, loops: u32) -> Vec<Statement> {
    let n = 1 + random.below_wide(4);
    let statement = |_| match random.below_wide(10) {
        0..=1 if depth > 0 => {
            let then = block(random, depth - 1, loops);
            let other = match random.below_wide(2) {
                0 => vec![],
                _ => block(random, depth - 1, loops),
            };
            Statement::If(test(random, 6), then, other)
        }
        2..=3 if depth > 0 && loops < 3 => {
            let turns = value(random);
            Statement::Loop(turns, block(random, depth - 1, loops + 1))
        }
        4 if loops > 0 => Statement::Break(test(random, DIRECT)),
        5 if loops > 0 => Statement::Continue(test(random, DIRECT)),
        _ => {
            const NAMES: [&str; 6] = ["iadd", "isub", "imul", "xor", "and", "shr"];
            let name = NAMES[random.below_wide(6) as usize];
            Statement::Assign(name, random.below_wide(VARIABLES), value(random), value(random))
        }
    };
    (0..n).map(statement).collect()
}

/// One thread, without lanes or masks.
struct Thread {
    variables: [u32; VARIABLES as usize],
}

impl Thread {
    fn value(&self, v: Value) -> u32 {
        match v {
            Value::Variable(n) => self.variables[n as usize],
            Value::Number(n) => n as u32,
        }
    }

    fn holds(&self, t: Test) -> bool {
        let (a, b) = (self.value(t.a), self.value(t.b));
        match t.name {
            "ueq" => a == b,
            "ult" => a < b,
            "ugt" => a > b,
            "nueq" => a != b,
            "ugte" => a >= b,
            _ => a <= b,
        }
    }

    fn run(&mut self, body: &[Statement]) -> Go {
        for s in body {
            let go = match s {
                Statement::Assign(name, d, a, b) => {
                    let (a, b) = (self.value(*a), self.value(*b));
                    self.variables[*d as usize] = match *name {
                        "iadd" => a.wrapping_add(b),
                        "isub" => a.wrapping_sub(b),
                        "imul" => a.wrapping_mul(b),
                        "xor" => a ^ b,
                        "and" => a & b,
                        _ => a >> 3,
                    };
                    Go::On
                }
                Statement::If(t, then, _) if self.holds(*t) => self.run(then),
                Statement::If(_, _, other) => self.run(other),
                Statement::Loop(turns, body) => {
                    let turns = self.value(*turns) & 3;
                    let mut done = 0;
                    loop {
                        done += 1;
                        if self.run(body) == Go::Break || done >= turns {
                            break;
                        }
                    }
                    Go::On
                }
                Statement::Break(t) if self.holds(*t) => Go::Break,
                Statement::Continue(t) if self.holds(*t) => Go::Continue,
                Statement::Break(_) | Statement::Continue(_) => Go::On,
            };
            if go != Go::On {
                return go;
            }
        }
        Go::On
    }
}

/// The program in the set's text.
struct Emitter<'a> {
    text: String,
    labels: u32,
    random: &'a mut Random,
}

impl Emitter<'_> {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text += "\n";
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    /// Sometimes jumps over a part in which no lane is active.
    fn skip(&mut self) -> String {
        let label = self.label();
        if self.random.below_wide(2) == 0 {
            self.line(&format!("jmp_exec_none {label}"));
        }
        label
    }

    /// `levels`: branches around the statement inside its loop; `loops`: loops around it.
    fn block(&mut self, body: &[Statement], levels: u32, loops: u64) {
        for s in body {
            match s {
                Statement::Assign(name, d, a, b) => {
                    let (d, a, b) = (text(Value::Variable(*d)), text(*a), text(*b));
                    self.line(&match *name {
                        "shr" => format!("bfeil {d}, 0, {a}, 3, mask 0x1fffffff"),
                        "imul" => format!("imadd {d}, {a}, {b}, 0"),
                        name => format!("{name} {d}, {a}, {b}"),
                    });
                }
                Statement::If(t, then, other) => {
                    self.line(&format!("if_icmp r0l, {}, 1", words(*t)));
                    let label = self.skip();
                    self.block(then, levels + 1, loops);
                    self.line(&format!("{label}:"));
                    if !other.is_empty() {
                        self.line("else_icmp r0l, ueq, 0, 0, 1");
                        let label = self.skip();
                        self.block(other, levels + 1, loops);
                        self.line(&format!("{label}:"));
                    }
                    self.line("pop_exec r0l, 1");
                }
                Statement::Loop(turns, body) => {
                    let (counter, limit) = (FIRST_COUNTER + 2 * loops, FIRST_COUNTER + 2 * loops + 1);
                    self.line(&format!("and r{limit}, {}, 3", text(*turns)));
                    self.line(&format!("mov_imm r{counter}, 0, 0b0"));
                    self.line("push_exec r0l, 2");
                    let (top, end) = (self.label(), self.skip());
                    self.line(&format!("{top}:"));
                    self.line(&format!("iadd r{counter}, r{counter}, 1"));
                    self.block(body, 0, loops + 1);
                    self.line(&format!("while_icmp r0l, ult, r{counter}, r{limit}, 2"));
                    self.line(&format!("jmp_exec_any {top}"));
                    self.line(&format!("{end}:"));
                    self.line("pop_exec r0l, 2");
                }
                Statement::Break(t) => self.leave(*t, 2 + levels),
                Statement::Continue(t) => self.leave(*t, 1 + levels),
            }
        }
    }

    /// Lanes where a condition holds wait until so many levels have ended.
    fn leave(&mut self, t: Test, levels: u32) {
        self.line(&format!("icmpsel {}, r0l, {}, {}, {levels}, 0", t.name, text(t.a), text(t.b)));
        self.line("pop_exec r0l, 0");
    }
}

fn text(v: Value) -> String {
    match v {
        Value::Variable(n) => format!("r{}", n + 2),
        Value::Number(n) => n.to_string(),
    }
}

fn words(t: Test) -> String {
    format!("{}, {}, {}", t.name, text(t.a), text(t.b))
}

#[test]
fn random_structured_programs_do_what_each_thread_does() {
    let programs: u64 = cases(400, 20_000);
    let (grid, threads) = (2, 45);
    let (mut instructions, mut lanes) = (0, 0);
    for seed in 0..programs {
        let mut random = Random(seed);
        let body = block(&mut random, 4, 0);
        let start: Vec<u64> = (0..VARIABLES).map(|_| random.below_wide(200)).collect();
        let mut e = Emitter { text: String::new(), labels: 0, random: &mut random };
        e.line("get_sr r1, sr80");
        for (n, s) in start.iter().enumerate() {
            // Variable n: thread * n + a number.
            e.line(&format!("imadd r{}, r1, {n}, {s}", n + 2));
        }
        e.block(&body, 0, 0);
        // Each thread writes its variables and whether it is active again.
        e.line("bfi r1, 0, r1, 2");
        e.line("device_store 0, i32, xyzw, r2_r3_r4_r5, u0_u1, r1, unsigned, 0");
        e.line("stop");
        let program = e.text;
        let machine = launch(code(&program), grid, threads, &[OUT, 0])
            .unwrap_or_else(|e| panic!("program {seed}: {e}\n{program}"));
        instructions += machine.stats().warp_instructions;
        lanes += machine.stats().thread_instructions;
        for i in 0..grid * threads {
            let variable = |n: usize| i.wrapping_mul(n as u32).wrapping_add(start[n] as u32);
            let mut thread = Thread { variables: [0, 1, 2, 3].map(variable) };
            thread.run(&body);
            let got = [0, 1, 2, 3].map(|n| machine.global().word(OUT + 16 * i + 4 * n));
            assert_eq!(got, thread.variables, "program {seed}, thread {i}\n{body:#?}\n{program}");
        }
    }
    println!(
        "flow: {programs} structured programs, {instructions} instructions of SIMD-groups, {:.1} lanes active on average",
        lanes as f64 / instructions as f64
    );
}

/// A function that doubles r2, called directly and through a register.
const CALLS: &str = "
    get_sr r2, sr80
    call double
    get_sr r4, sr80
    mov_imm r5, 8, 0b0
    call r5
after:
    device_store 0, i32, x, r2, u0_u1, r4, unsigned, 0
    stop
double:
    iadd r2, r2, r2
    ret r1";

#[test]
fn calls_return_behind_themselves() {
    // The address of `double`: found by assembling.
    let at = |text: &str| {
        let p = warpsmith_isa::set::assemble(&warpsmith_isa::g13::G13, text, "calls");
        let p = p.unwrap_or_else(|e| panic!("{e}"));
        p.labels.iter().find(|l| l.0 == "double").map_or(0, |l| l.1)
    };
    let text = CALLS.replace("r5, 8,", &format!("r5, {},", at(CALLS)));
    let machine = launch(code(&text), 1, 45, &[OUT, 0]).unwrap_or_else(|e| panic!("{e}"));
    for i in 0..45 {
        assert_eq!(machine.global().word(OUT + 4 * i), 4 * i, "{i}");
    }
}

#[test]
fn a_return_to_several_addresses_traps() {
    let text = "get_sr r1, sr52\n ret r1";
    let ended = launch(code(text), 1, 32, &[]).map(|_| ());
    let Err(Ended::Trap(trap)) = ended else {
        panic!("{ended:?}");
    };
    assert!(matches!(trap.cause, Cause::Flow(_)), "{trap}");
    assert_eq!(trap.pc, 4);
}

/// The record of an instruction of control flow has the counters of all lanes.
#[test]
fn the_record_shows_the_counters() {
    let mut bench = super::Bench::new();
    for l in 0..32 {
        bench.set("r1", l, l as u64);
        bench.set("r0l", l, u64::from(l >= 30));
    }
    let text = "if_icmp r0l, ult, r1, 4, 2";
    let step = bench.traced(&code(text), 0x3fff_ffff);
    let writes = step.writes.unwrap_or_default();
    assert_eq!((writes.len(), writes[0].lanes), (1, u32::MAX));
    let wanted = |l: usize| match l {
        0..4 => 0,
        30.. => 3,
        _ => 1,
    };
    (0..32).for_each(|l| assert_eq!(writes[0].values[l], wanted(l), "{l}"));
}
