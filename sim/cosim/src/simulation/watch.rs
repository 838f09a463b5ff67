//! Which bits of registers and outputs are ever 0 and ever 1.

use warpsmith_engine::{Device, Storage};

/// Bits seen at the edges of the clock, of sites of one word.
pub(super) struct Watched {
    /// Site, first byte below.
    sites: Vec<(usize, usize)>,
    /// Bits that were 0, and bits that were 1.
    ever: [Vec<u8>; 2],
}

impl Watched {
    /// Nothing seen yet.
    pub fn new(sites: &[Storage]) -> Self {
        let mut at = 0;
        let mut places = vec![];
        for (i, s) in sites.iter().enumerate().filter(|(_, s)| s.words() == 1) {
            places.push((i, at));
            at += s.bytes;
        }
        Watched { sites: places, ever: [vec![0; at], vec![0; at]] }
    }

    /// Before an edge.
    pub fn look(&mut self, device: &dyn Device) {
        let [zero, one] = &mut self.ever;
        for &(site, at) in &self.sites {
            for (i, byte) in device.site(site).iter().enumerate() {
                zero[at + i] |= !byte;
                one[at + i] |= byte;
            }
        }
    }

    /// Bits of a site that were `value`, as 32-bit words.
    pub fn ever(&self, site: usize, value: bool) -> Vec<u32> {
        let Ok(i) = self.sites.binary_search_by_key(&site, |s| s.0) else { return vec![] };
        let bytes = &self.ever[usize::from(value)];
        let end = self.sites.get(i + 1).map_or(bytes.len(), |s| s.1);
        Storage::unpack(&bytes[self.sites[i].1..end])
    }
}
