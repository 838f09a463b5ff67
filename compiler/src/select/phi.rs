//! Out of single assignment: copies at the ends of the predecessors.
//!
//! The copies of one edge happen at once, so they are ordered, and cycles are cut by one more
//! register. On an edge from a branch into a block with several predecessors the copies stand in
//! front of the branch when the other way does not need the old contents; else the edge gets a
//! block of its own.

use super::operand::{mov, pass_b};
use super::Select;
use crate::ir::{self, BlockId, Operand, Ty, Value};
use crate::mir::{self, Class, Dst, Inst, Reg, Src, Term, Word};
use warpsmith_isa as isa;

/// One copy of an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copy {
    Word { to: Word, from: Src },
    Addr { to: Reg, from: Reg },
}

/// Ends all blocks and places the copies.
pub fn lower(s: &mut Select<'_>) {
    let f = s.f;
    let live = live_in(f);
    for b in f.ids() {
        let n = b.0 as usize;
        let term = f.block(b).term.clone();
        match term {
            ir::Term::Return => s.out.blocks[n].term = Term::Return,
            ir::Term::Trap => s.out.blocks[n].term = Term::Trap,
            ir::Term::Jump(t) => {
                let copies = copies(s, b, t);
                append(s, n, copies);
                s.out.blocks[n].term = Term::Jump(t);
            }
            ir::Term::Branch { then, other, .. } => {
                let Some((guard, divergent)) = s.branch[n] else { continue };
                let mut targets = [then, other];
                for (k, (to, away)) in [(then, other), (other, then)].into_iter().enumerate() {
                    let list = copies(s, b, to);
                    if list.is_empty() {
                        continue;
                    }
                    let harmless = then != other
                        && f.block(to)
                            .phis
                            .iter()
                            .all(|p| !live[away.0 as usize].contains(p.dst) && !feeds_phi(f, b, away, p.dst));
                    if harmless && s.optimise {
                        append(s, n, list);
                        continue;
                    }
                    let id = BlockId(s.out.blocks.len() as u32);
                    let depth = s.out.blocks[n].loop_depth.min(s.out.blocks[to.0 as usize].loop_depth);
                    s.out.blocks.push(mir::Block {
                        insts: Vec::new(),
                        term: Term::Jump(to),
                        loc: f.block(b).loc,
                        loop_depth: depth,
                    });
                    append(s, id.0 as usize, list);
                    targets[k] = id;
                }
                s.out.blocks[n].term = Term::Branch { guard, then: targets[0], other: targets[1], divergent };
            }
        }
    }
    early_returns(&mut s.out);
}

/// A branch to a block that only returns ends the threads there and then.
fn early_returns(out: &mut mir::Function) {
    for b in 0..out.blocks.len() {
        let Term::Branch { guard, then, other, divergent } = out.blocks[b].term else { continue };
        let returns = |x: BlockId| {
            let x = &out.blocks[x.0 as usize];
            x.insts.is_empty() && x.term == Term::Return
        };
        let opposite = mir::Guard { flag: guard.flag, code: opposite(guard.code) };
        let term = match (returns(then), returns(other)) {
            (true, true) => Term::Return,
            (true, false) => Term::ReturnIf { guard, other, divergent },
            (false, true) => Term::ReturnIf { guard: opposite, other: then, divergent },
            _ => continue,
        };
        out.blocks[b].term = term;
    }
}

/// The opposite of a condition that selection uses.
pub fn opposite(code: u8) -> u8 {
    match code {
        super::NE => super::EQ,
        _ => super::NE,
    }
}

/// True when the copies of another edge of `b` read the value.
fn feeds_phi(f: &ir::Function, b: BlockId, to: BlockId, v: Value) -> bool {
    f.block(to).phis.iter().any(|p| p.args.iter().any(|(from, o)| *from == b && *o == Operand::Value(v)))
}

/// The copies of one edge, not ordered yet.
fn copies(s: &Select<'_>, b: BlockId, to: BlockId) -> Vec<Copy> {
    let mut out = Vec::new();
    for p in &s.f.block(to).phis {
        let Some((_, o)) = p.args.iter().find(|a| a.0 == b) else { continue };
        if s.plan.addr_class[p.dst.0 as usize] {
            let from = s.phi_addr.get(&(b, p.dst)).copied();
            if let (Some(to), Some(from)) = (s.addr[p.dst.0 as usize], from) {
                if to != from {
                    out.push(Copy::Addr { to, from });
                }
            }
            continue;
        }
        let Some(to) = s.word[p.dst.0 as usize] else { continue };
        let from = match o {
            Operand::Imm(c) if s.f.ty(p.dst) == Ty::Pred => Src::Imm(if *c == 0 { 0 } else { u32::MAX }),
            Operand::Imm(c) => Src::Imm(*c),
            Operand::Value(v) => match s.word[v.0 as usize] {
                Some(w) => Src::Word(w),
                None => continue,
            },
        };
        if from != Src::Word(to) {
            out.push(Copy::Word { to, from });
        }
    }
    out
}

/// Orders copies and appends them to a block.
fn append(s: &mut Select<'_>, block: usize, mut copies: Vec<Copy>) {
    let loc = s.out.blocks[block].loc;
    let mut list = Vec::new();
    while !copies.is_empty() {
        let reads = |c: &Copy, all: &[Copy]| {
            all.iter().any(|x| match (c, x) {
                (Copy::Word { to, .. }, Copy::Word { from, .. }) => *from == Src::Word(*to) && x != c,
                (Copy::Addr { to, .. }, Copy::Addr { from, .. }) => from == to && x != c,
                _ => false,
            })
        };
        if let Some(k) = (0..copies.len()).find(|k| !reads(&copies[*k], &copies)) {
            let c = copies.remove(k);
            list.push(instruction(c, loc));
            continue;
        }
        // Every target is read by another copy: save one and let its readers use the saved one.
        match copies[0] {
            Copy::Word { to, .. } => {
                let saved = Word { reg: s.out.reg(Class::Gpr(1)), part: 0 };
                list.push(instruction(Copy::Word { to: saved, from: Src::Word(to) }, loc));
                for c in &mut copies {
                    if let Copy::Word { from, .. } = c {
                        if *from == Src::Word(to) {
                            *from = Src::Word(saved);
                        }
                    }
                }
            }
            Copy::Addr { to, .. } => {
                let saved = s.out.reg(Class::Addr);
                list.push(instruction(Copy::Addr { to: saved, from: to }, loc));
                for c in &mut copies {
                    if let Copy::Addr { from, .. } = c {
                        if *from == to {
                            *from = saved;
                        }
                    }
                }
            }
        }
    }
    s.out.blocks[block].insts.extend(list);
}

fn instruction(c: Copy, loc: crate::error::Loc) -> Inst {
    match c {
        Copy::Word { to, from: from @ Src::GlobalAddr(..) } => {
            Inst::new(pass_b(false), Dst::Word(to), [Src::Zero, from, Src::None], loc)
        }
        Copy::Word { to, from } => Inst::new(mov(), Dst::Word(to), [from, Src::None, Src::None], loc),
        Copy::Addr { to, from } => {
            Inst::new(isa::Op::AddA, Dst::Addr(to), [Src::Addr(from), Src::Imm(0), Src::None], loc)
        }
    }
}

/// Values live at the start of blocks.
struct Live(Vec<u64>);

impl Live {
    fn contains(&self, v: Value) -> bool {
        self.0[v.0 as usize / 64] >> (v.0 % 64) & 1 != 0
    }
}

fn live_in(f: &ir::Function) -> Vec<Live> {
    let words = f.types.len().div_ceil(64);
    let mut live: Vec<Live> = f.blocks.iter().map(|_| Live(vec![0; words])).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for b in f.ids().collect::<Vec<_>>().into_iter().rev() {
            let block = f.block(b);
            let mut now = vec![0u64; words];
            let add = |now: &mut Vec<u64>, o: &Operand| {
                if let Operand::Value(v) = o {
                    now[v.0 as usize / 64] |= 1 << (v.0 % 64);
                }
            };
            for t in block.term.successors() {
                for (w, x) in now.iter_mut().zip(&live[t.0 as usize].0) {
                    *w |= x;
                }
                for p in &f.block(t).phis {
                    p.args.iter().filter(|a| a.0 == b).for_each(|a| add(&mut now, &a.1));
                }
            }
            if let ir::Term::Branch { cond, .. } = &block.term {
                add(&mut now, cond);
            }
            for i in block.insts.iter().rev() {
                for d in &i.dst {
                    now[d.0 as usize / 64] &= !(1 << (d.0 % 64));
                }
                i.src.iter().for_each(|o| add(&mut now, o));
            }
            for p in &block.phis {
                now[p.dst.0 as usize / 64] &= !(1 << (p.dst.0 % 64));
            }
            if now != live[b.0 as usize].0 {
                live[b.0 as usize].0 = now;
                changed = true;
            }
        }
    }
    live
}
