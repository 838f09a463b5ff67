//! Calls through pointers: a comparison and a call for each function that may be meant.

use super::inline::Inliner;
use super::pointers::{fitting, passed};
use crate::error::CompileError;
use crate::ptx::ast::{Inst, LabelId, Operand, RegId, Statement, Ty, TypeKind};

impl<'a> Inliner<'a> {
    /// A call through a pointer; a number that no function has traps.
    pub(super) fn indirect(
        &mut self, inst: &Inst, pointer: RegId, results: Vec<Operand>, params: Vec<Operand>,
    ) -> Result<(), CompileError> {
        let wanted = (passed(&results, &self.flat.vars), passed(&params, &self.flat.vars));
        let module = self.module;
        let functions = fitting(module, &wanted, self.reached());
        if functions.is_empty() {
            return Err(self.error(
                inst,
                "call through a pointer: this file takes the address of no function with such parameters and result, and the chip calls functions of the file alone",
            ));
        }
        let behind = self.label();
        for (number, f) in functions {
            let next = self.label();
            let other = self.predicate();
            self.add(
                inst,
                "setp.ne.u32",
                vec![Operand::Reg(other), Operand::Reg(pointer), Operand::Int(number.into())],
            );
            self.branch(inst, next, Some((other, false)));
            self.invoke(inst, f, results.clone(), params.clone())?;
            self.branch(inst, behind, None);
            self.flat.code.push(Statement::Label(next));
        }
        self.add(inst, "trap", Vec::new());
        self.flat.code.push(Statement::Label(behind));
        Ok(())
    }

    /// A new register of one bit.
    pub(super) fn predicate(&mut self) -> RegId {
        self.flat.regs.push(Ty { kind: TypeKind::Pred, bits: 1 });
        RegId(self.flat.regs.len() as u32 - 1)
    }

    /// A branch at the place of an instruction.
    pub(super) fn branch(&mut self, inst: &Inst, to: LabelId, guard: Option<(RegId, bool)>) {
        let branch = inst.beside("bra", vec![Operand::Label(to)]);
        self.flat.code.push(Statement::Inst(Inst { guard, ..branch }));
    }
}
