//! Function pointers, virtual functions, functions that call themselves, and the heap: on the model what the host's
//! compiler computes of the same source, and what is refused.

use crate::compiled::{clang, Folder};
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsmith_isa::{ChipInfo, Level};
use warpsmith_launch::Launch;
use warpsmith_launch_file::{load_for, parse_for};
use warpsmith_model::{Machine, ModelConfig, RunError};

const KERNELS: [&str; 3] = ["pointers", "objects", "recursion"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compiler/tests/sources/calls.cu")
}

/// What the kernels compute on the host: 64 words each.
fn on_the_host() -> Option<Vec<Vec<u32>>> {
    let dir = tempfile::tempdir().expect("a folder");
    let program = dir.path().join("calls");
    let made = Command::new("c++").args(["-fwrapv", "-O1", "-x", "c++"]).arg(source()).arg("-o").arg(&program).output();
    let made = warpsmith_testkit::found(made.map_err(|e| format!("c++: {e}")))?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let out = Command::new(&program).output().expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text");
    let words: Vec<u32> = text.lines().map(|l| l.parse::<i32>().expect("a number") as u32).collect();
    Some(words.chunks(64).map(<[u32]>::to_vec).collect())
}

fn launch(kernel: &str, expected: &[u32], opt: u32, chip: &ChipInfo) -> Launch {
    let given = if kernel == "pointers" { ", \"difference\"" } else { "" };
    let text = format!(
        "program = \"{}\"\nkernel = \"{kernel}\"\nopt = {opt}\ngrid = [1]\nblock = [64]\nargs = [\"out\"{given}]\n[[buffer]]\nname = \"out\"\nbytes = 256\nexpect = {{ words = {expected:?} }}\n",
        source().display()
    );
    parse_for(Path::new("calls.toml"), &text, chip).unwrap_or_else(|e| panic!("{e}"))
}

fn run(launch: &Launch, level: Level) -> (Result<(), RunError>, Machine) {
    let config = ModelConfig { tier: ChipInfo::unlimited().tier.at(level), ..ModelConfig::default() };
    let mut machine = Machine::new(launch, config);
    let ended = machine.run(50_000_000).map(|_| ());
    (ended, machine)
}

#[test]
fn calls_give_what_the_host_computes() {
    if !clang() {
        return;
    }
    let Some(expected) = on_the_host() else { return };
    for (kernel, expected) in KERNELS.iter().zip(&expected) {
        for opt in [0, 2] {
            let launch = launch(kernel, expected, opt, &ChipInfo::unlimited());
            let (ended, machine) = run(&launch, Level::Sm10);
            ended.unwrap_or_else(|e| panic!("{kernel} -O{opt}: {e}"));
            let wrong = launch.compare(machine.global());
            assert!(wrong.is_empty(), "{kernel} -O{opt}: {}", wrong[0]);
        }
    }
}

const DEEP: &str = "__device__ int deep(int n, int m) { return n == 0 ? m : (deep(n - 1, m * 3 + n) ^ m) * 3 + n; }
__global__ void k(int *a, int n) { a[threadIdx.x] = deep(n, threadIdx.x); }
typedef int (*F)(int);
__global__ void none(int *a, F f) { a[0] = f(3); }
__device__ int one(int x) { return x + 1; }
__device__ F some = one;
__global__ void null(int *a, int n) { F f = n ? some : (F)0; a[0] = f(3); }
";

#[test]
fn a_call_too_deep_and_a_null_pointer_trap() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[("k.cu", DEEP)]);
    let launch = |kernel: &str, n: u32| {
        let text = format!("program = \"k.cu\"\nkernel = \"{kernel}\"\ngrid = [1]\nblock = [32]\nargs = [\"a\", {n}]\n[[buffer]]\nname = \"a\"\nbytes = 128\n");
        folder.load(&text).unwrap_or_else(|e| panic!("{e}"))
    };
    let trapped = |launch: &Launch, line| match run(launch, Level::Sm10).0 {
        Err(RunError::Trap(t)) => assert_eq!(launch.source.place(t.pc), Some(format!("k.cu:{line}"))),
        other => panic!("{other:?}"),
    };
    fn deep(n: i32, m: i32) -> i32 {
        match n {
            0 => m,
            _ => (deep(n - 1, m.wrapping_mul(3).wrapping_add(n)) ^ m).wrapping_mul(3).wrapping_add(n),
        }
    }
    let l = launch("k", 200);
    let (ended, machine) = run(&l, Level::Sm10);
    ended.unwrap_or_else(|e| panic!("{e}"));
    let at = l.buffers[0].address;
    for i in 0..32 {
        assert_eq!(machine.global().word(at + 4 * i) as i32, deep(200, i as i32), "thread {i}");
    }
    trapped(&launch("k", 5000), 1);
    trapped(&launch("null", 0), 7);
    let (ended, machine) = run(&launch("null", 1), Level::Sm10);
    ended.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(machine.global().word(at), 4);
}

const PASSED: &str = "typedef int (*F)(int);
__device__ int twice(int x) { return x * 2; }
__device__ int next(int x) { return x + 1; }
__device__ F of_the_host = next;
__global__ void store(F *p) { *p = twice; }
__global__ void call(int *a, F f) { a[threadIdx.x] = f(threadIdx.x); }
struct Shape { __device__ virtual int area(int x) { return x; } };
struct Square : Shape { __device__ int area(int x) override { return x * x; } };
__global__ void make(Shape **p) { *p = new Square; }
__global__ void measure(int *a, Shape **p) { a[threadIdx.x] = (*p)->area(threadIdx.x); }
";

/// A pointer may be one that another kernel stored, or that the host read from a variable.
#[test]
fn pointers_from_other_kernels_and_the_host_are_called() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[("k.cu", PASSED)]);
    let text = |kernel: &str, args: &str| {
        format!("program = \"k.cu\"\nkernel = \"{kernel}\"\nlevel = \"sm11\"\ngrid = [1]\nblock = [32]\nargs = [\"a\", {args}]\n[[buffer]]\nname = \"a\"\nbytes = 128\n[[buffer]]\nname = \"p\"\nbytes = 4\n")
    };
    let mut results = Vec::new();
    for number in [1, 2] {
        let l = folder.load(&text("call", &number.to_string())).unwrap_or_else(|e| panic!("{e}"));
        let (ended, machine) = run(&l, Level::Sm11);
        ended.unwrap_or_else(|e| panic!("{e}"));
        let words = (0..32).map(|i| machine.global().word(l.buffers[0].address + 4 * i));
        results.push(words.collect::<Vec<u32>>());
    }
    results.sort();
    assert_eq!(results, [(0..32).map(|x| 2 * x).collect::<Vec<u32>>(), (1..33).collect()]);
    folder.load(&text("measure", "\"p\"")).unwrap_or_else(|e| panic!("{e}"));
}

const HEAP: &str = include_str!("../../../compiler/tests/sources/heap.cu");

#[test]
fn blocks_of_the_heap_are_each_a_threads_own() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[("k.cu", HEAP)]);
    let text = |kernel: &str, keys: &str, n: u32| {
        format!("program = \"k.cu\"\nkernel = \"{kernel}\"\nlevel = \"sm11\"\ngrid = [2]\nblock = [64]\n{keys}args = [\"a\", {n}]\n[[buffer]]\nname = \"a\"\nbytes = 512\n")
    };
    let load = |text: &str| folder.load(text).unwrap_or_else(|e| panic!("{e}"));
    // Many rounds in a small heap: blocks come back.
    let l = load(&text("k", "heap_bytes = 65536\n", 20));
    let (ended, machine) = run(&l, Level::Sm11);
    ended.unwrap_or_else(|e| panic!("{e}"));
    let at = l.buffers[0].address;
    for i in 0..128i32 {
        let bytes: i32 = (0..=i).map(|n| i32::from((n ^ i) as i8)).sum();
        let values: i32 = (0..=i % 5).map(|n| i * 10 + n).sum();
        assert_eq!(machine.global().word(at + 4 * i as u32) as i32, 20 * (bytes + values), "thread {i}");
    }
    let l = load(&text("full", "heap_bytes = 65536\n", 1000));
    let (ended, machine) = run(&l, Level::Sm11);
    ended.unwrap_or_else(|e| panic!("{e}"));
    let all: u32 = (0..64).map(|i| machine.global().word(at + 4 * i)).sum();
    let other: u32 = (64..128).map(|i| machine.global().word(at + 4 * i)).sum();
    // Blocks of 1,024 bytes behind a head of 128; threads of both blocks count in the same words of `a`.
    assert!(all <= 63 && other == 0, "{all} {other}");
    let twice = load(&text("twice", "", 0));
    assert_eq!(twice.buffers.iter().find(|b| b.name == "__warpsmith_heap").map(|b| b.bytes), Some(8 << 20));
    match run(&twice, Level::Sm11).0 {
        Err(RunError::Trap(t)) => assert_eq!(twice.source.place(t.pc), Some("k.cu:22".into())),
        other => panic!("{other:?}"),
    }
    let refused = |keys: &str, says: &str| {
        let message = folder.refused(&text("k", keys, 1), "l.toml", 6);
        assert!(message.contains(says), "{message}");
    };
    refused("heap_bytes = 100\n", "it must be 4096 to 67108864");
    refused("heap_bytes = 4100\n", "a multiple of 16");
    let chip = ChipInfo { tier: ChipInfo::unlimited().tier.at(Level::Sm10), ..ChipInfo::unlimited() };
    std::fs::write(folder.path().join("l.toml"), text("k", "", 1).replace("level = \"sm11\"\n", "")).expect("a file");
    let e = load_for(folder.path().join("l.toml"), &chip).expect_err("no atomic accesses");
    assert!(e.message.contains("--set level=sm11"), "{e}");
}

const RANDOM: &str = "#include <curand_kernel.h>
__global__ void words(unsigned *a, int n) {
  curandStatePhilox4_32_10_t p;
  curand_init(0, 0, 0, &p);
  for (int i = 0; i < 4; i++) a[i] = curand(&p);
  curand_init(0, 0, 2, &p);
  uint4 four = curand4(&p);
  a[4] = four.x; a[5] = four.y; a[6] = curand(&p);
  curandState s;
  curand_init(n, 5, 0, &s);
  a[7] = s.d;
  for (int i = 0; i < 5; i++) a[8 + i] = s.v[i];
  for (int i = 0; i < 8; i++) a[13 + i] = curand(&s);
  curand_init(n, 5, 3, &s);
  a[21] = curand(&s);
  curand_init(n, 6, 0, &s);
  a[22] = curand(&s);
}
__global__ void moments(float *a, int n) {
  curandState s;
  curand_init(1234, threadIdx.x, 0, &s);
  float u = 0, uu = 0, z = 0, zz = 0, p = 0;
  for (int i = 0; i < n; i++) {
    float x = curand_uniform(&s), y = curand_normal(&s);
    if (!(x > 0 && x <= 1)) __trap();
    u += x; uu += x * x; z += y; zz += y * y;
    p += curand_poisson(&s, 3.0);
  }
  float *out = a + 5 * threadIdx.x;
  out[0] = u / n; out[1] = uu / n; out[2] = z / n; out[3] = zz / n; out[4] = p / n;
}
";

#[test]
fn random_numbers_are_those_of_the_papers() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[("k.cu", RANDOM)]);
    let launch = |kernel: &str, threads: u32, n: u32| {
        let text = format!("program = \"k.cu\"\nkernel = \"{kernel}\"\ngrid = [1]\nblock = [{threads}]\nargs = [\"a\", {n}]\n[[buffer]]\nname = \"a\"\nbytes = 2048\n");
        folder.load(&text).unwrap_or_else(|e| panic!("{e}"))
    };
    let l = launch("words", 1, 77);
    let (ended, machine) = run(&l, Level::Sm10);
    ended.unwrap_or_else(|e| panic!("{e}"));
    let a: Vec<u32> = (0..23).map(|i| machine.global().word(l.buffers[0].address + 4 * i)).collect();
    // The known answer of Random123 for a counter and a key of zeros.
    assert_eq!(a[..4], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(a[4..6], a[2..4]);
    let (mut d, mut v) = (a[7], [a[8], a[9], a[10], a[11], a[12]]);
    for (i, found) in a[13..21].iter().enumerate() {
        let t = v[0] ^ (v[0] >> 2);
        v = [v[1], v[2], v[3], v[4], v[4] ^ (v[4] << 4) ^ t ^ (t << 1)];
        d = d.wrapping_add(362_437);
        assert_eq!(d.wrapping_add(v[4]), *found, "word {i}");
    }
    assert_eq!(a[21], a[16]);
    assert_ne!(a[22], a[13]);
    let l = launch("moments", 64, 200);
    let (ended, machine) = run(&l, Level::Sm10);
    ended.unwrap_or_else(|e| panic!("{e}"));
    let at = |i: u32| f32::from_bits(machine.global().word(l.buffers[0].address + 4 * i));
    for (n, (wanted, within)) in
        [(0.5, 0.01), (1.0 / 3.0, 0.01), (0.0, 0.04), (1.0, 0.06), (3.0, 0.08)].iter().enumerate()
    {
        let mean = (0..64).map(|t| at(5 * t + n as u32)).sum::<f32>() / 64.0;
        assert!((mean - wanted).abs() < *within, "moment {n}: {mean}");
    }
}
