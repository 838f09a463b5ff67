//! Accesses through an address that may lie in one of several spaces, as clang makes them when it merges the
//! accesses of two paths. Such an address gets a register beside it, its tag, that says which space it is;
//! the access becomes one for each space, guarded by the tag.
//!
//! ```text
//!                                     mov.u32 %tag, SHARED;
//! mov.u32 %r1, s;                     mov.u32 %r1, s;
//! @%p1 mov.u32 %r1, %r2;        ─►    @%p1 mov.u32 %tag, GLOBAL;  @%p1 mov.u32 %r1, %r2;
//!                                     setp.eq.u32 %q1, %tag, SHARED;  setp.eq.u32 %q2, %tag, GLOBAL;
//! ld.u32 %r4, [%r1+8];                @%q1 ld.shared.u32 %r4, [%r1+8];  @%q2 ld.global.u32 %r4, [%r1+8];
//! ```
//!
//! An address that comes out of memory, where addresses of several spaces were stored, has no tag: the
//! access stays, and is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::inline::Flat;
use super::space::{named, One, Trace};
use super::vars::Layout;
use crate::ir::Space;
use crate::ptx::ast::{Base, Inst, Operand, RegId, Statement, Ty};

/// Splits the accesses that have tags; whether there were some.
pub(super) fn split(flat: &mut Flat, trace: &Trace, layout: &Layout) -> bool {
    let mut pass = Pass {
        trace,
        layout,
        code: &flat.code,
        definitions: definitions(&flat.code),
        tags: BTreeMap::new(),
        regs: flat.regs.clone(),
    };
    let mut accesses = HashMap::new();
    for (i, s) in flat.code.iter().enumerate() {
        if let Statement::Inst(inst) = s {
            if let Some(split) = pass.access(inst) {
                accesses.insert(i, split);
            }
        }
    }
    if accesses.is_empty() {
        return false;
    }
    let mut code = Vec::with_capacity(2 * flat.code.len());
    for (i, s) in flat.code.iter().enumerate() {
        let Statement::Inst(inst) = s else {
            code.push(s.clone());
            continue;
        };
        let parts = match accesses.remove(&i) {
            Some(parts) => parts,
            None => {
                let mut parts = pass.tag(inst);
                parts.push(inst.clone());
                parts
            }
        };
        code.extend(parts.into_iter().map(Statement::Inst));
    }
    flat.regs = pass.regs;
    flat.code = code;
    true
}

/// Where a register gets its values.
fn definitions(code: &[Statement]) -> HashMap<RegId, Vec<usize>> {
    let mut map: HashMap<RegId, Vec<usize>> = HashMap::new();
    for (i, s) in code.iter().enumerate() {
        if let Statement::Inst(inst) = s {
            for r in results(inst) {
                map.entry(r).or_default().push(i);
            }
        }
    }
    map
}

/// Registers that an instruction gives a value.
fn results(inst: &Inst) -> Vec<RegId> {
    fn registers(operand: &Operand, list: &mut Vec<RegId>) {
        match operand {
            Operand::Reg(r) => list.push(*r),
            Operand::RegPair(a, b) => list.extend([*a, *b]),
            Operand::Vector(parts) | Operand::List(parts) => {
                parts.iter().for_each(|p| registers(p, list));
            }
            _ => {}
        }
    }
    let mut list = vec![];
    if let Some(first) = inst.args.first() {
        registers(first, &mut list);
    }
    list
}

/// The space of a definition.
enum Source {
    /// One space.
    Known(Space),
    /// That of a register.
    Tag(RegId),
}

struct Pass<'a> {
    trace: &'a Trace,
    layout: &'a Layout,
    code: &'a [Statement],
    definitions: HashMap<RegId, Vec<usize>>,
    /// Tags by address.
    tags: BTreeMap<RegId, RegId>,
    regs: Vec<Ty>,
}

impl Pass<'_> {
    /// The accesses that one stands for; none where its space is known, or has no tag.
    fn access(&mut self, inst: &Inst) -> Option<Vec<Inst>> {
        if !matches!(inst.name(), "ld" | "ldu" | "st" | "atom" | "red") {
            return None;
        }
        let address = inst.args.iter().find_map(|a| match a {
            Operand::Address(base, offset) => Some((base, *offset)),
            _ => None,
        });
        let (Base::Reg(address), offset) = address? else { return None };
        let fact = self.trace.address(&Base::Reg(*address), offset, self.layout);
        if fact.target() != One::Mixed || named(inst).is_some() {
            return None;
        }
        let (addresses, mut spaces) = self.reach(*address)?;
        // What is constant is not written.
        if !matches!(inst.name(), "ld" | "ldu") {
            spaces.remove(&Space::Const);
        }
        for a in addresses {
            if !self.tags.contains_key(&a) {
                let tag = self.register("b32");
                self.tags.insert(a, tag);
            }
        }
        let tag = Operand::Reg(self.tags[address]);
        let mut list = vec![];
        let mut accesses = vec![];
        for space in spaces {
            let holds = self.register("pred");
            let id = Operand::Int(number(space));
            list.push(inst.beside("setp.eq.u32", vec![Operand::Reg(holds), tag.clone(), id]));
            if let Some((guard, inverted)) = inst.guard {
                let guard = match inverted {
                    false => guard,
                    true => {
                        let not = self.register("pred");
                        let args = vec![Operand::Reg(not), Operand::Reg(guard)];
                        list.push(inst.beside("not.pred", args));
                        not
                    }
                };
                let args = [holds, holds, guard].map(Operand::Reg).to_vec();
                list.push(inst.beside("and.pred", args));
            }
            let rest = &inst.op[inst.name().len()..];
            accesses.push(Inst {
                op: format!("{}.{}{rest}", inst.name(), space.name()),
                guard: Some((holds, false)),
                ..inst.clone()
            });
        }
        list.extend(accesses);
        Some(list)
    }

    /// The addresses that one is made of, and their spaces; none where one of them has no tag.
    fn reach(&self, from: RegId) -> Option<(BTreeSet<RegId>, BTreeSet<Space>)> {
        let mut seen = BTreeSet::from([from]);
        let mut spaces = BTreeSet::new();
        let mut open = vec![from];
        while let Some(r) = open.pop() {
            for i in self.definitions.get(&r)? {
                let Statement::Inst(inst) = &self.code[*i] else { return None };
                for source in self.sources(inst)? {
                    match source {
                        Source::Known(Space::Param) => return None,
                        Source::Known(space) => {
                            spaces.insert(space);
                        }
                        Source::Tag(r) => {
                            if seen.insert(r) {
                                open.push(r);
                            }
                        }
                    }
                }
            }
        }
        Some((seen, spaces))
    }

    /// The space of what a definition gives, or of each of the two that it selects from.
    fn sources(&self, inst: &Inst) -> Option<Vec<Source>> {
        if results(inst).len() != 1 {
            return None;
        }
        let of = |a: &Operand| self.source(a);
        let points = |a: &&Operand| match a {
            Operand::Reg(r) => self.trace.reg(*r).target() != One::None,
            Operand::Symbol(..) => true,
            _ => false,
        };
        let args = inst.args.get(1..)?;
        Some(match (inst.name(), args) {
            ("mov" | "cvta", [from]) => match (self.source(from)?, named(inst)) {
                // Where the operand says nothing, the instruction does.
                (Source::Known(Space::Global), Some(space)) => vec![Source::Known(space)],
                (source, _) => vec![source],
            },
            ("selp", [yes, no, Operand::Reg(_)]) => vec![of(yes)?, of(no)?],
            ("add" | "sub" | "or" | "and" | "mad" | "mad24", _) => {
                let mut bases = args.iter().filter(points);
                match (bases.next(), bases.next()) {
                    (Some(base), None) => vec![of(base)?],
                    (None, _) => vec![Source::Known(Space::Global)],
                    _ => return None,
                }
            }
            // A pointer that the launch passes.
            ("ld", _) if named(inst) == Some(Space::Param) => vec![Source::Known(Space::Global)],
            _ => return None,
        })
    }

    fn source(&self, from: &Operand) -> Option<Source> {
        let fact = match from {
            Operand::Reg(r) => self.trace.reg(*r),
            Operand::Symbol(s, offset) => {
                let base = Base::Symbol(s.clone());
                self.trace.address(&base, *offset, self.layout)
            }
            Operand::Int(_) => return Some(Source::Known(Space::Global)),
            _ => return None,
        };
        Some(match (fact.target(), from) {
            (One::Just(space), _) => Source::Known(space),
            (One::None, _) => Source::Known(Space::Global),
            (One::Mixed, Operand::Reg(r)) => Source::Tag(*r),
            (One::Mixed, _) => return None,
        })
    }

    /// What gives a tag its value beside a definition of its address.
    fn tag(&self, inst: &Inst) -> Vec<Inst> {
        let [result] = results(inst)[..] else {
            return vec![];
        };
        let Some(tag) = self.tags.get(&result) else {
            return vec![];
        };
        let value = |source: Source| match source {
            Source::Known(space) => Operand::Int(number(space)),
            Source::Tag(r) => Operand::Reg(self.tags[&r]),
        };
        let sources = self.sources(inst).expect("an address with a tag");
        let mut args = vec![Operand::Reg(*tag)];
        args.extend(sources.into_iter().map(value));
        let op = match args.len() {
            3 => {
                args.push(inst.args[3].clone());
                "selp.b32"
            }
            _ => "mov.u32",
        };
        vec![Inst { guard: inst.guard, ..inst.beside(op, args) }]
    }

    fn register(&mut self, ty: &str) -> RegId {
        self.regs.push(Ty::parse(ty).expect("a type"));
        RegId(self.regs.len() as u32 - 1)
    }
}

/// The value of a tag.
fn number(space: Space) -> u64 {
    space as u64
}
