//! A list of faults run on all cores, without a campaign file and without a database.

use crate::differential::{DifferentialSimulator, Reference};
use crate::error::FaultError;
use crate::fault::Fault;
use crate::record::Record;
use crate::simulator::{FaultSimulator, SimulatorOptions};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Runs faults side by side on `workers` threads; the records are in the order of the faults. `progress` is told the
/// faults that are done, `stop` is asked after each: `None` when it ended the run.
///
/// # Errors
/// The simulation cannot run, or a fault is none of this chip and run.
pub fn run_all(
    reference: &Reference, faults: &[Fault], options: SimulatorOptions, workers: usize,
    progress: &(dyn Fn(usize) + Sync), stop: fn() -> bool,
) -> Result<Option<Vec<Record>>, FaultError> {
    let done = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let size = faults.len().div_ceil(workers.max(1)).max(1);
    let work = |part: &[Fault]| -> Result<Vec<Option<Record>>, FaultError> {
        let mut simulator = DifferentialSimulator::new(reference, options)?;
        let list: Vec<&Fault> = part.iter().collect();
        let mut records = vec![None; part.len()];
        simulator.run(&list, &mut |i, record| {
            records[i] = Some(record);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            if stop() {
                stopped.store(true, Ordering::Relaxed);
            }
            !stopped.load(Ordering::Relaxed)
        })?;
        Ok(records)
    };
    let parts = std::thread::scope(|scope| {
        let threads: Vec<_> = faults.chunks(size).map(|part| scope.spawn(|| work(part))).collect();
        let ended = threads.into_iter().map(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect::<Result<Vec<_>, _>>()
    })?;
    Ok(parts.into_iter().flatten().collect())
}
