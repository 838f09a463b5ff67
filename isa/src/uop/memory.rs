//! Memory accesses.

use super::{Round, Type};

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Of the whole grid.
    Global,
    /// Of a block.
    Shared,
    /// Of a thread.
    Local,
    /// Constant bank.
    Constant(u8),
    /// A buffer of the launch by its number: addresses begin at its start and end with it.
    Buffer(u8),
}

/// How a register has an element of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Its bits.
    #[default]
    Plain,
    /// n of b bits is the float n / (2^b - 1).
    Unorm,
    /// Signed n is the float n / (2^(b - 1) - 1), -1 at least.
    Snorm,
    /// A byte is an intensity of sRGB, as a linear float; component 3 is as in [`Format::Unorm`].
    Srgb,
    /// A word is three floats of 10 bits and one of 2 as in [`Format::Unorm`], the first lowest.
    Rgb10A2,
    /// A word is three floats without sign of 5 bits of exponent and 6, 6, 5 of fraction.
    Rg11B10 {
        /// How they are rounded.
        round: Round,
    },
    /// A word is three fractions of 9 bits with one exponent of 5.
    Rgb9E5 {
        /// How the fractions are rounded; [`Round::Nearest`]: half a unit up.
        round: Round,
    },
}

impl Format {
    /// Registers of one element, where it is several of them.
    pub const fn packed(&self) -> Option<u32> {
        match self {
            Format::Rgb10A2 => Some(4),
            Format::Rg11B10 { .. } | Format::Rgb9E5 { .. } => Some(3),
            _ => None,
        }
    }
}

/// What a load, store or atomic moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Memory.
    pub space: Space,
    /// Element in memory; a load extends it to the type of the micro-operation.
    pub element: Type,
    /// Bit c: the element at address + c * size is moved. Registers follow each other without gaps.
    pub elements: u8,
    /// The address is a multiple of so many bytes, else the access traps.
    pub align: u8,
    /// Type of the address: the sum of the sources is truncated to it.
    pub address: Type,
    /// What registers have of the elements.
    pub format: Format,
}

impl Access {
    /// `count` elements in a row, aligned to all of them, at an address of 32 bits.
    pub const fn row(space: Space, element: Type, count: u8) -> Access {
        Access {
            space,
            element,
            elements: ((1u16 << count) - 1) as u8,
            align: element.bytes() as u8 * count,
            address: Type::U32,
            format: Format::Plain,
        }
    }

    /// Elements that are moved.
    pub const fn count(&self) -> u32 {
        self.elements.count_ones()
    }

    /// Values in registers.
    pub const fn values(&self) -> u32 {
        match self.format.packed() {
            Some(n) => n,
            None => self.count(),
        }
    }
}

/// Function of an atomic or of a fold, of old value and operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Sum.
    Add,
    /// Old minus operand.
    Sub,
    /// Operand minus old.
    ReverseSub,
    /// Product.
    Mul,
    /// Smaller.
    Min,
    /// Larger.
    Max,
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
    /// Old + 1, 0 if old >= operand.
    IncrementWrap,
    /// Old - 1, the operand if old = 0 or old > operand.
    DecrementWrap,
    /// Operand.
    Exchange,
    /// Second operand if old equals the first.
    CompareExchange,
}

impl AtomicOp {
    /// Operands beside the address.
    pub const fn operands(self) -> usize {
        match self {
            AtomicOp::CompareExchange => 2,
            _ => 1,
        }
    }

    /// The new value of an atomic or a fold of integers; `second` is what a compare-and-exchange stores.
    pub fn combine(self, ty: Type, old: u64, operand: u64, second: u64) -> u64 {
        let number = |v| ty.integer(v);
        let (a, b) = (number(old), number(operand));
        let new = match self {
            AtomicOp::Add => a + b,
            AtomicOp::Sub => a - b,
            AtomicOp::ReverseSub => b - a,
            AtomicOp::Mul => a * b,
            AtomicOp::Min => a.min(b),
            AtomicOp::Max => a.max(b),
            AtomicOp::And => a & b,
            AtomicOp::Or => a | b,
            AtomicOp::Xor => a ^ b,
            AtomicOp::IncrementWrap if a >= b => 0,
            AtomicOp::IncrementWrap => a + 1,
            AtomicOp::DecrementWrap if a == 0 || a > b => b,
            AtomicOp::DecrementWrap => a - 1,
            AtomicOp::Exchange => b,
            AtomicOp::CompareExchange if a == b => number(second),
            AtomicOp::CompareExchange => a,
        };
        new as u64 & ty.mask()
    }
}
