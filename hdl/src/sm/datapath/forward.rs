//! Forwarding from W to stage A, on chips with a lane for every thread.
//!
//! What W writes in the cycle in which a reader stands in I comes too late for the block RAMs. Where
//! an instruction is one beat the reader can take it from here, so that it follows one move closer;
//! where it is several the warps hide the move.

use super::Datapath;
use crate::rtl::prelude::*;

/// What stage W writes in this cycle.
pub(super) struct Written {
    /// Registers: valid, entry, halves of each lane (2 bits), values.
    pub(super) valid: Ex,
    pub(super) entry: Ex,
    pub(super) halves: Vec<Ex>,
    pub(super) values: Vec<Ex>,
    /// Address registers: number within all warps, lanes, values.
    pub(super) number: Ex,
    pub(super) lanes: Vec<Ex>,
    pub(super) addresses: Vec<Ex>,
}

impl Datapath {
    /// Stage I: keeps what W writes beside what the RAMs read.
    pub(super) fn keep_written(&self, advance: &Ex, entries: &[Ex], number: &Ex, w: &Written) {
        if self.kept.is_empty() {
            return;
        }
        for (hit, entry) in self.kept_hit.iter().zip(entries) {
            when(advance, || set(hit, &w.valid & &entry.eq(&w.entry)));
        }
        let same = wire("same_address_register", number.eq(&w.number));
        when(advance, || {
            for l in 0..self.kept.len() {
                set(&self.kept[l], &w.values[l]);
                set(&self.kept_halves[l], &w.halves[l]);
                set(&self.kept_address[l], &w.addresses[l]);
                set(&self.kept_address_on[l], &same & &w.lanes[l]);
            }
        });
    }

    /// Stage A: operand `i` of lane `l`, read or forwarded.
    pub(super) fn operand(&self, i: usize, l: usize, read: Ex) -> Ex {
        let Some(kept) = self.kept.get(l) else {
            return read;
        };
        let take = get(&self.kept_halves[l]) & get(&self.kept_hit[i]).repeat(2);
        let value = get(kept);
        let half = |h: usize| {
            take.bit(h)
                .mux(&value.bits(16 * h, 16), &read.bits(16 * h, 16))
        };
        cat([&half(1), &half(0)])
    }

    /// Stage A: the address register of lane `l`, read or forwarded.
    pub(super) fn address_register(&self, l: usize, read: Ex) -> Ex {
        match self.kept_address.get(l) {
            Some(kept) => get(&self.kept_address_on[l]).mux(&get(kept), &read),
            None => read,
        }
    }
}
