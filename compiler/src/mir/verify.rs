//! Check of machine instructions before allocation.

use super::access::Units;
use super::{BlockId, Class, Dst, Function, How, Inst, MemRef, Reg, Src, Word};
use crate::alloc::live::Live;
use warpsmith_isa::{Family, Op};

/// A mistake, with block and instruction.
pub type Finding = String;

/// Checks blocks, registers, classes, parts and guards, and that every value read was written on
/// some way there.
///
/// # Errors
/// The first finding.
pub fn verify(f: &Function) -> Result<(), Finding> {
    let name = |b: usize, i: usize| format!("{}: block {b}, instruction {i}", f.name);
    if f.blocks.is_empty() {
        return Err(format!("{}: no block", f.name));
    }
    class(f, f.entry, Class::Gpr(1)).map_err(|e| format!("{}: entry: {e}", f.name))?;
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            instruction(f, inst).map_err(|e| format!("{}: {e}", name(b, i)))?;
        }
        for BlockId(s) in block.term.successors() {
            if s as usize >= f.blocks.len() {
                return Err(format!("{}: block {b} leads to block {s}", f.name));
            }
        }
        if let Some(g) = block.term.guard() {
            guard(f, g.flag, g.code).map_err(|e| format!("{}: {e}", name(b, block.insts.len())))?;
        }
    }
    let units = Units::new(f);
    let live = Live::new(f, &units);
    for (b, block) in f.blocks.iter().enumerate() {
        let Some(mut known) = live.written_before(b) else { continue };
        for (i, inst) in block.insts.iter().enumerate() {
            let mut missing = None;
            inst.accesses(|a| {
                for u in units.access(f, a) {
                    match a.how {
                        How::Read if !known.contains(u) => missing = Some(a.reg),
                        How::Read => {}
                        How::Write | How::Partial => {
                            known.insert(u);
                        }
                    }
                }
            });
            if let Some(r) = missing {
                return Err(format!("{}: register {} is read but never written before", name(b, i), r.0));
            }
        }
        if let Some(r) = block.term.flag().filter(|&r| !known.contains(units.reg(r))) {
            let at = name(b, block.insts.len());
            return Err(format!("{at}: flag {} is never written before", r.0));
        }
    }
    Ok(())
}

fn class(f: &Function, r: Reg, want: Class) -> Result<(), Finding> {
    match f.regs.get(r.0 as usize) {
        Some(&c) if c == want => Ok(()),
        Some(c) => Err(format!("register {} is {c:?}, not {want:?}", r.0)),
        None => Err(format!("register {} does not exist", r.0)),
    }
}

fn word(f: &Function, w: Word) -> Result<(), Finding> {
    match f.regs.get(w.reg.0 as usize) {
        Some(Class::Gpr(n @ (1 | 2 | 4))) if w.part < *n => Ok(()),
        Some(c) => Err(format!("register {} is {c:?}, no part {}", w.reg.0, w.part)),
        None => Err(format!("register {} does not exist", w.reg.0)),
    }
}

fn guard(f: &Function, flag: Reg, code: u8) -> Result<(), Finding> {
    if matches!(code, 15 | 0x14..=0x1b) || code > 31 {
        return Err(format!("condition {code:#x} is no guard"));
    }
    class(f, flag, Class::Flag)
}

fn memory(f: &Function, m: MemRef) -> Result<(), Finding> {
    match m.base {
        Some(base) => class(f, base, Class::Addr),
        None if m.post_inc => Err("a post-increment needs an address register".into()),
        None => Ok(()),
    }
}

/// Words the register operand of a load or store has.
fn wide(f: &Function, r: Reg, words: Option<u8>) -> Result<(), Finding> {
    match (f.regs.get(r.0 as usize), words) {
        (Some(Class::Gpr(n @ (2 | 4))), Some(want)) if *n == want => Ok(()),
        (c, want) => Err(format!("wide register {} is {c:?}, the access has {want:?} words", r.0)),
    }
}

fn instruction(f: &Function, i: &Inst) -> Result<(), Finding> {
    let words = match i.op {
        Op::LdGlobal { size, .. } | Op::StGlobal { size, .. } => Some(size.regs()),
        Op::LdLocal { .. } | Op::StLocal { .. } => i.at.map(|m| m.size.regs()),
        op if op.family() == Family::Double => Some(2),
        _ => None,
    };
    if matches!(i.op, Op::Cal { .. }) != i.call.is_some() || i.call.is_some() && i.guard.is_some() {
        return Err("a call is CAL without a guard".into());
    }
    if i.op.target().is_some() && i.call.is_none()
        || matches!(i.op, Op::Ret | Op::Brk | Op::Trap | Op::Bpt | Op::Unsupported)
    {
        return Err(format!("{:?} does not stand in a block", i.op));
    }
    if i.op.memory().is_some() != i.at.is_some() {
        return Err("the memory operand does not fit the operation".into());
    }
    for s in i.src {
        match s {
            Src::Word(w) | Src::Half(w, _) => word(f, w)?,
            Src::Wide(r) => wide(f, r, words)?,
            Src::Addr(r) => class(f, r, Class::Addr)?,
            Src::Flag(r) => class(f, r, Class::Flag)?,
            _ => {}
        }
    }
    for m in i.memory() {
        memory(f, m)?;
    }
    match i.dst {
        Dst::None | Dst::Discard => {}
        Dst::Word(w) | Dst::Half(w, _) => word(f, w)?,
        Dst::Wide(r) => wide(f, r, words)?,
        Dst::Addr(r) => class(f, r, Class::Addr)?,
        Dst::Flag(r) => class(f, r, Class::Flag)?,
    }
    if let Some(c) = i.cdst {
        class(f, c, Class::Flag)?;
    }
    if let Some(c) = i.carry {
        class(f, c, Class::Flag)?;
        if i.guard.is_some() {
            return Err("a carry and a guard share one field".into());
        }
    }
    if let (Op::C2R, Some(g)) = (i.op, i.guard) {
        if i.src[0] != Src::Flag(g.flag) {
            return Err("C2R reads its flags from the field of the guard".into());
        }
    }
    i.guard.map_or(Ok(()), |g| guard(f, g.flag, g.code))
}
