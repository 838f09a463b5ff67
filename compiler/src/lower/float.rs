//! Single precision, in the chip's arithmetic and accuracy.
//!
//! `mad` is the chip's multiply-add, whose product is truncated, and so is `fma`, unless strict arithmetic asks for
//! a rounded product and a rounded sum. Quotients are products with the reciprocal. What is rounded down or up is computed
//! in doubles.

use super::build::{Lower, ZERO};
use super::inst::{Parts, Result};
use crate::ir::{Op, Operand, Rel, Round};
use crate::ptx::ast::{Inst, Ty};

/// Bits of 2^126: reciprocals of larger numbers are 0.
const RCP_LIMIT: u32 = 253 << 23;

/// Bits of 1/4.
const QUARTER: u32 = 125 << 23;

/// Largest float below infinity, as magnitude bits.
const INFINITY: u32 = 0x7f80_0000;

impl Lower<'_> {
    /// Single-precision instructions with one result.
    pub(super) fn float(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        if parts.has("rm") || parts.has("rp") {
            return self.directed(inst, parts);
        }
        let name = parts.all[0];
        let a = self.word(inst, 1)?;
        let round = if parts.has("rz") { Round::Zero } else { Round::Nearest };
        let sat = parts.has("sat");
        let v = match name {
            "neg" => self.fneg(a),
            "abs" => self.op(Op::FAbs, &[a]),
            "rcp" => self.op(Op::Rcp, &[a]),
            "rsqrt" => self.op(Op::Rsq, &[a]),
            // Right for 0 and infinity too, where a product with the inverse root is not.
            "sqrt" => {
                let inverse = self.op(Op::Rsq, &[a]);
                self.op(Op::Rcp, &[inverse])
            }
            "sin" | "cos" => {
                let reduced = self.op(Op::RroSin, &[a]);
                let op = if name == "sin" { Op::Sin } else { Op::Cos };
                self.op(op, &[reduced])
            }
            "ex2" => {
                let reduced = self.op(Op::RroEx2, &[a]);
                self.op(Op::Ex2, &[reduced])
            }
            "lg2" => self.op(Op::Lg2, &[a]),
            "add" | "sub" => {
                let b = self.word(inst, 2)?;
                let b = if name == "sub" { self.fneg(b) } else { b };
                self.op(Op::FAdd { round, sat }, &[a, b])
            }
            "mul" => {
                let b = self.word(inst, 2)?;
                let v = self.op(Op::FMul { round }, &[a, b]);
                if sat {
                    self.op(Op::FSat, &[v])
                } else {
                    v
                }
            }
            "fma" | "mad" => {
                let (b, c) = (self.word(inst, 2)?, self.word(inst, 3)?);
                let strict = self.options.strict_fp && name == "fma";
                let v = if strict || round == Round::Zero {
                    let product = self.op(Op::FMul { round }, &[a, b]);
                    self.op(Op::FAdd { round, sat }, &[product, c])
                } else {
                    self.op(Op::FMad { sat }, &[a, b, c])
                };
                if parts.has("relu") {
                    self.op(Op::FMax, &[v, ZERO])
                } else {
                    v
                }
            }
            "div" => {
                let b = self.word(inst, 2)?;
                if parts.has("approx") {
                    let inverse = self.op(Op::Rcp, &[b]);
                    self.fmul(a, inverse)
                } else {
                    self.div_full(a, b)
                }
            }
            "min" | "max" => {
                if parts.has("NaN") || parts.has("xorsign") {
                    return Err(self.error(
                        inst,
                        format!(
                            "`{}`: the chip's minimum and maximum give the number beside a NaN: use fminf and fmaxf",
                            inst.op
                        ),
                    ));
                }
                let mut v = a;
                for at in 2..inst.args.len().max(3) {
                    let b = self.word(inst, at)?;
                    let op = if name == "min" { Op::FMin } else { Op::FMax };
                    v = self.op(op, &[v, b]);
                }
                v
            }
            "copysign" => {
                let b = self.word(inst, 2)?;
                let sign = self.and(a, Operand::Imm(1 << 31));
                let magnitude = self.and(b, Operand::Imm(!(1 << 31)));
                self.or(sign, magnitude)
            }
            _ => return Err(self.unknown(inst)),
        };
        self.set(inst, 0, v)
    }

    /// `a / b` for all magnitudes of `b`: both are scaled down where the reciprocal would be 0.
    fn div_full(&mut self, a: Operand, b: Operand) -> Operand {
        if matches!(b, Operand::Imm(bits) if bits & !(1 << 31) <= RCP_LIMIT) {
            let inverse = self.op(Op::Rcp, &[b]);
            return self.fmul(a, inverse);
        }
        let magnitude = self.op(Op::FAbs, &[b]);
        let large = self.op(Op::FCmp(Rel::GT), &[magnitude, Operand::Imm(RCP_LIMIT)]);
        let scale = self.select(large, Operand::Imm(QUARTER), Operand::Imm(1f32.to_bits()));
        let b = self.fmul(b, scale);
        let inverse = self.op(Op::Rcp, &[b]);
        let a = self.fmul(a, scale);
        self.fmul(a, inverse)
    }

    /// `testp`: kinds of floats, by their bits.
    pub(super) fn testp(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        if ty.bits == 64 {
            return self.testp_double(inst, parts);
        }
        let a = self.word(inst, 1)?;
        let magnitude = self.and(a, Operand::Imm(!(1 << 31)));
        let compare = |l: &mut Self, rel| l.cmp(rel, false, magnitude, Operand::Imm(INFINITY));
        let v = if parts.has("finite") {
            compare(self, Rel::LT)
        } else if parts.has("infinite") {
            compare(self, Rel::EQ)
        } else if parts.has("number") {
            compare(self, Rel::LE)
        } else if parts.has("notanumber") {
            compare(self, Rel::GT)
        } else if parts.has("normal") || parts.has("subnormal") {
            // One comparison: numbers below the smallest of the kind wrap to the top.
            let (first, count) =
                if parts.has("normal") { (0x0080_0000, INFINITY - 0x0080_0000) } else { (1, 0x007f_ffff) };
            let place = self.sub(magnitude, Operand::Imm(first));
            self.cmp(Rel::LT, false, place, Operand::Imm(count))
        } else {
            return Err(self.unknown(inst));
        };
        self.set_pred(inst, 0, v)
    }
}
