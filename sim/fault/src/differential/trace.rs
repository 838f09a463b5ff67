//! Values of sites along the fault-free run.

use super::graph::Graph;
use crate::error::FaultError;
use crate::site::{SiteKind, Sites};

/// Who sees the values of a cycle: its number, and 64 bits an element.
pub type Each<'t> = dyn FnMut(u64, &[u64]) + 't;

/// Sites whose values are handed over in every cycle.
pub struct Trace<'t> {
    /// Nodes of 64 bits of the sites; none where nothing has a value.
    nodes: Vec<Option<u32>>,
    row: Vec<u64>,
    each: &'t mut Each<'t>,
}

impl<'t> Trace<'t> {
    /// Of those of a chip with these numbers.
    pub fn new(all: &Sites, graph: &Graph, sites: &[usize], each: &'t mut Each<'t>) -> Result<Self, FaultError> {
        let mut nodes: Vec<Option<u32>> = vec![];
        for number in sites {
            let site = all.site(*number);
            if site.kind == SiteKind::Ram {
                return Err(FaultError::Ask(format!("{}: a memory has no value of its own in a cycle", site.path)));
            }
            let first = nodes.len();
            nodes.resize(first + site.width.div_ceil(64) as usize, None);
            for piece in &graph.pieces[*number] {
                nodes[first + piece.lo as usize / 64] = Some(piece.node);
            }
        }
        Ok(Trace { row: vec![0; nodes.len()], nodes, each })
    }

    /// Hands over those of a cycle, of the values of all nodes.
    pub fn show(&mut self, cycle: u64, values: &[u64]) {
        for (value, node) in self.row.iter_mut().zip(&self.nodes) {
            *value = node.map_or(0, |n| values[n as usize]);
        }
        (self.each)(cycle, &self.row);
    }
}
