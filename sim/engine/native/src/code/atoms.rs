//! What is computed at once: a value with all that only some paths to it need, next values of registers, writes of a
//! memory, an output; and what each of them reads.

use super::regions::{leaf, Regions};
use crate::layout::{Layout, Place};
use std::collections::{BTreeSet, HashMap};
use warpsmith_netlist::flat::{Flat, NodeId, Op};

/// What an atom is there for.
#[derive(Clone, Debug)]
pub enum Root {
    /// A node that several read.
    Node(NodeId),
    /// A piece of an output port.
    Output(NodeId, Place),
    /// Registers: choices of one condition, or a single one.
    Regs(Vec<u32>),
    /// All writes of a memory.
    Writes(u32),
}

/// Something that is computed at once.
#[derive(Clone, Debug)]
pub struct Atom {
    /// What for.
    pub root: Root,
    /// Outputs need it.
    pub early: bool,
    /// Nodes, about.
    pub size: u32,
    /// Atoms whose nodes it reads.
    pub nodes: Vec<u32>,
    /// Registers, input ports and memories that it reads.
    pub regs: Vec<u32>,
    pub ports: Vec<u32>,
    pub mems: Vec<u32>,
}

/// All atoms of a chip: nodes by ascending number, then the others.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    /// The atoms.
    pub list: Vec<Atom>,
    /// The atom of each node, if it is one.
    of: Vec<Option<u32>>,
}

/// Nodes that are computed wherever they are read: they cost no more than to load them.
pub fn free(flat: &Flat) -> Vec<bool> {
    let mut free = vec![false; flat.graph.nodes().len()];
    for (i, node) in flat.graph.nodes().iter().enumerate() {
        free[i] = match node.op {
            Op::Slice { of, .. } | Op::Not(of) => leaf(flat.graph.node(of).op) || free[of.0 as usize],
            _ => false,
        };
    }
    free
}

impl Atoms {
    /// The atoms of a flat netlist whose state stands as `layout` says.
    pub fn of(flat: &Flat, layout: &Layout, regions: &Regions, free: &[bool]) -> Self {
        let mut out = Atoms { list: vec![], of: vec![None; free.len()] };
        for (id, node) in (0..).map(NodeId).zip(flat.graph.nodes()) {
            let plain = regions.is_root(id) && !regions.is_statement(id);
            if plain && !leaf(node.op) && !free[id.0 as usize] {
                out.of[id.0 as usize] = Some(out.list.len() as u32);
                let mut reads = Reads::new(flat, &out.of, Some(id));
                reads.walk(vec![id]);
                out.list.push(reads.atom(Root::Node(id)));
            }
        }
        for (port, nodes) in &flat.outputs {
            for (word, node) in (0..).zip(nodes) {
                let mut reads = Reads::new(flat, &out.of, None);
                reads.walk(vec![*node]);
                let to = layout.port(flat, *port, word);
                out.list.push(reads.atom(Root::Output(*node, to)));
            }
        }
        let mut groups: HashMap<NodeId, usize> = HashMap::new();
        let mut regs: Vec<Vec<u32>> = vec![];
        for (i, reg) in (0..).zip(&flat.regs) {
            let op = flat.graph.node(reg.next).op;
            match op {
                Op::Mux { condition, .. } if regions.is_statement(reg.next) => {
                    let group = *groups.entry(condition).or_insert_with(|| {
                        regs.push(vec![]);
                        regs.len() - 1
                    });
                    regs[group].push(i);
                }
                // It never changes.
                Op::Reg(held) if held.0 == i => {}
                _ => regs.push(vec![i]),
            }
        }
        for group in regs {
            let mut reads = Reads::new(flat, &out.of, None);
            for reg in &group {
                let mut open = vec![];
                statement(flat, regions, *reg, flat.regs[*reg as usize].next, &mut open);
                reads.walk(open);
            }
            out.list.push(reads.atom(Root::Regs(group)));
        }
        for (i, mem) in (0..).zip(&flat.mems) {
            if !mem.writes.is_empty() {
                let mut reads = Reads::new(flat, &out.of, None);
                for w in &mem.writes {
                    reads.walk(vec![w.enable, w.address, w.data]);
                }
                out.list.push(reads.atom(Root::Writes(i)));
            }
        }
        out.find_early();
        out
    }

    fn find_early(&mut self) {
        let outputs = self.list.iter().enumerate();
        let outputs = outputs.filter(|(_, a)| matches!(a.root, Root::Output(..)));
        let mut open: Vec<usize> = outputs.map(|(i, _)| i).collect();
        while let Some(i) = open.pop() {
            if !std::mem::replace(&mut self.list[i].early, true) {
                open.extend(self.list[i].nodes.iter().map(|n| *n as usize));
            }
        }
    }
}

/// What the next value of a register is computed of; where the register is held, nothing.
fn statement(flat: &Flat, regions: &Regions, reg: u32, node: NodeId, open: &mut Vec<NodeId>) {
    match flat.graph.node(node).op {
        Op::Reg(r) if r.0 == reg => {}
        Op::Mux { condition, yes, no } if regions.is_statement(node) => {
            open.push(condition);
            statement(flat, regions, reg, yes, open);
            statement(flat, regions, reg, no, open);
        }
        _ => open.push(node),
    }
}

/// What an atom reads, while it is sought.
struct Reads<'a> {
    flat: &'a Flat,
    of: &'a [Option<u32>],
    own: Option<NodeId>,
    size: u32,
    seen: BTreeSet<NodeId>,
    nodes: BTreeSet<u32>,
    regs: BTreeSet<u32>,
    ports: BTreeSet<u32>,
    mems: BTreeSet<u32>,
}

impl<'a> Reads<'a> {
    fn new(flat: &'a Flat, of: &'a [Option<u32>], own: Option<NodeId>) -> Self {
        Reads {
            flat,
            of,
            own,
            size: 0,
            seen: BTreeSet::new(),
            nodes: BTreeSet::new(),
            regs: BTreeSet::new(),
            ports: BTreeSet::new(),
            mems: BTreeSet::new(),
        }
    }

    fn walk(&mut self, mut open: Vec<NodeId>) {
        while let Some(n) = open.pop() {
            if let Some(atom) = self.of[n.0 as usize].filter(|_| self.own != Some(n)) {
                self.nodes.insert(atom);
                continue;
            }
            if !self.seen.insert(n) {
                continue;
            }
            let op = self.flat.graph.node(n).op;
            match op {
                Op::Const(_) => continue,
                Op::Reg(r) => {
                    self.regs.insert(r.0);
                }
                Op::Input { port, .. } => {
                    self.ports.insert(port);
                }
                Op::Read { mem, .. } => {
                    self.mems.insert(mem.0);
                    self.size += 1;
                }
                _ => self.size += 1,
            }
            self.flat.graph.operands(op, |o| open.push(o));
        }
    }

    fn atom(self, root: Root) -> Atom {
        Atom {
            root,
            early: false,
            size: self.size,
            nodes: self.nodes.into_iter().collect(),
            regs: self.regs.into_iter().collect(),
            ports: self.ports.into_iter().collect(),
            mems: self.mems.into_iter().collect(),
        }
    }
}
