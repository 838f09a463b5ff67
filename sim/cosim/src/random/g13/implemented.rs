//! Forms that random programs draw from.

use super::super::limits::Limits;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::{Builtin, Flow, Lowered, Op, Place, Type, Uop};

/// What an instruction lowers to where programs within these limits may have it.
pub fn lowered(instr: &Instr, limits: &Limits) -> Option<Lowered> {
    let lowered = G13.lower(instr, 0).ok()?;
    let lacks = limits.chip && G13.lacks(instr, &lowered, limits.options).is_some();
    (!lacks && executes(&lowered)).then_some(lowered)
}

/// Whether programs may have these micro-operations: what lanes of 32 bits compute, loads, stores, the
/// mask, barriers. Atomic accesses are made apart; uniforms that change, and traps are left out.
fn executes(lowered: &Lowered) -> bool {
    let address = lowered.uops.iter().any(|u| matches!(u.op, Op::Load(_) | Op::Store(_)));
    lowered.uops.iter().all(|u| {
        let wide = |t: Type| t.bits() == 64;
        let sum = matches!(u.op, Op::Add | Op::MulAdd);
        let narrow = address || sum || !(wide(u.ty) || u.src.iter().any(|s| wide(s.ty)));
        let kept = |p: &Place| !matches!(p, Place::Uniform { .. } | Place::Builtin(Builtin::StackPointer));
        let left_out = matches!(u.op, Op::Atomic(..) | Op::Trap | Op::StoreRectangle(_));
        narrow && u.dst.iter().all(kept) && !left_out
    })
}

/// Whether an instruction that programs may have stands anywhere in straight-line code.
pub fn is_plain(lowered: &Lowered) -> bool {
    let apart =
        |u: &Uop| matches!(u.op, Op::Load(_) | Op::Store(_) | Op::Flow(Flow::Mask(_) | Flow::End) | Op::Barrier(_));
    !lowered.uops.iter().any(apart)
}

/// Registers of 32 bits that an instruction writes, and those that it reads.
pub fn registers(lowered: &Lowered) -> (Vec<u64>, Vec<u64>) {
    let of = |place: &Place, bytes: u32| -> Vec<u64> {
        match *place {
            Place::Register { index, byte } => {
                let first = 4 * u32::from(index) + u32::from(byte);
                (first / 4..=(first + bytes - 1) / 4).map(u64::from).collect()
            }
            _ => vec![],
        }
    };
    let (mut written, mut read) = (vec![], vec![]);
    for u in &lowered.uops {
        written.extend(u.dst.iter().flat_map(|p| of(p, u.ty.bytes())));
        read.extend(u.src.iter().flat_map(|s| of(&s.place, s.ty.bytes())));
    }
    (written, read)
}
