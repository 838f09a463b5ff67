//! Number of faults that a set of programs detects: a measure of a test suite.
//!
//! Each program is run with every fault that no earlier program has detected. A fault is detected when
//! the result differs from the fault-free run: a wrong word, a trap, no end, another number of
//! cycles. Lockstep also compares every retired instruction, so the count is a lower bound for a suite
//! with lockstep.

use crate::error::FaultError;
use crate::fault::Fault;
use crate::golden::Golden;
use crate::record::FaultOutcome;
use crate::report::stats::wilson;
use crate::serial::SerialSimulator;
use crate::simulator::SimulatorOptions;
use crate::site::Sites;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// State of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A program detected it: its number, and how.
    Detected(usize, FaultOutcome),
    /// It changed a bit in some program, and no program noticed.
    Unnoticed,
    /// It never changed a bit.
    NeverActive,
}

/// Detection of a block type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// Module.
    pub block: String,
    /// Faults tried.
    pub faults: u64,
    /// Detected.
    pub detected: u64,
    /// Share detected, and its Wilson interval.
    pub share: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Active in some program without being noticed.
    pub unnoticed: u64,
    /// Never active.
    pub never_active: u64,
}

/// Detection by a set of programs.
pub struct Coverage {
    faults: Vec<Fault>,
    findings: Vec<Finding>,
    programs: Vec<String>,
}

impl Coverage {
    /// Nothing run yet.
    pub fn new(faults: Vec<Fault>) -> Self {
        Coverage { findings: vec![Finding::NeverActive; faults.len()], faults, programs: vec![] }
    }

    /// Faults no program has detected.
    pub fn open(&self) -> usize {
        let detected = |f: &&Finding| matches!(f, Finding::Detected(..));
        self.findings.len() - self.findings.iter().filter(detected).count()
    }

    /// Faults and what is known of them.
    pub fn findings(&self) -> impl Iterator<Item = (&Fault, Finding)> {
        self.faults.iter().zip(self.findings.iter().copied())
    }

    /// Programs run, in order.
    pub fn programs(&self) -> &[String] {
        &self.programs
    }

    /// Runs a program with every fault that is not detected yet, on `workers` threads; returns how
    /// many it detected. `progress` is told the faults run.
    ///
    /// # Errors
    /// The simulation cannot run; the fault-free control fails.
    pub fn run(
        &mut self, golden: &Golden, workers: usize, progress: &(dyn Fn(usize) + Sync),
    ) -> Result<usize, FaultError> {
        let options = SimulatorOptions::default();
        SerialSimulator::new(golden, options)?.control()?;
        let program = self.programs.len();
        self.programs.push(golden.launch().name.clone());
        let open: Vec<usize> =
            (0..self.faults.len()).filter(|&i| !matches!(self.findings[i], Finding::Detected(..))).collect();
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let found: Mutex<Result<Vec<(usize, Finding)>, FaultError>> = Mutex::new(Ok(vec![]));
        let work = || -> Result<Vec<(usize, Finding)>, FaultError> {
            let mut simulator = SerialSimulator::new(golden, options)?;
            let mut mine = vec![];
            while !failed.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(&i) = open.get(at) else { break };
                let record = simulator.run_one(&self.faults[i])?;
                let finding = match (record.outcome, record.activated) {
                    (FaultOutcome::Masked | FaultOutcome::NotActivated, None) => Finding::NeverActive,
                    (FaultOutcome::Masked | FaultOutcome::Corrected | FaultOutcome::NotActivated, Some(_)) => {
                        Finding::Unnoticed
                    }
                    (outcome, _) => Finding::Detected(program, outcome),
                };
                mine.push((i, finding));
                progress(at);
            }
            Ok(mine)
        };
        std::thread::scope(|scope| {
            for _ in 0..workers.max(1) {
                scope.spawn(|| {
                    let mine = work();
                    let mut all = found.lock().unwrap_or_else(PoisonError::into_inner);
                    match (mine, &mut *all) {
                        (Ok(mine), Ok(all)) => all.extend(mine),
                        (Err(e), Ok(_)) => {
                            failed.store(true, Ordering::Relaxed);
                            *all = Err(e);
                        }
                        (_, Err(_)) => {}
                    }
                });
            }
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let before = self.open();
        for (i, finding) in found {
            // Once active, always known to be so.
            if finding != Finding::NeverActive {
                self.findings[i] = finding;
            }
        }
        Ok(before - self.open())
    }

    /// Detection of each block type, the least detected first; `z`: quantile of the intervals.
    pub fn blocks(&self, sites: &Sites, z: f64) -> Vec<Block> {
        let mut blocks: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        for (fault, finding) in self.findings() {
            let counts = blocks.entry(&sites.site(fault.site).block).or_default();
            counts[match finding {
                Finding::Detected(..) => 0,
                Finding::Unnoticed => 1,
                Finding::NeverActive => 2,
            }] += 1;
        }
        let mut list: Vec<Block> = blocks.into_iter().map(|(name, counts)| block(name, counts, z)).collect();
        list.sort_by(|a, b| a.share.total_cmp(&b.share));
        list
    }

    /// The same of all faults together.
    pub fn total(&self, z: f64) -> Block {
        let mut counts = [0; 3];
        for f in &self.findings {
            counts[match f {
                Finding::Detected(..) => 0,
                Finding::Unnoticed => 1,
                Finding::NeverActive => 2,
            }] += 1;
        }
        block("all", counts, z)
    }
}

fn block(name: &str, [detected, unnoticed, never_active]: [u64; 3], z: f64) -> Block {
    let faults = detected + unnoticed + never_active;
    let share = detected as f64 / faults.max(1) as f64;
    let (low, high) = wilson(share, faults as f64, z);
    Block { block: name.into(), faults, detected, share, low, high, unnoticed, never_active }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultKind;
    use crate::site::{Site, SiteKind};

    #[test]
    fn shares_are_of_the_faults_of_a_block() {
        let site = |path: &str, block: &str| Site {
            path: path.into(),
            block: block.into(),
            kind: SiteKind::Reg,
            width: 4,
            depth: 1,
            zeroed: false,
        };
        let sites = Sites::new(vec![site("a", "warps"), site("b", "lane")]);
        let fault = |site, bit| Fault::simple(site, 0, vec![bit], 0, FaultKind::StuckAt0);
        let mut c = Coverage::new(vec![fault(0, 0), fault(0, 1), fault(1, 0), fault(1, 1)]);
        assert_eq!(c.open(), 4);
        c.findings[0] = Finding::Detected(0, FaultOutcome::Sdc);
        c.findings[2] = Finding::Detected(0, FaultOutcome::Hang);
        c.findings[3] = Finding::Unnoticed;
        let blocks = c.blocks(&sites, 1.96);
        let of = |i: usize| (&blocks[i].block[..], blocks[i].share, blocks[i].never_active);
        assert_eq!((of(0), of(1)), (("lane", 0.5, 0), ("warps", 0.5, 1)));
        assert_eq!((c.open(), c.total(1.96).detected), (2, 2));
        assert!(blocks[0].low < 0.5 && blocks[0].high > 0.5);
    }
}
