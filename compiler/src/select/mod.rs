//! Instruction selection: IR in single assignment to machine instructions on virtual registers.
//!
//! Blocks are taken in dominator order. A computation with one use in its own block is held back
//! until its user asks for it ([`plan`]), so that loads become operands, products become part of
//! a multiply-add and comparisons guard the instruction that needs them.
//!
//! [`int`], [`float`], [`memory`] and [`predicate`] choose instructions; [`operand`] finds sources that
//! an instruction takes directly; [`phi`] leaves single assignment; [`guard`] replaces short
//! branches by guarded instructions.

mod address;
mod call;
mod dead;
mod float;
mod forward;
mod guard;
mod int;
mod memory;
mod operand;
mod phi;
mod plan;
mod predicate;

use crate::error::Loc;
use crate::ir::{self, BlockId, Operand, Ty, Value};
use crate::mir::{self, Class, Dst, Guard, Inst, Reg, Src, Term, Word};
use crate::opt::cfg::graph;
use crate::opt::divergence::{self, Divergence};
use crate::opt::known::{facts, Facts};
use crate::program::OptLevel;
use std::collections::HashMap;
use warpsmith_isa as isa;

pub use call::Callee;

/// Condition code: result not zero.
const NE: u8 = 5;
/// Condition code: result zero.
const EQ: u8 = 2;

/// Selects machine instructions; `callees` are the routines by their numbers. Expects single assignment.
pub fn run(f: &ir::Function, callees: &[Callee], level: OptLevel) -> mir::Function {
    let optimise = level != OptLevel::O0;
    let g = graph(f);
    let loops = g.loops();
    let mut s = Select::new(f, callees, optimise);
    let order = g.rpo();
    for b in &order {
        s.block(BlockId(*b));
    }
    s.out.blocks = (0..f.blocks.len())
        .map(|b| mir::Block {
            insts: std::mem::take(&mut s.done[b]),
            term: Term::Return,
            loc: f.blocks[b].loc,
            loop_depth: loops.depth(b as u32),
        })
        .collect();
    phi::lower(&mut s);
    let mut out = s.out;
    call::free_entry(&mut out);
    dead::remove(&mut out);
    if optimise {
        forward::run(&mut out);
    }
    if level == OptLevel::O2 {
        guard::convert(&mut out);
        dead::remove(&mut out);
    }
    out
}

/// State of a selection.
struct Select<'a> {
    f: &'a ir::Function,
    callees: &'a [Callee],
    optimise: bool,
    plan: plan::Plan,
    facts: Vec<Facts>,
    divergence: Divergence,
    out: mir::Function,
    /// Instructions of finished blocks.
    done: Vec<Vec<Inst>>,
    /// Guard and divergence of each finished block's branch.
    branch: Vec<Option<(Guard, bool)>>,
    /// Word a value lives in, once it is made.
    word: Vec<Option<Word>>,
    /// Flag of a predicate, once it is made, and whether it is the opposite.
    flag: Vec<Option<(Reg, bool)>>,
    /// Address register of a value, of values that live in one from their definition on.
    addr: Vec<Option<Reg>>,
    /// Address registers made in this block: value (or none) and bytes added.
    block_addr: HashMap<(Option<Value>, i32), Reg>,
    /// Address register that holds the operand of a phi at the end of a predecessor.
    phi_addr: HashMap<(BlockId, Value), Reg>,
    /// The block in work.
    at: BlockId,
    cur: Vec<Inst>,
    loc: Loc,
    /// Values held back in this block whose shared memory may change at the next store.
    held_loads: Vec<Value>,
    /// Values defined in other blocks whose words exist in this block alone.
    block_words: Vec<Value>,
}

impl<'a> Select<'a> {
    fn new(f: &'a ir::Function, callees: &'a [Callee], optimise: bool) -> Self {
        let n = f.types.len();
        let facts = facts(f);
        let mut out = mir::Function {
            name: f.name.clone(),
            regs: Vec::new(),
            entry: Reg(0),
            blocks: Vec::new(),
            local_bytes: f.local_bytes,
            param_end: isa::arch::PARAM_BASE + f.param_bytes,
            fixed: None,
            signature: call::signature(f),
        };
        out.entry = out.reg(Class::Gpr(1));
        call::fixed(f, callees, &mut out);
        Select {
            f,
            callees,
            optimise,
            plan: plan::make(f, optimise),
            facts,
            divergence: divergence::run(f),
            out,
            done: vec![Vec::new(); f.blocks.len()],
            branch: vec![None; f.blocks.len()],
            word: vec![None; n],
            flag: vec![None; n],
            addr: vec![None; n],
            block_addr: HashMap::new(),
            phi_addr: HashMap::new(),
            at: BlockId(0),
            cur: Vec::new(),
            loc: Loc::default(),
            held_loads: Vec::new(),
            block_words: Vec::new(),
        }
    }

    /// A new word in a register of its own.
    fn fresh(&mut self) -> Word {
        Word { reg: self.out.reg(Class::Gpr(1)), part: 0 }
    }

    fn push(&mut self, i: Inst) {
        self.cur.push(i);
    }

    /// Appends an unguarded instruction.
    fn emit(&mut self, op: isa::Op, dst: Dst, src: [Src; 3]) {
        let loc = self.loc;
        self.push(Inst::new(op, dst, src, loc));
    }

    /// Appends the instruction that gives a value its word, under a guard where one is given.
    fn emit_under(&mut self, op: isa::Op, dst: Word, src: [Src; 3], guard: Option<Guard>) {
        let mut i = Inst::new(op, Dst::Word(dst), src, self.loc);
        i.guard = guard;
        self.push(i);
    }

    fn facts_of(&self, o: Operand) -> Facts {
        match o {
            Operand::Imm(v) => Facts::of(v),
            Operand::Value(v) => self.facts[v.0 as usize],
        }
    }

    /// The instruction that defines a value, when it is one that a user may take in.
    fn held(&self, o: Operand) -> Option<&'a ir::Inst> {
        let Operand::Value(v) = o else { return None };
        if self.word[v.0 as usize].is_some() || self.flag[v.0 as usize].is_some() {
            return None;
        }
        self.plan.held[v.0 as usize].then(|| self.plan.inst(self.f, v))?
    }

    fn block(&mut self, b: BlockId) {
        self.at = b;
        self.block_addr.clear();
        self.held_loads.clear();
        let f = self.f;
        let block = f.block(b);
        self.loc = block.insts.first().map_or(block.loc, |i| i.loc);
        for p in &block.phis {
            self.phi_word(p.dst);
        }
        for p in &block.phis {
            self.defined(p.dst);
        }
        for i in &block.insts {
            self.loc = i.loc;
            if let Some(&d) = i.dst.first() {
                if self.plan.held[d.0 as usize] {
                    if matches!(i.op, ir::Op::Load { space: ir::Space::Shared, .. }) {
                        self.held_loads.push(d);
                    }
                    continue;
                }
            }
            self.inst(i);
        }
        self.loc = block.loc;
        if let ir::Term::Branch { cond, .. } = block.term {
            let divergent = self.divergence.branch[b.0 as usize];
            let guard = self.guard_of(cond);
            self.branch[b.0 as usize] = Some((guard, divergent));
        }
        self.finish_held(b);
        for v in std::mem::take(&mut self.block_words) {
            self.word[v.0 as usize] = None;
        }
        self.done[b.0 as usize] = std::mem::take(&mut self.cur);
    }

    /// Emits what was held back for phis of the successors.
    fn finish_held(&mut self, b: BlockId) {
        let f = self.f;
        let mut targets: Vec<BlockId> = f.block(b).term.successors().collect();
        targets.dedup();
        for t in targets {
            for p in &f.block(t).phis {
                for (from, o) in p.args.iter().filter(|a| a.0 == b) {
                    if self.plan.addr_class[p.dst.0 as usize] {
                        let r = match o {
                            Operand::Imm(c) => self.step(None, *c as i32),
                            Operand::Value(v) => self.address_of(*v),
                        };
                        self.phi_addr.insert((*from, p.dst), r);
                        continue;
                    }
                    let Operand::Value(v) = *o else { continue };
                    if f.ty(v) == Ty::Pred {
                        self.predicate_word(*o);
                    } else {
                        self.word_of(v);
                    }
                }
            }
        }
    }

    /// Word (or address register) of a phi.
    fn phi_word(&mut self, v: Value) {
        if self.plan.addr_class[v.0 as usize] {
            let r = self.out.reg(Class::Addr);
            self.addr[v.0 as usize] = Some(r);
        } else {
            let w = self.fresh();
            self.word[v.0 as usize] = Some(w);
        }
    }

    /// Instructions directly behind a definition: flags of predicates, address registers.
    fn defined(&mut self, v: Value) {
        let n = v.0 as usize;
        if self.f.ty(v) == Ty::Pred {
            if let (true, None, Some(w)) = (self.plan.wants_flag[n], self.flag[n], self.word[n]) {
                let flag = self.test_word(w);
                self.flag[n] = Some((flag, false));
            }
        } else if let (Some(w), None, true) = (self.word[n], self.addr[n], self.plan.wants_addr[n]) {
            self.address_at_definition(v);
            debug_assert_eq!(self.word[n], Some(w));
        }
    }

    /// Selects for one instruction at its place.
    fn inst(&mut self, i: &'a ir::Inst) {
        use ir::Op;
        match i.op {
            Op::Store { .. } => self.store(i),
            Op::Load { .. } => self.load(i, None, None),
            Op::Atomic { .. } => self.atomic(i),
            Op::Lock { .. } => self.lock(i),
            Op::Unlock { .. } => self.unlock(i),
            Op::Vote { all } => self.vote(i, all),
            Op::Barrier => {
                self.release_loads();
                self.emit(
                    isa::Op::Bar { id: 0, arrive: true, wait: true, mask: Some(0xfff) },
                    Dst::None,
                    [Src::None; 3],
                );
            }
            Op::Fence => {}
            Op::Add64 | Op::Sub64 => self.wide_sum(i),
            Op::Call { routine } => self.call(i, routine),
            Op::Double(op) => self.double(i, op),
            Op::Args => self.arguments(i),
            Op::Results => self.results(i),
            _ => {
                let Some(&d) = i.dst.first() else { return };
                if self.plan.addr_class[d.0 as usize] {
                    self.address_step(i, d);
                } else if self.f.ty(d) == Ty::Pred {
                    self.predicate(i, d);
                } else {
                    self.value(i, d, None, None);
                }
            }
        }
        for d in &i.dst {
            self.defined(*d);
        }
    }

    /// Computes a word into `into` (or a register of its own), under a guard where one is given.
    fn value(&mut self, i: &'a ir::Inst, d: Value, into: Option<Word>, guard: Option<Guard>) {
        if matches!(i.op, ir::Op::Load { .. }) {
            return self.load(i, into, guard);
        }
        if into.is_none() && guard.is_none() {
            if let Some(w) = self.same_word(i) {
                self.word[d.0 as usize] = Some(w);
                return;
            }
        }
        let w = into.unwrap_or_else(|| self.fresh());
        if into.is_none() {
            self.word[d.0 as usize] = Some(w);
        }
        if !self.float(i, w, guard) {
            self.int(i, w, guard);
        }
    }

    /// A value that already lives in a register as it is.
    fn same_word(&self, i: &ir::Inst) -> Option<Word> {
        let flat = self.f.required_block.is_some_and(|b| b[1] == 1 && b[2] == 1);
        match i.op {
            ir::Op::Special(ir::Special::TidX) if flat && self.optimise => Some(Word { reg: self.out.entry, part: 0 }),
            _ => None,
        }
    }
}
