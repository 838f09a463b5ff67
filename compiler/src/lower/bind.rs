//! Parameters and results of inlined calls: places that both sides name, or copies.

use std::collections::HashMap;

use super::inline::{Bound, Inliner, MAX_DEPTH};
use super::routine;
use crate::error::CompileError;
use crate::ptx::ast::{Base, Function, Inst, Operand, Param, RegId, Statement, Symbol, VarId, Variable};

impl<'a> Inliner<'a> {
    /// Puts a function's body in place of a call.
    pub(super) fn enter(
        &mut self, inst: &Inst, f: &'a Function, results: Vec<Operand>, params: Vec<Operand>,
    ) -> Result<(), CompileError> {
        let Some(body) = &f.body else {
            return Err(self.error(inst, format!("`{}` has no body", f.name)));
        };
        if self.stack.len() >= MAX_DEPTH {
            return Err(self.error(inst, "calls nested too deep"));
        }
        if params.len() != f.params.len() || results.len() != f.results.len() {
            return Err(self.error(
                inst,
                format!(
                    "`{}` takes {} parameters and gives {} results; called with {} and {}",
                    f.name,
                    f.params.len(),
                    f.results.len(),
                    params.len(),
                    results.len()
                ),
            ));
        }
        let base = self.flat.regs.len() as u32;
        let mut bound = HashMap::new();
        for (p, arg) in f.params.iter().zip(params) {
            let b = self.bind(inst, p, base, Some(arg.clone()))?;
            bound.insert(p.name.clone(), b);
        }
        for (p, arg) in f.results.iter().zip(&results) {
            let wanted = match arg {
                Operand::Symbol(Symbol::Local(_), 0) => Some(arg.clone()),
                _ => None,
            };
            let b = self.bind(inst, p, base, wanted)?;
            bound.insert(p.name.clone(), b);
        }
        let end = self.label();
        let line = f.name.starts_with(routine::PREFIX).then_some(inst.line);
        // Copies into the callee's registers name registers that its body adds now.
        let copies = std::mem::take(&mut bound);
        self.body(f, body, copies.clone(), Some(end), line, inst.source)?;
        self.flat.code.push(Statement::Label(end));
        for (p, arg) in f.results.iter().zip(results) {
            self.result(inst, p, copies.get(&p.name), arg);
        }
        Ok(())
    }

    /// Gives a parameter its place; `value` is copied there unless it is a place itself.
    fn bind(&mut self, inst: &Inst, p: &Param, base: u32, value: Option<Operand>) -> Result<Bound, CompileError> {
        if let (None, Some(Operand::Symbol(Symbol::Local(v), 0))) = (p.reg, &value) {
            return Ok(Bound::Var(*v));
        }
        let (bound, op, to) = match p.reg {
            Some(reg) => {
                let reg = RegId(reg.0 + base);
                let op = if p.ty.bits == 1 { "mov.pred".into() } else { format!("mov.b{}", p.ty.bits) };
                (Bound::Reg(reg), op, Operand::Reg(reg))
            }
            None => {
                let var = VarId(self.flat.vars.len() as u32);
                self.flat.vars.push(Variable::of_param(p, inst.line));
                let to = Operand::Address(Base::Symbol(Symbol::Local(var)), 0);
                (Bound::Var(var), format!("st.param.b{}", p.ty.bits), to)
            }
        };
        match value {
            None => {}
            // A register of a routine that is called from C.
            Some(Operand::Symbol(from @ Symbol::Local(_), 0)) if p.reg.is_some() => {
                let from = Operand::Address(Base::Symbol(from), 0);
                let op = format!("ld.param.b{}", p.ty.bits);
                self.add(inst, &op, vec![to, from]);
            }
            Some(value @ (Operand::Reg(_) | Operand::Int(_) | Operand::F32(_) | Operand::F64(_))) => {
                self.add(inst, &op, vec![to, value]);
            }
            Some(_) => return Err(self.error(inst, "argument of a call that is no place for it")),
        }
        Ok(bound)
    }

    /// Copies an argument of a call into a register of 32 bits.
    pub(super) fn copy_word(&mut self, inst: &Inst, to: Operand, from: Operand) -> Result<(), CompileError> {
        match from {
            Operand::Symbol(from @ Symbol::Local(_), 0) => {
                self.add(inst, "ld.param.b32", vec![to, Operand::Address(Base::Symbol(from), 0)]);
            }
            from @ (Operand::Reg(_) | Operand::Int(_)) => self.add(inst, "mov.b32", vec![to, from]),
            _ => return Err(self.error(inst, "argument of a call that is no place for it")),
        }
        Ok(())
    }

    fn result(&mut self, inst: &Inst, p: &Param, bound: Option<&Bound>, to: Operand) {
        if let (Some(Bound::Reg(r)), Operand::Symbol(place @ Symbol::Local(_), 0)) = (bound, &to) {
            let args = vec![Operand::Address(Base::Symbol(place.clone()), 0), Operand::Reg(*r)];
            let op = format!("st.param.b{}", p.ty.bits);
            self.add(inst, &op, args);
            return;
        }
        let (op, from) = match (bound, &to) {
            (Some(Bound::Reg(r)), _) if p.ty.bits == 1 => ("mov.pred".to_string(), Operand::Reg(*r)),
            (Some(Bound::Reg(r)), _) => (format!("mov.b{}", p.ty.bits), Operand::Reg(*r)),
            (Some(Bound::Var(_)), Operand::Symbol(..)) | (None, _) => return,
            (Some(Bound::Var(v)), _) => {
                (format!("ld.param.b{}", p.ty.bits), Operand::Address(Base::Symbol(Symbol::Local(*v)), 0))
            }
        };
        self.add(inst, &op, vec![to, from]);
    }
}
