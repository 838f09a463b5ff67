//! Functions that call themselves, directly or by others.

use super::pointers;
use crate::ptx::ast::{Body, Function, Inst, LabelId, Module, Operand, RegId, Statement};
use std::collections::{HashMap, HashSet};

/// Groups of functions that call each other, by their names.
#[derive(Default)]
pub(super) struct Cycles(HashMap<String, usize>);

impl Cycles {
    /// The groups of a module, of pointers to functions that are `reached`.
    pub(super) fn of(module: &Module, reached: &HashSet<&str>) -> Cycles {
        let bodies = module.functions.iter().filter(|f| reached.contains(f.name.as_str()));
        let bodies = bodies.filter_map(|f| Some((f, f.body.as_ref()?)));
        let edges: HashMap<&str, Vec<&str>> = bodies
            .map(|(f, body)| {
                let called = pointers::called(module, body, reached);
                (f.name.as_str(), called.into_iter().map(|g| g.name.as_str()).collect())
            })
            .collect();
        let reached: HashMap<&str, HashSet<&str>> = edges.keys().map(|f| (*f, reach(&edges, f))).collect();
        let meets = |f: &str, g: &str| reached.get(f).is_some_and(|r| r.contains(g));
        let cyclic: Vec<&Function> = module.functions.iter().filter(|f| meets(&f.name, &f.name)).collect();
        let group = |f: &Function| cyclic.iter().position(|g| meets(&f.name, &g.name) && meets(&g.name, &f.name));
        Cycles(cyclic.iter().filter_map(|f| Some((f.name.clone(), group(f)?))).collect())
    }

    /// The number of a function's group; `None` where it never calls itself.
    pub(super) fn group(&self, f: &Function) -> Option<usize> {
        self.0.get(&f.name).copied()
    }
}

/// What is called from a function on, by others too.
fn reach<'a>(edges: &HashMap<&'a str, Vec<&'a str>>, from: &str) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    let mut open: Vec<&str> = edges.get(from).cloned().unwrap_or_default();
    while let Some(f) = open.pop() {
        if seen.insert(f) {
            open.extend(edges.get(f).into_iter().flatten());
        }
    }
    seen
}

/// Registers that hold values for what comes behind each call, by the call's place in the body.
pub(super) fn live_behind_calls(body: &Body) -> HashMap<usize, Vec<RegId>> {
    let mut at_labels: HashMap<LabelId, HashSet<RegId>> = HashMap::new();
    let tables: HashMap<LabelId, &[LabelId]> = body
        .code
        .iter()
        .filter_map(|s| match s {
            Statement::Targets(l, to) => Some((*l, to.as_slice())),
            _ => None,
        })
        .collect();
    loop {
        let mut changed = false;
        let mut calls = HashMap::new();
        let mut live: HashSet<RegId> = HashSet::new();
        for (n, s) in body.code.iter().enumerate().rev() {
            match s {
                Statement::Targets(..) => {}
                Statement::Label(l) => {
                    let known = at_labels.entry(*l).or_default();
                    let before = known.len();
                    known.extend(&live);
                    changed |= known.len() > before;
                }
                Statement::Inst(inst) => {
                    if inst.name() == "call" {
                        let mut behind: Vec<RegId> = live.iter().copied().collect();
                        behind.retain(|r| !writes(inst).contains(r));
                        behind.sort();
                        calls.insert(n, behind);
                    }
                    step(inst, &mut live, &at_labels, &tables);
                }
            }
        }
        if !changed {
            return calls;
        }
    }
}

/// From what is live behind an instruction to what is in front of it.
fn step(
    inst: &Inst, live: &mut HashSet<RegId>, labels: &HashMap<LabelId, HashSet<RegId>>,
    tables: &HashMap<LabelId, &[LabelId]>,
) {
    let ends = ["bra", "brx", "ret", "exit", "trap"].contains(&inst.name());
    if ends && inst.guard.is_none() {
        live.clear();
    }
    for arg in &inst.args {
        let Operand::Label(l) = arg else { continue };
        for to in tables.get(l).copied().unwrap_or(&[*l]) {
            live.extend(labels.get(to).into_iter().flatten());
        }
    }
    let written = writes(inst);
    if inst.guard.is_none() {
        live.retain(|r| !written.contains(r));
    }
    live.extend(inst.guard.map(|(r, _)| r));
    let first = usize::from(!written.is_empty());
    inst.args.iter().skip(first).for_each(|a| reads(a, live));
}

/// Registers that an instruction writes: its first operand, unless that is an address or a value to store.
fn writes(inst: &Inst) -> Vec<RegId> {
    if ["bra", "brx", "st", "red", "bar", "barrier", "ret", "trap", "nanosleep"].contains(&inst.name()) {
        return Vec::new();
    }
    let of = |a: &Operand| match a {
        Operand::Reg(r) => vec![*r],
        Operand::RegPair(p, q) => vec![*p, *q],
        _ => Vec::new(),
    };
    match (inst.args.first(), inst.name()) {
        // A call without results begins with a name or a pointer.
        (Some(Operand::List(l)), _) => l.iter().flat_map(of).collect(),
        (_, "call") => Vec::new(),
        (Some(Operand::Vector(l)), _) => l.iter().flat_map(of).collect(),
        (Some(a), _) => of(a),
        (None, _) => Vec::new(),
    }
}

fn reads(a: &Operand, live: &mut HashSet<RegId>) {
    match a {
        Operand::Reg(r) | Operand::NotReg(r) | Operand::Address(crate::ptx::ast::Base::Reg(r), _) => {
            live.insert(*r);
        }
        Operand::RegPair(p, q) => live.extend([*p, *q]),
        Operand::Vector(l) | Operand::List(l) => l.iter().for_each(|a| reads(a, live)),
        _ => {}
    }
}
