//! Fault simulators: they run faults against a fault-free run and make a record of each.

use crate::error::FaultError;
use crate::fault::Fault;
use crate::golden::Golden;
use crate::record::Record;

/// Cycles a hang has beyond the multiple: short kernels need room.
const HANG_ROOM: u64 = 256;

/// Runs faults against a fault-free run it knows. Each worker has its own. The record of a fault
/// depends on the fault alone: every simulator gives the same.
pub trait FaultSimulator: Send {
    /// Runs the kernel with each of the faults, one fault in a run, in any order and as many at once as
    /// it likes. `done` is handed the place of a fault in `faults` and its record, once for each, and
    /// answers whether to go on; what is not done then is left out.
    ///
    /// # Errors
    /// The simulation cannot run, or a fault is none of this chip and run; every effect of a fault is a
    /// record.
    fn run(&mut self, faults: &[&Fault], done: &mut dyn FnMut(usize, Record) -> bool) -> Result<(), FaultError>;

    /// What a simulator that runs faults side by side did so far.
    fn counts(&self) -> Option<Counts> {
        None
    }
}

/// How faults are run. Outcomes do not depend on `checkpoints` and `early_stop`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatorOptions {
    /// Start from the nearest image instead of the beginning.
    pub checkpoints: bool,
    /// End a run when nothing of the fault is left.
    pub early_stop: bool,
    /// End a run at the first wrong word that the fault-free run leaves alone from then on, and never had. The record is that of
    /// silent data corruption in this word; a trap or a hang that would follow is not seen.
    pub stop_at_sdc: bool,
    /// Cycles after which a run is a hang, as a multiple of the fault-free run's.
    pub hang: f64,
}

impl Default for SimulatorOptions {
    fn default() -> Self {
        SimulatorOptions { checkpoints: true, early_stop: true, stop_at_sdc: false, hang: 2.0 }
    }
}

impl SimulatorOptions {
    /// Refuses a limit below the length of the fault-free run.
    ///
    /// # Errors
    /// [`FaultError::Ask`].
    pub fn check(&self) -> Result<(), FaultError> {
        if self.hang.is_finite() && self.hang >= 1.0 {
            return Ok(());
        }
        Err(FaultError::Ask(format!(
            "a hang after {} times the fault-free cycles: a number of 1 or more is needed",
            self.hang
        )))
    }

    /// Cycle in which a run is given up as a hang.
    pub fn limit(&self, golden: &Golden) -> u64 {
        (golden.cycles() as f64 * self.hang).ceil() as u64 + HANG_ROOM
    }
}

/// What a run did, for figures and tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Faults in memory words for which no node was computed: the fault-free run's accesses tell what becomes of a word
    /// that it does not read before it overwrites it, or never again.
    pub settled: u64,
    /// Faults handed over to serial simulation.
    pub handed_over: u64,
    /// Cycles simulated for those.
    pub serial_cycles: u64,
    /// Cycles of machines that were computed.
    pub cycles: u64,
    /// Nodes computed for them.
    pub nodes: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.settled += other.settled;
        self.handed_over += other.handed_over;
        self.serial_cycles += other.serial_cycles;
        self.cycles += other.cycles;
        self.nodes += other.nodes;
    }
}
