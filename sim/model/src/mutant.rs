//! Deliberate errors in the model, for checks of the harness only.
//!
//! A lockstep run against a mutant must report a difference. Errors that another modifier describes
//! rewrite the operation at decode; the others replace one thread's float result.

use crate::num::float::{self, add, exponent, flush, is_inf, is_nan, modify, mul, ONE};
use crate::num::sfu;
use crate::record::Lanes;
use warpsmith_isa::uop;
use warpsmith_isa::{AddKind, FloatType, Instr, Isa, Op, Round, SfuFn, WARP_SIZE};

const SIGN: u32 = 0x8000_0000;

/// One deliberate error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// Integer subtraction with its operands swapped.
    SwapSubtract,
    /// Signed right shifts fill with zeros.
    LogicalShift,
    /// The add with carry forgets the carry.
    DropCarry,
    /// FADD truncates exact ties.
    AddTruncatesTies,
    /// FADD of a denormal and a zero gives the denormal.
    AddKeepsDenormal,
    /// A NaN operand of FADD comes out as it went in.
    AddKeepsNan,
    /// Saturating FADD and FMAD keep the sign of −0.
    SaturateKeepsSign,
    /// FMUL gives the largest number where it overflows.
    MulNeverInfinite,
    /// FMAD rounds its product to nearest.
    MadRoundsProduct,
    /// FMAD loses the sign of a zero product.
    MadZeroSign,
    /// FMIN and FMAX take −0 and +0 for equal and give the second operand.
    EqualZeros,
    /// FSET, and selects of other sets, take an unordered pair for not related.
    SetOrdered,
    /// FCMP takes −0 for negative.
    SelectNegativeZero,
    /// F2F to half precision flushes denormal results.
    HalfFlush,
    /// F2I truncates in every mode.
    F2ITruncates,
    /// F2I of a NaN gives the smallest number.
    F2INan,
    /// I2F truncates in every mode.
    I2FTruncates,
    /// RCP keeps a result below the normal range.
    RcpKeepsDenormal,
    /// RSQ of −0 is plus infinity.
    RsqZeroSign,
    /// LG2 of 1.0 by its table alone.
    Lg2One,
    /// SIN has the sign of its argument in every quadrant.
    SinQuadrant,
    /// EX2 of a negative integer is half of what it should be.
    Ex2Integer,
    /// RRO drops the sign of a NaN's code.
    RroNanSign,
    /// Atomic minima are maxima; of chips with atomic accesses alone.
    AtomicMinMax,
    /// A vote over all threads is one over any; of chips from level `sm12` on alone.
    VoteAnyAll,
    /// A store that frees a lock does not; of chips from level `sm12` on alone.
    LockStays,
    /// Sums and products of 64 bits round toward zero where they should to nearest; of chips with such floats alone.
    DoubleTruncates,
}

impl Mutant {
    /// All of them by name.
    pub const ALL: [(&'static str, Mutant); 23] = [
        ("swap-subtract", Mutant::SwapSubtract),
        ("logical-shift", Mutant::LogicalShift),
        ("drop-carry", Mutant::DropCarry),
        ("add-truncates-ties", Mutant::AddTruncatesTies),
        ("add-keeps-denormal", Mutant::AddKeepsDenormal),
        ("add-keeps-nan", Mutant::AddKeepsNan),
        ("saturate-keeps-sign", Mutant::SaturateKeepsSign),
        ("mul-never-infinite", Mutant::MulNeverInfinite),
        ("mad-rounds-product", Mutant::MadRoundsProduct),
        ("mad-zero-sign", Mutant::MadZeroSign),
        ("equal-zeros", Mutant::EqualZeros),
        ("set-ordered", Mutant::SetOrdered),
        ("select-negative-zero", Mutant::SelectNegativeZero),
        ("half-flush", Mutant::HalfFlush),
        ("f2i-truncates", Mutant::F2ITruncates),
        ("f2i-nan", Mutant::F2INan),
        ("i2f-truncates", Mutant::I2FTruncates),
        ("rcp-keeps-denormal", Mutant::RcpKeepsDenormal),
        ("rsq-zero-sign", Mutant::RsqZeroSign),
        ("lg2-one", Mutant::Lg2One),
        ("sin-quadrant", Mutant::SinQuadrant),
        ("ex2-integer", Mutant::Ex2Integer),
        ("rro-nan-sign", Mutant::RroNanSign),
    ];

    /// The errors that programs of the other sets show, too: they rewrite micro-operations.
    pub const OF_SETS: [Mutant; 6] = [
        Mutant::SwapSubtract,
        Mutant::LogicalShift,
        Mutant::SetOrdered,
        Mutant::HalfFlush,
        Mutant::F2ITruncates,
        Mutant::I2FTruncates,
    ];

    /// Those that programs of a set beside SM 1.0 can show: conversions of Ivy Bridge truncate anyhow.
    pub fn of_set(isa: Isa) -> impl Iterator<Item = Mutant> {
        Mutant::OF_SETS.into_iter().filter(move |m| isa != Isa::Ivb || *m != Mutant::F2ITruncates)
    }

    /// Rewrites a micro-operation at decode; one of [`Mutant::OF_SETS`] only.
    pub(crate) fn rewrite(self, u: &mut uop::Uop) {
        let from_float = u.src.first().is_some_and(|s| s.ty.is_float());
        match (self, u.op) {
            (Mutant::SwapSubtract, uop::Op::Add) if !u.ty.is_float() => {
                if let [a, b] = &mut u.src[..] {
                    if a.neg != b.neg {
                        std::mem::swap(&mut a.neg, &mut b.neg);
                    }
                }
            }
            (Mutant::LogicalShift, uop::Op::ShiftRight { .. }) => {
                if let Some(a) = u.src.first_mut() {
                    a.ty = uop::Type::int(a.ty.bits(), false);
                }
            }
            (Mutant::SetOrdered, uop::Op::Compare { cond, combine }) if from_float => {
                let cond = uop::Cond(cond.0 & !uop::Cond::UNORDERED);
                u.op = uop::Op::Compare { cond, combine };
            }
            (Mutant::SetOrdered, uop::Op::CompareSelect(cond)) if from_float => {
                let cond = uop::Cond(cond.0 & !uop::Cond::UNORDERED);
                u.op = uop::Op::CompareSelect(cond);
            }
            (Mutant::HalfFlush, uop::Op::Convert) if u.ty == uop::Type::F16 => {
                u.mode.tiny = uop::Tiny::FlushRounded;
            }
            (Mutant::F2ITruncates, uop::Op::Convert) if from_float && !u.ty.is_float() => {
                u.mode.round = uop::Round::Zero;
            }
            (Mutant::DoubleTruncates, uop::Op::Add | uop::Op::Mul | uop::Op::MulAdd)
                if (u.ty, u.mode.round) == (uop::Type::F64, uop::Round::Nearest) =>
            {
                u.mode.round = uop::Round::Zero;
            }
            (Mutant::AtomicMinMax, uop::Op::Atomic(a, uop::AtomicOp::Min)) => {
                u.op = uop::Op::Atomic(a, uop::AtomicOp::Max);
            }
            (Mutant::I2FTruncates, uop::Op::Convert) if !from_float && u.ty.is_float() => {
                u.mode.round = uop::Round::Zero;
            }
            _ => {}
        }
    }

    /// Rewrites an operation at decode.
    pub(crate) fn apply(self, op: &mut Op) {
        match (self, op) {
            (Mutant::SwapSubtract, Op::IAdd { kind, .. }) => {
                *kind = match *kind {
                    AddKind::Sub => AddKind::Subr,
                    AddKind::Subr => AddKind::Sub,
                    other => other,
                }
            }
            (Mutant::LogicalShift, Op::Shift { right: true, signed, .. }) => *signed = false,
            (Mutant::AtomicMinMax, Op::Atomic { op, .. }) if *op == uop::AtomicOp::Min => *op = uop::AtomicOp::Max,
            (Mutant::VoteAnyAll, Op::Vote { all }) => *all = false,
            (Mutant::LockStays, Op::StShared { unlock, .. }) => *unlock = false,
            (Mutant::DropCarry, Op::IAdd { kind, .. }) if *kind == AddKind::Addc => {
                *kind = AddKind::Add;
            }
            (Mutant::SetOrdered, Op::FSet { cond, .. }) => *cond &= 7,
            (Mutant::DoubleTruncates, Op::DAdd { round, .. } | Op::DMul { round, .. } | Op::DFma { round, .. })
                if *round == Round::Nearest =>
            {
                *round = Round::Zero
            }
            (Mutant::F2ITruncates, Op::F2I { round, .. }) | (Mutant::I2FTruncates, Op::I2F { round, .. }) => {
                *round = Round::Zero
            }
            _ => {}
        }
    }

    /// Replaces the results of one operation; flags stay those of the right result.
    #[cold]
    pub(crate) fn corrupt(self, instr: &Instr, x: [&Lanes; 3], values: &mut Lanes) {
        for l in 0..WARP_SIZE {
            let sources = [x[0][l], x[1][l], x[2][l]];
            if let Some(wrong) = self.result(&instr.op, sources, values[l]) {
                values[l] = wrong;
            }
        }
    }

    /// The wrong result in place of `r`, where there is one.
    fn result(self, op: &Op, [a, b, c]: [u32; 3], r: u32) -> Option<u32> {
        match (self, *op) {
            (Mutant::AddTruncatesTies, Op::FAdd { neg_a, neg_b, round: Round::Nearest, sat: false }) => {
                let (x, y) = (modify(a, false, neg_a), modify(b, false, neg_b));
                let (x, y) = if exponent(x) < exponent(y) { (y, x) } else { (x, y) };
                let down = add(x, y, Round::Zero);
                let rest = add(add(x, down ^ SIGN, Round::Nearest), y, Round::Nearest);
                let half = (exponent(down) - 24).max(0) as u32;
                (rest & !SIGN == half << 23 && half > 0).then_some(down)
            }
            (Mutant::AddKeepsDenormal, Op::FAdd { neg_a, .. }) => {
                let lone = flush(a) != a && b & !SIGN == 0;
                lone.then_some(modify(a, false, neg_a))
            }
            (Mutant::AddKeepsNan, Op::FAdd { .. }) => is_nan(a).then_some(a),
            (Mutant::SaturateKeepsSign, Op::FAdd { neg_a, neg_b, sat: true, .. }) => {
                let (x, y) = (modify(a, false, neg_a), modify(b, false, neg_b));
                (flush(x) == SIGN && flush(y) == SIGN).then_some(SIGN)
            }
            (Mutant::SaturateKeepsSign, Op::FMad { neg_ab, neg_c, sat: true }) => {
                let (x, z) = (modify(a, false, neg_ab), modify(c, false, neg_c));
                (float::mad(x, b, z) == SIGN).then_some(SIGN)
            }
            (Mutant::MulNeverInfinite, Op::FMul { .. }) => (is_inf(r) && !is_inf(a) && !is_inf(b)).then(|| r - 1),
            (Mutant::MadRoundsProduct, Op::FMad { neg_ab, neg_c, sat: false }) => {
                let product = mul(modify(a, false, neg_ab), b, Round::Nearest);
                Some(add(product, modify(c, false, neg_c), Round::Nearest))
            }
            (Mutant::MadZeroSign, Op::FMad { .. }) => (r == SIGN).then_some(0),
            (Mutant::EqualZeros, Op::FMinMax { abs_b, neg_b, .. }) => {
                let zeros = flush(a) & !SIGN == 0 && flush(b) & !SIGN == 0;
                zeros.then_some(flush(modify(b, abs_b, neg_b)))
            }
            (Mutant::SelectNegativeZero, Op::FSlct { neg_c }) => (modify(c, false, neg_c) == SIGN).then_some(b),
            (Mutant::HalfFlush, Op::F2F { dst: FloatType::F16, .. }) => (r & 0x7c00 == 0).then_some(r & 0x8000),
            (Mutant::F2INan, Op::F2I { src: FloatType::F32, .. }) => is_nan(a).then_some(SIGN),
            (Mutant::RcpKeepsDenormal, Op::Sfu { func: SfuFn::Rcp, .. }) => {
                (r & !SIGN == 0 && !is_inf(a)).then_some(r | 0x40_0000)
            }
            (Mutant::RsqZeroSign, Op::Sfu { func: SfuFn::Rsq, .. }) => (r == SIGN | float::INF).then_some(float::INF),
            (Mutant::Lg2One, Op::Sfu { func: SfuFn::Lg2, neg, abs, .. }) => {
                (modify(a, abs, neg) == ONE).then(|| sfu::lg2(ONE + 1))
            }
            (Mutant::SinQuadrant, Op::Sfu { func: SfuFn::Sin, .. }) => (!is_nan(r)).then_some(r & !SIGN | a & SIGN),
            (Mutant::Ex2Integer, Op::Sfu { func: SfuFn::Ex2, .. }) => {
                (a & 0xc07f_ffff == SIGN && exponent(r) > 1).then(|| r - (1 << 23))
            }
            (Mutant::RroNanSign, Op::Rro { .. }) => is_nan(a).then_some(r & !SIGN),
            _ => None,
        }
    }
}
