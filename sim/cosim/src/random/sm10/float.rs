//! Which registers hold floats worth computing with, and how they come by them.

use super::super::value;
use super::state::{reserved, Gen, Operands};
use rand::Rng;
use warpsmith_isa::{Dst, FloatType, Instr, MemSize, Op, Resource, SfuFn, Src};

/// Age of a register that holds no float, or one of unknown history.
pub const OLD: u8 = 100;
/// Registers up to this age are young.
const YOUNG: u8 = 2;

/// How often a float row is drawn: conversions have many rows that differ little, sums and products
/// are drawn beside.
pub fn weight(op: &Op) -> usize {
    match op {
        Op::F2I { .. } | Op::FAdd { .. } | Op::FMul { .. } | Op::FMad { .. } => 1,
        Op::FSet { .. } | Op::FSlct { .. } => 4,
        Op::F2F { dst: FloatType::F16, src: FloatType::F32, .. } => 6,
        Op::F2F { .. } => 2,
        _ => 3,
    }
}

/// What a row wants in its source registers.
pub fn operands(op: &Op) -> Operands {
    match op {
        Op::Sfu { func: SfuFn::Sin | SfuFn::Cos | SfuFn::Ex2, .. } => Operands::Reduced,
        Op::I2F { .. } => Operands::Any,
        op if op.is_float() => Operands::Float,
        _ => Operands::Any,
    }
}

/// Whether a row leaves a single in a whole register.
fn makes_float(op: &Op) -> bool {
    match *op {
        Op::FSet { .. } | Op::F2I { .. } | Op::Rro { .. } => false,
        Op::I2F { dst, .. } | Op::F2F { dst, .. } => dst == FloatType::F32,
        op => op.is_float(),
    }
}

impl Gen<'_> {
    /// Whether some row computes with floats.
    pub fn has_floats(&self) -> bool {
        !self.floats.is_empty()
    }

    fn young(&self) -> Vec<u8> {
        let pool = 0..self.layout.pool;
        pool.filter(|r| self.own.ages[usize::from(*r)] <= YOUNG).collect()
    }

    /// A register that suits the instruction under construction; mostly, when there is one.
    pub fn preferred(&mut self) -> Option<u8> {
        if !self.wanted.is_empty() && self.rng.gen_bool(0.9) {
            self.turn += 1;
            return Some(self.wanted[(self.turn - 1) % self.wanted.len()]);
        }
        if self.own.operands == Operands::Any || !self.rng.gen_bool(0.93) {
            return None;
        }
        let reduced = self.own.operands == Operands::Reduced && self.rng.gen_bool(0.7);
        if let (true, Some(r)) = (reduced, self.own.reduced) {
            return Some(r);
        }
        let young = self.young();
        (!young.is_empty()).then(|| young[self.rng.gen_range(0..young.len())])
    }

    /// Ages the destination of an instruction just made.
    pub fn age(&mut self, i: &Instr) {
        let written = i.writes().filter_map(|w| match w.to {
            Resource::Reg(r) => Some(r),
            _ => None,
        });
        let oldest = i.src.iter().map(|s| match s {
            Src::Reg(r) => self.own.ages.get(usize::from(*r)).copied().unwrap_or(OLD),
            _ => 0,
        });
        let age = match oldest.max() {
            // An integer is as good as fresh.
            _ if matches!(i.op, Op::I2F { .. }) => 1,
            Some(a) if makes_float(&i.op) => a.saturating_add(1),
            _ => OLD,
        };
        for r in written {
            self.own.ages[usize::from(r)] = age;
            self.wanted.retain(|w| *w != r);
            if self.own.reduced == Some(r) {
                self.own.reduced = None;
            }
        }
        if let (Op::Rro { .. }, Dst::Reg(r)) = (i.op, i.dst) {
            self.own.reduced = Some(r);
        }
    }

    /// Prepares an instruction of a float row: loads a register or two while few are young, and now
    /// and then three that belong together and that the instruction then prefers.
    /// Returns whether it loaded the three.
    pub fn refresh(&mut self, op: &Op) -> bool {
        // Sums and products have most of their cases among ordinary numbers.
        let numbers = matches!(op, Op::FAdd { .. } | Op::FMul { .. } | Op::FMad { .. });
        if self.rng.gen_bool(if numbers { 0.25 } else { 0.5 }) {
            let first = self.rng.gen_range(0..=self.layout.pool - 4);
            if self.rng.gen_bool(0.6) {
                self.gather(first);
            } else {
                for (r, v) in (first..).zip(value::together(&mut self.rng, op)) {
                    self.mvi(r, v);
                }
            }
            for r in first..first + 3 {
                self.holds_fresh(r);
                self.wanted.push(r);
            }
            return true;
        }
        let few = self.young().len() < 5;
        if self.rng.gen_bool(if few { 0.5 } else { 0.08 }) {
            let r = self.pool_register(1);
            self.fresh(r);
        }
        false
    }

    /// Loads four registers from read-only memory, where such words lie together: each thread takes
    /// one of up to 8 groups of a segment of 128 bytes, so that one instruction meets several cases.
    fn gather(&mut self, first: u8) {
        let temp = self.r(reserved::TEMP);
        let (base, bytes) = self.layout.read_only;
        let from = self.r(reserved::THREAD);
        let at = self.rng.gen_range(1..4);
        self.shift(false, temp, from, at + 1);
        self.and_imm(temp, temp, (bytes - 1) & 0x70);
        let segment = self.rng.gen_range(0..bytes.div_ceil(128)) * 128;
        self.add_imm(temp, temp, base + segment);
        self.load_global(first, temp, MemSize::B128);
        self.own.ages[usize::from(first) + 3] = OLD;
    }

    /// Puts numbers that belong together into the registers of an instruction of floats of 64 bits: the same for all
    /// threads, or low words that differ.
    pub fn doubles(&mut self, word: u64) {
        let Ok(i) = self.limits.tier.decode(word as u32, (word >> 32) as u32) else { return };
        let thread = self.r(reserved::THREAD);
        let values = super::super::double::together(&mut self.rng);
        for (n, (src, value)) in i.src.iter().zip(values).enumerate() {
            let Src::Reg(r) = *src else { continue };
            let inside = self.layout.pool.saturating_sub(r);
            for part in 0..i.op.registers(n).min(inside) {
                let v = (value >> (32 * part)) as u32;
                match part == 0 && self.rng.gen_bool(0.3) {
                    true => self.add_imm(r, thread, v),
                    false => self.mvi(r + part, v),
                }
                self.own.ages[usize::from(r + part)] = OLD;
            }
        }
    }

    /// Loads a fresh float, most of the time another one for each thread.
    pub fn fresh(&mut self, r: u8) {
        let thread = self.r(reserved::THREAD);
        let v = value::float(&mut self.rng);
        match self.rng.gen_range(0..6) {
            0..=1 => self.mvi(r, v),
            // Neighbours that differ in their last places.
            2..=3 => self.add_imm(r, thread, v),
            // Fractions with few bits, then exponents too.
            4 => {
                let at = self.rng.gen_range(16..22);
                self.shift(false, r, thread, at);
                self.add_imm(r, r, v);
            }
            // Fractions of all bits, exponents of a few sizes.
            _ => {
                self.mul_imm(r, thread, 0x9e_3779);
                self.and_imm(r, r, 0x81ff_ffff);
                let v = value::near(&mut self.rng, 124);
                self.add_imm(r, r, v & !0x7f_ffff);
            }
        }
        self.holds_fresh(r);
    }

    fn holds_fresh(&mut self, r: u8) {
        self.recent.rotate_right(1);
        self.recent[0] = r;
        self.own.ages[usize::from(r)] = 0;
        if self.own.reduced == Some(r) {
            self.own.reduced = None;
        }
    }
}
