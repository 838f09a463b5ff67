//! Times of the pipeline that more than one stage relies on, in cycles or in moves.
//!
//! The stages I to M move together; a move is a cycle in which they do. Behind D nothing stands still.

use crate::config::Floats;
use crate::sm::dims::Dims;

/// Cycles from operands to result of a special-function unit and of a lane with floats.
pub const STAGES: usize = 5;

/// Cycles from operands to result of a lane with integers alone: there is no float to round.
pub const INTEGER_STAGES: usize = 3;

/// Cycles from operands to result of a lane of micro-operations.
pub const UOP_STAGES: usize = 8;

/// Cycles from operands to result of a lane of SM 1.0.
pub const fn lane_stages(floats: Floats) -> usize {
    match floats {
        Floats::None => INTEGER_STAGES,
        _ => STAGES,
    }
}

/// Stages from D to W: O, which is not there with forwarding, and those of the lane.
pub fn depth(d: &Dims) -> usize {
    let lane = match d.has.uops {
        true => UOP_STAGES,
        false => lane_stages(d.floats),
    };
    usize::from(!d.forward) + lane
}

/// Moves from a result's first beat in stage I to the earliest reader's: A, M, D, those of execution, the
/// last of which writes back; one less with forwarding.
pub fn latency(d: &Dims) -> usize {
    depth(d) + 4 - usize::from(d.forward)
}

/// Moves from the wake of a warp to the freed scoreboard slot: those of SEL, R and DEC.
pub const AHEAD: usize = 3;

/// Stages of the token that travels beside an instruction. What leaves the last frees the scoreboard
/// slot a cycle later, H sees it free in the next, the reader waits in Q in the third and stands in I in
/// the fourth. The pipeline may stand still meanwhile and they pass all the same: the writer's beats
/// have all left D then, behind which nothing stands still. The wake is read [`AHEAD`] stages before the
/// last.
pub fn token_stages(d: &Dims) -> usize {
    (latency(d) - 4).max(d.beats + 2).max(AHEAD + 1)
}

/// Moves from the end of a warp until nothing of it is left in the pipeline: its last beat may still stand in M, goes
/// through D and the stages to W, and retires. A warp ends three cycles after that beat left A at the earliest.
pub fn drain(d: &Dims) -> usize {
    depth(d) + 4
}

/// Cycles a write waits for a free one before issue makes a gap.
pub const PATIENCE: u64 = 12;
