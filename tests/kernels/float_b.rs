//! Data of mandelbrot, black_scholes, sincos_table and nbody: every result in `f64`.
//!
//! None of this follows the order or the rounding of a program. Inputs are rounded to `f32` first,
//! so that both start from the same numbers. Each launch file says how far a result may be off.

use super::{noise, DataFile};
use std::f64::consts::PI;

/// Data files of the four kernels.
pub fn files() -> Vec<DataFile> {
    let mut files = vec![];
    let mut put = |path, words| files.push(DataFile { path, words });

    let pixels: Vec<Pixel> = (0..64 * 48).map(|i| pixel(i % 64, i / 64, 40)).collect();
    let smooth: Vec<f64> = pixels.iter().map(|p| p.smooth).collect();
    put("mandelbrot/expect_count.hex", pixels.iter().map(|p| p.count).collect());
    put("mandelbrot/expect_smooth.hex", words(&smooth));

    let price = reals(21, 512, 20.0, 40.0);
    let ratio = reals(22, 512, 0.85, 1.15);
    let strike: Vec<f64> = (0..512).map(|i| rounded(price[i] * ratio[i])).collect();
    let years = reals(23, 512, 0.5, 5.0);
    let prices: Vec<[f64; 2]> = (0..512).map(|i| option(price[i], strike[i], years[i], 0.02, 0.3)).collect();
    let column = |k: usize| prices.iter().map(|p| p[k]).collect::<Vec<f64>>();
    put("black_scholes/expect_call.hex", words(&column(0)));
    put("black_scholes/expect_put.hex", words(&column(1)));
    put("black_scholes/price.hex", words(&price));
    put("black_scholes/strike.hex", words(&strike));
    put("black_scholes/years.hex", words(&years));

    let angles = angles();
    let table: Vec<f64> = angles.iter().flat_map(|x| [x.sin(), x.cos()]).collect();
    let (special, rest) = table.split_at(2 * SPECIAL);
    let (near, clear) = rest.split_at(2 * NEAR_AXIS);
    put("sincos_table/expect_special.hex", words(special));
    put("sincos_table/expect_near.hex", words(near));
    put("sincos_table/expect.hex", words(clear));
    put("sincos_table/in.hex", words(&angles));

    let (bodies, motion) = cloud(128);
    let (moved, faster) = step(&bodies, &motion, 1.0 / 64.0, 0.25);
    put("nbody/expect_bodies.hex", words(moved.as_flattened()));
    put("nbody/expect_motion.hex", words(faster.as_flattened()));
    put("nbody/bodies.hex", words(bodies.as_flattened()));
    put("nbody/motion.hex", words(motion.as_flattened()));
    files
}

/// Bits of the values in single precision.
fn words(values: &[f64]) -> Vec<u32> {
    values.iter().map(|&v| (v as f32).to_bits()).collect()
}

/// The nearest single-precision number.
fn rounded(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Single-precision numbers from `low` to `high`.
fn reals(seed: u32, count: usize, low: f64, high: f64) -> Vec<f64> {
    noise(seed, count).iter().map(|&x| rounded(low + (high - low) * f64::from(x) / f64::from(u32::MAX))).collect()
}

struct Pixel {
    count: u32,
    smooth: f64,
}

/// Steps to |z|^2 > 4, and the smooth count.
///
/// Rounding could change a count near the boundary of the set. So the orbit carries `off`, a bound
/// on the distance of any single-precision orbit: what a step makes of the distance before, plus
/// 2^-21 of the values it adds, more than the five roundings of a step can be (2^-24 each, twice
/// that for a truncated product). The view is one where every comparison is beyond this bound:
/// the count is then the same in any order of operations, and no pixel needs a tolerance.
fn pixel(column: u32, row: u32, limit: u32) -> Pixel {
    let pitch = 3.0 / 64.0;
    let (cx, cy) = (-2.265625 + f64::from(column) * pitch, 1.1103515625 - f64::from(row) * pitch);
    let (mut x, mut y, mut off) = (0.0f64, 0.0f64, 0.0f64);
    let mut count = 0;
    loop {
        let square = x * x + y * y;
        let margin = (2.0 * square.sqrt() + off) * off + square / f64::from(1 << 21);
        assert!((square - 4.0).abs() > margin, "pixel {column}, {row}: step {count} depends on rounding");
        if square > 4.0 {
            let smooth = f64::from(count) + 2.0 - square.log2().log2();
            return Pixel { count, smooth };
        }
        if count == limit {
            let smooth = f64::from(limit);
            return Pixel { count, smooth };
        }
        let size = square + (cx * cx + cy * cy).sqrt();
        off = (2.0 * square.sqrt() + off) * off + size / f64::from(1 << 21);
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        count += 1;
    }
}

/// Call and put by the Black-Scholes formula.
fn option(price: f64, strike: f64, years: f64, rate: f64, volatility: f64) -> [f64; 2] {
    let spread = volatility * years.sqrt();
    let d1 = ((price / strike).ln() + rate * years) / spread + spread / 2.0;
    let d2 = d1 - spread;
    let discounted = strike * (-rate * years).exp();
    [price * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - price * normal(-d1)]
}

/// Cumulative normal distribution, by the series x + x^3 / 3 + x^5 / (3 * 5) + ...
fn normal(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    let mut odd = 1.0;
    while term.abs() > 1e-18 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// The first angles: zeros, infinities, no number, and whole numbers.
const SPECIAL: usize = 8;
/// Angles whose sine or cosine is from 1/256 to 1/8.
const NEAR_AXIS: usize = 120;

/// 1,024 angles: special ones, those near an axis, and those whose sine and cosine both exceed 1/8.
/// Of the last two, half are within two turns, the rest anywhere to 10,000 of either sign.
fn angles() -> Vec<f64> {
    let smaller = |x: f64| x.sin().abs().min(x.cos().abs());
    let near = |x: &f64| smaller(*x) > 1.0 / 256.0 && smaller(*x) < 0.125;
    let clear = |x: &f64| smaller(*x) > 0.125;
    let mut angles = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    angles.extend([1.0, -2.0, 10000.0]);
    let small = reals(24, 2000, -4.0 * PI, 4.0 * PI);
    let large = reals(25, 2000, -10000.0, 10000.0);
    let mixed = || small.iter().zip(&large).flat_map(|(s, l)| [*s, *l]);
    angles.extend(mixed().filter(near).take(NEAR_AXIS));
    angles.extend(mixed().filter(clear).take(1024 - SPECIAL - NEAR_AXIS));
    angles
}

/// Bodies in a cube, each mass, x, y, z; motions, each 0, vx, vy, vz.
fn cloud(count: usize) -> (Vec<[f64; 4]>, Vec<[f64; 4]>) {
    let places = reals(26, 3 * count, 3.0, 4.0);
    let masses = reals(27, count, 1.0 / 64.0, 3.0 / 64.0);
    let speeds = reals(28, 3 * count, -1.0, 1.0);
    let four = |i: usize, first: f64, rest: &[f64]| [first, rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
    let away: Vec<f64> = speeds.iter().map(|v| rounded(v + 3.0 * v.signum())).collect();
    ((0..count).map(|i| four(i, masses[i], &places)).collect(), (0..count).map(|i| four(i, 0.0, &away)).collect())
}

/// One step of `nbody`: bodies and motions after it.
fn step(bodies: &[[f64; 4]], motion: &[[f64; 4]], softening: f64, dt: f64) -> (Vec<[f64; 4]>, Vec<[f64; 4]>) {
    let one = |(body, motion): (&[f64; 4], &[f64; 4])| {
        let mut a = [0.0; 4];
        for other in bodies {
            let away: Vec<f64> = (1..4).map(|k| other[k] - body[k]).collect();
            let distance = (away.iter().map(|d| d * d).sum::<f64>() + softening).sqrt();
            a[0] += other[0] / distance;
            for k in 1..4 {
                a[k] += other[0] * away[k - 1] / distance.powi(3);
            }
        }
        let (mut moved, mut faster) = (*body, a);
        for k in 1..4 {
            faster[k] = motion[k] + a[k] * dt;
            moved[k] += faster[k] * dt;
        }
        (moved, faster)
    };
    bodies.iter().zip(motion).map(one).unzip()
}
