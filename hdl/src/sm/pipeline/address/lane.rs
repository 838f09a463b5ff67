//! Addresses of one lane, added in stage A.
//!
//! | port           | width | meaning                                                       |
//! |----------------|-------|---------------------------------------------------------------|
//! | `areg`         | 16    | address register, 0 for $a0                                   |
//! | `r1`           | 32    | address of a global access                                    |
//! | `s_offset`, `c_offset` | 16 | byte offsets of shared or local, and of constant operands |
//! | `areg_use`     | 2     | 1 shared or local, 2 constant                                 |
//! | `post_inc`     | 1     | the address is the register alone                             |
//! | `is_global`    | 1     | a global access                                               |
//! | `block_offset` | 14    | byte address of the shared operand without the register: `s_offset`  |
//! |                |       | unless post-incremented, and where the block's shared memory begins |
//! | `main`         | 32    | shared, local or global byte address                          |
//! | `shared`       | 14    | byte address in the SM's shared memory                        |
//! | `constant`     | 16    | constant byte address                                         |
//! | `next`         | 16    | address register after post-increment                         |
//!
//! Timing: combinational. Reset: none. Errors: none; `AccessCheck` looks at alignment and range.
//! Source: ($a + offset) mod 2^16, docs/decisions.md.

use crate::rtl::prelude::*;

block! {
    /// See the module.
    pub struct AddressLane(shared: usize) {
        in areg(16),
        in r1(32),
        in s_offset(16),
        in c_offset(16),
        in areg_use(2),
        in post_inc(1),
        in is_global(1),
        in block_offset(shared),
        out main(32),
        out shared(shared),
        out constant(16),
        out next(16),
    }
}

impl Rtl for AddressLane {
    fn rtl(&self) {
        let areg = get(&self.areg);
        let (s, c) = (get(&self.s_offset), get(&self.c_offset));
        let of = get(&self.areg_use);
        let keep = !get(&self.post_inc);
        // The offsets are those of every lane: gated once for all.
        let sum = |on: &Expr, offset: &Expr| {
            let plain = !on | &keep;
            let offset = wire("offset", offset & &plain.repeat(16));
            carry_chain(&offset, &(&areg & &on.repeat(16)), &zero(1)).bits(0, 16)
        };
        // A global address goes through the adder of the others, which add to it nothing.
        let (global, r1) = (get(&self.is_global), get(&self.r1));
        let near = wire("is_near", !&global);
        let offset = wire("near_offset", &s & &(&near & &(!&of.bit(0) | &keep)).repeat(16));
        let on = wire("near_areg", &near & &of.bit(0));
        let other = (&areg & &on.repeat(16)) | (r1.bits(0, 16) & global.repeat(16));
        let low = carry_chain(&offset, &other, &zero(1)).bits(0, 16);
        set(&self.main, cat([&global.mux(&r1.bits(16, 16), &zero(16)), &low]));
        let shared_areg = (&areg & &of.bit(0).repeat(16)).bits(0, get(&self.block_offset).width());
        let shared = carry_chain(&get(&self.block_offset), &shared_areg, &zero(1));
        set(&self.shared, shared.bits(0, get(&self.block_offset).width()));
        set(&self.constant, sum(&of.bit(1), &c));
        let step = of.bit(1).mux(&c, &s);
        set(&self.next, carry_chain(&step, &areg, &zero(1)).bits(0, 16));
    }
}

rtl_block!(AddressLane, "address_lane");
