//! What is known of a fault: its record, its class, and where a program sees it first.

use super::class::ErrorClass;
use crate::fault::Fault;
use crate::record::Record;
use warpsmith_cosim::lockstep::compare::Field;
use warpsmith_cosim::lockstep::report::RetireDifference;
use warpsmith_cosim::RtlTrap;

/// The first retired instruction that differs from the model's.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// First difference in lockstep; its cycle counts from power-on.
    pub found: RetireDifference,
    /// Cycle in which it retired; a load's data come later.
    pub retired: u64,
    /// The instruction as the chip executed it.
    pub text: String,
    /// Source file and line of its address, when the launch has a source.
    pub line: Option<(String, usize)>,
}

impl Instruction {
    /// Number of the block in the grid.
    pub fn block(&self) -> u32 {
        let [x, y] = self.found.ctaid;
        y * self.found.grid_x + x
    }

    /// Threads that differ: those whose value does, those that are active on one side only, or, when
    /// the whole warp is wrong, those the chip has active.
    pub fn lanes(&self) -> u32 {
        let m = &self.found.mismatch;
        match m.field {
            Field::Active | Field::Executed | Field::LoadThreads => m.model ^ m.rtl,
            _ if m.lanes.is_empty() => self.found.active[1],
            _ => m.lanes.iter().fold(0, |mask, l| mask | 1 << l.0),
        }
    }

    /// Bits that differ in any of them.
    pub fn bits(&self) -> u32 {
        let m = &self.found.mismatch;
        match m.lanes.is_empty() {
            true => m.model ^ m.rtl,
            false => m.lanes.iter().fold(0, |bits, l| bits | (l.1 ^ l.2)),
        }
    }

    /// The register whose value differs, such as `R5`, or the byte address that is right; empty for
    /// anything else.
    pub fn target(&self) -> String {
        let m = &self.found.mismatch;
        match m.field {
            Field::Value | Field::Flags | Field::StepValue | Field::Loaded => {
                m.what.split(' ').next().unwrap_or("").to_string()
            }
            Field::Address => format!("0x{:08x}", m.model),
            _ => String::new(),
        }
    }
}

/// The first difference a program sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Surfaced {
    /// Cycle in which the trace port showed it.
    pub cycle: u64,
    /// Lockstep's words for it.
    pub text: String,
    /// When it belongs to an instruction that retired.
    pub instruction: Option<Instruction>,
    /// When the chip trapped.
    pub trap: Option<RtlTrap>,
}

/// Explanation of a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Fault.
    pub fault: Fault,
    /// Its record, as in the campaign.
    pub record: Record,
    /// First architectural effect, if any.
    pub class: Option<ErrorClass>,
    /// Where it sees it.
    pub surfaced: Option<Surfaced>,
    /// Warp instructions compared.
    pub compared: u64,
}
