//! Machine code of one function of the plan: from the flat netlist to cranelift's intermediate language.
//!
//! Values of at most 32 bits are `i32`, others `i64`. Bits above a value's width may be anything until something sees them:
//! then they are masked.

mod gate;
mod ops;

use super::plan::Plan;
use super::regions::guard;
use crate::layout::{Layout, Place};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlags, Type, Value};
use cranelift_frontend::FunctionBuilder;
use std::collections::HashSet;
use warpsmith_netlist::flat::{mask, Flat, Mem, NodeId, Op, Write};

/// What code is made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub flat: &'a Flat,
    pub layout: &'a Layout,
    pub plan: &'a Plan,
}

/// A value; `clean`: bits above its width are 0.
#[derive(Clone, Copy)]
struct Known {
    value: Value,
    clean: bool,
}

/// A function while it is made.
pub struct Emit<'a, 'b> {
    source: Source<'a>,
    b: &'a mut FunctionBuilder<'b>,
    /// The bytes of the device.
    base: Value,
    /// Values known here, by node, and those known since the innermost branch began.
    known: Vec<Option<Known>>,
    since: Vec<(NodeId, Option<Known>)>,
    /// Nodes of this gate: the others are loaded from their slots.
    own: Vec<bool>,
    /// First bytes of what this gate writes: it is read before.
    written: HashSet<u32>,
}

fn class(width: u8) -> Type {
    match width {
        ..=32 => I32,
        _ => I64,
    }
}

/// Bits of a class.
fn bits(width: u8) -> u8 {
    match width {
        ..=32 => 32,
        _ => 64,
    }
}

/// Nothing traps, and the bytes are little-endian, which the host is too.
fn flags() -> MemFlags {
    MemFlags::new().with_notrap()
}

impl<'a, 'b> Emit<'a, 'b> {
    /// Emits into a function whose parameter `base` is the address of the state.
    pub fn new(source: Source<'a>, b: &'a mut FunctionBuilder<'b>, base: Value) -> Self {
        Emit {
            known: vec![None; source.flat.graph.nodes().len()],
            since: vec![],
            own: vec![false; source.flat.graph.nodes().len()],
            written: HashSet::new(),
            source,
            b,
            base,
        }
    }

    /// Registers and what becomes of them: choices of one condition are one branch.
    fn statements(&mut self, list: &[(u32, NodeId)]) {
        let Source { flat, plan, .. } = self.source;
        let mut choices: Vec<(NodeId, Vec<(u32, NodeId)>)> = vec![];
        let mut plain = vec![];
        for &(r, node) in list {
            match flat.graph.node(node).op {
                // The register keeps its value.
                Op::Reg(held) if held.0 == r && plan.next[r as usize].is_none() => {}
                Op::Mux { condition, .. } if plan.regions.is_statement(node) => {
                    match choices.iter_mut().find(|(c, _)| *c == condition) {
                        Some((_, list)) => list.push((r, node)),
                        None => choices.push((condition, vec![(r, node)])),
                    }
                }
                _ => {
                    self.get(node);
                    plain.push((r, node));
                }
            }
        }
        for (condition, list) in choices {
            let mut before = vec![(condition, false)];
            let mut sides = [vec![], vec![]];
            for (r, node) in list {
                let regions = plan.regions.sides(node);
                if let Op::Mux { yes, no, .. } = flat.graph.node(node).op {
                    for (i, side) in [yes, no].into_iter().enumerate() {
                        // What is no region of its own, and is not put into a register at once, is known before.
                        match regions[i] {
                            Some(region) => self.outside(side, Some(region), &mut before),
                            None if plan.regions.is_statement(side) => {}
                            None => before.push((side, false)),
                        }
                        sides[i].push((r, side));
                    }
                }
            }
            for (node, _) in before {
                if !self.at_hand(node) {
                    self.get(node);
                }
            }
            let (value, opposite) = self.condition(condition);
            let [yes, no, done] = [(); 3].map(|()| self.b.create_block());
            let (first, second) = match opposite {
                false => (yes, no),
                true => (no, yes),
            };
            self.b.ins().brif(value, first, &[], second, &[]);
            for (block, list) in [yes, no].into_iter().zip(sides) {
                self.b.switch_to_block(block);
                let known = self.since.len();
                self.statements(&list);
                self.b.ins().jump(done, &[]);
                self.forget(known);
            }
            self.b.switch_to_block(done);
        }
        self.put_next(&plain);
    }

    /// Writes of a memory.
    pub fn writes(&mut self, mem: &Mem, at: usize) {
        for write in &mem.writes {
            self.write(write, at);
        }
    }

    fn write(&mut self, write: &Write, mem: usize) {
        let words = self.source.layout.mems[mem];
        let enable = self.clean(write.enable);
        let (yes, done) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(enable, yes, &[], done, &[]);
        self.b.switch_to_block(yes);
        let before = self.since.len();
        if self.reaches_beyond(write.address, words.depth) {
            let address = self.wide(write.address);
            let depth = i64::from(words.depth);
            let inside = self.b.ins().icmp_imm(IntCC::UnsignedLessThan, address, depth);
            let within = self.b.create_block();
            self.b.ins().brif(inside, within, &[], done, &[]);
            self.b.switch_to_block(within);
        }
        let address = self.wide(write.address);
        let place = words.first(write.word);
        let to = self.at(address, words.stride);
        let width = self.source.flat.graph.width(write.data);
        let data = self.clean(write.data);
        let data = match write.mask == mask(width) {
            true => data,
            false => {
                let old = self.load(to, place, width);
                let keep = self.b.ins().band_imm(old, !write.mask as i64);
                let new = self.b.ins().band_imm(data, write.mask as i64);
                self.b.ins().bor(keep, new)
            }
        };
        self.store(to, place, data, width);
        self.open(&self.source.plan.readers.mems[mem]);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.forget(before);
    }

    /// What became known since then holds no longer.
    fn forget(&mut self, before: usize) {
        for (n, was) in self.since.drain(before..).rev() {
            self.known[n.0 as usize] = was;
        }
    }

    fn load(&mut self, base: Value, place: Place, width: u8) -> Value {
        let at = place.at as i32;
        let ins = self.b.ins();
        let flags = match self.written.contains(&place.at) {
            true => flags(),
            // It may be loaded where it is used.
            false => flags().with_readonly().with_can_move(),
        };
        match (class(width), place.size) {
            (I32, 1) => ins.uload8(I32, flags, base, at),
            (I32, 2) => ins.uload16(I32, flags, base, at),
            (I32, _) => ins.load(I32, flags, base, at),
            _ => ins.load(I64, flags, base, at),
        }
    }

    fn store(&mut self, base: Value, place: Place, value: Value, width: u8) {
        let at = place.at as i32;
        let ins = self.b.ins();
        match (class(width), place.size) {
            (I32, 1) => ins.istore8(flags(), value, base, at),
            (I32, 2) => ins.istore16(flags(), value, base, at),
            _ => ins.store(flags(), value, base, at),
        };
    }

    /// Puts the value of a node somewhere; bits above its width are 0 there.
    fn put(&mut self, node: NodeId, known: Known, place: Place) {
        let width = self.source.flat.graph.width(node);
        let full = width == 8 * place.size;
        let value = match known.clean || full {
            true => known.value,
            false => self.clean(node),
        };
        self.store(self.base, place, value, width);
    }

    /// The address of a memory's word, less its first byte.
    fn at(&mut self, address: Value, stride: u32) -> Value {
        let offset = match stride.is_power_of_two() {
            true => {
                let shift = i64::from(stride.trailing_zeros());
                self.b.ins().ishl_imm(address, shift)
            }
            false => self.b.ins().imul_imm(address, i64::from(stride)),
        };
        self.b.ins().iadd(self.base, offset)
    }

    /// Whether an address may lie beyond the end of a memory.
    fn reaches_beyond(&self, address: NodeId, depth: u32) -> bool {
        mask(self.source.flat.graph.width(address)) >= u64::from(depth)
    }

    /// A node's value without bits above its width.
    fn clean(&mut self, node: NodeId) -> Value {
        let known = self.get(node);
        if known.clean {
            return known.value;
        }
        let width = self.source.flat.graph.width(node);
        let value = self.b.ins().band_imm(known.value, mask(width) as i64);
        self.learn(node, Known { value, clean: true });
        value
    }

    fn learn(&mut self, node: NodeId, known: Known) {
        let was = self.known[node.0 as usize].replace(known);
        self.since.push((node, was));
    }

    /// A node's clean value with 64 bits.
    fn wide(&mut self, node: NodeId) -> Value {
        let value = self.clean(node);
        self.extended(value, self.source.flat.graph.width(node), 64)
    }

    /// A clean value of a width as one of another.
    fn extended(&mut self, value: Value, from: u8, to: u8) -> Value {
        match (class(from), class(to)) {
            (a, b) if a == b => value,
            (a, b) if a.bits() < b.bits() => self.b.ins().uextend(b, value),
            (_, b) => self.b.ins().ireduce(b, value),
        }
    }

    /// A node's value; bits above its width may be anything.
    fn get(&mut self, node: NodeId) -> Known {
        if let Some(known) = self.known[node.0 as usize] {
            return known;
        }
        // Operands first, without recursion: chains are long.
        let mut stack = vec![(node, false)];
        while let Some((n, operands)) = stack.pop() {
            if self.known[n.0 as usize].is_some() {
                continue;
            }
            let op = self.source.flat.graph.node(n).op;
            let slot = self.source.plan.slots[n.0 as usize];
            let slot = slot.filter(|_| !self.own[n.0 as usize]);
            if !operands && slot.is_none() {
                stack.push((n, true));
                let sides = self.source.plan.regions.sides(n);
                match op {
                    Op::Mux { condition, yes, no } if sides != [None, None] => {
                        self.outside(condition, None, &mut stack);
                        self.outside(yes, sides[0], &mut stack);
                        self.outside(no, sides[1], &mut stack);
                    }
                    Op::And(..) if sides != [None, None] => {
                        let guard = guard(self.source.flat, op);
                        let (condition, operand) = guard.expect("a conjunction with a side");
                        self.outside(condition, None, &mut stack);
                        self.outside(operand, sides[0], &mut stack);
                    }
                    op => self.source.flat.graph.operands(op, |o| stack.push((o, false))),
                }
                continue;
            }
            let known = match slot {
                // Computed by an earlier function.
                Some(place) => {
                    Known { value: self.load(self.base, place, self.source.flat.graph.width(n)), clean: true }
                }
                None => self.compute(n),
            };
            self.learn(n, known);
        }
        self.known[node.0 as usize].expect("it was computed")
    }

    /// Nodes that a side of a choice needs and that are not its own: known before the branch.
    fn outside(&mut self, node: NodeId, side: Option<u32>, stack: &mut Vec<(NodeId, bool)>) {
        let Some(side) = side else { return stack.push((node, false)) };
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![node];
        while let Some(n) = open.pop() {
            let regions = &self.source.plan.regions;
            let op = self.source.flat.graph.node(n).op;
            if self.at_hand(n) || self.known[n.0 as usize].is_some() || !seen.insert(n) {
                continue;
            }
            match regions.inside(regions.region(n), side) {
                true => self.source.flat.graph.operands(op, |o| open.push(o)),
                false => stack.push((n, false)),
            }
        }
    }

    /// Whether a value is loaded or as good as loaded: that happens where it is used.
    fn at_hand(&self, n: NodeId) -> bool {
        let plan = self.source.plan;
        let elsewhere = plan.slots[n.0 as usize].is_some() && !self.own[n.0 as usize];
        elsewhere || plan.free[n.0 as usize] || super::regions::leaf(self.source.flat.graph.node(n).op)
    }
}
