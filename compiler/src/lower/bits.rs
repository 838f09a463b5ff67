//! Bit fields, counts of bits, permutations of bytes, funnel shifts, logic of three operands.

use super::build::{Lower, Pair, ZERO};
use super::inst::{Parts, Result};
use crate::ir::{MemTy, Op, Operand, Rel, Round};
use crate::ptx::ast::{Inst, Ty};

impl Lower<'_> {
    /// Bit instructions of 32 and 64 bits.
    pub(super) fn bits(&mut self, inst: &Inst, parts: &Parts, ty: Ty) -> Result<()> {
        let name = parts.all[0];
        let signed = ty.signed();
        if ty.bits == 64 {
            return self.bits64(inst, parts, signed);
        }
        if ty.bits != 32 {
            return Err(self.unknown(inst));
        }
        let a = self.word(inst, 1)?;
        let v = match name {
            "popc" => self.popc(a),
            "clz" => self.clz(a),
            "brev" => self.brev(a),
            "bfind" => self.bfind(a, signed, parts.has("shiftamt")),
            "bfe" => {
                let (at, len) = (self.byte(inst, 2)?, self.byte(inst, 3)?);
                self.bfe(a, at, len, signed)
            }
            "bfi" => {
                let b = self.word(inst, 2)?;
                let (at, len) = (self.byte(inst, 3)?, self.byte(inst, 4)?);
                self.bfi(a, b, at, len)
            }
            "shf" => {
                let (high, n) = (self.word(inst, 2)?, self.word(inst, 3)?);
                self.funnel(a, high, n, parts.has("l"), parts.has("wrap"))
            }
            "prmt" => {
                let (b, selector) = (self.word(inst, 2)?, self.word(inst, 3)?);
                return self.prmt(inst, parts, a, b, selector);
            }
            "lop3" => {
                let (b, c) = (self.word(inst, 2)?, self.word(inst, 3)?);
                match self.word(inst, 4)? {
                    Operand::Imm(table) => self.lop3([a, b, c], table as u8),
                    Operand::Value(_) => return Err(self.unknown(inst)),
                }
            }
            "szext" => {
                let n = self.word(inst, 2)?;
                let n = if parts.has("wrap") { self.and(n, Operand::Imm(31)) } else { self.limit(n, 32) };
                self.bfe(a, ZERO, n, signed)
            }
            "bmsk" => {
                let mut n = self.word(inst, 2)?;
                let mut at = a;
                if parts.has("wrap") {
                    at = self.and(at, Operand::Imm(31));
                    n = self.and(n, Operand::Imm(31));
                }
                let ones = self.ones(n);
                self.shl(ones, at)
            }
            _ => return Err(self.unknown(inst)),
        };
        self.set(inst, 0, v)
    }

    /// Bits 7:0 of an operand, as positions and lengths of bit fields are read.
    fn byte(&mut self, inst: &Inst, at: usize) -> Result<Operand> {
        let v = self.word(inst, at)?;
        Ok(self.ext(MemTy::U8, v))
    }

    /// The smaller of a word and a constant, unsigned.
    fn limit(&mut self, a: Operand, top: u32) -> Operand {
        match a {
            Operand::Imm(v) => Operand::Imm(v.min(top)),
            _ => self.min_max(false, false, a, Operand::Imm(top)),
        }
    }

    /// So many ones, from bit 0; all from 32 on.
    fn ones(&mut self, n: Operand) -> Operand {
        let power = self.shl(Operand::Imm(1), n);
        self.sub(power, Operand::Imm(1))
    }

    /// Leading zeros: the exponent of the number as a float tells, where there are floats.
    pub(super) fn clz(&mut self, a: Operand) -> Operand {
        if let Operand::Imm(v) = a {
            return Operand::Imm(v.leading_zeros());
        }
        if self.target.float() {
            let to_float = Op::IntToF { signed: false, round: Round::Zero };
            let f = self.op(to_float, &[a]);
            let exponent = self.shr(f, Operand::Imm(23), false);
            let zeros = self.sub(Operand::Imm(127 + 31), exponent);
            return self.limit(zeros, 32);
        }
        // By halves: where the upper part is empty, count it and look at the lower.
        let (mut x, mut n) = (a, ZERO);
        for half in [16u32, 8, 4, 2, 1] {
            let empty = self.cmp(Rel::LT, false, x, Operand::Imm(1 << (32 - half)));
            let up = self.select(empty, Operand::Imm(half), ZERO);
            n = self.add(n, up);
            x = self.shl(x, up);
        }
        let rest = self.shr(x, Operand::Imm(31), false);
        let rest = self.xor(rest, Operand::Imm(1));
        self.add(n, rest)
    }

    fn popc(&mut self, a: Operand) -> Operand {
        let mut x = a;
        let half = self.shr(x, Operand::Imm(1), false);
        let half = self.and(half, Operand::Imm(0x5555_5555));
        x = self.sub(x, half);
        let (low, high) = (self.and(x, Operand::Imm(0x3333_3333)), self.shr(x, Operand::Imm(2), false));
        let high = self.and(high, Operand::Imm(0x3333_3333));
        x = self.add(low, high);
        let high = self.shr(x, Operand::Imm(4), false);
        x = self.add(x, high);
        x = self.and(x, Operand::Imm(0x0f0f_0f0f));
        for n in [8, 16] {
            let high = self.shr(x, Operand::Imm(n), false);
            x = self.add(x, high);
        }
        self.and(x, Operand::Imm(0x3f))
    }

    fn brev(&mut self, a: Operand) -> Operand {
        let mut x = a;
        for (n, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff)] {
            let down = self.shr(x, Operand::Imm(n), false);
            let down = self.and(down, Operand::Imm(mask));
            let up = self.and(x, Operand::Imm(mask));
            let up = self.shl(up, Operand::Imm(n));
            x = self.or(down, up);
        }
        let (down, up) = (self.shr(x, Operand::Imm(16), false), self.shl(x, Operand::Imm(16)));
        self.or(down, up)
    }

    /// Place of the highest bit that differs from the sign; all ones where there is none.
    fn bfind(&mut self, a: Operand, signed: bool, shift: bool) -> Operand {
        let a = if signed {
            let sign = self.sign(a);
            self.xor(a, sign)
        } else {
            a
        };
        let zeros = self.clz(a);
        if shift {
            let none = self.cmp(Rel::EQ, false, zeros, Operand::Imm(32));
            self.select(none, Operand::Imm(u32::MAX), zeros)
        } else {
            self.sub(Operand::Imm(31), zeros)
        }
    }

    /// A bit field, extended; position and length are below 256.
    fn bfe(&mut self, a: Operand, at: Operand, len: Operand, signed: bool) -> Operand {
        match (at, len) {
            (_, Operand::Imm(0)) => ZERO,
            (Operand::Imm(at), Operand::Imm(len)) => {
                let end = (at + len).min(32);
                if at + len >= 32 {
                    return self.shr(a, Operand::Imm(at), signed);
                }
                match (end - at, signed) {
                    (8, _) | (16, _) => {
                        let low = self.shr(a, Operand::Imm(at), false);
                        let ty = match (end - at, signed) {
                            (8, false) => MemTy::U8,
                            (8, true) => MemTy::S8,
                            (_, false) => MemTy::U16,
                            (_, true) => MemTy::S16,
                        };
                        self.ext(ty, low)
                    }
                    (n, false) => {
                        let low = self.shr(a, Operand::Imm(at), false);
                        self.and(low, Operand::Imm((1 << n) - 1))
                    }
                    (n, true) => {
                        let up = self.shl(a, Operand::Imm(32 - end));
                        self.shr(up, Operand::Imm(32 - n), true)
                    }
                }
            }
            _ if !signed => {
                let low = self.shr(a, at, false);
                let mask = self.ones(len);
                self.and(low, mask)
            }
            _ => {
                let end = self.add(at, len);
                let end = self.limit(end, 32);
                let up = self.sub(Operand::Imm(32), end);
                let x = self.shl(a, up);
                let down = self.add(up, at);
                let x = self.shr(x, down, true);
                let some = self.cmp(Rel::NE, false, len, ZERO);
                self.select(some, x, ZERO)
            }
        }
    }

    /// `b` with the low bits of `a` in a field.
    fn bfi(&mut self, a: Operand, b: Operand, at: Operand, len: Operand) -> Operand {
        let ones = self.ones(len);
        let mask = self.shl(ones, at);
        let moved = self.shl(a, at);
        let whole = matches!((at, len), (Operand::Imm(at), Operand::Imm(len)) if at + len >= 32);
        let inside = if whole { moved } else { self.and(moved, mask) };
        let outside = self.not(mask);
        let kept = self.and(b, outside);
        self.or(inside, kept)
    }

    fn funnel(&mut self, low: Operand, high: Operand, n: Operand, left: bool, wrap: bool) -> Operand {
        let n = if wrap { self.and(n, Operand::Imm(31)) } else { self.limit(n, 32) };
        let rest = self.sub(Operand::Imm(32), n);
        let (up, down) = if left { (n, rest) } else { (rest, n) };
        let high = self.shl(high, up);
        let low = self.shr(low, down, false);
        self.or(high, low)
    }

    fn bits64(&mut self, inst: &Inst, parts: &Parts, signed: bool) -> Result<()> {
        let a = self.pair(inst, 1)?;
        let v = match parts.all[0] {
            "popc" => {
                let (low, high) = (self.popc(a.0), self.popc(a.1));
                let v = self.add(low, high);
                return self.set(inst, 0, v);
            }
            "clz" => {
                let v = self.clz64(a);
                return self.set(inst, 0, v);
            }
            "bfind" => {
                let a = if signed {
                    let sign = self.sign(a.1);
                    (self.xor(a.0, sign), self.xor(a.1, sign))
                } else {
                    a
                };
                let zeros = self.clz64(a);
                let v = if parts.has("shiftamt") {
                    let none = self.cmp(Rel::EQ, false, zeros, Operand::Imm(64));
                    self.select(none, Operand::Imm(u32::MAX), zeros)
                } else {
                    self.sub(Operand::Imm(63), zeros)
                };
                return self.set(inst, 0, v);
            }
            "brev" => (self.brev(a.1), self.brev(a.0)),
            "bfe" => {
                let (at, len) = (self.byte(inst, 2)?, self.byte(inst, 3)?);
                self.bfe64(a, at, len, signed)
            }
            "bfi" => {
                let b = self.pair(inst, 2)?;
                let (at, len) = (self.byte(inst, 3)?, self.byte(inst, 4)?);
                let ones = self.ones64(len);
                let mask = self.shl64(ones, at);
                let moved = self.shl64(a, at);
                let word = |l: &mut Self, moved, mask, b| {
                    let inside = l.and(moved, mask);
                    let outside = l.not(mask);
                    let kept = l.and(b, outside);
                    l.or(inside, kept)
                };
                (word(self, moved.0, mask.0, b.0), word(self, moved.1, mask.1, b.1))
            }
            _ => return Err(self.unknown(inst)),
        };
        self.set_pair(inst, 0, v)
    }

    fn ones64(&mut self, n: Operand) -> Pair {
        let power = self.shl64((Operand::Imm(1), ZERO), n);
        match power {
            (Operand::Imm(low), Operand::Imm(high)) => {
                let v = (u64::from(high) << 32 | u64::from(low)).wrapping_sub(1);
                (Operand::Imm(v as u32), Operand::Imm((v >> 32) as u32))
            }
            _ => self.sub64(power, (Operand::Imm(1), ZERO)),
        }
    }

    fn clz64(&mut self, a: Pair) -> Operand {
        let (high, low) = (self.clz(a.1), self.clz(a.0));
        let low = self.add(low, Operand::Imm(32));
        let empty = self.cmp(Rel::EQ, false, a.1, ZERO);
        self.select(empty, low, high)
    }

    fn bfe64(&mut self, a: Pair, at: Operand, len: Operand, signed: bool) -> Pair {
        if !signed {
            let low = self.shr64(a, at, false);
            let mask = self.ones64(len);
            return (self.and(low.0, mask.0), self.and(low.1, mask.1));
        }
        let end = self.add(at, len);
        let end = self.limit(end, 64);
        let up = self.sub(Operand::Imm(64), end);
        let x = self.shl64(a, up);
        let down = self.add(up, at);
        let x = self.shr64(x, down, true);
        match len {
            Operand::Imm(0) => (ZERO, ZERO),
            Operand::Imm(_) => x,
            _ => {
                let some = self.cmp(Rel::NE, false, len, ZERO);
                (self.select(some, x.0, ZERO), self.select(some, x.1, ZERO))
            }
        }
    }
}
