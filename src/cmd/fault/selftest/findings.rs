//! What is known of every class of faults, and the programs.

use super::subject::{detects, Subject};
use anyhow::Result;
use warpsmith_fault::{FaultOutcome, Golden};
use warpsmith_model::Launch;

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The project's kernels.
    Suite,
    /// Generated.
    Generated,
}

/// A program that detected what none before it had.
pub struct Program {
    pub launch: Launch,
    pub origin: Origin,
    pub cycles: u64,
    /// Classes that it detected first.
    pub first: usize,
}

/// What is known of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A program detects it.
    Detected { program: usize, outcome: FaultOutcome },
    /// No pattern shows it at the unit.
    Untestable,
    /// No instructions show it in a memory or at an output of the chip.
    Functional,
    /// Instructions that do not trap do not.
    TrapOnly,
    /// Neither.
    Open(Open),
}

/// What was found of an open class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// Nothing was tried but programs.
    Untried,
    /// The solver gave up.
    Unknown,
    /// The solver has a pattern; no program was found.
    Pattern,
}

/// Programs that show a class at the unit and do not detect it, after which it is carried into the chip with one of
/// [`RARELY`] programs.
const OFTEN: u32 = 8;
const RARELY: usize = 6;

/// All of it.
pub struct Findings {
    pub status: Vec<Status>,
    pub programs: Vec<Program>,
    /// Programs tried.
    pub tried: [usize; 2],
    /// Classes that the suite detects.
    pub by_suite: Vec<bool>,
    /// Classes that are asked for.
    pub wanted: Vec<bool>,
    /// Classes that changed the number of cycles of some program.
    pub late: Vec<bool>,
    /// Programs that showed each class at the unit and did not detect it.
    in_vain: Vec<u32>,
}

impl Findings {
    /// Nothing known yet; of the classes that are not wanted nothing is asked.
    pub fn new(wanted: Vec<bool>) -> Self {
        Findings {
            status: vec![Status::Open(Open::Untried); wanted.len()],
            programs: vec![],
            tried: [0; 2],
            by_suite: vec![false; wanted.len()],
            late: vec![false; wanted.len()],
            in_vain: vec![0; wanted.len()],
            wanted,
        }
    }

    /// Wanted classes that no program detects and no proof settles.
    pub fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.status.len()).filter(|c| self.is_open(*c))
    }

    fn is_open(&self, class: usize) -> bool {
        self.wanted[class] && matches!(self.status[class], Status::Open(_))
    }

    /// Takes what a program finds of the open classes; how many it detects, `None`: a signal came.
    ///
    /// # Errors
    /// The chip cannot be run.
    pub fn take(
        &mut self, subject: &Subject, golden: &Golden, launch: Launch, origin: Origin,
    ) -> Result<Option<usize>> {
        self.tried[origin as usize] += 1;
        let number: usize = self.tried.iter().sum();
        let open = |c: usize| self.is_open(c) && (self.in_vain[c] < OFTEN || (number + c) % RARELY == 0);
        let Some(outcomes) = subject.outcomes(golden, &open)? else { return Ok(None) };
        let program = self.programs.len();
        let mut found = 0;
        for (class, outcome) in outcomes {
            if detects(outcome) {
                self.status[class] = Status::Detected { program, outcome };
                self.by_suite[class] = origin == Origin::Suite;
                found += 1;
            } else {
                self.late[class] |= outcome == FaultOutcome::Timing;
                self.in_vain[class] += 1;
            }
        }
        if found > 0 {
            self.programs.push(Program { launch, origin, cycles: golden.cycles(), first: found });
        }
        Ok(Some(found))
    }
}
