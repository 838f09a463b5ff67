//! Control-flow graph: constant branches, unreachable blocks, chains of blocks.

use crate::flow::graph::Graph;
use crate::ir::{BlockId, Function, Inst, Op, Operand, Term};

/// The graph of a function.
pub fn graph(f: &Function) -> Graph {
    Graph::new(f.blocks.len(), |b| f.blocks[b as usize].term.successors().map(|s| s.0).collect::<Vec<_>>())
}

/// Folds branches, removes unreachable blocks, merges chains. True when anything changed.
pub fn clean(f: &mut Function) -> bool {
    let mut changed = false;
    loop {
        let mut again = fold_branches(f);
        again |= drop_unreachable(f);
        if !f.ssa {
            again |= skip_empty(f);
        }
        again |= merge_chains(f);
        if !again {
            return changed;
        }
        changed = true;
    }
}

/// Branches on constants, and those with one target, become jumps.
fn fold_branches(f: &mut Function) -> bool {
    let mut changed = false;
    for b in f.ids().collect::<Vec<_>>() {
        let Term::Branch { cond, then, other } = f.block(b).term else { continue };
        let (to, dropped) = match cond {
            _ if then == other => (then, None),
            Operand::Imm(0) => (other, Some(then)),
            Operand::Imm(_) => (then, Some(other)),
            Operand::Value(_) => continue,
        };
        f.block_mut(b).term = Term::Jump(to);
        if let Some(d) = dropped {
            for p in &mut f.block_mut(d).phis {
                p.args.retain(|a| a.0 != b);
            }
        }
        changed = true;
    }
    changed
}

/// Removes unreachable blocks and renumbers the rest.
fn drop_unreachable(f: &mut Function) -> bool {
    let order = graph(f).rpo();
    if order.len() == f.blocks.len() {
        return false;
    }
    let mut keep = vec![false; f.blocks.len()];
    for b in order {
        keep[b as usize] = true;
    }
    let mut number = vec![None; f.blocks.len()];
    let mut next = 0;
    for (b, k) in keep.iter().enumerate() {
        if *k {
            number[b] = Some(BlockId(next));
            next += 1;
        }
    }
    let old = std::mem::take(&mut f.blocks);
    for (mut block, k) in old.into_iter().zip(keep) {
        if !k {
            continue;
        }
        for s in block.term.successors_mut() {
            if let Some(n) = number[s.0 as usize] {
                *s = n;
            }
        }
        for p in &mut block.phis {
            p.args.retain_mut(|a| match number[a.0 .0 as usize] {
                Some(n) => {
                    a.0 = n;
                    true
                }
                None => false,
            });
        }
        f.blocks.push(block);
    }
    true
}

/// Leads edges past blocks that only jump. Not in single assignment, where phis name edges.
fn skip_empty(f: &mut Function) -> bool {
    let mut changed = false;
    for b in 0..f.blocks.len() {
        let mut term = f.blocks[b].term.clone();
        for s in term.successors_mut() {
            let mut steps = 0;
            while steps < f.blocks.len() {
                let at = f.block(*s);
                match at.term {
                    Term::Jump(next) if at.insts.is_empty() && next != *s && s.0 != 0 => *s = next,
                    _ => break,
                }
                changed = true;
                steps += 1;
            }
            // A ring of empty blocks is an endless loop: any of them will do.
            if steps == f.blocks.len() {
                return false;
            }
        }
        f.blocks[b].term = term;
    }
    changed
}

/// Appends a block to its only predecessor when that has no other successor.
fn merge_chains(f: &mut Function) -> bool {
    let mut changed = false;
    let mut preds = vec![0u32; f.blocks.len()];
    for b in &f.blocks {
        for s in b.term.successors() {
            preds[s.0 as usize] += 1;
        }
    }
    for b in 0..f.blocks.len() {
        while let Term::Jump(s) = f.blocks[b].term {
            let s = s.0 as usize;
            if s == b || s == 0 || preds[s] != 1 {
                break;
            }
            let phis = std::mem::take(&mut f.blocks[s].phis);
            let insts = std::mem::take(&mut f.blocks[s].insts);
            let term = std::mem::replace(&mut f.blocks[s].term, Term::Jump(BlockId(s as u32)));
            let loc = f.blocks[s].loc;
            let into = &mut f.blocks[b];
            for p in phis {
                if let Some((_, o)) = p.args.first() {
                    into.insts.push(Inst { op: Op::Copy, dst: vec![p.dst], src: vec![*o], loc });
                }
            }
            into.insts.extend(insts);
            into.term = term;
            into.loc = loc;
            preds[s] = 0;
            let targets: Vec<BlockId> = f.blocks[b].term.successors().collect();
            for t in targets {
                for p in &mut f.block_mut(t).phis {
                    for a in &mut p.args {
                        if a.0 .0 as usize == s {
                            a.0 = BlockId(b as u32);
                        }
                    }
                }
            }
            changed = true;
        }
    }
    if changed {
        drop_unreachable(f);
    }
    changed
}
