//! Nodes that only one side of a choice needs: they are computed on that path alone.

use std::collections::HashMap;
use warpsmith_netlist::flat::{Flat, NodeId, Op};

/// Nodes that a side of a choice must save at least for a branch to pay off.
const WORTH: u32 = 12;

/// A side of a choice.
#[derive(Clone, Copy, Debug)]
struct Region {
    parent: u32,
    depth: u32,
    /// Nodes in it.
    size: u32,
}

/// On which path each node is computed.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// Region of each node; 0: every path.
    of: Vec<u32>,
    regions: Vec<Region>,
    /// The sides `yes` and `no` of a choice, where they are regions; by node.
    sides: Vec<[u32; 2]>,
    /// Choices that are the next value of a register, or a side of such a choice, and nothing else.
    next: Vec<bool>,
    /// Regions that such choices of one condition share: the region around, condition, side.
    shared: HashMap<(u32, NodeId, usize), u32>,
}

const NONE: u32 = u32::MAX;

impl Regions {
    /// Of a flat netlist: from its ends to its beginnings, every node gets the innermost region of all its uses.
    pub fn of(flat: &Flat) -> Self {
        let first = Self::within(flat, &|_| true);
        // Sides that save too little are no regions; what was in them is in the one around.
        let worth = |side: u32| first.regions[side as usize].size >= WORTH;
        let keep: Vec<[bool; 2]> = first.sides.iter().map(|sides| sides.map(|s| s != NONE && worth(s))).collect();
        Self::within(flat, &|(n, side): (usize, usize)| keep[n][side])
    }

    fn within(flat: &Flat, keep: &dyn Fn((usize, usize)) -> bool) -> Self {
        let graph = &flat.graph;
        let n = graph.nodes().len();
        let mut out = Regions {
            of: vec![NONE; n],
            regions: vec![Region { parent: 0, depth: 0, size: 0 }],
            sides: vec![[NONE; 2]; n],
            next: vec![false; n],
            shared: HashMap::new(),
        };
        let mut uses = vec![0u32; n];
        for node in graph.nodes() {
            graph.operands(node.op, |o| uses[o.0 as usize] += 1);
        }
        let writes = flat.mems.iter().flat_map(|m| &m.writes);
        let ends = writes.flat_map(|w| [w.enable, w.address, w.data]);
        let outputs = flat.outputs.iter().flat_map(|(_, nodes)| nodes.iter().copied());
        ends.chain(outputs).for_each(|e| uses[e.0 as usize] += 1);
        for reg in &flat.regs {
            let alone = uses[reg.next.0 as usize] == 0;
            out.next[reg.next.0 as usize] = alone && matches!(graph.node(reg.next).op, Op::Mux { .. });
        }
        let mut root = |id: NodeId| out.of[id.0 as usize] = 0;
        flat.regs.iter().for_each(|r| root(r.next));
        for write in flat.mems.iter().flat_map(|m| &m.writes) {
            [write.enable, write.address, write.data].into_iter().for_each(&mut root);
        }
        let outputs = flat.outputs.iter().flat_map(|(_, nodes)| nodes);
        outputs.for_each(|id| root(*id));
        for i in (0..n).rev() {
            let here = out.of[i];
            let op = graph.nodes()[i].op;
            if here == NONE || leaf(op) {
                continue;
            }
            out.add_size(here);
            match op {
                Op::Mux { condition, yes, no } => {
                    out.used(condition, here);
                    for (side, operand) in [yes, no].into_iter().enumerate() {
                        let below = graph.node(operand).op;
                        let inside = match !leaf(below) && keep((i, side)) {
                            true if out.next[i] => out.share(i, side, here, condition),
                            true => out.open(i, side, here),
                            false => here,
                        };
                        out.used(operand, inside);
                        if out.next[i] && uses[operand.0 as usize] == 1 {
                            out.next[operand.0 as usize] |= matches!(below, Op::Mux { .. });
                        }
                    }
                }
                op => match guard(flat, op) {
                    Some((condition, operand)) => {
                        out.used(condition, here);
                        let inside = match !leaf(graph.node(operand).op) && keep((i, 0)) {
                            true => out.open(i, 0, here),
                            false => here,
                        };
                        out.used(operand, inside);
                    }
                    None => graph.operands(op, |o| out.used(o, here)),
                },
            }
        }
        out
    }

    fn add_size(&mut self, mut region: u32) {
        loop {
            let r = &mut self.regions[region as usize];
            r.size += 1;
            if region == 0 {
                return;
            }
            region = r.parent;
        }
    }

    fn open(&mut self, node: usize, side: usize, parent: u32) -> u32 {
        let depth = self.regions[parent as usize].depth + 1;
        self.regions.push(Region { parent, depth, size: 0 });
        let region = self.regions.len() as u32 - 1;
        self.sides[node][side] = region;
        region
    }

    fn share(&mut self, node: usize, side: usize, parent: u32, condition: NodeId) -> u32 {
        let region = match self.shared.get(&(parent, condition, side)) {
            Some(region) => *region,
            None => self.open(node, side, parent),
        };
        self.shared.insert((parent, condition, side), region);
        self.sides[node][side] = region;
        region
    }

    /// Whether a node is a choice between next values of a register, each computed where it is taken.
    pub fn is_statement(&self, node: NodeId) -> bool {
        self.next[node.0 as usize] && self.sides(node) != [None, None]
    }

    /// How many choices deep a next value is computed where it is taken.
    pub fn depth(&self, flat: &Flat, node: NodeId) -> u32 {
        match flat.graph.node(node).op {
            Op::Mux { yes, no, .. } if self.is_statement(node) => 1 + self.depth(flat, yes).max(self.depth(flat, no)),
            _ => 0,
        }
    }

    /// A node is used in a region.
    fn used(&mut self, node: NodeId, region: u32) {
        let of = self.of[node.0 as usize];
        self.of[node.0 as usize] = match of {
            NONE => region,
            of => self.common(of, region),
        };
    }

    /// The innermost region around two.
    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        let r = |i: u32| self.regions[i as usize];
        while a != b {
            if r(a).depth >= r(b).depth {
                a = r(a).parent;
            } else {
                b = r(b).parent;
            }
        }
        a
    }

    /// Whether a node is computed on every path.
    pub fn is_root(&self, node: NodeId) -> bool {
        self.of[node.0 as usize] == 0
    }

    /// The region of a node.
    pub fn region(&self, node: NodeId) -> u32 {
        self.of[node.0 as usize]
    }

    /// The sides of a choice that are regions, and hold anything.
    pub fn sides(&self, node: NodeId) -> [Option<u32>; 2] {
        self.sides[node.0 as usize].map(|s| (s != NONE && self.regions[s as usize].size > 0).then_some(s))
    }

    /// Whether a region is another one or within it.
    pub fn inside(&self, mut region: u32, around: u32) -> bool {
        while self.regions[region as usize].depth > self.regions[around as usize].depth {
            region = self.regions[region as usize].parent;
        }
        region == around
    }
}

/// The operand of a conjunction without which the other one need not be known, and that one.
pub fn guard(flat: &Flat, op: Op) -> Option<(NodeId, NodeId)> {
    let Op::And(a, b) = op else { return None };
    let graph = &flat.graph;
    let spread = |n: NodeId| matches!(graph.node(n).op, Op::Repeat(_));
    match graph.width(a) {
        // Of two bits, the one that was described later has more behind it.
        1 => Some((a.min(b), a.max(b))),
        _ if spread(a) => Some((a, b)),
        _ if spread(b) => Some((b, a)),
        _ => None,
    }
}

/// Whether a node is a value that is taken from the state or is constant.
pub fn leaf(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Input { .. } | Op::Reg(_))
}
