//! Common subexpressions: a computation is replaced by the same one that dominates it.

use super::cfg::graph;
use crate::ir::{Function, Op, Operand, Space, Term, Value};
use std::collections::HashMap;

/// True when equal sources give equal results wherever the operation stands.
pub fn is_pure(op: &Op) -> bool {
    match op {
        Op::Load { space: Space::Param | Space::Const, volatile: false, .. } => true,
        Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } | Op::Lock { .. } | Op::Unlock { .. } => false,
        Op::Vote { .. } | Op::Barrier | Op::Fence | Op::Args | Op::Results => false,
        Op::Special(crate::ir::Special::Clock) => false,
        _ => true,
    }
}

/// True when the first two sources may be exchanged.
pub fn is_commutative(op: &Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Mul
            | Op::MulHi { .. }
            | Op::Mul16 { .. }
            | Op::Mul24 { .. }
            | Op::Min { .. }
            | Op::Max { .. }
            | Op::Sad { .. }
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::FAdd { .. }
            | Op::FMul { .. }
            | Op::FMad { .. }
    )
}

/// Replaces values in all operands of a function.
pub fn replace(f: &mut Function, with: &[Option<Operand>]) {
    let follow = |o: &mut Operand| {
        for _ in 0..with.len() {
            match o {
                Operand::Value(v) => match with.get(v.0 as usize).copied().flatten() {
                    Some(n) => *o = n,
                    None => return,
                },
                Operand::Imm(_) => return,
            }
        }
    };
    for block in &mut f.blocks {
        for p in &mut block.phis {
            p.args.iter_mut().for_each(|a| follow(&mut a.1));
        }
        for i in &mut block.insts {
            i.src.iter_mut().for_each(follow);
        }
        if let Term::Branch { cond, .. } = &mut block.term {
            follow(cond);
        }
    }
}

/// Removes repeated computations. True when anything changed.
pub fn run(f: &mut Function) -> bool {
    let g = graph(f);
    let children = g.dominators().children();
    let mut with: Vec<Option<Operand>> = vec![None; f.types.len()];
    let mut table: HashMap<(Op, Vec<Operand>), Vec<Vec<Value>>> = HashMap::new();
    let mut scopes: Vec<Vec<(Op, Vec<Operand>)>> = vec![Vec::new(); f.blocks.len()];
    let mut work = vec![(0u32, false)];
    let mut changed = false;
    while let Some((b, left)) = work.pop() {
        if left {
            for key in std::mem::take(&mut scopes[b as usize]) {
                if let Some(list) = table.get_mut(&key) {
                    list.pop();
                }
            }
            continue;
        }
        work.push((b, true));
        let mut insts = std::mem::take(&mut f.blocks[b as usize].insts);
        insts.retain_mut(|i| {
            for o in &mut i.src {
                while let Operand::Value(v) = o {
                    match with[v.0 as usize] {
                        Some(n) => *o = n,
                        None => break,
                    }
                }
            }
            if !is_pure(&i.op) {
                return true;
            }
            let mut src = i.src.clone();
            if is_commutative(&i.op) {
                src[..2].sort_by_key(order);
            }
            let key = (i.op, src);
            if let Some(known) = table.get(&key).and_then(|l| l.last()) {
                for (d, k) in i.dst.iter().zip(known) {
                    with[d.0 as usize] = Some(Operand::Value(*k));
                }
                changed = true;
                return false;
            }
            table.entry(key.clone()).or_default().push(i.dst.clone());
            scopes[b as usize].push(key);
            true
        });
        f.blocks[b as usize].insts = insts;
        work.extend(children[b as usize].iter().map(|c| (*c, false)));
    }
    replace(f, &with);
    changed
}

/// Order of commutative operands: values by number, immediates last.
fn order(o: &Operand) -> (bool, u32) {
    match o {
        Operand::Value(v) => (false, v.0),
        Operand::Imm(n) => (true, *n),
    }
}
