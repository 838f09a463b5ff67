//! A program as micro-operations, decoded where it is reached.

use super::cause::Cause;
use crate::mutant::Mutant;
use std::sync::OnceLock;
use warpsmith_isa::set::{DecodeError, Instr, InstructionSet};
use warpsmith_isa::uop::{Builtin, Lowered, Op, Place, Type, Uop};
use warpsmith_isa::Options;

/// What a program may do beside what its set allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Registers a thread has; 0: all of the set's. An instruction that writes others traps.
    pub registers: u32,
    /// Only what chips with these options execute; the rest traps as unimplemented.
    pub chip: Option<Options>,
    /// A deliberate error, for checks of the harness.
    pub mutant: Option<Mutant>,
}

/// An instruction of a program, ready to execute.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The instruction.
    pub instr: Instr,
    /// Its micro-operations.
    pub lowered: Lowered,
    /// Registers whose values it gives up.
    pub discards: Vec<(Place, Type)>,
}

/// A program: every address is decoded once, when it is first reached.
#[derive(Clone)]
pub struct Program {
    set: &'static dyn InstructionSet,
    code: Vec<u8>,
    rules: Rules,
    slots: Vec<OnceLock<Result<Slot, Cause>>>,
}

impl Program {
    /// A program of a set.
    pub fn new(set: &'static dyn InstructionSet, code: &[u8]) -> Program {
        Program::with(set, code, Rules::default())
    }

    /// A program of a set, under rules.
    pub fn with(set: &'static dyn InstructionSet, code: &[u8], rules: Rules) -> Program {
        Program {
            set,
            code: code.to_vec(),
            rules,
            slots: (0..code.len().div_ceil(set.unit())).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The instruction at a byte address.
    ///
    /// # Errors
    /// No instruction, or one that the model does not execute.
    pub fn at(&self, pc: u32) -> Result<&Slot, Cause> {
        let unit = self.set.unit();
        let Some(slot) = self.slots.get(pc as usize / unit) else { return Err(Cause::PcOutOfRange) };
        if pc as usize % unit != 0 {
            return Err(Cause::PcOutOfRange);
        }
        let found = slot.get_or_init(|| self.decode(pc));
        found.as_ref().map_err(Clone::clone)
    }

    /// Whether some instruction reads the clock, which counts what the whole machine has executed.
    pub fn reads_clock(&self) -> bool {
        let clock = |p: Place| matches!(p, Place::Builtin(Builtin::ClockLow | Builtin::ClockHigh));
        let reads = |u: &Uop| u.src.iter().any(|s| clock(s.place));
        let mut slots = (0..self.slots.len()).filter_map(|n| self.at((n * self.set.unit()) as u32).ok());
        slots.any(|s| s.lowered.uops.iter().any(reads))
    }

    fn decode(&self, pc: u32) -> Result<Slot, Cause> {
        let bytes = &self.code[pc as usize..];
        let Rules { registers, chip, mutant } = self.rules;
        let instr = self.set.decode(bytes).map_err(|e| match e {
            DecodeError::Truncated { .. } => Cause::Truncated(e.to_string()),
            e if chip.is_some() && self.set.knows(&e) => Cause::Refused(e.to_string()),
            e => Cause::Illegal(e.to_string()),
        })?;
        let unimplemented = |reason: &'static str| Cause::Unimplemented {
            text: self.set.print(&instr, pc.into()),
            reason: reason.into(),
        };
        let mut lowered = self.set.lower(&instr, pc.into()).map_err(|e| unimplemented(e.0))?;
        if let Some(reason) = chip.and_then(|options| self.set.lacks(&instr, &lowered, options)) {
            return Err(unimplemented(reason));
        }
        let beyond = |r: &u32| registers != 0 && *r >= registers;
        if let Some(register) = last_register(&lowered).filter(beyond) {
            return Err(Cause::Register { register, registers });
        }
        if let Some(m) = mutant {
            lowered.uops.iter_mut().for_each(|u| m.rewrite(u));
        }
        let discards = self.set.discards(&instr);
        Ok(Slot { instr, lowered, discards })
    }
}

/// The last register of 32 bits that an instruction writes in its lanes.
fn last_register(lowered: &Lowered) -> Option<u32> {
    let last = |uop: &Uop| {
        let Place::Register { index, byte } = uop.dst[0] else { return None };
        let elements = match uop.op {
            Op::Load(a) => a.count(),
            _ => 1,
        };
        let end = u32::from(byte) + elements * uop.ty.bytes();
        Some(u32::from(index) + end.div_ceil(4).max(1) - 1)
    };
    lowered.uops.iter().filter_map(last).max()
}
