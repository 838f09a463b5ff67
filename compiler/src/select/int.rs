//! Integer operations, special registers and choices.

use super::operand::{mov, pass_b};
use super::{phi, Select};
use crate::ir::{self, MemTy, Op, Operand, Special};
use crate::mir::{Class, Dst, Guard, Inst, Src, Word};
use warpsmith_isa::{self as isa, AddKind, IntType, LogicOp, MulKind, Width};

/// `a + b` of 32 bits.
pub fn add() -> isa::Op {
    sum(AddKind::Add)
}

fn sum(kind: AddKind) -> isa::Op {
    isa::Op::IAdd { kind, width: Width::W32, sat: false }
}

fn mad16(kind: AddKind, signed: bool) -> isa::Op {
    isa::Op::IMad { kind, mul: if signed { MulKind::S16 } else { MulKind::U16 }, sat: false }
}

fn shift(right: bool, signed: bool) -> isa::Op {
    isa::Op::Shift { right, signed, width: Width::W32 }
}

fn logic(op: LogicOp, not_a: bool, not_b: bool) -> isa::Op {
    isa::Op::Logic { op, not_a, not_b, width: Width::W32 }
}

fn extend(dst: IntType, src: IntType) -> isa::Op {
    isa::Op::I2I { dst, src, neg: false, abs: false }
}

impl<'a> Select<'a> {
    /// Selects for an operation on words that is no float operation.
    pub fn int(&mut self, i: &'a ir::Inst, w: Word, guard: Option<Guard>) {
        let s = |n: usize| i.src.get(n).copied().unwrap_or(Operand::Imm(0));
        let (a, b) = (s(0), s(1));
        match i.op {
            Op::Copy => self.move_to(a, w, guard),
            Op::Special(sp) => self.special(sp, w, guard),
            Op::GlobalAddr { var, offset } => {
                let src = [Src::Zero, Src::GlobalAddr(var, offset), Src::None];
                self.emit_under(pass_b(false), w, src, guard);
            }
            Op::Add => {
                if self.product_sum(a, b, w, guard, AddKind::Add) || self.product_sum(b, a, w, guard, AddKind::Add) {
                    return;
                }
                if self.counted(a, b, w, guard) || self.counted(b, a, w, guard) {
                    return;
                }
                let ([x, y], _) = self.pair(a, b);
                self.emit_under(add(), w, [x, y, Src::None], guard);
            }
            Op::Sub => {
                if self.product_sum(a, b, w, guard, AddKind::Sub) || self.product_sum(b, a, w, guard, AddKind::Subr) {
                    return;
                }
                let ([x, y], swap) = self.pair(a, b);
                let kind = if swap { AddKind::Subr } else { AddKind::Sub };
                self.emit_under(sum(kind), w, [x, y, Src::None], guard);
            }
            Op::Mul => self.product(a, b, w, guard),
            Op::MulHi { signed } => self.high_product(a, b, signed, w, guard),
            Op::Mul16 { signed } => {
                let (a, b) = self.half_order(a, b);
                let y = self.half(b);
                let x = self.first_half(a);
                let op = isa::Op::IMul16 { signed_a: signed, signed_b: signed };
                self.emit_under(op, w, [x, y, Src::None], guard);
            }
            Op::Mul24 { signed, high } => {
                let ([x, y], _) = self.pair(a, b);
                self.emit_under(isa::Op::IMul24 { signed, high }, w, [x, y, Src::None], guard);
            }
            Op::Min { signed } | Op::Max { signed } => {
                let ([x, y], _) = self.pair(a, b);
                let op = isa::Op::IMinMax { max: matches!(i.op, Op::Max { .. }), width: Width::W32, signed };
                self.emit_under(op, w, [x, y, Src::None], guard);
            }
            Op::Sad { signed } => {
                let third = self.plain(s(2));
                let ([x, y], _) = self.pair(a, b);
                let op = isa::Op::ISad { width: Width::W32, signed };
                self.emit_under(op, w, [x, y, third], guard);
            }
            Op::And | Op::Or | Op::Xor => {
                let op = match i.op {
                    Op::And => LogicOp::And,
                    Op::Or => LogicOp::Or,
                    _ => LogicOp::Xor,
                };
                let ((a, not_a), (b, not_b)) = (self.complement(a), self.complement(b));
                let ([x, y], swap) = self.pair(a, b);
                let (not_a, not_b) = if swap { (not_b, not_a) } else { (not_a, not_b) };
                self.emit_under(logic(op, not_a, not_b), w, [x, y, Src::None], guard);
            }
            Op::Not => {
                let x = self.plain(a);
                self.emit_under(pass_b(true), w, [Src::Zero, x, Src::None], guard);
            }
            Op::Shl | Op::Shr { .. } => {
                let (right, signed) = match i.op {
                    Op::Shr { signed } => (true, signed),
                    _ => (false, false),
                };
                let count = match b {
                    // 7 bits: any larger count shifts everything out too.
                    Operand::Imm(n) => Src::Imm(n.min(127)),
                    Operand::Value(_) => self.plain(b),
                };
                let x = self.first(a);
                self.emit_under(shift(right, signed), w, [x, count, Src::None], guard);
            }
            Op::Ext(ty) => self.extension(ty, a, w, guard),
            Op::Select => self.choice(i, w, guard),
            _ => self.move_to(a, w, guard),
        }
    }

    /// An operand without a complement that the instruction applies itself.
    fn complement(&self, o: Operand) -> (Operand, bool) {
        match self.held(o) {
            Some(ir::Inst { op: Op::Not, src, .. }) => (src[0], true),
            _ => (o, false),
        }
    }

    fn special(&mut self, sp: Special, w: Word, guard: Option<Guard>) {
        let entry = self.entry();
        match sp {
            Special::TidX => {
                let src = [Src::Half(entry, false), Src::None, Src::None];
                self.emit_under(extend(IntType::U32, IntType::U16), w, src, guard);
            }
            Special::TidY => {
                let flat = self.f.required_block.is_some_and(|b| b[2] == 1);
                if flat {
                    let src = [Src::Half(entry, true), Src::None, Src::None];
                    self.emit_under(extend(IntType::U32, IntType::U16), w, src, guard);
                    return;
                }
                let t = self.fresh();
                self.emit(shift(true, false), Dst::Word(t), [Src::Word(entry), Src::Imm(16), Src::None]);
                let src = [Src::Word(t), Src::Imm(0x3ff), Src::None];
                self.emit_under(logic(LogicOp::And, false, false), w, src, guard);
            }
            Special::TidZ => {
                let src = [Src::Word(entry), Src::Imm(26), Src::None];
                self.emit_under(shift(true, false), w, src, guard);
            }
            Special::Clock => {
                self.emit_under(isa::Op::S2R, w, [Src::Special(1), Src::None, Src::None], guard);
            }
            _ => {
                if let Some(m) = self.header_ref(sp) {
                    let src = [Src::Shared(m), Src::None, Src::None];
                    self.emit_under(extend(IntType::U32, IntType::U16), w, src, guard);
                }
            }
        }
    }

    fn extension(&mut self, ty: MemTy, a: Operand, w: Word, guard: Option<Guard>) {
        match ty {
            MemTy::U8 => {
                let x = self.first(a);
                let src = [x, Src::Imm(0xff), Src::None];
                self.emit_under(logic(LogicOp::And, false, false), w, src, guard);
            }
            MemTy::S8 => {
                let x = self.plain(a);
                let src = [x, Src::None, Src::None];
                self.emit_under(extend(IntType::S32, IntType::S8), w, src, guard);
            }
            MemTy::U16 => {
                let x = self.half_in_register(a);
                let src = [x, Src::None, Src::None];
                self.emit_under(extend(IntType::U32, IntType::U16), w, src, guard);
            }
            MemTy::S16 => {
                let x = self.half_in_register(a);
                let src = [x, Src::None, Src::None];
                self.emit_under(extend(IntType::S32, IntType::S16), w, src, guard);
            }
            MemTy::B32 => self.move_to(a, w, guard),
        }
    }

    /// Operands of a 16-bit product: what shared memory holds first, constants last.
    fn half_order(&self, a: Operand, b: Operand) -> (Operand, Operand) {
        let in_memory = |s: &Self, o: Operand| s.is_shared_operand(o);
        match (a, b) {
            (Operand::Imm(_), Operand::Value(_)) => (b, a),
            (Operand::Value(_), Operand::Value(_)) if !in_memory(self, a) && in_memory(self, b) => (b, a),
            _ => (a, b),
        }
    }

    /// A sum with a product that waits for it: one multiply-add. False when there is none.
    fn product_sum(&mut self, product: Operand, addend: Operand, w: Word, guard: Option<Guard>, kind: AddKind) -> bool {
        let Some(p) = self.held(product) else {
            return false;
        };
        let (a, b) = match p.op {
            Op::Mul16 { .. } | Op::Mul24 { high: false, .. } => (p.src[0], p.src[1]),
            _ => return false,
        };
        let (a, b) = self.half_order(a, b);
        let constant = matches!(b, Operand::Imm(_));
        // One source may be in constant memory.
        let third = if constant { self.plain(addend) } else { self.other(addend) };
        let in_constant = |x: &Src| matches!(x, Src::Imm(_) | Src::Const(..) | Src::GlobalAddr(..));
        let (op, x, y) = match p.op {
            Op::Mul16 { signed } => {
                let y = self.half(b);
                let x = self.first_half(a);
                (mad16(kind, signed), x, y)
            }
            Op::Mul24 { signed, .. } => {
                let y = if in_constant(&third) { self.plain(b) } else { self.other(b) };
                let x = self.first(a);
                let mul = if signed { MulKind::S24 } else { MulKind::U24 };
                let op = isa::Op::IMad { kind, mul, sat: false };
                (op, x, y)
            }
            _ => return false,
        };
        self.emit_under(op, w, [x, y, third], guard);
        true
    }

    /// The low 32 bits of a product of 16-bit pieces.
    fn product(&mut self, a: Operand, b: Operand, w: Word, guard: Option<Guard>) {
        let (a, b) = match a {
            Operand::Imm(_) => (b, a),
            _ => (a, b),
        };
        if let Operand::Imm(c) = b {
            if self.constant_product(a, c, w, guard) {
                return;
            }
        }
        let narrow_a = self.facts_of(a).fits_unsigned(16);
        let narrow_b = self.facts_of(b).fits_unsigned(16);
        let x = self.reg(a);
        let (b_low, b_high) = match b {
            Operand::Imm(c) => (Src::Imm16(c as u16), Src::Imm16((c >> 16) as u16)),
            Operand::Value(_) => {
                let y = self.reg(b);
                (Src::Half(y, false), Src::Half(y, true))
            }
        };
        let mul = isa::Op::IMul16 { signed_a: false, signed_b: false };
        if narrow_a && narrow_b {
            let src = [Src::Half(x, false), b_low, Src::None];
            self.emit_under(mul, w, src, guard);
            return;
        }
        let mut t = self.fresh();
        // Low by high and high by low, where those halves are not zero.
        if !narrow_b {
            self.emit(mul, Dst::Word(t), [Src::Half(x, false), b_high, Src::None]);
        }
        if !narrow_a {
            if narrow_b {
                self.emit(mul, Dst::Word(t), [Src::Half(x, true), b_low, Src::None]);
            } else {
                let sum = self.fresh();
                let src = [Src::Half(x, true), b_low, Src::Word(t)];
                self.emit(mad16(AddKind::Add, false), Dst::Word(sum), src);
                t = sum;
            }
        }
        let high = self.fresh();
        self.emit(shift(false, false), Dst::Word(high), [Src::Word(t), Src::Imm(16), Src::None]);
        let src = [Src::Half(x, false), b_low, Src::Word(high)];
        self.emit_under(mad16(AddKind::Add, false), w, src, guard);
    }

    /// Products by constants that shifts and one sum make. False when multiplying is as short.
    fn constant_product(&mut self, a: Operand, c: u32, w: Word, guard: Option<Guard>) -> bool {
        if c == 0 {
            self.move_to(Operand::Imm(0), w, guard);
            return true;
        }
        let low = c.trailing_zeros();
        let odd = c >> low;
        // 2^k + 1 and 2^k - 1, shifted where that is still shorter than multiplying.
        let (k, kind) = if (odd - 1).is_power_of_two() {
            ((odd - 1).trailing_zeros(), AddKind::Add)
        } else if odd.checked_add(1).is_some_and(u32::is_power_of_two) {
            ((odd + 1).trailing_zeros(), AddKind::Sub)
        } else {
            return false;
        };
        if low != 0 && kind == AddKind::Sub {
            return false;
        }
        let x = self.reg(a);
        let t = self.fresh();
        self.emit(shift(false, false), Dst::Word(t), [Src::Word(x), Src::Imm(k + low), Src::None]);
        if low == 0 {
            self.emit_under(sum(kind), w, [Src::Word(t), Src::Word(x), Src::None], guard);
        } else {
            let y = self.fresh();
            self.emit(shift(false, false), Dst::Word(y), [Src::Word(x), Src::Imm(low), Src::None]);
            self.emit_under(sum(kind), w, [Src::Word(t), Src::Word(y), Src::None], guard);
        }
        true
    }

    /// The high 32 bits of a product.
    fn high_product(&mut self, a: Operand, b: Operand, signed: bool, w: Word, guard: Option<Guard>) {
        let x = self.reg(a);
        let y = self.reg(b);
        let (xl, xh) = (Src::Half(x, false), Src::Half(x, true));
        let (yl, yh) = (Src::Half(y, false), Src::Half(y, true));
        let mul = isa::Op::IMul16 { signed_a: false, signed_b: false };
        let mad = mad16(AddKind::Add, false);
        let down = shift(true, false);
        let step = |s: &mut Self, op, src| {
            let t = s.fresh();
            s.emit(op, Dst::Word(t), src);
            t
        };
        let p = step(self, mul, [xl, yl, Src::None]);
        let p = step(self, down, [Src::Word(p), Src::Imm(16), Src::None]);
        let m = step(self, mad, [xl, yh, Src::Word(p)]);
        let low = step(self, extend(IntType::U32, IntType::U16), [Src::Half(m, false), Src::None, Src::None]);
        let n = step(self, mad, [xh, yl, Src::Word(low)]);
        let m = step(self, down, [Src::Word(m), Src::Imm(16), Src::None]);
        let n = step(self, down, [Src::Word(n), Src::Imm(16), Src::None]);
        let high = step(self, mad, [xh, yh, Src::Word(m)]);
        if !signed {
            self.emit_under(add(), w, [Src::Word(high), Src::Word(n), Src::None], guard);
            return;
        }
        let mut r = step(self, add(), [Src::Word(high), Src::Word(n), Src::None]);
        // A negative operand counts 2^32 too much: the other one is taken off.
        let mut terms = Vec::new();
        for (o, v, other) in [(a, x, y), (b, y, x)] {
            if self.facts_of(o).min < 0 {
                terms.push((v, other));
            }
        }
        for (v, other) in terms {
            let sign = step(self, shift(true, true), [Src::Word(v), Src::Imm(31), Src::None]);
            let take = step(self, logic(LogicOp::And, false, false), [Src::Word(sign), Src::Word(other), Src::None]);
            r = step(self, sum(AddKind::Sub), [Src::Word(r), Src::Word(take), Src::None]);
        }
        self.emit_under(mov(), w, [Src::Word(r), Src::None, Src::None], guard);
    }

    /// 64-bit sums and differences: the carry passes through a flag.
    pub fn wide_sum(&mut self, i: &'a ir::Inst) {
        let [al, ah, bl, bh] = i.src[..] else { return };
        let [lo, hi] = i.dst[..] else { return };
        let sub = matches!(i.op, Op::Sub64);
        let x = self.plain(al);
        let y = self.other(bl);
        let flag = self.out.reg(Class::Flag);
        let (w_lo, w_hi) = (self.fresh(), self.fresh());
        let high = {
            let a = self.plain(ah);
            let b = match (bh, sub) {
                (Operand::Imm(c), true) => self.other(Operand::Imm(!c)),
                (_, false) => self.other(bh),
                (_, true) => {
                    let t = self.fresh();
                    let y = self.plain(bh);
                    self.emit(pass_b(true), Dst::Word(t), [Src::Zero, y, Src::None]);
                    Src::Word(t)
                }
            };
            [a, b, Src::None]
        };
        let kind = if sub { AddKind::Sub } else { AddKind::Add };
        let mut low = Inst::new(sum(kind), Dst::Word(w_lo), [x, y, Src::None], self.loc);
        low.cdst = Some(flag);
        self.push(low);
        let mut up = Inst::new(sum(AddKind::Addc), Dst::Word(w_hi), high, self.loc);
        up.carry = Some(flag);
        self.push(up);
        self.word[lo.0 as usize] = Some(w_lo);
        self.word[hi.0 as usize] = Some(w_hi);
    }

    /// One of two words: both moves, the second under a guard; what waits is computed in place.
    fn choice(&mut self, i: &'a ir::Inst, w: Word, outer: Option<Guard>) {
        let [p, a, b] = i.src[..] else { return };
        // A choice under a guard of its own is made beside and moved.
        if outer.is_some() {
            let t = self.fresh();
            self.choice(i, t, None);
            self.emit_under(mov(), w, [Src::Word(t), Src::None, Src::None], outer);
            return;
        }
        if self.choice_by_word(p, a, b, w) {
            return;
        }
        let dies = |s: &Self, o: Operand| match o {
            Operand::Value(v) => s.plan.uses[v.0 as usize] == 1,
            Operand::Imm(_) => false,
        };
        // The base is what ends here: its move costs nothing.
        let swap = dies(self, a) && !dies(self, b);
        let (base, other) = if swap { (a, b) } else { (b, a) };
        let held = self.held(other).filter(|x| is_single(&x.op));
        let guard = self.guard_of(p);
        let guard = if swap { Guard { flag: guard.flag, code: phi::opposite(guard.code) } } else { guard };
        // The operands of the other value are computed before the base takes the register.
        match (held, other) {
            (Some(x), Operand::Value(v)) => {
                for o in &x.src {
                    self.ready(x, *o);
                }
                self.move_to(base, w, None);
                let loc = std::mem::replace(&mut self.loc, x.loc);
                self.value(x, v, Some(w), Some(guard));
                self.loc = loc;
            }
            _ => {
                if let Operand::Value(v) = other {
                    self.word_of(v);
                }
                self.move_to(base, w, None);
                self.move_to(other, w, Some(guard));
            }
        }
    }
}

impl<'a> Select<'a> {
    /// The comparison that waits for a choice, to be computed as a word.
    fn held_comparison(&self, p: Operand) -> Option<&'a ir::Inst> {
        self.held(p).filter(|i| matches!(i.op, Op::Cmp { .. } | Op::FCmp(_)))
    }

    /// Computes an operand that waits, unless the instruction takes it in.
    fn ready(&mut self, x: &ir::Inst, o: Operand) {
        let Some(i) = self.held(o) else { return };
        let fused =
            matches!(x.op, Op::Add | Op::Sub) && matches!(i.op, Op::Mul16 { .. } | Op::Mul24 { high: false, .. });
        if fused {
            let src = &i.src;
            src.iter().for_each(|o| self.ready(i, *o));
        } else if !self.is_shared_operand(o) && !matches!(i.op, Op::Load { .. } | Op::FNeg | Op::FAbs) {
            if let Operand::Value(v) = o {
                self.word_of(v);
            }
        }
    }

    /// Choices between 0 and all ones, or 0 and a word that lives on: no flag is needed.
    fn choice_by_word(&mut self, p: Operand, a: Operand, b: Operand, w: Word) -> bool {
        let Some(c) = self.held_comparison(p) else {
            return false;
        };
        const ONES: Operand = Operand::Imm(u32::MAX);
        const ZERO: Operand = Operand::Imm(0);
        match (a, b) {
            (ONES, ZERO) => self.compare(c, Some(w), None, false, None),
            (ZERO, ONES) => self.compare(c, Some(w), None, true, None),
            (Operand::Value(v), ZERO) | (ZERO, Operand::Value(v)) if self.plan.uses[v.0 as usize] > 1 => {
                let mask = self.fresh();
                self.compare(c, Some(mask), None, a == ZERO, None);
                let x = self.word_of(v);
                let src = [Src::Word(mask), Src::Word(x), Src::None];
                self.emit(logic(LogicOp::And, false, false), Dst::Word(w), src);
            }
            _ => return false,
        }
        true
    }

    /// A sum with 1 where a comparison holds: the word of the comparison is taken off.
    fn counted(&mut self, x: Operand, choice: Operand, w: Word, guard: Option<Guard>) -> bool {
        let Some(ir::Inst { op: Op::Select, src, .. }) = self.held(choice) else {
            return false;
        };
        let (p, not) = match src[..] {
            [p, Operand::Imm(1), Operand::Imm(0)] => (p, false),
            [p, Operand::Imm(0), Operand::Imm(1)] => (p, true),
            _ => return false,
        };
        let Some(c) = self.held_comparison(p) else {
            return false;
        };
        let minus = self.fresh();
        self.compare(c, Some(minus), None, not, None);
        let first = self.first(x);
        let src = [first, Src::Word(minus), Src::None];
        self.emit_under(sum(AddKind::Sub), w, src, guard);
        true
    }
}

/// Operations that are one instruction and may be executed under a guard in place.
fn is_single(op: &Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Sub
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Shl
            | Op::Shr { .. }
            | Op::Min { .. }
            | Op::Max { .. }
            | Op::Mul16 { .. }
            | Op::Mul24 { .. }
            | Op::FAdd { .. }
            | Op::FMul { .. }
            | Op::FMad { .. }
            | Op::FMin
            | Op::FMax
    )
}
