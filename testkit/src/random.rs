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

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }

    /// A number of 64 bits below `n`, which is not 0.
    pub fn below_wide(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// A place in a list of `n` elements, which is not 0.
    pub fn index(&mut self, n: usize) -> usize {
        self.bits() as usize % n
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// An element of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())]
    }
}
