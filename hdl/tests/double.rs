//! The unit for floats of 64 bits gives what the golden model gives, and what the host's floats give; its queue keeps the
//! order; comparisons in the lanes hold.

use crate::support::double_numbers::{double, together};
use crate::support::dut::Dut;
use crate::support::{area, Random, Simulation};
use std::collections::VecDeque;
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::int_format;
use warpsmith_hdl::sm::control::round as mode;
use warpsmith_hdl::sm::control::uop::{op, tiny, UopControl};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::execute::double::compare::DoubleCompare;
use warpsmith_hdl::sm::pipeline::execute::double::reciprocal::DoubleReciprocal;
use warpsmith_hdl::sm::pipeline::execute::double::unit::{DoubleUnit, How, STAGES};
use warpsmith_hdl::sm::pipeline::execute::double::Double;
use warpsmith_hdl::sm::pipeline::execute::queue::{To, QUEUE};
use warpsmith_hdl::sm::pipeline::timing::UOP_STAGES;
use warpsmith_isa::uop::{self, Cond, FloatMode, Op, Place, Round, Special, Src, Tiny, Type};
use warpsmith_model::uop::eval;

const SIGN: u64 = 1 << 63;
/// Operations in a row of a run.
const BATCH: usize = 1 << 14;

/// An operation: what the control word says.
#[derive(Clone, Copy, Debug, Default)]
struct Case {
    op: u64,
    neg: [bool; 3],
    abs: [bool; 3],
    flush: bool,
    tiny: bool,
    sat: bool,
    round: u64,
    signed: bool,
    to: (bool, usize),
    wide: bool,
    wide_result: bool,
    x: [u64; 3],
}

impl Case {
    fn how(&self) -> u64 {
        let bit = u64::from;
        let fields: [(&str, u64); 15] = [
            ("op", self.op),
            ("neg_a", bit(self.neg[0])),
            ("abs_a", bit(self.abs[0])),
            ("neg_b", bit(self.neg[1])),
            ("abs_b", bit(self.abs[1])),
            ("neg_c", bit(self.neg[2])),
            ("abs_c", bit(self.abs[2])),
            ("flush", bit(self.flush)),
            ("tiny", if self.tiny { tiny::FLUSH_ROUNDED } else { tiny::KEEP }),
            ("sat", bit(self.sat)),
            ("round", self.round),
            ("from", int_format::code(self.signed, 32)),
            ("to", int_format::code(self.to.0, self.to.1)),
            ("wide", bit(self.wide)),
            ("wide_result", bit(self.wide_result)),
        ];
        How::word(false, &fields)
    }

    fn mode(&self) -> FloatMode {
        let round = match self.round {
            mode::NEAREST => Round::Nearest,
            mode::DOWN => Round::Down,
            mode::UP => Round::Up,
            _ => Round::Zero,
        };
        let tiny = if self.tiny { Tiny::FlushRounded } else { Tiny::Keep };
        FloatMode { round, tiny, ..FloatMode::default() }
    }

    fn source(&self, n: usize, ty: Type) -> Src {
        let flush = self.flush && ty == Type::F32;
        Src { neg: self.neg[n], abs: self.abs[n], flush, ..Src::new(Place::None, ty) }
    }

    /// What the golden model gives; 64 bits, or 32 of which a narrow integer is extended.
    fn expected(&self) -> u64 {
        let float = |wide: bool| if wide { Type::F64 } else { Type::F32 };
        let (op, from, to, count) = match self.op {
            op::FADD => (Op::Add, Type::F64, Type::F64, 2),
            op::FMUL => (Op::Mul, Type::F64, Type::F64, 2),
            op::FMA => (Op::MulAdd, Type::F64, Type::F64, 3),
            op::F2F => (Op::Convert, float(self.wide), float(self.wide_result), 1),
            op::F2I => (Op::Convert, float(self.wide), Type::int(self.to.1 as u32, self.to.0), 1),
            op::I2F => (Op::Convert, Type::int(32, self.signed), Type::F64, 1),
            op::RCP64H => (Op::Special(Special::Rcp64High), Type::F32, Type::F32, 1),
            _ => (Op::Special(Special::Rsq64High), Type::F32, Type::F32, 1),
        };
        let src: Vec<Src> = (0..count).map(|n| self.source(n, from)).collect();
        let saturate = self.sat && self.op != op::F2I;
        let mode = match op {
            Op::Special(_) => FloatMode::default(),
            _ => self.mode(),
        };
        let uop = uop::Uop::new(op, to, Place::None, src).with_mode(mode).saturating(saturate);
        let y = eval(&uop, &self.x)[0];
        match self.to {
            (true, bits) if self.op == op::F2I && bits < 32 => ((y << (64 - bits)) as i64 >> (64 - bits)) as u32 as u64,
            _ => y,
        }
    }

    /// Bits of the result that count.
    fn mask(&self) -> u64 {
        if self.wide_result {
            u64::MAX
        } else {
            0xffff_ffff
        }
    }
}

fn word(r: &mut Random) -> u64 {
    u64::from(r.word()) << 32 | u64::from(r.word())
}

/// A float of 32 bits in the low word, anything above it.
fn single(r: &mut Random) -> u64 {
    let x = match r.below(4) {
        0 => r.word() & 0x807f_ffff,
        1 => (r.below(68) + 125) << 23 | r.word() & 0x807f_ffff,
        2 => [0, 0x7f80_0000, 0x7f80_0001, 0x8000_0000, 0x3f80_0000, 0x5f00_0000, 0x5f7f_ffff, 1][r.below(8) as usize],
        _ => r.word(),
    };
    word(r) & !0xffff_ffff | u64::from(x)
}

/// An operation of a kind on operands that suit it.
fn case(op: u64, r: &mut Random) -> Case {
    let n = r.word();
    let bit = |i: u32| n >> i & 1 == 1;
    let [a, b, c] = together(r);
    let base = Case {
        op,
        neg: [bit(0), bit(1), bit(2)],
        abs: [bit(3) && bit(4), bit(5) && bit(6), false],
        flush: bit(7),
        tiny: bit(8),
        sat: bit(9) && bit(10),
        round: (n >> 11 & 3).into(),
        signed: bit(13),
        to: (bit(14), [8, 16, 32, 64][(n >> 15 & 3) as usize]),
        wide: true,
        wide_result: true,
        x: [a, b, c],
    };
    match op {
        // The control words of sums never clamp or flush.
        op::FADD | op::FMUL | op::FMA => Case { sat: false, tiny: false, ..base },
        op::F2F if bit(20) => Case { wide: false, tiny: false, x: [single(r), b, c], ..base },
        op::F2F => Case { wide_result: false, ..base },
        op::F2I => {
            let wide = bit(20);
            let x = if wide { double(r) } else { single(r) };
            Case { wide, wide_result: base.to.1 == 64, x: [x, b, c], ..base }
        }
        op::I2F => {
            let x = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, r.word()][r.below(6) as usize];
            Case { wide: false, sat: false, tiny: false, x: [word(r) & !0xffff_ffff | u64::from(x), b, c], ..base }
        }
        _ => Case {
            flush: false,
            wide: false,
            wide_result: false,
            x: [word(r) & !0xffff_ffff | double(r) >> 32, b, c],
            ..base
        },
    }
}

fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// Results of operations that begin one a cycle.
fn run(unit: &Simulation, cases: &[Case]) -> Vec<u64> {
    let row = |c: &Case| {
        let mut row = vec![c.how() as u32];
        row.extend(c.x.iter().flat_map(|x| halves(*x)));
        row.extend([0, 0]);
        row
    };
    let mut rows: Vec<Vec<u32>> = cases.iter().map(row).collect();
    rows.resize(cases.len() + STAGES, vec![0; rows[0].len()]);
    let out = unit.run(&rows);
    out[STAGES..].iter().map(|y| u64::from(y[1]) << 32 | u64::from(y[0])).collect()
}

/// The first results that are not what `expected` gives.
fn differences(unit: &Simulation, cases: &[Case], expected: impl Fn(&Case) -> u64) -> Vec<String> {
    (cases.iter().zip(run(unit, cases)))
        .map(|(c, got)| (c, got & c.mask(), expected(c) & c.mask()))
        .filter(|(_, got, want)| got != want)
        .take(5)
        .map(|(c, got, want)| format!("{c:x?}\n  unit {got:016x}, reference {want:016x}"))
        .collect()
}

/// Every result is what `expected` gives.
fn check(unit: &Simulation, cases: &[Case], expected: impl Fn(&Case) -> u64) {
    let wrong = differences(unit, cases, expected);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn unit() -> Simulation {
    Simulation::native(&DoubleUnit::new(false))
}

fn check_many(seed: u64, count: usize, ops: &[u64], expected: impl Fn(&Case) -> u64) {
    let (unit, mut r) = (unit(), Random(seed));
    for _ in 0..count.div_ceil(BATCH) {
        let any = |r: &mut Random| {
            let op = ops[r.below(ops.len() as u32) as usize];
            case(op, r)
        };
        let cases: Vec<Case> = (0..BATCH).map(|_| any(&mut r)).collect();
        check(&unit, &cases, &expected);
    }
}

#[test]
fn sums_and_products_are_those_of_the_model_in_four_roundings() {
    check_many(0x5EED_D001, 400_000, &[op::FADD, op::FMUL, op::FMA, op::FMA], Case::expected);
}

#[test]
fn conversions_are_those_of_the_model() {
    check_many(0x5EED_D002, 400_000, &[op::F2F, op::F2I, op::I2F], Case::expected);
}

/// The host rounds to nearest; a NaN has all fraction bits set here.
fn of_the_host(c: &Case) -> u64 {
    let x = |n: usize| {
        let x = f64::from_bits(c.x[n] & !if c.abs[n] { SIGN } else { 0 });
        if c.neg[n] {
            -x
        } else {
            x
        }
    };
    let y = match c.op {
        op::FADD => x(0) + x(1),
        op::FMUL => x(0) * x(1),
        _ => x(0).mul_add(x(1), x(2)),
    };
    if y.is_nan() {
        SIGN - 1
    } else {
        y.to_bits()
    }
}

#[test]
fn a_million_sums_and_products_are_those_of_the_host() {
    let (unit, mut r) = (unit(), Random(0x5EED_D003));
    for _ in 0..1_000_000 / BATCH + 1 {
        let any = |r: &mut Random| {
            let op = [op::FADD, op::FMUL, op::FMA][r.below(3) as usize];
            Case { round: mode::NEAREST, ..case(op, r) }
        };
        let cases: Vec<Case> = (0..BATCH).map(|_| any(&mut r)).collect();
        check(&unit, &cases, of_the_host);
    }
}

/// Every pair, and many triples, of numbers around the ends of exponents, in four roundings.
#[test]
fn numbers_at_the_ends_of_exponents_round_as_the_model_does() {
    let one = 0x3ffu64 << 52;
    let ends = [
        0,
        1,
        2,
        (1 << 52) - 1,
        1 << 52,
        (1 << 52) + 1,
        one - 1,
        one,
        one + 1,
        (0x7fe << 52) - 1,
        0x7fe << 52,
        (0x7ff << 52) - 1,
    ];
    let halves =
        [one - (53 << 52), one - (54 << 52), (one - (53 << 52)) + 1, one - (106 << 52), 0x1ff << 52, 0x200 << 52];
    let all: Vec<u64> = ends.iter().chain(&halves).flat_map(|x| [*x, x | SIGN]).collect();
    let unit = unit();
    let mut cases = vec![];
    for round in [mode::NEAREST, mode::DOWN, mode::UP, mode::ZERO] {
        for a in &all {
            for b in &all {
                let base = Case { round, wide: true, wide_result: true, x: [*a, *b, 0], ..Case::default() };
                cases.extend([Case { op: op::FADD, ..base }, Case { op: op::FMUL, ..base }]);
                cases.extend(all.iter().step_by(3).map(|c| Case { op: op::FMA, x: [*a, *b, *c], ..base }));
            }
            let base = Case { round, op: op::F2F, wide: true, x: [*a, 0, 0], ..Case::default() };
            cases.extend([base, Case { tiny: true, ..base }, Case { sat: true, ..base }]);
        }
    }
    println!("{} cases", cases.len());
    cases.chunks(BATCH).for_each(|cases| check(&unit, cases, Case::expected));
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let (unit, mut r) = (unit(), Random(0x5EED_D004));
    let cases: Vec<Case> = (0..BATCH).map(|_| case(op::FMA, &mut r)).collect();
    assert!(differences(&unit, &cases, Case::expected).is_empty());
    let notices = |change: &dyn Fn(&Case) -> Case| {
        assert!(!differences(&unit, &cases, |c| change(c).expected()).is_empty());
    };
    notices(&|c| Case { round: mode::ZERO, ..*c });
    notices(&|c| Case { neg: [!c.neg[0], c.neg[1], c.neg[2]], ..*c });
    notices(&|c| Case { x: [c.x[0], c.x[1], c.x[2] ^ 1], ..*c });
}

/// The chip with `lanes` lanes.
fn chip(lanes: usize) -> GpuConfig {
    let named = GpuConfig::named("default").expect("a built-in configuration");
    GpuConfig { isa: Isa::Fermi, double: true, lanes, shared_banks: lanes.min(8), port_words: lanes.max(8), ..named }
}

/// A beat: an operation of each lane, and where it goes.
struct Beat {
    cases: Vec<Case>,
    mask: u32,
    entry: u64,
    last: u64,
}

impl Beat {
    fn words(&self) -> usize {
        1 + usize::from(self.cases[0].wide_result)
    }

    /// Where a word goes.
    fn to(&self, d: &Dims, word: usize) -> u64 {
        let last = self.last & u64::from(word + 1 == self.words());
        let entry = self.entry + (word * d.beats) as u64;
        let fields = [("warp", 3), ("slot", 2), ("entry", entry), ("mask", self.mask.into()), ("last", last)];
        To::word(d, &fields)
    }

    /// Where its low word goes, as it comes in.
    fn comes(&self, d: &Dims) -> u64 {
        let fields = [("warp", 3), ("slot", 2), ("entry", self.entry), ("mask", self.mask.into()), ("last", self.last)];
        To::word(d, &fields)
    }
}

/// Beats of an instruction: the same operation on other operands.
fn instruction(d: &Dims, op: u64, r: &mut Random) -> Vec<Beat> {
    let first = case(op, r);
    let beat = |b: usize, r: &mut Random| Beat {
        cases: (0..d.lanes).map(|_| Case { x: case(op, r).x, ..first }).collect(),
        mask: r.word() >> (32 - d.lanes),
        entry: (2 * d.beats * r.below(8) as usize + b) as u64,
        last: u64::from(b + 1 == d.beats),
    };
    (0..d.beats).map(|b| beat(b, r)).collect()
}

/// A queue of the block under test.
struct Bench {
    d: Dims,
    dut: Dut,
    /// Beats inside, from their low words on, and the word at the output.
    inside: VecDeque<Beat>,
    word: usize,
    /// Beats and words that have left, cycles since the last.
    seen: usize,
    idle: usize,
}

impl Bench {
    fn new(lanes: usize) -> Self {
        let cfg = chip(lanes);
        let dut = Dut::native(&Double::new(&cfg));
        Self { d: Dims::of(&cfg), dut, inside: VecDeque::new(), word: 0, seen: 0, idle: 0 }
    }

    /// Looks at the outputs and ends the cycle.
    fn cycle(&mut self, r: &mut Random, taken: usize) {
        let hurry = [100, 30, 4][self.seen / 40 % 3];
        self.dut.set("out_ready", r.below(100) < hurry);
        self.dut.eval();
        assert_eq!(self.dut.is("ready"), taken < QUEUE, "ready");
        assert_eq!(self.dut.is("busy"), taken > 0, "busy");
        self.idle += 1;
        assert!(self.idle < 20_000, "the queue stands still with {} beats inside", self.inside.len());
        if self.dut.is("out_valid") {
            let beat = self.inside.front().expect("a beat inside");
            assert_eq!(self.dut.get("out_to"), beat.to(&self.d, self.word), "destination of word {}", self.word);
            for (l, c) in beat.cases.iter().enumerate().filter(|(l, _)| beat.mask >> l & 1 == 1) {
                let got = self.dut.word(&format!("out_data_{l}"));
                assert_eq!(got, halves(c.expected())[self.word], "lane {l}, word {} of {c:x?}", self.word);
            }
            if self.dut.is("out_ready") {
                (self.word, self.idle) = (self.word + 1, 0);
                if self.word == beat.words() {
                    self.inside.pop_front();
                    (self.word, self.seen) = (0, self.seen + 1);
                }
            }
        }
        self.dut.tick();
        for port in ["reserve", "in_valid", "in_high", "clear"] {
            self.dut.set(port, false);
        }
    }

    /// Words of a beat stand at the input.
    fn put(&mut self, beat: &Beat, half: usize) {
        self.dut.set("in_valid", true);
        self.dut.set("in_high", half as u64);
        self.dut.set("in_how", beat.cases[0].how());
        self.dut.set("in_to", beat.comes(&self.d));
        for (l, c) in beat.cases.iter().enumerate() {
            for (name, x) in ["in_a", "in_b", "in_c"].iter().zip(c.x) {
                self.dut.set(&format!("{name}_{l}"), halves(x)[half]);
            }
        }
    }

    /// Beats of an instruction come in: a place is kept, low words, then all high words.
    fn bring(&mut self, beats: Vec<Beat>, r: &mut Random) {
        let wide = beats[0].cases[0].wide;
        let again: Vec<Beat> = beats.iter().map(|b| Beat { cases: b.cases.clone(), ..*b }).collect();
        for beat in beats {
            while !self.dut.is("ready") {
                let taken = self.inside.len();
                self.cycle(r, taken);
            }
            let taken = self.inside.len();
            self.dut.set("reserve", true);
            self.cycle(r, taken);
            self.put(&beat, 0);
            self.inside.push_back(beat);
            let taken = self.inside.len();
            self.cycle(r, taken);
        }
        for beat in again.iter().filter(|_| wide) {
            for _ in 0..r.below(3) {
                let taken = self.inside.len();
                self.cycle(r, taken);
            }
            self.put(beat, 1);
            let taken = self.inside.len();
            self.cycle(r, taken);
        }
    }
}

/// Instructions of all kinds go in, their results come out in order, in one or two words.
fn queue_keeps_order(lanes: usize, instructions: usize, seed: u64) {
    let (mut bench, mut r) = (Bench::new(lanes), Random(seed));
    let ops = [op::FADD, op::FMUL, op::FMA, op::F2F, op::F2I, op::I2F, op::RCP64H, op::RSQ64H];
    for n in 0..instructions {
        let op = ops[r.below(if n % 3 == 0 { 8 } else { 6 }) as usize];
        let beats = instruction(&bench.d, op, &mut r);
        bench.bring(beats, &mut r);
    }
    while !bench.inside.is_empty() {
        let taken = bench.inside.len();
        bench.cycle(&mut r, taken);
    }
    assert_eq!(bench.seen, instructions * bench.d.beats);
    // What is inside is forgotten.
    let beats = instruction(&bench.d, op::FMA, &mut r);
    bench.bring(beats, &mut r);
    bench.dut.set("clear", true);
    let taken = bench.inside.len();
    bench.cycle(&mut r, taken);
    bench.inside.clear();
    bench.word = 0;
    for _ in 0..100 {
        bench.cycle(&mut r, 0);
    }
}

#[test]
fn the_queue_of_8_lanes_keeps_the_order() {
    queue_keeps_order(8, 120, 0x5EED_D010);
}

#[test]
fn the_queue_of_2_lanes_keeps_the_order() {
    queue_keeps_order(2, 60, 0x5EED_D011);
}

#[test]
fn the_queue_of_32_lanes_keeps_the_order() {
    queue_keeps_order(32, 60, 0x5EED_D012);
}

/// Reciprocals of every significand of a high word on a few exponents, those of denormals included.
#[test]
fn reciprocals_are_exact_and_cut_off() {
    let mut dut = Dut::native(&DoubleReciprocal::new());
    let mut r = Random(0x5EED_D013);
    let mut ask = |x: u32, root: bool| {
        dut.set("x", x);
        dut.set("root", root);
        dut.set("go", true);
        let begun = dut.cycle;
        while !dut.is("done") {
            dut.tick();
        }
        let (exponent, significand) = (dut.get("exponent"), dut.get("significand"));
        let cycles = dut.cycle - begun;
        dut.set("go", false);
        dut.tick();
        (exponent, significand, cycles)
    };
    for n in 0..4000 {
        let root = n % 2 == 1;
        let fraction = match n % 8 {
            0..=1 => 0,
            2..=3 => 0xf_ffff,
            _ => r.word() & 0xf_ffff,
        };
        let field = [0, 1, 2, 0x3fe, 0x3ff, 0x400, 0x7fd, 0x7fe][r.below(8) as usize];
        let x = field << 20 | fraction;
        if x == 0 {
            continue;
        }
        let (exponent, significand, cycles) = ask(x, root);
        // x = m 2^(p - 20); the result q 2^(e - 21) is the largest that fits.
        let (mut m, mut p) = (u128::from(fraction) | u128::from(field != 0) << 20, field.max(1) as i64 - 1023);
        let mut zeros = 0;
        while m >> 20 == 0 {
            (m, p, zeros) = (m << 1, p - 1, zeros + 1);
        }
        let (q, e) = match root {
            false => ((1u128 << 41) / m, -p),
            true => (((1u128 << 62) / (m << (p & 1))).isqrt(), -p.div_euclid(2)),
        };
        assert_eq!((u128::from(significand), exponent as i64), (q, e + 1023), "{x:08x}, root {root}");
        assert_eq!(cycles, 24 + zeros, "{x:08x}");
    }
}

/// Comparisons of all beats of an instruction: low words, then high words.
fn comparisons_hold(lanes: usize, seed: u64) {
    let d = Dims::of(&chip(lanes));
    let compare = Simulation::native(&DoubleCompare::new(&d));
    let mut r = Random(seed);
    let mut rows: Vec<Vec<u32>> = vec![];
    let mut wants: Vec<(usize, u32, String)> = vec![];
    for _ in 0..6000 / d.beats {
        let n = r.word();
        let bit = |i: u32| n >> i & 1 == 1;
        let (cond, table) = (n >> 8 & 31, n >> 13 & 15);
        let [neg_a, neg_b, abs_a, abs_b] = [bit(0), bit(1), bit(2), bit(3)];
        let fields = [
            ("op", op::COMPARE),
            ("neg_a", neg_a.into()),
            ("abs_a", abs_a.into()),
            ("neg_b", neg_b.into()),
            ("abs_b", abs_b.into()),
            ("table", table.into()),
            ("cond", cond.into()),
        ];
        let ctl = UopControl::word((), &fields);
        let pairs: Vec<[u64; 2]> = (0..d.beats)
            .map(|_| {
                let [a, b, c] = together(&mut r);
                [[a, a], [a, a ^ 1], [a, a ^ 1 << 32], [a, c], [a, b], [a & SIGN, b & SIGN]][r.below(6) as usize]
            })
            .collect();
        for half in 0..2 {
            for (beat, [a, b]) in pairs.iter().enumerate() {
                let p = r.below(2);
                if half == 1 {
                    let src = |x: bool, abs: bool| Src { neg: x, abs, ..Src::new(Place::None, Type::F64) };
                    let sources = vec![src(neg_a, abs_a), src(neg_b, abs_b), Src::new(Place::None, Type::Bool)];
                    let compare = Op::Compare { cond: Cond(cond as u8), combine: table as u8 };
                    let q = eval(&uop::Uop::new(compare, Type::Bool, Place::None, sources), &[*a, *b, p.into()]);
                    let what = format!("{a:016x} {b:016x} {fields:?} p {p}");
                    wants.push((rows.len() + UOP_STAGES, q[0] as u32 | (q[1] as u32) << 1, what));
                }
                let mut row = vec![ctl as u32, (ctl >> 32) as u32, half, beat as u32, u32::from(half == 0)];
                row.extend([halves(*a)[half as usize], halves(*b)[half as usize], p]);
                rows.push(row);
            }
        }
    }
    let width = rows[0].len();
    rows.resize(rows.len() + UOP_STAGES, vec![0; width]);
    let out = compare.run(&rows);
    for (at, want, what) in wants {
        assert_eq!(out[at][0], want, "{what}");
    }
}

#[test]
fn comparisons_hold_whatever_the_beats() {
    [2, 8, 16, 32].into_iter().for_each(|lanes| comparisons_hold(lanes, 0x5EED_D020 + lanes as u64));
}

#[test]
fn the_blocks_lint_clean_and_fit_their_area() {
    area::lints(&emit_leaf(&Double::new(&chip(32))), "double");
    area::lints(&emit_leaf(&DoubleCompare::new(&Dims::of(&chip(8)))), "double_compare");
    area::fits(&emit_leaf(&DoubleUnit::new(false)), "double_unit", [("LUT", 4000), ("DSP48E1", 9), ("FD", 3500)]);
}
