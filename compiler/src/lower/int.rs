//! 32-bit integers: arithmetic, logic, shifts, comparisons, selections.

use super::build::{Lower, ZERO};
use super::inst::{Parts, Result};
use crate::ir::{MemTy, Op, Operand, Rel};
use crate::ptx::ast::{Inst, Ty, TypeKind};

impl Lower<'_> {
    /// 32-bit integer instructions with one result.
    pub(super) fn int(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        let name = parts.all[0];
        let signed = ty.signed();
        if parts.has("cc") || matches!(name, "addc" | "subc" | "madc") {
            return self.carried(inst, parts, signed);
        }
        if matches!(name, "mul" | "mad") && parts.has("wide") {
            return self.mul_wide(inst, name == "mad", signed);
        }
        let a = self.word(inst, 1)?;
        let unary = match name {
            "neg" => Some(self.sub(ZERO, a)),
            "not" => Some(self.not(a)),
            "cnot" => {
                let p = self.cmp(Rel::EQ, false, a, ZERO);
                Some(self.select(p, Operand::Imm(1), ZERO))
            }
            "abs" => {
                let negative = self.sub(ZERO, a);
                Some(self.min_max(true, true, a, negative))
            }
            _ => None,
        };
        if let Some(v) = unary {
            return self.set(inst, 0, v);
        }
        let b = self.word(inst, 2)?;
        let v = match name {
            "add" | "sub" if parts.has("sat") => self.saturated(name == "sub", a, b),
            "add" => self.add(a, b),
            "sub" => self.sub(a, b),
            "and" => self.and(a, b),
            "or" => self.or(a, b),
            "xor" => self.xor(a, b),
            "shl" => self.shl(a, b),
            "shr" => self.shr(a, b, signed),
            "min" | "max" => {
                let v = self.min_max(name == "max", signed, a, b);
                if parts.has("relu") {
                    self.min_max(true, true, v, ZERO)
                } else {
                    v
                }
            }
            "mul" if parts.has("hi") => self.mul_hi(a, b, signed),
            "mul" => self.mul(a, b),
            "mul24" | "mad24" => {
                let high = parts.has("hi");
                let product = self.op(Op::Mul24 { signed, high }, &[a, b]);
                if name == "mul24" {
                    product
                } else {
                    let c = self.word(inst, 3)?;
                    self.add(product, c)
                }
            }
            "mad" => {
                let c = self.word(inst, 3)?;
                let product = if parts.has("hi") { self.mul_hi(a, b, signed) } else { self.mul(a, b) };
                if parts.has("sat") {
                    self.saturated(false, product, c)
                } else {
                    self.add(product, c)
                }
            }
            "sad" => {
                let c = self.word(inst, 3)?;
                self.op(Op::Sad { signed }, &[a, b, c])
            }
            "div" => self.divide(inst, signed, false, a, b)?,
            "rem" => self.divide(inst, signed, true, a, b)?,
            _ => return Err(self.unknown(inst)),
        };
        self.set(inst, 0, v)
    }

    /// Signed sum or difference, clamped.
    fn saturated(&mut self, subtract: bool, a: Operand, b: Operand) -> Operand {
        let r = if subtract { self.sub(a, b) } else { self.add(a, b) };
        // The result overflowed where its sign differs from a's, and b's sign could do that.
        let x = self.xor(a, r);
        let y = if subtract { self.xor(a, b) } else { self.xor(b, r) };
        let over = self.and(x, y);
        let p = self.cmp(Rel::LT, true, over, ZERO);
        let sign = self.sign(a);
        let limit = self.xor(sign, Operand::Imm(0x7fff_ffff));
        self.select(p, limit, r)
    }

    /// `mul.wide` and `mad.wide` of 32-bit operands.
    fn mul_wide(&mut self, inst: &Inst, add: bool, signed: bool) -> Result<()> {
        let (a, b) = (self.word(inst, 1)?, self.word(inst, 2)?);
        let low = self.mul(a, b);
        let high = self.mul_hi(a, b, signed);
        let mut v = (low, high);
        if add {
            let c = self.pair(inst, 3)?;
            v = self.add64(v, c);
        }
        self.set_pair(inst, 0, v)
    }

    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`: sums with a carry between instructions.
    fn carried(&mut self, inst: &Inst, parts: &Parts, signed: bool) -> Result<()> {
        let name = parts.all[0];
        let (mut a, mut b) = (self.word(inst, 1)?, self.word(inst, 2)?);
        if name.starts_with("mad") {
            let c = self.word(inst, 3)?;
            let product = if parts.has("hi") { self.mul_hi(a, b, signed) } else { self.mul(a, b) };
            (a, b) = (product, c);
        }
        let subtract = name.starts_with("sub");
        let op = if subtract { Op::Sub64 } else { Op::Add64 };
        let mut sum = self.op2(op, &[a, ZERO, b, ZERO]);
        if matches!(name, "addc" | "subc" | "madc") {
            let carry = match self.carry {
                Some(c) => Operand::Value(c),
                None => ZERO,
            };
            sum = self.op2(op, &[sum.0, sum.1, carry, ZERO]);
        }
        let low = sum.0;
        if parts.has("cc") {
            // The high word is the carry, or -1 for a borrow.
            let carry = self.and(sum.1, Operand::Imm(1));
            self.keep_carry(carry);
        }
        self.set(inst, 0, low)
    }

    /// Keeps a carry for a later instruction.
    pub(super) fn keep_carry(&mut self, carry: Operand) {
        let kept = self.carry.unwrap_or_else(|| self.f.value(crate::ir::Ty::Word));
        self.carry = Some(kept);
        self.assign(kept, carry);
    }

    /// Relation that a comparison's modifiers name, and whether it is an unsigned one by name.
    fn relation(&self, inst: &Inst, parts: &Parts) -> Result<(Rel, bool)> {
        for part in &parts.all[1..] {
            let (rel, unsigned) = match *part {
                "eq" => (Rel::EQ, false),
                "ne" => (Rel::NE, false),
                "lt" => (Rel::LT, false),
                "le" => (Rel::LE, false),
                "gt" => (Rel::GT, false),
                "ge" => (Rel::GE, false),
                "lo" => (Rel::LT, true),
                "ls" => (Rel::LE, true),
                "hi" => (Rel::GT, true),
                "hs" => (Rel::GE, true),
                "equ" => (Rel(Rel::EQ.0 | Rel::UNORDERED), false),
                "neu" => (Rel(Rel::NE.0 | Rel::UNORDERED), false),
                "ltu" => (Rel(Rel::LT.0 | Rel::UNORDERED), false),
                "leu" => (Rel(Rel::LE.0 | Rel::UNORDERED), false),
                "gtu" => (Rel(Rel::GT.0 | Rel::UNORDERED), false),
                "geu" => (Rel(Rel::GE.0 | Rel::UNORDERED), false),
                "num" => (Rel(7), false),
                "nan" => (Rel(Rel::UNORDERED), false),
                _ => continue,
            };
            return Ok((rel, unsigned));
        }
        Err(self.unknown(inst))
    }

    /// The comparison of `setp` and `set`: operands 1 and 2, combined with a predicate behind them.
    fn compare(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<(Operand, Option<Operand>)> {
        let (rel, unsigned) = self.relation(inst, parts)?;
        let signed = ty.signed() && !unsigned;
        let v = match (ty.kind, ty.bits) {
            (TypeKind::Float, 32) => {
                let (a, b) = (self.word(inst, 1)?, self.word(inst, 2)?);
                self.op(Op::FCmp(rel), &[a, b])
            }
            (TypeKind::Float, 64) => self.compare_double(inst, rel)?,
            (TypeKind::Float | TypeKind::Pred, _) => return Err(self.unknown(inst)),
            (_, 64) => {
                let (a, b) = (self.pair(inst, 1)?, self.pair(inst, 2)?);
                self.cmp64(rel, signed, a, b)
            }
            (_, 32) => {
                let (a, b) = (self.word(inst, 1)?, self.word(inst, 2)?);
                self.cmp(rel, signed, a, b)
            }
            _ => {
                let (a, b) = (self.word(inst, 1)?, self.word(inst, 2)?);
                let ext = MemTyOf(ty).of(signed);
                let (a, b) = (self.ext(ext, a), self.ext(ext, b));
                self.cmp(rel, signed, a, b)
            }
        };
        let op = if parts.has("and") {
            Op::And
        } else if parts.has("or") {
            Op::Or
        } else if parts.has("xor") {
            Op::Xor
        } else {
            return Ok((v, None));
        };
        let c = self.pred(inst, 3)?;
        let combined = self.pred_logic(op, v, c);
        let wants_both = matches!(inst.args.first(), Some(crate::ptx::ast::Operand::RegPair(..)));
        if !wants_both {
            return Ok((combined, None));
        }
        let not = self.op(Op::Not, &[v]);
        let second = self.pred_logic(op, not, c);
        Ok((combined, Some(second)))
    }

    /// `setp`.
    pub(super) fn setp(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        use crate::ptx::ast::Operand as Arg;
        let (v, second) = self.compare(inst, parts, ty)?;
        match (second, inst.args.first()) {
            (Some(second), Some(Arg::RegPair(p, q))) => {
                self.set_pred_of(inst, &Arg::Reg(*p), v)?;
                self.set_pred_of(inst, &Arg::Reg(*q), second)
            }
            _ => self.set_pred(inst, 0, v),
        }
    }

    /// `set`: all ones or 1.0 where the comparison holds.
    pub(super) fn set_word(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        let (v, _) = self.compare(inst, parts, ty)?;
        let one = match parts.first.map(|t| t.kind) {
            Some(TypeKind::Float) => 1f32.to_bits(),
            _ => u32::MAX,
        };
        let v = self.select(v, Operand::Imm(one), ZERO);
        self.set(inst, 0, v)
    }

    /// `selp`.
    pub(super) fn selp(&mut self, inst: &Inst, ty: Ty) -> Result<()> {
        if ty.bits == 64 {
            let (a, b) = (self.pair(inst, 1)?, self.pair(inst, 2)?);
            let p = self.pred(inst, 3)?;
            let low = self.select(p, a.0, b.0);
            let high = self.select(p, a.1, b.1);
            return self.set_pair(inst, 0, (low, high));
        }
        let (a, b) = (self.word(inst, 1)?, self.word(inst, 2)?);
        let p = self.pred(inst, 3)?;
        let v = self.select(p, a, b);
        self.set(inst, 0, v)
    }

    /// `slct`: the first operand where the third is not negative, else the second.
    pub(super) fn slct(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        if (ty.kind, ty.bits) == (TypeKind::Float, 64) {
            return Err(self.unknown(inst));
        }
        let c = self.word(inst, 3)?;
        let p = match ty.kind {
            TypeKind::Float => self.op(Op::FCmp(Rel::GE), &[c, ZERO]),
            _ => self.cmp(Rel::GE, true, c, ZERO),
        };
        if parts.first.is_some_and(|t| t.bits == 64) {
            let (a, b) = (self.pair(inst, 1)?, self.pair(inst, 2)?);
            let low = self.select(p, a.0, b.0);
            let high = self.select(p, a.1, b.1);
            return self.set_pair(inst, 0, (low, high));
        }
        let (a, b) = (self.word(inst, 1)?, self.word(inst, 2)?);
        let v = self.select(p, a, b);
        self.set(inst, 0, v)
    }
}

/// The extension that a narrow type stands for.
pub(super) struct MemTyOf(pub Ty);

impl MemTyOf {
    /// Signed or unsigned, as said.
    pub(super) fn of(&self, signed: bool) -> MemTy {
        match (self.0.bits, signed) {
            (8, false) => MemTy::U8,
            (8, true) => MemTy::S8,
            (16, false) => MemTy::U16,
            (16, true) => MemTy::S16,
            _ => MemTy::B32,
        }
    }
}
