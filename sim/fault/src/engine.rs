//! The engine that runs faults. Verilator is one; another must give the same records.

use crate::error::FaultError;
use crate::fault::Fault;
use crate::record::Record;

/// Runs faults, one at a time, against a fault-free run it knows. Each worker has its own.
pub trait Engine: Send {
    /// Runs the kernel with the fault.
    ///
    /// # Errors
    /// The simulation cannot run; every effect of a fault is a record.
    fn run(&mut self, fault: &Fault) -> Result<Record, FaultError>;
}
