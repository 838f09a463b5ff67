//! Fetch of G13: program memory and 12 bytes from its pc on for each warp.
//!
//! Instructions have 2 to 12 bytes and begin at any even address. Program memory is four banks of words of 32
//! bits: four words in a row are read at once, from any word on, and hold 12 bytes from either half of the first.
//!
//! | port         | width | meaning                                                     |
//! |--------------|-------|-------------------------------------------------------------|
//! | `fetch_*`    |       | a warp asks for the bytes from a byte address on            |
//! | `sel_warp`   | warp  | whose buffer to read                                        |
//! | `sel_line`   | 96    | its bytes, the first lowest                                 |
//! | `sel_inside` | 3     | halfwords of them that are part of the program, from the first on |
//! | `prog_*`     |       | host writes one 32-bit word of the program                  |
//!
//! Timing: the buffer can be read two cycles after `fetch_valid`.
//! Reset: none; a warp's buffer is valid only after a request. Errors: bytes outside the program, and all at an odd
//! address, are not counted in `sel_inside`; where an instruction has more halfwords DEC traps with cause 10.
//! Source: docs/instruction-sets.md, G13.

use super::fetch::FetchPorts;
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
        part ports(FetchPorts: &d, words),
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
        let pc = get(&self.ports.fetch.pc);
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
        let left = self.ports.left(&pc);
        let none = wire("none", left.msb() | pc.bit(0));
        let halfwords = left.bits(1, left.width() - 1);
        let many = halfwords.bits(3, halfwords.width() - 3).any() | halfwords.bits(1, 2).all();
        let inside = many.mux(&lit(3, 6), &halfwords.bits(0, 3));
        set(&self.pending_inside, inside & (!none).repeat(3));

        let place = get(&self.pending_place);
        let from = |first: usize| {
            let in_a_row = (0..BANKS).map(|i| &words[(first + i) % BANKS]);
            pack(in_a_row.collect::<Vec<_>>().into_iter())
        };
        let starts: Vec<Expr> = (0..BANKS).map(from).collect();
        let window = wire("window", select(&place.bits(1, 2), &starts));
        let line = place.bit(0).mux(&window.bits(16, LINE), &window.bits(0, LINE));
        self.ports.through(&self.buffer, &self.pending_inside, &line);
        set(&self.pending_place, pc.bits(1, 3));
        self.ports.load(&self.bank);
    }
}

rtl_block!(G13Fetch, "g13_fetch");
