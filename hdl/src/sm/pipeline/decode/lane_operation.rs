//! What the lane does for a row of arithmetic, from the micro-operations its instructions lower to.
//!
//! `warpsmith_isa::sm10::lower` says what an instruction does in terms of no set; [`LaneOperation::of`] says which
//! operation of the lane that is. The instruction with all modifiers 0 gives what a row asks for always; one
//! modifier after the other takes each of its values, and a field that follows is taken from those bits of the word.
//!
//! Not from micro-operations, since nothing of the sort is lowered:
//! - the sum with carry, code 3 of the addition kind: it reads a flag;
//! - the lanes of a quad that a MOV writes;
//! - moves from and to other files (C2R, A2R, S2R, R2C, R2A, ADA, MVC) and what a row asks of memory and control flow.
//!
//! Written by hand beside them: how the eight codes of [`Role::CvtSrc`] spell six integer formats.

use super::fields::{bits_of, RowFields};
use super::row_field::RowField;
use crate::rtl::prelude::*;
use crate::sm::control::{float_format, function, int_format, round, unit};
use warpsmith_isa::sm10::lower;
use warpsmith_isa::table::{Form, Role};
use warpsmith_isa::uop::{Cond, Op, Place, Product, Round, Special, Src, Tiny, Type, Uop};
use warpsmith_isa::{decode, FORMS};

const ZERO_OR_MORE: Cond = Cond(Cond::EQUAL | Cond::GREATER);

/// Declares the fields of the rows that an operation of the lane has a value for.
macro_rules! lane_operation {
    ($($name:ident),* $(,)?) => {
        /// Values of the fields of the same name in [`RowFields`].
        #[derive(Clone, Copy, Default)]
        struct LaneOperation { $($name: u64),* }

        /// Value of a field.
        type Value = fn(&LaneOperation) -> u64;

        /// Each field with its value.
        fn columns(f: &mut RowFields) -> Vec<(&mut RowField, Value)> {
            vec![$((&mut f.$name, (|o| o.$name) as Value)),*]
        }
    };
}

lane_operation! {
    unit, w16, alu_kind, sat, signed_a, signed_b, mul24, high, accumulate, cond, right, logic, not_a,
    not_b, from, to, neg, abs, neg_b, round, real, unordered, abs_b, sfu,
}

/// The row of `hit` asks for the operation that its instructions lower to.
pub(super) fn arithmetic(f: &mut RowFields, hit: &Expr, form: &Form, w: &Expr) {
    let name = form.mnemonic;
    let plain = operation(form, 0).unwrap_or_else(|| panic!("{name} is an operation of the lane"));
    let modified = form.mods.iter().map(|m| {
        let codes = 0..1 << m.field.width();
        let of = |code| Some((u64::from(code), operation(form, m.field.put(code))?));
        (m, codes.filter_map(of).collect::<Vec<_>>())
    });
    let modified: Vec<_> = modified.collect();
    for (field, value) in columns(f) {
        let mut wanted = lit(field.width(), value(&plain));
        for (m, operations) in &modified {
            let values = operations.iter().map(|(code, o)| (*code, value(o)));
            if values.clone().any(|(_, v)| v != value(&plain)) {
                let code = bits_of(w, m.field);
                wanted = match m.role {
                    Role::CvtSrc => integer_format(&code),
                    role => bits_that_are(values, &code, field.width())
                        .unwrap_or_else(|| panic!("{name}: no bits of {role:?} are what it asks for")),
                };
            }
        }
        field.add(hit, wanted);
    }
}

/// The operation of a row's instruction with some bits of its modifiers, if that is an instruction and lowered.
fn operation(form: &Form, modifiers: u64) -> Option<LaneOperation> {
    // Which lanes of a quad move is no matter of the lane: all.
    let quad = form.field(Role::Lanes).map_or(0, |field| field.bits());
    let word = form.match_ | modifiers | quad;
    let instr = decode(word as u32, (word >> 32) as u32).ok()?;
    let same = FORMS[usize::from(instr.form)] == *form;
    LaneOperation::of(&lower::result(&instr).ok().filter(|_| same)?)
}

/// The bits of a modifier's code that are the value in each (code, value).
fn bits_that_are(values: impl Iterator<Item = (u64, u64)> + Clone, code: &Expr, width: usize) -> Option<Expr> {
    let are = |lo: &usize| {
        let bits = |code| code >> lo & ((1 << width) - 1);
        values.clone().all(|(code, value)| bits(code) == value)
    };
    let lo = (0..=code.width().checked_sub(width)?).find(are)?;
    Some(code.bits(lo, width))
}

/// [`int_format`] of a code: 0 u16, 1 u32, 2 and 3 u8, then the same signed.
fn integer_format(code: &Expr) -> Expr {
    let size = code.bit(1).mux(&lit(2, 0), &cat([&code.bit(0), &!code.bit(0)]));
    cat([&code.bit(2), &size])
}

fn format(ty: Type) -> u64 {
    match ty {
        Type::F16 => float_format::F16,
        Type::F32 => float_format::F32,
        _ => int_format::code(ty.is_signed(), ty.bits() as usize),
    }
}

/// 0 a + b, 1 a - b, 2 b - a.
fn addition_kind(sum: &Uop) -> u64 {
    u64::from(sum.src[1].neg) | u64::from(sum.src[0].neg) << 1
}

/// The micro-operation takes the low 24 bits of a source.
fn is_low_24(u: &Uop) -> bool {
    let range = [0, 24].map(|v| Src::immediate(v, Type::U8));
    u.op == Op::Extract && u.src[1..] == range
}

/// The micro-operation takes the word of a product that begins at bit 16.
fn is_middle(u: &Uop) -> bool {
    let count = Src::immediate(16, Type::U8);
    matches!(u.op, Op::ShiftRight { .. }) && u.src[0].ty.bits() == 64 && u.src[1] == count
}

impl LaneOperation {
    /// The operation that does all the micro-operations of an instruction; `None` where the lane has none.
    fn of(uops: &[Uop]) -> Option<Self> {
        let result = uops.last()?.ty;
        // Extended to its register: the lane does it where it writes.
        let uops = match uops {
            [rest @ .., u] if u.op == Op::Move && !rest.is_empty() => rest,
            all => all,
        };
        let unless_nan = Op::CompareSelect(Cond(Cond::UNORDERED));
        let (uops, clamped) = match uops {
            [rest @ .., u, choice] if u.saturate && choice.op == unless_nan => (rest, true),
            all => (all, false),
        };
        let ops: Vec<Op> = uops.iter().map(|u| u.op).collect();
        let operation = match ops[..] {
            [Op::Mul, Op::Add, Op::MulAdd, Op::CompareSelect(Cond(Cond::EQUAL))] => Self::float_multiply_add(&uops[2])?,
            [Op::Add, Op::Add] => Self::absolute_difference(&uops[0]),
            // To half precision: what is too small, then the rest.
            [Op::Convert, Op::Convert, Op::CompareSelect(Cond(Cond::LESS))] => Self::one(&uops[1], result)?,
            [op] if op != Op::Mul || uops[0].ty.is_float() => Self::one(&uops[0], result)?,
            _ => Self::multiply(uops)?,
        };
        let sat = operation.sat | u64::from(clamped);
        Some(Self { sat, ..operation })
    }

    /// The product of whole sources or of their low 24 bits, its low or middle word, with or without a sum.
    fn multiply(uops: &[Uop]) -> Option<Self> {
        let (mul24, uops) = match uops {
            [a, b, rest @ ..] if is_low_24(a) && is_low_24(b) => (true, rest),
            all => (false, all),
        };
        let (product, uops) = uops.split_first().filter(|(u, _)| u.op == Op::Mul)?;
        let (high, uops) = match uops {
            [u, rest @ ..] if is_middle(u) => (true, rest),
            all => (false, all),
        };
        let sum = match uops {
            [] => None,
            [sum] if sum.op == Op::Add => Some(sum),
            _ => return None,
        };
        Some(Self {
            unit: unit::MUL,
            signed_a: product.src[0].ty.is_signed().into(),
            signed_b: product.src[1].ty.is_signed().into(),
            mul24: mul24.into(),
            high: high.into(),
            accumulate: sum.is_some().into(),
            alu_kind: sum.map_or(0, addition_kind),
            sat: sum.is_some_and(|u| u.saturate).into(),
            ..Self::default()
        })
    }

    fn absolute_difference(u: &Uop) -> Self {
        Self {
            unit: unit::SAD,
            w16: (u.src[0].ty.bits() == 16).into(),
            signed_a: u.src[0].ty.is_signed().into(),
            ..Self::default()
        }
    }

    fn float_multiply_add(u: &Uop) -> Option<Self> {
        (u.mode.product == Product::CutOff).then(|| Self {
            unit: unit::FMAD,
            neg: u.src[0].neg.into(),
            neg_b: u.src[2].neg.into(),
            ..Self::default()
        })
    }

    /// The operation of one micro-operation, whose result is extended to the type `result`.
    fn one(u: &Uop, result: Type) -> Option<Self> {
        let a = u.src.first()?;
        let of_b = |flag: fn(&Src) -> bool| u.src.get(1).is_some_and(flag).into();
        let real = a.ty.is_float();
        let mut o = Self {
            w16: (!real && a.ty.bits() == 16).into(),
            not_a: a.not.into(),
            not_b: of_b(|b| b.not),
            neg: a.neg.into(),
            abs: a.abs.into(),
            neg_b: of_b(|b| b.neg),
            abs_b: of_b(|b| b.abs),
            round: match u.mode.round {
                Round::Nearest => round::NEAREST,
                Round::Down => round::DOWN,
                Round::Up => round::UP,
                Round::Zero => round::ZERO,
            },
            ..Self::default()
        };
        let relation = |o: &mut Self, unit| {
            o.unit = unit;
            o.signed_a = a.ty.is_signed().into();
            o.real = real.into();
        };
        match u.op {
            // The one of a and b that a row lacks is 0, or passed over.
            Op::Move if matches!(a.place, Place::Immediate(_)) => {
                (o.unit, o.logic) = (unit::LOGIC, 3);
            }
            Op::Move => (o.unit, o.logic) = (unit::LOGIC, 1),
            Op::Add if real => o.unit = unit::FADD,
            Op::Add => {
                (o.unit, o.alu_kind, o.sat) = (unit::ADD, addition_kind(u), u.saturate.into());
                (o.neg, o.neg_b) = (0, 0);
            }
            Op::Mul if u.mode.tiny == Tiny::FlushUnbounded => o.unit = unit::FMUL,
            Op::Min => relation(&mut o, unit::MINMAX),
            Op::Max => {
                relation(&mut o, unit::MINMAX);
                o.right = 1;
            }
            Op::ShiftLeft { mask: u32::MAX } => relation(&mut o, unit::SHIFT),
            Op::ShiftRight { mask: u32::MAX } => {
                relation(&mut o, unit::SHIFT);
                o.right = 1;
            }
            Op::Compare { cond, combine: 0 } => {
                relation(&mut o, unit::SET);
                o.cond = (cond.0 & 7).into();
                o.unordered = (cond.0 & Cond::UNORDERED != 0).into();
            }
            // What is held against zero is the operand c of the lane, its sign that of b.
            Op::CompareSelect(ZERO_OR_MORE) => {
                relation(&mut o, unit::MINMAX);
                (o.accumulate, o.neg, o.neg_b) = (1, 0, o.neg);
            }
            Op::Logic(table) => {
                let tables = [0b1000, 0b1110, 0b0110, 0b1100];
                o.unit = unit::LOGIC;
                o.logic = tables.iter().position(|t| *t == table)? as u64;
            }
            Op::Convert | Op::RoundToIntegral => {
                let float = u.ty.is_float();
                o.unit = match (real, float) {
                    (false, false) => unit::CONVERT,
                    (true, true) => unit::F2F,
                    (false, true) => unit::I2F,
                    (true, false) => unit::F2I,
                };
                (o.from, o.to) = (format(a.ty), format(u.ty));
                o.high = (u.op == Op::RoundToIntegral).into();
                o.w16 = (!real && !float && result.bits() == 16).into();
            }
            Op::Special(Special::ReduceSin) => o.unit = unit::RRO_SIN,
            Op::Special(Special::ReduceEx2) => o.unit = unit::RRO_EX2,
            Op::Special(special) => (o.sfu, o.cond) = (1, function_code(special)?),
            _ => return None,
        }
        Some(o)
    }
}

fn function_code(special: Special) -> Option<u64> {
    Some(match special {
        Special::Rcp => function::RCP,
        Special::Rsq => function::RSQ,
        Special::Lg2 => function::LG2,
        Special::Sin => function::SIN,
        Special::Cos => function::COS,
        Special::Ex2 => function::EX2,
        _ => return None,
    })
}
