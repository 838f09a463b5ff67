//! A small set of the programs that detects all that they detect together: a greedy cover.

use super::findings::{Findings, Status};
use super::subject::{detects, Subject};
use crate::cmd::rtl::bar;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use warpsmith_fault::FaultOutcome;

/// Classes of which a program is the first to detect more than this are not asked of others: it stays.
const MOST: usize = 400;

/// Keeps the programs that are the first to detect many classes, then those that detect most of what is left. `false`: a
/// signal came.
///
/// # Errors
/// The chip cannot be run.
pub fn compact(subject: &Subject, findings: &mut Findings) -> Result<bool> {
    let count = findings.programs.len();
    let stays = |p: usize| findings.programs[p].first > MOST;
    // What each detects of the classes that others may detect, too.
    let mut found: Vec<BTreeMap<usize, FaultOutcome>> = vec![BTreeMap::new(); count];
    let mut left = BTreeSet::new();
    for (class, status) in findings.status.iter().enumerate() {
        if let Status::Detected { program, outcome } = *status {
            if !stays(program) {
                found[program].insert(class, outcome);
                left.insert(class);
            }
        }
    }
    let bar = bar(count as u64, "{bar:30} {human_pos} of {human_len} programs compared");
    for (number, own) in found.iter_mut().enumerate() {
        let wanted = |c: usize| left.contains(&c) && !own.contains_key(&c);
        let golden = subject.run(&findings.programs[number].launch)?;
        let Some(outcomes) = subject.outcomes(&golden, &wanted)? else { return Ok(false) };
        own.extend(outcomes.into_iter().filter(|(_, o)| detects(*o)));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut kept: Vec<bool> = (0..count).map(stays).collect();
    let mut take = |program: usize, left: &mut BTreeSet<usize>| {
        for (class, outcome) in &found[program] {
            if left.remove(class) {
                findings.status[*class] = Status::Detected { program, outcome: *outcome };
            }
        }
    };
    (0..count).filter(|p| kept[*p]).for_each(|p| take(p, &mut left));
    while !left.is_empty() {
        let new = |p: &usize| found[*p].keys().filter(|c| left.contains(c)).count();
        // Of two that detect as many, the earlier.
        let best = (0..count).rev().max_by_key(new).expect("a class that is left was detected");
        kept[best] = true;
        take(best, &mut left);
    }
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
