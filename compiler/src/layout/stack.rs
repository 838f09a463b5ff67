//! Entries of the divergence stack a kernel needs at most.
//!
//! The stack holds one entry for each open join point and one for each divergent branch whose
//! other side still waits. The height is followed through the graph: a push adds one; the side
//! of a divergent branch that runs first sees one more than the other; behind a join point the
//! height is that below its own entry. Of several ways to a block the greatest counts.

use super::plan::{End, Plan};
use crate::flow::Entry;
use crate::mir::{Function, Term};
use std::collections::HashMap;

/// Heights at a place: of every entry that is open, and in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Heights {
    open: Vec<(Entry, u32)>,
    top: u32,
}

/// Stack entries of [`Term::Any`] while it asks.
const ASK: u32 = 2;
/// A branch that keeps a side waiting in every round adds an entry for each thread at most.
const THREADS: u32 = 32;
/// More than any kernel needs whose stack does not grow from round to round.
const MANY: u32 = 64;

/// Heights of a function.
pub struct Need {
    /// The greatest anywhere.
    pub most: u32,
    /// The greatest in each block and on the edges behind it.
    pub peak: Vec<u32>,
    /// The greatest on each edge, without what its target pops or it pushes for its target.
    pub edges: HashMap<(u32, u32), u32>,
}

/// Greatest height anywhere in the code.
pub fn depth(f: &Function, plan: &Plan) -> u32 {
    need(f, plan).most
}

/// Heights of all blocks and edges. They are not complete where the stack grows from round to round.
pub fn need(f: &Function, plan: &Plan) -> Need {
    let n = f.blocks.len();
    let mut at: Vec<Option<Heights>> = vec![None; n];
    let mut need = Need { most: 0, peak: vec![0; n], edges: HashMap::new() };
    if let Some(entry) = at.first_mut() {
        *entry = Some(Heights::default());
    }
    let mut work = vec![0u32];
    while let Some(b) = work.pop() {
        let Some(mut here) = at[b as usize].clone() else { continue };
        let top = here.top;
        here.push(&plan.joins.pushes(b));
        let term = f.blocks[b as usize].term;
        let ask = if matches!(term, Term::Any { .. }) { ASK } else { 0 };
        need.reach(b, here.top + ask);
        let calls = f.blocks[b as usize].insts.iter().filter_map(|i| i.call);
        if let Some(most) = calls.map(|c| u32::from(c.stack)).max() {
            need.reach(b, top + most);
        }
        let divergent = matches!(term, Term::Branch { divergent: true, .. });
        let taken = plan.taken(f, b);
        for s in term.successors() {
            let mut there = here.clone();
            let edge = plan.edge(b, s.0);
            if divergent && taken == Some(s.0) && edge.end != End::Break {
                there.top += 1;
            }
            let leaves = there.top;
            if edge.end == End::Break {
                // The threads go on behind PBK's entry when all have left.
                let mut scope = plan.joins.scope[b as usize];
                while let Some(left) = scope {
                    there.pop(Entry::Break(left));
                    let out = plan.edge_out(left);
                    scope = plan.joins.scopes[left as usize].parent;
                    if out.end != End::Break {
                        need.reach(b, there.top + out.push.len() as u32);
                        there.arrive(&out.push, out.end, s.0);
                        scope = None;
                    }
                }
            } else {
                need.reach(b, there.top + edge.push.len() as u32);
                there.arrive(&edge.push, edge.end, s.0);
            }
            let keep = &plan.joins.open[s.0 as usize];
            there.open.retain(|o| keep.contains(&o.0));
            let edge = need.edges.entry((b, s.0)).or_default();
            *edge = there.top.min(leaves).max(*edge);
            if need.most > MANY {
                let open = plan.joins.open.iter().map(Vec::len).max().unwrap_or(0);
                need.most = THREADS + open as u32;
                return need;
            }
            if join(&mut at[s.0 as usize], there) {
                work.push(s.0);
            }
        }
    }
    need
}

impl Need {
    fn reach(&mut self, b: u32, height: u32) {
        self.most = self.most.max(height);
        self.peak[b as usize] = self.peak[b as usize].max(height);
    }
}

impl Heights {
    fn push(&mut self, list: &[Entry]) {
        for &e in list {
            self.top += 1;
            self.open.push((e, self.top));
        }
    }

    /// Takes an entry away, with all above it.
    fn pop(&mut self, e: Entry) {
        let own = self.open.iter().find(|o| o.0 == e);
        self.top = own.map_or(self.top, |o| o.1.saturating_sub(1));
        self.open.retain(|o| o.0 != e && o.1 <= self.top);
    }

    fn arrive(&mut self, list: &[Entry], end: End, to: u32) {
        self.push(list);
        if end == End::Arrive {
            self.pop(Entry::Join(to));
        }
    }
}

/// Takes the greater of each height; true where that changed something.
fn join(at: &mut Option<Heights>, new: Heights) -> bool {
    let Some(old) = at else {
        *at = Some(new);
        return true;
    };
    let before = old.clone();
    old.top = old.top.max(new.top);
    for (l, h) in new.open {
        match old.open.iter_mut().find(|o| o.0 == l) {
            Some(o) => o.1 = o.1.max(h),
            None => old.open.push((l, h)),
        }
    }
    *old != before
}
