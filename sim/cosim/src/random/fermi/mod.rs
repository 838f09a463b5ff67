//! Random programs of Fermi.
//!
//! As those of SM 1.0: pieces of straight-line code inside random structured control flow, threads that
//! write only memory of their own, warps that write only their own part of shared memory. Rows,
//! modifiers and operands are drawn from the table of the set, and an instruction is taken where its
//! micro-operations are among those that a chip executes. Addresses are registers set up at the start and
//! data masked into a region; four words that make a case of some rule when they meet are loaded, other words
//! in each thread, in front of float instructions.

mod flow;
mod form;
pub mod implemented;
mod memory;
mod prologue;
mod state;
mod words;

use super::state::Limits;
use super::{shape, value};
use implemented::{is_float, is_plain};
use prologue::MIXED;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use state::{reserved, Gen, Layout};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::table::OpFamily;
use warpsmith_isa::{FloatType, IntType, SfuFn};
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::Launch;

/// Instructions of a warp at least; the beginning takes a part of them.
const LEAST: u32 = 320;
/// Byte of bank 0 where the parameters begin.
const PARAMETERS: u32 = 0x20;
/// Bytes of bank 1, whose last word is the size of local memory.
const BANK_1: u32 = 0x104;

/// The program of a seed: about `size` warp instructions executed over all warps.
pub fn generate(seed: u64, limits: &Limits, size: u32) -> Launch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let layout = draw_layout(&mut rng, limits, size / LEAST);
    let warps = f64::from(layout.warps() * layout.grid[0] * layout.grid[1]);
    let rows = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..TABLE.forms().len()).filter(|r| is_plain(*r) && keep(*r)).collect()
    };
    let sum = |r: usize| {
        let mnemonic = TABLE.forms()[r].mnemonic;
        ["FADD", "FMUL", "FFMA"].iter().any(|m| mnemonic.starts_with(m))
    };
    let mut gen = Gen {
        rng,
        limits,
        layout,
        code: Default::default(),
        plain: rows(&|_| true),
        floats: rows(&is_float),
        arithmetic: rows(&sum),
        recent: [0, 1, 2, 3],
        wanted: vec![],
        turn: 0,
        mixed: MIXED,
        counts: implemented::counted_barriers(),
        counted: false,
        exited: false,
        functions: vec![],
        cost: 0.0,
        aim: f64::from(size) / warps,
    };
    gen.prologue();
    gen.main();
    gen.functions_out();
    let Gen { code, layout, mut rng, .. } = gen;
    let mut launch = Launch {
        file: format!("random-{seed}.toml").into(),
        name: format!("random-{seed}"),
        program_file: format!("random-{seed}.hex").into(),
        ..Launch::from_code(warpsmith_isa::Isa::Fermi, code.finish())
    };
    launch.grid = layout.grid;
    launch.block = layout.block;
    launch.registers = layout.registers() as u32;
    launch.shared_bytes = layout.exchange_base + 4 * layout.threads();
    launch.local_bytes = layout.local;
    launch.params = (0..layout.params).map(|_| word(&mut rng)).collect();
    let mut bytes = |n: u32| -> Vec<u8> { (0..n / 4).flat_map(|_| word(&mut rng).to_le_bytes()).collect() };
    let banks = layout.banks.iter().filter(|b| b.0 > 0);
    launch.constants = banks
        .map(|&(bank, n)| ConstantSection {
            bank: bank as u8,
            offset: 0,
            // The machine writes the last word of bank 1.
            bytes: bytes(if bank == 1 { n - 4 } else { n }),
            reserved: false,
            line: None,
        })
        .collect();
    let (start, length) = layout.read_only;
    launch.global_bytes = u64::from(start + length);
    let mut global = bytes(start + length);
    for group in global.chunks_exact_mut(16) {
        if rng.gen_bool(0.8) {
            let words = meeting(&mut rng);
            for (to, from) in group.chunks_exact_mut(4).zip(words) {
                to.copy_from_slice(&from.to_le_bytes());
            }
        }
    }
    launch.globals = vec![GlobalSection { offset: 0, bytes: global, max_ulp: None, floats: false, line: None }];
    launch
}

/// A word of memory: a float more often than an integer.
fn word(rng: &mut ChaCha8Rng) -> u32 {
    match rng.gen_bool(0.6) {
        true => value::float(rng),
        false => value::integer(rng),
    }
}

/// Words that make a case of some rule when they meet.
fn meeting(rng: &mut ChaCha8Rng) -> [u32; 3] {
    const KINDS: [OpFamily; 10] = [
        OpFamily::FAdd,
        OpFamily::FAdd,
        OpFamily::FMul,
        OpFamily::FMad,
        OpFamily::FMad,
        OpFamily::FMin,
        OpFamily::Sfu(SfuFn::Ex2),
        OpFamily::Sfu(SfuFn::Rcp),
        OpFamily::F2I(IntType::S32, FloatType::F32),
        OpFamily::F2F(FloatType::F16, FloatType::F32, false),
    ];
    let kind = KINDS[rng.gen_range(0..KINDS.len())];
    value::together(rng, kind)
}

/// Sizes for at most `warps` warps.
fn draw_layout(rng: &mut ChaCha8Rng, limits: &Limits, warps: u32) -> Layout {
    let pool = 4 * rng.gen_range(2..=5u64);
    // Two more hold a thread's indices.
    let registers = (pool + reserved::COUNT) as u32 + 2;
    let (block, grid) = shape::draw(rng, limits, registers, warps);
    let threads: u32 = block.iter().product();
    let warps = threads.div_ceil(32);
    // The header of a block lies in front of its memory.
    let room = (limits.shared_bytes - 16 - 4 * threads) / warps;
    let full = threads % 32 == 0;
    let warp_shared = match full {
        true => *[256, 512, 1024].iter().rev().find(|&&w| w <= room && rng.gen_bool(0.6)).unwrap_or(&256),
        false => 128,
    };
    let shared_home = loop {
        let (mask, shift) = ((1u32 << rng.gen_range(0..6)) - 1, rng.gen_range(4..9u32));
        if mask << shift <= warp_shared / 2 {
            break (mask, shift);
        }
    };
    let bank_bytes = (limits.constant_bytes / 8).clamp(64, 512);
    let params = rng.gen_range(1..=(bank_bytes - PARAMETERS) / 4);
    let mut banks = vec![(0, PARAMETERS + 4 * params), (1, BANK_1)];
    for _ in 0..rng.gen_range(0..3) {
        let b = rng.gen_range(2..16u64);
        if banks.iter().all(|x| x.0 != b) {
            banks.push((b, bank_bytes.min(64 * rng.gen_range(1..4u32))));
        }
    }
    let slots = rng.gen_range(2..5u32);
    let all = threads * grid[0] * grid[1];
    let (thread_stride, slot_stride) = match rng.gen() {
        true => (16 * slots, 16),
        false => (16, 16 * all),
    };
    let mut above = |most: u32| match rng.gen_bool(0.5) {
        true => 0,
        false => 16 * rng.gen_range(1..most / 16),
    };
    let above = [above(0x8000_0000), above(0x80_0000), above(0x80_0000), above(0x8000)];
    Layout {
        block,
        grid,
        pool,
        warp_shared,
        shared_home,
        exchange_base: warps * warp_shared,
        banks,
        params,
        local: 16 * rng.gen_range(4..9u32),
        slots,
        thread_stride,
        slot_stride,
        read_only: (16 * slots * all, 1024 << rng.gen_range(0..3u32)),
        above,
    }
}

#[cfg(test)]
mod tests;
