//! Values of leaves in rust-hdl's simulator ([`Simulated`](super::Simulated)).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Values of a leaf, 64 bits at a time. The leaf holds one reference, the simulation of the block around it another.
#[derive(Debug)]
pub(crate) struct Slot {
    value: Vec<AtomicU64>,
    next: Vec<AtomicU64>,
    changed: AtomicBool,
    pub(super) clock: OnceLock<Arc<Clocking>>,
}

/// Clock and reset of a tree of blocks.
#[derive(Debug, Default)]
pub(super) struct Clocking {
    /// Rising edges so far.
    pub(super) edges: AtomicU64,
    pub(super) reset: AtomicBool,
}

impl Slot {
    pub(crate) fn new(width: usize) -> Self {
        let words = || (0..width.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { value: words(), next: words(), changed: AtomicBool::new(false), clock: OnceLock::new() }
    }

    /// Words of a value.
    pub(super) fn words(&self) -> usize {
        self.value.len()
    }

    /// Word `word` of the present value.
    pub(crate) fn value(&self, word: usize) -> u64 {
        self.value[word].load(Ordering::Relaxed)
    }

    pub(super) fn set_next(&self, word: usize, value: u64) {
        self.next[word].store(value, Ordering::Relaxed);
    }

    /// Takes the next value, as rust-hdl's signals do.
    pub(crate) fn update(&self) {
        let mut changed = false;
        for (value, next) in self.value.iter().zip(&self.next) {
            let next = next.load(Ordering::Relaxed);
            changed |= value.swap(next, Ordering::Relaxed) != next;
        }
        self.changed.store(changed, Ordering::Relaxed);
    }

    pub(crate) fn changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }
}
