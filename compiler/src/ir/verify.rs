//! Checks of the intermediate representation, run in tests after every pass.

use super::{print, Function, Op, Operand, Term, Ty, Value};
use std::collections::HashSet;

/// Everything wrong with a function, in order of its blocks; empty when it is whole.
///
/// Checked are: types and numbers of operands and results, targets, phis name exactly the
/// predecessors, and with [`Function::ssa`]: one definition a value, and every use reached by it.
pub fn verify(f: &Function) -> Vec<String> {
    let mut out = Vec::new();
    let n = f.blocks.len();
    if n == 0 {
        return vec!["a function has at least one block".into()];
    }
    let mut preds = vec![Vec::new(); n];
    for b in f.ids() {
        for s in f.block(b).term.successors() {
            match preds.get_mut(s.0 as usize) {
                Some(p) => p.push(b),
                None => {
                    out.push(format!("b{}: jumps to b{}, which does not exist", b.0, s.0));
                    return out;
                }
            }
        }
    }
    if !preds[0].is_empty() {
        out.push("the entry has a predecessor".into());
    }
    let mut defined = HashSet::new();
    for b in f.ids() {
        let block = f.block(b);
        for p in &block.phis {
            if !defined.insert(p.dst) && f.ssa {
                out.push(format!("b{}: %{} is defined twice", b.0, p.dst.0));
            }
            let mut from: Vec<_> = p.args.iter().map(|a| a.0).collect();
            from.sort();
            let mut want = preds[b.0 as usize].clone();
            want.sort();
            want.dedup();
            if from != want {
                out.push(format!("b{}: phi of %{} names {from:?}, the predecessors are {want:?}", b.0, p.dst.0));
            }
            for (_, o) in &p.args {
                if type_of(f, *o).is_some_and(|t| t != f.ty(p.dst)) {
                    out.push(format!("b{}: phi of %{} mixes types", b.0, p.dst.0));
                }
            }
        }
        for i in &block.insts {
            for d in &i.dst {
                if !defined.insert(*d) && f.ssa {
                    out.push(format!("b{}: %{} is defined twice", b.0, d.0));
                }
            }
            if let Some(problem) = shape(f, i) {
                out.push(format!("b{}: {}: {problem}", b.0, print::inst(f, i)));
            }
        }
        if let Term::Branch { cond, .. } = &block.term {
            if type_of(f, *cond).is_some_and(|t| t != Ty::Pred) {
                out.push(format!("b{}: branches on a word", b.0));
            }
        }
    }
    if f.ssa {
        reached(f, &preds, &mut out);
    }
    out
}

/// Type of an operand, `None` for an immediate.
fn type_of(f: &Function, o: Operand) -> Option<Ty> {
    match o {
        Operand::Value(v) => f.types.get(v.0 as usize).copied(),
        Operand::Imm(_) => None,
    }
}

/// Checks number and types of operands.
fn shape(f: &Function, i: &super::Inst) -> Option<String> {
    use Op::*;
    let words = |n: usize| vec![Ty::Word; n];
    let poly = i.dst.first().map_or(Ty::Word, |d| f.ty(*d));
    let (dst, src): (Vec<Ty>, Vec<Ty>) = match i.op {
        Copy | Not => (vec![poly], vec![poly]),
        And | Or | Xor => (vec![poly], vec![poly; 2]),
        Select => (vec![poly], vec![Ty::Pred, poly, poly]),
        Special(_) | GlobalAddr { .. } => (words(1), words(0)),
        Add
        | Sub
        | Mul
        | MulHi { .. }
        | Mul16 { .. }
        | Mul24 { .. }
        | Min { .. }
        | Max { .. }
        | Shl
        | Shr { .. }
        | FAdd { .. }
        | FMul { .. }
        | FMin
        | FMax => (words(1), words(2)),
        Sad { .. } | FMad { .. } => (words(1), words(3)),
        Add64 | Sub64 => (words(2), words(4)),
        Ext(_)
        | FNeg
        | FAbs
        | FSat
        | FRound(_)
        | Rcp
        | Rsq
        | Lg2
        | Sin
        | Cos
        | Ex2
        | RroSin
        | RroEx2
        | IntToF { .. }
        | FToInt { .. }
        | FToHalf(_)
        | HalfToF => (words(1), words(1)),
        Cmp { .. } | FCmp(_) => (vec![Ty::Pred], words(2)),
        Load { .. } => (words(i.dst.len()), words(1)),
        Store { .. } => (words(0), words(i.src.len())),
        Atomic { op, .. } => (words(i.dst.len().min(1)), words(1 + op.operands())),
        Lock { .. } => (vec![Ty::Word, Ty::Pred], words(1)),
        Vote { .. } => (vec![Ty::Pred], vec![Ty::Pred]),
        Unlock { .. } => (words(0), vec![Ty::Word, Ty::Word, Ty::Pred]),
        Call { .. } => (words(i.dst.len()), words(i.src.len())),
        Double(op) => {
            let sources = (0..op.sources()).map(|n| usize::from(op.registers(n))).sum();
            (words(op.results().into()), words(sources))
        }
        Args => (words(i.dst.len()), words(0)),
        Results => (words(0), words(i.src.len())),
        Barrier | Fence => (words(0), words(0)),
    };
    if i.dst.len() != dst.len() || i.src.len() != src.len() {
        return Some(format!("expects {} results and {} sources", dst.len(), src.len()));
    }
    let count = match i.op {
        Load { .. } => i.dst.len(),
        Store { .. } => i.src.len().wrapping_sub(1),
        _ => 1,
    };
    if ![1, 2, 4].contains(&count) {
        return Some("moves 1, 2 or 4 elements".into());
    }
    let bad_dst = i.dst.iter().zip(&dst).any(|(v, t)| f.ty(*v) != *t);
    let bad_src = i.src.iter().zip(&src).any(|(o, t)| type_of(f, *o).is_some_and(|x| x != *t));
    (bad_dst || bad_src).then(|| "an operand has the wrong type".into())
}

/// Uses that a definition does not reach on every path.
fn reached(f: &Function, preds: &[Vec<super::BlockId>], out: &mut Vec<String>) {
    // Values defined on every path to the start of a block: intersection over predecessors.
    let n = f.blocks.len();
    let gen: Vec<HashSet<Value>> = f
        .blocks
        .iter()
        .map(|b| b.phis.iter().map(|p| p.dst).chain(b.insts.iter().flat_map(|i| i.dst.iter().copied())).collect())
        .collect();
    let mut at: Vec<Option<HashSet<Value>>> = vec![None; n];
    at[0] = Some(HashSet::new());
    let mut changed = true;
    while changed {
        changed = false;
        for b in 1..n {
            let mut meet: Option<HashSet<Value>> = None;
            for p in &preds[b] {
                let p = p.0 as usize;
                let Some(i) = &at[p] else { continue };
                let end: HashSet<Value> = i.union(&gen[p]).copied().collect();
                meet = Some(match meet {
                    None => end,
                    Some(m) => m.intersection(&end).copied().collect(),
                });
            }
            if meet.is_some() && meet != at[b] {
                at[b] = meet;
                changed = true;
            }
        }
    }
    for (b, start) in at.iter().enumerate() {
        let Some(start) = start else { continue };
        let mut have = start.clone();
        let block = &f.blocks[b];
        have.extend(block.phis.iter().map(|p| p.dst));
        let check = |have: &HashSet<Value>, o: &Operand, what: &str, out: &mut Vec<String>| {
            if let Operand::Value(v) = o {
                if !have.contains(v) {
                    out.push(format!("b{b}: {what} uses %{} before its definition", v.0));
                }
            }
        };
        for i in &block.insts {
            for o in &i.src {
                check(&have, o, &print::inst(f, i), out);
            }
            have.extend(i.dst.iter().copied());
        }
        if let Term::Branch { cond, .. } = &block.term {
            check(&have, cond, "the branch", out);
        }
        for s in block.term.successors() {
            for p in &f.block(s).phis {
                for (from, o) in &p.args {
                    if from.0 as usize == b {
                        check(&have, o, &format!("phi in b{}", s.0), out);
                    }
                }
            }
        }
    }
}
