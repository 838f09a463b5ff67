//! What the control word of Ivy Bridge has beside the others: channels, regions, flags, branches.
//!
//! A thread is a warp of 16 channels. A general register is 8 dwords; register numbers of the control word are those
//! of the set, `Control::r1` to `r3` and `dst`.

use crate::rtl::{any_of, cat, zero, Expr};
use crate::sm::dims::Dims;
use crate::{codes, packed};
pub use warpsmith_isa::ivb::{DWORDS, REGISTERS};

/// Low bits of a program address that are 0.
pub const ALIGN: usize = 3;

/// Places of the filter of addresses at which channels wait: address / 8 modulo so many.
pub const FILTER: usize = 32;

/// Channels of an instruction (`ChannelControl::size`).
pub mod size {
    /// Channel 0 alone: every operand is a scalar.
    pub const ONE: u64 = 0;
    /// Four: a block message of one unit.
    pub const FOUR: u64 = 1;
    /// Eight.
    pub const EIGHT: u64 = 2;
    /// Sixteen: dwords take two registers.
    pub const SIXTEEN: u64 = 3;
}

/// Which part of its registers a channel reads (`ChannelControl::region1` to `region3`). Channels count from the first
/// of the instruction.
pub mod region {
    /// Channel i has dword i: `<8;8,1>` of dwords. `Control::s1_half` and its like say that it is a half of it:
    /// `<16;8,2>` of words.
    pub const ROW: u64 = 0;
    /// Channel i has word i, from the first or with `sub` = 4 from the ninth on: `<8;8,1>`, `<16;16,1>` of words.
    pub const PACKED: u64 = 1;
    /// Every channel has dword `sub`, or a half of it: `<0;1,0>`.
    pub const SCALAR: u64 = 2;
}

/// A word of each channel that a step of an instruction leaves to a later one (`ChannelControl::kept1` to `kept3`; a bit
/// each of `keeps`).
pub mod kept {
    /// None: the operand is a register or the immediate.
    pub const NONE: u64 = 0;
    /// The first, T.
    pub const T: u64 = 1;
    /// The second, U.
    pub const U: u64 = 2;
}

/// Constants in place of operands, and what stands twice (`ChannelControl::constants`).
pub mod constants {
    /// None.
    pub const NONE: u64 = 0;
    /// Operand c is all ones, d is 0: a comparison gives all ones or 0.
    pub const TRUTH: u64 = 1;
    /// Operand c is a, d is b: a selection.
    pub const SAME: u64 = 2;
    /// Operand a is all ones, c is 0, after `field` has read it: a mask.
    pub const MASK: u64 = 3;
}

codes! { "CHANNEL":
/// Control flow (`Control::flow` of Ivy Bridge). `target` and `hop` are its two addresses, `next` that behind it;
/// "goes on" is where the thread's pointer goes. Channels of the instruction that execute are taken.
pub mod flow {
    /// None: channels go to `next`; those that wait there join.
    pub const NONE: u64 = 0;
    /// Taken to `next`, others to `target`; goes on at `next` if a channel is there, else at `target`.
    pub const IF: u64 = 1;
    /// All to `target`; goes on at `next` if a channel is there, else at `target`.
    pub const ELSE: u64 = 2;
    /// All to `next`; goes on there if a channel is there, else at `hop`.
    pub const ENDIF: u64 = 3;
    /// Taken to `target`, others to `next`; goes on there if a channel is there, else at `hop` (break, cont, halt, brc).
    pub const LEAVE: u64 = 4;
    /// Taken to `target`, others to `next`; goes on at `target` if one is taken, else at `next`.
    pub const WHILE: u64 = 5;
    /// Taken to `target`, others to `next`; goes on there if a channel is there, else at `target`.
    pub const DIVERGE: u64 = 6;
    /// All to `target` if a channel executes, else to `next`.
    pub const JUMP: u64 = 7;
    /// The thread ends.
    pub const END: u64 = 8;
}
}

/// Bits of a flag that make that of a channel (`ChannelControl::pick`). The flag is `Control::cc`: f0.0, f0.1, f1.0, f1.1.
pub mod pick {
    /// None: always true.
    pub const NONE: u64 = 0;
    /// The channel's own.
    pub const OWN: u64 = 1;
    /// Its own in the flag with even number or in the next one.
    pub const ANY_OF_BOTH: u64 = 2;
    /// … in both.
    pub const ALL_OF_BOTH: u64 = 3;
    /// Some channel of its aligned group of 2, 4, 8, 16: this, 6, 8, 10.
    pub const ANY_2: u64 = 4;
    /// Every one of them: this, 7, 9, 11.
    pub const ALL_2: u64 = 5;
}

/// Flag of a result (`ChannelControl::condition`), compared with 0. The numbers of the instruction word.
pub mod condition {
    /// None is written.
    pub const NONE: u64 = 0;
    /// It is 0.
    pub const ZERO: u64 = 1;
    /// It is not 0, or no number.
    pub const NOT_ZERO: u64 = 2;
    /// Greater.
    pub const GREATER: u64 = 3;
    /// Greater or 0.
    pub const NOT_LESS: u64 = 4;
    /// Less.
    pub const LESS: u64 = 5;
    /// Less or 0.
    pub const NOT_GREATER: u64 = 6;
    /// It is no number.
    pub const UNORDERED: u64 = 9;
}

packed! {
    /// An instruction of Ivy Bridge beside [`Control`](super::Control).
    pub struct ChannelControl(d: &Dims) {
        /// One of [`mod@size`].
        size: 2,
        /// Its first channel is channel 8.
        second: 1,
        /// Channels that are not active take part, too.
        all: 1,
        /// One of [`region`].
        region1: 2,
        /// See [`region`].
        sub1: 3,
        /// 16 bits are extended by their sign.
        extend1: 1,
        region2: 2,
        sub2: 3,
        extend2: 1,
        region3: 2,
        sub3: 3,
        extend3: 1,
        /// Registers that each operand and the destination take, less one.
        more1: 3,
        more2: 3,
        more3: 3,
        more: 3,
        /// The operand is one of [`kept`], of the first U or none.
        kept1: 1,
        kept2: 2,
        kept3: 2,
        /// The result goes to these of [`kept`], and nowhere else.
        keeps: 2,
        /// Another step of the instruction follows.
        goes_on: 1,
        /// The result is that of channel 0 and goes to dword `to` of the destination.
        scalar: 1,
        to: 3,
        /// One of [`pick`]: channels that execute, or with `chooses` the predicate p1 of the lane, and no mask.
        pick: 4,
        pick_not: 1,
        chooses: 1,
        /// Operand a has its bits in reverse order.
        reverse: 1,
        /// Operand b is {c\[4:0\], b\[4:0\]}: a length in bits 15:8 and a place in 7:0.
        field: 1,
        /// Operand b is (a & b) | (!a & c).
        merge: 1,
        /// One of [`constants`].
        constants: 2,
        /// One of [`condition`].
        condition: 4,
        /// The result is a float, else an integer with or without a sign, of 16 bits where half a register is written.
        is_float: 1,
        is_signed: 1,
        /// Places that the address is shifted to the left: 0, 2, 4.
        scale: 3,
        /// 4 bytes for each channel are added to the address.
        block: 1,
        /// Second address of a branch.
        hop: d.pc,
    }
}

/// Registers that the passes before this one take, 7 bits; `sixteen`: two each.
pub fn registers_of_pass(pass: &Expr, sixteen: &Expr) -> Expr {
    sixteen.mux(&cat([pass, &zero(1)]).zext(7), &pass.zext(7))
}

impl ChannelControl {
    /// It reads what an earlier step has kept.
    pub fn reads_kept(&self) -> Expr {
        any_of(&[self.kept1.clone(), self.kept2.any(), self.kept3.any()])
    }

    /// It has sixteen channels: a row of dwords takes two registers.
    pub fn is_sixteen(&self) -> Expr {
        self.size.is(size::SIXTEEN)
    }
}
