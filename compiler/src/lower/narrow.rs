//! 8- and 16-bit integers: words with undefined upper bits, so operations that read
//! those bits extend their operands first.

use super::build::{Lower, ZERO};
use super::inst::{Parts, Result};
use super::int::MemTyOf;
use crate::ir::{Op, Operand};
use crate::ptx::ast::{Inst, Ty};

impl Lower<'_> {
    /// 8- and 16-bit integer instructions with one result.
    pub(super) fn narrow(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        let name = parts.all[0];
        let signed = ty.signed();
        let ext = MemTyOf(ty).of(signed);
        let a = self.word(inst, 1)?;
        let unary = match name {
            "neg" => Some(self.sub(ZERO, a)),
            "not" => Some(self.not(a)),
            "abs" => {
                let a = self.ext(ext, a);
                let negative = self.sub(ZERO, a);
                Some(self.min_max(true, true, a, negative))
            }
            "cnot" => {
                let a = self.ext(MemTyOf(ty).of(false), a);
                let p = self.cmp(crate::ir::Rel::EQ, false, a, ZERO);
                Some(self.select(p, Operand::Imm(1), ZERO))
            }
            _ => None,
        };
        if let Some(v) = unary {
            return self.set(inst, 0, v);
        }
        let b = self.word(inst, 2)?;
        let v = match name {
            "add" => self.add(a, b),
            "sub" => self.sub(a, b),
            "and" => self.and(a, b),
            "or" => self.or(a, b),
            "xor" => self.xor(a, b),
            "shl" => self.shl(a, b),
            "shr" => {
                let a = self.ext(ext, a);
                self.shr(a, b, signed)
            }
            "min" | "max" => {
                let (a, b) = (self.ext(ext, a), self.ext(ext, b));
                self.min_max(name == "max", signed, a, b)
            }
            "mul" | "mad" => {
                let product = self.mul16(signed, a, b);
                let product = if parts.has("hi") { self.shr(product, Operand::Imm(16), signed) } else { product };
                if name == "mad" {
                    let c = self.word(inst, 3)?;
                    self.add(product, c)
                } else {
                    product
                }
            }
            "sad" => {
                let c = self.word(inst, 3)?;
                let (a, b) = (self.ext(ext, a), self.ext(ext, b));
                self.op(Op::Sad { signed }, &[a, b, c])
            }
            "div" | "rem" => {
                let (a, b) = (self.ext(ext, a), self.ext(ext, b));
                self.divide_short(inst, signed, name == "rem", a, b)?
            }
            _ => return Err(self.unknown(inst)),
        };
        self.set(inst, 0, v)
    }

    fn mul16(&mut self, signed: bool, a: Operand, b: Operand) -> Operand {
        let value = |x: u32| if signed { x as i16 as u32 } else { x & 0xffff };
        match (a, b) {
            (Operand::Imm(x), Operand::Imm(y)) => Operand::Imm(value(x).wrapping_mul(value(y))),
            _ => self.op(Op::Mul16 { signed }, &[a, b]),
        }
    }
}
