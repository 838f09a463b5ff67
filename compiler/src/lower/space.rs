//! Memory spaces of generic addresses: traced from symbols and parameters through copies and sums.
//!
//! The trace does not follow control flow: a register's fact joins all its definitions. Addresses
//! in variables of local and shared memory are followed through them: the fact of a variable
//! joins all values that the kernel stores there.

use std::collections::HashMap;

use super::inline::Flat;
use super::vars::{Layout, SymbolPlace};
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

/// A variable that the kernel alone writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Object {
    /// Local memory, and the storage of calls.
    Local(VarId),
    /// Shared memory, by its byte address.
    Shared(u32),
}

impl Object {
    fn space(self) -> Space {
        match self {
            Object::Local(_) => Space::Local,
            Object::Shared(_) => Space::Shared,
        }
    }
}

/// Where in which variable an address points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Slot {
    /// Into none.
    #[default]
    None,
    /// At a byte of it, or anywhere in it.
    At(Object, Option<i64>),
    /// Into several.
    Mixed,
}

impl Slot {
    fn join(self, other: Slot) -> Slot {
        match (self, other) {
            (Slot::None, x) | (x, Slot::None) => x,
            (a, b) if a == b => a,
            (Slot::At(a, _), Slot::At(b, _)) if a == b => Slot::At(a, None),
            _ => Slot::Mixed,
        }
    }
}

/// Facts about a register as an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fact {
    /// Space it points into.
    pub space: One<Space>,
    /// Parameter of the kernel it comes from, by index.
    pub param: One<usize>,
    /// Some definition is a value that the launch passes or memory holds: an address in global
    /// memory, if it is one.
    given: bool,
    slot: Slot,
}

impl Fact {
    fn join(self, other: Fact) -> Fact {
        Fact {
            space: self.space.join(other.space),
            param: self.param.join(other.param),
            given: self.given || other.given,
            slot: self.slot.join(other.slot),
        }
    }

    /// The fact of an address some bytes on.
    fn moved(self, bytes: Option<i64>) -> Fact {
        Fact {
            slot: match self.slot {
                Slot::At(o, at) => Slot::At(o, at.zip(bytes).map(|(a, b)| a.wrapping_add(b))),
                other => other,
            },
            ..self
        }
    }

    /// The spaces that an access through it may mean; none where nothing is known.
    pub(super) fn target(self) -> One<Space> {
        match self.space {
            One::Just(space) if self.given && space != Space::Global => One::Mixed,
            space => space,
        }
    }
}

/// Facts about memory after the kernel's stores.
#[derive(Default)]
struct Contents {
    /// At a byte of a variable.
    slots: HashMap<(Object, i64), Fact>,
    /// Somewhere in a variable.
    moving: HashMap<Object, Fact>,
    /// Anywhere in a variable: all of the above.
    whole: HashMap<Object, Fact>,
    /// In a variable that is not known, by space.
    stray: HashMap<Space, Fact>,
    /// In a space: all of the above.
    spaces: HashMap<Space, Fact>,
}

/// Facts of all registers.
pub(super) struct Trace {
    regs: Vec<Fact>,
    memory: Contents,
    /// Facts of an earlier trace.
    known: Vec<Fact>,
}

/// Rounds over the code at most; facts only grow, and each has few steps.
const MAX_ROUNDS: u32 = 64;

/// Traces all registers of a kernel.
pub(super) fn trace(flat: &Flat, layout: &Layout) -> Trace {
    // Once to learn which subtractions are of two addresses, whose difference is none, and once
    // more to learn which summands are addresses: what is taken for one before its definition is
    // seen leaves traces.
    let first = facts(flat, layout, Vec::new());
    let second = facts(flat, layout, first.regs);
    facts(flat, layout, second.regs)
}

fn facts(flat: &Flat, layout: &Layout, known: Vec<Fact>) -> Trace {
    let mut t = Trace { regs: vec![Fact::default(); flat.regs.len()], memory: Contents::default(), known };
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
            Some(&"cvta") if parts.contains(&"global") => inst.args.get(1).map(|a| trace.operand(a, layout)),
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
        let Some(One::Just(param)) = fact.map(|f| f.param) else { continue };
        if let Some(p) = layout.params.get_mut(param) {
            if p.kind == ParamKind::Value && p.bytes == 4 {
                p.kind = ParamKind::Global;
            }
        }
    }
}

impl Trace {
    /// Facts about a register.
    pub(super) fn reg(&self, r: RegId) -> Fact {
        self.regs.get(r.0 as usize).copied().unwrap_or_default()
    }

    /// Facts about an address operand.
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

    /// The operand points somewhere, as far as an earlier trace knows.
    fn is_address(&self, a: Option<&Operand>, layout: &Layout) -> bool {
        let known = match a {
            Some(Operand::Reg(r)) => self.known.get(r.0 as usize).copied().unwrap_or_default(),
            Some(Operand::Symbol(s, _)) => symbol(s, layout),
            _ => Fact::default(),
        };
        known.space != One::None
    }

    /// A sum's fact: the operand that is an address decides; where neither is known as one, the first.
    fn sum(&self, inst: &Inst, layout: &Layout) -> Fact {
        let arg = |i: usize| {
            let fact = inst.args.get(i).map(|a| self.operand(a, layout));
            fact.unwrap_or_default()
        };
        let (a, b) = (arg(1), arg(2));
        match (inst.args.get(1), inst.args.get(2)) {
            (_, Some(Operand::Int(n))) => return a.moved(Some(*n as i64)),
            (Some(Operand::Int(n)), _) => return b.moved(Some(*n as i64)),
            _ => {}
        }
        let address = |i: usize, fact: Fact| match self.known.is_empty() {
            true => fact.space != One::None,
            false => self.is_address(inst.args.get(i), layout),
        };
        let base = match (address(1, a), address(2, b)) {
            (false, false) => Fact { given: a.given || b.given, ..if a.param == One::None { b } else { a } },
            (true, false) => a,
            (false, true) => b,
            (true, true) => Fact { space: a.space.join(b.space), ..a },
        };
        base.moved(None)
    }

    fn grow(&mut self, r: RegId, fact: Fact) -> bool {
        let Some(old) = self.regs.get_mut(r.0 as usize) else {
            return false;
        };
        grow(old, fact)
    }

    fn visit(&mut self, inst: &Inst, layout: &Layout) -> bool {
        let parts: Vec<&str> = inst.op.split('.').collect();
        let arg = |i: usize| inst.args.get(i).map_or(Fact::default(), |a| self.operand(a, layout));
        let int = |i: usize| match inst.args.get(i) {
            Some(Operand::Int(v)) => Some(*v as i64),
            _ => None,
        };
        let fact = match parts.first().copied().unwrap_or("") {
            // Words of 64 bits hold two addresses.
            "mov" => match inst.args.get(1) {
                Some(Operand::Vector(l)) => l.iter().map(|a| self.operand(a, layout)).fold(Fact::default(), Fact::join),
                _ => arg(1),
            },
            // A handle of a texture: an offset in constant memory, whatever the language makes of it.
            "cvta" if named(inst) == Some(Space::Const) && !parts.contains(&"to") => {
                Fact { space: One::Just(Space::Const), ..Fact::default() }
            }
            "cvta" => {
                let mut fact = arg(1);
                if let (One::None, Some(space)) = (fact.space, named(inst)) {
                    fact.space = One::Just(space);
                    fact.given = false;
                }
                fact
            }
            "selp" => arg(1).join(arg(2)),
            "add" | "or" | "and" => self.sum(inst, layout),
            "sub" if self.is_address(inst.args.get(2), layout) => Fact::default(),
            "sub" => arg(1).moved(int(2).map(i64::wrapping_neg)),
            "mad" | "mad24" => arg(3).moved(None),
            "ld" | "ldu" => return self.load(inst, &parts, layout),
            "st" => return self.store(inst, &parts, layout),
            _ => return false,
        };
        match inst.args.first() {
            Some(to) => self.grow_all(to, fact),
            None => false,
        }
    }

    /// Grows a register, or all of a list.
    fn grow_all(&mut self, to: &Operand, fact: Fact) -> bool {
        match to {
            Operand::Reg(r) => self.grow(*r, fact),
            Operand::Vector(l) => l.iter().fold(false, |changed, to| self.grow_all(to, fact) | changed),
            _ => false,
        }
    }

    /// The space that an access goes to, as written or as traced.
    fn space(inst: &Inst, at: Fact) -> One<Space> {
        match (named(inst), at.space) {
            // Arguments of calls are in local memory.
            (Some(Space::Param), One::Just(Space::Local)) => One::Just(Space::Local),
            (Some(space), _) => One::Just(space),
            (None, space) => space,
        }
    }

    /// Bytes of an element, address and space of an access; none of elements smaller than a word.
    fn words(
        &self, inst: &Inst, parts: &[&str], (base, offset): (&Base, i64), layout: &Layout,
    ) -> Option<(i64, Fact, One<Space>)> {
        let step = element_bytes(parts);
        let at = self.address(base, offset, layout);
        (step >= 4).then(|| (step, at, Self::space(inst, at)))
    }

    fn load(&mut self, inst: &Inst, parts: &[&str], layout: &Layout) -> bool {
        let (Some(to), Some(Operand::Address(base, offset))) = (inst.args.first(), inst.args.get(1)) else {
            return false;
        };
        let Some((step, at, space)) = self.words(inst, parts, (base, *offset), layout) else { return false };
        let to = elements(to);
        let mut changed = false;
        for (i, to) in to.iter().enumerate() {
            let bytes = step * i as i64;
            let fact = match base {
                Base::Symbol(s) if space == One::Just(Space::Param) => parameter(s, offset + bytes, step, layout),
                _ => self.memory.load(space, at.slot, bytes, step),
            };
            changed |= self.grow_all(to, fact);
        }
        changed
    }

    fn store(&mut self, inst: &Inst, parts: &[&str], layout: &Layout) -> bool {
        let (Some(Operand::Address(base, offset)), Some(value)) = (inst.args.first(), inst.args.get(1)) else {
            return false;
        };
        let Some((step, at, space)) = self.words(inst, parts, (base, *offset), layout) else { return false };
        let mut changed = false;
        for (i, v) in elements(value).iter().enumerate() {
            let fact = self.operand(v, layout);
            for word in (0..step).step_by(4) {
                changed |= self.memory.store(space, at.slot, step * i as i64 + word, fact);
            }
        }
        changed
    }
}

impl Contents {
    /// Joined facts about the words that a load reads `bytes` behind an address.
    fn load(&self, space: One<Space>, slot: Slot, bytes: i64, size: i64) -> Fact {
        let of = |fact: Option<&Fact>| fact.copied().unwrap_or_default();
        match (slot, space) {
            (Slot::At(o, at), _) => {
                let stray = of(self.stray.get(&o.space()));
                let Some(at) = at else {
                    return stray.join(of(self.whole.get(&o)));
                };
                let words = (0..size).step_by(4).map(|word| of(self.slots.get(&(o, at.wrapping_add(bytes + word)))));
                words.fold(stray.join(of(self.moving.get(&o))), Fact::join)
            }
            (_, One::Just(space @ (Space::Local | Space::Shared))) => of(self.spaces.get(&space)),
            // The launch fills these; a kernel writes to global memory alone.
            (_, One::Just(Space::Param | Space::Const)) => Fact { given: true, ..Fact::default() },
            _ => Fact { given: true, ..of(self.spaces.get(&Space::Global)) },
        }
    }

    /// Adds what a store leaves some bytes behind an address; true where that is new.
    fn store(&mut self, space: One<Space>, slot: Slot, bytes: i64, fact: Fact) -> bool {
        if fact == Fact::default() {
            return false;
        }
        let space = match (slot, space) {
            (Slot::At(o, _), _) => o.space(),
            (_, One::Just(space @ (Space::Local | Space::Shared))) => space,
            _ => Space::Global,
        };
        let mut changed = grow(self.spaces.entry(space).or_default(), fact);
        match slot {
            Slot::At(o, at) => {
                changed |= grow(self.whole.entry(o).or_default(), fact);
                changed |= match at {
                    Some(at) => {
                        let key = (o, at.wrapping_add(bytes));
                        grow(self.slots.entry(key).or_default(), fact)
                    }
                    None => grow(self.moving.entry(o).or_default(), fact),
                };
            }
            _ => changed |= grow(self.stray.entry(space).or_default(), fact),
        }
        changed
    }
}

/// Joins a fact into another; true where that changes it.
fn grow(old: &mut Fact, fact: Fact) -> bool {
    let new = old.join(fact);
    let changed = new != *old;
    *old = new;
    changed
}

/// What one operand stands for: the parts of a vector, or itself.
fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(list) => list,
        one => std::slice::from_ref(one),
    }
}

fn element_bytes(parts: &[&str]) -> i64 {
    parts.iter().rev().find_map(|p| ast::Ty::parse(p)).map_or(4, |t| i64::from(t.bytes()))
}

/// The space that an instruction names in its operation.
pub(super) fn named(inst: &Inst) -> Option<Space> {
    let name = |part: &str| Space::parse(part.split("::").next().unwrap_or(part));
    inst.op.split('.').skip(1).find_map(name)
}

/// The fact of a symbol's address.
fn symbol(s: &Symbol, layout: &Layout) -> Fact {
    let space = match layout.place(s) {
        Some(SymbolPlace::Shared(_)) => Space::Shared,
        Some(SymbolPlace::Const(_)) => Space::Const,
        Some(SymbolPlace::Local(_)) => Space::Local,
        Some(SymbolPlace::Global(_)) => Space::Global,
        Some(SymbolPlace::Param(_)) => layout.param_space(),
        Some(SymbolPlace::Call) => Space::Local,
        Some(SymbolPlace::Missing) | None => return Fact::default(),
    };
    let slot = match (s, layout.place(s)) {
        (Symbol::Local(v), _) if space == Space::Local => Slot::At(Object::Local(*v), Some(0)),
        (_, Some(SymbolPlace::Shared(at))) => Slot::At(Object::Shared(at), Some(0)),
        _ => Slot::None,
    };
    Fact { space: One::Just(space), slot, ..Fact::default() }
}

/// The fact of a parameter's value, `size` bytes of it from a byte on.
fn parameter(s: &Symbol, offset: i64, size: i64, layout: &Layout) -> Fact {
    let given = Fact { given: true, ..Fact::default() };
    let param = match layout.place(s) {
        Some(SymbolPlace::Param(index)) => layout.params.get(index).map(|p| (index, p)),
        _ => None,
    };
    let Some((index, p)) = param.filter(|(_, p)| offset == 0 && size == 4 && p.bytes == 4) else {
        return given;
    };
    let param = One::Just(index);
    match p.kind {
        ParamKind::Value => Fact { param, ..given },
        // `__constant` pointers point to a buffer in global memory.
        ParamKind::Global | ParamKind::Constant => Fact { space: One::Just(Space::Global), param, ..Fact::default() },
        ParamKind::Shared => Fact { space: One::Just(Space::Shared), param, ..Fact::default() },
    }
}
