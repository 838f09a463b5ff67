//! Calls of routines: arguments and results in the first registers, what a routine overwrites kept free of values that
//! live on.

use super::operand::mov;
use super::Select;
use crate::ir::{self, Op, Operand};
use crate::mir::{Call, Class, Dst, Fixed, Function, Inst, Reg, Src, Word, ADDRS, FLAGS};
use warpsmith_isa as isa;

/// A routine as its callers see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callee {
    /// 32-bit registers it uses, from R0 on; arguments and results are in the first of them.
    pub gprs: u8,
    /// Uses address registers.
    pub addrs: bool,
    /// Entries of the divergence stack it needs.
    pub stack: u8,
}

/// Words of arguments and results of a routine; `None` for a kernel.
pub(super) fn signature(f: &ir::Function) -> Option<(u8, u8)> {
    let insts = || f.blocks.iter().flat_map(|b| &b.insts);
    let results = insts().find(|i| i.op == Op::Results)?;
    let args = insts().find(|i| i.op == Op::Args).map_or(0, |i| i.dst.len());
    Some((args as u8, results.src.len() as u8))
}

/// Gives a function that calls or is called its fixed registers.
pub(super) fn fixed(f: &ir::Function, callees: &[Callee], out: &mut Function) {
    let insts = f.blocks.iter().flat_map(|b| &b.insts);
    let calls = insts.filter_map(|i| match i.op {
        Op::Call { routine } => Some(overwritten(callees, routine, i).max(i.src.len() as u8)),
        _ => None,
    });
    let own = out.signature.map(|(args, results)| args.max(results));
    let Some(count) = calls.chain(own).max() else { return };
    let mut row = |class, n: u8| {
        let first = out.reg(class);
        (1..n).for_each(|_| {
            out.reg(class);
        });
        first
    };
    let (gprs, addrs, flags) = (row(Class::Gpr(1), count), row(Class::Addr, ADDRS), row(Class::Flag, FLAGS));
    out.fixed = Some(Fixed { gprs, count, addrs, flags });
}

/// 32-bit registers that a call overwrites.
fn overwritten(callees: &[Callee], routine: u32, i: &ir::Inst) -> u8 {
    let own = callees.get(routine as usize).map_or(0, |c| c.gprs);
    own.max(i.dst.len() as u8)
}

/// Moves what R0 holds at the start elsewhere, in a function that passes values in it.
pub(super) fn free_entry(f: &mut Function) {
    if f.fixed.is_none() || f.signature.is_some() {
        return;
    }
    let (from, to) = (f.entry, f.reg(Class::Gpr(1)));
    let word = |w: &mut Word| {
        if w.reg == from {
            w.reg = to;
        }
    };
    for s in f.blocks.iter_mut().flat_map(|b| &mut b.insts).flat_map(|i| &mut i.src) {
        if let Src::Word(w) | Src::Half(w, _) = s {
            word(w);
        }
    }
    let [to, from] = [to, from].map(|reg| Word { reg, part: 0 });
    if let Some(b) = f.blocks.first_mut() {
        b.insts.insert(0, Inst::new(mov(), Dst::Word(to), [Src::Word(from), Src::None, Src::None], b.loc));
    }
}

impl<'a> Select<'a> {
    /// The fixed words from R0 on.
    fn passed(&self, n: usize) -> Vec<Word> {
        let regs = self.out.fixed.into_iter().flat_map(|f| f.words(n as u8));
        regs.map(|reg: Reg| Word { reg, part: 0 }).collect()
    }

    /// Moves operands into the first registers.
    fn pass(&mut self, from: &[Operand]) {
        // All are computed before the first is moved.
        for o in from {
            if let Operand::Value(v) = o {
                self.word_of(*v);
            }
        }
        for (to, o) in self.passed(from.len()).into_iter().zip(from) {
            self.move_to(*o, to, None);
        }
    }

    /// Takes new values out of the first registers.
    fn take(&mut self, to: &[ir::Value]) {
        for (from, v) in self.passed(to.len()).into_iter().zip(to) {
            let w = self.fresh();
            self.word[v.0 as usize] = Some(w);
            self.emit(mov(), Dst::Word(w), [Src::Word(from), Src::None, Src::None]);
        }
    }

    /// A call.
    pub(super) fn call(&mut self, i: &'a ir::Inst, routine: u32) {
        let Some(fixed) = self.out.fixed else { return };
        self.pass(&i.src);
        let callee = self.callees.get(routine as usize).copied().unwrap_or_default();
        let call = Call {
            routine,
            fixed,
            args: i.src.len() as u8,
            gprs: overwritten(self.callees, routine, i),
            addrs: callee.addrs,
            stack: callee.stack + 1,
        };
        let op = isa::Op::Cal { target: 0, lim: false };
        let inst = Inst::new(op, Dst::None, [Src::None; 3], self.loc);
        self.push(Inst { call: Some(call), ..inst });
        self.take(&i.dst);
    }

    /// The arguments of the routine.
    pub(super) fn arguments(&mut self, i: &'a ir::Inst) {
        self.take(&i.dst);
    }

    /// The results of the routine.
    pub(super) fn results(&mut self, i: &'a ir::Inst) {
        self.pass(&i.src);
    }
}
