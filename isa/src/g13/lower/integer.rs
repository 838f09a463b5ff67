//! Moves, integers, bit fields, selects and conversions.

use super::operand::{float_mode, mov, to, Code, Dst};
use crate::uop::{Builtin, Op, Place, Round, Src, Type, Uop};

/// Truth table of "and".
pub(super) const AND: Op = Op::Logic(0b1000);
/// Bits of a count of places.
const COUNT: u32 = 0x7f;

/// A value that lives for one instruction, of 32 bits.
fn temporary(n: u8) -> Src {
    Src::new(Place::Temporary(n), Type::U32)
}

fn number(v: u64) -> Src {
    Src::immediate(v, Type::U32)
}

/// The micro-operations; `None` for a form of another kind.
pub(super) fn lower(c: &Code) -> Option<Vec<Uop>> {
    let d = || c.dst(0);
    Some(match c.name {
        "mov_imm16" | "mov_imm32" => {
            let ty = if c.name == "mov_imm16" { Type::U16 } else { Type::U32 };
            vec![mov(ty, d().place, Src::immediate(c.part(1, 0), ty))]
        }
        "get_sr" => {
            let builtin = Place::Builtin(special_register(c.part(1, 0)));
            vec![mov(d().ty(), d().place, Src::new(builtin, Type::U32))]
        }
        "iadd" => add(c),
        "imadd" => multiply_add(c),
        "convert" => conversion(c),
        "bfi" => {
            let mut uops = count(c, 3, 0);
            uops.push(insert(c, c.int(2), temporary(0)));
            uops
        }
        "bfeil" => bit_field(c),
        "extr" => extract(c),
        "shlhi" => shift_high(c, true),
        "shrhi" => shift_high(c, false),
        "asr" | "asrh" => {
            let a = Src { shift: if c.name == "asrh" { 32 } else { 0 }, ..c.int_as(1, true) };
            d().take(shift_right(d().ty(), a, c.int(2)))
        }
        "bitop" => {
            let mut table = c.field("tt0") | c.field("tt1") << 1;
            table |= c.field("tt2") << 2 | c.field("tt3") << 3;
            // The tables of b and of not b give a.
            if matches!(table, 0b1100 | 0b0011) {
                table = 0b1010;
            }
            let op = Op::Logic(table as u8);
            // The table comes first in the text.
            let d = c.dst(1);
            vec![Uop::new(op, d.ty(), d.place, vec![c.int(2), c.int(3)])]
        }
        "bitrev" => {
            let whole = mov(Type::U32, Place::Temporary(0), c.int(1));
            let reverse = result(d(), Op::Reverse, vec![temporary(0)]);
            [vec![whole], reverse].concat()
        }
        "popcount" => result(d(), Op::CountOnes, vec![c.int(1)]),
        "ffs" => result(d(), Op::FindHigh { from_top: false }, vec![c.int(1)]),
        "intl" => result(d(), Op::Interleave, vec![c.int(1), c.int(2)]),
        "icmpsel" => {
            let (cond, signed) = c.int_cond(0);
            select(c, Op::CompareSelect(cond), c.int_as(2, signed), c.int_as(3, signed))
        }
        "fcmpsel" => {
            let op = Op::CompareSelect(c.float_cond(0));
            select(c, op, c.float(2), c.float(3))
        }
        _ => return None,
    })
}

/// An operation of 32 bits, the result cut to the destination.
fn result(d: Dst, op: Op, src: Vec<Src>) -> Vec<Uop> {
    d.take(Uop::new(op, Type::U32, Place::None, src))
}

/// What a special register holds; those without meaning to a compute program read 0.
fn special_register(n: u64) -> Builtin {
    use crate::uop::Axis::{X, Y, Z};
    let axis = [X, Y, Z][(n & 3).min(2) as usize];
    match n {
        0..=2 => Builtin::Block(axis),
        4..=6 | 8..=10 => Builtin::BlockSize(axis),
        48..=50 => Builtin::Thread(axis),
        51 => Builtin::LinearThread,
        52 => Builtin::Lane,
        53 => Builtin::Warp,
        56 => Builtin::RankInQuad,
        57 => Builtin::ActiveInQuad,
        58 => Builtin::RankInWarp,
        59 => Builtin::ActiveInWarp,
        63 => Builtin::IsActive,
        80..=82 => Builtin::GridThread(axis),
        _ => Builtin::Zero,
    }
}

/// Source `n` of an addition: negated and shifted as the instruction says.
fn addend(c: &Code, n: usize) -> Src {
    match c.field("s") {
        shift @ 0..=4 => Src { neg: c.field("N") == 1, shift: shift as u8, ..c.int(n) },
        _ => number(0),
    }
}

/// The sum of the sources, saturated where the instruction says so and every width allows it.
fn sum(c: &Code, op: Op, src: Vec<Src>, widths: &[usize], signs: &[usize]) -> Vec<Uop> {
    let d = c.dst(0);
    let narrow = d.bits <= 32 && widths.iter().all(|n| c.width(*n) <= 32);
    let saturate = c.field("S") == 1 && c.field("s") == 0 && narrow;
    let signed = saturate && signs.iter().any(|n| c.extends(*n));
    let ty = Type::int(d.bits, signed);
    vec![Uop::new(op, ty, d.place, src).saturating(saturate)]
}

fn add(c: &Code) -> Vec<Uop> {
    // The source that is shifted and negated comes first.
    sum(c, Op::Add, vec![addend(c, 2), c.int(1)], &[1, 2], &[1, 2])
}

fn multiply_add(c: &Code) -> Vec<Uop> {
    let src = vec![c.int(1), c.int(2), addend(c, 3)];
    sum(c, Op::MulAdd, src, &[3], &[1, 2, 3])
}

/// The count of places in source `n`, 7 bits, in a temporary.
fn count(c: &Code, n: usize, place: u8) -> Vec<Uop> {
    let src = vec![c.int(n), number(COUNT.into())];
    vec![Uop::new(AND, Type::U32, Place::Temporary(place), src)]
}

/// Bits of the mask of a bit field.
fn field_width(c: &Code) -> Src {
    number(match c.field("m") {
        0 => 32,
        m => m,
    })
}

/// Source 1 with bits from place `at` on replaced by those of a value.
fn insert(c: &Code, value: Src, at: Src) -> Uop {
    let d = c.dst(0);
    let src = vec![c.int(1), value, at, field_width(c)];
    Uop::new(Op::Insert, d.ty(), d.place, src)
}

fn shift_right(ty: Type, a: Src, count: Src) -> Uop {
    let op = Op::ShiftRight { mask: COUNT };
    Uop::new(op, ty, Place::None, vec![a, count])
}

/// bfeil: the low bits of source 2, shifted right, into source 1.
fn bit_field(c: &Code) -> Vec<Uop> {
    let shifted = shift_right(Type::U32, c.int(2), c.int(3));
    let place = Place::Temporary(0);
    vec![to(shifted, place), insert(c, temporary(0), number(0))]
}

/// extr: 32 bits of sources 2 and 1, masked.
fn extract(c: &Code) -> Vec<Uop> {
    let low = mov(Type::U32, Place::Temporary(0), c.int(1));
    let op = Op::ShiftPair { mask: COUNT };
    let src = vec![temporary(0), c.int(2), c.int(3)];
    let pair = Uop::new(op, Type::U32, Place::Temporary(0), src);
    let d = c.dst(0);
    let mask = match c.field("m") {
        0 => u32::MAX.into(),
        m => (1 << m) - 1,
    };
    let masked = Uop::new(AND, d.ty(), d.place, vec![temporary(0), number(mask)]);
    vec![low, pair, masked]
}

/// shlhi, shrhi: source 2 shifted across 64 bits; of the high word, the bits under the shifted mask go
/// into source 1.
fn shift_high(c: &Code, left: bool) -> Vec<Uop> {
    let shift = temporary(0);
    let minus = |s: Src| Src { neg: true, ..s };
    let above = |place, a, b| Uop::new(Op::Add, Type::U32, Place::Temporary(place), vec![a, b]).saturating(true);
    // Places beyond 32, places that lack to 32; one of them is 0.
    let mut uops = count(c, 3, 0);
    uops.push(above(1, shift, minus(number(32))));
    uops.push(above(2, number(32), minus(shift)));
    let (at, right) = if left { (1, 2) } else { (2, 1) };
    let value = shift_right(Type::U32, c.int(2), temporary(right));
    uops.push(to(value, Place::Temporary(3)));
    uops.push(insert(c, temporary(3), temporary(at)));
    uops
}

/// A comparison of `a` and `b` that selects source 4 or 5.
fn select(c: &Code, op: Op, a: Src, b: Src) -> Vec<Uop> {
    let d = c.dst(1);
    let src = vec![a, b, c.int(4), c.int(5)];
    vec![Uop::new(op, d.ty(), d.place, src)]
}

fn conversion(c: &Code) -> Vec<Uop> {
    let mode = c.part(0, 0);
    let d = c.dst(1);
    let src = c.int(2);
    let from = c.width(2);
    let round = match c.part(3, 0) {
        0 => Round::Zero,
        _ => Round::Nearest,
    };
    let width = match mode {
        0 | 1 => 8,
        4..=7 => 16,
        _ => 32,
    };
    let int = Type::int(width, mode & 1 == 1);
    if matches!(mode, 4 | 5 | 8 | 9) {
        let float = if from == 16 { Type::F16 } else { Type::F32 };
        let src = Src { flush: float == Type::F32, ..src.typed(float) };
        let mut uop = Uop::new(Op::Convert, int, Place::None, vec![src]);
        uop.mode.round = round;
        return d.take(uop);
    }
    // A source that is wider gives its low bits, a narrower one has no sign.
    let src = if width <= from { src.typed(int) } else { src };
    let mut uop = Uop::new(Op::Convert, d.float(), d.place, vec![src]);
    uop.mode = float_mode(uop.ty);
    uop.mode.round = round;
    vec![uop]
}
