//! Join points: blocks at which the threads of a divergent branch join.
//!
//! The join point of a divergent branch is its immediate postdominator. It is *open* in every
//! block that can be reached from the branch without passing it: there the divergence stack
//! holds its entry. What is open at an open join point is open as well.
//!
//! A loop that threads leave at different times is a [`Scope`] where its shape allows: PBK in
//! front of it, BRK on every way to the block where all its exits meet. Inside a scope a round of
//! the loop is the whole graph: it ends at the header, and ways out count only where there is no
//! other, as a way to an early return does in the function.

use super::bits::BitSet;
use super::graph::{Graph, Loops};
use super::layer;
use crate::alloc::live::graph;
use crate::mir::{Function, Term};

/// An entry of the divergence stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entry {
    /// Of SSY: the join point.
    Join(u32),
    /// Of PBK: the scope, by index.
    Break(u32),
}

/// A loop that threads leave by BRK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The only block through which it is entered.
    pub header: u32,
    /// Where the threads go on that have left it; not part of it.
    pub exit: u32,
    /// The scope around it.
    pub parent: Option<u32>,
}

/// Effect of an edge on the divergence stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Arrives at an open join point.
    Arrive,
    /// Leaves the scope by BRK.
    Break,
    /// Pushes, outermost first.
    Push(Vec<Entry>),
}

/// Join points and scopes of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joins {
    /// Stack at the start of every block, outermost entry first. Below it there may be entries
    /// of paths that never join.
    pub open: Vec<Vec<Entry>>,
    /// The join point of every divergent branch that has one.
    pub of: Vec<Option<u32>>,
    /// Of a divergent branch: whether its `then` side must be the one that runs first. That is the
    /// side that never comes back, or the one that reaches the join point without passing the
    /// branch again, so that the stack does not grow from round to round.
    pub first: Vec<Option<bool>>,
    /// Divergent branches both sides of which may come back without joining: the stack grows by
    /// an entry whenever they split the warp.
    pub grows: Vec<u32>,
    /// The scopes; outer ones before inner ones.
    pub scopes: Vec<Scope>,
    /// The innermost scope of every block.
    pub scope: Vec<Option<u32>>,
    /// Blocks with one number come back to each other; from another number only to a worse one.
    pub layer: Vec<u32>,
}

impl Joins {
    /// True where the block is a join point.
    pub fn is_join(&self, b: u32) -> bool {
        self.of.contains(&Some(b))
    }

    /// The entries a divergent branch at the end of block `b` pushes first, outermost first.
    pub fn pushes(&self, b: u32) -> Vec<Entry> {
        let Some(l) = self.of[b as usize] else {
            return Vec::new();
        };
        let here = &self.open[b as usize];
        if here.contains(&Entry::Join(l)) {
            return Vec::new();
        }
        // The header of the loop around joins the ways of a round: its own entry alone is missing.
        let around = self.open[l as usize].iter().filter(|m| !here.contains(m));
        around.copied().chain([Entry::Join(l)]).collect()
    }

    /// Stack behind the end of block `b`.
    pub fn behind(&self, b: u32) -> Vec<Entry> {
        let mut open = self.open[b as usize].clone();
        open.extend(self.pushes(b));
        open
    }

    /// Effect of the edge from block `from` to block `to`.
    pub fn way(&self, from: u32, to: u32) -> Way {
        let scope = self.scope[from as usize].map(|s| self.scopes[s as usize]);
        if scope.is_some_and(|s| s.exit == to) {
            return Way::Break;
        }
        self.reach(&self.behind(from), to)
    }

    /// Effect of the path from a left scope to its exit.
    pub fn way_out(&self, scope: u32) -> Way {
        let s = self.scopes[scope as usize];
        // A loop on the way out of another may end at the same exit.
        if s.parent.is_some_and(|p| self.scopes[p as usize].exit == s.exit) {
            return Way::Break;
        }
        let open = &self.open[s.header as usize];
        let own = open.iter().position(|e| *e == Entry::Break(scope));
        self.reach(&open[..own.unwrap_or(0)], s.exit)
    }

    fn reach(&self, open: &[Entry], to: u32) -> Way {
        if open.contains(&Entry::Join(to)) {
            return Way::Arrive;
        }
        let there = &self.open[to as usize];
        let same = there.iter().zip(open).take_while(|(a, b)| a == b).count();
        Way::Push(there[same..].to_vec())
    }

    /// Checks that what an edge finds on the stack is what its target expects.
    ///
    /// # Errors
    /// The edge that does not fit.
    pub fn check(&self, f: &Function) -> Result<(), String> {
        let fits = |open: &[Entry], to: u32, worse: bool| {
            let there = &self.open[to as usize];
            match open.split_last() {
                Some((Entry::Join(l), rest)) if *l == to => rest == &there[..],
                _ if worse => true,
                _ => there.starts_with(open),
            }
        };
        for (b, block) in (0u32..).zip(&f.blocks) {
            for s in block.term.successors() {
                let worse = self.layer[b as usize] != self.layer[s.0 as usize];
                let open = self.behind(b);
                if self.way(b, s.0) != Way::Break && !fits(&open, s.0, worse) {
                    return Err(format!(
                        "{}: from block {b} to {}: {open:?} is open, {:?} expected",
                        f.name, s.0, self.open[s.0 as usize]
                    ));
                }
            }
        }
        for (i, s) in (0u32..).zip(&self.scopes) {
            let open = &self.open[s.header as usize];
            let own = open.iter().position(|e| *e == Entry::Break(i));
            let Some(own) = own.filter(|&o| o + 1 == open.len()) else {
                return Err(format!("{}: scope {i} is not open at its start", f.name));
            };
            if self.way_out(i) != Way::Break && !fits(&open[..own], s.exit, false) {
                return Err(format!("{}: way out of scope {i}", f.name));
            }
        }
        Ok(())
    }
}

/// Finds the join points of all divergent branches.
pub fn joins(f: &Function) -> Joins {
    let g = graph(f);
    let early = early(f, &g);
    let rank = g.ways_out(|b| early.contains(b));
    let n = f.blocks.len();
    let mut finder = Finder {
        f,
        loops: g.loops(),
        joins: Joins {
            open: vec![Vec::new(); n],
            of: vec![None; n],
            first: vec![None; n],
            grows: Vec::new(),
            scopes: Vec::new(),
            scope: vec![None; n],
            layer: vec![0; n],
        },
        g,
        layers: 0,
    };
    for r in 1..=4u8 {
        let mut blocks = BitSet::new(n);
        let mut exits = Vec::new();
        for b in (0..n as u32).filter(|&b| rank[b as usize] == r) {
            blocks.insert(b);
            let leaf = finder.g.succ[b as usize].is_empty();
            if (leaf && r != 2) || (r == 2 && early.contains(b)) {
                exits.push(b);
            }
        }
        finder.layer(layer::Layer { context: Vec::new(), blocks, header: None, end: None, exits, scope: None });
    }
    finder.joins
}

/// Machine function, graph and what was found.
pub(super) struct Finder<'a> {
    pub f: &'a Function,
    pub g: Graph,
    pub loops: Loops,
    pub joins: Joins,
    /// Layers numbered so far.
    pub layers: u32,
}

/// The blocks with a way out that counts only where there is no other: returns under a guard,
/// traps, and all returns but the one most blocks lead to.
fn early(f: &Function, g: &Graph) -> BitSet {
    let mut set = BitSet::new(f.blocks.len());
    let mut ends: Vec<(usize, u32)> = Vec::new();
    for (b, block) in (0u32..).zip(&f.blocks) {
        match block.term {
            Term::ReturnIf { .. } | Term::Trap => {
                set.insert(b);
            }
            Term::Return => ends.push((g.reaching([b]).len(), b)),
            _ => {}
        }
    }
    ends.sort_unstable();
    ends.pop();
    for (_, b) in ends {
        set.insert(b);
    }
    set
}
