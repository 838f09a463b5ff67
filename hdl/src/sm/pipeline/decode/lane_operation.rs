//! What the lane does for a row of arithmetic, from the operation that its instructions have.
//!
//! [`LaneOperation::of`] says which unit does an operation of `warpsmith_isa` and how. The instruction with all
//! modifiers 0 gives what a row asks for always; one modifier after the other takes each of its values, and a field
//! that follows is taken from those bits of the word.
//!
//! Not from operations:
//! - the sum with carry, code 3 of the addition kind: it reads a flag; the signs of FlexGripPlus's sums;
//! - the lanes of a quad that a MOV writes;
//! - moves from and to other files (C2R, A2R, S2R, R2C, R2A, ADA, MVC) and what a row asks of memory and control flow.
//!
//! Written by hand beside them: how the eight codes of [`Role::CvtSrc`] spell six integer formats.

use super::fields::{bits_of, RowFields};
use super::row_field::RowField;
use crate::rtl::prelude::*;
use crate::sm::control::{float_format, function, int_format, round, unit};
use warpsmith_isa::table::{Form, Role};
use warpsmith_isa::{
    decode_in, AddKind, Dst, FloatType, Instr, IntType, LogicOp, MulKind, Number, Op, Round, Semantics,
};
use warpsmith_isa::{SfuFn, Src, Width};

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

/// The row of `hit` asks for the operation of its instructions.
pub(super) fn arithmetic(f: &mut RowFields, hit: &Expr, semantics: Semantics, form: &Form, w: &Expr) {
    let name = form.mnemonic;
    let plain = operation(semantics, form, 0).unwrap_or_else(|| panic!("{name} is an operation of the lane"));
    let modified = form.mods.iter().map(|m| {
        let codes = 0..1 << m.field.width();
        let of = |code| Some((u64::from(code), operation(semantics, form, m.field.put(code))?));
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

/// The operation of a row's instruction with some bits of its modifiers, if that is an instruction and one of the lane's.
fn operation(semantics: Semantics, form: &Form, modifiers: u64) -> Option<LaneOperation> {
    // Which lanes of a quad move is no matter of the lane: all.
    let quad = form.field(Role::Lanes).map_or(0, |field| field.bits());
    let word = form.match_ | modifiers | quad;
    let instr = decode_in(semantics, word as u32, (word >> 32) as u32).ok()?;
    let same = *instr.row() == *form;
    LaneOperation::of(&instr).filter(|_| same)
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

fn integer(ty: IntType) -> u64 {
    int_format::code(ty.is_signed(), ty.bits() as usize)
}

fn float(ty: FloatType) -> u64 {
    match ty {
        FloatType::F16 => float_format::F16,
        FloatType::F32 => float_format::F32,
    }
}

fn rounding(mode: Round) -> u64 {
    match mode {
        Round::Nearest => round::NEAREST,
        Round::Down => round::DOWN,
        Round::Up => round::UP,
        Round::Zero => round::ZERO,
    }
}

/// 0 a + b, 1 a - b, 2 b - a; `None` with the carry.
fn addition(kind: AddKind) -> Option<u64> {
    match kind {
        AddKind::Add => Some(0),
        AddKind::Sub => Some(1),
        AddKind::Subr => Some(2),
        AddKind::Addc => None,
    }
}

fn function_code(f: SfuFn) -> u64 {
    match f {
        SfuFn::Rcp => function::RCP,
        SfuFn::Rsq => function::RSQ,
        SfuFn::Lg2 => function::LG2,
        SfuFn::Sin => function::SIN,
        SfuFn::Cos => function::COS,
        SfuFn::Ex2 => function::EX2,
    }
}

impl LaneOperation {
    /// A product of signed or unsigned factors of 16 or, with `mul24`, 24 bits.
    fn product(signed_a: bool, signed_b: bool, mul24: bool, high: bool) -> Self {
        let (signed_a, signed_b) = (signed_a.into(), signed_b.into());
        Self { unit: unit::MUL, signed_a, signed_b, mul24: mul24.into(), high: high.into(), ..Self::default() }
    }

    /// The product of a multiply-add.
    fn of_kind(mul: MulKind) -> Self {
        let (signed, mul24, high) = match mul {
            MulKind::U16 => (false, false, false),
            MulKind::S16 => (true, false, false),
            MulKind::U24 => (false, true, false),
            MulKind::S24 => (true, true, false),
            MulKind::HiU24 => (false, true, true),
            MulKind::HiS24 => (true, true, true),
        };
        Self::product(signed, signed, mul24, high)
    }

    /// The operation of an instruction; `None` where the lane has none, or does not know it from the instruction alone.
    fn of(i: &Instr) -> Option<Self> {
        let plain = Self::default();
        let of_width = |w: Width| u64::from(w == Width::W16);
        Some(match i.op {
            // The one of a and b that a row lacks is 0, or passed over.
            Op::Mov { width, lanes: 15 } => {
                let logic = if matches!(i.src[0], Src::Imm(_)) { 3 } else { 1 };
                Self { unit: unit::LOGIC, logic, w16: of_width(width), ..plain }
            }
            Op::IAdd { kind, width, sat } => {
                let (alu_kind, sat) = (addition(kind)?, sat.into());
                Self { unit: unit::ADD, alu_kind, w16: of_width(width), sat, ..plain }
            }
            Op::IMul16 { signed_a, signed_b } => Self::product(signed_a, signed_b, false, false),
            Op::IMul24 { signed, high } => Self::product(signed, signed, true, high),
            Op::IMad { kind, mul, sat } => {
                Self { accumulate: 1, alu_kind: addition(kind)?, sat: sat.into(), ..Self::of_kind(mul) }
            }
            // Signs and carry are of the row, see `rows::signs`.
            Op::ISum { width, .. } => Self { unit: unit::ADD, w16: of_width(width), ..plain },
            Op::IMadSigned { mul, sat, .. } => Self { accumulate: 1, sat: sat.into(), ..Self::of_kind(mul) },
            Op::ISad { width, signed } => {
                Self { unit: unit::SAD, w16: of_width(width), signed_a: signed.into(), ..plain }
            }
            Op::ISet { cond, width, signed } => {
                let (cond, accumulate, signed_a) = ((cond & 7).into(), (cond >> 4).into(), signed.into());
                Self { unit: unit::SET, cond, accumulate, w16: of_width(width), signed_a, ..plain }
            }
            Op::IMinMax { max, width, signed } => {
                let (right, signed_a) = (max.into(), signed.into());
                Self { unit: unit::MINMAX, right, w16: of_width(width), signed_a, ..plain }
            }
            Op::Shift { right, signed, width } => {
                let (right, signed_a) = (right.into(), signed.into());
                Self { unit: unit::SHIFT, right, w16: of_width(width), signed_a, ..plain }
            }
            Op::Logic { op, not_a, not_b, width } => {
                let logic = match op {
                    LogicOp::And => 0,
                    LogicOp::Or => 1,
                    LogicOp::Xor => 2,
                    LogicOp::PassB => 3,
                };
                let (not_a, not_b) = (not_a.into(), not_b.into());
                Self { unit: unit::LOGIC, logic, not_a, not_b, w16: of_width(width), ..plain }
            }
            Op::I2I { dst, src, neg, abs } => {
                let w16 = u64::from(matches!(i.dst, Dst::Half(_)));
                let (from, to, neg, abs) = (integer(src), integer(dst), neg.into(), abs.into());
                Self { unit: unit::CONVERT, from, to, neg, abs, w16, ..plain }
            }
            Op::I2F { dst, src, round, neg, abs, sat } => {
                let (from, to, round) = (integer(src), float(dst), rounding(round));
                let (neg, abs, sat) = (neg.into(), abs.into(), sat.into());
                Self { unit: unit::I2F, from, to, round, neg, abs, sat, ..plain }
            }
            Op::F2I { dst, src, round, neg, abs } => {
                let (from, to, round) = (float(src), integer(dst), rounding(round));
                Self { unit: unit::F2I, from, to, round, neg: neg.into(), abs: abs.into(), ..plain }
            }
            Op::F2F { dst, src, round, to_int, neg, abs, sat } => {
                let (from, to, round) = (float(src), float(dst), rounding(round));
                let (high, neg, abs, sat) = (to_int.into(), neg.into(), abs.into(), sat.into());
                Self { unit: unit::F2F, from, to, round, high, neg, abs, sat, ..plain }
            }
            Op::FAdd { neg_a, neg_b, round, sat } => {
                let (neg, neg_b, sat) = (neg_a.into(), neg_b.into(), sat.into());
                Self { unit: unit::FADD, neg, neg_b, round: rounding(round), sat, ..plain }
            }
            Op::FMul { neg_a, neg_b, round } => {
                let (neg, neg_b) = (neg_a.into(), neg_b.into());
                Self { unit: unit::FMUL, neg, neg_b, round: rounding(round), ..plain }
            }
            Op::FMad { neg_ab, neg_c, sat } => {
                Self { unit: unit::FMAD, neg: neg_ab.into(), neg_b: neg_c.into(), sat: sat.into(), ..plain }
            }
            Op::FMinMax { max, neg_a, abs_a, neg_b, abs_b } => {
                let signs = Self::signs(neg_a, abs_a, neg_b, abs_b);
                Self { unit: unit::MINMAX, real: 1, right: max.into(), ..signs }
            }
            Op::FSet { cond, neg_a, abs_a, neg_b, abs_b } => {
                let accumulate = (cond >> 4).into();
                let (cond, unordered) = ((cond & 7).into(), u64::from(cond & 8 != 0));
                let signs = Self::signs(neg_a, abs_a, neg_b, abs_b);
                Self { unit: unit::SET, real: 1, cond, accumulate, unordered, ..signs }
            }
            // Of floats of 64 bits the unit beside the pipeline makes it.
            Op::DFma { neg_ab, neg_c, round } => {
                let (neg, neg_b, round) = (neg_ab.into(), neg_c.into(), rounding(round));
                Self { unit: unit::FMAD, neg, neg_b, round, sfu: 1, ..plain }
            }
            Op::DAdd { neg_a, neg_b, round } => {
                let (neg, neg_b, round) = (neg_a.into(), neg_b.into(), rounding(round));
                Self { unit: unit::FADD, neg, neg_b, round, sfu: 1, ..plain }
            }
            Op::DMul { neg_a, round } => {
                Self { unit: unit::FMUL, neg: neg_a.into(), round: rounding(round), sfu: 1, ..plain }
            }
            Op::DMinMax { max, neg_a, abs_a, neg_b, abs_b } => {
                let signs = Self::signs(neg_a, abs_a, neg_b, abs_b);
                Self { unit: unit::MINMAX, real: 1, right: max.into(), sfu: 1, ..signs }
            }
            Op::DSet { cond, neg_a, abs_a, neg_b, abs_b } => {
                let (cond, unordered) = ((cond & 7).into(), u64::from(cond & 8 != 0));
                let signs = Self::signs(neg_a, abs_a, neg_b, abs_b);
                Self { unit: unit::SET, real: 1, cond, unordered, sfu: 1, ..signs }
            }
            Op::DConvert { to, from, to_int, round, neg, abs } => {
                let format = |n: Number| int_format::code(n.is_signed(), n.bits() as usize);
                let (unit, from, to) = match (from.is_float(), to.is_float()) {
                    (true, true) => (unit::F2F, 0, 0),
                    (true, false) => (unit::F2I, 0, format(to)),
                    (false, _) => (unit::I2F, format(from), 0),
                };
                let (high, round, neg, abs) = (to_int.into(), rounding(round), neg.into(), abs.into());
                Self { unit, from, to, high, round, neg, abs, sfu: 1, ..plain }
            }
            // What is held against zero is the operand c of the lane, its sign that of b.
            Op::FSlct { neg_c } => Self { unit: unit::MINMAX, real: 1, accumulate: 1, neg_b: neg_c.into(), ..plain },
            Op::Sfu { func, neg, abs, sat } => {
                let (neg, abs, sat) = (neg.into(), abs.into(), sat.into());
                Self { sfu: 1, cond: function_code(func), neg, abs, sat, ..plain }
            }
            Op::Rro { ex2, neg, abs } => {
                let unit = if ex2 { unit::RRO_EX2 } else { unit::RRO_SIN };
                Self { unit, neg: neg.into(), abs: abs.into(), ..plain }
            }
            _ => return None,
        })
    }

    /// Signs of two float operands.
    fn signs(neg_a: bool, abs_a: bool, neg_b: bool, abs_b: bool) -> Self {
        let (neg, abs, neg_b, abs_b) = (neg_a.into(), abs_a.into(), neg_b.into(), abs_b.into());
        Self { neg, abs, neg_b, abs_b, ..Self::default() }
    }
}
