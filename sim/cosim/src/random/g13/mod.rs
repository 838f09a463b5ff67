//! Random programs of G13.
//!
//! As those of Fermi: instructions of random fields are taken where their micro-operations compute in data
//! registers; addresses are registers and uniforms set up at the start and data masked into a region.
//! Lanes part by the counter in r0l alone. Where chips are to run them, programs have no private memory and jump back
//! from what they call, for the link register is not read.

mod flow;
mod form;
pub mod implemented;
mod memory;
mod state;
mod words;

use super::state::Limits;
use super::{shape, value};
use implemented::{is_plain, lowered};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use state::{reserved, Gen, Layout, FIRST, OWN, READ_ONLY};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::InstructionSet;
use warpsmith_isa::table::OpFamily;
use warpsmith_isa::{FloatType, IntType, SfuFn};
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::Launch;

/// Instructions of a SIMD-group at least.
const LEAST: u32 = 320;

/// The program of a seed: about `size` instructions executed over all SIMD-groups.
pub fn generate(seed: u64, limits: &Limits, size: u32) -> Launch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let layout = draw_layout(&mut rng, limits, size / LEAST);
    let groups = f64::from(layout.groups() * layout.grid[0] * layout.grid[1]);
    let mut gen = Gen {
        rng,
        limits,
        layout,
        code: Default::default(),
        plain: vec![],
        floats: vec![],
        recent: [FIRST; 4],
        wanted: vec![],
        turn: 0,
        functions: vec![],
        calls: vec![],
        cost: 0.0,
        aim: f64::from(size) / groups,
    };
    (gen.plain, gen.floats) = rows(limits.chip);
    gen.prologue();
    gen.main();
    gen.functions_out();
    gen.calls_out();
    let Gen { code, layout, mut rng, .. } = gen;
    let mut launch = Launch {
        file: format!("random-{seed}.toml").into(),
        name: format!("random-{seed}"),
        program_file: format!("random-{seed}.hex").into(),
        ..Launch::from_code(warpsmith_isa::Isa::G13, code.finish())
    };
    launch.grid = layout.grid;
    launch.block = layout.block;
    launch.registers = layout.registers() as u32;
    launch.shared_bytes = layout.exchange_base + 4 * layout.threads();
    launch.local_bytes = layout.local;
    let word = |rng: &mut ChaCha8Rng| match rng.gen_bool(0.6) {
        true => value::float(rng),
        false => value::integer(rng),
    };
    launch.params = (0..layout.params).map(|_| word(&mut rng)).collect();
    launch.params[0] = layout.read_only;
    // The pair behind is 0.
    launch.params[1..4].fill(0);
    launch.global_bytes = u64::from(layout.read_only + READ_ONLY);
    let words = (layout.read_only + READ_ONLY) / 4;
    let mut global: Vec<u8> = (0..words).flat_map(|_| word(&mut rng).to_le_bytes()).collect();
    for group in global.chunks_exact_mut(16) {
        if rng.gen_bool(0.8) {
            let kind = KINDS[rng.gen_range(0..KINDS.len())];
            let words = value::together(&mut rng, kind);
            for (to, from) in group.chunks_exact_mut(4).zip(words) {
                to.copy_from_slice(&from.to_le_bytes());
            }
        }
    }
    launch.globals = vec![GlobalSection { offset: 0, bytes: global, max_ulp: None, floats: false, line: None }];
    launch
}

/// Operations whose cases words of memory make.
const KINDS: [OpFamily; 8] = [
    OpFamily::FAdd,
    OpFamily::FAdd,
    OpFamily::FMul,
    OpFamily::FMad,
    OpFamily::FMin,
    OpFamily::Sfu(SfuFn::Rcp),
    OpFamily::F2I(IntType::S32, FloatType::F32),
    OpFamily::F2F(FloatType::F16, FloatType::F32, false),
];

/// Rows for straight-line code, and the float ones among them; `chip`: on chips.
fn rows(chip: bool) -> (Vec<usize>, Vec<usize>) {
    let sample = |row: &usize| lowered(&G13.sample(*row)?, chip);
    let plain = |row: &usize| sample(row).is_some_and(|l| is_plain(&l));
    let float = |row: &usize| sample(row).is_some_and(|l| l.uops.iter().any(|u| u.ty.is_float()));
    let plain: Vec<usize> = (0..TABLE.forms().len()).filter(plain).collect();
    let floats = plain.iter().copied().filter(float).collect();
    (plain, floats)
}

/// Sizes for at most `groups` SIMD-groups.
fn draw_layout(rng: &mut ChaCha8Rng, limits: &Limits, groups: u32) -> Layout {
    let pool = rng.gen_range(8..=20u64);
    // Two more hold a thread's indices.
    let registers = (FIRST + pool + reserved::COUNT) as u32 + 2;
    let (block, grid) = shape::draw(rng, limits, registers, groups);
    let threads: u32 = block.iter().product();
    let region = 128 << rng.gen_range(0..2u32);
    let params = rng.gen_range(4..=64);
    let local = 16 * rng.gen_range(4..9u32);
    Layout {
        block,
        grid,
        pool,
        region,
        exchange_base: threads.div_ceil(32) * region,
        // Chips have no private memory.
        local: if limits.chip { 0 } else { local },
        params,
        read_only: OWN * threads * grid[0] * grid[1],
        above: OWN * rng.gen_range(0..128u32),
    }
}

#[cfg(test)]
mod tests;
