//! What becomes of a machine at the images of the fault-free run and at its end: the same comparisons, in the same
//! cycles, as in serial simulation.

use super::fault_free::{FaultFree, Reference};
use super::graph::Graph;
use super::machine::Machine;
use crate::classify::{classify, corrupts, End, Left, WrongWord};
use crate::golden::{Golden, DRAIN};
use crate::hardened::{without_feedback, Told};
use crate::record::Record;
use crate::simulator::SimulatorOptions;

/// Judges machines against the fault-free run.
pub struct Judge<'a> {
    golden: &'a Golden,
    graph: &'a Graph,
    /// Sites left out of comparisons.
    ignored: Vec<bool>,
    /// Machines end at the first wrong word that stays: [`SimulatorOptions::stop_at_sdc`].
    stop_at_sdc: bool,
}

/// State compared with the fault-free run's: the first site that differs apart from the faulty word (or, for their
/// number, a read that waits), and whether the faulty word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    other: Option<usize>,
    own: bool,
}

impl<'a> Judge<'a> {
    pub fn new(reference: &'a Reference<'a>, options: SimulatorOptions) -> Self {
        let Reference { golden, graph, .. } = reference;
        let sites = golden.sites().list().iter();
        Judge {
            golden,
            graph,
            ignored: sites.map(|s| without_feedback(&s.path)).collect(),
            stop_at_sdc: options.stop_at_sdc,
        }
    }

    /// Compares a machine in the cycle of `run`, before it is advanced.
    pub fn compare(&self, run: &FaultFree, m: &Machine) -> Compared {
        let graph = self.graph;
        let registers = m.registers.iter().map(|r| (graph.nodes[r.0 as usize].b, 0));
        let site = |memory: u32| graph.memories[memory as usize].site.unwrap_or(u32::MAX);
        let words = m.words.iter().map(|w| (site(w.memory), w.address));
        let mut out = Compared { other: None, own: false };
        for (site, word) in registers.chain(words) {
            let site = site as usize;
            if m.own == Some((site, word)) {
                out.own = true;
            } else if !self.ignored[site] {
                out.other = Some(out.other.map_or(site, |o| o.min(site)));
            }
        }
        let waits = m.port.as_ref().is_some_and(|p| p.pending != run.memory.pending);
        if waits && out.other.is_none() {
            out.other = Some(self.ignored.len());
        }
        out
    }

    /// What a hardened chip tells of the fault.
    fn told(&self, m: &Machine) -> Told {
        let site = |r: &(u32, u64)| self.graph.nodes[r.0 as usize].b as usize;
        self.golden.hardened.told(m.own, |counter| m.registers.iter().any(|r| site(r) == counter))
    }

    /// At an image before the last: a record if it is certain.
    pub fn image(&self, run: &FaultFree, m: &mut Machine, c: Compared) -> Option<Record> {
        let g = self.golden;
        if self.stop_at_sdc && m.port.is_some() {
            let mut wrong = wrong(run, m);
            wrong.retain(|w| g.is_lost(w.address, w.found, run.cycle));
            if corrupts(g, &wrong) {
                return Some(self.converged(m, run.cycle, &wrong, Left::Spread));
            }
        }
        let acting = m.over > run.cycle;
        if acting && m.spread.is_some() {
            return None;
        }
        if let (Some(site), None) = (c.other, m.spread) {
            m.spread = (site < self.ignored.len()).then_some((run.cycle, site));
        }
        if acting || c.other.is_some() || c.own && !self.ignored[m.fault.site] {
            return None;
        }
        if m.wait > 0 {
            m.wait -= 1;
            return None;
        }
        let wrong = wrong(run, m);
        if wrong.iter().any(|w| !g.stays(w.address, run.cycle)) {
            m.failed += 1;
            m.wait = m.failed;
            return None;
        }
        let left = match (c.own, m.spread) {
            (_, Some(_)) => Left::Spread,
            (true, None) => Left::Unused,
            (false, None) => Left::Gone,
        };
        Some(self.converged(m, run.cycle, &wrong, left))
    }

    fn converged(&self, m: &Machine, cycle: u64, wrong: &[WrongWord], left: Left) -> Record {
        let mut record = self.classified(m, wrong, left);
        record.converged = Some(cycle);
        record.spread = m.spread;
        record.simulated = cycle - self.start(m);
        record
    }

    /// At the last image, the chip being done.
    pub fn last_image(&self, m: &mut Machine, c: Compared) {
        m.left = Some(match (c, m.spread) {
            (Compared { other: None, own: true }, None) => Left::Unused,
            (Compared { other: None, .. }, None) => Left::Gone,
            _ => Left::Spread,
        });
    }

    /// Of a machine that is the fault-free one from a cycle on.
    pub fn over(&self, m: &Machine, from: u64) -> Record {
        let images = &self.golden.checkpoints;
        let gone = match m.spread {
            None => Left::Gone,
            Some(_) => Left::Spread,
        };
        let image = images.partition_point(|i| i.cycle < from) + m.wait as usize;
        match (m.left, images.get(image)) {
            (None, Some(i)) if image + 1 < images.len() => self.converged(m, i.cycle, &[], gone),
            (left, _) => self.ended(m, &[], left.unwrap_or(gone)),
        }
    }

    /// At the end, when the chip has drained and the host has found no trap.
    pub fn end(&self, run: &FaultFree, m: &Machine) -> Record {
        self.ended(m, &wrong(run, m), m.left.unwrap_or(Left::Spread))
    }

    fn ended(&self, m: &Machine, wrong: &[WrongWord], left: Left) -> Record {
        let g = self.golden;
        let mut record = self.classified(m, wrong, left);
        record.spread = m.spread;
        // The host's reading of the status takes a cycle.
        record.simulated = g.cycles() + DRAIN + 1 - self.start(m);
        record
    }

    /// Record of a machine that is done in the cycle of the fault-free run, without a trap.
    fn classified(&self, m: &Machine, wrong: &[WrongWord], left: Left) -> Record {
        let told = self.told(m);
        let end =
            End { cycles: self.golden.cycles(), cause: None, wrong, activated: m.activated, left: Some(left), told };
        classify(self.golden, &end, Some(m.fault))
    }

    /// Cycle of the image from which serial simulation would start.
    fn start(&self, m: &Machine) -> u64 {
        let g = self.golden;
        g.checkpoints[g.checkpoint(m.fault.cycle)].cycle
    }
}

/// Words of memory that differ from the fault-free run's.
fn wrong(run: &FaultFree, m: &Machine) -> Vec<WrongWord> {
    let words = m.port.iter().flat_map(|p| &p.words);
    let word = |(address, found): (&u32, &u32)| WrongWord {
        address: *address,
        right: run.memory.word(*address),
        found: *found,
    };
    words.map(word).collect()
}

/// Last cycle in which a fault acts on state, and the first in which outputs pass: then the chip has drained.
pub fn drained(reference: &Reference) -> u64 {
    reference.golden.cycles() + DRAIN
}
