//! Instructions as micro-operations.
//!
//! Most are one. Those whose result has not the width of its destination, floats that are rounded twice
//! and bit fields with a shift of 7 bits are several.

mod control;
mod float;
mod integer;
mod memory;
mod operand;

use super::alu::Mode;
use super::table::TABLE;
use crate::set::{Instr, Status};
use crate::uop::{Lowered, Op, Place, Type, Unimplemented, Uop};
use operand::Code;

/// Bytes of the registers of a lane.
const LANE_BYTES: u32 = 128 * 4;
/// Bytes of the uniform registers.
const UNIFORM_BYTES: u32 = 256 * 4;

/// The instruction at byte address `pc` as micro-operations.
///
/// # Errors
/// Graphics, the driver's instructions, forms of unknown meaning, matrices, formats of memory without a
/// meaning, registers beyond the file.
pub(super) fn lower(instr: &Instr, pc: u64) -> Result<Lowered, Unimplemented> {
    match TABLE.form(instr).status {
        Status::Excluded => return Err(Unimplemented("graphics, or for the driver alone")),
        Status::Unknown => return Err(Unimplemented("its meaning is not known")),
        Status::Todo => return Err(Unimplemented("how the lanes hold the matrices is not known")),
        Status::Specified | Status::Decided => {}
    }
    let code = Code::new(instr, pc as u32);
    let none = Err(Unimplemented("no micro-operations are written for it"));
    let uops = integer::lower(&code)
        .or_else(|| float::lower(&code))
        .or_else(|| control::lower(&code))
        .map(Ok)
        .or_else(|| memory::lower(&code))
        .unwrap_or(none)?;
    if !uops.iter().all(inside) {
        return Err(Unimplemented("a register beyond the file"));
    }
    let mut lowered = Lowered::new(uops);
    // One a SIMD-group: it moves where no lane is active, too.
    lowered.lanes.all = code.name == "stack_adjust";
    Ok(lowered)
}

/// The sources with the hint `.discard`, by halves.
pub(super) fn discards(instr: &Instr) -> Vec<(Place, Type)> {
    let bits = instr.code.bits();
    let sources = TABLE.form(instr).operands.iter().filter(|o| o.is_source());
    let halves = sources.flat_map(|o| match o.mode(bits) {
        Some(Mode::Register { halves, hint: 3 }) => {
            let first = o.fields[0].get(bits) & !u64::from(halves > 1);
            first..first + halves
        }
        _ => 0..0,
    });
    halves.filter(|h| *h < u64::from(LANE_BYTES) / 2).map(|h| (operand::lane(h), Type::U16)).collect()
}

/// Every register exists.
fn inside(uop: &Uop) -> bool {
    // Registers that are loaded, and stored.
    let [loaded, stored] = match uop.op {
        Op::Load(a) => [a.values(), 1],
        Op::Store(a) => [1, a.values()],
        _ => [1, 1],
    };
    let fits = |place: Place, ty: Type, count: u32| match place {
        Place::Register { index, byte } => u32::from(index) * 4 + u32::from(byte) + ty.bytes() * count <= LANE_BYTES,
        Place::Uniform { index, byte } => u32::from(index) * 4 + u32::from(byte) + ty.bytes() <= UNIFORM_BYTES,
        _ => true,
    };
    let mut sources = uop.src.iter().enumerate();
    sources.all(|(n, s)| fits(s.place, s.ty, if n == 0 { stored } else { 1 }))
        && uop.dst.iter().all(|d| fits(*d, uop.ty, loaded))
}
