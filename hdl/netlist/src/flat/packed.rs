//! What nodes compute: one meaning of every operation, for folding, plain reading, the interpreter and the simulation
//! of differences.

use super::graph::Graph;
use super::node::{NodeId, Op};

/// An operation without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Constant, input or register: nothing computes it.
    Leaf,
    /// Word of a memory, at address `a`.
    Read,
    /// Output of a block: `a`, where no fault acts.
    Tap,
    Not,
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    /// `a ? b : c`.
    Mux,
    /// Bits of `a` from `lo`.
    Slice,
    /// Bit `a`, as often as the result is wide.
    Repeat,
    /// `b` above `a`, from bit `lo`.
    Join,
    /// More than two parts: `a` to before `b` of a list.
    Cat,
}

impl Kind {
    /// The value of an operation whose result has the bits `ones`. Of a leaf, a read and parts, which stand elsewhere,
    /// `a` is the value itself.
    #[inline(always)]
    pub fn value(
        self, ones: u64, lo: u8, a: impl FnOnce() -> u64, b: impl FnOnce() -> u64, c: impl FnOnce() -> u64,
    ) -> u64 {
        match self {
            Kind::Leaf | Kind::Read | Kind::Tap | Kind::Cat => a(),
            Kind::Not => !a() & ones,
            Kind::And => a() & b(),
            Kind::Or => a() | b(),
            Kind::Xor => a() ^ b(),
            Kind::Add => a().wrapping_add(b()) & ones,
            Kind::Sub => a().wrapping_sub(b()) & ones,
            Kind::Mul => a().wrapping_mul(b()) & ones,
            Kind::Shl => match b() {
                by @ 0..64 => a() << by & ones,
                _ => 0,
            },
            Kind::Shr => match b() {
                by @ 0..64 => a() >> by,
                _ => 0,
            },
            Kind::Eq => u64::from(a() == b()),
            Kind::Ne => u64::from(a() != b()),
            Kind::Lt => u64::from(a() < b()),
            Kind::Le => u64::from(a() <= b()),
            Kind::Mux => {
                let (yes, no) = (b(), c());
                no ^ (yes ^ no) & a().wrapping_neg()
            }
            Kind::Slice => a() >> lo & ones,
            Kind::Repeat => a().wrapping_neg() & ones,
            Kind::Join => a() | b() << lo,
        }
    }
}

/// Parts of concatenations: number of the value, and the bit from which it stands.
pub type PartList = Vec<(u32, u8)>;

/// A node in 16 bytes. Operands are numbers of values, of nodes or others.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// Operation.
    pub kind: Kind,
    /// First bit, see [`Kind`].
    pub lo: u8,
    /// Unused upper bits of the result.
    pub above: u8,
    /// First operand.
    pub a: u32,
    /// Second operand; of a read the memory.
    pub b: u32,
    /// Third operand; of a read which 64 bits of the word.
    pub c: u32,
}

impl Packed {
    /// A node of a graph; `at` numbers its operands, the parts of a long concatenation are added to `parts`.
    pub fn of(graph: &Graph, node: NodeId, parts: &mut PartList, at: impl Fn(NodeId) -> u32) -> Self {
        let node = graph.node(node);
        let pack = |kind, lo, [a, b, c]: [u32; 3]| Packed { kind, lo, above: 64 - node.width, a, b, c };
        let one = |kind, a| pack(kind, 0, [at(a), 0, 0]);
        let two = |kind, a, b| pack(kind, 0, [at(a), at(b), 0]);
        match node.op {
            Op::Const(_) | Op::Input { .. } | Op::Reg(_) => pack(Kind::Leaf, 0, [0; 3]),
            Op::Read { mem, word, address } => pack(Kind::Read, 0, [at(address), mem.0, word]),
            Op::Tap { of, .. } => one(Kind::Tap, of),
            Op::Not(a) => one(Kind::Not, a),
            Op::And(a, b) => two(Kind::And, a, b),
            Op::Or(a, b) => two(Kind::Or, a, b),
            Op::Xor(a, b) => two(Kind::Xor, a, b),
            Op::Add(a, b) => two(Kind::Add, a, b),
            Op::Sub(a, b) => two(Kind::Sub, a, b),
            Op::Mul(a, b) => two(Kind::Mul, a, b),
            Op::Shl(a, b) => two(Kind::Shl, a, b),
            Op::Shr(a, b) => two(Kind::Shr, a, b),
            Op::Eq(a, b) => two(Kind::Eq, a, b),
            Op::Ne(a, b) => two(Kind::Ne, a, b),
            Op::Lt(a, b) => two(Kind::Lt, a, b),
            Op::Le(a, b) => two(Kind::Le, a, b),
            Op::Mux { condition, yes, no } => pack(Kind::Mux, 0, [at(condition), at(yes), at(no)]),
            Op::Slice { of, lo } => pack(Kind::Slice, lo, [at(of), 0, 0]),
            Op::Repeat(bit) => one(Kind::Repeat, bit),
            Op::Cat(list) => match *graph.parts(list) {
                [low, high] => pack(Kind::Join, graph.width(low), [at(low), at(high), 0]),
                ref list => {
                    let first = parts.len() as u32;
                    let mut lo = 0;
                    for part in list {
                        parts.push((at(*part), lo));
                        lo += graph.width(*part);
                    }
                    pack(Kind::Cat, 0, [first, parts.len() as u32, 0])
                }
            },
        }
    }

    /// The value by those of its operands. A leaf has none here, nor has a word of a memory.
    #[inline(always)]
    pub fn value(&self, parts: &[(u32, u8)], v: impl Fn(u32) -> u64) -> u64 {
        let all = || {
            let parts = &parts[self.a as usize..self.b as usize];
            parts.iter().fold(0, |all, (part, lo)| all | v(*part) << lo)
        };
        match self.kind {
            Kind::Cat => all(),
            kind => kind.value(u64::MAX >> self.above, self.lo, || v(self.a), || v(self.b), || v(self.c)),
        }
    }

    /// Calls `f` for the number of every operand; some twice.
    pub fn operands(&self, parts: &[(u32, u8)], mut f: impl FnMut(u32)) {
        match self.kind {
            Kind::Leaf => {}
            Kind::Read | Kind::Tap | Kind::Not | Kind::Slice | Kind::Repeat => f(self.a),
            Kind::Cat => parts[self.a as usize..self.b as usize].iter().for_each(|p| f(p.0)),
            Kind::Mux => [self.a, self.b, self.c].into_iter().for_each(f),
            _ => [self.a, self.b].into_iter().for_each(f),
        }
    }
}
