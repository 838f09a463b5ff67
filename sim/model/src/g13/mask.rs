//! Execution mask: a lane is active while its counter in r0l is 0.

use super::registers::SimdRegisters;
use crate::uop::cause::Cause;
use crate::uop::eval::holds;
use crate::uop::{Divergence, Registers};
use warpsmith_isa::uop::{Flow, MaskFlow, Op, Place, Src, Type, Uop};

/// Pc, lanes that exist and lanes that are active. The mask follows the counters in the instructions that
/// change them for control flow; a write of r0l by another instruction counts from the next of these on.
#[derive(Clone, Debug)]
pub struct ExecutionMask {
    pc: u32,
    present: u32,
    active: u32,
    finished: bool,
}

impl ExecutionMask {
    /// The lanes of `present`, all active, at address 0.
    pub fn new(present: u32) -> ExecutionMask {
        ExecutionMask { pc: 0, present, active: present, finished: false }
    }

    /// Makes these of the existing lanes active, whatever their counters: for tests of one instruction.
    pub fn activate(&mut self, lanes: u32) {
        self.active = lanes & self.present;
    }

    /// Changes the counter of every lane that has a thread, active or not, and forms the mask.
    fn count(&mut self, uop: &Uop, flow: MaskFlow, registers: &mut SimdRegisters) -> Result<(), Cause> {
        let counter = uop.dst[0];
        let mut active = 0;
        for lane in (0..32).filter(|l| self.present >> l & 1 == 1) {
            let raw = |s: &Src| read(s, lane, registers);
            let raw = uop.src.iter().map(raw).collect::<Result<Vec<u64>, _>>()?;
            let v = registers.read(&counter, Type::U16, lane)? as u16;
            let v = next(flow, v, |cond| holds(uop, &raw, cond));
            registers.write(&counter, Type::U16, lane, v.into())?;
            active |= u32::from(v == 0) << lane;
        }
        self.active = active & self.present;
        Ok(())
    }

    /// The address that a source has in every active lane.
    fn common(&self, uop: &Uop, registers: &SimdRegisters) -> Result<Option<u32>, Cause> {
        let mut common = None;
        let Some(src) = uop.src.first() else { return Ok(None) };
        for lane in (0..32).filter(|l| self.active >> l & 1 == 1) {
            let here = read(src, lane, registers)? as u32;
            if *common.get_or_insert(here) != here {
                return Err(Cause::Flow("the active lanes name different addresses"));
            }
        }
        Ok(common)
    }
}

/// The counter after an instruction; `holds` says whether a condition holds in the lane.
fn next(flow: MaskFlow, v: u16, holds: impl Fn(warpsmith_isa::uop::Cond) -> bool) -> u16 {
    match flow {
        MaskFlow::Pop { levels } => v.saturating_sub(levels.into()),
        MaskFlow::If { levels, .. } if v != 0 => v.wrapping_add(levels.into()),
        MaskFlow::If { cond, .. } => u16::from(!holds(cond)),
        MaskFlow::While { levels, .. } if v >= u16::from(levels) => v,
        MaskFlow::While { cond, .. } if holds(cond) => 0,
        MaskFlow::While { levels, .. } => levels.into(),
        MaskFlow::Else { levels, .. } if v == 0 => levels.into(),
        MaskFlow::Else { cond, .. } if v == 1 => u16::from(!holds(cond)),
        _ => v,
    }
}

/// Bits of a source of control flow.
fn read(src: &Src, lane: usize, registers: &SimdRegisters) -> Result<u64, Cause> {
    match src.place {
        Place::Immediate(bits) => Ok(bits & src.ty.mask()),
        _ => registers.source(src, lane),
    }
}

impl Divergence<SimdRegisters> for ExecutionMask {
    fn pc(&self) -> u32 {
        self.pc
    }

    fn active(&self) -> u32 {
        self.active
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn present(&self) -> u32 {
        self.present
    }

    fn goes_on_empty(&self) -> bool {
        true
    }

    /// Where the counter does not say it alone.
    fn decides(&self, flow: &Uop, lane: usize, registers: &SimdRegisters) -> bool {
        let Op::Flow(Flow::Mask(f)) = flow.op else { return true };
        let counter = registers.read(&flow.dst[0], Type::U16, lane);
        match counter {
            Ok(v) if f.counts() => next(f, v as u16, |_| true) != next(f, v as u16, |_| false),
            _ => true,
        }
    }

    fn settle(&mut self, registers: &SimdRegisters) {
        let counter = Place::register(0);
        let zero = |l: &usize| registers.read(&counter, Type::U16, *l) == Ok(0);
        let active = (0..32).filter(zero).fold(0, |m, l| m | 1 << l);
        self.active = active & self.present;
    }

    fn step(
        &mut self, flow: Option<&Uop>, _executing: u32, next: u32, registers: &mut SimdRegisters,
    ) -> Result<(), Cause> {
        let mut to = next;
        if let Some(uop) = flow {
            match uop.op {
                Op::Flow(Flow::End) => self.finished = true,
                Op::Flow(Flow::Mask(flow)) => match flow {
                    MaskFlow::Jump { target } => to = target,
                    MaskFlow::JumpAny { target } if self.active != 0 => to = target,
                    MaskFlow::JumpNone { target } if self.active == 0 => to = target,
                    MaskFlow::JumpAny { .. } | MaskFlow::JumpNone { .. } => {}
                    MaskFlow::JumpRegister => {
                        to = self.common(uop, registers)?.unwrap_or(next);
                        for lane in (0..32).filter(|l| self.active >> l & 1 == 1) {
                            if uop.dst[0] != Place::None {
                                registers.write(&uop.dst[0], Type::U32, lane, next.into())?;
                            }
                        }
                    }
                    _ => self.count(uop, flow, registers)?,
                },
                _ => return Err(Cause::Flow("G13 has no such control flow")),
            }
        }
        self.pc = to;
        Ok(())
    }
}
