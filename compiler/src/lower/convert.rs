//! Conversions between integers of all widths and floats.

use super::build::{Lower, Pair, ZERO};
use super::inst::{Parts, Result};
use super::int::MemTyOf;
use crate::ir::{Op, Operand, Rel, Round};
use crate::ptx::ast::{Inst, Operand as Arg, Ty, TypeKind};

/// Magnitude bits of infinity; more is no number.
const INFINITY: u32 = 0x7f80_0000;

impl Lower<'_> {
    /// `cvt`.
    pub(super) fn cvt(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        let (Some(to), Some(from)) = (parts.first, parts.ty) else {
            return Err(self.unknown(inst));
        };
        if parts.has("pack") || parts.has("rna") || parts.has("f16x2") || parts.has("bf16") {
            return Err(self.unknown(inst));
        }
        if (to.kind, to.bits) == (TypeKind::Float, 64) || (from.kind, from.bits) == (TypeKind::Float, 64) {
            return self.convert_double(inst, parts, to, from);
        }
        let (round, integral) = rounding(parts);
        match (to.kind, from.kind) {
            (TypeKind::Float, TypeKind::Float) => self.float_to_float(inst, parts, to, from, round, integral),
            (TypeKind::Float, _) => self.int_to_float(inst, to, from, round),
            (_, TypeKind::Float) => self.float_to_int(inst, to, from, round),
            _ => self.int_to_int(inst, parts, to, from),
        }
    }

    fn float_to_float(
        &mut self, inst: &Inst, parts: &Parts, to: Ty, from: Ty, round: Round, integral: bool,
    ) -> Result<()> {
        let mut v = self.word(inst, 1)?;
        if from.bits == 16 {
            v = self.op(Op::HalfToF, &[v]);
        }
        if integral {
            v = self.op(Op::FRound(round), &[v]);
        }
        if parts.has("sat") {
            v = self.op(Op::FSat, &[v]);
        }
        if parts.has("relu") {
            v = self.op(Op::FMax, &[v, ZERO]);
        }
        if to.bits == 16 {
            let round = if integral { Round::Nearest } else { round };
            v = self.op(Op::FToHalf(round), &[v]);
        }
        self.set(inst, 0, v)
    }

    fn int_to_float(&mut self, inst: &Inst, to: Ty, from: Ty, round: Round) -> Result<()> {
        let signed = from.signed();
        let mut v = if from.bits == 64 {
            let a = self.pair(inst, 1)?;
            self.float_of_64(a, signed, round)
        } else {
            let a = self.word(inst, 1)?;
            let a = self.ext(MemTyOf(from).of(signed), a);
            self.op(Op::IntToF { signed, round }, &[a])
        };
        if to.bits == 16 {
            v = self.op(Op::FToHalf(round), &[v]);
        }
        self.set(inst, 0, v)
    }

    /// Rounds the top 32 bits, with the lost ones noted in the lowest, and scales by a power of two.
    fn float_of_64(&mut self, a: Pair, signed: bool, round: Round) -> Operand {
        let sign = if signed { self.sign(a.1) } else { ZERO };
        let a = if signed { self.negate64_if(a, sign) } else { a };
        let up = self.clz(a.1);
        let (low, high) = self.shl64(a, up);
        let lost = self.cmp(Rel::NE, false, low, ZERO);
        let lost = self.select(lost, Operand::Imm(1), ZERO);
        let top = self.or(high, lost);
        let convert = |l: &mut Self, round| {
            let signed = false;
            l.op(Op::IntToF { signed, round }, &[top])
        };
        let f = match round {
            // The magnitude of a negative number rounds the other way.
            Round::Down | Round::Up if signed => {
                let (below, above) = (convert(self, Round::Down), convert(self, Round::Up));
                let negative = self.cmp(Rel::NE, false, sign, ZERO);
                if round == Round::Down {
                    self.select(negative, above, below)
                } else {
                    self.select(negative, below, above)
                }
            }
            _ => convert(self, round),
        };
        let exponent = self.sub(Operand::Imm(127 + 32), up);
        let scale = self.shl(exponent, Operand::Imm(23));
        let f = self.fmul(f, scale);
        let sign = self.and(sign, Operand::Imm(1 << 31));
        self.or(f, sign)
    }

    fn float_to_int(&mut self, inst: &Inst, to: Ty, from: Ty, round: Round) -> Result<()> {
        let signed = to.signed();
        let mut a = self.word(inst, 1)?;
        if from.bits == 16 {
            a = self.op(Op::HalfToF, &[a]);
        }
        if to.bits == 64 {
            if round != Round::Zero {
                a = self.op(Op::FRound(round), &[a]);
            }
            let v = self.int64_of(a, signed);
            return self.set_pair(inst, 0, v);
        }
        let mut v = self.op(Op::FToInt { signed, round }, &[a]);
        if to.bits < 32 {
            v = self.clamp(v, signed, to);
        }
        self.set_wider(inst, v, signed)
    }

    /// The integer of an integral or truncated float: its significand, shifted into place.
    fn int64_of(&mut self, a: Operand, signed: bool) -> Pair {
        let magnitude = self.and(a, Operand::Imm(!(1 << 31)));
        let exponent = self.shr(magnitude, Operand::Imm(23), false);
        let significand = self.shl(a, Operand::Imm(8));
        let significand = self.or(significand, Operand::Imm(1 << 31));
        // The significand's leading bit at bit 63 has exponent 63 + 127.
        let down = self.sub(Operand::Imm(63 + 127), exponent);
        let shifted = self.shr64((ZERO, significand), down, false);
        let sign = self.sign(a);
        let first_too_large = if signed { 63 + 127 } else { 64 + 127 };
        let over = self.cmp(Rel::GE, false, exponent, Operand::Imm(first_too_large));
        let v = if signed {
            let v = self.negate64_if(shifted, sign);
            let limit = self.not(sign);
            let top = self.xor(sign, Operand::Imm(0x7fff_ffff));
            (self.select(over, limit, v.0), self.select(over, top, v.1))
        } else {
            let ones = Operand::Imm(u32::MAX);
            let v = (self.select(over, ones, shifted.0), self.select(over, ones, shifted.1));
            let positive = self.not(sign);
            (self.and(v.0, positive), self.and(v.1, positive))
        };
        let nan = self.cmp(Rel::GT, false, magnitude, Operand::Imm(INFINITY));
        (self.select(nan, ZERO, v.0), self.select(nan, Operand::Imm(1 << 31), v.1))
    }

    /// A word clamped to the range of a narrower type.
    pub(super) fn clamp(&mut self, v: Operand, signed: bool, to: Ty) -> Operand {
        let bits = to.bits;
        let top = match (to.signed(), bits) {
            (true, 32) => i32::MAX as u32,
            (true, _) => (1 << (bits - 1)) - 1,
            (false, 32) => u32::MAX,
            (false, _) => (1 << bits) - 1,
        };
        let bottom = if to.signed() { !top } else { 0 };
        if signed {
            let v = if bits == 32 && to.signed() { v } else { self.min_max(true, true, v, Operand::Imm(bottom)) };
            if bits == 32 {
                v
            } else {
                self.min_max(false, true, v, Operand::Imm(top))
            }
        } else if top == u32::MAX {
            v
        } else {
            self.min_max(false, false, v, Operand::Imm(top))
        }
    }

    /// A word as result; a 64-bit register gets its extension.
    pub(super) fn set_wider(&mut self, inst: &Inst, v: Operand, signed: bool) -> Result<()> {
        let wide = matches!(inst.args.first(), Some(Arg::Reg(r)) if self.reg_bits(*r) == 64);
        if wide && signed {
            let high = self.sign(v);
            return self.set_pair(inst, 0, (v, high));
        }
        self.set(inst, 0, v)
    }

    fn int_to_int(&mut self, inst: &Inst, parts: &Parts, to: Ty, from: Ty) -> Result<()> {
        if parts.has("sat") {
            return self.saturate(inst, to, from);
        }
        if to.bits == 64 {
            let v = if from.bits == 64 {
                self.pair(inst, 1)?
            } else {
                let a = self.word(inst, 1)?;
                let a = self.ext(MemTyOf(from).of(from.signed()), a);
                let high = if from.signed() { self.sign(a) } else { ZERO };
                (a, high)
            };
            return self.set_pair(inst, 0, v);
        }
        let a = if from.bits == 64 { self.pair(inst, 1)?.0 } else { self.word(inst, 1)? };
        // Widening extends the source; narrowing extends the result where its register has room.
        let mut v = a;
        if from.bits < to.bits {
            v = self.ext(MemTyOf(from).of(from.signed()), v);
        }
        let extended = from.bits < to.bits && from.signed() == to.signed();
        if self.room(inst, to) && !extended {
            v = self.ext(MemTyOf(to).of(to.signed()), v);
        }
        self.set_wider(inst, v, to.signed())
    }

    /// The result's register is wider than the type converted to.
    fn room(&self, inst: &Inst, to: Ty) -> bool {
        matches!(inst.args.first(), Some(Arg::Reg(r)) if self.reg_bits(*r) > to.bits)
    }

    fn saturate(&mut self, inst: &Inst, to: Ty, from: Ty) -> Result<()> {
        let signed = from.signed();
        if from.bits == 64 {
            let a = self.pair(inst, 1)?;
            if to.bits == 64 {
                let v = if signed && !to.signed() {
                    let keep = self.sign(a.1);
                    let keep = self.not(keep);
                    (self.and(a.0, keep), self.and(a.1, keep))
                } else if !signed && to.signed() {
                    let p = self.cmp(Rel::LT, true, a.1, ZERO);
                    (self.select(p, Operand::Imm(u32::MAX), a.0), self.select(p, Operand::Imm(0x7fff_ffff), a.1))
                } else {
                    a
                };
                return self.set_pair(inst, 0, v);
            }
            // First to 32 bits of the source's kind, then on from there.
            let v = if signed {
                let sign = self.sign(a.1);
                // The high word repeats the sign of a signed word, and is 0 above an unsigned one.
                let low_sign = if to.signed() { self.sign(a.0) } else { ZERO };
                let fits = self.cmp(Rel::EQ, false, a.1, low_sign);
                let limit = if to.signed() { self.xor(sign, Operand::Imm(0x7fff_ffff)) } else { self.not(sign) };
                self.select(fits, a.0, limit)
            } else {
                let fits = self.cmp(Rel::EQ, false, a.1, ZERO);
                self.select(fits, a.0, Operand::Imm(u32::MAX))
            };
            let kept_signed = signed && to.signed();
            let v = self.clamp(v, kept_signed, to);
            return self.set_wider(inst, v, to.signed());
        }
        let a = self.word(inst, 1)?;
        let a = self.ext(MemTyOf(from).of(signed), a);
        let v = if to.bits == 64 {
            if signed && !to.signed() {
                self.min_max(true, true, a, ZERO)
            } else {
                a
            }
        } else {
            self.clamp(a, signed, to)
        };
        self.set_wider(inst, v, to.signed() && (signed || to.bits < 64))
    }
}

/// Rounding mode, and whether it is one of those to integral floats.
fn rounding(parts: &Parts) -> (Round, bool) {
    for part in &parts.all[1..] {
        return match *part {
            "rn" => (Round::Nearest, false),
            "rz" => (Round::Zero, false),
            "rm" => (Round::Down, false),
            "rp" => (Round::Up, false),
            "rni" => (Round::Nearest, true),
            "rzi" => (Round::Zero, true),
            "rmi" => (Round::Down, true),
            "rpi" => (Round::Up, true),
            _ => continue,
        };
    }
    (Round::Nearest, false)
}
