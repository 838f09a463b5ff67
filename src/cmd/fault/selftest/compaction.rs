//! Fewer programs that detect together what all do: in reverse order, each for what those behind it leave.

use super::findings::{Findings, Status};
use super::subject::{detects, Subject};
use crate::cmd::rtl::bar;
use anyhow::Result;

/// Keeps the programs that detect what none behind them does. `false`: a signal came.
///
/// # Errors
/// The chip cannot be run.
pub fn compact(subject: &Subject, findings: &mut Findings) -> Result<bool> {
    let mut left: Vec<bool> = findings.status.iter().map(|s| matches!(s, Status::Detected { .. })).collect();
    let mut kept = vec![false; findings.programs.len()];
    let bar = bar(kept.len() as u64, "{bar:30} {human_pos} of {human_len} programs compared");
    for number in (0..kept.len()).rev() {
        if !left.contains(&true) {
            break;
        }
        let golden = subject.run(&findings.programs[number].launch)?;
        let Some(outcomes) = subject.outcomes(&golden, &|c| left[c])? else { return Ok(false) };
        for (class, outcome) in outcomes.into_iter().filter(|(_, o)| detects(*o)) {
            (left[class], kept[number]) = (false, true);
            findings.status[class] = Status::Detected { program: number, outcome };
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    renumber(findings, &kept);
    Ok(true)
}

/// Drops programs, and counts what the others are kept for.
fn renumber(findings: &mut Findings, kept: &[bool]) {
    let mut new = vec![0; kept.len()];
    let mut next = 0;
    for (number, kept) in new.iter_mut().zip(kept) {
        *number = next;
        next += usize::from(*kept);
    }
    let mut keep = kept.iter();
    findings.programs.retain(|_| keep.next().copied().unwrap_or(false));
    findings.programs.iter_mut().for_each(|p| p.first = 0);
    for status in &mut findings.status {
        if let Status::Detected { program, .. } = status {
            *program = new[*program];
            findings.programs[*program].first += 1;
        }
    }
}
