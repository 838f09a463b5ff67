//! The table of Ivy Bridge: one row an opcode; its format and the modes of its operands give the layout.
//!
//! Origin: the opcode pages of the seed (PRM volume 4 part 3) as collected and checked against Mesa's gen7
//! assembler (docs/instruction-sets.md, "Origin of the facts").

pub mod entries;
pub mod names;
mod opcodes;

use std::sync::LazyLock;

use crate::set::Status;
pub use opcodes::OPS;

/// Operands of an opcode and where they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One source, register or immediate.
    One,
    /// Two sources, the second register or immediate.
    Two,
    /// As [`Format::Two`], a function in place of the condition.
    Math,
    /// A notification register, both destination and source.
    Wait,
    /// A branch with one distance, JIP.
    Jip,
    /// A branch with two, JIP and UIP.
    JipUip,
    /// A jump by the second source, from and to `ip`.
    Jump,
    /// The same, with a destination for the way back.
    Call,
    /// A message: the first source is its payload, the second its descriptor.
    Send,
    /// Three sources, align16.
    Three,
    /// Nothing but the opcode.
    Bare,
}

impl Format {
    /// True where the text has a destination.
    pub fn destination(self) -> bool {
        use Format::*;
        matches!(self, One | Two | Math | Wait | Call | Send)
    }

    /// True where the text has the source `n` of a one- or two-source instruction.
    pub fn source(self, n: usize) -> bool {
        use Format::*;
        match n {
            0 => matches!(self, One | Two | Math | Send),
            _ => matches!(self, Two | Math | Jump | Call | Send),
        }
    }

    /// True where bits 111:96 are a branch distance.
    pub fn branches(self) -> bool {
        matches!(self, Format::Jip | Format::JipUip)
    }

    /// True where there is a compact encoding.
    pub fn compacts(self) -> bool {
        use Format::*;
        matches!(self, One | Two | Math | Wait | Send)
    }
}

/// The opcode takes a predicate.
pub const PREDICATE: u8 = 1;
/// It saturates.
pub const SATURATE: u8 = 2;
/// It has a condition modifier.
pub const CONDITION: u8 = 4;
/// Its sources have modifiers.
pub const SOURCE_MODIFIER: u8 = 8;

/// One opcode.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Name and mnemonic.
    pub name: &'static str,
    /// Bits 6:0.
    pub opcode: u8,
    /// Section of its page in Intel's manual.
    pub section: &'static str,
    /// Format.
    pub format: Format,
    /// Any of [`PREDICATE`], [`SATURATE`], [`CONDITION`], [`SOURCE_MODIFIER`].
    pub takes: u8,
    /// Types of the sources as the pages name them (vectors have others too).
    pub sources: &'static str,
    /// Types of the destination.
    pub destinations: &'static str,
    /// What is known about the meaning.
    pub status: Status,
    /// Meaning.
    pub sem: &'static str,
}

/// Row constructor, arguments in column order.
const fn row(
    name: &'static str, opcode: u8, section: &'static str, format: Format, takes: u8, status: Status,
    sources: &'static str, destinations: &'static str, sem: &'static str,
) -> Op {
    Op { name, opcode, section, format, takes, sources, destinations, status, sem }
}

/// Row of each opcode.
static ROWS: LazyLock<[Option<u8>; 128]> = LazyLock::new(|| {
    let mut rows = [None; 128];
    for (row, op) in OPS.iter().enumerate() {
        rows[usize::from(op.opcode)] = Some(row as u8);
    }
    rows
});

/// Row of the opcode in bits 6:0.
pub fn row_of(bits: u128) -> Option<usize> {
    ROWS[(bits & 0x7f) as usize].map(usize::from)
}
