//! Surroundings of an instruction.

use crate::memory::locks::Locks;
use crate::memory::Constants;
use crate::mutant::Mutant;

/// State that an instruction can access besides its warp and global memory.
pub(crate) struct Env<'a> {
    pub shared: &'a mut [u8],
    pub locks: &'a mut Locks,
    pub constants: &'a Constants,
    pub local_bytes: u32,
    /// Value of S2R clock.
    pub clock: u32,
    /// A deliberate error.
    pub mutant: Option<Mutant>,
}
