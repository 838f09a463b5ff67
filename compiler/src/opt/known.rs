//! Facts about every word: bits that are zero, and bounds as a signed number.
//!
//! Products whose operands are known to fit 16 or 24 bits are cheap.

use super::cfg::graph;
use super::fold::extend;
use crate::ir::{Function, Inst, MemTy, Op, Operand, Space, Special, Ty};

/// Facts about a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bits that are zero.
    pub zeros: u32,
    /// Least value as a signed number.
    pub min: i32,
    /// Greatest value as a signed number.
    pub max: i32,
}

impl Facts {
    /// Nothing is known.
    pub const ANY: Facts = Facts { zeros: 0, min: i32::MIN, max: i32::MAX };

    /// A constant.
    pub fn of(v: u32) -> Facts {
        Facts { zeros: !v, min: v as i32, max: v as i32 }
    }

    /// Between two bounds, both included.
    pub fn between(min: i64, max: i64) -> Facts {
        if min < i64::from(i32::MIN) || max > i64::from(i32::MAX) {
            return Facts::ANY;
        }
        Facts { zeros: 0, min: min as i32, max: max as i32 }.tighten()
    }

    /// Some bits are zero.
    pub fn with_zeros(zeros: u32) -> Facts {
        Facts { zeros, ..Facts::ANY }.tighten()
    }

    /// Lets bits and bounds improve each other.
    fn tighten(mut self) -> Facts {
        if self.min >= 0 {
            let spare = (self.max as u32).leading_zeros();
            self.zeros |= !(u32::MAX.checked_shr(spare).unwrap_or(0));
        }
        if self.zeros >> 31 != 0 {
            self.min = self.min.max(0);
            self.max = self.max.min(!self.zeros as i32);
        }
        self
    }

    /// Facts that hold for both.
    pub fn join(self, o: Facts) -> Facts {
        Facts { zeros: self.zeros & o.zeros, min: self.min.min(o.min), max: self.max.max(o.max) }
    }

    /// True when the word is below 2^bits as an unsigned number.
    pub fn fits_unsigned(self, bits: u32) -> bool {
        let above = !(u32::MAX.checked_shr(32 - bits).unwrap_or(0));
        self.zeros & above == above
    }

    /// True when the word is a signed number of that many bits.
    pub fn fits_signed(self, bits: u32) -> bool {
        let half = 1i64 << (bits - 1);
        i64::from(self.min) >= -half && i64::from(self.max) < half
    }

    /// The word when only one is possible.
    pub fn constant(self) -> Option<u32> {
        (self.min == self.max).then_some(self.min as u32)
    }
}

/// Facts of all values of a function in single assignment, by value.
pub fn facts(f: &Function) -> Vec<Facts> {
    let order = graph(f).rpo();
    let mut known: Vec<Option<Facts>> = vec![None; f.types.len()];
    // The first rounds find what loops keep; later ones give up facts that still change.
    for round in 0..8 {
        let mut changed = false;
        for &b in &order {
            let block = &f.blocks[b as usize];
            for p in &block.phis {
                let mut joined: Option<Facts> = None;
                for (_, o) in &p.args {
                    let a = match o {
                        Operand::Imm(v) => Some(Facts::of(*v)),
                        Operand::Value(v) => known[v.0 as usize],
                    };
                    if let Some(a) = a {
                        joined = Some(joined.map_or(a, |j| j.join(a)));
                    }
                }
                let slot = &mut known[p.dst.0 as usize];
                let new = match (joined, *slot) {
                    (Some(n), Some(o)) if n != o && round >= 2 => widen(o, n),
                    (Some(n), _) => n,
                    (None, _) => continue,
                };
                if *slot != Some(new) {
                    *slot = Some(new);
                    changed = true;
                }
            }
            for i in &block.insts {
                if i.dst.len() != 1 || f.ty(i.dst[0]) != Ty::Word {
                    for d in &i.dst {
                        known[d.0 as usize] = Some(Facts::ANY);
                    }
                    if let (Op::Load { ty, .. }, false) = (&i.op, i.dst.is_empty()) {
                        for d in &i.dst {
                            known[d.0 as usize] = Some(loaded(*ty));
                        }
                    }
                    continue;
                }
                let new = of_inst(f, i, |o| match o {
                    Operand::Imm(v) => Facts::of(*v),
                    Operand::Value(v) => known[v.0 as usize].unwrap_or(Facts::ANY),
                });
                let slot = &mut known[i.dst[0].0 as usize];
                if *slot != Some(new) {
                    *slot = Some(new);
                    changed = true;
                }
            }
        }
        if !changed {
            return known.into_iter().map(|k| k.unwrap_or(Facts::ANY)).collect();
        }
    }
    // Not settled: only what depends on no loop is sure.
    let mut known = vec![Facts::ANY; f.types.len()];
    for &b in &order {
        for i in &f.blocks[b as usize].insts {
            if i.dst.len() == 1 && f.ty(i.dst[0]) == Ty::Word {
                known[i.dst[0].0 as usize] = of_inst(f, i, |o| match o {
                    Operand::Imm(v) => Facts::of(*v),
                    Operand::Value(v) => known[v.0 as usize],
                });
            }
        }
    }
    known
}

/// Gives up what changed from one round to the next.
fn widen(old: Facts, new: Facts) -> Facts {
    Facts {
        zeros: if new.zeros == old.zeros { new.zeros } else { 0 },
        min: if new.min == old.min {
            new.min
        } else if new.min >= 0 && old.min >= 0 {
            0
        } else {
            i32::MIN
        },
        max: if new.max == old.max { new.max } else { i32::MAX },
    }
    .tighten()
}

fn loaded(ty: MemTy) -> Facts {
    match ty {
        MemTy::U8 => Facts::between(0, 0xff),
        MemTy::S8 => Facts::between(-0x80, 0x7f),
        MemTy::U16 => Facts::between(0, 0xffff),
        MemTy::S16 => Facts::between(-0x8000, 0x7fff),
        MemTy::B32 => Facts::ANY,
    }
}

/// Facts of an instruction with one word as result.
fn of_inst(f: &Function, i: &Inst, get: impl Fn(&Operand) -> Facts) -> Facts {
    let src: Vec<Facts> = match i.op {
        Op::Select => i.src[1..].iter().map(&get).collect(),
        Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } | Op::Lock { .. } | Op::Unlock { .. } => Vec::new(),
        _ => i.src.iter().map(&get).collect(),
    };
    if let (false, Some(c)) =
        (matches!(i.op, Op::Select) || src.is_empty(), src.iter().map(|s| s.constant()).collect::<Option<Vec<u32>>>())
    {
        if let Some(v) = super::fold::constant(&i.op, &c) {
            return Facts::of(v);
        }
    }
    let (a, b) = (src.first().copied().unwrap_or(Facts::ANY), src.get(1).copied().unwrap_or(Facts::ANY));
    let range = |x: Facts| (i64::from(x.min), i64::from(x.max));
    let ((al, ah), (bl, bh)) = (range(a), range(b));
    let most = f.max_threads.unwrap_or(1024);
    let block = f.required_block.unwrap_or([most, most, most.min(64)]);
    match i.op {
        Op::Copy => a,
        Op::Special(s) => match s {
            Special::TidX => Facts::between(0, i64::from(block[0].clamp(1, 1024)) - 1),
            Special::TidY => Facts::between(0, i64::from(block[1].clamp(1, 1024)) - 1),
            Special::TidZ => Facts::between(0, i64::from(block[2].clamp(1, 64)) - 1),
            Special::NTidX => Facts::between(1, i64::from(block[0].clamp(1, 1024))),
            Special::NTidY => Facts::between(1, i64::from(block[1].clamp(1, 1024))),
            Special::NTidZ => Facts::between(1, i64::from(block[2].clamp(1, 64))),
            Special::CtaIdX | Special::CtaIdY => Facts::between(0, 65534),
            Special::NCtaIdX | Special::NCtaIdY => Facts::between(1, 65535),
            Special::Clock => Facts::ANY,
        },
        Op::Add => Facts::between(al + bl, ah + bh),
        Op::Sub => Facts::between(al - bh, ah - bl),
        Op::Mul => product((al, ah), (bl, bh)),
        Op::Mul16 { signed } => {
            let low = |x: Facts| {
                let (fits, ty) =
                    if signed { (x.fits_signed(16), MemTy::S16) } else { (x.fits_unsigned(16), MemTy::U16) };
                range(if fits { x } else { loaded(ty) })
            };
            product(low(a), low(b))
        }
        Op::Mul24 { signed: false, high: false } if a.fits_unsigned(24) && b.fits_unsigned(24) => {
            product((al, ah), (bl, bh))
        }
        Op::Min { signed: true } => Facts::between(al.min(bl), ah.min(bh)),
        Op::Max { signed: true } => Facts::between(al.max(bl), ah.max(bh)),
        Op::Min { signed: false } | Op::Max { signed: false } if al >= 0 && bl >= 0 => {
            if matches!(i.op, Op::Min { .. }) {
                Facts::between(al.min(bl), ah.min(bh))
            } else {
                Facts::between(al.max(bl), ah.max(bh))
            }
        }
        Op::And => {
            let mut r = Facts::with_zeros(a.zeros | b.zeros);
            for x in [a, b] {
                if x.min >= 0 {
                    r.max = r.max.min(x.max);
                    r.min = r.min.max(0);
                }
            }
            r.tighten()
        }
        Op::Or | Op::Xor => Facts::with_zeros(a.zeros & b.zeros),
        Op::Shl => match b.constant() {
            Some(n) if n < 32 => {
                let r = Facts::between(al << n, ah << n);
                let low = (1u32 << n) - 1;
                Facts { zeros: r.zeros | a.zeros << n | low, ..r }.tighten()
            }
            Some(_) => Facts::of(0),
            None => Facts::ANY,
        },
        Op::Shr { signed: false } => match b.constant() {
            Some(n @ 0..=31) => {
                let zeros = a.zeros >> n | !(u32::MAX >> n);
                let mut r = Facts::with_zeros(zeros);
                if a.min >= 0 {
                    r = Facts { zeros: r.zeros, min: (a.min >> n).max(r.min), max: (a.max >> n).min(r.max) };
                }
                r.tighten()
            }
            Some(_) => Facts::of(0),
            None if a.min >= 0 => Facts::between(0, ah),
            None => Facts::ANY,
        },
        Op::Shr { signed: true } => match b.constant() {
            Some(n) => Facts::between(al >> n.min(31), ah >> n.min(31)),
            None => Facts::between(al.min(0), ah.max(0)),
        },
        Op::Ext(ty) => {
            if i64::from(extend(ty, a.min as u32) as i32) == al && i64::from(extend(ty, a.max as u32) as i32) == ah {
                a
            } else {
                loaded(ty)
            }
        }
        Op::Select => a.join(b),
        Op::Load { ty, space, .. } if space != Space::Param || ty != MemTy::B32 => loaded(ty),
        _ => Facts::ANY,
    }
}

/// Bounds of a product.
fn product((al, ah): (i64, i64), (bl, bh): (i64, i64)) -> Facts {
    let all = [al * bl, al * bh, ah * bl, ah * bh];
    let min = all.iter().copied().min().unwrap_or(i64::MIN);
    let max = all.iter().copied().max().unwrap_or(i64::MAX);
    Facts::between(min, max)
}
