//! Random machine functions, before and after allocation and layout.

mod random;

use super::*;
use crate::alloc::{allocate_with, Limits};
use crate::flow::joins;
use crate::mir::{eval, verify};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use random::Shape;
use std::collections::HashMap;
use warpsmith_model::{Launch, Machine, ModelConfig};

/// Entries of the divergence stack, as of the chip with the fewest that is named.
const DEEP: u32 = 16;
/// As few as a chip can have.
const FLAT: u32 = 4;

/// Threads of the one block.
const THREADS: u32 = 40;

#[derive(Debug, Default)]
struct Outcome {
    registers: u32,
    spilled: u32,
    depth: u32,
    seen: u32,
}

/// Compiles the function and compares the memory all threads leave with that of the evaluation.
fn check(f: &Function, limits: Limits, stack: u32) -> Result<Outcome, String> {
    verify::verify(f).map_err(|e| format!("generated: {e}"))?;
    let mut want = eval::Memory { shared: random::shared(), ..eval::Memory::default() };
    for t in 0..THREADS {
        want.shared = random::shared();
        eval::run(f, t, &mut want, 20_000)?;
    }
    let mut most = stack;
    let (g, places, code) = loop {
        let mut g = f.clone();
        let places = allocate_with(&mut g, limits, most).map_err(|e| e.to_string())?;
        let j = joins(&g);
        j.check(&g)?;
        let code = write(&g, &places, &j).map_err(|e| e.to_string())?;
        if code.stack_depth <= stack || most == 0 {
            break (g, places, code);
        }
        most -= 1;
    };
    check::stack(&code.words)?;
    if code.stack_depth > stack {
        return Err(format!("stack {} deep", code.stack_depth));
    }
    let got = execute(&g, &places, &code)?;
    let mut all: Vec<u32> = want.global.keys().copied().collect();
    all.sort_unstable();
    for a in all {
        let (w, found) = (want.global[&a], got.0.get(&a).copied().unwrap_or(0));
        if w != found {
            return Err(format!("at {a:#x}: {found:#x}, not {w:#x}"));
        }
    }
    if got.1 > code.stack_depth {
        return Err(format!("stack {} deep, said {}", got.1, code.stack_depth));
    }
    Ok(Outcome { registers: places.registers, spilled: places.spilled_words, depth: code.stack_depth, seen: got.1 })
}

/// Words of global memory that are not 0, and the deepest stack seen.
fn execute(f: &Function, places: &Assignment, code: &Code) -> Result<(HashMap<u32, u32>, u32), String> {
    let mut launch = Launch::from_words("random", code.words.clone());
    launch.block = [THREADS, 1, 1];
    launch.registers = places.registers;
    launch.shared_bytes = random::shared().len() as u32;
    launch.params = random::PARAMS.to_vec();
    launch.local_bytes = f.local_bytes.next_multiple_of(16);
    launch.global_bytes = 1 << 20;
    let bytes: Vec<u8> = code.literals.iter().flat_map(|w| w.to_le_bytes()).collect();
    if !bytes.is_empty() {
        launch.constants.push(warpsmith_model::launch::ConstantSection::new(1, 0, bytes));
    }
    let config = ModelConfig { stack_depth: 64, ..ModelConfig::default() };
    let mut m = Machine::new(&launch, config);
    let id = m.start_block([0, 0]);
    let mut deepest = 0;
    let mut retired = warpsmith_model::Retired::default();
    let warps = launch.warps_per_block();
    for w in 0..warps {
        for step in 0.. {
            if m.warp(id, w).is_none_or(|w| w.control.is_finished()) {
                break;
            }
            m.step(id, w, &mut retired).map_err(|e| format!("{e:?}"))?;
            deepest = deepest.max(retired.stack_depth);
            if let Some(t) = m.trap() {
                return Err(format!("{t:?}"));
            }
            if step > 2_000_000 {
                return Err("the warp does not end".into());
            }
        }
    }
    let mut memory = HashMap::new();
    for (at, page) in m.global().pages() {
        for (i, w) in page.chunks_exact(4).enumerate() {
            let v = u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
            if v != 0 {
                memory.insert(at + 4 * i as u32, v);
            }
        }
    }
    Ok((memory, deepest))
}

fn seeds(from: u64, n: u64, shape: Shape, limits: Limits) {
    seeds_within(from, n, shape, limits, DEEP);
}

fn seeds_within(from: u64, n: u64, shape: Shape, limits: Limits, stack: u32) {
    let mut sum = Outcome::default();
    for seed in from..from + n {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let f = random::function(&mut rng, shape);
        match check(&f, limits, stack) {
            Err(e) => panic!("seed {seed}, {shape:?}, {limits:?}, stack {stack}: {e}\n{f}"),
            Ok(o) => {
                sum.registers = sum.registers.max(o.registers);
                sum.spilled += o.spilled;
                sum.depth = sum.depth.max(o.depth);
                sum.seen = sum.seen.max(o.seen);
            }
        }
    }
    println!("{n} of {shape:?}, {limits:?}, stack {stack}: {sum:?}");
}

const WIDE: Limits = Limits { gprs: 124, addrs: 7, flags: 4 };

#[test]
fn straight_code() {
    let shape = Shape { blocks: 1, insts: 30, words: 12 };
    seeds(0, 100, shape, WIDE);
    seeds(100, 60, shape, Limits { gprs: 16, ..WIDE });
    seeds(200, 60, shape, Limits { gprs: 8, addrs: 1, flags: 2 });
}

#[test]
fn branches_and_loops() {
    let shape = Shape { blocks: 12, insts: 4, words: 8 };
    seeds(1000, 150, shape, WIDE);
    seeds(2000, 60, shape, Limits { gprs: 10, ..WIDE });
}

/// Control flow of any depth fits the shallowest stack.
#[test]
fn blocks_in_a_row() {
    let shape = |blocks| Shape { blocks, insts: 4, words: 8 };
    seeds_within(4000, 60, shape(12), WIDE, FLAT);
    seeds_within(5000, 30, shape(40), WIDE, FLAT);
    let few = Limits { gprs: 10, addrs: 1, flags: 2 };
    seeds_within(6000, 30, shape(20), few, FLAT);
    // The whole function.
    seeds_within(7000, 60, shape(16), WIDE, 2);
}

#[test]
#[ignore = "long"]
fn soak() {
    let env = |n: &str, d: u64| std::env::var(n).ok().and_then(|s| s.parse().ok()).unwrap_or(d);
    let (from, n) = (env("FROM", 0), env("COUNT", 200));
    for (k, blocks) in [3u32, 8, 20, 50].into_iter().enumerate() {
        for (insts, words, limits) in
            [(4, 8, WIDE), (3, 30, Limits { gprs: 16, ..WIDE }), (8, 20, Limits { gprs: 8, addrs: 1, flags: 2 })]
        {
            let shape = Shape { blocks, insts, words };
            for stack in [DEEP, FLAT] {
                seeds_within(from + 10_000 * k as u64, n, shape, limits, stack);
            }
        }
    }
}

/// More constants than operands can name.
#[test]
fn many_constants() {
    let shape = Shape { blocks: 1, insts: 400, words: 30 };
    seeds(3000, 3, shape, WIDE);
    let shape = Shape { blocks: 1, insts: 1500, words: 100 };
    seeds(3100, 1, shape, WIDE);
}

/// Numbers of blocks are constants beside those.
#[test]
fn many_constants_in_a_row_of_blocks() {
    let shape = Shape { blocks: 90, insts: 12, words: 80 };
    seeds_within(8000, 2, shape, WIDE, 2);
}
