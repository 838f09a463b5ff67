//! Where the chip ends and what is around it begins.

use crate::routed::{CellId, Routed};

/// A port of the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Flip-flops, bit 0 first: what they hold is the input, what they take is the output.
    pub cells: Vec<String>,
}

/// The ports of a chip that stands between flip-flops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Inputs.
    pub inputs: Vec<Port>,
    /// Outputs.
    pub outputs: Vec<Port>,
    /// The flip-flop that holds the reset.
    pub reset: String,
}

impl Boundary {
    /// Flip-flops of ports.
    pub(crate) fn cells<'a>(&self, routed: &'a Routed, ports: &'a [Port]) -> impl Iterator<Item = CellId> + 'a {
        ports.iter().flat_map(|p| &p.cells).filter_map(|name| routed.find(name))
    }
}
