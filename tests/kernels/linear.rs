//! Data of lu, gaussian and fft256: matrices, systems of equations, transforms.

use super::float_a::{floats, rounded, sign, times};
use super::{bits, noise, signed, DataFile};
use std::f64::consts::TAU;

/// Every data file of these kernels.
pub fn files() -> Vec<DataFile> {
    let mut files = vec![];
    let mut put = |path, words: Vec<f32>| files.push(DataFile { path, words: bits(&words) });

    let (a, factors) = decomposed(3, 12);
    put("lu/matrices.hex", a);
    put("lu/expect.hex", factors);

    elimination(&mut put);
    let (systems, solutions) = systems(4, 14);
    put("gaussian/systems.hex", systems);
    put("gaussian/expect_solutions.hex", solutions);

    let spectra = times(&floats(420, 3 * 512, 1.05, 1.95), |i| sign(421, i));
    let signals: Vec<f32> = spectra
        .chunks(512)
        .flat_map(|s| rounded(&transform(s, 1).iter().map(|v| v / 256.0).collect::<Vec<_>>()))
        .collect();
    put("fft256/expect.hex", signals.chunks(512).flat_map(|s| rounded(&transform(s, -1))).collect());
    put("fft256/in.hex", signals);
    put("fft256/roots.hex", rounded(&(0..128).flat_map(|k| root(-k)).collect::<Vec<_>>()));
    files
}

type Put<'a> = dyn FnMut(&'static str, Vec<f32>) + 'a;

/// Products of small whole numbers, and L and U in one matrix. The diagonals of U are powers of
/// two, so that every quotient is exact, and nothing is rounded on the way; no entry is 0, whose
/// sign would depend on the way.
fn decomposed(count: usize, n: usize) -> (Vec<f32>, Vec<f32>) {
    let raw = signed(400, count * n * n, 3);
    let powers = noise(401, count * n);
    let (mut products, mut factors) = (vec![], vec![]);
    for m in 0..count {
        let power = |r: usize| {
            let x = powers[m * n + r];
            (1 << (x >> 5 & 3)) * if x & 1 == 0 { 1 } else { -1 }
        };
        let entry = |r: usize, c: usize| match raw[(m * n + r) * n + c] {
            _ if r == c => power(r),
            0 => 3,
            other => other,
        };
        let lower = |r: usize, c: usize| if r == c { 1 } else { entry(r, c) };
        for (r, c) in (0..n * n).map(|i| (i / n, i % n)) {
            let sum: i32 = (0..=r.min(c)).map(|k| lower(r, k) * entry(k, c)).sum();
            products.push(sum as f32);
            factors.push(entry(r, c) as f32);
        }
    }
    (products, factors)
}

/// Step 2 of the elimination of a matrix of 25 by 25. The pivot is -2 and all else positive: the
/// factors are exact, and no difference cancels but those that are exactly 0.
fn elimination(put: &mut Put) {
    const N: usize = 25;
    const STEP: usize = 2;
    let pivot = STEP * N + STEP;
    let mut a = floats(410, N * N, 1.0, 2.0);
    a[pivot] = -2.0;
    let mut b = floats(411, N, 1.0, 2.0);
    let mut m = vec![0.0f32; N * N];
    put("gaussian/a.hex", a.clone());
    put("gaussian/b.hex", b.clone());
    for r in STEP + 1..N {
        m[r * N + STEP] = a[r * N + STEP] / a[pivot];
    }
    put("gaussian/expect_m.hex", m.clone());
    for r in STEP + 1..N {
        let factor = f64::from(m[r * N + STEP]);
        let less = |x: f32, top: f32| (f64::from(x) - factor * f64::from(top)) as f32;
        for c in STEP..N {
            a[r * N + c] = less(a[r * N + c], a[STEP * N + c]);
        }
        b[r] = less(b[r], b[STEP]);
    }
    put("gaussian/expect_a.hex", a);
    put("gaussian/expect_b.hex", b);
}

/// Systems whose greatest elements lie anywhere: rows of a matrix with a heavy diagonal, exchanged.
/// Solutions of the rounded systems in `f64`, by Gauss and Jordan.
fn systems(count: usize, n: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut systems, mut solutions) = (vec![], vec![]);
    for s in 0..count as u32 {
        let small = times(&floats(430 + s, n * n, 0.25, 1.0), |i| sign(440 + s, i));
        let x = times(&floats(450 + s, n, 1.0, 2.0), |i| sign(460 + s, i));
        let row_of = |r: usize| (r * 5 + s as usize) % n;
        let mut rows: Vec<Vec<f64>> = (0..n)
            .map(|r| {
                let r = row_of(r);
                let heavy = |c: usize| if c == r { 20.0 + c as f32 } else { 0.0 };
                let mut row: Vec<f64> = (0..n).map(|c| f64::from(small[r * n + c] + heavy(c))).collect();
                let right: f64 = row.iter().zip(&x).map(|(a, x)| a * f64::from(*x)).sum();
                row.push(f64::from(right as f32));
                row
            })
            .collect();
        systems.extend(rows.iter().flat_map(|r| rounded(r)));
        for k in 0..n {
            let top = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()));
            rows.swap(k, top.unwrap_or(k));
            for r in (0..n).filter(|r| *r != k) {
                let factor = rows[r][k] / rows[k][k];
                let pivot = rows[k].clone();
                for (at, below) in rows[r].iter_mut().zip(&pivot).skip(k) {
                    *at -= factor * below;
                }
            }
        }
        solutions.extend((0..n).map(|k| (rows[k][n] / rows[k][k]) as f32));
    }
    (systems, solutions)
}

/// e^(2πik/256).
fn root(k: i32) -> [f64; 2] {
    let angle = f64::from(k.rem_euclid(256)) / 256.0 * TAU;
    [angle.cos(), angle.sin()]
}

/// The sum over j of x[j] e^(direction 2πi jk/256) for every k, by definition.
fn transform(x: &[f32], direction: i32) -> Vec<f64> {
    (0..256)
        .flat_map(|k| {
            let (mut re, mut im) = (0.0, 0.0);
            for j in 0..256 {
                let [c, s] = root(direction * j * k);
                let (a, b) = (f64::from(x[2 * j as usize]), f64::from(x[2 * j as usize + 1]));
                re += a * c - b * s;
                im += a * s + b * c;
            }
            [re, im]
        })
        .collect()
}
