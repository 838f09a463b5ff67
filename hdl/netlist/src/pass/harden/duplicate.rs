//! A block twice: its logic, registers and memories. The second one computes the same, and outputs that differ are detected.

use super::scheme::{DETECTED, SOURCE};
use crate::design::Tree;
use crate::expr::Binary;
use crate::module::SignalKind;
use crate::pass::build::Build;
use warpsmith_contract::site::TWICE;

/// Gives registers their resets and memories zeros at first: both blocks begin alike.
fn begin_alike(node: &mut Tree) {
    for signal in &mut node.module.body.signals {
        if let SignalKind::Reg { reset } = &mut signal.kind {
            reset.get_or_insert(0);
        }
    }
    if let Some(memory) = node.module.body.memory.as_mut().filter(|m| m.write.is_some()) {
        memory.zeroed = true;
    }
    node.children.iter_mut().for_each(begin_alike);
}

/// A module with the ports of the block around two of it, whose hierarchy synthesis keeps.
pub fn duplicate(mut node: Tree) -> Tree {
    begin_alike(&mut node);
    let within = &mut node.module;
    within.body.kept = true;
    let header = "A block twice: `detected` while outputs of the two differ.";
    let mut b = Build::new(SOURCE, format!("{}_twice", within.name), header);
    let ports: Vec<_> = within.body.ports().map(|(_, s)| b.signal(&s.name, s.width, s.kind)).collect();
    let event = b.signal(DETECTED, 1, SignalKind::Output);
    let [first, second] = [0, 1].map(|i| b.nets(i, TWICE[i as usize], within));
    let mut differ = vec![];
    for ((port, first), second) in ports.into_iter().zip(first).zip(second) {
        if b.0.signals[port.0 as usize].kind == SignalKind::Input {
            let value = b.get(port);
            b.set(first, value);
            b.set(second, value);
            continue;
        }
        let (value, other) = (b.get(first), b.get(second));
        b.set(port, value);
        let bits = b.binary(Binary::Xor, value, other);
        differ.push(b.any(bits));
    }
    let differ = b.join(Binary::Or, differ).expect("a block has outputs");
    b.set(event, differ);
    let twice = TWICE.map(|name| Tree { instance: name.into(), ..node.clone() });
    Tree { instance: node.instance, module: b.finish(), children: twice.into() }
}
