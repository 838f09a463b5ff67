//! Line bytes: puts the line of a store together, one lane a cycle; for a serial load/store unit.
//!
//! | port        | width            | meaning                                                     |
//! |-------------|------------------|-------------------------------------------------------------|
//! | `req_valid` | 1                | a request waits                                             |
//! | `req`       | `Request::width` | the request, kept until taken                               |
//! | `req_ready` | 1                | it is taken: its last lane is put                           |
//! | `out_valid` | 1                | a request waits at the port                                 |
//! | `out`       | `Line::width`    | the request with its line                                   |
//! | `out_ready` | 1                | it is taken                                                 |
//!
//! Timing: a store takes a cycle for each of its lanes, anything else one; in registers behind it.
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
        /// Lanes of the request that are put.
        reg put(cfg.lanes),
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
        let more = wire("more", &request.write & &two_of(&waiting.each_bit()));

        let free = wire("free", !&get(&self.valid) | get(&self.out_ready));
        let works = wire("works", &free & get(&self.req_valid));
        when(&free, || {
            set(&self.valid, get(&self.req_valid) & !&more);
        });
        let offset = chosen(&lane, &lanes.offset.each_word(line_bits(cfg)));
        let offset = wire("offset", offset);
        let size = AccessSize::of(&lanes.size);
        let on = wire("stores", &request.write & &waiting.any());
        let enables = size.enables(&offset.bits(0, 2)) & on.repeat(4);
        let enables = wire("enables", enables);
        let word = offset.bits(2, offset.width() - 2);
        let here: Vec<Expr> = (0..cfg.port_words).map(|p| &enables & &word.is(p as u64).repeat(4)).collect();
        let here = wire("here", pack(here.iter()));
        let data = wire("word", chosen(&lane, &request.data.each_word(32)));
        when(&works, || {
            set(&self.write, &request.write);
            set(&self.line, &request.line);
            set(&self.lanes, &request.lanes);
            let kept = get(&self.mask) & put.any().repeat(4 * cfg.port_words);
            set(&self.mask, &here | &kept);
            set(&self.put, more.mux(&(&put | &hot), &zero(n)));
        });
        for (k, byte) in self.byte.iter().enumerate() {
            let on = &works & &here.bit(k);
            when(&on, || set(byte, data.bits(8 * (k % 4), 8)));
        }
        set(&self.req_ready, &free & &!&more);
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
