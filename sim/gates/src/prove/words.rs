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
