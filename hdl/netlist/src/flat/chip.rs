//! A chip as one graph, with what keeps state beside it.

use super::graph::Graph;
use super::node::{InstanceId, NodeId};
use warpsmith_contract::{Port, Site};

/// A piece of a register, of at most 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reg {
    /// Number of its site in [`Flat::sites`].
    pub site: u32,
    /// Its first bit in the register.
    pub lo: u32,
    /// Width in bits.
    pub width: u8,
    /// Value at the next clock edge.
    pub next: NodeId,
}

/// A write of at most 64 bits of a memory's word, at a clock edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Condition, one bit.
    pub enable: NodeId,
    /// Word; ignored beyond the memory's depth.
    pub address: NodeId,
    /// Which 64 bits of the word.
    pub word: u32,
    /// Bits that are written.
    pub mask: u64,
    /// New bits.
    pub data: NodeId,
}

/// A memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mem {
    /// Number of its site; none for constants.
    pub site: Option<u32>,
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Constants: all words.
    pub words: Vec<u64>,
    /// Writes; reads of the same cycle see the old word.
    pub writes: Vec<Write>,
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Path below the top, with a dot at its end; empty for the top.
    pub path: String,
    /// Number of its module in the design.
    pub module: u32,
    /// The instance that holds it; none for the top.
    pub parent: Option<InstanceId>,
}

/// A chip, flat.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    /// Nodes and their operands.
    pub graph: Graph,
    /// Pieces of registers.
    pub regs: Vec<Reg>,
    /// Memories.
    pub mems: Vec<Mem>,
    /// Ports of the top.
    pub ports: Vec<Port>,
    /// Values of the output ports: port, and its bits from the least significant, 64 at a time.
    pub outputs: Vec<(u32, Vec<NodeId>)>,
    /// Fault sites, as in `sites.json` of a build for fault injection.
    pub sites: Vec<Site>,
    /// Instances, parents before children.
    pub instances: Vec<Instance>,
}
