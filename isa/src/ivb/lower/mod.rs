//! Instructions as micro-operations.
//!
//! Integers are computed with 64 bits and sign, which hold every result exactly, then brought into the
//! destination; floats are rounded in the type of the sources. A compact instruction is the one it stands
//! for. What the pages leave open is [`Unimplemented`].

mod alu;
mod build;
mod float;
mod flow;
mod integer;
mod math;
pub(super) mod message;
pub(super) mod operand;
mod send;

pub use build::file;

use super::fields::*;
use super::operand::IMMEDIATE as IMMEDIATE_FILE;
use super::table::{Format, OPS};
use super::{canonical, native};
use crate::set::{Code, Instr};
use crate::uop::{Cond, Guard, Lanes, Lowered, Pick, Place, Type, Unimplemented};
use build::{Build, Class};
use operand::{Destination, Source, Special, Start};

/// Channels of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// How many: 1, 2, 4, 8, 16 or 32.
    pub(super) count: u32,
    /// The lane that channel 0 is.
    pub(super) first: u32,
}

/// Condition on a result, or on the difference of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Outcomes of a comparison.
    Outcomes(Cond),
    /// An integer that its destination does not hold; an infinite float.
    Overflow,
}

/// An instruction taken apart.
pub(super) struct Parts {
    pub(super) shape: Shape,
    pub(super) pc: u32,
    /// Bytes.
    pub(super) length: u32,
    pub(super) name: &'static str,
    pub(super) bits: u128,
    pub(super) guard: Option<Guard>,
    /// Flag of predicate and condition.
    pub(super) flag: Place,
    pub(super) condition: Option<Condition>,
    /// Field of the condition, the function or the target of a message.
    pub(super) code: u64,
    pub(super) saturate: bool,
    pub(super) accumulate: bool,
    pub(super) destination: Option<Destination>,
    pub(super) sources: [Option<Source>; 3],
}

impl Parts {
    pub(super) fn source(&self, n: usize) -> Result<&Source, Unimplemented> {
        let missing = Unimplemented("operation without this source");
        self.sources[n].as_ref().ok_or(missing)
    }

    pub(super) fn destination(&self) -> Result<&Destination, Unimplemented> {
        let missing = Unimplemented("operation without a destination");
        self.destination.as_ref().ok_or(missing)
    }

    /// True where an operand is of doubles, which are pairs of channels.
    fn pairs(&self) -> bool {
        let sources = self.sources.iter().flatten().map(|s| s.kind);
        sources.chain(self.destination.map(|d| d.kind)).any(|kind| kind == Type::F64)
    }

    /// True where the destination is ip.
    fn jumps(&self) -> bool {
        matches!(self.destination.map(|d| d.start), Some(Start::Special(Special::Ip, _)))
    }

    /// Numbers that the first `count` sources are.
    fn class(&self, count: usize) -> Result<Class, Unimplemented> {
        let first = Class::of(self.source(0)?.kind);
        for n in 1..count {
            if Class::of(self.source(n)?.kind) != first {
                return Err(Unimplemented("sources of an integer and a float type"));
            }
        }
        Ok(first)
    }
}

/// The native instruction that a message with its descriptor in a register is, with this one.
pub fn with_descriptor(instr: &Instr, descriptor: u32) -> Option<Instr> {
    if OPS[instr.row].format != Format::Send {
        return None;
    }
    let instr = native(instr);
    let bits = instr.code.bits();
    let register = SOURCES[1].file.get(bits) != IMMEDIATE_FILE;
    let end = END.get(bits);
    let bits = IMMEDIATE.put(SOURCES[1].file.put(bits, IMMEDIATE_FILE), u64::from(descriptor) & DESCRIPTOR_BITS);
    register.then(|| Instr { code: Code::new(END.put(bits, end), instr.code.len()), ..instr })
}

/// The logarithm or root of the magnitude of its source, for one of the source.
pub fn of_magnitude(instr: &Instr) -> Option<Instr> {
    let instr = native(instr);
    let bits = instr.code.bits();
    let root = OPS[instr.row].format == Format::Math && matches!(CONDITION.get(bits), 2 | 4 | 5);
    let bits = SOURCES[0].abs.put(SOURCES[0].neg.put(bits, 0), 1);
    root.then(|| Instr { code: Code::new(bits, instr.code.len()), ..instr })
}

/// Bits of a descriptor.
const DESCRIPTOR_BITS: u64 = (1 << 29) - 1;

/// The micro-operations of an instruction at byte address `pc`.
///
/// # Errors
/// The instruction has no decided meaning.
pub fn lower(instr: &Instr, pc: u64) -> Result<Lowered, Unimplemented> {
    let format = OPS[instr.row].format;
    let parts = parts(instr, pc as u32)?;
    let destination = parts.destination.as_ref().filter(|_| format != Format::Send);
    let mut build = Build::new(parts.shape, parts.pairs(), destination, parts.pc);
    // Channels that the destination does not name are not written.
    let mut components = match parts.destination {
        Some(d) if format != Format::Send => d.channels,
        _ => 15,
    };
    let mut all = NO_MASK.get(parts.bits) == 1;
    let mut guard = parts.guard;
    let mut shape = parts.shape;
    match format {
        Format::Send => {
            if let Some(count) = send::lower(&parts, &mut build)? {
                shape.count = count;
                all = true;
            }
        }
        Format::Math => math::lower(&parts, &mut build)?,
        Format::One if parts.name != "ret" => {
            alu::lower(&parts, &mut build)?;
        }
        Format::Two | Format::Three => {
            let only = alu::lower(&parts, &mut build)?;
            components &= only.components;
            if only.unguarded {
                guard = None;
            }
        }
        _ => {
            // Only channels at the instruction branch; a jump asks the predicate of channel 0 alone, the
            // others concern the whole thread.
            all = matches!(format, Format::Jump | Format::Wait | Format::Bare);
            components = 15;
            if format == Format::Call {
                // Its size is that of the two dwords that it writes; every channel that is there calls.
                shape = Shape { count: 32, first: 0 };
            }
            flow::lower(&parts, &mut build)?;
        }
    }
    if parts.jumps() {
        flow::leave(&mut build);
    }
    let lanes = Lanes { first: shape.first as u8, count: shape.count as u8, components, all };
    Ok(Lowered { lanes, guard, uops: build.uops })
}

/// An instruction at byte address `pc` taken apart.
///
/// # Errors
/// An operand without meaning.
pub(super) fn parts(instr: &Instr, pc: u32) -> Result<Parts, Unimplemented> {
    let length = instr.code.len() as u32;
    let row = instr.row;
    let bits = native(instr).code.bits();
    let format = OPS[row].format;
    let bare = format == Format::Bare;
    let align16 = ALIGN16.get(bits) == 1;
    let [register, sub] = canonical::flag(format).map(|f| f.get(bits) as u8);
    let flag = Place::Flag(register, sub);
    let mut out = Parts {
        shape: shape(bits),
        pc,
        length,
        name: OPS[row].name,
        bits,
        guard: None,
        flag,
        condition: None,
        code: CONDITION.get(bits),
        saturate: SATURATE.get(bits) == 1,
        accumulate: ACC_WRITE.get(bits) == 1,
        destination: None,
        sources: [None; 3],
    };
    if bare {
        return Ok(out);
    }
    out.guard = pick(PREDICATE.get(bits), align16).map(|pick| Guard { place: flag, not: INVERT.get(bits) == 1, pick });
    if format == Format::Three {
        out.destination = Some(operand::third_destination(bits));
        out.sources = [0, 1, 2].map(|n| Some(operand::third(&THIRDS[n], bits)));
    } else {
        if format.destination() {
            out.destination = Some(operand::destination(bits, align16)?);
        }
        for (n, s) in SOURCES.iter().enumerate() {
            // The descriptor of a message is no operand of its own.
            let descriptor = format == Format::Send && n == 1;
            if format.source(n) && !descriptor {
                out.sources[n] = Some(operand::source(s, bits, align16)?);
            }
        }
    }
    if !matches!(format, Format::Send | Format::Math) {
        out.condition = condition(out.code);
    }
    Ok(out)
}

/// The channels of an instruction.
fn shape(bits: u128) -> Shape {
    let quarter = QUARTER.get(bits) as u32;
    Shape {
        count: 1 << EXEC.get(bits),
        first: match EXEC.get(bits) {
            0..=2 => 8 * quarter + 4 * NIBBLE.get(bits) as u32,
            3 => 8 * quarter,
            4 => 16 * (quarter / 2),
            _ => 0,
        },
    }
}

fn condition(code: u64) -> Option<Condition> {
    let outcomes = match code {
        1 => Cond::EQUAL,
        2 => Cond::LESS | Cond::GREATER | Cond::UNORDERED,
        3 => Cond::GREATER,
        4 => Cond::GREATER | Cond::EQUAL,
        5 => Cond::LESS,
        6 => Cond::LESS | Cond::EQUAL,
        8 => return Some(Condition::Overflow),
        9 => Cond::UNORDERED,
        _ => return None,
    };
    Some(Condition::Outcomes(Cond(outcomes)))
}

/// Outcomes of `cmpn` for those of a condition, 2.3.1.1: a second source that is NaN makes nz false, the others true.
pub(super) fn number_first(cond: Cond) -> Cond {
    Cond(cond.0 ^ Cond::NAN_B)
}

/// The same of `sel`, 6.55: of l and ge as of `cmpn`, so that a number is preferred.
pub(super) fn of_selection(cond: Cond) -> Cond {
    match cond.0 {
        Cond::LESS => number_first(cond),
        c if c == Cond::GREATER | Cond::EQUAL => number_first(cond),
        _ => cond,
    }
}

fn pick(code: u64, align16: bool) -> Option<Pick> {
    Some(match (code, align16) {
        (0, _) => return None,
        (1, _) => Pick::Own,
        (n @ 2..=5, true) => Pick::Component(n as u8 - 2),
        (6, true) => Pick::Any(4),
        (_, true) => Pick::All(4),
        (2, _) => Pick::AnyOfBoth,
        (3, _) => Pick::AllOfBoth,
        (n, _) if n % 2 == 0 => Pick::Any(1 << (n / 2 - 1)),
        (n, _) => Pick::All(1 << (n / 2 - 1)),
    })
}
