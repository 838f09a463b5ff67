//! The commonest instructions, where all 32 threads of a warp execute them: what decides how they execute is known
//! before they run.

use super::alu::add as sum;
use super::float;
use super::room::Room;
use crate::exec::Env;
use crate::record::Lanes;
use crate::warp::Warp;
use warpsmith_isa::{AddKind, Dst, Instr, Marker, MemRef, MemSize, Op, Round, Src, Width, WARP_SIZE};

/// Where an operand is.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Register(u8),
    Value(u32),
    /// A word of shared memory.
    Shared(Place),
    /// A word of a constant bank.
    Constant(u8, Place),
}

/// A word by an address register, 0 for none, and an offset.
#[derive(Clone, Copy, Debug)]
struct Place {
    register: u8,
    offset: i32,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Add(bool, bool),
    Mul(bool),
    Mad(bool, bool),
    /// Of integers, and the flag register that it writes.
    Sum(Option<u8>),
    Difference(Option<u8>),
    Move,
}

/// What one instruction does.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Computes, and writes a register.
    Compute { action: Action, to: u8, from: [Operand; 3] },
    /// Moves an address register.
    Address { to: u8, from: u8, offset: u32 },
}

/// An instruction that a whole warp executes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    task: Task,
    /// Of the instruction.
    bytes: u32,
}

impl Whole {
    /// Of an instruction that has no condition, where it is one of these.
    pub fn of(instr: &Instr) -> Option<Whole> {
        if instr.marker != Marker::None {
            return None;
        }
        let (bytes, flags) = (instr.bytes(), instr.cdst);
        let action = match instr.op {
            Op::AddA => match (instr.dst, instr.src) {
                (Dst::Addr(to @ 1..8), [Src::Addr(from @ 0..8), Src::Imm(offset), _]) => {
                    return Some(Whole { task: Task::Address { to, from, offset }, bytes })
                }
                _ => return None,
            },
            Op::FAdd { neg_a, neg_b, round: Round::Nearest, sat: false } if flags.is_none() => {
                Action::Add(neg_a, neg_b)
            }
            Op::FMul { neg_a, neg_b, round: Round::Nearest } if flags.is_none() => Action::Mul(neg_a != neg_b),
            Op::FMad { neg_ab, neg_c, sat: false } if flags.is_none() => Action::Mad(neg_ab, neg_c),
            Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false } => Action::Sum(flags),
            Op::IAdd { kind: AddKind::Sub, width: Width::W32, sat: false } => Action::Difference(flags),
            Op::Mov { lanes: 15, .. } | Op::LdConst => Action::Move,
            _ => return None,
        };
        let Dst::Reg(to) = instr.dst else { return None };
        let [a, b, c] = instr.src.each_ref().map(Operand::of);
        Some(Whole { task: Task::Compute { action, to, from: [a?, b?, c?] }, bytes })
    }

    /// Executes it with all threads: its bytes; `None`, and nothing has changed, where another path has to.
    #[inline(always)]
    pub fn execute(&self, w: &mut Warp, env: &Env<'_>, room: &mut Room) -> Option<u32> {
        let (action, to, [a, b, c]) = match &self.task {
            Task::Address { to, from, offset } => {
                w.address.add(usize::from(to & 7), usize::from(from & 7), *offset);
                return Some(self.bytes);
            }
            Task::Compute { action, to, from } => (*action, usize::from(*to), from),
        };
        let ([first, second, third], out) = (&mut room.operands, &mut room.results);
        let a = a.read(w, env, first)?;
        match action {
            Action::Move => out.values = *a,
            Action::Add(neg_a, neg_b) => float::add(a, b.read(w, env, second)?, (neg_a, neg_b), &mut out.values),
            Action::Mul(negative) => float::mul(a, b.read(w, env, second)?, (negative, false), &mut out.values),
            Action::Mad(neg_ab, neg_c) => {
                let (b, c) = (b.read(w, env, second)?, c.read(w, env, third)?);
                float::mad([a, b, c], (neg_ab, neg_c), &mut out.values);
            }
            Action::Sum(flags) => sum(AddKind::Add, a, b.read(w, env, second)?, flags.is_some(), out),
            Action::Difference(flags) => sum(AddKind::Sub, a, b.read(w, env, second)?, flags.is_some(), out),
        }
        **w.registers.get_mut(to)? = out.values;
        if let Action::Sum(Some(c)) | Action::Difference(Some(c)) = action {
            w.flags[usize::from(c & 3)] = out.flags;
        }
        Some(self.bytes)
    }
}

impl Operand {
    /// `None` where it is none of these.
    fn of(src: &Src) -> Option<Operand> {
        let place = |at: &MemRef| {
            let usual = at.size == MemSize::B32 && !at.post_inc;
            usual.then_some(Place { register: at.areg & 7, offset: at.offset })
        };
        Some(match src {
            Src::None => Operand::Value(0),
            Src::Reg(r) => Operand::Register(*r),
            Src::Imm(v) => Operand::Value(*v),
            Src::Shared(at) => Operand::Shared(place(at)?),
            Src::Const { bank, at } => Operand::Constant(*bank, place(at)?),
            _ => return None,
        })
    }

    /// The operand of all threads; `None` where another path has to read it.
    #[inline(always)]
    fn read<'a>(&self, w: &'a Warp, env: &Env<'_>, room: &'a mut Lanes) -> Option<&'a Lanes> {
        let (memory, at) = match self {
            Operand::Register(r) => return w.registers.get(usize::from(*r)).map(|r| &**r),
            Operand::Value(v) => {
                *room = [*v; WARP_SIZE];
                return Some(room);
            }
            Operand::Shared(at) => (&*env.shared, at),
            Operand::Constant(bank, at) => (env.constants.bank(*bank), at),
        };
        w.address.rows(usize::from(at.register & 7)).gather(memory, at.offset, room)?;
        Some(room)
    }
}
