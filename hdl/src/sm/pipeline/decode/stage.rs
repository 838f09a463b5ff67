//! Stage DEC: the selected instruction is taken out of its line and decoded.

use super::fermi::FermiDecode;
use super::g13::G13Decode;
use super::Decode;
use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::{trap_cause, Control};
use crate::sm::dims::{Dims, DEPTH};
use crate::sm::pipeline::bundles::{Line, Selected};
use warpsmith_contract::TrapCause;

group! {
    /// The instruction in DEC.
    pub struct DecodeRegisters(d: &Dims) as "" {
        /// DEC holds an instruction.
        reg valid(1),
        data warp(d.warp),
        data mask(WARP),
        data pc(d.pc),
        data depth(DEPTH),
        /// The upper half of a short one is zero; of G13 what follows stands behind it.
        data word(d.line()),
        /// Its line lies outside the program.
        data beyond(if !d.is_g13(); 1),
        /// Halfwords of it that are part of the program.
        data halfwords(if d.is_g13(); 3),
    }
}

/// The decoded instruction on its way to H.
pub struct Decoded {
    /// It comes in this cycle.
    pub comes: Expr,
    pub warp: Expr,
    pub control: Expr,
    /// Its registers as the word numbers them.
    pub numbers: Expr,
    pub pc: Expr,
    pub word: Expr,
    /// It has 8 bytes.
    pub long: Expr,
    /// Its length in halfwords, of G13.
    pub length: Option<Expr>,
    /// It ends its line.
    pub ends_line: Expr,
}

impl DecodeRegisters {
    /// The instruction of a fetched line at an address: 64 bits, the upper half zero of a short one.
    fn instruction(d: &Dims, line: &Expr, pc: &Expr) -> Expr {
        if d.has_uops() {
            return line.clone();
        }
        let upper = pc.bit(2);
        let first = wire("first_word", upper.mux(&line.bits(32, 32), &line.bits(0, 32)));
        let second = first.bit(0).repeat(32) & line.bits(32, 32);
        cat([&second, &first])
    }

    /// Takes the selected instruction when it can. `free`: H can take what this stage has. Returns whether it can.
    pub fn take(&self, d: &Dims, sel: &Selected<Sink>, line: &Line<Sink>, free: &Expr) -> Expr {
        let can = wire("decode_free", !get(&self.valid) | free);
        when(&can, || {
            set(&self.valid, get(&sel.valid));
            set(&self.warp, get(&sel.warp));
            set(&self.mask, get(&sel.mask));
            set(&self.pc, get(&sel.pc));
            set(&self.depth, get(&sel.depth));
            set(&self.word, Self::instruction(d, &get(&line.line), &get(&sel.pc)));
            if let (Some(to), Some(from)) = (self.beyond.get(), line.beyond.get()) {
                set(to, get(from));
            }
            if let (Some(to), Some(from)) = (self.halfwords.get(), line.inside.get()) {
                set(to, get(from));
            }
        });
        can
    }

    /// The same of an instruction of Fermi: an address that is no multiple of 8 has none.
    pub fn decode_fermi(&self, d: &Dims, decoder: &FermiDecode, registers: &Expr, free: &Expr) -> Decoded {
        let (pc, word) = (get(&self.pc), get(&self.word));
        set(&decoder.word, &word);
        set(&decoder.pc, &pc);
        set(&decoder.registers, registers);
        let mut control = Control::unpack(d, "c", &get(&decoder.control));
        let nowhere = self.is_beyond() | pc.bits(0, 3).any();
        let trap = nowhere.mux(&trap_cause(TrapCause::Fetch), &control.trap);
        control.trap = wire("trap", trap);
        self.of_line(control, get(&decoder.numbers), word, free)
    }

    /// The same of an instruction of G13: the program ends behind it at the earliest.
    pub fn decode_g13(&self, d: &Dims, decoder: &G13Decode, registers: &Expr, free: &Expr) -> Decoded {
        let (pc, bytes) = (get(&self.pc), get(&self.word));
        set(&decoder.bytes, &bytes);
        set(&decoder.pc, &pc);
        set(&decoder.registers, registers);
        let length = get(&decoder.length);
        let mut control = Control::unpack(d, "c", &get(&decoder.control));
        let inside = self.halfwords.get().map_or(zero(3), get);
        let nowhere = length.gt(&inside);
        let trap = nowhere.mux(&trap_cause(TrapCause::Fetch), &control.trap);
        control.trap = wire("trap", trap);
        // The trace port shows nothing behind the instruction.
        let own = |n: u64| length.gt(&lit(3, n)).repeat(16);
        let word = bytes.bits(0, 64) & cat([&own(3), &own(2), &own(1), &own(0)]);
        Decoded { length: Some(length), ..self.of_line(control, get(&decoder.numbers), word, free) }
    }

    /// An instruction that has a line to itself.
    fn of_line(&self, control: Control, numbers: Expr, word: Expr, free: &Expr) -> Decoded {
        Decoded {
            comes: wire("comes", get(&self.valid) & free),
            warp: get(&self.warp),
            control: wire("arriving", control.pack()),
            numbers,
            pc: get(&self.pc),
            word,
            ends_line: lit(1, 1),
            long: lit(1, 1),
            length: None,
        }
    }

    /// The line lies outside the program.
    fn is_beyond(&self) -> Expr {
        self.beyond.get().map_or(zero(1), get)
    }

    /// What the decoder makes of the instruction; traps of its address stand above those of its word.
    pub fn decode(&self, d: &Dims, decoder: &Decode, registers: &Expr, free: &Expr) -> Decoded {
        let (warp, pc, word) = (get(&self.warp), get(&self.pc), get(&self.word));
        let (upper, long) = (pc.bit(2), word.bit(0));
        set(&decoder.word, &word);
        set(&decoder.registers, registers);
        let mut control = Control::unpack(d, "c", &get(&decoder.control));
        let misaligned = &long & &upper;
        let trap = self
            .is_beyond()
            .mux(&trap_cause(TrapCause::Fetch), &misaligned.mux(&trap_cause(TrapCause::MisalignedLong), &control.trap));
        control.trap = wire("trap", trap);
        let control = wire("arriving", control.pack());
        Decoded {
            comes: wire("comes", get(&self.valid) & free),
            warp,
            control,
            numbers: get(&decoder.numbers),
            pc,
            word,
            ends_line: &long | &upper,
            long,
            length: None,
        }
    }
}
