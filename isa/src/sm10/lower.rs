//! The arithmetic of SM 1.0 as micro-operations.
//!
//! The decoder of the chip is made from them: `hdl/src/sm/pipeline/decode/lane_operation.rs`. The fast model has a path
//! of its own, and tests hold both against each other. Flags, guards on flags, memory operands and control flow are
//! not lowered.

use crate::sm10::{AddKind, Dst, FloatType, Instr, IntType, LogicOp, Marker, MulKind, Op, Round, SfuFn, Src, Width};
use crate::uop::{self, Cond, FloatMode, Lowered, Op as Do, Place, Product, Special, Tiny, Type, Unimplemented, Uop};

type Result<T> = std::result::Result<T, Unimplemented>;

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
struct Lowering<'a> {
    instr: &'a Instr,
    uops: Vec<Uop>,
    temporaries: u8,
}

fn place_of_half(h: u8) -> Place {
    Place::Register { index: u16::from(h >> 1), byte: 2 * (h & 1) }
}

fn width(w: Width, signed: bool) -> Type {
    Type::int(w.bits(), signed)
}

fn integer(t: IntType) -> Type {
    Type::int(t.bits(), t.is_signed())
}

fn float(t: FloatType) -> Type {
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
fn mode(round: Round) -> FloatMode {
    FloatMode { round: rounding(round), tiny: Tiny::FlushRounded, ..FloatMode::default() }
}

/// The same with denormals: those of 16 bits are kept.
fn halves(round: Round) -> FloatMode {
    FloatMode { tiny: Tiny::Keep, ..mode(round) }
}

impl Lowering<'_> {
    /// Source `n` read as a type.
    fn src(&self, n: usize, ty: Type) -> Result<uop::Src> {
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
    fn float(&self, n: usize, ty: Type, abs: bool, neg: bool) -> Result<uop::Src> {
        Ok(uop::Src { abs, neg, flush: ty == Type::F32, ..self.src(n, ty)? })
    }

    /// A micro-operation into a temporary, read back as its type.
    fn keep(&mut self, u: Uop) -> uop::Src {
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
    fn product(&mut self, kind: MulKind) -> Result<uop::Src> {
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
    fn factor(&mut self, n: usize, bits: u32, signed: bool) -> Result<uop::Src> {
        if bits == 16 {
            return self.src(n, Type::int(16, signed));
        }
        let word = self.src(n, Type::int(32, signed))?;
        let number = |v| uop::Src::immediate(v, Type::U8);
        let src = vec![word, number(0), number(bits.into())];
        Ok(self.keep(Uop::new(Do::Extract, word.ty, Place::None, src)))
    }

    fn times(&mut self, a: uop::Src, b: uop::Src, high: bool) -> uop::Src {
        if !high {
            return self.keep(Uop::new(Do::Mul, Type::U32, Place::None, vec![a, b]));
        }
        let whole = self.keep(Uop::new(Do::Mul, Type::S64, Place::None, vec![a, b]));
        let shift = vec![whole, uop::Src::immediate(16, Type::U8)];
        let op = Do::ShiftRight { mask: u32::MAX };
        self.keep(Uop::new(op, Type::U32, Place::None, shift))
    }

    /// The sum of two numbers.
    fn sum(kind: AddKind, a: uop::Src, b: uop::Src, ty: Type, sat: bool) -> Result<(Type, Uop)> {
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

    /// A float clamped to 0..1, where a NaN stays one.
    fn clamped(&mut self, u: Uop, sat: bool) -> (Type, Uop) {
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
    fn without_smallest(&mut self, a: uop::Src, u: Uop) -> Uop {
        let zero = self.keep(u.clone().with_mode(halves(Round::Nearest)));
        let half = self.keep(u);
        let magnitude = uop::Src { abs: true, neg: false, ..a };
        let limit = uop::Src::immediate(0x2f00_0000, Type::F32);
        let op = Do::CompareSelect(Cond(Cond::LESS));
        let src = vec![magnitude, limit, zero, half];
        Uop::new(op, Type::F16, Place::None, src)
    }

    /// The last micro-operation and the type of its result.
    fn operation(&mut self) -> Result<(Type, Uop)> {
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
            Op::ISad { width: w, signed } => {
                let ty = width(w, signed);
                let b = uop::Src { neg: true, ..self.src(1, ty)? };
                let difference = vec![self.src(0, ty)?, b];
                let kept = self.keep(of(Do::Add, Type::S64, difference));
                let magnitude = uop::Src { abs: true, ..kept };
                let src = vec![magnitude, self.src(2, Type::U32)?];
                (Type::U32, of(Do::Add, Type::U32, src))
            }
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
            _ => return Err(Unimplemented("no arithmetic")),
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

/// FMUL: rounded before the lower end of the exponent is looked at.
fn multiply(a: uop::Src, b: uop::Src, round: Round) -> Uop {
    Uop::new(Do::Mul, Type::F32, Place::None, vec![a, b])
        .with_mode(FloatMode { tiny: Tiny::FlushUnbounded, ..mode(round) })
}
