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

pub(super) use state::State;

use super::data::{constant, global, random_bytes, random_words, OPERATIONS};
use super::double;
use super::limits::Limits;
use super::shape;
use super::skeleton::Set;
use super::words::Code;
use implemented::{is_atomic, is_float, is_of_doubles, is_plain};
use prologue::MIXED;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use shape::{Shape, Slots};
use state::{reserved, Gen, Layout};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_model::Launch;
use words::Word;

/// Instructions of a warp at least; the beginning takes a part of them.
const LEAST: u32 = 320;
/// Byte of bank 0 where the parameters begin.
const PARAMETERS: u32 = 0x20;
/// Bytes of bank 1, whose last word is the size of local memory.
const BANK_1: u32 = 0x104;

impl Set for State {
    type Layout = Layout;
    type Code = Code;
    type Register = u64;
    const BYTES: [u32; 2] = [440, 240];

    fn start(mut rng: ChaCha8Rng, limits: &Limits, size: u32) -> Gen<'_> {
        let (shape, mut layout) = draw_layout(&mut rng, limits, size / LEAST);
        let options = limits.options;
        let all = 0..TABLE.forms().len();
        let atomics: Vec<usize> = all.filter(|r| is_atomic(*r) && implemented::implemented(*r, options)).collect();
        if !atomics.is_empty() {
            // From one word, which all threads want, to more than a line of the memory port.
            layout.atomics.1 = 4 << rng.gen_range(0..6u32);
        }
        let rows = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..TABLE.forms().len()).filter(|r| is_plain(*r, options) && keep(*r)).collect()
        };
        let sum = |r: usize| {
            let mnemonic = TABLE.forms()[r].mnemonic;
            ["FADD", "FMUL", "FFMA"].iter().any(|m| mnemonic.starts_with(m))
        };
        let doubles = rows(&is_of_doubles);
        let rows = [rows(&|_| true), rows(&is_float), rows(&sum)];
        let counts = implemented::counted_barriers(options);
        let own = State { mixed: MIXED, counts, counted: false, exited: false, doubles, atomics };
        Gen::new(rng, limits, size, (shape, layout), rows, [0, 1, 2, 3], own)
    }

    fn prologue(g: &mut Gen) {
        g.initialise();
    }

    fn epilogue(g: &mut Gen) {
        g.store_registers();
        match g.rng.gen_range(0..4) {
            // A return at top level ends the threads, and so does `.S`.
            0 => g.put(Word::of("RET")),
            1 => g.join(),
            2 => {
                let guard = g.divergent_guard();
                g.put(Word::of("EXIT").guard(guard));
                g.put(Word::of("EXIT"));
            }
            _ => g.put(Word::of("EXIT")),
        }
    }

    fn append(g: &mut Gen, row: usize) {
        if let Some(w) = g.instruction(row) {
            g.put(w);
        }
    }

    fn refresh(g: &mut Gen, row: usize) -> Vec<usize> {
        if !g.rng.gen_bool(0.35) {
            return vec![];
        }
        if is_of_doubles(row) {
            g.load_doubles();
            return (0..2).map(|_| g.own.doubles[g.rng.gen_range(0..g.own.doubles.len())]).collect();
        }
        g.load_together();
        (0..2).map(|_| g.floats[g.rng.gen_range(0..g.floats.len())]).collect()
    }

    fn access(g: &mut Gen) {
        let w = g.memory_access();
        g.put(w);
    }

    fn meet(g: &mut Gen) {
        if g.rng.gen_bool(0.12) && !g.full() {
            g.exchange();
        }
        if g.rng.gen_bool(0.06) && !g.full() {
            g.mixed_barrier();
        }
        if g.rng.gen_bool(0.04) && !g.full() {
            g.group_barrier();
        }
    }

    fn finish(g: Gen) -> Launch {
        let Gen { code, shape, layout, mut rng, limits, .. } = g;
        // The machine writes the last word of bank 1.
        let banks = layout.banks.iter().filter(|b| b.0 > 0).map(|&(b, n)| (b, if b == 1 { n - 4 } else { n }));
        let (start, length) = layout.read_only;
        let params = random_words(&mut rng, true, layout.params);
        let constants = banks.map(|(b, n)| constant(b, random_bytes(&mut rng, n, &OPERATIONS))).collect();
        let end = layout.atomics.0 + layout.atomics.1;
        let mut global_bytes = random_bytes(&mut rng, end, &OPERATIONS);
        if limits.options.double {
            double::fill(&mut rng, &mut global_bytes[(start + length / 2) as usize..(start + length) as usize]);
        }
        Launch {
            registers: layout.registers() as u32,
            params,
            shared_bytes: layout.exchange_base + 4 * shape.threads(),
            local_bytes: layout.local,
            global_bytes: u64::from(end),
            constants,
            globals: global(global_bytes),
            ..Launch::from_code(warpsmith_isa::Isa::Fermi, code.finish())
        }
    }
}

/// Sizes for at most `warps` warps.
fn draw_layout(rng: &mut ChaCha8Rng, limits: &Limits, warps: u32) -> (Shape, Layout) {
    let pool = 4 * rng.gen_range(2..=5u64);
    // Two more hold a thread's indices.
    let registers = (pool + reserved::COUNT) as u32 + 2;
    let shape = shape::draw(rng, limits, registers, warps);
    // The header of a block lies in front of its memory.
    let room = (limits.shared_bytes - 16 - 4 * shape.threads()) / shape.warps();
    let (warp_shared, shared_home) = shape::shared(rng, shape, room, 4);
    let bank_bytes = (limits.constant_bytes / 8).clamp(64, 512);
    let params = rng.gen_range(1..=(bank_bytes - PARAMETERS) / 4);
    let mut banks = vec![(0, PARAMETERS + 4 * params), (1, BANK_1)];
    banks.extend(shape::banks(rng, bank_bytes));
    let mut above = |most: u32| match rng.gen_bool(0.5) {
        true => 0,
        false => 16 * rng.gen_range(1..most / 16),
    };
    let above = [above(0x8000_0000), above(0x80_0000), above(0x80_0000), above(0x8000)];
    let slots = Slots::draw(rng, shape);
    let read_only = (slots.bytes, 1024 << rng.gen_range(0..3u32));
    let layout = Layout {
        pool,
        warp_shared,
        shared_home,
        exchange_base: shape.warps() * warp_shared,
        banks,
        params,
        local: 16 * rng.gen_range(4..9u32),
        slots,
        read_only,
        atomics: (read_only.0 + read_only.1, 0),
        above,
    };
    (shape, layout)
}

#[cfg(test)]
mod tests;
