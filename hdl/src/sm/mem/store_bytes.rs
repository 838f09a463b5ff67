//! Store bytes: decides which lane stores each byte of a request, one stage before the port.
//!
//! | port        | width            | meaning                                                     |
//! |-------------|------------------|-------------------------------------------------------------|
//! | `req_valid` | 1                | a request waits                                             |
//! | `req`       | `Request::width` | the request, kept until taken                               |
//! | `req_ready` | 1                | it is taken                                                 |
//! | `out_valid` | 1                | a request waits at the port                                 |
//! | `out`       | `Chosen::width`  | the request with a source for each byte of its line         |
//! | `out_ready` | 1                | it is taken                                                 |
//!
//! Timing: one request a cycle, one cycle later, in registers. Reset: nothing waits. Errors: none.
//! Surprise: this is a stage of its own because the choice and the crossbar to the line in one
//!   cycle made a third more logic, not less: the mapper doubles what is late. The crossbar is
//!   selection by a code, not and-or: that is a quarter less logic.

use super::bytes::AccessSize;
use super::choice::{code_bits, ByteSources};
use super::coalescer::{line_bits, Lanes, Request};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

packed! {
    /// A request and, for each byte of its line, the lane it comes from.
    pub struct Chosen(c: &GpuConfig) {
        /// Store, else load.
        write: 1,
        /// Number of the line.
        line: 32 - line_bits(c),
        /// L × 32 data in every place of the lane's word it may go.
        data: 32 * c.lanes,
        /// 4P code of the lane that stores the byte.
        source: 4 * c.port_words * code_bits(c.lanes),
        /// 4P bytes stored; none of a load.
        mask: 4 * c.port_words,
        /// [`Lanes`].
        lanes: Lanes::width(c),
    }
}

block! {
    /// See the module.
    pub struct StoreBytes(cfg: &GpuConfig) {
        in req_valid(1),
        in req(Request::width(cfg)),
        out req_ready(1),
        out out_valid(1),
        out out(Chosen::width(cfg)),
        in out_ready(1),
        reg valid(1),
        data chosen(Chosen::width(cfg)),
        keep _cfg(GpuConfig = cfg.clone()),
    }
}

impl Rtl for StoreBytes {
    fn rtl(&self) {
        let cfg = &self._cfg;
        let n = cfg.lanes;
        let request = Request::unpack(cfg, "request", &get(&self.req));
        let lanes = Lanes::unpack(cfg, "of", &request.lanes);
        let size = AccessSize::of(&lanes.size);
        let offset = lanes.offset.each_word(line_bits(cfg));
        let word: Vec<Expr> = offset.iter().map(|o| o.bits(2, o.width() - 2)).collect();
        let on: Vec<Expr> = lanes.lanes.each_bit().iter().map(|l| l & &request.write).collect();
        let enables: Vec<Expr> = (0..n)
            .map(|i| wire(&format!("enables_{i}"), size.enables(&offset[i].bits(0, 2)) & on[i].repeat(4)))
            .collect();
        let source = |p: usize| {
            let here: Vec<Expr> = word.iter().map(|w| w.is(p as u64)).collect();
            ByteSources::new(&p.to_string(), &here, &enables)
        };
        let sources: Vec<ByteSources> = (0..cfg.port_words).map(source).collect();
        let chosen = Chosen {
            write: request.write,
            line: request.line,
            data: request.data,
            source: pack(sources.iter().flat_map(|s| &s.code)),
            mask: pack(sources.iter().map(|s| &s.any)),
            lanes: request.lanes,
        };
        chosen.check(cfg);

        let free = wire("free", !&get(&self.valid) | get(&self.out_ready));
        when(&free, || {
            set(&self.valid, get(&self.req_valid));
            set(&self.chosen, chosen.pack());
        });
        set(&self.req_ready, &free);
        set(&self.out_valid, get(&self.valid));
        set(&self.out, get(&self.chosen));
    }
}
rtl_block!(StoreBytes, "store_bytes");
