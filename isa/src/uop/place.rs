//! Where operands are, and how a source is read.

use super::{Pick, Type};

/// Where a value is. The type it is read or written with says how many bytes it has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Nowhere: a result that is dropped; reads 0.
    None,
    /// Bytes of the lane's registers from byte `byte` of register `index` on. The unit of a register
    /// is the set's; a value wider than what is left of the register goes on in the next.
    Register {
        /// Register.
        index: u16,
        /// Byte in it.
        byte: u8,
    },
    /// The same of the registers that all lanes share.
    Uniform {
        /// Register.
        index: u16,
        /// Byte in it.
        byte: u8,
    },
    /// Constant memory.
    Constant {
        /// Bank.
        bank: u8,
        /// Byte in it.
        offset: u32,
    },
    /// The bits of the value itself.
    Immediate(u64),
    /// A number that the machine knows.
    Builtin(Builtin),
    /// A predicate of the lane, one bit.
    Predicate(u8),
    /// One bit a lane of a flag register: register, subregister.
    Flag(u8, u8),
    /// The lane's part of an accumulator.
    Accumulator(u8),
    /// The same as a destination beside the one that the instruction names; the machine can be set to drop it.
    ImpliedAccumulator(u8),
    /// A value that lives for one instruction.
    Temporary(u8),
    /// A region of a register file that the lanes share.
    Region(Region),
    /// The bit that a [`super::Guard`] on a flag register (register, subregister) sees with this pick.
    Picked(u8, u8, Pick),
}

impl Place {
    /// A whole register.
    pub const fn register(index: u16) -> Place {
        Place::Register { index, byte: 0 }
    }
}

/// Region of a byte-addressed register file: lane i, counted from the first of the instruction, has the
/// element at `byte + (i / width) * vertical + (i % width) * horizontal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Register file, the set's number.
    pub file: u8,
    /// Byte of the first element; with `indirect`, the signed bytes added to the address register.
    pub byte: i16,
    /// Bytes between the rows.
    pub vertical: u16,
    /// Elements of a row, 1 or more.
    pub width: u8,
    /// Bytes between the elements of a row.
    pub horizontal: u16,
    /// Address register that holds the byte of the first element.
    pub indirect: Option<u8>,
    /// With `indirect`: every row has an address register of its own.
    pub each_row: bool,
    /// A lane has the element of another lane of its aligned group of four: lane n of a group that of
    /// lane `components[n]`.
    pub components: [u8; 4],
}

/// A dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// First.
    X,
    /// Second.
    Y,
    /// Third.
    Z,
}

/// Lanes in relation to the lane that reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneMask {
    /// Itself.
    Equal,
    /// Lower lanes.
    Less,
    /// Itself and lower lanes.
    LessEqual,
    /// Higher lanes.
    Greater,
    /// Itself and higher lanes.
    GreaterEqual,
}

/// A number that the machine knows, read as 32 bits unless said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Index of the thread in its block.
    Thread(Axis),
    /// Index of the block in the grid.
    Block(Axis),
    /// Threads of a block.
    BlockSize(Axis),
    /// Blocks of the grid.
    GridSize(Axis),
    /// Index of the thread in the grid: block * size + thread.
    GridThread(Axis),
    /// Linear index of the thread in its block, x fastest.
    LinearThread,
    /// Lane in the warp.
    Lane,
    /// Warp in the block.
    Warp,
    /// A mask of lanes.
    Mask(LaneMask),
    /// Instructions the model has executed, low word.
    ClockLow,
    /// High word.
    ClockHigh,
    /// Active lanes of the quad.
    ActiveInQuad,
    /// Active lanes of the warp.
    ActiveInWarp,
    /// Active lanes of the quad below this one.
    RankInQuad,
    /// Active lanes of the warp below this one.
    RankInWarp,
    /// 1 in an active lane.
    IsActive,
    /// Stack pointer of the warp.
    StackPointer,
    /// 0.
    Zero,
}

/// A source: a place, read as a number of a type, with exact modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Src {
    /// Where it is.
    pub place: Place,
    /// Type it is read as.
    pub ty: Type,
    /// Every bit is inverted, first of all.
    pub not: bool,
    /// A denormal float is read as a zero of its sign.
    pub flush: bool,
    /// Magnitude.
    pub abs: bool,
    /// Minus, after the magnitude.
    pub neg: bool,
    /// Integers: times two to this power, last of all, without loss.
    pub shift: u8,
}

impl Src {
    /// A place without modifiers.
    pub const fn new(place: Place, ty: Type) -> Src {
        Src { place, ty, not: false, flush: false, abs: false, neg: false, shift: 0 }
    }

    /// A whole register.
    pub const fn register(index: u16, ty: Type) -> Src {
        Src::new(Place::register(index), ty)
    }

    /// Bits of a number.
    pub const fn immediate(bits: u64, ty: Type) -> Src {
        Src::new(Place::Immediate(bits), ty)
    }

    /// The same read as another type.
    pub const fn typed(self, ty: Type) -> Src {
        Src { ty, ..self }
    }
}
