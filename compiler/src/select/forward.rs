//! Copies whose source has no other use: the instruction that makes the source writes the target.

use super::dead::{reads, written};
use crate::mir::{Dst, Function, Inst, Src, Word};
use warpsmith_isa::{Op, Width};

/// Target and source when an instruction is an unguarded copy of a word.
fn copy(i: &Inst) -> Option<(Word, Word)> {
    match (i.op, i.dst, i.src[0]) {
        (
            Op::Mov {
                width: Width::W32,
                lanes: 15,
            },
            Dst::Word(to),
            Src::Word(from),
        ) if i.guard.is_none() && i.cdst.is_none() => Some((to, from)),
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
    for b in &mut f.blocks {
        let mut at = 0;
        while at < b.insts.len() {
            let Some((to, from)) = copy(&b.insts[at]) else {
                at += 1;
                continue;
            };
            let n = from.reg.0 as usize;
            let maker = (reads_of[n] == 1 && writes_of[n] == 1 && from.part == 0)
                .then(|| b.insts[..at].iter().rposition(|i| i.dst == Dst::Word(from)))
                .flatten()
                .filter(|k| b.insts[*k].guard.is_none())
                .filter(|k| {
                    b.insts[*k + 1..at]
                        .iter()
                        .all(|i| written(i) != Some(to.reg) && reads(i).all(|r| r != to.reg))
                });
            match maker {
                Some(k) => {
                    b.insts[k].dst = Dst::Word(to);
                    b.insts.remove(at);
                }
                None => at += 1,
            }
        }
    }
}
