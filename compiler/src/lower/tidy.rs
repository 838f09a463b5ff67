//! Blocks that only jump are left out, those that are never reached dropped.

use crate::ir::{BlockId, Function, Term};

/// Leaves out empty and unreachable blocks; the entry stays block 0 and without predecessors.
pub(super) fn tidy(f: &mut Function) {
    let forward: Vec<BlockId> = f.ids().map(|b| target(f, b)).collect();
    for block in &mut f.blocks {
        for s in block.term.successors_mut() {
            *s = forward[s.0 as usize];
        }
        if let Term::Branch { then, other, .. } = block.term {
            if then == other {
                block.term = Term::Jump(then);
            }
        }
    }
    let mut order = Vec::new();
    let mut number: Vec<Option<u32>> = vec![None; f.blocks.len()];
    let mut open = vec![BlockId(0)];
    while let Some(b) = open.pop() {
        if number[b.0 as usize].is_none() {
            number[b.0 as usize] = Some(0);
            open.extend(f.block(b).term.successors());
        }
    }
    for b in f.ids() {
        if number[b.0 as usize].is_some() {
            number[b.0 as usize] = Some(order.len() as u32);
            order.push(b);
        }
    }
    let mut blocks = Vec::with_capacity(order.len());
    for b in order {
        let mut block = f.blocks[b.0 as usize].clone();
        for s in block.term.successors_mut() {
            s.0 = number[s.0 as usize].unwrap_or(0);
        }
        blocks.push(block);
    }
    f.blocks = blocks;
}

/// Where control that comes to a block ends up.
fn target(f: &Function, block: BlockId) -> BlockId {
    let mut at = block;
    // An endless loop of empty blocks ends the walk.
    for _ in 0..f.blocks.len() {
        match &f.block(at).term {
            Term::Jump(next) if f.block(at).insts.is_empty() && *next != BlockId(0) => at = *next,
            _ => break,
        }
    }
    at
}
