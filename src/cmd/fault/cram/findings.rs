//! What became of the bits, counted.

use super::design::Design;
use super::simulate::{Fate, Simulated};
use std::collections::BTreeMap;
use warpsmith_cram::{Contention, Drawn, Fabric, Kind};
use warpsmith_fault::FaultOutcome;

/// The result of the command.
pub struct Findings<'a> {
    pub design: &'a Design,
    pub drawn: &'a [Drawn],
    pub simulated: Simulated,
    /// Bits of the device of each kind.
    pub census: Option<BTreeMap<Kind, u64>>,
    /// Seed of the draw, if the bits are drawn.
    pub seed: Option<u64>,
    pub contention: Contention,
    pub launch: &'a str,
}

/// Counts of the bits of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub bits: u64,
    pub outcomes: BTreeMap<FaultOutcome, u64>,
    pub unmodelled: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// Bits that were simulated.
    pub fn ran(&self) -> u64 {
        self.outcomes.values().sum()
    }

    /// Bits after which the kernel does not end well: wrong results, a trap, no end.
    pub fn critical(&self) -> u64 {
        let failed = self.outcomes.iter().filter(|(o, _)| is_critical(**o));
        failed.map(|(_, n)| n).sum()
    }

    fn add(&mut self, other: &Tally) {
        self.bits += other.bits;
        other.outcomes.iter().for_each(|(o, n)| *self.outcomes.entry(*o).or_default() += n);
        other.unmodelled.iter().for_each(|(w, n)| *self.unmodelled.entry(w).or_default() += n);
    }
}

/// Whether the user of the chip loses the result.
pub fn is_critical(outcome: FaultOutcome) -> bool {
    !matches!(
        outcome,
        FaultOutcome::Masked | FaultOutcome::Corrected | FaultOutcome::Timing | FaultOutcome::NotActivated
    )
}

impl Findings<'_> {
    /// Counts by kind.
    pub fn by_kind(&self) -> BTreeMap<Kind, Tally> {
        let mut kinds: BTreeMap<Kind, Tally> = BTreeMap::new();
        for (drawn, fate) in self.drawn.iter().zip(&self.simulated.fates) {
            let tally = kinds.entry(drawn.upset.kind).or_default();
            tally.bits += 1;
            match fate {
                Fate::Inert => {}
                Fate::Unmodelled(why) => *tally.unmodelled.entry(why).or_default() += 1,
                Fate::Ran(outcome) => *tally.outcomes.entry(*outcome).or_default() += 1,
            }
        }
        kinds
    }

    /// Counts of the essential bits.
    pub fn essential(&self) -> Tally {
        let mut sum = Tally::default();
        self.by_kind().iter().filter(|(k, _)| k.is_essential()).for_each(|(_, t)| sum.add(t));
        sum
    }
}

/// Bits of the device of each kind; those that the database does not name are none.
pub fn census(fabric: &Fabric) -> BTreeMap<Kind, u64> {
    let mut kinds = BTreeMap::new();
    for tile in fabric.device.tiles() {
        let (frames, bits) = fabric.device.size(tile);
        let named = fabric.device.named(tile);
        *kinds.entry(Kind::Unused).or_default() += u64::from(frames) * u64::from(bits) - named.len() as u64;
        for bit in named {
            *kinds.entry(fabric.upset(tile, bit).kind).or_default() += 1;
        }
    }
    kinds
}
