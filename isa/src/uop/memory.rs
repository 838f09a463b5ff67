//! Memory accesses.

use super::Type;

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
        }
    }

    /// Elements that are moved.
    pub const fn count(&self) -> u32 {
        self.elements.count_ones()
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
