//! Operands of PTX instructions as IR operands, and results.

use super::build::{Lower, Pair, RegValue, ZERO};
use super::vars::SymbolPlace;
use crate::error::CompileError;
use crate::ir::{self, Op, Operand, Value};
use crate::ptx::ast::{self, Inst, Symbol};

type Result<T> = std::result::Result<T, CompileError>;

/// Most sources an instruction's row of arguments is searched for.
fn missing(l: &Lower, inst: &Inst, at: usize) -> CompileError {
    l.error(inst, format!("`{}` lacks operand {}; is the PTX damaged?", inst.op, at + 1))
}

impl Lower<'_> {
    /// The operand at a place, as written.
    pub(super) fn arg<'i>(&self, inst: &'i Inst, at: usize) -> Result<&'i ast::Operand> {
        inst.args.get(at).ok_or_else(|| missing(self, inst, at))
    }

    /// A word: 32 bits, or fewer with unspecified upper bits.
    pub(super) fn word(&mut self, inst: &Inst, at: usize) -> Result<Operand> {
        let arg = self.arg(inst, at)?;
        self.word_of(inst, arg)
    }

    /// A word of an operand.
    pub(super) fn word_of(&mut self, inst: &Inst, arg: &ast::Operand) -> Result<Operand> {
        match arg {
            ast::Operand::Reg(r) => match self.reg(*r) {
                RegValue::One(v) if self.f.ty(v) == ir::Ty::Word => Ok(Operand::Value(v)),
                RegValue::One(_) => Err(self.error(inst, format!("`{}` takes no predicate here", inst.op))),
                RegValue::Two(v, _) => Ok(Operand::Value(v)),
            },
            ast::Operand::Int(v) => Ok(Operand::Imm(*v as u32)),
            ast::Operand::F32(v) => Ok(Operand::Imm(*v)),
            ast::Operand::F64(v) => Ok(Operand::Imm((f64::from_bits(*v) as f32).to_bits())),
            ast::Operand::Special(name) => self.special(inst, name),
            ast::Operand::Symbol(s, offset) => self.address_of(inst, s, *offset),
            ast::Operand::Sink => Ok(ZERO),
            _ => Err(self.error(inst, format!("`{}`: operand of a wrong kind", inst.op))),
        }
    }

    /// Address of a symbol plus bytes.
    pub(super) fn address_of(&mut self, inst: &Inst, s: &Symbol, offset: i64) -> Result<Operand> {
        let base = match self.layout.place(s) {
            Some(SymbolPlace::Shared(a) | SymbolPlace::Const(a) | SymbolPlace::Local(a)) => a,
            Some(SymbolPlace::Global(var)) => {
                let offset = offset as i32;
                return Ok(self.op(Op::GlobalAddr { var, offset }, &[]));
            }
            Some(SymbolPlace::Param(index)) => self.layout.param_address(index),
            Some(SymbolPlace::Call) => match s {
                Symbol::Local(v) => self.calls.memory(*v).unwrap_or(0),
                Symbol::Name(_) => 0,
            },
            Some(SymbolPlace::Missing) | None => {
                let name = match s {
                    Symbol::Name(n) => n.clone(),
                    Symbol::Local(v) => self.flat.vars.get(v.0 as usize).map_or_else(String::new, |v| v.name.clone()),
                };
                return Err(self.error(inst, self.unknown_symbol(&name)));
            }
        };
        Ok(Operand::Imm(base.wrapping_add(offset as u32)))
    }

    fn unknown_symbol(&self, name: &str) -> String {
        let function = self.module.functions.iter().any(|f| f.name == name);
        let external = self.module.vars.iter().any(|v| v.name == name);
        if function {
            format!("address of function `{name}`, which has no body in this file: put it into the same source")
        } else if external {
            format!("`{name}` is declared, but its memory is not in this file: define it in the same source")
        } else {
            format!("`{name}` is not declared")
        }
    }

    /// 64 bits as two words.
    pub(super) fn pair(&mut self, inst: &Inst, at: usize) -> Result<Pair> {
        let arg = self.arg(inst, at)?;
        self.pair_of(inst, arg)
    }

    /// 64 bits of an operand.
    pub(super) fn pair_of(&mut self, inst: &Inst, arg: &ast::Operand) -> Result<Pair> {
        match arg {
            ast::Operand::Reg(r) => match self.reg(*r) {
                RegValue::Two(low, high) => Ok((Operand::Value(low), Operand::Value(high))),
                RegValue::One(_) => Err(self.error(inst, format!("`{}` needs a 64-bit register here", inst.op))),
            },
            ast::Operand::Int(v) | ast::Operand::F64(v) => {
                Ok((Operand::Imm(*v as u32), Operand::Imm((*v >> 32) as u32)))
            }
            ast::Operand::Sink => Ok((ZERO, ZERO)),
            other => Ok((self.word_of(inst, other)?, ZERO)),
        }
    }

    /// A predicate.
    pub(super) fn pred(&mut self, inst: &Inst, at: usize) -> Result<Operand> {
        let arg = self.arg(inst, at)?;
        match arg {
            ast::Operand::Reg(r) => self.pred_reg(inst, *r),
            ast::Operand::NotReg(r) => {
                let p = self.pred_reg(inst, *r)?;
                Ok(self.op(Op::Not, &[p]))
            }
            ast::Operand::Int(v) => Ok(Operand::Imm(u32::from(*v != 0))),
            _ => Err(self.error(inst, format!("`{}` needs a predicate here", inst.op))),
        }
    }

    /// A predicate register's value.
    pub(super) fn pred_reg(&mut self, inst: &Inst, r: ast::RegId) -> Result<Operand> {
        match self.reg(r) {
            RegValue::One(v) if self.f.ty(v) == ir::Ty::Pred => Ok(Operand::Value(v)),
            _ => Err(self.error(inst, format!("`{}` needs a predicate here", inst.op))),
        }
    }

    /// The value that a result goes to: `pred` says whether it must be a predicate.
    fn target(&mut self, inst: &Inst, arg: &ast::Operand, pred: bool) -> Result<RegValue> {
        let value = match arg {
            ast::Operand::Reg(r) => self.reg(*r),
            ast::Operand::Sink => {
                let ty = if pred { ir::Ty::Pred } else { ir::Ty::Word };
                RegValue::One(self.f.value(ty))
            }
            _ => return Err(self.error(inst, format!("`{}` writes to no register", inst.op))),
        };
        let is_pred = matches!(value, RegValue::One(v) if self.f.ty(v) == ir::Ty::Pred);
        if is_pred == pred {
            Ok(value)
        } else {
            Err(self.error(inst, format!("`{}` writes to a register of a wrong type", inst.op)))
        }
    }

    /// Gives the result at a place a word; a 64-bit register gets high word 0.
    pub(super) fn set(&mut self, inst: &Inst, at: usize, value: Operand) -> Result<()> {
        let arg = self.arg(inst, at)?;
        self.set_of(inst, arg, value)
    }

    /// Gives a result operand a word.
    pub(super) fn set_of(&mut self, inst: &Inst, arg: &ast::Operand, value: Operand) -> Result<()> {
        match self.target(inst, arg, false)? {
            RegValue::One(v) => self.assign(v, value),
            RegValue::Two(low, high) => {
                self.assign(low, value);
                self.assign(high, ZERO);
            }
        }
        Ok(())
    }

    /// Gives a result operand 64 bits; a narrower register gets the low word.
    pub(super) fn set_pair_of(&mut self, inst: &Inst, arg: &ast::Operand, value: Pair) -> Result<()> {
        match self.target(inst, arg, false)? {
            RegValue::One(v) => self.assign(v, value.0),
            RegValue::Two(low, high) => self.assign_pair(low, high, value),
        }
        Ok(())
    }

    /// Gives the result at a place 64 bits.
    pub(super) fn set_pair(&mut self, inst: &Inst, at: usize, value: Pair) -> Result<()> {
        let arg = self.arg(inst, at)?;
        self.set_pair_of(inst, arg, value)
    }

    fn assign_pair(&mut self, low: Value, high: Value, value: Pair) {
        // The high word may be the old low one: `mov.b64 %rd1, {%x, low of %rd1}`.
        let crossed = value.1 == Operand::Value(low);
        if crossed && value.0 == Operand::Value(high) {
            let old = self.op(Op::Copy, &[value.0]);
            self.assign(high, value.1);
            self.assign(low, old);
        } else if crossed {
            self.assign(high, value.1);
            self.assign(low, value.0);
        } else {
            self.assign(low, value.0);
            self.assign(high, value.1);
        }
    }

    /// Gives the result at a place a predicate.
    pub(super) fn set_pred(&mut self, inst: &Inst, at: usize, value: Operand) -> Result<()> {
        let arg = self.arg(inst, at)?;
        match arg {
            ast::Operand::RegPair(p, q) => {
                let not = self.op(Op::Not, &[value]);
                self.set_pred_of(inst, &ast::Operand::Reg(*p), value)?;
                self.set_pred_of(inst, &ast::Operand::Reg(*q), not)
            }
            _ => self.set_pred_of(inst, arg, value),
        }
    }

    /// Gives a result operand a predicate.
    pub(super) fn set_pred_of(&mut self, inst: &Inst, arg: &ast::Operand, value: Operand) -> Result<()> {
        if let RegValue::One(v) = self.target(inst, arg, true)? {
            self.assign(v, value);
        }
        Ok(())
    }
}
