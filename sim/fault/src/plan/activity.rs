//! Values that bits have in the fault-free run.

use crate::fault::FaultKind;

/// Values of register bits in the fault-free run, from cycle 0 to its last: an entry a site, by its
/// number; in 32-bit words, least significant first; empty where it is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// Bits that were 0 in some cycle.
    pub ever0: Vec<Vec<u32>>,
    /// Bits that were 1 in some cycle.
    pub ever1: Vec<Vec<u32>>,
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
}
