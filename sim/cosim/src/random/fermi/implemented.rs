//! Forms that random programs draw from: those that a chip executes.

use super::words::Word;
use warpsmith_isa::fermi::{is_double, lacks, Fermi};
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::{Builtin, Flow, Lowered, Op, Place, Type, Uop};
use warpsmith_isa::Options;

/// Whether a chip with these options executes these micro-operations without always trapping.
pub fn executes(lowered: &Lowered, options: Options) -> bool {
    lacks(lowered, options).is_none()
}

/// Whether the result depends on time.
pub fn reads_clock(lowered: &Lowered) -> bool {
    let clock =
        |u: &Uop| u.src.iter().any(|s| matches!(s.place, Place::Builtin(Builtin::ClockLow | Builtin::ClockHigh)));
    lowered.uops.iter().any(clock)
}

/// The micro-operations of a row, with the first value of each modifier that a chip executes.
fn lowered(row: usize) -> Option<Lowered> {
    let sample: Instr = Fermi.sample(row)?;
    Fermi.lower(&sample, 0).ok()
}

/// Whether chips have barriers with a number of threads.
pub fn counted_barriers(options: Options) -> bool {
    let word = Word::of("BAR_SYNC").with("n", 32);
    let instr = Fermi.decode(&(word.bits as u64).to_le_bytes());
    instr.is_ok_and(|i| Fermi.lower(&i, 0).is_ok_and(|l| executes(&l, options)))
}

/// Whether some instruction of a row executes on a chip with these options.
pub fn implemented(row: usize, options: Options) -> bool {
    lowered(row).is_some_and(|l| executes(&l, options))
}

/// Whether an instruction of a row may stand anywhere in straight-line code: no control flow, no
/// barrier, no memory.
pub fn is_plain(row: usize, options: Options) -> bool {
    let apart = |u: &Uop| is_access(u) || matches!(u.op, Op::Flow(Flow::Stack(_) | Flow::Exit) | Op::Barrier(_));
    lowered(row).is_some_and(|l| executes(&l, options) && !l.uops.iter().any(apart))
}

fn is_access(uop: &Uop) -> bool {
    matches!(uop.op, Op::Load(_) | Op::Store(_) | Op::Atomic(..))
}

/// Whether instructions of a row are atomic accesses.
pub fn is_atomic(row: usize) -> bool {
    lowered(row).is_some_and(|l| l.uops.iter().any(|u| matches!(u.op, Op::Atomic(..))))
}

/// Whether an operation is one of floats of 64 bits: that of the row whose modifiers have their first values.
pub fn is_of_doubles(row: usize) -> bool {
    lowered(row).is_some_and(|l| l.uops.iter().any(is_double))
}

/// Whether an operation computes with floats.
pub fn is_float(row: usize) -> bool {
    let float = |t: Type| t.is_float();
    lowered(row).is_some_and(|l| l.uops.iter().any(|u| float(u.ty) || u.src.iter().any(|s| float(s.ty))))
}
