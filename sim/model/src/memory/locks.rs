//! Locks of a block on the words of its shared memory, of SM 1.2 and later.

/// A lock a word of 32 bits; all are free at first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locks {
    /// A bit a word, those beyond the end free.
    taken: Vec<u64>,
}

impl Locks {
    /// Takes the lock of the word of byte address `address`. Returns whether it was free.
    pub fn take(&mut self, address: usize) -> bool {
        let (row, bit) = place(address);
        if self.taken.len() <= row {
            self.taken.resize(row + 1, 0);
        }
        let free = self.taken[row] & bit == 0;
        self.taken[row] |= bit;
        free
    }

    /// Frees the lock of the word of byte address `address`, whoever has it.
    pub fn free(&mut self, address: usize) {
        let (row, bit) = place(address);
        if let Some(taken) = self.taken.get_mut(row) {
            *taken &= !bit;
        }
    }
}

fn place(address: usize) -> (usize, u64) {
    (address / 256, 1 << (address / 4 % 64))
}
