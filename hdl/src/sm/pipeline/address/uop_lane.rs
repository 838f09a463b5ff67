//! Addresses of one lane of micro-operations: register and offset, in 32 bits.
//!
//! | port           | width | meaning                                                       |
//! |----------------|-------|---------------------------------------------------------------|
//! | `r1`, `r2`     | 32    | low word of the base; high word of it where `far`             |
//! | `control`      | 4     | `AddressControl`                                              |
//! | `offset`       | 32    | byte offset, signed                                           |
//! | `c_offset`     | 16    | byte offset of a constant operand that is not indexed         |
//! | `block_offset` | 14    | where the block's shared memory begins in the SM's, or its header |
//! | `main`         | 32    | byte address of the memory operand                            |
//! | `shared`       | 14    | the same in the SM's shared memory                            |
//! | `constant`     | 16    | byte address of the constant operand in its bank              |
//! | `beyond`       | 1     | the address has bits above the 32 of `main`                   |
//!
//! Timing: combinational. Reset: none. Errors: none; `AccessCheck` looks at alignment and range.
//! Source: docs/instruction-sets.md; `.E` addresses have 64 bits, of which the memories use 32.

use crate::rtl::prelude::*;
use crate::sm::control::uop::AddressControl;

block! {
    /// See the module.
    pub struct UopAddressLane(shared: usize) {
        in r1(32),
        in r2(32),
        in control(AddressControl::width(())),
        in offset(32),
        in c_offset(16),
        in block_offset(shared),
        out main(32),
        out shared(shared),
        out constant(16),
        out beyond(1),
    }
}

impl Rtl for UopAddressLane {
    fn rtl(&self) {
        let control = AddressControl::unpack((), "how", &get(&self.control));
        let base = get(&self.r1) & control.base.repeat(32);
        let offset = get(&self.offset);
        let sum = wire("sum", carry_chain(&offset, &base, &zero(1)));
        let main = wire("address", sum.bits(0, 32));
        // The high word of base and offset is zero: base, sign of the offset and carry cancel.
        let (minus, carry) = (offset.msb(), sum.bit(32));
        let high = get(&self.r2);
        let upper = high.bits(1, 31);
        let one = &high.bit(0) & !upper.any();
        let cancels = minus.mux(&carry.mux(&!high.any(), &one), &carry.mux(&high.all(), &!high.any()));
        set(&self.beyond, &control.far & &!cancels);
        let shared = carry_chain(&get(&self.block_offset), &main.bits(0, get(&self.block_offset).width()), &zero(1));
        set(&self.shared, shared.bits(0, get(&self.block_offset).width()));
        set(&self.constant, control.indexed.mux(&main.bits(0, 16), &get(&self.c_offset)));
        set(&self.main, main);
    }
}

rtl_block!(UopAddressLane, "uop_address_lane");
