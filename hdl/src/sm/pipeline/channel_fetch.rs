//! Fetch of Ivy Bridge: program memory and 16 bytes from its pc on for each warp.
//!
//! Instructions have 8 or 16 bytes and begin at any multiple of 8. Program memory is two pairs of banks of words of
//! 32 bits: the units of 8 bytes with an even number and those with an odd one. Two units in a row are read at once.
//!
//! | port         | width | meaning                                                     |
//! |--------------|-------|-------------------------------------------------------------|
//! | `fetch_*`    |       | a warp asks for the bytes from a byte address on            |
//! | `sel_warp`   | warp  | whose buffer to read                                        |
//! | `sel_line`   | 128   | its bytes, the first lowest                                 |
//! | `sel_inside` | 2     | units of 8 bytes of them that are part of the program, from the first on: 0 to 2 |
//! | `prog_*`     |       | host writes one 32-bit word of the program                  |
//!
//! Timing: the buffer can be read two cycles after `fetch_valid`.
//! Reset: none; a warp's buffer is valid only after a request. Errors: units that do not lie in the program as a whole,
//! and all at an address that is no multiple of 8, are not counted in `sel_inside`; where an instruction has more
//! DEC traps with cause 10.
//! Source: docs/instruction-sets.md, Ivy Bridge.

use super::fetch::FetchPorts;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::ivb::ALIGN;
use crate::sm::dims::Dims;

/// Bits of a unit.
const UNIT: usize = 64;
/// Bits of the longest instruction.
const LINE: usize = 2 * UNIT;
/// Words of 32 bits that are read at once.
const BANKS: usize = 4;

block! {
    /// See the module.
    pub struct ChannelFetch(cfg: &GpuConfig) {
        part ports(FetchPorts: &d, words),
        /// The first unit is one of the odd ones.
        data pending_odd(1),
        data pending_inside(2),
        part bank([BANKS] Ram: RamKind::Block, cfg.program_bytes / 16, 32, 1),
        part buffer(Ram: RamKind::Lut, d.warps, LINE + 2, 1),
    } where {
        let d = Dims::of(cfg);
        let words = clog2(cfg.program_bytes / 4);
    }
}

impl Rtl for ChannelFetch {
    fn rtl(&self) {
        let pc = get(&self.ports.fetch.pc);
        // Behind an odd unit comes the even one of the next row.
        let row = wire("row", pc.bits(4, pc.width() - 4));
        let odd = pc.bit(ALIGN);
        let even_row = wire("even_row", &row + &odd.zext(row.width()));
        let read = |(b, bank): (usize, &Ram)| bank.read(0, if b < BANKS / 2 { &even_row } else { &row });
        let words: Vec<Expr> = self.bank.iter().enumerate().map(read).collect();

        // Units from the address to the end of the program.
        let left = self.ports.left(&pc);
        let none = wire("none", left.msb() | pc.bits(0, ALIGN).any());
        let units = left.bits(ALIGN, left.width() - ALIGN);
        let many = units.bits(1, units.width() - 1).any();
        let inside = cat([&many, &(!&many & units.bit(0))]);
        set(&self.pending_inside, inside & (!none).repeat(2));

        let from = |first: usize| pack((0..BANKS).map(|i| &words[(first + i) % BANKS]).collect::<Vec<_>>().into_iter());
        let line = get(&self.pending_odd).mux(&from(BANKS / 2), &from(0));
        self.ports.through(&self.buffer, &self.pending_inside, &line);
        set(&self.pending_odd, odd);
        self.ports.load(&self.bank);
    }
}

rtl_block!(ChannelFetch, "channel_fetch");
