//! Operations on words as gates.

use super::cnf::{Bit, Cnf};

/// Bits, the lowest first.
pub type Word = Vec<Bit>;

/// Bits of a constant.
pub fn constant(value: u64, width: u8) -> Word {
    (0..width).map(|i| Bit::of(value >> i & 1 != 0)).collect()
}

impl Cnf {
    /// A word that can have any value.
    pub fn any_word(&mut self, width: u8) -> Word {
        (0..width).map(|_| self.fresh()).collect()
    }

    /// Bit by bit.
    pub fn each(&mut self, a: &[Bit], b: &[Bit], gate: fn(&mut Cnf, Bit, Bit) -> Bit) -> Word {
        a.iter().zip(b).map(|(a, b)| gate(self, *a, *b)).collect()
    }

    /// `condition ? yes : no`.
    pub fn choose(&mut self, condition: Bit, yes: &[Bit], no: &[Bit]) -> Word {
        yes.iter().zip(no).map(|(y, n)| self.mux(condition, *y, *n)).collect()
    }

    /// Sum with a carry into the lowest place, and the carry out of the highest.
    pub fn sum(&mut self, a: &[Bit], b: &[Bit], carry: Bit) -> (Word, Bit) {
        let mut carry = carry;
        let mut out = vec![];
        for (a, b) in a.iter().zip(b) {
            let half = self.xor(*a, *b);
            out.push(self.xor(half, carry));
            let (both, passed) = (self.and(*a, *b), self.and(half, carry));
            carry = self.or(both, passed);
        }
        (out, carry)
    }

    /// Difference, and whether there was no borrow: `a >= b`.
    pub fn difference(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Bit) {
        let inverse: Word = b.iter().map(|b| !*b).collect();
        self.sum(a, &inverse, Bit::ONE)
    }

    /// Product, as long as both factors together.
    pub fn product(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        let mut high = vec![Bit::ZERO; a.len()];
        let mut out = vec![];
        for by in b {
            let row: Word = a.iter().map(|a| self.and(*a, *by)).collect();
            let (mut sum, carry) = self.sum(&high, &row, Bit::ZERO);
            sum.push(carry);
            out.push(sum.remove(0));
            high = sum;
        }
        out.extend(high);
        out
    }

    /// Whether two words are equal.
    pub fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let differ = self.each(a, b, Cnf::xor);
        !self.any(&differ)
    }

    /// Shifted by a word of any width, zeros filled in.
    pub fn shifted(&mut self, a: &[Bit], by: &[Bit], right: bool) -> Word {
        let mut out = a.to_vec();
        for (step, bit) in by.iter().enumerate() {
            let distance = if step < 7 { 1usize << step } else { usize::MAX };
            let moved: Word = (0..out.len())
                .map(|i| {
                    let from = if right { i.checked_add(distance) } else { i.checked_sub(distance) };
                    from.and_then(|f| out.get(f)).copied().unwrap_or(Bit::ZERO)
                })
                .collect();
            out = self.choose(*bit, &moved, &out);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::cnf::Answer;

    const WIDTH: u8 = 6;

    fn number(bits: &[Bit]) -> u64 {
        (0..).zip(bits).map(|(i, b)| u64::from(b.constant().expect("constants give constants")) << i).sum()
    }

    /// Words of constants, and the same words as variables that are held at those values.
    fn agree(a: u64, b: u64, f: impl Fn(&mut Cnf, &[Bit], &[Bit]) -> Word, expected: u64) {
        let mut cnf = Cnf::default();
        let (x, y) = (constant(a, WIDTH), constant(b, WIDTH));
        assert_eq!(number(&f(&mut cnf, &x, &y)), expected, "{a} {b}");
        let free = [cnf.any_word(WIDTH), cnf.any_word(WIDTH)];
        let out = f(&mut cnf, &free[0], &free[1]);
        let same = [cnf.equal(&free[0], &x), cnf.equal(&free[1], &y)];
        let right = constant(expected, out.len() as u8);
        let right = cnf.equal(&out, &right);
        assert_eq!(cnf.solve(&[same[0], same[1], !right], 1000), Answer::No, "{a} {b}");
        assert_eq!(cnf.solve(&[same[0], same[1], right], 1000), Answer::Yes, "{a} {b}");
    }

    #[test]
    fn words_are_those_of_arithmetic() {
        let mask = (1 << WIDTH) - 1;
        for (a, b) in [(0, 0), (63, 1), (21, 42), (40, 41), (41, 40), (7, 3), (33, 6), (62, 5), (1, 63)] {
            agree(a, b, |c, a, b| c.sum(a, b, Bit::ZERO).0, (a + b) & mask);
            agree(a, b, |c, a, b| c.difference(a, b).0, a.wrapping_sub(b) & mask);
            agree(a, b, |c, a, b| vec![c.difference(a, b).1], u64::from(a >= b));
            agree(a, b, |c, a, b| c.product(a, b), a * b);
            agree(a, b, |c, a, b| vec![c.equal(a, b)], u64::from(a == b));
            agree(a, b, |c, a, b| c.each(a, b, Cnf::and), a & b);
            agree(a, b, |c, a, b| c.each(a, b, Cnf::or), a | b);
            agree(a, b, |c, a, b| c.each(a, b, Cnf::xor), a ^ b);
            agree(a, b, |c, a, b| c.shifted(a, b, false), if b < 6 { a << b & mask } else { 0 });
            agree(a, b, |c, a, b| c.shifted(a, b, true), if b < 6 { a >> b } else { 0 });
            agree(a, b, |c, a, b| c.choose(a[0], b, a), if a & 1 != 0 { b } else { a });
        }
    }
}
