//! The copy with the fault, beside a history.
//!
//! It has the state of the other copy but for the bits of registers in which it may differ. Such a bit was written in the
//! cycle in which the other copy's was, from what the fault made of that cycle; or it was not written since both
//! copies were the same.

use super::cnf::{Bit, Cnf};
use super::history::{apply, Frame, History};
use super::words::Word;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use warpsmith_netlist::flat::{Flat, NodeId, Op, RegId};

/// Bits of registers in which the copies may differ: a mask a register.
pub type Differing = BTreeMap<RegId, u64>;

/// A tap that is stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// It.
    pub tap: NodeId,
    /// Its value.
    pub value: bool,
    /// In all cycles; otherwise in any of them.
    pub always: bool,
}

/// Values that are not those of the other copy.
type Values = BTreeMap<NodeId, Rc<Word>>;

/// Values that the fault makes others, by frame.
pub struct Faulty<'a> {
    flat: &'a Flat,
    users: &'a [Vec<NodeId>],
    fault: Stuck,
    differing: &'a Differing,
    /// Registers that may differ, by node.
    nodes: Vec<(NodeId, RegId)>,
    /// What the next values of those registers rest on.
    needed: Rc<BTreeSet<NodeId>>,
    frames: HashMap<Frame, Rc<Values>>,
}

impl<'a> Faulty<'a> {
    /// Of a fault. `nodes` are all registers of the chip.
    pub fn new(
        flat: &'a Flat, users: &'a [Vec<NodeId>], nodes: &HashMap<RegId, NodeId>, fault: Stuck,
        differing: &'a Differing,
    ) -> Self {
        let own = differing.keys().filter_map(|r| nodes.get(r).map(|n| (*n, *r))).collect();
        let mut needed = BTreeSet::new();
        let mut open: Vec<NodeId> = differing.keys().map(|r| flat.regs[r.0 as usize].next).collect();
        while let Some(node) = open.pop() {
            if needed.insert(node) {
                flat.graph.operands(flat.graph.node(node).op, |o| open.push(o));
            }
        }
        Faulty { flat, users, fault, differing, nodes: own, needed: Rc::new(needed), frames: HashMap::new() }
    }

    /// Values of a frame that are not those of the other copy, as far as they reach `within`.
    pub fn values(&mut self, history: &mut History, frame: Frame, within: &dyn Fn(NodeId) -> bool) -> Values {
        let mut values = Values::new();
        let mut open = BTreeSet::new();
        if within(self.fault.tap) {
            open.insert(self.fault.tap);
        }
        for (node, reg) in self.nodes.clone().into_iter().filter(|n| within(n.0)) {
            let good = history.value(frame, node);
            let bad = self.register(history, frame, reg, &good);
            if bad != *good {
                values.insert(node, Rc::new(bad));
                open.extend(self.users[node.0 as usize].iter().filter(|n| within(**n)));
            }
        }
        while let Some(node) = open.pop_first() {
            let good = history.value(frame, node);
            let bad = match node == self.fault.tap {
                true => self.stuck(history, &good),
                false => self.computed(history, frame, node, &good, &values),
            };
            if bad == *good {
                continue;
            }
            values.insert(node, Rc::new(bad));
            open.extend(self.users[node.0 as usize].iter().filter(|n| within(**n)));
        }
        values
    }

    /// What the fault makes of its pin.
    fn stuck(&self, history: &mut History, good: &Word) -> Word {
        let on = if self.fault.always { Bit::ONE } else { history.cnf.fresh() };
        history.cnf.choose(on, &vec![Bit::of(self.fault.value); good.len()], good)
    }

    /// A node of whose operands one differs.
    fn computed(&self, history: &mut History, frame: Frame, node: NodeId, good: &Word, values: &Values) -> Word {
        let op = self.flat.graph.node(node).op;
        let mut operands = vec![];
        self.flat.graph.operands(op, |o| operands.push(o));
        // Any word of a memory, any product.
        if matches!(op, Op::Read { .. } | Op::Mul(..)) {
            let mut differences = vec![];
            for o in operands {
                if let Some(bad) = values.get(&o) {
                    let good = history.value(frame, o);
                    differences.extend(history.cnf.each(&good, bad, Cnf::xor));
                }
            }
            let other = history.cnf.any(&differences);
            let any = history.cnf.any_word(good.len() as u8);
            return history.cnf.choose(other, &any, good);
        }
        let of: HashMap<NodeId, Rc<Word>> = operands
            .into_iter()
            .map(|o| (o, values.get(&o).cloned().unwrap_or_else(|| history.value(frame, o))))
            .collect();
        apply(self.flat, &mut history.cnf, node, &|n| of[&n].clone())
    }

    /// A register that may differ.
    fn register(&mut self, history: &mut History, frame: Frame, reg: RegId, good: &Word) -> Word {
        let mask = self.differing[&reg];
        let bad = match history.written(frame, reg) {
            None => history.cnf.any_word(good.len() as u8),
            Some(at) => {
                let next = self.flat.regs[reg.0 as usize].next;
                match self.frame(history, at).get(&next) {
                    None => return good.clone(),
                    Some(bad) => bad.to_vec(),
                }
            }
        };
        let since = history.since_start(frame, reg);
        let bits = good.iter().zip(bad).enumerate();
        bits.map(|(i, (good, bad))| if mask >> i & 1 != 0 { history.cnf.mux(since, bad, *good) } else { *good })
            .collect()
    }

    /// What registers that may differ take in a frame.
    fn frame(&mut self, history: &mut History, frame: Frame) -> Rc<Values> {
        if let Some(known) = self.frames.get(&frame) {
            return known.clone();
        }
        let needed = self.needed.clone();
        let values = Rc::new(self.values(history, frame, &|n| needed.contains(&n)));
        self.frames.insert(frame, values.clone());
        values
    }
}
