//! Loop-invariant computations move in front of their loop.
//!
//! clang has hoisted invariants of the source; the pass moves parts of operations that the lowering
//! expanded, such as the reciprocal of an invariant divisor.

use super::cfg::graph;
use super::gvn::is_pure;
use crate::ir::{Function, Op, Operand, Term};

/// True for operations worth a register over a whole loop.
fn is_worth(op: &Op) -> bool {
    // A value that is free as an operand stays at its use.
    is_pure(op)
        && !matches!(op, Op::Load { .. } | Op::Special(_) | Op::GlobalAddr { .. } | Op::Copy)
        && !matches!(op, Op::Cmp { .. } | Op::FCmp(_))
        // A loop that does not come to a routine must not pay for it.
        && !matches!(op, Op::Call { .. })
}

/// Moves invariant computations to the end of the block in front of the loop.
pub fn run(f: &mut Function) {
    let g = graph(f);
    let dom = g.dominators();
    let loops = g.loops();
    // Inner loops first: what leaves one may leave the next too.
    for l in (0..loops.list.len()).rev() {
        let info = &loops.list[l];
        if info.entries != 1 {
            continue;
        }
        let inside = |b: u32| info.body.contains(&b);
        let header = info.header;
        let outside: Vec<u32> = g.pred[header as usize].iter().copied().filter(|p| !inside(*p)).collect();
        let [pre] = outside[..] else { continue };
        if !matches!(f.blocks[pre as usize].term, Term::Jump(_)) {
            continue;
        }
        let mut defined = vec![false; f.types.len()];
        for &b in &info.body {
            let block = &f.blocks[b as usize];
            for d in block.phis.iter().map(|p| &p.dst).chain(block.insts.iter().flat_map(|i| &i.dst)) {
                defined[d.0 as usize] = true;
            }
        }
        let mut order = info.body.clone();
        order.sort_by_key(|b| dom.depth[*b as usize]);
        for b in order {
            let mut moved = Vec::new();
            f.blocks[b as usize].insts.retain(|i| {
                let free = is_worth(&i.op)
                    && i.src.iter().all(|o| match o {
                        Operand::Value(v) => !defined[v.0 as usize],
                        Operand::Imm(_) => true,
                    });
                if free {
                    for d in &i.dst {
                        defined[d.0 as usize] = false;
                    }
                    moved.push(i.clone());
                }
                !free
            });
            f.blocks[pre as usize].insts.extend(moved);
        }
    }
}
