//! The model's side: the machine of SM 1.0, or that of the other sets.

use crate::instruction;
use warpsmith_isa::Instr;
use warpsmith_model::undefined::{Beside, Places};
use warpsmith_model::{sets, uop};
use warpsmith_model::{BlockId, GlobalMemory, Lanes, Launch, Machine, ModelConfig, Retired, Stats, StepError, Trap};

use super::compare::Origin;

/// The golden model of a launch. A clone goes on from where it is.
#[derive(Clone)]
pub enum Model {
    /// SM 1.0.
    Sm10(Box<Machine>),
    /// Another set.
    Set(Box<uop::Machine>),
}

/// Where a warp of the model stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Byte address of the next instruction.
    pub pc: u32,
    /// Active threads.
    pub active: u32,
    /// Entries of its divergence stack.
    pub depth: u32,
    /// It has ended.
    pub finished: bool,
}

impl Model {
    /// The model of a launch as a chip runs it.
    pub fn new(launch: &Launch, config: ModelConfig) -> Self {
        match sets::of(launch.isa()) {
            None => Model::Sm10(Box::new(Machine::new(launch, config))),
            Some(set) => {
                let (depth, mutant) = (config.stack_depth, config.mutant);
                let mut machine = uop::Machine::of_chip(set, launch, depth, mutant);
                if config.tracked {
                    machine.track();
                }
                Model::Set(Box::new(machine))
            }
        }
    }

    /// Starts a block.
    pub fn start_block(&mut self, ctaid: [u32; 2]) -> BlockId {
        match self {
            Model::Sm10(m) => m.start_block(ctaid),
            Model::Set(m) => m.start_block(ctaid),
        }
    }

    /// Executes the next instruction of a warp, beside a chip that has done so.
    ///
    /// # Errors
    /// It traps, or the warp cannot step.
    pub fn step(
        &mut self,
        block: BlockId,
        warp: u32,
        record: &mut Retired,
        beside: Option<&Beside<'_>>,
    ) -> Result<(), StepError> {
        match self {
            Model::Sm10(m) => m.step_beside(block, warp, record, beside),
            Model::Set(m) => m.step_beside(block, warp, record, beside),
        }
    }

    /// Bits `undefined` of a register that a load or a special function wrote are these of `value`.
    pub fn adopt(&mut self, block: BlockId, warp: u32, register: u8, undefined: &Lanes, value: &Lanes) {
        match self {
            Model::Sm10(m) => m.adopt(block, warp, register, undefined, value),
            Model::Set(m) => m.adopt(block, warp, register, undefined, value),
        }
    }

    /// Places of the program that depend on undefined values.
    pub fn undefined(&self) -> Places {
        match self {
            Model::Sm10(m) => m.undefined(),
            Model::Set(m) => m.undefined(),
        }
    }

    /// Where a warp stands; `None` for one that was not started.
    pub fn warp(&self, block: BlockId, warp: u32) -> Option<Standing> {
        Some(match self {
            Model::Sm10(m) => {
                let c = &m.warp(block, warp)?.control;
                Standing { pc: c.pc, active: c.active, depth: c.stack().len() as u32, finished: c.is_finished() }
            }
            Model::Set(m) => {
                let w = m.warp(block, warp)?;
                Standing { pc: w.pc(), active: w.active(), depth: w.depth() as u32, finished: w.is_finished() }
            }
        })
    }

    /// Whether a block that was started has ended.
    pub fn has_ended(&self, block: BlockId) -> Option<bool> {
        match self {
            Model::Sm10(m) => Some(m.block(block)?.is_finished()),
            Model::Set(m) => Some(m.block(block)?.is_finished()),
        }
    }

    /// Drops the memory of a block that has ended.
    pub fn retire_block(&mut self, block: BlockId) {
        match self {
            Model::Sm10(m) => m.retire_block(block),
            Model::Set(m) => m.retire_block(block),
        }
    }

    /// Global memory.
    pub fn global(&self) -> &GlobalMemory {
        match self {
            Model::Sm10(m) => m.global(),
            Model::Set(m) => m.global(),
        }
    }

    /// Counts so far.
    pub fn stats(&self) -> Stats {
        match self {
            Model::Sm10(m) => m.stats(),
            Model::Set(m) => m.stats(),
        }
    }

    /// The trap that stopped it.
    pub fn trap(&self) -> Option<Trap> {
        match self {
            Model::Sm10(m) => m.trap(),
            Model::Set(m) => m.trap(),
        }
    }

    /// The instruction of another set than SM 1.0 at a byte address, if one executes there.
    pub fn slot(&self, pc: u32) -> Option<&uop::Slot> {
        match self {
            Model::Sm10(_) => None,
            Model::Set(m) => m.instruction(pc),
        }
    }

    /// Where the value of the instruction comes from that was executed at `pc`; `instr`: it, in SM 1.0.
    pub fn origin(&self, pc: u32, instr: Option<&Instr>) -> Origin {
        match (instr, self.slot(pc)) {
            (Some(instr), _) => Origin::of(instr),
            (None, Some(slot)) => {
                let i = instruction::of_uops(&slot.lowered);
                Origin::from_facts(i.special, i.clock)
            }
            (None, None) => Origin::Pipeline,
        }
    }
}
