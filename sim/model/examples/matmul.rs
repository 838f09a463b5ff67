//! What a product of two matrices of 256 × 256 floats costs: the compile step, of a new source where the cache folder is
//! empty and else of one that is kept, in milliseconds of wall time; and the model's run on one thread, in milliseconds of
//! processor time.

use std::fmt::Write as _;
use std::time::Instant;
use warpsmith_compiler::{Source, Target};
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::{Launch, Model, ModelConfig};

/// Rows and columns.
const N: u32 = 256;
/// Bytes of a matrix.
const BYTES: u32 = 4 * N * N;

/// A thread an element.
const PLAIN: &str = "kernel void mul(global const float *a, global const float *b, global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
";

/// The same with tiles of 16 × 16 in local memory.
const TILED: &str = "kernel void mul(global const float *a, global const float *b, global float *c, int n) {
    local float s[16][16], t[16][16];
    int i = get_local_id(0), j = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[j][i] = a[y * n + k + i];
        t[j][i] = b[(k + j) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < 16; l++) sum += s[j][l] * t[l][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
";

/// An element of a factor.
fn element(seed: u32, i: u32) -> f32 {
    (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) as f32 / 16_777_216.0 - 0.5
}

fn milliseconds<T>(what: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = what();
    (start.elapsed().as_secs_f64() * 1000.0, result)
}

/// Milliseconds that this thread has had a processor.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse::<f64>().ok()).map_or(0.0, |n| n / 1e6)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join("warpsmith-matmul");
    std::fs::create_dir_all(&folder)?;
    for (name, text) in [("plain", PLAIN), ("tiled", TILED)] {
        let file = folder.join(format!("{name}.cl"));
        std::fs::write(&file, text)?;
        let mut source = Source::new(&file);
        // Multiplications and additions become one operation, as with -cl-mad-enable.
        source.options.strict_fp = false;
        let target = Target::unlimited();
        let (compiling, compiled) = milliseconds(|| source.compile(&target));
        let compiled = compiled?;

        let k = compiled.kernel;
        let factor = |seed| (0..N * N).flat_map(|i| element(seed, i).to_le_bytes()).collect::<Vec<u8>>();
        let at = [65536, 65536 + BYTES, 65536 + 2 * BYTES];
        let literals: Vec<u8> = k.literals.iter().flat_map(|w| w.to_le_bytes()).collect();
        let launch = Launch {
            grid: [N / 16; 2],
            block: [16, 16, 1],
            registers: k.registers,
            shared_bytes: k.shared_bytes,
            local_bytes: k.local_bytes,
            params: [&at[..], &[N]].concat(),
            global_bytes: u64::from(at[2] + BYTES),
            constants: vec![ConstantSection::new(1, 0, literals)],
            globals: vec![GlobalSection::new(at[0].into(), factor(1)), GlobalSection::new(at[1].into(), factor(2))],
            ..Launch::from_words(name, k.words)
        };
        let mut model = Model::new(&launch, ModelConfig::default());
        let before = processor();
        let stats = model.run(u64::MAX, 1, None)?;
        let ran = processor() - before;
        let product = model.state().global.read(at[2].into(), BYTES as usize);
        let mut worst = 0f32;
        for (i, found) in (0..).zip(product.chunks_exact(4)) {
            let (x, y) = (i % N, i / N);
            let exact =
                (0..N).map(|k| f64::from(element(1, y * N + k)) * f64::from(element(2, k * N + x))).sum::<f64>();
            worst = worst.max((f32::from_le_bytes(found.try_into()?) - exact as f32).abs());
        }
        assert!(worst < 1e-3, "{name}: an element is {worst} away");
        let digest = product.iter().fold(0u64, |d, b| (d ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
        let mut line = String::new();
        write!(line, "{name}: compiled in {compiling:.1} ms; ran {ran:.1} ms, ")?;
        write!(line, "{} warp instructions, digest {digest:016x}", stats.warp_instructions)?;
        println!("{line}");
    }
    Ok(())
}
