//! Addresses of one lane, and whether they may be used.
//!
//! [`AddressLane`] adds, in stage A; [`AccessCheck`] checks, in stage M.
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
//! Timing: combinational. Reset: none.
//! Errors: `AccessCheck.fault` is one of [`fault`]; misalignment is looked at first, then the guarded
//! page, then the range; the shared (or memory) access before the constant one.
//! Source: ($a + offset) mod 2^16, docs/decisions.md.

use crate::rtl::prelude::*;
use warpsmith_contract::registers::GUARD_BYTES;

/// Bits of a shared-memory address of the largest SM.
pub const SHARED: usize = 14;

/// What is wrong with an access; 0: nothing.
pub mod fault {
    /// Its address is not a multiple of its size.
    pub const MISALIGNED: u64 = 1;
    /// It ends beyond its memory.
    pub const OUTSIDE: u64 = 2;
    /// It lies in the guarded first page of global memory.
    pub const NULL: u64 = 3;
}

block! {
    /// See the module.
    pub struct AddressLane() {
        in areg(16),
        in r1(32),
        in s_offset(16),
        in c_offset(16),
        in areg_use(2),
        in post_inc(1),
        in is_global(1),
        in block_offset(SHARED),
        out main(32),
        out shared(SHARED),
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
        let shared_areg = (&areg & &of.bit(0).repeat(16)).bits(0, SHARED);
        let shared = carry_chain(&get(&self.block_offset), &shared_areg, &zero(1));
        set(&self.shared, shared.bits(0, SHARED));
        set(&self.constant, sum(&of.bit(1), &c));
        let step = of.bit(1).mux(&c, &s);
        set(&self.next, carry_chain(&step, &areg, &zero(1)).bits(0, 16));
    }
}

rtl_block!(AddressLane, "address_lane");

block! {
    /// See the module.
    pub struct AccessCheck() {
        in active(1),
        in main_on(1),
        in main(32),
        /// Access size minus one, in bytes.
        in main_size(4),
        /// First address beyond the memory.
        in main_limit(33),
        /// The first page of the memory is guarded.
        in main_guarded(1),
        in constant_on(1),
        in constant(16),
        in constant_size(2),
        /// Words of the bank.
        in constant_words(15),
        out fault(2),
    }
}

impl Rtl for AccessCheck {
    fn rtl(&self) {
        let (main, size) = (get(&self.main), get(&self.main_size));
        let off = wire("main_off", (main.bits(0, 4) & &size).any());
        // The last byte; an aligned access never carries into the next 16 bytes.
        let last = cat([&main.bits(4, 28), &(main.bits(0, 4) | &size)]);
        let out = wire("main_out", last.zext(33).ge(&get(&self.main_limit)));
        let (constant, size) = (get(&self.constant), get(&self.constant_size));
        let c_off = wire("constant_off", (constant.bits(0, 2) & &size).any());
        let c_out = wire("constant_out", constant.bits(2, 14).zext(15).ge(&get(&self.constant_words)));
        let page = GUARD_BYTES.trailing_zeros() as usize;
        let null = get(&self.main_guarded) & !main.bits(page, 32 - page).any();
        let null = wire("main_null", null);
        let is = |code| lit(2, code);
        let of_out = |out: &Expr| out.mux(&is(fault::OUTSIDE), &is(0));
        let of_off = |off: &Expr, other: &Expr| off.mux(&is(fault::MISALIGNED), other);
        let first = of_off(&off, &null.mux(&is(fault::NULL), &of_out(&out)));
        let first = wire("first_fault", first & get(&self.main_on).repeat(2));
        let second = of_off(&c_off, &of_out(&c_out)) & get(&self.constant_on).repeat(2);
        set(&self.fault, get(&self.active).repeat(2) & first.any().mux(&first, &second));
    }
}

rtl_block!(AccessCheck, "access_check");
