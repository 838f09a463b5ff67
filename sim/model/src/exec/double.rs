//! Floats of 64 bits of SM 1.3, whose operands are pairs of registers.

use super::env::Env;
use super::operand::{operand, ZERO};
use super::write::{write_back, write_flags};
use crate::num::double::result;
use crate::record::Retired;
use crate::trap::Fault;
use crate::warp::Warp;
use warpsmith_isa::{Family, Instr, Op, Src, WARP_SIZE};

/// Whether the unit for such floats computes it.
pub(crate) fn is_double(op: &Op) -> bool {
    op.family() == Family::Double
}

/// Executes one.
pub(super) fn execute(instr: &Instr, warp: &mut Warp, env: &Env<'_>, e: u32, rec: &mut Retired) -> Result<(), Fault> {
    let mut x = [[0u64; WARP_SIZE]; 3];
    for (n, (src, x)) in instr.src.iter().zip(&mut x).enumerate() {
        for part in 0..instr.op.registers(n) {
            let src = match src {
                Src::Reg(r) => Src::Reg(r.saturating_add(part)),
                other => *other,
            };
            let mut buf = ZERO;
            let words = operand(&src, warp, env, e, &mut buf)?;
            x.iter_mut().zip(words).for_each(|(x, w)| *x |= u64::from(*w) << (32 * part));
        }
    }
    for l in 0..WARP_SIZE {
        let (r, f) = result(&instr.op, [x[0][l], x[1][l], x[2][l]]);
        (rec.values[0][l], rec.values[1][l], rec.flag_values[l]) = (r as u32, (r >> 32) as u32, f);
    }
    write_back(instr.dst, instr.op.results(), warp, e, rec);
    if let Some(c) = instr.cdst {
        write_flags(c, warp, e, rec);
    }
    Ok(())
}
