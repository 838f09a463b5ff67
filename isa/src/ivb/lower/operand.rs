//! Operands as typed values: element type, where the region begins, how it steps.

use crate::ivb::fields::{
    self, three, Source as Coded, Third, DST_ADDRESS, DST_CHANNELS, DST_FILE, DST_HALF, DST_INDIRECT, DST_OFFSET,
    DST_OFFSET_HIGH, DST_REG, DST_STRIDE, DST_SUB, DST_TYPE,
};
use crate::ivb::operand::{ARCHITECTURE, IMMEDIATE, REGISTER};
use crate::ivb::table::names;
use crate::set::Field;
use crate::uop::{Type, Unimplemented};

/// Type of the elements of a name of the pages; a vector of immediates has that of its elements.
fn type_of(name: &str) -> Type {
    match name {
        "UB" => Type::U8,
        "B" => Type::S8,
        "UW" | "UV" => Type::U16,
        "W" | "V" => Type::S16,
        "D" => Type::S32,
        "F" | "VF" => Type::F32,
        "DF" => Type::F64,
        _ => Type::U32,
    }
}

/// A register outside the general file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// Reads 0, keeps nothing.
    Null,
    /// Address register, 8 elements of 16 bits.
    Address,
    /// Accumulator 0 or 1.
    Accumulator(u8),
    /// Flag register 0 or 1, 32 bits.
    Flag(u8),
    /// State register.
    State,
    /// Control register.
    Control,
    /// Notification count 0 to 2, 32 bits.
    Notification(u8),
    /// Address of the instruction, 32 bits.
    Ip,
    /// Threads that this one depends on, 8 words: none, so 0; read only.
    Dependencies,
    /// Clock: low dword, high dword, 0; read only.
    Timestamp,
}

/// Where a region begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Byte address in the general registers.
    General(u32),
    /// Byte of another register.
    Special(Special, u32),
    /// Byte address in the general registers: element of a0, and bytes to add.
    Indirect {
        /// Element of a0; that of the first row where each row has one.
        element: u8,
        /// Bytes, -512 to 511.
        offset: i32,
    },
}

/// Which element of its region a channel reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Rows of `width` elements: `<vertical; width, horizontal>` in elements.
    Rows {
        /// From row to row.
        vertical: u32,
        /// Elements of a row.
        width: u32,
        /// From element to element.
        horizontal: u32,
    },
    /// The same, each row with its own element of a0.
    Each {
        /// Elements of a row.
        width: u32,
        /// From element to element.
        horizontal: u32,
    },
    /// Groups of four channels, each taking one of the four components of its group.
    Groups {
        /// From group to group.
        vertical: u32,
        /// Component of each channel of a group, 0 to 3.
        components: [u8; 4],
    },
}

/// Where a source comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Immediates, raw bits of the type: channel i has the one at i modulo 8.
    Immediate([u32; 8]),
    /// A region.
    Region(Start, Step),
}

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it comes from.
    pub from: From,
    /// Type of its elements.
    pub kind: Type,
    /// Absolute value, before the minus.
    pub abs: bool,
    /// Minus.
    pub neg: bool,
}

/// A destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Where channel 0 of the operation writes.
    pub start: Start,
    /// Type of its elements.
    pub kind: Type,
    /// Elements from channel to channel.
    pub stride: u32,
    /// Bit n: the channels n modulo 4 are written.
    pub channels: u8,
}

/// The register outside the general file of a number.
fn special(number: u64) -> Result<Special, Unimplemented> {
    let low = (number & 15) as u8;
    match number & 0xf0 {
        0x00 => Ok(Special::Null),
        0x10 => Ok(Special::Address),
        0x20 => Ok(Special::Accumulator(low)),
        0x30 => Ok(Special::Flag(low)),
        0x70 => Ok(Special::State),
        0x80 => Ok(Special::Control),
        0x90 => Ok(Special::Notification(low)),
        0xa0 => Ok(Special::Ip),
        0xb0 => Ok(Special::Dependencies),
        0xc0 => Ok(Special::Timestamp),
        _ => Err(Unimplemented("an architecture register without meaning")),
    }
}

/// A direct start: register file, register, byte in it.
fn direct(file: u64, reg: u64, sub: u32) -> Result<Start, Unimplemented> {
    match file {
        ARCHITECTURE => Ok(Start::Special(special(reg)?, sub)),
        _ => Ok(Start::General(reg as u32 * REGISTER + sub)),
    }
}

fn on(field: Field, bits: u128) -> bool {
    field.get(bits) == 1
}

/// The destination of a one- or two-source instruction.
pub fn destination(bits: u128, align16: bool) -> Result<Destination, Unimplemented> {
    let start = if on(DST_INDIRECT, bits) {
        Start::Indirect {
            element: DST_ADDRESS.get(bits) as u8,
            offset: match align16 {
                true => DST_OFFSET_HIGH.get_signed(bits) as i32 * 16,
                false => DST_OFFSET.get_signed(bits) as i32,
            },
        }
    } else {
        let sub = match align16 {
            true => DST_HALF.get(bits) as u32 * 16,
            false => DST_SUB.get(bits) as u32,
        };
        direct(DST_FILE.get(bits), DST_REG.get(bits), sub)?
    };
    Ok(Destination {
        start,
        kind: type_of(names::TYPES[DST_TYPE.get(bits) as usize & 7]),
        stride: match align16 {
            true => 1,
            false => names::HORIZONTAL[DST_STRIDE.get(bits) as usize & 3],
        },
        channels: match align16 {
            true => DST_CHANNELS.get(bits) as u8,
            false => 15,
        },
    })
}

/// The destination of a three-source instruction.
pub fn third_destination(bits: u128) -> Destination {
    let sub = three::SUB.get(bits) as u32 * 4;
    Destination {
        start: Start::General(three::REG.get(bits) as u32 * REGISTER + sub),
        kind: type_of(names::THREE[three::DST_TYPE.get(bits) as usize & 3]),
        stride: 1,
        channels: three::CHANNELS.get(bits) as u8,
    }
}

/// A source of a one- or two-source instruction.
pub fn source(s: &Coded, bits: u128, align16: bool) -> Result<Source, Unimplemented> {
    let code = s.kind.get(bits) as usize & 7;
    if s.file.get(bits) == IMMEDIATE {
        let name = names::IMMEDIATES[code];
        return Ok(Source {
            from: From::Immediate(immediates(name, bits)),
            kind: type_of(name),
            abs: false,
            neg: false,
        });
    }
    let start = if on(s.indirect, bits) {
        Start::Indirect {
            element: s.address.get(bits) as u8,
            offset: match align16 {
                true => s.offset_high.get_signed(bits) as i32 * 16,
                false => s.offset.get_signed(bits) as i32,
            },
        }
    } else {
        let sub = match align16 {
            true => s.half.get(bits) as u32 * 16,
            false => s.sub.get(bits) as u32,
        };
        direct(s.file.get(bits), s.reg.get(bits), sub)?
    };
    let code_of_rows = s.vertical.get(bits);
    let vertical = names::VERTICAL.get(code_of_rows as usize).copied();
    let vertical = vertical.unwrap_or(0);
    let step = if align16 {
        Step::Groups { vertical, components: s.swizzle.map(|f| f.get(bits) as u8) }
    } else {
        let width = 1 << s.width.get(bits);
        let horizontal = names::HORIZONTAL[s.horizontal.get(bits) as usize & 3];
        match code_of_rows {
            names::EACH => Step::Each { width, horizontal },
            _ => Step::Rows { vertical, width, horizontal },
        }
    };
    Ok(Source {
        from: From::Region(start, step),
        kind: type_of(names::TYPES[code]),
        abs: on(s.abs, bits),
        neg: on(s.neg, bits),
    })
}

/// A source of a three-source instruction.
pub fn third(s: &Third, bits: u128) -> Source {
    let start = Start::General(s.reg.get(bits) as u32 * REGISTER + s.sub.get(bits) as u32 * 4);
    let four = s.swizzle.get(bits);
    let step = match on(s.replicate, bits) {
        true => Step::Rows { vertical: 0, width: 1, horizontal: 0 },
        false => Step::Groups { vertical: 4, components: [0, 2, 4, 6].map(|n| (four >> n & 3) as u8) },
    };
    Source {
        from: From::Region(start, step),
        kind: type_of(names::THREE[three::SRC_TYPE.get(bits) as usize & 3]),
        abs: on(s.abs, bits),
        neg: on(s.neg, bits),
    }
}

/// The elements of an immediate of a type, one a channel.
fn immediates(name: &str, bits: u128) -> [u32; 8] {
    let raw = fields::IMMEDIATE.get(bits) as u32;
    let nibble = |n: usize| raw >> (4 * n) & 15;
    match name {
        "UV" => std::array::from_fn(nibble),
        "V" => std::array::from_fn(|n| (nibble(n) as i32) << 28 >> 28).map(|v| v as u32),
        "VF" => std::array::from_fn(|n| small_float((raw >> (8 * (n % 4))) as u8)),
        _ => [raw; 8],
    }
}

/// The f32 of a float of 8 bits: sign, exponent with bias 3, four bits of fraction; 0 is zero.
fn small_float(v: u8) -> u32 {
    let sign = u32::from(v >> 7) << 31;
    match v & 0x7f {
        0 => sign,
        v => sign | (u32::from(v >> 4) + 127 - 3) << 23 | u32::from(v & 15) << 19,
    }
}
