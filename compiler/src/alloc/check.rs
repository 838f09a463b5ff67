//! Check of an assignment.

use super::assignment::Assignment;
use super::equal::Equal;
use super::live::Live;
use crate::mir::access::Units;
use crate::mir::verify::Finding;
use crate::mir::{Class, Function, How, Reg, Word};

/// Checks an assignment: every register used has a place of its class inside the limits, wide
/// registers are aligned, halves lie in R0 to R63, the entry is R0, and no instruction writes a
/// place that holds another value still needed.
///
/// # Errors
/// The first finding.
pub fn allocated(f: &Function, a: &Assignment) -> Result<(), Finding> {
    let units = Units::new(f);
    let live = Live::new(f, &units);
    for (b, block) in f.blocks.iter().enumerate() {
        if live.written_before(b).is_none() {
            continue;
        }
        let name = |i: usize| format!("{}: block {b}, instruction {i}", f.name);
        let equal = Equal::new(f, &units, block);
        let mut after = live.after(b).clone();
        for (i, inst) in block.insts.iter().enumerate().rev() {
            let mut wrong = None;
            if let Some((to, address)) = inst.wide_load() {
                let parts = 0..f.regs[to.0 as usize].words();
                if let Some(part) = parts.map(|part| Word { reg: to, part }).find(|w| a.same(*w, address)) {
                    wrong = Some(format!("{part:?} overwrites its own address"));
                }
            }
            inst.accesses(|x| {
                if let Err(e) = place(f, a, x.reg, x.half) {
                    wrong = Some(e);
                    return;
                }
                if x.how == How::Read {
                    return;
                }
                for u in units.access(f, x) {
                    let clash = after.iter().find(|&v| {
                        v != u && !equal.at(i).contains(&v) && a.same(units.of[u as usize], units.of[v as usize])
                    });
                    if let Some(v) = clash {
                        let (u, v) = (units.of[u as usize], units.of[v as usize]);
                        wrong = Some(format!("{u:?} overwrites {v:?}"));
                    }
                }
            });
            if let Some(e) = wrong {
                return Err(format!("{}: {e}", name(i)));
            }
            live.step(f, &units, b, i, &mut after);
        }
        if let Some(flag) = block.term.flag() {
            place(f, a, flag, false).map_err(|e| format!("{}: {e}", name(block.insts.len())))?;
        }
    }
    Ok(())
}

fn place(f: &Function, a: &Assignment, r: Reg, half: bool) -> Result<(), Finding> {
    let Some(p) = a.place(r) else {
        return Err(format!("register {} has no place", r.0));
    };
    let p = u32::from(p);
    let ok = match f.regs[r.0 as usize] {
        Class::Gpr(n) => {
            let n = u32::from(n);
            p % n == 0 && p + n <= a.registers && (!half || p + n <= 64)
        }
        Class::Addr => (1..=7).contains(&p),
        Class::Flag => p < 4,
    };
    let first = u32::from(f.regs[r.0 as usize] == Class::Addr);
    let ok = ok && f.fixed_place(r).is_none_or(|fixed| p == first + u32::from(fixed));
    if ok {
        return Ok(());
    }
    Err(format!("register {} cannot be in {p}", r.0))
}
