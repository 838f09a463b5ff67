//! Nodes of the graph: their numbers, what they compute, their widths.

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

/// Parts of a concatenation: a range of [`Graph::parts`](super::Graph::parts).
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

/// All ones of `width` bits.
pub const fn mask(width: u8) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}
