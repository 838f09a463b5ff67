//! Memories as a host fills and reads them: sparse global memory and constant banks.

use crate::launch::Launch;
use crate::snapshot::Snapshot;
pub use crate::snapshot::PAGE;
use std::ops::Range;
use std::sync::Arc;
use warpsmith_contract::registers::GUARD_BYTES;

/// Byte-addressed global memory of up to 2^32 bytes. Pages of 64 KiB appear when written; bytes
/// never written read 0, or what a [`Snapshot`] has there. The first page may be guarded against kernels: a null pointer leads there.
#[derive(Clone, Debug)]
pub struct GlobalMemory {
    bytes: u64,
    /// First address that a kernel may use.
    first: u32,
    /// What is where nothing was written.
    before: Option<Arc<Snapshot>>,
    pages: Vec<Option<Box<[u8; PAGE]>>>,
}

impl GlobalMemory {
    /// A zeroed memory of `bytes` bytes (at most 2^32).
    pub fn new(bytes: u64) -> Self {
        let bytes = bytes.min(1 << 32);
        GlobalMemory { bytes, first: 0, before: None, pages: vec![None; bytes.div_ceil(PAGE as u64) as usize] }
    }

    /// A memory of `bytes` bytes (at most 2^32) that has what a host's memory has.
    pub fn above(bytes: u64, before: Option<Arc<Snapshot>>) -> Self {
        GlobalMemory { before, ..GlobalMemory::new(bytes) }
    }

    /// The memory of a launch as it starts: size, guard, contents.
    pub fn of(launch: &Launch) -> Self {
        let mut memory = GlobalMemory {
            first: if launch.guard { GUARD_BYTES } else { 0 },
            ..GlobalMemory::above(launch.global_bytes, launch.before.clone())
        };
        for section in &launch.globals {
            memory.write(section.offset, &section.bytes);
        }
        memory
    }

    /// Addresses that a kernel may use.
    #[inline(always)]
    pub fn usable(&self) -> Range<u64> {
        self.first.into()..self.bytes
    }

    /// Size in bytes.
    pub fn len(&self) -> u64 {
        self.bytes
    }

    /// Whether the memory has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The byte at `address`; 0 outside.
    pub fn byte(&self, address: u32) -> u8 {
        self.seen(address as usize / PAGE).map_or(0, |page| page[address as usize % PAGE])
    }

    /// Sets the byte at `address`; ignored outside.
    pub fn set_byte(&mut self, address: u32, value: u8) {
        if u64::from(address) < self.bytes {
            self.page_mut(address)[address as usize % PAGE] = value;
        }
    }

    /// The aligned 32-bit little-endian word holding `address`; 0 outside.
    #[inline(always)]
    pub fn word(&self, address: u32) -> u32 {
        match self.seen(address as usize / PAGE) {
            Some(page) => {
                let at = (address as usize % PAGE) & !3;
                u32::from_le_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]])
            }
            None => 0,
        }
    }

    /// Copies `bytes` in at `address`; what lies beyond the end is dropped.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut at = address;
        let mut rest = bytes;
        while !rest.is_empty() && at < self.bytes {
            let inside = at as usize % PAGE;
            let n = rest.len().min(PAGE - inside).min((self.bytes - at) as usize);
            self.page_mut(at as u32)[inside..inside + n].copy_from_slice(&rest[..n]);
            rest = &rest[n..];
            at += n as u64;
        }
    }

    /// `len` bytes from `address`; beyond the end they read 0.
    pub fn read(&self, address: u64, len: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(len);
        while out.len() < len {
            let at = address + out.len() as u64;
            let inside = (at % PAGE as u64) as usize;
            let n = (len - out.len()).min(PAGE - inside);
            let page = usize::try_from(at / PAGE as u64).ok().and_then(|p| self.seen(p));
            match page {
                Some(page) => out.extend_from_slice(&page[inside..inside + n]),
                None => out.resize(out.len() + n, 0),
            }
        }
        out
    }

    /// Byte addresses of the words that another memory has otherwise, ascending.
    pub fn differences<'a>(&'a self, other: &'a GlobalMemory) -> impl Iterator<Item = u32> + 'a {
        let words = (0..self.bytes.max(other.bytes)).step_by(4).map(|a| a as u32);
        words.filter(|a| self.word(*a) != other.word(*a))
    }

    /// The page of a number as kernels see it; `None`: zeros, or beyond the end.
    #[inline(always)]
    fn seen(&self, page: usize) -> Option<&[u8; PAGE]> {
        match (self.pages.get(page)?, &self.before) {
            (Some(own), _) => Some(own),
            (None, Some(before)) => before.page(page),
            (None, None) => None,
        }
    }

    /// Pages that have been written: byte address and 64 KiB of content, ascending.
    pub fn pages(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.pages.iter().enumerate().filter_map(|(i, p)| p.as_ref().map(|p| ((i * PAGE) as u32, &p[..])))
    }

    /// The page that holds `address`; `None` where it is all zeros, and beyond the end.
    #[inline(always)]
    pub fn page(&self, address: u32) -> Option<&[u8; PAGE]> {
        self.seen(address as usize / PAGE)
    }

    /// [`page`](Self::page) to write to.
    #[inline(always)]
    pub fn page_mut(&mut self, address: u32) -> &mut [u8; PAGE] {
        let page = address as usize / PAGE;
        let before = &self.before;
        self.pages[page].get_or_insert_with(|| {
            let known = before.as_ref().and_then(|b| b.page(page));
            known.map_or_else(|| Box::new([0; PAGE]), |bytes| Box::new(*bytes))
        })
    }
}

/// The constant banks, 16 in SM 1.0, 32 in Fermi; each is as long as what was loaded into it, rounded up to 4 bytes.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    banks: [Vec<u8>; 32],
}

impl Constants {
    /// Copies `bytes` into `bank` at byte `offset`, growing the bank.
    pub fn write(&mut self, bank: u8, offset: usize, bytes: &[u8]) {
        let b = &mut self.banks[usize::from(bank & 31)];
        let end = (offset + bytes.len()).next_multiple_of(4);
        if b.len() < end {
            b.resize(end, 0);
        }
        b[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Contents of a bank; empty for a bank that does not exist.
    pub fn bank_bytes(&self, bank: u8) -> &[u8] {
        self.banks.get(usize::from(bank)).map_or(&[], |b| &b[..])
    }

    /// Contents of a bank.
    pub fn bank(&self, bank: u8) -> &[u8] {
        &self.banks[usize::from(bank & 15)]
    }
}
