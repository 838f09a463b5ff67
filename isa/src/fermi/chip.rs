//! What chips of Fermi do not execute.

use crate::uop::{Lowered, Op, Special, Uop};

/// Why chips do not execute an instruction that the model does; `None`: they do.
pub fn lacks(lowered: &Lowered) -> Option<&'static str> {
    lowered.uops.iter().find_map(lacking)
}

fn lacking(uop: &Uop) -> Option<&'static str> {
    match uop.op {
        Op::Atomic(..) => Some("chips have no atomics"),
        Op::Special(Special::Rcp64High | Special::Rsq64High) => Some("chips have no special functions of 64 bits"),
        // Sources of these are addresses: chips see that the high word is 0.
        Op::Load(_) | Op::Store(_) | Op::Flow(_) | Op::Nop => None,
        _ => {
            let wide = |bits: u32| bits == 64;
            let source = uop.src.iter().any(|s| wide(s.ty.bits()));
            (source || wide(uop.ty.bits())).then_some("lanes of chips have 32 bits")
        }
    }
}
