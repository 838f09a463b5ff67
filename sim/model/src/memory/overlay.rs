//! One block's view of global memory while blocks run side by side.
//!
//! An [`Overlay`] holds a block's stores, and the set of 32-bit words that the block has read from the
//! memory below. [`Changes`] is its result after the block: [`Changes::saw`] tells whether the block
//! read a word to which another block stored, [`Changes::apply`] performs its stores.

use super::gather::{gather, mark, spread, Shapes};
use super::{base, extend, store_bytes, Global, GlobalMemory, PAGE};
use crate::record::Lanes;
use pulp::Simd;
use std::ops::Range;
use warpsmith_isa::{MemSize, WARP_SIZE};

/// Bytes of a part of a page, the unit of copying.
const PART: usize = 1 << 12;

/// One bit a 32-bit word of a page.
type PageWords = [u64; PAGE / 4 / 64];

/// A page a block has touched.
struct Page {
    /// Words loaded while the block had not stored all of their bytes.
    seen: PageWords,
    parts: [Option<Box<Part>>; PAGE / PART],
}

/// A part of a page a block has stored to.
struct Part {
    /// Contents as the block sees them.
    bytes: [u8; PART],
    /// One bit a byte: stored by the block.
    stored: [u64; PART / 64],
}

/// A block's view: its own stores over a memory that stands still.
pub(crate) struct Overlay<'a> {
    base: &'a GlobalMemory,
    pages: Vec<Option<Box<Page>>>,
}

impl<'a> Overlay<'a> {
    /// A view of `base` without stores.
    pub fn new(base: &'a GlobalMemory) -> Self {
        Overlay { base, pages: (0..base.len().div_ceil(PAGE as u64)).map(|_| None).collect() }
    }

    /// Words the block read and bytes it stored.
    pub fn changes(self) -> Changes {
        let pages = self.pages.into_iter().enumerate();
        Changes(pages.filter_map(|(i, p)| Some((i, p?))).collect())
    }
}

#[inline(always)]
fn page_mut(pages: &mut [Option<Box<Page>>], address: u32) -> &mut Page {
    // The indexing is in range: callers have checked the address.
    pages[address as usize / PAGE]
        .get_or_insert_with(|| Box::new(Page { seen: [0; PAGE / 4 / 64], parts: Default::default() }))
}

impl Global for Overlay<'_> {
    #[inline(always)]
    fn usable(&self) -> Range<u64> {
        self.base.usable()
    }

    #[inline(always)]
    fn load(&mut self, address: u32, size: MemSize) -> u32 {
        let page = page_mut(&mut self.pages, address);
        let at = (address as usize % PAGE) & !3;
        let (word, own) = match &page.parts[at / PART] {
            None => (self.base.word(address), false),
            Some(part) => part.word(at % PART),
        };
        if !own {
            page.seen[at / 256] |= 1 << (at / 4 % 64);
        }
        extend(size, word >> (8 * (address & 3)))
    }

    #[inline(always)]
    fn words<S: Simd>(&mut self, simd: S, address: &Lanes, shapes: Shapes, to: &mut Lanes) {
        let first = address[0];
        let (_, apart) = spread(address, shapes);
        let page = page_mut(&mut self.pages, first);
        if apart >= PART as u32 || page.parts[first as usize % PAGE / PART].is_some() {
            for (to, a) in to.iter_mut().zip(address) {
                *to = self.load(*a, MemSize::B32);
            }
            return;
        }
        mark(&mut page.seen, base(first), address, shapes);
        match self.base.page(first) {
            Some(page) => gather(simd, page, base(first), address, shapes, to),
            None => *to = [0; WARP_SIZE],
        }
    }

    #[inline(always)]
    fn store(&mut self, address: u32, size: MemSize, value: u32) {
        let page = page_mut(&mut self.pages, address);
        let at = address as usize % PAGE;
        let part = page.parts[at / PART].get_or_insert_with(|| Part::of(self.base, address));
        let bits = (1 << size.bytes().min(4)) - 1;
        part.stored[at % PART / 64] |= bits << (at % 64);
        store_bytes(&mut part.bytes, at % PART, size, value);
    }
}

impl Part {
    #[cold]
    fn of(base: &GlobalMemory, address: u32) -> Box<Part> {
        let mut part = Box::new(Part { bytes: [0; PART], stored: [0; PART / 64] });
        if let Some(page) = base.page(address) {
            let from = address as usize % PAGE / PART * PART;
            part.bytes.copy_from_slice(&page[from..from + PART]);
        }
        part
    }

    /// The word at an aligned offset, and whether the block has stored all its bytes.
    #[inline(always)]
    fn word(&self, at: usize) -> (u32, bool) {
        let b = &self.bytes[at..at + 4];
        let own = self.stored[at / 64] >> (at % 64) & 15 == 15;
        (u32::from_le_bytes([b[0], b[1], b[2], b[3]]), own)
    }
}

/// Words of global memory a block read and bytes it stored, pages ascending.
pub(crate) struct Changes(Vec<(usize, Box<Page>)>);

impl Changes {
    /// Whether the block saw one of `words`.
    pub fn saw(&self, words: &Words) -> bool {
        self.0.iter().any(|(i, page)| match words.0.get(*i) {
            Some(Some(w)) => page.seen.iter().zip(w.iter()).any(|(a, b)| a & b != 0),
            _ => false,
        })
    }

    /// Performs the block's stores, and adds their words to `words`.
    pub fn apply(&self, memory: &mut GlobalMemory, words: &mut Words) {
        for (i, page) in &self.0 {
            for (p, part) in page.parts.iter().enumerate() {
                if let Some(part) = part {
                    let to = memory.page_mut((i * PAGE + p * PART) as u32);
                    part.apply(&mut to[p * PART..][..PART]);
                    words.add(*i, p, part);
                }
            }
        }
    }
}

impl Part {
    fn apply(&self, to: &mut [u8]) {
        let from = self.bytes.chunks_exact(64);
        for ((to, from), &stored) in to.chunks_exact_mut(64).zip(from).zip(&self.stored) {
            match stored {
                0 => {}
                u64::MAX => to.copy_from_slice(from),
                _ => (0..64).filter(|b| stored >> b & 1 != 0).for_each(|b| to[b] = from[b]),
            }
        }
    }
}

/// A set of 32-bit words of global memory.
#[derive(Default)]
pub(crate) struct Words(Vec<Option<Box<PageWords>>>);

impl Words {
    fn add(&mut self, page: usize, p: usize, part: &Part) {
        if self.0.len() <= page {
            self.0.resize(page + 1, None);
        }
        let words = self.0[page].get_or_insert_with(|| Box::new([0; PAGE / 4 / 64]));
        for (i, &stored) in part.stored.iter().enumerate().filter(|(_, s)| **s != 0) {
            let touched = (0..16).filter(|w| stored >> (4 * w) & 15 != 0);
            let bits = touched.fold(0u64, |bits, w| bits | 1 << w);
            words[p * PART / 256 + i / 4] |= bits << (16 * (i % 4));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> GlobalMemory {
        let mut m = GlobalMemory::new(3 * PAGE as u64);
        m.write(PAGE as u64, &[1, 2, 3, 4, 5, 6, 7, 8]);
        m
    }

    /// The words one store of another block puts in the set.
    fn stored(address: u32, size: MemSize) -> Words {
        let (mut m, mut words) = (memory(), Words::default());
        let base = m.clone();
        let mut o = Overlay::new(&base);
        o.store(address, size, 0);
        o.changes().apply(&mut m, &mut words);
        words
    }

    #[test]
    fn stores_stay_private_until_applied() {
        let base = memory();
        let at = PAGE as u32;
        let mut o = Overlay::new(&base);
        o.store(at + 1, MemSize::U8, 0xaa);
        o.store(at + 6, MemSize::U16, 0xbbcc);
        o.store(2 * at - 4, MemSize::B32, 0x1122_3344);
        assert_eq!(o.load(at, MemSize::B32), 0x0403_aa01);
        assert_eq!(o.load(at + 6, MemSize::S16), 0xffff_bbcc);
        assert_eq!(base.word(at), 0x0403_0201);
        let mut m = base.clone();
        // Another block's store to a byte beside stays.
        m.store(at + 2, MemSize::U8, 0xdd);
        o.changes().apply(&mut m, &mut Words::default());
        assert_eq!(m.word(at), 0x04dd_aa01);
        assert_eq!(m.word(at + 4), 0xbbcc_0605);
        assert_eq!(m.word(2 * at - 4), 0x1122_3344);
        let pages: Vec<u32> = m.pages().map(|p| p.0).collect();
        assert_eq!(pages, [at]);
    }

    #[test]
    fn a_load_sees_its_word_unless_the_block_stored_all_of_it() {
        let base = memory();
        let mut o = Overlay::new(&base);
        o.load(0x101, MemSize::U8);
        o.store(0x200, MemSize::B32, 7);
        o.load(0x200, MemSize::B32);
        o.store(0x300, MemSize::U16, 7);
        o.load(0x302, MemSize::U16);
        let c = o.changes();
        for (address, seen) in [(0x100, true), (0x104, false), (0x200, false), (0x300, true)] {
            assert_eq!(c.saw(&stored(address, MemSize::B32)), seen, "{address:#x}");
        }
        assert!(c.saw(&stored(0x103, MemSize::S8)));
        assert!(!c.saw(&stored(0x103 + PAGE as u32, MemSize::S8)));
        assert!(!c.saw(&Words::default()));
    }
}
