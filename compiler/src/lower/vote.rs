//! Votes of the active threads as instructions, on chips of SM 1.2.

use super::build::{Lower, RegValue};
use super::warp::active_vote;
use crate::error::CompileError;
use crate::ir::Op;
use crate::ptx::ast::Inst;

impl Lower<'_> {
    /// A vote that no routine stands for; false for other instructions.
    pub(super) fn vote(&mut self, inst: &Inst) -> Result<bool, CompileError> {
        let Some((all, to)) = active_vote(inst) else { return Ok(false) };
        let from = self.pred(inst, 1)?;
        let RegValue::One(to) = self.reg(to) else { return Ok(false) };
        self.push(Op::Vote { all }, vec![to], vec![from]);
        Ok(true)
    }
}
