//! The chip as a netlist of what is placed, with a switch for every upset.

mod body;
mod boundary;
mod graph;
mod reset;
mod table;

pub use boundary::{Boundary, Port};
pub(crate) use graph::{live, DATA};

use crate::effect::{Change, Upset};
use crate::routed::{CellId, Routed};
use graph::Graph;
use warpsmith_netlist::Tree;

/// A chip of placed cells.
pub struct Netlist {
    /// Its instances: one module with all cells, memories and switches below it.
    pub tree: Tree,
    /// Path of the fault site of each upset, which is stuck at 1 to make it.
    pub sites: Vec<String>,
}

/// Which upsets can stand in one netlist, and which close a loop without a register and so in none.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Batches {
    /// Numbers of upsets, one list a netlist.
    pub batches: Vec<Vec<usize>>,
    /// Numbers of upsets that close a loop.
    pub loops: Vec<usize>,
}

impl Netlist {
    /// The chip with these upsets possible; `chip` is as it is described, with the ports that are expected.
    ///
    /// # Errors
    /// The boundary is that of another netlist; cells in a loop.
    pub fn of(chip: &Tree, routed: &Routed, boundary: &Boundary, upsets: &[&Upset]) -> Result<Self, String> {
        body::netlist(chip, routed, boundary, upsets)
    }
}

impl Batches {
    /// Divides upsets.
    pub fn of(routed: &Routed, upsets: &[&Upset]) -> Self {
        let plain = Graph::of(routed);
        let mut all = Batches::default();
        let mut left: Vec<usize> = (0..upsets.len()).collect();
        while !left.is_empty() {
            let (mut graph, mut batch, mut later) = (plain.clone(), vec![], vec![]);
            for number in left {
                let edges = edges(routed, upsets[number]);
                match graph.extended(&edges) {
                    true => batch.push(number),
                    false => later.push(number),
                }
            }
            match batch.is_empty() {
                true => {
                    all.loops = later;
                    break;
                }
                false => all.batches.push(batch),
            }
            left = later;
        }
        all
    }
}

/// Cells that an upset makes read others at once: reader, driver.
fn edges(routed: &Routed, upset: &Upset) -> Vec<(CellId, CellId)> {
    let mut list = vec![];
    for change in &upset.changes {
        let Change::Pin { cell, pin, value } = change else { continue };
        if !graph::is_at_once(routed.cell(*cell), *pin) {
            continue;
        }
        for net in value.nets() {
            if let Some((driver, _)) = routed.net(net).driver {
                list.push((*cell, driver));
            }
        }
    }
    list
}
