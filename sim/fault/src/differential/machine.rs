//! A faulty machine: what of it differs from the fault-free run.

use super::fault_free::{FaultFree, Reference};
use super::graph::Graph;
use super::mutant::Mutant;
use super::port::Surroundings;
use crate::classify::Left;
use crate::error::FaultError;
use crate::fault::Fault;
use crate::record::Record;
use crate::resumable::{Differences, StatePiece};
use crate::serial::{Progress, SerialSimulator};
use crate::site::SiteKind;
use warpsmith_netlist::flat::mask;

/// A memory piece that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word {
    pub memory: u32,
    pub address: u32,
    pub piece: u32,
    /// The faulty machine's.
    pub value: u64,
}

impl Word {
    /// Whether it is a piece.
    pub fn is(&self, memory: u32, address: u32, piece: u32) -> bool {
        (self.memory, self.address, self.piece) == (memory, address, piece)
    }
}

/// What a fault forces: bits of a node or of a memory piece.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub place: Place,
    /// Bits.
    pub mask: u64,
    /// What they become, known once the fault has acted.
    pub value: u64,
}

/// Where a fault acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Register, by its node.
    Register(u32),
    /// Output of a block, by its node.
    Tap(u32),
    /// Memory, word, piece.
    Word(u32, u32, u32),
}

/// How a machine is advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Every cycle.
    Awake,
    /// When one of [`Machine::support`] changes: it has repeated itself.
    Dozing,
    /// When one of its memory words is read or written.
    Asleep,
}

/// A machine with one fault.
#[derive(Debug)]
pub struct Machine<'a> {
    /// Place of the fault in the list.
    pub number: usize,
    pub fault: &'a Fault,
    pub targets: Vec<Target>,
    /// First cycle in which the fault is over.
    pub over: u64,
    /// The faulty word, site and word.
    pub own: Option<(usize, u32)>,
    /// Registers that differ, by node.
    pub registers: Vec<(u32, u64)>,
    /// Memory that differs.
    pub words: Vec<Word>,
    /// The memory behind the port, while it differs.
    pub port: Option<Box<Surroundings>>,
    pub rest: Rest,
    /// Nodes on which its repeating itself rests.
    pub support: Vec<u32>,
    pub activated: Option<u64>,
    pub spread: Option<(u64, usize)>,
    /// Comparisons of memory that failed so far, and how many to leave out now.
    pub failed: u32,
    pub wait: u32,
    /// What was left at the end of the run.
    pub left: Option<Left>,
    /// Nodes computed beyond what is worth while.
    pub excess: usize,
    /// Any node was computed, here or in serial simulation.
    pub computed: bool,
}

impl<'a> Machine<'a> {
    /// With a fault that has not acted yet.
    pub fn new(number: usize, fault: &'a Fault, graph: &Graph, kind: SiteKind) -> Self {
        let bits = |lo: u32, width: u8| {
            let bits = fault.bits.iter().filter_map(|b| b.checked_sub(lo));
            bits.filter(|b| *b < width.into()).fold(0, |m, b| m | 1u64 << b)
        };
        let target = |place, mask| Target { place, mask, value: 0 };
        let mut targets: Vec<Target> = match graph.memory_of[fault.site] {
            Some(memory) => (0..graph.memories[memory as usize].pieces)
                .map(|p| target(Place::Word(memory, fault.word, p), bits(64 * p, 64)))
                .collect(),
            None => graph.pieces[fault.site]
                .iter()
                .map(|p| {
                    let place = match kind {
                        SiteKind::Out => Place::Tap(p.node),
                        _ => Place::Register(p.node),
                    };
                    target(place, bits(p.lo, p.width) & mask(p.width))
                })
                .collect(),
        };
        targets.retain(|t| t.mask != 0);
        Machine {
            number,
            fault,
            targets,
            over: fault.force(0).to,
            own: (kind != SiteKind::Out).then_some((fault.site, fault.word)),
            registers: vec![],
            words: vec![],
            port: None,
            rest: Rest::Awake,
            support: vec![],
            activated: None,
            spread: None,
            failed: 0,
            wait: 0,
            left: None,
            excess: 0,
            computed: false,
        }
    }

    /// Whether it is the fault-free machine, now and for good.
    pub fn is_over(&self, cycle: u64) -> bool {
        self.registers.is_empty() && self.words.is_empty() && self.port.is_none() && cycle >= self.over
    }

    /// Whether the fault comes and goes yet.
    pub fn is_restless(&self, cycle: u64) -> bool {
        let kind = self.fault.kind;
        let once = kind.is_upset() && self.own.is_some();
        cycle < self.over && !kind.is_stuck() && !once
    }

    /// In the first cycle of the fault: the bits become what they will be. `raw` is the value of an output before
    /// its inputs were taken.
    pub fn begin(&mut self, run: &FaultFree, graph: &Graph, raw: &[u64]) {
        for (i, t) in self.targets.iter_mut().enumerate() {
            let now = match t.place {
                Place::Register(node) => run.v[node as usize],
                Place::Tap(_) => raw.get(i).copied().unwrap_or(0),
                Place::Word(memory, address, piece) => {
                    let at = graph.memories[memory as usize].at(address.into(), piece);
                    at.map_or(0, |at| run.words[at])
                }
            };
            t.value = t.mask
                & match self.fault.kind.forced() {
                    Some(value) => u64::from(value).wrapping_neg(),
                    None => !now,
                };
        }
    }

    /// Forces state in the cycle that has begun, if the fault acts. `right` is the fault-free value of a register,
    /// by node, or of a memory piece.
    pub fn force(&mut self, cycle: u64, right: impl Fn(Place) -> u64) {
        if !self.fault.acts(cycle) {
            return;
        }
        for t in &self.targets {
            let right = || right(t.place);
            let forced = |old: u64| old & !t.mask | t.value;
            let changed = match t.place {
                Place::Tap(_) => continue,
                Place::Register(node) => {
                    let at = self.registers.iter().position(|r| r.0 == node);
                    let right = right();
                    let old = at.map_or(right, |at| self.registers[at].1);
                    match (at, forced(old) == right) {
                        (Some(at), true) => drop(self.registers.swap_remove(at)),
                        (Some(at), false) => self.registers[at].1 = forced(old),
                        (None, false) => self.registers.push((node, forced(old))),
                        (None, true) => {}
                    }
                    forced(old) != old
                }
                Place::Word(memory, address, piece) => {
                    let at = self.words.iter().position(|w| w.is(memory, address, piece));
                    let right = right();
                    let old = at.map_or(right, |at| self.words[at].value);
                    let value = forced(old);
                    match (at, value == right) {
                        (Some(at), true) => drop(self.words.swap_remove(at)),
                        (Some(at), false) => self.words[at].value = value,
                        (None, false) => self.words.push(Word { memory, address, piece, value }),
                        (None, true) => {}
                    }
                    value != old
                }
            };
            if changed {
                self.activated = self.activated.or(Some(cycle));
            }
        }
    }

    /// Whether serial simulation can go on with it where it stands: what its fault forces does not depend on how it
    /// began, and the fault-free run goes on.
    fn can_go_on(&self, cycle: u64, ends: u64) -> bool {
        let once = self.fault.kind.forced().is_none();
        cycle > self.fault.cycle && cycle <= ends && !(once && cycle < self.over)
    }

    /// The rest by serial simulation, from this cycle on, or from its fault on; and the cycles that took.
    ///
    /// # Errors
    /// As [`SerialSimulator::run_one`].
    pub fn hand_over(
        &self, serial: &mut SerialSimulator, reference: &Reference, run: &FaultFree,
    ) -> Result<(Record, u64), FaultError> {
        if !self.can_go_on(run.cycle, reference.golden.cycles()) {
            let record = serial.run_one(self.fault)?;
            let cycles = record.simulated;
            return Ok((record, cycles));
        }
        let graph = &reference.graph;
        let register = |&(node, value): &(u32, u64)| {
            let site = graph.nodes[node as usize].b as usize;
            let piece = graph.pieces[site].iter().find(|p| p.node == node);
            let lo = piece.expect("a register is a piece of its site").lo;
            StatePiece { site, word: 0, lo, value }
        };
        let word = |w: &Word| {
            let site = graph.memories[w.memory as usize].site;
            StatePiece {
                site: site.expect("what is written has a site") as usize,
                word: w.address,
                lo: 64 * w.piece,
                value: w.value,
            }
        };
        let registers = self.registers.iter().map(register);
        let mut state: Vec<_> = registers.chain(self.words.iter().map(word)).collect();
        if reference.mutant == Some(Mutant::Forgotten) {
            state.clear();
        }
        let differences =
            Differences { state, memory: self.port.as_ref().map(|p| p.differences()), activated: self.activated };
        let progress = Progress { spread: self.spread, failed: self.failed, wait: self.wait };
        let record = serial.run_on(self.fault, run.cycle, &differences, progress)?;
        let start = reference.golden.checkpoint(self.fault.cycle);
        let before = run.cycle - reference.golden.checkpoints[start].cycle;
        let cycles = record.simulated - before;
        Ok((record, cycles))
    }
}
