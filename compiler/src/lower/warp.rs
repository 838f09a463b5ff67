//! Instructions that exchange values between the threads of a warp, as routines over shared memory.
//!
//! [`of`] is the one place that chooses what stands for a vote, a shuffle, a match or a reduction. Votes of the active threads
//! are an instruction on chips of SM 1.2.

use super::inline::Inliner;
use super::routine::{self, reduction, REDUCTIONS};
use crate::error::CompileError;
use crate::ptx::ast::{Function, Inst, Operand, RegId, Statement, Ty, TypeKind};
use warpsmith_isa::{ChipInfo as Target, Level};

/// The variable of the words that the threads of a warp exchange: as declared, those of one warp.
pub(super) const EXCHANGE: &str = "__warpsmith_exchange";

/// Warps of the largest block that a kernel may have: as the source says, else as an SM of the chip holds.
pub(super) fn most_warps(kernel: &Function, target: &Target) -> u32 {
    let by_source = kernel.required_block.map(|b| b.iter().product()).or(kernel.max_threads);
    by_source.map_or(target.warps, |threads: u32| threads.div_ceil(32).min(target.warps)).max(1)
}

/// The routine that stands for an instruction: its name, results, and parameters.
struct Exchange {
    name: String,
    results: Vec<Operand>,
    params: Vec<Operand>,
}

/// An instruction that is such a vote: over all threads or over any, and where it leaves the result.
pub(super) fn active_vote(inst: &Inst) -> Option<(bool, RegId)> {
    let x = of(inst)?;
    match x.results.first() {
        Some(Operand::Reg(to)) => Some((routine::vote(&x.name)?, *to)),
        _ => None,
    }
}

/// What stands for an instruction; `None` for instructions that exchange nothing.
fn of(inst: &Inst) -> Option<Exchange> {
    let parts: Vec<&str> = inst.op.split('.').filter(|p| *p != "sync").collect();
    let routine = |name: &str| format!("{}{name}", routine::PREFIX);
    let results = |count: usize| match inst.args.first() {
        Some(Operand::RegPair(d, p)) => vec![Operand::Reg(*d), Operand::Reg(*p)],
        Some(one) if count == 2 => vec![one.clone(), Operand::Sink],
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    let params = |n: usize| inst.args.iter().skip(1).take(n).cloned().collect();
    // Behind the predicate of a vote: the threads that take part; without it, or with all bits, the active ones.
    let everyone = |at: usize| match inst.args.get(at) {
        None => true,
        Some(Operand::Int(n)) => *n as u32 == u32::MAX,
        Some(_) => false,
    };
    let (name, results, params) = match parts[..] {
        ["shfl", mode @ ("up" | "down" | "bfly" | "idx"), "b32"] => {
            (routine(&format!("shfl_{mode}")), results(2), params(3))
        }
        ["vote", mode @ ("any" | "all" | "uni"), "pred"] | ["vote", mode @ "ballot", "b32"] if everyone(2) => {
            (routine(mode), results(1), params(1))
        }
        ["vote", mode @ ("any" | "all" | "uni"), "pred"] | ["vote", mode @ "ballot", "b32"] => {
            (routine(&format!("{mode}_sync")), results(1), params(2))
        }
        ["activemask", "b32"] => (routine("active"), results(1), Vec::new()),
        ["match", "any", "b32"] => (routine("match_any"), results(1), params(2)),
        ["match", "all", "b32"] => (routine("match_all"), results(2), params(2)),
        ["elect"] => (routine("elect"), results(2), params(1)),
        ["redux", operation, ty] => {
            let ty = if ty == "s32" && operation == "add" { "u32" } else { ty };
            let wanted = format!("{operation}.{ty}");
            REDUCTIONS.iter().find(|(o, _)| *o == wanted)?;
            (reduction(&wanted), results(1), params(2))
        }
        ["bar" | "barrier", "red", "popc", "u32"] | ["barrier", "cta", "red", "popc", "u32"] => count(inst, "count")?,
        ["bar" | "barrier", "red", "and", "pred"] | ["barrier", "cta", "red", "and", "pred"] => {
            count(inst, "count_and")?
        }
        ["bar" | "barrier", "red", "or", "pred"] | ["barrier", "cta", "red", "or", "pred"] => count(inst, "count_or")?,
        _ => return None,
    };
    Some(Exchange { name, results, params })
}

/// A barrier that counts: of all threads, with number 0.
fn count(inst: &Inst, name: &str) -> Option<(String, Vec<Operand>, Vec<Operand>)> {
    match &inst.args[..] {
        [d, Operand::Int(0), p] => Some((format!("{}{name}", routine::PREFIX), vec![d.clone()], vec![p.clone()])),
        _ => None,
    }
}

impl Inliner<'_> {
    /// Puts a routine in place of an instruction that exchanges values; false for other instructions.
    pub(super) fn exchange(&mut self, inst: &Inst) -> Result<bool, CompileError> {
        let Some(x) = of(inst) else { return Ok(false) };
        if self.target.tier.level() >= Level::Sm12 && routine::vote(&x.name).is_some() {
            return Ok(false);
        }
        let inst = inst.clone();
        self.guarded(inst, |s, inst| s.exchanged(&inst, x))?;
        Ok(true)
    }

    fn exchanged(&mut self, inst: &Inst, x: Exchange) -> Result<(), CompileError> {
        let Some(f) = routine::module()?.function(&x.name) else {
            return Err(self.error(inst, format!("no routine for `{}`", inst.op)));
        };
        let params = x.params.into_iter().map(|p| self.as_word(inst, p)).collect();
        let words: Vec<Operand> = x.results.iter().map(|r| self.result_word(r)).collect();
        self.enter(inst, f, words.clone(), params)?;
        for (to, word) in x.results.into_iter().zip(words) {
            if to != word && to != Operand::Sink {
                self.add(inst, "setp.ne.u32", vec![to, word, Operand::Int(0)]);
            }
        }
        Ok(())
    }

    /// An operand of a routine: predicates become words.
    fn as_word(&mut self, inst: &Inst, operand: Operand) -> Operand {
        let (p, yes, no) = match operand {
            Operand::Reg(r) if self.is_predicate(r) => (r, 1, 0),
            Operand::NotReg(r) => (r, 0, 1),
            other => return other,
        };
        let word = self.word();
        self.add(inst, "selp.u32", vec![word.clone(), Operand::Int(yes), Operand::Int(no), Operand::Reg(p)]);
        word
    }

    /// Where a routine leaves a result: a word of its own for a predicate and for one that nobody reads.
    fn result_word(&mut self, to: &Operand) -> Operand {
        match to {
            Operand::Reg(r) if !self.is_predicate(*r) => to.clone(),
            _ => self.word(),
        }
    }

    fn is_predicate(&self, r: RegId) -> bool {
        self.flat.regs.get(r.0 as usize).is_some_and(|t| t.kind == TypeKind::Pred)
    }

    /// A new register of 32 bits.
    pub(super) fn word(&mut self) -> Operand {
        self.flat.regs.push(Ty { kind: TypeKind::Bits, bits: 32 });
        Operand::Reg(RegId(self.flat.regs.len() as u32 - 1))
    }

    pub(super) fn add(&mut self, inst: &Inst, op: &str, args: Vec<Operand>) {
        self.flat.code.push(Statement::Inst(inst.beside(op, args)));
    }
}
