//! Addresses of one channel of Ivy Bridge: a scaled base and what is added to it, in 32 bits.
//!
//! | port           | width | meaning                                                       |
//! |----------------|-------|---------------------------------------------------------------|
//! | `base`         | 32    | base of the access                                            |
//! | `scale`        | 3     | … is moved so many places to the left: 0, 2, 4                |
//! | `block`        | 1     | channels access consecutive dwords                            |
//! | `channel`      | 5     | number of the channel, from the first of the instruction      |
//! | `offset`       | 32    | byte offset                                                   |
//! | `pass_offset`  | 6     | what a pass adds, in bytes                                    |
//! | `block_offset` | 14    | where the block's shared memory begins in the SM's            |
//! | `main`         | 32    | byte address of the memory operand                            |
//! | `shared`       | 14    | the same in the SM's shared memory                            |
//!
//! Timing: combinational. Reset: none. Errors: none; `AccessCheck` looks at alignment and range.
//! Source: docs/instruction-sets.md; the sum of the sources of an access is truncated to the type of its address.

use crate::rtl::prelude::*;

/// Bits of what channel and pass add.
const STEP: usize = 8;

block! {
    /// See the module.
    pub struct ChannelAddressLane(shared: usize) {
        in base(32),
        in scale(3),
        in block(1),
        in channel(5),
        in offset(32),
        in pass_offset(6),
        in block_offset(shared),
        out main(32),
        out shared(shared),
    }
}

impl Rtl for ChannelAddressLane {
    fn rtl(&self) {
        let (base, scale) = (get(&self.base), get(&self.scale));
        let moved = |places: usize| cat([&base.bits(0, 32 - places), &zero(places)]);
        let base = scale.bit(2).mux(&moved(4), &scale.bit(1).mux(&moved(2), &base));
        let dword = cat([&(get(&self.channel) & get(&self.block).repeat(5)), &zero(2)]);
        let step = wire("step", get(&self.pass_offset).zext(STEP) + dword.zext(STEP));
        let add = wire("added", get(&self.offset) + step.zext(32));
        let main = wire("address", carry_chain(&add, &base, &zero(1)).bits(0, 32));
        let shared = carry_chain(&get(&self.block_offset), &main.bits(0, get(&self.block_offset).width()), &zero(1));
        set(&self.shared, shared.bits(0, get(&self.block_offset).width()));
        set(&self.main, main);
    }
}

rtl_block!(ChannelAddressLane, "channel_address_lane");
