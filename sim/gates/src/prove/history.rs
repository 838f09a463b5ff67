//! Values of a chip in a cycle and in the cycles that gave its registers their values.
//!
//! A frame is a cycle. In frame 0 registers have the values that they took when they were last written; registers that
//! are written under the same decisions were last written in the same cycle, and that cycle is another frame, in which
//! the decisions say that they are written. So it goes on, to a depth. What is left out can only allow more: words of
//! memories and inputs are any, registers at the depth are any, and what two frames have in common besides is not
//! asked. Every cycle of every run is therefore among the solutions, but for values that registers had at
//! power-on.

use super::cnf::{Bit, Cnf};
use super::faulty::Differing;
use super::hold::Hold;
use super::words::{constant, Word};
use std::collections::HashMap;
use std::rc::Rc;
use warpsmith_netlist::flat::{Flat, NodeId, Op, RegId};

/// Number of a frame.
pub type Frame = u32;
/// The cycle of the fault.
pub const NOW: Frame = 0;

/// How far back a history goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Registers through which a value is followed; 0: registers are any.
    pub depth: u32,
    /// Variables after which registers are any.
    pub variables: usize,
}

/// Values by frame and node.
pub struct History<'a> {
    flat: &'a Flat,
    reach: Reach,
    reset: Option<u32>,
    /// Bits of registers that are zero in all cycles.
    zeros: Differing,
    /// Clauses of all values.
    pub cnf: Cnf,
    known: HashMap<(Frame, NodeId), Rc<Word>>,
    depths: Vec<u32>,
    frames: HashMap<(Frame, u32), Frame>,
    groups: HashMap<Hold, u32>,
    group_of: HashMap<RegId, u32>,
    holds: Vec<Hold>,
    /// By frame and group: the registers were written since the start.
    starts: HashMap<(Frame, u32), Bit>,
    /// Frames whose decisions are not asked yet.
    pending: Vec<(Frame, u32)>,
}

impl<'a> History<'a> {
    /// Of a chip whose reset, an input, is 0 in the cycle of the fault, and in which some bits of registers always are.
    pub fn new(flat: &'a Flat, reach: Reach, zeros: &Differing) -> Self {
        let reset = flat.ports.iter().position(|p| p.name == "reset").map(|p| p as u32);
        let mut history = History {
            flat,
            reach,
            reset,
            cnf: Cnf::default(),
            known: HashMap::new(),
            depths: vec![0],
            frames: HashMap::new(),
            groups: HashMap::new(),
            group_of: HashMap::new(),
            holds: vec![],
            starts: HashMap::new(),
            pending: vec![],
            zeros: zeros.clone(),
        };
        for (reg, mask) in zeros {
            let next = history.value(NOW, flat.regs[reg.0 as usize].next);
            history.cleared(&next, *mask);
        }
        history
    }

    /// The word with some bits zero, which they must be.
    fn cleared(&mut self, word: &Word, mask: u64) -> Word {
        let mut word = word.clone();
        for (_, bit) in word.iter_mut().enumerate().filter(|(i, _)| mask >> i & 1 != 0) {
            self.cnf.either(&[!*bit]);
            *bit = Bit::ZERO;
        }
        word
    }

    /// The value of a node in a frame, with all that it rests on.
    pub fn value(&mut self, frame: Frame, node: NodeId) -> Rc<Word> {
        self.settle(frame, node);
        while let Some((frame, group)) = self.pending.pop() {
            let hold = self.holds[group as usize].clone();
            let mut nodes = vec![];
            hold.conditions(&mut |n| nodes.push(n));
            nodes.iter().for_each(|n| self.settle(frame, *n));
            let bits: HashMap<NodeId, Bit> = nodes.iter().map(|n| (*n, self.known[&(frame, *n)][0])).collect();
            let keeps = hold.keeps(&mut self.cnf, &|n| bits[&n]);
            self.cnf.either(&[!keeps]);
        }
        self.known[&(frame, node)].clone()
    }

    /// Values of a node in all frames in which it was needed, after an answer.
    pub fn seen(&self, node: NodeId) -> Vec<(Frame, u64)> {
        let frames = 0..self.depths.len() as Frame;
        let of = |w: &Rc<Word>| (0..).zip(w.iter()).map(|(i, b)| u64::from(self.cnf.value(*b)) << i).sum();
        frames.filter_map(|f| self.known.get(&(f, node)).map(|w| (f, of(w)))).collect()
    }

    fn group(&mut self, reg: RegId) -> u32 {
        if let Some(group) = self.group_of.get(&reg) {
            return *group;
        }
        let hold = Hold::of(self.flat, reg);
        let next = self.holds.len() as u32;
        let group = *self.groups.entry(hold.clone()).or_insert(next);
        if group == next {
            self.holds.push(hold);
        }
        self.group_of.insert(reg, group);
        group
    }

    /// The frame in which a register took the value that it has in another; none where that is not followed.
    pub fn written(&mut self, frame: Frame, reg: RegId) -> Option<Frame> {
        let depth = self.depths[frame as usize];
        let group = self.group(reg);
        if let Some(frame) = self.frames.get(&(frame, group)) {
            return Some(*frame);
        }
        // A register that nothing writes has its value from power-on.
        if depth >= self.reach.depth
            || self.cnf.size() >= self.reach.variables
            || self.holds[group as usize] == Hold::Keeps
        {
            return None;
        }
        let new = self.depths.len() as Frame;
        self.depths.push(depth + 1);
        self.frames.insert((frame, group), new);
        self.pending.push((new, group));
        Some(new)
    }

    /// The decisions about a register.
    pub fn hold(&mut self, reg: RegId) -> &Hold {
        let group = self.group(reg);
        &self.holds[group as usize]
    }

    /// Whether a register was written since the start, which may be and may not be.
    pub fn since_start(&mut self, frame: Frame, reg: RegId) -> Bit {
        let group = self.group(reg);
        if let Some(known) = self.starts.get(&(frame, group)) {
            return *known;
        }
        let bit = self.cnf.fresh();
        self.starts.insert((frame, group), bit);
        bit
    }

    /// Makes a value known.
    fn settle(&mut self, frame: Frame, node: NodeId) {
        let mut open = vec![(frame, node)];
        let mut missing = vec![];
        while let Some(&(frame, node)) = open.last() {
            if self.known.contains_key(&(frame, node)) {
                open.pop();
                continue;
            }
            missing.clear();
            let op = self.flat.graph.node(node).op;
            let mut written = None;
            match op {
                Op::Reg(reg) => {
                    written = self.written(frame, reg);
                    if let Some(at) = written {
                        missing.push((at, self.flat.regs[reg.0 as usize].next));
                    }
                }
                // Any word, whatever the address.
                Op::Read { .. } => {}
                _ => self.flat.graph.operands(op, |n| missing.push((frame, n))),
            }
            missing.retain(|m| !self.known.contains_key(m));
            if !missing.is_empty() {
                // A register whose next value rests on itself in the same frame cannot be: its frame is another one.
                open.extend(&missing);
                continue;
            }
            let mut value = match (op, written) {
                (Op::Reg(reg), Some(at)) => self.known[&(at, self.flat.regs[reg.0 as usize].next)].clone(),
                _ => Rc::new(self.compute(frame, node)),
            };
            if let Op::Reg(reg) = op {
                if let Some(mask) = self.zeros.get(&reg).copied() {
                    value = Rc::new(self.cleared(&value, mask));
                }
            }
            self.known.insert((frame, node), value);
            open.pop();
        }
    }

    fn compute(&mut self, frame: Frame, node: NodeId) -> Word {
        let n = self.flat.graph.node(node);
        if let Op::Input { port, .. } = n.op {
            if frame == NOW && Some(port) == self.reset {
                return constant(0, n.width);
            }
        }
        let known = &self.known;
        apply(self.flat, &mut self.cnf, node, &|n| known[&(frame, n)].clone())
    }
}

/// What a node computes of its operands; what none computes is any value.
pub fn apply(flat: &Flat, cnf: &mut Cnf, node: NodeId, value: &dyn Fn(NodeId) -> Rc<Word>) -> Word {
    let n = flat.graph.node(node);
    let both = |a: NodeId, b: NodeId, cnf: &mut Cnf, f: fn(&mut Cnf, &[Bit], &[Bit]) -> Word| {
        let (mut a, mut b) = (value(a).to_vec(), value(b).to_vec());
        let width = a.len().max(b.len()).max(n.width.into());
        a.resize(width, Bit::ZERO);
        b.resize(width, Bit::ZERO);
        let mut y = f(cnf, &a, &b);
        y.truncate(n.width.into());
        y
    };
    match n.op {
        Op::Const(v) => constant(v, n.width),
        Op::Input { .. } | Op::Reg(_) | Op::Read { .. } => cnf.any_word(n.width),
        Op::Tap { of, .. } => value(of).to_vec(),
        Op::Not(a) => value(a).iter().map(|b| !*b).collect(),
        Op::And(a, b) => both(a, b, cnf, |cnf, a, b| cnf.each(a, b, Cnf::and)),
        Op::Or(a, b) => both(a, b, cnf, |cnf, a, b| cnf.each(a, b, Cnf::or)),
        Op::Xor(a, b) => both(a, b, cnf, |cnf, a, b| cnf.each(a, b, Cnf::xor)),
        Op::Add(a, b) => both(a, b, cnf, |cnf, a, b| cnf.sum(a, b, Bit::ZERO).0),
        Op::Sub(a, b) => both(a, b, cnf, |cnf, a, b| cnf.difference(a, b).0),
        Op::Mul(a, b) => {
            let mut y = cnf.product(&value(a), &value(b));
            y.resize(n.width.into(), Bit::ZERO);
            y
        }
        Op::Shl(a, b) => cnf.shifted(&value(a), &value(b), false),
        Op::Shr(a, b) => cnf.shifted(&value(a), &value(b), true),
        Op::Eq(a, b) => both(a, b, cnf, |cnf, a, b| vec![cnf.equal(a, b)]),
        Op::Ne(a, b) => both(a, b, cnf, |cnf, a, b| vec![!cnf.equal(a, b)]),
        Op::Lt(a, b) => both(a, b, cnf, |cnf, a, b| vec![!cnf.difference(a, b).1]),
        Op::Le(a, b) => both(a, b, cnf, |cnf, a, b| vec![cnf.difference(b, a).1]),
        Op::Mux { condition, yes, no } => cnf.choose(value(condition)[0], &value(yes), &value(no)),
        Op::Slice { of, lo } => value(of)[usize::from(lo)..][..usize::from(n.width)].to_vec(),
        Op::Repeat(a) => vec![value(a)[0]; usize::from(n.width)],
        Op::Cat(parts) => flat.graph.parts(parts).iter().flat_map(|p| value(*p).to_vec()).collect(),
    }
}
