//! Divergence analysis: branches that threads of a warp may take differently.
//!
//! A value is divergent when threads that execute its definition together may get different
//! results. Seeds are thread numbers and local memory; operands pass divergence on, and a
//! divergent branch makes the phis divergent where its two ways meet, and what a loop computes
//! when it is used behind a loop that threads leave at different times.

use super::cfg::graph;
use crate::flow::graph::{Graph, NONE};
use crate::ir::{BlockId, Function, Op, Operand, Space, Special, Term};

/// Divergence of a function in single assignment.
pub struct Divergence {
    /// By value.
    pub value: Vec<bool>,
    /// By block: its branch is divergent.
    pub branch: Vec<bool>,
}

/// Finds divergent values and branches; in doubt they count as divergent.
pub fn run(f: &Function) -> Divergence {
    let g = graph(f);
    let post = g.postdominators(|_| false);
    let loops = g.loops();
    let mut d = Divergence { value: vec![false; f.types.len()], branch: vec![false; f.blocks.len()] };
    // Phis of these blocks are divergent regardless of their operands.
    let mut meets = vec![false; f.blocks.len()];
    let mut left = vec![false; loops.list.len()];
    loop {
        let mut changed = false;
        for b in f.ids() {
            changed |= block(f, b, &mut d, &meets);
        }
        for b in f.ids() {
            let bi = b.0 as usize;
            let Term::Branch { cond, then, other } = f.block(b).term else { continue };
            if d.branch[bi] || then == other || !is_divergent(&d, cond) {
                continue;
            }
            d.branch[bi] = true;
            changed = true;
            let stop = post.parent(b.0).filter(|&x| (x as usize) < f.blocks.len());
            mark_meets(&g, b.0, [then.0, other.0], stop, &mut meets);
            // Loops that one of the ways leaves.
            for (l, info) in loops.list.iter().enumerate() {
                if loops.contains(l as u32, b.0) && !left[l] {
                    let region = reach(&g, &[then.0, other.0], stop);
                    let all_inside = (0..f.blocks.len() as u32)
                        .filter(|x| region[*x as usize])
                        .chain(stop)
                        .all(|x| info.body.contains(&x));
                    left[l] = !all_inside;
                }
            }
        }
        for (l, info) in loops.list.iter().enumerate() {
            if left[l] {
                changed |= mark_uses_behind(f, &info.body, &mut d);
            }
        }
        if !changed {
            return d;
        }
    }
}

fn is_divergent(d: &Divergence, o: Operand) -> bool {
    match o {
        Operand::Value(v) => d.value[v.0 as usize],
        Operand::Imm(_) => false,
    }
}

fn block(f: &Function, b: BlockId, d: &mut Divergence, meets: &[bool]) -> bool {
    let mut changed = false;
    let mut mark = |d: &mut Divergence, v: crate::ir::Value| {
        changed |= !std::mem::replace(&mut d.value[v.0 as usize], true);
    };
    for p in &f.block(b).phis {
        if meets[b.0 as usize] || p.args.iter().any(|a| is_divergent(d, a.1)) {
            mark(d, p.dst);
        }
    }
    for i in &f.block(b).insts {
        let seed = match i.op {
            Op::Special(Special::TidX) => f.required_block.is_none_or(|r| r[0] > 1),
            Op::Special(Special::TidY) => f.required_block.is_none_or(|r| r[1] > 1),
            Op::Special(Special::TidZ) => f.required_block.is_none_or(|r| r[2] > 1),
            Op::Load { space: Space::Local, .. } | Op::Atomic { .. } | Op::Lock { .. } | Op::Args => true,
            _ => false,
        };
        if seed || i.src.iter().any(|o| is_divergent(d, *o)) {
            for v in &i.dst {
                mark(d, *v);
            }
        }
    }
    changed
}

/// Blocks that can be reached from `from` without passing `stop`.
fn reach(g: &Graph, from: &[u32], stop: Option<u32>) -> Vec<bool> {
    let mut seen = vec![false; g.len()];
    let mut work: Vec<u32> = from.to_vec();
    while let Some(b) = work.pop() {
        if Some(b) == stop || std::mem::replace(&mut seen[b as usize], true) {
            continue;
        }
        work.extend(&g.succ[b as usize]);
    }
    seen
}

/// Marks the blocks where ways from both targets of a divergent branch meet first.
fn mark_meets(g: &Graph, branch: u32, targets: [u32; 2], stop: Option<u32>, meets: &mut [bool]) {
    // Label of a block: the place where the ways that reach it were last one.
    let mut label = vec![NONE; g.len()];
    let mut work = Vec::new();
    for t in targets {
        if label[t as usize] == NONE {
            label[t as usize] = t;
        }
        work.push(t);
    }
    while let Some(b) = work.pop() {
        if Some(b) == stop || b == branch {
            continue;
        }
        for &s in &g.succ[b as usize] {
            let (new, old) = (label[b as usize], label[s as usize]);
            if old == NONE {
                label[s as usize] = new;
                work.push(s);
            } else if old != new && old != s {
                label[s as usize] = s;
                meets[s as usize] = true;
                work.push(s);
            }
        }
    }
    // A target that the other way reaches is a meeting point too.
    for t in targets {
        let other = if targets[0] == t { targets[1] } else { targets[0] };
        if reach(g, &[other], stop.filter(|s| *s != t))[t as usize] {
            meets[t as usize] = true;
        }
    }
    if let Some(s) = stop {
        meets[s as usize] = true;
    }
}

/// Values of a loop that threads leave at different times are divergent when used behind it.
fn mark_uses_behind(f: &Function, body: &[u32], d: &mut Divergence) -> bool {
    let inside = |b: u32| body.binary_search(&b).is_ok();
    let mut own = vec![false; f.types.len()];
    for &b in body {
        let block = &f.blocks[b as usize];
        for v in block.phis.iter().map(|p| &p.dst).chain(block.insts.iter().flat_map(|i| &i.dst)) {
            own[v.0 as usize] = true;
        }
    }
    let mut changed = false;
    let mut mark = |o: &Operand| {
        if let Operand::Value(v) = o {
            if own[v.0 as usize] {
                changed |= !std::mem::replace(&mut d.value[v.0 as usize], true);
            }
        }
    };
    for b in f.ids() {
        let block = f.block(b);
        for p in &block.phis {
            for (from, o) in &p.args {
                if !inside(b.0) && inside(from.0) || !inside(from.0) {
                    mark(o);
                }
            }
        }
        if inside(b.0) {
            continue;
        }
        for i in &block.insts {
            i.src.iter().for_each(&mut mark);
        }
        if let Term::Branch { cond, .. } = &block.term {
            mark(cond);
        }
    }
    changed
}
