//! Upper bounds of registers' values, in bits, from their only definition.

use super::inline::Flat;
use crate::ptx::ast::{Inst, Operand, Statement, Ty};

/// Definitions followed at most.
const DEPTH: u32 = 8;

/// For every register the statement that defines it, where there is one only.
pub(super) struct Widths {
    definition: Vec<Def>,
}

#[derive(Clone, Copy)]
enum Def {
    None,
    At(usize),
    Several,
}

impl Widths {
    pub(super) fn new(flat: &Flat) -> Widths {
        let mut definition = vec![Def::None; flat.regs.len()];
        let mut define = |a: &Operand, at: usize| {
            if let Operand::Reg(r) = a {
                if let Some(d) = definition.get_mut(r.0 as usize) {
                    *d = match d {
                        Def::None => Def::At(at),
                        _ => Def::Several,
                    };
                }
            }
        };
        for (at, s) in flat.code.iter().enumerate() {
            let Statement::Inst(inst) = s else { continue };
            match inst.args.first() {
                Some(Operand::Vector(l)) => l.iter().for_each(|a| define(a, at)),
                Some(a) => define(a, at),
                None => {}
            }
        }
        Widths { definition }
    }

    /// The value of an operand is below 2 to the power of this.
    pub(super) fn bits(&self, flat: &Flat, a: &Operand) -> u32 {
        self.at_depth(flat, a, DEPTH)
    }

    fn at_depth(&self, flat: &Flat, a: &Operand, depth: u32) -> u32 {
        match a {
            Operand::Int(v) => 64 - v.leading_zeros().min(64),
            Operand::Special(name) => match name.as_str() {
                "tid.y" => 10,
                "tid.z" => 6,
                n if n.starts_with("tid.")
                    || n.starts_with("ntid.")
                    || n.starts_with("ctaid.")
                    || n.starts_with("nctaid.") =>
                {
                    16
                }
                "laneid" => 5,
                _ => 32,
            },
            Operand::Reg(r) if depth > 0 => match self.definition.get(r.0 as usize) {
                Some(Def::At(at)) => match flat.code.get(*at) {
                    Some(Statement::Inst(inst)) if inst.guard.is_none() => self.result(flat, inst, depth - 1),
                    _ => 32,
                },
                _ => 32,
            },
            _ => 32,
        }
        .min(32)
    }

    fn result(&self, flat: &Flat, inst: &Inst, depth: u32) -> u32 {
        let parts: Vec<&str> = inst.op.split('.').collect();
        let Some(ty) = parts.iter().rev().find_map(|p| Ty::parse(p)) else {
            return 32;
        };
        let operand = |i: usize| match inst.args.get(i) {
            Some(a) => self.at_depth(flat, a, depth),
            None => 32,
        };
        let constant = |i: usize| match inst.args.get(i) {
            Some(Operand::Int(v)) => u32::try_from(*v).ok(),
            _ => None,
        };
        if matches!(inst.args.first(), Some(Operand::Vector(_))) && parts[0] != "ld" {
            return 32;
        }
        match parts[0] {
            "ld" | "ldu" if ty.bits < 32 && !ty.signed() => ty.bits,
            // Registers of 8 and 16 bits are words with unspecified upper bits.
            "cvt" if ty.bits < 32 && !ty.signed() => {
                let to = parts.iter().find_map(|p| Ty::parse(p));
                if to.is_some_and(|t| t.bits == 32) {
                    ty.bits
                } else {
                    32
                }
            }
            _ if ty.bits != 32 => 32,
            "mov" => operand(1),
            "and" => operand(1).min(operand(2)),
            "or" | "xor" | "selp" => operand(1).max(operand(2)),
            "shr" if !ty.signed() || operand(1) < 32 => operand(1).saturating_sub(constant(2).unwrap_or(0)),
            "shl" => constant(2).map_or(32, |n| operand(1).saturating_add(n)),
            "add" => operand(1).max(operand(2)) + 1,
            "mul" if parts.contains(&"lo") => operand(1) + operand(2),
            "mad" if parts.contains(&"lo") => (operand(1) + operand(2)).max(operand(3)) + 1,
            "div" if operand(1) < 32 && operand(2) < 32 || !ty.signed() => operand(1),
            "rem" if operand(1) < 32 && operand(2) < 32 || !ty.signed() => operand(1).min(operand(2)),
            "min" if !ty.signed() => operand(1).min(operand(2)),
            "bfe" if !ty.signed() => constant(3).unwrap_or(32),
            _ => 32,
        }
    }
}
