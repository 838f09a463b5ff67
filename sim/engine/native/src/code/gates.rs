//! Atoms that are computed together, or not at all: a gate runs in the cycles in which something that it reads changed.
//!
//! A gate begins as a value that several read, or an end of the logic, with all that only it needs. Small ones are joined
//! with others that read the same, or with one of those that read them. No two gates need each other.

use super::atoms::{Atom, Atoms, Root};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

/// Gates of fewer nodes are joined with others, up to so many.
const SMALL: u32 = 40;
const LARGE: u32 = 80;

/// How often small gates are joined.
const ROUNDS: usize = 24;

/// A gate: its atoms, operands before those that use them.
pub type Gate = Vec<u32>;

/// Gates in an order in which each stands behind those that it needs; those that outputs need first.
pub fn gates(atoms: &Atoms) -> Vec<Gate> {
    let mut clusters = Clusters::cones(atoms);
    for round in 0..ROUNDS {
        if !clusters.join(round) && round % 3 == 2 {
            break;
        }
    }
    clusters.ordered()
}

/// Something that a gate reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    Node(u32),
    Reg(u32),
    Port(u32),
    Mem(u32),
}

fn keys(atom: &Atom) -> impl Iterator<Item = Key> + '_ {
    let nodes = atom.nodes.iter().map(|n| Key::Node(*n));
    let regs = atom.regs.iter().map(|r| Key::Reg(*r));
    let ports = atom.ports.iter().map(|p| Key::Port(*p));
    let mems = atom.mems.iter().map(|m| Key::Mem(*m));
    nodes.chain(regs).chain(ports).chain(mems)
}

struct Clusters<'a> {
    atoms: &'a [Atom],
    /// Cluster of each atom; none where nothing reads it.
    of: Vec<Option<u32>>,
    count: usize,
}

/// The clusters as a graph.
struct Graph {
    size: Vec<u32>,
    early: Vec<bool>,
    /// It writes a memory, and stays alone.
    alone: Vec<bool>,
    /// Clusters that read it, and that it reads; ascending.
    readers: Vec<Vec<u32>>,
    reads: Vec<Vec<u32>>,
    level: Vec<u32>,
    keys: Vec<Vec<Key>>,
}

impl<'a> Clusters<'a> {
    /// Ends of the logic, and values that several of them read, each with what only it needs.
    fn cones(atoms: &'a Atoms) -> Self {
        let atoms = &atoms.list;
        let mut readers = vec![vec![]; atoms.len()];
        for (i, atom) in (0..).zip(atoms) {
            atom.nodes.iter().for_each(|n| readers[*n as usize].push(i));
        }
        let mut out = Clusters { atoms, of: vec![None; atoms.len()], count: 0 };
        for i in (0..atoms.len()).rev() {
            let mut clusters = readers[i].iter().filter_map(|r: &u32| out.of[*r as usize]);
            out.of[i] = match (&atoms[i].root, clusters.next()) {
                (Root::Node(_), None) => None,
                (Root::Node(_), Some(first))
                    if clusters.all(|c| c == first)
                        && !readers[i].iter().any(|r| matches!(atoms[*r as usize].root, Root::Writes(_))) =>
                {
                    Some(first)
                }
                _ => {
                    out.count += 1;
                    Some(out.count as u32 - 1)
                }
            };
        }
        out
    }

    fn graph(&self) -> Graph {
        let n = self.count;
        let mut g = Graph {
            size: vec![0; n],
            early: vec![false; n],
            alone: vec![false; n],
            readers: vec![vec![]; n],
            reads: vec![vec![]; n],
            level: vec![0; n],
            keys: vec![vec![]; n],
        };
        for (atom, of) in self.atoms.iter().zip(&self.of) {
            let Some(c) = of.map(|c| c as usize) else { continue };
            g.size[c] += atom.size;
            g.early[c] |= atom.early;
            g.alone[c] |= matches!(atom.root, Root::Writes(_));
            for key in keys(atom) {
                match key {
                    Key::Node(a) => {
                        let from = self.of[a as usize].expect("it is read");
                        if from as usize != c {
                            g.reads[c].push(from);
                            g.readers[from as usize].push(c as u32);
                            g.keys[c].push(key);
                        }
                    }
                    _ => g.keys[c].push(key),
                }
            }
        }
        let lists = g.reads.iter_mut().chain(&mut g.readers);
        for list in lists {
            list.sort_unstable();
            list.dedup();
        }
        for list in &mut g.keys {
            list.sort_unstable();
            list.dedup();
        }
        let mut left: Vec<usize> = g.reads.iter().map(Vec::len).collect();
        let mut ready: Vec<usize> = (0..n).filter(|c| left[*c] == 0).collect();
        let mut done = 0;
        while let Some(c) = ready.pop() {
            done += 1;
            for r in &g.readers[c] {
                let r = *r as usize;
                g.level[r] = g.level[r].max(g.level[c] + 1);
                left[r] -= 1;
                if left[r] == 0 {
                    ready.push(r);
                }
            }
        }
        debug_assert_eq!(done, n, "no two gates need each other");
        g
    }

    /// Joins small clusters with others; whether any was.
    ///
    /// Clusters of one level never need each other, nor do those that nothing reads: rounds 0 and 1 of three join these. Round 2
    /// joins a cluster with a reader of the next level, where no other join of the round leads into it.
    fn join(&mut self, round: usize) -> bool {
        let g = self.graph();
        let n = self.count;
        let mut users: HashMap<Key, Vec<u32>> = HashMap::new();
        for (c, keys) in (0..).zip(&g.keys) {
            keys.iter().for_each(|k| users.entry(*k).or_default().push(c));
        }
        let mut order: Vec<usize> = (0..n).filter(|c| g.size[*c] < SMALL && !g.alone[*c]).collect();
        order.sort_by_key(|c| g.size[*c]);
        let mut taken = vec![false; n];
        let mut blocked = vec![false; n];
        let mut to: Vec<u32> = (0..n as u32).collect();
        let mut joined = false;
        let fits = |a: usize, b: usize| !g.alone[b] && g.early[a] == g.early[b] && g.size[a] + g.size[b] <= LARGE;
        for c in order {
            if taken[c] {
                continue;
            }
            let best = if round % 3 < 2 {
                let mut score: BTreeMap<u32, f64> = BTreeMap::new();
                for key in &g.keys[c] {
                    let list = &users[key];
                    if list.len() > 200 {
                        continue;
                    }
                    for &other in list {
                        let o = other as usize;
                        let apart = g.level[o] == g.level[c] || g.readers[o].is_empty() && g.readers[c].is_empty();
                        if o != c && apart && !taken[o] && fits(c, o) {
                            *score.entry(other).or_default() += 1.0;
                        }
                    }
                }
                let of = |(o, s): &(u32, f64)| {
                    let all = g.keys[c].len() + g.keys[*o as usize].len();
                    s / (all as f64 - s)
                };
                let best = score.into_iter().max_by(|a, b| of(a).total_cmp(&of(b)));
                best.map(|(o, _)| o as usize)
            } else if g.level[c] % 2 == (round as u32 / 3) % 2 {
                let next = |o: &&u32| g.level[**o as usize] == g.level[c] + 1;
                let readers = || g.readers[c].iter().filter(next).map(|o| *o as usize);
                let clear = |o: usize| readers().all(|r| r == o || !taken[r]);
                let can = |o: &usize| !taken[*o] && !blocked[*o] && fits(c, *o) && clear(*o);
                let shared = |o: &usize| {
                    let keys = &g.keys[*o];
                    let both = g.keys[c].iter().filter(|k| keys.binary_search(k).is_ok());
                    both.count()
                };
                readers().filter(can).max_by_key(|o| (shared(o), Reverse(g.size[*o])))
            } else {
                None
            };
            if let Some(o) = best {
                (taken[c], taken[o], joined) = (true, true, true);
                to[o] = c as u32;
                if round % 3 == 2 {
                    g.readers[c].iter().for_each(|r| blocked[*r as usize] = true);
                }
            }
        }
        // New numbers without gaps.
        let mut number = vec![u32::MAX; n];
        let mut count = 0;
        for c in 0..n {
            if to[c] as usize == c {
                number[c] = count;
                count += 1;
            }
        }
        for of in self.of.iter_mut().flatten() {
            *of = number[to[*of as usize] as usize];
        }
        self.count = count as usize;
        joined
    }

    /// Gates in order: behind what they need, readers of a memory before it is written; and, where that is possible, readers of a
    /// register before it is written.
    fn ordered(&self) -> Vec<Gate> {
        let g = self.graph();
        let n = self.count;
        let mut atoms: Vec<Gate> = vec![vec![]; n];
        let mut writer: HashMap<Key, u32> = HashMap::new();
        for (i, of) in (0..).zip(&self.of) {
            let Some(c) = *of else { continue };
            atoms[c as usize].push(i);
            match &self.atoms[i as usize].root {
                Root::Regs(regs) => {
                    writer.extend(regs.iter().map(|r| (Key::Reg(*r), c)));
                }
                Root::Writes(mem) => {
                    writer.insert(Key::Mem(*mem), c);
                }
                Root::Node(_) | Root::Output(..) => {}
            }
        }
        let mut hard: Vec<BTreeSet<u32>> = g.readers.iter().map(|r| r.iter().copied().collect()).collect();
        let mut soft: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); n];
        for (c, keys) in g.keys.iter().enumerate() {
            for key in keys {
                match (key, writer.get(key)) {
                    (Key::Mem(_), Some(w)) if *w != c as u32 => {
                        hard[c].insert(*w);
                    }
                    (Key::Reg(_), Some(w)) if *w != c as u32 => {
                        soft[c].insert(*w);
                    }
                    _ => {}
                }
            }
        }
        let count = |lists: &[BTreeSet<u32>]| {
            let mut count = vec![0u32; n];
            for o in lists.iter().flatten() {
                count[*o as usize] += 1;
            }
            count
        };
        let (mut needs, mut waits) = (count(&hard), count(&soft));
        // Early ones first, then those whose registers wait for the fewest.
        let mut ready: BinaryHeap<Reverse<(bool, u32, u32)>> = BinaryHeap::new();
        let entry = |c: usize, waits: &[u32]| Reverse((!g.early[c], waits[c], c as u32));
        for c in (0..n).filter(|c| needs[*c] == 0) {
            ready.push(entry(c, &waits));
        }
        let mut done = vec![false; n];
        let mut out = vec![];
        while let Some(Reverse((_, w, c))) = ready.pop() {
            let c = c as usize;
            if done[c] || w != waits[c] {
                continue;
            }
            done[c] = true;
            out.push(std::mem::take(&mut atoms[c]));
            for o in &soft[c] {
                let o = *o as usize;
                waits[o] -= 1;
                if needs[o] == 0 && !done[o] {
                    ready.push(entry(o, &waits));
                }
            }
            for o in &hard[c] {
                let o = *o as usize;
                needs[o] -= 1;
                if needs[o] == 0 {
                    ready.push(entry(o, &waits));
                }
            }
        }
        assert_eq!(out.len(), n, "no two gates need each other");
        out
    }
}
