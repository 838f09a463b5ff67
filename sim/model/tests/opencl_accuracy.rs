//! Built-in math functions of OpenCL C on the model against the tables of the standard: relative error of the full
//! profile (OpenCL 1.2, 7.4), and what `-cl-fast-relaxed-math` allows (OpenCL 3.0, 7.4). The page
//! docs/opencl-accuracy.md has a row for each; measured errors are printed with `--nocapture`.

use warpsmith_compiler::clang::find;
use warpsmith_model::{Launch, Machine, ModelConfig};

/// What the relaxed table allows.
#[derive(Clone, Copy)]
enum Relaxed {
    /// No other than the full profile's.
    Same,
    /// Units in the last place.
    Ulp(f64),
    /// 3 + floor(|2x|) units in the last place.
    Exponential,
    /// An absolute error where the operand's magnitude is at most this; any other one beyond.
    Within(f64, f64),
    /// 2^-21 where the operand is 0.5 to 2; 3 units in the last place elsewhere.
    Logarithm,
    /// Derived from other functions by a formula: any error.
    Derived,
}

/// Which table a function meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meets {
    Full,
    RelaxedOnly,
    Neither,
}

use Meets::{Full, Neither, RelaxedOnly};
use Relaxed::{Derived, Exponential, Logarithm, Same, Ulp, Within};

/// Expression in x and y, exact value, largest magnitude of the operands, whether they may be negative, allowed units in the last
/// place, relaxed rule, largest distance found in such units (rounded up), what is met.
type Row = (
    &'static str,
    fn(f64, f64) -> f64,
    f64,
    bool,
    f64,
    Relaxed,
    f64,
    Meets,
);

/// A distance that no table allows: results near zero have an absolute error alone.
const LARGE: f64 = f64::INFINITY;

const PI: f64 = std::f64::consts::PI;
const MOST: f64 = f32::MAX as f64;

/// Error function by a series or a continued fraction, to double precision.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a >= 2.5 {
        return x.signum() * (1.0 - erfc_positive(a));
    }
    let (mut term, mut sum) = (a, a);
    for n in 1..200 {
        term *= -a * a / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    x.signum() * sum * 2.0 / PI.sqrt()
}

fn erfc_positive(a: f64) -> f64 {
    let fraction = (1..200).rev().fold(a, |f, n| a + f64::from(n) / 2.0 / f);
    (-a * a).exp() / fraction / PI.sqrt()
}

fn erfc(x: f64) -> f64 {
    if x >= 2.5 {
        erfc_positive(x)
    } else {
        1.0 - erf(x)
    }
}

/// Sine of pi x, exact at whole numbers.
fn sinpi(x: f64) -> f64 {
    let r = x - 2.0 * (x / 2.0).round();
    match r.abs() > 0.5 {
        true => ((r.signum() - r) * PI).sin(),
        false => (r * PI).sin(),
    }
}

fn cospi(x: f64) -> f64 {
    sinpi(x.abs() % 2.0 + 0.5)
}

/// The float next to x towards y.
fn next_after(x: f64, y: f64) -> f64 {
    let bits = (x as f32).to_bits();
    let away = (y > x) == (x > 0.0);
    f64::from(f32::from_bits(if away { bits + 1 } else { bits - 1 }))
}

/// Gamma function by Stirling's series, to double precision.
fn tgamma(x: f64) -> f64 {
    if x < 0.5 {
        return PI / (sinpi(x) * tgamma(1.0 - x));
    }
    let (mut product, mut x) = (1.0, x);
    while x < 20.0 {
        product *= x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let tail = 1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0));
    ((x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + tail / x).exp() / product
}

/// The remainder of the nearest whole quotient; each step is exact.
fn remainder(x: f64, y: f64) -> f64 {
    let d = y.abs();
    let mut a = x.abs() % (2.0 * d);
    if a > 0.5 * d {
        a -= d;
        if a >= 0.5 * d {
            a -= d;
        }
    }
    match x < 0.0 {
        true => -a,
        false => a,
    }
}

/// A root of a whole order, odd for negative operands.
fn rootn(x: f64, n: f64) -> f64 {
    x.signum() * x.abs().powf(1.0 / n)
}

#[rustfmt::skip]
const TABLE: [Row; 61] = [
    ("x + y", |x, y| x + y, 1e30, true, 0.5, Same, 0.5, Full),
    ("x * y", |x, y| x * y, 1e15, true, 0.5, Same, 0.5, Full),
    ("1.0f / x", |x, _| 1.0 / x, 8e37, true, 2.5, Ulp(2.5), 1.0, Full),
    ("x / y", |x, y| x / y, 1e18, true, 2.5, Ulp(2.5), 2.0, Full),
    ("fma(x, y, x)", |x, y| x.mul_add(y, x), 1e15, true, 0.5, Same, 81.0, Neither),
    ("acos(x)", |x, _| x.acos(), 1.0, true, 4.0, Ulp(4096.0), 3.0, Full),
    ("acospi(x)", |x, _| x.acos() / PI, 1.0, true, 5.0, Derived, 3.0, Full),
    ("acosh(x + 1.0f)", |x, _| (f64::from(x as f32 + 1.0)).acosh(), 1e18, false, 4.0, Derived, 1700.0, RelaxedOnly),
    ("asin(x)", |x, _| x.asin(), 1.0, true, 4.0, Ulp(4096.0), 4.0, Full),
    ("asinpi(x)", |x, _| x.asin() / PI, 1.0, true, 5.0, Derived, 4.0, Full),
    ("asinh(x)", |x, _| x.signum() * (x.abs() + x.abs() * x.abs() / (1.0 + (x * x + 1.0).sqrt())).ln_1p(), 1e18, true, 4.0, Derived, LARGE, RelaxedOnly),
    ("atan(x)", |x, _| x.atan(), MOST, true, 5.0, Ulp(4096.0), 2.0, Full),
    ("atanpi(x)", |x, _| x.atan() / PI, MOST, true, 5.0, Derived, 2.0, Full),
    ("atan2(x, y)", f64::atan2, 1e18, true, 6.0, Derived, 2.0, Full),
    ("atan2pi(x, y)", |x, y| x.atan2(y) / PI, 1e18, true, 6.0, Derived, 3.0, Full),
    ("atanh(x)", |x, _| 0.5 * (2.0 * x / (1.0 - x)).ln_1p(), 0.9999, true, 5.0, Derived, LARGE, RelaxedOnly),
    ("cbrt(x)", |x, _| x.cbrt(), MOST, true, 2.0, Derived, 29.0, RelaxedOnly),
    ("ceil(x)", |x, _| x.ceil(), 1e9, true, 0.0, Same, 0.0, Full),
    ("copysign(x, y)", |x, y| x.copysign(y), MOST, true, 0.0, Same, 0.0, Full),
    ("cos(x)", |x, _| x.cos(), 1e5, true, 4.0, Within(1.0 / 2048.0, PI), 2800.0, RelaxedOnly),
    ("cosh(x)", |x, _| x.cosh(), 88.0, true, 4.0, Derived, 2.0, Full),
    ("cospi(x)", |x, _| cospi(x), 1e5, true, 4.0, Within(1.0 / 2048.0, 1.0), 1200.0, RelaxedOnly),
    ("erf(x)", |x, _| erf(x), 5.0, true, 16.0, Same, LARGE, Neither),
    ("erfc(x)", |x, _| erfc(x), 5.0, true, 16.0, Same, LARGE, Neither),
    ("exp(x)", |x, _| x.exp(), 87.0, true, 3.0, Exponential, 2.0, Full),
    ("exp2(x)", |x, _| x.exp2(), 126.0, true, 3.0, Exponential, 2.0, Full),
    ("exp10(x)", |x, _| 10f64.powf(x), 37.0, true, 3.0, Derived, 2.0, Full),
    ("expm1(x)", |x, _| x.exp_m1(), 87.0, true, 3.0, Derived, 14.0, RelaxedOnly),
    ("fabs(x)", |x, _| x.abs(), MOST, true, 0.0, Same, 0.0, Full),
    ("fdim(x, y)", |x, y| (x - y).max(0.0), 1e30, true, 0.5, Same, 0.5, Full),
    ("floor(x)", |x, _| x.floor(), 1e9, true, 0.0, Same, 0.0, Full),
    ("fmax(x, y)", f64::max, MOST, true, 0.0, Same, 0.0, Full),
    ("fmin(x, y)", f64::min, MOST, true, 0.0, Same, 0.0, Full),
    ("fmod(x, y)", |x, y| x % y, 1e9, true, 0.0, Same, 0.0, Full),
    ("hypot(x, y)", f64::hypot, 1e18, true, 4.0, Same, LARGE, Neither),
    ("ldexp(x, 3)", |x, _| x * 8.0, 1e30, true, 0.5, Same, 0.0, Full),
    ("log(x)", |x, _| x.ln(), MOST, false, 3.0, Logarithm, 14.0, RelaxedOnly),
    ("log2(x)", |x, _| x.log2(), MOST, false, 3.0, Logarithm, 16.0, RelaxedOnly),
    ("log10(x)", |x, _| x.log10(), MOST, false, 3.0, Logarithm, 13.0, RelaxedOnly),
    ("log1p(x)", |x, _| x.ln_1p(), MOST, false, 2.0, Derived, 130.0, RelaxedOnly),
    ("nextafter(x, y)", next_after, MOST, true, 0.0, Same, 0.0, Full),
    ("pow(x, 2.5f)", |x, _| x.powf(2.5), 1e15, false, 16.0, Derived, 150.0, RelaxedOnly),
    ("pown(x, 3)", |x, _| x * x * x, 1e12, true, 16.0, Derived, 160.0, RelaxedOnly),
    ("powr(x, 2.5f)", |x, _| x.powf(2.5), 1e15, false, 16.0, Derived, 150.0, RelaxedOnly),
    ("remainder(x, y)", remainder, 1e3, true, 0.0, Same, 0.0, Full),
    ("rint(x)", |x, _| x.round_ties_even(), 1e9, true, 0.0, Same, 0.0, Full),
    ("rootn(x, 3)", |x, _| rootn(x, 3.0), MOST, true, 16.0, Derived, 29.0, RelaxedOnly),
    ("round(x)", |x, _| x.round(), 1e9, true, 0.0, Same, 0.0, Full),
    ("rsqrt(x)", |x, _| 1.0 / x.sqrt(), MOST, false, 2.0, Same, 2.0, Full),
    ("sin(x)", |x, _| x.sin(), 1e5, true, 4.0, Within(1.0 / 2048.0, PI), LARGE, RelaxedOnly),
    ("sinh(x)", |x, _| x.sinh(), 88.0, true, 4.0, Derived, 13.0, RelaxedOnly),
    ("sinpi(x)", |x, _| sinpi(x), 1e5, true, 4.0, Within(1.0 / 2048.0, 1.0), LARGE, RelaxedOnly),
    ("sqrt(x)", |x, _| x.sqrt(), MOST, false, 3.0, Same, 3.0, Full),
    ("tan(x)", |x, _| x.tan(), 1e5, true, 5.0, Derived, LARGE, RelaxedOnly),
    ("tanh(x)", |x, _| x.tanh(), 88.0, true, 5.0, Derived, 33.0, RelaxedOnly),
    ("tanpi(x)", |x, _| sinpi(x) / cospi(x), 1e5, true, 6.0, Derived, LARGE, RelaxedOnly),
    ("tgamma(x)", |x, _| tgamma(x), 34.0, false, 16.0, Same, 7.0, Full),
    ("trunc(x)", |x, _| x.trunc(), 1e9, true, 0.0, Same, 0.0, Full),
    ("half_sin(x)", |x, _| x.sin(), PI, true, 8192.0, Same, LARGE, Neither),
    ("half_exp(x)", |x, _| x.exp(), 87.0, true, 8192.0, Same, 63.0, Full),
    ("half_log(x)", |x, _| x.ln(), MOST, false, 8192.0, Same, 14.0, Full),
];

const N: usize = 8192;

/// Half of the operands evenly spread, half of them evenly in their exponents.
fn operands(most: f64, negative: bool, seed: u32) -> Vec<f32> {
    let mut state = u64::from(seed) * 2 + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    let least = f64::from(f32::MIN_POSITIVE).ln();
    (0..N)
        .map(|i| {
            let magnitude = match i % 2 {
                0 => next() * most.min(1e4),
                _ => (least + (most.ln() - least) * next()).exp(),
            };
            let magnitude = magnitude.max(f64::from(f32::MIN_POSITIVE)).min(most);
            let sign = if negative && next() < 0.5 { -1.0 } else { 1.0 };
            (magnitude * sign) as f32
        })
        .collect()
}

/// Distance of a result from the exact value in units of the last place of the exact value. Denormal results may be zero.
fn ulps(found: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    let least = f64::from(f32::MIN_POSITIVE);
    if (found == 0.0 && exact.abs() < least) || (found == rounded && found.is_infinite()) {
        return 0.0;
    }
    match found.is_finite() && rounded.is_finite() {
        true => (f64::from(found) - exact).abs() / unit(exact),
        false => f64::INFINITY,
    }
}

/// Distance of the floats around a value.
fn unit(exact: f64) -> f64 {
    let below = f64::from(exact.abs() as f32).max(f64::from(f32::MIN_POSITIVE));
    let bits = (below as f32).to_bits();
    match (below as f32).is_finite() && f32::from_bits(bits + 1).is_finite() {
        true => f64::from(f32::from_bits(bits + 1)) - below,
        false => 2f64.powi(104),
    }
}

/// Errors of a function on the model: full table kept, relaxed table kept, largest distance, where.
fn measure(dir: &std::path::Path, i: usize, row: &Row) -> (bool, bool, f64, (f32, f32)) {
    let (call, exact, most, negative, allowed, relaxed, ..) = *row;
    let (xs, ys) = (operands(most, negative, 1), operands(most, negative, 2));
    for (name, values) in [("x.bin", &xs), ("y.bin", &ys)] {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        std::fs::write(dir.join(name), bytes).expect("a file");
    }
    let text = format!(
        "program = \"k.cl\"\nkernel = \"f{i}\"\ngrid = [{}]\nblock = [256]\nargs = [\"x\", \"y\", \"o\"]\n\
         [[buffer]]\nname = \"x\"\nfile = \"x.bin\"\n[[buffer]]\nname = \"y\"\nfile = \"y.bin\"\n[[buffer]]\nname = \"o\"\nbytes = {}\n",
        N / 256,
        4 * N
    );
    let path = dir.join("l.toml");
    std::fs::write(&path, text).expect("a file");
    let launch = Launch::load(&path).unwrap_or_else(|e| panic!("{call}: {e}"));
    let mut machine = Machine::new(&launch, ModelConfig::default());
    machine
        .run(1_000_000_000)
        .unwrap_or_else(|e| panic!("{call}: {e}"));
    let out = launch
        .buffers
        .iter()
        .find(|b| b.name == "o")
        .map_or(0, |b| b.address);
    let (mut full, mut loose, mut worst, mut at) = (true, true, 0.0f64, (0.0, 0.0));
    for (n, (x, y)) in xs.iter().zip(&ys).enumerate() {
        let found = f32::from_bits(machine.global().word(out + 4 * n as u32));
        let (wide, want) = (f64::from(*x), exact(f64::from(*x), f64::from(*y)));
        let far = ulps(found, want);
        let apart = (f64::from(found) - want).abs();
        if far > worst {
            (worst, at) = (far, (*x, *y));
        }
        full &= far <= allowed;
        loose &= match relaxed {
            Same => far <= allowed,
            Ulp(most) => far <= most,
            Exponential => far <= 3.0 + (2.0 * wide).abs().floor(),
            Within(most, magnitude) => wide.abs() > magnitude || apart <= most,
            Logarithm if (0.5..=2.0).contains(&wide) => apart <= 2f64.powi(-21),
            Logarithm => far <= 3.0,
            Derived => true,
        };
    }
    (full, loose || full, worst, at)
}

/// The row of the page.
fn page_row(row: &Row) -> String {
    let (call, _, _, _, allowed, _, largest, meets) = row;
    let allowed = match *allowed {
        0.0 => "exact".into(),
        0.5 => "correctly rounded".into(),
        a => format!("{a} ulp"),
    };
    let meets = match meets {
        Full => "full",
        RelaxedOnly => "relaxed only",
        Neither => "neither",
    };
    let largest = match *largest {
        LARGE => "large near zero".into(),
        most => format!("{most} ulp"),
    };
    format!("| `{call}` | {allowed} | {largest} | {meets} |")
}

#[test]
fn math_built_ins_meet_the_tables_that_the_page_states() {
    if let Err(e) = find::find(None) {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_TOOLS").is_none(), "{e}");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let source: String = TABLE
        .iter()
        .enumerate()
        .map(|(i, row)| {
            format!(
                "__kernel void f{i}(__global const float *a, __global const float *b, __global float *o) {{ \
                 uint i = get_global_id(0); float x = a[i], y = b[i]; o[i] = {}; }}\n",
                row.0
            )
        })
        .collect();
    std::fs::write(dir.path().join("k.cl"), source).expect("a file");
    let mut wrong = Vec::new();
    for (i, row) in TABLE.iter().enumerate() {
        let (full, relaxed, worst, at) = measure(dir.path(), i, row);
        let meets = match (full, relaxed) {
            (true, _) => Full,
            (false, true) => RelaxedOnly,
            (false, false) => Neither,
        };
        println!("{:<16} {worst:>14.2} ulp at {at:?}: {meets:?}", row.0);
        if meets != row.7 || worst > row.6 {
            wrong.push(format!(
                "{}: {meets:?} with {worst} ulp, the table says {:?} with {}",
                row.0, row.7, row.6
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn page_has_the_rows_of_the_test() {
    let page = include_str!("../../../docs/opencl-accuracy.md");
    let rows: Vec<&str> = page.lines().filter(|l| l.starts_with("| `")).collect();
    let expected: Vec<String> = TABLE.iter().map(page_row).collect();
    assert_eq!(rows, expected, "rows of docs/opencl-accuracy.md");
}
