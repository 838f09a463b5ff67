//! The decoder of a chip: that of its instruction set, all with the same results.

use crate::alternatives;
use crate::config::{GpuConfig, Isa};
use crate::rtl::prelude::*;
use crate::sm::control::{trap_cause, Control};
use crate::sm::dims::Dims;
use crate::sm::pipeline::decode::fermi::FermiDecode;
use crate::sm::pipeline::decode::g13::G13Decode;
use crate::sm::pipeline::decode::ivb::IvbDecode;
use crate::sm::pipeline::decode::Decode;
use warpsmith_contract::TrapCause;

/// A decoder.
pub enum FrontDecode {
    /// SM 1.0's.
    Sm10(Box<Decode>),
    /// Fermi's.
    Fermi(Box<FermiDecode>),
    /// G13's.
    G13(Box<G13Decode>),
    /// Ivy Bridge's.
    Ivb(Box<IvbDecode>),
}

alternatives!(FrontDecode: Sm10, Fermi, G13, Ivb);

/// An instruction that has been fetched.
pub struct Fetched<'a> {
    /// Its byte address.
    pub pc: &'a Expr,
    /// What [`FrontDecode::instruction`] took out of its line.
    pub word: &'a Expr,
    /// What of its line is part of the program: [`Features::inside`](crate::front::features::Features::inside).
    pub inside: &'a Expr,
    /// Its row in the table, a line each; of SM 1.0.
    pub hits: Option<Expr>,
}

/// The same decoded.
pub struct Found {
    /// The control word; traps of the address stand above those of the instruction.
    pub control: Expr,
    /// Its registers as the word numbers them.
    pub numbers: Expr,
    /// The instruction for the trace port, 64 bits: zero behind its end; of Ivy Bridge its first 8 bytes.
    pub word: Expr,
    /// Its length in bytes, 4 bits; of Ivy Bridge, where it may be 16, 5 bits.
    pub length: Expr,
    /// It ends its line.
    pub ends_line: Expr,
    /// It is a step of an instruction, and another follows; of Ivy Bridge.
    pub goes_on: Option<Expr>,
}

impl FrontDecode {
    /// The decoder of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        match cfg.isa {
            Isa::Fermi => Self::Fermi(Box::new(FermiDecode::new(cfg))),
            Isa::G13 => Self::G13(Box::new(G13Decode::new(cfg))),
            Isa::Sm10 => Self::Sm10(Box::new(Decode::new(cfg))),
            Isa::Ivb => Self::Ivb(Box::new(IvbDecode::new(cfg))),
        }
    }

    /// The instruction of a line at an address, as wide as the line. Of SM 1.0 the upper half of a short one is zero.
    pub fn instruction(&self, line: &Expr, pc: &Expr) -> Expr {
        let Self::Sm10(_) = self else {
            return line.clone();
        };
        let first = wire("first_word", pc.bit(2).mux(&line.bits(32, 32), &line.bits(0, 32)));
        let second = first.bit(0).repeat(32) & line.bits(32, 32);
        cat([&second, &first])
    }

    /// Decodes an instruction; `registers`: those a thread owns, 8 bits.
    pub fn decode(&self, d: &Dims, at: &Fetched, registers: &Expr) -> Found {
        let Fetched { pc, word, inside, hits } = at;
        let nowhere = trap_cause(TrapCause::Fetch);
        match self {
            Self::Sm10(decoder) => {
                let (upper, long) = (pc.bit(2), word.bit(0));
                set(&decoder.word, *word);
                set(&decoder.hits, hits.as_ref().expect("rows of SM 1.0"));
                set(&decoder.registers, registers);
                let misaligned = trap_cause(TrapCause::MisalignedLong);
                let trap = |of_word: &Expr| inside.mux(&(&long & &upper).mux(&misaligned, of_word), &nowhere);
                Found {
                    control: trapping(d, &decoder.control, trap),
                    numbers: get(&decoder.numbers),
                    word: (*word).clone(),
                    length: cat([&long, &!&long, &zero(2)]),
                    ends_line: &long | &upper,
                    goes_on: None,
                }
            }
            Self::Fermi(decoder) => {
                set(&decoder.word, *word);
                set(&decoder.pc, *pc);
                set(&decoder.registers, registers);
                // An address that is no multiple of 8 has no instruction.
                let beyond = !*inside | pc.bits(0, 3).any();
                Found {
                    control: trapping(d, &decoder.control, |of_word| beyond.mux(&nowhere, of_word)),
                    numbers: get(&decoder.numbers),
                    word: (*word).clone(),
                    length: lit(4, 8),
                    ends_line: lit(1, 1),
                    goes_on: None,
                }
            }
            Self::G13(decoder) => {
                set(&decoder.bytes, *word);
                set(&decoder.pc, *pc);
                set(&decoder.registers, registers);
                let length = get(&decoder.length);
                let beyond = length.gt(inside);
                let own = |n: u64| length.gt(&lit(3, n)).repeat(16);
                Found {
                    control: trapping(d, &decoder.control, |of_word| beyond.mux(&nowhere, of_word)),
                    numbers: get(&decoder.numbers),
                    word: word.bits(0, 64) & cat([&own(3), &own(2), &own(1), &own(0)]),
                    length: cat([&length, &zero(1)]),
                    ends_line: lit(1, 1),
                    goes_on: None,
                }
            }
            Self::Ivb(decoder) => {
                set(&decoder.word, *word);
                set(&decoder.pc, *pc);
                let long = wire("native_length", !word.bit(IvbDecode::COMPACT));
                // Units of 8 bytes; at an address that is no multiple of them fetch has none. Where it has some, the low
                // bits are the number of a step.
                let units = cat([&long, &!&long]);
                let none = wire("no_unit", !inside.any());
                // What is no instruction has no length.
                let found = Control::unpack(d, "found", &get(&decoder.control)).channels(d, "found");
                let goes_on = wire("goes_on", found.map_or(zero(1), |channels| channels.goes_on) & !&none);
                let beyond =
                    |of_word: &Expr| &none | &(units.gt(inside) & !of_word.is(TrapCause::Illegal.number().into()));
                Found {
                    control: trapping(d, &decoder.control, |of_word| beyond(of_word).mux(&nowhere, of_word)),
                    numbers: get(&decoder.numbers),
                    word: word.bits(0, 64),
                    length: cat([&units, &zero(3)]),
                    ends_line: !&goes_on,
                    goes_on: Some(goes_on),
                }
            }
        }
    }
}

/// A decoder's control word with the trap that `trap` makes of its own.
fn trapping(d: &Dims, control: &Output, trap: impl FnOnce(&Expr) -> Expr) -> Expr {
    let mut control = Control::unpack(d, "c", &get(control));
    control.trap = wire("trap", trap(&control.trap));
    wire("arriving", control.pack())
}
