//! Assertions that fail: one end of the kernel prints for all of them, and traps at the line of the one that failed.

use super::failed::{Failed, WORDS};
use super::inline::Inliner;
use super::routine;
use crate::error::CompileError;
use crate::ptx::ast::{Inst, Operand, RegId, Statement, Ty, TypeKind};

impl Inliner<'_> {
    /// Ends a thread whose assertion fails.
    pub(super) fn fail(&mut self, inst: &Inst, params: Vec<Operand>) -> Result<(), CompileError> {
        if params.len() < WORDS {
            return Err(self.error(inst, format!("an assertion tells {WORDS} words, here are {}", params.len())));
        }
        if self.failed.is_none() {
            let words = (0..WORDS).map(|_| self.word()).collect();
            self.failed = Some(Failed { label: self.label(), words, number: self.word(), calls: Vec::new() });
        }
        let Some(failed) = &mut self.failed else { return Ok(()) };
        let place = |call: &Inst| (call.line, call.source);
        let known = failed.calls.iter().position(|c| place(c) == place(inst));
        let number = known.unwrap_or(failed.calls.len());
        if known.is_none() {
            failed.calls.push(inst.clone());
        }
        let (label, words, to) = (failed.label, failed.words.clone(), failed.number.clone());
        self.add(inst, "mov.u32", vec![to, Operand::Int(number as u64)]);
        for (to, from) in words.into_iter().zip(params) {
            self.copy_word(inst, to, from)?;
        }
        self.add(inst, "bra", vec![Operand::Label(label)]);
        Ok(())
    }

    /// The end for all assertions, behind the kernel.
    pub(super) fn end_of_failed(&mut self) -> Result<(), CompileError> {
        let Some(Failed { label, words, number, calls }) = self.failed.take() else { return Ok(()) };
        let Some((last, others)) = calls.split_last() else { return Ok(()) };
        self.flat.code.push(Statement::Label(label));
        let name = format!("{}failed", routine::PREFIX);
        let Some(f) = routine::module()?.function(&name) else {
            return Err(self.error(last, format!("no routine `{name}`")));
        };
        self.enter(last, f, Vec::new(), words)?;
        for (n, call) in others.iter().enumerate() {
            self.flat.regs.push(Ty { kind: TypeKind::Pred, bits: 1 });
            let own = RegId(self.flat.regs.len() as u32 - 1);
            self.add(call, "setp.eq.u32", vec![Operand::Reg(own), number.clone(), Operand::Int(n as u64)]);
            self.trap(call, Some((own, false)));
        }
        self.trap(last, None);
        Ok(())
    }

    fn trap(&mut self, call: &Inst, guard: Option<(RegId, bool)>) {
        let trap = Inst { op: "trap".into(), args: Vec::new(), guard, ..call.clone() };
        self.flat.code.push(Statement::Inst(trap));
    }
}
