//! Performance counters: sums of 64 bits over all SMs, behind the register COUNTER.

use crate::causes::StallCause;

/// A performance counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Cycles from start to done.
    Cycles,
    /// Retired warp instructions.
    WarpInstructions,
    /// Lanes of their active masks.
    ThreadInstructions,
    /// Cycles lost for a cause.
    Stall(StallCause),
    /// Requests of the load/store units; without a cache those at the memory port.
    GlobalRequests,
}

impl Counter {
    /// How many there are.
    pub const COUNT: usize = 16;

    /// All of them, in the order of their numbers.
    pub const ALL: [Counter; Self::COUNT] = [
        Counter::Cycles,
        Counter::WarpInstructions,
        Counter::ThreadInstructions,
        Counter::Stall(StallCause::Launch),
        Counter::Stall(StallCause::Fetch),
        Counter::Stall(StallCause::Hazard),
        Counter::Stall(StallCause::Control),
        Counter::Stall(StallCause::Barrier),
        Counter::Stall(StallCause::Memory),
        Counter::Stall(StallCause::SharedConflict),
        Counter::Stall(StallCause::ConstantConflict),
        Counter::Stall(StallCause::Operand),
        Counter::GlobalRequests,
        Counter::Stall(StallCause::Load),
        Counter::Stall(StallCause::Sfu),
        Counter::Stall(StallCause::Select),
    ];

    /// Number in the register map.
    pub const fn number(self) -> usize {
        match self {
            Counter::Cycles => 0,
            Counter::WarpInstructions => 1,
            Counter::ThreadInstructions => 2,
            Counter::Stall(cause) => cause.number() as usize,
            Counter::GlobalRequests => 12,
        }
    }

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Counter::Cycles => "cycles",
            Counter::WarpInstructions => "warp_instructions",
            Counter::ThreadInstructions => "thread_instructions",
            Counter::Stall(cause) => cause.name(),
            Counter::GlobalRequests => "global_requests",
        }
    }

    /// What it counts.
    pub fn meaning(self) -> String {
        match self {
            Counter::Cycles => "cycles from start to done".into(),
            Counter::WarpInstructions => "retired warp instructions".into(),
            Counter::ThreadInstructions => "lanes of their active masks".into(),
            Counter::Stall(cause) => format!("cycles without issue: {}", cause.explain()),
            Counter::GlobalRequests => {
                "requests of the load/store units; without a cache those at the memory port".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stand_at_their_numbers() {
        assert_eq!(Counter::COUNT, crate::registers::COUNTER.count as usize);
        for (i, c) in Counter::ALL.into_iter().enumerate() {
            assert_eq!(c.number(), i, "{}", c.name());
        }
    }
}
