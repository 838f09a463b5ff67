//! One warp: how an instruction of any set is executed.

use super::cause::{Cause, Fault};
use super::cross::{self, Gathered};
use super::eval::eval;
use super::memory::{combine, Env, Geometry};
use super::program::{Program, Slot};
use super::read::{bits, integer, whole};
use super::registers::Registers;
use crate::launch::Launch;
use crate::memory::Constants;
use warpsmith_isa::set::{Code, InstructionSet};
use warpsmith_isa::uop::{
    Access, AtomicOp, BarrierOp, Builtin, Flow, MaskFlow, Op, Place, Region, Space, Src, Type, Uop,
};

/// Temporaries of an instruction.
const TEMPORARIES: usize = 16;

/// How the lanes of a warp part and meet.
pub trait Divergence<R> {
    /// Byte address of the next instruction.
    fn pc(&self) -> u32;

    /// Lanes that are active in it.
    fn active(&self) -> u32;

    /// Whether the warp has ended.
    fn is_finished(&self) -> bool;

    /// Ends the instruction: `flow` is its control flow, `executing` the lanes that passed the guard,
    /// `next` the address behind it.
    ///
    /// # Errors
    /// Control flow that the state does not allow, or that is another set's.
    fn step(
        &mut self,
        flow: Option<&Uop>,
        executing: u32,
        next: u32,
        registers: &mut R,
    ) -> Result<(), Cause>;
}

/// A value that an instruction wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub place: Place,
    /// Type.
    pub ty: Type,
    /// Lanes.
    pub lanes: u32,
    /// Bits of each lane; 0 where not written.
    pub values: [u64; 32],
}

/// What one instruction did.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Byte address.
    pub pc: u32,
    /// The instruction.
    pub code: Code,
    /// Lanes that were active.
    pub active: u32,
    /// Lanes that executed it.
    pub executing: u32,
    /// Barrier it came to.
    pub barrier: Option<BarrierOp>,
    /// Whether the warp has ended.
    pub finished: bool,
    /// Registers written, where asked for.
    pub writes: Option<Vec<Write>>,
}

/// A warp of some set.
pub trait Warp {
    /// Byte address of the next instruction.
    fn pc(&self) -> u32;

    /// Lanes that are active.
    fn active(&self) -> u32;

    /// Whether it has ended.
    fn is_finished(&self) -> bool;

    /// Executes one instruction. With `step.writes` it lists what it wrote.
    ///
    /// # Errors
    /// The instruction traps; then the machine stops.
    fn step(&mut self, program: &Program, env: &mut Env, step: &mut Step) -> Result<(), Fault>;

    /// A register for tests: bits at a place in a lane.
    ///
    /// # Errors
    /// A place that the set does not have.
    fn read(&self, place: &Place, ty: Type, lane: usize) -> Result<u64, Cause>;

    /// Sets it.
    ///
    /// # Errors
    /// A place that the set does not have.
    fn write(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause>;
}

/// What a set adds to the shared execution.
pub trait Set: Sync {
    /// Table, decoder, lowering.
    fn instructions(&self) -> &'static dyn InstructionSet;

    /// Threads of a warp in this launch, at most 32.
    fn lanes(&self, launch: &Launch) -> u32 {
        let _ = launch;
        32
    }

    /// Constants that the machine provides, on top of those of the launch.
    fn constants(&self, launch: &Launch, constants: &mut Constants) {
        let _ = (launch, constants);
    }

    /// A warp at the start of its program.
    fn start(
        &self,
        launch: &Launch,
        geometry: &Geometry,
        block: [u32; 3],
        warp: u32,
        stack_depth: usize,
    ) -> Box<dyn Warp>;
}

/// The warp of a set as registers and divergence.
#[derive(Clone, Debug)]
pub struct Core<R, D> {
    /// Registers.
    pub registers: R,
    /// Divergence.
    pub divergence: D,
    /// Local memory of each lane.
    local: Vec<Vec<u8>>,
    temporaries: [[u64; 32]; TEMPORARIES],
}

impl<R: Registers, D: Divergence<R>> Core<R, D> {
    /// A warp with so many bytes of local memory a lane.
    pub fn new(registers: R, divergence: D, local_bytes: u32) -> Core<R, D> {
        Core {
            registers,
            divergence,
            local: vec![vec![0; local_bytes as usize]; 32],
            temporaries: [[0; 32]; TEMPORARIES],
        }
    }

    /// Bits of a source as they lie in its place.
    fn raw(&self, src: &Src, lane: usize, env: &Env, active: u32) -> Result<u64, Cause> {
        match src.place {
            Place::None => Ok(0),
            Place::Immediate(bits) => Ok(bits & src.ty.mask()),
            Place::Constant { bank, offset } => env.constant(bank, offset, src.ty),
            Place::Builtin(Builtin::StackPointer) => Ok(self.registers.stack_pointer().into()),
            Place::Builtin(b) => Ok(env.builtin(b, lane, active).into()),
            Place::Temporary(n) => match self.temporaries.get(usize::from(n)) {
                Some(t) => Ok(t[lane] & src.ty.mask()),
                None => Err(Cause::Operand("too many temporaries")),
            },
            _ => self.registers.source(src, lane),
        }
    }

    fn put(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        match *place {
            Place::None => Ok(()),
            Place::Temporary(n) => match self.temporaries.get_mut(usize::from(n)) {
                Some(t) => {
                    t[lane] = bits & ty.mask();
                    Ok(())
                }
                None => Err(Cause::Operand("too many temporaries")),
            },
            _ => self.registers.write(place, ty, lane, bits & ty.mask()),
        }
    }

    /// Writes a result in the lanes of a mask and notes it.
    fn put_all(
        &mut self,
        place: &Place,
        ty: Type,
        lanes: u32,
        values: &[u64; 32],
        step: &mut Step,
    ) -> Result<(), Fault> {
        if *place == Place::None {
            return Ok(());
        }
        for l in each(lanes) {
            self.put(place, ty, l, values[l])
                .map_err(|c| c.in_lane(l))?;
        }
        if let (Some(writes), false) = (&mut step.writes, matches!(place, Place::Temporary(_))) {
            let mut kept = [0; 32];
            each(lanes).for_each(|l| kept[l] = values[l] & ty.mask());
            writes.push(Write {
                place: *place,
                ty,
                lanes,
                values: kept,
            });
        }
        Ok(())
    }

    /// Bits of all sources in the lanes of a mask; all are read before anything is written.
    fn gather(&self, uop: &Uop, lanes: u32, env: &Env, active: u32) -> Result<Gathered, Fault> {
        let column = |src: &Src| {
            let mut values = [0; 32];
            for l in each(lanes) {
                values[l] = self.raw(src, l, env, active).map_err(|c| c.in_lane(l))?;
            }
            Ok(values)
        };
        uop.src.iter().map(column).collect()
    }

    fn execute(
        &mut self,
        uop: &Uop,
        executing: u32,
        env: &mut Env,
        step: &mut Step,
    ) -> Result<(), Fault> {
        let active = step.active;
        match uop.op {
            Op::Nop => Ok(()),
            Op::Trap if executing != 0 => Err(Cause::Requested.into()),
            Op::Trap => Ok(()),
            Op::Load(a) => self.load(uop, &a, executing, env, step),
            Op::Store(a) => self.store(uop, &a, executing, env, active),
            Op::StoreRectangle(space) => match each(executing).next() {
                Some(l) => self.rectangle(uop, space, l, env),
                None => Ok(()),
            },
            Op::Atomic(a, op) => self.atomic(uop, &a, op, executing, env, step),
            Op::Cross(op) => {
                let raw = self.gather(uop, u32::MAX, env, active)?;
                let out = cross::apply(op, uop, &raw, executing)?;
                self.results(uop, executing, &out, step)
            }
            _ => {
                let raw = self.gather(uop, executing, env, active)?;
                let mut out = [[0; 2]; 32];
                let mut column = [0; 8];
                for l in each(executing) {
                    for (c, s) in column.iter_mut().zip(&raw) {
                        *c = s[l];
                    }
                    out[l] = eval(uop, &column[..raw.len().min(8)]);
                }
                self.results(uop, executing, &out, step)
            }
        }
    }

    fn results(
        &mut self,
        uop: &Uop,
        lanes: u32,
        out: &[[u64; 2]; 32],
        step: &mut Step,
    ) -> Result<(), Fault> {
        for (n, place) in uop.dst.iter().enumerate() {
            let values = out.map(|o| o[n]);
            // A second destination is a predicate.
            let ty = if n == 0 { uop.ty } else { Type::Bool };
            self.put_all(place, ty, lanes, &values, step)?;
        }
        Ok(())
    }

    /// Notes what control flow wrote: counters of the mask in every lane, addresses in those that execute.
    fn note_flow(&self, uop: &Uop, executing: u32, step: &mut Step) -> Result<(), Fault> {
        let (Some(writes), [place, _]) = (&mut step.writes, uop.dst) else {
            return Ok(());
        };
        if place == Place::None {
            return Ok(());
        }
        let lanes = match uop.op {
            Op::Flow(Flow::Mask(MaskFlow::JumpRegister)) => executing,
            Op::Flow(Flow::Mask(_)) => u32::MAX,
            _ => executing,
        };
        let mut values = [0; 32];
        for l in each(lanes) {
            let read = self.registers.read(&place, uop.ty, l);
            values[l] = read.map_err(|c| c.in_lane(l))?;
        }
        writes.push(Write {
            place,
            ty: uop.ty,
            lanes,
            values,
        });
        Ok(())
    }

    /// Addresses of an access, checked in every lane before anything moves.
    fn addresses(
        &self,
        uop: &Uop,
        access: &Access,
        operands: usize,
        lanes: u32,
        env: &Env,
        active: u32,
    ) -> Result<[u64; 32], Fault> {
        let mut out = [0; 32];
        for l in each(lanes) {
            let mut sum = 0;
            for src in uop.src.iter().skip(operands) {
                let raw = self.raw(src, l, env, active).map_err(|c| c.in_lane(l))?;
                sum += whole(src, raw);
            }
            out[l] = sum as u64 & access.address.mask();
            env.check(access, out[l], l, &self.local[l])?;
        }
        Ok(out)
    }

    fn load(
        &mut self,
        uop: &Uop,
        access: &Access,
        lanes: u32,
        env: &mut Env,
        step: &mut Step,
    ) -> Result<(), Fault> {
        let addresses = self.addresses(uop, access, 0, lanes, env, step.active)?;
        let size = u64::from(access.element.bytes());
        for (k, c) in elements(access).enumerate() {
            let mut values = [0; 32];
            for l in each(lanes) {
                let at = addresses[l] + c * size;
                let v = env.load(access.space, at, access.element, &self.local[l]);
                values[l] = integer(access.element, v) as u64;
            }
            let place = advance(uop.dst[0], k as u32 * uop.ty.bytes());
            self.put_all(&place, uop.ty, lanes, &values, step)?;
        }
        Ok(())
    }

    fn store(
        &mut self,
        uop: &Uop,
        access: &Access,
        lanes: u32,
        env: &mut Env,
        active: u32,
    ) -> Result<(), Fault> {
        let addresses = self.addresses(uop, access, 1, lanes, env, active)?;
        let size = u64::from(access.element.bytes());
        let Some(data) = uop.src.first() else {
            return Err(Cause::Operand("a store without data").into());
        };
        for l in each(lanes) {
            for (k, c) in elements(access).enumerate() {
                let place = advance(data.place, k as u32 * data.ty.bytes());
                let raw = self.raw(&Src { place, ..*data }, l, env, active);
                let v = bits(data, raw.map_err(|c| c.in_lane(l))?);
                let at = addresses[l] + c * size;
                env.store(access.space, at, access.element, v, &mut self.local[l]);
            }
        }
        Ok(())
    }

    /// Stores a rectangle of bytes, its rows one after the other in the registers of source 0.
    fn rectangle(&self, uop: &Uop, space: Space, lane: usize, env: &mut Env) -> Result<(), Fault> {
        let number = |n: usize| match uop.src.get(n) {
            Some(s) => Ok(whole(s, self.raw(s, lane, env, 0)?) as u64 & 0xffff_ffff),
            None => Err(Cause::Operand("a rectangle without its size")),
        };
        let at = |n: usize| number(n).map_err(|c| c.in_lane(lane));
        let (x, y, size, registers, pitch) = (at(1)?, at(2)?, at(3)?, at(4)?, at(5)?);
        if pitch == 0 {
            return Err(Cause::Operand("a rectangle in a memory whose rows have no length").into());
        }
        let (rows, bytes) = ((size >> 16) + 1, (size & 0xffff) + 1);
        let step = bytes.next_power_of_two().max(4);
        if rows * step > registers {
            return Err(
                Cause::Operand("the rows of a rectangle reach beyond their registers").into(),
            );
        }
        let access = Access::row(space, Type::U8, 1);
        for (row, column) in (0..rows).flat_map(|r| (0..bytes).map(move |c| (r, c))) {
            let place = advance(uop.src[0].place, (row * step + column) as u32);
            let value = self
                .registers
                .read(&place, Type::U8, lane)
                .map_err(|c| c.in_lane(lane))?;
            let to = (y + row).saturating_mul(pitch).saturating_add(x + column);
            env.check(&access, to, lane, &[])?;
            env.store(space, to, Type::U8, value, &mut []);
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        uop: &Uop,
        access: &Access,
        op: AtomicOp,
        lanes: u32,
        env: &mut Env,
        step: &mut Step,
    ) -> Result<(), Fault> {
        let operands = match op {
            AtomicOp::CompareExchange => 2,
            _ => 1,
        };
        let addresses = self.addresses(uop, access, operands, lanes, env, step.active)?;
        let raw = self.gather(uop, lanes, env, step.active)?;
        let mut old = [0; 32];
        for l in each(lanes) {
            let operand = |n: usize| bits(&uop.src[n], raw[n][l]);
            let second = if operands == 2 { operand(1) } else { 0 };
            let local = &mut self.local[l];
            old[l] = env.load(access.space, addresses[l], access.element, local);
            let new = combine(op, uop.ty, old[l], operand(0), second);
            env.store(access.space, addresses[l], access.element, new, local);
        }
        self.put_all(&uop.dst[0], uop.ty, lanes, &old, step)
    }
}

/// Lanes of a mask, ascending.
fn each(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |l| mask >> l & 1 == 1)
}

/// Numbers of the elements that an access moves, ascending.
fn elements(access: &Access) -> impl Iterator<Item = u64> {
    let mask = access.elements;
    (0..8u64).filter(move |c| mask >> c & 1 == 1)
}

/// The place `bytes` bytes further.
fn advance(place: Place, bytes: u32) -> Place {
    match place {
        Place::Register { index, byte } => Place::Register {
            index,
            byte: byte + bytes as u8,
        },
        Place::Uniform { index, byte } => Place::Uniform {
            index,
            byte: byte + bytes as u8,
        },
        Place::Region(r) => Place::Region(Region {
            byte: r.byte + bytes as i16,
            ..r
        }),
        other => other,
    }
}

impl<R: Registers, D: Divergence<R>> Warp for Core<R, D> {
    fn pc(&self) -> u32 {
        self.divergence.pc()
    }

    fn active(&self) -> u32 {
        self.divergence.active()
    }

    fn is_finished(&self) -> bool {
        self.divergence.is_finished()
    }

    fn step(&mut self, program: &Program, env: &mut Env, step: &mut Step) -> Result<(), Fault> {
        let pc = self.divergence.pc();
        let Slot { instr, lowered } = program.at(pc)?;
        let lanes = lowered.lanes;
        self.registers.begin(lanes);
        let taking_part = if lanes.all {
            u32::MAX
        } else {
            self.divergence.active()
        };
        step.pc = pc;
        step.code = instr.code;
        step.active = taking_part & lanes.mask();
        step.barrier = None;
        if let Some(writes) = &mut step.writes {
            writes.clear();
        }
        let mut executing = step.active;
        if let Some(guard) = &lowered.guard {
            for l in each(step.active) {
                if !self.registers.passes(guard, l).map_err(|c| c.in_lane(l))? {
                    executing &= !(1 << l);
                }
            }
        }
        step.executing = executing;
        let mut flow = None;
        for uop in &lowered.uops {
            match uop.op {
                Op::Flow(_) => flow = Some(uop),
                Op::Barrier(b) if executing != 0 => step.barrier = Some(b),
                Op::Barrier(_) => {}
                _ => match self.registers.adjusted(uop) {
                    Some(other) => self.execute(&other, executing, env, step)?,
                    None => self.execute(uop, executing, env, step)?,
                },
            }
        }
        let next = pc.wrapping_add(instr.code.len() as u32);
        self.divergence
            .step(flow, executing, next, &mut self.registers)?;
        if let Some(uop) = flow {
            self.note_flow(uop, executing, step)?;
        }
        step.finished = self.divergence.is_finished();
        Ok(())
    }

    fn read(&self, place: &Place, ty: Type, lane: usize) -> Result<u64, Cause> {
        self.registers.read(place, ty, lane)
    }

    fn write(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        self.registers.write(place, ty, lane, bits)
    }
}
