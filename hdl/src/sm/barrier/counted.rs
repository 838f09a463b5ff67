//! Barriers that expect a number of warps: what a barrier unit has on top where the instruction set is not SM 1.0.
//!
//! | port              | width | meaning                                                       |
//! |-------------------|-------|---------------------------------------------------------------|
//! | `bar_count`       | 6     | with `bar_valid`: warps expected, 0 all live ones of the block |
//!
//! A barrier releases when a warp waits at it and as many warps as that one expects have arrived or
//! wait: of several waiting warps the least number counts. A warp that has arrived and ended counts;
//! where all live warps are expected, one that has ended is not waited for. Without a waiting warp the
//! barrier releases when all live warps have arrived and none of the arrivals said a number. When the
//! last warp of a block ends all arrivals of the block are forgotten.

use crate::rtl::prelude::*;
use crate::sm::control::{BARRIERS, BAR_COUNT};
use crate::sm::dims::Dims;

/// No number: more than all warps.
const NEVER: u64 = (1 << BAR_COUNT) - 1;

group! {
    /// See the module.
    pub struct Counted(d: &Dims) as "bar" {
        part count(Input: BAR_COUNT),
        /// What each warp has asked for.
        part asked(Ram: RamKind::Lut, d.warps, BAR_COUNT, 1),
        /// The number of the event being worked on.
        data event_count(BAR_COUNT),
        /// All warps of its block.
        data block_warps(d.warps),
        /// For each barrier that a warp is at: some arrival said a number, some waiting warp expects all
        /// live ones, the least number of a waiting warp.
        part expected(Ram: RamKind::Lut, d.blocks * BARRIERS, 2 + BAR_COUNT, 1),
    }
}

/// The event that is worked on, at one barrier of its block.
pub struct Visit<'a> {
    /// Everything is forgotten, barrier by barrier.
    pub clearing: &'a Expr,
    /// There is an event.
    pub evaluating: &'a Expr,
    /// Block slot.
    pub block: &'a Expr,
    /// Number of the barrier.
    pub index: &'a Expr,
    /// The event's warp arrives.
    pub arrives: &'a Expr,
    /// The event's warp waits.
    pub enters: &'a Expr,
    /// Warps of all blocks that had arrived before.
    pub old_arrived: &'a Expr,
    /// Warps of all blocks that waited before.
    pub old_here: &'a Expr,
    /// Warps that are there: have arrived or wait, this one too.
    pub there: &'a Expr,
    /// Live warps of the block.
    pub members: &'a Expr,
    /// Some of them is not there.
    pub missing: &'a Expr,
}

impl Counted {
    /// The instruction of `warp`, when `valid`.
    pub fn note(&self, warp: &Expr, valid: &Expr) {
        self.asked.write(warp, &get(&self.count), valid);
    }

    /// The event of `warp` is picked: `block_warps` are those of its block.
    pub fn pick(&self, pick: &Expr, warp: &Expr, block_warps: &Expr) {
        let asked = self.asked.read(0, warp);
        when(pick, || {
            set(&self.event_count, asked);
            set(&self.block_warps, block_warps);
        });
    }

    /// Whether the barrier releases, and the warps it forgets then.
    pub fn release(&self, v: &Visit) -> (Expr, Expr) {
        let (count, warps) = (get(&self.event_count), get(&self.block_warps));
        let at = cat([v.block, v.index]);
        let expected = self.expected.read(0, &at).called("expected");
        let said = wire("said", count.any());
        let waited = wire("waited", (v.old_here & &warps).any());
        let came_before = (v.old_arrived & &warps).any();
        let all = wire("all_expected", (&waited & expected.bit(BAR_COUNT)) | (v.enters & !&said));
        let arrivals_said = wire(
            "arrivals_said",
            (came_before & expected.bit(BAR_COUNT + 1)) | all_of(&[v.arrives.clone(), !v.enters, said.clone()]),
        );
        // Both numbers, so that the smaller is not on the way.
        let old = waited.mux(&expected.bits(0, BAR_COUNT), &lit(BAR_COUNT, NEVER));
        let new = (v.enters & &said).mux(&count, &lit(BAR_COUNT, NEVER));
        let (old, new) = (wire("least", old), wire("asked_now", new));
        let came = ones_of(&(v.there & &warps)).resize(BAR_COUNT);
        let came = wire("came", came);
        let least = new.lt(&old).mux(&new, &old);
        self.expected.write(&at, &cat([&arrivals_said, &all, &least]), v.evaluating);
        let over = !v.members.any();
        let enough =
            any_of(&[(all | !(waited | v.enters | arrivals_said)) & !v.missing, came.ge(&old), came.ge(&new), over]);
        let forgotten = warps | v.clearing.repeat(v.members.width());
        (v.evaluating & &enough, forgotten)
    }
}

/// Number of ones.
fn ones_of(word: &Expr) -> Expr {
    let width = clog2(word.width() + 1);
    let bits: Vec<Expr> = word.each_bit().iter().map(|b| b.zext(width)).collect();
    sum(&bits)
}

fn sum(items: &[Expr]) -> Expr {
    match items {
        [one] => one.clone(),
        _ => {
            let (a, b) = items.split_at(items.len() / 2);
            sum(a) + &sum(b)
        }
    }
}
