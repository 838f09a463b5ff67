//! Forwarding from W to stage A, on chips with a lane for every thread.
//!
//! What W writes in the cycle in which a reader stands in I comes too late for the block RAMs. Where
//! an instruction is one beat the reader can take it from here, so that it follows one move closer;
//! where it is several the warps hide the move.

use super::bundles::{AddressRegisterWrite, LaneWrite, ReadBeat};
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

/// Lanes with forwarding: all or none.
fn lanes(d: &Dims) -> usize {
    d.lanes * usize::from(d.forward)
}

/// The same of address registers, which SM 1.0 has alone.
fn address_lanes(d: &Dims) -> usize {
    d.has.address_registers.bits(lanes(d))
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
        data address([address_lanes(d)] 16),
        data address_on([address_lanes(d)] 1),
    }
}

impl Forward {
    /// Keeps what W writes while `beat` moves on from I beside what the RAMs read.
    pub fn keep(
        &self, advance: &Expr, beat: &ReadBeat<Sink>, results: Option<&LaneWrite<Sink>>,
        aregs: Option<&AddressRegisterWrite<Sink>>,
    ) {
        let Some(w) = results else {
            return;
        };
        let (valid, entry, halves) = (get(&w.valid), get(&w.entry), get(&w.halves));
        for (hit, read) in self.hit.iter().zip(&beat.entry) {
            when(advance, || set(hit, &valid & &get(read).eq(&entry)));
        }
        let whole = wire("whole_written", halves.all());
        when(advance, || {
            for (l, data) in w.data.iter().enumerate() {
                let data = get(data);
                let upper = whole.mux(&data.bits(16, 16), &data.bits(0, 16));
                set(&self.values[l], cat([&upper, &data.bits(0, 16)]));
                set(&self.halves[l], &halves & &get(&w.mask).bit(l).repeat(2));
            }
        });
        if let (Some(to), Some(read)) = (aregs, beat.areg.get()) {
            let same = wire("same_address_register", get(read).eq(&get(&to.number)));
            when(advance, || {
                for l in 0..self.address.len() {
                    set(&self.address[l], get(&to.values[l]));
                    set(&self.address_on[l], &same & get(&to.enable).bit(l));
                }
            });
        }
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
