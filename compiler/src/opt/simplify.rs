//! Algebra on single instructions: constants, identities, narrower operations.

use super::fold;
use super::gvn::{is_commutative, replace};
use super::known::{facts, Facts};
use crate::ir::{Function, Inst, MemTy, Op, Operand, Rel, Term, Ty, Value};

/// Replacement of an instruction.
enum Change {
    /// Its result is this operand.
    Value(Operand),
    /// It becomes another operation.
    Inst(Op, Vec<Operand>),
}

/// Definitions of all values, as they stand at the start of a run.
struct Defs {
    inst: Vec<Option<(Op, Vec<Operand>)>>,
    facts: Vec<Facts>,
}

impl Defs {
    fn of(&self, o: Operand) -> Option<(Op, &[Operand])> {
        match o {
            Operand::Value(v) => self.inst[v.0 as usize].as_ref().map(|(op, s)| (*op, s.as_slice())),
            Operand::Imm(_) => None,
        }
    }

    fn facts(&self, o: Operand) -> Facts {
        match o {
            Operand::Value(v) => self.facts[v.0 as usize],
            Operand::Imm(v) => Facts::of(v),
        }
    }
}

/// Simplifies every instruction once. True when anything changed.
pub fn run(f: &mut Function) -> bool {
    let mut defs = Defs { inst: vec![None; f.types.len()], facts: facts(f) };
    for block in &f.blocks {
        for i in &block.insts {
            if let [d] = i.dst[..] {
                defs.inst[d.0 as usize] = Some((i.op, i.src.clone()));
            }
        }
    }
    let mut with: Vec<Option<Operand>> = vec![None; f.types.len()];
    let mut changed = false;
    for b in 0..f.blocks.len() {
        let mut insts = std::mem::take(&mut f.blocks[b].insts);
        tests_of_shifts(&mut insts, &defs, &mut changed);
        for i in &mut insts {
            strip_operands(i, &defs, &mut changed);
            let Some(&d) = i.dst.first() else { continue };
            if i.dst.len() != 1 || with[d.0 as usize].is_some() {
                continue;
            }
            match simplify(f, &defs, i, d) {
                Some(Change::Value(o)) if o != Operand::Value(d) => {
                    with[d.0 as usize] = Some(o);
                    changed = true;
                }
                Some(Change::Inst(op, src)) => {
                    defs.inst[d.0 as usize] = Some((op, src.clone()));
                    (i.op, i.src) = (op, src);
                    changed = true;
                }
                _ => {}
            }
        }
        f.blocks[b].insts = insts;
        for p in &f.blocks[b].phis {
            if let Some(o) = lone_operand(p.dst, &p.args) {
                with[p.dst.0 as usize] = Some(o);
                changed = true;
            }
        }
        if let Term::Branch { cond, then, other } = f.blocks[b].term {
            if let Some((Op::Not, [x])) = defs.of(cond) {
                f.blocks[b].term = Term::Branch { cond: *x, then: other, other: then };
                changed = true;
            }
        }
    }
    break_rings(&mut with);
    replace(f, &with);
    for block in &mut f.blocks {
        block.phis.retain(|p| with[p.dst.0 as usize].is_none());
        block
            .insts
            .retain(|i| i.dst.len() != 1 || with[i.dst[0].0 as usize].is_none() || super::dce::has_effect(&i.op));
    }
    changed
}

/// A comparison of a word with 2^n where the word shifted right by n is at hand: that is compared
/// with zero.
fn tests_of_shifts(insts: &mut [Inst], defs: &Defs, changed: &mut bool) {
    for at in 0..insts.len() {
        let (Op::Cmp { rel, signed }, [Operand::Value(x), Operand::Imm(c)]) = (insts[at].op, &insts[at].src[..]) else {
            continue;
        };
        let (x, c) = (Operand::Value(*x), *c);
        if signed && defs.facts(x).min < 0 {
            continue;
        }
        let (limit, below) = match rel {
            Rel::LT => (c, true),
            Rel::GE => (c, false),
            Rel::LE => (c.wrapping_add(1), true),
            Rel::GT => (c.wrapping_add(1), false),
            _ => continue,
        };
        if !limit.is_power_of_two() || limit == 1 {
            continue;
        }
        let n = Operand::Imm(limit.trailing_zeros());
        let shifted =
            insts[..at].iter().find(|i| matches!(i.op, Op::Shr { .. }) && i.src[..] == [x, n] && i.dst.len() == 1);
        if let Some(&[y]) = shifted.map(|i| &i.dst[..]) {
            insts[at].op = Op::Cmp { rel: if below { Rel::EQ } else { Rel::NE }, signed: false };
            insts[at].src = vec![Operand::Value(y), Operand::Imm(0)];
            *changed = true;
        }
    }
}

/// Two phis that name each other alone would replace each other: such a ring is left as it is.
fn break_rings(with: &mut [Option<Operand>]) {
    for start in 0..with.len() {
        let mut at = start;
        let mut steps = 0;
        while let Some(Operand::Value(v)) = with[at] {
            at = v.0 as usize;
            steps += 1;
            if at == start || steps > with.len() {
                with[start] = None;
                break;
            }
        }
    }
}

/// The operand of a phi whose other operands are the phi itself.
fn lone_operand(dst: Value, args: &[(crate::ir::BlockId, Operand)]) -> Option<Operand> {
    let mut found = None;
    for (_, o) in args {
        if *o == Operand::Value(dst) || found == Some(*o) {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(*o);
    }
    found
}

/// Low bits of each source an operation reads; `None` for all.
fn bits_read(op: &Op) -> Option<u32> {
    match op {
        Op::Mul16 { .. } => Some(16),
        Op::Mul24 { .. } => Some(24),
        Op::Ext(MemTy::U8 | MemTy::S8) => Some(8),
        Op::Ext(MemTy::U16 | MemTy::S16) | Op::HalfToF => Some(16),
        _ => None,
    }
}

/// Takes off extensions and masks that an operation does not see.
fn strip_operands(i: &mut Inst, defs: &Defs, changed: &mut bool) {
    let skip = usize::from(matches!(i.op, Op::Store { .. }));
    let bits = match i.op {
        Op::Store { ty: ty @ (MemTy::U8 | MemTy::S8 | MemTy::U16 | MemTy::S16), .. } => Some(ty.bytes() * 8),
        ref op => bits_read(op),
    };
    let Some(bits) = bits else { return };
    let mask = (1u32 << bits) - 1;
    for o in &mut i.src[skip..] {
        let inner = match defs.of(*o) {
            Some((Op::Ext(ty), [x])) if ty.bytes() * 8 >= bits => *x,
            Some((Op::And, [x, Operand::Imm(m)])) if m & mask == mask => *x,
            _ => continue,
        };
        *o = inner;
        *changed = true;
    }
}

fn simplify(f: &Function, defs: &Defs, i: &Inst, d: Value) -> Option<Change> {
    use Change::{Inst as To, Value as Is};
    use Operand::{Imm, Value as Val};
    let word = f.ty(d) == Ty::Word;
    if let Some(consts) = i
        .src
        .iter()
        .map(|o| match o {
            Imm(v) => Some(*v),
            Val(_) => None,
        })
        .collect::<Option<Vec<u32>>>()
    {
        if !consts.is_empty() {
            let v = match i.op {
                Op::Not if word => Some(!consts[0]),
                Op::Not => Some(u32::from(consts[0] == 0)),
                ref op => fold::constant(op, &consts),
            };
            if let Some(v) = v {
                return Some(Is(Imm(v)));
            }
        }
    }
    if word {
        if let Some(v) = defs.facts[d.0 as usize].constant() {
            if super::gvn::is_pure(&i.op) {
                return Some(Is(Imm(v)));
            }
        }
    }
    let s = |n: usize| i.src.get(n).copied().unwrap_or(Imm(0));
    let (a, b) = (s(0), s(1));
    // Constants stand on the right.
    if is_commutative(&i.op) && matches!((a, b), (Imm(_), Val(_))) {
        let mut src = i.src.clone();
        src.swap(0, 1);
        return Some(To(i.op, src));
    }
    let (fa, fb) = (defs.facts(a), defs.facts(b));
    let ones = if word { u32::MAX } else { 1 };
    match (i.op, a, b) {
        (Op::Copy, ..) => Some(Is(a)),
        (Op::Special(sp), ..) => required(f, sp).map(|v| Is(Imm(v))),
        (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr { .. }, _, Imm(0)) => Some(Is(a)),
        (Op::And, _, Imm(0)) => Some(Is(Imm(0))),
        (Op::And, _, Imm(m)) if m & ones == ones => Some(Is(a)),
        (Op::Or, _, Imm(m)) if m & ones == ones => Some(Is(Imm(ones))),
        (Op::Xor, _, Imm(m)) if m & ones == ones => Some(To(Op::Not, vec![a])),
        (Op::And | Op::Or, ..) if a == b => Some(Is(a)),
        (Op::Xor | Op::Sub, ..) if a == b => Some(Is(Imm(0))),
        (Op::And, _, Imm(m)) if word && fa.zeros | m == u32::MAX => Some(Is(a)),
        (Op::And, _, Imm(m)) => match defs.of(a) {
            Some((Op::And, [x, Imm(n)])) => Some(To(Op::And, vec![*x, Imm(m & n)])),
            Some((Op::Ext(MemTy::U8 | MemTy::S8), [x])) if m & !0xff == 0 => Some(To(Op::And, vec![*x, Imm(m)])),
            Some((Op::Ext(MemTy::U16 | MemTy::S16), [x])) if m & !0xffff == 0 => Some(To(Op::And, vec![*x, Imm(m)])),
            _ if m == 0xffff && word => Some(To(Op::Ext(MemTy::U16), vec![a])),
            _ => None,
        },
        (Op::Sub, _, Imm(c)) => Some(To(Op::Add, vec![a, Imm(c.wrapping_neg())])),
        (Op::Add, _, Imm(c)) => match defs.of(a) {
            Some((Op::Add, [x, Imm(n)])) => Some(To(Op::Add, vec![*x, Imm(c.wrapping_add(*n))])),
            Some((Op::Sub, [Imm(n), x])) => Some(To(Op::Sub, vec![Imm(c.wrapping_add(*n)), *x])),
            _ => None,
        },
        (Op::Add, ..) => match (defs.of(a), defs.of(b)) {
            (_, Some((Op::Sub, [Imm(0), x]))) => Some(To(Op::Sub, vec![a, *x])),
            (Some((Op::Sub, [Imm(0), x])), _) => Some(To(Op::Sub, vec![b, *x])),
            _ => None,
        },
        (Op::Sub, ..) => match defs.of(b) {
            Some((Op::Sub, [Imm(0), x])) => Some(To(Op::Add, vec![a, *x])),
            _ => None,
        },
        (Op::Not, ..) => match defs.of(a) {
            Some((Op::Not, [x])) => Some(Is(*x)),
            Some((Op::Cmp { rel, signed }, [x, y])) if !word => {
                Some(To(Op::Cmp { rel: rel.not_int(), signed }, vec![*x, *y]))
            }
            Some((Op::FCmp(rel), [x, y])) if !word => Some(To(Op::FCmp(rel.not_float()), vec![*x, *y])),
            _ => None,
        },
        (Op::Shl, _, Imm(n)) => match defs.of(a) {
            Some((Op::Shl, [x, Imm(m)])) if n < 32 && *m < 32 => Some(To(Op::Shl, vec![*x, Imm(n + m)])),
            // The bits cut off below are cut off anyway: (x >> n) << n.
            Some((Op::Shr { .. }, [x, Imm(m)])) if n == *m && n < 32 => Some(To(Op::And, vec![*x, Imm(u32::MAX << n)])),
            _ => None,
        },
        (Op::Shr { signed: true }, ..) if fa.min >= 0 => Some(To(Op::Shr { signed: false }, vec![a, b])),
        (Op::Shr { signed }, _, Imm(n @ 1..=31)) => match defs.of(a) {
            Some((Op::Shl, [x, Imm(m)])) if *m == n && matches!(n, 16 | 24) => {
                let ty = match (n, signed) {
                    (16, false) => MemTy::U16,
                    (16, true) => MemTy::S16,
                    (_, false) => MemTy::U8,
                    (_, true) => MemTy::S8,
                };
                Some(To(Op::Ext(ty), vec![*x]))
            }
            Some((Op::Shl, [x, Imm(m)])) if *m == n && !signed => Some(To(Op::And, vec![*x, Imm(u32::MAX >> n)])),
            Some((Op::Shr { signed: inner }, [x, Imm(m)])) if inner == signed && *m < 32 => {
                let total = n + m;
                if total > 31 && !signed {
                    Some(Is(Imm(0)))
                } else {
                    Some(To(Op::Shr { signed }, vec![*x, Imm(total.min(31))]))
                }
            }
            _ => None,
        },
        (Op::Ext(ty), ..) => {
            let fits = match ty {
                MemTy::U8 => fa.fits_unsigned(8),
                MemTy::U16 => fa.fits_unsigned(16),
                MemTy::S8 => fa.fits_signed(8),
                MemTy::S16 => fa.fits_signed(16),
                MemTy::B32 => true,
            };
            fits.then_some(Is(a))
        }
        (Op::Mul, _, Imm(0)) => Some(Is(Imm(0))),
        (Op::Mul, _, Imm(1)) => Some(Is(a)),
        (Op::Mul, _, Imm(c)) if c.is_power_of_two() => Some(To(Op::Shl, vec![a, Imm(c.trailing_zeros())])),
        (Op::Mul, _, Imm(u32::MAX)) => Some(To(Op::Sub, vec![Imm(0), a])),
        (Op::Mul, ..) => narrow_product(fa, fb).map(|op| To(op, vec![a, b])),
        (Op::Mul24 { high: false, signed }, ..) => {
            let fits = |x: Facts| if signed { x.fits_signed(24) } else { x.fits_unsigned(24) };
            if let (Imm(c), true) = (b, fits(fa)) {
                if c.is_power_of_two() && c < 1 << 23 {
                    return Some(To(Op::Shl, vec![a, Imm(c.trailing_zeros())]));
                }
            }
            if fits(fa) && fits(fb) {
                match narrow_product(fa, fb) {
                    Some(op @ Op::Mul16 { .. }) => return Some(To(op, vec![a, b])),
                    _ => return None,
                }
            }
            None
        }
        (Op::Mul16 { signed }, _, Imm(c)) => {
            let fits = if signed { fa.fits_signed(16) } else { fa.fits_unsigned(16) };
            if c & 0xffff == 0 {
                Some(Is(Imm(0)))
            } else if fits && c.is_power_of_two() && c < 1 << 15 {
                Some(To(Op::Shl, vec![a, Imm(c.trailing_zeros())]))
            } else {
                None
            }
        }
        (Op::MulHi { .. }, _, Imm(0)) => Some(Is(Imm(0))),
        (Op::MulHi { signed: true }, ..) if fa.min >= 0 && fb.min >= 0 => {
            Some(To(Op::MulHi { signed: false }, vec![a, b]))
        }
        (Op::Cmp { rel, signed }, ..) => compare(defs, rel, signed, a, b),
        (Op::Select, ..) => select(f, defs, i, word),
        (Op::FNeg, ..) => match defs.of(a) {
            Some((Op::FNeg, [x])) => Some(Is(*x)),
            _ => None,
        },
        (Op::FAbs, ..) => match defs.of(a) {
            Some((Op::FNeg | Op::FAbs, [x])) => Some(To(Op::FAbs, vec![*x])),
            _ => None,
        },
        _ => None,
    }
}

/// Block sizes and numbers that the source fixes.
fn required(f: &Function, s: crate::ir::Special) -> Option<u32> {
    use crate::ir::Special as S;
    let b = f.required_block?;
    match s {
        S::NTidX => Some(b[0]),
        S::NTidY => Some(b[1]),
        S::NTidZ => Some(b[2]),
        S::TidX if b[0] == 1 => Some(0),
        S::TidY if b[1] == 1 => Some(0),
        S::TidZ if b[2] == 1 => Some(0),
        _ => None,
    }
}

/// The cheapest multiplication that gives the low 32 bits of a product.
fn narrow_product(a: Facts, b: Facts) -> Option<Op> {
    if a.fits_unsigned(16) && b.fits_unsigned(16) {
        Some(Op::Mul16 { signed: false })
    } else if a.fits_signed(16) && b.fits_signed(16) {
        Some(Op::Mul16 { signed: true })
    } else if a.fits_unsigned(24) && b.fits_unsigned(24) {
        Some(Op::Mul24 { signed: false, high: false })
    } else if a.fits_signed(24) && b.fits_signed(24) {
        Some(Op::Mul24 { signed: true, high: false })
    } else {
        None
    }
}

fn compare(defs: &Defs, rel: Rel, signed: bool, a: Operand, b: Operand) -> Option<Change> {
    use Operand::{Imm, Value as Val};
    if a == b {
        return Some(Change::Value(Imm(u32::from(rel.0 & Rel::EQ.0 != 0))));
    }
    if matches!((a, b), (Imm(_), Val(_))) {
        let op = Op::Cmp { rel: rel.swapped(), signed };
        return Some(Change::Inst(op, vec![b, a]));
    }
    let Imm(c) = b else { return None };
    // A comparison of a choice between constants is the predicate that chose.
    if let Some((Op::Select, [p, Imm(x), Imm(y)])) = defs.of(a) {
        let on = fold::compare(rel, signed, *x, c);
        let off = fold::compare(rel, signed, *y, c);
        return Some(match (on, off) {
            (true, false) => Change::Value(*p),
            (false, true) => Change::Inst(Op::Not, vec![*p]),
            (same, _) => Change::Value(Imm(u32::from(same))),
        });
    }
    let fa = defs.facts(a);
    // A single bit is set when it is not zero.
    if let (Rel::EQ | Rel::NE, true) = (rel, c.is_power_of_two() && fa.zeros == !c) {
        let op = Op::Cmp { rel: rel.not_int(), signed };
        return Some(Change::Inst(op, vec![a, Imm(0)]));
    }
    let (lo, hi) = if signed || fa.min >= 0 { (fa.min as u32, fa.max as u32) } else { (0, u32::MAX) };
    let truth = |x: u32| fold::compare(rel, signed, x, c);
    let inside = fold::compare(Rel::LE, signed, lo, c) && fold::compare(Rel::LE, signed, c, hi);
    if !inside && truth(lo) == truth(hi) {
        return Some(Change::Value(Imm(u32::from(truth(lo)))));
    }
    if rel == Rel::LE && truth(lo) && truth(hi) || rel == Rel::GE && truth(lo) && truth(hi) {
        return Some(Change::Value(Imm(1)));
    }
    if (rel == Rel::LT || rel == Rel::GT) && !truth(lo) && !truth(hi) {
        return Some(Change::Value(Imm(0)));
    }
    None
}

fn select(f: &Function, defs: &Defs, i: &Inst, word: bool) -> Option<Change> {
    use Operand::Imm;
    let [p, a, b] = i.src[..] else { return None };
    match p {
        Imm(0) => return Some(Change::Value(b)),
        Imm(_) => return Some(Change::Value(a)),
        Operand::Value(v) if f.ty(v) != Ty::Pred => return None,
        Operand::Value(_) => {}
    }
    if a == b {
        return Some(Change::Value(a));
    }
    if let Some((Op::Not, [x])) = defs.of(p) {
        return Some(Change::Inst(Op::Select, vec![*x, b, a]));
    }
    if !word {
        return match (a, b) {
            (Imm(1), Imm(0)) => Some(Change::Value(p)),
            (Imm(0), Imm(1)) => Some(Change::Inst(Op::Not, vec![p])),
            (Imm(1), _) => Some(Change::Inst(Op::Or, vec![p, b])),
            (_, Imm(0)) => Some(Change::Inst(Op::And, vec![p, a])),
            _ => None,
        };
    }
    // The smaller or greater of the two that are compared.
    if let Some((Op::Cmp { rel, signed }, [x, y])) = defs.of(p) {
        let (min, max) = (matches!(rel, Rel::LT | Rel::LE), matches!(rel, Rel::GT | Rel::GE));
        let same = (*x, *y) == (a, b) || (*x, *y) == (b, a);
        if same && (min || max) {
            let straight = (*x, *y) == (a, b);
            let op = if min == straight { Op::Min { signed } } else { Op::Max { signed } };
            return Some(Change::Inst(op, vec![a, b]));
        }
    }
    None
}
