//! Registers in two or three copies: each protected register becomes an instance of a module that holds the copies.

use super::build::Build;
use super::scheme::{Copies, CORRECTED, DETECTED};
use crate::design::Tree;
use crate::expr::{Binary, Kind, Pool};
use crate::id::SignalId;
use crate::module::{Module, Signal, SignalKind, Stmt};
use crate::pass::dead_wires;
use std::collections::BTreeMap;
use warpsmith_contract::Direction;

/// One copy. Synthesis sees no two registers with the same input in one module, so it joins none.
fn copy(width: u32, reset: u64) -> Module {
    let mut b = Build::new(
        format!("copy_{width}"),
        "One copy of a protected register, as its reset leaves it at power-on; its hierarchy is kept.",
    );
    let q = b.signal("q", width, SignalKind::Output);
    let d = b.signal("d", width, SignalKind::Input);
    let r = b.signal("r", width, SignalKind::Reg { reset: Some(reset) });
    let (next, value) = (b.get(d), b.get(r));
    b.set(r, next);
    b.set(q, value);
    let mut module = b.finish();
    module.body.kept = true;
    module
}

/// A register of `width` bits in copies, as an instance of this name. Ports: value `q`, next value `d`, event.
pub fn copies(instance: String, width: u32, reset: u64, copies: Copies) -> Tree {
    let (name, event, header) = match copies {
        Copies::Dmr => ("dmr", DETECTED, "Register in two copies: `detected` while they differ."),
        Copies::Tmr => {
            ("tmr", CORRECTED, "Register in three copies: `q` is the majority, `corrected` while they differ.")
        }
    };
    let mut b = Build::new(format!("{name}_{width}"), header);
    let q = b.signal("q", width, SignalKind::Output);
    let d = b.signal("d", width, SignalKind::Input);
    let event = b.signal(event, 1, SignalKind::Output);
    let one = copy(width, reset);
    let names = &["a", "b", "c"][..copies.count()];
    let nets: Vec<_> = (0..).zip(names).map(|(i, name)| b.nets(i, name, &one)).collect();
    let next = b.get(d);
    let mut values = vec![];
    for net in nets {
        b.set(net[1], next);
        values.push(b.get(net[0]));
    }
    let differ: Vec<_> = values[1..].iter().map(|v| b.binary(Binary::Xor, values[0], *v)).collect();
    let differ = b.join(Binary::Or, differ).expect("two copies at least");
    let differ = b.any(differ);
    b.set(event, differ);
    let value = match values[..] {
        [x, y, z] => {
            let (both, one) = (b.binary(Binary::And, x, y), b.binary(Binary::Or, x, y));
            let third = b.binary(Binary::And, one, z);
            b.binary(Binary::Or, both, third)
        }
        _ => values[0],
    };
    b.set(q, value);
    let children = names.iter().map(|name| Tree { instance: (*name).into(), module: one.clone(), children: vec![] });
    Tree { instance, module: b.finish(), children: children.collect() }
}

/// Statements that assign one of the registers, to their next values instead.
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

/// Protects the registers of a block that `wanted` names, those of its children apart. A register becomes the net at the
/// value of its instance; its next value, by default what it has, is set where it was set. One without reset gets 0: its
/// copies would differ before it is first written.
pub fn protect(node: &mut Tree, kind: Copies, wanted: impl Fn(&str) -> bool) {
    let body = &mut node.module.body;
    let list: Vec<(SignalId, Signal)> =
        body.registers().filter(|(_, s)| wanted(&s.name)).map(|(id, s)| (id, s.clone())).collect();
    let mut pool = Pool::from_list(std::mem::take(&mut body.exprs));
    let (mut next, mut process) = (BTreeMap::new(), vec![]);
    for (id, register) in list {
        let SignalKind::Reg { reset } = register.kind else { continue };
        let child = u32::try_from(node.children.len()).expect("fewer than 2^32 children");
        let tree = copies(format!("{}_copies", register.name), register.width, reset.unwrap_or(0), kind);
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
