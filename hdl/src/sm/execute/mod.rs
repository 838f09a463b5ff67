//! Execution units: what happens to operands between stage D and write-back.

pub mod float;
pub mod int;
pub mod lane;
pub mod sfu;
pub mod special;

use crate::config::Floats;

/// Cycles from operands to result, the same for a special-function unit and a lane with floats.
pub const STAGES: usize = 5;

/// Cycles from operands to result of a lane: integers alone have no float's rounding to wait for.
pub const fn lane_stages(floats: Floats) -> usize {
    match floats {
        Floats::None => int::STAGES,
        _ => STAGES,
    }
}
