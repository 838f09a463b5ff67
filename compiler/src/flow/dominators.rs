//! Dominator trees and dominance frontiers.

use super::graph::{Graph, NONE};

/// A dominator tree, of the graph or of the reversed graph with a virtual exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators {
    /// Root: the entry, or the virtual exit.
    pub root: u32,
    /// Nearest dominator of every block, [`NONE`] for the root and what is not reachable.
    pub idom: Vec<u32>,
    /// Distance from the root, [`NONE`] for what is not reachable.
    pub depth: Vec<u32>,
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Dominators {
    /// Iterates over the graph in reverse postorder until nothing changes (Cooper, Harvey, Kennedy).
    pub(super) fn new(graph: &Graph, root: u32) -> Dominators {
        let n = graph.len();
        let mut tree =
            Dominators { root, idom: vec![NONE; n], depth: vec![NONE; n], first: vec![0; n], last: vec![0; n] };
        if n == 0 {
            return tree;
        }
        let mut order = graph.postorder_from(root);
        order.reverse();
        let mut place = vec![NONE; n];
        for (i, &b) in order.iter().enumerate() {
            place[b as usize] = i as u32;
        }
        // Inside the iteration blocks are places in the order and the root dominates itself.
        let mut up = vec![NONE; order.len()];
        up[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (i, &b) in order.iter().enumerate().skip(1) {
                let mut new = NONE;
                for &p in &graph.pred[b as usize] {
                    let p = place[p as usize];
                    if p == NONE || up[p as usize] == NONE {
                        continue;
                    }
                    new = if new == NONE { p } else { meet(&up, new, p) };
                }
                if up[i] != new {
                    up[i] = new;
                    changed = true;
                }
            }
        }
        let mut children = vec![Vec::new(); n];
        tree.depth[root as usize] = 0;
        for (i, &b) in order.iter().enumerate().skip(1) {
            let parent = order[up[i] as usize];
            tree.idom[b as usize] = parent;
            tree.depth[b as usize] = tree.depth[parent as usize] + 1;
            children[parent as usize].push(b);
        }
        let mut clock = 0;
        let mut work = vec![(root, 0)];
        while let Some(&mut (b, ref mut next)) = work.last_mut() {
            if *next == 0 {
                clock += 1;
                tree.first[b as usize] = clock;
            }
            match children[b as usize].get(*next) {
                Some(&c) => {
                    *next += 1;
                    work.push((c, 0));
                }
                None => {
                    tree.last[b as usize] = clock;
                    work.pop();
                }
            }
        }
        tree
    }

    /// True where the block is in the tree.
    pub fn reachable(&self, b: u32) -> bool {
        self.depth.get(b as usize).is_some_and(|&d| d != NONE)
    }

    /// True where every way from the root to `b` passes `a`; a block dominates itself.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (i, j) = (a as usize, b as usize);
        self.reachable(a) && self.reachable(b) && self.first[i] <= self.first[j] && self.last[j] <= self.last[i]
    }

    /// Nearest dominator, `None` for the root and what is not reachable.
    pub fn parent(&self, b: u32) -> Option<u32> {
        self.idom.get(b as usize).copied().filter(|&d| d != NONE)
    }

    /// The blocks each block dominates directly.
    pub fn children(&self) -> Vec<Vec<u32>> {
        let mut list = vec![Vec::new(); self.idom.len()];
        for (b, &d) in self.idom.iter().enumerate() {
            if d != NONE {
                list[d as usize].push(b as u32);
            }
        }
        list
    }

    /// The dominance frontier of every block: where its dominance ends. For the tree of
    /// [`Graph::dominators`].
    pub fn frontier(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let mut frontier = vec![Vec::new(); graph.len()];
        for b in 0..graph.len() as u32 {
            // The entry has a way in beside its predecessors.
            if graph.pred[b as usize].len() < 2 && b != self.root {
                continue;
            }
            for &p in &graph.pred[b as usize] {
                let mut at = p;
                while self.reachable(at) && Some(at) != self.parent(b) {
                    let list: &mut Vec<u32> = &mut frontier[at as usize];
                    if list.last() != Some(&b) {
                        list.push(b);
                    }
                    match self.parent(at) {
                        Some(up) => at = up,
                        None => break,
                    }
                }
            }
        }
        frontier
    }
}

/// The nearest common dominator of two places in the order.
fn meet(up: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = up[a as usize];
        }
        while b > a {
            b = up[b as usize];
        }
    }
    a
}
