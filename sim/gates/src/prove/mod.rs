//! Proofs that a stuck-at fault cannot show: in a chip, or in a block that stands alone.
//!
//! A fault is a tap of the flat netlist ([`mod@crate::splice`] makes one for each pin) at a constant. In one cycle, two
//! copies have the same state and the same inputs, and one of them the fault. When the solver finds no state and no
//! inputs under which they differ in the next state, in a write to a memory or in an output, the fault never shows: by
//! induction over the cycles, both chips have the same state in every cycle. What the two copies may start from is a
//! [`history`]: with depth 0 anything, otherwise what instructions can have put there, and more.
//!
//! More is counted as a difference than is one: an address of a memory that differs, an operand of a product that
//! differs. So a proof is one, and a pattern need not be one.

mod cnf;
mod history;
mod hold;
mod nodes;
mod words;

pub use history::{Frame, Reach};
pub use nodes::of_site;

use cnf::{Answer, Bit, Cnf};
use history::{apply, History, NOW};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use warpsmith_netlist::flat::{Flat, NodeId, Op};
use words::Word;

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
}

/// Proves faults of a chip, one after the other.
pub struct Prover<'a> {
    flat: &'a Flat,
    bounds: Bounds,
    history: History<'a>,
    users: Vec<Vec<NodeId>>,
    /// Nodes whose value is kept, stored or put out.
    sinks: Vec<bool>,
}

impl<'a> Prover<'a> {
    /// For a chip, flat with taps. Registers of the sites in `ignored` are not compared.
    pub fn new(flat: &'a Flat, bounds: Bounds, ignored: &dyn Fn(&str) -> bool) -> Self {
        let nodes = flat.graph.nodes();
        let mut users = vec![vec![]; nodes.len()];
        for (i, node) in (0..).zip(nodes) {
            flat.graph.operands(node.op, |o| users[o.0 as usize].push(NodeId(i)));
        }
        let mut prover = Prover { flat, bounds, history: History::new(flat, bounds.reach), users, sinks: vec![] };
        prover.sinks = prover.sinks(ignored);
        prover
    }

    /// Next values of registers from which something reaches a memory or an output, and what memories and outputs take.
    fn sinks(&self, ignored: &dyn Fn(&str) -> bool) -> Vec<bool> {
        let flat = self.flat;
        let mut sinks = vec![false; flat.graph.nodes().len()];
        let mut reached = vec![false; sinks.len()];
        let mut open: Vec<NodeId> = flat.outputs.iter().flat_map(|o| o.1.iter().copied()).collect();
        for write in flat.mems.iter().flat_map(|m| &m.writes) {
            open.extend([write.enable, write.address, write.data]);
        }
        open.iter().for_each(|n| sinks[n.0 as usize] = true);
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut reached[node.0 as usize], true) {
                continue;
            }
            let op = flat.graph.node(node).op;
            flat.graph.operands(op, |o| open.push(o));
            if let Op::Reg(reg) = op {
                let reg = &flat.regs[reg.0 as usize];
                if !ignored(&flat.sites[reg.site as usize].path) {
                    sinks[reg.next.0 as usize] = true;
                    open.push(reg.next);
                }
            }
        }
        sinks
    }

    /// Whether a tap that is stuck can show; `asked` are nodes whose values a pattern gives.
    pub fn stuck(&mut self, tap: NodeId, value: bool, asked: &[NodeId]) -> Verdict {
        if self.history.cnf.size() > self.bounds.most {
            self.history = History::new(self.flat, self.bounds.reach);
        }
        let shows = self.differs(tap, value);
        match self.history.cnf.solve(&[shows], self.bounds.conflicts) {
            Answer::No => Verdict::Impossible,
            Answer::Unknown => Verdict::Unknown,
            Answer::Yes => Verdict::Shows(asked.iter().map(|n| self.history.seen(*n)).collect()),
        }
    }

    /// Whether something that is kept, stored or put out differs.
    fn differs(&mut self, tap: NodeId, value: bool) -> Bit {
        let width = self.flat.graph.width(tap);
        let forced: Word = vec![Bit::of(value); width.into()];
        let mut faulty: HashMap<NodeId, Rc<Word>> = [(tap, Rc::new(forced))].into();
        let mut open: BTreeSet<NodeId> = [tap].into();
        let mut differences = vec![];
        while let Some(node) = open.pop_first() {
            let good = self.history.value(NOW, node);
            let op = self.flat.graph.node(node).op;
            let mut ends = self.sinks[node.0 as usize];
            let bad = match (faulty.get(&node), op) {
                (Some(forced), _) => forced.clone(),
                // Their operands differ, which counts as a difference: the rest need not be followed.
                (None, Op::Read { .. } | Op::Mul(..)) => {
                    let mut operands = vec![];
                    self.flat.graph.operands(op, |o| operands.push(o));
                    for operand in operands {
                        if let Some(bad) = faulty.get(&operand).cloned() {
                            let good = self.history.value(NOW, operand);
                            differences.extend(self.history.cnf.each(&good, &bad, Cnf::xor));
                        }
                    }
                    continue;
                }
                _ => {
                    let mut operands = vec![];
                    self.flat.graph.operands(op, |o| operands.push(o));
                    let values: HashMap<NodeId, Rc<Word>> = operands
                        .into_iter()
                        .map(|o| (o, faulty.get(&o).cloned().unwrap_or_else(|| self.history.value(NOW, o))))
                        .collect();
                    Rc::new(apply(self.flat, &mut self.history.cnf, node, &|n| values[&n].clone()))
                }
            };
            if bad == good {
                continue;
            }
            if ends {
                differences.extend(self.history.cnf.each(&good, &bad, Cnf::xor));
                ends = self.users[node.0 as usize].is_empty();
            }
            faulty.insert(node, bad);
            if !ends {
                open.extend(&self.users[node.0 as usize]);
            }
        }
        self.history.cnf.any(&differences)
    }
}
