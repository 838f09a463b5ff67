//! Single assignment: phis at the dominance frontiers of several definitions, where the value is
//! live, then one walk over the dominator tree that renames.
//!
//! A value that is read before any assignment reads 0.

use super::cfg::graph;
use crate::ir::{BlockId, Function, Operand, Phi, Term, Value};

/// Gives every value one definition.
pub fn construct(f: &mut Function) {
    let n = f.types.len();
    let blocks = f.blocks.len();
    let g = graph(f);
    let dom = g.dominators();
    let frontier = dom.frontier(&g);
    let live_in = live_in(f);
    // Blocks that define each value; definitions in one block alone need no phi unless read before.
    let mut def_blocks: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (b, block) in f.blocks.iter().enumerate() {
        for d in block.insts.iter().flat_map(|i| &i.dst) {
            let list = &mut def_blocks[d.0 as usize];
            if list.last() != Some(&(b as u32)) {
                list.push(b as u32);
            }
        }
    }
    // phi_of[b]: (old value, place in the block's phis).
    let mut phi_of: Vec<Vec<Value>> = vec![Vec::new(); blocks];
    for (v, defs) in def_blocks.iter().enumerate() {
        let mut work = defs.clone();
        let mut placed = vec![false; if defs.is_empty() { 0 } else { blocks }];
        while let Some(b) = work.pop() {
            for &x in &frontier[b as usize] {
                let x = x as usize;
                if !placed[x] && live_in[x][v / 64] >> (v % 64) & 1 != 0 {
                    placed[x] = true;
                    phi_of[x].push(Value(v as u32));
                    work.push(x as u32);
                }
            }
        }
    }
    let mut new_phis: Vec<Vec<Phi>> = Vec::with_capacity(blocks);
    for olds in &phi_of {
        let mut list = Vec::new();
        for old in olds {
            let ty = f.ty(*old);
            list.push(Phi { dst: f.value(ty), args: Vec::new() });
        }
        new_phis.push(list);
    }
    rename(f, &dom.children(), &phi_of, &mut new_phis);
    for (b, phis) in new_phis.into_iter().enumerate() {
        f.blocks[b].phis = phis;
    }
    f.ssa = true;
}

/// Values live at the start of each block, a bit each.
fn live_in(f: &Function) -> Vec<Vec<u64>> {
    let words = f.types.len().div_ceil(64);
    let mut gen = vec![vec![0u64; words]; f.blocks.len()];
    let mut kill = gen.clone();
    for (b, block) in f.blocks.iter().enumerate() {
        let mut read = |o: &Operand, kill: &[u64]| {
            if let Operand::Value(v) = o {
                let (w, m) = (v.0 as usize / 64, 1 << (v.0 % 64));
                if kill[w] & m == 0 {
                    gen[b][w] |= m;
                }
            }
        };
        for i in &block.insts {
            for o in &i.src {
                read(o, &kill[b]);
            }
            for d in &i.dst {
                kill[b][d.0 as usize / 64] |= 1 << (d.0 % 64);
            }
        }
        if let Term::Branch { cond, .. } = &block.term {
            read(cond, &kill[b]);
        }
    }
    let mut live = gen.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..f.blocks.len()).rev() {
            let succ: Vec<usize> = f.blocks[b].term.successors().map(|s| s.0 as usize).collect();
            for w in 0..words {
                let out = succ.iter().fold(0, |a, s| a | live[*s][w]);
                let new = gen[b][w] | out & !kill[b][w];
                if new != live[b][w] {
                    live[b][w] = new;
                    changed = true;
                }
            }
        }
    }
    live
}

/// Walks the dominator tree with a stack of names for each value.
fn rename(f: &mut Function, children: &[Vec<u32>], phi_of: &[Vec<Value>], new_phis: &mut [Vec<Phi>]) {
    let old_count = f.types.len();
    let mut names: Vec<Vec<Value>> = vec![Vec::new(); old_count];
    let mut first = vec![true; old_count];
    // (block, entered): the second visit takes the names of the block back.
    let mut work = vec![(0u32, false)];
    let mut pushed: Vec<Vec<Value>> = vec![Vec::new(); f.blocks.len()];
    while let Some((b, entered)) = work.pop() {
        let bi = b as usize;
        if entered {
            for v in std::mem::take(&mut pushed[bi]) {
                names[v.0 as usize].pop();
            }
            continue;
        }
        work.push((b, true));
        for (old, phi) in phi_of[bi].iter().zip(&new_phis[bi]) {
            names[old.0 as usize].push(phi.dst);
            pushed[bi].push(*old);
        }
        let mut insts = std::mem::take(&mut f.blocks[bi].insts);
        for i in &mut insts {
            for o in &mut i.src {
                current(&names, o);
            }
            for d in &mut i.dst {
                let old = *d;
                // The first definition keeps the number.
                if !std::mem::replace(&mut first[old.0 as usize], false) {
                    let ty = f.types[old.0 as usize];
                    *d = f.value(ty);
                }
                names[old.0 as usize].push(*d);
                pushed[bi].push(old);
            }
        }
        f.blocks[bi].insts = insts;
        let mut term = f.blocks[bi].term.clone();
        if let Term::Branch { cond, .. } = &mut term {
            current(&names, cond);
        }
        let mut targets: Vec<BlockId> = term.successors().collect();
        targets.dedup();
        for s in targets {
            let s = s.0 as usize;
            for (old, phi) in phi_of[s].iter().zip(new_phis[s].iter_mut()) {
                let mut o = Operand::Value(*old);
                current(&names, &mut o);
                phi.args.push((BlockId(b), o));
            }
        }
        f.blocks[bi].term = term;
        work.extend(children[bi].iter().map(|c| (*c, false)));
    }
}

/// The name a value has here.
fn current(names: &[Vec<Value>], o: &mut Operand) {
    if let Operand::Value(v) = *o {
        *o = match names.get(v.0 as usize).and_then(|s| s.last()) {
            Some(n) => Operand::Value(*n),
            None => Operand::Imm(0),
        };
    }
}
