//! Forwarding from W to stage A, on chips with a lane for every thread.
//!
//! What W writes in the cycle in which a reader stands in I comes too late for the block RAMs. Where
//! an instruction is one beat the reader can take it from here, so that it follows one move closer;
//! where it is several the warps hide the move.

use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

/// What stage W writes in this cycle.
pub struct Written {
    /// Registers: valid, entry, halves of each lane (2 bits), values.
    pub valid: Expr,
    pub entry: Expr,
    pub halves: Vec<Expr>,
    pub values: Vec<Expr>,
    /// Address registers: number within all warps, lanes, values.
    pub number: Expr,
    pub lanes: Vec<Expr>,
    pub addresses: Vec<Expr>,
}

/// Lanes with forwarding: all or none.
fn lanes(d: &Dims) -> usize {
    d.lanes * usize::from(d.forward)
}

group! {
    /// What W wrote in the cycle in which the beat in A stood in I.
    pub struct Forward(d: &Dims) as "kept" {
        /// Value of each lane,
        data values([lanes(d)] 32 => "kept"),
        /// its halves that were written,
        data halves([lanes(d)] 2),
        /// and the operands that are the register written.
        reg hit([3 * usize::from(d.forward)] 1),
        /// Address register of each lane, and whether it was written.
        data address([lanes(d)] 16),
        data address_on([lanes(d)] 1),
    }
}

impl Forward {
    /// Stage I: keeps what W writes beside what the RAMs read.
    pub fn keep(&self, advance: &Expr, entries: &[Expr], number: &Expr, w: &Written) {
        if self.values.is_empty() {
            return;
        }
        for (hit, entry) in self.hit.iter().zip(entries) {
            when(advance, || set(hit, &w.valid & &entry.eq(&w.entry)));
        }
        let same = wire("same_address_register", number.eq(&w.number));
        when(advance, || {
            for l in 0..self.values.len() {
                set(&self.values[l], &w.values[l]);
                set(&self.halves[l], &w.halves[l]);
                set(&self.address[l], &w.addresses[l]);
                set(&self.address_on[l], &same & &w.lanes[l]);
            }
        });
    }

    /// Stage A: operand `i` of lane `l`, read or forwarded.
    pub fn operand(&self, i: usize, l: usize, read: Expr) -> Expr {
        let Some(kept) = self.values.get(l) else {
            return read;
        };
        let take = get(&self.halves[l]) & get(&self.hit[i]).repeat(2);
        let value = get(kept);
        let half = |h: usize| take.bit(h).mux(&value.bits(16 * h, 16), &read.bits(16 * h, 16));
        cat([&half(1), &half(0)])
    }

    /// Stage A: the address register of lane `l`, read or forwarded.
    pub fn address_register(&self, l: usize, read: Expr) -> Expr {
        match self.address.get(l) {
            Some(kept) => get(&self.address_on[l]).mux(&get(kept), &read),
            None => read,
        }
    }
}
