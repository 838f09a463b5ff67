//! Divergence: every channel has the address of its next instruction, the thread that of the one it
//! executes.
//!
//! Only channels at the instruction move. Channels beyond its size count as those whose predicate is
//! false. With one pointer for all channels (cr0.0 bit 2) the first channel's predicate decides, and all go
//! where it goes.

use super::registers::Exception;
use super::registers::{sum, File};
use crate::uop::{Cause, Divergence, Registers};
use warpsmith_isa::ivb::{is_breakpoint, is_illegal};
use warpsmith_isa::set::Instr;
use warpsmith_isa::uop::{ChannelFlow, Flow, Lowered, Op, Place, Region, Type, Uop};

/// Instruction pointers of a thread.
#[derive(Clone, Debug)]
pub struct Channels {
    ip: u32,
    channel: [u32; 32],
    dispatched: u32,
    ended: bool,
}

impl Channels {
    /// The channels of a mask at address 0.
    pub fn new(dispatched: u32) -> Channels {
        Channels { ip: 0, channel: [0; 32], dispatched, ended: false }
    }

    /// Channels whose next instruction is at an address.
    fn at(&self, address: u32) -> u32 {
        let here = |l: &usize| self.channel[*l] == address;
        (0..32).filter(here).fold(0, |m, l| m | 1 << l) & self.dispatched
    }

    fn send(&mut self, mask: u32, address: u32) {
        for (l, at) in self.channel.iter_mut().enumerate() {
            if mask >> l & 1 == 1 {
                *at = address;
            }
        }
    }

    /// Takes the channels that the registers say; those that come in go to an address.
    fn dispatch(&mut self, registers: &File, address: u32) {
        let mask = registers.dispatched();
        self.send(mask & !self.dispatched, address);
        self.dispatched = mask;
    }

    /// The channels of an address go to another one.
    fn forward(&mut self, from: u32, to: u32) {
        self.send(self.at(from), to);
        self.ip = to;
    }

    /// `next` if a channel is there, else `hop`.
    fn meet(&self, next: u32, hop: u32) -> u32 {
        match self.at(next) {
            0 => hop,
            _ => next,
        }
    }

    /// Moves the channels at the instruction: `taken` of them where it sends them, the others where it
    /// sends those. The next instruction of the thread.
    fn branch(&mut self, flow: ChannelFlow, taken: u32, next: u32) -> Result<u32, Cause> {
        let here = self.at(self.ip);
        let taken = taken & here;
        let rest = here & !taken;
        Ok(match flow {
            ChannelFlow::If { other } => {
                self.send(taken, next);
                self.send(rest, other);
                self.meet(next, other)
            }
            ChannelFlow::Else { target } => {
                self.send(here, target);
                self.meet(next, target)
            }
            ChannelFlow::Endif { hop } => {
                self.send(here, next);
                self.meet(next, hop)
            }
            ChannelFlow::Break { exit: to, hop }
            | ChannelFlow::Continue { again: to, hop }
            | ChannelFlow::Halt { exit: to, hop }
            | ChannelFlow::BranchConverging { target: to, hop } => {
                self.send(taken, to);
                self.send(rest, next);
                self.meet(next, hop)
            }
            ChannelFlow::While { top } => {
                self.send(taken, top);
                self.send(rest, next);
                if taken != 0 {
                    top
                } else {
                    next
                }
            }
            ChannelFlow::BranchDiverging { target } => {
                self.send(taken, target);
                self.send(rest, next);
                self.meet(next, target)
            }
            _ => return Err(Cause::Flow("a branch of its own kind")),
        })
    }

    /// Where one pointer for all channels goes.
    fn single(flow: ChannelFlow, taken: bool, next: u32) -> Result<u32, Cause> {
        Ok(match (flow, taken) {
            (ChannelFlow::If { .. }, true) => next,
            (ChannelFlow::If { other }, false) => other,
            (ChannelFlow::Else { target }, _) => target,
            (ChannelFlow::Endif { .. }, _) => next,
            (ChannelFlow::Break { exit: to, .. }, true)
            | (ChannelFlow::Continue { again: to, .. }, true)
            | (ChannelFlow::Halt { exit: to, .. }, true)
            | (ChannelFlow::While { top: to }, true)
            | (ChannelFlow::BranchDiverging { target: to }, true)
            | (ChannelFlow::BranchConverging { target: to, .. }, true) => to,
            (_, false) => next,
            _ => return Err(Cause::Flow("a branch of its own kind")),
        })
    }

    /// Return address and mask of a call, in its destination and the element behind it.
    fn save(&self, uop: &Uop, next: u32, mask: u32, registers: &mut File) -> Result<(), Cause> {
        let Place::Region(r) = uop.dst[0] else {
            return match uop.dst[0] {
                Place::None => Ok(()),
                _ => Err(Cause::Operand("a call that saves to no register")),
            };
        };
        let lane = registers.first();
        let behind = Place::Region(Region { byte: r.byte + 4, ..r });
        registers.write(&uop.dst[0], Type::U32, lane, next.into())?;
        registers.write(&behind, Type::U32, lane, mask.into())
    }

    fn go(&mut self, uop: &Uop, executing: u32, next: u32, registers: &mut File) -> Result<u32, Cause> {
        let Op::Flow(flow) = uop.op else { return Ok(next) };
        let flow = match flow {
            Flow::End => {
                self.ended = true;
                return Ok(next);
            }
            Flow::Channel(flow) => flow,
            _ => return Err(Cause::Flow("control flow of another set")),
        };
        let here = self.at(self.ip);
        let target = |base: u32| Ok((i128::from(base) + sum(uop, registers)?) as u32 & !7);
        match flow {
            ChannelFlow::Jump { base } => {
                let to = match executing {
                    0 => next,
                    _ => target(base)?,
                };
                self.send(here, to);
                Ok(to)
            }
            ChannelFlow::Call { base } => {
                let to = target(base)?;
                let taken = executing & here;
                if taken != 0 {
                    self.save(uop, next, taken, registers)?;
                }
                self.send(taken, to);
                self.send(here & !taken, next);
                Ok(if taken != 0 { to } else { next })
            }
            ChannelFlow::Return => {
                let lane = registers.first();
                let read = |n: usize| registers.source(&uop.src[n], lane).map(|v| v as u32);
                let (to, mask) = (read(0)?, read(1)?);
                let taken = executing & here & mask;
                self.send(taken, to);
                self.send(here & !taken, next);
                Ok(if here != taken { next } else { to })
            }
            flow if registers.single_flow() => Channels::single(flow, executing >> registers.first() & 1 == 1, next),
            flow => self.branch(flow, executing, next),
        }
    }
}

impl Divergence<File> for Channels {
    fn pc(&self) -> u32 {
        self.ip
    }

    fn active(&self) -> u32 {
        self.at(self.ip)
    }

    /// Breakpoints, and the instruction `illegal`, go to the System Routine where cr0.1 enables them.
    fn intercept(&mut self, instr: &Instr, next: u32, registers: &mut File) -> Result<bool, Cause> {
        if is_breakpoint(instr) && registers.breaks() {
            let routine = registers.enter(Exception::Breakpoint, self.ip)?;
            self.forward(self.ip, routine);
            return Ok(true);
        }
        if !is_illegal(instr) || registers.traps() {
            return Ok(false);
        }
        let to = match registers.raise(Exception::Illegal) {
            true => registers.enter(Exception::Illegal, self.ip)?,
            false => next,
        };
        self.forward(self.ip, to);
        Ok(true)
    }

    /// Of 32 channels the lower 16 decide for the upper ones, too, but in branches.
    fn taking_part(&self, lowered: &Lowered) -> u32 {
        let flow = lowered.uops.iter().any(|u| matches!(u.op, Op::Flow(_)));
        match lowered.lanes {
            l if l.all => u32::MAX,
            l if l.count == 32 && !flow => (self.active() & 0xffff) * 0x0001_0001,
            _ => self.active(),
        }
    }

    fn is_finished(&self) -> bool {
        self.ended
    }

    fn settle(&mut self, registers: &File) {
        self.dispatch(registers, self.ip);
    }

    fn step(&mut self, flow: Option<&Uop>, executing: u32, next: u32, registers: &mut File) -> Result<(), Cause> {
        let single = registers.single_flow();
        let to = match flow {
            Some(uop) => self.go(uop, executing, next, registers)?,
            None => {
                let here = self.at(self.ip);
                self.send(here, next);
                next
            }
        };
        if single {
            self.send(self.dispatched, to);
        }
        self.dispatch(registers, to);
        self.ip = to;
        if let Some(back) = registers.left() {
            self.forward(to, back);
        }
        if registers.asked() {
            let routine = registers.enter(Exception::Software, self.ip)?;
            self.forward(self.ip, routine);
        }
        Ok(())
    }
}
