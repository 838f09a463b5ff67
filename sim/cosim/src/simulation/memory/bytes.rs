//! 2^32 bytes in pages of 64 KiB that appear when written.

/// Bytes of a page.
const PAGE: usize = 1 << 16;

/// The bytes; those never written are 0.
pub(crate) struct Bytes {
    pages: Vec<Option<Box<[u8]>>>,
}

impl Default for Bytes {
    fn default() -> Self {
        let mut pages = vec![];
        pages.resize_with(1 << 16, || None);
        Bytes { pages }
    }
}

impl Bytes {
    /// Whether the page holding `address` has ever been written.
    pub fn has_page(&self, address: u32) -> bool {
        self.pages[address as usize / PAGE].is_some()
    }

    fn page(&mut self, address: usize) -> &mut [u8] {
        self.pages[address / PAGE].get_or_insert_with(|| vec![0; PAGE].into())
    }

    /// Copies bytes in; what goes beyond 2^32 is dropped.
    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        let (mut at, mut rest) = (address as usize, bytes);
        while !rest.is_empty() && at >> 32 == 0 {
            let n = rest.len().min(PAGE - at % PAGE);
            let (now, later) = rest.split_at(n);
            self.page(at)[at % PAGE..at % PAGE + n].copy_from_slice(now);
            (at, rest) = (at + n, later);
        }
    }

    /// A copy; beyond 2^32 zeros.
    pub fn read(&self, address: u32, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        let (mut at, mut rest) = (address as usize, &mut out[..]);
        while !rest.is_empty() && at >> 32 == 0 {
            let n = rest.len().min(PAGE - at % PAGE);
            let (now, later) = rest.split_at_mut(n);
            if let Some(page) = &self.pages[at / PAGE] {
                now.copy_from_slice(&page[at % PAGE..at % PAGE + n]);
            }
            (at, rest) = (at + n, later);
        }
        out
    }

    /// The little-endian word at a multiple of 4.
    pub fn word(&self, address: u32) -> u32 {
        let at = address as usize;
        self.pages[at / PAGE].as_ref().map_or(0, |page| {
            let b = &page[at % PAGE..at % PAGE + 4];
            u32::from_le_bytes([b[0], b[1], b[2], b[3]])
        })
    }

    /// Sets the little-endian word at a multiple of 4.
    pub fn set_word(&mut self, address: u32, value: u32) {
        let at = address as usize;
        self.page(at)[at % PAGE..at % PAGE + 4].copy_from_slice(&value.to_le_bytes());
    }
}
