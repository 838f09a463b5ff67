//! Operations of the flat netlist in cranelift's intermediate language.

use super::{bits, class, guard, Emit, Known};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};
use warpsmith_netlist::flat::{mask, MemId, Node, NodeId, Op};

impl Emit<'_, '_> {
    /// The value of a node whose operands are known, or are its own sides.
    pub(super) fn compute(&mut self, node: NodeId) -> Known {
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
                    1 => Known { value: self.b.ins().bxor_imm(a.value, 1), ..a },
                    _ => dirty(self.b.ins().bnot(a.value)),
                }
            }
            Op::And(..) if self.source.plan.regions.sides(node) != [None, None] => {
                let guard = guard(self.source.flat, op);
                let (condition, operand) = guard.expect("a conjunction with a side");
                self.guarded(condition, operand, width)
            }
            Op::And(a, b) => {
                // One instruction for `a & !b`.
                for (a, b) in [(a, b), (b, a)] {
                    if let Op::Not(b) = graph.node(b).op {
                        // Elsewhere computed, it is loaded; then what it is made of is not at hand.
                        if let Some(b) = self.known[b.0 as usize] {
                            let a = self.get(a);
                            return Known { value: self.b.ins().band_not(a.value, b.value), clean: a.clean };
                        }
                    }
                }
                let (a, b) = (self.get(a), self.get(b));
                Known { value: self.b.ins().band(a.value, b.value), clean: a.clean || b.clean }
            }
            Op::Or(a, b) | Op::Xor(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                let value = match op {
                    Op::Or(..) => self.b.ins().bor(a.value, b.value),
                    _ => self.b.ins().bxor(a.value, b.value),
                };
                Known { value, clean: a.clean && b.clean }
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
                Known { value: self.extended(moved, from, width), clean: full || known.clean && lo + width == from }
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
        let all = i64::from(bits(width));
        if mask(self.source.flat.graph.width(by)) < all as u64 {
            return value;
        }
        let inside = self.b.ins().icmp_imm(IntCC::UnsignedLessThan, distance, all);
        let nothing = self.b.ins().iconst(class(width), 0);
        self.b.ins().select(inside, value, nothing)
    }

    fn compare(&mut self, how: IntCC, a: NodeId, b: NodeId) -> Value {
        let x = self.clean(a);
        let bit = match self.source.flat.graph.constant(b) {
            Some(v) => self.b.ins().icmp_imm(how, x, v as i64),
            None => {
                let y = self.clean(b);
                self.b.ins().icmp(how, x, y)
            }
        };
        self.b.ins().uextend(I32, bit)
    }

    /// Whether a bit is set, and whether that is the opposite of the node: a test of a bit needs no value of its own.
    pub(super) fn condition(&mut self, node: NodeId) -> (Value, bool) {
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
            return Known { value: self.b.ins().select(value, yes, no), clean };
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
        Known { value: result, clean }
    }

    /// An operand where a condition holds, nothing elsewhere.
    fn guarded(&mut self, condition: NodeId, operand: NodeId, width: u8) -> Known {
        let (value, opposite) = match self.source.flat.graph.node(condition).op {
            Op::Repeat(bit) if self.known[bit.0 as usize].is_some() => self.condition(bit),
            _ => self.condition(condition),
        };
        let [yes, done] = [(); 2].map(|()| self.b.create_block());
        let result = self.b.append_block_param(done, class(width));
        let nothing = self.b.ins().iconst(class(width), 0);
        let nothing = [BlockArg::Value(nothing)];
        match opposite {
            false => self.b.ins().brif(value, yes, &[], done, &nothing),
            true => self.b.ins().brif(value, done, &nothing, yes, &[]),
        };
        self.b.switch_to_block(yes);
        let before = self.since.len();
        let known = self.get(operand);
        self.b.ins().jump(done, &[BlockArg::Value(known.value)]);
        self.forget(before);
        self.b.switch_to_block(done);
        Known { value: result, clean: known.clean }
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
