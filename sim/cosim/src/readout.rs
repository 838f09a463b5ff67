//! What a host reads from a chip after a run: its counters and its trap record.

use crate::simulation::PortLines;
use warpsmith_contract::registers::{trap, trap_block};
use warpsmith_contract::{Counter, StallCause};
use warpsmith_isa::ChipInfo;
use warpsmith_model::TrapCause;

/// The chip's trap record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtlTrap {
    /// Cause number, see [`TrapCause`].
    pub cause: u8,
    /// Lowest trapping thread, or 0.
    pub lane: u32,
    /// Warp slot of the SM.
    pub slot: u32,
    /// SM.
    pub sm: u32,
    /// Byte address of the instruction.
    pub pc: u32,
    /// Block index in the grid, `x, y`.
    pub ctaid: [u32; 2],
}

impl RtlTrap {
    /// From the words of TRAP, TRAP_PC and TRAP_BLOCK.
    pub fn from_words([record, pc, block]: [u32; 3]) -> Self {
        RtlTrap {
            cause: trap::CAUSE.get(record) as u8,
            lane: trap::LANE.get(record),
            slot: trap::WARP.get(record),
            sm: trap::SM.get(record),
            pc,
            ctaid: [trap_block::X.get(block), trap_block::Y.get(block)],
        }
    }
}

impl std::fmt::Display for RtlTrap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match TrapCause::from_number(self.cause) {
            // The record holds no address that would say it.
            Some(TrapCause::Null) => "null: use of a NULL pointer",
            cause => cause.map_or("no known cause", TrapCause::name),
        };
        write!(
            f,
            "trap {} ({name}) in block ({}, {}), warp slot {} of SM {}, lane {}, at pc 0x{:04x}",
            self.cause, self.ctaid[0], self.ctaid[1], self.slot, self.sm, self.lane, self.pc
        )
    }
}

/// What a run counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// From start to done.
    pub cycles: u64,
    /// Retired warp instructions.
    pub warp_instructions: u64,
    /// Lanes of their active masks.
    pub thread_instructions: u64,
    /// Stall cycles in the order of [`StallCause::ALL`].
    pub stalls: [u64; StallCause::COUNT],
    /// Requests of the load/store units; without a cache those at the memory port.
    pub global_requests: u64,
    /// Lines through the simulated memory port; of no board.
    pub lines: Option<PortLines>,
    /// `warp_instructions * beats / (cycles * sms)`.
    pub issue_utilisation: f64,
    /// `thread_instructions / (cycles * lanes * sms)`.
    pub lane_utilisation: f64,
    /// Wall-clock time of the simulation.
    pub seconds: f64,
}

impl Counters {
    /// From the counters of a chip.
    pub fn from_sums(sums: &[u64; Counter::COUNT], chip: &ChipInfo, seconds: f64) -> Self {
        let sum = |c: Counter| sums[c.number()];
        let mut c = Counters {
            cycles: sum(Counter::Cycles),
            warp_instructions: sum(Counter::WarpInstructions),
            thread_instructions: sum(Counter::ThreadInstructions),
            stalls: StallCause::ALL.map(|cause| sum(Counter::Stall(cause))),
            global_requests: sum(Counter::GlobalRequests),
            seconds,
            ..Counters::default()
        };
        c.compare_with(chip);
        c
    }

    /// Adds another run on the same chip.
    pub fn add(&mut self, other: &Counters, chip: &ChipInfo) {
        self.cycles += other.cycles;
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.global_requests += other.global_requests;
        self.seconds += other.seconds;
        self.lines = PortLines::sum(self.lines, other.lines);
        for (sum, n) in self.stalls.iter_mut().zip(other.stalls) {
            *sum += n;
        }
        self.compare_with(chip);
    }

    /// Utilisations: what was done over what the lanes could do.
    fn compare_with(&mut self, chip: &ChipInfo) {
        let slots = (self.cycles * u64::from(chip.lanes * chip.sms)).max(1) as f64;
        self.issue_utilisation = self.warp_instructions as f64 * f64::from(chip.warp_slots()) / slots;
        self.lane_utilisation = self.thread_instructions as f64 / slots;
    }
}
