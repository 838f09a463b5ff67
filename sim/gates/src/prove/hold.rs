//! When a register keeps its value, read off its next value.

use super::cnf::{Bit, Cnf};
use warpsmith_netlist::flat::{Flat, NodeId, Op, RegId};

/// Decisions that are followed.
const DEPTH: u32 = 8;

/// The decisions above a register's own value in its next value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Hold {
    /// The register's own value: it keeps it.
    Keeps,
    /// Anything else: it is written.
    Takes,
    /// One of two, by a condition.
    If(NodeId, Box<Hold>, Box<Hold>),
}

impl Hold {
    /// Of a register.
    pub fn of(flat: &Flat, reg: RegId) -> Self {
        Self::at(flat, reg, flat.regs[reg.0 as usize].next, 0)
    }

    fn at(flat: &Flat, reg: RegId, node: NodeId, depth: u32) -> Self {
        let node = before_taps(flat, node);
        match flat.graph.node(node).op {
            Op::Reg(r) if r == reg => Hold::Keeps,
            Op::Mux { condition, yes, no } if depth < DEPTH => {
                let (yes, no) = (Self::at(flat, reg, yes, depth + 1), Self::at(flat, reg, no, depth + 1));
                match (&yes, &no) {
                    (Hold::Takes, Hold::Takes) => Hold::Takes,
                    (Hold::Keeps, Hold::Keeps) => Hold::Keeps,
                    _ => Hold::If(before_taps(flat, condition), yes.into(), no.into()),
                }
            }
            _ => Hold::Takes,
        }
    }

    /// Whether a tap is passed on the way to the decisions: they are those without a fault at it.
    pub fn passes(flat: &Flat, reg: RegId, tap: NodeId) -> bool {
        let mut open = vec![(flat.regs[reg.0 as usize].next, 0)];
        while let Some((mut node, depth)) = open.pop() {
            while let Op::Tap { of, .. } = flat.graph.node(node).op {
                if node == tap {
                    return true;
                }
                node = of;
            }
            if let Op::Mux { condition, yes, no } = flat.graph.node(node).op {
                if depth < DEPTH {
                    open.extend([(yes, depth + 1), (no, depth + 1), (condition, DEPTH)]);
                }
            }
        }
        false
    }

    /// Calls `f` for every condition.
    pub fn conditions(&self, f: &mut impl FnMut(NodeId)) {
        if let Hold::If(condition, yes, no) = self {
            f(*condition);
            yes.conditions(f);
            no.conditions(f);
        }
    }

    /// Whether the register keeps its value, given the conditions.
    pub fn keeps(&self, cnf: &mut Cnf, value: &impl Fn(NodeId) -> Bit) -> Bit {
        match self {
            Hold::Keeps => Bit::ONE,
            Hold::Takes => Bit::ZERO,
            Hold::If(condition, yes, no) => {
                let (yes, no) = (yes.keeps(cnf, value), no.keeps(cnf, value));
                cnf.mux(value(*condition), yes, no)
            }
        }
    }
}

/// What a tap passes on: a history is one without faults, in which pins of one net are alike.
fn before_taps(flat: &Flat, mut node: NodeId) -> NodeId {
    while let Op::Tap { of, .. } = flat.graph.node(node).op {
        node = of;
    }
    node
}
