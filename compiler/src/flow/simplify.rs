//! Shape of the graph: no blocks that only jump, no branches to a lone return, no dead blocks.

use super::graph::NONE;
use crate::alloc::live::graph;
use crate::mir::{Block, BlockId, Function, Term};

/// Simplifies until nothing changes: threads jumps through empty blocks, turns branches to a lone
/// return into returns under a guard, joins a block with its only predecessor, drops what cannot
/// be reached. Numbers of blocks change; the entry stays the first.
pub fn simplify(f: &mut Function) {
    loop {
        let mut changed = thread(f);
        changed |= returns(f);
        drop_unreachable(f);
        changed |= merge(f);
        if !changed {
            return;
        }
        drop_unreachable(f);
    }
}

/// Gives the entry a block of its own where a loop leads back to it.
pub fn separate_entry(f: &mut Function) {
    let back = |b: &Block| b.term.successors().any(|s| s.0 == 0);
    if !f.blocks.iter().any(back) {
        return;
    }
    let loc = f.blocks[0].loc;
    f.blocks.insert(0, Block { insts: Vec::new(), term: Term::Jump(BlockId(0)), loc, loop_depth: 0 });
    for b in &mut f.blocks {
        targets(&mut b.term, |t| *t += 1);
    }
}

/// Gives loops that threads leave at different times one way in: a block in front of the header
/// that only jumps there.
pub fn preheaders(f: &mut Function) {
    let g = graph(f);
    for l in &g.loops().list {
        let inside = |b: u32| l.body.binary_search(&b).is_ok();
        let leaves = |&b: &u32| {
            let term = f.blocks[b as usize].term;
            matches!(term, Term::Branch { divergent: true, .. }) && !term.successors().all(|s| inside(s.0))
        };
        let from = &g.pred[l.header as usize];
        let outside: Vec<u32> = from.iter().copied().filter(|&p| !inside(p)).collect();
        let jumps = |&p: &u32| matches!(f.blocks[p as usize].term, Term::Jump(_));
        let alone = outside.len() == 1 && outside.iter().all(jumps);
        if l.entries != 1 || alone || !l.body.iter().any(leaves) {
            continue;
        }
        let new = f.blocks.len() as u32;
        let depth = f.blocks[l.header as usize].loop_depth;
        f.blocks.push(Block {
            insts: Vec::new(),
            term: Term::Jump(BlockId(l.header)),
            loc: f.blocks[l.header as usize].loc,
            loop_depth: depth.saturating_sub(1),
        });
        for p in outside {
            targets(&mut f.blocks[p as usize].term, |t| {
                if *t == l.header {
                    *t = new;
                }
            });
        }
    }
}

pub(super) fn targets(term: &mut Term, mut change: impl FnMut(&mut u32)) {
    match term {
        Term::Jump(b) | Term::ReturnIf { other: b, .. } => change(&mut b.0),
        Term::Branch { then, other, .. } | Term::Any { then, other, .. } => {
            change(&mut then.0);
            change(&mut other.0);
        }
        Term::Return | Term::Trap => {}
    }
}

/// Where control goes from an empty block on.
fn through(f: &Function, from: u32) -> u32 {
    let mut at = from;
    for _ in 0..f.blocks.len() {
        match f.blocks.get(at as usize) {
            Some(b) if b.insts.is_empty() => match b.term {
                Term::Jump(next) => at = next.0,
                _ => return at,
            },
            _ => return at,
        }
    }
    // A circle of empty blocks: an endless loop.
    from
}

fn thread(f: &mut Function) -> bool {
    let mut changed = false;
    for b in 0..f.blocks.len() {
        let mut term = f.blocks[b].term;
        targets(&mut term, |t| *t = through(f, *t));
        term = match term {
            Term::Branch { then, other, .. } | Term::Any { then, other, .. } if then == other => Term::Jump(then),
            Term::Branch { guard, other, .. } if guard.code == 0 => Term::Jump(other),
            Term::ReturnIf { guard, other, .. } if guard.code == 0 => Term::Jump(other),
            t => t,
        };
        changed |= term != f.blocks[b].term;
        f.blocks[b].term = term;
    }
    changed
}

fn returns(f: &mut Function) -> bool {
    let lone: Vec<bool> = f.blocks.iter().map(|b| b.insts.is_empty() && b.term == Term::Return).collect();
    let lone = |b: BlockId| lone.get(b.0 as usize).copied().unwrap_or(false);
    let mut changed = false;
    for b in &mut f.blocks {
        let new = match b.term {
            Term::Jump(t) if lone(t) => Term::Return,
            Term::ReturnIf { other, .. } if lone(other) => Term::Return,
            Term::Branch { then, other, .. } if lone(then) && lone(other) => Term::Return,
            Term::Branch { guard, then, other, divergent } if lone(then) => Term::ReturnIf { guard, other, divergent },
            Term::Branch { guard, then, other, divergent } if lone(other) => {
                Term::ReturnIf { guard: guard.inverse(), other: then, divergent }
            }
            t => t,
        };
        changed |= new != b.term;
        b.term = new;
    }
    changed
}

/// Appends a block to the only one that leads to it.
fn merge(f: &mut Function) -> bool {
    let mut preds = vec![0u32; f.blocks.len()];
    for s in f.blocks.iter().flat_map(|b| b.term.successors()) {
        preds[s.0 as usize] += 1;
    }
    let mut changed = false;
    for b in 0..f.blocks.len() {
        while let Term::Jump(BlockId(t)) = f.blocks[b].term {
            if t == 0 || t as usize == b || preds[t as usize] != 1 {
                break;
            }
            let next = &mut f.blocks[t as usize];
            let (insts, term, loc) = (std::mem::take(&mut next.insts), next.term, next.loc);
            // The emptied block keeps no edge; it cannot be reached any more.
            next.term = Term::Return;
            preds[t as usize] = 0;
            let block = &mut f.blocks[b];
            block.insts.extend(insts);
            (block.term, block.loc) = (term, loc);
            changed = true;
        }
    }
    changed
}

fn drop_unreachable(f: &mut Function) {
    let mut seen = vec![false; f.blocks.len()];
    let mut work: Vec<u32> = (0..f.blocks.len().min(1) as u32).collect();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut seen[b as usize], true) {
            work.extend(f.blocks[b as usize].term.successors().map(|s| s.0));
        }
    }
    if seen.iter().all(|&s| s) {
        return;
    }
    let mut number = vec![NONE; f.blocks.len()];
    let kept = seen.iter().enumerate().filter(|(_, &s)| s);
    for (next, (b, _)) in kept.enumerate() {
        number[b] = next as u32;
    }
    let mut keep = seen.iter();
    f.blocks.retain(|_| keep.next().copied().unwrap_or(false));
    for b in &mut f.blocks {
        targets(&mut b.term, |t| *t = number[*t as usize]);
    }
}
