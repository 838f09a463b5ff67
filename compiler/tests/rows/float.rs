//! Float rows: rounding, flushed denormals, comparisons with NaN, conversions, approximate functions.

use super::{cut, integers, value, Row};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Denormals are zeros of their sign, for operands and results.
fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

/// Corners and random bit patterns; exponents near each other for half of them, so that sums round.
fn floats(seed: u64) -> Vec<(u64, u64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let corners: [u32; 18] = [
        0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x3f80_0001, 0x3f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000,
        0x0080_0000, 0x8080_0000, 0x007f_ffff, 0x0000_0001, 0x7f7f_ffff, 0xff7f_ffff, 0x4b00_0000, 0x4b80_0001,
        0x3f00_0000,
    ];
    let mut pairs: Vec<(u32, u32)> = vec![];
    for a in corners {
        pairs.extend(corners.map(|b| (a, b)));
    }
    for _ in 0..500 {
        let (a, b): (u32, u32) = (rng.gen(), rng.gen());
        let shift = rng.gen_range(0..26) << 23;
        pairs.push((a, b));
        pairs.push((
            a & 0x8fff_ffff | 0x3000_0000,
            (a & 0x0f80_0000 | b & 0x807f_ffff | 0x3000_0000).wrapping_sub(shift & 0x0f80_0000),
        ));
    }
    pairs.into_iter().map(|(a, b)| (a.into(), b.into())).collect()
}

fn float(x: u64) -> f32 {
    flush(f32::from_bits(x as u32))
}

fn row(
    name: &str, result: &'static str, text: impl Into<String>, max_ulp: u32,
    expected: impl Fn(f32, f32) -> u64 + 'static,
) -> Row {
    Row {
        operands: floats(name.len() as u64 + 77),
        name: name.into(),
        operand: "f32",
        result,
        text: text.into(),
        expected: Box::new(move |a, b| expected(float(a), float(b))),
        max_ulp,
    }
}

fn bits(x: f32) -> u64 {
    flush(x).to_bits().into()
}

/// A product. What is below the normal numbers before rounding is zero, even where rounding would
/// lift it to the least of them.
fn product(a: f32, b: f32) -> f32 {
    if (f64::from(a) * f64::from(b)).abs() < f64::from(f32::MIN_POSITIVE) {
        return 0f32.copysign(a) * 1f32.copysign(b);
    }
    a * b
}

/// Operations on floats.
pub fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("fadd", "f32", "a + b", 0, |a, b| bits(a + b)),
        row("fsub", "f32", "a - b", 0, |a, b| bits(a - b)),
        row("fmul", "f32", "a * b", 0, |a, b| bits(product(a, b))),
        row("fneg", "f32", "-a", 0, |a, _| bits(-a)),
        row("fabs_", "f32", "fabsf(a)", 0, |a, _| bits(a.abs())),
        row("fmin_", "f32", "fminf(a, b)", 0, |a, b| bits(a.min(b))),
        row("fmax_", "f32", "fmaxf(a, b)", 0, |a, b| bits(a.max(b))),
        row("ffloor", "f32", "floorf(a)", 0, |a, _| bits(a.floor())),
        row("fceil", "f32", "ceilf(a)", 0, |a, _| bits(a.ceil())),
        row("ftrunc", "f32", "truncf(a)", 0, |a, _| bits(a.trunc())),
        row("frint", "f32", "rintf(a)", 0, |a, _| bits(a.round_ties_even())),
        row("fcopysign", "f32", "copysignf(a, b)", 0, |a, b| bits(a.copysign(b))),
        row("fsquare_sum", "f32", "__fadd_rn(__fmul_rn(a, a), b)", 0, |a, b| bits(product(a, a) + b)),
        row("fselect", "f32", "a < b ? a : b + 1.0f", 0, |a, b| bits(if a < b { a } else { b + 1.0 })),
    ];
    // Operations that only copy a float may keep a denormal.
    let moves =
        |r: &Row| ["fneg", "fabs_", "fcopysign", "fselect"].contains(&&r.name[..]) || r.name.starts_with("fif_");
    let normal = |x: u64| !f32::from_bits(x as u32).is_subnormal();
    // min and max of zeros of both signs, and the sign of a NaN, are left open.
    for r in &mut rows {
        if r.name == "fmin_" || r.name == "fmax_" {
            r.operands.retain(|(a, b)| float(*a) != 0.0 || float(*b) != 0.0);
        }
    }
    for (name, op) in [("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")] {
        let holds = move |a: f32, b: f32| match op {
            "<" => a < b,
            "<=" => a <= b,
            ">" => a > b,
            ">=" => a >= b,
            "==" => a == b,
            _ => a != b,
        };
        rows.push(row(&format!("f{name}"), "i32", format!("a {op} b"), 0, move |a, b| holds(a, b).into()));
        rows.push(row(&format!("fnot_{name}"), "i32", format!("!(a {op} b)"), 0, move |a, b| (!holds(a, b)).into()));
        rows.push(row(&format!("fif_{name}"), "f32", format!("!(a {op} b) ? a : b"), 0, move |a, b| {
            bits(if holds(a, b) { b } else { a })
        }));
    }
    for r in rows.iter_mut().filter(|r| moves(r)) {
        r.operands.retain(|(a, b)| normal(*a) && normal(*b));
    }
    rows
}

/// Conversions between floats and integers; the float lies in the integer's range.
pub fn conversions() -> Vec<Row> {
    let mut rows = vec![];
    for ty in super::integer::TYPES {
        rows.push(Row {
            name: format!("{ty}_to_f32"),
            operand: ty,
            result: "f32",
            text: "(f32)a".into(),
            expected: Box::new(move |a, _| (value(ty, a) as f32).to_bits().into()),
            operands: integers(ty, 91),
            max_ulp: 0,
        });
        let width: u32 = ty[1..].parse().unwrap_or(32);
        let (low, high) = match ty.starts_with('i') {
            true => (-(2f64.powi(width as i32 - 1)), 2f64.powi(width as i32 - 1)),
            false => (-1.0, 2f64.powi(width as i32)),
        };
        let mut to = row(&format!("f32_to_{ty}"), ty, format!("({ty})a"), 0, move |a, _| cut(ty, a as i128 as u64));
        let mut rng = ChaCha8Rng::seed_from_u64(92);
        for _ in 0..600 {
            let size = 2f64.powf(rng.gen_range(-3.0..f64::from(width)));
            let x = if rng.gen() { size } else { -size } as f32;
            to.operands.push((x.to_bits().into(), 0));
        }
        to.operands.retain(|(a, _)| {
            let x = f64::from(float(*a));
            x > low && x < high
        });
        rows.push(to);
    }
    rows
}

/// Functions that are approximated: error in units of the last place over the stated operands.
pub fn approximate() -> Vec<Row> {
    let within = |name: &str, text: &str, low: f32, high: f32, max_ulp: u32, f: fn(f64, f64) -> f64| {
        let mut r = row(name, "f32", text, max_ulp, move |a, b| bits(f(a.into(), b.into()) as f32));
        let mut rng = ChaCha8Rng::seed_from_u64(93);
        r.operands = (0..1500)
            .map(|_| {
                let one = |rng: &mut ChaCha8Rng| rng.gen_range(low.ln()..high.ln()).exp();
                (u64::from(one(&mut rng).to_bits()), u64::from(one(&mut rng).to_bits()))
            })
            .collect();
        r
    };
    vec![
        within("fdiv", "a / b", 1e-18, 1e18, 3, |a, b| a / b),
        within("fdiv_fast", "__fdividef(a, b)", 1e-18, 1e18, 3, |a, b| a / b),
        within("frcp", "1.0f / a", 1e-18, 1e18, 2, |a, _| 1.0 / a),
        within("fsqrt", "sqrtf(a)", 1e-30, 1e30, 5, |a, _| a.sqrt()),
        within("frsqrt", "rsqrtf(a)", 1e-30, 1e30, 3, |a, _| 1.0 / a.sqrt()),
        within("fexp2", "exp2f(a)", 0.5, 100.0, 4, |a, _| a.exp2()),
        within("flog2", "log2f(a)", 2.0, 1e30, 4, |a, _| a.log2()),
        // The product is cut, not rounded: never farther off than one place when nothing cancels.
        within("fmad", "a * b + a", 1e-10, 1e10, 1, |a, b| a * b + a),
    ]
}
