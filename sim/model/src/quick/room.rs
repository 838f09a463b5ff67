//! Where operands and results of an instruction stand while it is executed.

use super::alu::Results;
use crate::record::Lanes;
use warpsmith_isa::WARP_SIZE;

/// Room for the operands and results of an instruction, where vectors of the host do not cross the lines of its cache.
#[repr(C, align(64))]
pub(crate) struct Room {
    pub operands: [Lanes; 3],
    pub results: Results,
}

impl Room {
    /// All 0.
    pub fn new() -> Room {
        Room { operands: [[0; WARP_SIZE]; 3], results: Results::default() }
    }
}
