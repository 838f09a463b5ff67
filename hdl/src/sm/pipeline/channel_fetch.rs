//! Fetch of Ivy Bridge: program memory and 16 bytes from its pc on for each warp.
//!
//! Instructions have 8 or 16 bytes and begin at any multiple of 8. Program memory is two pairs of banks of words of
//! 32 bits: the units of 8 bytes with an even number and those with an odd one. Two units in a row are read at once.
//!
//! | port         | width | meaning                                                     |
//! |--------------|-------|-------------------------------------------------------------|
//! | `fetch_*`    |       | a warp asks for the bytes from a byte address on            |
//! | `fill_*`     |       | next cycle: they are being written into its buffer          |
//! | `sel_warp`   | warp  | whose buffer to read                                        |
//! | `sel_line`   | 128   | its bytes, the first lowest                                 |
//! | `sel_inside` | 2     | units of 8 bytes of them that are part of the program, from the first on: 0 to 2 |
//! | `prog_*`     |       | host writes one 32-bit word of the program                  |
//!
//! Timing: `fill_valid` one cycle after `fetch_valid`; the buffer can be read the cycle after.
//! Reset: none; a warp's buffer is valid only after a fill. Errors: units that do not lie in the program as a whole,
//! and all at an address that is no multiple of 8, are not counted in `sel_inside`; where an instruction has more
//! DEC traps with cause 10.
//! Source: docs/instruction-sets.md, Ivy Bridge.

use super::bundles::{FetchRequest, Line, WarpEvent};
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
        in program_bytes(d.pc),
        part fetch(FetchRequest<Sink>: &d),
        part fill(WarpEvent<Source>: &d),
        in sel_warp(d.warp),
        part sel(Line<Source>: &d),
        in prog_we(1),
        in prog_address(words),
        in prog_data(32),
        reg pending(1),
        data pending_warp(d.warp),
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
        let pc = get(&self.fetch.pc);
        // Behind an odd unit comes the even one of the next row.
        let row = wire("row", pc.bits(4, pc.width() - 4));
        let odd = pc.bit(ALIGN);
        let even_row = wire("even_row", &row + &odd.zext(row.width()));
        let read = |(b, bank): (usize, &Ram)| bank.read(0, if b < BANKS / 2 { &even_row } else { &row });
        let words: Vec<Expr> = self.bank.iter().enumerate().map(read).collect();

        // Units from the address to the end of the program.
        let left = wire("left", &get(&self.program_bytes).zext(pc.width() + 1) - &pc.zext(pc.width() + 1));
        let none = wire("none", left.msb() | pc.bits(0, ALIGN).any());
        let units = left.bits(ALIGN, left.width() - ALIGN);
        let many = units.bits(1, units.width() - 1).any();
        let inside = cat([&many, &(!&many & units.bit(0))]);
        set(&self.pending_inside, inside & (!none).repeat(2));
        set(&self.pending, get(&self.fetch.valid));
        set(&self.pending_warp, get(&self.fetch.warp));
        set(&self.pending_odd, odd);

        let (valid, warp) = (get(&self.pending), get(&self.pending_warp));
        let from = |first: usize| pack((0..BANKS).map(|i| &words[(first + i) % BANKS]).collect::<Vec<_>>().into_iter());
        let line = get(&self.pending_odd).mux(&from(BANKS / 2), &from(0));
        self.buffer.write(&warp, &cat([&get(&self.pending_inside), &line]), &valid);
        set(&self.fill.valid, valid);
        set(&self.fill.warp, warp);
        let held = self.buffer.read(0, &get(&self.sel_warp)).called("held");
        set(&self.sel.line, held.bits(0, LINE));
        set(&self.sel.inside, held.bits(LINE, 2));

        let (address, data) = (get(&self.prog_address), get(&self.prog_data));
        let we = get(&self.prog_we);
        for (b, bank) in self.bank.iter().enumerate() {
            let here = &we & &address.bits(0, 2).is(b as u64);
            bank.write(&address.bits(2, address.width() - 2), &data, &here);
        }
    }
}

rtl_block!(ChannelFetch, "channel_fetch");
