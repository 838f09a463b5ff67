//! Atomic accesses of 64 bits and sums of doubles in CUDA C on the model, to shared and to global memory, against plain
//! Rust: all threads of two blocks on a few places, by lanes of one warp and by several warps.

use crate::common::kernels::Kernels;
use warpsmith_compiler::clang::find;

const GRID: usize = 2;
const BLOCK: usize = 77;
/// Places in memory: threads with the same number modulo this meet.
const PLACES: usize = 3;
/// What global memory holds at the start.
const FILL: u64 = 0x1_0000_0001;

/// An operation on two numbers of 64 bits that does not care for the order of its operands.
struct Of {
    /// The call in CUDA C, of a place `p` and a value `v`.
    call: &'static str,
    start: u64,
    value: fn(u64, u64) -> u64,
}

const OPERATIONS: [Of; 10] = [
    Of { call: "atomicAdd(p, v)", start: 0xffff_fff0, value: |a, b| a.wrapping_add(b) },
    Of { call: "atomicMin((long long *)p, (long long)v)", start: 5, value: |a, b| (a as i64).min(b as i64) as u64 },
    Of { call: "atomicMin(p, v)", start: u64::MAX, value: u64::min },
    Of { call: "atomicMax((long long *)p, (long long)v)", start: 5, value: |a, b| (a as i64).max(b as i64) as u64 },
    Of { call: "atomicMax(p, v)", start: 0, value: u64::max },
    Of { call: "atomicAnd(p, v | 0xff00ff00ff00ff00)", start: u64::MAX, value: |a, b| a & (b | 0xff00_ff00_ff00_ff00) },
    Of { call: "atomicOr_block(p, v)", start: 0, value: |a, b| a | b },
    Of { call: "atomicXor_system(p, v)", start: 77, value: |a, b| a ^ b },
    Of {
        call: "atomicAdd((double *)p, (double)(v & 0xffff))",
        start: 0,
        value: |a, b| (f64::from_bits(a) + (b & 0xffff) as f64).to_bits(),
    },
    // By comparison and exchange, as programs write what has no function.
    Of { call: "swapped(p)", start: 1, value: |a, _| a.wrapping_mul(3) },
];

const HEAD: &str = "
typedef unsigned long long ull;
__device__ ull swapped(ull *p) {
  ull old = *p, seen;
  do { seen = old; old = atomicCAS(p, seen, 3 * seen); } while (old != seen);
  return old;
}
";

/// Kernels `f0`, `f1` …: in global memory, then in shared memory.
fn source() -> String {
    let mut text = HEAD.to_string();
    let kernel = |i: usize, body: String| {
        format!(
            "__global__ void f{i}(const ull *in, ull *out) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; ull v = in[t];\n{body} }}\n"
        )
    };
    for (i, o) in OPERATIONS.iter().enumerate() {
        let call = o.call;
        text += &kernel(2 * i, format!("ull *p = out + t % {PLACES}; {call};"));
        let shared = format!(
            "__shared__ ull s[{PLACES}]; if (threadIdx.x < {PLACES}) s[threadIdx.x] = {:#x}ull; __syncthreads();\n\
             ull *p = s + t % {PLACES}; {call}; __syncthreads();\n\
             if (threadIdx.x < {PLACES}) out[blockIdx.x * {PLACES} + threadIdx.x] = s[threadIdx.x];",
            o.start
        );
        text += &kernel(2 * i + 1, shared);
    }
    // What each exchange gives, by threads that left a loop at their own time.
    text += &kernel(
        2 * OPERATIONS.len(),
        "for (int k = 0; k < t % 5; k++) atomicExch(out + t % 2, (ull)t); out[3 + t] = atomicExch(out + 2, v);".into(),
    );
    // A place that is in one memory or in the other.
    text += &kernel(
        2 * OPERATIONS.len() + 1,
        "__shared__ ull s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(t % 3 ? out : &s, (ull)t);\n\
         __syncthreads(); if (threadIdx.x == 0) out[1 + blockIdx.x] = s;"
            .into(),
    );
    text
}

fn input() -> Vec<u64> {
    let mut x = 99u64;
    let mut next = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        x ^ x >> 29
    };
    (0..GRID * BLOCK).map(|_| next()).collect()
}

fn words(list: &[u64]) -> Vec<u32> {
    list.iter().flat_map(|v| [*v as u32, (*v >> 32) as u32]).collect()
}

fn pairs(words: &[u32]) -> Vec<u64> {
    words.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect()
}

#[test]
fn all_operations_on_64_bits_lose_nothing() {
    if warpsmith_testkit::found(find::find(None)).is_none() {
        return;
    }
    let kernels = Kernels::new("wide.cu", source());
    let input = input();
    let run = |i: usize, count: usize| {
        let keys = "level = \"sm12\"";
        pairs(&kernels.run(i, [GRID, BLOCK], (&words(&input), 2 * count), keys, &[]).1)
    };
    for (i, o) in OPERATIONS.iter().enumerate() {
        let reduced = |start: u64, threads: std::ops::Range<usize>, place: usize| {
            threads.filter(|t| t % PLACES == place).fold(start, |a, t| (o.value)(a, input[t]))
        };
        let global: Vec<u64> = (0..PLACES).map(|p| reduced(FILL, 0..GRID * BLOCK, p)).collect();
        assert_eq!(run(2 * i, PLACES), global, "{} in global memory", o.call);
        let blocks = (0..GRID).flat_map(|b| (0..PLACES).map(move |p| (b, p)));
        let shared: Vec<u64> = blocks.map(|(b, p)| reduced(o.start, b * BLOCK..(b + 1) * BLOCK, p)).collect();
        assert_eq!(run(2 * i + 1, GRID * PLACES), shared, "{} in shared memory", o.call);
    }
    // What the exchanges gave, and what they left, is what was there and what they put.
    let mut found = run(2 * OPERATIONS.len(), 3 + GRID * BLOCK).split_off(2);
    let mut put = [&input[..], &[FILL]].concat();
    found.sort_unstable();
    put.sort_unstable();
    assert_eq!(found, put);
    let sum = |threads: std::ops::Range<usize>, third: bool| -> u64 {
        threads.filter(|t| (t % 3 == 0) == third).map(|t| t as u64).sum()
    };
    let blocks = (0..GRID).map(|b| sum(b * BLOCK..(b + 1) * BLOCK, true));
    let want: Vec<u64> = [FILL + sum(0..GRID * BLOCK, false)].into_iter().chain(blocks).collect();
    assert_eq!(run(2 * OPERATIONS.len() + 1, 1 + GRID), want);
}
