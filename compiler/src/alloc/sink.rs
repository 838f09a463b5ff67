//! Moves the computation of a register's next value behind the last use of its old one.
//!
//! At the end of a loop's body `x` gets the value of `d` by a copy. Where `d` is computed before
//! the last instruction that reads `x`, both are live and the copy stays; computed behind it, the
//! two are one register.

use super::live::Live;
use crate::mir::{Block, Function, How, Inst, Src, Units};
use warpsmith_isa::{Family, Op};

/// Sinks what it can in all blocks.
pub fn sink(f: &mut Function) {
    let units = Units::new(f);
    let live = Live::new(f, &units);
    let mut blocks = std::mem::take(&mut f.blocks);
    for (b, block) in blocks.iter_mut().enumerate() {
        let copies: Vec<(u32, u32, usize)> = block
            .insts
            .iter()
            .enumerate()
            .filter_map(|(i, inst)| {
                let (to, from) = inst.copy()?;
                Some((units.word(to), units.word(from), i))
            })
            .collect();
        for (x, d, k) in copies {
            if x != d && !live.before(b).contains(d) {
                place(f, &units, block, x, d, k);
            }
        }
    }
    f.blocks = blocks;
}

/// How an instruction touches a unit: (reads, writes).
fn touches(f: &Function, units: &Units, i: &Inst, unit: u32) -> (bool, bool) {
    let mut found = (false, false);
    i.accesses(|a| {
        if units.access(f, a).contains(&unit) {
            match a.how {
                How::Read => found.0 = true,
                How::Write => found.1 = true,
                How::Partial => found = (true, true),
            }
        }
    });
    found
}

/// Moves what writes `d` behind the last reader of `x` in front of copy `k`. A copy of `x` to `d`
/// stays: until then both hold the same.
fn place(f: &Function, units: &Units, block: &mut Block, x: u32, d: u32, k: usize) {
    let insts = &mut block.insts;
    let of = |i: &Inst, u| touches(f, units, i, u);
    let equal = |i: &Inst| {
        let copy = i.copy().filter(|_| i.guard.is_none());
        copy.is_some_and(|(to, from)| (units.word(to), units.word(from)) == (d, x))
    };
    let reads = |i: &Inst| of(i, x).0 && !equal(i);
    let Some(mut last) = insts[..k].iter().rposition(reads) else { return };
    let writes = |i: &Inst| of(i, d).1 && !equal(i);
    while let Some(first) = insts[..last].iter().rposition(writes) {
        let moved = insts[first];
        let mut blocked = !movable(&moved);
        moved.accesses(|a| {
            for u in units.access(f, a) {
                blocked |= insts[first + 1..=last].iter().any(|i| {
                    let (reads, writes) = of(i, u);
                    writes || (reads && a.how != How::Read)
                });
            }
        });
        if blocked {
            return;
        }
        insts[first..=last].rotate_left(1);
        last -= 1;
    }
}

/// True for plain computations: no memory, no flags, no comparison, no conversion from or to floats.
fn movable(i: &Inst) -> bool {
    let arithmetic = match i.op.family() {
        Family::Integer | Family::Float => !matches!(i.op, Op::ISet { .. } | Op::FSet { .. } | Op::FSlct { .. }),
        Family::Conversion => !i.op.is_float(),
        Family::Double | Family::Special | Family::Move | Family::Memory | Family::Control => false,
    };
    let memory = |s: &Src| matches!(s, Src::Shared(_) | Src::Const(..));
    arithmetic && i.cdst.is_none() && i.carry.is_none() && !i.src.iter().any(memory)
}
