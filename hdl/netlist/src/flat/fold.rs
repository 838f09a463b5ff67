//! Operations on nodes: constants are folded, what does nothing is left out.

use super::graph::Graph;
use super::node::{mask, NodeId, Op};
use super::packed::Kind;

impl Graph {
    /// The result of an operation on one or two constants.
    fn folded(&mut self, kind: Kind, width: u8, lo: u8, x: u64, y: u64) -> NodeId {
        self.lit(width, kind.value(mask(width), lo, || x, || y, || 0))
    }

    /// The inverse of every bit.
    pub fn not(&mut self, a: NodeId) -> NodeId {
        let node = self.node(a);
        match node.op {
            Op::Const(v) => self.folded(Kind::Not, node.width, 0, v, 0),
            Op::Not(x) => x,
            Op::Eq(x, y) => self.put(Op::Ne(x, y), 1),
            Op::Ne(x, y) => self.put(Op::Eq(x, y), 1),
            _ => self.put(Op::Not(a), node.width),
        }
    }

    /// Bitwise and.
    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = ordered(a, b);
        let width = self.width(a);
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::And, width, 0, x, y),
            (Some(0), _) | (_, Some(0)) => self.lit(width, 0),
            (Some(x), _) if x == mask(width) => b,
            (_, Some(y)) if y == mask(width) => a,
            _ if a == b => a,
            _ => self.put(Op::And(a, b), width),
        }
    }

    /// Bitwise or.
    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = ordered(a, b);
        let width = self.width(a);
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Or, width, 0, x, y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), _) if x == mask(width) => a,
            (_, Some(y)) if y == mask(width) => b,
            _ if a == b => a,
            _ => self.put(Op::Or(a, b), width),
        }
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = ordered(a, b);
        let width = self.width(a);
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Xor, width, 0, x, y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), _) if x == mask(width) => self.not(b),
            (_, Some(y)) if y == mask(width) => self.not(a),
            _ if a == b => self.lit(width, 0),
            _ => self.put(Op::Xor(a, b), width),
        }
    }

    /// Sum, truncated.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = ordered(a, b);
        let width = self.width(a);
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Add, width, 0, x, y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.put(Op::Add(a, b), width),
        }
    }

    /// Difference, truncated.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Sub, width, 0, x, y),
            (_, Some(0)) => a,
            _ if a == b => self.lit(width, 0),
            _ => self.put(Op::Sub(a, b), width),
        }
    }

    /// Product, truncated.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = ordered(a, b);
        let width = self.width(a);
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Mul, width, 0, x, y),
            (Some(0), _) | (_, Some(0)) => self.lit(width, 0),
            (Some(1), _) => b,
            (_, Some(1)) => a,
            _ => self.put(Op::Mul(a, b), width),
        }
    }

    /// Shift left; bits fall off at the top.
    pub fn shl(&mut self, a: NodeId, by: NodeId) -> NodeId {
        let width = self.width(a);
        match (self.constant(a), self.constant(by)) {
            (_, Some(0)) | (Some(0), _) => a,
            (_, Some(n)) if n >= width.into() => self.lit(width, 0),
            (_, Some(n)) => {
                let low = self.slice(a, 0, width - n as u8);
                let zeros = self.lit(n as u8, 0);
                self.cat(&[zeros, low])
            }
            _ => self.put(Op::Shl(a, by), width),
        }
    }

    /// Shift right; zeros come in at the top.
    pub fn shr(&mut self, a: NodeId, by: NodeId) -> NodeId {
        let width = self.width(a);
        match (self.constant(a), self.constant(by)) {
            (_, Some(0)) | (Some(0), _) => a,
            (_, Some(n)) if n >= width.into() => self.lit(width, 0),
            (_, Some(n)) => {
                let high = self.slice(a, n as u8, width - n as u8);
                self.zext(high, width)
            }
            _ => self.put(Op::Shr(a, by), width),
        }
    }

    /// Equality, one bit.
    pub fn eq(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = ordered(a, b);
        let one_bit = self.width(a) == 1;
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Eq, 1, 0, x, y),
            _ if a == b => self.lit(1, 1),
            (Some(1), _) if one_bit => b,
            (_, Some(1)) if one_bit => a,
            (Some(0), _) if one_bit => self.not(b),
            (_, Some(0)) if one_bit => self.not(a),
            _ => self.put(Op::Eq(a, b), 1),
        }
    }

    /// Inequality, one bit.
    pub fn ne(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.width(a) == 1 {
            return self.xor(a, b);
        }
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Unsigned less than, one bit.
    pub fn lt(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Lt, 1, 0, x, y),
            (_, Some(0)) => self.lit(1, 0),
            _ if a == b => self.lit(1, 0),
            (_, Some(1)) => {
                let zero = self.lit(self.width(a), 0);
                self.eq(a, zero)
            }
            _ => self.put(Op::Lt(a, b), 1),
        }
    }

    /// Unsigned less or equal, one bit.
    pub fn le(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => self.folded(Kind::Le, 1, 0, x, y),
            (Some(0), _) => self.lit(1, 1),
            _ if a == b => self.lit(1, 1),
            _ => self.put(Op::Le(a, b), 1),
        }
    }

    /// `condition ? yes : no`.
    pub fn mux(&mut self, condition: NodeId, yes: NodeId, no: NodeId) -> NodeId {
        let width = self.width(yes);
        if let Some(v) = self.constant(condition) {
            return if v == 1 { yes } else { no };
        }
        if yes == no {
            return yes;
        }
        if let Op::Not(c) = self.node(condition).op {
            return self.mux(c, no, yes);
        }
        if width == 1 {
            match (self.constant(yes), self.constant(no)) {
                (Some(1), Some(0)) => return condition,
                (Some(0), Some(1)) => return self.not(condition),
                (Some(1), _) => return self.or(condition, no),
                (_, Some(0)) => return self.and(condition, yes),
                (Some(0), _) => {
                    let not = self.not(condition);
                    return self.and(not, no);
                }
                (_, Some(1)) => {
                    let not = self.not(condition);
                    return self.or(not, yes);
                }
                _ => {}
            }
        }
        // The same condition once more below.
        match self.node(yes).op {
            Op::Mux { condition: c, yes, .. } if c == condition => {
                return self.mux(condition, yes, no);
            }
            _ => {}
        }
        match self.node(no).op {
            Op::Mux { condition: c, no, .. } if c == condition => {
                return self.mux(condition, yes, no);
            }
            _ => {}
        }
        self.put(Op::Mux { condition, yes, no }, width)
    }

    /// `width` bits from bit `lo`.
    pub fn slice(&mut self, a: NodeId, lo: u8, width: u8) -> NodeId {
        let node = self.node(a);
        debug_assert!(lo + width <= node.width);
        if width == node.width {
            return a;
        }
        match node.op {
            Op::Const(v) => self.folded(Kind::Slice, width, lo, v, 0),
            Op::Slice { of, lo: from } => self.slice(of, from + lo, width),
            Op::Repeat(bit) => self.repeat(bit, width),
            Op::Cat(parts) => {
                let parts = self.parts(parts).to_vec();
                let mut inside = vec![];
                let mut at = 0;
                for part in parts {
                    let end = at + self.width(part);
                    let (from, to) = (lo.max(at), (lo + width).min(end));
                    if from < to {
                        inside.push(self.slice(part, from - at, to - from));
                    }
                    at = end;
                }
                self.cat(&inside)
            }
            _ => self.put(Op::Slice { of: a, lo }, width),
        }
    }

    /// One bit, `width` times.
    pub fn repeat(&mut self, bit: NodeId, width: u8) -> NodeId {
        debug_assert_eq!(self.width(bit), 1);
        match self.constant(bit) {
            _ if width == 1 => bit,
            Some(v) => self.folded(Kind::Repeat, width, 0, v, 0),
            None => self.put(Op::Repeat(bit), width),
        }
    }

    /// Zero extension, or the same width.
    pub fn zext(&mut self, a: NodeId, width: u8) -> NodeId {
        match width - self.width(a) {
            0 => a,
            more => {
                let zeros = self.lit(more, 0);
                self.cat(&[a, zeros])
            }
        }
    }

    /// Concatenation of at most 64 bits, least significant part first.
    pub fn cat(&mut self, parts: &[NodeId]) -> NodeId {
        let mut flat = vec![];
        for part in parts {
            match self.node(*part).op {
                Op::Cat(inner) => flat.extend_from_slice(self.parts(inner)),
                _ => flat.push(*part),
            }
        }
        let mut out: Vec<NodeId> = vec![];
        for part in flat {
            match out.last().and_then(|last| self.neighbours(*last, part)) {
                Some(both) => *out.last_mut().expect("there is a last part") = both,
                None => out.push(part),
            }
        }
        match out[..] {
            [one] => one,
            _ => self.put_cat(out),
        }
    }

    /// Two neighbours as one node, where that is simpler: constants, adjacent slices, repeats of a bit.
    fn neighbours(&mut self, low: NodeId, high: NodeId) -> Option<NodeId> {
        let (l, h) = (self.node(low), self.node(high));
        let width = l.width + h.width;
        if let (Op::Const(x), Op::Const(y)) = (l.op, h.op) {
            return Some(self.folded(Kind::Join, width, l.width, x, y));
        }
        if let (Op::Slice { of, lo }, Op::Slice { of: o, lo: at }) = (l.op, h.op) {
            if of == o && at == lo + l.width {
                return Some(self.slice(of, lo, width));
            }
        }
        let bit = |n: NodeId, op: Op| match op {
            Op::Repeat(bit) => bit,
            _ => n,
        };
        let (b, c) = (bit(low, l.op), bit(high, h.op));
        (b == c && self.width(b) == 1).then(|| self.repeat(b, width))
    }
}

/// Operands of a commutative operation, the smaller number first.
fn ordered(a: NodeId, b: NodeId) -> (NodeId, NodeId) {
    if a <= b {
        (a, b)
    } else {
        (b, a)
    }
}
