//! Explains a fault: its first architectural effect, and its propagation before that.
//!
//! The fault runs twice. On the campaign's chip it runs to its end, as in the campaign, and gives its
//! record. In lockstep with the golden model, on the same chip with a trace port ([`Traced`]), it runs from
//! its cycle to the first instruction that differs ([`Surfaced`]). Faults in the order of their cycles share
//! the lockstep before them.

mod class;
mod explanation;
mod text;
mod traced;

pub use class::ErrorClass;
pub use explanation::{Explanation, Instruction, Surfaced};
pub use text::{table, CSV_COLUMNS};
pub use traced::{Traced, Wider};

use crate::error::FaultError;
use crate::fault::Fault;
use crate::golden::Golden;
use crate::record::{FaultOutcome, Record};
use crate::serial::SerialSimulator;
use crate::simulator::SimulatorOptions;
use crate::trail::{trail, Step};
use warpsmith_cosim::lockstep::report::Difference;
use warpsmith_cosim::observe::listing::Listing;
use warpsmith_cosim::{Disturbed, Outcome as Ending, RtlTrap, RunOptions};

/// Cycles the lockstep run may take beyond those after which a simulator calls a run a hang: the trace
/// port reports an instruction some cycles after it retired.
const ROOM: u64 = 256;

/// Explains faults of one campaign. Each worker has its own.
pub struct Replay<'a> {
    golden: &'a Golden,
    traced: &'a Traced,
    simulator: SerialSimulator<'a>,
    lockstep: Disturbed<'a>,
    listing: Listing,
}

impl<'a> Replay<'a> {
    /// A chip for the faults of `golden`, to run as the campaign did.
    ///
    /// # Errors
    /// The simulation cannot be started.
    pub fn new(golden: &'a Golden, traced: &'a Traced, options: SimulatorOptions) -> Result<Self, FaultError> {
        let simulator = SerialSimulator::new(golden, options)?;
        let run = RunOptions { max_cycles: options.limit(golden) + ROOM, ..golden.options.clone() };
        Ok(Replay {
            golden,
            traced,
            simulator,
            lockstep: traced.lockstep(golden, run)?,
            listing: Listing::of(golden.launch()),
        })
    }

    /// Runs a fault to its end, as the campaign does.
    ///
    /// # Errors
    /// The simulation cannot run.
    pub fn record(&mut self, fault: &Fault) -> Result<Record, FaultError> {
        self.simulator.run_one(fault)
    }

    /// Runs a fault in lockstep with the model.
    ///
    /// # Errors
    /// The simulation cannot run; [`FaultError::Control`] when the two chips disagree on whether a
    /// program sees the fault.
    pub fn explain(&mut self, fault: &Fault) -> Result<Explanation, FaultError> {
        let record = self.record(fault)?;
        self.explain_as(fault, record)
    }

    /// [`Replay::explain`] for a fault whose record is known.
    ///
    /// # Errors
    /// As [`Replay::explain`].
    pub fn explain_as(&mut self, fault: &Fault, record: Record) -> Result<Explanation, FaultError> {
        let force = self.traced.force(self.golden, fault)?;
        let at = self.golden.origin + fault.cycle;
        let report = self.lockstep.run(at, &mut |sim| {
            if let Some(force) = &force {
                sim.force(force);
            }
        })?;
        let cycle = report.cycle.saturating_sub(self.golden.origin);
        let (class, surfaced) = match &report.outcome {
            Ending::Differ(d) | Ending::Undefined(_, d) => {
                (Some(ErrorClass::of(d)), Some(self.surfaced(d, cycle, report.trap)))
            }
            Ending::Watchdog(_) | Ending::CycleLimit(_) => {
                let text = format!(
                    "every instruction is right, but the last one retired by cycle {cycle} and the kernel does not end"
                );
                let surfaced = Surfaced { cycle, text, instruction: None, trap: None };
                (Some(ErrorClass::NoProgress), Some(surfaced))
            }
            Ending::Agree => (ErrorClass::without(record.outcome), None),
            // The model's run is the fault-free one, which does neither.
            Ending::Unexpected(_) | Ending::Trap(_) => return Err(FaultError::Control(report.outcome.to_string())),
        };
        if class.is_none() && matches!(record.outcome, FaultOutcome::Sdc | FaultOutcome::Due) {
            return Err(FaultError::Control(format!(
                "a fault in {} in cycle {} is {} on the campaign's chip and changes nothing on the one with the trace port",
                self.golden.sites().site(fault.site).path,
                fault.cycle,
                record.outcome
            )));
        }
        Ok(Explanation { fault: fault.clone(), record, class, surfaced, compared: report.compared })
    }

    /// A difference for a reader.
    fn surfaced(&self, difference: &Difference, cycle: u64, trap: Option<RtlTrap>) -> Surfaced {
        let instruction = match difference {
            Difference::Retire(d) => Some(Instruction {
                retired: d.cycle.saturating_sub(self.golden.origin),
                text: d.text.clone(),
                line: self.listing.lines.get(&d.pc).and_then(|l| {
                    let file = l.source.as_ref().map_or(&self.listing.file, |s| &s.0);
                    Some((file.clone(), l.number?))
                }),
                found: (**d).clone(),
            }),
            Difference::Other(..) => None,
        };
        // The command lockstep names runs the launch without the fault.
        let text = difference.to_string();
        let text = text.split("\n  replay: ").next().unwrap_or("");
        Surfaced { cycle, text: text.strip_prefix("cosim: ").unwrap_or(text).to_string(), instruction, trap }
    }

    /// Propagation of the fault from its cycle to its first architectural effect; without one to
    /// the end of it, or of the run.
    ///
    /// # Errors
    /// The simulation cannot run.
    pub fn trail(&self, e: &Explanation) -> Result<Vec<Step>, FaultError> {
        trail(self.golden, &e.fault, self.until(e))
    }

    /// Last cycle of interest.
    pub fn until(&self, e: &Explanation) -> u64 {
        let seen = e.surfaced.as_ref().map(|s| s.cycle);
        seen.or(e.record.converged).unwrap_or(self.golden.cycles())
    }
}
