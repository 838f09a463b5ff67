//! Proofs that a stuck-at fault cannot show: in a chip, or in a block that stands alone.
//!
//! A fault is a tap of the flat netlist ([`mod@crate::splice`] makes one for each pin) at a constant. In one cycle, two
//! copies have the same state and the same inputs, and one of them the fault. When the solver finds no state and no
//! inputs under which they differ in the next state, in a write to a memory or in an output, the fault never shows: by
//! induction over the cycles, both chips have the same state in every cycle. What the two copies may start from is a
//! [`history`]: with depth 0 anything, otherwise what instructions can have put there, and more.
//!
//! Where registers alone differ, their bits may differ from then on ([`faulty`]), and the same is asked of the rest.
//!
//! More is taken for possible than is: a memory that is read at an address that differs gives any word, a product of which
//! a factor differs is any. So a proof is one, and a pattern need not be one.

mod cnf;
mod faulty;
mod history;
mod hold;
mod nodes;
mod words;

pub use history::{Frame, Reach};
pub use nodes::{bits_of_site, of_site};

use cnf::{Answer, Bit, Cnf};
use faulty::Faulty;
pub use faulty::{Differing, Stuck};
use history::{History, NOW};
use hold::Hold;
use std::collections::HashMap;
use warpsmith_netlist::flat::{Flat, NodeId, Op, RegId};

/// What is known of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It cannot show.
    Impossible,
    /// It shows at once under these values of the nodes that were asked for: frame and value, for each frame of the history
    /// in which they were needed; the history may be one that no run has.
    Shows(Vec<Vec<(Frame, u64)>>),
    /// The solver gave up.
    Unknown,
}

/// How proofs are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The history.
    pub reach: Reach,
    /// Conflicts of the solver for a fault.
    pub conflicts: u64,
    /// Variables at which clauses of earlier faults are thrown away.
    pub most: usize,
    /// Times that more bits of registers are let differ.
    pub rounds: u32,
    /// Registers that are let differ, at most.
    pub differing: usize,
}

/// Proves faults of a chip, one after the other.
pub struct Prover<'a> {
    flat: &'a Flat,
    bounds: Bounds,
    history: History<'a>,
    users: Vec<Vec<NodeId>>,
    /// What takes the value of each node.
    sinks: Vec<Sink>,
    /// Nodes of registers.
    registers: HashMap<RegId, NodeId>,
    zeros: Differing,
}

/// What takes the value of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sink {
    /// A memory or an output.
    seen: bool,
    /// Registers whose next value it is.
    kept: Vec<RegId>,
}

/// Bits that are one where two copies differ.
#[derive(Default)]
struct Differences {
    /// In what memories and outputs take.
    seen: Vec<Bit>,
    /// In what registers take.
    kept: Vec<(RegId, Vec<Bit>)>,
}

impl<'a> Prover<'a> {
    /// For a chip, flat with taps. Registers of the sites in `ignored` are not compared; bits of registers in `zeros` are
    /// zero in all cycles.
    pub fn new(flat: &'a Flat, bounds: Bounds, ignored: &dyn Fn(&str) -> bool, zeros: Differing) -> Self {
        let nodes = flat.graph.nodes();
        let mut users = vec![vec![]; nodes.len()];
        for (i, node) in (0..).zip(nodes) {
            flat.graph.operands(node.op, |o| users[o.0 as usize].push(NodeId(i)));
        }
        let registers = (0..).zip(nodes).filter_map(|(i, n)| match n.op {
            Op::Reg(r) => Some((r, NodeId(i))),
            _ => None,
        });
        let registers = registers.collect();
        let history = History::new(flat, bounds.reach, &zeros);
        let mut prover = Prover { flat, bounds, history, users, sinks: vec![], registers, zeros };
        prover.sinks = prover.sinks(ignored);
        prover
    }

    /// Next values of registers from which something reaches a memory or an output, and what memories and outputs take.
    fn sinks(&self, ignored: &dyn Fn(&str) -> bool) -> Vec<Sink> {
        let flat = self.flat;
        let mut sinks = vec![Sink::default(); flat.graph.nodes().len()];
        let mut reached = vec![false; sinks.len()];
        let mut open: Vec<NodeId> = flat.outputs.iter().flat_map(|o| o.1.iter().copied()).collect();
        for write in flat.mems.iter().flat_map(|m| &m.writes) {
            open.extend([write.enable, write.address, write.data]);
        }
        open.iter().for_each(|n| sinks[n.0 as usize].seen = true);
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut reached[node.0 as usize], true) {
                continue;
            }
            let op = flat.graph.node(node).op;
            flat.graph.operands(op, |o| open.push(o));
            if let Op::Reg(id) = op {
                let reg = &flat.regs[id.0 as usize];
                if !ignored(&flat.sites[reg.site as usize].path) {
                    sinks[reg.next.0 as usize].kept.push(id);
                    open.push(reg.next);
                }
            }
        }
        sinks
    }

    /// Whether a tap that is stuck can show; `asked` are nodes whose values a pattern gives.
    ///
    /// First all registers are compared. Those in which the copies can differ, and their bits, are then let differ, as long as
    /// nothing else differs by them.
    pub fn stuck(&mut self, fault: Stuck, asked: &[NodeId]) -> Verdict {
        if self.history.cnf.size() > self.bounds.most {
            self.history = History::new(self.flat, self.bounds.reach, &self.zeros);
        }
        let mut differing = Differing::new();
        let mut pattern = vec![];
        for round in 0..=self.bounds.rounds {
            let found = self.differs(fault, &differing);
            let kept: Vec<Bit> = found.kept.iter().flat_map(|k| k.1.iter().copied()).collect();
            let cnf = &mut self.history.cnf;
            let (seen, kept) = (cnf.any(&found.seen), cnf.any(&kept));
            if round == 0 {
                let any = cnf.or(seen, kept);
                match cnf.solve(&[any], self.bounds.conflicts) {
                    Answer::No => return Verdict::Impossible,
                    Answer::Unknown => return Verdict::Unknown,
                    Answer::Yes => pattern = asked.iter().map(|n| self.history.seen(*n)).collect(),
                }
            }
            let cnf = &mut self.history.cnf;
            if cnf.solve(&[seen], self.bounds.conflicts) != Answer::No {
                break;
            }
            match cnf.solve(&[kept], self.bounds.conflicts) {
                Answer::No => return Verdict::Impossible,
                Answer::Unknown => break,
                Answer::Yes => {}
            }
            for (reg, bits) in &found.kept {
                let differ = (0..).zip(bits).filter(|(_, b)| self.history.cnf.value(**b));
                let mask = differ.fold(0, |mask, (i, _)| mask | 1u64 << i);
                if mask != 0 {
                    *differing.entry(*reg).or_default() |= mask;
                }
            }
            if differing.len() > self.bounds.differing {
                break;
            }
        }
        Verdict::Shows(pattern)
    }

    /// Where the copies differ although they should not.
    fn differs(&mut self, fault: Stuck, differing: &Differing) -> Differences {
        let mut faulty = Faulty::new(self.flat, &self.users, &self.registers, fault, differing);
        let values = faulty.values(&mut self.history, NOW, &|_| true);
        let mut found = Differences::default();
        for (node, bad) in &values {
            let sink = &self.sinks[node.0 as usize];
            if *sink == Sink::default() {
                continue;
            }
            let good = self.history.value(NOW, *node);
            let bits = self.history.cnf.each(&good, bad, Cnf::xor);
            if sink.seen {
                found.seen.extend(&bits);
            }
            for reg in &sink.kept {
                let may = differing.get(reg).copied().unwrap_or(0);
                let bits = (0..).zip(&bits).map(|(i, b)| if may >> i & 1 != 0 { Bit::ZERO } else { *b });
                // A fault at what decides whether it is written is not followed in it.
                match Hold::passes(self.flat, *reg, fault.tap) {
                    true => found.seen.extend(bits),
                    false => found.kept.push((*reg, bits.collect())),
                }
            }
        }
        // Both copies write a register in which they may differ in the same cycles.
        for reg in differing.keys() {
            let mut conditions = vec![];
            self.history.hold(*reg).conditions(&mut |n| conditions.push(n));
            for node in conditions {
                if let Some(bad) = values.get(&node) {
                    let good = self.history.value(NOW, node);
                    found.seen.extend(self.history.cnf.each(&good, bad, Cnf::xor));
                }
            }
        }
        found
    }
}
