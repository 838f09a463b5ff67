//! 2^32 bytes in pages of 64 KiB that appear when written, above what the host has there.

use std::sync::Arc;
use warpsmith_model::launch::snapshot::{Snapshot, PAGE};

/// The bytes; those never written are the host's, or 0.
pub(crate) struct Bytes {
    before: Option<Arc<Snapshot>>,
    pages: Vec<Option<Box<[u8; PAGE]>>>,
}

impl Default for Bytes {
    fn default() -> Self {
        Bytes::above(None)
    }
}

impl Bytes {
    /// Nothing written, above memory of the host.
    pub fn above(before: Option<Arc<Snapshot>>) -> Self {
        Bytes { before, pages: vec![None; 1 << 16] }
    }

    /// Whether the page holding `address` has ever been written.
    pub fn has_page(&self, address: u32) -> bool {
        self.pages[address as usize / PAGE].is_some()
    }

    fn page(&self, page: usize) -> Option<&[u8; PAGE]> {
        match (&self.pages[page], &self.before) {
            (Some(own), _) => Some(own),
            (None, Some(before)) => before.page(page),
            (None, None) => None,
        }
    }

    fn page_mut(&mut self, page: usize) -> &mut [u8; PAGE] {
        let before = &self.before;
        self.pages[page].get_or_insert_with(|| {
            let known = before.as_ref().and_then(|b| b.page(page));
            known.map_or_else(|| Box::new([0; PAGE]), |bytes| Box::new(*bytes))
        })
    }

    /// Copies bytes in; what goes beyond 2^32 is dropped.
    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        let (mut at, mut rest) = (address as usize, bytes);
        while !rest.is_empty() && at >> 32 == 0 {
            let n = rest.len().min(PAGE - at % PAGE);
            let (now, later) = rest.split_at(n);
            self.page_mut(at / PAGE)[at % PAGE..at % PAGE + n].copy_from_slice(now);
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
            if let Some(page) = self.page(at / PAGE) {
                now.copy_from_slice(&page[at % PAGE..at % PAGE + n]);
            }
            (at, rest) = (at + n, later);
        }
        out
    }

    /// The little-endian word at a multiple of 4.
    pub fn word(&self, address: u32) -> u32 {
        let at = address as usize;
        self.page(at / PAGE).map_or(0, |page| {
            let b = &page[at % PAGE..at % PAGE + 4];
            u32::from_le_bytes([b[0], b[1], b[2], b[3]])
        })
    }

    /// Sets the little-endian word at a multiple of 4.
    pub fn set_word(&mut self, address: u32, value: u32) {
        let at = address as usize;
        self.page_mut(at / PAGE)[at % PAGE..at % PAGE + 4].copy_from_slice(&value.to_le_bytes());
    }
}
