//! Control-flow graphs: order, reachability, dominators and postdominators.
//!
//! A graph is a number of blocks and the successors of each; block 0 is the entry. The functions
//! serve both the typed and the machine representation.

use super::bits::BitSet;
pub use super::dominators::Dominators;
pub use super::loops::{Loop, Loops};

/// No block.
pub const NONE: u32 = u32::MAX;

/// Successors and predecessors of every block; block 0 is the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Successors in the order of the terminator; an edge named twice is there twice.
    pub succ: Vec<Vec<u32>>,
    /// Predecessors, ascending; a block whose two edges both lead here is there twice.
    pub pred: Vec<Vec<u32>>,
}

impl Graph {
    /// The graph of `blocks` blocks; successors that do not exist are left out.
    pub fn new<I: IntoIterator<Item = u32>>(blocks: usize, mut successors: impl FnMut(u32) -> I) -> Graph {
        let succ = (0..blocks as u32)
            .map(|b| {
                let all = successors(b).into_iter();
                all.filter(|&s| (s as usize) < blocks).collect()
            })
            .collect();
        Graph::of(succ)
    }

    pub(super) fn of(succ: Vec<Vec<u32>>) -> Graph {
        let mut pred = vec![Vec::new(); succ.len()];
        for (b, list) in succ.iter().enumerate() {
            for &s in list {
                pred[s as usize].push(b as u32);
            }
        }
        Graph { succ, pred }
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.succ.len()
    }

    /// True without any block.
    pub fn is_empty(&self) -> bool {
        self.succ.is_empty()
    }

    /// The blocks reachable from the entry in reverse postorder: a block before its successors,
    /// except along back edges.
    pub fn rpo(&self) -> Vec<u32> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut order = self.postorder_from(0);
        order.reverse();
        order
    }

    pub(super) fn postorder_from(&self, root: u32) -> Vec<u32> {
        let mut seen = BitSet::new(self.len());
        let mut order = Vec::new();
        let mut stack = vec![(root, 0)];
        seen.insert(root);
        while let Some((b, next)) = stack.last_mut() {
            // The last successor first: in the reversed order the first one comes next.
            let list = &self.succ[*b as usize];
            if *next == list.len() {
                order.push(*b);
                stack.pop();
                continue;
            }
            let s = list[list.len() - 1 - *next];
            *next += 1;
            if seen.insert(s) {
                stack.push((s, 0));
            }
        }
        order
    }

    /// The blocks from which a block of `targets` can be reached, the targets included.
    pub fn reaching(&self, targets: impl IntoIterator<Item = u32>) -> BitSet {
        let mut seen = BitSet::new(self.len());
        let mut work: Vec<u32> = targets.into_iter().filter(|&t| seen.insert(t)).collect();
        while let Some(b) = work.pop() {
            for &p in &self.pred[b as usize] {
                if seen.insert(p) {
                    work.push(p);
                }
            }
        }
        seen
    }

    /// The dominator tree from the entry.
    pub fn dominators(&self) -> Dominators {
        Dominators::new(self, 0)
    }

    /// The best way out each block can reach: 1 an end, 2 a block of `early` with successors
    /// (threads leave there under a guard), 3 an end of `early` (a trap), 4 none, an endless loop.
    /// The number of a block is the least of its successors' or its own; 0 where the entry does
    /// not lead.
    pub fn ways_out(&self, early: impl Fn(u32) -> bool) -> Vec<u8> {
        let mut rank = vec![4; self.len()];
        let own = |b: u32| match (self.succ[b as usize].is_empty(), early(b)) {
            (true, false) => 1,
            (false, true) => 2,
            (true, true) => 3,
            (false, false) => 4,
        };
        for k in (1..4).rev() {
            let ends = (0..self.len() as u32).filter(|&b| own(b) == k);
            for b in self.reaching(ends).iter() {
                rank[b as usize] = k;
            }
        }
        let mut out = vec![0; self.len()];
        for b in self.rpo() {
            out[b as usize] = rank[b as usize];
        }
        out
    }

    /// The tree of postdominators; its root is a virtual exit, number [`Graph::len`].
    ///
    /// A way out counts only where there is no better one, in the sense of [`Graph::ways_out`]:
    /// an edge to a block that never comes back to a better way out is left out. Of an endless
    /// loop one block leads to the exit. Every reachable block has a postdominator therefore.
    pub fn postdominators(&self, early: impl Fn(u32) -> bool) -> Dominators {
        let n = self.len() as u32;
        let rank = self.ways_out(&early);
        let same = |a: u32, b: u32| rank[a as usize] == rank[b as usize];
        let inside = Graph::new(self.len(), |b| {
            let all = self.succ[b as usize].iter().copied();
            all.filter(|&s| same(s, b)).collect::<Vec<_>>()
        });
        let exits: Vec<u32> = (0..n)
            .filter(|&b| match rank[b as usize] {
                1 | 3 => self.succ[b as usize].is_empty(),
                2 => early(b),
                _ => false,
            })
            .collect();
        inside.postdominators_to(&self.rpo(), exits)
    }

    /// The tree of postdominators of some blocks, given in reverse postorder; `exits` lead to the
    /// virtual exit, and of each endless loop one block more.
    pub fn postdominators_to(&self, blocks: &[u32], mut exits: Vec<u32>) -> Dominators {
        let n = self.len() as u32;
        let mut reaching = self.reaching(exits.iter().copied());
        for &b in blocks.iter().rev() {
            if !reaching.contains(b) {
                exits.push(b);
                reaching = self.reaching(exits.iter().copied());
            }
        }
        let mut succ = self.pred.clone();
        succ.push(exits);
        Dominators::new(&Graph::of(succ), n)
    }

    /// The blocks that can be reached from `from` without passing `stop`; `from` only if it
    /// reaches itself.
    pub fn reached(&self, from: u32, stop: u32) -> BitSet {
        let mut seen = BitSet::new(self.len());
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            for &s in &self.succ[at as usize] {
                if s != stop && seen.insert(s) {
                    work.push(s);
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests;
