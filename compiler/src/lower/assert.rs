//! Assertions that fail: one end of the kernel for all of them, which prints and traps.

use super::inline::Inliner;
use super::routine;
use crate::error::CompileError;
use crate::ptx::ast::{Inst, LabelId, Operand, Statement};
use warpsmith_isa::print;

/// Words that a failed assertion tells: condition, file, line, function.
const WORDS: usize = 4;

/// Where assertions that fail go.
pub(super) struct Failed {
    label: LabelId,
    /// Registers with the words.
    words: Vec<Operand>,
    /// The call of the first assertion; its line where there is no other.
    call: Inst,
}

/// Whether a function is called for an assertion that fails: that of our headers, or that of CUDA's.
pub(super) fn is_failed(function: &str) -> bool {
    [print::ASSERT, "__assertfail"].contains(&function)
}

impl Inliner<'_> {
    /// Ends a thread whose assertion fails.
    pub(super) fn fail(&mut self, inst: &Inst, params: Vec<Operand>) -> Result<(), CompileError> {
        if params.len() < WORDS {
            return Err(self.error(inst, format!("an assertion tells {WORDS} words, here are {}", params.len())));
        }
        if self.failed.is_none() {
            let words = (0..WORDS).map(|_| self.word()).collect();
            self.failed = Some(Failed { label: self.label(), words, call: inst.clone() });
        }
        let Some(failed) = &mut self.failed else { return Ok(()) };
        if (failed.call.line, failed.call.source) != (inst.line, inst.source) {
            failed.call.source = None;
        }
        let (label, words) = (failed.label, failed.words.clone());
        for (to, from) in words.into_iter().zip(params) {
            self.copy_word(inst, to, from)?;
        }
        self.add(inst, "bra", vec![Operand::Label(label)]);
        Ok(())
    }

    /// The end for all assertions, behind the kernel.
    pub(super) fn end_of_failed(&mut self) -> Result<(), CompileError> {
        let Some(failed) = self.failed.take() else { return Ok(()) };
        self.flat.code.push(Statement::Label(failed.label));
        let name = format!("{}failed", routine::PREFIX);
        let Some(f) = routine::module()?.function(&name) else {
            return Err(self.error(&failed.call, format!("no routine `{name}`")));
        };
        self.enter(&failed.call, f, Vec::new(), failed.words)
    }
}
