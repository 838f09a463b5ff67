//! The chip as one graph: instances expanded, values of at most 64 bits, each distinct one once.
//!
//! [`Flat::new`] makes it from a [`Design`](crate::Design): constants are folded, equal values shared, what
//! nothing reads is left out. Engines make code of it; [`Evaluator`] is the plain reading of it that they are
//! compared with.

mod build;
mod eval;
mod fold;
mod graph;
mod prune;
mod wide;

pub use build::{FlatError, Options};
pub use eval::Evaluator;
pub use graph::Graph;

use warpsmith_contract::{Port, Site};

/// Number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Number of a piece of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegId(pub u32);

/// Number of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemId(pub u32);

/// Number of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub u32);

/// Parts of a concatenation: a range of [`Graph::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parts {
    /// First.
    pub start: u32,
    /// How many.
    pub count: u32,
}

/// What a node computes. Values are unsigned and as wide as the node; bits above its width are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Constant.
    Const(u64),
    /// Bits from `64 * word` of an input port.
    Input {
        port: u32,
        word: u32,
    },
    /// Piece of a register.
    Reg(RegId),
    /// Bits from `64 * word` of a memory's word; undefined beyond its depth.
    Read {
        mem: MemId,
        word: u32,
        address: NodeId,
    },
    /// Output of a block, where faults may act: the value itself, kept apart from equal ones.
    Tap {
        site: u32,
        /// First bit of the output that this is.
        lo: u32,
        of: NodeId,
    },
    Not(NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Xor(NodeId, NodeId),
    /// Sum, truncated.
    Add(NodeId, NodeId),
    /// Difference, truncated.
    Sub(NodeId, NodeId),
    /// Product, truncated.
    Mul(NodeId, NodeId),
    /// Shift left by a value of any width.
    Shl(NodeId, NodeId),
    /// Shift right by a value of any width.
    Shr(NodeId, NodeId),
    Eq(NodeId, NodeId),
    Ne(NodeId, NodeId),
    Lt(NodeId, NodeId),
    Le(NodeId, NodeId),
    /// `condition ? yes : no`.
    Mux {
        condition: NodeId,
        yes: NodeId,
        no: NodeId,
    },
    /// Bits from `lo`.
    Slice {
        of: NodeId,
        lo: u8,
    },
    /// One bit, repeated.
    Repeat(NodeId),
    /// Concatenation, least significant part first.
    Cat(Parts),
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// What it computes; operands have smaller numbers.
    pub op: Op,
    /// Width in bits, 1 to 64.
    pub width: u8,
}

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

/// All ones of `width` bits.
pub const fn mask(width: u8) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}
