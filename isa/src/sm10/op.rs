//! The operations of SM 1.0: modifiers and family of each, and its arithmetic as micro-operations.
//!
//! A new operation is a row of [`operations`](self) and an arm of its lowering here, its encodings in the
//! [table](crate::sm10::table), its value in the model's executor and its unit in the decoder of the chip. Names,
//! operands, codes of the modifiers and counts of coverage follow from these.

use super::codes::{Modifier, Visit};
use super::lower::{float, halves, integer, mode, width, Lowering, Result};
use super::operand::{MemRef, MemSize};
use super::role::Role;
use super::types::*;
use crate::uop::{self, AtomicOp, Cond, FloatMode, Op as Do, Place, Product, Special, Tiny, Type, Unimplemented, Uop};

/// What operations have in common that are treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Integer arithmetic, comparison, logic and shifts.
    Integer,
    /// Float arithmetic, comparison and selection.
    Float,
    /// Conversions between formats.
    Conversion,
    /// Floats of 64 bits: arithmetic, comparison, conversions.
    Double,
    /// Special functions and what prepares their operands.
    Special,
    /// Moves between registers of all files.
    Move,
    /// Loads and stores.
    Memory,
    /// Control flow, barriers, traps, and what only issues.
    Control,
}

/// The constructor of an operation in [`plain`]: fields without a role are its parameters.
macro_rules! constructor {
    ($name:ident [] [$($parameter:ident: $type:ty,)*] [$($field:ident: $value:expr,)*]) => {
        /// The operation with its modifiers off.
        pub const fn $name($($parameter: $type),*) -> Op {
            Op::$name { $($field: $value),* }
        }
    };
    ($name:ident [$field:ident: $type:ty = $role:ident, $($rest:tt)*] [$($parameters:tt)*] [$($fields:tt)*]) => {
        constructor!($name [$($rest)*] [$($parameters)*] [$($fields)* $field: <$type as Modifier>::OFF,]);
    };
    ($name:ident [$field:ident: $type:ty, $($rest:tt)*] [$($parameters:tt)*] [$($fields:tt)*]) => {
        constructor!($name [$($rest)*] [$($parameters)* $field: $type,] [$($fields)* $field: $field,]);
    };
}

/// Declares the operations, a row each: name, fields, family. A field with a role is a modifier, which a field of the
/// word holds; the others are the row's.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $type:ty $(= $role:ident)?),+ })? $family:ident;)+) => {
        /// Operation with its modifiers. Sources are named `src[0]`..`src[2]` of the [`Instr`](crate::sm10::Instr).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Op {
            $($(#[$doc])* $name $({ $($field: $type),+ })?,)+
        }

        impl Op {
            /// What it is treated like.
            #[inline]
            pub const fn family(&self) -> Family {
                match self {
                    $(Op::$name { .. } => Family::$family,)+
                }
            }

            /// Shows every modifier with its role.
            #[allow(unused_variables)]
            pub(super) fn modifiers(&mut self, v: &mut impl Visit) {
                match self {
                    $(Op::$name $({ $($field),+ })? => {
                        $($($(<$type as Modifier>::show($field, Role::$role, v);)?)+)?
                    })+
                }
            }
        }

        /// Each operation with its modifiers off, of what the rows fix.
        #[allow(non_snake_case)]
        pub mod plain {
            use super::*;
            $(constructor!($name [$($($field: $type $(= $role)?,)+)?] [] []);)+
        }
    };
}

#[rustfmt::skip]
operations! {
    /// `dst = src[0]` in the quad lanes of `lanes` (bit l = lane l mod 4; 0xf = all).
    Mov { width: Width, lanes: u8 = Lanes } Move;
    /// `src[0]` +/- `src[1]`.
    IAdd { kind: AddKind = AddKind, width: Width, sat: bool = Sat } Integer;
    /// 16 x 16 -> 32 multiply, each operand signed or not.
    IMul16 { signed_a: bool = SignedA, signed_b: bool = SignedB } Integer;
    /// 24 x 24 multiply, low 32 bits or bits 47:16.
    IMul24 { signed: bool = Signed, high: bool = High } Integer;
    /// `src[0] * src[1]` +/- `src[2]`.
    IMad { kind: AddKind = AddKind, mul: MulKind, sat: bool } Integer;
    /// FlexGripPlus: `src[0]` +/- `src[1]` + carry where `carry` is not 0.
    ISum { carry: u8 = CarryIn, neg_b: bool = NegB, width: Width } Integer;
    /// FlexGripPlus: +/- `src[0] * src[1]` +/- `src[2]`.
    IMadSigned { neg_ab: bool = NegA, neg_c: bool = NegC, mul: MulKind, sat: bool } Integer;
    /// `|src[0] - src[1]| + src[2]`.
    ISad { width: Width, signed: bool = Signed } Integer;
    /// All ones when the relation holds; `cond` bit 0 lt, 1 eq, 2 gt. FlexGripPlus: from 0x10 on the condition of that
    /// code on the flags of `src[0]` - `src[1]`.
    ISet { cond: u8 = CondI, width: Width, signed: bool = Signed } Integer;
    IMinMax { max: bool, width: Width, signed: bool = Signed } Integer;
    /// `src[0]` shifted by `src[1]` (register, memory or [`Src::Imm`](crate::sm10::Src::Imm) of 7 bits), count not masked.
    Shift { right: bool, signed: bool = Signed, width: Width } Integer;
    Logic { op: LogicOp = Logic, not_a: bool = NotA, not_b: bool = NotB, width: Width } Integer;
    /// Integer to integer, clamped to the destination type.
    I2I { dst: IntType, src: IntType = CvtSrc, neg: bool = NegA, abs: bool = AbsA } Conversion;
    I2F { dst: FloatType, src: IntType = CvtSrc, round: Round = Round, neg: bool = NegA, abs: bool = AbsA, sat: bool = Sat } Conversion;
    F2I { dst: IntType, src: FloatType, round: Round = Round, neg: bool = NegA, abs: bool = AbsA } Conversion;
    /// Float to float; `to_int` rounds to an integral value.
    F2F { dst: FloatType, src: FloatType, round: Round = Round, to_int: bool, neg: bool = NegA, abs: bool = AbsA, sat: bool = Sat } Conversion;
    FAdd { neg_a: bool = NegA, neg_b: bool = NegB, round: Round = RoundNZ, sat: bool = Sat } Float;
    FMul { neg_a: bool = NegA, neg_b: bool = NegB, round: Round = RoundNZ } Float;
    /// `(+/- src[0] * src[1]) +/- src[2]`, the product truncated.
    FMad { neg_ab: bool = NegA, neg_c: bool = NegC, sat: bool = Sat } Float;
    FMinMax { max: bool, neg_a: bool = NegA, abs_a: bool = AbsA, neg_b: bool = NegB, abs_b: bool = AbsB } Float;
    /// All ones when the relation holds; `cond` bit 0 lt, 1 eq, 2 gt, 3 unordered. FlexGripPlus: from 0x10 on the
    /// condition of that code on the flags of the comparison.
    FSet { cond: u8 = CondF, neg_a: bool = NegA, abs_a: bool = AbsA, neg_b: bool = NegB, abs_b: bool = AbsB } Float;
    /// `src[2] >= 0 ? src[0] : src[1]`.
    FSlct { neg_c: bool = NegC } Float;
    /// Floats of 64 bits in pairs of registers (SM 1.3): +/- `src[0] * src[1]` +/- `src[2]`, rounded once.
    DFma { neg_ab: bool = NegA, neg_c: bool = NegC, round: Round = Round } Double;
    DAdd { neg_a: bool = NegA, neg_b: bool = NegB, round: Round = Round } Double;
    DMul { neg_a: bool = NegA, round: Round = Round } Double;
    DMinMax { max: bool, neg_a: bool = NegA, abs_a: bool = AbsA, neg_b: bool = NegB, abs_b: bool = AbsB } Double;
    /// A word of all ones when the relation holds, see `FSet`.
    DSet { cond: u8 = CondF, neg_a: bool = NegA, abs_a: bool = AbsA, neg_b: bool = NegB, abs_b: bool = AbsB } Double;
    /// The number `src[0]` of one type as one of another, one of them of 64 bits; `to_int` rounds to an integral value.
    DConvert { to: Number, from: Number, to_int: bool, round: Round = Round, neg: bool = NegA, abs: bool = AbsA } Double;
    Sfu { func: SfuFn, neg: bool = NegA, abs: bool = AbsA, sat: bool = Sat } Special;
    /// Range reduction in front of SIN and COS, or of EX2.
    Rro { ex2: bool, neg: bool = NegA, abs: bool = AbsA } Special;
    /// `dst = src[0]` flags, zero-extended (Z bit 0, S 1, C 2, O 3).
    C2R Move;
    /// Flag register `dst` = low 4 bits of `src[0]`.
    R2C Move;
    /// `dst` = address register `src[0]`, zero-extended.
    A2R Move;
    /// `dst` = special register `src[0]`.
    S2R Move;
    /// Flag register `dst` = whether the guard holds in `all` active threads of the warp, or in any; every active thread
    /// gets it (SM 1.2 and later).
    Vote { all: bool } Move;
    /// Address register `dst` = (`src[0]` << `shift`) mod 2^16; shift 0..=15.
    R2A { shift: u8 = Shift4 } Move;
    /// `dst` = `src[0]` + `src[1]`; `src[1]` is an immediate, one of the others an address register, which keeps 16 bits.
    AddA Move;
    /// Shared store of `src[0]` (register, or half register for 16-bit source numbering).
    /// `unlock`: the word's lock is free afterwards (SM 1.2 and later; below it is a store like any).
    StShared { at: MemRef = MemSize, unlock: bool } Memory;
    /// Shared load (SM 1.1 and later). `lock`: takes the word's lock where it is free, and writes to a flag register
    /// whether it did (SM 1.2 and later); lanes one after the other, from the lowest one on.
    LdShared { at: MemRef = MemSize, lock: bool } Memory;
    /// `dst` = constant `src[0]`.
    LdConst Memory;
    /// `dst` = global memory at byte address `src[0]`.
    LdGlobal { space: u8 = Space, size: MemSize = MemSize } Memory;
    /// Global memory at byte address `src[0]` = `src[1]` (first of [`MemSize::regs`] registers).
    StGlobal { space: u8 = Space, size: MemSize = MemSize } Memory;
    /// Global memory at byte address `src[0]` = `op` of what was there, `src[1]` and, of an exchange after a comparison
    /// with `src[1]`, `src[2]`; `dst` = what was there, if there is a destination. Lanes one after the other, from the
    /// lowest one on (SM 1.1 and later).
    Atomic { op: AtomicOp, signed: bool = SignedWord, space: u8 = Space } Memory;
    /// `dst` = local memory.
    LdLocal { at: MemRef = MemSize } Memory;
    /// Local memory = `src[0]` (first of [`MemSize::regs`] registers).
    StLocal { at: MemRef = MemSize } Memory;
    /// Branch to byte address `target`.
    Bra { target: u32 = Target } Control;
    /// Call; `lim` marks a limited call (never refused here).
    Cal { target: u32 = Target, lim: bool = Lim } Control;
    Ret Control;
    /// Push a break address.
    Pbk { target: u32 = Target } Control;
    Brk Control;
    /// Push the address of the `.S` instruction.
    Ssy { target: u32 = Target } Control;
    /// Barrier `id` 0..=15; `mask` is decoded, printed and ignored (`None` = the form without a mask).
    Bar { id: u8 = BarId, arrive: bool = Arrive, wait: bool = Wait, mask: Option<u16> = BarMask } Control;
    Trap Control;
    Bpt Control;
    Nop Control;
    PmTrig { id: u8 = PmId } Control;
    /// Texture, quad, fragment and later-architecture forms: decodes, then traps as unimplemented.
    Unsupported Control;
}

impl Op {
    /// Whether it computes with floats of 32 or 16 bits: arithmetic, comparison, special functions, conversions from and to
    /// them.
    #[inline]
    pub const fn is_float(&self) -> bool {
        match self.family() {
            Family::Float | Family::Special => true,
            Family::Conversion => !matches!(self, Op::I2I { .. }),
            Family::Integer | Family::Double | Family::Move | Family::Memory | Family::Control => false,
        }
    }

    /// Registers that source `n` is where it is a register: more than one of floats of 64 bits and in wide stores.
    pub const fn registers(&self, n: usize) -> u8 {
        match self {
            Op::StGlobal { size, .. } if n == 1 => size.regs(),
            Op::StLocal { at } if n == 0 => at.size.regs(),
            Op::DConvert { from, .. } => from.registers(),
            Op::DFma { .. } | Op::DAdd { .. } | Op::DMul { .. } | Op::DMinMax { .. } | Op::DSet { .. } => 2,
            _ => 1,
        }
    }

    /// Sources of an operation on floats of 64 bits.
    pub const fn sources(&self) -> usize {
        match self {
            Op::DFma { .. } => 3,
            Op::DAdd { .. } | Op::DMul { .. } | Op::DMinMax { .. } | Op::DSet { .. } => 2,
            _ => 1,
        }
    }

    /// Registers that it writes.
    pub const fn results(&self) -> u8 {
        match self {
            Op::DFma { .. } | Op::DAdd { .. } | Op::DMul { .. } | Op::DMinMax { .. } => 2,
            Op::DConvert { to, .. } => to.registers(),
            _ => 1,
        }
    }

    /// True for additions that read a carry, [`AddKind::Addc`].
    pub const fn adds_carry(&self) -> bool {
        match self {
            Op::IAdd { kind, .. } | Op::IMad { kind, .. } => matches!(kind, AddKind::Addc),
            Op::ISum { carry, .. } => *carry != 0,
            _ => false,
        }
    }

    /// The memory operand of shared stores and loads and of local accesses.
    pub fn memory(mut self) -> Option<MemRef> {
        self.memory_mut().copied()
    }

    /// The same, to change it.
    pub fn memory_mut(&mut self) -> Option<&mut MemRef> {
        match self {
            Op::StShared { at, .. } | Op::LdShared { at, .. } | Op::LdLocal { at } | Op::StLocal { at } => Some(at),
            _ => None,
        }
    }

    /// Byte address that a control operation names.
    pub fn target(mut self) -> Option<u32> {
        self.target_mut().copied()
    }

    /// The same, to change it.
    pub fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Op::Bra { target } | Op::Cal { target, .. } | Op::Pbk { target } | Op::Ssy { target } => Some(target),
            _ => None,
        }
    }
}

impl Lowering<'_> {
    /// The last micro-operation and the type of its result.
    pub(super) fn operation(&mut self) -> Result<(Type, Uop)> {
        let single = Type::F32;
        let of = |op, ty, src| Uop::new(op, ty, Place::None, src);
        Ok(match self.instr.op {
            Op::Mov { width: w, lanes: 15 } => {
                let ty = width(w, false);
                (ty, of(Do::Move, ty, vec![self.src(0, ty)?]))
            }
            Op::IAdd { kind, width: w, sat } => {
                let ty = width(w, true);
                Self::sum(kind, self.src(0, ty)?, self.src(1, ty)?, ty, sat)?
            }
            Op::IMul16 { signed_a, signed_b } => {
                let src = vec![self.src(0, Type::int(16, signed_a))?, self.src(1, Type::int(16, signed_b))?];
                (Type::U32, of(Do::Mul, Type::U32, src))
            }
            Op::IMul24 { signed, high } => {
                let (a, b) = (self.factor(0, 24, signed)?, self.factor(1, 24, signed)?);
                let product = self.times(a, b, high);
                (Type::U32, of(Do::Move, Type::U32, vec![product]))
            }
            Op::IMad { kind, mul, sat } => {
                let product = self.product(mul)?.typed(Type::S32);
                let c = self.src(2, Type::S32)?;
                Self::sum(kind, product, c, Type::S32, sat)?
            }
            Op::ISum { carry: 0, neg_b, width: w } => {
                let ty = width(w, true);
                let kind = if neg_b { AddKind::Sub } else { AddKind::Add };
                Self::sum(kind, self.src(0, ty)?, self.src(1, ty)?, ty, false)?
            }
            Op::ISum { .. } => return Err(Unimplemented("carries are not lowered")),
            Op::IMadSigned { neg_ab, neg_c, mul, sat } => {
                let product = uop::Src { neg: neg_ab, ..self.product(mul)?.typed(Type::S32) };
                let mut c = self.src(2, Type::S32)?;
                // The one whose negation has no 32 bits is its own.
                if neg_ab && neg_c {
                    let negated = vec![uop::Src { neg: true, ..c }];
                    c = self.keep(Uop::new(Do::Move, Type::S32, Place::None, negated)).typed(Type::S32);
                }
                let c = uop::Src { neg: neg_c && !neg_ab, ..c };
                let sum = Uop::new(Do::Add, Type::S32, Place::None, vec![product, c]);
                (Type::U32, sum.saturating(sat))
            }
            Op::ISad { width: w, signed } => {
                let ty = width(w, signed);
                let b = uop::Src { neg: true, ..self.src(1, ty)? };
                let difference = vec![self.src(0, ty)?, b];
                let kept = self.keep(of(Do::Add, Type::S64, difference));
                let magnitude = uop::Src { abs: true, ..kept };
                let src = vec![magnitude, self.src(2, Type::U32)?];
                (Type::U32, of(Do::Add, Type::U32, src))
            }
            Op::ISet { cond: cond @ 0x10.., width: w, signed } => self.on_difference(cond, width(w, signed))?,
            Op::ISet { cond, width: w, signed } => {
                let ty = width(w, signed);
                let op = Do::Compare { cond: Cond(cond & 7), combine: 0 };
                let out = width(w, false);
                (out, of(op, out, vec![self.src(0, ty)?, self.src(1, ty)?]))
            }
            Op::IMinMax { max, width: w, signed } => {
                let ty = width(w, signed);
                let op = if max { Do::Max } else { Do::Min };
                let out = width(w, false);
                (out, of(op, out, vec![self.src(0, ty)?, self.src(1, ty)?]))
            }
            Op::Shift { right, signed, width: w } => {
                let mask = u32::MAX;
                let op = match right {
                    true => Do::ShiftRight { mask },
                    false => Do::ShiftLeft { mask },
                };
                let src = vec![self.src(0, width(w, signed))?, self.src(1, width(w, false))?];
                let out = width(w, false);
                (out, of(op, out, src))
            }
            Op::Logic { op, not_a, not_b, width: w } => {
                let ty = width(w, false);
                let table = match op {
                    LogicOp::And => 0b1000,
                    LogicOp::Or => 0b1110,
                    LogicOp::Xor => 0b0110,
                    LogicOp::PassB => 0b1100,
                };
                let inverted = |s, not| uop::Src { not, ..s };
                let src = vec![inverted(self.src(0, ty)?, not_a), inverted(self.src(1, ty)?, not_b)];
                (ty, of(Do::Logic(table), ty, src))
            }
            Op::I2I { dst, src, neg, abs } => {
                let a = uop::Src { neg, abs, ..self.src(0, integer(src))? };
                let ty = integer(dst);
                (ty, of(Do::Convert, ty, vec![a]).saturating(true))
            }
            Op::I2F { dst, src, round, neg, abs, sat } => {
                let a = uop::Src { neg, abs, ..self.src(0, integer(src))? };
                let u = of(Do::Convert, float(dst), vec![a]).with_mode(mode(round));
                self.clamped(u, sat)
            }
            Op::F2I { dst, src, round, neg, abs } => {
                let a = self.float(0, float(src), abs, neg)?;
                let ty = integer(dst);
                (ty, of(Do::Convert, ty, vec![a]).with_mode(mode(round)))
            }
            Op::F2F { dst, src, round, to_int, neg, abs, sat } => {
                let a = self.float(0, float(src), abs, neg)?;
                let op = match to_int {
                    true => Do::RoundToIntegral,
                    false => Do::Convert,
                };
                let u = of(op, float(dst), vec![a]).with_mode(match dst {
                    FloatType::F16 => halves(round),
                    FloatType::F32 => mode(round),
                });
                let u = match (src, dst) {
                    (FloatType::F32, FloatType::F16) => self.without_smallest(a, u),
                    _ => u,
                };
                self.clamped(u, sat)
            }
            Op::FAdd { neg_a, neg_b, round, sat } => {
                let src = vec![self.float(0, single, false, neg_a)?, self.float(1, single, false, neg_b)?];
                let u = of(Do::Add, single, src).with_mode(mode(round));
                self.clamped(u, sat)
            }
            Op::FMul { neg_a, neg_b, round } => {
                let a = self.float(0, single, false, neg_a)?;
                let b = self.float(1, single, false, neg_b)?;
                (single, multiply(a, b, round))
            }
            Op::FMad { neg_ab, neg_c, sat } => self.multiply_add(neg_ab, neg_c, sat)?,
            Op::FMinMax { max, neg_a, abs_a, neg_b, abs_b } => {
                let src = vec![self.float(0, single, abs_a, neg_a)?, self.float(1, single, abs_b, neg_b)?];
                let op = if max { Do::Max } else { Do::Min };
                (single, of(op, single, src))
            }
            Op::FSet { cond, neg_a, abs_a, neg_b, abs_b } => {
                let cond = relations(cond);
                let unordered = if cond & 8 != 0 { Cond::UNORDERED } else { 0 };
                let op = Do::Compare { cond: Cond(cond & 7 | unordered), combine: 0 };
                let src = vec![self.float(0, single, abs_a, neg_a)?, self.float(1, single, abs_b, neg_b)?];
                (Type::U32, of(op, Type::U32, src))
            }
            Op::FSlct { neg_c } => {
                let op = Do::CompareSelect(Cond(Cond::EQUAL | Cond::GREATER));
                let src = vec![
                    self.float(2, single, false, neg_c)?,
                    uop::Src::immediate(0, single),
                    self.src(0, Type::U32)?,
                    self.src(1, Type::U32)?,
                ];
                (Type::U32, of(op, Type::U32, src))
            }
            Op::Sfu { func, neg, abs, sat } => {
                let f = match func {
                    SfuFn::Rcp => Special::Rcp,
                    SfuFn::Rsq => Special::Rsq,
                    SfuFn::Lg2 => Special::Lg2,
                    SfuFn::Sin => Special::Sin,
                    SfuFn::Cos => Special::Cos,
                    SfuFn::Ex2 => Special::Ex2,
                };
                let a = uop::Src { abs, neg, ..self.src(0, single)? };
                self.clamped(of(Do::Special(f), single, vec![a]), sat)
            }
            Op::Rro { ex2, neg, abs } => {
                let f = match ex2 {
                    true => Special::ReduceEx2,
                    false => Special::ReduceSin,
                };
                let a = uop::Src { abs, neg, ..self.src(0, single)? };
                (Type::U32, of(Do::Special(f), Type::U32, vec![a]))
            }
            Op::DFma { .. }
            | Op::DAdd { .. }
            | Op::DMul { .. }
            | Op::DMinMax { .. }
            | Op::DSet { .. }
            | Op::DConvert { .. } => return Err(Unimplemented("floats of 64 bits are not lowered")),
            Op::Mov { .. }
            | Op::C2R
            | Op::R2C
            | Op::A2R
            | Op::S2R
            | Op::Vote { .. }
            | Op::R2A { .. }
            | Op::AddA
            | Op::StShared { .. }
            | Op::LdShared { .. }
            | Op::LdConst
            | Op::LdGlobal { .. }
            | Op::StGlobal { .. }
            | Op::Atomic { .. }
            | Op::LdLocal { .. }
            | Op::StLocal { .. }
            | Op::Bra { .. }
            | Op::Cal { .. }
            | Op::Ret
            | Op::Pbk { .. }
            | Op::Brk
            | Op::Ssy { .. }
            | Op::Bar { .. }
            | Op::Trap
            | Op::Bpt
            | Op::Nop
            | Op::PmTrig { .. }
            | Op::Unsupported => return Err(Unimplemented("no arithmetic")),
        })
    }

    /// FMAD: the product is cut off before the sum; where the addend is a zero it is rounded to nearest.
    fn multiply_add(&mut self, neg_ab: bool, neg_c: bool, sat: bool) -> Result<(Type, Uop)> {
        let single = Type::F32;
        let a = self.float(0, single, false, neg_ab)?;
        let b = self.float(1, single, false, false)?;
        let c = self.float(2, single, false, neg_c)?;
        let nearest = mode(Round::Nearest);
        let product = self.keep(multiply(a, b, Round::Nearest));
        let apart = Uop::new(Do::Add, single, Place::None, vec![product, c]).with_mode(nearest);
        let apart = self.keep(apart);
        let together = Uop::new(Do::MulAdd, single, Place::None, vec![a, b, c]);
        let together = self.keep(together.with_mode(FloatMode { product: Product::CutOff, ..nearest }));
        let op = Do::CompareSelect(Cond(Cond::EQUAL));
        let src = vec![c, uop::Src::immediate(0, single), apart, together];
        Ok(self.clamped(Uop::new(op, single, Place::None, src), sat))
    }
}

/// The relations of floats (bit 0 lt, 1 eq, 2 gt, 3 unordered) for which a condition holds: from 0x10 on one on the
/// flags, Z and S of the relation, C and O never.
pub const fn relations(cond: u8) -> u8 {
    match cond {
        0x13 => 0b1001,
        0x1c => 0b0110,
        0x10..=0x1b => 0,
        0x1d.. => 0b1111,
        _ => cond,
    }
}

/// FMUL: rounded before the lower end of the exponent is looked at.
fn multiply(a: uop::Src, b: uop::Src, round: Round) -> Uop {
    Uop::new(Do::Mul, Type::F32, Place::None, vec![a, b])
        .with_mode(FloatMode { tiny: Tiny::FlushUnbounded, ..mode(round) })
}
