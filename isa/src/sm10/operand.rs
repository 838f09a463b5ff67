//! Operands of a decoded instruction: registers, immediates, references to memory.

/// Size and extension of one memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemSize {
    /// One byte, zero-extended.
    U8,
    /// One byte, sign-extended.
    S8,
    /// Two bytes, zero-extended.
    U16,
    /// Two bytes, sign-extended.
    S16,
    /// Four bytes.
    B32,
    /// Eight bytes, two consecutive registers.
    B64,
    /// Sixteen bytes, four consecutive registers.
    B128,
}

impl MemSize {
    /// Bytes of one access by one thread.
    pub const fn bytes(self) -> u32 {
        match self {
            MemSize::U8 | MemSize::S8 => 1,
            MemSize::U16 | MemSize::S16 => 2,
            MemSize::B32 => 4,
            MemSize::B64 => 8,
            MemSize::B128 => 16,
        }
    }

    /// Registers read or written by one thread (1, 2 or 4).
    pub const fn regs(self) -> u8 {
        match self {
            MemSize::B64 => 2,
            MemSize::B128 => 4,
            _ => 1,
        }
    }

    /// True for the sizes that sign-extend (`S8`, `S16`).
    pub const fn is_signed(self) -> bool {
        matches!(self, MemSize::S8 | MemSize::S16)
    }
}

/// Reference to shared, constant or local memory: byte address = (`$a` + offset) mod 2^16.
///
/// With `post_inc` the address is `$a` alone and `$a` becomes (`$a` + offset) mod 2^16 afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemRef {
    /// Address register `$a1`..`$a7`; 0 = none (reads 0).
    pub areg: u8,
    /// Offset in bytes, sign-extended where the table says signed.
    pub offset: i32,
    /// Post-increment form.
    pub post_inc: bool,
    /// Size of the access.
    pub size: MemSize,
}

impl MemRef {
    /// The access at byte `offset`, without address register.
    pub const fn absolute(offset: i32, size: MemSize) -> MemRef {
        MemRef { areg: 0, offset, post_inc: false, size }
    }
}

/// Destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dst {
    /// Nothing is written (stores, control).
    None,
    /// 32-bit register.
    Reg(u8),
    /// Half register, 2 * register + (1 for the high half).
    Half(u8),
    /// Two consecutive registers from the named one (64 bits).
    Pair(u8),
    /// Four consecutive registers from the named one (128 bits).
    Quad(u8),
    /// Address register `$a0`..`$a7` (16 bits); writes to `$a0` are dropped.
    Addr(u8),
    /// Flag register `$c0`..`$c3` (R2C).
    Cc(u8),
    /// `o[0x7f]`: the result is dropped, flags are still written.
    Discard,
    /// Another `o[]` output (graphics): traps. Holds the 7-bit field.
    Out(u8),
}

/// Source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// No operand.
    None,
    /// 32-bit register.
    Reg(u8),
    /// Half register, 2 * register + (1 for the high half).
    Half(u8),
    /// Immediate, zero-extended to 32 bits.
    Imm(u32),
    /// Shared memory (`g [..]` in the assembly dialect).
    Shared(MemRef),
    /// Constant memory.
    Const {
        /// Bank 0..=15.
        bank: u8,
        /// Address in the bank.
        at: MemRef,
    },
    /// Address register `$a0`..`$a7`.
    Addr(u8),
    /// Flag register `$c0`..`$c3`.
    Cc(u8),
    /// Special register 0..=15, see [`SPECIAL_NAMES`](crate::sm10::arch::SPECIAL_NAMES).
    Special(u8),
}
