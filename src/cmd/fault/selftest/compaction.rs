//! The smallest set found of the programs: what each detects is counted anew, then a greedy cover and its reverse.

use super::findings::{Findings, Open, Program, Status};
use super::subject::{detects, Subject};
use anyhow::Result;
use warpsmith_fault::FaultOutcome;

/// Keeps the programs of the set alone, and says of each class which of them detects it first. `false`: a signal came.
///
/// # Errors
/// The chip cannot be run.
pub fn compact(subject: &Subject, findings: &mut Findings) -> Result<bool> {
    let wanted: Vec<bool> = findings.status.iter().map(|s| matches!(s, Status::Detected { .. })).collect();
    let mut detected: Vec<Vec<(usize, FaultOutcome)>> = vec![];
    for program in &findings.programs {
        let trial = subject.run(&program.launch)?;
        let Some(outcomes) = subject.outcomes(&trial, &|c| wanted[c])? else { return Ok(false) };
        detected.push(outcomes.into_iter().filter(|(_, o)| detects(*o)).collect());
    }
    let sets: Vec<Vec<usize>> = detected.iter().map(|d| d.iter().map(|x| x.0).collect()).collect();
    let mut programs: Vec<Option<Program>> = std::mem::take(&mut findings.programs).into_iter().map(Some).collect();
    for (status, _) in findings.status.iter_mut().zip(&wanted).filter(|(_, w)| **w) {
        *status = Status::Open(Open::Untried);
    }
    for (new, old) in cover(wanted.len(), &sets).into_iter().enumerate() {
        let Some(mut program) = programs[old].take() else { continue };
        program.first = 0;
        for (class, outcome) in &detected[old] {
            if matches!(findings.status[*class], Status::Open(_)) {
                findings.status[*class] = Status::Detected { program: new, outcome: *outcome };
                program.first += 1;
            }
        }
        findings.programs.push(program);
    }
    Ok(true)
}

/// Sets whose union is that of all: always the one that adds most, then without those that the others make up for,
/// the last chosen first.
pub fn cover(elements: usize, sets: &[Vec<usize>]) -> Vec<usize> {
    let mut covered = vec![0u32; elements];
    let mut chosen: Vec<usize> = vec![];
    loop {
        let adds = |s: &usize| sets[*s].iter().filter(|e| covered[**e] == 0).count();
        let rest = (0..sets.len()).filter(|s| !chosen.contains(s));
        // The first of those that add the same.
        let Some(best) = rest.rev().max_by_key(adds).filter(|s| adds(s) > 0) else { break };
        sets[best].iter().for_each(|e| covered[*e] += 1);
        chosen.push(best);
    }
    for s in chosen.clone().into_iter().rev() {
        if sets[s].iter().all(|e| covered[*e] > 1) {
            sets[s].iter().for_each(|e| covered[*e] -= 1);
            chosen.retain(|c| *c != s);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::cover;

    #[test]
    fn a_set_that_the_others_make_up_for_is_left_out() {
        // The largest comes first, and the two behind it hold all that it does.
        assert_eq!(cover(6, &[vec![0, 1, 2], vec![1, 2, 3, 4], vec![3, 4, 5]]), [0, 2]);
        assert_eq!(cover(3, &[vec![0], vec![0, 1], vec![]]), [1]);
        assert_eq!(cover(3, &[]), [0; 0]);
    }

    #[test]
    fn the_cover_is_whole() {
        let sets = [vec![0, 3], vec![1, 3], vec![2], vec![0, 1, 2]];
        let mut all: Vec<usize> = cover(4, &sets).iter().flat_map(|s| sets[*s].clone()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all, [0, 1, 2, 3]);
    }
}
