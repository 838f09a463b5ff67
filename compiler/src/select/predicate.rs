//! Predicates: flags that guard, or words of zeros and ones where they are computed with.
//!
//! A conjunction or disjunction that only guards is a chain of comparisons on one flag: the second
//! comparison executes where the first has not decided yet.

use super::operand::pass_b;
use super::plan::Plan;
use super::{Select, EQ, NE};
use crate::ir::{Function, Inst as IrInst, Op, Operand, Rel, Ty, Value};
use crate::mir::{Class, Dst, Guard, Inst, Reg, Src, Word};
use warpsmith_isa::{self as isa, LogicOp, Width};

/// True for a comparison.
fn is_compare(op: &Op) -> bool {
    matches!(op, Op::Cmp { .. } | Op::FCmp(_))
}

/// Spreads the wants of predicates to what they are computed from.
pub fn plan(f: &Function, p: &mut Plan) {
    loop {
        let mut changed = false;
        for b in f.ids() {
            for i in &f.block(b).insts {
                let [d] = i.dst[..] else { continue };
                if f.ty(d) != Ty::Pred || is_compare(&i.op) {
                    continue;
                }
                let d = d.0 as usize;
                let (mut flag, mut word) = (false, false);
                match i.op {
                    Op::Not => (flag, word) = (p.wants_flag[d], p.wants_word[d]),
                    Op::And | Op::Or if !p.wants_word[d] && chain(f, p, i).is_some() => {}
                    _ => word = true,
                }
                let choice = matches!(i.op, Op::Select);
                for (k, o) in i.src.iter().enumerate() {
                    let Operand::Value(v) = o else { continue };
                    let v = v.0 as usize;
                    let (flag, word) = if choice && k == 0 { (true, false) } else { (flag, word) };
                    changed |= flag && !std::mem::replace(&mut p.wants_flag[v], true);
                    changed |= word && !std::mem::replace(&mut p.wants_word[v], true);
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// The two parts of a conjunction or disjunction that can be a chain on one flag: what comes
/// first, and the comparison that follows.
fn chain<'f>(f: &'f Function, p: &Plan, i: &'f IrInst) -> Option<(&'f IrInst, &'f IrInst)> {
    let part = |o: &Operand| -> Option<&'f IrInst> {
        let Operand::Value(v) = o else { return None };
        let v = v.0 as usize;
        if !p.held[v] || p.wants_word[v] {
            return None;
        }
        p.inst(f, Value(v as u32))
    };
    let (a, b) = (part(&i.src[0])?, part(&i.src[1])?);
    let first = |x: &'f IrInst| is_compare(&x.op) || matches!(x.op, Op::And | Op::Or) && chain(f, p, x).is_some();
    if is_compare(&b.op) && first(a) {
        Some((a, b))
    } else if is_compare(&a.op) && first(b) {
        Some((b, a))
    } else {
        None
    }
}

impl<'a> Select<'a> {
    /// Computes a predicate at its definition.
    pub fn predicate(&mut self, i: &'a IrInst, d: Value) {
        let n = d.0 as usize;
        let flag = self.plan.wants_flag[n];
        if self.plan.wants_word[n] {
            self.word_predicate(i, d, flag);
        } else if flag {
            let made = self.flag_predicate(i);
            self.flag[n] = Some(made);
        }
    }

    /// A predicate as a word, and as a flag beside it where asked for.
    fn word_predicate(&mut self, i: &'a IrInst, d: Value, flag: bool) {
        let n = d.0 as usize;
        let w = self.fresh();
        let c = flag.then(|| self.out.reg(Class::Flag));
        match i.op {
            Op::Cmp { .. } | Op::FCmp(_) => self.compare(i, Some(w), c, false, None),
            Op::And | Op::Or | Op::Xor => {
                let op = match i.op {
                    Op::And => LogicOp::And,
                    Op::Or => LogicOp::Or,
                    _ => LogicOp::Xor,
                };
                let (a, b) = (self.predicate_word(i.src[0]), self.predicate_word(i.src[1]));
                self.emit_flagged(logic(op), Dst::Word(w), [Src::Word(a), Src::Word(b), Src::None], c);
            }
            Op::Not => {
                let a = self.predicate_word(i.src[0]);
                self.emit_flagged(pass_b(true), Dst::Word(w), [Src::Zero, Src::Word(a), Src::None], c);
            }
            Op::Select => {
                let (a, b) = (self.predicate_word(i.src[1]), self.predicate_word(i.src[2]));
                let guard = self.guard_of(i.src[0]);
                let from = |x| [Src::Word(x), Src::None, Src::None];
                self.emit(super::operand::mov(), Dst::Word(w), from(b));
                self.emit_under(super::operand::mov(), w, from(a), Some(guard));
                if let Some(c) = c {
                    self.test_into(w, c);
                }
            }
            _ => {
                let a = self.predicate_word(i.src[0]);
                self.emit_flagged(pass_b(false), Dst::Word(w), [Src::Zero, Src::Word(a), Src::None], c);
            }
        }
        self.word[n] = Some(w);
        if let Some(c) = c {
            self.flag[n] = Some((c, false));
        }
    }

    /// A vote: what is voted about is the guard.
    pub fn vote(&mut self, i: &'a IrInst, all: bool) {
        let guard = self.guard_of(i.src[0]);
        let flag = self.out.reg(Class::Flag);
        let x = Inst::new(isa::Op::Vote { all }, Dst::Flag(flag), [Src::None; 3], self.loc);
        // Every active thread gets the result.
        self.push(Inst { guard: Some(guard), fresh: true, ..x });
        if let Some(d) = i.dst.first() {
            self.truth(*d, flag);
        }
    }

    /// A predicate that is a flag of the chip, as a word beside it where asked for.
    pub fn truth(&mut self, d: Value, flag: Reg) {
        self.flag[d.0 as usize] = Some((flag, false));
        if self.plan.wants_word[d.0 as usize] {
            let w = self.fresh();
            self.emit(super::operand::mov(), Dst::Word(w), [Src::Zero, Src::None, Src::None]);
            let all = [Src::Zero, Src::Imm(u32::MAX), Src::None];
            self.emit_under(pass_b(false), w, all, Some(Guard { flag, code: NE }));
            self.word[d.0 as usize] = Some(w);
        }
    }

    /// A predicate as a flag alone; true with the flag when it is the opposite.
    fn flag_predicate(&mut self, i: &'a IrInst) -> (Reg, bool) {
        match i.op {
            Op::Cmp { .. } | Op::FCmp(_) => {
                if let Some(made) = self.zero_test(i) {
                    return made;
                }
                let c = self.out.reg(Class::Flag);
                self.compare(i, None, Some(c), false, None);
                (c, false)
            }
            Op::Not => {
                let g = self.guard_of(i.src[0]);
                (g.flag, g.code == NE)
            }
            Op::And | Op::Or => {
                if let Some((first, then)) = chain(self.f, &self.plan, i) {
                    let (c, not) = self.flag_predicate(first);
                    // Where the first part is true (and) or false (or), the second decides.
                    let true_code = if not { EQ } else { NE };
                    let code = if matches!(i.op, Op::And) { true_code } else { super::phi::opposite(true_code) };
                    self.compare(then, None, Some(c), not, Some(Guard { flag: c, code }));
                    return (c, not);
                }
                self.words_with_flag(i)
            }
            _ => self.words_with_flag(i),
        }
    }

    /// A comparison with zero whose operand was made in this block: the instruction that made it
    /// writes the flag.
    fn zero_test(&mut self, i: &'a IrInst) -> Option<(Reg, bool)> {
        let Op::Cmp { rel: rel @ (Rel::EQ | Rel::NE), .. } = i.op else { return None };
        let (Operand::Value(v), Operand::Imm(0), true) = (i.src[0], i.src[1], self.optimise) else { return None };
        if self.held(i.src[0]).is_some_and(|x| !writes_flags(&x.op)) {
            return None;
        }
        let w = self.word_of(v);
        let c = self.out.reg(Class::Flag);
        let maker = self.cur.iter_mut().rev().find(|x| x.dst == Dst::Word(w))?;
        let flags = matches!(maker.op, isa::Op::IAdd { .. } | isa::Op::Logic { .. } | isa::Op::Shift { .. });
        if !flags || maker.guard.is_some() || maker.cdst.is_some() || maker.carry.is_some() {
            return None;
        }
        maker.cdst = Some(c);
        Some((c, rel == Rel::EQ))
    }

    /// A predicate computed with words whose last instruction writes a flag.
    fn words_with_flag(&mut self, i: &'a IrInst) -> (Reg, bool) {
        if let Some(&d) = i.dst.first() {
            self.word_predicate(i, d, true);
            if let Some(made) = self.flag[d.0 as usize] {
                return made;
            }
        }
        let zero = self.reg(Operand::Imm(0));
        (self.test_word(zero), false)
    }

    /// The guard that holds where a predicate does.
    pub fn guard_of(&mut self, o: Operand) -> Guard {
        let Operand::Value(v) = o else {
            let w = self.predicate_word(o);
            let flag = self.test_word(w);
            return Guard { flag, code: NE };
        };
        let n = v.0 as usize;
        if let Some((flag, not)) = self.flag[n] {
            return Guard { flag, code: if not { EQ } else { NE } };
        }
        if self.word[n].is_none() {
            if let Some(i) = self.plan.inst(self.f, v) {
                let loc = std::mem::replace(&mut self.loc, i.loc);
                self.predicate(i, v);
                self.loc = loc;
                if let Some((flag, not)) = self.flag[n] {
                    return Guard { flag, code: if not { EQ } else { NE } };
                }
            }
        }
        let w = self.predicate_word(o);
        let flag = self.test_word(w);
        Guard { flag, code: NE }
    }

    /// A predicate as a word: 0 or all ones.
    pub fn predicate_word(&mut self, o: Operand) -> Word {
        match o {
            Operand::Imm(c) => self.reg(Operand::Imm(if c == 0 { 0 } else { u32::MAX })),
            Operand::Value(v) => {
                let n = v.0 as usize;
                if let Some(w) = self.word[n] {
                    return w;
                }
                if let (None, Some(i)) = (self.flag[n], self.plan.inst(self.f, v)) {
                    self.plan.wants_word[n] = true;
                    self.predicate(i, v);
                    if let Some(w) = self.word[n] {
                        return w;
                    }
                }
                // A flag alone: made a word by two moves.
                let guard = self.guard_of(o);
                let w = self.fresh();
                self.move_to(Operand::Imm(0), w, None);
                self.move_to(Operand::Imm(u32::MAX), w, Some(guard));
                w
            }
        }
    }

    /// A flag that says whether a word is not zero.
    pub fn test_word(&mut self, w: Word) -> Reg {
        let c = self.out.reg(Class::Flag);
        self.test_into(w, c);
        c
    }

    fn test_into(&mut self, w: Word, c: Reg) {
        self.emit_flagged(logic(LogicOp::And), Dst::Discard, [Src::Word(w), Src::Word(w), Src::None], Some(c));
    }

    fn emit_flagged(&mut self, op: isa::Op, dst: Dst, src: [Src; 3], flag: Option<Reg>) {
        let mut i = Inst::new(op, dst, src, self.loc);
        i.cdst = flag;
        self.push(i);
    }

    /// A comparison into a word, a flag or both; the opposite one where asked for.
    pub fn compare(&mut self, i: &'a IrInst, word: Option<Word>, flag: Option<Reg>, not: bool, guard: Option<Guard>) {
        let (a, b) = (i.src[0], i.src[1]);
        let dst = word.map_or(Dst::Discard, Dst::Word);
        let (op, src) = match i.op {
            Op::FCmp(rel) => {
                let rel = if not { rel.not_float() } else { rel };
                let (a, b) = (self.signs(a), self.signs(b));
                let ([x, y], swap) = self.pair(a.operand, b.operand);
                let (rel, a, b) = if swap { (rel.swapped(), b, a) } else { (rel, a, b) };
                let op = isa::Op::FSet { cond: rel.0, neg_a: a.neg, abs_a: a.abs, neg_b: b.neg, abs_b: b.abs };
                (op, [x, y, Src::None])
            }
            Op::Cmp { rel, signed } => {
                let rel = if not { rel.not_int() } else { rel };
                let ([x, y], swap) = self.pair(a, b);
                let rel = if swap { rel.swapped() } else { rel };
                let op = isa::Op::ISet { cond: rel.0, width: Width::W32, signed };
                (op, [x, y, Src::None])
            }
            _ => return,
        };
        let mut x = Inst::new(op, dst, src, self.loc);
        x.cdst = flag;
        x.guard = guard;
        self.push(x);
    }
}

/// True for operations that become one instruction which can write flags.
fn writes_flags(op: &Op) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr { .. })
}

fn logic(op: LogicOp) -> isa::Op {
    isa::Op::Logic { op, not_a: false, not_b: false, width: Width::W32 }
}

/// An operand of a float operation without the signs that the instruction applies itself.
pub struct Signs {
    /// The operand without signs.
    pub operand: Operand,
    /// Negated, after the absolute value.
    pub neg: bool,
    /// Absolute value.
    pub abs: bool,
}

impl Select<'_> {
    /// Takes negations and one absolute value off an operand.
    pub fn signs(&self, o: Operand) -> Signs {
        let mut s = Signs { operand: o, neg: false, abs: false };
        if !self.optimise {
            return s;
        }
        while let Operand::Value(v) = s.operand {
            match self.plan.inst(self.f, v).and_then(|i| Some((i.op, *i.src.first()?))) {
                Some((Op::FNeg, x)) => {
                    s.neg ^= !s.abs;
                    s.operand = x;
                }
                Some((Op::FAbs, x)) => {
                    s.abs = true;
                    s.operand = x;
                }
                _ => break,
            }
        }
        s
    }

    /// Takes negations off an operand, for instructions without absolute values.
    pub fn negation(&self, o: Operand) -> (Operand, bool) {
        let mut at = (o, false);
        if !self.optimise {
            return at;
        }
        while let Operand::Value(v) = at.0 {
            match self.plan.inst(self.f, v).and_then(|i| Some((i.op, *i.src.first()?))) {
                Some((Op::FNeg, x)) => at = (x, !at.1),
                _ => break,
            }
        }
        at
    }
}
