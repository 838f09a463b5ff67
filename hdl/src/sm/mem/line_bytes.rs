//! Line bytes: puts the line of a store together, one lane a cycle; for a serial load/store unit.
//!
//! | port        | width            | meaning                                                     |
//! |-------------|------------------|-------------------------------------------------------------|
//! | `req_valid` | 1                | a request waits                                             |
//! | `req`       | `Request::width` | the request, kept until taken                               |
//! | `req_ready` | 1                | it is taken: of a store all lanes are picked                |
//! | `pending`   | 1                | a lane of a store is about to be put                        |
//! | `out_valid` | 1                | a request waits at the port                                 |
//! | `out`       | `Line::width`    | the request with its line                                   |
//! | `out_ready` | 1                | it is taken                                                 |
//!
//! Timing: a store takes a cycle for each of its lanes, two at least, and its line is complete two cycles after the last lane is
//!   picked. Anything else takes one, and is in registers in the next.
//! Stores of several lanes to one byte: lanes are put from the lowest, so the highest wins.
//! Reset: nothing waits. Errors: none.
//! Surprise: a line is its bytes' registers, all offered the same word; there is no crossbar.

use super::bytes::AccessSize;
use super::choice::{chosen, first_of};
use super::coalescer::{line_bits, Lanes, Request};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

packed! {
    /// A request as the port has it.
    pub struct Line(c: &GpuConfig) {
        /// Store, else load.
        write: 1,
        /// Number of the line.
        line: 32 - line_bits(c),
        /// [`Lanes`].
        lanes: Lanes::width(c),
        /// Bytes stored; none of a load.
        mask: 4 * c.port_words,
        /// The line to store.
        data: 32 * c.port_words,
    }
}

block! {
    /// See the module.
    pub struct LineBytes(cfg: &GpuConfig) {
        in req_valid(1),
        in req(Request::width(cfg)),
        out req_ready(1),
        out pending(1),
        out out_valid(1),
        out out(Line::width(cfg)),
        in out_ready(1),
        reg valid(1),
        data write(1),
        data line(32 - line_bits(cfg)),
        data lanes(Lanes::width(cfg)),
        data mask(bytes),
        /// Bytes of the line.
        data byte([bytes] 8),
        /// Lanes of the store that are picked; one is left; none is, and the next store waits.
        reg put(cfg.lanes),
        reg one_left(1),
        reg spent(1),
        /// The lane that is put next: there is one, it is the first or last, its word of the line, bytes of it, and data.
        reg picked(1),
        data picked_first(1),
        data picked_last(1),
        data picked_word(line_bits(cfg) - 2),
        data picked_bytes(4),
        data picked_data(32),
        keep _cfg(GpuConfig = cfg.clone()),
    } where {
        let bytes = 4 * cfg.port_words;
    }
}

impl Rtl for LineBytes {
    fn rtl(&self) {
        let cfg = &self._cfg;
        let n = cfg.lanes;
        let request = Request::unpack(cfg, "request", &get(&self.req));
        let lanes = Lanes::unpack(cfg, "of", &request.lanes);
        let put = get(&self.put);
        let waiting = wire("waiting", &lanes.lanes & &!&put);
        let lane = wire("lane", first_of(&waiting.each_bit()));
        let hot = wire("hot", lowest_one_hot(&waiting));
        let rest = wire("rest", &waiting & !&hot);
        let more = wire("more", two_of(&waiting.each_bit()));

        // A lane is picked in one cycle and put in the next: each alone is a long path. That the one picked is the last is
        // seen a cycle ahead, or, of a store of one lane, a cycle later.
        let free = wire("free", !&get(&self.valid) | get(&self.out_ready));
        let (picked, spent) = (get(&self.picked), get(&self.spent));
        let puts = wire("puts", &free & &picked);
        let stores = wire("stores", get(&self.req_valid) & &request.write);
        let picks = wire("picks", all_of(&[stores, !&spent, !&picked | &puts]));
        let offset = chosen(&lane, &lanes.offset.each_word(line_bits(cfg)));
        let offset = wire("offset", offset);
        let size = AccessSize::of(&lanes.size);
        let bytes = size.enables(&offset.bits(0, 2)) & waiting.any().repeat(4);
        // `picks`, shortened: a store with one lane left is there and not spent.
        let last = wire("last", get(&self.one_left) & (!&picked | &free));
        let stored = wire("stored", &last | &(&spent & &puts));
        set(&self.picked, &picks | &(&picked & !&puts));
        set(&self.spent, all_of(&[picks.clone(), !&more, !&last]) | (&spent & !&puts));
        when(&picks, || {
            set(&self.put, &put | &hot);
            set(&self.one_left, rest.any() & !two_of(&rest.each_bit()));
            set(&self.picked_first, !put.any());
            set(&self.picked_last, !&more);
            set(&self.picked_word, offset.bits(2, offset.width() - 2));
            set(&self.picked_bytes, wire("enables", bytes));
            set(&self.picked_data, wire("word", chosen(&lane, &request.data.each_word(32))));
        });
        when(&stored, || set(&self.put, zero(n)));

        let loads = wire("loads", all_of(&[free.clone(), get(&self.req_valid), !&request.write, !&picked]));
        when(&free, || set(&self.valid, &loads | &(&puts & get(&self.picked_last))));
        when(&(&loads | &stored), || {
            set(&self.write, &request.write);
            set(&self.line, &request.line);
            set(&self.lanes, &request.lanes);
        });
        let (word, bytes) = (get(&self.picked_word), get(&self.picked_bytes) & puts.repeat(4));
        let here: Vec<Expr> = (0..cfg.port_words).map(|p| &bytes & word.is(p as u64).repeat(4)).collect();
        let here = wire("here", pack(here.iter()));
        let starts = wire("starts", &loads | &(&puts & get(&self.picked_first)));
        set(&self.mask, &here | &(get(&self.mask) & !starts.repeat(4 * cfg.port_words)));
        let data = get(&self.picked_data);
        for (k, byte) in self.byte.iter().enumerate() {
            when(&here.bit(k), || set(byte, data.bits(8 * (k % 4), 8)));
        }
        set(&self.req_ready, stored | (free & !&request.write & !&picked));
        set(&self.pending, picked);
        set(&self.out_valid, get(&self.valid));
        let line = Line {
            write: get(&self.write),
            line: get(&self.line),
            lanes: get(&self.lanes),
            mask: get(&self.mask),
            data: pack(get_all(&self.byte).iter()),
        };
        line.check(cfg);
        set(&self.out, line.pack());
    }
}
rtl_block!(LineBytes, "line_bytes");
