//! Nodes, each distinct one once.

use super::node::{mask, InstanceId, Node, NodeId, Op, Parts};
use std::collections::HashMap;

/// A directed acyclic graph; operands stand before those that use them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    parts: Vec<NodeId>,
    owners: Vec<InstanceId>,
    owner: InstanceId,
    known: HashMap<Node, NodeId>,
    known_cats: HashMap<Vec<NodeId>, NodeId>,
}

impl Graph {
    /// All nodes, by number.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The instance that first described a node.
    pub fn owner(&self, id: NodeId) -> InstanceId {
        self.owners[id.0 as usize]
    }

    /// New nodes belong to this instance.
    pub(super) fn set_owner(&mut self, owner: InstanceId) {
        self.owner = owner;
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    /// Width of a node in bits.
    pub fn width(&self, id: NodeId) -> u8 {
        self.node(id).width
    }

    /// The value of a constant.
    pub fn constant(&self, id: NodeId) -> Option<u64> {
        match self.node(id).op {
            Op::Const(v) => Some(v),
            _ => None,
        }
    }

    /// Parts of a concatenation, least significant first.
    pub fn parts(&self, parts: Parts) -> &[NodeId] {
        let start = parts.start as usize;
        &self.parts[start..start + parts.count as usize]
    }

    /// Calls `f` for every operand of a node.
    pub fn operands(&self, op: Op, mut f: impl FnMut(NodeId)) {
        match op {
            Op::Const(_) | Op::Input { .. } | Op::Reg(_) => {}
            Op::Read { address: a, .. } | Op::Tap { of: a, .. } => f(a),
            Op::Not(a) | Op::Slice { of: a, .. } | Op::Repeat(a) => f(a),
            Op::And(a, b)
            | Op::Or(a, b)
            | Op::Xor(a, b)
            | Op::Add(a, b)
            | Op::Sub(a, b)
            | Op::Mul(a, b)
            | Op::Shl(a, b)
            | Op::Shr(a, b)
            | Op::Eq(a, b)
            | Op::Ne(a, b)
            | Op::Lt(a, b)
            | Op::Le(a, b) => {
                f(a);
                f(b);
            }
            Op::Mux { condition, yes, no } => {
                f(condition);
                f(yes);
                f(no);
            }
            Op::Cat(parts) => self.parts(parts).iter().for_each(|p| f(*p)),
        }
    }

    /// The node for an operation other than a concatenation, as it is: nothing is folded.
    pub fn put(&mut self, op: Op, width: u8) -> NodeId {
        let node = Node { op, width };
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = self.push(node);
        self.known.insert(node, id);
        id
    }

    /// The node for a concatenation of at most 64 bits, as it is.
    pub fn put_cat(&mut self, list: Vec<NodeId>) -> NodeId {
        if let Some(id) = self.known_cats.get(&list) {
            return *id;
        }
        let width: u32 = list.iter().map(|p| u32::from(self.width(*p))).sum();
        assert!(width <= 64, "a concatenation of {width} bits");
        let width = width as u8;
        let start = self.parts.len() as u32;
        let count = list.len() as u32;
        self.parts.extend(&list);
        let op = Op::Cat(Parts { start, count });
        let id = self.push(Node { op, width });
        self.known_cats.insert(list, id);
        id
    }

    /// A constant; bits above `width` are dropped.
    pub fn lit(&mut self, width: u8, value: u64) -> NodeId {
        self.put(Op::Const(value & mask(width)), width)
    }

    fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        self.nodes.push(node);
        self.owners.push(self.owner);
        id
    }

    /// A node of another graph, its operands renumbered.
    pub(super) fn copy(&mut self, id: NodeId, from: &Graph, to: impl Fn(NodeId) -> NodeId) -> NodeId {
        self.owner = from.owner(id);
        let node = from.node(id);
        let op = match node.op {
            Op::Const(_) | Op::Input { .. } | Op::Reg(_) => node.op,
            Op::Read { mem, word, address } => Op::Read { mem, word, address: to(address) },
            Op::Tap { site, lo, of } => Op::Tap { site, lo, of: to(of) },
            Op::Not(a) => Op::Not(to(a)),
            Op::And(a, b) => Op::And(to(a), to(b)),
            Op::Or(a, b) => Op::Or(to(a), to(b)),
            Op::Xor(a, b) => Op::Xor(to(a), to(b)),
            Op::Add(a, b) => Op::Add(to(a), to(b)),
            Op::Sub(a, b) => Op::Sub(to(a), to(b)),
            Op::Mul(a, b) => Op::Mul(to(a), to(b)),
            Op::Shl(a, b) => Op::Shl(to(a), to(b)),
            Op::Shr(a, b) => Op::Shr(to(a), to(b)),
            Op::Eq(a, b) => Op::Eq(to(a), to(b)),
            Op::Ne(a, b) => Op::Ne(to(a), to(b)),
            Op::Lt(a, b) => Op::Lt(to(a), to(b)),
            Op::Le(a, b) => Op::Le(to(a), to(b)),
            Op::Mux { condition, yes, no } => Op::Mux { condition: to(condition), yes: to(yes), no: to(no) },
            Op::Slice { of, lo } => Op::Slice { of: to(of), lo },
            Op::Repeat(a) => Op::Repeat(to(a)),
            Op::Cat(parts) => {
                let list = from.parts(parts).iter().map(|p| to(*p)).collect();
                return self.put_cat(list);
            }
        };
        self.put(op, node.width)
    }
}
