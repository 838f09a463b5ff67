//! One warp: how an instruction of any set is executed.

use super::bits::{Bits, Marked};
use super::cause::{Cause, Fault};
use super::cross::{self, Gathered};
use super::eval::eval;
use super::memory::{Env, Geometry};
use super::program::{Program, Slot};
use super::registers::{each, Registers, TEMPORARIES};
use crate::record::{AccessKind, Spread};
use crate::undefined::Origin;
use crate::watch::Accesses;
use warpsmith_isa::set::{Code, Instr, InstructionSet};
use warpsmith_isa::uop::{Access, BarrierOp, Builtin, Flow, Guard, Lowered, Op, Place, Src, Type, Uop};
use warpsmith_launch::Launch;

/// How the lanes of a warp part and meet.
pub trait Divergence<R> {
    /// Byte address of the next instruction.
    fn pc(&self) -> u32;

    /// Lanes that are active in it.
    fn active(&self) -> u32;

    /// Takes an instruction before it executes: true where the warp has gone elsewhere instead.
    ///
    /// # Errors
    /// It has nowhere to go.
    fn intercept(&mut self, instr: &Instr, next: u32, registers: &mut R) -> Result<bool, Cause> {
        let _ = (instr, next, registers);
        Ok(false)
    }

    /// Lanes that an instruction can execute in, before its guard.
    fn taking_part(&self, lowered: &Lowered) -> u32 {
        match lowered.lanes.all {
            true => u32::MAX,
            false => self.active(),
        }
    }

    /// Whether the warp has ended.
    fn is_finished(&self) -> bool;

    /// Lanes that have a thread.
    fn present(&self) -> u32 {
        u32::MAX
    }

    /// Whether the warp goes on where no lane is active: then it comes to barriers and traps, too.
    fn goes_on_empty(&self) -> bool {
        false
    }

    /// Whether the operands of control flow decide where a lane goes.
    fn decides(&self, flow: &Uop, lane: usize, registers: &R) -> bool {
        let _ = (flow, lane, registers);
        true
    }

    /// Registers have changed from outside: what follows from them does too.
    fn settle(&mut self, registers: &R) {
        let _ = registers;
    }

    /// Entries on its stack; 0 for a way without one.
    fn depth(&self) -> usize {
        0
    }

    /// Ends the instruction: `flow` is its control flow, `executing` the lanes that passed the guard,
    /// `next` the address behind it.
    ///
    /// # Errors
    /// Control flow that the state does not allow, or that is another set's.
    fn step(&mut self, flow: Option<&Uop>, executing: u32, next: u32, registers: &mut R) -> Result<(), Cause>;
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
    /// Undefined bits of them, where they are tracked and there are any.
    pub undefined: Option<Box<[u64; 32]>>,
}

/// What a load, a store or an atomic access moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// What moves: memory, elements.
    pub access: Access,
    /// Which of them.
    pub kind: AccessKind,
    /// Byte address of each executing lane.
    pub addresses: [u64; 32],
    /// Bits stored by each lane, an array an element, of an atomic access its last operand; empty of a load, whose values
    /// are writes.
    pub data: Vec<[u64; 32]>,
}

/// What one instruction did.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Byte address.
    pub pc: u32,
    /// The instruction.
    pub code: Code,
    /// Lanes that were active before it, of lanes that it does not concern, too.
    pub here: u32,
    /// Lanes of the instruction that were active.
    pub active: u32,
    /// Lanes that executed it: of an instruction that counts in every lane, all that have a thread.
    pub executing: u32,
    /// Barrier it came to.
    pub barrier: Option<BarrierOp>,
    /// Whether the warp has ended.
    pub finished: bool,
    /// Registers written, where asked for.
    pub writes: Option<Vec<Write>>,
    /// What its accesses moved, in their order, where writes were asked for.
    pub moved: Vec<Moved>,
    /// Accesses to the memories that threads share, where they are asked for.
    pub accesses: Accesses,
}

/// A warp of some set.
pub trait Warp: Send + Sync {
    /// Byte address of the next instruction.
    fn pc(&self) -> u32;

    /// Lanes that are active.
    fn active(&self) -> u32;

    /// Whether it has ended.
    fn is_finished(&self) -> bool;

    /// Entries on its divergence stack; 0 for sets without one.
    fn depth(&self) -> usize;

    /// The same warp once more.
    fn boxed(&self) -> Box<dyn Warp>;

    /// Executes one instruction. With `step.writes` it lists what it wrote.
    ///
    /// # Errors
    /// The instruction traps; then the machine stops.
    fn step(&mut self, program: &Program, env: &mut Env, step: &mut Step) -> Result<(), Fault>;

    /// Keeps track of undefined bits from here on.
    fn track(&mut self);

    /// Registers were written from outside: what follows from them does too.
    fn settle(&mut self);

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

impl Clone for Box<dyn Warp> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

/// What a set adds to the shared execution.
pub trait Set: Sync {
    /// Table, decoder, lowering.
    fn instructions(&self) -> &'static dyn InstructionSet;

    /// Where a lane has its 32 bits of a register that lanes share as `spread` says.
    fn register(&self, number: u8, spread: Spread, lane: usize) -> Place {
        let _ = (spread, lane);
        Place::register(number.into())
    }

    /// A warp at the start of its program.
    fn start(
        &self, launch: &Launch, geometry: &Geometry, block: [u32; 3], warp: u32, stack_depth: usize,
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
    pub(super) local: Vec<Vec<u8>>,
    temporaries: [[u64; 32]; TEMPORARIES],
    /// Which bits are undefined, where that is tracked.
    pub(super) undefined: Option<Box<Bits<R>>>,
}

impl<R: Registers + Clone, D: Divergence<R>> Core<R, D> {
    /// A warp with so many bytes of local memory a lane.
    pub fn new(registers: R, divergence: D, local_bytes: u32) -> Core<R, D> {
        Core {
            registers,
            divergence,
            local: vec![vec![0; local_bytes as usize]; 32],
            temporaries: [[0; 32]; TEMPORARIES],
            undefined: None,
        }
    }

    /// Bits of a source as they lie in its place.
    pub(super) fn raw(&self, src: &Src, lane: usize, env: &Env, active: u32) -> Result<u64, Cause> {
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
    pub(super) fn put_all(
        &mut self, place: &Place, ty: Type, lanes: u32, values: &[u64; 32], marked: Option<(&[u64; 32], Origin)>,
        step: &mut Step,
    ) -> Result<(), Fault> {
        if *place == Place::None {
            return Ok(());
        }
        for l in each(lanes) {
            self.put(place, ty, l, values[l]).map_err(|c| c.in_lane(l))?;
        }
        if let Some(bits) = &mut self.undefined {
            bits.put(place, ty, lanes, &self.registers, marked);
        }
        if let (Some(writes), false) = (&mut step.writes, matches!(place, Place::Temporary(_))) {
            let mut kept = [0; 32];
            each(lanes).for_each(|l| kept[l] = values[l] & ty.mask());
            writes.push(Write {
                place: *place,
                ty,
                lanes,
                values: kept,
                undefined: marked.map(|(m, _)| Box::new(m.map(|b| b & ty.mask()))),
            });
        }
        Ok(())
    }

    /// Bits of all sources in the lanes of a mask; all are read before anything is written.
    pub(super) fn gather(&self, uop: &Uop, lanes: u32, env: &Env, active: u32) -> Result<Gathered, Fault> {
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
        &mut self, uop: &Uop, executing: u32, guard: Option<&Guard>, env: &mut Env, step: &mut Step,
    ) -> Result<(), Fault> {
        let active = step.active;
        match uop.op {
            Op::Nop => Ok(()),
            Op::Trap if executing != 0 || self.divergence.goes_on_empty() => Err(Cause::Requested.into()),
            Op::Trap => Ok(()),
            Op::Load(a) => self.load(uop, &a, executing, env, step),
            Op::Store(a) => {
                self.leaves(a.space, step, None, env, guard);
                self.store(uop, &a, executing, env, step)
            }
            Op::StoreRectangle(space) => match each(executing).next() {
                Some(l) => self.rectangle(uop, space, l, env, step),
                None => Ok(()),
            },
            Op::Atomic(a, op) => {
                self.leaves(a.space, step, None, env, guard);
                self.atomic(uop, &a, op, executing, env, step)
            }
            Op::Cross(op) => {
                let raw = self.gather(uop, u32::MAX, env, active)?;
                let out = cross::apply(op, uop, &raw, executing)?;
                let marked = self.marked(uop, u32::MAX).map(|m| {
                    let spread = Self::crossed(op, uop, &raw, &m, executing);
                    (spread, m.1)
                });
                self.results(uop, executing, &out, marked.as_ref(), step)
            }
            _ => {
                let raw = self.gather(uop, executing, env, active)?;
                let marked = self.marked(uop, executing).map(|m: Marked| {
                    let spread = Self::spread(uop, &raw, &m, executing);
                    (spread, m.1)
                });
                let mut out = [[0; 2]; 32];
                let mut column = [0; 8];
                for l in each(executing) {
                    for (n, (c, s)) in column.iter_mut().zip(&raw).enumerate() {
                        *c = self.registers.taken(uop, n, s[l]);
                    }
                    out[l] = eval(uop, &column[..raw.len().min(8)]);
                    out[l][0] = self.registers.given(uop, out[l][0]);
                }
                self.results(uop, executing, &out, marked.as_ref(), step)
            }
        }
    }

    fn results(
        &mut self, uop: &Uop, lanes: u32, out: &[[u64; 2]; 32], marked: Option<&([[u64; 2]; 32], Origin)>,
        step: &mut Step,
    ) -> Result<(), Fault> {
        for (n, place) in uop.dst.iter().enumerate() {
            let values = out.map(|o| o[n]);
            // A second destination is a predicate.
            let ty = if n == 0 { uop.ty } else { Type::Bool };
            match marked {
                Some((m, origin)) => {
                    let m = m.map(|o| o[n]);
                    self.put_all(place, ty, lanes, &values, Some((&m, *origin)), step)?;
                }
                None => self.put_all(place, ty, lanes, &values, None, step)?,
            }
        }
        Ok(())
    }

    /// Notes what control flow wrote in the lanes that execute it.
    fn note_flow(&self, uop: &Uop, executing: u32, undefined: u32, step: &mut Step) -> Result<(), Fault> {
        let (Some(writes), [place, _]) = (&mut step.writes, uop.dst) else { return Ok(()) };
        if place == Place::None {
            return Ok(());
        }
        let mut values = [0; 32];
        for l in each(executing) {
            let read = self.registers.read(&place, uop.ty, l);
            values[l] = read.map_err(|c| c.in_lane(l))?;
        }
        writes.push(Write {
            place,
            ty: uop.ty,
            lanes: executing,
            values,
            undefined: (undefined != 0).then(|| {
                let all = |l| if undefined >> l & 1 == 1 { u64::MAX } else { 0 };
                Box::new(std::array::from_fn(all))
            }),
        });
        Ok(())
    }
}

impl<R, D> Warp for Core<R, D>
where
    R: Registers + Clone + Send + Sync + 'static,
    D: Divergence<R> + Clone + Send + Sync + 'static,
{
    fn pc(&self) -> u32 {
        self.divergence.pc()
    }

    fn active(&self) -> u32 {
        self.divergence.active()
    }

    fn is_finished(&self) -> bool {
        self.divergence.is_finished()
    }

    fn depth(&self) -> usize {
        self.divergence.depth()
    }

    fn boxed(&self) -> Box<dyn Warp> {
        Box::new(self.clone())
    }

    fn step(&mut self, program: &Program, env: &mut Env, step: &mut Step) -> Result<(), Fault> {
        let pc = self.divergence.pc();
        let Slot { instr, lowered, discards } = program.at(pc)?;
        let now = self.registers.lowered(instr, pc)?;
        let lowered = now.as_ref().unwrap_or(lowered);
        let lanes = lowered.lanes;
        self.registers.begin(lanes);
        if let Some(bits) = &mut self.undefined {
            bits.begin(lanes);
        }
        step.pc = pc;
        step.code = instr.code;
        let next = pc.wrapping_add(instr.code.len() as u32);
        if self.divergence.intercept(instr, next, &mut self.registers)? {
            step.accesses.begin();
            let (writes, accesses) = (step.writes.take().map(|_| Vec::new()), std::mem::take(&mut step.accesses));
            *step = Step { pc, code: instr.code, writes, accesses, ..Step::default() };
            return Ok(());
        }
        step.here = self.divergence.active();
        step.active = self.divergence.taking_part(lowered) & lanes.mask();
        step.barrier = None;
        if let Some(writes) = &mut step.writes {
            writes.clear();
        }
        step.moved.clear();
        step.accesses.begin();
        let mut executing = step.active;
        if let Some(guard) = &lowered.guard {
            for l in each(step.active) {
                if !self.registers.passes(guard, l).map_err(|c| c.in_lane(l))? {
                    executing &= !(1 << l);
                }
            }
        }
        if let Some(guard) = &lowered.guard {
            executing = self.guarded(guard, step, executing, env);
        }
        step.executing = executing;
        let guard = lowered.guard.as_ref();
        let mut flow = None;
        for uop in &lowered.uops {
            match uop.op {
                Op::Flow(_) => flow = Some(uop),
                Op::Barrier(b) if executing != 0 || self.divergence.goes_on_empty() => {
                    step.barrier = Some(b);
                }
                Op::Barrier(_) => {}
                _ => match self.registers.adjusted(uop) {
                    Some(other) => self.execute(&other, executing, guard, env, step)?,
                    None => self.execute(uop, executing, guard, env, step)?,
                },
            }
        }
        if lanes.all && self.divergence.goes_on_empty() {
            // It is the warp's: no thread is needed.
            step.active = self.divergence.active() & lanes.mask();
            step.executing = step.active;
        }
        let unknown = match flow {
            Some(uop) => self.flows(uop, guard, step, env),
            None => 0,
        };
        self.divergence.step(flow, executing, next, &mut self.registers)?;
        if let Some(uop) = flow {
            if matches!(uop.op, Op::Flow(Flow::Mask(f)) if f.counts()) {
                step.executing = self.divergence.present();
            }
            self.note_flow(uop, step.executing, unknown, step)?;
            self.flowed(uop, step.executing, lanes.first);
        }
        self.discard(discards, lowered, step.executing);
        step.finished = self.divergence.is_finished();
        Ok(())
    }

    fn track(&mut self) {
        Core::track(self);
    }

    fn settle(&mut self) {
        self.divergence.settle(&self.registers);
    }

    fn read(&self, place: &Place, ty: Type, lane: usize) -> Result<u64, Cause> {
        self.registers.read(place, ty, lane)
    }

    fn write(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        self.registers.write(place, ty, lane, bits)
    }
}
