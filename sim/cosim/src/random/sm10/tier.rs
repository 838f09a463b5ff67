//! Rows that random programs draw from.

use warpsmith_isa::{Op, Tier, ROWS};

/// Whether a row executes on a chip of this tier without always trapping.
pub fn implemented(form: u8, tier: Tier) -> bool {
    // TRAP stops every kernel; the short BPT has no guard that could hold it back.
    let stops = ROWS.get(usize::from(form)).is_none_or(|f| match f.op {
        Op::Trap => true,
        Op::Bpt => !f.predicated,
        _ => false,
    });
    tier.has(form) && !stops
}
