//! Random programs of SM 1.0: every data register has an age, the operations since a fresh value, and float operands
//! come from young registers.

mod code;
pub mod directed;
mod float;
mod flow;
mod form;
mod prologue;
mod state;
pub mod tier;

pub(super) use state::State;

use super::data::{constant, empty_launch, global, random_bytes, random_words};
use super::limits::Limits;
use super::shape;
use super::skeleton::Set;
use code::Code;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use shape::{Shape, Slots};
use state::{reserved, Gen, Layout, Operands, Pointer, Points};
use tier::implemented;
use warpsmith_isa::table::Class;
use warpsmith_isa::{Draft, Family, Marker, Op, Pred, Semantics, ROWS};
use warpsmith_model::Launch;

impl Set for State {
    type Layout = Layout;
    type Code = Code;
    type Register = u8;
    const BYTES: [u32; 2] = [420, 160];

    fn start(mut rng: ChaCha8Rng, limits: &Limits, size: u32) -> Gen<'_> {
        let of = |keep: fn(&Op) -> bool| -> Vec<usize> {
            (0..ROWS.len()).filter(|&f| implemented(f as u8, limits.tier) && keep(&ROWS[f].op)).collect()
        };
        let often = |rows: Vec<usize>, weight: fn(&Op) -> usize| -> Vec<usize> {
            rows.into_iter().flat_map(|f| std::iter::repeat_n(f, weight(&ROWS[f].op))).collect()
        };
        let floats = often(of(Op::is_float), float::weight);
        let arithmetic = of(|op| matches!(op, Op::FAdd { .. } | Op::FMul { .. } | Op::FMad { .. }));
        let plain = of(form::is_plain);
        let markable = plain.iter().copied().filter(|&f| ROWS[f].class == Class::Long).collect();
        // The floats' share would leave too few shared stores for bank conflicts.
        let plain = match floats.is_empty() {
            true => plain,
            false => often(plain, |op| match op {
                Op::StShared { .. } => 5,
                op if op.family() == Family::Double => 4,
                _ => 1,
            }),
        };
        // Instructions of a warp at least. The beginning takes half of the smaller number, and floats
        // need more of the rest.
        let least = if floats.is_empty() { 160 } else { 320 };
        let (shape, mut layout) = draw_layout(&mut rng, limits, size / least);
        if !floats.is_empty() {
            layout.read_only.1 *= 4;
        }
        layout.atomics.0 = layout.read_only.0 + layout.read_only.1;
        let atomics = of(|op| matches!(op, Op::Atomic { .. }));
        if !atomics.is_empty() {
            // From one word, which all threads want, to more than a line of the memory port.
            layout.atomics.1 = 4 << rng.gen_range(0..6u32);
        }
        let free = Pointer { points: Points::Free, low: 0, high: 0, home: (0, 0) };
        let own = State {
            pointers: [free; 8],
            ages: [float::OLD; 32],
            reduced: None,
            operands: Operands::Any,
            count_immediate: false,
            like: None,
            arrived: 0,
            atomics,
            markable,
        };
        Gen::new(rng, limits, size, (shape, layout), [plain, floats, arithmetic], [0, 1, 2, 3], own)
    }

    fn prologue(g: &mut Gen) {
        g.initialise();
    }

    fn epilogue(g: &mut Gen) {
        g.store_registers();
        match g.rng.gen_range(0..3) {
            // A return at top level ends the threads too.
            0 => g.put(Draft::bare(Op::Ret)),
            1 => {
                let never = Pred { code: 0, creg: 0 };
                g.put(Draft::bare(Op::Nop).guard(never).marker(Marker::Exit));
            }
            _ => g.marked(Marker::Exit),
        }
    }

    fn append(g: &mut Gen, row: usize) {
        if let Some(w) = g.instruction(row) {
            if ROWS[row].op.family() == Family::Double && g.rng.gen_bool(0.7) {
                g.doubles(w);
            }
            g.word(w);
        }
    }

    fn refresh(g: &mut Gen, row: usize) -> Vec<usize> {
        let op = ROWS[row].op;
        if !g.refresh(&op) {
            return vec![];
        }
        let same: Vec<usize> = g.floats.iter().copied().filter(|f| ROWS[*f].op == op).collect();
        vec![g.one(&same)]
    }

    fn access(g: &mut Gen) {
        g.global_access();
    }

    fn settle(g: &mut Gen) {
        g.reset_pointers(false);
    }

    fn meet(g: &mut Gen) {
        if g.rng.gen_bool(0.12) && !g.full() {
            g.exchange();
        }
        // The manual of FlexGripPlus has one word of BAR, which waits.
        let arrives = g.limits.tier.semantics() == Semantics::G80;
        if g.rng.gen_bool(0.05) && arrives && !g.full() {
            // Arrives at a barrier without ever waiting; nobody waits there before the next full barrier.
            let id = g.free_barrier();
            g.own.arrived |= 1 << id;
            g.put(Draft::bare(Op::Bar { id, arrive: true, wait: false, mask: None }));
        }
    }

    fn finish(mut g: Gen) -> Launch {
        g.code.align();
        let floats = g.has_floats();
        let sums = if g.arithmetic.is_empty() {
            vec![]
        } else {
            g.arithmetic.repeat(g.floats.len() / (2 * g.arithmetic.len()) + 1)
        };
        let operations: Vec<Op> = g.floats.iter().chain(&sums).map(|f| ROWS[*f].op).collect();
        let semantics = g.limits.tier.semantics();
        let Gen { code, shape, layout: l, mut rng, .. } = g;
        let bytes = l.atomics.0 + l.atomics.1;
        Launch {
            program: warpsmith_model::launch::Program::from(code.finish()).read_as(semantics),
            registers: l.registers.into(),
            params: random_words(&mut rng, floats, (l.header - 16) / 4),
            shared_bytes: l.exchange_base + 4 * shape.threads(),
            local_bytes: l.local,
            global_bytes: bytes.into(),
            constants: l
                .banks
                .iter()
                .map(|&(bank, n)| constant(bank, random_bytes(&mut rng, n, &operations)))
                .collect(),
            globals: global(random_bytes(&mut rng, bytes, &operations)),
            ..empty_launch("random")
        }
    }
}

/// Sizes for at most `warps` warps.
fn draw_layout(rng: &mut ChaCha8Rng, limits: &Limits, warps: u32) -> (Shape, Layout) {
    let pool = rng.gen_range(8..=18u8);
    let registers = pool + reserved::COUNT;
    let shape = shape::draw(rng, limits, registers.into(), warps);
    let header = 16 + 4 * rng.gen_range(0..12u32);
    let shared_base = header.next_multiple_of(16);
    let room = (limits.shared_bytes - shared_base - 4 * shape.threads()) / shape.warps();
    let (warp_shared, shared_home) = shape::shared(rng, shape, room, 2);
    // Room for three other banks beside the two that short words reach.
    let bank_bytes = (limits.constant_bytes / 8).clamp(64, 512);
    let mut banks = vec![(0, bank_bytes), (1, bank_bytes)];
    banks.extend(shape::banks(rng, bank_bytes));
    let slots = Slots::draw(rng, shape);
    let read_only = (slots.bytes, 64 << rng.gen_range(0..5u32));
    let layout = Layout {
        registers,
        pool,
        header,
        warp_shared,
        shared_base,
        shared_home,
        exchange_base: shared_base + shape.warps() * warp_shared,
        banks,
        constant_home: [0, 3, 7][rng.gen_range(0..3)],
        local: 16 * rng.gen_range(4..9u32),
        slots,
        read_only,
        atomics: (read_only.0 + read_only.1, 0),
    };
    (shape, layout)
}

#[cfg(test)]
mod tests;
