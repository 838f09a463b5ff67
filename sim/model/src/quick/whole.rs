//! The commonest instructions, where all 32 threads of a warp execute them: what decides how they execute is known
//! before they run.

use super::alu::add as sum;
use super::float;
use super::lanes::{agreed, reach, Reach};
use super::room::Room;
use crate::exec::Env;
use crate::memory::gather::fill;
use crate::memory::Global;
use crate::record::Lanes;
use crate::warp::Warp;
use pulp::Simd;
use warpsmith_isa::{AddKind, Dst, Instr, Marker, MemRef, MemSize, Op, Round, Src, Width};

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
    /// Loads a word a thread by the addresses of a register.
    Load { to: u8, at: u8 },
    /// Stores a register in shared memory.
    Store { at: Place, from: u8 },
    /// Goes to an address where the guard holds for the flags, which all threads must agree on.
    Branch { target: u32, guard: u16, flags: u8 },
}

/// Where a warp goes.
pub(crate) enum Went {
    On,
    /// To a byte address.
    To(u32),
    /// Nowhere, and nothing has changed: another path has to execute the instruction.
    Nowhere,
}

/// An instruction that a whole warp executes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole(Task);

impl Whole {
    /// Of an instruction with its guard, where it is one of these.
    pub fn of(instr: &Instr, guard: u16) -> Option<Whole> {
        if instr.marker != Marker::None {
            return None;
        }
        if let Op::Bra { target } = instr.op {
            return Some(Whole(Task::Branch { target, guard, flags: instr.pred.creg & 3 }));
        }
        if guard != u16::MAX {
            return None;
        }
        let flags = instr.cdst;
        let action = match instr.op {
            Op::AddA => match (instr.dst, instr.src) {
                (Dst::Addr(to @ 1..8), [Src::Addr(from @ 0..8), Src::Imm(offset), _]) => {
                    return Some(Whole(Task::Address { to, from, offset }))
                }
                _ => return None,
            },
            Op::LdGlobal { size: MemSize::B32, .. } => match (instr.dst, instr.src[0]) {
                (Dst::Reg(to), Src::Reg(at)) => return Some(Whole(Task::Load { to, at })),
                _ => return None,
            },
            Op::StShared { at, unlock: false } => match instr.src[0] {
                Src::Reg(from) => return Some(Whole(Task::Store { at: Place::of(&at)?, from })),
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
        Some(Whole(Task::Compute { action, to, from: [a?, b?, c?] }))
    }

    /// Executes it with all threads.
    #[inline(always)]
    pub fn execute<S: Simd>(
        &self, simd: S, w: &mut Warp, env: &mut Env<'_>, global: &mut impl Global, room: &mut Room,
    ) -> Went {
        let done = match &self.0 {
            Task::Compute { action, to, from } => compute(simd, (*action, usize::from(*to), from), w, env, room),
            Task::Address { to, from, offset } => {
                w.address.add(simd, usize::from(to & 7), usize::from(from & 7), *offset);
                Some(())
            }
            Task::Load { to, at } => load(simd, usize::from(*to), usize::from(*at), w, global, room),
            Task::Store { at, from } => {
                let rows = w.address.rows(simd, usize::from(at.register & 7));
                w.registers.get(usize::from(*from)).and_then(|from| rows.scatter(env.shared, at.offset, from))
            }
            Task::Branch { target, guard, flags } => {
                return match agreed(*guard, &w.flags[usize::from(flags & 3)]) {
                    Some(true) => Went::To(*target),
                    Some(false) => Went::On,
                    None => Went::Nowhere,
                }
            }
        };
        match done {
            Some(()) => Went::On,
            None => Went::Nowhere,
        }
    }
}

#[inline(always)]
fn compute<S: Simd>(
    simd: S, (action, to, [a, b, c]): (Action, usize, &[Operand; 3]), w: &mut Warp, env: &Env<'_>, room: &mut Room,
) -> Option<()> {
    let ([first, second, third], out) = (&mut room.operands, &mut room.results);
    let a = a.read(simd, w, env, first)?;
    match action {
        Action::Move => out.values = *a,
        Action::Add(neg_a, neg_b) => float::add(a, b.read(simd, w, env, second)?, (neg_a, neg_b), &mut out.values),
        Action::Mul(negative) => float::mul(a, b.read(simd, w, env, second)?, (negative, false), &mut out.values),
        Action::Mad(neg_ab, neg_c) => {
            let (b, c) = (b.read(simd, w, env, second)?, c.read(simd, w, env, third)?);
            float::mad([a, b, c], (neg_ab, neg_c), &mut out.values);
        }
        Action::Sum(flags) => sum(AddKind::Add, a, b.read(simd, w, env, second)?, flags.is_some(), out),
        Action::Difference(flags) => sum(AddKind::Sub, a, b.read(simd, w, env, second)?, flags.is_some(), out),
    }
    **w.registers.get_mut(to)? = out.values;
    if let Action::Sum(Some(c)) | Action::Difference(Some(c)) = action {
        w.flags[usize::from(c & 3)] = out.flags;
    }
    Some(())
}

/// Loads register `to` by the addresses of register `at`, where they are on one page.
#[inline(always)]
fn load<S: Simd>(simd: S, to: usize, at: usize, w: &mut Warp, global: &mut impl Global, room: &mut Room) -> Option<()> {
    let at = w.registers.get(at)?;
    let Reach::Page(shapes) = reach(simd, global.usable(), at)? else { return None };
    global.words(simd, at, shapes, &mut room.results.values);
    **w.registers.get_mut(to)? = room.results.values;
    Some(())
}

impl Place {
    /// `None` where it is no word, or steps its register.
    fn of(at: &MemRef) -> Option<Place> {
        let usual = at.size == MemSize::B32 && !at.post_inc;
        usual.then_some(Place { register: at.areg & 7, offset: at.offset })
    }
}

impl Operand {
    /// `None` where it is none of these.
    fn of(src: &Src) -> Option<Operand> {
        Some(match src {
            Src::None => Operand::Value(0),
            Src::Reg(r) => Operand::Register(*r),
            Src::Imm(v) => Operand::Value(*v),
            Src::Shared(at) => Operand::Shared(Place::of(at)?),
            Src::Const { bank, at } => Operand::Constant(*bank, Place::of(at)?),
            _ => return None,
        })
    }

    /// The operand of all threads; `None` where another path has to read it.
    #[inline(always)]
    fn read<'a, S: Simd>(&self, simd: S, w: &'a Warp, env: &Env<'_>, room: &'a mut Lanes) -> Option<&'a Lanes> {
        let (memory, at) = match self {
            Operand::Register(r) => return w.registers.get(usize::from(*r)).map(|r| &**r),
            Operand::Value(v) => {
                fill(simd, *v, room);
                return Some(room);
            }
            Operand::Shared(at) => (&*env.shared, at),
            Operand::Constant(bank, at) => (env.constants.bank(*bank), at),
        };
        w.address.rows(simd, usize::from(at.register & 7)).gather(simd, memory, at.offset, room)?;
        Some(room)
    }
}
