//! A small set of the programs: a greedy cover by what they show at the unit, then two passes through the chip, the second
//! one backwards, that leave out what detects nothing that those before it do not.

use super::findings::{Findings, Open, Program, Status};
use super::subject::{detects, Subject};
use anyhow::Result;

/// Keeps the programs of the set alone; what they detect is counted anew. `false`: a signal came.
///
/// # Errors
/// The chip cannot be run.
pub fn compact(subject: &Subject, findings: &mut Findings) -> Result<bool> {
    let wanted: Vec<bool> = findings.status.iter().map(|s| matches!(s, Status::Detected { .. })).collect();
    let mut shown = vec![];
    for program in &findings.programs {
        let trial = subject.run(&program.launch)?;
        shown.push(subject.shown(&trial, &|c| wanted[c])?);
    }
    let mut order = cover(wanted.len(), &shown);
    // What shows at the unit need not be detected: the others come behind.
    order.extend((0..shown.len()).filter(|p| !order.contains(p)).collect::<Vec<_>>());
    Ok(pass(subject, findings, &wanted, &order)? && {
        let back: Vec<usize> = (0..findings.programs.len()).rev().collect();
        pass(subject, findings, &wanted, &back)?
    })
}

/// Runs programs in an order with what is wanted and not detected yet, and keeps those that detect something.
fn pass(subject: &Subject, findings: &mut Findings, wanted: &[bool], order: &[usize]) -> Result<bool> {
    let mut programs: Vec<Option<Program>> = std::mem::take(&mut findings.programs).into_iter().map(Some).collect();
    for (status, _) in findings.status.iter_mut().zip(wanted).filter(|(_, w)| **w) {
        *status = Status::Open(Open::Untried);
    }
    for old in order {
        let Some(mut program) = programs[*old].take() else { continue };
        let trial = subject.run(&program.launch)?;
        let left = |c: usize| wanted[c] && matches!(findings.status[c], Status::Open(_));
        let Some(outcomes) = subject.outcomes(&trial, &left)? else { return Ok(false) };
        program.first = 0;
        for (class, outcome) in outcomes.into_iter().filter(|(_, o)| detects(*o)) {
            findings.status[class] = Status::Detected { program: findings.programs.len(), outcome };
            program.first += 1;
        }
        if program.first > 0 {
            findings.programs.push(program);
        }
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
