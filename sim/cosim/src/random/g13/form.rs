//! One random instruction of a row: fields and operands that cannot trap.

use super::super::value;
use super::implemented::{is_plain, lowered, registers};
use super::state::{Gen, FIRST};
use super::words::{form, Word};
use rand::Rng;
use warpsmith_isa::g13::operand::{Kind, Operand};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::{InstructionSet, Operand as _};

/// Numbers of the special registers that have a meaning.
const SPECIAL: [u64; 21] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 48, 49, 50, 51, 52, 53, 56, 57, 58, 59, 80, 81];

impl Gen<'_> {
    /// A random instruction of a row for straight-line code.
    pub fn instruction(&mut self, row: usize) -> Option<Word> {
        let turn = self.turn;
        for _ in 0..60 {
            self.turn = turn;
            let word = self.attempt(row);
            let Ok(instr) = G13.decode(&word.code().to_vec()) else { continue };
            let Some(lowered) = lowered(&instr, self.limits) else { continue };
            if instr.row != row || !is_plain(&lowered) {
                continue;
            }
            let (written, read) = registers(&lowered);
            let data = FIRST..FIRST + self.layout.pool;
            let inside = read.iter().all(|r| *r < self.layout.registers());
            if inside && written.iter().all(|r| data.contains(r)) {
                if let Some(r) = written.last() {
                    self.recent.rotate_right(1);
                    self.recent[0] = *r;
                }
                return Some(word);
            }
        }
        None
    }

    /// A random comparison of a row that forms the mask.
    pub fn comparison(&mut self, row: usize, levels: u64) -> Option<Word> {
        (0..20).find_map(|_| {
            let word = self.attempt(row).with("n", levels);
            let instr = G13.decode(&word.code().to_vec()).ok()?;
            let (_, read) = registers(&lowered(&instr, self.limits)?);
            let inside = read.iter().all(|r| *r < self.layout.registers());
            (instr.row == row && inside).then_some(word)
        })
    }

    fn attempt(&mut self, row: usize) -> Word {
        let f = form(row);
        let mut word = Word::of_row(row);
        for field in TABLE.fields(row) {
            let value = match field.name {
                // Clamped results hide the arithmetic.
                "S" if field.width() == 1 => self.rng.gen_bool(0.2).into(),
                _ => self.rng.gen::<u64>() & (u64::MAX >> (64 - field.width())),
            };
            word.bits = field.put(word.bits, value);
        }
        for o in f.operands {
            word.bits = self.operand(word.bits, o);
        }
        word.long = self.rng.gen_bool(0.1);
        word
    }

    /// The fields of registers, and of modes.
    fn operand(&mut self, bits: u128, o: &Operand) -> u128 {
        let fields = o.fields();
        let (Some(&value), mode) = (fields.first(), fields.get(1)) else { return bits };
        match o.kind {
            Kind::Dst | Kind::Dst64 | Kind::FloatDst | Kind::FloatDst16 | Kind::DstPair => {
                let wide = self.rng.gen_bool(0.7);
                let half = u64::from(!wide && self.rng.gen());
                // Some results of 64 bits.
                let pair = o.kind == Kind::Dst64 && wide && self.rng.gen_bool(0.3);
                let (r, half) = match pair {
                    true => (FIRST + self.rng.gen_range(0..self.layout.pool - 1), 1),
                    false => (self.data(), half),
                };
                let t = u64::from(wide) << 1 | self.rng.gen_range(0..2);
                let bits = value.put(bits, 2 * r + half);
                mode.map_or(bits, |m| m.put(bits, t & ((1 << m.width()) - 1)))
            }
            Kind::DstHalf => {
                let r = 2 * self.data() + self.rng.gen_range(0..2);
                value.put(bits, r)
            }
            Kind::DstWord | Kind::EvenReg => {
                let r = self.data();
                value.put(bits, 2 * r)
            }
            Kind::Special if self.rng.gen_bool(0.7) => value.put(bits, SPECIAL[self.rng.gen_range(0..SPECIAL.len())]),
            Kind::Special | Kind::Number => bits,
            Kind::Src16 if self.rng.gen() => {
                // A thread, or near the last.
                let bits = value.put(bits, self.rng.gen_range(0..36));
                mode.map_or(bits, |m| m.put(bits, 0))
            }
            Kind::SelectSrc => self.source(bits, value, mode, [0b100, 0b110, 0b001]),
            Kind::FloatSrc16 => self.source(bits, value, mode, [0, 0b100, 0b001]),
            Kind::Src64 | Kind::AddSrc if self.rng.gen_bool(0.1) => {
                // A pair.
                let t = 0b1100 | self.rng.gen_range(1..3);
                let bits = value.put(bits, 2 * self.read());
                mode.map_or(bits, |m| m.put(bits, t))
            }
            Kind::Src | Kind::Src16 | Kind::Src64 | Kind::MulSrc | Kind::AddSrc | Kind::FloatSrc => {
                self.source(bits, value, mode, [0, 0b0100, 0b0001])
            }
            _ => bits,
        }
    }

    /// A number, a uniform or a register; `modes` of a number, of uniforms (two bits beside), of
    /// halves.
    fn source(
        &mut self, bits: u128, value: warpsmith_isa::set::Field, mode: Option<&warpsmith_isa::set::Field>,
        modes: [u64; 3],
    ) -> u128 {
        let Some(mode) = mode else { return bits };
        let [number, uniform, half] = modes;
        // None, cache: what is discarded is compared no more.
        let hint = self.rng.gen_range(0..2);
        let (v, t) = match self.rng.gen_range(0..100) {
            0..=14 => (self.rng.gen_range(0..256), number),
            15..=27 => {
                let word = self.rng.gen_range(0..u64::from(self.layout.params));
                let t = uniform | self.rng.gen_range(0..4) & ((mode.width() as u64 - 2) | 1);
                (2 * word + self.rng.gen_range(0..2), t & !1)
            }
            28..=45 => {
                let r = self.read();
                (2 * r + self.rng.gen_range(0..2), half + hint)
            }
            _ => {
                let r = self.read();
                let wide = if mode.width() == 4 { 0b1000 } else { 0 };
                (2 * r, wide | (half + hint))
            }
        };
        mode.put(value.put(bits, v), t)
    }

    /// A data register.
    pub fn data(&mut self) -> u64 {
        FIRST + self.rng.gen_range(0..self.layout.pool)
    }

    /// A register to read.
    pub fn read(&mut self) -> u64 {
        if !self.wanted.is_empty() && self.rng.gen_bool(0.85) {
            self.turn += 1;
            return self.wanted[(self.turn - 1) % self.wanted.len()];
        }
        match self.rng.gen_bool(0.5) {
            true => self.recent[self.rng.gen_range(0..self.recent.len())],
            false => self.rng.gen_range(0..self.layout.registers()),
        }
    }

    /// A word for integers or floats.
    pub fn value(&mut self) -> u32 {
        match self.rng.gen() {
            true => value::float(&mut self.rng),
            false => value::integer(&mut self.rng),
        }
    }
}
