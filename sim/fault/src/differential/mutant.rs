//! Deliberate errors of the simulator: tests show that each is noticed.

use super::graph::Graph;
use warpsmith_netlist::flat::Flat;

/// One deliberate error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// Bit 0 of the next value of a register, by its number, is inverted.
    WrongNode(usize),
    /// What reads a register, by its site, is not told of its differences.
    MissedEdge(usize),
    /// Faults handed over to serial simulation are not compared with the fault-free run.
    Uncompared,
    /// Machines are handed over to serial simulation without what differs of them.
    Forgotten,
}

impl Mutant {
    /// The graph of a flat netlist with the error.
    pub(super) fn graph(self, flat: &Flat) -> Graph {
        if let Mutant::WrongNode(register) = self {
            let mut flat = flat.clone();
            if let Some(reg) = flat.regs.get_mut(register) {
                let one = flat.graph.lit(reg.width, 1);
                reg.next = flat.graph.xor(reg.next, one);
            }
            return Graph::of(&flat);
        }
        let mut graph = Graph::of(flat);
        if let Mutant::MissedEdge(site) = self {
            for piece in graph.pieces.get(site).cloned().unwrap_or_default() {
                for lists in [&mut graph.readers, &mut graph.feeds, &mut graph.writes] {
                    lists.forget(piece.node);
                }
            }
        }
        graph
    }
}
