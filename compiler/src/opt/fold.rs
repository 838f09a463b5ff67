//! Values of integer operations on constants, exactly as the chip computes them.

use crate::ir::{MemTy, Op, Rel};

/// Result of a word or predicate operation with one result on constants; `None` where the
/// operation has none that is folded here (floats, memory, pairs).
pub fn constant(op: &Op, s: &[u32]) -> Option<u32> {
    let at = |n: usize| s.get(n).copied();
    let (a, b) = (at(0), at(1));
    let wide = |signed: bool, x: u32| if signed { i64::from(x as i32) } else { i64::from(x) };
    Some(match op {
        Op::Copy => a?,
        Op::Add => a?.wrapping_add(b?),
        Op::Sub => a?.wrapping_sub(b?),
        Op::Mul => a?.wrapping_mul(b?),
        Op::MulHi { signed: true } => ((wide(true, a?) * wide(true, b?)) >> 32) as u32,
        Op::MulHi { signed: false } => ((u64::from(a?) * u64::from(b?)) >> 32) as u32,
        Op::Mul16 { signed } => {
            let x = |v| wide(*signed, extend(if *signed { MemTy::S16 } else { MemTy::U16 }, v));
            (x(a?) * x(b?)) as u32
        }
        Op::Mul24 { signed, high } => {
            let x = |v: u32| if *signed { i64::from((v << 8) as i32 >> 8) } else { i64::from(v & 0xff_ffff) };
            let p = x(a?) * x(b?);
            if *high {
                (p >> 16) as u32
            } else {
                p as u32
            }
        }
        Op::Min { signed } => pick(*signed, a?, b?, true),
        Op::Max { signed } => pick(*signed, a?, b?, false),
        Op::Sad { signed } => {
            let (x, y) = (wide(*signed, a?), wide(*signed, b?));
            ((x - y).unsigned_abs() as u32).wrapping_add(at(2)?)
        }
        Op::And => a? & b?,
        Op::Or => a? | b?,
        Op::Xor => a? ^ b?,
        Op::Shl => a?.checked_shl(b?).unwrap_or(0),
        Op::Shr { signed: false } => a?.checked_shr(b?).unwrap_or(0),
        Op::Shr { signed: true } => ((a? as i32) >> b?.min(31)) as u32,
        Op::Ext(ty) => extend(*ty, a?),
        Op::Cmp { rel, signed } => u32::from(compare(*rel, *signed, a?, b?)),
        Op::Select => {
            if a? != 0 {
                b?
            } else {
                at(2)?
            }
        }
        Op::FNeg => a? ^ 0x8000_0000,
        Op::FAbs => a? & 0x7fff_ffff,
        _ => return None,
    })
}

/// The low bits of `v` as a memory element, extended to a word.
pub fn extend(ty: MemTy, v: u32) -> u32 {
    match ty {
        MemTy::U8 => v & 0xff,
        MemTy::S8 => v as i8 as u32,
        MemTy::U16 => v & 0xffff,
        MemTy::S16 => v as i16 as u32,
        MemTy::B32 => v,
    }
}

/// Outcome of an integer comparison.
pub fn compare(rel: Rel, signed: bool, a: u32, b: u32) -> bool {
    let order = if signed { (a as i32).cmp(&(b as i32)) } else { a.cmp(&b) };
    rel.0 >> (order as i8 + 1) & 1 != 0
}

fn pick(signed: bool, a: u32, b: u32, min: bool) -> u32 {
    if compare(Rel::LE, signed, a, b) == min {
        a
    } else {
        b
    }
}
