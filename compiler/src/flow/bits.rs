//! Sets of small numbers as bits.

/// A set of numbers below a limit fixed when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set of numbers below `limit`.
    pub fn new(limit: usize) -> BitSet {
        BitSet { words: vec![0; limit.div_ceil(64)] }
    }

    /// Adds `n`, which lies below the limit; true where it is new.
    pub fn insert(&mut self, n: u32) -> bool {
        let (w, bit) = (&mut self.words[n as usize / 64], 1u64 << (n % 64));
        let new = *w & bit == 0;
        *w |= bit;
        new
    }

    /// Takes `n` out.
    pub fn remove(&mut self, n: u32) {
        if let Some(w) = self.words.get_mut(n as usize / 64) {
            *w &= !(1 << (n % 64));
        }
    }

    /// True where `n` is in the set.
    pub fn contains(&self, n: u32) -> bool {
        self.words.get(n as usize / 64).is_some_and(|w| w >> (n % 64) & 1 != 0)
    }

    /// Adds all of `other`, which has the same limit; true where that changed the set.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            changed |= o & !*w != 0;
            *w |= o;
        }
        changed
    }

    /// Takes all of `other` out.
    pub fn subtract(&mut self, other: &BitSet) {
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            *w &= !o;
        }
    }

    /// Keeps only what is in `other` too.
    pub fn intersect(&mut self, other: &BitSet) {
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            *w &= o;
        }
    }

    /// True where all of this set is in `other`.
    pub fn within(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).all(|(w, o)| w & !o == 0)
    }

    /// True without any number.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// How many numbers.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(i, &w)| ones(i, w))
    }

    /// The numbers that are in `other` too, ascending.
    pub fn both<'a>(&'a self, other: &'a BitSet) -> impl Iterator<Item = u32> + 'a {
        let words = self.words.iter().zip(&other.words).enumerate();
        words.flat_map(|(i, (&w, &o))| ones(i, w & o))
    }
}

/// The numbers of word `i` of a set.
fn ones(i: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            i as u32 * 64 + bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_behaves_as_one() {
        let mut a = BitSet::new(130);
        assert!(a.insert(0) && a.insert(64) && a.insert(129) && !a.insert(64));
        assert_eq!(a.iter().collect::<Vec<_>>(), [0, 64, 129]);
        let mut b = BitSet::new(130);
        b.insert(64);
        assert!(b.within(&a) && !a.within(&b));
        a.subtract(&b);
        assert_eq!(a.len(), 2);
        assert!(a.union(&b) && !a.union(&b));
        a.remove(0);
        assert!(!a.contains(0) && a.contains(129) && !a.contains(1000));
        a.clear();
        assert!(a.is_empty());
    }
}
