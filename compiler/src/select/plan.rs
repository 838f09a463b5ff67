//! Decisions before selection: values held back until their user, predicates that need a flag
//! or a word, values in address registers.

use crate::ir::{BlockId, Function, Inst, MemTy, Op, Operand, Space, Special, Term, Ty, Value};
use crate::opt::gvn::is_pure;

/// Decisions, by value.
pub struct Plan {
    /// Place of the definition: block and index; `None` for phis.
    pub place: Vec<Option<(BlockId, usize)>>,
    /// Uses: operands, branches, phis.
    pub uses: Vec<u32>,
    /// Emitted when its user asks, or not at all.
    pub held: Vec<bool>,
    /// A predicate that guards something.
    pub wants_flag: Vec<bool>,
    /// A predicate that is needed as a word, 0 or all ones.
    pub wants_word: Vec<bool>,
    /// The base of shared, constant or local accesses: an address register is made at its definition.
    pub wants_addr: Vec<bool>,
    /// Lives in an address register alone: a pointer that a loop moves.
    pub addr_class: Vec<bool>,
}

impl Plan {
    /// The instruction that defines a value; `None` for phis.
    pub fn inst<'a>(&self, f: &'a Function, v: Value) -> Option<&'a Inst> {
        let (b, k) = self.place[v.0 as usize]?;
        f.block(b).insts.get(k)
    }
}

/// Decides.
pub fn make(f: &Function, optimise: bool) -> Plan {
    let n = f.types.len();
    let mut p = Plan {
        place: vec![None; n],
        uses: vec![0; n],
        held: vec![false; n],
        wants_flag: vec![false; n],
        wants_word: vec![!optimise; n],
        wants_addr: vec![false; n],
        addr_class: vec![false; n],
    };
    // Block of the only use, where it is an instruction or the branch of a block.
    let mut user: Vec<Option<BlockId>> = vec![None; n];
    for b in f.ids() {
        let block = f.block(b);
        for (k, i) in block.insts.iter().enumerate() {
            for d in &i.dst {
                p.place[d.0 as usize] = Some((b, k));
            }
        }
    }
    for b in f.ids() {
        let block = f.block(b);
        for phi in &block.phis {
            for (_, o) in &phi.args {
                if let Operand::Value(v) = o {
                    p.uses[v.0 as usize] += 1;
                    p.wants_word[v.0 as usize] = true;
                }
            }
            p.wants_word[phi.dst.0 as usize] = true;
        }
        for i in &block.insts {
            for (k, o) in i.src.iter().enumerate() {
                let Operand::Value(v) = *o else { continue };
                let v = v.0 as usize;
                p.uses[v] += 1;
                user[v] = Some(b);
                if f.types[v] == Ty::Pred {
                    let pred_result = i.dst.first().is_some_and(|d| f.ty(*d) == Ty::Pred);
                    match i.op {
                        Op::Select if k == 0 && !pred_result => p.wants_flag[v] = true,
                        Op::Unlock { .. } | Op::Vote { .. } => p.wants_flag[v] = true,
                        _ => {}
                    }
                }
            }
        }
        if let Term::Branch { cond: Operand::Value(v), .. } = block.term {
            p.uses[v.0 as usize] += 1;
            user[v.0 as usize] = Some(b);
            p.wants_flag[v.0 as usize] = true;
        }
    }
    if !optimise {
        return p;
    }
    for b in f.ids() {
        for i in &f.block(b).insts {
            let [d] = i.dst[..] else { continue };
            let n = d.0 as usize;
            let single = p.uses[n] == 1 && user[n] == Some(b);
            p.held[n] = match i.op {
                Op::Special(s) => p.uses[n] > 0 && s != Special::Clock && single,
                Op::GlobalAddr { .. } => !in_phi(f, d),
                Op::Load { space: Space::Shared, volatile: false, .. } => single,
                Op::Load { space: Space::Param, volatile: false, ty, .. } => {
                    single || ty != MemTy::S8 && folds_everywhere(f, d)
                }
                Op::Load { volatile: true, .. } | Op::Call { .. } | Op::Double(_) => false,
                ref op => single && is_pure(op),
            };
        }
    }
    super::address::plan(f, &mut p);
    super::predicate::plan(f, &mut p);
    p
}

/// True for an operand of a phi.
fn in_phi(f: &Function, v: Value) -> bool {
    let mut phis = f.blocks.iter().flat_map(|b| &b.phis);
    phis.any(|p| p.args.iter().any(|a| a.1 == Operand::Value(v)))
}

/// True when every use of a parameter takes it as an operand in shared memory, for nothing.
fn folds_everywhere(f: &Function, v: Value) -> bool {
    let me = Operand::Value(v);
    if in_phi(f, v) {
        return false;
    }
    for b in f.ids() {
        let block = f.block(b);
        for i in &block.insts {
            if !i.src.contains(&me) {
                continue;
            }
            let others_are_plain = i.src.iter().filter(|o| **o == me).count() == 1
                && i.src.iter().all(|o| *o == me || !is_memory_operand(f, *o));
            let takes = match i.op {
                Op::Add | Op::And | Op::Or | Op::Xor | Op::Min { .. } | Op::Max { .. } => true,
                Op::Sub | Op::Cmp { .. } | Op::FCmp(_) => true,
                Op::FAdd { .. } | Op::FMul { .. } | Op::FMin | Op::FMax => true,
                Op::FMad { .. } => i.src[2] != me,
                Op::Shl | Op::Shr { .. } => i.src[0] == me,
                _ => false,
            };
            if !takes || !others_are_plain {
                return false;
            }
        }
    }
    true
}

/// True for a value that may be an operand in shared memory itself.
fn is_memory_operand(f: &Function, o: Operand) -> bool {
    let Operand::Value(v) = o else { return false };
    f.blocks.iter().flat_map(|b| &b.insts).any(|i| {
        i.dst.contains(&v) && matches!(i.op, Op::Load { space: Space::Param | Space::Shared, .. } | Op::Special(_))
    })
}
