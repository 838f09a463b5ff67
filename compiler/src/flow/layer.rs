//! Join points of one layer: blocks of one cycle of the graph, with each loop that is a scope as
//! one block.

use super::bits::BitSet;
use super::graph::{Dominators, Graph, NONE};
use super::joins::{Entry, Finder, Scope};
use crate::mir::Term;

/// Blocks to be examined together.
pub(super) struct Layer {
    /// Stack entries common to all of them.
    pub context: Vec<Entry>,
    /// The blocks.
    pub blocks: BitSet,
    /// The header of the scope whose rounds these are: an edge there ends the round.
    pub header: Option<u32>,
    /// Where the layer leads at its end: the header of its rounds, or the exit of its scope.
    pub end: Option<u32>,
    /// Blocks from which the layer is left at its end.
    pub exits: Vec<u32>,
    /// The scope.
    pub scope: Option<u32>,
}

/// A loop that becomes a scope.
struct Candidate {
    header: u32,
    exit: u32,
    body: BitSet,
    /// The body and the ways from there to the exit.
    region: BitSet,
}

impl Finder<'_> {
    /// Finds scopes and join points of a layer, then those inside its scopes.
    pub fn layer(&mut self, layer: Layer) {
        if layer.blocks.is_empty() {
            return;
        }
        let number = self.layers;
        self.layers += 1;
        for b in layer.blocks.iter() {
            self.joins.layer[b as usize] = number;
            self.joins.scope[b as usize] = layer.scope;
        }
        let order: Vec<u32> = self.g.rpo().into_iter().filter(|&b| layer.blocks.contains(b)).collect();
        let inside = |b: u32| layer.blocks.contains(b) && Some(b) != layer.header;
        let plain = self.restricted(&layer.blocks, &inside, &[]);
        let post = plain.postdominators_to(&order, layer.exits.clone());
        let scopes = self.candidates(&layer, &plain, &post);
        let mut blocks = layer.blocks.clone();
        let mut exits = layer.exits.clone();
        for c in &scopes {
            blocks.subtract(&c.region);
            blocks.insert(c.header);
            if layer.end == Some(c.exit) {
                exits.push(c.header);
            }
        }
        exits.retain(|&b| blocks.contains(b));
        let inner = |b: u32| blocks.contains(b) && inside(b);
        let small = self.restricted(&blocks, &inner, &scopes);
        let order: Vec<u32> = order.into_iter().filter(|&b| blocks.contains(b)).collect();
        let post = small.postdominators_to(&order, exits);
        let mut sets = vec![BitSet::new(0); self.g.len()];
        for &b in &order {
            sets[b as usize] = BitSet::new(self.g.len());
        }
        for &b in &order {
            if scopes.iter().all(|c| c.header != b) {
                self.branch(&layer, &small, &post, b, &mut sets);
            }
        }
        close(&order, &mut sets);
        for &b in &order {
            let mut list: Vec<u32> = sets[b as usize].iter().collect();
            // Outermost first: nearest to the root of the tree; the header of the round is the root.
            let depth = |l: u32| match Some(l) == layer.header {
                true => 0,
                false => post.depth[l as usize],
            };
            list.sort_by_key(|&l| (depth(l), l));
            let open = layer.context.iter().copied();
            self.joins.open[b as usize] = open.chain(list.into_iter().map(Entry::Join)).collect();
        }
        for c in scopes {
            self.enter(c, layer.scope);
        }
    }

    /// The layers inside a scope: the rounds of the loop, and the ways from there to its exit.
    fn enter(&mut self, c: Candidate, parent: Option<u32>) {
        let id = self.joins.scopes.len() as u32;
        self.joins.scopes.push(Scope { header: c.header, exit: c.exit, parent });
        let mut context = self.joins.open[c.header as usize].clone();
        context.push(Entry::Break(id));
        let leads = |set: &BitSet, to: u32| -> Vec<u32> {
            set.iter().filter(|&b| self.g.succ[b as usize].contains(&to)).collect()
        };
        let mut ways = c.region;
        ways.subtract(&c.body);
        let (rounds, outs) = (leads(&c.body, c.header), leads(&ways, c.exit));
        self.layer(Layer {
            context: context.clone(),
            blocks: c.body,
            header: Some(c.header),
            end: Some(c.header),
            exits: rounds,
            scope: Some(id),
        });
        self.layer(Layer { context, blocks: ways, header: None, end: Some(c.exit), exits: outs, scope: Some(id) });
    }

    /// The graph of some blocks, a scope as one block that leads to its exit.
    fn restricted(&self, blocks: &BitSet, inside: &dyn Fn(u32) -> bool, scopes: &[Candidate]) -> Graph {
        Graph::new(self.g.len(), |b| {
            let scope = scopes.iter().find(|c| c.header == b);
            let all: Vec<u32> = match scope {
                Some(c) => vec![c.exit],
                None if blocks.contains(b) => self.g.succ[b as usize].clone(),
                None => Vec::new(),
            };
            all.into_iter().filter(|&s| inside(s)).collect::<Vec<_>>()
        })
    }

    /// The loops of a layer that become scopes, outermost only.
    fn candidates(&self, layer: &Layer, plain: &Graph, post: &Dominators) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for l in &self.loops.list {
            let here = |b: &u32| layer.blocks.contains(*b);
            let taken = found.iter().any(|c| c.region.contains(l.header));
            if taken || l.entries != 1 || Some(l.header) == layer.header || !l.body.iter().all(here) {
                continue;
            }
            let mut body = BitSet::new(self.g.len());
            l.body.iter().for_each(|&b| {
                body.insert(b);
            });
            if let Some(c) = self.candidate(layer, plain, post, l.header, body) {
                // Loops on paths from this loop to its exit are part of it.
                found.retain(|f| !c.region.contains(f.header));
                found.push(c);
            }
        }
        found
    }

    fn candidate(
        &self, layer: &Layer, plain: &Graph, post: &Dominators, header: u32, body: BitSet,
    ) -> Option<Candidate> {
        // Threads are in different rounds: the ways of a divergent branch meet outside, or behind
        // another round.
        let splits = |b: u32| {
            let divergent = matches!(self.f.blocks[b as usize].term, Term::Branch { divergent: true, .. });
            let join = post.parent(b).filter(|_| self.stays(layer, b) == [true, true]);
            divergent && join.is_some_and(|l| !body.contains(l) || l != header && plain.reached(b, l).contains(header))
        };
        if !body.iter().any(splits) {
            return None;
        }
        let n = self.g.len() as u32;
        let mut exit = post.parent(header)?;
        while exit < n && body.contains(exit) {
            exit = post.parent(exit)?;
        }
        if exit == n {
            exit = layer.end?;
        }
        let mut region = plain.reached(header, exit);
        region.insert(header);
        let entered = |b: u32| {
            let from = self.g.pred[b as usize].iter();
            from.filter(|&&p| !region.contains(p)).count()
        };
        // The header has one way in, so that it is no join point of what is in front of the loop.
        let alone = region.iter().all(|b| entered(b) == usize::from(b == header));
        if !alone || self.breaks(layer, &region, exit) {
            return None;
        }
        Some(Candidate { header, exit, body, region })
    }

    /// Whether a way from the region leaves a scope around, which BRK inside another cannot.
    fn breaks(&self, layer: &Layer, region: &BitSet, exit: u32) -> bool {
        let mut outer = Vec::new();
        let mut at = layer.scope;
        while let Some(s) = at {
            let s = self.joins.scopes[s as usize];
            outer.push(s.exit);
            at = s.parent;
        }
        let mut seen = region.clone();
        let mut work: Vec<u32> = region.iter().collect();
        while let Some(b) = work.pop() {
            for &s in &self.g.succ[b as usize] {
                if s == exit {
                    continue;
                }
                if outer.contains(&s) {
                    return true;
                }
                if Some(s) != layer.header && seen.insert(s) {
                    work.push(s);
                }
            }
        }
        false
    }

    /// Which sides of a branch stay in the layer or end its round.
    fn stays(&self, layer: &Layer, b: u32) -> [bool; 2] {
        match self.f.blocks[b as usize].term {
            Term::Branch { then, other, .. } => [then, other].map(|s| layer.blocks.contains(s.0)),
            _ => [false, false],
        }
    }

    /// The join point of a block's divergent branch, and where it is open.
    fn branch(&mut self, layer: &Layer, g: &Graph, post: &Dominators, b: u32, sets: &mut [BitSet]) {
        let Term::Branch { then, other, divergent: true, .. } = self.f.blocks[b as usize].term else { return };
        let stays = self.stays(layer, b);
        if stays[0] != stays[1] {
            self.joins.first[b as usize] = Some(!stays[0]);
        }
        if stays != [true, true] {
            return;
        }
        let mut around = self.loops.of(b);
        while let Some(l) = around {
            let inside = [then, other].map(|s| self.loops.contains(l, s.0));
            if inside[0] != inside[1] {
                self.joins.first[b as usize] = Some(!inside[0]);
                break;
            }
            around = self.loops.list[l as usize].parent;
        }
        let root = self.g.len() as u32;
        let join = match post.parent(b) {
            Some(l) if l != root => Some(l),
            // The ways of a round meet at its end.
            Some(_) => layer.header,
            None => None,
        };
        // The side that comes back here without passing the join point waits.
        let stop = join.unwrap_or(NONE);
        let again = [then, other].map(|s| s.0 == b || s.0 != stop && g.reached(s.0, stop).contains(b));
        match again {
            [true, true] => self.joins.grows.push(b),
            [false, false] => {}
            [again, _] => self.joins.first[b as usize] = Some(!again),
        }
        let Some(l) = join else { return };
        self.joins.of[b as usize] = Some(l);
        for x in g.reached(b, l).iter() {
            sets[x as usize].insert(l);
        }
    }
}

/// Closes the sets: join points that are open at an open join point are open too.
fn close(order: &[u32], sets: &mut [BitSet]) {
    let mut changed = true;
    while changed {
        changed = false;
        for &x in order {
            let mut set = sets[x as usize].clone();
            for l in sets[x as usize].iter() {
                set.union(&sets[l as usize]);
            }
            if set != sets[x as usize] {
                sets[x as usize] = set;
                changed = true;
            }
        }
    }
}
