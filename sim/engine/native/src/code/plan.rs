//! What is computed where and when: gates in functions, values that cross from one gate to another in slots, and the gates
//! that a change of a value opens.

use super::atoms::{free, Atoms, Root};
use super::gates::gates;
use super::regions::Regions;
use crate::layout::{bytes, Layout, Place};
use std::ops::Range;
use warpsmith_netlist::flat::{Flat, NodeId};

/// Nodes of a function, about.
const NODES: u32 = 1500;

/// What is computed together, or not at all.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// Nodes that are computed on every path, operands before those that use them.
    pub nodes: Vec<NodeId>,
    /// Nodes that are put into output ports: node, place.
    pub outputs: Vec<(NodeId, Place)>,
    /// Registers whose next value is known at the end: number.
    pub regs: Vec<u32>,
    /// Registers whose next values are choices of one condition: numbers.
    pub groups: Vec<Vec<u32>>,
    /// Memories that are written.
    pub mems: Vec<u32>,
    /// Registers that take the next value that waits for them.
    pub copies: Vec<u32>,
    /// The gate that copies what waits.
    pub copy: Option<u32>,
}

/// Gates that read something, by its number.
#[derive(Clone, Debug, Default)]
pub struct Readers {
    /// Readers of a node's slot.
    pub nodes: Vec<Vec<u32>>,
    /// Of a piece of a register.
    pub regs: Vec<Vec<u32>>,
    /// Of a memory.
    pub mems: Vec<Vec<u32>>,
    /// Of an input port.
    pub ports: Vec<Vec<u32>>,
}

/// Gates, and where values stand between them.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// In the order in which they run; a byte of each says whether it does, from [`Plan::flags`] on.
    pub gates: Vec<Gate>,
    /// Gates of each function that computes what outputs need.
    pub settle: Vec<Range<usize>>,
    /// Of each function that computes the rest: next values.
    pub edge: Vec<Range<usize>>,
    /// Who reads what.
    pub readers: Readers,
    /// Slots of nodes that cross from one gate to another.
    pub slots: Vec<Option<Place>>,
    /// Where the next value of a register waits; none where it is put into the register at once.
    pub next: Vec<Option<Place>>,
    /// First byte of the flags of the gates.
    pub flags: usize,
    /// Bytes of state, flags and slots.
    pub len: usize,
    /// On which path a node is computed.
    pub regions: Regions,
    /// Nodes that are computed wherever they are read.
    pub free: Vec<bool>,
}

impl Plan {
    /// The plan of a flat netlist whose state stands as `layout` says.
    pub fn new(flat: &Flat, layout: &Layout) -> Self {
        let regions = Regions::of(flat);
        let free = free(flat);
        let atoms = Atoms::of(flat, layout, &regions, &free);
        let lists = gates(&atoms);
        let mut plan = Plan {
            slots: vec![None; free.len()],
            next: vec![None; flat.regs.len()],
            len: layout.len,
            regions,
            free,
            ..Plan::default()
        };
        let (mut early, mut size) = (true, u32::MAX);
        for (i, list) in lists.iter().enumerate() {
            let mut gate = Gate::default();
            for atom in list {
                match &atoms.list[*atom as usize].root {
                    Root::Node(n) => gate.nodes.push(*n),
                    Root::Output(n, place) => gate.outputs.push((*n, *place)),
                    Root::Regs(regs) if plan.regions.is_statement(flat.regs[regs[0] as usize].next) => {
                        gate.groups.push(regs.clone());
                    }
                    Root::Regs(regs) => gate.regs.extend(regs),
                    Root::Writes(mem) => gate.mems.push(*mem),
                }
            }
            plan.gates.push(gate);
            let now = list.iter().any(|a| atoms.list[*a as usize].early);
            let phase = match now {
                true => &mut plan.settle,
                false => &mut plan.edge,
            };
            if size >= NODES || now != early {
                phase.push(i..i);
                size = 0;
            }
            phase.last_mut().expect("a function").end = i + 1;
            size += list.iter().map(|a| atoms.list[*a as usize].size).sum::<u32>();
            early = now;
        }
        let waits = plan.read(flat, &atoms, &lists);
        plan.copy(&waits);
        plan.place(flat, &waits);
        plan
    }

    /// Finds the readers of everything; and the registers whose next values wait, since something reads them later.
    fn read(&mut self, flat: &Flat, atoms: &Atoms, lists: &[Vec<u32>]) -> Vec<bool> {
        let mut gate_of = vec![u32::MAX; atoms.list.len()];
        for (g, list) in (0..).zip(lists) {
            list.iter().for_each(|a| gate_of[*a as usize] = g);
        }
        let readers = &mut self.readers;
        readers.nodes = vec![vec![]; flat.graph.nodes().len()];
        readers.regs = vec![vec![]; flat.regs.len()];
        readers.mems = vec![vec![]; flat.mems.len()];
        readers.ports = vec![vec![]; flat.ports.len()];
        let add = |list: &mut Vec<u32>, g: u32| {
            if list.last() != Some(&g) {
                list.push(g);
            }
        };
        // When a register is read for the last time, when it is written, and whether that is behind reads of the moment.
        let mut last = vec![0; flat.regs.len()];
        let mut written = vec![(0, true); flat.regs.len()];
        let mut now = 1;
        for (g, list) in (0..).zip(lists) {
            let (begin, mut group) = (now, now);
            for atom in list {
                let atom = &atoms.list[*atom as usize];
                let mut at = begin;
                match &atom.root {
                    Root::Regs(regs) => {
                        let statement = |r: &u32| self.regions.is_statement(flat.regs[*r as usize].next);
                        if statement(&regs[0]) {
                            group += 1;
                            at = group;
                            let nested = regs.iter().any(|r| self.regions.depth(flat, flat.regs[*r as usize].next) > 1);
                            regs.iter().for_each(|r| written[*r as usize] = (at, !nested));
                        } else {
                            // Behind all groups.
                            regs.iter().for_each(|r| written[*r as usize] = (begin + list.len() + 1, true));
                        }
                    }
                    Root::Node(_) | Root::Output(..) | Root::Writes(_) => {}
                }
                for n in &atom.nodes {
                    if gate_of[*n as usize] != g {
                        if let Root::Node(node) = atoms.list[*n as usize].root {
                            add(&mut readers.nodes[node.0 as usize], g);
                        }
                    }
                }
                for r in &atom.regs {
                    add(&mut readers.regs[*r as usize], g);
                    last[*r as usize] = last[*r as usize].max(at);
                }
                atom.mems.iter().for_each(|m| add(&mut readers.mems[*m as usize], g));
                atom.ports.iter().for_each(|p| add(&mut readers.ports[*p as usize], g));
            }
            now += list.len() + 2;
        }
        let waits = written.iter().zip(&last).map(|((w, behind), read)| match behind {
            true => read > w,
            false => read >= w,
        });
        waits.collect()
    }

    /// Adds gates for next values that wait: one for each gate that computes some.
    fn copy(&mut self, waits: &[bool]) {
        let first = self.gates.len();
        for g in 0..first {
            let gate = &self.gates[g];
            let regs = gate.groups.iter().flatten().chain(&gate.regs);
            let copies: Vec<u32> = regs.copied().filter(|r| waits[*r as usize]).collect();
            if !copies.is_empty() {
                self.gates[g].copy = Some(self.gates.len() as u32);
                self.gates.push(Gate { copies, ..Gate::default() });
            }
        }
        self.edge.push(first..self.gates.len());
    }

    /// Gives everything its place behind the state.
    fn place(&mut self, flat: &Flat, waits: &[bool]) {
        self.flags = self.len;
        self.len = (self.len + self.gates.len()).next_multiple_of(8);
        for size in [8, 4] {
            let mut take = |width: u8| {
                let at = self.len;
                (bytes(width.into()).max(4) == size).then(|| {
                    self.len += size;
                    Place { at: at as u32, size: size as u8 }
                })
            };
            for (n, readers) in self.readers.nodes.iter().enumerate() {
                if !readers.is_empty() {
                    self.slots[n] = self.slots[n].or_else(|| take(flat.graph.nodes()[n].width));
                }
            }
            for (r, _) in waits.iter().enumerate().filter(|(_, w)| **w) {
                self.next[r] = self.next[r].or_else(|| take(flat.regs[r].width));
            }
        }
        self.len = self.len.next_multiple_of(8);
    }

    /// Where the flag of a gate stands.
    pub fn flag(&self, gate: u32) -> Place {
        Place { at: self.flags as u32 + gate, size: 1 }
    }
}
