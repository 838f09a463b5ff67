//! Which cells read which others without a register between them.

use super::boundary::Boundary;
use crate::routed::{Cell, CellId, Function, Pin, Routed, TABLE};

/// Readers of each cell, at once.
#[derive(Clone)]
pub(crate) struct Graph {
    readers: Vec<Vec<CellId>>,
}

/// Whether an output of a cell depends on an input in the same cycle.
pub(super) fn is_at_once(cell: &Cell, pin: Pin) -> bool {
    match cell.function {
        Function::Table { .. } | Function::RamWrite | Function::Multiplier => true,
        Function::RamBit => TABLE.contains(&pin),
        _ => false,
    }
}

impl Graph {
    /// The graph of a netlist.
    pub(crate) fn of(routed: &Routed) -> Self {
        let mut readers = vec![vec![]; routed.cells.len()];
        for (id, cell) in routed.cells() {
            for (pin, net) in &cell.nets {
                if let Some((driver, _)) = routed.net(*net).driver.filter(|d| d.0 != id && is_at_once(cell, *pin)) {
                    readers[driver.0 as usize].push(id);
                }
            }
        }
        Graph { readers }
    }

    /// Whether a cell reads another, over any number of cells.
    fn reaches(&self, from: CellId, to: CellId, seen: &mut Vec<bool>) -> bool {
        seen.clear();
        seen.resize(self.readers.len(), false);
        let mut open = vec![from];
        while let Some(cell) = open.pop() {
            if cell == to {
                return true;
            }
            for reader in &self.readers[cell.0 as usize] {
                if !std::mem::replace(&mut seen[reader.0 as usize], true) {
                    open.push(*reader);
                }
            }
        }
        false
    }

    /// Adds edges from reader to driver; `false`, and none is added, if that closes a loop.
    pub(crate) fn extended(&mut self, edges: &[(CellId, CellId)]) -> bool {
        let mut seen = vec![];
        let mut added = vec![];
        for (reader, driver) in edges {
            if self.readers[driver.0 as usize].contains(reader) {
                continue;
            }
            if self.reaches(*reader, *driver, &mut seen) {
                for driver in added {
                    self.readers[driver as usize].pop();
                }
                return false;
            }
            self.readers[driver.0 as usize].push(*reader);
            added.push(driver.0);
        }
        true
    }
}

/// Cells in an order in which each that reads others at once stands behind them.
///
/// # Errors
/// The name of a cell in a loop.
pub(super) fn order(routed: &Routed, graph: &Graph) -> Result<Vec<CellId>, String> {
    let mut waits = vec![0u32; routed.cells.len()];
    for reader in graph.readers.iter().flatten() {
        waits[reader.0 as usize] += 1;
    }
    let mut order: Vec<CellId> = routed.cells().map(|c| c.0).filter(|c| waits[c.0 as usize] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for reader in &graph.readers[order[next].0 as usize] {
            waits[reader.0 as usize] -= 1;
            if waits[reader.0 as usize] == 0 {
                order.push(*reader);
            }
        }
        next += 1;
    }
    match routed.cells().find(|c| waits[c.0 .0 as usize] > 0) {
        Some((_, cell)) => Err(format!("cell {} is in a loop without a register", cell.name)),
        None => Ok(order),
    }
}

/// Data pins of a flip-flop.
pub(crate) const DATA: [Pin; 2] = [Pin::of("DI"), Pin::of("M")];

/// Whether each cell belongs to the chip: an output depends on it, however late, and it holds no input. Flip-flops that take
/// the outputs are around the chip.
pub(crate) fn live(routed: &Routed, boundary: &Boundary) -> Vec<bool> {
    let mut held = vec![false; routed.cells.len()];
    for cell in boundary.cells(routed, &boundary.inputs).chain(routed.find(&boundary.reset)) {
        held[cell.0 as usize] = true;
    }
    let mut live = vec![false; routed.cells.len()];
    let read = |id: CellId, of: &dyn Fn(&Pin) -> bool| -> Vec<CellId> {
        let nets = routed.cell(id).nets.iter().filter(|(pin, _)| of(pin));
        nets.filter_map(|(_, net)| routed.net(*net).driver.map(|d| d.0)).collect()
    };
    let mut open: Vec<CellId> =
        boundary.cells(routed, &boundary.outputs).flat_map(|c| read(c, &|pin| DATA.contains(pin))).collect();
    while let Some(id) = open.pop() {
        if !held[id.0 as usize] && !std::mem::replace(&mut live[id.0 as usize], true) {
            open.extend(read(id, &|_| true));
        }
    }
    live
}
