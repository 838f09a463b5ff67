//! Undefined bits of the result of a micro-operation.
//!
//! Logic, moves, shifts by a defined count, fields and selections are followed bit by bit; integer sums and
//! products are defined below their lowest undefined bit; everything else is undefined as a whole. A
//! difference of a value and itself, or their exclusive or, is undefined: both count as independent.

use crate::uop::eval::{eval, holds};
use crate::uop::read::bits;
use warpsmith_isa::uop::{Op, Src, Type, Uop};

/// So many undefined bits are tried out instead.
const FEW: u32 = 2;
/// Sources of a micro-operation at most.
const SOURCES: usize = 8;

/// Undefined bits of both results of `uop`: `raw` has the bits of each source as they lie in their places,
/// `undefined` says which of them are.
pub fn of(uop: &Uop, raw: &[u64], undefined: &[u64]) -> [u64; 2] {
    let mut known = Known { uop, raw: [0; SOURCES], undefined: [0; SOURCES] };
    let mut count = 0;
    for (n, src) in uop.src.iter().enumerate().take(SOURCES) {
        known.raw[n] = raw.get(n).copied().unwrap_or(0);
        known.undefined[n] = undefined.get(n).map_or(0, |u| u & src.ty.mask());
        count += known.undefined[n].count_ones();
    }
    match count {
        0 => [0; 2],
        1..=FEW => known.tried(),
        _ => [known.first() & uop.ty.mask(), u64::MAX],
    }
}

/// Sources with what is known of them.
struct Known<'a> {
    uop: &'a Uop,
    raw: [u64; SOURCES],
    undefined: [u64; SOURCES],
}

impl Known<'_> {
    fn src(&self, n: usize) -> &Src {
        &self.uop.src[n]
    }

    /// Bits that differ between any two results with the undefined bits set and cleared.
    fn tried(&self) -> [u64; 2] {
        let mut places = [(0, 0); FEW as usize];
        let mut n = 0;
        for (s, undefined) in self.undefined.iter().enumerate() {
            for bit in (0..64).filter(|b| undefined >> b & 1 == 1) {
                places[n] = (s, bit);
                n += 1;
            }
        }
        let result = |set: usize| {
            let mut raw = self.raw;
            for (k, (s, bit)) in places.iter().enumerate().take(n) {
                raw[*s] = raw[*s] & !(1 << bit) | (set as u64 >> k & 1) << bit;
            }
            eval(self.uop, &raw[..self.uop.src.len().min(SOURCES)])
        };
        let first = result(0);
        (1..1 << n).fold([0; 2], |found, set| {
            let other = result(set);
            [0, 1].map(|d| found[d] | first[d] ^ other[d])
        })
    }

    /// Undefined bits of the first result; more than its type has where all are.
    fn first(&self) -> u64 {
        let exact = !self.uop.ty.is_float() && !self.uop.saturate;
        let integers = exact && self.uop.src.iter().all(|s| !s.ty.is_float());
        match self.uop.op {
            Op::Move if self.src(0).ty.is_float() || self.uop.ty.is_float() => self.seen(0),
            Op::Move if exact => self.wide(0) as u64,
            Op::Convert if self.keeps() => self.wide(0) as u64,
            Op::Add | Op::MulAdd if integers => self.upward(),
            Op::Mul if integers && self.has_zero() => 0,
            Op::Mul if integers => self.upward(),
            Op::Logic(_) if self.plain(2) => self.bitwise(),
            Op::ShiftLeft { .. } | Op::ShiftRight { .. } if exact => self.moved(1),
            Op::Extract if exact => self.moved(1),
            Op::Insert | Op::ShiftPair { .. } | Op::Interleave => self.moved(2),
            Op::Reverse => self.moved(1),
            Op::Select => match self.seen(2) & 1 {
                0 => self.seen(usize::from(bits(self.src(2), self.raw[2]) & 1 == 0)),
                _ => self.either(0, 1),
            },
            Op::CompareSelect(cond) if self.undefined[..2] == [0; 2] => {
                let n = self.uop.src.len().min(SOURCES);
                self.seen(if holds(self.uop, &self.raw[..n], cond) { 2 } else { 3 })
            }
            Op::CompareSelect(_) => self.either(2, 3),
            _ => u64::MAX,
        }
    }

    /// Undefined bits of a source's bits behind its modifiers.
    fn seen(&self, n: usize) -> u64 {
        let src = self.src(n);
        if !src.ty.is_float() {
            return self.wide(n) as u64 & src.ty.mask();
        }
        let sign = 1 << (src.ty.bits() - 1);
        match self.undefined[n] {
            u if src.flush && u & !sign != 0 => src.ty.mask(),
            u if src.abs => u & !sign,
            u => u,
        }
    }

    /// Undefined bits of a source as an integer behind its modifiers, extended as it is.
    fn wide(&self, n: usize) -> i128 {
        let src = self.src(n);
        let u = src.ty.integer(self.undefined[n]);
        let u = match u {
            0 => 0,
            // Both signs are possible.
            _ if src.abs && u < 0 => -1,
            _ if src.abs || src.neg => -1 << u.trailing_zeros(),
            _ => u,
        };
        u << src.shift.min(32)
    }

    /// All bits from the lowest undefined one of any source on: carries go up.
    fn upward(&self) -> u64 {
        let any = (0..self.uop.src.len().min(SOURCES)).fold(0, |u, n| u | self.wide(n));
        match any.trailing_zeros() {
            n @ 0..=63 => u64::MAX << n,
            _ => 0,
        }
    }

    /// Whether a factor is zero.
    fn has_zero(&self) -> bool {
        (0..2).any(|n| self.undefined[n] == 0 && bits(self.src(n), self.raw[n]) == 0)
    }

    /// Whether the first `n` sources come without a sign changed.
    fn plain(&self, n: usize) -> bool {
        let plain = |s: &Src| !s.abs && !s.neg && !s.flush && s.shift == 0;
        self.uop.src.iter().take(n).all(plain)
    }

    /// Every bit by itself: what it is for each value of both sources' bits.
    fn bitwise(&self) -> u64 {
        let value = |a: bool, b: bool| {
            let of = |n: usize, set: bool| match set {
                true => self.raw[n] | self.undefined[n],
                false => self.raw[n] & !self.undefined[n],
            };
            eval(self.uop, &[of(0, a), of(1, b)])[0]
        };
        let none = value(false, false);
        (none ^ value(true, false)) | (none ^ value(false, true)) | (none ^ value(true, true))
    }

    /// The first `data` sources only change places, by what the others say: undefined bits go the same way.
    fn moved(&self, data: usize) -> u64 {
        if self.undefined[data..].iter().any(|u| *u != 0) || !self.plain(data) {
            return u64::MAX;
        }
        let mut raw = self.raw;
        raw[..data].copy_from_slice(&self.undefined[..data]);
        let raw = &raw[..self.uop.src.len().min(SOURCES)];
        if self.uop.src.iter().take(data).all(|s| !s.not) {
            return eval(self.uop, raw)[0];
        }
        let mut uop = self.uop.clone();
        uop.src.iter_mut().take(data).for_each(|s| s.not = false);
        eval(&uop, raw)[0]
    }

    /// One of two sources, nobody knows which.
    fn either(&self, a: usize, b: usize) -> u64 {
        let value = |n: usize| bits(self.src(n), self.raw[n]);
        (value(a) ^ value(b)) | self.seen(a) | self.seen(b)
    }

    /// Whether a conversion of integers neither clamps nor rounds.
    fn keeps(&self) -> bool {
        let (from, to) = (self.src(0), self.uop.ty);
        let fits = |from: Type, to: Type| match (from.is_signed(), to.is_signed()) {
            (true, false) => false,
            (false, true) => from.bits() < to.bits(),
            _ => from.bits() <= to.bits(),
        };
        let integers = !from.ty.is_float() && !to.is_float();
        integers && (!self.uop.saturate || fits(from.ty, to) && self.plain(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_isa::uop::{Cond, Place};

    fn of_words(op: Op, raw: [u64; 2], undefined: [u64; 2]) -> u64 {
        let src = Src::new(Place::None, Type::U32);
        let uop = Uop::new(op, Type::U32, Place::None, vec![src, src]);
        of(&uop, &raw, &undefined)[0]
    }

    #[test]
    fn an_and_with_zeros_is_defined_and_an_or_with_ones() {
        let and = Op::Logic(0b1000);
        assert_eq!(of_words(and, [7, 0xff00], [0xffff_ffff, 0]), 0xff00);
        assert_eq!(of_words(and, [7, 0], [0xffff_ffff, 0]), 0);
        let or = Op::Logic(0b1110);
        assert_eq!(of_words(or, [0, 0xffff_ff00], [0xffff_ffff, 0]), 0xff);
        let xor = Op::Logic(0b0110);
        assert_eq!(of_words(xor, [0, 9], [0xf0f0, 0]), 0xf0f0);
        assert_eq!(of_words(xor, [5, 5], [0xff, 0xff]), 0xff, "independent");
    }

    #[test]
    fn a_sum_is_defined_below_its_lowest_undefined_bit() {
        assert_eq!(of_words(Op::Add, [1, 2], [0xf0, 0]), 0xffff_fff0);
        assert_eq!(of_words(Op::Mul, [1, 2], [0, 0xf0]), 0xffff_fff0);
        assert_eq!(of_words(Op::Mul, [0, 2], [0, 0xf0]), 0);
    }

    #[test]
    fn shifts_carry_undefined_bits_along() {
        let left = Op::ShiftLeft { mask: u32::MAX };
        assert_eq!(of_words(left, [0, 8], [0xff, 0]), 0xff00);
        assert_eq!(of_words(left, [0, 8], [0xff, 7]), 0xffff_ffff);
        let right = Op::ShiftRight { mask: u32::MAX };
        assert_eq!(of_words(right, [0, 8], [0xff00, 0]), 0xff);
        let src = |ty| Src::new(Place::None, ty);
        let signed = Uop::new(right, Type::U32, Place::None, vec![src(Type::S32), src(Type::U32)]);
        assert_eq!(of(&signed, &[0, 4], &[0xf000_0000, 0])[0], 0xff00_0000);
    }

    #[test]
    fn few_bits_are_tried_out() {
        let less = Op::Compare { cond: Cond(Cond::LESS), combine: 0 };
        assert_eq!(of_words(less, [0x100, 5], [1, 0]), 0, "greater anyway");
        assert_eq!(of_words(less, [4, 5], [1, 0]), 0xffff_ffff);
        assert_eq!(of_words(less, [4, 5], [7, 0]), 0xffff_ffff);
    }

    /// No bit that the transfer calls defined depends on an undefined one.
    #[test]
    fn defined_bits_do_not_depend_on_undefined_ones() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ state >> 29
        };
        let ops = [
            Op::Move,
            Op::Convert,
            Op::Add,
            Op::Mul,
            Op::MulAdd,
            Op::MulHigh,
            Op::Min,
            Op::Logic(0b1000),
            Op::Logic(0b0110),
            Op::Logic(0b0010),
            Op::Select,
            Op::CompareSelect(Cond(Cond::LESS)),
            Op::ShiftLeft { mask: 31 },
            Op::ShiftRight { mask: u32::MAX },
            Op::Extract,
            Op::Insert,
            Op::ShiftPair { mask: 31 },
            Op::Reverse,
            Op::Interleave,
            Op::CountOnes,
        ];
        let types = [Type::U32, Type::S32, Type::U16, Type::S16, Type::S8, Type::F32];
        let mut partly = 0;
        for _ in 0..60_000 {
            let op = ops[next() as usize % ops.len()];
            let mut src = vec![];
            let (mut raw, mut undefined) = (vec![], vec![]);
            for n in 0..4 {
                let ty = types[next() as usize % types.len()];
                let m = next() % 16;
                src.push(Src { neg: m == 1, abs: m == 2, not: m == 3, flush: m == 4, ..Src::new(Place::None, ty) });
                let small = n > 0 && next() % 2 == 0;
                raw.push(if small { next() % 40 } else { next() });
                let none = next() % 3 == 0;
                undefined.push(if none { 0 } else { next() & next() & next() });
            }
            let ty = types[next() as usize % types.len()];
            let uop = Uop::new(op, ty, Place::None, src).saturating(next() % 8 == 0);
            let [mask, _] = of(&uop, &raw, &undefined);
            partly += u32::from(mask & ty.mask() != ty.mask());
            let before = eval(&uop, &raw)[0];
            for _ in 0..4 {
                let other: Vec<u64> = (raw.iter().zip(&undefined)).map(|(r, u)| r & !u | next() & u).collect();
                let after = eval(&uop, &other)[0];
                assert_eq!(
                    before & !mask & ty.mask(),
                    after & !mask & ty.mask(),
                    "{uop:?} {raw:x?} {undefined:x?} {other:x?}"
                );
            }
        }
        assert!(partly > 10_000, "{partly}");
    }
}
