//! Addresses of one lane of G13: base, index and offset, in 64 bits.
//!
//! | port            | width | meaning                                                       |
//! |-----------------|-------|---------------------------------------------------------------|
//! | `base`, `high`  | 32    | low and high word of the base                                 |
//! | `low_bits`      | 2     | bits of the base that count as 0: it is rounded to an element |
//! | `wide`          | 1     | the address has 64 bits                                       |
//! | `index`         | 32    | … to which this is added, `scale` places to the left,         |
//! | `index_signed`  | 1     | … and extended by its sign                                    |
//! | `scale`         | 3     |                                                               |
//! | `offset`        | 32    | byte offset, signed; 0 where there is an index                |
//! | `block_offset`  | 14    | where the block's shared memory begins in the SM's, or its header; with what a pass adds |
//! | `main`          | 32    | byte address of the memory operand                            |
//! | `shared`        | 14    | the same in the SM's shared memory, of this pass              |
//! | `beyond`        | 1     | the address has bits above the 32 of `main`                   |
//!
//! Timing: combinational. Reset: none. Errors: none; `AccessCheck` looks at alignment and range.
//! Source: docs/instruction-sets.md, G13 on a chip.

use crate::rtl::prelude::*;

/// Bits of an index after its scale, and of its extension.
const INDEX: usize = 40;

block! {
    /// See the module.
    pub struct G13AddressLane(shared: usize) {
        in base(32),
        in high(32),
        in low_bits(2),
        in wide(1),
        in index(32),
        in index_signed(1),
        in scale(3),
        in offset(32),
        in block_offset(shared),
        out main(32),
        out shared(shared),
        out beyond(1),
    }
}

impl Rtl for G13AddressLane {
    fn rtl(&self) {
        let (base, index) = (get(&self.base), get(&self.index));
        let sign = wire("index_sign", get(&self.index_signed) & index.msb());
        let index = cat([&sign.repeat(INDEX - 32), &index]).called("index");
        let moved = wire("index_bytes", index.shl(&get(&self.scale)));
        let add = wire("added", moved | get(&self.offset).sext(INDEX));
        let base = cat([&base.bits(2, 30), &(base.bits(0, 2) & !get(&self.low_bits))]);
        let sum = wire("sum", carry_chain(&base, &add.bits(0, 32), &zero(1)));
        let main = wire("address", sum.bits(0, 32));
        let above = add.bits(32, INDEX - 32).sext(32);
        let high = get(&self.high) + above + sum.bit(32).zext(32);
        let high = wire("high_word", high);
        set(&self.beyond, get(&self.wide) & high.any());
        let shared = carry_chain(&get(&self.block_offset), &main.bits(0, get(&self.block_offset).width()), &zero(1));
        set(&self.shared, shared.bits(0, get(&self.block_offset).width()));
        set(&self.main, main);
    }
}

rtl_block!(G13AddressLane, "g13_address_lane");
