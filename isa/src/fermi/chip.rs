//! What chips of Fermi do not execute.

use crate::uop::{AtomicOp, Lowered, Op, Special, Type, Uop};
use crate::Options;

/// Why chips with these options do not execute an instruction that the model does; `None`: they do.
pub fn lacks(lowered: &Lowered, options: Options) -> Option<&'static str> {
    lowered.uops.iter().find_map(|uop| lacking(uop, options))
}

fn lacking(uop: &Uop, options: Options) -> Option<&'static str> {
    match uop.op {
        Op::Atomic(..) if !options.atomics => Some("chips without atomics=true have no atomics"),
        // Base, its high word, and both operands.
        Op::Atomic(a, AtomicOp::CompareExchange) if a.address == Type::U64 => {
            Some("chips read three registers, CAS.E has four")
        }
        _ if options.double || !is_double(uop) => None,
        _ => Some("chips without double=true have no floats of 64 bits"),
    }
}

/// Whether the unit for floats of 64 bits computes it: an operand or the result has 64 bits, or is the high word of such a
/// float. Sources of accesses and of control flow are addresses: chips see that the high word is 0.
pub fn is_double(uop: &Uop) -> bool {
    match uop.op {
        Op::Special(Special::Rcp64High | Special::Rsq64High) => true,
        Op::Load(_) | Op::Store(_) | Op::Atomic(..) | Op::Flow(_) | Op::Nop => false,
        _ => uop.ty.bits() == 64 || uop.src.iter().any(|s| s.ty.bits() == 64),
    }
}
