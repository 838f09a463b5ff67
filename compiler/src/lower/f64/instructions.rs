//! Arithmetic and comparisons of floats of 64 bits.

use super::super::build::{Lower, Pair, ZERO};
use super::super::inst::Parts;
use super::{Result, PREFIX};
use crate::ir::{Op, Operand, Rel};
use crate::ptx::ast::Inst;
use warpsmith_isa as isa;

/// The sign in the upper word.
pub(super) const SIGN: Operand = Operand::Imm(1 << 31);
/// All but the sign in the upper word.
pub(super) const MAGNITUDE: Operand = Operand::Imm(!(1 << 31));
/// 1.
pub(super) const ONE: Pair = (ZERO, Operand::Imm(0x3ff0_0000));
/// Upper word of infinity.
const INFINITY: Operand = Operand::Imm(0x7ff0_0000);

/// A rounding as the routines number it; 0 is to nearest.
pub(super) fn rounding(parts: &Parts) -> u32 {
    let found = |names: [&str; 2]| names.iter().any(|n| parts.has(n));
    let rest = [["rz", "rzi"], ["rm", "rmi"], ["rp", "rpi"]];
    rest.into_iter().zip(1..).find(|(names, _)| found(*names)).map_or(0, |(_, n)| n)
}

/// The instruction of an operation; division and root have none.
fn instruction(operation: &str, round: u32) -> Option<isa::Op> {
    let round = super::isa_round(round);
    let (neg_a, abs_a, neg_b, abs_b) = (false, false, false, false);
    Some(match operation {
        "add" => isa::Op::DAdd { neg_a, neg_b, round },
        "mul" => isa::Op::DMul { neg_a, round },
        "fma" => isa::Op::DFma { neg_ab: false, neg_c: false, round },
        "min" => isa::Op::DMinMax { max: false, neg_a, abs_a, neg_b, abs_b },
        "max" => isa::Op::DMinMax { max: true, neg_a, abs_a, neg_b, abs_b },
        _ => return None,
    })
}

impl Lower<'_> {
    /// Result of a routine that rounds; `plain` is the rounding that has a routine of its own.
    pub(super) fn rounded(
        &mut self, operation: &str, round: u32, plain: (u32, &str), src: &[Operand], words: usize,
    ) -> Vec<Operand> {
        if round == plain.0 {
            return self.routine(&format!("{PREFIX}{operation}_{}", plain.1), src, words);
        }
        let src = [src, &[Operand::Imm(round)]].concat();
        self.routine(&format!("{PREFIX}{operation}_by"), &src, words)
    }

    /// A routine on doubles with one double as result.
    pub(super) fn arithmetic(&mut self, operation: &str, round: u32, operands: &[Pair]) -> Pair {
        let src: Vec<Operand> = operands.iter().flat_map(|p| [p.0, p.1]).collect();
        if let Some(op) = instruction(operation, round).filter(|_| self.has_unit()) {
            let v = self.of_unit(op, &src);
            return (v[0], v[1]);
        }
        let v = self.rounded(operation, round, (0, "rn"), &src, 2);
        (v[0], v[1])
    }

    /// The nearest sum.
    pub(in super::super) fn add_doubles(&mut self, a: Pair, b: Pair) -> Pair {
        self.arithmetic("add", 0, &[a, b])
    }

    /// Instructions on floats of 64 bits with one result.
    pub(in super::super) fn double(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        let round = rounding(parts);
        let a = self.pair(inst, 1)?;
        let v = match parts.all[0] {
            "neg" => (a.0, self.xor(a.1, SIGN)),
            "abs" => (a.0, self.and(a.1, MAGNITUDE)),
            "add" => {
                let b = self.pair(inst, 2)?;
                self.arithmetic("add", round, &[a, b])
            }
            "sub" => {
                let b = self.pair(inst, 2)?;
                let b = (b.0, self.xor(b.1, SIGN));
                self.arithmetic("add", round, &[a, b])
            }
            name @ ("mul" | "div") => {
                let b = self.pair(inst, 2)?;
                self.arithmetic(name, round, &[a, b])
            }
            "fma" | "mad" => {
                let (b, c) = (self.pair(inst, 2)?, self.pair(inst, 3)?);
                self.arithmetic("fma", round, &[a, b, c])
            }
            "sqrt" => self.arithmetic("sqrt", round, &[a]),
            "rcp" => self.arithmetic("div", round, &[ONE, a]),
            "rsqrt" => {
                let root = self.arithmetic("sqrt", 0, &[a]);
                self.arithmetic("div", 0, &[ONE, root])
            }
            name @ ("min" | "max") => {
                let b = self.pair(inst, 2)?;
                let src = [a.0, a.1, b.0, b.1];
                let v = match instruction(name, 0).filter(|_| self.has_unit()) {
                    Some(op) => self.of_unit(op, &src),
                    None => self.routine(&format!("{PREFIX}{name}"), &src, 2),
                };
                (v[0], v[1])
            }
            "copysign" => {
                let b = self.pair(inst, 2)?;
                let sign = self.and(a.1, SIGN);
                let magnitude = self.and(b.1, MAGNITUDE);
                (b.0, self.or(sign, magnitude))
            }
            _ => return Err(self.unknown(inst)),
        };
        self.set_pair(inst, 0, v)
    }

    /// A comparison: the routine gives the relation of two numbers as a bit.
    pub(in super::super) fn compare_double(&mut self, inst: &Inst, rel: Rel) -> Result<Operand> {
        let (a, b) = (self.pair(inst, 1)?, self.pair(inst, 2)?);
        if self.has_unit() {
            let op = isa::Op::DSet { cond: rel.0, neg_a: false, abs_a: false, neg_b: false, abs_b: false };
            let word = self.of_unit(op, &[a.0, a.1, b.0, b.1])[0];
            return Ok(self.cmp(Rel::NE, false, word, ZERO));
        }
        let bit = self.routine(&format!("{PREFIX}compare"), &[a.0, a.1, b.0, b.1], 1)[0];
        Ok(self.is_set(bit, rel.0.into()))
    }

    /// `testp`, by bits.
    pub(in super::super) fn testp_double(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        let a = self.pair(inst, 1)?;
        let high = self.and(a.1, MAGNITUDE);
        let magnitude = (a.0, high);
        let infinite = (ZERO, INFINITY);
        let v = if parts.has("finite") {
            self.cmp(Rel::LT, false, high, INFINITY)
        } else if parts.has("infinite") {
            self.cmp64(Rel::EQ, false, magnitude, infinite)
        } else if parts.has("number") {
            self.cmp64(Rel::LE, false, magnitude, infinite)
        } else if parts.has("notanumber") {
            self.cmp64(Rel::GT, false, magnitude, infinite)
        } else if parts.has("normal") {
            // Smaller ones wrap to the top.
            let place = self.sub(high, Operand::Imm(0x0010_0000));
            self.cmp(Rel::LT, false, place, Operand::Imm(0x7fe0_0000))
        } else if parts.has("subnormal") {
            let small = self.cmp(Rel::LT, false, high, Operand::Imm(0x0010_0000));
            let some = self.cmp64(Rel::NE, false, magnitude, (ZERO, ZERO));
            self.op(Op::And, &[small, some])
        } else {
            return Err(self.unknown(inst));
        };
        self.set_pred(inst, 0, v)
    }
}
