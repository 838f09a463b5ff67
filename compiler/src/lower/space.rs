//! Memory spaces of generic addresses: traced from symbols and parameters through copies and sums.
//!
//! The trace does not follow control flow: a register's fact joins all its definitions. Addresses
//! kept in local variables (unoptimised code) are followed through them.

use std::collections::HashMap;

use super::inline::Flat;
use super::vars::{Layout, Place};
use crate::ir::{ParamKind, Space};
use crate::ptx::ast::{self, Base, Inst, Operand, RegId, Statement, Symbol, VarId};

/// Which of several things, joined over all definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum One<T> {
    /// No definition says.
    #[default]
    None,
    /// All that say agree.
    Just(T),
    /// They differ.
    Mixed,
}

impl<T: PartialEq + Copy> One<T> {
    fn join(self, other: One<T>) -> One<T> {
        match (self, other) {
            (One::None, x) | (x, One::None) => x,
            (One::Just(a), One::Just(b)) if a == b => self,
            _ => One::Mixed,
        }
    }
}

/// What is known of a register as an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fact {
    /// Space it points into.
    pub space: One<Space>,
    /// Parameter of the kernel it comes from, by index.
    pub param: One<usize>,
    /// Local variable and byte it points to.
    slot: One<(VarId, i64)>,
}

impl Fact {
    fn join(self, other: Fact) -> Fact {
        Fact {
            space: self.space.join(other.space),
            param: self.param.join(other.param),
            slot: self.slot.join(other.slot),
        }
    }

    /// The fact of an address some bytes on.
    fn moved(self, bytes: Option<i64>) -> Fact {
        Fact {
            slot: match (self.slot, bytes) {
                (One::Just((v, at)), Some(b)) => One::Just((v, at.wrapping_add(b))),
                (One::None, _) => One::None,
                _ => One::Mixed,
            },
            ..self
        }
    }
}

/// Facts of all registers.
pub(super) struct Trace {
    regs: Vec<Fact>,
    slots: HashMap<(VarId, i64), Fact>,
    /// Facts of an earlier trace.
    known: Vec<Fact>,
}

/// Rounds over the code at most; facts only grow, and each has few steps.
const MAX_ROUNDS: u32 = 64;

/// Traces all registers of a kernel.
pub(super) fn trace(flat: &Flat, layout: &Layout) -> Trace {
    // Once to learn which subtractions are of two addresses, whose difference is none.
    let first = facts(flat, layout, Vec::new());
    facts(flat, layout, first.regs)
}

fn facts(flat: &Flat, layout: &Layout, known: Vec<Fact>) -> Trace {
    let mut t = Trace {
        regs: vec![Fact::default(); flat.regs.len()],
        slots: HashMap::new(),
        known,
    };
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for s in &flat.code {
            if let Statement::Inst(inst) = s {
                changed |= t.visit(inst, layout);
            }
        }
        if !changed {
            break;
        }
    }
    t
}

/// Marks parameters that are pointers to global memory: those converted by `cvta.to.global` and
/// those that global loads and stores start from.
pub(super) fn infer_pointers(flat: &Flat, trace: &Trace, layout: &mut Layout) {
    for s in &flat.code {
        let Statement::Inst(inst) = s else { continue };
        let parts: Vec<&str> = inst.op.split('.').collect();
        let fact = match parts.first() {
            Some(&"cvta") if parts.contains(&"global") => {
                inst.args.get(1).map(|a| trace.operand(a, layout))
            }
            Some(&("ld" | "st" | "ldu")) if !parts.contains(&"param") => inst
                .args
                .iter()
                .find_map(|a| match a {
                    Operand::Address(base, offset) => Some(trace.address(base, *offset, layout)),
                    _ => None,
                })
                .filter(|f| matches!(f.space, One::None | One::Just(Space::Global))),
            _ => None,
        };
        let Some(One::Just(param)) = fact.map(|f| f.param) else {
            continue;
        };
        if let Some(p) = layout.params.get_mut(param) {
            if p.kind == ParamKind::Value && p.bytes == 4 {
                p.kind = ParamKind::Global;
            }
        }
    }
}

impl Trace {
    /// What is known of a register.
    pub(super) fn reg(&self, r: RegId) -> Fact {
        self.regs.get(r.0 as usize).copied().unwrap_or_default()
    }

    /// What is known of an address operand.
    pub(super) fn address(&self, base: &Base, offset: i64, layout: &Layout) -> Fact {
        match base {
            Base::Reg(r) => self.reg(*r).moved(Some(offset)),
            Base::Symbol(s) => symbol(s, layout).moved(Some(offset)),
            Base::None => Fact::default(),
        }
    }

    fn operand(&self, a: &Operand, layout: &Layout) -> Fact {
        match a {
            Operand::Reg(r) => self.reg(*r),
            Operand::Symbol(s, offset) => symbol(s, layout).moved(Some(*offset)),
            _ => Fact::default(),
        }
    }

    /// The operand points somewhere, as far as an earlier trace or this one knows.
    fn is_address(&self, a: Option<&Operand>, layout: &Layout) -> bool {
        let known = match a {
            Some(Operand::Reg(r)) => self.known.get(r.0 as usize).copied().unwrap_or_default(),
            Some(Operand::Symbol(s, _)) => symbol(s, layout),
            _ => Fact::default(),
        };
        known.space != One::None
    }

    fn grow(&mut self, r: RegId, fact: Fact) -> bool {
        let Some(old) = self.regs.get_mut(r.0 as usize) else {
            return false;
        };
        let new = old.join(fact);
        let changed = new != *old;
        *old = new;
        changed
    }

    fn visit(&mut self, inst: &Inst, layout: &Layout) -> bool {
        let parts: Vec<&str> = inst.op.split('.').collect();
        let arg = |i: usize| {
            inst.args
                .get(i)
                .map_or(Fact::default(), |a| self.operand(a, layout))
        };
        let int = |i: usize| match inst.args.get(i) {
            Some(Operand::Int(v)) => Some(*v as i64),
            _ => None,
        };
        let fact = match parts.first().copied().unwrap_or("") {
            "mov" => arg(1),
            "cvta" => {
                let mut fact = arg(1);
                let space = parts.iter().find_map(|p| ast::Space::parse(p)).map(of_ast);
                if let (One::None, Some(space)) = (fact.space, space) {
                    fact.space = One::Just(space);
                }
                fact
            }
            "selp" => arg(1).join(arg(2)),
            "add" | "or" | "and" => sum(arg(1), int(1), arg(2), int(2)),
            "sub" if self.is_address(inst.args.get(2), layout) => Fact::default(),
            "sub" => arg(1).moved(int(2).map(i64::wrapping_neg)),
            "mad" | "mad24" => arg(3).moved(None),
            "ld" | "ldu" => return self.load(inst, &parts, layout),
            "st" => return self.store(inst, layout),
            _ => return false,
        };
        match inst.args.first() {
            Some(Operand::Reg(r)) => self.grow(*r, fact),
            _ => false,
        }
    }

    fn load(&mut self, inst: &Inst, parts: &[&str], layout: &Layout) -> bool {
        let (Some(to), Some(Operand::Address(base, offset))) =
            (inst.args.first(), inst.args.get(1))
        else {
            return false;
        };
        let at = self.address(base, *offset, layout);
        let to: Vec<&Operand> = match to {
            Operand::Vector(l) => l.iter().collect(),
            one => vec![one],
        };
        if let (true, Base::Symbol(s)) = (parts.contains(&"param"), base) {
            if let Some(Place::Param(_)) = layout.place(s) {
                let fact = parameter(s, *offset, layout);
                return match to.first() {
                    Some(Operand::Reg(r)) => self.grow(*r, fact),
                    _ => false,
                };
            }
        }
        let One::Just((var, byte)) = at.slot else {
            return false;
        };
        let step = element_bytes(parts);
        let mut changed = false;
        for (i, to) in to.iter().enumerate() {
            let fact = self.slots.get(&(var, byte + step * i as i64)).copied();
            if let (Operand::Reg(r), Some(fact)) = (to, fact) {
                changed |= self.grow(*r, fact);
            }
        }
        changed
    }

    fn store(&mut self, inst: &Inst, layout: &Layout) -> bool {
        let (Some(Operand::Address(base, offset)), Some(value)) =
            (inst.args.first(), inst.args.get(1))
        else {
            return false;
        };
        let One::Just((var, byte)) = self.address(base, *offset, layout).slot else {
            return false;
        };
        let values: Vec<&Operand> = match value {
            Operand::Vector(l) => l.iter().collect(),
            one => vec![one],
        };
        let parts: Vec<&str> = inst.op.split('.').collect();
        let step = element_bytes(&parts);
        let mut changed = false;
        for (i, v) in values.iter().enumerate() {
            let fact = self.operand(v, layout);
            let old = self.slots.entry((var, byte + step * i as i64)).or_default();
            let new = old.join(fact);
            changed |= new != *old;
            *old = new;
        }
        changed
    }
}

fn element_bytes(parts: &[&str]) -> i64 {
    parts
        .iter()
        .rev()
        .find_map(|p| ast::Ty::parse(p))
        .map_or(4, |t| i64::from(t.bytes()))
}

/// A sum's fact: the operand that is an address decides; where neither is known as one, the first.
fn sum(a: Fact, a_int: Option<i64>, b: Fact, b_int: Option<i64>) -> Fact {
    match (a_int, b_int) {
        (_, Some(_)) => return a.moved(b_int),
        (Some(_), None) => return b.moved(a_int),
        (None, None) => {}
    }
    let base = match (a.space, b.space) {
        (One::None, One::None) if a.param == One::None => b,
        (One::None, One::None) | (_, One::None) => a,
        (One::None, _) => b,
        _ => Fact {
            space: a.space.join(b.space),
            ..a
        },
    };
    base.moved(None)
}

fn of_ast(space: ast::Space) -> Space {
    match space {
        ast::Space::Param => Space::Param,
        ast::Space::Shared => Space::Shared,
        ast::Space::Global => Space::Global,
        ast::Space::Const => Space::Const,
        ast::Space::Local => Space::Local,
    }
}

/// The fact of a symbol's address.
fn symbol(s: &Symbol, layout: &Layout) -> Fact {
    let space = match layout.place(s) {
        Some(Place::Shared(_)) => Space::Shared,
        Some(Place::Const(_)) => Space::Const,
        Some(Place::Local(_)) => Space::Local,
        Some(Place::Global(_)) => Space::Global,
        Some(Place::Param(_)) => Space::Param,
        Some(Place::Call) => Space::Local,
        Some(Place::Missing) | None => return Fact::default(),
    };
    let slot = match (s, space) {
        (Symbol::Local(v), Space::Local) => One::Just((*v, 0)),
        _ => One::None,
    };
    Fact {
        space: One::Just(space),
        param: One::None,
        slot,
    }
}

/// The fact of a parameter's value, loaded from a byte of it.
fn parameter(s: &Symbol, offset: i64, layout: &Layout) -> Fact {
    let Some(Place::Param(index)) = layout.place(s) else {
        return Fact::default();
    };
    let Some(p) = layout.params.get(index) else {
        return Fact::default();
    };
    if offset != 0 || p.bytes != 4 {
        return Fact::default();
    }
    Fact {
        space: match p.kind {
            ParamKind::Value => One::None,
            // What `__constant` pointers point to lies in a buffer.
            ParamKind::Global | ParamKind::Constant => One::Just(Space::Global),
            ParamKind::Shared => One::Just(Space::Shared),
        },
        param: One::Just(index),
        slot: One::None,
    }
}
