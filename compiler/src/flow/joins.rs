//! Join points: where the threads of a warp that a branch has split meet again.
//!
//! The join point of a divergent branch is its immediate postdominator. It is *open* in every
//! block that can be reached from the branch without passing it: there the divergence stack
//! holds its entry. What is open at an open join point is open as well.

use super::bits::BitSet;
use super::graph::{Dominators, Graph};
use crate::alloc::live::graph;
use crate::mir::{Function, Term};

/// Join points of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joins {
    /// The join points open at the start of every block, outermost first.
    pub open: Vec<Vec<u32>>,
    /// The join point of every divergent branch that has one.
    pub of: Vec<Option<u32>>,
    /// Of a divergent branch: whether its `then` side must be the one that runs first. That is the
    /// side that leaves the innermost loop only one side leaves, so that the stack does not grow
    /// from round to round, or the one that never comes back.
    pub first: Vec<Option<bool>>,
}

impl Joins {
    /// True where the block is a join point.
    pub fn is_join(&self, b: u32) -> bool {
        self.of.contains(&Some(b))
    }

    /// The entries a divergent branch at the end of block `b` pushes first, outermost first.
    pub fn pushes(&self, b: u32) -> Vec<u32> {
        let Some(l) = self.of[b as usize] else {
            return Vec::new();
        };
        let here = &self.open[b as usize];
        if here.contains(&l) {
            return Vec::new();
        }
        let around = self.open[l as usize].iter().filter(|m| !here.contains(m));
        around.copied().chain([l]).collect()
    }

    /// The join points open behind the end of block `b`.
    pub fn behind(&self, b: u32) -> Vec<u32> {
        let mut open = self.open[b as usize].clone();
        open.extend(self.pushes(b));
        open
    }

    /// What an edge has to push where `open` is open in front of it; `None` where it arrives at
    /// an open join point.
    pub fn edge(&self, open: &[u32], to: u32) -> Option<Vec<u32>> {
        if open.contains(&to) {
            return None;
        }
        let missing = self.open[to as usize].iter();
        Some(missing.filter(|l| !open.contains(l)).copied().collect())
    }
}

/// Finds the join points of all divergent branches.
pub fn joins(f: &Function) -> Joins {
    let g = graph(f);
    let n = g.len();
    let early = |b: u32| {
        matches!(
            f.blocks[b as usize].term,
            Term::ReturnIf { .. } | Term::Trap
        )
    };
    let rank = g.ways_out(early);
    let post = g.postdominators(early);
    let loops = g.loops();
    let mut joins = Joins {
        open: vec![Vec::new(); n],
        of: vec![None; n],
        first: vec![None; n],
    };
    let mut sets = vec![BitSet::new(n); n];
    for b in 0..n as u32 {
        let Term::Branch {
            then,
            other,
            divergent: true,
            ..
        } = f.blocks[b as usize].term
        else {
            continue;
        };
        if rank[b as usize] == 0 {
            continue;
        }
        let stays = [then, other].map(|s| rank[s.0 as usize] == rank[b as usize]);
        if stays[0] != stays[1] {
            joins.first[b as usize] = Some(!stays[0]);
            continue;
        }
        let mut around = loops.of(b);
        while let Some(l) = around {
            let inside = [then, other].map(|s| loops.contains(l, s.0));
            if inside[0] != inside[1] {
                joins.first[b as usize] = Some(!inside[0]);
                break;
            }
            around = loops.list[l as usize].parent;
        }
        let Some(l) = post.parent(b).filter(|&l| l < n as u32) else {
            continue;
        };
        joins.of[b as usize] = Some(l);
        open_region(&g, &rank, b, l, &mut sets);
    }
    close(&mut sets);
    for (b, set) in sets.iter().enumerate() {
        joins.open[b] = ordered(set, &post);
    }
    joins
}

/// Marks join point `l` of branch `b` as open in all blocks between the two.
fn open_region(g: &Graph, rank: &[u8], b: u32, l: u32, sets: &mut [BitSet]) {
    let mut seen = BitSet::new(g.len());
    let mut work = vec![b];
    while let Some(at) = work.pop() {
        for &s in &g.succ[at as usize] {
            if s != l && rank[s as usize] == rank[b as usize] && seen.insert(s) {
                sets[s as usize].insert(l);
                work.push(s);
            }
        }
    }
}

/// What is open at an open join point is open too.
fn close(sets: &mut [BitSet]) {
    let mut changed = true;
    while changed {
        changed = false;
        for x in 0..sets.len() {
            let mut set = sets[x].clone();
            for l in sets[x].iter() {
                set.union(&sets[l as usize]);
            }
            if set != sets[x] {
                sets[x] = set;
                changed = true;
            }
        }
    }
}

/// Outermost first: nearest to the root of the postdominator tree.
fn ordered(set: &BitSet, post: &Dominators) -> Vec<u32> {
    let mut list: Vec<u32> = set.iter().collect();
    list.sort_by_key(|&l| (post.depth[l as usize], l));
    list
}
