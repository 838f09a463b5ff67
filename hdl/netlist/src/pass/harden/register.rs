//! Registers in two or three copies: each protected register becomes an instance of a module that holds the copies.

use super::scheme::{Copies, CORRECTED, DETECTED, SOURCE};
use crate::design::Tree;
use crate::expr::Binary;
use crate::module::{Module, SignalKind};
use crate::pass::build::Build;
use crate::pass::lift::lift;

/// One copy. Synthesis sees no two registers with the same input in one module, so it joins none.
fn copy(width: u32, reset: u64) -> Module {
    let mut b = Build::new(
        SOURCE,
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
    let mut b = Build::new(SOURCE, format!("{name}_{width}"), header);
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

/// Protects the registers of a block that `wanted` names, those of its children apart. One without reset gets 0: its copies
/// would differ before it is first written.
pub fn protect(node: &mut Tree, kind: Copies, wanted: impl Fn(&str) -> bool) {
    lift(node, wanted, |name, width, reset| copies(format!("{name}_copies"), width, reset.unwrap_or(0), kind));
}
