//! Fetch of G13: program memory and 12 bytes from its pc on for each warp.
//!
//! Instructions have 2 to 12 bytes and begin at any even address. Program memory is four banks of words of 32
//! bits: four words in a row are read at once, from any word on, and hold 12 bytes from either half of the first.
//!
//! | port         | width | meaning                                                     |
//! |--------------|-------|-------------------------------------------------------------|
//! | `fetch_*`    |       | a warp asks for the bytes from a byte address on            |
//! | `fill_*`     |       | next cycle: they are being written into its buffer          |
//! | `sel_warp`   | warp  | whose buffer to read                                        |
//! | `sel_line`   | 96    | its bytes, the first lowest                                 |
//! | `sel_inside` | 3     | halfwords of them that are part of the program, from the first on |
//! | `prog_*`     |       | host writes one 32-bit word of the program                  |
//!
//! Timing: `fill_valid` one cycle after `fetch_valid`; the buffer can be read the cycle after.
//! Reset: none; a warp's buffer is valid only after a fill. Errors: bytes outside the program, and all at an odd
//! address, are not counted in `sel_inside`; where an instruction has more halfwords DEC traps with cause 10.
//! Source: docs/instruction-sets.md, G13.

use super::bundles::{FetchRequest, Line, WarpEvent};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

/// Bits of the longest instruction.
const LINE: usize = 96;
/// Words of 32 bits that are read at once.
const BANKS: usize = 4;

block! {
    /// See the module.
    pub struct G13Fetch(cfg: &GpuConfig) {
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
        /// Bits 3:1 of the address: bank of the first word, and which half of it comes first.
        data pending_place(3),
        data pending_inside(3),
        part bank([BANKS] Ram: RamKind::Block, cfg.program_bytes / 16, 32, 1),
        part buffer(Ram: RamKind::Lut, d.warps, LINE + 3, 1),
    } where {
        let d = Dims::of(cfg);
        let words = clog2(cfg.program_bytes / 4);
    }
}

impl Rtl for G13Fetch {
    fn rtl(&self) {
        let pc = get(&self.fetch.pc);
        // The word of a bank that is one of the four from the first on.
        let row = wire("row", pc.bits(4, pc.width() - 4));
        let first = wire("first_bank", pc.bits(2, 2));
        let next = wire("next_row", &row + &lit(row.width(), 1));
        let read = |(b, bank): (usize, &Ram)| {
            // Of the last bank it is always the word of this row.
            let at = match b + 1 {
                BANKS => row.clone(),
                _ => first.gt(&lit(2, b as u64)).mux(&next, &row),
            };
            bank.read(0, &at)
        };
        let words: Vec<Expr> = self.bank.iter().enumerate().map(read).collect();

        // Halfwords from the address to the end of the program.
        let left = wire("left", &get(&self.program_bytes).zext(pc.width() + 1) - &pc.zext(pc.width() + 1));
        let none = wire("none", left.msb() | pc.bit(0));
        let halfwords = left.bits(1, left.width() - 1);
        let many = halfwords.bits(3, halfwords.width() - 3).any() | halfwords.bits(1, 2).all();
        let inside = many.mux(&lit(3, 6), &halfwords.bits(0, 3));
        set(&self.pending_inside, inside & (!none).repeat(3));
        set(&self.pending, get(&self.fetch.valid));
        set(&self.pending_warp, get(&self.fetch.warp));
        set(&self.pending_place, pc.bits(1, 3));

        let (valid, warp) = (get(&self.pending), get(&self.pending_warp));
        let place = get(&self.pending_place);
        let from = |first: usize| {
            let in_a_row = (0..BANKS).map(|i| &words[(first + i) % BANKS]);
            pack(in_a_row.collect::<Vec<_>>().into_iter())
        };
        let starts: Vec<Expr> = (0..BANKS).map(from).collect();
        let window = wire("window", select(&place.bits(1, 2), &starts));
        let line = place.bit(0).mux(&window.bits(16, LINE), &window.bits(0, LINE));
        self.buffer.write(&warp, &cat([&get(&self.pending_inside), &line]), &valid);
        set(&self.fill.valid, valid);
        set(&self.fill.warp, warp);
        let held = self.buffer.read(0, &get(&self.sel_warp)).called("held");
        set(&self.sel.line, held.bits(0, LINE));
        set(&self.sel.inside, held.bits(LINE, 3));

        let (address, data) = (get(&self.prog_address), get(&self.prog_data));
        let we = get(&self.prog_we);
        for (b, bank) in self.bank.iter().enumerate() {
            let here = &we & &address.bits(0, 2).is(b as u64);
            bank.write(&address.bits(2, address.width() - 2), &data, &here);
        }
    }
}

rtl_block!(G13Fetch, "g13_fetch");
