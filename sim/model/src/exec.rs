//! One warp instruction: operands, operation, write-back, flow.

mod compute;
pub(crate) mod double;
mod env;
mod operand;
mod write;

use crate::divergence::EntryKind;
use crate::memory::{check, load_bytes, store_bytes, Global};
use crate::record::{AccessKind, BarrierEvent, MemAccess, Retired, RetiredDst};
use crate::trap::{Fault, Space, TrapCause};
use crate::warp::Warp;
use crate::watch::{Access, Shared, Touch};
pub(crate) use compute::{compute, Sink};
pub(crate) use env::Env;
pub(crate) use operand::{addresses, blend, operand, predicate_mask};

use operand::ZERO;
use warpsmith_isa::uop::{AtomicOp, Type};
use warpsmith_isa::{Dst, Instr, Marker, MemSize, Op, Src, WARP_SIZE};
use write::{post_increment, write_back, write_flags};

/// Executes the instruction at the warp's pc and fills `rec`, all but the block-wide fields.
/// On a fault nothing has changed.
pub(crate) fn execute(
    instr: &Instr, guard: u16, warp: &mut Warp, env: &mut Env<'_>, global: &mut impl Global, rec: &mut Retired,
) -> Result<(), Fault> {
    let pc = warp.control.pc;
    let next = pc.wrapping_add(instr.bytes());
    let active = warp.control.active;
    let e = if ignores_predicate(&instr.op) {
        active
    } else {
        active & predicate_mask(guard, &warp.flags[usize::from(instr.pred.creg & 3)])
    };
    rec.pc = pc;
    rec.long = instr.long;
    rec.active_mask = active;
    rec.exec_mask = e;
    rec.write_mask = 0;
    rec.dst = RetiredDst::None;
    rec.post_increment = None;
    rec.flags = None;
    rec.mem = None;
    rec.barrier = None;
    rec.deadlock = None;
    rec.accesses.begin();

    check_flow(instr, warp, active, e)?;
    match instr.op {
        Op::Bra { target } => warp.control.branch(e, target, next),
        Op::Cal { target, .. } => warp.control.call(target, next),
        Op::Ret => warp.control.ret(e, next),
        Op::Brk => warp.control.brk(e, next),
        Op::Ssy { target } => {
            warp.control.push(EntryKind::Joinat, target);
            warp.control.pc = next;
        }
        Op::Pbk { target } => {
            warp.control.push(EntryKind::Prebreak, target);
            warp.control.pc = next;
        }
        Op::Bar { id, arrive, wait, .. } => {
            rec.barrier = Some(BarrierEvent { id, arrive, wait });
            warp.control.pc = next;
        }
        _ => {
            data_path((instr, guard), warp, env, global, e, rec)?;
            match instr.marker {
                Marker::None => warp.control.pc = next,
                Marker::Exit => warp.control.exit(next),
                Marker::Join => warp.control.join(next),
            }
        }
    }
    rec.finished = warp.control.is_finished();
    rec.next_pc = if rec.finished { 0 } else { warp.control.pc };
    rec.next_mask = warp.control.active;
    rec.stack_depth = warp.control.stack().len() as u32;
    Ok(())
}

/// Flags of a truth: those of the word -1 where it holds, of 0 where not.
fn truth(holds: bool) -> u8 {
    const ZERO: u8 = 1;
    const SIGN: u8 = 2;
    if holds {
        SIGN
    } else {
        ZERO
    }
}

/// Instructions that act for every active thread regardless of their predicate; a vote's is what it is about.
#[inline(always)]
pub(crate) fn ignores_predicate(op: &Op) -> bool {
    matches!(op, Op::Ssy { .. } | Op::Pbk { .. } | Op::Cal { .. } | Op::Bar { .. } | Op::Trap | Op::Vote { .. })
}

/// Traps of flow instructions and markers, before any effect.
#[inline(always)]
fn check_flow(instr: &Instr, warp: &Warp, active: u32, e: u32) -> Result<(), Fault> {
    let pushes = match instr.op {
        Op::Ssy { .. } | Op::Pbk { .. } | Op::Cal { .. } => true,
        Op::Bra { .. } => e != 0 && e != active,
        Op::Trap => return Err(TrapCause::Trap.into()),
        Op::Bpt if e != 0 => return Err(TrapCause::Trap.into()),
        _ => false,
    };
    if pushes && warp.control.is_full() {
        return Err(TrapCause::StackOverflow.into());
    }
    if instr.marker == Marker::Join && warp.control.stack().is_empty() {
        return Err(TrapCause::StackUnderflow.into());
    }
    Ok(())
}

/// Everything that is not flow: arithmetic, moves, memory.
#[inline(always)]
fn data_path(
    (instr, guard): (&Instr, u16), warp: &mut Warp, env: &mut Env<'_>, global: &mut impl Global, e: u32,
    rec: &mut Retired,
) -> Result<(), Fault> {
    let post = match instr.op {
        Op::StShared { at, .. } | Op::LdShared { at, .. } | Op::LdLocal { at } | Op::StLocal { at } => Some(at),
        _ => instr.src.iter().find_map(|s| match s {
            Src::Shared(at) | Src::Const { at, .. } if at.post_inc => Some(*at),
            _ => None,
        }),
    };
    if rec.accesses.are_wanted() {
        note_operands(instr, warp, e, rec);
    }
    match instr.op {
        Op::LdGlobal { size, .. } => {
            let mut buf = ZERO;
            rec.address = *operand(&instr.src[0], warp, env, e, &mut buf)?;
            check(Space::Global, global.usable(), size, e, &rec.address)?;
            rec.accesses.note(Shared::Global, Touch::Load, e, size.bytes(), &rec.address);
            load_global(size, e, global, rec);
            finish_load(instr, warp, Space::Global, size, e, rec);
        }
        Op::StGlobal { size, .. } => {
            let mut buf = ZERO;
            rec.address = *operand(&instr.src[0], warp, env, e, &mut buf)?;
            check(Space::Global, global.usable(), size, e, &rec.address)?;
            store_data(&instr.src[1], size, warp, env, e, rec)?;
            for p in 0..usize::from(size.regs()) {
                for l in 0..WARP_SIZE {
                    if (e >> l) & 1 != 0 {
                        let a = rec.address[l] + 4 * p as u32;
                        global.store(a, size, rec.data[p][l]);
                    }
                }
            }
            note_store(Shared::Global, Touch::Store, size, e, rec);
            rec.mem = access(Space::Global, AccessKind::Store, size);
        }
        Op::Vote { all } => {
            let holds = predicate_mask(guard, &warp.flags[usize::from(instr.pred.creg & 3)]);
            let found = if all { e & !holds == 0 } else { e & holds != 0 };
            rec.values[0] = [truth(found).into(); WARP_SIZE];
            write_back(instr.dst, 1, warp, e, rec);
        }
        Op::Atomic { op, signed, .. } => atomic(instr, (op, signed), warp, env, global, e, rec)?,
        Op::LdShared { at, lock } => {
            addresses(&at, warp, &mut rec.address);
            check(Space::Shared, 0..env.shared.len() as u64, at.size, e, &rec.address)?;
            let mut taken = 0;
            for l in 0..WARP_SIZE {
                if (e >> l) & 1 != 0 {
                    let address = rec.address[l] as usize;
                    rec.values[0][l] = load_bytes(env.shared, address, at.size);
                    let got = lock && env.locks.take(address);
                    rec.flag_values[l] = truth(got);
                    taken |= u32::from(got) << l;
                }
            }
            // Without the lock a lane has read nothing that it may use.
            let (touch, lanes) = if lock { (Touch::Lock, taken) } else { (Touch::Load, e) };
            rec.accesses.note(Shared::Block, touch, lanes, at.size.bytes(), &rec.address);
            write_back(instr.dst, 1, warp, e, rec);
            if let (true, Some(c)) = (lock, instr.cdst) {
                write_flags(c, warp, e, rec);
            }
        }
        Op::StShared { at, unlock } => {
            addresses(&at, warp, &mut rec.address);
            check(Space::Shared, 0..env.shared.len() as u64, at.size, e, &rec.address)?;
            store_data(&instr.src[0], at.size, warp, env, e, rec)?;
            for l in 0..WARP_SIZE {
                if (e >> l) & 1 != 0 {
                    let address = rec.address[l] as usize;
                    store_bytes(env.shared, address, at.size, rec.data[0][l]);
                    if unlock {
                        env.locks.free(address);
                    }
                }
            }
            note_store(Shared::Block, if unlock { Touch::Unlock } else { Touch::Store }, at.size, e, rec);
            rec.mem = access(Space::Shared, AccessKind::Store, at.size);
        }
        Op::LdLocal { at } => {
            addresses(&at, warp, &mut rec.address);
            check(Space::Local, 0..env.local_bytes.into(), at.size, e, &rec.address)?;
            for p in 0..usize::from(at.size.regs()) {
                for l in 0..WARP_SIZE {
                    if (e >> l) & 1 != 0 {
                        let i = local_index(env.local_bytes, l, rec.address[l], p);
                        rec.data[p][l] = load_bytes(&warp.local, i, at.size);
                    }
                }
            }
            finish_load(instr, warp, Space::Local, at.size, e, rec);
        }
        Op::StLocal { at } => {
            addresses(&at, warp, &mut rec.address);
            check(Space::Local, 0..env.local_bytes.into(), at.size, e, &rec.address)?;
            store_data(&instr.src[0], at.size, warp, env, e, rec)?;
            for p in 0..usize::from(at.size.regs()) {
                for l in 0..WARP_SIZE {
                    if (e >> l) & 1 != 0 {
                        let i = local_index(env.local_bytes, l, rec.address[l], p);
                        store_bytes(&mut warp.local, i, at.size, rec.data[p][l]);
                    }
                }
            }
            rec.mem = access(Space::Local, AccessKind::Store, at.size);
        }
        op if double::is_double(&op) => double::execute(instr, warp, env, e, rec)?,
        _ => arithmetic(instr, warp, env, e, rec)?,
    }
    if let Some(at) = post {
        // An instruction that also writes the register it steps leaves its result there.
        let overwritten = instr.dst == Dst::Addr(at.areg);
        if at.post_inc && at.areg != 0 && !overwritten {
            post_increment(&at, warp, e, rec);
        }
    }
    Ok(())
}

/// A word of global memory for each lane in turn, from the lowest one on: what was there, and what the operation makes
/// of it.
fn atomic(
    instr: &Instr, (op, signed): (AtomicOp, bool), warp: &mut Warp, env: &Env<'_>, global: &mut impl Global, e: u32,
    rec: &mut Retired,
) -> Result<(), Fault> {
    let size = MemSize::B32;
    let [mut at, mut data, mut last] = [ZERO; 3];
    rec.address = *operand(&instr.src[0], warp, env, e, &mut at)?;
    check(Space::Global, global.usable(), size, e, &rec.address)?;
    let (first, second) =
        (*operand(&instr.src[1], warp, env, e, &mut data)?, *operand(&instr.src[2], warp, env, e, &mut last)?);
    for l in 0..WARP_SIZE {
        if (e >> l) & 1 != 0 {
            let old = global.load(rec.address[l], size);
            let operands = [old, first[l], second[l]].map(u64::from);
            let new = op.combine(Type::int(32, signed), operands[0], operands[1], operands[2]);
            global.store(rec.address[l], size, new as u32);
            rec.values[0][l] = old;
        }
    }
    // The chip shows what may be stored.
    rec.data[0] = if op == AtomicOp::CompareExchange { second } else { first };
    let (kind, touch) = match instr.dst {
        Dst::None => (AccessKind::Reduction, Touch::Reduction),
        _ => (AccessKind::Atomic, Touch::Atomic),
    };
    rec.accesses.note(Shared::Global, touch, e, size.bytes(), &rec.address);
    rec.mem = access(Space::Global, kind, size);
    write_back(instr.dst, 1, warp, e, rec);
    Ok(())
}

/// Notes what the operands of an instruction read from shared memory.
#[inline(never)]
fn note_operands(instr: &Instr, warp: &Warp, e: u32, rec: &mut Retired) {
    let mut at = ZERO;
    for src in &instr.src {
        if let Src::Shared(m) = src {
            addresses(m, warp, &mut at);
            rec.accesses.note(Shared::Block, Touch::Load, e, m.size.bytes(), &at);
        }
    }
}

/// Notes a store of `rec.data` to `rec.address`, a pass of 32 bits at a time.
#[inline(always)]
fn note_store(memory: Shared, touch: Touch, size: MemSize, e: u32, rec: &mut Retired) {
    if !rec.accesses.are_wanted() {
        return;
    }
    for p in 0..usize::from(size.regs()) {
        let (bytes, values) = (size.bytes().min(4), rec.data[p].map(u64::from));
        let addresses = rec.address.map(|a| a.wrapping_add(4 * p as u32));
        rec.accesses.add(Access { memory, touch, lanes: e, bytes, addresses, values });
    }
}

fn access(space: Space, kind: AccessKind, size: MemSize) -> Option<MemAccess> {
    let elements = 1;
    Some(MemAccess { space, kind, size, elements, mask: None })
}

fn local_index(local_bytes: u32, lane: usize, address: u32, pass: usize) -> usize {
    lane * local_bytes as usize + address as usize + 4 * pass
}

#[inline(always)]
fn load_global(size: MemSize, e: u32, global: &mut impl Global, rec: &mut Retired) {
    for p in 0..usize::from(size.regs()) {
        for l in 0..WARP_SIZE {
            if (e >> l) & 1 != 0 {
                rec.data[p][l] = global.load(rec.address[l] + 4 * p as u32, size);
            }
        }
    }
}

fn finish_load(instr: &Instr, warp: &mut Warp, space: Space, size: MemSize, e: u32, rec: &mut Retired) {
    rec.mem = access(space, AccessKind::Load, size);
    let count = size.regs();
    rec.values[..usize::from(count)].copy_from_slice(&rec.data[..usize::from(count)]);
    write_back(instr.dst, count, warp, e, rec);
}

/// Reads the data of a store: `size.regs()` registers from the named one, or a half register.
#[inline(always)]
fn store_data(src: &Src, size: MemSize, warp: &Warp, env: &Env<'_>, e: u32, rec: &mut Retired) -> Result<(), Fault> {
    for p in 0..size.regs() {
        let part = match src {
            Src::Reg(r) => Src::Reg(r.saturating_add(p)),
            other => *other,
        };
        let mut buf = ZERO;
        rec.data[usize::from(p)] = *operand(&part, warp, env, e, &mut buf)?;
    }
    Ok(())
}

/// The fault of the lowest thread; of one thread the first source's.
#[cold]
fn lowest(faults: [Option<Fault>; 3]) -> Fault {
    let found = faults.into_iter().flatten().min_by_key(|f| f.lane);
    found.unwrap_or_else(|| TrapCause::OutOfRange.into())
}

#[inline(always)]
fn arithmetic(instr: &Instr, warp: &mut Warp, env: &Env<'_>, e: u32, rec: &mut Retired) -> Result<(), Fault> {
    let (mut b0, mut b1, mut b2) = (ZERO, ZERO, ZERO);
    let x = match (
        operand(&instr.src[0], warp, env, e, &mut b0),
        operand(&instr.src[1], warp, env, e, &mut b1),
        operand(&instr.src[2], warp, env, e, &mut b2),
    ) {
        (Ok(a), Ok(b), Ok(c)) => [a, b, c],
        (a, b, c) => return Err(lowest([a.err(), b.err(), c.err()])),
    };
    if instr.op.is_float() {
        for (to, from) in rec.sources.iter_mut().zip(x) {
            *to = *from;
        }
    }
    let [values, ..] = &mut rec.values;
    let sets_flags = compute(
        instr,
        x,
        &warp.flags[usize::from(instr.pred.creg & 3)],
        Sink::<false> { values, flags: &mut rec.flag_values, want_flags: instr.cdst.is_some() },
    );
    if let Some(m) = env.mutant {
        m.corrupt(instr, x, &mut rec.values[0]);
    }
    let mask = match instr.op {
        // The lane mask repeats for each quad of threads.
        Op::Mov { lanes, .. } => e & (u32::from(lanes & 15) * 0x1111_1111),
        _ => e,
    };
    write_back(instr.dst, 1, warp, mask, rec);
    if let (Some(c), true) = (instr.cdst, sets_flags) {
        write_flags(c, warp, e, rec);
    }
    Ok(())
}
