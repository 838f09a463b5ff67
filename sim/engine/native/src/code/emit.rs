//! Machine code of one function of the plan: from the flat netlist to cranelift's intermediate language.
//!
//! One-bit values are `i8`, values of at most 32 bits `i32`, others `i64`. Bits above a value's width may be anything
//! until something sees them: then they are masked.

use super::plan::{Function, Plan};
use crate::layout::{Layout, Place};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64, I8};
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlags, Type, Value};
use cranelift_frontend::FunctionBuilder;
use warpsmith_netlist::flat::{mask, Flat, Mem, MemId, Node, NodeId, Op, Write};

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
    /// Nodes of this function: the others are loaded from their slots.
    own: Vec<bool>,
}

fn class(width: u8) -> Type {
    match width {
        1 => I8,
        2..=32 => I32,
        _ => I64,
    }
}

/// Bits of a class.
fn bits(width: u8) -> u8 {
    match width {
        1 => 8,
        2..=32 => 32,
        _ => 64,
    }
}

/// Nothing traps, and the bytes are little-endian, which the host is too.
fn flags() -> MemFlags {
    MemFlags::new().with_notrap()
}

impl<'a, 'b> Emit<'a, 'b> {
    /// In a function whose parameter is the address of the bytes.
    pub fn new(source: Source<'a>, b: &'a mut FunctionBuilder<'b>, base: Value) -> Self {
        Emit {
            known: vec![None; source.flat.graph.nodes().len()],
            since: vec![],
            own: vec![false; source.flat.graph.nodes().len()],
            source,
            b,
            base,
        }
    }

    /// A function of the plan.
    pub fn function(&mut self, function: &Function) {
        let plan = self.source.plan;
        function
            .nodes
            .iter()
            .for_each(|n| self.own[n.0 as usize] = true);
        for node in &function.nodes {
            let known = self.get(*node);
            if let Some(place) = plan.slots[node.0 as usize] {
                self.put(*node, known, place);
            }
        }
        for (node, place) in &function.outputs {
            let known = self.get(*node);
            self.put(*node, known, *place);
        }
        // All are read before one is written.
        let regs = function.regs.iter().map(|r| *r as usize);
        let regs: Vec<_> = regs
            .map(|r| {
                let next = self.source.flat.regs[r].next;
                let place = plan.next[r].unwrap_or(self.source.layout.regs[r]);
                (next, self.get(next), place)
            })
            .collect();
        for (next, known, place) in regs {
            self.put(next, known, place);
        }
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
            let inside = self
                .b
                .ins()
                .icmp_imm(IntCC::UnsignedLessThan, address, depth);
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
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.forget(before);
    }

    /// Next values that waited go into their registers.
    pub fn copy(&mut self) {
        for (r, next) in self.source.plan.next.iter().enumerate() {
            if let Some(from) = next {
                let width = self.source.flat.regs[r].width;
                let value = self.load(self.base, *from, width);
                self.store(self.base, self.source.layout.regs[r], value, width);
            }
        }
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
        match (class(width), place.size) {
            (I8, _) => ins.load(I8, flags(), base, at),
            (I32, 1) => ins.uload8(I32, flags(), base, at),
            (I32, 2) => ins.uload16(I32, flags(), base, at),
            (I32, _) => ins.load(I32, flags(), base, at),
            _ => ins.load(I64, flags(), base, at),
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
                    op => self
                        .source
                        .flat
                        .graph
                        .operands(op, |o| stack.push((o, false))),
                }
                continue;
            }
            let known = match slot {
                // Computed by an earlier function.
                Some(place) => Known {
                    value: self.load(self.base, place, self.source.flat.graph.width(n)),
                    clean: true,
                },
                None => self.compute(n),
            };
            self.learn(n, known);
        }
        self.known[node.0 as usize].expect("it was computed")
    }

    /// Nodes that a side of a choice needs and that are not its own: known before the branch.
    fn outside(&mut self, node: NodeId, side: Option<u32>, stack: &mut Vec<(NodeId, bool)>) {
        let Some(side) = side else {
            return stack.push((node, false));
        };
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![node];
        while let Some(n) = open.pop() {
            let regions = &self.source.plan.regions;
            let op = self.source.flat.graph.node(n).op;
            if super::plan::leaf(op) || self.known[n.0 as usize].is_some() || !seen.insert(n) {
                continue;
            }
            match regions.inside(regions.region(n), side) {
                true => self.source.flat.graph.operands(op, |o| open.push(o)),
                false => stack.push((n, false)),
            }
        }
    }

    /// The value of a node whose operands are known, or are its own sides.
    fn compute(&mut self, node: NodeId) -> Known {
        let graph = &self.source.flat.graph;
        let Node { op, width } = graph.node(node);
        let clean = |value| Known { value, clean: true };
        // An operation fills a whole class: nothing is above it then.
        let full = width == bits(width);
        let dirty = |value| Known { value, clean: full };
        match op {
            Op::Const(v) => clean(self.b.ins().iconst(class(width), v as i64)),
            Op::Input { port, word } => {
                let place = self.source.layout.port(self.source.flat, port, word);
                clean(self.load(self.base, place, width))
            }
            Op::Reg(r) => clean(self.load(self.base, self.source.layout.reg(r), width)),
            Op::Read { mem, word, address } => clean(self.read(mem, word, address, width)),
            Op::Tap { .. } => unreachable!("code is made of netlists without taps"),
            Op::Not(a) => {
                let a = self.get(a);
                match width {
                    1 => Known {
                        value: self.b.ins().bxor_imm(a.value, 1),
                        ..a
                    },
                    _ => dirty(self.b.ins().bnot(a.value)),
                }
            }
            Op::And(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                Known {
                    value: self.b.ins().band(a.value, b.value),
                    clean: a.clean || b.clean,
                }
            }
            Op::Or(a, b) | Op::Xor(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                let value = match op {
                    Op::Or(..) => self.b.ins().bor(a.value, b.value),
                    _ => self.b.ins().bxor(a.value, b.value),
                };
                Known {
                    value,
                    clean: a.clean && b.clean,
                }
            }
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => {
                let (a, b) = (self.get(a).value, self.get(b).value);
                dirty(match op {
                    Op::Add(..) => self.b.ins().iadd(a, b),
                    Op::Sub(..) => self.b.ins().isub(a, b),
                    _ => self.b.ins().imul(a, b),
                })
            }
            Op::Shl(a, by) => {
                let a = self.get(a).value;
                let distance = self.clean(by);
                let value = self.b.ins().ishl(a, distance);
                dirty(self.shifted(value, by, distance, width))
            }
            Op::Shr(a, by) => {
                let a = self.clean(a);
                let distance = self.clean(by);
                let value = self.b.ins().ushr(a, distance);
                clean(self.shifted(value, by, distance, width))
            }
            Op::Eq(a, b) => clean(self.compare(IntCC::Equal, a, b)),
            Op::Ne(a, b) => clean(self.compare(IntCC::NotEqual, a, b)),
            Op::Lt(a, b) => clean(self.compare(IntCC::UnsignedLessThan, a, b)),
            Op::Le(a, b) => clean(self.compare(IntCC::UnsignedLessThanOrEqual, a, b)),
            Op::Mux { condition, yes, no } => self.choose(node, condition, [yes, no], width),
            Op::Slice { of, lo } => {
                let from = graph.width(of);
                let known = self.get(of);
                let moved = match lo {
                    0 => known.value,
                    _ => self.b.ins().ushr_imm(known.value, i64::from(lo)),
                };
                Known {
                    value: self.extended(moved, from, width),
                    clean: full || known.clean && lo + width == from,
                }
            }
            Op::Repeat(bit) => {
                let bit = self.clean(bit);
                let bit = self.extended(bit, 1, width);
                dirty(self.b.ins().ineg(bit))
            }
            Op::Cat(parts) => self.cat(graph.parts(parts), width),
        }
    }

    fn read(&mut self, mem: MemId, word: u32, address: NodeId, width: u8) -> Value {
        let words = self.source.layout.mem(mem);
        let place = words.first(word);
        let at = self.wide(address);
        if !self.reaches_beyond(address, words.depth) {
            let from = self.at(at, words.stride);
            return self.load(from, place, width);
        }
        let depth = i64::from(words.depth);
        let inside = self.b.ins().icmp_imm(IntCC::UnsignedLessThan, at, depth);
        let first = self.b.ins().iconst(I64, 0);
        let at = self.b.ins().select(inside, at, first);
        let from = self.at(at, words.stride);
        let value = self.load(from, place, width);
        let nothing = self.b.ins().iconst(class(width), 0);
        self.b.ins().select(inside, value, nothing)
    }

    /// What was shifted, or 0 where the distance leaves nothing: the processor takes it modulo its bits.
    fn shifted(&mut self, value: Value, by: NodeId, distance: Value, width: u8) -> Value {
        let all = i64::from(match width {
            1 => 8,
            _ => bits(width),
        });
        if mask(self.source.flat.graph.width(by)) < all as u64 {
            return value;
        }
        let inside = self
            .b
            .ins()
            .icmp_imm(IntCC::UnsignedLessThan, distance, all);
        let nothing = self.b.ins().iconst(class(width), 0);
        self.b.ins().select(inside, value, nothing)
    }

    fn compare(&mut self, how: IntCC, a: NodeId, b: NodeId) -> Value {
        let x = self.clean(a);
        match self.source.flat.graph.constant(b) {
            Some(v) => self.b.ins().icmp_imm(how, x, v as i64),
            None => {
                let y = self.clean(b);
                self.b.ins().icmp(how, x, y)
            }
        }
    }

    /// Whether a bit is set, and whether that is the opposite of the node: a test of a bit needs no value of its own.
    fn condition(&mut self, node: NodeId) -> (Value, bool) {
        let graph = &self.source.flat.graph;
        match graph.node(node).op {
            Op::Not(a) if self.known[a.0 as usize].is_some() => {
                let (value, opposite) = self.condition(a);
                (value, !opposite)
            }
            Op::Slice { of, lo } if self.known[of.0 as usize].is_some() => {
                let value = self.get(of).value;
                let bit = self.b.ins().band_imm(value, (1u64 << lo) as i64);
                (self.b.ins().icmp_imm(IntCC::NotEqual, bit, 0), false)
            }
            _ => (self.clean(node), false),
        }
    }

    fn choose(&mut self, node: NodeId, condition: NodeId, sides: [NodeId; 2], width: u8) -> Known {
        let (value, opposite) = self.condition(condition);
        if self.source.plan.regions.sides(node) == [None, None] {
            let [yes, no] = sides.map(|s| self.get(s));
            let clean = yes.clean && no.clean;
            let (yes, no) = match opposite {
                false => (yes.value, no.value),
                true => (no.value, yes.value),
            };
            return Known {
                value: self.b.ins().select(value, yes, no),
                clean,
            };
        }
        let [yes, no] = [(); 2].map(|()| self.b.create_block());
        let done = self.b.create_block();
        let result = self.b.append_block_param(done, class(width));
        let (first, second) = match opposite {
            false => (yes, no),
            true => (no, yes),
        };
        self.b.ins().brif(value, first, &[], second, &[]);
        let mut clean = true;
        for (block, side) in [yes, no].into_iter().zip(sides) {
            self.b.switch_to_block(block);
            let before = self.since.len();
            let known = self.get(side);
            clean &= known.clean;
            self.b.ins().jump(done, &[BlockArg::Value(known.value)]);
            self.forget(before);
        }
        self.b.switch_to_block(done);
        Known {
            value: result,
            clean,
        }
    }

    fn cat(&mut self, parts: &[NodeId], width: u8) -> Known {
        let graph = &self.source.flat.graph;
        let mut all: Option<Value> = None;
        let (mut lo, mut clean) = (0, true);
        for (i, &part) in parts.iter().enumerate() {
            let from = graph.width(part);
            if graph.constant(part) != Some(0) {
                let value = match i + 1 == parts.len() {
                    true => {
                        let known = self.get(part);
                        clean = known.clean || width == bits(width);
                        known.value
                    }
                    false => self.clean(part),
                };
                let value = self.extended(value, from, width);
                let value = match lo {
                    0 => value,
                    _ => self.b.ins().ishl_imm(value, i64::from(lo)),
                };
                all = Some(match all {
                    None => value,
                    Some(below) => self.b.ins().bor(below, value),
                });
            }
            lo += from;
        }
        let value = all.unwrap_or_else(|| self.b.ins().iconst(class(width), 0));
        Known { value, clean }
    }
}
