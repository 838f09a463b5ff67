//! Registers moved out of a block, each into an instance of a module that a pass makes.

use super::dead_wires;
use crate::design::Tree;
use crate::expr::{Kind, Pool};
use crate::id::SignalId;
use crate::module::{Signal, SignalKind, Stmt};
use std::collections::BTreeMap;
use warpsmith_contract::Direction;

/// Statements that assign one of the registers, to their next values instead; with `inside` false the others.
fn moved(list: &[Stmt], next: &BTreeMap<SignalId, SignalId>, inside: bool) -> Vec<Stmt> {
    let one = |s: &Stmt| match s {
        Stmt::Set(r, e) => match (next.get(r), inside) {
            (Some(d), true) => Some(Stmt::Set(*d, *e)),
            (None, false) => Some(Stmt::Set(*r, *e)),
            _ => None,
        },
        Stmt::If(c, yes, no) => {
            let (yes, no) = (moved(yes, next, inside), moved(no, next, inside));
            (!yes.is_empty() || !no.is_empty()).then_some(Stmt::If(*c, yes, no))
        }
    };
    list.iter().filter_map(one).collect()
}

/// Moves the registers of a block that `wanted` names, those of its children apart. `make` is handed a register's name, width and
/// reset value, and makes the instance, whose first two ports are the value and the next value. The register becomes the
/// net at the first; the next value, by default what it has, is set where the register was set.
pub fn lift(node: &mut Tree, wanted: impl Fn(&str) -> bool, mut make: impl FnMut(&str, u32, Option<u64>) -> Tree) {
    let body = &mut node.module.body;
    let list: Vec<(SignalId, Signal)> =
        body.registers().filter(|(_, s)| wanted(&s.name)).map(|(id, s)| (id, s.clone())).collect();
    let mut pool = Pool::from_list(std::mem::take(&mut body.exprs));
    let (mut next, mut process) = (BTreeMap::new(), vec![]);
    for (id, register) in list {
        let SignalKind::Reg { reset } = register.kind else { continue };
        let child = u32::try_from(node.children.len()).expect("fewer than 2^32 children");
        let tree = make(&register.name, register.width, reset);
        body.signals[id.0 as usize].kind = SignalKind::Child { child, direction: Direction::Output };
        let others = tree.module.body.ports().skip(1);
        let nets: Vec<Signal> = others.map(|(_, port)| Signal::at_port(child, &tree.instance, port)).collect();
        let nets: Vec<SignalId> = nets.into_iter().map(|n| body.add_signal(n.name, n.width, n.kind)).collect();
        next.insert(id, nets[0]);
        process.push(Stmt::Set(nets[0], pool.intern(Kind::Signal(id), register.width)));
        node.children.push(tree);
    }
    body.exprs = pool.into_list();
    process.extend(moved(&body.clocked, &next, true));
    body.clocked = moved(&body.clocked, &next, false);
    if process.is_empty() {
        return;
    }
    body.processes.push(process);
    // They are proved of the plain block, and need its registers with their resets.
    body.assertions.clear();
    *body = dead_wires(body);
}
