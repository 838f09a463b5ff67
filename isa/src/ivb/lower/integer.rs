//! Operations on integers.

use super::alu::{finish, store};
use super::build::{minus, need, number, Build, Class, AND, NOT, OR, XOR};
use super::Parts;
use crate::uop::{Op, Place, Src, Type, Unimplemented};

/// True for an integer of 32 bits.
fn wide(ty: Type) -> bool {
    matches!(ty, Type::S32 | Type::U32)
}

/// The complement of a temporary.
fn not(s: Src) -> Src {
    Src { not: true, ..s }
}

/// Writes the micro-operations of an operation on integers.
///
/// # Errors
/// It has no decided meaning for these types.
pub fn lower(p: &Parts, b: &mut Build, s: [Src; 3]) -> Result<(), Unimplemented> {
    let kind = |n: usize| p.sources[n].map_or(Type::U32, |s| s.kind);
    let to = p.destination()?.kind;
    let exact = |b: &mut Build, s: Src| b.op(Op::Convert, Type::S64, &[s]);
    let low5 = |b: &mut Build, s: Src| {
        let s = b.op(Op::Convert, Type::S64, &[s]);
        b.op(Op::Logic(AND), Type::U32, &[s, number(31)])
    };
    let unsigned = |b: &mut Build, s: Src, bits: u32| b.op(Op::Move, Type::int(bits, false), &[s]);
    let [x, y, z] = s;
    let v = match p.name {
        "not" => {
            let x = exact(b, x);
            b.op(Op::Logic(NOT), Type::S64, &[x])
        }
        "and" | "or" | "xor" => {
            let table = match p.name {
                "and" => AND,
                "or" => OR,
                _ => XOR,
            };
            let (x, y) = (exact(b, x), exact(b, y));
            b.op(Op::Logic(table), Type::S64, &[x, y])
        }
        "shl" => b.op(Op::ShiftLeft { mask: 31 }, Type::S64, &[x, y]),
        "shr" => {
            // Zeros come in from the wider of source and destination on.
            let bits = kind(0).bits().max(to.bits()).min(32);
            let x = unsigned(b, x, bits);
            b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[x, y])
        }
        "asr" => b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[x, y]),
        "bfrev" => {
            let x = unsigned(b, x, 32);
            b.op(Op::Reverse, Type::U32, &[x])
        }
        "bfe" => {
            let (width, at) = (low5(b, x), low5(b, y));
            b.op(Op::Extract, Type::S64, &[z, at, width])
        }
        "bfi1" => {
            let (width, at) = (low5(b, x), low5(b, y));
            let shift = Op::ShiftLeft { mask: 31 };
            let power = b.op(shift, Type::S64, &[number(1), width]);
            let ones = b.op(Op::Add, Type::S64, &[power, number(-1)]);
            b.op(shift, Type::S64, &[ones, at])
        }
        "bfi2" => {
            let (x, y, z) = (exact(b, x), exact(b, y), exact(b, z));
            let inside = b.op(Op::Logic(AND), Type::S64, &[x, y]);
            let outside = b.op(Op::Logic(AND), Type::S64, &[not(x), z]);
            b.op(Op::Logic(OR), Type::S64, &[inside, outside])
        }
        "add" => b.op(Op::Add, Type::S64, &[x, y]),
        "mul" => {
            let mut y = y;
            if wide(kind(0)) && wide(kind(1)) {
                let plain = !p.saturate && p.condition.is_none() && !to.is_float();
                need(plain, "product of two D with saturation, condition or a float destination")?;
                let all = exact(b, y);
                y = b.op(Op::Logic(AND), Type::U32, &[all, number(0xffff)]);
            }
            b.op(Op::Mul, Type::S64, &[x, y])
        }
        "avg" => {
            let sum = b.op(Op::Add, Type::S64, &[x, y, number(1)]);
            b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[sum, number(1)])
        }
        "mac" => {
            need(!(wide(kind(0)) && wide(kind(1))), "mac of two D")?;
            let acc = Src::new(Place::Accumulator(0), Type::S64);
            b.op(Op::MulAdd, Type::S64, &[x, y, acc])
        }
        "mach" => {
            need(wide(kind(0)) && wide(kind(1)), "mach of other types than D and UD")?;
            need(!p.saturate && !to.is_float(), "mach with saturation or a float destination")?;
            let acc = Src::new(Place::Accumulator(0), Type::S64);
            let high = b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[y, number(16)]);
            let product = b.op(Op::Mul, Type::S64, &[x, high]);
            let product = b.op(Op::ShiftLeft { mask: 31 }, Type::S64, &[product, number(16)]);
            let sum = b.op(Op::Add, Type::S64, &[acc, product]);
            let high = b.op(Op::ShiftRight { mask: 63 }, Type::S64, &[sum, number(32)]);
            let narrow = b.op(Op::Convert, to, &[high]);
            store(p, b, narrow, narrow)?;
            b.put(Op::Move, Type::S64, Place::ImpliedAccumulator(0), &[sum]);
            return Ok(());
        }
        "lzd" => {
            let x = unsigned(b, x, 32);
            let from_top = b.op(Op::FindHigh { from_top: true }, Type::U32, &[x]);
            b.op(Op::Min, Type::U32, &[from_top, Src::immediate(32, Type::U32)])
        }
        "fbh" => {
            let x = b.op(Op::Move, Type::int(32, kind(0).is_signed()), &[x]);
            b.op(Op::FindHigh { from_top: true }, Type::U32, &[x])
        }
        "fbl" => {
            let x = unsigned(b, x, 32);
            b.op(Op::FindLow, Type::U32, &[x])
        }
        "cbit" => {
            let x = unsigned(b, x, kind(0).bits());
            b.op(Op::CountOnes, Type::U32, &[x])
        }
        "addc" | "subb" => {
            let subtract = p.name == "subb";
            let (x, y) = (unsigned(b, x, 32), unsigned(b, y, 32));
            let y = if subtract { minus(y) } else { y };
            let sum = b.op(Op::Add, Type::S64, &[x, y]);
            let carry = b.op(Op::ShiftRight { mask: 63 }, Type::S64, &[sum, number(32)]);
            finish(p, b, sum)?;
            let carry = if subtract { minus(carry) } else { carry };
            b.put(Op::Move, Type::S64, Place::ImpliedAccumulator(0), &[carry]);
            return Ok(());
        }
        _ => return Err(Unimplemented("this operation on integers")),
    };
    finish(p, b, v)
}

/// Sums of absolute differences of neighbouring bytes.
pub fn differences(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    let (s0, s1) = (*p.source(0)?, *p.source(1)?);
    need(p.class(2)? == Class::Integer, "this operation on floats")?;
    let mut terms = [number(0); 2];
    for (term, components) in terms.iter_mut().zip([[0, 0, 2, 2], [1, 1, 3, 3]]) {
        let x = b.raw_of(&s0, Some(components))?;
        let y = b.raw_of(&s1, Some(components))?;
        let difference = b.op(Op::Add, Type::S64, &[x, minus(y)]);
        *term = Src { abs: true, ..difference };
    }
    let mut sources = terms.to_vec();
    if p.name == "sada2" {
        sources.push(Src::new(Place::Accumulator(0), Type::S64));
    }
    let v = b.op(Op::Add, Type::S64, &sources);
    finish(p, b, v)
}
