//! The address lane of a chip: that of its instruction set, all with the same results.

use crate::config::Isa;
use crate::rtl::prelude::*;
use crate::sm::control::g13::SourceControl;
use crate::sm::control::ivb::ChannelControl;
use crate::sm::control::uop::AddressControl;
use crate::sm::control::Control;
use crate::sm::dims::Dims;
use crate::sm::pipeline::address::channel_lane::ChannelAddressLane;
use crate::sm::pipeline::address::g13_lane::G13AddressLane;
use crate::sm::pipeline::address::lane::AddressLane;
use crate::sm::pipeline::address::uop_lane::UopAddressLane;
use crate::sm::pipeline::bundles::Addresses;

/// An address lane.
pub enum FrontAddressLane {
    /// SM 1.0's: address registers and offsets.
    Sm10(Box<AddressLane>),
    /// That of micro-operations: a base of one or two words and an offset.
    Uops(Box<UopAddressLane>),
    /// G13's: base, index and offset.
    G13(Box<G13AddressLane>),
    /// Ivy Bridge's: a scaled base, a dword a channel.
    Channels(Box<ChannelAddressLane>),
}

alternatives!(FrontAddressLane: Sm10, Uops, G13, Channels);

/// What is the same in every lane.
pub struct Access<'a> {
    /// The instruction.
    pub control: &'a Control,
    /// Where its operands come from, of G13.
    pub sources: Option<&'a SourceControl>,
    /// Its channels, of Ivy Bridge.
    pub channels: Option<&'a ChannelControl>,
    /// The part of a wide access.
    pub pass: &'a Expr,
    /// Size of the access minus one, in bytes: 4 bits.
    pub main_size: &'a Expr,
    /// Byte address of the shared operand without what a lane adds.
    pub block_offset: &'a Expr,
}

/// What a lane adds up.
pub struct LaneOperands {
    /// Low and high word of the base.
    pub base: [Expr; 2],
    /// Index of an element, 32 bits; of G13.
    pub index: Expr,
    /// Address register, 16 bits; 0 for none. Of SM 1.0.
    pub areg: Expr,
    /// Number of the channel in its warp, 5 bits; of Ivy Bridge.
    pub channel: Expr,
}

impl FrontAddressLane {
    /// The address lane of a chip.
    pub fn new(d: &Dims) -> Self {
        match d.isa {
            Isa::G13 => Self::G13(Box::new(G13AddressLane::new(d.shared_address()))),
            Isa::Ivb => Self::Channels(Box::new(ChannelAddressLane::new(d.shared_address()))),
            Isa::Fermi => Self::Uops(Box::new(UopAddressLane::new(d.shared_address()))),
            Isa::Sm10 => Self::Sm10(Box::new(AddressLane::new(d.shared_address()))),
        }
    }

    /// Gives it its operands; the addresses it finds.
    pub fn compute(&self, d: &Dims, access: &Access, operands: LaneOperands) -> Addresses {
        let c = access.control;
        let LaneOperands { base: [base, high], index, areg, channel } = operands;
        let values = match self {
            Self::Sm10(lane) => {
                set(&lane.areg, &areg);
                set(&lane.r1, &base);
                set(&lane.s_offset, &c.s_offset);
                set(&lane.c_offset, &c.c_offset);
                set(&lane.areg_use, &c.areg_use);
                set(&lane.post_inc, &c.post_inc);
                set(&lane.is_global, c.accesses_global(d));
                set(&lane.block_offset, access.block_offset);
                Addresses {
                    areg,
                    constant: get(&lane.constant),
                    next: get(&lane.next),
                    ..sums(d, &lane.main, &lane.shared, nothing())
                }
            }
            Self::Uops(lane) => {
                set(&lane.r1, &base);
                set(&lane.r2, &high);
                set(&lane.control, &c.address);
                set(&lane.offset, &c.imm);
                set(&lane.c_offset, &c.c_offset);
                set(&lane.block_offset, access.block_offset);
                Addresses { constant: get(&lane.constant), ..sums(d, &lane.main, &lane.shared, get(&lane.beyond)) }
            }
            Self::Channels(lane) => {
                let channels = access.channels.expect("a chip of Ivy Bridge says what channels do");
                set(&lane.base, &base);
                set(&lane.scale, &channels.scale);
                set(&lane.block, &channels.block);
                set(&lane.channel, &channel);
                set(&lane.offset, &c.imm);
                set(&lane.pass_offset, cat([access.pass, &zero(2)]).zext(6));
                set(&lane.block_offset, access.block_offset);
                // The sum is one of 32 bits.
                sums(d, &lane.main, &lane.shared, zero(1))
            }
            Self::G13(lane) => {
                let sources = access.sources.expect("a chip of G13 says where operands come from");
                let how = AddressControl::unpack((), "how", &c.address);
                set(&lane.base, &base & &how.base.repeat(32));
                set(&lane.high, &high & &how.base.repeat(32));
                set(&lane.low_bits, access.main_size.bits(0, 2) & how.far.repeat(2));
                set(&lane.wide, &how.far);
                set(&lane.index, &index);
                set(&lane.index_signed, &sources.index_signed);
                set(&lane.scale, &sources.scale);
                set(&lane.offset, &c.imm);
                set(&lane.block_offset, access.block_offset);
                sums(d, &lane.main, &lane.shared, get(&lane.beyond))
            }
        };
        values.check(d);
        values
    }
}

/// Addresses of a lane without address register and constant operand.
fn sums(d: &Dims, main: &Output, shared: &Output, beyond: Expr) -> Addresses {
    let shared = get(shared).bits(0, d.shared);
    Addresses { areg: zero(16), main: get(main), shared, constant: zero(16), next: zero(16), beyond }
}
