//! Bits of the device, drawn.

use crate::effect::{Fabric, Upset};
use crate::trellis::{Bit, TileId};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// A bit and what it turns into.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Its tile.
    pub tile: TileId,
    /// The bit.
    pub bit: Bit,
    /// What it turns into.
    pub upset: Upset,
}

impl Fabric {
    /// Draws different bits of the device's tiles, each with equal probability, until so many of them are essential or
    /// none is left.
    pub fn draw(&self, seed: u64, essential: usize) -> Vec<Drawn> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut ends = vec![];
        let mut all = 0;
        for tile in self.device.tiles() {
            let (frames, bits) = self.device.size(tile);
            all += u64::from(frames) * u64::from(bits);
            ends.push(all);
        }
        let (mut drawn, mut seen, mut found) = (vec![], HashSet::new(), 0);
        while found < essential && (seen.len() as u64) < all {
            let number = rng.gen_range(0..all);
            if !seen.insert(number) {
                continue;
            }
            let tile = ends.partition_point(|end| *end <= number);
            let within = number - if tile == 0 { 0 } else { ends[tile - 1] };
            let tile = TileId(tile as u32);
            let bits = u64::from(self.device.size(tile).1);
            let bit = Bit { frame: (within / bits) as u16, bit: (within % bits) as u16 };
            let upset = self.upset(tile, bit);
            found += usize::from(upset.kind.is_essential());
            drawn.push(Drawn { tile, bit, upset });
        }
        drawn
    }

    /// The bit of a name such as `R10C39:PLC2.F25B10`; none if the device has none.
    pub fn find(&self, name: &str) -> Option<Drawn> {
        let (tile, bit) = name.rsplit_once('.')?;
        let tile = self.device.find(tile)?;
        let bit: Bit = bit.parse().ok()?;
        let (frames, bits) = self.device.size(tile);
        (bit.frame < frames && bit.bit < bits).then(|| Drawn { tile, bit, upset: self.upset(tile, bit) })
    }
}
