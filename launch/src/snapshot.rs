//! Memory of a host behind a launch's global memory, copied a page at a time, when something first looks there.

use std::fmt;
use std::sync::OnceLock;

/// Bytes of a page of [`GlobalMemory`](crate::GlobalMemory).
pub const PAGE: usize = 1 << 16;

/// Copies bytes out of memory of the host, from a byte offset on.
pub type Reader = Box<dyn Fn(usize, &mut [u8]) + Send + Sync>;

/// Memory of the host that stands for a part of global memory.
pub struct Part {
    /// Byte address in global memory.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// Copies from it.
    pub read: Reader,
}

/// Contents of global memory before a launch. Each page is copied once at most: all that run the launch see the same.
pub struct Snapshot {
    parts: Vec<Part>,
    pages: Vec<OnceLock<Option<Box<[u8; PAGE]>>>>,
}

impl Snapshot {
    /// Of parts that do not overlap; elsewhere memory is zero.
    pub fn new(parts: Vec<Part>) -> Snapshot {
        let end = parts.iter().map(|p| p.address + p.bytes).max().unwrap_or(0);
        let pages = (0..end.div_ceil(PAGE as u64)).map(|_| OnceLock::new()).collect();
        Snapshot { parts, pages }
    }

    /// The page of number `page`; `None` where no part is.
    #[inline(always)]
    pub fn page(&self, page: usize) -> Option<&[u8; PAGE]> {
        let place = self.pages.get(page)?;
        match place.get() {
            Some(known) => known.as_deref(),
            None => place.get_or_init(|| self.copied(page)).as_deref(),
        }
    }

    #[cold]
    fn copied(&self, page: usize) -> Option<Box<[u8; PAGE]>> {
        let (start, end) = ((page * PAGE) as u64, ((page + 1) * PAGE) as u64);
        let mut copy: Option<Box<[u8; PAGE]>> = None;
        for part in &self.parts {
            let (from, to) = (part.address.max(start), (part.address + part.bytes).min(end));
            if from < to {
                let bytes = copy.get_or_insert_with(|| Box::new([0; PAGE]));
                (part.read)((from - part.address) as usize, &mut bytes[(from - start) as usize..(to - start) as usize]);
            }
        }
        copy
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts.iter().map(|p| p.address..p.address + p.bytes);
        f.debug_list().entries(parts).finish()
    }
}

/// Two are equal when they are one.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Snapshot {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GlobalMemory;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::Arc;

    #[test]
    fn pages_are_copied_once_and_when_needed() {
        let copied = Arc::new(AtomicUsize::new(0));
        let part = |address: u64, bytes: u64, value: u8| {
            let copied = copied.clone();
            let read: Reader = Box::new(move |offset, to: &mut [u8]| {
                copied.fetch_add(to.len(), Ordering::Relaxed);
                assert!(offset + to.len() <= bytes as usize);
                to.fill(value);
            });
            Part { address, bytes, read }
        };
        let page = PAGE as u64;
        let snapshot = Arc::new(Snapshot::new(vec![part(256, 1000, 1), part(2048, 2 * page, 2)]));
        let launch = crate::Launch {
            global_bytes: 1 << 20,
            before: Some(snapshot.clone()),
            ..crate::Launch::from_words("lazy", vec![])
        };
        let mut memory = GlobalMemory::of(&launch);
        assert_eq!(copied.load(Ordering::Relaxed), 0);
        assert_eq!((memory.byte(255), memory.byte(256), memory.byte(1256), memory.byte(2048)), (0, 1, 0, 2));
        assert_eq!(memory.word(PAGE as u32 - 4), 0x0202_0202);
        assert_eq!(copied.load(Ordering::Relaxed), 1000 + PAGE - 2048);
        // What is written stays in this memory.
        memory.write(300, &[7; 4]);
        assert_eq!((memory.word(300), memory.word(304)), (0x0707_0707, 0x0101_0101));
        assert_eq!(GlobalMemory::of(&launch).word(300), 0x0101_0101);
        assert_eq!(memory.pages().map(|p| p.0).collect::<Vec<_>>(), [0]);
        assert_eq!(copied.load(Ordering::Relaxed), 1000 + PAGE - 2048);
        let all = memory.read(0, 4 * PAGE);
        assert_eq!((all[2 * PAGE + 2047], all[2 * PAGE + 2048]), (2, 0));
        assert_eq!(copied.load(Ordering::Relaxed), 1000 + 2 * PAGE);
        assert!(snapshot.page(2).is_some() && snapshot.page(9).is_none());
    }
}
