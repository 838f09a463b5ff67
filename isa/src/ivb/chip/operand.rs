//! Operands of chips: which part of its registers a channel reads and writes.

use crate::ivb::lower::operand::{Destination, From, Source, Special, Start, Step};
use crate::ivb::operand::REGISTER;
use crate::uop::Type;

/// Bytes of half a register.
const HALF: u8 = 16;

/// Where the channels of an instruction read; channels count from the first of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Channel i has dword i from the start of a register on, or a half of it: the word at `byte`, 0 or 2.
    Row {
        /// Register.
        register: u8,
        /// Byte in the dword.
        byte: u8,
    },
    /// Channel i has word i from `byte` on, 0 or 16.
    Packed {
        /// Register.
        register: u8,
        /// Byte in the register.
        byte: u8,
    },
    /// Every channel has the dword or word at `byte`.
    Scalar {
        /// Register.
        register: u8,
        /// Byte in the register.
        byte: u8,
    },
    /// A number, extended to 32 bits.
    Immediate(u32),
    /// What an earlier step of the instruction has kept.
    Temporary(Temporary),
}

/// A word of each channel that a step of an instruction leaves to a later one; nothing else reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporary {
    /// The first.
    T,
    /// The second.
    U,
}

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Where it is read.
    pub region: Region,
    /// Its type: UD, D, UW, W or F; that of what is read, where the operation takes a half of a dword.
    pub ty: Type,
    /// 16 bits are extended by their sign, else by zeros.
    pub extends: bool,
    /// Minus.
    pub neg: bool,
    /// Absolute value, before the minus.
    pub abs: bool,
}

impl Operand {
    /// It has neither minus nor absolute value.
    pub fn is_plain(&self) -> bool {
        !self.neg && !self.abs
    }

    /// It is a number that is not negative, whether it is read with a sign or without.
    pub fn is_natural(&self) -> bool {
        matches!(self.region, Region::Immediate(v) if v >> 31 == 0)
    }

    /// This number.
    pub fn number(v: u32, ty: Type) -> Operand {
        Operand { region: Region::Immediate(v), ty, extends: false, neg: false, abs: false }
    }

    /// What an earlier step has kept.
    pub fn kept(t: Temporary, ty: Type) -> Operand {
        Operand { region: Region::Temporary(t), ..Self::number(0, ty) }
    }

    /// Its negative.
    pub fn minus(self) -> Operand {
        Operand { neg: !self.neg, ..self }
    }

    /// The low word of each dword, without sign.
    pub fn low_word(self) -> Operand {
        let region = match self.region {
            Region::Immediate(v) => Region::Immediate(v & 0xffff),
            other => other,
        };
        Operand { region, ty: Type::U16, extends: false, ..self }
    }
}

/// Where the result goes: dwords from the start of a register on, or their halves; of one channel a dword or word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct To {
    /// Register.
    pub register: u8,
    /// Byte of channel 0.
    pub byte: u8,
}

/// A type that chips have.
pub(super) fn typed(ty: Type) -> Result<Type, &'static str> {
    match ty {
        Type::U32 | Type::S32 | Type::U16 | Type::S16 | Type::F32 => Ok(ty),
        _ => Err("types of chips are UD, D, UW, W and F"),
    }
}

/// Register and byte in it of a general register.
fn general(start: Start) -> Result<(u8, u8), &'static str> {
    match start {
        Start::General(byte) => Ok(((byte / REGISTER) as u8, (byte % REGISTER) as u8)),
        Start::Indirect { .. } => Err("chips have no indirect operands"),
        Start::Special(..) => Err("operands of chips are general registers"),
    }
}

/// A number of a type, extended.
fn extended(v: u32, ty: Type) -> u32 {
    match ty {
        Type::U16 => v & 0xffff,
        Type::S16 => v as u16 as i16 as u32,
        _ => v,
    }
}

/// From channel to channel a region goes on by so many elements, whatever its rows: `<8;8,1>` as `<4;4,1>`.
fn is_even(step: Step, by: u32) -> bool {
    match step {
        Step::Rows { vertical, width: 1, horizontal: 0 } => vertical == by,
        Step::Rows { vertical, width, horizontal } => {
            (2..=16).contains(&width) && horizontal == by && vertical == by * width
        }
        _ => false,
    }
}

/// A source of an instruction with one channel, or with 16.
pub(super) fn operand(s: &Source, one: bool, sixteen: bool) -> Result<Operand, &'static str> {
    let ty = typed(s.kind)?;
    let words = ty.bits() == 16;
    let (start, step) = match s.from {
        From::Immediate(all) => {
            return Ok(Operand::number(extended(all[0], ty), ty));
        }
        From::Region(start, step) => (start, step),
    };
    let (register, byte) = general(start)?;
    let row = Region::Row { register, byte };
    let region = match step {
        Step::Rows { vertical: 0, width: 1, horizontal: 0 } => Region::Scalar { register, byte },
        _ if one => return Err("sources of one channel are scalars"),
        _ if !words && byte == 0 && is_even(step, 1) => row,
        _ if words && byte <= 2 && is_even(step, 2) => row,
        _ if words && (byte == 0 || byte == HALF && !sixteen) && is_even(step, 1) => Region::Packed { register, byte },
        Step::Groups { vertical: 4, components: [0, 1, 2, 3] } if !words && byte == 0 => row,
        Step::Groups { .. } => return Err("chips do not swizzle"),
        _ => return Err("regions of chips are rows, packed words and scalars"),
    };
    Ok(Operand { region, ty, extends: ty == Type::S16, neg: s.neg, abs: s.abs })
}

/// The destination of an instruction, of one channel or more; `None`: it is null.
pub(super) fn destination(d: &Destination, one: bool) -> Result<Option<To>, &'static str> {
    let ty = typed(d.kind)?;
    if matches!(d.start, Start::Special(Special::Null, _)) {
        return Ok(None);
    }
    let (register, byte) = general(d.start)?;
    let to = Some(To { register, byte });
    match (ty.bits(), d.stride, byte) {
        _ if d.channels != 15 => Err("chips write all components"),
        _ if one => Ok(to),
        (16, 2, 0 | 2) | (32, 1, 0) => Ok(to),
        _ => Err("destinations of chips are rows of dwords, or of their halves"),
    }
}
