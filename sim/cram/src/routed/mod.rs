//! The netlist that nextpnr-ecp5 placed and routed (`--write`): cells with their places, nets with their wires.

mod cell;
mod read;

pub use cell::Pin;
pub(crate) use cell::{BlockRam, Carry, Cell, Enable, FlipFlop, Function, FACTOR, PORTS, TABLE, TIED};

use crate::trellis::{Names, Wire};
use std::collections::HashMap;

/// A cell, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub(crate) u32);

/// A net, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetId(pub(crate) u32);

/// A net.
#[derive(Debug)]
pub(crate) struct Net {
    pub(crate) name: String,
    /// The cell that drives it, and its pin.
    pub(crate) driver: Option<(CellId, Pin)>,
}

/// A wire that carries a net.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    pub(crate) net: NetId,
    /// The wire that drives it; none at the net's source.
    pub(crate) from: Option<Wire>,
}

/// A placed and routed netlist.
pub struct Routed {
    pub(crate) cells: Vec<Cell>,
    pub(crate) nets: Vec<Net>,
    pub(crate) names: Names,
    /// Wires that carry nets.
    pub(crate) used: HashMap<Wire, Used>,
    /// Wires that a wire drives, of the same net.
    pub(crate) below: HashMap<Wire, Vec<Wire>>,
    /// Input pins at wires: of all cells, whether a net is at them or not.
    pub(crate) pins: HashMap<Wire, Vec<(CellId, Pin)>>,
    by_name: HashMap<String, CellId>,
}

impl Routed {
    pub(crate) fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }

    pub(crate) fn net(&self, id: NetId) -> &Net {
        &self.nets[id.0 as usize]
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (CellId, &Cell)> {
        (0..).map(CellId).zip(&self.cells)
    }

    /// Nets at a cell's pins.
    pub fn nets_at(&self, cell: CellId) -> impl Iterator<Item = (Pin, NetId)> + '_ {
        self.cell(cell).nets.iter().map(|(pin, net)| (*pin, *net))
    }

    /// A cell by its name.
    pub fn find(&self, name: &str) -> Option<CellId> {
        self.by_name.get(name).copied()
    }

    /// Input pins that a wire reaches on its net.
    pub(crate) fn reached(&self, wire: Wire) -> Vec<(CellId, Pin)> {
        let (mut found, mut open) = (vec![], vec![wire]);
        while let Some(wire) = open.pop() {
            let Some(used) = self.used.get(&wire) else { continue };
            let at = self.pins.get(&wire).into_iter().flatten();
            found.extend(at.filter(|(cell, pin)| self.cell(*cell).nets.get(pin) == Some(&used.net)));
            open.extend(self.below.get(&wire).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
