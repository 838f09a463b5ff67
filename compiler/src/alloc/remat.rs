//! Values that are cheaper to compute again than to keep: constants, parameters, and values
//! computed from these alone.

use super::web::{Group, Web};
use crate::mir::{Dst, Function, How, Inst, MemRef, Reg, Src};
use warpsmith_isa::{Family, Op};

/// How the registers of a function get their values.
pub struct Defs {
    /// The one computation of a register, if all of them are the same and repeatable.
    value: Vec<Value>,
    /// Registers copied into a register.
    copied: Vec<Vec<Reg>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Value {
    /// Not written but by copies.
    Unwritten,
    /// Always this.
    One(Inst),
    /// Different things, or none that can be repeated.
    Other,
}

impl Defs {
    /// Looks at all instructions.
    pub fn new(f: &Function) -> Defs {
        let mut defs = Defs { value: vec![Value::Unwritten; f.regs.len()], copied: vec![Vec::new(); f.regs.len()] };
        if let Some(v) = defs.value.get_mut(f.entry.0 as usize) {
            *v = Value::Other;
        }
        for inst in f.blocks.iter().flat_map(|b| &b.insts) {
            if let Some((to, from)) = inst.copy() {
                defs.copied[to.reg.0 as usize].push(from.reg);
                continue;
            }
            inst.accesses(|a| {
                if a.how == How::Read {
                    return;
                }
                let value = &mut defs.value[a.reg.0 as usize];
                let new = Inst { dst: Dst::None, loc: Default::default(), ..*inst };
                *value = match *value {
                    Value::Unwritten if repeatable(f, inst) => Value::One(new),
                    Value::One(old) if old == new => *value,
                    _ => Value::Other,
                };
            });
        }
        defs
    }

    /// The instruction that computes all values of a group, without a destination.
    pub fn again(&self, g: &Group) -> Option<Inst> {
        if g.size != 1 || g.fixed.is_some() {
            return None;
        }
        let mut found = None;
        for (r, _) in &g.regs {
            let inside = |from: &Reg| g.regs.iter().any(|(x, _)| x == from);
            if !self.copied[r.0 as usize].iter().all(inside) {
                return None;
            }
            match self.value[r.0 as usize] {
                Value::Unwritten => {}
                Value::One(i) if found.is_none() || found == Some(i) => found = Some(i),
                _ => return None,
            }
        }
        found
    }

    /// Halves the cost of groups that need no memory: no store, no latency.
    pub fn cheapen(&self, web: &mut Web) {
        for id in 0..web.groups.len() {
            let again = web.groups[id].as_ref().and_then(|g| self.again(g));
            if again.is_some() {
                web.cost[id] *= 0.5;
            }
        }
    }
}

/// True for an unguarded computation of a word from what never changes.
fn repeatable(f: &Function, i: &Inst) -> bool {
    let still = |m: MemRef, limit: u32| {
        let end = i64::from(m.offset) + i64::from(m.size.bytes());
        m.base.is_none() && !m.post_inc && m.offset >= 0 && end <= i64::from(limit)
    };
    let constant = |s: Src| match s {
        Src::None | Src::Imm(_) | Src::Imm16(_) | Src::GlobalAddr(..) | Src::Zero => true,
        Src::Shared(m) => still(m, f.param_end),
        Src::Const(_, m) => still(m, u32::MAX),
        _ => false,
    };
    let changes = match i.op.family() {
        Family::Memory => i.op != Op::LdConst,
        Family::Control => true,
        _ => matches!(i.op, Op::S2R | Op::A2R | Op::C2R),
    };
    matches!(i.dst, Dst::Word(_))
        && !changes
        && i.guard.is_none()
        && i.carry.is_none()
        && i.cdst.is_none()
        && !matches!(i.op, Op::Mov { lanes, .. } if lanes != 15)
        && i.src.iter().all(|&s| constant(s))
}
