//! 64-bit integers as pairs of words.

use super::build::{Lower, Pair, ZERO};
use super::inst::{Parts, Result};
use crate::ir::{Op, Operand, Rel};
use crate::ptx::ast::{Inst, Ty};

impl Lower<'_> {
    /// 64-bit integer instructions with one result.
    pub(super) fn wide(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        let name = parts.all[0];
        let signed = ty.signed();
        let a = self.pair(inst, 1)?;
        let unary = match name {
            "neg" => Some(self.sub64((ZERO, ZERO), a)),
            "not" => Some((self.not(a.0), self.not(a.1))),
            "abs" => Some(self.abs64(a)),
            "cnot" => {
                let p = self.cmp64(Rel::EQ, false, a, (ZERO, ZERO));
                Some((self.select(p, Operand::Imm(1), ZERO), ZERO))
            }
            _ => None,
        };
        if let Some(v) = unary {
            return self.set_pair(inst, 0, v);
        }
        if matches!(name, "shl" | "shr") {
            let n = self.word(inst, 2)?;
            let v = match name {
                "shl" => self.shl64(a, n),
                _ => self.shr64(a, n, signed),
            };
            return self.set_pair(inst, 0, v);
        }
        let b = self.pair(inst, 2)?;
        if parts.has("cc") || matches!(name, "addc" | "subc") {
            return self.carried64(inst, parts, a, b);
        }
        let v = match name {
            "add" => self.add64(a, b),
            "sub" => self.sub64(a, b),
            "and" => (self.and(a.0, b.0), self.and(a.1, b.1)),
            "or" => (self.or(a.0, b.0), self.or(a.1, b.1)),
            "xor" => (self.xor(a.0, b.0), self.xor(a.1, b.1)),
            "mul" | "mad" => {
                let product = if parts.has("hi") { self.mul64_hi(a, b, signed) } else { self.mul64(a, b) };
                if name == "mad" {
                    let c = self.pair(inst, 3)?;
                    self.add64(product, c)
                } else {
                    product
                }
            }
            "min" | "max" => {
                let rel = if name == "min" { Rel::LT } else { Rel::GT };
                let p = self.cmp64(rel, signed, a, b);
                (self.select(p, a.0, b.0), self.select(p, a.1, b.1))
            }
            "sad" => {
                let c = self.pair(inst, 3)?;
                let p = self.cmp64(Rel::LT, signed, a, b);
                let (x, y) = (self.sub64(a, b), self.sub64(b, a));
                let d = (self.select(p, y.0, x.0), self.select(p, y.1, x.1));
                self.add64(d, c)
            }
            _ => return Err(self.unknown(inst)),
        };
        self.set_pair(inst, 0, v)
    }

    pub(super) fn add64(&mut self, a: Pair, b: Pair) -> Pair {
        match (a, b) {
            ((ZERO, high), other) | (other, (ZERO, high)) => (other.0, self.add(other.1, high)),
            _ => self.op2(Op::Add64, &[a.0, a.1, b.0, b.1]),
        }
    }

    pub(super) fn sub64(&mut self, a: Pair, b: Pair) -> Pair {
        match b.0 {
            ZERO => (a.0, self.sub(a.1, b.1)),
            _ => self.op2(Op::Sub64, &[a.0, a.1, b.0, b.1]),
        }
    }

    /// Complement and add one where the mask is all ones; unchanged where it is 0.
    pub(super) fn negate64_if(&mut self, a: Pair, mask: Operand) -> Pair {
        let flipped = (self.xor(a.0, mask), self.xor(a.1, mask));
        self.sub64(flipped, (mask, mask))
    }

    fn abs64(&mut self, a: Pair) -> Pair {
        let sign = self.sign(a.1);
        self.negate64_if(a, sign)
    }

    /// Low 64 bits of a product.
    pub(super) fn mul64(&mut self, a: Pair, b: Pair) -> Pair {
        let low = self.mul(a.0, b.0);
        let mut high = self.mul_hi(a.0, b.0, false);
        for (x, y) in [(a.0, b.1), (a.1, b.0)] {
            let cross = self.mul(x, y);
            high = self.add(high, cross);
        }
        (low, high)
    }

    /// High 64 bits of a product: four products of words, summed in columns.
    fn mul64_hi(&mut self, a: Pair, b: Pair, signed: bool) -> Pair {
        let carry = self.mul_hi(a.0, b.0, false);
        let cross1 = (self.mul(a.1, b.0), self.mul_hi(a.1, b.0, false));
        let cross2 = (self.mul(a.0, b.1), self.mul_hi(a.0, b.1, false));
        let sum1 = self.add64(cross1, (carry, ZERO));
        let sum2 = self.add64(cross2, (sum1.0, ZERO));
        let top = (self.mul(a.1, b.1), self.mul_hi(a.1, b.1, false));
        let top = self.add64(top, (sum1.1, ZERO));
        let mut top = self.add64(top, (sum2.1, ZERO));
        if signed {
            for (x, y) in [(a, b), (b, a)] {
                let mask = self.sign(x.1);
                let part = (self.and(y.0, mask), self.and(y.1, mask));
                top = self.sub64(top, part);
            }
        }
        top
    }

    /// Comparison of 64 bits.
    pub(super) fn cmp64(&mut self, rel: Rel, signed: bool, a: Pair, b: Pair) -> Operand {
        if rel == Rel::EQ || rel == Rel::NE {
            let (x, y) = (self.xor(a.0, b.0), self.xor(a.1, b.1));
            let any = self.or(x, y);
            return self.cmp(rel, false, any, ZERO);
        }
        // A sign is enough against zero.
        if b == (ZERO, ZERO) && (rel == Rel::LT || rel == Rel::GE) && signed {
            return self.cmp(rel, true, a.1, ZERO);
        }
        let strict = Rel(rel.0 & !Rel::EQ.0);
        let high = self.cmp(strict, signed, a.1, b.1);
        let equal = self.cmp(Rel::EQ, false, a.1, b.1);
        let low = self.cmp(rel, false, a.0, b.0);
        let tie = self.op(Op::And, &[equal, low]);
        self.op(Op::Or, &[high, tie])
    }

    /// `a << n`; counts of 32 and more give 0 in each part, so no case is needed.
    pub(super) fn shl64(&mut self, a: Pair, n: Operand) -> Pair {
        match n {
            Operand::Imm(0) => a,
            Operand::Imm(64..) => (ZERO, ZERO),
            Operand::Imm(n @ 32..) => (ZERO, self.shl(a.0, Operand::Imm(n - 32))),
            _ => {
                let rest = self.sub(Operand::Imm(32), n);
                let high = self.shl(a.1, n);
                let carried = self.shr(a.0, rest, false);
                let mut high = self.or(high, carried);
                if !matches!(n, Operand::Imm(_)) {
                    let over = self.sub(n, Operand::Imm(32));
                    let far = self.shl(a.0, over);
                    high = self.or(high, far);
                }
                (self.shl(a.0, n), high)
            }
        }
    }

    /// `a >> n`.
    pub(super) fn shr64(&mut self, a: Pair, n: Operand, signed: bool) -> Pair {
        match n {
            Operand::Imm(0) => a,
            Operand::Imm(32..) if signed => {
                let n = match n {
                    Operand::Imm(n) => n.min(63) - 32,
                    Operand::Value(_) => 31,
                };
                (self.shr(a.1, Operand::Imm(n), true), self.sign(a.1))
            }
            Operand::Imm(64..) => (ZERO, ZERO),
            Operand::Imm(n @ 32..) => (self.shr(a.1, Operand::Imm(n - 32), false), ZERO),
            _ => {
                let rest = self.sub(Operand::Imm(32), n);
                let low = self.shr(a.0, n, false);
                let carried = self.shl(a.1, rest);
                let mut low = self.or(low, carried);
                if !matches!(n, Operand::Imm(_)) {
                    let over = self.sub(n, Operand::Imm(32));
                    let far = self.shr(a.1, over, signed);
                    low = if signed {
                        let near = self.cmp(Rel::LT, false, n, Operand::Imm(32));
                        self.select(near, low, far)
                    } else {
                        self.or(low, far)
                    };
                }
                (low, self.shr(a.1, n, signed))
            }
        }
    }

    /// `add.cc` and its like of 64 bits, word by word.
    fn carried64(&mut self, inst: &Inst, parts: &Parts, a: Pair, b: Pair) -> Result<()> {
        let name = parts.all[0];
        let op = if name.starts_with("sub") { Op::Sub64 } else { Op::Add64 };
        let mut carry = match (name, self.carry) {
            ("addc" | "subc", Some(c)) => Operand::Value(c),
            _ => ZERO,
        };
        let mut words = Vec::new();
        for (x, y) in [(a.0, b.0), (a.1, b.1)] {
            let sum = self.op2(op, &[x, ZERO, y, ZERO]);
            let sum = match carry {
                ZERO => sum,
                _ => self.op2(op, &[sum.0, sum.1, carry, ZERO]),
            };
            words.push(sum.0);
            carry = self.and(sum.1, Operand::Imm(1));
        }
        if parts.has("cc") {
            self.keep_carry(carry);
        }
        self.set_pair(inst, 0, (words[0], words[1]))
    }
}
