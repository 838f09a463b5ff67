//! Data of textured_convolution: nine linearly filtered reads of a picture, in double precision.

use super::{bits, packed, DataFile};

/// Texels of the picture.
const SIZE: [usize; 2] = [12, 8];
/// Points of the result.
const RESULT: [usize; 2] = [10, 6];
/// Texels from a point to the next.
const STEP: f64 = 0.75;
const WEIGHTS: [f64; 9] = [0.0625, 0.125, 0.0625, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.0625];

/// Every data file of the kernel; `picture.png` is the picture of `picture.hex`.
pub fn files() -> Vec<DataFile> {
    let picture: Vec<u8> = (0..SIZE[0] * SIZE[1]).map(|i| texel(i % SIZE[0], i / SIZE[0])).collect();
    let point = |n: usize| {
        let (x, y) = ((n % RESULT[0]) as f64, (n / RESULT[0]) as f64);
        let read = |k: usize| {
            let (column, row) = ((k % 3) as f64 - 1.0, (k / 3) as f64 - 1.0);
            WEIGHTS[k] * filtered(&picture, (x + 0.5) * STEP + column, (y + 0.5) * STEP + row)
        };
        (0..9).map(read).sum::<f64>()
    };
    let result: Vec<f64> = (0..RESULT[0] * RESULT[1]).map(point).collect();
    let bytes: Vec<u8> = result.iter().map(|v| (v * 255.0).round_ties_even() as u8).collect();
    let floats: Vec<f32> = result.iter().map(|v| *v as f32).collect();
    vec![
        DataFile { path: "textured_convolution/picture.hex", words: packed(&picture) },
        DataFile { path: "textured_convolution/expect.hex", words: bits(&floats) },
        DataFile { path: "textured_convolution/expect_bytes.hex", words: packed(&bytes) },
    ]
}

/// Stripes with a disc on them.
fn texel(x: usize, y: usize) -> u8 {
    let disc = x.abs_diff(5).pow(2) + y.abs_diff(4).pow(2) < 9;
    let grain = x * 37 + y * 61 + ((x * x * 5) ^ (y * y * 3));
    (grain + if disc { 200 } else { 0 }) as u8
}

/// The picture at coordinates in texels: the mean of four texels by their distance, edges repeated.
fn filtered(picture: &[u8], u: f64, v: f64) -> f64 {
    let axis = |u: f64, n: usize| {
        let low = (u - 0.5).floor();
        let share = u - 0.5 - low;
        let inside = |i: f64| i.clamp(0.0, n as f64 - 1.0) as usize;
        [(inside(low), 1.0 - share), (inside(low + 1.0), share)]
    };
    let of = |(i, a): (usize, f64), (j, b): (usize, f64)| a * b * f64::from(picture[j * SIZE[0] + i]) / 255.0;
    let columns = axis(u, SIZE[0]);
    axis(v, SIZE[1]).into_iter().flat_map(|row| columns.map(|column| of(column, row))).sum()
}
