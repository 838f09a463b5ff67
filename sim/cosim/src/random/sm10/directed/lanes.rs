//! Programs that give a lane many operands: segments of a few instructions of chosen rows.
//!
//! Threads that a lane executes in the same place of their warps are alike: registers hold what follows from the number
//! of the thread divided by the number of lanes. So each lane computes the same as the others, and a program that finds
//! a fault in one of them finds it in all.

use super::super::form::is_plain;
use super::super::state::{reserved, Gen, Layout, State};
use super::{drawn, group, Steer, Wish};
use crate::random::limits::Limits;
use crate::random::shape::{Shape, Slots};
use crate::random::skeleton::Set;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use warpsmith_isa::{Draft, Dst, MemSize, Op, Src};
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::Launch;

/// Bytes that a segment takes, at least, and segments, at most.
const SEGMENT: (u32, u32) = (400, 8);

/// The program of a seed: as long as the program memory allows, for at most so many segments of a few instructions.
pub fn directed_lanes(seed: u64, limits: &Limits, steer: &Steer) -> Launch {
    let segments = (limits.program_bytes / SEGMENT.0).clamp(4, SEGMENT.1);
    let rng = ChaCha8Rng::seed_from_u64(seed);
    let mut g = State::start(rng, limits, 3_000);
    g.plain = drawn(limits, steer, is_plain);
    shape(&mut g, segments);
    g.begin_alike(steer.lanes);
    let mut wishes = steer.wishes.iter();
    for segment in 0..segments {
        if g.full() {
            break;
        }
        let first = g.gather_alike(steer.lanes);
        if g.rng.gen() {
            g.gather_alike(steer.lanes);
        }
        for _ in 0..g.rng.gen_range(4..10) {
            match wishes.next() {
                Some(wish) => g.wish(wish),
                None => g.draw(first),
            }
            if g.full() {
                break;
            }
        }
        g.store_all(segment);
        g.reset_pointers(false);
    }
    State::epilogue(&mut g);
    let read_only = g.layout.read_only;
    let mut words_rng = g.rng.clone();
    let (floats, Shape { block, grid, .. }) = (g.has_floats(), g.shape);
    let mut launch = Launch { block, grid, ..State::finish(g) };
    // Operands that threads load; results begin as zeros.
    if let Some(section) = launch.globals.first_mut() {
        let mut bytes = section.bytes.split_off(read_only.0 as usize);
        for to in bytes[..read_only.1 as usize].chunks_exact_mut(16) {
            let mut words = group(&mut words_rng, floats);
            if !steer.sets.is_empty() && words_rng.gen_bool(0.8) {
                words[..3].copy_from_slice(&steer.sets[words_rng.gen_range(0..steer.sets.len())]);
            }
            to.chunks_exact_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        }
        *section = GlobalSection::new(read_only.0.into(), bytes);
    }
    let name = format!("lanes-{seed}");
    Launch { file: format!("{name}.toml").into(), program_file: format!("{name}.hex").into(), name, ..launch }
}

/// One warp: a run with a fault costs cycles; and room for the results of all segments.
fn shape(g: &mut Gen, segments: u32) {
    g.shape = Shape { block: [32, 1, 1], grid: [1, 1], warp: 32 };
    let threads = g.shape.threads() * g.shape.blocks();
    let pieces = Layout::pieces(g.layout.pool) * (segments + 1);
    g.layout.slots = Slots { count: 1, thread_stride: 16, stride: 16 * threads, bytes: 16 * pieces * threads };
    // Pointers are the same for all threads.
    (g.layout.shared_home, g.layout.constant_home) = ((0, 2), 0);
    g.layout.warp_shared = 256;
    g.layout.exchange_base = g.layout.shared_base + g.shape.warps() * g.layout.warp_shared;
    g.layout.read_only = (g.layout.slots.bytes, 2048);
    g.layout.atomics = (g.layout.read_only.0 + g.layout.read_only.1, g.layout.atomics.1);
}

impl Layout {
    /// Pieces of 16 bytes that hold all data registers.
    fn pieces(pool: u8) -> u32 {
        u32::from(pool).div_ceil(4)
    }
}

impl Gen<'_> {
    /// The number of the thread divided by the lanes, in the scratch register.
    fn alike(&mut self, lanes: u32) -> u8 {
        let (temp, thread) = (self.r(reserved::TEMP), self.r(reserved::THREAD));
        self.shift(true, temp, thread, lanes.trailing_zeros());
        temp
    }

    /// Addresses by the number of the thread, data by its number divided by the lanes.
    fn begin_alike(&mut self, lanes: u32) {
        let (thread, global) = (self.r(reserved::THREAD), self.r(reserved::GLOBAL));
        self.and_imm(thread, 0, 0xffff);
        self.own_memory(thread, global);
        // Data by the number of the thread, which stands for another one meanwhile.
        self.shift(true, thread, thread, lanes.trailing_zeros());
        self.registers(thread);
        let temp = self.r(reserved::TEMP);
        self.add_imm(temp, thread, 0x0101_0101);
        self.and_imm(thread, 0, 0xffff);
        // Register 0 held it.
        self.add_imm(0, temp, 0);
        self.pointer_homes(thread, temp);
        self.memories(temp);
        self.reset_pointers(true);
    }

    /// Loads four registers and says the first; threads of a place have the same words, those of other places others.
    fn gather_alike(&mut self, lanes: u32) -> u8 {
        let temp = self.alike(lanes);
        let (base, bytes) = self.layout.read_only;
        self.shift(false, temp, temp, 4);
        let at = 16 * self.rng.gen_range(0..bytes / 16);
        self.add_imm(temp, temp, at);
        self.and_imm(temp, temp, (bytes - 1) & !15);
        self.add_imm(temp, temp, base);
        let first = self.rng.gen_range(0..=self.layout.pool - 4);
        self.load_global(first, temp, MemSize::B128);
        for r in first..first + 4 {
            self.recent.rotate_right(1);
            self.recent[0] = r;
            self.own.ages[usize::from(r)] = 0;
        }
        first
    }

    /// One instruction of a row by weight, mostly of four registers; a flag register that it writes is read.
    fn draw(&mut self, first: u8) {
        if self.rng.gen_bool(0.7) {
            let turn = if self.rng.gen_bool(0.7) { 0 } else { self.rng.gen_range(1..3) };
            self.wanted = (first..first + 4).collect();
            self.wanted.rotate_left(turn);
        }
        let row = self.plain[self.rng.gen_range(0..self.plain.len())];
        State::append(self, row);
        self.wanted.clear();
        if self.rng.gen_bool(0.7) {
            self.read_flags();
        }
    }

    /// The flag register that the last instruction may have written into a data register.
    fn read_flags(&mut self) {
        let Some(word) = self.code.last() else { return };
        let decoded = self.limits.tier.decode(word as u32, (word >> 32) as u32);
        if let Some(c) = decoded.ok().and_then(|i| i.cdst) {
            let r = self.pool_register(1);
            self.put(Draft::new(Op::C2R, Dst::Reg(r), [Src::Cc(c), Src::None, Src::None]));
        }
    }

    /// An instruction that is wanted, its operands loaded before.
    fn wish(&mut self, wish: &Wish) {
        let Ok(i) = self.limits.tier.decode(wish.word as u32, (wish.word >> 32) as u32) else { return self.draw(0) };
        let row = usize::from(i.form);
        if !is_plain(&i.op) || self.layout.pool < 8 {
            return self.draw(0);
        }
        let first = self.rng.gen_range(0..=self.layout.pool - 4);
        for (r, v) in (first..).zip(wish.operands.unwrap_or_default()) {
            self.mvi(r, v);
            self.own.ages[usize::from(r)] = 0;
        }
        self.wanted = (first..first + 3).collect();
        self.own.like = Some(wish.word);
        let word = self.instruction(row);
        self.own.like = None;
        self.wanted.clear();
        match word {
            Some(word) => self.word(word),
            None => self.draw(0),
        }
        self.read_flags();
    }

    /// Stores all data registers behind those of the segments before.
    fn store_all(&mut self, segment: u32) {
        let temp = self.r(reserved::TEMP);
        let pieces = Layout::pieces(self.layout.pool);
        for piece in 0..pieces {
            let r = (4 * piece as u8).min(self.layout.pool - 4);
            let slot = segment * pieces + piece;
            self.add_imm(temp, self.r(reserved::GLOBAL), slot * self.layout.slots.stride);
            self.put(Draft::new(
                Op::StGlobal { space: 14, size: MemSize::B128 },
                Dst::None,
                [Src::Reg(temp), Src::Reg(r), Src::None],
            ));
        }
    }
}
