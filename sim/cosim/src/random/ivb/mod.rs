//! Random programs of Ivy Bridge.
//!
//! Instructions of random fields are taken where chips execute them and their channels compute in data registers, all of
//! which have a value in each of 16 channels from the beginning; addresses come from the number of the channel and from
//! data masked into a region. Channels part by flags alone. A thread has 8 or 16 work-items.

mod flow;
mod form;
pub mod implemented;
mod memory;
mod state;
mod words;

pub(super) use state::State;

use super::data::{global, random_bytes, random_words, OPERATIONS};
use super::limits::Limits;
use super::shape::{self, Shape};
use super::skeleton::{Program, Set};
use super::words::Code;
use implemented::is_straight;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use state::{Gen, Layout, CHANNELS, OWN, READ_ONLY};
use warpsmith_isa::ivb::{self, table::OPS};
use warpsmith_isa::Isa;
use warpsmith_model::Launch;

/// Instructions of a thread at least.
const LEAST: u32 = 300;
/// 32-bit registers that a chip holds for a thread.
const REGISTERS: u32 = (ivb::DWORDS * ivb::REGISTERS as usize) as u32;

impl Set for State {
    type Layout = Layout;
    type Code = Code;
    type Register = u64;
    const BYTES: [u32; 2] = [640, 0];

    fn start(mut rng: ChaCha8Rng, limits: &Limits, size: u32) -> Gen<'_> {
        let sizes = draw_layout(&mut rng, limits, size / LEAST);
        let (plain, floats) = rows();
        let recent = [sizes.1.first(); 4];
        let mut g = Gen::new(rng, limits, size, sizes, [plain, floats, vec![]], recent, State::default());
        g.own.exit = Some(g.code.label());
        g
    }

    fn prologue(g: &mut Gen) {
        g.initialise();
    }

    fn epilogue(g: &mut Gen) {
        if let Some(exit) = g.own.exit {
            g.code.place(exit);
        }
        g.store_registers();
        g.end();
    }

    fn append(g: &mut Gen, row: usize) {
        if let Some(instr) = g.instruction(row) {
            g.put_instr(&instr);
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
        g.message();
    }

    fn meet(g: &mut Gen) {
        if g.rng.gen_bool(0.12) && !g.full() {
            g.exchange();
        }
    }

    fn finish(g: Gen) -> Launch {
        let Gen { code, shape, layout, mut rng, .. } = g;
        let mut params = random_words(&mut rng, true, layout.params);
        for (n, word) in params.iter_mut().take(CHANNELS as usize / 2).enumerate() {
            let first = 2 * n as u32;
            *word = (first + 1) << 16 | first;
        }
        let bytes = layout.read_only + READ_ONLY;
        Launch {
            simd: layout.simd,
            params,
            shared_bytes: layout.exchange_base + 4 * CHANNELS * shape.warps(),
            global_bytes: bytes.into(),
            globals: global(random_bytes(&mut rng, bytes, &OPERATIONS)),
            ..Launch::from_code(Isa::Ivb, code.finish())
        }
    }
}

/// Rows for straight-line code, and the float ones among them.
fn rows() -> (Vec<usize>, Vec<usize>) {
    let plain: Vec<usize> = (0..OPS.len()).filter(|row| is_straight(&OPS[*row])).collect();
    let floats = plain.iter().copied().filter(|r| OPS[*r].sources.split(' ').any(|t| t == "F")).collect();
    (plain, floats)
}

/// Sizes for at most `threads` threads.
fn draw_layout(rng: &mut ChaCha8Rng, limits: &Limits, threads: u32) -> (Shape, Layout) {
    let simd = if rng.gen_bool(0.6) { 16 } else { 8 };
    let shape = shape::draw_of(rng, limits, simd, REGISTERS, threads);
    let region = 256 << rng.gen_range(0..2u32);
    let layout = Layout {
        simd,
        pool: 2 * rng.gen_range(10..=20u64),
        region,
        exchange_base: shape.warps() * region,
        params: 8 * rng.gen_range(1..=6u32),
        read_only: OWN * CHANNELS * shape.warps() * shape.blocks(),
    };
    (shape, layout)
}

#[cfg(test)]
mod tests;
