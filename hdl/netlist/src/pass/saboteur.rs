//! The build for fault injection: the same chip, its state and block outputs open to a simulator.
//!
//! Registers and memories stay as they are and are marked open. Every output `y` of a block below the
//! top passes a saboteur, `y = (y_raw & y_keep) ^ y_flip`; without a fault `y_keep` is all ones and
//! `y_flip` zero. Synchronous outputs of a memory are registers, so they are state and have no
//! saboteur: the register is `y_held`.

use crate::design::Tree;
use crate::id::SignalId;
use crate::module::{Body, MemoryStyle, SignalKind, Stmt, Tap};

/// Opens a chip to fault injection.
pub fn open(mut top: Tree) -> Tree {
    mark(&mut top, true);
    top
}

fn mark(node: &mut Tree, top: bool) {
    node.module.body.open = true;
    if !top || latched(&node.module.body) {
        saboteurs(&mut node.module.body);
    }
    for child in &mut node.children {
        mark(child, false);
    }
}

/// Whether the outputs are registers of a memory.
fn latched(body: &Body) -> bool {
    let memory = body.memory.as_ref();
    memory.is_some_and(|m| m.style != MemoryStyle::Lut)
}

/// Puts a tap before every output of a module.
pub fn saboteurs(body: &mut Body) {
    let held = latched(body);
    let outputs: Vec<(SignalId, String, u32)> = body
        .ports()
        .filter(|(_, s)| s.kind == SignalKind::Output)
        .map(|(id, s)| (id, s.name.clone(), s.width))
        .collect();
    for (output, name, width) in outputs {
        let mut signal = |ending: &str| body.add_signal(format!("{name}_{ending}"), width, SignalKind::Tap);
        let (driven, tap) = if held {
            let held = signal("held");
            (held, Tap::Held { output, held })
        } else {
            let (raw, keep, flip) = (signal("raw"), signal("keep"), signal("flip"));
            let tap = Tap::Saboteur { output, raw, keep, flip };
            (raw, tap)
        };
        body.taps.push(tap);
        retarget(body, output, driven);
    }
}

/// Everything that drives `from` drives `to` instead.
fn retarget(body: &mut Body, from: SignalId, to: SignalId) {
    let change = |s: &mut SignalId| {
        if *s == from {
            *s = to;
        }
    };
    body.assigns.iter_mut().for_each(|(s, _)| change(s));
    fn statements(list: &mut [Stmt], change: &impl Fn(&mut SignalId)) {
        for statement in list {
            match statement {
                Stmt::Set(s, _) => change(s),
                Stmt::If(_, yes, no) => {
                    statements(yes, change);
                    statements(no, change);
                }
            }
        }
    }
    for process in &mut body.processes {
        statements(process, &change);
    }
    if let Some(memory) = &mut body.memory {
        memory.reads.iter_mut().for_each(|r| change(&mut r.data));
    }
}
