//! Runs a function of the intermediate representation, for tests of the passes: all threads of one
//! block, one after the other from barrier to barrier, with the chip's arithmetic bit for bit.

use std::collections::BTreeMap;

use super::*;
use warpsmith_isa::uop::Type;
use warpsmith_isa::{FloatType, SfuFn};
use warpsmith_model::num::{convert, double, float, int, rro, sfu};

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A thread executed `trap`.
    Trap,
    /// More instructions than allowed.
    Steps,
    /// An access that is misaligned or outside its memory.
    Address(Space, u32),
    /// A read-only space was stored to, or operands do not fit an operation.
    Broken(String),
    /// Some threads wait at a barrier while others have ended.
    Barrier,
}

/// A block of threads and all memories it sees.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of the grid.
    pub grid: [u32; 2],
    /// This block.
    pub ctaid: [u32; 2],
    /// Bytes of the parameters, from offset 0.
    pub params: Vec<u8>,
    /// Shared memory, header and parameters included.
    pub shared: Vec<u8>,
    /// Constant bank 0.
    pub constant: Vec<u8>,
    /// Global memory, bytes that were written; others read 0.
    pub global: BTreeMap<u32, u8>,
    /// Addresses of the variables of a unit.
    pub variables: Vec<u32>,
    /// Instructions executed at most.
    pub max_steps: u64,
    /// Instructions executed.
    pub steps: u64,
}

/// Contents of a value that no instruction has set.
const UNSET: u32 = 0xdead_beef;

struct Thread {
    tid: [u32; 3],
    values: Vec<u32>,
    local: Vec<u8>,
    block: BlockId,
    next: usize,
    done: bool,
    /// Arguments of a routine, and later its results.
    passed: Vec<u32>,
}

impl Thread {
    fn new(f: &Function, tid: [u32; 3], passed: Vec<u32>) -> Thread {
        let unset = |ty: &Ty| if *ty == Ty::Pred { 0 } else { UNSET };
        Thread {
            tid,
            values: f.types.iter().map(unset).collect(),
            local: vec![0; f.local_bytes as usize],
            block: BlockId(0),
            next: 0,
            done: false,
            passed,
        }
    }
}

impl Machine {
    /// One thread, no memory but 1 KiB of shared.
    pub(crate) fn new() -> Machine {
        Machine {
            block: [1; 3],
            grid: [1; 2],
            ctaid: [0; 2],
            params: vec![0; 256],
            shared: vec![0; 1024],
            constant: Vec::new(),
            global: BTreeMap::new(),
            variables: Vec::new(),
            max_steps: 1 << 22,
            steps: 0,
        }
    }

    /// Sets a word of the parameters.
    pub(crate) fn param(&mut self, offset: usize, word: u32) {
        self.params[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// A word of global memory.
    pub(crate) fn word(&self, address: u32) -> u32 {
        let byte = |i| self.global.get(&(address + i)).copied().unwrap_or(0);
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    }

    /// Sets a word of global memory.
    pub(crate) fn set_word(&mut self, address: u32, word: u32) {
        for (i, b) in (0..).zip(word.to_le_bytes()) {
            self.global.insert(address + i, b);
        }
    }

    /// Runs the block to its end.
    pub(crate) fn run(&mut self, f: &Function) -> Result<(), Fault> {
        let n = f.param_bytes as usize;
        let params = self.params.clone();
        self.shared[16..16 + n].copy_from_slice(&params[..n]);
        let [w, h, d] = self.block;
        let mut threads: Vec<Thread> =
            (0..w * h * d).map(|i| Thread::new(f, [i % w, i / w % h, i / w / h], Vec::new())).collect();
        loop {
            for t in &mut threads {
                while !t.done && !self.step(f, f, t)? {}
            }
            if threads.iter().all(|t| t.done) {
                return Ok(());
            }
            if threads.iter().any(|t| t.done) {
                return Err(Fault::Barrier);
            }
        }
    }

    /// One instruction or end of block; true at a barrier.
    fn step(&mut self, kernel: &Function, f: &Function, t: &mut Thread) -> Result<bool, Fault> {
        self.steps += 1;
        if self.steps > self.max_steps {
            return Err(Fault::Steps);
        }
        let block = f.block(t.block);
        if let Some(inst) = block.insts.get(t.next) {
            t.next += 1;
            return self.inst(kernel, f, inst, t);
        }
        let to = match &block.term {
            Term::Jump(b) => *b,
            Term::Branch { cond, then, other } => {
                if value(t, *cond) != 0 {
                    *then
                } else {
                    *other
                }
            }
            Term::Return => {
                t.done = true;
                return Ok(false);
            }
            Term::Trap => return Err(Fault::Trap),
        };
        let phis: Vec<(Value, u32)> = f
            .block(to)
            .phis
            .iter()
            .map(|p| {
                let arg = p.args.iter().find(|(from, _)| *from == t.block);
                (p.dst, arg.map_or(UNSET, |(_, a)| value(t, *a)))
            })
            .collect();
        for (v, x) in phis {
            t.values[v.0 as usize] = x;
        }
        (t.block, t.next) = (to, 0);
        Ok(false)
    }

    fn inst(&mut self, kernel: &Function, f: &Function, inst: &Inst, t: &mut Thread) -> Result<bool, Fault> {
        let src: Vec<u32> = inst.src.iter().map(|s| value(t, *s)).collect();
        let s = |i: usize| src.get(i).copied().ok_or_else(|| Fault::Broken(format!("{:?} lacks source {i}", inst.op)));
        let out: Vec<u32> = match inst.op {
            Op::Barrier => return Ok(true),
            Op::Fence => vec![],
            Op::Call { routine } => self.call(kernel, routine, t.tid, src)?,
            Op::Double(op) => {
                let mut words = src.iter();
                let number = |n: usize| {
                    let own = words.by_ref().take(op.registers(n).into()).enumerate();
                    own.fold(0, |x, (k, w)| x | u64::from(*w) << (32 * k))
                };
                let x: Vec<u64> = (0..3).map(number).collect();
                let r = double::result(&op, [x[0], x[1], x[2]]).0;
                vec![r as u32, (r >> 32) as u32][..op.results().into()].to_vec()
            }
            Op::Args => t.passed.clone(),
            Op::Results => {
                t.passed = src;
                vec![]
            }
            Op::Special(which) => vec![self.special(which, t)],
            Op::GlobalAddr { var, offset } => {
                let base = self.variables.get(var as usize).copied().unwrap_or(0);
                vec![base.wrapping_add(offset as u32)]
            }
            Op::Add64 | Op::Sub64 => {
                let a = u64::from(s(1)?) << 32 | u64::from(s(0)?);
                let b = u64::from(s(3)?) << 32 | u64::from(s(2)?);
                let r = match inst.op {
                    Op::Add64 => a.wrapping_add(b),
                    _ => a.wrapping_sub(b),
                };
                vec![r as u32, (r >> 32) as u32]
            }
            Op::Load { space, ty, offset, .. } => {
                let at = s(0)?.wrapping_add(offset as u32);
                let whole = ty.bytes() * inst.dst.len() as u32;
                aligned(space, at, whole)?;
                (0..inst.dst.len() as u32)
                    .map(|i| self.load(t, space, ty, at.wrapping_add(4 * i)))
                    .collect::<Result<_, _>>()?
            }
            Op::Store { space, ty, offset, .. } => {
                let at = s(0)?.wrapping_add(offset as u32);
                aligned(space, at, ty.bytes() * (src.len() as u32 - 1))?;
                for (i, w) in (0..).zip(&src[1..]) {
                    let bytes = w.to_le_bytes();
                    for (j, b) in (0..ty.bytes()).zip(bytes) {
                        self.set_byte(t, space, at.wrapping_add(4 * i + j), b)?;
                    }
                }
                vec![]
            }
            Op::Atomic { op, signed, offset } => {
                let at = s(0)?.wrapping_add(offset as u32);
                aligned(Space::Global, at, 4)?;
                let old = self.load(t, Space::Global, MemTy::B32, at)?;
                let ty = Type::int(32, signed);
                let new = op.combine(ty, old.into(), s(1)?.into(), src.get(2).map_or(0, |v| u64::from(*v)));
                for (j, b) in (0..).zip((new as u32).to_le_bytes()) {
                    self.set_byte(t, Space::Global, at.wrapping_add(j), b)?;
                }
                vec![old; inst.dst.len()]
            }
            // Threads are in no warps here: each is one of its own.
            Op::Vote { .. } => vec![s(0)?],
            // A thread goes on until a barrier: no other one has the lock.
            Op::Lock { offset } => {
                let at = s(0)?.wrapping_add(offset as u32);
                aligned(Space::Shared, at, 4)?;
                vec![self.load(t, Space::Shared, MemTy::B32, at)?, 1]
            }
            Op::Unlock { offset } => {
                let at = s(0)?.wrapping_add(offset as u32);
                for (j, b) in (0..).zip(s(1)?.to_le_bytes()).filter(|_| src[2] != 0) {
                    self.set_byte(t, Space::Shared, at.wrapping_add(j), b)?;
                }
                vec![]
            }
            _ => vec![one(inst.op, &s)?],
        };
        if out.len() != inst.dst.len() {
            return Err(Fault::Broken(format!("{:?}: number of results", inst.op)));
        }
        for (d, x) in inst.dst.iter().zip(out) {
            let bits = if f.ty(*d) == Ty::Pred { 1 } else { u32::MAX };
            t.values[d.0 as usize] = x & bits;
        }
        Ok(false)
    }

    /// Results of a routine of the kernel.
    fn call(&mut self, kernel: &Function, routine: u32, tid: [u32; 3], args: Vec<u32>) -> Result<Vec<u32>, Fault> {
        let Some(f) = kernel.routines.get(routine as usize) else {
            return Err(Fault::Broken(format!("routine {routine} does not exist")));
        };
        let mut t = Thread::new(f, tid, args);
        while !t.done {
            self.step(kernel, f, &mut t)?;
        }
        Ok(t.passed)
    }

    fn special(&self, which: Special, t: &Thread) -> u32 {
        match which {
            Special::TidX => t.tid[0],
            Special::TidY => t.tid[1],
            Special::TidZ => t.tid[2],
            Special::NTidX => self.block[0],
            Special::NTidY => self.block[1],
            Special::NTidZ => self.block[2],
            Special::CtaIdX => self.ctaid[0],
            Special::CtaIdY => self.ctaid[1],
            Special::NCtaIdX => self.grid[0],
            Special::NCtaIdY => self.grid[1],
            Special::Clock => self.steps as u32,
        }
    }

    fn load(&self, t: &Thread, space: Space, ty: MemTy, at: u32) -> Result<u32, Fault> {
        let mut word = 0;
        for i in 0..ty.bytes() {
            word |= u32::from(self.byte(t, space, at.wrapping_add(i))?) << (8 * i);
        }
        Ok(extend(ty, word))
    }

    fn byte(&self, t: &Thread, space: Space, at: u32) -> Result<u8, Fault> {
        let memory = match space {
            Space::Param => &self.params,
            Space::Shared => &self.shared,
            Space::Const => &self.constant,
            Space::Local => &t.local,
            Space::Global => return Ok(self.global.get(&at).copied().unwrap_or(0)),
        };
        let byte = memory.get(at as usize).copied();
        byte.ok_or(Fault::Address(space, at))
    }

    fn set_byte(&mut self, t: &mut Thread, space: Space, at: u32, b: u8) -> Result<(), Fault> {
        let memory = match space {
            Space::Shared => &mut self.shared,
            Space::Local => &mut t.local,
            Space::Global => {
                self.global.insert(at, b);
                return Ok(());
            }
            Space::Param | Space::Const => return Err(Fault::Broken("store to constants".into())),
        };
        match memory.get_mut(at as usize) {
            Some(byte) => *byte = b,
            None => return Err(Fault::Address(space, at)),
        }
        Ok(())
    }
}

fn value(t: &Thread, o: Operand) -> u32 {
    match o {
        Operand::Value(v) => t.values[v.0 as usize],
        Operand::Imm(x) => x,
    }
}

fn aligned(space: Space, at: u32, bytes: u32) -> Result<(), Fault> {
    match at % bytes.clamp(1, 16) {
        0 => Ok(()),
        _ => Err(Fault::Address(space, at)),
    }
}

fn extend(ty: MemTy, x: u32) -> u32 {
    match ty {
        MemTy::U8 => x & 0xff,
        MemTy::S8 => x as i8 as u32,
        MemTy::U16 => x & 0xffff,
        MemTy::S16 => x as i16 as u32,
        MemTy::B32 => x,
    }
}

fn holds(rel: Rel, order: std::cmp::Ordering) -> u32 {
    u32::from(rel.0 >> (order as i8 + 1) & 1)
}

/// Result of an operation that has one and touches no memory.
fn one(op: Op, s: &dyn Fn(usize) -> Result<u32, Fault>) -> Result<u32, Fault> {
    let (a, b) = (s(0)?, s(1).unwrap_or(0));
    let shift = |signed: bool, n: u32| match (signed, n) {
        (false, 0..=31) => a >> n,
        (false, _) => 0,
        (true, n) => (a as i32 >> n.min(31)) as u32,
    };
    Ok(match op {
        Op::Copy => a,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::MulHi { signed: false } => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::MulHi { signed: true } => ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
        Op::Mul16 { signed } => int::mul16(signed, signed, a, b),
        Op::Mul24 { signed, high } => int::mul24(signed, high, a, b),
        Op::Min { signed: false } => a.min(b),
        Op::Max { signed: false } => a.max(b),
        Op::Min { signed: true } => (a as i32).min(b as i32) as u32,
        Op::Max { signed: true } => (a as i32).max(b as i32) as u32,
        Op::Sad { signed: false } => a.abs_diff(b).wrapping_add(s(2)?),
        Op::Sad { signed: true } => (a as i32).abs_diff(b as i32).wrapping_add(s(2)?),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::Shl => a.checked_shl(b).unwrap_or(0),
        Op::Shr { signed } => shift(signed, b),
        Op::Ext(ty) => extend(ty, a),
        Op::Cmp { rel, signed: false } => holds(rel, a.cmp(&b)),
        Op::Cmp { rel, signed: true } => holds(rel, (a as i32).cmp(&(b as i32))),
        Op::FCmp(rel) => u32::from(rel.0 >> float::relation(a, b) & 1),
        Op::Select => {
            if a != 0 {
                b
            } else {
                s(2)?
            }
        }
        Op::FAdd { round, sat } => clamp(float::add(a, b, round), sat),
        Op::FMul { round } => float::mul(a, b, round),
        Op::FMad { sat } => clamp(float::mad(a, b, s(2)?), sat),
        Op::FMin => float::min_max(false, a, b),
        Op::FMax => float::min_max(true, a, b),
        Op::FNeg => f2f(a, Round::Nearest, false, true, false),
        Op::FAbs => f2f(a, Round::Nearest, false, false, true),
        Op::FSat => clamp(a, true),
        Op::FRound(round) => f2f(a, round, true, false, false),
        Op::Rcp => sfu::apply(SfuFn::Rcp, a),
        Op::Rsq => sfu::apply(SfuFn::Rsq, a),
        Op::Lg2 => sfu::apply(SfuFn::Lg2, a),
        Op::Sin => sfu::apply(SfuFn::Sin, a),
        Op::Cos => sfu::apply(SfuFn::Cos, a),
        Op::Ex2 => sfu::apply(SfuFn::Ex2, a),
        Op::RroSin => rro::sin(a),
        Op::RroEx2 => rro::ex2(a),
        Op::IntToF { signed, round } => {
            let ty = if signed { IntType::S32 } else { IntType::U32 };
            convert::i2f(a, ty, FloatType::F32, round, false, false, false)
        }
        Op::FToInt { signed, round } => {
            let ty = if signed { IntType::S32 } else { IntType::U32 };
            convert::f2i(a, FloatType::F32, ty, round, false, false)
        }
        Op::FToHalf(round) => convert::f2f(a, FloatType::F32, FloatType::F16, round, false, false, false, false),
        Op::HalfToF => {
            convert::f2f(a & 0xffff, FloatType::F16, FloatType::F32, Round::Nearest, false, false, false, false)
        }
        other => return Err(Fault::Broken(format!("{other:?} is not evaluated"))),
    })
}

fn clamp(x: u32, sat: bool) -> u32 {
    if sat {
        float::saturate(x)
    } else {
        x
    }
}

fn f2f(a: u32, round: Round, to_int: bool, neg: bool, abs: bool) -> u32 {
    let f = FloatType::F32;
    convert::f2f(a, f, f, round, to_int, neg, abs, false)
}
