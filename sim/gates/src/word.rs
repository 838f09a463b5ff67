//! The values of a net in 256 patterns.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Patterns in a word.
pub const PATTERNS: usize = 256;

/// One bit for each of 256 patterns; pattern `i` is bit `i % 64` of element `i / 64`. Compilers make vector
/// instructions of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(32))]
pub struct Word(pub [u64; 4]);

impl Word {
    /// All zero.
    pub const ZERO: Word = Word([0; 4]);
    /// All one.
    pub const ONES: Word = Word([u64::MAX; 4]);

    /// The first `n` patterns, at most 256.
    pub fn first(n: usize) -> Self {
        let part = |i: usize| match n.saturating_sub(64 * i) {
            0 => 0,
            n if n >= 64 => u64::MAX,
            n => (1 << n) - 1,
        };
        Word([part(0), part(1), part(2), part(3)])
    }

    /// Whether no pattern is set.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// Whether pattern `i` is set.
    #[inline(always)]
    pub fn has(self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    /// Sets pattern `i`.
    #[inline(always)]
    pub fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    /// The lowest pattern that is set.
    pub fn lowest(self) -> Option<usize> {
        let i = self.0.iter().position(|w| *w != 0)?;
        Some(64 * i + self.0[i].trailing_zeros() as usize)
    }

    /// The patterns that are set, in order.
    pub fn patterns(self) -> impl Iterator<Item = usize> {
        (0..PATTERNS).filter(move |i| self.has(*i))
    }
}

macro_rules! bitwise {
    ($trait:ident, $name:ident, $op:tt) => {
        impl $trait for Word {
            type Output = Word;
            #[inline(always)]
            fn $name(self, o: Word) -> Word {
                let (a, b) = (self.0, o.0);
                Word([a[0] $op b[0], a[1] $op b[1], a[2] $op b[2], a[3] $op b[3]])
            }
        }
    };
}
bitwise!(BitAnd, bitand, &);
bitwise!(BitOr, bitor, |);
bitwise!(BitXor, bitxor, ^);

impl Not for Word {
    type Output = Word;
    #[inline(always)]
    fn not(self) -> Word {
        let a = self.0;
        Word([!a[0], !a[1], !a[2], !a[3]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_where_they_are_set() {
        for n in [0, 1, 63, 64, 65, 200, 256] {
            let word = Word::first(n);
            assert_eq!(word.patterns().collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
        }
        let mut word = Word::ZERO;
        assert_eq!(word.lowest(), None);
        word.set(130);
        word.set(255);
        assert_eq!((word.lowest(), (!word).has(130)), (Some(130), false));
    }
}
