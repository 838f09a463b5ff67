//! What flip-flops hold after a reset, read off the cells.

use crate::routed::{Cell, CellId, Enable, Function, NetId, Pin, Routed, TABLE};
use std::collections::HashMap;

/// The value of each flip-flop after an edge under reset, where it does not depend on anything else. `order`: cells behind
/// those that they read at once; `reset`: the net of the reset.
pub(super) fn values(routed: &Routed, order: &[CellId], reset: Option<NetId>) -> HashMap<CellId, bool> {
    let mut nets: HashMap<NetId, bool> = HashMap::new();
    nets.extend(reset.map(|net| (net, true)));
    let mut found = HashMap::new();
    for id in order {
        let cell = routed.cell(*id);
        let Function::Table { entries, carry } = &cell.function else { continue };
        // A sum is known where its carry does not matter.
        if carry.is_some_and(|c| !c.apart) {
            continue;
        }
        let value = super::table::known(*entries, TABLE.map(|pin| at(cell, &nets, pin)));
        if let (Some(net), Some(value)) = (cell.nets.get(&Pin::of("F")), value) {
            nets.insert(*net, value);
        }
    }
    for (id, cell) in routed.cells() {
        let Function::FlipFlop(ff) = cell.function else { continue };
        let pin = |name| at(cell, &nets, Pin::of(name));
        let set = match cell.nets.contains_key(&Pin::of("LSR")) {
            true => pin("LSR"),
            false => Some(false),
        };
        let enabled = match ff.enable {
            Enable::Always => Some(true),
            Enable::Never => Some(false),
            Enable::High => pin("CE"),
            Enable::Low => pin("CE").map(|v| !v),
        };
        let data = if ff.table { pin("DI") } else { pin("M") };
        let next = match (set, enabled) {
            (Some(true), _) => Some(ff.set),
            (Some(false), Some(true)) => data,
            // Set, or data of the same value.
            (None, Some(true)) if data == Some(ff.set) => data,
            _ => None,
        };
        found.extend(next.map(|v| (id, v)));
    }
    found
}

fn at(cell: &Cell, nets: &HashMap<NetId, bool>, pin: Pin) -> Option<bool> {
    match cell.nets.get(&pin) {
        Some(net) => nets.get(net).copied(),
        None => Some(cell.idle(pin)),
    }
}
