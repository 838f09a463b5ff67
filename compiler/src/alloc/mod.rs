//! Register allocation: graph colouring with aligned pairs and quads, three classes of registers,
//! merging of copies, recomputation and spills to local memory.

pub(crate) mod assignment;
mod check;
mod color;
mod constants;
pub mod equal;
pub mod live;
mod remat;
mod rewrite;
mod sink;
mod spill;
#[cfg(test)]
mod tests;
mod web;

pub use assignment::Assignment;
pub use color::Limits;

use crate::error::CompileError;
use crate::flow::{simplify, structure};
use crate::layout::fit::fit;
use crate::layout::operand::pooled;
use crate::mir::{Class, Dst, Function, Inst, Src, Word, ADDRS, FLAGS};
use color::{color, Coloring};
use remat::Defs;
use std::collections::HashSet;
use warpsmith_isa::{Op, Width};
use web::{Group, Web};

/// Registers a kernel can have at most: R124 is kept because it reads 0 while not allocated.
pub const MOST_REGISTERS: u32 = 124;

/// Allocates registers; inserts spill code where `limit` registers a thread are too few, lines up
/// blocks where `stack` entries of the divergence stack are, and removes the copies that became idle
/// and the blocks that became empty.
///
/// # Errors
/// A [`CompileError`] where even spilling does not help.
pub fn allocate(f: &mut Function, limit: u32, stack: u32) -> Result<Assignment, CompileError> {
    allocate_beside(f, limit, stack, 0, &mut HashSet::new())
}

/// As [`allocate`], where other functions of the program take `literals` words of bank 1. `loaded`: constants that stand
/// in registers; those that the bank has no room for are added.
///
/// # Errors
/// As [`allocate`].
pub fn allocate_beside(
    f: &mut Function, limit: u32, stack: u32, literals: usize, loaded: &mut HashSet<Src>,
) -> Result<Assignment, CompileError> {
    let limits = Limits { gprs: limit.min(MOST_REGISTERS), addrs: ADDRS.into(), flags: FLAGS.into() };
    allocated(f, limits, stack, literals, loaded)
}

/// As [`allocate`], with limits for each class.
///
/// # Errors
/// As [`allocate`].
pub fn allocate_with(f: &mut Function, limits: Limits, stack: u32) -> Result<Assignment, CompileError> {
    allocated(f, limits, stack, 0, &mut HashSet::new())
}

fn allocated(
    f: &mut Function, limits: Limits, stack: u32, taken: usize, loaded: &mut HashSet<Src>,
) -> Result<Assignment, CompileError> {
    let literals = f.blocks.iter().flat_map(|b| &b.insts).flat_map(|i| i.src);
    if literals.filter(|s| constants::is_literal(*s)).count() + taken <= constants::NEAR {
        return once(f, limits, stack, loaded);
    }
    let before = f.clone();
    loop {
        let places = once(f, limits, stack, loaded)?;
        // Other registers than before may leave other constants to the pool.
        let pooled = pooled(f, &places);
        let rare = constants::beyond(&pooled, taken).unwrap_or_default();
        let fits = rare.is_empty() || !loaded.is_empty() && pooled.len() + taken <= constants::MOST;
        if fits || rare.is_subset(loaded) {
            return Ok(places);
        }
        loaded.extend(rare);
        *f = before.clone();
    }
}

/// Allocates with some constants in registers.
fn once(f: &mut Function, limits: Limits, stack: u32, loaded: &HashSet<Src>) -> Result<Assignment, CompileError> {
    constants::load(f, loaded);
    simplify::simplify(f);
    simplify::separate_entry(f);
    sink::sink(f);
    structure::flatten(f);
    fit(f, stack);
    // Numbers of blocks in a row are constants too.
    constants::load(f, loaded);
    let mut spills = spill::Spills::default();
    if uses_zero_half(f) && f.signature.is_some() {
        // What its callers use is not known yet.
        keep_zero(f);
    } else if uses_zero_half(f) {
        // R63 reads 0 as long as no more than 63 registers are in use.
        let small = Limits { gprs: limits.gprs.min(63), ..limits };
        match attempt(f, small, &spills) {
            Ok(a) => return Ok(finish(f, a)),
            Err(_) if limits.gprs <= 63 => {}
            Err(_) => keep_zero(f),
        }
    }
    for _ in 0..ROUNDS {
        match attempt(f, limits, &spills) {
            Ok(mut a) => {
                a.spilled_words = spills.words;
                return Ok(finish(f, a));
            }
            Err(groups) => spills.insert(f, &groups, limits)?,
        }
    }
    Err(too_few(f, limits))
}

/// Rounds of spilling; every round makes the live ranges shorter, three usually do.
const ROUNDS: usize = 40;

fn too_few(f: &Function, limits: Limits) -> CompileError {
    let few = match limits.gprs {
        1 => "1 register a thread is".to_string(),
        n => format!("{n} registers a thread are"),
    };
    CompileError {
        file: f.name.clone(),
        line: None,
        message: format!(
            "{few} too few even with all else in local memory; allow more (--max-registers, or max_registers of the launch file)"
        ),
    }
}

/// Removes idle copies and empty blocks, having checked the assignment.
fn finish(f: &mut Function, a: Assignment) -> Assignment {
    debug_assert_eq!(check::allocated(f, &a), Ok(()));
    for b in &mut f.blocks {
        b.insts.retain(|i| !a.is_idle(i));
    }
    simplify::simplify(f);
    simplify::preheaders(f);
    a
}

/// Values to spill: merged registers with their offsets.
type Spilled = Vec<Group>;

/// One colouring, with all copies merged or, if that needs too many registers, only safe ones.
fn attempt(f: &Function, limits: Limits, spills: &spill::Spills) -> Result<Assignment, Spilled> {
    let mut web = Web::new(f);
    web.coalesce(|_, _, _, _| true);
    let defs = Defs::new(f);
    defs.cheapen(&mut web);
    let mut coloring = color(&web, limits, &keep(&web, spills));
    if !coloring.spilled.is_empty() {
        web = Web::new(f);
        web.coalesce(|w, a, b, _| w.stays_easy(a, b, limits));
        defs.cheapen(&mut web);
        coloring = color(&web, limits, &keep(&web, spills));
    }
    if coloring.spilled.is_empty() {
        return Ok(assignment(f, &web, &coloring));
    }
    let groups = coloring.spilled.iter();
    Err(groups.filter_map(|&g| web.groups[g as usize].clone()).collect())
}

/// The groups that hold a register made for spilling: they must stay in registers.
fn keep(web: &Web, spills: &spill::Spills) -> Vec<bool> {
    let kept = |g: &Option<Group>| match g {
        Some(g) => g.regs.iter().any(|(r, _)| spills.is_short(*r)),
        None => false,
    };
    web.groups.iter().map(kept).collect()
}

fn assignment(f: &Function, web: &Web, coloring: &Coloring) -> Assignment {
    let mut a = Assignment { places: vec![None; f.regs.len()], classes: f.regs.clone(), ..Assignment::default() };
    for (id, g) in (0u32..).zip(&web.groups) {
        let (Some(g), Some(p)) = (g, coloring.place[id as usize]) else { continue };
        for &(r, offset) in &g.regs {
            let p = p + offset;
            a.places[r.0 as usize] = Some(match f.regs[r.0 as usize] {
                Class::Addr => p + 1,
                _ => p,
            });
        }
    }
    let mut used = vec![false; f.regs.len()];
    for i in f.blocks.iter().flat_map(|b| &b.insts) {
        i.accesses(|x| used[x.reg.0 as usize] = true);
    }
    for (r, class) in f.regs.iter().enumerate() {
        if let (Class::Gpr(n), Some(p), true) = (class, a.places[r], used[r]) {
            a.registers = a.registers.max(u32::from(p) + u32::from(*n));
        }
    }
    a.registers = a.registers.max(1);
    a
}

fn uses_zero_half(f: &Function) -> bool {
    let insts = f.blocks.iter().flat_map(|b| &b.insts);
    insts.flat_map(|i| i.src).any(|s| s == Src::ZeroHalf)
}

/// Holds zero in a register of its own, for 16-bit operands of large kernels.
fn keep_zero(f: &mut Function) {
    let reg = f.reg(Class::Gpr(1));
    let zero = Word { reg, part: 0 };
    for b in &mut f.blocks {
        for s in b.insts.iter_mut().flat_map(|i| &mut i.src) {
            if *s == Src::ZeroHalf {
                *s = Src::Half(zero, false);
            }
        }
    }
    if let Some(b) = f.blocks.first_mut() {
        let op = Op::Mov { width: Width::W32, lanes: 15 };
        let src = [Src::Imm(0), Src::None, Src::None];
        b.insts.insert(0, Inst::new(op, Dst::Word(zero), src, b.loc));
    }
}
