//! What the rows of the instruction table ask for: every field of the control word as the or of what
//! its rows want.

use super::row_field::{gather, row_fields, RowField};
use crate::rtl::prelude::*;
use warpsmith_isa::table::{Field, SrcSlot};

row_fields! {
    // Guard, marker, flags.
    /// The form has a guard condition.
    predicated: 1,
    /// Marker of a long word: 1 exit, 2 join.
    marker: 2,
    /// The form can write a flag register.
    has_cdst: 1,
    /// R2C writes flags whatever the word says.
    r2c: 1,
    /// Flags are bits 3:0 of the result.
    flags_from_y: 1,
    /// The flag register read is the operand, not the guard.
    cc_is_44: 1,
    /// `vote`.
    vote: 2,
    /// The addition kind may ask for a carry.
    may_carry: 1,

    // What the units do, see `AluControl`.
    unit: 4,
    w16: 1,
    alu_kind: 2,
    sat: 1,
    signed_a: 1,
    signed_b: 1,
    mul24: 1,
    high: 1,
    accumulate: 1,
    cond: 3,
    right: 1,
    logic: 2,
    not_a: 1,
    not_b: 1,
    from: 3,
    to: 3,
    neg: 1,
    abs: 1,
    neg_b: 1,
    round: 2,
    real: 1,
    unordered: 1,
    abs_b: 1,
    /// The special-function units compute the result.
    sfu: 1,
    /// … or the unit for floats of 64 bits.
    double: 1,
    /// Its operands are pairs of registers.
    wide: 1,

    // First operand.
    /// The form has one.
    has_a: 1,
    /// `source1`, where the form alone says it.
    s1_kind: 3,
    /// It is 16 bits wide.
    s1_half: 1,
    /// A short or immediate word says whether it is shared memory.
    s1_short: 1,
    /// It and the second operand cannot both come from memory.
    s1_exclusive: 1,
    /// A long word says whether it is shared memory.
    s1_long: 1,
    /// It is that of a conversion, its size in the word.
    cvt: 1,

    // Second operand.
    has_b: 1,
    s2_half: 1,
    /// Short form: bit 0 it may be a constant, bit 1 of 16 bits.
    b_s2: 2,
    /// The same of the long form.
    b_l2: 2,
    /// It may be a shift count in the word.
    b_count: 1,
    /// It is the immediate.
    b_imm: 1,
    /// The immediate, where it is not the 32 bits of an immediate word.
    imm: 32,
    /// The immediate is the 32 bits of an immediate word.
    imm_full: 1,
    /// It is a constant with an offset of 16 bits.
    const_far: 1,
    /// … and without an address register.
    fixed_address: 1,

    // Third operand.
    has_c: 1,
    s3_half: 1,
    /// Long form: bit 0 it may be a constant, bit 1 of 16 bits.
    l3: 2,
    /// The third slot of the word holds the second operand.
    l3_is_b: 1,
    /// The second or third slot of a long word may be a constant.
    l23: 1,
    /// It is the destination register.
    acc: 1,
    /// Data of a store, its size in the word.
    store_sized: 1,
    /// Data of a store, whole or half register by the word.
    store_sel: 1,
    /// It stands in the second slot of the word.
    atomic_data: 1,

    // Memory.
    /// `memory`.
    mem: 3,
    /// Access size, see `Control::mem_size`.
    mem_size: 3,
    /// The access size stands in the word.
    sized: 1,
    /// Operand with an offset of 16 bits: bit 2, and in 1:0 its size as `Control::s1_size`.
    far: 3,
    /// The address register addresses shared or local memory.
    address_memory: 1,
    /// A load takes a lock, a store frees it.
    lock: 1,

    // Destination.
    /// Its number has 7 bits in an immediate word.
    d_seven: 1,
    /// A general register,
    d_gpr: 1,
    /// … two of them,
    d_pair: 1,
    /// … half of one,
    d_half: 1,
    /// … whole or half by the word,
    d_sel: 1,
    /// … or none by the word.
    d_out: 1,
    /// An address register.
    d_areg: 1,
    /// The word says which lanes of a quad write.
    has_quad: 1,
    /// … these.
    quad: 4,

    // Control flow and traps.
    /// `flow`.
    flow: 3,
    bar: 1,
    breakpoint: 1,
    /// TRAP.
    stop: 1,
    /// The chip lacks what the form asks for.
    unimplemented: 1,
}

/// A field of the instruction word.
pub(super) fn bits_of(w: &Expr, f: Field) -> Expr {
    let runs = [f.lo, f.hi];
    gather(w, &runs[..if f.hi.1 == 0 { 1 } else { 2 }])
}

/// An operand of the lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    A,
    B,
    C,
}

/// The operand that source slot `index` of a form gives, if it gives one.
pub(super) fn operand_of(index: usize, slot: SrcSlot) -> Option<Operand> {
    Some(match slot {
        SrcSlot::No => return None,
        SrcSlot::Imm32 | SrcSlot::Imm16 | SrcSlot::Imm12 | SrcSlot::Imm10 => Operand::B,
        SrcSlot::ConstFar | SrcSlot::ConstFarFixed => Operand::B,
        SrcSlot::StoreSel | SrcSlot::StoreSized | SrcSlot::AtomicData => Operand::C,
        _ => [Operand::A, Operand::B, Operand::C][index],
    })
}

/// A half-register field of 7 bits: register number and which half.
pub(super) fn half_register(raw: &Expr) -> (Expr, Expr) {
    (raw.bits(1, 6).zext(7), raw.bit(0))
}

/// Byte offset of `raw` units of `1 << shift` bytes; negative only where `signed` says so.
pub(super) fn offset(raw: &Expr, shift: usize, signed: &Expr) -> Expr {
    let fill = signed & &raw.msb();
    let body = if shift == 0 { raw.clone() } else { cat([raw, &zero(shift)]) };
    if body.width() >= 16 {
        return body.bits(0, 16);
    }
    cat([&fill.repeat(16 - body.width()), &body])
}

/// `raw` scaled by the size code `mode` (0 bytes, 1 and 2 halves, 3 words).
pub(super) fn scaled(raw: &Expr, mode: &Expr, signed: &Expr) -> Expr {
    let half = mode.is(1) | mode.is(2);
    mode.is(3).mux(&offset(raw, 2, signed), &half.mux(&offset(raw, 1, signed), &offset(raw, 0, signed)))
}
