//! The lane of a chip: that of its instruction set, all with the same operands and results.

use crate::rtl::prelude::*;
use crate::sm::control::uop::{format, op, UopControl};
use crate::sm::control::AluControl;
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{BeatTag, Operands};
use crate::sm::pipeline::execute::lane::Lane;
use crate::sm::pipeline::execute::special::How;
use crate::sm::pipeline::execute::uop::UopLane;

/// A lane.
pub enum FrontLane {
    /// SM 1.0's: integers and floats, with flags.
    Sm10(Box<Lane>),
    /// That of micro-operations, with two predicates: Fermi's and G13's.
    Uops(Box<UopLane>),
}

alternatives!(FrontLane: Sm10, Uops);

impl FrontLane {
    /// The lane of a chip.
    pub fn new(d: &Dims) -> Self {
        match d.has.uops {
            false => Self::Sm10(Box::new(Lane::new(d.floats, d.semantics))),
            // Halves, the fourth operand and the NaN of G13 and Ivy Bridge.
            true => Self::Uops(Box::new(UopLane::new(d.has.fourth_operand, d.has.one_nan, d.has.wide_sums))),
        }
    }

    /// Gives it an operation and its operands; `control`: the part of the control word for the lane.
    pub fn compute(&self, control: &Expr, operands: Operands) {
        match self {
            Self::Sm10(lane) => {
                set(&lane.ctl, control);
                set(&lane.a, operands.a);
                set(&lane.b, operands.b);
                set(&lane.c, operands.c);
                set(&lane.cin, operands.carry);
            }
            Self::Uops(lane) => {
                set(&lane.ctl, control);
                set(&lane.a, operands.a);
                set(&lane.b, operands.b);
                set(&lane.c, operands.c);
                if let Some(d) = lane.d.get() {
                    set(d, operands.fourth);
                }
                set(&lane.p, operands.p);
            }
        }
    }

    /// Its result, 32 bits.
    pub fn result(&self) -> &Output {
        match self {
            Self::Sm10(lane) => &lane.y,
            Self::Uops(lane) => &lane.y,
        }
    }

    /// What it finds beside the result: four flags, or two predicates.
    pub fn conditions(&self) -> &Output {
        match self {
            Self::Sm10(lane) => &lane.flags,
            Self::Uops(lane) => &lane.q,
        }
    }

    /// What the units of special functions do, from the part of the control word for the lane.
    pub fn special(&self, d: &Dims, control: &Expr) -> How {
        match self {
            Self::Sm10(_) => {
                let alu = AluControl::unpack((), "s", control);
                let none = nothing;
                How {
                    func: alu.cond,
                    neg: alu.neg,
                    abs: alu.abs,
                    sat: alu.sat,
                    half: none(),
                    to_half: none(),
                    root: none(),
                }
            }
            Self::Uops(_) => {
                let alu = UopControl::unpack((), "s", control);
                let own = |x: Expr| if d.has.late_halves { x } else { nothing() };
                // Of Ivy Bridge the lane has reduced the operand, its signs included.
                let signs = match d.has.special_behind {
                    true => wire("has_signs", !(alu.op.is(op::RRO_SIN) | alu.op.is(op::RRO_EX2))),
                    false => lit(1, 1),
                };
                let sign = |x: Expr| if d.has.special_behind { x & &signs } else { x };
                How {
                    func: alu.table.bits(0, 3),
                    half: own(alu.half_a),
                    to_half: own(alu.format.is(format::F32_F16)),
                    root: if d.has.fourth_operand { alu.table.bit(3) } else { nothing() },
                    neg: sign(alu.neg_a),
                    abs: sign(alu.abs_a),
                    sat: alu.sat,
                }
            }
        }
    }
}

/// Results of the lanes as W writes them: of Ivy Bridge leading zeros of 0, which the lane has as all ones, are 32.
pub fn results(d: &Dims, tag: &BeatTag, ys: Vec<Expr>) -> Vec<Expr> {
    if !d.has.channels {
        return ys;
    }
    let alu = UopControl::unpack((), "w", &tag.alu);
    let on = wire("leading_zeros", alu.op.is(op::FIND) & alu.sat);
    let of_lane = |y: Expr| {
        let y = y.named();
        let count = cat([&y.bit(5), &(y.bits(0, 5) & (!y.bit(5)).repeat(5))]);
        on.mux(&count.zext(32), &y)
    };
    ys.into_iter().map(of_lane).collect()
}
