//! Instructions at every join point and on every edge.

use super::order;
use crate::flow::{Entry, Joins, Way};
use crate::mir::{Function, Inst, Term};

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

/// Where an edge ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the instruction with `.S`, which pops.
    Arrive,
    /// At the block, behind a `.S` that stands alone.
    Behind,
    /// At the exit of the scope, by BRK.
    Break,
}

/// Instructions of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Entries to push, outermost first.
    pub push: Vec<Entry>,
    /// Where it ends.
    pub end: End,
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
    /// Decides; `carries` says whether an instruction can have `.S`.
    pub fn new(f: &Function, joins: &'a Joins, carries: impl Fn(&Inst) -> bool) -> Plan<'a> {
        let freq = order::frequencies(f);
        let order = order::order(f, joins, &freq);
        let mut plan =
            Plan { joins, begin: vec![Join::None; f.blocks.len()], freq, next: vec![None; f.blocks.len()], order };
        for pair in plan.order.windows(2) {
            plan.next[pair[0] as usize] = Some(pair[1]);
        }
        // Executions of `.S` on the ways that arrive, and of ways in that do not.
        let mut arrivals = vec![(0f32, 0f32); f.blocks.len()];
        let mut count = |to: u32, way: Way, share: f32| match way {
            Way::Arrive => arrivals[to as usize].0 += share,
            Way::Push(_) => arrivals[to as usize].1 += share,
            Way::Break => {}
        };
        for (b, block) in (0u32..).zip(&f.blocks) {
            let both = block.term.successors().count() as f32;
            for s in block.term.successors().filter(|s| joins.is_join(s.0)) {
                count(s.0, joins.way(b, s.0), plan.freq[b as usize] / both);
            }
        }
        for (i, s) in (0u32..).zip(&joins.scopes) {
            count(s.exit, joins.way_out(i), plan.freq[s.header as usize] / 8.0);
        }
        for (b, block) in f.blocks.iter().enumerate() {
            if !joins.is_join(b as u32) {
                continue;
            }
            let first = block.insts.first();
            plan.begin[b] =
                if first.is_some_and(&carries) && arrivals[b].1 <= arrivals[b].0 { Join::Merged } else { Join::Nop };
        }
        plan
    }

    /// Instructions of the edge from block `from` to block `to`.
    pub fn edge(&self, from: u32, to: u32) -> Edge {
        self.of(self.joins.way(from, to), to)
    }

    /// Instructions on the path from a left scope to its exit.
    pub fn edge_out(&self, scope: u32) -> Edge {
        let exit = self.joins.scopes[scope as usize].exit;
        self.of(self.joins.way_out(scope), exit)
    }

    fn of(&self, way: Way, to: u32) -> Edge {
        let (push, end) = match way {
            Way::Arrive => (Vec::new(), End::Arrive),
            Way::Break => (Vec::new(), End::Break),
            Way::Push(mut push) if self.begin[to as usize] == Join::Merged => {
                push.push(Entry::Join(to));
                (push, End::Arrive)
            }
            Way::Push(push) => (push, End::Behind),
        };
        Edge { push, end }
    }

    /// The block that stands behind `b`.
    pub fn next(&self, b: u32) -> Option<u32> {
        self.next.get(b as usize).copied().flatten()
    }

    /// The side of a branch that its first control instruction goes to.
    pub fn taken(&self, f: &Function, b: u32) -> Option<u32> {
        let Term::Branch { then, other, divergent, .. } = f.blocks[b as usize].term else { return None };
        let (then, other) = (then.0, other.0);
        let first = self.joins.first[b as usize].filter(|_| divergent);
        Some(match first {
            Some(true) => then,
            Some(false) => other,
            None => match self.next(b) {
                Some(n) if n == then => other,
                Some(n) if n == other => then,
                // BRK is written behind the branch that stays.
                _ if self.breaks(b, then) => other,
                _ if self.breaks(b, other) => then,
                _ if self.freq[then as usize] >= self.freq[other as usize] => then,
                _ => other,
            },
        })
    }

    /// Whether an edge leaves its scope by BRK.
    pub fn breaks(&self, from: u32, to: u32) -> bool {
        self.joins.way(from, to) == Way::Break
    }
}
