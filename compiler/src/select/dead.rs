//! Machine instructions with unread results, and unreachable blocks.

use crate::mir::{BlockId, Dst, Function, Inst, MemRef, Reg, Src, Term};
use warpsmith_isa::{Family, Op};

/// Registers an instruction reads: sources, address registers, guard, carry.
pub fn reads(i: &Inst) -> impl Iterator<Item = Reg> + '_ {
    let base = |m: &MemRef| m.base;
    i.src
        .iter()
        .filter_map(move |s| match s {
            Src::Word(w) | Src::Half(w, _) => Some(w.reg),
            Src::Wide(r) | Src::Addr(r) | Src::Flag(r) => Some(*r),
            Src::Shared(m) | Src::Const(_, m) => base(m),
            _ => None,
        })
        .chain(i.at.as_ref().and_then(base))
        .chain(i.guard.map(|g| g.flag))
        .chain(i.carry)
        .chain(i.call.into_iter().flat_map(|c| c.fixed.words(c.args)))
}

/// The register an instruction writes, flags apart.
pub fn written(i: &Inst) -> Option<Reg> {
    match i.dst {
        Dst::Word(w) | Dst::Half(w, _) => Some(w.reg),
        Dst::Wide(r) | Dst::Addr(r) | Dst::Flag(r) => Some(r),
        Dst::None | Dst::Discard => None,
    }
}

/// True when an instruction does nothing but write its destinations.
pub fn is_pure(op: &Op) -> bool {
    match op.family() {
        Family::Memory => matches!(op, Op::LdConst | Op::LdShared { lock: false, .. }),
        family => family != Family::Control,
    }
}

/// Removes unreachable blocks and dead instructions.
pub fn remove(f: &mut Function) {
    unreachable(f);
    loop {
        let mut used = vec![false; f.regs.len()];
        for b in &f.blocks {
            for i in &b.insts {
                // An instruction that only keeps its own old contents is no use of the register; one that writes flags is.
                let own = written(i).filter(|_| i.cdst.is_none());
                for r in reads(i) {
                    if Some(r) != own {
                        used[r.0 as usize] = true;
                    }
                }
            }
            if let Some(g) = b.term.guard() {
                used[g.flag.0 as usize] = true;
            }
        }
        f.results().for_each(|r| used[r.0 as usize] = true);
        let mut changed = false;
        for b in &mut f.blocks {
            b.insts.retain_mut(|i| {
                if let Some(c) = i.cdst {
                    if !used[c.0 as usize] {
                        i.cdst = None;
                        changed = true;
                    }
                }
                let needed = written(i).is_some_and(|r| used[r.0 as usize]);
                let writes_nothing = matches!(i.dst, Dst::Discard | Dst::None) || !needed;
                if is_pure(&i.op) && writes_nothing && i.cdst.is_none() {
                    changed = true;
                    return false;
                }
                if is_pure(&i.op) && !needed && matches!(i.dst, Dst::Word(_)) {
                    i.dst = Dst::Discard;
                    changed = true;
                }
                true
            });
        }
        if !changed {
            return;
        }
    }
}

/// Removes blocks that the entry does not reach and renumbers the rest.
pub fn unreachable(f: &mut Function) {
    let n = f.blocks.len();
    let mut seen = vec![false; n];
    let mut work = vec![0usize];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut seen[b], true) {
            continue;
        }
        work.extend(f.blocks[b].term.successors().map(|s| s.0 as usize));
    }
    if seen.iter().all(|s| *s) {
        return;
    }
    let mut number = vec![BlockId(0); n];
    let mut next = 0;
    for b in 0..n {
        if seen[b] {
            number[b] = BlockId(next);
            next += 1;
        }
    }
    let mut at = 0;
    f.blocks.retain(|_| {
        at += 1;
        seen[at - 1]
    });
    for b in &mut f.blocks {
        retarget(&mut b.term, |t| number[t.0 as usize]);
    }
}

/// Renames the targets of a block's end.
pub fn retarget(t: &mut Term, name: impl Fn(BlockId) -> BlockId) {
    match t {
        Term::Jump(b) => *b = name(*b),
        Term::Branch { then, other, .. } | Term::Any { then, other, .. } => {
            *then = name(*then);
            *other = name(*other);
        }
        Term::ReturnIf { other, .. } => *other = name(*other),
        Term::Return | Term::Trap => {}
    }
}
