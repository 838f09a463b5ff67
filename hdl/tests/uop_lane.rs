//! A lane of micro-operations does what its reference functions say.

use crate::support::{area, float_bench, float_numbers, int_operations, uop_reference, uop_values};
use crate::support::{Random, Simulation};
use area::fits;
use float_bench::near;
use float_numbers::number;
use int_operations::operand;
use std::sync::OnceLock;
use uop_reference::{expected, q_mask, Operands, Set, Uop};
use warpsmith_conformance as conformance;
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::uop::{format, op};
use warpsmith_hdl::sm::pipeline::execute::uop::UopLane;
use warpsmith_hdl::sm::pipeline::timing::UOP_STAGES;

/// Operations issued in one run.
const BATCH: usize = 1 << 17;

/// Lanes as Fermi and G13 have them.
const SETS: [Set; 2] = [Set { half: false, quiet_nan: false }, Set { half: true, quiet_nan: true }];

type Work = (Uop, Operands);

fn lane(set: Set) -> Option<&'static Simulation> {
    static LANES: [OnceLock<Option<Simulation>>; 2] = [const { OnceLock::new() }; 2];
    LANES[usize::from(set.half)]
        .get_or_init(|| Simulation::build(&emit_leaf(&UopLane::new(set.half, set.quiet_nan, set.half))))
        .as_ref()
}

/// Result and predicate results of each operation, one issued every cycle.
fn simulate(set: Set, lane: &Simulation, work: &[Work]) -> Vec<(u32, u32)> {
    let row = |(u, x): &Work| {
        let word = u.word();
        let mut row = vec![word as u32, (word >> 32) as u32, x.a, x.b, x.c];
        row.extend(set.half.then_some(x.d));
        row.push(x.p);
        row
    };
    let mut rows: Vec<Vec<u32>> = work.iter().map(row).collect();
    let ports = rows[0].len();
    rows.resize(work.len() + UOP_STAGES, vec![0; ports]);
    lane.run(&rows)[UOP_STAGES..].iter().map(|r| (r[0], r[1])).collect()
}

/// Compares with the reference functions; says the first differences.
fn check(set: Set, lane: &Simulation, work: &[Work]) {
    let differs = |((u, x), got): &(&Work, (u32, u32))| {
        let (y, q) = expected(set, u, x);
        let other = |want: Option<u32>, got: u32, mask: u32| want.is_some_and(|want| want & mask != got & mask);
        other(y, got.0, u32::MAX) || other(q, got.1, q_mask(u))
    };
    let wrong: Vec<String> = work
        .iter()
        .zip(simulate(set, lane, work))
        .filter(differs)
        .take(5)
        .map(|((u, x), got)| {
            let want = expected(set, u, x);
            format!("{u:x?}\n  {x:x?}\n  lane {got:x?}, reference {want:x?}")
        })
        .collect();
    assert!(wrong.is_empty(), "{set:?} differs from the reference:\n{}", wrong.join("\n"));
}

/// Runs `count` operations that `make` chooses, for each of the sets.
fn check_many(sets: &[Set], count: usize, seed: u64, mut make: impl FnMut(Set, usize, &mut Random) -> Work) {
    for set in sets.iter().copied() {
        let Some(lane) = lane(set) else { return };
        let mut r = Random(seed);
        for start in (0..count).step_by(BATCH) {
            let end = count.min(start + BATCH);
            let work: Vec<Work> = (start..end).map(|i| make(set, i, &mut r)).collect();
            check(set, lane, &work);
        }
    }
}

/// An operation with anything in all its fields that means something.
fn any(set: Set, op: u64, r: &mut Random) -> Uop {
    let (n, m) = (r.word(), r.word());
    let bit = |i: u32| n >> i & 1 == 1;
    let sat = bit(4) && bit(28);
    // Products of G13 are whole and positive, and are added to; sums of 64 bits have a test of their own.
    let product = set.half && op == op::MUL;
    let sum = set.half && matches!(op, op::ADD | op::MUL);
    let fold = op == op::SIN_FOLD;
    Uop {
        op,
        signed_a: bit(0),
        signed_b: bit(1),
        high: bit(2) && !product,
        accumulate: bit(3) || product,
        sat,
        neg_a: bit(5) && !product,
        abs_a: bit(6),
        neg_b: bit(7),
        abs_b: bit(8),
        neg_c: bit(9),
        abs_c: bit(10),
        // A clamped sum is not shifted.
        shift: match (sat, op) {
            (_, op::MASK) => (n >> 11 & 3).into(),
            (true, _) => 0,
            _ => (n >> 11 & 31).into(),
        },
        count: r.below(if set.half { 3 } else { 2 }).into(),
        reverse: bit(16) && !sum,
        table: match op {
            op::MASK => (m & 3).into(),
            _ => (m & 15).into(),
        },
        table_2: (m >> 4 & 15).into(),
        cond: (m >> 8 & 31).into(),
        float: bit(17),
        half_a: bit(18),
        half_b: bit(19),
        half_c: bit(20),
        // A fold of a sine is exact.
        flush: bit(21) || fold,
        tiny: r.below(3).into(),
        round: if fold { 0 } else { (m >> 13 & 3).into() },
        zero_product: bit(22) && bit(23),
        format: match r.below(if set.half { 3 } else { 2 }).into() {
            format::F16 if fold => format::F32,
            other => other,
        },
        integral: bit(24),
        from: r.below(3) as u64 | u64::from(bit(25)) << 2,
        to: r.below(3) as u64 | u64::from(bit(26)) << 2,
    }
}

/// Integers where something changes.
fn words(u: &Uop, r: &mut Random) -> Operands {
    let a = operand(r);
    let b = match r.below(6) {
        0 => a.wrapping_add(r.below(3)).wrapping_sub(1),
        1 => r.below(140),
        2 => r.below(70) << 8 | r.below(40),
        3 if u.op == op::MINMAX || u.op == op::COMPARE => a ^ r.below(2) << 31,
        _ => operand(r),
    };
    let c = match r.below(3) {
        0 => r.below(140),
        _ => operand(r),
    };
    // A counter near the ends and the levels.
    let c = match u.op {
        op::MASK if r.below(8) != 0 => r.word() & !0xffff | r.below(6),
        _ => c,
    };
    let (d, p) = (r.word(), r.below(8));
    Operands { a, b, c, d, p }
}

/// A half precision number with anything above it.
fn half(r: &mut Random) -> u32 {
    let x = r.word();
    match r.below(5) {
        0 => x & 0xffff_83ff,
        1 => x & 0xffff_fc00 | r.below(3).wrapping_sub(1) & 0x3ff,
        2 => x & 0xffff_fc00 | 0x7c00,
        _ => x,
    }
}

/// Single precision, often a denormal or one with a product at an end of the range.
fn single(r: &mut Random) -> u32 {
    match r.below(8) {
        0 => r.word() & 0x807f_ffff,
        1 => (r.word() & 0x807f_ffff) >> r.below(24) | r.below(2) << 31,
        2 => r.word() & 0x80ff_ffff,
        _ => number(r),
    }
}

/// A partner of `a` whose product lies about 2^e.
fn partner(a: u32, e: i32, r: &mut Random) -> u32 {
    let field = (e + 254 - (a >> 23 & 0xff) as i32).clamp(0, 254) as u32;
    r.word() & 0x807f_ffff & u32::MAX << r.below(24) | field << 23
}

/// Floats that suit an operation.
fn floats(set: Set, u: &Uop, r: &mut Random) -> Operands {
    let pick = |is_half: bool, x: u32, r: &mut Random| match set.half && is_half {
        true => half(r),
        false => x,
    };
    let a = single(r);
    let b = match (u.op, r.below(5)) {
        (op::FMUL | op::FMA, 0) => partner(a, -127 - r.below(25) as i32, r),
        (op::FMUL | op::FMA, 1) => partner(a, -14 - r.below(13) as i32, r),
        (op::FMUL | op::FMA, 2) => partner(a, 125 + r.below(4) as i32, r),
        (_, 0 | 1) => near(a, r),
        _ => single(r),
    };
    let product = f32::from_bits(a) * f32::from_bits(b);
    let c = match r.below(3) {
        0 => single(r),
        1 => near(product.to_bits(), r),
        _ => product.to_bits() ^ 1 << 31 ^ r.below(4),
    };
    let (a, b, c) = (pick(u.half_a, a, r), pick(u.half_b, b, r), pick(u.half_c, c, r));
    let c = match u.op {
        op::MASK => r.below(6),
        _ => c,
    };
    let (d, p) = (r.word(), r.below(8));
    Operands { a, b, c, d, p }
}

/// Operands that suit an operation.
fn operands(set: Set, u: &Uop, r: &mut Random) -> Operands {
    match u.op {
        // Many near the places where a fold changes.
        op::SIN_FOLD => {
            let x = floats(set, u, r);
            let near = [0x3f80_0000, 0x4000_0000, 0x4040_0000, 0x4080_0000][r.below(4) as usize];
            let a = match r.below(3) {
                0 => near + r.below(5) - 2,
                1 => near ^ r.below(1 << 23),
                _ => x.a,
            };
            Operands { a: if u.half_a { x.a } else { a }, b: 0, ..x }
        }
        op::FADD..=op::F2I | op::RRO_SIN | op::RRO_EX2 => floats(set, u, r),
        op::COMPARE | op::COMPARE_SELECT | op::MINMAX | op::CHOOSE | op::MASK if u.float => floats(set, u, r),
        _ => words(u, r),
    }
}

/// Operations that a set has.
fn operations(set: Set) -> std::ops::RangeInclusive<u64> {
    op::MOVE..=if set.half { op::SIN_FOLD } else { op::RRO_EX2 }
}

fn one(code: u64, count: usize) {
    let sets: Vec<Set> = SETS.into_iter().filter(|s| operations(*s).contains(&code)).collect();
    check_many(&sets, count, 0x5EED_0200 + code, |set, _, r| {
        let u = any(set, code, r);
        (u, operands(set, &u, r))
    });
}

#[test]
fn sums_are_exact_before_they_are_cut_or_clamped() {
    one(op::ADD, 1 << 18);
}

#[test]
fn products_of_words_are_exact() {
    one(op::MUL, 1 << 19);
}

/// A source of a sum of 64 bits: a pair of words, or one that is extended.
struct Wide {
    pair: bool,
    signed: bool,
    low: u32,
    high: u32,
}

impl Wide {
    fn any(r: &mut Random) -> Self {
        Self { pair: r.below(2) == 1, signed: r.below(2) == 1, low: operand(r), high: operand(r) }
    }

    fn value(&self) -> i128 {
        match (self.pair, self.signed) {
            (true, _) => (u64::from(self.high) << 32 | u64::from(self.low)).into(),
            (false, true) => (self.low as i32).into(),
            (false, false) => self.low.into(),
        }
    }

    /// The word that a pass reads.
    fn word(&self, high: bool) -> u32 {
        if high && self.pair {
            self.high
        } else {
            self.low
        }
    }
}

#[test]
fn sums_of_64_bits_take_the_low_words_then_the_high_ones() {
    let set = SETS[1];
    let Some(lane) = lane(set) else { return };
    let mut r = Random(0x5EED_02F0);
    let (mut work, mut wants) = (vec![], vec![]);
    for _ in 0..1 << 16 {
        let [a, b, c] = [0; 3].map(|_| Wide::any(&mut r));
        let product = r.below(2) == 1;
        let shifted = if product { &c } else { &a };
        let shift = if shifted.pair { 0 } else { r.below(5) };
        let negative = r.below(2) == 1;
        let added = if negative { -(shifted.value() << shift) } else { shifted.value() << shift };
        // Factors are single words.
        let [x, y] = [&a, &b].map(|s| Wide { pair: s.pair && !product, ..*s });
        let sum = if product { x.value() * y.value() + added } else { added + y.value() };
        let low = Uop {
            op: if product { op::MUL } else { op::ADD },
            signed_a: x.signed,
            signed_b: y.signed,
            accumulate: product,
            neg_a: negative && !product,
            neg_c: negative && product,
            shift: shift.into(),
            reverse: true,
            from: u64::from(!shifted.pair) | u64::from(!y.pair) << 1 | u64::from(c.signed) << 2,
            ..Uop::default()
        };
        for high in [false, true] {
            let operands = Operands { a: x.word(high), b: y.word(high), c: c.word(high), ..Operands::default() };
            work.push((Uop { high, ..low }, operands));
            wants.push(Some((sum >> (32 * u32::from(high))) as u32));
            // What is between the two keeps no carry.
            if r.below(4) == 0 {
                let other = any(set, op::ADD, &mut r);
                work.push((other, operands));
                wants.push(expected(set, &other, &operands).0);
            }
        }
    }
    for (i, ((y, _), want)) in simulate(set, lane, &work).into_iter().zip(&wants).enumerate() {
        assert_eq!(Some(y), *want, "{:x?}", work[i]);
    }
}

#[test]
fn shifts_and_bit_fields_are_exact() {
    for code in [op::SHIFT_LEFT, op::SHIFT_RIGHT, op::EXTRACT, op::INSERT] {
        one(code, 1 << 18);
    }
}

#[test]
fn bits_are_counted_and_found() {
    for code in [op::LOGIC, op::COUNT, op::FIND] {
        one(code, 1 << 17);
    }
}

#[test]
fn comparisons_and_choices_are_exact() {
    for code in [op::COMPARE, op::COMPARE_SELECT, op::MINMAX, op::SELECT] {
        one(code, 1 << 18);
    }
}

#[test]
fn shifts_of_two_words_are_exact() {
    one(op::SHIFT_PAIR, 1 << 18);
}

#[test]
fn comparisons_of_two_choose_between_two_others() {
    one(op::CHOOSE, 1 << 18);
}

#[test]
fn counters_of_the_execution_mask_follow_its_rules() {
    one(op::MASK, 1 << 18);
}

#[test]
fn conversions_of_integers_are_exact() {
    one(op::CONVERT, 1 << 18);
}

#[test]
fn float_sums_round_once() {
    one(op::FADD, 1 << 20);
}

#[test]
fn float_products_round_once() {
    one(op::FMUL, 1 << 20);
}

#[test]
fn float_multiply_adds_round_once() {
    one(op::FMA, 1 << 21);
}

#[test]
fn floats_become_floats() {
    one(op::F2F, 1 << 20);
}

#[test]
fn floats_become_integers_and_integers_floats() {
    one(op::F2I, 1 << 20);
    one(op::I2F, 1 << 20);
}

#[test]
fn the_first_half_of_a_sine_is_exact() {
    one(op::SIN_FOLD, 1 << 19);
}

#[test]
fn range_reductions_are_those_of_sm_10() {
    one(op::RRO_SIN, 1 << 19);
    one(op::RRO_EX2, 1 << 19);
}

#[test]
fn operations_do_not_disturb_each_other() {
    check_many(&SETS, 1 << 20, 0x5EED_0240, |set, i, r| {
        let last = *operations(set).end();
        let u = any(set, i as u64 * 11 % (last + 1), r);
        (u, operands(set, &u, r))
    });
}

/// Every half precision number, alone and beside another.
#[test]
fn every_half_is_read_and_written() {
    let set = SETS[1];
    let Some(lane) = lane(set) else { return };
    let mut r = Random(0x5EED_0250);
    for n in 0..16 {
        let (code, round, form) = match n {
            0..=3 => (op::F2F, n, format::F32),
            4..=7 => (op::F2I, n - 4, format::F32),
            8..=11 => (op::FADD, n - 8, format::F16),
            _ => (op::FMUL, n - 12, format::F16),
        };
        let work: Vec<Work> = (0..1 << 16)
            .map(|a| {
                let u = Uop {
                    half_a: true,
                    half_b: true,
                    round,
                    format: form,
                    integral: a & 1 == n as u32 & 1,
                    to: 6,
                    ..any(set, code, &mut r)
                };
                let b = half(&mut r);
                let x = Operands { a, b, ..Operands::default() };
                (u, x)
            })
            .collect();
        check(set, lane, &work);
    }
}

/// Rows of instructions that are one micro-operation on registers.
#[test]
fn values_of_fermi_match() {
    let set = SETS[0];
    let Some(lane) = lane(set) else { return };
    let mut rows: Vec<(String, uop_values::Row)> = vec![];
    for r in conformance::rows("fermi/values.txt") {
        for case in &r.cases {
            let (text, before, after) = (r.column(2), case.column(0), case.column(1));
            let row = uop_values::row(r.column(1), text, before, after);
            rows.extend(row.map(|row| (format!("{text}: {before}"), row)));
        }
    }
    let work: Vec<Work> = rows.iter().map(|(_, r)| (r.uop, r.operands)).collect();
    for ((line, row), got) in rows.iter().zip(simulate(set, lane, &work)) {
        if let Some(y) = row.y {
            assert_eq!(got.0, y, "{line}");
        }
        if let Some(q) = row.q {
            assert_eq!(got.1, q, "{line}");
        }
    }
    assert!(rows.len() > 700, "{} rows", rows.len());
    check(set, lane, &work);
}

#[test]
fn the_lanes_lint_clean_and_fit_their_area() {
    for set in SETS {
        // G13's clamps sums and folds the first half of a sine.
        let lut = if set.half { 3080 } else { 2950 };
        let limits = [("LUT", lut), ("DSP48E1", 4), ("FD", 1150)];
        let leaf = emit_leaf(&UopLane::new(set.half, set.quiet_nan, set.half));
        fits(&leaf, "uop_lane", limits);
    }
}
