//! Data files of `kernels/`: inputs from a fixed generator, results from plain Rust.
//!
//! Nothing here knows the instruction set: the results are the definition of each kernel's task,
//! so a wrong program, model or chip cannot agree with them by construction.
//! `cargo run --example kernel_data` writes the files; a test in `kernels.rs` compares them.

#[path = "bytes.rs"]
mod bytes;
#[path = "float_a.rs"]
mod float_a;
#[path = "float_b.rs"]
mod float_b;
#[path = "grids.rs"]
mod grids;
#[path = "layers.rs"]
mod layers;
#[path = "linear.rs"]
mod linear;
#[path = "textures.rs"]
mod textures;

/// A file of `kernels/`: path below that folder, and its words.
pub struct DataFile {
    pub path: &'static str,
    pub words: Vec<u32>,
}

impl DataFile {
    /// The content: one word a line, eight hexadecimal digits.
    pub fn text(&self) -> String {
        self.words.iter().map(|w| format!("{w:08x}\n")).collect()
    }
}

/// Every data file of every kernel.
pub fn all() -> Vec<DataFile> {
    let mut files = vec![];
    let mut put = |path, words| files.push(DataFile { path, words });

    let (a, b) = (noise(1, 215), noise(2, 215));
    let c = a.iter().zip(&b).map(|(x, y)| x.wrapping_add(*y)).collect();
    put("vector_add/a.hex", a);
    put("vector_add/b.hex", b);
    put("vector_add/expect.hex", c);

    let data = noise(3, 333);
    put("reduction/expect.hex", data.chunks(90).map(sum).collect());
    put("printing/expect.hex", data.iter().map(|x| u32::from(x % 16 == 0)).collect());
    put("reduction/in.hex", data);

    let (m, k, n) = (19, 17, 23);
    let (a, b) = (signed(4, m * k, 1000), signed(5, k * n, 1000));
    put("matmul_tiled/expect.hex", product(&a, &b, m, k, n));
    put("matmul_tiled/a.hex", words(&a));
    put("matmul_tiled/b.hex", words(&b));

    let (w, h) = (37, 23);
    let data = noise(6, w * h);
    put("transpose/expect.hex", (0..w * h).map(|i| data[(i % h) * w + i / h]).collect());
    put("transpose/in.hex", data);

    let data: Vec<i32> = noise(7, 300).iter().map(|&x| x as i32).collect();
    let mut sorted = data.clone();
    sorted.chunks_mut(128).for_each(<[i32]>::sort_unstable);
    put("bitonic_sort/expect.hex", words(&sorted));
    put("bitonic_sort/in.hex", words(&data));

    let data = noise(8, 250);
    put("prefix_scan/expect.hex", (1..=250).map(|i| sum(&data[..i])).collect());
    put("prefix_scan/in.hex", data);

    let data = noise(9, 1000);
    put("histogram/expect.hex", histogram(&data, 3, 50));
    put("histogram/in.hex", data);

    let (steps, peaks) = (1..=200).map(collatz).unzip();
    put("collatz/expect_steps.hex", steps);
    put("collatz/expect_peak.hex", peaks);

    let data: Vec<u32> = noise(10, 128).iter().map(|x| x % 200).collect();
    put("nested_calls/expect.hex", data.iter().map(|&x| calls::f(x)).collect());
    put("nested_calls/in.hex", data);

    let data = noise(11, 3 * 64);
    put("barrier_ping_pong/expect.hex", data.chunks(64).flat_map(|x| ping_pong(x, 36, 9)).collect());
    put("barrier_ping_pong/in.hex", data);
    files.extend(float_a::files());
    files.extend(float_b::files());
    files.extend(bytes::files());
    files.extend(grids::files());
    files.extend(layers::files());
    files.extend(textures::files());
    files.extend(linear::files());
    files
}

/// `count` words of a fixed sequence (xorshift), different for every `seed`.
fn noise(seed: u32, count: usize) -> Vec<u32> {
    let mut x = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut step = || {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x
    };
    (0..8).for_each(|_| {
        step();
    });
    (0..count).map(|_| step()).collect()
}

/// Integers from `-limit` to `limit`.
fn signed(seed: u32, count: usize, limit: i32) -> Vec<i32> {
    noise(seed, count).iter().map(|x| (x % (2 * limit as u32 + 1)) as i32 - limit).collect()
}

fn words(values: &[i32]) -> Vec<u32> {
    values.iter().map(|&v| v as u32).collect()
}

/// Bytes four to a word, the first one lowest, zeros behind the last.
fn packed(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|c| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))).collect()
}

/// Bits of floats.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn sum(values: &[u32]) -> u32 {
    values.iter().fold(0, |s, v| s.wrapping_add(*v))
}

fn product(a: &[i32], b: &[i32], m: usize, k: usize, n: usize) -> Vec<u32> {
    let element = |row: usize, column: usize| (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum::<i32>() as u32;
    (0..m * n).map(|i| element(i / n, i % n)).collect()
}

/// Counts of the low four bits, a row a block; block `b` owns the words whose index divided by
/// `threads` leaves `b` modulo `blocks`.
fn histogram(data: &[u32], blocks: usize, threads: usize) -> Vec<u32> {
    let mut counts = vec![0; blocks * 16];
    for (i, x) in data.iter().enumerate() {
        counts[i / threads % blocks * 16 + (x & 15) as usize] += 1;
    }
    counts
}

/// Steps to reach 1, and the greatest value on the way.
fn collatz(start: u32) -> (u32, u32) {
    let (mut x, mut steps, mut peak) = (start, 0, start);
    while x != 1 {
        x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
        steps += 1;
        peak = peak.max(x);
    }
    (steps, peak)
}

/// The functions of `nested_calls`.
mod calls {
    pub fn f(x: u32) -> u32 {
        if x % 2 == 1 {
            g(3 * x + 1)
        } else {
            h(x >> 1)
        }
    }

    fn g(x: u32) -> u32 {
        k(x) + 5
    }

    fn h(x: u32) -> u32 {
        if x & 4 != 0 {
            k(k(x + 7))
        } else {
            x
        }
    }

    fn k(x: u32) -> u32 {
        let y = x ^ 0x5a;
        if y < 0x40 {
            y
        } else {
            y - 0x21
        }
    }
}

/// What the consumers of `barrier_ping_pong` add up over all rounds.
fn ping_pong(start: &[u32], consumers: usize, rounds: u32) -> Vec<u32> {
    let mut buffer = start.to_vec();
    let mut sums = vec![0u32; consumers];
    for round in 0..rounds {
        for x in &mut buffer {
            *x = x.wrapping_mul(3).wrapping_add(round);
        }
        for (c, s) in sums.iter_mut().enumerate() {
            *s = s.wrapping_add(buffer[c] ^ buffer[63 - c]);
        }
    }
    sums
}
