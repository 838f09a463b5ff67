//! Accesses of kernels to memories, and the address checks all spaces share.

pub(crate) mod gather;
pub(crate) mod locks;
pub(crate) mod overlay;

use crate::record::Lanes;
use crate::trap::{Fault, FaultingAccess, Space, TrapCause};
use gather::{gather, scatter, Shapes};
use pulp::Simd;
use std::ops::Range;
use warpsmith_isa::{MemSize, WARP_SIZE};
pub(crate) use warpsmith_launch::memory::{Constants, GlobalMemory, PAGE};

/// Target of loads and stores: the memory itself, or one block's view of it.
pub trait Global {
    /// Addresses that a kernel may use.
    fn usable(&self) -> Range<u64>;

    /// Loads one access of at most 32 bits, extended; the address has been checked.
    fn load(&mut self, address: u32, size: MemSize) -> u32;

    /// Stores one access of at most 32 bits; the address has been checked.
    fn store(&mut self, address: u32, size: MemSize, value: u32);

    /// The words at aligned addresses of one page, which lie as `shapes` says; they have been checked.
    fn words<S: Simd>(&mut self, _: S, address: &Lanes, _shapes: Shapes, to: &mut Lanes)
    where
        Self: Sized,
    {
        for (to, a) in to.iter_mut().zip(address) {
            *to = self.load(*a, MemSize::B32);
        }
    }

    /// Stores words at aligned addresses of one page, those of the lanes of `mask`; they have been checked.
    fn put_words(&mut self, mask: u32, address: &Lanes, from: &Lanes) {
        for l in (0..WARP_SIZE).filter(|l| mask >> l & 1 != 0) {
            self.store(address[l], MemSize::B32, from[l]);
        }
    }

    /// `n` bytes from `address` as a number, the low byte first; beyond the end they read 0.
    fn number(&mut self, address: u64, n: usize) -> u64 {
        let end = self.usable().end;
        let mut byte = |a: u64| if a < end { self.load(a as u32, MemSize::U8) } else { 0 };
        (0..n as u64).rev().fold(0, |v, i| v << 8 | u64::from(byte(address + i)))
    }

    /// Stores `bytes` from `address` on; what lies beyond the end is dropped.
    fn put(&mut self, address: u64, bytes: &[u8]) {
        let end = self.usable().end;
        for (a, b) in (address..end).zip(bytes) {
            self.store(a as u32, MemSize::U8, u32::from(*b));
        }
    }
}

impl Global for GlobalMemory {
    #[inline(always)]
    fn usable(&self) -> Range<u64> {
        self.usable()
    }

    #[inline(always)]
    fn load(&mut self, address: u32, size: MemSize) -> u32 {
        extend(size, self.word(address) >> (8 * (address & 3)))
    }

    #[inline(always)]
    fn store(&mut self, address: u32, size: MemSize, value: u32) {
        let at = address as usize % PAGE;
        store_bytes(&mut self.page_mut(address)[..], at, size, value);
    }

    #[inline(always)]
    fn words<S: Simd>(&mut self, simd: S, address: &Lanes, shapes: Shapes, to: &mut Lanes) {
        match self.page(address[0]) {
            Some(page) => gather(simd, page, base(address[0]), address, shapes, to),
            None => *to = [0; WARP_SIZE],
        }
    }

    #[inline(always)]
    fn put_words(&mut self, mask: u32, address: &Lanes, from: &Lanes) {
        scatter(self.page_mut(address[0]), base(address[0]), address, mask, from);
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        self.write(address, bytes);
    }
}

/// Where the page of an address begins.
#[inline(always)]
pub(crate) fn base(address: u32) -> u32 {
    address / PAGE as u32 * PAGE as u32
}

/// Extends the low bits of `word` as the size says; 32 bits and more pass through.
#[inline(always)]
pub(crate) fn extend(size: MemSize, word: u32) -> u32 {
    match size {
        MemSize::U8 => word & 0xff,
        MemSize::S8 => word as u8 as i8 as u32,
        MemSize::U16 => word & 0xffff,
        MemSize::S16 => word as u16 as i16 as u32,
        _ => word,
    }
}

/// Loads one access of at most 32 bits from a byte slice; address checked and aligned.
#[inline(always)]
pub(crate) fn load_bytes(memory: &[u8], at: usize, size: MemSize) -> u32 {
    match size.bytes() {
        1 => extend(size, u32::from(memory[at])),
        2 => extend(size, u32::from(u16::from_le_bytes([memory[at], memory[at + 1]]))),
        _ => u32::from_le_bytes([memory[at], memory[at + 1], memory[at + 2], memory[at + 3]]),
    }
}

/// Stores the low bits of `value`; address checked and aligned.
#[inline(always)]
pub(crate) fn store_bytes(memory: &mut [u8], at: usize, size: MemSize, value: u32) {
    let bytes = value.to_le_bytes();
    match size.bytes() {
        1 => memory[at] = bytes[0],
        2 => memory[at..at + 2].copy_from_slice(&bytes[..2]),
        _ => memory[at..at + 4].copy_from_slice(&bytes),
    }
}

/// Checks the addresses of the threads of `mask`: aligned to the size, then behind a guarded page and
/// inside the memory, lowest faulting thread first.
#[inline(always)]
pub(crate) fn check(
    space: Space, usable: Range<u64>, size: MemSize, mask: u32, address: &[u32; WARP_SIZE],
) -> Result<(), Fault> {
    let bytes = size.bytes();
    for (lane, &a) in address.iter().enumerate() {
        let inside = usable.start <= u64::from(a) && u64::from(a) + u64::from(bytes) <= usable.end;
        let bad = a & (bytes - 1) != 0 || !inside;
        if bad && (mask >> lane) & 1 != 0 {
            return Err(fault(space, usable, bytes, lane as u32, a));
        }
    }
    Ok(())
}

#[cold]
fn fault(space: Space, usable: Range<u64>, bytes: u32, lane: u32, address: u32) -> Fault {
    let cause = if address & (bytes - 1) != 0 {
        TrapCause::MisalignedAccess
    } else if u64::from(address) < usable.start {
        TrapCause::Null
    } else {
        TrapCause::OutOfRange
    };
    Fault { cause, lane, access: Some(FaultingAccess { space, address, bytes, limit: usable.end }) }
}
