//! Values of any width, made of nodes of at most 64 bits.

use super::graph::Graph;
use super::node::NodeId;
use crate::expr::Binary;

/// A value of any width: nodes, least significant first. At most 64 bits are one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) parts: Vec<NodeId>,
    pub(super) width: u32,
}

impl Graph {
    /// An operation on two values; none for a product of more than 64 bits.
    pub(super) fn binary(&mut self, op: Binary, a: &Value, b: &Value) -> Option<Value> {
        Some(match op {
            Binary::And => self.pairwise(a, b, Graph::and),
            Binary::Or => self.pairwise(a, b, Graph::or),
            Binary::Xor => self.pairwise(a, b, Graph::xor),
            Binary::Shl | Binary::Shr => self.shift(op, a, b),
            _ if a.width <= 64 => {
                let node = self.arithmetic(op, a.parts[0], b.parts[0]);
                Value { parts: vec![node], width: self.width(node).into() }
            }
            _ => self.wide_arithmetic(op, a, b)?,
        })
    }

    /// A sum, difference, product or comparison of at most 64 bits.
    fn arithmetic(&mut self, op: Binary, x: NodeId, y: NodeId) -> NodeId {
        match op {
            Binary::Add => self.add(x, y),
            Binary::Sub => self.sub(x, y),
            Binary::Mul | Binary::MulSigned => self.mul(x, y),
            Binary::Eq => self.eq(x, y),
            Binary::Ne => self.ne(x, y),
            Binary::Lt => self.lt(x, y),
            Binary::Gt => self.lt(y, x),
            Binary::Le => self.le(x, y),
            Binary::Ge => self.le(y, x),
            Binary::LtSigned => {
                // Two's complement in order is unsigned with the sign inverted.
                let width = self.width(x);
                let sign = self.lit(width, 1 << (width - 1));
                let (x, y) = (self.xor(x, sign), self.xor(y, sign));
                self.lt(x, y)
            }
            Binary::And | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr => {
                unreachable!("of any width")
            }
        }
    }

    /// The same of more than 64 bits; none for a product.
    fn wide_arithmetic(&mut self, op: Binary, a: &Value, b: &Value) -> Option<Value> {
        Some(match op {
            Binary::Add | Binary::Sub => self.ripple(op, a, b),
            Binary::Eq | Binary::Ne => {
                let difference = self.pairwise(a, b, Graph::xor);
                let differ = self.any(&difference);
                one(match op {
                    Binary::Ne => differ,
                    _ => self.not(differ),
                })
            }
            Binary::Lt => one(self.less(a, b, false)),
            Binary::Gt => one(self.less(b, a, false)),
            Binary::Le => one(self.less(a, b, true)),
            Binary::Ge => one(self.less(b, a, true)),
            Binary::LtSigned => {
                let mut sign = self.word(a.width - 1, 0).parts;
                sign.push(self.lit(1, 1));
                let sign = self.joined(sign);
                let x = self.pairwise(a, &sign, Graph::xor);
                let y = self.pairwise(b, &sign, Graph::xor);
                one(self.less(&x, &y, false))
            }
            _ => return None,
        })
    }

    /// A constant; bits above 128 are zero.
    pub(super) fn word(&mut self, width: u32, value: u128) -> Value {
        let parts = pieces(width).map(|(lo, piece)| {
            let word = value.checked_shr(lo).unwrap_or(0) as u64;
            self.lit(piece, word)
        });
        Value { parts: parts.collect(), width }
    }

    /// Nodes side by side, one node where they fit.
    pub(super) fn joined(&mut self, parts: Vec<NodeId>) -> Value {
        let width = parts.iter().map(|p| u32::from(self.width(*p))).sum();
        let parts = match width {
            0..=64 => vec![self.cat(&parts)],
            _ => parts,
        };
        Value { parts, width }
    }

    /// `width` bits from bit `lo`.
    pub(super) fn part(&mut self, a: &Value, lo: u32, width: u32) -> Value {
        let mut parts = vec![];
        let mut at = 0;
        for part in &a.parts {
            let end = at + u32::from(self.width(*part));
            let (from, to) = (lo.max(at), (lo + width).min(end));
            if from < to {
                let (from, width) = ((from - at) as u8, (to - from) as u8);
                parts.push(self.slice(*part, from, width));
            }
            at = end;
        }
        self.joined(parts)
    }

    /// Two values cut at the borders of both.
    fn aligned(&mut self, a: &Value, b: &Value) -> Vec<(NodeId, NodeId)> {
        if a.width <= 64 {
            return vec![(a.parts[0], b.parts[0])];
        }
        let mut cuts = vec![];
        for value in [a, b] {
            let mut at = 0;
            for part in &value.parts {
                at += u32::from(self.width(*part));
                cuts.push(at);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut from = 0;
        let mut pairs = vec![];
        for to in cuts {
            let (x, y) = (self.part(a, from, to - from), self.part(b, from, to - from));
            pairs.push((x.parts[0], y.parts[0]));
            from = to;
        }
        pairs
    }

    /// A bit-wise operation.
    pub(super) fn pairwise(&mut self, a: &Value, b: &Value, f: fn(&mut Graph, NodeId, NodeId) -> NodeId) -> Value {
        let pairs = self.aligned(a, b);
        Value { parts: pairs.into_iter().map(|(x, y)| f(self, x, y)).collect(), width: a.width }
    }

    /// One of two values, by a condition of one bit.
    pub(super) fn choose(&mut self, condition: NodeId, yes: &Value, no: &Value) -> Value {
        match self.constant(condition) {
            Some(0) => return no.clone(),
            Some(_) => return yes.clone(),
            None if yes == no => return yes.clone(),
            None => {}
        }
        let pairs = self.aligned(yes, no);
        let parts = pairs.into_iter().map(|(y, n)| self.mux(condition, y, n));
        Value { parts: parts.collect(), width: yes.width }
    }

    /// Whether a bit is 1.
    pub(super) fn any(&mut self, a: &Value) -> NodeId {
        let mut any = self.lit(1, 0);
        for part in &a.parts {
            let zero = self.lit(self.width(*part), 0);
            let some = self.ne(*part, zero);
            any = self.or(any, some);
        }
        any
    }

    /// Whether all bits are 1.
    pub(super) fn all(&mut self, a: &Value) -> NodeId {
        let mut all = self.lit(1, 1);
        for part in &a.parts {
            let ones = self.lit(self.width(*part), u64::MAX);
            let full = self.eq(*part, ones);
            all = self.and(all, full);
        }
        all
    }

    /// `width` bits from bit `index`; bits beyond the end are zero.
    pub(super) fn select(&mut self, a: &Value, index: &Value, width: u32) -> Value {
        let shifted = self.shift(Binary::Shr, a, index);
        self.part(&shifted, 0, width)
    }

    /// A shift by a distance of any width.
    fn shift(&mut self, op: Binary, a: &Value, by: &Value) -> Value {
        let low = by.parts[0];
        let shifted = match a.width {
            0..=64 => {
                let node = match op {
                    Binary::Shl => self.shl(a.parts[0], low),
                    _ => self.shr(a.parts[0], low),
                };
                Value { parts: vec![node], width: a.width }
            }
            _ => self.shift_wide(op, a, low),
        };
        if by.parts.len() == 1 {
            return shifted;
        }
        let beyond = Value { parts: by.parts[1..].to_vec(), width: by.width };
        let beyond = self.any(&beyond);
        let nothing = self.word(a.width, 0);
        self.choose(beyond, &nothing, &shifted)
    }

    /// A shift of more than 64 bits: a choice for every bit of the distance.
    fn shift_wide(&mut self, op: Binary, a: &Value, by: NodeId) -> Value {
        let mut value = a.clone();
        for bit in 0..self.width(by) {
            let condition = self.slice(by, bit, 1);
            // The lower bits of the index of a word are zero: its borders stay.
            if self.constant(condition) == Some(0) {
                continue;
            }
            let distance = 1u32.checked_shl(bit.into()).filter(|d| *d < a.width);
            let moved = match distance {
                None => self.word(a.width, 0),
                Some(d) => {
                    let rest = a.width - d;
                    let zeros = self.word(d, 0);
                    let (low, high) = match op {
                        Binary::Shl => (zeros, self.part(&value, 0, rest)),
                        _ => (self.part(&value, d, rest), zeros),
                    };
                    self.joined([low.parts, high.parts].concat())
                }
            };
            value = self.choose(condition, &moved, &value);
        }
        value
    }

    /// Whether `a` is less than `b`, or not more where `or_equal`, part by part.
    fn less(&mut self, a: &Value, b: &Value, or_equal: bool) -> NodeId {
        let pairs = self.aligned(a, b);
        let mut less = self.lit(1, or_equal.into());
        for (x, y) in pairs {
            let (below, same) = (self.lt(x, y), self.eq(x, y));
            let less_below = self.and(same, less);
            less = self.or(below, less_below);
        }
        less
    }

    /// A sum or difference of more than 64 bits, word by word.
    fn ripple(&mut self, op: Binary, a: &Value, b: &Value) -> Value {
        let mut parts = vec![];
        let mut carry = self.lit(1, 0);
        for (lo, width) in pieces(a.width) {
            let x = self.part(a, lo, width.into()).parts[0];
            let y = self.part(b, lo, width.into()).parts[0];
            let carried = self.zext(carry, width);
            let (sum, over) = match op {
                Binary::Add => {
                    let first = self.add(x, y);
                    let sum = self.add(first, carried);
                    let (c, d) = (self.lt(first, x), self.lt(sum, first));
                    (sum, self.or(c, d))
                }
                _ => {
                    let first = self.sub(x, y);
                    let sum = self.sub(first, carried);
                    let (c, d) = (self.lt(x, y), self.lt(first, carried));
                    (sum, self.or(c, d))
                }
            };
            parts.push(sum);
            carry = over;
        }
        Value { parts, width: a.width }
    }
}

/// A value of one bit.
pub(super) fn one(node: NodeId) -> Value {
    Value { parts: vec![node], width: 1 }
}

/// First bit and width of every 64 bits of something `width` bits wide.
pub(super) fn pieces(width: u32) -> impl Iterator<Item = (u32, u8)> {
    (0..width).step_by(64).map(move |lo| (lo, (width - lo).min(64) as u8))
}
