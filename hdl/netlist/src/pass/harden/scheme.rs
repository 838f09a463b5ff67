//! How registers and memories are protected.

/// Output of one protected register or memory: a wrong bit was corrected.
pub(crate) const CORRECTED: &str = "corrected";
/// The same: wrong bits were detected that cannot be corrected.
pub(crate) const DETECTED: &str = "detected";

/// Copies of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Two, compared.
    Dmr,
    /// Three, of which the majority counts.
    Tmr,
}

impl Copies {
    /// How many.
    pub(super) fn count(self) -> usize {
        match self {
            Copies::Dmr => 2,
            Copies::Tmr => 3,
        }
    }
}

/// Check bits of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// One for each granule: a wrong bit is detected.
    Parity,
    /// Hsiao's: a wrong bit is corrected, two are detected.
    Secded,
}

/// How a block is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheme {
    /// Of its registers.
    pub registers: Option<Copies>,
    /// Of its memories.
    pub memories: Option<Checks>,
}
