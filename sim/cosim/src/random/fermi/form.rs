//! One random instruction of a row: modifiers, guard and operands that cannot trap.

use super::super::{double, value};
use super::implemented::{executes, reads_clock};
use super::state::Gen;
use super::words::{form, Word, TRUE, ZERO};
use rand::Rng;
use warpsmith_isa::fermi::operand::{Kind, Operand};
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{InstructionSet, Modifier};

/// Numbers of the special registers that have a meaning, the clock aside.
const SPECIAL: [u64; 18] =
    [0x00, 0x21, 0x22, 0x23, 0x25, 0x26, 0x27, 0x29, 0x2a, 0x2b, 0x2d, 0x2e, 0x2f, 0x38, 0x39, 0x3a, 0x3b, 0x3c];

impl Gen<'_> {
    /// A random instruction of a row for straight-line code.
    pub fn instruction(&mut self, row: usize) -> Option<Word> {
        let turn = self.turn;
        for _ in 0..30 {
            self.turn = turn;
            let Some(word) = self.attempt(row) else { continue };
            let Ok(instr) = Fermi.decode(&(word.bits as u64).to_le_bytes()) else { continue };
            let Ok(lowered) = Fermi.lower(&instr, 0) else { continue };
            if instr.row == row && executes(&lowered, self.limits.options) && !reads_clock(&lowered) {
                self.wrote(&word);
                return Some(word);
            }
        }
        None
    }

    fn attempt(&mut self, row: usize) -> Option<Word> {
        let f = form(row);
        let mut word = Word::of_row(row);
        for m in f.modifiers {
            word.bits = self.modifier(word.bits, m);
        }
        for o in f.operands {
            word.bits = self.operand(word.bits, o, f.mnemonic)?;
        }
        let guard = self.guard();
        Some(word.guard(guard))
    }

    /// A value of a modifier that has a meaning.
    pub fn modifier(&mut self, bits: u128, m: &Modifier) -> u128 {
        let Modifier::Names(field, names) = *m else { return bits };
        let value = match (field.name, field.width()) {
            // Clamped results hide the arithmetic.
            ("sat", _) => self.rng.gen_bool(0.2).into(),
            (_, 1) => self.rng.gen_range(0..2),
            _ => names[self.rng.gen_range(0..names.len())].0.into(),
        };
        field.put(bits, value)
    }

    /// A guard: mostly always, now and then never.
    pub fn guard(&mut self) -> (u64, bool) {
        let always = if self.wanted.is_empty() { 0.6 } else { 0.85 };
        match self.rng.gen_bool(always) {
            true => (TRUE, false),
            false => (self.predicate(), self.rng.gen()),
        }
    }

    /// A guard that is not always true, mostly.
    pub fn divergent_guard(&mut self) -> (u64, bool) {
        match self.rng.gen_bool(0.06) {
            true => (TRUE, self.rng.gen()),
            false => (self.rng.gen_range(0..TRUE), self.rng.gen()),
        }
    }

    fn predicate(&mut self) -> u64 {
        self.rng.gen_range(0..=TRUE)
    }

    fn operand(&mut self, bits: u128, o: &Operand, mnemonic: &str) -> Option<u128> {
        let field = o.fields[0];
        let float = mnemonic.starts_with('F') && mnemonic != "FLO";
        let value = match o.kind {
            Kind::RegByType if field.name == "D" && self.limits.options.double => {
                let n = self.rng.gen_range(1..3);
                self.destination(n)
            }
            Kind::Reg64 if field.name == "D" => self.destination(2),
            Kind::Reg64 => self.source_pair(),
            Kind::Const64 => {
                let (bank, bytes) = self.bank();
                let bits = field.put(bits, bank);
                let word = self.rng.gen_range(0..bytes / 4 - 1);
                return Some(self.signs(o.fields[1].put(bits, word.into()), o));
            }
            Kind::ImmF64 => double::double(&mut self.rng) >> 44,
            Kind::Reg | Kind::RegByType if field.name == "D" => self.destination(1),
            Kind::Reg | Kind::RegByType => self.source(),
            Kind::Pred => self.predicate(),
            Kind::Const => {
                let (bank, bytes) = self.bank();
                let bits = field.put(bits, bank);
                let word = self.rng.gen_range(0..bytes / 4);
                return Some(self.signs(o.fields[1].put(bits, word.into()), o));
            }
            Kind::ImmF32 => u64::from(value::float(&mut self.rng)) >> 12,
            Kind::ImmInt | Kind::Imm32 if !float => u64::from(self.integer()) & ((1 << field.width()) - 1),
            Kind::Imm32 => value::float(&mut self.rng).into(),
            Kind::Special if self.rng.gen_bool(0.7) => SPECIAL[self.rng.gen_range(0..SPECIAL.len())],
            Kind::Special | Kind::Number => self.rng.gen_range(0..1 << field.width()),
            _ => return None,
        };
        Some(self.signs(field.put(bits, value), o))
    }

    fn signs(&mut self, bits: u128, o: &Operand) -> u128 {
        let set = |bits, s: &warpsmith_isa::fermi::operand::Sign| s.field().put(bits, self.rng.gen_bool(0.3).into());
        o.signs.iter().fold(bits, set)
    }

    /// A word for integer operations; now and then position and length of a bit field.
    pub fn integer(&mut self) -> u32 {
        if self.rng.gen_bool(0.15) {
            return self.rng.gen_range(0..40) | self.rng.gen_range(0..40) << 8;
        }
        value::integer(&mut self.rng)
    }

    /// A constant bank that holds data, and its bytes.
    pub fn bank(&mut self) -> (u64, u32) {
        let (bank, bytes) = self.layout.banks[self.rng.gen_range(0..self.layout.banks.len())];
        (bank.into(), bytes)
    }

    /// The first of `n` aligned data registers, now and then none.
    pub fn destination(&mut self, n: u64) -> u64 {
        match self.rng.gen_bool(0.06) {
            true => ZERO,
            false => n * self.rng.gen_range(0..self.layout.pool / n),
        }
    }

    /// A register to read, now and then zero.
    pub fn source(&mut self) -> u64 {
        if !self.wanted.is_empty() && self.rng.gen_bool(0.85) {
            self.turn += 1;
            return self.wanted[(self.turn - 1) % self.wanted.len()];
        }
        match self.rng.gen_range(0..100) {
            0..=7 => ZERO,
            8..=54 => self.recent[self.rng.gen_range(0..self.recent.len())],
            _ => self.rng.gen_range(0..self.layout.registers()),
        }
    }

    /// The first register of a pair to read.
    fn source_pair(&mut self) -> u64 {
        match self.source() {
            ZERO => ZERO,
            r if r | 1 < self.layout.registers() => r & !1,
            r => (r & !1) - 2,
        }
    }

    /// Remembers the register that an instruction writes.
    pub fn wrote(&mut self, word: &Word) {
        let d = super::words::field(word.row, "D").map(|f| f.get(word.bits));
        if let Some(d) = d.filter(|d| *d < self.layout.pool) {
            self.recent.rotate_right(1);
            self.recent[0] = d;
        }
    }
}
