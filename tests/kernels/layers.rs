//! Data of convolution, pooling, fully_connected and network: layers of neural networks.
//!
//! Integers are exact. Float layers either have terms of one sign (a tolerance in ulp is sharp) or
//! whole numbers and binary fractions for which single precision is exact in any order.

use super::float_a::{floats, rounded, sign, times};
use super::{bits, noise, packed, signed, words, DataFile};

/// Every data file of these kernels.
pub fn files() -> Vec<DataFile> {
    let mut files = vec![];
    let mut put = |path, words| files.push(DataFile { path, words });

    let (w, h) = (42, 30);
    let picture: Vec<u8> = (0..w * h)
        .map(|i| {
            let (x, y) = (i % w, i / w);
            let grain = noise(200, w * h)[i] % 40;
            (if (x / 6 + y / 5) % 2 == 0 { 200 } else { 30 } + grain) as u8
        })
        .collect();
    put("convolution/picture.hex", packed(&picture));
    put("convolution/expect_sharp.hex", packed(&sharpen(&picture, w, h)));

    let shape = Shape { inputs: 3, outputs: 4, w: 18, h: 14 };
    let side = |c: usize| sign(201, c);
    let result = |o: usize| sign(202, o);
    let input = times(&floats(203, 3 * 18 * 14, 0.5, 2.0), |i| side(i / (18 * 14)));
    let weights = times(&floats(204, 4 * 27, 0.5, 2.0), |i| result(i / 27) * side(i / 9 % 3));
    let bias = times(&floats(205, 4, 0.5, 2.0), result);
    put("convolution/in.hex", bits(&input));
    put("convolution/weights.hex", bits(&weights));
    put("convolution/bias.hex", bits(&bias));
    put("convolution/expect.hex", bits(&convolve(&input, &weights, &bias, &shape)));

    let (w, h) = (44, 28);
    let values: Vec<u8> = noise(210, w * h).iter().map(|x| *x as u8).collect();
    put("pooling/bytes.hex", packed(&values));
    put("pooling/expect_greatest.hex", packed(&greatest(&values, w, h)));
    let (w, h) = (25, 19);
    let values = floats(211, w * h, 1.0, 3.0);
    put("pooling/floats.hex", bits(&values));
    put("pooling/expect_average.hex", bits(&average(&values, w, h)));

    let (inputs, outputs) = (92, 24);
    let x: Vec<i32> = signed(220, inputs, 127);
    let weights: Vec<i32> = signed(221, inputs * outputs, 127);
    let bias: Vec<i32> = signed(222, outputs, 20000);
    let byte = |v: &[i32]| packed(&v.iter().map(|b| *b as u8).collect::<Vec<u8>>());
    put("fully_connected/x_int.hex", byte(&x));
    put("fully_connected/weights_int.hex", byte(&weights));
    put("fully_connected/bias_int.hex", words(&bias));
    let result: Vec<i32> = (0..outputs)
        .map(|o| {
            let products = x.iter().zip(&weights[o * inputs..]).map(|(x, w)| x * w);
            ((products.sum::<i32>() + bias[o]) >> 10).clamp(0, 127)
        })
        .collect();
    put("fully_connected/expect_int.hex", byte(&result));

    let (inputs, outputs) = (100, 22);
    let x = times(&floats(225, inputs, 0.5, 2.0), |i| sign(226, i));
    let weights = times(&floats(227, inputs * outputs, 0.5, 2.0), |i| sign(226, i % inputs) * sign(228, i / inputs));
    let bias = times(&floats(229, outputs, 0.5, 2.0), |o| sign(228, o));
    put("fully_connected/x.hex", bits(&x));
    put("fully_connected/weights.hex", bits(&weights));
    put("fully_connected/bias.hex", bits(&bias));
    let result: Vec<f64> = (0..outputs)
        .map(|o| {
            let products = x.iter().zip(&weights[o * inputs..]);
            let sum: f64 = products.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
            (sum + f64::from(bias[o])).max(0.0)
        })
        .collect();
    put("fully_connected/expect.hex", bits(&rounded(&result)));

    network(&mut put);
    files
}

/// Taps of 5 by 5 by their definition: 2 * 256 in the middle less a Gaussian that adds up to 256.
fn sharpen(picture: &[u8], w: usize, h: usize) -> Vec<u8> {
    const GAUSS: [i32; 5] = [1, 4, 6, 4, 1];
    let at = |x: i32, y: i32| {
        let (x, y) = (x.clamp(0, w as i32 - 1), y.clamp(0, h as i32 - 1));
        i32::from(picture[y as usize * w + x as usize])
    };
    let pixel = |i: usize| {
        let (x, y) = ((i % w) as i32, (i / w) as i32);
        let mut sum = 512 * at(x, y) + 128;
        for (j, down) in GAUSS.iter().enumerate() {
            for (k, across) in GAUSS.iter().enumerate() {
                sum -= down * across * at(x + k as i32 - 2, y + j as i32 - 2);
            }
        }
        (sum >> 8).clamp(0, 255) as u8
    };
    (0..w * h).map(pixel).collect()
}

/// Channels and size of a convolution's input.
struct Shape {
    inputs: usize,
    outputs: usize,
    w: usize,
    h: usize,
}

fn convolve(input: &[f32], weights: &[f32], bias: &[f32], s: &Shape) -> Vec<f32> {
    let mut out = vec![];
    for (o, b) in bias.iter().enumerate().take(s.outputs) {
        for y in 0..s.h - 2 {
            for x in 0..s.w - 2 {
                let mut sum = f64::from(*b);
                for c in 0..s.inputs {
                    for (j, i) in (0..9).map(|k| (k / 3, k % 3)) {
                        let weight = weights[(o * s.inputs + c) * 9 + 3 * j + i];
                        let value = input[(c * s.h + y + j) * s.w + x + i];
                        sum += f64::from(weight) * f64::from(value);
                    }
                }
                out.push(sum as f32);
            }
        }
    }
    out
}

/// The greatest signed byte of each 2 by 2.
fn greatest(values: &[u8], w: usize, h: usize) -> Vec<u8> {
    let at = |x: usize, y: usize| values[y * w + x] as i8;
    let window = |x, y| at(x, y).max(at(x + 1, y)).max(at(x, y + 1)).max(at(x + 1, y + 1));
    (0..w / 2 * (h / 2)).map(|i| window(2 * (i % (w / 2)), 2 * (i / (w / 2))) as u8).collect()
}

/// Averages of what lies within one of each even pixel.
fn average(values: &[f32], w: usize, h: usize) -> Vec<f32> {
    let mut out = vec![];
    for y in (0..h).step_by(2) {
        for x in (0..w).step_by(2) {
            let near = |i: &usize| (i % w).abs_diff(x) < 2 && (i / w).abs_diff(y) < 2;
            let window: Vec<f64> = (0..w * h).filter(near).map(|i| f64::from(values[i])).collect();
            out.push((window.iter().sum::<f64>() / window.len() as f64) as f32);
        }
    }
    out
}

/// Pictures, weights, scores and digits of both networks.
fn network(put: &mut impl FnMut(&'static str, Vec<u32>)) {
    const PICTURES: usize = 5;
    let pictures: Vec<u8> = noise(230, PICTURES * 144)
        .iter()
        .enumerate()
        .map(|(i, x)| {
            let (x0, y, p) = (i % 12, i / 12 % 12, i / 144);
            let stroke = (x0 + p * y).abs_diff(6 + 2 * p) < 3 || (y == 2 * p && x0 > p);
            (if stroke { 180 + x % 70 } else { x % 25 }) as u8
        })
        .collect();
    let conv = signed(231, 36, 8);
    let conv_bias = signed(232, 4, 100);
    let dense = signed(233, 1000, 8);
    let dense_bias = signed(234, 10, 500);
    let layers: Vec<i32> = [&conv[..], &conv_bias, &dense, &dense_bias].concat();
    put("network/pictures.hex", packed(&pictures));
    put("network/layers_int.hex", words(&layers));
    put("network/layers.hex", bits(&layers.iter().map(|v| *v as f32).collect::<Vec<_>>()));

    let (mut whole, mut real) = ((vec![], vec![]), (vec![], vec![]));
    for picture in pictures.chunks(144) {
        let at = |y: usize, x: usize| i32::from(picture[12 * y + x]);
        // Convolution and pooling: the greatest of four rectified sums; cutting keeps the order.
        let features: Vec<i32> = (0..100)
            .map(|i| {
                let (c, y, x) = (i / 25, i / 5 % 5 * 2, i % 5 * 2);
                let sum = |dy: usize, dx: usize| {
                    let taps = (0..9).map(|k| conv[9 * c + k] * at(y + dy + k / 3, x + dx + k % 3));
                    taps.sum::<i32>() + conv_bias[c]
                };
                sum(0, 0).max(sum(0, 1)).max(sum(1, 0)).max(sum(1, 1)).max(0)
            })
            .collect();
        let scores = |feature: &dyn Fn(i32) -> f64| -> Vec<f64> {
            let score = |d: usize| {
                let terms = features.iter().zip(&dense[100 * d..]);
                let sum: f64 = terms.map(|(f, w)| feature(*f) * f64::from(*w)).sum();
                sum + f64::from(dense_bias[d])
            };
            (0..10).map(score).collect()
        };
        let best = |s: &[f64]| {
            let top = s.iter().fold(f64::MIN, |a, b| a.max(*b));
            s.iter().position(|v| *v == top).unwrap_or(0) as u32
        };
        let s = scores(&|f| f64::from((f >> 6).min(255)));
        whole.1.push(best(&s));
        whole.0.extend(s.iter().map(|v| *v as i32 as u32));
        let s = scores(&|f| f64::from(f) / 64.0);
        real.1.push(best(&s));
        assert!(s.iter().all(|v| f64::from(*v as f32) == *v), "scores are exact");
        real.0.extend(s.iter().map(|v| (*v as f32).to_bits()));
    }
    put("network/expect_scores_int.hex", whole.0);
    put("network/expect_digits_int.hex", whole.1);
    put("network/expect_scores.hex", real.0);
    put("network/expect_digits.hex", real.1);
}
