//! Control-flow graphs: order, dominators, postdominators, loops, dominance frontiers.
//!
//! A graph is a number of blocks and the successors of each; block 0 is the entry. The functions
//! serve the typed and the machine representation alike.

use super::bits::BitSet;

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
    pub fn new<I: IntoIterator<Item = u32>>(
        blocks: usize,
        mut successors: impl FnMut(u32) -> I,
    ) -> Graph {
        let succ = (0..blocks as u32)
            .map(|b| {
                let all = successors(b).into_iter();
                all.filter(|&s| (s as usize) < blocks).collect()
            })
            .collect();
        Graph::of(succ)
    }

    fn of(succ: Vec<Vec<u32>>) -> Graph {
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

    fn postorder_from(&self, root: u32) -> Vec<u32> {
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

    /// Loops, also those with several entries.
    pub fn loops(&self) -> Loops {
        let mut loops = Loops {
            list: Vec::new(),
            innermost: vec![NONE; self.len()],
        };
        let rpo = self.rpo();
        let mut place = vec![NONE; self.len()];
        for (i, &b) in rpo.iter().enumerate() {
            place[b as usize] = i as u32;
        }
        // A region is searched for cycles; each cycle's header is taken out and the rest is the
        // next region: that is where inner loops are found.
        let mut regions = vec![(rpo, NONE)];
        while let Some((region, parent)) = regions.pop() {
            for body in self.cycles(&region) {
                let mut inside = BitSet::new(self.len());
                body.iter().for_each(|&b| {
                    inside.insert(b);
                });
                let mut entries: Vec<u32> = body
                    .iter()
                    .copied()
                    .filter(|&b| {
                        b == 0
                            || self.pred[b as usize]
                                .iter()
                                .any(|&p| place[p as usize] != NONE && !inside.contains(p))
                    })
                    .collect();
                entries.sort_by_key(|&b| place[b as usize]);
                let header = entries.first().or(body.first()).copied().unwrap_or(0);
                let id = loops.list.len() as u32;
                let depth = match loops.list.get(parent as usize) {
                    Some(p) => p.depth + 1,
                    None => 1,
                };
                for &b in &body {
                    loops.innermost[b as usize] = id;
                }
                let rest: Vec<u32> = body.iter().copied().filter(|&b| b != header).collect();
                loops.list.push(Loop {
                    header,
                    body,
                    parent: (parent != NONE).then_some(parent),
                    depth,
                    entries: entries.len().max(1) as u32,
                });
                regions.push((rest, id));
            }
        }
        loops
    }

    /// The strongly connected components of `region` that hold a cycle, each in ascending order.
    fn cycles(&self, region: &[u32]) -> Vec<Vec<u32>> {
        let mut inside = BitSet::new(self.len());
        region.iter().for_each(|&b| {
            inside.insert(b);
        });
        let mut number = vec![NONE; self.len()];
        let mut low = vec![NONE; self.len()];
        let mut open = BitSet::new(self.len());
        let (mut stack, mut count, mut found) = (Vec::new(), 0, Vec::new());
        for &root in region {
            if number[root as usize] != NONE {
                continue;
            }
            let mut work = vec![(root, 0usize)];
            while let Some(&mut (b, ref mut next)) = work.last_mut() {
                let i = b as usize;
                if *next == 0 {
                    (number[i], low[i]) = (count, count);
                    count += 1;
                    stack.push(b);
                    open.insert(b);
                }
                if let Some(&s) = self.succ[i].get(*next) {
                    *next += 1;
                    let j = s as usize;
                    if inside.contains(s) && number[j] == NONE {
                        work.push((s, 0));
                    } else if open.contains(s) {
                        low[i] = low[i].min(number[j]);
                    }
                    continue;
                }
                work.pop();
                if let Some(&(p, _)) = work.last() {
                    low[p as usize] = low[p as usize].min(low[i]);
                }
                if low[i] == number[i] {
                    let at = stack.iter().rposition(|&x| x == b).unwrap_or(0);
                    let mut component = stack.split_off(at);
                    component.iter().for_each(|&x| open.remove(x));
                    if component.len() > 1 || self.succ[i].contains(&b) {
                        component.sort_unstable();
                        found.push(component);
                    }
                }
            }
        }
        found
    }
}

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
    fn new(graph: &Graph, root: u32) -> Dominators {
        let n = graph.len();
        let mut tree = Dominators {
            root,
            idom: vec![NONE; n],
            depth: vec![NONE; n],
            first: vec![0; n],
            last: vec![0; n],
        };
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
        self.reachable(a)
            && self.reachable(b)
            && self.first[i] <= self.first[j]
            && self.last[j] <= self.last[i]
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

/// A loop: a cycle of blocks that no larger cycle of the same nesting level contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The entry, the first in reverse postorder where there are several.
    pub header: u32,
    /// All blocks of the loop, ascending, inner loops and header included.
    pub body: Vec<u32>,
    /// The loop around it, by index.
    pub parent: Option<u32>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Blocks through which the loop is entered; 1 for a natural loop.
    pub entries: u32,
}

/// The loops of a graph, outer ones before inner ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loops {
    /// The loops.
    pub list: Vec<Loop>,
    innermost: Vec<u32>,
}

impl Loops {
    /// The innermost loop around a block, by index.
    pub fn of(&self, b: u32) -> Option<u32> {
        self.innermost
            .get(b as usize)
            .copied()
            .filter(|&l| l != NONE)
    }

    /// The number of loops around a block.
    pub fn depth(&self, b: u32) -> u32 {
        self.of(b).map_or(0, |l| self.list[l as usize].depth)
    }

    /// True where loop `l` contains the block.
    pub fn contains(&self, l: u32, b: u32) -> bool {
        let mut at = self.of(b);
        while let Some(i) = at {
            if i == l {
                return true;
            }
            at = self.list[i as usize].parent;
        }
        false
    }
}

#[cfg(test)]
mod tests;
