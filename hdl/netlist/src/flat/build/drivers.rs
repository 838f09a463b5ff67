//! Who drives what in a module.

use crate::id::{ExprId, SignalId};
use crate::module::{Body, Tap};
use std::collections::HashMap;

/// What gives a signal its value.
#[derive(Clone, Copy)]
pub(super) enum Driver {
    Expr(ExprId),
    Process(usize),
    Read(usize),
    /// What stands before a tap: taps are at rest, and nodes of their own where they are asked for.
    Signal(SignalId),
}

/// Who drives what in a module.
pub(super) struct Drivers(pub(super) HashMap<SignalId, Driver>);

impl Drivers {
    pub(super) fn of(body: &Body) -> Self {
        let mut map = HashMap::new();
        for (s, e) in body.wires.iter().chain(&body.assigns) {
            map.insert(*s, Driver::Expr(*e));
        }
        for (i, process) in body.processes.iter().enumerate() {
            for statement in process {
                statement.targets(&mut |s| {
                    map.insert(s, Driver::Process(i));
                });
            }
        }
        let reads = body.memory.iter().flat_map(|m| &m.reads);
        for (i, read) in reads.enumerate() {
            map.insert(read.data, Driver::Read(i));
        }
        for tap in &body.taps {
            let (output, before) = match *tap {
                Tap::Saboteur { output, raw, .. } => (output, raw),
                Tap::Held { output, held } => (output, held),
            };
            map.insert(output, Driver::Signal(before));
        }
        Drivers(map)
    }
}
