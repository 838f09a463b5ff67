//! What is computed where: nodes in functions, values that cross from one to another in slots.

use super::regions::{leaf, Regions};
use crate::layout::{Layout, Place};
use std::collections::{HashMap, HashSet};
use warpsmith_netlist::flat::{Flat, NodeId, Op, Reg};

/// Nodes of a function, about.
const NODES: usize = 600;

/// A function of the code.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Nodes that are computed on every path, operands before those that use them.
    pub nodes: Vec<NodeId>,
    /// Nodes that are put into output ports: node, place.
    pub outputs: Vec<(NodeId, Place)>,
    /// Registers whose next value is known at the end: number.
    pub regs: Vec<u32>,
    /// Registers whose next values are choices of one condition: numbers.
    pub groups: Vec<Vec<u32>>,
}

/// Functions, and where values stand between them.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What outputs need.
    pub settle: Vec<Function>,
    /// The rest: next values.
    pub edge: Vec<Function>,
    /// Slots of nodes that cross from one function to another.
    pub slots: Vec<Option<Place>>,
    /// Where the next value of a register waits; none where it is put into the register at once.
    pub next: Vec<Option<Place>>,
    /// Bytes of state and slots.
    pub len: usize,
    /// Where a node is computed.
    pub regions: Regions,
}

/// Functions of a phase while it is planned.
struct Phase<'a> {
    flat: &'a Flat,
    regions: &'a Regions,
    /// Function of each node, over both phases.
    home: &'a mut Vec<u32>,
    list: Vec<Function>,
    first: u32,
}

impl Phase<'_> {
    fn function(&mut self) -> u32 {
        if self.list.last().is_none_or(|f| f.nodes.len() >= NODES) {
            self.list.push(Function::default());
        }
        self.first + self.list.len() as u32 - 1
    }

    /// Puts what a node needs on every path into the functions, operands first.
    fn need(&mut self, root: NodeId) {
        let mut stack = vec![(root, false)];
        let mut seen = HashSet::new();
        while let Some((n, operands)) = stack.pop() {
            let op = self.flat.graph.node(n).op;
            if leaf(op) || self.home[n.0 as usize] != u32::MAX {
                continue;
            }
            if operands {
                if self.regions.is_root(n) && !self.regions.is_statement(n) {
                    let f = self.function();
                    self.home[n.0 as usize] = f;
                    let last = self.list.last_mut().expect("a function");
                    last.nodes.push(n);
                }
                continue;
            }
            if !seen.insert(n) {
                continue;
            }
            stack.push((n, true));
            self.flat.graph.operands(op, |o| stack.push((o, false)));
        }
    }
}

impl Plan {
    /// The plan of a flat netlist whose state stands as `layout` says.
    pub fn new(flat: &Flat, layout: &Layout) -> Self {
        let regions = Regions::of(flat);
        let mut home = vec![u32::MAX; flat.graph.nodes().len()];
        let mut settle = Phase {
            flat,
            regions: &regions,
            home: &mut home,
            list: vec![],
            first: 0,
        };
        for (port, nodes) in &flat.outputs {
            for (word, node) in (0..).zip(nodes) {
                settle.need(*node);
                settle.function();
                let to = layout.port(flat, *port, word);
                let last = settle.list.last_mut().expect("a function");
                last.outputs.push((*node, to));
            }
        }
        let settle = settle.list;
        let mut edge = Phase {
            flat,
            regions: &regions,
            home: &mut home,
            list: vec![],
            first: settle.len() as u32,
        };
        let mut groups: HashMap<NodeId, Vec<u32>> = HashMap::new();
        let condition = |reg: &Reg| match flat.graph.node(reg.next).op {
            Op::Mux { condition, .. } if regions.is_statement(reg.next) => Some(condition),
            _ => None,
        };
        for (i, reg) in (0..).zip(&flat.regs) {
            if let Some(condition) = condition(reg) {
                groups.entry(condition).or_default().push(i);
            }
        }
        for (i, reg) in (0..).zip(&flat.regs) {
            let group = match condition(reg) {
                // With its first register.
                Some(condition) => match groups.remove(&condition) {
                    Some(group) => group,
                    None => continue,
                },
                None => vec![],
            };
            edge.function();
            for r in group.iter().chain([&i]) {
                edge.need(flat.regs[*r as usize].next);
            }
            let last = edge.list.last_mut().expect("a function");
            match group.is_empty() {
                true => last.regs.push(i),
                false => last.groups.push(group),
            }
        }
        for write in flat.mems.iter().flat_map(|m| &m.writes) {
            for node in [write.enable, write.address, write.data] {
                edge.need(node);
            }
        }
        let edge = edge.list;
        let mut plan = Plan {
            slots: vec![None; home.len()],
            next: vec![None; flat.regs.len()],
            len: layout.len,
            settle,
            edge,
            regions,
        };
        plan.cross(flat, &home);
        plan
    }

    /// Gives slots to values that are read in another function than their own, and to next values.
    fn cross(&mut self, flat: &Flat, home: &[u32]) {
        let graph = &flat.graph;
        let mut reads = Reads {
            flat,
            regions: &self.regions,
            home,
            crossing: vec![false; home.len()],
            last: vec![0; flat.regs.len()],
        };
        // When a register is written, and whether that is behind all reads of the same moment.
        let mut written = vec![(0, false); flat.regs.len()];
        let mut now = 0;
        for (f, function) in (0..).zip(self.settle.iter().chain(&self.edge)) {
            let next = |r: &u32| flat.regs[*r as usize].next;
            let regs = function.regs.iter().map(next);
            let mut open: Vec<NodeId> = function.outputs.iter().map(|o| o.0).chain(regs).collect();
            for n in &function.nodes {
                graph.operands(graph.node(*n).op, |o| open.push(o));
            }
            reads.walk(f, now, open);
            for group in &function.groups {
                now += 1;
                let (mut open, mut nested) = (vec![], false);
                for r in group {
                    nested |= reads.statement(*r, next(r), 0, &mut open) > 1;
                }
                reads.walk(f, now, open);
                for r in group {
                    written[*r as usize] = (now, !nested);
                }
            }
            now += 1;
            for r in &function.regs {
                written[*r as usize] = (now, true);
            }
            now += 1;
        }
        let (mut crossing, mut last_read) = (reads.crossing, reads.last);
        for write in flat.mems.iter().flat_map(|m| &m.writes) {
            for node in [write.enable, write.address, write.data] {
                crossing[node.0 as usize] |= home[node.0 as usize] != u32::MAX;
                // Read after all functions.
                if let Op::Reg(r) = graph.node(node).op {
                    last_read[r.0 as usize] = u32::MAX;
                }
            }
        }
        let wait = |(w, behind): &(u32, bool), read: &u32| match behind {
            true => read > w,
            false => read >= w,
        };
        let waits = written.iter().zip(&last_read).map(|(w, r)| wait(w, r));
        let waits: Vec<bool> = waits.collect();
        for size in [8, 4, 2, 1] {
            let mut take = |width: u8| {
                let at = self.len;
                (crate::layout::bytes(width.into()) == size).then(|| {
                    self.len += size;
                    Place {
                        at: at as u32,
                        size: size as u8,
                    }
                })
            };
            for (n, _) in crossing.iter().enumerate().filter(|(_, c)| **c) {
                if let Some(place) = take(graph.nodes()[n].width) {
                    self.slots[n] = Some(place);
                }
            }
            for (r, _) in waits.iter().enumerate().filter(|(_, w)| **w) {
                if let Some(place) = take(flat.regs[r].width) {
                    self.next[r] = Some(place);
                }
            }
        }
        self.len = self.len.next_multiple_of(8);
    }
}

/// What is read when, while slots are given.
struct Reads<'a> {
    flat: &'a Flat,
    regions: &'a Regions,
    home: &'a [u32],
    crossing: Vec<bool>,
    /// The last moment at which a register is read.
    last: Vec<u32>,
}

impl Reads<'_> {
    /// Values that function `f` reads at a moment, and those that they are computed of there.
    fn walk(&mut self, f: u32, now: u32, mut open: Vec<NodeId>) {
        let graph = &self.flat.graph;
        let mut seen = HashSet::new();
        while let Some(n) = open.pop() {
            let home = self.home[n.0 as usize];
            match graph.node(n).op {
                Op::Reg(r) => self.last[r.0 as usize] = self.last[r.0 as usize].max(now),
                op if leaf(op) => {}
                _ if home == f => {}
                _ if home != u32::MAX => self.crossing[n.0 as usize] = true,
                // Computed on some paths only, within this function.
                op if seen.insert(n) => graph.operands(op, |o| open.push(o)),
                _ => {}
            }
        }
    }

    /// What the next value of a register needs, the register where it is held left out; how deep choices are.
    fn statement(&self, reg: u32, node: NodeId, depth: u32, open: &mut Vec<NodeId>) -> u32 {
        match self.flat.graph.node(node).op {
            Op::Reg(r) if r.0 == reg => depth,
            Op::Mux { condition, yes, no } if self.regions.is_statement(node) => {
                open.push(condition);
                let yes = self.statement(reg, yes, depth + 1, open);
                yes.max(self.statement(reg, no, depth + 1, open))
            }
            _ => {
                open.push(node);
                depth
            }
        }
    }
}
