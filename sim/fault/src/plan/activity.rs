//! Values that bits have in the fault-free run, and when memories are accessed.

use super::access::{Accesses, Interval};
use crate::fault::FaultKind;

/// Values of register bits in the fault-free run, from cycle 0 to its last: an entry a site, by its
/// number; in 32-bit words, least significant first; empty where it is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// Bits that were 0 in some cycle.
    pub ever0: Vec<Vec<u32>>,
    /// Bits that were 1 in some cycle.
    pub ever1: Vec<Vec<u32>>,
    /// Accesses of memories, by site; empty where they are not known.
    pub accesses: Vec<Option<Accesses>>,
}

impl Activity {
    /// Whether forcing a bit of a site to the value of a kind provably changes nothing.
    pub(crate) fn never_differs(&self, site: usize, bit: u32, kind: FaultKind) -> bool {
        let other = match kind.forced() {
            Some(false) => &self.ever1,
            Some(true) => &self.ever0,
            None => return false,
        };
        let word = other.get(site).and_then(|w| w.get(bit as usize / 32));
        word.is_some_and(|w| w >> (bit % 32) & 1 == 0)
    }

    /// Upsets of equal outcome of some bits of a memory word before cycle `cycles`, if its accesses are known.
    pub(crate) fn intervals(&self, site: usize, word: u32, bits: &[u32], cycles: u64) -> Option<Vec<Interval>> {
        let accesses = self.accesses.get(site)?.as_ref()?;
        Some(accesses.intervals(word, bits, cycles))
    }
}
