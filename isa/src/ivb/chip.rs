//! What a chip of Ivy Bridge executes, and as what: its profile, said here alone.
//!
//! Align1, but for three sources. Execution sizes 8, 16 and, with NoMask, 1; channels from 0 on, with size 8 from 8 on, too.
//! No accumulators, no registers but g, f and null, no indirect operands, no bytes and doubles. Bits that mean nothing to
//! a chip are not looked at: dependency and thread control, debug.

mod compute;
mod operand;
mod sequence;
mod transfer;

pub use compute::{Compute, Function, Operation, NOT_ZERO};
pub use operand::{Operand, Region, Temporary, To};
pub use sequence::{SEQUENCES, STEPS};
pub use transfer::Transfer;

use super::fields::{ALIGN16, END, NIBBLE, NO_MASK, QUARTER, SOURCES};
use super::lower::operand::{Special, Start};
use super::lower::{self, Parts};
use super::operand::IMMEDIATE;
use super::table::{Format, OPS};
use crate::set::Instr;
use crate::uop::{ChannelFlow, Flow, Op, Pick};
use transfer::Sent;

/// Opcodes that chips execute.
pub const EXECUTED: [&str; 47] = [
    "mov", "sel", "not", "and", "or", "xor", "shr", "shl", "asr", "cmp", "cmpn", "bfrev", "bfe", "bfi1", "bfi2",
    "math", "add", "mul", "avg", "frc", "mad", "lrp", "rndu", "rndd", "rnde", "rndz", "lzd", "fbh", "fbl", "cbit",
    "f16to32", "f32to16", "illegal", "nop", "jmpi", "brd", "brc", "if", "else", "endif", "while", "break", "cont",
    "halt", "wait", "send", "sendc",
];

/// Channels of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Channel 0 alone.
    One,
    /// Four: a block message of one unit.
    Four,
    /// Eight.
    Eight,
    /// Sixteen.
    Sixteen,
}

/// A predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Flag: 0 to 3 are f0.0, f0.1, f1.0, f1.1.
    pub flag: u8,
    /// How its bits make that of a channel: own, of both flags of a register, or of groups of 2, 4, 8, 16.
    pub pick: Pick,
    /// Inverted.
    pub not: bool,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing: nop, fence, signal to the barrier.
    Nothing,
    /// The thread traps.
    Trap,
    /// The thread arrives at the barrier and waits.
    Barrier,
    /// The thread ends.
    End,
    /// A branch that channels take on their own, or a jump without sources.
    Branch(ChannelFlow),
    /// An operation on registers.
    Compute(Compute),
    /// A load or store.
    Transfer(Transfer),
}

/// An instruction as a chip executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnChip {
    /// Bytes: 8 or 16.
    pub length: u32,
    /// Channels; of nop and illegal one, as their words have it.
    pub size: Size,
    /// The first one is channel 8.
    pub second: bool,
    /// Channels that are not active take part, too.
    pub all: bool,
    /// The predicate.
    pub predicate: Option<Predicate>,
    /// What it does.
    pub action: Action,
}

impl OnChip {
    /// How many steps the lane computes it in.
    pub fn steps(&self) -> usize {
        match &self.action {
            Action::Compute(c) => c.steps().len(),
            _ => 1,
        }
    }
}

/// Why chips do not execute an instruction.
type Refused = &'static str;

/// An instruction at byte address `pc` as a chip executes it.
///
/// # Errors
/// Why chips do not execute it.
pub fn on_chip(instr: &Instr, pc: u32) -> Result<OnChip, &'static str> {
    let op = &OPS[instr.row];
    let length = instr.code.len() as u32;
    if !EXECUTED.contains(&op.name) {
        return Err("chips do not have this opcode");
    }
    if op.format == Format::Bare {
        let action = if op.name == "nop" { Action::Nothing } else { Action::Trap };
        return Ok(OnChip { length, size: Size::One, second: false, all: true, predicate: None, action });
    }
    let p = lower::parts(instr, pc).map_err(|u| u.0)?;
    if p.accumulate {
        return Err("chips have no accumulators");
    }
    if ALIGN16.get(p.bits) == 1 && op.format != Format::Three {
        return Err("chips have align16 with three sources alone");
    }
    let size = size(&p, op.format)?;
    let predicate = predicate(&p, size)?;
    let no_mask = NO_MASK.get(p.bits) == 1;
    let mut out = OnChip { length, size, second: p.shape.first != 0, all: no_mask, predicate, action: Action::Nothing };
    match op.format {
        Format::Wait => {
            barrier(&p)?;
            (out.all, out.action) = (true, Action::Barrier);
        }
        Format::Jip | Format::JipUip | Format::Jump => {
            // Only channels at the instruction branch, whatever its mask; a jump is of the whole thread.
            out.all = op.format == Format::Jump;
            out.action = Action::Branch(branch(instr, pc, &p, op.format, size)?);
        }
        Format::Send => {
            if size == Size::One {
                return Err("messages of chips have 8 or 16 channels");
            }
            if SOURCES[1].file.get(p.bits) != IMMEDIATE {
                return Err("chips have the descriptor of a message in the instruction alone");
            }
            let ends = END.get(p.bits) == 1;
            out.action = match transfer::sent(&p, size == Size::Sixteen, ends)? {
                Sent::Nothing => Action::Nothing,
                Sent::End => Action::End,
                Sent::Channels(t) => Action::Transfer(t),
                Sent::Block(t, units) => {
                    (out.size, out.all) = (block(units), true);
                    Action::Transfer(t)
                }
            };
        }
        _ => out.action = Action::Compute(compute::compute(&p, op.format, size == Size::One, size == Size::Sixteen)?),
    }
    Ok(out)
}

/// Channels of a block of 1, 2 or 4 units.
fn block(units: u32) -> Size {
    match units {
        1 => Size::Four,
        2 => Size::Eight,
        _ => Size::Sixteen,
    }
}

fn size(p: &Parts, format: Format) -> Result<Size, Refused> {
    let flow = matches!(format, Format::Jip | Format::JipUip);
    match (p.shape.count, p.shape.first) {
        (1, _) if flow => Err("branches of chips have 8 or 16 channels"),
        (1, _) if QUARTER.get(p.bits) != 0 || NIBBLE.get(p.bits) != 0 => Err("one channel of chips is channel 0"),
        (1, _) if NO_MASK.get(p.bits) == 0 && format != Format::Wait => {
            Err("one channel of chips has the option WE_all")
        }
        (1, _) => Ok(Size::One),
        (8, 0 | 8) => Ok(Size::Eight),
        (16, 0) => Ok(Size::Sixteen),
        (8 | 16, _) => Err("chips have 16 channels"),
        _ => Err("execution sizes of chips are 1, 8 and 16"),
    }
}

fn predicate(p: &Parts, size: Size) -> Result<Option<Predicate>, Refused> {
    let Some(guard) = p.guard else { return Ok(None) };
    match guard.pick {
        Pick::Own => {}
        Pick::Component(_) => return Err("chips have no predicate of a component"),
        Pick::Any(32) | Pick::All(32) => return Err("chips have 16 channels"),
        _ if size == Size::One => return Err("one channel of chips has its own flag as predicate alone"),
        _ => {}
    }
    Ok(Some(Predicate { flag: compute::flag(p), pick: guard.pick, not: guard.not }))
}

fn barrier(p: &Parts) -> Result<(), Refused> {
    match p.destination.map(|d| d.start) {
        Some(Start::Special(Special::Notification(0), 0)) => Ok(()),
        _ => Err("chips wait for n0 alone"),
    }
}

fn branch(instr: &Instr, pc: u32, p: &Parts, format: Format, size: Size) -> Result<ChannelFlow, Refused> {
    if format == Format::Jump && (SOURCES[1].file.get(p.bits) != IMMEDIATE || size != Size::One) {
        return Err("jumps of chips have their distance in the instruction");
    }
    let lowered = lower::lower(instr, pc.into()).map_err(|u| u.0)?;
    match lowered.uops[..] {
        [ref u] => match u.op {
            Op::Flow(Flow::Channel(flow)) => Ok(flow),
            _ => Err("no branch"),
        },
        _ => Err("no branch"),
    }
}
