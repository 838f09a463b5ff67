//! Integer division on chips with special functions: estimates by the reciprocal, corrected.

use super::build::{Lower, ZERO};
use super::inst::Result;
use crate::ir::{Op, Operand, Rel, Round};
use crate::ptx::ast::Inst;

/// Dividends of at most so many bits have an exact quotient from one estimate.
///
/// With half a unit added the quotient of integers lies at least 1/(2b) away from the next one. The
/// relative error of reciprocal, conversion and product is below 2^-21.4, so (a + 1/2)/b is off by
/// less than that for a below 2^20.
const SHORT_BITS: u32 = 20;

impl Lower<'_> {
    /// 32-bit quotient or remainder.
    pub(super) fn divide(&mut self, inst: &Inst, signed: bool, rem: bool, a: Operand, b: Operand) -> Result<Operand> {
        let bits = |at: usize| inst.args.get(at).map_or(32, |x| self.widths.bits(self.flat, x));
        let (a_bits, b_bits) = (bits(1), bits(2));
        if a_bits <= SHORT_BITS && (!signed || b_bits < 32) {
            return Ok(self.short_unsigned(rem, a, b, b_bits.max(a_bits)));
        }
        if !signed || a_bits < 32 && b_bits < 32 {
            return Ok(self.long_unsigned(rem, a, b));
        }
        let (sign_a, sign_b) = (self.sign(a), self.sign(b));
        let ua = self.negate_if(a, sign_a);
        let ub = self.negate_if(b, sign_b);
        let r = self.long_unsigned(rem, ua, ub);
        let sign = if rem { sign_a } else { self.xor(sign_a, sign_b) };
        Ok(self.negate_if(r, sign))
    }

    fn negate_if(&mut self, a: Operand, mask: Operand) -> Operand {
        let flipped = self.xor(a, mask);
        self.sub(flipped, mask)
    }

    /// Quotient or remainder of operands that 16-bit types hold, extended to words.
    pub(super) fn divide_short(
        &mut self, _inst: &Inst, signed: bool, rem: bool, a: Operand, b: Operand,
    ) -> Result<Operand> {
        if !signed {
            return Ok(self.short_unsigned(rem, a, b, 16));
        }
        let convert = Op::IntToF { signed: true, round: Round::Nearest };
        let (fa, fb) = (self.op(convert, &[a]), self.op(convert, &[b]));
        let half = self.and(fa, Operand::Imm(1 << 31));
        let half = self.or(half, Operand::Imm(0.5f32.to_bits()));
        let q = self.estimate(fa, half, fb, true);
        if !rem {
            return Ok(q);
        }
        let product = self.op(Op::Mul16 { signed: true }, &[q, b]);
        Ok(self.sub(a, product))
    }

    /// One estimate, exact for small dividends.
    fn short_unsigned(&mut self, rem: bool, a: Operand, b: Operand, bits: u32) -> Operand {
        let convert = Op::IntToF { signed: false, round: Round::Nearest };
        let (fa, fb) = (self.op(convert, &[a]), self.op(convert, &[b]));
        let q = self.estimate(fa, Operand::Imm(0.5f32.to_bits()), fb, false);
        if !rem {
            return q;
        }
        let product = match bits {
            0..=16 => self.op(Op::Mul16 { signed: false }, &[q, b]),
            17..=24 => {
                let (signed, high) = (false, false);
                self.op(Op::Mul24 { signed, high }, &[q, b])
            }
            _ => self.mul(q, b),
        };
        self.sub(a, product)
    }

    /// The truncated quotient of `fa + half` and `fb`.
    fn estimate(&mut self, fa: Operand, half: Operand, fb: Operand, signed: bool) -> Operand {
        let inverse = self.op(Op::Rcp, &[fb]);
        let raised = self.fadd(fa, half);
        let q = self.fmul(raised, inverse);
        let round = Round::Zero;
        self.op(Op::FToInt { signed, round }, &[q])
    }

    /// Two estimates that are never too large, the second of the first one's remainder, and one
    /// correction by 1.
    fn long_unsigned(&mut self, rem: bool, a: Operand, b: Operand) -> Operand {
        let to_float = |round| Op::IntToF { signed: false, round };
        let product = Op::FMul { round: Round::Zero };
        let to_int = Op::FToInt { signed: false, round: Round::Zero };
        let fb = self.op(to_float(Round::Nearest), &[b]);
        let inverse = self.op(Op::Rcp, &[fb]);
        // Two units in the last place less: never above the true reciprocal.
        let inverse = self.op(Op::Add, &[inverse, Operand::Imm(-2i32 as u32)]);
        let fa = self.op(to_float(Round::Zero), &[a]);
        let q = self.op(product, &[fa, inverse]);
        let q = self.op(to_int, &[q]);
        let x = self.mul(q, b);
        let x = self.sub(a, x);
        let fx = self.op(to_float(Round::Zero), &[x]);
        let more = self.op(product, &[fx, inverse]);
        let more = self.op(to_int, &[more]);
        let q = self.add(q, more);
        let x = self.mul(q, b);
        let x = self.sub(a, x);
        let one_more = self.cmp(Rel::GE, false, x, b);
        let mask = self.mask(one_more);
        if rem {
            let y = self.and(mask, b);
            self.sub(x, y)
        } else {
            match mask {
                ZERO => q,
                _ => self.sub(q, mask),
            }
        }
    }
}
