//! Random programs of G13.
//!
//! As those of Fermi: instructions of random fields are taken where their micro-operations compute in data
//! registers; addresses are registers and uniforms set up at the start and data masked into a region.
//! Lanes part by the counter in r0l alone.

mod flow;
mod form;
pub mod implemented;
mod memory;
mod state;
mod words;

pub(super) use state::State;

use super::data::{global, random_bytes, random_words, OPERATIONS};
use super::limits::Limits;
use super::shape;
use super::skeleton::Set;
use super::words::Code;
use implemented::{is_plain, lowered};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use shape::Shape;
use state::{reserved, Gen, Layout, FIRST, OWN, READ_ONLY, UNIFORMS};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::InstructionSet;
use warpsmith_model::Launch;
use words::Word;

/// Instructions of a SIMD-group at least.
const LEAST: u32 = 320;

impl Set for State {
    type Layout = Layout;
    type Code = Code;
    type Register = u64;
    const BYTES: [u32; 2] = [480, 260];

    fn start(mut rng: ChaCha8Rng, limits: &Limits, size: u32) -> Gen<'_> {
        let (shape, mut layout) = draw_layout(&mut rng, limits, size / LEAST);
        if limits.options.atomics {
            // From one word, which all threads want, to more than a line of the memory port.
            layout.atomics.1 = 4 << rng.gen_range(0..6u32);
        }
        let (plain, floats) = rows(limits);
        Gen::new(
            rng,
            limits,
            size,
            (shape, layout),
            [plain, floats, vec![]],
            [FIRST; 4],
            State { uniform: UNIFORMS.start },
        )
    }

    fn prologue(g: &mut Gen) {
        g.initialise();
    }

    fn epilogue(g: &mut Gen) {
        g.store_registers();
        g.put(Word::of("stop"));
    }

    fn append(g: &mut Gen, row: usize) {
        if let Some(w) = g.instruction(row) {
            g.put(w);
        }
    }

    fn refresh(g: &mut Gen, _: usize) -> Vec<usize> {
        if !g.rng.gen_bool(0.35) {
            return vec![];
        }
        g.load_together();
        (0..2).map(|_| g.floats[g.rng.gen_range(0..g.floats.len())]).collect()
    }

    fn access(g: &mut Gen) {
        g.memory_access();
    }

    fn meet(g: &mut Gen) {
        if g.rng.gen_bool(0.1) && !g.full() {
            g.store_uniform();
        }
        if g.rng.gen_bool(0.12) && !g.full() {
            g.exchange();
        }
    }

    fn finish(g: Gen) -> Launch {
        let Gen { code, shape, layout, mut rng, .. } = g;
        let mut params = random_words(&mut rng, true, layout.params);
        // The pair behind is 0.
        params[..4].copy_from_slice(&[layout.read_only, 0, 0, 0]);
        let bytes = layout.atomics.0 + layout.atomics.1;
        Launch {
            registers: layout.registers() as u32,
            params,
            shared_bytes: layout.exchange_base + 4 * shape.threads(),
            local_bytes: layout.local,
            global_bytes: bytes.into(),
            globals: global(random_bytes(&mut rng, bytes, &OPERATIONS)),
            ..Launch::from_code(warpsmith_isa::Isa::G13, code.finish())
        }
    }
}

/// Rows for straight-line code within these limits, and the float ones among them.
fn rows(limits: &Limits) -> (Vec<usize>, Vec<usize>) {
    let sample = |row: &usize| lowered(&G13.sample(*row)?, limits);
    let plain = |row: &usize| sample(row).is_some_and(|l| is_plain(&l));
    let float = |row: &usize| sample(row).is_some_and(|l| l.uops.iter().any(|u| u.ty.is_float()));
    let plain: Vec<usize> = (0..TABLE.forms().len()).filter(plain).collect();
    let floats = plain.iter().copied().filter(float).collect();
    (plain, floats)
}

/// Sizes for at most `groups` SIMD-groups.
fn draw_layout(rng: &mut ChaCha8Rng, limits: &Limits, groups: u32) -> (Shape, Layout) {
    let pool = rng.gen_range(8..=20u64);
    // Two more hold a thread's indices.
    let registers = (FIRST + pool + reserved::COUNT) as u32 + 2;
    let shape = shape::draw(rng, limits, registers, groups);
    let region = 128 << rng.gen_range(0..2u32);
    let params = rng.gen_range(4..=64);
    let local = 16 * rng.gen_range(4..9u32);
    let read_only = OWN * shape.threads() * shape.blocks();
    let layout = Layout {
        pool,
        region,
        exchange_base: shape.warps() * region,
        local,
        params,
        read_only,
        atomics: (read_only + READ_ONLY, 0),
        above: OWN * rng.gen_range(0..128u32),
    };
    (shape, layout)
}

#[cfg(test)]
mod tests;
