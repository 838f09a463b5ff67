//! What stands at every join point and on every edge.

use super::operand::Operands;
use super::order;
use crate::flow::Joins;
use crate::mir::{Function, Term};
use warpsmith_isa::Marker;

/// How a join point is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// No join point.
    None,
    /// `.S` on the block's first instruction. Ways in where it is not open push its entry first.
    Merged,
    /// A NOP with `.S`, and behind it the label for ways in where it is not open.
    Nop,
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Join points to push, outermost first.
    pub push: Vec<u32>,
    /// Goes to the instruction with `.S`.
    pub arrives: bool,
}

/// Decisions about join points and the order of blocks.
pub struct Plan<'a> {
    /// Join points.
    pub joins: &'a Joins,
    /// How each block begins.
    pub begin: Vec<Join>,
    /// Estimated executions of each block.
    pub freq: Vec<f32>,
    /// Blocks in the order of the code.
    pub order: Vec<u32>,
    /// The block behind each.
    next: Vec<Option<u32>>,
}

impl<'a> Plan<'a> {
    /// Decides.
    pub fn new(f: &Function, joins: &'a Joins, operands: &mut Operands) -> Plan<'a> {
        let freq = order::frequencies(f);
        let order = order::order(f, joins, &freq);
        let mut plan = Plan {
            joins,
            begin: vec![Join::None; f.blocks.len()],
            freq,
            next: vec![None; f.blocks.len()],
            order,
        };
        for pair in plan.order.windows(2) {
            plan.next[pair[0] as usize] = Some(pair[1]);
        }
        // Executions of `.S` on the ways that arrive, and of ways in that do not.
        let mut arrivals = vec![(0f32, 0f32); f.blocks.len()];
        for (b, block) in (0u32..).zip(&f.blocks) {
            let open = joins.behind(b);
            let both = block.term.successors().count() as f32;
            for s in block.term.successors().filter(|s| joins.is_join(s.0)) {
                let share = plan.freq[b as usize] / both;
                let sum = &mut arrivals[s.0 as usize];
                match joins.edge(&open, s.0) {
                    None => sum.0 += share,
                    Some(_) => sum.1 += share,
                }
            }
        }
        for (b, block) in f.blocks.iter().enumerate() {
            if !joins.is_join(b as u32) {
                continue;
            }
            let first = block.insts.first();
            let carries = first.is_some_and(|i| operands.carries(i, Marker::Join));
            plan.begin[b] = if carries && arrivals[b].1 <= arrivals[b].0 {
                Join::Merged
            } else {
                Join::Nop
            };
        }
        plan
    }

    /// What the edge from the end of block `from` to block `to` does.
    pub fn edge(&self, from: u32, to: u32) -> Edge {
        let open = self.joins.behind(from);
        match self.joins.edge(&open, to) {
            None => Edge {
                push: Vec::new(),
                arrives: true,
            },
            Some(mut push) if self.begin[to as usize] == Join::Merged => {
                push.push(to);
                Edge {
                    push,
                    arrives: true,
                }
            }
            Some(push) => Edge {
                push,
                arrives: false,
            },
        }
    }

    /// The block that stands behind `b`.
    pub fn next(&self, b: u32) -> Option<u32> {
        self.next.get(b as usize).copied().flatten()
    }

    /// The side of a branch that its first BRA goes to.
    pub fn taken(&self, f: &Function, b: u32) -> Option<u32> {
        let Term::Branch {
            then,
            other,
            divergent,
            ..
        } = f.blocks[b as usize].term
        else {
            return None;
        };
        let first = self.joins.first[b as usize].filter(|_| divergent);
        Some(match first {
            Some(true) => then.0,
            Some(false) => other.0,
            None => match self.next(b) {
                Some(n) if n == then.0 => other.0,
                Some(n) if n == other.0 => then.0,
                _ if self.freq[then.0 as usize] >= self.freq[other.0 as usize] => then.0,
                _ => other.0,
            },
        })
    }
}
