//! Random programs: seeded, and constrained so that they end, never trap and have one result.
//!
//! A program initialises its registers, flags, pointers and memories, then runs straight-line pieces
//! inside random structured control flow, and stores its registers at the end. Threads write only
//! memory of their own; between barriers a warp writes only its own part of shared memory.
//!
//! On a chip with float instructions memories, parameters and immediates hold floats too, and every
//! data register has an age: the operations since a fresh value. Float operands come from young
//! registers, because chained results soon are NaN, infinity or zero.

mod code;
pub mod fermi;
mod float;
mod flow;
mod form;
pub mod g13;
mod prologue;
mod shape;
mod state;
pub mod tier;
mod value;
mod write;

pub use state::Limits;
pub use write::write_launch;

use code::Code;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use state::{reserved, Gen, Layout, Operands, Pointer, Points};
use tier::implemented;
use warpsmith_isa::table::{Class, OpFamily};
use warpsmith_isa::{Isa, FORMS};
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::Launch;

/// A launch with one short instruction and no memory, to be filled in.
pub fn empty_launch(name: &str) -> Launch {
    Launch {
        file: format!("{name}.toml").into(),
        program_file: format!("{name}.hex").into(),
        block: [1, 1, 1],
        registers: 1,
        ..Launch::from_words(name, vec![0x1000_8000])
    }
}

/// The program of a seed: about `size` warp instructions executed over all warps.
pub fn generate(seed: u64, limits: &Limits, size: u32) -> Launch {
    match limits.isa {
        Isa::Fermi => fermi::generate(seed, limits, size),
        Isa::G13 => g13::generate(seed, limits, size),
        _ => generate_sm10(seed, limits, size),
    }
}

fn generate_sm10(seed: u64, limits: &Limits, size: u32) -> Launch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let of = |keep: fn(OpFamily) -> bool| -> Vec<usize> {
        (0..FORMS.len()).filter(|&f| implemented(f as u8, limits.tier) && keep(FORMS[f].kind)).collect()
    };
    let plain = of(form::is_plain);
    let float_rows: Vec<usize> =
        of(OpFamily::is_float).into_iter().flat_map(|f| std::iter::repeat_n(f, float::weight(FORMS[f].kind))).collect();
    let arithmetic = of(|k| matches!(k, OpFamily::FAdd | OpFamily::FMul | OpFamily::FMad));
    let floats = !float_rows.is_empty();
    // Instructions of a warp at least. The beginning takes half of the smaller number, and floats
    // need more of the rest.
    let least = if floats { 320 } else { 160 };
    let mut layout = draw_layout(&mut rng, limits, size / least);
    if floats {
        layout.read_only.1 *= 4;
    }
    let warps = f64::from(layout.threads().div_ceil(32) * layout.grid[0] * layout.grid[1]);
    let markable = plain.iter().copied().filter(|&f| FORMS[f].class == Class::Long).collect();
    let free = Pointer { points: Points::Free, low: 0, high: 0, home: (0, 0) };
    let mut gen = Gen {
        rng,
        limits,
        layout,
        code: Code::default(),
        pointers: [free; 8],
        recent: [0, 1, 2, 3],
        float_rows,
        arithmetic,
        ages: [float::OLD; 32],
        wanted: vec![],
        turn: 0,
        reduced: None,
        operands: Operands::Any,
        count_immediate: false,
        arrived: 0,
        plain,
        markable,
        functions: vec![],
        cost: 0.0,
        aim: f64::from(size) / warps,
    };
    gen.prologue();
    gen.main();
    gen.functions_out();
    gen.code.align();
    let Gen { code, layout: l, mut rng, float_rows, arithmetic, .. } = gen;
    let mut launch = empty_launch(&format!("random-{seed}"));
    launch.program = code.finish().into();
    launch.grid = l.grid;
    launch.block = l.block;
    launch.registers = l.registers.into();
    let mut word = || match floats && rng.gen_bool(0.7) {
        true => value::float(&mut rng),
        false => rng.gen(),
    };
    launch.params = (0..(l.header - 16) / 4).map(|_| word()).collect();
    launch.shared_bytes = l.exchange_base + 4 * l.threads();
    launch.local_bytes = l.local;
    launch.global_bytes = u64::from(l.read_only.0 + l.read_only.1);
    let mut bytes = |n: u32| -> Vec<u8> { (0..n / 4).flat_map(|_| word().to_le_bytes()).collect() };
    launch.constants = l
        .banks
        .iter()
        .map(|&(bank, n)| ConstantSection { bank, offset: 0, bytes: bytes(n), reserved: false, line: None })
        .collect();
    let mut global = bytes(l.read_only.0 + l.read_only.1);
    for group in global.chunks_exact_mut(16) {
        if floats && rng.gen_bool(0.8) {
            let rows = match rng.gen_bool(0.3) && !arithmetic.is_empty() {
                true => &arithmetic,
                false => &float_rows,
            };
            let kind = FORMS[rows[rng.gen_range(0..rows.len())]].kind;
            let words = value::together(&mut rng, kind);
            for (to, from) in group.chunks_exact_mut(4).zip(words) {
                to.copy_from_slice(&from.to_le_bytes());
            }
        }
    }
    launch.globals = vec![GlobalSection { offset: 0, bytes: global, max_ulp: None, floats: false, line: None }];
    launch
}

/// Sizes for at most `warps` warps.
fn draw_layout(rng: &mut ChaCha8Rng, limits: &Limits, warps: u32) -> Layout {
    let pool = rng.gen_range(8..=18u8);
    let registers = pool + reserved::COUNT;
    let (block, grid) = shape::draw(rng, limits, registers.into(), warps);
    let threads: u32 = block.iter().product();
    let full = threads % 32 == 0;
    let header = 16 + 4 * rng.gen_range(0..12u32);
    let warps = threads.div_ceil(32);
    let room = (limits.shared_bytes - header.next_multiple_of(16) - 4 * threads) / warps;
    let warp_shared = if full {
        *[256, 512, 1024].iter().rev().find(|&&w| w <= room && rng.gen_bool(0.6)).unwrap_or(&256)
    } else {
        128
    };
    let shared_base = header.next_multiple_of(16);
    // Mask and shift of the shared pointer: at most half of the region.
    let shared_home = loop {
        let (mask, shift) = ((1u32 << rng.gen_range(0..6)) - 1, rng.gen_range(2..9u32));
        if mask << shift <= warp_shared / 2 {
            break (mask, shift);
        }
    };
    // Room for three other banks beside the two that short words reach.
    let bank_bytes = (limits.constant_bytes / 8).clamp(64, 512);
    let mut banks = vec![(0, bank_bytes), (1, bank_bytes)];
    for _ in 0..rng.gen_range(0..3) {
        let b = rng.gen_range(2..16);
        if !banks.iter().any(|x| x.0 == b) {
            banks.push((b, bank_bytes.min(64 * rng.gen_range(1..4u32))));
        }
    }
    let slots = rng.gen_range(2..5u32);
    let all = threads * grid[0] * grid[1];
    let (thread_stride, slot_stride) = if rng.gen() { (16 * slots, 16) } else { (16, 16 * all) };
    Layout {
        block,
        grid,
        registers,
        pool,
        header,
        warp_shared,
        shared_base,
        shared_home,
        exchange_base: shared_base + warps * warp_shared,
        banks,
        constant_home: [0, 3, 7][rng.gen_range(0..3)],
        local: 16 * rng.gen_range(4..9u32),
        slots,
        thread_stride,
        slot_stride,
        read_only: (16 * slots * all, 64 << rng.gen_range(0..5u32)),
    }
}

#[cfg(test)]
mod tests;
