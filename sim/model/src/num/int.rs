//! Integer ALU: add family, multiplies, compares, shifts, logic; 16 and 32 bits.
//!
//! Every function takes raw 32-bit operands (16-bit operations use the low half) and gives the
//! result with its flags. 16-bit results are in the low half, upper half zero.
//! Source: docs/integers.md; the vectors of `tests/vectors.rs` check each.

use super::{C, O, S, Z};
use warpsmith_isa::{AddKind, IntType, LogicOp, MulKind, Width};

/// Result and flags of one thread.
pub type Out = (u32, u8);

/// Zero and sign flags of a 32-bit result.
#[inline(always)]
pub fn flags32(r: u32) -> u8 {
    ((r == 0) as u8) | (((r >> 31) as u8) << 1)
}

/// Zero and sign flags of a 16-bit result held in the low half.
#[inline(always)]
pub fn flags16(r: u32) -> u8 {
    ((r & 0xffff == 0) as u8) | ((((r >> 15) & 1) as u8) << 1)
}

/// Zero and sign flags at a width.
#[inline(always)]
pub fn flags_of(width: Width, r: u32) -> u8 {
    match width {
        Width::W16 => flags16(r),
        Width::W32 => flags32(r),
    }
}

/// `a + b`, `a - b`, `b - a` or `a + b + carry`, computed as one addition `a' + b' + c0`.
///
/// Carry is the carry out of that addition (so after a subtraction 1 means no borrow), overflow
/// its signed overflow. With `sat` an overflow gives the nearest signed limit: Z and S follow
/// the limit, C and O stay.
#[inline(always)]
pub fn add32(kind: AddKind, a: u32, b: u32, carry: bool, sat: bool) -> Out {
    let (x, y, c0) = match kind {
        AddKind::Add => (a, b, 0),
        AddKind::Sub => (a, !b, 1),
        AddKind::Subr => (!a, b, 1),
        AddKind::Addc => (a, b, carry as u32),
    };
    let r = x.wrapping_add(y).wrapping_add(c0);
    // Carry and overflow from the bit identities, which vectorise where a 64-bit sum does not.
    let c = ((x & y) | ((x | y) & !r)) >> 31;
    let o = ((x ^ r) & (y ^ r)) >> 31;
    let r = if sat && o != 0 {
        // Both addends have the sign opposite to the wrapped sum.
        if r >> 31 != 0 {
            0x7fff_ffff
        } else {
            0x8000_0000
        }
    } else {
        r
    };
    (r, flags32(r) | ((c as u8) << 2) | ((o as u8) << 3))
}

/// [`add32`] on 16 bits.
#[inline(always)]
pub fn add16(kind: AddKind, a: u32, b: u32, carry: bool, sat: bool) -> Out {
    let (a, b) = (a & 0xffff, b & 0xffff);
    let (x, y, c0) = match kind {
        AddKind::Add => (a, b, 0),
        AddKind::Sub => (a, b ^ 0xffff, 1),
        AddKind::Subr => (a ^ 0xffff, b, 1),
        AddKind::Addc => (a, b, carry as u32),
    };
    let sum = x + y + c0;
    let c = (sum >> 16) & 1;
    let r = sum & 0xffff;
    let o = (((x ^ r) & (y ^ r)) >> 15) & 1;
    let r = if sat && o != 0 {
        if r >> 15 != 0 {
            0x7fff
        } else {
            0x8000
        }
    } else {
        r
    };
    (r, flags16(r) | ((c as u8) << 2) | ((o as u8) << 3))
}

/// FlexGripPlus: `a` plus or minus `b`, plus the carry. With a minus and a carry `b` is negated before it is added.
#[inline(always)]
pub fn sum(width: Width, a: u32, b: u32, neg_b: bool, carry: Option<bool>) -> Out {
    let (kind, b) = match (neg_b, carry) {
        (false, None) => (AddKind::Add, b),
        (true, None) => (AddKind::Sub, b),
        (false, Some(_)) => (AddKind::Addc, b),
        (true, Some(_)) => (AddKind::Addc, b.wrapping_neg()),
    };
    match width {
        Width::W16 => add16(kind, a, b, carry == Some(true), false),
        Width::W32 => add32(kind, a, b, carry == Some(true), false),
    }
}

/// FlexGripPlus: plus or minus `product`, plus or minus `c`. Under two minuses `c` is negated, and the product subtracted.
#[inline(always)]
pub fn signed_sum(product: u32, c: u32, neg_ab: bool, neg_c: bool, sat: bool) -> Out {
    let (kind, c) = match (neg_ab, neg_c) {
        (false, false) => (AddKind::Add, c),
        (false, true) => (AddKind::Sub, c),
        (true, false) => (AddKind::Subr, c),
        (true, true) => (AddKind::Subr, c.wrapping_neg()),
    };
    add32(kind, product, c, false, sat)
}

/// Sign or zero extension of a 16-bit operand.
#[inline(always)]
pub fn ext16(signed: bool, a: u32) -> u32 {
    if signed {
        a as u16 as i16 as i32 as u32
    } else {
        a & 0xffff
    }
}

/// 16 x 16 multiply to 32 bits, each operand signed or unsigned.
#[inline(always)]
pub fn mul16(signed_a: bool, signed_b: bool, a: u32, b: u32) -> u32 {
    ext16(signed_a, a).wrapping_mul(ext16(signed_b, b))
}

/// 24 x 24 multiply to 48 bits; the low 32 bits or, with `high`, bits 47..16.
#[inline(always)]
pub fn mul24(signed: bool, high: bool, a: u32, b: u32) -> u32 {
    if !high {
        // The low 32 bits of the product need 32-bit arithmetic only.
        return if signed {
            ((((a << 8) as i32) >> 8) as u32).wrapping_mul((((b << 8) as i32) >> 8) as u32)
        } else {
            (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff)
        };
    }
    let p = if signed {
        i64::from(((a << 8) as i32) >> 8) * i64::from(((b << 8) as i32) >> 8)
    } else {
        (u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) as i64
    };
    (p >> 16) as u32
}

/// The product of a multiply-add, by its kind.
#[inline(always)]
pub fn mul_kind(kind: MulKind, a: u32, b: u32) -> u32 {
    match kind {
        MulKind::U16 => mul16(false, false, a, b),
        MulKind::S16 => mul16(true, true, a, b),
        MulKind::U24 => mul24(false, false, a, b),
        MulKind::S24 => mul24(true, false, a, b),
        MulKind::HiU24 => mul24(false, true, a, b),
        MulKind::HiS24 => mul24(true, true, a, b),
    }
}

/// `|a - b| + c`: difference at `width`, compared signed or unsigned; the sum always 32 bits.
#[inline(always)]
pub fn sad(width: Width, signed: bool, a: u32, b: u32, c: u32) -> Out {
    let (x, y) = at_width(width, signed, a, b);
    let d = if less(signed, x, y) { y.wrapping_sub(x) } else { x.wrapping_sub(y) };
    add32(AddKind::Add, d, c, false, false)
}

/// Both operands brought to 32 bits so that a 32-bit compare orders them.
#[inline(always)]
fn at_width(width: Width, signed: bool, a: u32, b: u32) -> (u32, u32) {
    match width {
        Width::W16 => (ext16(signed, a), ext16(signed, b)),
        Width::W32 => (a, b),
    }
}

#[inline(always)]
fn less(signed: bool, a: u32, b: u32) -> bool {
    if signed {
        (a as i32) < (b as i32)
    } else {
        a < b
    }
}

/// Compare: all ones if a set bit of `cond` (bit 0 less, 1 equal, 2 greater) holds, else zero.
#[inline(always)]
pub fn set(cond: u8, width: Width, signed: bool, a: u32, b: u32) -> Out {
    let (x, y) = at_width(width, signed, a, b);
    let flags = || match width {
        Width::W16 => add16(AddKind::Sub, a, b, false, false).1,
        Width::W32 => add32(AddKind::Sub, a, b, false, false).1,
    };
    let truth = if cond >= 0x10 {
        warpsmith_isa::pred_holds(cond, flags()).unwrap_or(false)
    } else {
        (cond & 1 != 0 && less(signed, x, y)) | (cond & 2 != 0 && x == y) | (cond & 4 != 0 && less(signed, y, x))
    };
    match (truth, width) {
        (true, Width::W32) => (0xffff_ffff, S),
        (true, Width::W16) => (0xffff, S),
        (false, _) => (0, Z),
    }
}

/// Larger or smaller operand.
#[inline(always)]
pub fn min_max(max: bool, width: Width, signed: bool, a: u32, b: u32) -> Out {
    let (x, y) = at_width(width, signed, a, b);
    let r = if less(signed, x, y) == max { y } else { x };
    let r = if width == Width::W16 { r & 0xffff } else { r };
    (r, flags_of(width, r))
}

/// Shift by a whole unsigned count, not masked: counts of the width or more give 0 (sign fill for
/// a signed right shift). C is the last bit shifted out (0 for counts of 0 or of the width and
/// more); O is set when the count is 1 and the sign changed.
#[inline(always)]
pub fn shift(right: bool, signed: bool, width: Width, a: u32, count: u32) -> Out {
    let n = match width {
        Width::W16 => 16,
        Width::W32 => 32,
    };
    let (a, count) = match width {
        Width::W16 => (a & 0xffff, count & 0xffff),
        Width::W32 => (a, count),
    };
    let mask = if n == 16 { 0xffff } else { u32::MAX };
    let inside = count < n;
    let k = count & 31;
    let r = match (right, signed, inside) {
        (false, _, true) => (a << k) & mask,
        (false, _, false) => 0,
        (true, false, true) => a >> k,
        (true, false, false) => 0,
        (true, true, _) => {
            let x = if n == 16 { ext16(true, a) } else { a } as i32;
            (x >> count.min(31)) as u32 & mask
        }
    };
    let carry = if count == 0 || !inside {
        0
    } else if right {
        (a >> (k - 1)) & 1
    } else {
        (a >> (n - k)) & 1
    };
    let changed = ((r ^ a) >> (n - 1)) & 1;
    let overflow = (count == 1) as u32 & changed;
    let mut f = flags_of(width, r);
    if carry != 0 {
        f |= C;
    }
    if overflow != 0 {
        f |= O;
    }
    (r, f)
}

/// Bitwise operation with optional inversion of either source.
#[inline(always)]
pub fn logic(op: LogicOp, not_a: bool, not_b: bool, width: Width, a: u32, b: u32) -> Out {
    let a = if not_a { !a } else { a };
    let b = if not_b { !b } else { b };
    let r = match op {
        LogicOp::And => a & b,
        LogicOp::Or => a | b,
        LogicOp::Xor => a ^ b,
        LogicOp::PassB => b,
    };
    let r = if width == Width::W16 { r & 0xffff } else { r };
    (r, flags_of(width, r))
}

/// The integer an operand of type `ty` stands for.
#[inline(always)]
pub fn value_of(ty: IntType, x: u32) -> i64 {
    match ty {
        IntType::U8 => i64::from(x as u8),
        IntType::S8 => i64::from(x as u8 as i8),
        IntType::U16 => i64::from(x as u16),
        IntType::S16 => i64::from(x as u16 as i16),
        IntType::U32 => i64::from(x),
        IntType::S32 => i64::from(x as i32),
    }
}

/// Nearest representable value of `ty`, as 32 bits (sign or zero extended).
#[inline(always)]
pub fn clamp_to(ty: IntType, v: i64) -> u32 {
    let (lo, hi) = match ty {
        IntType::U8 => (0, 0xff),
        IntType::S8 => (-0x80, 0x7f),
        IntType::U16 => (0, 0xffff),
        IntType::S16 => (-0x8000, 0x7fff),
        IntType::U32 => (0, 0xffff_ffff),
        IntType::S32 => (-0x8000_0000, 0x7fff_ffff),
    };
    v.clamp(lo, hi) as u32
}

/// Zero and sign flags of an integer result of type `ty`: a 16-bit type's sign is bit 15.
#[inline(always)]
pub fn flags_int(ty: IntType, r: u32) -> u8 {
    match ty {
        IntType::U16 | IntType::S16 => flags16(r),
        _ => flags32(r),
    }
}
