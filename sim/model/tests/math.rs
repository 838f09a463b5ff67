//! Fast float functions of the CUDA headers on the model, against double precision: the bounds that docs/compiler.md
//! states. Printed with `--nocapture`.

use crate::common::kernels::Kernels;
use warpsmith_compiler::clang::find;

/// Operands of a function: where, and how they are spread.
#[derive(Clone, Copy)]
enum Over {
    /// Evenly from one to the other.
    Even(f32, f32),
    /// Evenly in the exponent, positive, from one to the other.
    Powers(f32, f32),
}

/// Allowed error: units in the last place of the result, or an absolute distance.
#[derive(Clone, Copy)]
enum Bound {
    Ulp(f64),
    Absolute(f64),
}

use Bound::{Absolute, Ulp};
use Over::{Even, Powers};

type Function = fn(f64) -> f64;

#[rustfmt::skip]
const TABLE: [(&str, Function, Over, Bound); 10] = [
    ("__sinf(x)", f64::sin, Even(-3.2, 3.2), Absolute(5e-7)),
    ("__cosf(x)", f64::cos, Even(-3.2, 3.2), Absolute(5e-7)),
    ("__tanf(x)", f64::tan, Even(-1.0, 1.0), Absolute(1e-6)),
    ("__expf(x)", f64::exp, Even(-80.0, 80.0), Ulp(64.0)),
    ("__exp10f(x)", |x| 10f64.powf(x), Even(-30.0, 30.0), Ulp(70.0)),
    ("__logf(x)", f64::ln, Even(0.5, 2.0), Absolute(3e-7)),
    ("__logf(x)", f64::ln, Powers(2.0, 1e30), Ulp(4.0)),
    ("__log10f(x)", f64::log10, Powers(2.0, 1e30), Ulp(4.0)),
    ("__powf(x, 2.5f)", |x| x.powf(2.5), Even(0.1, 100.0), Ulp(32.0)),
    ("__fdividef(x, 3.0f)", |x| x / 3.0, Powers(1e-30, 1e30), Ulp(2.0)),
];

const N: usize = 8192;

fn operands(over: Over) -> Vec<f32> {
    let at = |i: usize| i as f32 / (N - 1) as f32;
    (0..N)
        .map(|i| match over {
            Even(from, to) => from + (to - from) * at(i),
            Powers(from, to) => (from.ln() + (to.ln() - from.ln()) * at(i)).exp(),
        })
        .collect()
}

/// Distance of a result from the exact value in units of the last place of the exact value.
fn ulps(found: f32, exact: f64) -> f64 {
    let rounded = (exact as f32).abs().max(f32::MIN_POSITIVE);
    let unit = f64::from(f32::from_bits(rounded.to_bits() + 1)) - f64::from(rounded);
    (f64::from(found) - exact).abs() / unit
}

#[test]
fn functions_keep_to_their_documented_accuracy() {
    if warpsmith_testkit::found(module_path!(), find::find(None)).is_none() {
        return;
    }
    let mut source = String::new();
    for (i, (call, ..)) in TABLE.iter().enumerate() {
        source += &format!("extern \"C\" __global__ void f{i}(const float *in, float *out) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; float x = in[i]; out[i] = {call}; }}\n");
    }
    let kernels = Kernels::new("k.cu", source);
    let mut wrong = Vec::new();
    for (i, (call, exact, over, bound)) in TABLE.iter().enumerate() {
        let xs = operands(*over);
        let words: Vec<u32> = xs.iter().map(|x| x.to_bits()).collect();
        let (launch, results) = kernels.run(i, [N / 256, 256], (&words, N), "", &[]);
        let (mut ulp, mut absolute, mut at) = (0.0f64, 0.0f64, 0.0);
        for (x, found) in xs.iter().zip(results) {
            let found = f32::from_bits(found);
            let want = exact(f64::from(*x));
            let (u, a) = (ulps(found, want), (f64::from(found) - want).abs());
            let worse = match bound {
                Ulp(_) => u > ulp,
                Absolute(_) => a > absolute,
            };
            if worse || found.is_nan() {
                at = *x;
            }
            ulp = if found.is_nan() { f64::INFINITY } else { ulp.max(u) };
            absolute = if found.is_nan() { f64::INFINITY } else { absolute.max(a) };
        }
        let instructions = warpsmith_isa::disassemble(&launch.program.words()).len();
        println!(
            "{call:<22} {ulp:>14.1} ulp  {absolute:>10.2e} absolute, worst at {at:e}; {instructions} instructions"
        );
        let kept = match bound {
            Ulp(most) => ulp <= *most,
            Absolute(most) => absolute <= *most,
        };
        if !kept {
            wrong.push(*call);
        }
    }
    assert!(wrong.is_empty(), "less accurate than documented: {wrong:?}");
}
