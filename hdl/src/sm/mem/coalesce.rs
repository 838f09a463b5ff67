//! Coalescer: cuts a beat into requests, one for each line its lanes touch.
//!
//! Every cycle the lowest lane still to serve names the line; all waiting lanes of that line go
//! into the request. A line is one word of the memory port: 4P bytes.
//!
//! | port         | width          | meaning                                                    |
//! |--------------|----------------|------------------------------------------------------------|
//! | `beat_valid` | 1              | a beat waits                                               |
//! | `beat`       | `Beat::width`  | the beat, kept until taken                                 |
//! | `beat_taken` | 1              | its last request is formed: show the next beat             |
//! | `req_valid`  | 1              | a request waits                                            |
//! | `req`        | `Request`      | the request; without lanes it asks nothing of the port     |
//! | `req_ready`  | 1              | the request is taken                                       |
//!
//! Timing: one request a cycle; the request is in registers, one cycle after the beat is shown.
//! Reset: nothing waits. Errors: none.

use super::choice::{chosen, first_of};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

/// Bits of a byte offset within a line.
pub fn line_bits(c: &GpuConfig) -> usize {
    clog2(4 * c.port_words)
}

packed! {
    /// Names a store or load to the rest of the SM.
    pub struct Tag(c: &GpuConfig) {
        /// Warp slot.
        warp: clog2(c.warps),
        /// Scoreboard slot.
        slot: 2,
    }
}

packed! {
    /// A beat as the pipeline gives it.
    pub struct Beat(c: &GpuConfig) {
        /// Store, else load.
        write: 1,
        /// 0 u8, 1 s8, 2 u16, 3 s16, 6 32 bits.
        size: 3,
        /// Lanes that access.
        lanes: c.lanes,
        /// [L][32] byte addresses.
        addr: 32 * c.lanes,
        /// [L][32] store data.
        data: 32 * c.lanes,
        /// Register-file entry to load into.
        rf: clog2(c.registers / c.lanes),
        /// [`Tag`].
        tag: Tag::width(c),
        /// Completes the instruction.
        last: 1,
    }
}

packed! {
    /// The lanes of one request.
    pub struct Lanes(c: &GpuConfig) {
        /// 0 u8, 1 s8, 2 u16, 3 s16, 6 32 bits.
        size: 3,
        /// Lanes served; none for an instruction that ends without an access.
        lanes: c.lanes,
        /// [L] byte offsets in the line.
        offset: line_bits(c) * c.lanes,
        /// Register-file entry to load into.
        rf: clog2(c.registers / c.lanes),
        /// [`Tag`].
        tag: Tag::width(c),
        /// The last request of the instruction.
        last: 1,
    }
}

packed! {
    /// One request for a line.
    pub struct Request(c: &GpuConfig) {
        /// Store, else load.
        write: 1,
        /// Number of the line.
        line: 32 - line_bits(c),
        /// [L][32] store data.
        data: 32 * c.lanes,
        /// [`Lanes`].
        lanes: Lanes::width(c),
    }
}

/// See the module.
#[derive(LogicBlock)]
pub struct Coalescer {
    pub beat_valid: Input,
    pub beat: Input,
    pub beat_taken: Output,
    pub req_valid: Output,
    pub req: Output,
    pub req_ready: Input,
    /// Lanes of the beat whose requests are formed.
    served: Reg,
    valid: Reg,
    request: Reg,
    _cfg: GpuConfig,
}

impl Coalescer {
    /// A coalescer for `cfg.lanes` lanes and lines of `cfg.port_words` words.
    pub fn new(cfg: &GpuConfig) -> Self {
        Self {
            beat_valid: Input::new(1),
            beat: Input::new(Beat::width(cfg)),
            beat_taken: Output::new(1),
            req_valid: Output::new(1),
            req: Output::new(Request::width(cfg)),
            req_ready: Input::new(1),
            served: Reg::new(cfg.lanes),
            valid: Reg::new(1),
            request: Reg::data(Request::width(cfg)),
            _cfg: cfg.clone(),
        }
    }
}

impl Rtl for Coalescer {
    fn rtl(&self) {
        let cfg = &self._cfg;
        let (n, low) = (cfg.lanes, line_bits(cfg));
        let beat = Beat::unpack(cfg, "beat", &get(&self.beat));
        let served = get(&self.served);
        let addr = beat.addr.each_word(32);
        let lines: Vec<Ex> = addr.iter().map(|a| a.bits(low, 32 - low)).collect();
        let offsets: Vec<Ex> = addr.iter().map(|a| a.bits(0, low)).collect();

        let waiting = wire("waiting", &beat.lanes & &!&served);
        let leader = wire("leader", first_of(&waiting.each_bit()));
        let line = wire("line", chosen(&leader, &lines));
        let here: Vec<Ex> = lines.iter().map(|l| l.eq(&line)).collect();
        let now = wire("now", &waiting & &pack(here.iter()));
        let rest = wire("rest", (&waiting & &!&now).any());

        let free = wire("free", !&get(&self.valid) | get(&self.req_ready));
        let form = wire("form", &get(&self.beat_valid) & &free);
        when(&free, || set(&self.valid, get(&self.beat_valid)));
        let request = Request {
            write: beat.write,
            line,
            data: beat.data,
            lanes: Lanes {
                size: beat.size,
                lanes: now.clone(),
                offset: pack(offsets.iter()),
                rf: beat.rf,
                tag: beat.tag,
                last: &beat.last & &!&rest,
            }
            .pack(),
        };
        request.check(cfg);
        when(&form, || {
            set(&self.request, request.pack());
            set(&self.served, rest.mux(&(&served | &now), &zero(n)));
        });
        set(&self.beat_taken, &form & &!&rest);
        set(&self.req_valid, get(&self.valid));
        set(&self.req, get(&self.request));
    }
}
rtl_block!(Coalescer, "coalescer");
