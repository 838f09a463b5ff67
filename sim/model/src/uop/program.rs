//! A program as micro-operations, decoded where it is reached.

use super::cause::Cause;
use std::sync::OnceLock;
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::Lowered;

/// An instruction of a program, ready to execute.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The instruction.
    pub instr: Instr,
    /// Its micro-operations.
    pub lowered: Lowered,
}

/// A program: every address is decoded once, when it is first reached.
pub struct Program {
    set: &'static dyn InstructionSet,
    code: Vec<u8>,
    slots: Vec<OnceLock<Result<Slot, Cause>>>,
}

impl Program {
    /// A program of a set.
    pub fn new(set: &'static dyn InstructionSet, code: &[u8]) -> Program {
        Program {
            set,
            code: code.to_vec(),
            slots: (0..code.len().div_ceil(set.unit()))
                .map(|_| OnceLock::new())
                .collect(),
        }
    }

    /// The instruction at a byte address.
    ///
    /// # Errors
    /// No instruction, or one that the model does not execute.
    pub fn at(&self, pc: u32) -> Result<&Slot, Cause> {
        let unit = self.set.unit();
        let Some(slot) = self.slots.get(pc as usize / unit) else {
            return Err(Cause::PcOutOfRange);
        };
        if pc as usize % unit != 0 {
            return Err(Cause::PcOutOfRange);
        }
        let found = slot.get_or_init(|| self.decode(pc));
        found.as_ref().map_err(Clone::clone)
    }

    fn decode(&self, pc: u32) -> Result<Slot, Cause> {
        let bytes = &self.code[pc as usize..];
        let instr = self
            .set
            .decode(bytes)
            .map_err(|e| Cause::Illegal(e.to_string()))?;
        match self.set.lower(&instr, pc.into()) {
            Ok(lowered) => Ok(Slot { instr, lowered }),
            Err(reason) => Err(Cause::Unimplemented {
                text: self.set.print(&instr, pc.into()),
                reason: reason.to_string(),
            }),
        }
    }
}
