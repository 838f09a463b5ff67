//! The arithmetic of SM 1.0 as micro-operations: operands and results, and what several operations share. Each
//! operation itself is in [`op`](crate::sm10::op).
//!
//! The fast model has a path of its own, and tests hold both against each other. Flags, guards on flags, memory operands
//! and control flow are not lowered.

use crate::sm10::{AddKind, Dst, FloatType, Instr, IntType, Marker, MulKind, Round, Src, Width};
use crate::uop::{self, Cond, FloatMode, Lowered, Op as Do, Place, Tiny, Type, Unimplemented, Uop};

pub(super) type Result<T> = std::result::Result<T, Unimplemented>;

/// An instruction as micro-operations.
///
/// # Errors
/// What is not lowered, with the reason.
pub fn lower(instr: &Instr) -> Result<Lowered> {
    if !instr.pred.is_always() {
        return Err(Unimplemented("guards on flags are not lowered"));
    }
    if instr.cdst.is_some() {
        return Err(Unimplemented("flags are not lowered"));
    }
    if instr.marker != Marker::None {
        return Err(Unimplemented("exit and join are not lowered"));
    }
    Ok(Lowered::new(result(instr)?))
}

/// The result of an instruction alone: its guard, flags and marker aside.
///
/// # Errors
/// What is not lowered, with the reason.
pub fn result(instr: &Instr) -> Result<Vec<Uop>> {
    let mut l = Lowering { instr, uops: vec![], temporaries: 0 };
    let (ty, last) = l.operation()?;
    l.finish(ty, last)?;
    Ok(l.uops)
}

/// An instruction and the micro-operations before its last.
pub(super) struct Lowering<'a> {
    pub instr: &'a Instr,
    uops: Vec<Uop>,
    temporaries: u8,
}

fn place_of_half(h: u8) -> Place {
    Place::Register { index: u16::from(h >> 1), byte: 2 * (h & 1) }
}

pub(super) fn width(w: Width, signed: bool) -> Type {
    Type::int(w.bits(), signed)
}

pub(super) fn integer(t: IntType) -> Type {
    Type::int(t.bits(), t.is_signed())
}

pub(super) fn float(t: FloatType) -> Type {
    match t {
        FloatType::F16 => Type::F16,
        FloatType::F32 => Type::F32,
    }
}

fn rounding(r: Round) -> uop::Round {
    match r {
        Round::Nearest => uop::Round::Nearest,
        Round::Down => uop::Round::Down,
        Round::Up => uop::Round::Up,
        Round::Zero => uop::Round::Zero,
    }
}

/// Rounding, with results below the normal range as zeros.
pub(super) fn mode(round: Round) -> FloatMode {
    FloatMode { round: rounding(round), tiny: Tiny::FlushRounded, ..FloatMode::default() }
}

/// The same with denormals: those of 16 bits are kept.
pub(super) fn halves(round: Round) -> FloatMode {
    FloatMode { tiny: Tiny::Keep, ..mode(round) }
}

impl Lowering<'_> {
    /// Source `n` read as a type.
    pub fn src(&self, n: usize, ty: Type) -> Result<uop::Src> {
        let place = match self.instr.src[n] {
            Src::None => Place::Immediate(0),
            Src::Reg(r) => Place::register(r.into()),
            Src::Half(_) if ty.bits() > 16 => {
                return Err(Unimplemented("a half register read as a word is not lowered"))
            }
            Src::Half(h) => place_of_half(h),
            Src::Imm(v) => Place::Immediate(v.into()),
            Src::Shared(_) | Src::Const { .. } => return Err(Unimplemented("operands in memory are not lowered")),
            _ => return Err(Unimplemented("operands in other files are not lowered")),
        };
        Ok(uop::Src::new(place, ty))
    }

    /// A float source with its signs; denormals of 32 bits are zeros.
    pub fn float(&self, n: usize, ty: Type, abs: bool, neg: bool) -> Result<uop::Src> {
        Ok(uop::Src { abs, neg, flush: ty == Type::F32, ..self.src(n, ty)? })
    }

    /// A micro-operation into a temporary, read back as its type.
    pub fn keep(&mut self, u: Uop) -> uop::Src {
        let place = Place::Temporary(self.temporaries);
        self.temporaries += 1;
        let ty = u.ty;
        self.uops.push(Uop { dst: [place, Place::None], ..u });
        uop::Src::new(place, ty)
    }

    /// The last micro-operation, its result brought to the width of the destination.
    fn finish(&mut self, ty: Type, mut last: Uop) -> Result<()> {
        let (place, bits) = match self.instr.dst {
            Dst::Reg(r) => (Place::register(r.into()), 32),
            Dst::Half(h) => (place_of_half(h), 16),
            Dst::Discard => (Place::None, ty.bits()),
            _ => return Err(Unimplemented("destinations in other files are not lowered")),
        };
        if bits != ty.bits() {
            let kept = self.keep(last);
            // Signed results of a conversion are extended by their sign.
            let seen = Type::int(ty.bits(), ty.is_signed());
            last = Uop::new(Do::Move, Type::int(bits, false), place, vec![kept.typed(seen)]);
        }
        last.dst[0] = place;
        self.uops.push(last);
        Ok(())
    }

    /// The product of a multiply-add or a multiply, 32 bits.
    pub fn product(&mut self, kind: MulKind) -> Result<uop::Src> {
        let (bits, signed, high) = match kind {
            MulKind::U16 => (16, false, false),
            MulKind::S16 => (16, true, false),
            MulKind::U24 => (24, false, false),
            MulKind::S24 => (24, true, false),
            MulKind::HiU24 => (24, false, true),
            MulKind::HiS24 => (24, true, true),
        };
        let (a, b) = (self.factor(0, bits, signed)?, self.factor(1, bits, signed)?);
        Ok(self.times(a, b, high))
    }

    /// The low 16 or 24 bits of a source.
    pub fn factor(&mut self, n: usize, bits: u32, signed: bool) -> Result<uop::Src> {
        if bits == 16 {
            return self.src(n, Type::int(16, signed));
        }
        let word = self.src(n, Type::int(32, signed))?;
        let number = |v| uop::Src::immediate(v, Type::U8);
        let src = vec![word, number(0), number(bits.into())];
        Ok(self.keep(Uop::new(Do::Extract, word.ty, Place::None, src)))
    }

    pub fn times(&mut self, a: uop::Src, b: uop::Src, high: bool) -> uop::Src {
        if !high {
            return self.keep(Uop::new(Do::Mul, Type::U32, Place::None, vec![a, b]));
        }
        let whole = self.keep(Uop::new(Do::Mul, Type::S64, Place::None, vec![a, b]));
        let shift = vec![whole, uop::Src::immediate(16, Type::U8)];
        let op = Do::ShiftRight { mask: u32::MAX };
        self.keep(Uop::new(op, Type::U32, Place::None, shift))
    }

    /// The sum of two numbers.
    pub fn sum(kind: AddKind, a: uop::Src, b: uop::Src, ty: Type, sat: bool) -> Result<(Type, Uop)> {
        let (neg_a, neg_b) = match kind {
            AddKind::Add => (false, false),
            AddKind::Sub => (false, true),
            AddKind::Subr => (true, false),
            AddKind::Addc => return Err(Unimplemented("carries are not lowered")),
        };
        let a = uop::Src { neg: neg_a, ..a };
        let b = uop::Src { neg: neg_b, ..b };
        let u = Uop::new(Do::Add, ty, Place::None, vec![a, b]);
        // A sum of 16 bits in a whole register is extended by zeros.
        Ok((Type::int(ty.bits(), false), u.saturating(sat)))
    }

    /// Whether a condition on flags, a code from 0x10 on, holds on those of the difference of two integers.
    pub fn on_difference(&mut self, code: u8, ty: Type) -> Result<(Type, Uop)> {
        let (a, b) = (self.src(0, ty)?, self.src(1, ty)?);
        let out = Type::int(ty.bits(), false);
        let compare = |cond, ty, x: uop::Src, y: uop::Src| {
            let op = Do::Compare { cond: Cond(cond), combine: 0 };
            Uop::new(op, out, Place::None, vec![x.typed(ty), y.typed(ty)])
        };
        let (unsigned, signed) = (out, Type::int(ty.bits(), true));
        let zero = uop::Src::immediate(0, signed);
        let negative = |s: &mut Self| {
            let difference = vec![a.typed(out), uop::Src { neg: true, ..b.typed(out) }];
            let difference = s.keep(Uop::new(Do::Add, out, Place::None, difference));
            compare(Cond::LESS, signed, difference, zero)
        };
        Ok((
            out,
            match code {
                0x11 => compare(Cond::EQUAL | Cond::GREATER, unsigned, a, b),
                0x12 => compare(Cond::GREATER, unsigned, a, b),
                0x1d => compare(Cond::LESS | Cond::EQUAL, unsigned, a, b),
                0x1e => compare(Cond::LESS, unsigned, a, b),
                0x13 => negative(self),
                0x1c => {
                    let sign = negative(self);
                    let sign = self.keep(sign);
                    let not = vec![uop::Src { not: true, ..sign }];
                    Uop::new(Do::Move, out, Place::None, not)
                }
                // Overflow: the sign of the difference is not whether one is less.
                _ => {
                    let sign = negative(self);
                    let sign = self.keep(sign);
                    let less = self.keep(compare(Cond::LESS, signed, a, b));
                    let table = if code == 0x10 { 0b0110 } else { 0b1001 };
                    Uop::new(Do::Logic(table), out, Place::None, vec![sign, less])
                }
            },
        ))
    }

    /// A float clamped to 0..1, where a NaN stays one.
    pub fn clamped(&mut self, u: Uop, sat: bool) -> (Type, Uop) {
        let ty = u.ty;
        if !sat {
            return (ty, u);
        }
        let kept = self.keep(u);
        let clamp = Uop::new(Do::Convert, ty, Place::None, vec![kept]).saturating(true);
        let clamped = self.keep(clamp);
        let op = Do::CompareSelect(Cond(Cond::UNORDERED));
        let src = vec![kept, kept, kept, clamped];
        (ty, Uop::new(op, ty, Place::None, src))
    }

    /// A conversion of `a` to a half: below 2^-33 a zero of its sign, whatever the rounding.
    pub fn without_smallest(&mut self, a: uop::Src, u: Uop) -> Uop {
        let zero = self.keep(u.clone().with_mode(halves(Round::Nearest)));
        let half = self.keep(u);
        let magnitude = uop::Src { abs: true, neg: false, ..a };
        let limit = uop::Src::immediate(0x2f00_0000, Type::F32);
        let op = Do::CompareSelect(Cond(Cond::LESS));
        let src = vec![magnitude, limit, zero, half];
        Uop::new(op, Type::F16, Place::None, src)
    }
}
