//! A small set of the programs: one is left out when the others detect all that it was kept for.

use super::findings::{Findings, Status};
use super::subject::{detects, Subject};
use anyhow::Result;
use warpsmith_fault::FaultOutcome;

/// Classes of a program, at most, of which it is asked whether others detect them.
const MOST: usize = 400;

/// Leaves programs out, those first that were kept for least. `false`: a signal came.
///
/// # Errors
/// The chip cannot be run.
pub fn compact(subject: &Subject, findings: &mut Findings) -> Result<bool> {
    let mut order: Vec<usize> = (0..findings.programs.len()).collect();
    order.sort_by_key(|p| findings.programs[*p].first);
    let mut kept = vec![true; order.len()];
    for &program in &order {
        let mut left: Vec<usize> = classes_of(findings, program);
        if left.len() > MOST {
            break;
        }
        let mut found: Vec<(usize, usize, FaultOutcome)> = vec![];
        // Those that detect most come first.
        for &other in order.iter().rev().filter(|o| **o != program && kept[**o]) {
            let wanted = |c: usize| left.contains(&c);
            let Some(outcomes) = subject.outcomes(&findings.programs[other].trial, &wanted)? else { return Ok(false) };
            for (class, outcome) in outcomes.into_iter().filter(|(_, o)| detects(*o)) {
                left.retain(|c| *c != class);
                found.push((class, other, outcome));
            }
            if left.is_empty() {
                break;
            }
        }
        if left.is_empty() {
            kept[program] = false;
            for (class, program, outcome) in found {
                findings.status[class] = Status::Detected { program, outcome };
            }
        }
    }
    renumber(findings, &kept);
    Ok(true)
}

/// Classes that a program is the first to detect.
fn classes_of(findings: &Findings, program: usize) -> Vec<usize> {
    let is = |s: &Status| matches!(s, Status::Detected { program: p, .. } if *p == program);
    (0..findings.status.len()).filter(|c| is(&findings.status[*c])).collect()
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
