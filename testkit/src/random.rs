//! Random numbers.

/// Random numbers from a seed (splitmix64): the same seed gives the same sequence on every machine.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// A number from 0 to `n` - 1. Panics if `n` is not positive.
    pub fn below<T: TryInto<u64> + TryFrom<u64>>(&mut self, n: T) -> T {
        let n = n.try_into().unwrap_or_else(|_| panic!("a positive number"));
        T::try_from(self.bits() % n).unwrap_or_else(|_| panic!("less than a number of the type"))
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// An element of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
