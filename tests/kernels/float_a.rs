//! Data files of the float kernels saxpy, matmul_float, matmul_float_tiled, dot_product, sobel, fft8.
//!
//! Results are worked out in f64 and rounded once to f32; nothing of the model's arithmetic is used.
//! A tolerance in ulp is sharp only where results do not cancel, so the inputs are made for that:
//! signs vary, but all terms of one result have the same sign, or one term outweighs the other.
//! Every launch file derives its `max_ulp` from what the kernel rounds.

use super::{noise, DataFile};
use std::f64::consts::FRAC_1_SQRT_2;

/// Every data file of these kernels.
pub fn files() -> Vec<DataFile> {
    let mut files = vec![];
    let mut put = |path, values: &[f32]| {
        let words = values.iter().map(|v| v.to_bits()).collect();
        files.push(DataFile { path, words });
    };

    let n = 557;
    let x = times(&floats(101, n, 0.25, 1.0), |i| sign(102, i));
    let y = times(&floats(103, n, 4.0, 8.0), |i| sign(104, i));
    put("saxpy/x.hex", &x);
    put("saxpy/y.hex", &y);
    put("saxpy/expect.hex", &saxpy(1.7, &x, &y));

    let (m, k, n) = (43, 48, 46);
    let (a, b) = factors(110, m, k, n);
    put("matmul_float/a.hex", &a);
    put("matmul_float/b.hex", &b);
    put("matmul_float/expect.hex", &product(&a, &b, m, k, n));

    let (m, k, n) = (36, 53, 47);
    let (a, b) = factors(120, m, k, n);
    put("matmul_float_tiled/a.hex", &a);
    put("matmul_float_tiled/b.hex", &b);
    put("matmul_float_tiled/expect.hex", &product(&a, &b, m, k, n));

    let (n, threads, blocks) = (2347, 100, 5);
    let block = |i: usize| i / threads % blocks;
    let x = times(&floats(130, n, 0.5, 2.0), |i| sign(131, i));
    let y = times(&floats(132, n, 0.5, 2.0), |i| sign(131, i) * sign(133, block(i)));
    put("dot_product/x.hex", &x);
    put("dot_product/y.hex", &y);
    let mut sums = vec![0.0; blocks];
    for (i, (x, y)) in x.iter().zip(&y).enumerate() {
        sums[block(i)] += f64::from(*x) * f64::from(*y);
    }
    put("dot_product/expect.hex", &rounded(&sums));

    let (w, h) = (61, 47);
    let image = picture(w, h);
    put("sobel/in.hex", &image);
    put("sobel/expect.hex", &sobel(&image, w, h));

    let signals = signals(143);
    put("fft8/in.hex", &signals);
    put("fft8/expect.hex", &signals.chunks(16).flat_map(|s| rounded(&dft8(s, -1))).collect::<Vec<_>>());
    files
}

/// Floats from `low` to `high` with all 24 bits of their significands in use.
pub(super) fn floats(seed: u32, count: usize, low: f64, high: f64) -> Vec<f32> {
    noise(seed, count).iter().map(|&x| (low + (high - low) * f64::from(x) / 4_294_967_296.0) as f32).collect()
}

/// 1 or -1: number `i` of a sequence.
pub(super) fn sign(seed: u32, i: usize) -> f32 {
    if noise(seed, i + 1)[i] & 0x100 == 0 {
        1.0
    } else {
        -1.0
    }
}

pub(super) fn times(values: &[f32], factor: impl Fn(usize) -> f32) -> Vec<f32> {
    let scaled = values.iter().enumerate().map(|(i, v)| v * factor(i));
    scaled.collect()
}

pub(super) fn rounded(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

fn saxpy(a: f32, x: &[f32], y: &[f32]) -> Vec<f32> {
    let sums = x.iter().zip(y);
    sums.map(|(&x, &y)| (f64::from(a) * f64::from(x) + f64::from(y)) as f32).collect()
}

/// A of m by k and B of k by n, magnitudes from 0.5 to 2. Row r of A has a sign, column c of B
/// has one, and step k has one in both: all terms of C[r][c] have the sign of row times column.
fn factors(seed: u32, m: usize, k: usize, n: usize) -> (Vec<f32>, Vec<f32>) {
    let a = times(&floats(seed, m * k, 0.5, 2.0), |i| sign(seed + 1, i / k) * sign(seed + 2, i % k));
    let b = times(&floats(seed + 3, k * n, 0.5, 2.0), |i| sign(seed + 2, i / n) * sign(seed + 4, i % n));
    (a, b)
}

fn product(a: &[f32], b: &[f32], m: usize, k: usize, n: usize) -> Vec<f32> {
    let element = |row: usize, column: usize| {
        (0..k).map(|i| f64::from(a[row * k + i]) * f64::from(b[i * n + column])).sum::<f64>() as f32
    };
    (0..m * n).map(|i| element(i / n, i % n)).collect()
}

/// Grey levels 0 to 255: a ramp on the left, a bright disc with noise in it, a grey strip on the
/// right, black elsewhere.
fn picture(w: usize, h: usize) -> Vec<f32> {
    let grain = noise(140, w * h);
    let level = |i: usize| {
        let (x, y) = ((i % w) as i32, (i / w) as i32);
        if (x - 38).pow(2) + (y - 21).pow(2) < 225 {
            190 + grain[i] % 66
        } else if x < 24 {
            (7 * x + 2 * y) as u32
        } else if x > 55 {
            80
        } else {
            0
        }
    };
    (0..w * h).map(|i| level(i) as f32).collect()
}

/// A quarter of the length of the gradient, 255 at most; beyond the border everything is black.
fn sobel(image: &[f32], w: usize, h: usize) -> Vec<f32> {
    let at = |x: usize, y: usize, dx: i32, dy: i32| {
        let (x, y) = (x as i32 + dx, y as i32 + dy);
        let inside = (0..w as i32).contains(&x) && (0..h as i32).contains(&y);
        inside.then(|| f64::from(image[y as usize * w + x as usize]))
    };
    let pixel = |i: usize| {
        let (mut gx, mut gy) = (0.0, 0.0);
        for (j, weight) in [(-1, 1.0), (0, 2.0), (1, 1.0)] {
            for (side, direction) in [(-1, -1.0), (1, 1.0)] {
                gx += weight * direction * at(i % w, i / w, side, j).unwrap_or(0.0);
                gy += weight * direction * at(i % w, i / w, j, side).unwrap_or(0.0);
            }
        }
        ((gx * gx + gy * gy).sqrt() / 4.0).min(255.0) as f32
    };
    (0..w * h).map(pixel).collect()
}

/// Signals of 8 complex samples, real part first. Every one comes from a spectrum whose 16 parts
/// lie between 1.05 and 1.95, with either sign: no result cancels, an ulp of each is 2^-23.
fn signals(count: usize) -> Vec<f32> {
    let spectra = times(&floats(150, 16 * count, 1.05, 1.95), |i| sign(151, i));
    let eighth = |s: &[f32]| dft8(s, 1).map(|v| v / 8.0);
    let signals = spectra.chunks(16).flat_map(|s| rounded(&eighth(s)));
    signals.collect()
}

/// The sum over j of x[j] e^(direction 2πi jk/8) for every k, by definition.
fn dft8(x: &[f32], direction: i32) -> [f64; 16] {
    const ROOT: f64 = FRAC_1_SQRT_2;
    const COSINE: [f64; 8] = [1.0, ROOT, 0.0, -ROOT, -1.0, -ROOT, 0.0, ROOT];
    let mut out = [0.0; 16];
    for k in 0..8 {
        for j in 0..8 {
            let turn = (direction * (j * k) as i32).rem_euclid(8) as usize;
            let (c, s) = (COSINE[turn], COSINE[(turn + 6) % 8]);
            let (re, im) = (f64::from(x[2 * j]), f64::from(x[2 * j + 1]));
            out[2 * k] += re * c - im * s;
            out[2 * k + 1] += re * s + im * c;
        }
    }
    out
}
