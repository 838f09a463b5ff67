//! Faults that show at the unit, in the whole chip.

use super::spliced::Subject;
use crate::cmd::interrupt;
use crate::cmd::rtl::bar;
use anyhow::{bail, Result};
use warpsmith_fault::site::glob;
use warpsmith_fault::{run_all, Fault, FaultKind, Record, Reference, SimulatorOptions};
use warpsmith_gates::{Circuit, Collapsed, Model, PinId};

/// Which classes have a fault at a pin that one of the patterns takes; all without patterns.
///
/// # Errors
/// A pattern takes no pin.
pub fn wanted(circuit: &Circuit, faults: &Collapsed, patterns: &[String]) -> Result<Vec<bool>> {
    let mut wanted = vec![patterns.is_empty(); faults.classes()];
    for pattern in patterns {
        let mut any = false;
        for number in 0..faults.faults() as u32 {
            let fault = warpsmith_gates::Fault::of(number);
            if glob(pattern, &circuit.pin_name(fault.pin)) {
                wanted[faults.class(fault)] = true;
                any = true;
            }
        }
        if !any {
            bail!("--pin {pattern}: no pin of the unit has such a name; --csv lists all");
        }
    }
    Ok(wanted)
}

/// Runs the chip with the first fault of each of the classes; `None`: a signal came.
///
/// # Errors
/// The chip cannot be run, or has another length than before.
pub fn run(
    subject: &Subject, cycles: u64, faults: &Collapsed, classes: &[usize], options: SimulatorOptions, workers: usize,
) -> Result<Option<Vec<Record>>> {
    let chosen: Vec<_> = classes.iter().map(|c| faults.representatives()[*c]).collect();
    let mut pins: Vec<PinId> = chosen.iter().map(|f| f.pin).collect();
    pins.sort_unstable();
    pins.dedup();
    let (spliced, golden) = subject.golden(&pins)?;
    if golden.cycles() != cycles {
        bail!("internal error, please report it: with pins the chip takes {} cycles, not {cycles}", golden.cycles());
    }
    // The first pair of patterns is that of cycles 0 and 1.
    let from = match subject.model {
        Model::StuckAt => 0,
        Model::Transition => 1,
    };
    let mut list = vec![];
    for fault in &chosen {
        let (path, value) = spliced.force(*fault);
        let kind = if value { FaultKind::StuckAt1 } else { FaultKind::StuckAt0 };
        list.push(Fault::simple(golden.sites().find(&path)?, 0, vec![0], from, kind));
    }
    let reference = Reference::new(&golden)?;
    let bar = bar(list.len() as u64, "{bar:30} {human_pos} of {human_len} faults in the chip");
    let records =
        run_all(&reference, &list, options, workers, &|done| bar.set_position(done as u64), interrupt::asked)?;
    bar.finish_and_clear();
    Ok(records)
}
