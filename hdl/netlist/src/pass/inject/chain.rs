//! Places of sites in the chain.

use serde::{Deserialize, Serialize};

/// The chain: where in it the bits of each site are. Bit 0 is the first that the controller's output is shifted into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// Bits.
    pub length: u32,
    /// Sites, in the order of the chain.
    pub places: Vec<Place>,
}

/// A site in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Path of the site, as in `sites.json` of the chip without saboteurs.
    pub site: String,
    /// Bits of a word.
    pub width: u32,
    /// Words.
    pub depth: u32,
    /// Bit of the chain that is the mask of bit 0; those of the other bits follow.
    pub mask: u32,
    /// Of a memory, the bit of the chain that is bit 0 of the word's address, and the number of address bits.
    pub address: Option<(u32, u32)>,
}

impl Chain {
    /// Takes the next bits.
    fn take(&mut self, bits: u32) -> u32 {
        let first = self.length;
        self.length = first.checked_add(bits).expect("fewer than 2^32 bits");
        first
    }

    /// The next bits are the mask of a register.
    pub(super) fn register(&mut self, site: String, width: u32) {
        let mask = self.take(width);
        self.places.push(Place { site, width, depth: 1, mask, address: None });
    }

    /// The next bits are the mask of a memory's word and its address.
    pub(super) fn memory(&mut self, site: String, width: u32, depth: u32, address_bits: u32) {
        let mask = self.take(width);
        let address = Some((self.take(address_bits), address_bits));
        self.places.push(Place { site, width, depth, mask, address });
    }

    /// The place of a site.
    pub fn place(&self, site: &str) -> Option<&Place> {
        self.places.iter().find(|p| p.site == site)
    }

    /// Number that differs, with all likelihood, where the chain differs: FNV-1a over the lines of its sites.
    pub fn layout(&self) -> u32 {
        let text = self.places.iter().map(|p| format!("{} {} {} {}\n", p.site, p.width, p.depth, p.mask));
        text.flat_map(String::into_bytes)
            .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}
