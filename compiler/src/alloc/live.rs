//! Liveness of the words of virtual registers.
//!
//! Registers are private to a thread, so liveness on the graph of one thread is right whatever the
//! other threads of the warp do. A write under a guard, to a half or to some lanes leaves the rest
//! of the register: it ends no live range, unless nothing was written before on any way.

use crate::flow::bits::BitSet;
use crate::flow::graph::Graph;
use crate::mir::{Function, How, Term, Units};

/// Live and written words at the borders of blocks.
#[derive(Clone, Debug)]
pub struct Live {
    /// Live behind the terminator, its flag included.
    after: Vec<BitSet>,
    before: Vec<BitSet>,
    /// Written on some way to the start of the block.
    written: Vec<BitSet>,
    reachable: Vec<bool>,
    /// Partial writes that are the first ones: (instruction, unit), by block.
    first: Vec<Vec<(u32, u32)>>,
}

impl Live {
    /// Computes liveness of all words.
    pub fn new(f: &Function, units: &Units) -> Live {
        let n = f.blocks.len();
        let graph = graph(f);
        let rpo = graph.rpo();
        let empty = BitSet::new(units.len());
        let mut live = Live {
            after: vec![empty.clone(); n],
            before: vec![empty.clone(); n],
            written: vec![empty; n],
            reachable: vec![false; n],
            first: vec![Vec::new(); n],
        };
        rpo.iter().for_each(|&b| live.reachable[b as usize] = true);
        live.forward(f, units, &graph, &rpo);
        live.backward(f, units, &graph, &rpo);
        live
    }

    fn forward(&mut self, f: &Function, units: &Units, graph: &Graph, rpo: &[u32]) {
        let writes = |b: u32, set: &mut BitSet, first: &mut dyn FnMut(u32, u32)| {
            for (i, inst) in f.blocks[b as usize].insts.iter().enumerate() {
                inst.accesses(|a| {
                    if a.how != How::Read {
                        for u in units.access(f, a) {
                            if set.insert(u) && a.how == How::Partial {
                                first(i as u32, u);
                            }
                        }
                    }
                });
            }
        };
        if let Some(entry) = self.written.first_mut() {
            entry.insert(units.reg(f.entry));
            f.arguments().for_each(|r| {
                entry.insert(units.reg(r));
            });
        }
        let mut out: Vec<Option<BitSet>> = vec![None; f.blocks.len()];
        let mut own: Vec<Option<BitSet>> = vec![None; f.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for &b in rpo {
                let i = b as usize;
                let mut set = std::mem::take(&mut self.written[i]);
                let mut grown = out[i].is_none();
                for &p in &graph.pred[i] {
                    if let Some(o) = &out[p as usize] {
                        grown |= set.union(o);
                    }
                }
                if grown {
                    let own = own[i].get_or_insert_with(|| {
                        let mut own = BitSet::new(units.len());
                        writes(b, &mut own, &mut |_, _| {});
                        own
                    });
                    let mut o = set.clone();
                    o.union(own);
                    changed |= out[i].as_ref() != Some(&o);
                    out[i] = Some(o);
                }
                self.written[i] = set;
            }
        }
        for &b in rpo {
            let mut set = self.written[b as usize].clone();
            let mut list = Vec::new();
            writes(b, &mut set, &mut |i, u| list.push((i, u)));
            self.first[b as usize] = list;
        }
    }

    fn backward(&mut self, f: &Function, units: &Units, graph: &Graph, rpo: &[u32]) {
        // The registers each block reads before it writes them, and those it writes, are found once.
        let summary: Vec<(BitSet, BitSet)> = (0..f.blocks.len()).map(|b| self.summary(f, units, b)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for &b in rpo.iter().rev() {
                let i = b as usize;
                let mut set = std::mem::take(&mut self.after[i]);
                for &s in &graph.succ[i] {
                    set.union(&self.before[s as usize]);
                }
                if matches!(f.blocks[i].term, Term::Return | Term::ReturnIf { .. }) {
                    f.results().for_each(|r| {
                        set.insert(units.reg(r));
                    });
                }
                if let Some(flag) = f.blocks[i].term.flag() {
                    set.insert(units.reg(flag));
                }
                let (read, killed) = &summary[i];
                let mut before = set.clone();
                before.subtract(killed);
                before.union(read);
                before.intersect(&self.written[i]);
                changed |= self.before[i] != before;
                self.before[i] = before;
                self.after[i] = set;
            }
        }
    }

    fn summary(&self, f: &Function, units: &Units, b: usize) -> (BitSet, BitSet) {
        let mut read = BitSet::new(units.len());
        let mut killed = BitSet::new(units.len());
        let block = &f.blocks[b];
        for (i, inst) in block.insts.iter().enumerate() {
            inst.accesses(|a| {
                for u in units.access(f, a) {
                    match a.how {
                        How::Read if !killed.contains(u) => {
                            read.insert(u);
                        }
                        How::Write => {
                            killed.insert(u);
                        }
                        How::Partial if self.is_first(b, i, u) => {
                            killed.insert(u);
                        }
                        _ => {}
                    }
                }
            });
        }
        (read, killed)
    }

    fn is_first(&self, b: usize, i: usize, u: u32) -> bool {
        !self.first[b].is_empty() && self.first[b].contains(&(i as u32, u))
    }

    /// The words written on some way to the block; `None` where the block cannot be reached.
    pub fn written_before(&self, b: usize) -> Option<BitSet> {
        self.reachable[b].then(|| self.written[b].clone())
    }

    /// The words live at the start of the block.
    pub fn before(&self, b: usize) -> &BitSet {
        &self.before[b]
    }

    /// The words live behind the last instruction of the block, its terminator's flag included.
    pub fn after(&self, b: usize) -> &BitSet {
        &self.after[b]
    }

    /// Moves a set of live words from behind instruction `i` of block `b` to in front of it.
    pub fn step(&self, f: &Function, units: &Units, b: usize, i: usize, set: &mut BitSet) {
        let inst = &f.blocks[b].insts[i];
        inst.accesses(|a| {
            if a.how == How::Read {
                return;
            }
            for u in units.access(f, a) {
                if a.how == How::Write || self.is_first(b, i, u) {
                    set.remove(u);
                }
            }
        });
        inst.accesses(|a| {
            if a.how == How::Read {
                for u in units.access(f, a) {
                    set.insert(u);
                }
            }
        });
    }
}

/// The control-flow graph of a machine function.
pub fn graph(f: &Function) -> Graph {
    Graph::new(f.blocks.len(), |b| {
        let all = f.blocks[b as usize].term.successors();
        all.map(|s| s.0).collect::<Vec<_>>()
    })
}
