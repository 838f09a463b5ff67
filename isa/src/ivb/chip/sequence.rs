//! Operations that the lane computes in several steps.
//!
//! A step is an operation of the lane, or of the special-function units behind it, of its own. What it finds stands in one
//! of two words that each channel has for it; the last one writes the destination and sets the flag. No step but the last
//! writes what an instruction may read, so a destination may be a source.

use super::compute::{Compute, Function, Operation};
use super::operand::{Operand, Region, Temporary, To};
use crate::uop::{Cond, Round, Type};
use Temporary::{T, U};

/// Most steps of an instruction.
pub const STEPS: usize = 7;

/// Instructions that have steps: opcode or function, `sel` of floats by a condition; operation, and type of the sources.
pub const SEQUENCES: [(&str, Operation, Type); 7] = [
    ("sqrt", Operation::Root, Type::F32),
    ("fdiv", Operation::Quotient, Type::F32),
    ("pow", Operation::Power, Type::F32),
    ("frc", Operation::Fraction, Type::F32),
    ("lrp", Operation::Blend, Type::F32),
    ("avg", Operation::Average, Type::U32),
    ("sel", Operation::Best(Cond(Cond::LESS)), Type::F32),
];

const HALF: u32 = 0x3f00_0000;
const ONE: u32 = 0x3f80_0000;
const INFINITY: u32 = 0x7f80_0000;
const MINUS_INFINITY: u32 = 0xff80_0000;

impl Compute {
    /// The operation on registers 0, 1 and 2 as s0, s1 and s2, with register 3 for the result.
    pub fn on_registers(operation: Operation, ty: Type) -> Compute {
        let source = |register| Some(Operand { region: Region::Row { register, byte: 0 }, ..Operand::number(0, ty) });
        Compute {
            operation,
            sources: [0, 1, 2].map(source),
            signed: false,
            to: Some(To { register: 3, byte: 0 }),
            ty,
            keeps: None,
            saturate: false,
            round: Round::Nearest,
            denormals: false,
            condition: None,
            flag: 0,
        }
    }

    /// What the lane does one after the other; a single step where the operation is one of the lane.
    pub fn steps(&self) -> Vec<Compute> {
        let (f, bits) = (|t| Operand::kept(t, Type::F32), |t| Operand::kept(t, Type::U32));
        let s = |n: usize| self.sources[n].unwrap_or(Operand::number(0, Type::F32));
        let (x, y, z) = (s(0), s(1), s(2));
        let single = |v| Operand::number(v, Type::F32);
        let word = |o: Operand| Operand { ty: Type::U32, ..o };
        let of = |operation, sources: &[Operand]| {
            let mut all = [None; 3];
            all.iter_mut().zip(sources).for_each(|(to, s)| *to = Some(*s));
            Compute { operation, sources: all, ..*self }
        };
        let to = |t: Temporary, step: Compute| {
            let float = step.sources[0].is_some_and(|s| s.ty.is_float());
            let ty = if float { Type::F32 } else { Type::U32 };
            Compute { keeps: Some(t), to: None, condition: None, signed: false, ty, ..step }
        };
        let product = |x, y| of(Operation::Multiply, &[x, y]);
        let special = |function, x| of(Operation::Special(function), &[x]);
        match self.operation {
            // Root of 0 and infinity are the first product, which then is one of the two.
            Operation::Root => vec![
                to(T, special(Function::Root, x)),
                to(U, product(x, f(T))),
                to(U, Compute { denormals: true, ..of(Operation::Fused, &[x, f(U).minus(), f(U)]) }),
                to(U, Compute { denormals: true, ..product(f(U), f(T)) }),
                to(T, product(x, f(T))),
                to(U, of(Operation::Fused, &[f(T), f(U), single(HALF)])),
                of(Operation::Known, &[f(U), f(T)]),
            ],
            Operation::Quotient => vec![to(T, special(Function::Inv, y)), product(x, f(T))],
            // Minus infinity to a finite positive power is no number.
            Operation::Power => vec![
                to(T, of(Operation::Compare(Cond(Cond::LESS)), &[word(y), word(single(INFINITY))])),
                to(U, of(Operation::Compare(Cond(Cond::EQUAL)), &[word(x), word(single(MINUS_INFINITY))])),
                to(U, of(Operation::Logic(0b1000), &[bits(U), bits(T)])),
                to(T, special(Function::Log, Operand { abs: true, neg: false, ..x })),
                to(U, of(Operation::Fused, &[f(U), y, f(T)])),
                special(Function::Exp, f(U)),
            ],
            Operation::Fraction => vec![
                to(T, of(Operation::Round(Round::Down), &[x])),
                Compute { round: Round::Zero, ..of(Operation::Add, &[x, f(T).minus()]) },
            ],
            Operation::Blend => vec![
                to(U, of(Operation::Add, &[x.minus(), single(ONE)])),
                to(T, product(f(U), z)),
                to(U, product(x, y)),
                of(Operation::Add, &[f(U), f(T)]),
            ],
            // The bits of both and half of those that one has, rounded down.
            Operation::Average => {
                let shift = if self.signed { Operation::ShiftRight } else { Operation::ShiftRightUnsigned };
                let signed = Operand::kept(U, if self.signed { Type::S32 } else { Type::U32 });
                vec![
                    to(U, of(Operation::Logic(0b0110), &[x, y])),
                    to(T, of(shift, &[signed, Operand::number(1, Type::U32)])),
                    to(U, of(Operation::Logic(0b1110), &[x, y])),
                    Compute { signed: false, ..of(Operation::Add, &[bits(U), bits(T).minus()]) },
                ]
            }
            Operation::Best(cond) => vec![
                to(U, of(Operation::Convert, &[x])),
                to(T, of(Operation::Convert, &[y])),
                of(Operation::Choose(cond), &[f(U), f(T)]),
            ],
            _ => vec![*self],
        }
    }
}
