//! Short branches become guarded instructions.
//!
//! A divergent branch costs the push of its join point, the branch, and the skipped instructions whenever one
//! thread executes them; a guarded path costs its instructions only.

use super::dead::{is_pure, reads, retarget, unreachable, written};
use super::operand::pass_b;
use super::phi::opposite;
use crate::mir::{BlockId, Dst, Function, Guard, Inst, Reg, Src, Term};
use warpsmith_isa::Op;

/// Instructions a guarded way may have, with a divergent branch and with a uniform one.
const LIMIT: (usize, usize) = (7, 3);

/// Replaces short ways until none is left.
pub fn convert(f: &mut Function) {
    loop {
        merge_chains(f);
        let preds = predecessors(f);
        let places = places(f);
        let mut changed = false;
        for b in 0..f.blocks.len() {
            if way(f, b, &preds, &places) {
                changed = true;
                break;
            }
        }
        unreachable(f);
        if !changed {
            return;
        }
    }
}

fn predecessors(f: &Function) -> Vec<u32> {
    let mut n = vec![0; f.blocks.len()];
    for b in &f.blocks {
        for s in b.term.successors() {
            n[s.0 as usize] += 1;
        }
    }
    n
}

/// The one block that names each register; `None` when there are several.
fn places(f: &Function) -> Vec<Option<usize>> {
    let mut at: Vec<Option<Option<usize>>> = vec![None; f.regs.len()];
    let mut note = |r: Reg, b: usize| {
        let p = &mut at[r.0 as usize];
        *p = match *p {
            None => Some(Some(b)),
            Some(Some(x)) if x == b => Some(Some(b)),
            _ => Some(None),
        };
    };
    note(f.entry, 0);
    for (b, block) in f.blocks.iter().enumerate() {
        for i in &block.insts {
            reads(i).chain(written(i)).chain(i.cdst).for_each(|r| note(r, b));
        }
        if let Some(g) = block.term.guard() {
            note(g.flag, b);
        }
    }
    at.into_iter().map(|p| p.flatten()).collect()
}

/// Tries to take the ways of one branch into its block.
fn way(f: &mut Function, b: usize, preds: &[u32], places: &[Option<usize>]) -> bool {
    let Term::Branch { guard, then, other, divergent } = f.blocks[b].term else {
        return false;
    };
    let (t, o) = (then.0 as usize, other.0 as usize);
    if then == other || t == b || o == b {
        return false;
    }
    let not = Guard { flag: guard.flag, code: opposite(guard.code) };
    let limit = if divergent { LIMIT.0 } else { LIMIT.1 };
    let jumps = |x: usize| match f.blocks[x].term {
        Term::Jump(j) => Some(j),
        _ => None,
    };
    let sides: Vec<(usize, Guard)> = if preds[t] == 1 && jumps(t) == Some(other) {
        vec![(t, guard)]
    } else if preds[o] == 1 && jumps(o) == Some(then) {
        vec![(o, not)]
    } else if preds[t] == 1 && preds[o] == 1 && jumps(t).is_some() && jumps(t) == jumps(o) {
        vec![(t, guard), (o, not)]
    } else {
        return false;
    };
    let total: usize = sides.iter().map(|(x, _)| f.blocks[*x].insts.len()).sum();
    let both = if sides.len() == 2 { 2 } else { 0 };
    if total > limit + both {
        return false;
    }
    let mut list = Vec::new();
    for (x, g) in &sides {
        match guarded(&f.blocks[*x].insts, *x, *g, places) {
            Some(insts) => list.extend(insts),
            None => return false,
        }
    }
    let Some(join) = jumps(sides[0].0) else {
        return false;
    };
    f.blocks[b].insts.extend(list);
    f.blocks[b].term = Term::Jump(join);
    true
}

/// The instructions of a way under its guard; `None` when one cannot be guarded.
fn guarded(insts: &[Inst], block: usize, g: Guard, places: &[Option<usize>]) -> Option<Vec<Inst>> {
    let own = |r: Option<Reg>| r.is_none_or(|r| places[r.0 as usize] == Some(block));
    let mut out = Vec::new();
    for i in insts {
        if i.cdst == Some(g.flag)
            || i.dst == Dst::Flag(g.flag)
            || matches!(i.op, Op::Bar { .. } | Op::Cal { .. } | Op::Vote { .. })
        {
            return None;
        }
        let local = own(written(i)) && own(i.cdst) && (written(i).is_some() || i.cdst.is_some());
        let harmless =
            is_pure(&i.op) && !i.src.iter().any(|s| matches!(s, Src::Shared(m) | Src::Const(_, m) if m.base.is_some()));
        if local && harmless {
            out.push(*i);
            continue;
        }
        if i.guard.is_some() || i.carry.is_some() {
            return None;
        }
        let mut x = *i;
        if matches!(x.op, Op::Mov { .. }) && matches!(x.src[0], Src::Imm(_) | Src::GlobalAddr(..)) {
            x.op = pass_b(false);
            x.src = [Src::Zero, x.src[0], Src::None];
        }
        x.guard = Some(g);
        x.fresh = local;
        out.push(x);
    }
    Some(out)
}

/// Appends a block to its only predecessor when that only jumps there.
fn merge_chains(f: &mut Function) {
    let mut preds = predecessors(f);
    for b in 0..f.blocks.len() {
        while let Term::Jump(s) = f.blocks[b].term {
            let s = s.0 as usize;
            if s == b || s == 0 || preds[s] != 1 {
                break;
            }
            let insts = std::mem::take(&mut f.blocks[s].insts);
            let (term, loc) = (f.blocks[s].term, f.blocks[s].loc);
            f.blocks[b].insts.extend(insts);
            f.blocks[b].term = term;
            f.blocks[b].loc = loc;
            f.blocks[s].term = Term::Return;
            preds[s] = 0;
            retarget(&mut f.blocks[s].term, |t: BlockId| t);
        }
    }
    unreachable(f);
}
