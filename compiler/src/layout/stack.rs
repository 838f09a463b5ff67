//! Entries of the divergence stack a kernel needs at most.
//!
//! The stack holds one entry for each open join point and one for each divergent branch whose
//! other side still waits. The height is followed through the graph: a push adds one; the side
//! of a divergent branch that runs first sees one more than the other; behind a join point the
//! height is that below its own entry. Of several ways to a block the greatest counts.

use super::plan::Plan;
use crate::mir::{Function, Term};

/// Heights at a place: of every open join point's entry, and in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Heights {
    open: Vec<(u32, u32)>,
    top: u32,
}

/// A branch that keeps a side waiting in every round adds an entry for each thread at most.
const THREADS: u32 = 32;
/// More than any kernel needs whose stack does not grow from round to round.
const MANY: u32 = 64;

/// Greatest height anywhere in the code.
pub fn depth(f: &Function, plan: &Plan) -> u32 {
    let n = f.blocks.len();
    let mut at: Vec<Option<Heights>> = vec![None; n];
    let mut most = 0;
    if let Some(entry) = at.first_mut() {
        *entry = Some(Heights::default());
    }
    let mut work = vec![0u32];
    while let Some(b) = work.pop() {
        let Some(mut here) = at[b as usize].clone() else {
            continue;
        };
        push(&mut here, &plan.joins.pushes(b));
        most = most.max(here.top);
        let divergent = matches!(
            f.blocks[b as usize].term,
            Term::Branch {
                divergent: true,
                ..
            }
        );
        let taken = plan.taken(f, b);
        for s in f.blocks[b as usize].term.successors() {
            let mut there = here.clone();
            if divergent && taken == Some(s.0) {
                there.top += 1;
            }
            let edge = plan.edge(b, s.0);
            push(&mut there, &edge.push);
            most = most.max(there.top);
            if edge.arrives {
                let own = there.open.iter().find(|o| o.0 == s.0);
                there.top = own.map_or(there.top, |o| o.1.saturating_sub(1));
            }
            let keep = &plan.joins.open[s.0 as usize];
            there.open.retain(|o| keep.contains(&o.0));
            if most > MANY {
                let open = plan.joins.open.iter().map(Vec::len).max().unwrap_or(0);
                return THREADS + open as u32;
            }
            if join(&mut at[s.0 as usize], there) {
                work.push(s.0);
            }
        }
    }
    most
}

fn push(h: &mut Heights, list: &[u32]) {
    for &l in list {
        h.top += 1;
        h.open.push((l, h.top));
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
