//! The decoded instruction, used by assembler, decoder and machines.
//!
//! An [`Instr`] holds the row of [`ROWS`](crate::sm10::table::ROWS) it belongs to, the operation with its
//! modifiers, and the operands in reading order. It holds every bit of a word except those that a row
//! names as reserved or ignored.

use crate::sm10::op::Op;
use crate::sm10::operand::{Dst, Src};
pub use crate::sm10::types::*;

/// Threads in a warp.
pub const WARP_SIZE: usize = 32;

/// Guard of an instruction: a condition code (5 bits) on a flag register `$c0`..`$c3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    /// Condition, 0..=31; 15 is always, 0x14..=0x1b are undefined and refused by the decoder.
    pub code: u8,
    /// Flag register, 0..=3. A long add with carry takes its carry from here too.
    pub creg: u8,
}

impl Pred {
    /// Always true, on `$c0`: the guard of every form without a predicate field.
    pub const ALWAYS: Pred = Pred { code: 15, creg: 0 };

    /// True when the condition is code 15 (the flag register does not matter to the guard).
    pub const fn is_always(self) -> bool {
        self.code == 15
    }

    /// True when the condition depends on the flags (0 is never, 15 always).
    pub const fn reads_flags(self) -> bool {
        self.code != 0 && self.code != 15
    }
}

/// One decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instr {
    /// Index of the row in [`ROWS`](crate::sm10::table::ROWS).
    pub form: u8,
    /// Operation and modifiers.
    pub op: Op,
    /// True for 8-byte words.
    pub long: bool,
    /// Marker of a long normal instruction.
    pub marker: Marker,
    /// Guard; [`Pred::ALWAYS`] for forms without one.
    pub pred: Pred,
    /// Destination.
    pub dst: Dst,
    /// Flag register written, 0..=3.
    pub cdst: Option<u8>,
    /// Sources, in the order of the operation's formula.
    pub src: [Src; 3],
}

impl Instr {
    /// Size of the encoded instruction in bytes, 4 or 8.
    pub const fn bytes(&self) -> u32 {
        if self.long {
            8
        } else {
            4
        }
    }

    /// The row of the instruction table this instruction belongs to.
    pub fn row(&self) -> &'static crate::sm10::table::Form {
        &crate::sm10::table::ROWS[self.form as usize]
    }
}
