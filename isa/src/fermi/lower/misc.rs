//! Moves, selects, predicates, special registers, votes.

use super::{Lowering, Result};
use crate::fermi::table::fields::SPECIAL;
use crate::uop::{Axis, Builtin, CrossOp, LaneMask, Op, Place, Src, Type, Unimplemented, Uop};

pub(super) fn lower(l: &Lowering) -> Result<Vec<Uop>> {
    let word = Type::U32;
    let one = |op, src| Ok(vec![Uop::new(op, word, l.dst(0, word)?, src)]);
    match l.form.mnemonic {
        "MOV" | "MOV32I" => one(Op::Move, vec![l.src(1, word)?]),
        "S2R" => {
            let place = Place::Builtin(builtin(l.get(SPECIAL)));
            one(Op::Move, vec![Src::new(place, word)])
        }
        "SEL" => {
            let src = vec![l.src(1, word)?, l.src(2, word)?, l.src(3, Type::Bool)?];
            one(Op::Select, src)
        }
        "PSETP" => {
            let op = Op::PredicateLogic { first: l.logic("log1"), second: l.logic("log") };
            let bit = Type::Bool;
            let src = vec![l.src(2, bit)?, l.src(3, bit)?, l.src(4, bit)?];
            let mut u = Uop::new(op, bit, l.dst(0, bit)?, src);
            u.dst[1] = l.dst(1, bit)?;
            Ok(vec![u])
        }
        "VOTE" => {
            let op = match l.modifier("op") {
                0 => CrossOp::VoteAll,
                1 => CrossOp::VoteAny,
                _ => CrossOp::VoteSame,
            };
            let src = vec![l.src(2, Type::Bool)?];
            let mut u = Uop::new(Op::Cross(op), word, l.dst(0, word)?, src);
            u.dst[1] = l.dst(1, Type::Bool)?;
            Ok(vec![u])
        }
        _ => Err(Unimplemented("no micro-operations are written for it")),
    }
}

/// Special registers; those without a meaning here read 0.
fn builtin(number: u64) -> Builtin {
    match number {
        0x00 => Builtin::Lane,
        0x21 => Builtin::Thread(Axis::X),
        0x22 => Builtin::Thread(Axis::Y),
        0x23 => Builtin::Thread(Axis::Z),
        0x25 => Builtin::Block(Axis::X),
        0x26 => Builtin::Block(Axis::Y),
        0x27 => Builtin::Block(Axis::Z),
        0x29 => Builtin::BlockSize(Axis::X),
        0x2a => Builtin::BlockSize(Axis::Y),
        0x2b => Builtin::BlockSize(Axis::Z),
        0x2d => Builtin::GridSize(Axis::X),
        0x2e => Builtin::GridSize(Axis::Y),
        0x2f => Builtin::GridSize(Axis::Z),
        0x38 => Builtin::Mask(LaneMask::Equal),
        0x39 => Builtin::Mask(LaneMask::Less),
        0x3a => Builtin::Mask(LaneMask::LessEqual),
        0x3b => Builtin::Mask(LaneMask::Greater),
        0x3c => Builtin::Mask(LaneMask::GreaterEqual),
        0x50 => Builtin::ClockLow,
        0x51 => Builtin::ClockHigh,
        _ => Builtin::Zero,
    }
}
