//! Dead code: values that no store, barrier, branch or volatile access needs.

use crate::ir::{Function, Op, Operand, Term};

/// True for operations that stay even with unused results.
pub fn has_effect(op: &Op) -> bool {
    matches!(
        op,
        Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Lock { .. }
            | Op::Unlock { .. }
            | Op::Barrier
            | Op::Fence
            | Op::Load { volatile: true, .. }
            | Op::Args
            | Op::Results
    )
}

/// Removes unused phis and instructions. Expects single assignment.
pub fn run(f: &mut Function) {
    let n = f.types.len();
    // Place of the definition of every value: block, and index in phis or instructions.
    let mut def: Vec<Option<(usize, bool, usize)>> = vec![None; n];
    let mut work: Vec<Operand> = Vec::new();
    for (b, block) in f.blocks.iter().enumerate() {
        for (k, p) in block.phis.iter().enumerate() {
            def[p.dst.0 as usize] = Some((b, true, k));
        }
        for (k, i) in block.insts.iter().enumerate() {
            for d in &i.dst {
                def[d.0 as usize] = Some((b, false, k));
            }
            if has_effect(&i.op) {
                work.extend(&i.src);
            }
        }
        if let Term::Branch { cond, .. } = &block.term {
            work.push(*cond);
        }
    }
    let mut live = vec![false; n];
    while let Some(o) = work.pop() {
        let Operand::Value(v) = o else { continue };
        if std::mem::replace(&mut live[v.0 as usize], true) {
            continue;
        }
        match def[v.0 as usize] {
            Some((b, true, k)) => work.extend(f.blocks[b].phis[k].args.iter().map(|a| a.1)),
            Some((b, false, k)) => work.extend(&f.blocks[b].insts[k].src),
            None => {}
        }
    }
    for block in &mut f.blocks {
        block.phis.retain(|p| live[p.dst.0 as usize]);
        block.insts.retain(|i| has_effect(&i.op) || i.dst.iter().any(|d| live[d.0 as usize]));
    }
}
