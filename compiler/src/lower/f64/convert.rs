//! Conversions from and to floats of 64 bits.

use super::super::build::{Lower, Pair, ZERO};
use super::super::inst::Parts;
use super::super::int::MemTyOf;
use super::instructions::{rounding, ONE};
use super::{Result, PREFIX};
use crate::ir::{Op, Operand, Rel};
use crate::ptx::ast::{Inst, Ty, TypeKind};
use warpsmith_isa::Number;

/// Rounding to nearest and to zero, with the names of their routines.
const NEAREST: (u32, &str) = (0, "rn");
const ZERO_WARD: (u32, &str) = (1, "rz");
/// Upper bits of the smallest normal float of 32 bits.
const NORMAL: Operand = Operand::Imm(0x0080_0000);

/// The integer that the unit converts.
fn integer(signed: bool, bits: u32) -> Number {
    match (signed, bits) {
        (true, 64) => Number::S64,
        (false, 64) => Number::U64,
        (true, _) => Number::S32,
        (false, _) => Number::U32,
    }
}

impl Lower<'_> {
    /// `cvt` with a float of 64 bits on one side or on both.
    pub(in super::super) fn convert_double(&mut self, inst: &Inst, parts: &Parts, to: Ty, from: Ty) -> Result<()> {
        if parts.has("sat") && to.kind == TypeKind::Float || parts.has("relu") {
            return Err(self.unknown(inst));
        }
        let round = rounding(parts);
        match (to.kind, from.kind) {
            (TypeKind::Float, TypeKind::Float) => self.between_floats(inst, parts, to, from, round),
            (TypeKind::Float, _) => self.double_of_integer(inst, from, round),
            _ => self.integer_of_double(inst, to, round),
        }
    }

    fn between_floats(&mut self, inst: &Inst, parts: &Parts, to: Ty, from: Ty, round: u32) -> Result<()> {
        match (to.bits, from.bits) {
            (64, 64) => {
                let a = self.pair(inst, 1)?;
                let integral = ["rni", "rzi", "rmi", "rpi"].iter().any(|r| parts.has(r));
                if !integral {
                    return self.set_pair(inst, 0, a);
                }
                let v = match self.has_unit() {
                    true => self.convert_by_unit(Number::F64, Number::F64, true, round, &[a.0, a.1]),
                    false => self.rounded("integral", round, NEAREST, &[a.0, a.1], 2),
                };
                self.set_pair(inst, 0, (v[0], v[1]))
            }
            (64, bits) => {
                let mut a = self.word(inst, 1)?;
                if bits == 16 {
                    a = self.op(Op::HalfToF, &[a]);
                }
                let a = self.flushed(a, parts.has("ftz"));
                let v = match self.has_unit() {
                    true => self.convert_by_unit(Number::F64, Number::F32, false, 0, &[a]),
                    false => self.routine(&format!("{PREFIX}of_f32"), &[a], 2),
                };
                self.set_pair(inst, 0, (v[0], v[1]))
            }
            (32, _) => {
                let a = self.pair(inst, 1)?;
                let v = match self.has_unit() {
                    true => self.convert_by_unit(Number::F32, Number::F64, false, round, &[a.0, a.1])[0],
                    false => self.rounded("to_f32", round, NEAREST, &[a.0, a.1], 1)[0],
                };
                let v = self.flushed(v, parts.has("ftz"));
                self.set(inst, 0, v)
            }
            _ => Err(self.error(inst, format!("`{}`: convert to float first, then to half precision", inst.op))),
        }
    }

    /// A sum, product, quotient or root of floats of 32 bits, rounded down or up: that of their doubles, so rounded, and
    /// so rounded once more, which is one such rounding.
    pub(in super::super) fn directed(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        let operation = match parts.all[0] {
            "sub" => "add",
            "mad" => "fma",
            "rcp" => "div",
            name @ ("add" | "mul" | "fma" | "div" | "sqrt") => name,
            _ => return Err(self.unknown(inst)),
        };
        if parts.has("sat") || parts.has("relu") {
            return Err(self.unknown(inst));
        }
        let (round, flush) = (rounding(parts), parts.has("ftz"));
        let mut operands: Vec<Pair> = if parts.all[0] == "rcp" { vec![ONE] } else { Vec::new() };
        for at in 1..inst.args.len() {
            let a = self.word(inst, at)?;
            let a = if at == 2 && parts.all[0] == "sub" { self.fneg(a) } else { a };
            let a = self.flushed(a, flush);
            let double = self.routine(&format!("{PREFIX}of_f32"), &[a], 2);
            operands.push((double[0], double[1]));
        }
        let v = self.arithmetic(operation, round, &operands);
        let v = self.rounded("to_f32", round, NEAREST, &[v.0, v.1], 1)[0];
        let v = self.flushed(v, flush);
        self.set(inst, 0, v)
    }

    /// A float of 32 bits, a zero with its sign for a subnormal one where asked.
    fn flushed(&mut self, a: Operand, flush: bool) -> Operand {
        if !flush {
            return a;
        }
        let magnitude = self.and(a, super::instructions::MAGNITUDE);
        let small = self.cmp(Rel::LT, false, magnitude, NORMAL);
        let zero = self.and(a, super::instructions::SIGN);
        self.select(small, zero, a)
    }

    fn double_of_integer(&mut self, inst: &Inst, from: Ty, round: u32) -> Result<()> {
        let signed = from.signed();
        let kind = if signed { 's' } else { 'u' };
        let v = if from.bits == 64 {
            let a = self.pair(inst, 1)?;
            match self.has_unit() {
                true => self.convert_by_unit(Number::F64, integer(signed, 64), false, round, &[a.0, a.1]),
                false => self.rounded(&format!("of_{kind}64"), round, NEAREST, &[a.0, a.1], 2),
            }
        } else {
            let a = self.word(inst, 1)?;
            let a = self.ext(MemTyOf(from).of(signed), a);
            match self.has_unit() {
                true => self.convert_by_unit(Number::F64, integer(signed, 32), false, 0, &[a]),
                false => self.routine(&format!("{PREFIX}of_{kind}32"), &[a], 2),
            }
        };
        self.set_pair(inst, 0, (v[0], v[1]))
    }

    fn integer_of_double(&mut self, inst: &Inst, to: Ty, round: u32) -> Result<()> {
        let signed = to.signed();
        let kind = if signed { 's' } else { 'u' };
        let a = self.pair(inst, 1)?;
        if to.bits == 64 {
            let v = match self.has_unit() {
                true => self.convert_by_unit(integer(signed, 64), Number::F64, false, round, &[a.0, a.1]),
                false => self.rounded(&format!("to_{kind}64"), round, ZERO_WARD, &[a.0, a.1], 2),
            };
            return self.set_pair(inst, 0, (v[0], v[1]));
        }
        let mut v = match self.has_unit() {
            true => self.convert_by_unit(integer(signed, 32), Number::F64, false, round, &[a.0, a.1])[0],
            false => self.rounded(&format!("to_{kind}32"), round, ZERO_WARD, &[a.0, a.1], 1)[0],
        };
        if to.bits < 32 {
            v = self.clamp(v, signed, to);
            if !signed {
                v = self.unsigned_of_nan(a, v, to);
            }
        }
        self.set_wider(inst, v, signed)
    }

    /// The upper bit alone for what is no number.
    fn unsigned_of_nan(&mut self, a: (Operand, Operand), v: Operand, to: Ty) -> Operand {
        let high = self.and(a.1, super::instructions::MAGNITUDE);
        let nan = self.cmp64(Rel::GT, false, (a.0, high), (ZERO, Operand::Imm(0x7ff0_0000)));
        self.select(nan, Operand::Imm(1 << (to.bits - 1)), v)
    }
}
