//! One entry and one exit for loops that need them.
//!
//! When threads leave a loop for different blocks and no block of the loop is on all paths, both sides
//! of a branch can return to it without joining, and the divergence stack grows with every
//! iteration. Such a loop gets one exit: every path out writes its number to a register, and a branch
//! on that number follows the loop. A loop with several entries gets one entry in the same way.

use super::bits::BitSet;
use super::graph::Graph;
use super::joins::joins;
use super::simplify::{preheaders, targets};
use crate::alloc::live::graph;
use crate::error::Loc;
use crate::mir::{Block, BlockId, Class, Dst, Function, Guard, Inst, Reg, Src, Term, Word};
use warpsmith_isa::{Op, Width};

/// Loops changed at most; a kernel with more keeps a growing stack.
const MOST: usize = 64;

/// Gives loops one entry and one exit until no branch makes the stack grow, as far as their shape allows.
pub fn flatten(f: &mut Function) {
    let mut left = Vec::new();
    for _ in 0..MOST {
        let grows = joins(f).grows;
        if grows.is_empty() {
            return;
        }
        let g = graph(f);
        let loops = g.loops();
        let found = grows.iter().find_map(|&b| {
            let mut at = loops.of(b);
            while let Some(l) = at {
                let l = &loops.list[l as usize];
                if l.entries > 1 {
                    // Ways from inside and from outside have notes of their own, so that the
                    // place where they meet is the only entry.
                    let inside = |b: &u32| l.body.binary_search(b).is_ok();
                    let all = 0..g.len() as u32;
                    let groups = vec![all.filter(|b| !inside(b)).collect(), l.body.clone()];
                    return Some((groups, entries(&g, &l.body), l.depth));
                }
                let exits = exits(&g, &l.body);
                if exits.len() > 1 && !left.contains(&l.header) {
                    // Headers keep their numbers: blocks are only added.
                    left.push(l.header);
                    return Some((vec![l.body.clone()], exits, l.depth - 1));
                }
                at = l.parent;
            }
            None
        });
        let Some((from, to, depth)) = found else { return };
        gather(f, &from, &to, depth);
        preheaders(f);
    }
}

/// The blocks a loop leads to.
fn exits(g: &Graph, body: &[u32]) -> Vec<u32> {
    let mut inside = BitSet::new(g.len());
    body.iter().for_each(|&b| {
        inside.insert(b);
    });
    let all = body.iter().flat_map(|&b| &g.succ[b as usize]).copied();
    let mut list: Vec<u32> = all.filter(|&s| !inside.contains(s)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The blocks of a loop to which others lead.
fn entries(g: &Graph, body: &[u32]) -> Vec<u32> {
    let inside = |b: &u32| body.binary_search(b).is_ok();
    let entered = |b: &u32| g.pred[*b as usize].iter().any(|p| !inside(p));
    body.iter().copied().filter(entered).collect()
}

/// Leads all ways from groups of blocks to others through one place, where the threads part again.
fn gather(f: &mut Function, from: &[Vec<u32>], to: &[u32], depth: u32) {
    let which = Word { reg: f.reg(Class::Gpr(1)), part: 0 };
    let loc = f.blocks[to[0] as usize].loc;
    let first = f.blocks.len() as u32;
    let parts = first + (from.len() * to.len()) as u32;
    let mov = Op::Mov { width: Width::W32, lanes: 15 };
    for group in from {
        let notes = f.blocks.len() as u32;
        for k in 0..to.len() as u32 {
            let src = [Src::Imm(k), Src::None, Src::None];
            let note = Inst::new(mov, Dst::Word(which), src, loc);
            f.blocks.push(Block { insts: vec![note], term: Term::Jump(BlockId(parts)), loc, loop_depth: depth });
        }
        for &b in group {
            targets(&mut f.blocks[b as usize].term, |t| {
                if let Some(k) = to.iter().position(|e| e == t) {
                    *t = notes + k as u32;
                }
            });
        }
    }
    // The last one needs no comparison.
    for k in 0..to.len() as u32 - 1 {
        let other = if k as usize + 2 == to.len() { to[to.len() - 1] } else { parts + k + 1 };
        let flag = f.reg(Class::Flag);
        let block = part(which, k, flag, BlockId(to[k as usize]), BlockId(other), loc);
        f.blocks.push(Block { loop_depth: depth, ..block });
    }
}

/// A block that sends the threads with number `k` one way.
pub(super) fn part(which: Word, k: u32, flag: Reg, then: BlockId, other: BlockId, loc: Loc) -> Block {
    let set = Op::ISet { cond: 2, width: Width::W32, signed: false };
    let by = if k == 0 { Src::Zero } else { Src::Imm(k) };
    let mut inst = Inst::new(set, Dst::Discard, [Src::Word(which), by, Src::None], loc);
    inst.cdst = Some(flag);
    Block {
        insts: vec![inst],
        term: Term::Branch { guard: Guard { flag, code: 5 }, then, other, divergent: true },
        loc,
        loop_depth: 0,
    }
}
