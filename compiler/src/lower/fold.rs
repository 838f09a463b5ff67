//! Operations by name, folded where operands are constant.

use super::build::{Lower, ZERO};
use crate::ir::{MemTy, Op, Operand, Rel, Round};

impl Lower<'_> {
    pub(super) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Imm(x), Operand::Imm(y)) => Operand::Imm(x.wrapping_add(y)),
            (x, Operand::Imm(0)) | (Operand::Imm(0), x) => x,
            _ => self.op(Op::Add, &[a, b]),
        }
    }

    pub(super) fn sub(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Imm(x), Operand::Imm(y)) => Operand::Imm(x.wrapping_sub(y)),
            (x, Operand::Imm(0)) => x,
            _ => self.op(Op::Sub, &[a, b]),
        }
    }

    pub(super) fn and(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Imm(x), Operand::Imm(y)) => Operand::Imm(x & y),
            (x, Operand::Imm(u32::MAX)) | (Operand::Imm(u32::MAX), x) => x,
            (_, Operand::Imm(0)) | (Operand::Imm(0), _) => ZERO,
            _ => self.op(Op::And, &[a, b]),
        }
    }

    pub(super) fn or(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Imm(x), Operand::Imm(y)) => Operand::Imm(x | y),
            (x, Operand::Imm(0)) | (Operand::Imm(0), x) => x,
            _ => self.op(Op::Or, &[a, b]),
        }
    }

    pub(super) fn xor(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Imm(x), Operand::Imm(y)) => Operand::Imm(x ^ y),
            (x, Operand::Imm(0)) | (Operand::Imm(0), x) => x,
            _ => self.op(Op::Xor, &[a, b]),
        }
    }

    pub(super) fn not(&mut self, a: Operand) -> Operand {
        match a {
            Operand::Imm(x) => Operand::Imm(!x),
            _ => self.op(Op::Not, &[a]),
        }
    }

    pub(super) fn shl(&mut self, a: Operand, n: Operand) -> Operand {
        match (a, n) {
            (_, Operand::Imm(0)) | (Operand::Imm(0), _) => a,
            (_, Operand::Imm(32..)) => ZERO,
            (Operand::Imm(x), Operand::Imm(n)) => Operand::Imm(x << n),
            _ => self.op(Op::Shl, &[a, n]),
        }
    }

    pub(super) fn shr(&mut self, a: Operand, n: Operand, signed: bool) -> Operand {
        match (a, n) {
            (_, Operand::Imm(0)) | (Operand::Imm(0), _) => a,
            (_, Operand::Imm(32..)) if !signed => ZERO,
            (_, Operand::Imm(32..)) => self.shr(a, Operand::Imm(31), true),
            (Operand::Imm(x), Operand::Imm(n)) if signed => Operand::Imm((x as i32 >> n) as u32),
            (Operand::Imm(x), Operand::Imm(n)) => Operand::Imm(x >> n),
            _ => self.op(Op::Shr { signed }, &[a, n]),
        }
    }

    pub(super) fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Imm(x), Operand::Imm(y)) => Operand::Imm(x.wrapping_mul(y)),
            (x, Operand::Imm(1)) | (Operand::Imm(1), x) => x,
            (_, Operand::Imm(0)) | (Operand::Imm(0), _) => ZERO,
            _ => self.op(Op::Mul, &[a, b]),
        }
    }

    pub(super) fn mul_hi(&mut self, a: Operand, b: Operand, signed: bool) -> Operand {
        match (a, b) {
            (_, Operand::Imm(0)) | (Operand::Imm(0), _) => ZERO,
            _ => self.op(Op::MulHi { signed }, &[a, b]),
        }
    }

    pub(super) fn min_max(&mut self, max: bool, signed: bool, a: Operand, b: Operand) -> Operand {
        let op = if max { Op::Max { signed } } else { Op::Min { signed } };
        self.op(op, &[a, b])
    }

    pub(super) fn ext(&mut self, ty: MemTy, a: Operand) -> Operand {
        match (a, ty) {
            (_, MemTy::B32) => a,
            (Operand::Imm(x), MemTy::U8) => Operand::Imm(x & 0xff),
            (Operand::Imm(x), MemTy::S8) => Operand::Imm(x as i8 as u32),
            (Operand::Imm(x), MemTy::U16) => Operand::Imm(x & 0xffff),
            (Operand::Imm(x), MemTy::S16) => Operand::Imm(x as i16 as u32),
            _ => self.op(Op::Ext(ty), &[a]),
        }
    }

    pub(super) fn cmp(&mut self, rel: Rel, signed: bool, a: Operand, b: Operand) -> Operand {
        self.op(Op::Cmp { rel, signed }, &[a, b])
    }

    /// `p ? a : b`.
    pub(super) fn select(&mut self, p: Operand, a: Operand, b: Operand) -> Operand {
        match p {
            Operand::Imm(0) => b,
            Operand::Imm(_) => a,
            _ if a == b => a,
            _ => self.op(Op::Select, &[p, a, b]),
        }
    }

    /// All ones where the predicate holds, else 0.
    pub(super) fn mask(&mut self, p: Operand) -> Operand {
        self.select(p, Operand::Imm(u32::MAX), ZERO)
    }

    /// All ones for a negative word, else 0.
    pub(super) fn sign(&mut self, a: Operand) -> Operand {
        self.shr(a, Operand::Imm(31), true)
    }

    // Float operations.

    pub(super) fn fneg(&mut self, a: Operand) -> Operand {
        match a {
            Operand::Imm(x) => Operand::Imm(x ^ 1 << 31),
            _ => self.op(Op::FNeg, &[a]),
        }
    }

    pub(super) fn fadd(&mut self, a: Operand, b: Operand) -> Operand {
        let op = Op::FAdd { round: Round::Nearest, sat: false };
        self.op(op, &[a, b])
    }

    pub(super) fn fmul(&mut self, a: Operand, b: Operand) -> Operand {
        let op = Op::FMul { round: Round::Nearest };
        self.op(op, &[a, b])
    }
}
