//! Copies whose source has no other use: the instruction that makes the source writes the target.

use super::dead::{reads, written};
use crate::mir::{Dst, Function, Inst, Src, Word};
use warpsmith_isa::{Op, Width};

/// Target and source when an instruction is an unguarded copy of a word.
fn copy(i: &Inst) -> Option<(Word, Word)> {
    match (i.op, i.dst, i.src[0]) {
        (Op::Mov { width: Width::W32, lanes: 15 }, Dst::Word(to), Src::Word(from))
            if i.guard.is_none() && i.cdst.is_none() =>
        {
            Some((to, from))
        }
        _ => None,
    }
}

/// Takes such copies out of every block.
pub fn run(f: &mut Function) {
    let mut reads_of = vec![0u32; f.regs.len()];
    let mut writes_of = vec![0u32; f.regs.len()];
    writes_of[f.entry.0 as usize] = 1;
    for b in &f.blocks {
        for i in &b.insts {
            reads(i).for_each(|r| reads_of[r.0 as usize] += 1);
            if let Some(r) = written(i) {
                writes_of[r.0 as usize] += 1;
            }
        }
    }
    let fixed = f.fixed;
    for b in &mut f.blocks {
        let mut at = 0;
        while at < b.insts.len() {
            let free = |w: Word| fixed.is_none_or(|f| f.place(w.reg).is_none());
            let Some((to, from)) = copy(&b.insts[at]).filter(|(to, from)| free(*to) && free(*from)) else {
                at += 1;
                continue;
            };
            match maker(&b.insts, at, to, from, &reads_of, &writes_of) {
                Some(k) => {
                    b.insts[k].dst = Dst::Word(to);
                    for i in &mut b.insts[k + 1..] {
                        rename(i, from, to);
                    }
                    b.insts.remove(at);
                }
                None => at += 1,
            }
        }
    }
}

/// The instruction that makes the source of the copy at `at`, when it may write the target: the
/// source is not read outside this block, and the target's old contents are not needed in between.
fn maker(insts: &[Inst], at: usize, to: Word, from: Word, reads_of: &[u32], writes_of: &[u32]) -> Option<usize> {
    let n = from.reg.0 as usize;
    if writes_of[n] != 1 || from.part != 0 || to.reg == from.reg {
        return None;
    }
    let k = insts[..at].iter().rposition(|i| i.dst == Dst::Word(from))?;
    if insts[k].guard.is_some() {
        return None;
    }
    let here: Vec<usize> = (k + 1..insts.len()).filter(|j| reads(&insts[*j]).any(|r| r == from.reg)).collect();
    let count: usize = here.iter().map(|j| reads(&insts[*j]).filter(|r| *r == from.reg).count()).sum();
    let last = *here.last()?;
    let free = insts[k + 1..=last].iter().enumerate().all(|(d, i)| {
        k + 1 + d == at || written(i) != Some(to.reg) && (k + 1 + d > at || reads(i).all(|r| r != to.reg))
    });
    (count == reads_of[n] as usize && free).then_some(k)
}

/// Reads `to` instead of `from`.
fn rename(i: &mut Inst, from: Word, to: Word) {
    for s in &mut i.src {
        match s {
            Src::Word(w) | Src::Half(w, _) if *w == from => *w = to,
            _ => {}
        }
    }
}
