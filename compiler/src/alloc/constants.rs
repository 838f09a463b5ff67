//! Constants beyond those an operand can name in bank 1: loaded into registers.

use crate::mir::{Class, Dst, Function, Inst, Src, Word};
use std::collections::{HashMap, HashSet};
use warpsmith_isa::{Op, Width};

/// Literals left to operands where some are of 16 bits: those name the first 64 words. A few
/// places stay free for instructions that carry `.S` instead of an immediate.
pub const NEAR: usize = 56;
/// Literals left to operands where all are words: those name the first 128.
const NEAR_WORDS: usize = 112;

/// Literals that operands can have at most where the pool is crowded: [`crate::layout`] puts them in front of what
/// markers take then.
pub const MOST: usize = 120;

/// True for operands that may need a place in the pool.
pub fn is_literal(s: Src) -> bool {
    matches!(s, Src::Imm(_) | Src::Imm16(_) | Src::GlobalAddr(..))
}

/// The least used literals where there are more than operands can name beside `taken` others.
pub fn beyond(used: &HashMap<Src, usize>, taken: usize) -> Option<HashSet<Src>> {
    let halves = used.keys().any(|s| matches!(s, Src::Imm16(_)));
    let most = if halves { NEAR } else { NEAR_WORDS }.saturating_sub(taken);
    if used.len() <= most {
        return None;
    }
    let mut all: Vec<(usize, String, Src)> = used.iter().map(|(s, n)| (*n, format!("{s:?}"), *s)).collect();
    all.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    Some(all[most..].iter().map(|a| a.2).collect())
}

/// Loads the given literals into registers in front of the instructions that use them.
pub fn load(f: &mut Function, literals: &HashSet<Src>) {
    let op = Op::Mov { width: Width::W32, lanes: 15 };
    for b in 0..f.blocks.len() {
        let old = std::mem::take(&mut f.blocks[b].insts);
        let mut new = Vec::with_capacity(old.len());
        for mut i in old {
            let plain = matches!(i.op, Op::Mov { .. } | Op::Shift { .. } | Op::AddA);
            for k in 0..3 {
                let s = i.src[k];
                if plain || !literals.contains(&s) {
                    continue;
                }
                let word = Word { reg: f.reg(Class::Gpr(1)), part: 0 };
                let (from, to) = match s {
                    Src::Imm16(v) => (Src::Imm(v.into()), Src::Half(word, false)),
                    s => (s, Src::Word(word)),
                };
                let src = [from, Src::None, Src::None];
                new.push(Inst::new(op, Dst::Word(word), src, i.loc));
                i.src[k] = to;
            }
            new.push(i);
        }
        f.blocks[b].insts = new;
    }
}
