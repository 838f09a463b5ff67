//! Coalescer: cuts a beat into requests, one for each line its lanes touch.
//!
//! Every cycle the lowest lane still to serve names the line; all waiting lanes of that line go
//! into the request. A line is one word of the memory port: 4P bytes. Which lane is lowest is known
//! a cycle before: of a new beat it comes with it, of the rest of a beat it is kept.
//!
//! | port         | width          | meaning                                                    |
//! |--------------|----------------|------------------------------------------------------------|
//! | `beat_valid` | 1              | a beat waits                                               |
//! | `beat`       | `Beat::width`  | the beat, kept until taken                                 |
//! | `place`      | `Place::width` | its addresses; from registers                              |
//! | `beat_taken` | 1              | its last request is formed: show the next beat             |
//! | `req_valid`  | 1              | a request waits                                            |
//! | `req`        | `Request`      | the request; without lanes it asks nothing of the port     |
//! | `req_ready`  | 1              | the request is taken                                       |
//!
//! Timing: one request a cycle; the request is in registers, one cycle after the beat is shown.
//! Reset: nothing waits. Errors: none.

use super::choice::{chosen, code_bits, first_of};
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
    /// Where a beat accesses memory.
    pub struct Place(c: &GpuConfig) {
        /// Lanes that access.
        lanes: c.lanes,
        /// Code of the lowest of them.
        leader: code_bits(c.lanes),
        /// [L][32] byte addresses.
        addr: 32 * c.lanes,
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
    pub place: Input,
    pub beat_taken: Output,
    pub req_valid: Output,
    pub req: Output,
    pub req_ready: Input,
    /// The beat shown is a new one: all its lanes wait.
    fresh: Reg,
    /// Of the others: lanes still to serve, and the code of the lowest.
    left: Reg,
    leader: Reg,
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
            place: Input::new(Place::width(cfg)),
            beat_taken: Output::new(1),
            req_valid: Output::new(1),
            req: Output::new(Request::width(cfg)),
            req_ready: Input::new(1),
            fresh: Reg::reset_to(1, 1),
            left: Reg::data(cfg.lanes),
            leader: Reg::data(code_bits(cfg.lanes)),
            valid: Reg::new(1),
            request: Reg::data(Request::width(cfg)),
            _cfg: cfg.clone(),
        }
    }
}

impl Rtl for Coalescer {
    fn rtl(&self) {
        let cfg = &self._cfg;
        let low = line_bits(cfg);
        let beat = Beat::unpack(cfg, "beat", &get(&self.beat));
        let place = Place::unpack(cfg, "place", &get(&self.place));
        let fresh = get(&self.fresh);
        let addr = place.addr.each_word(32);
        let lines: Vec<Ex> = addr.iter().map(|a| a.bits(low, 32 - low)).collect();
        let offsets: Vec<Ex> = addr.iter().map(|a| a.bits(0, low)).collect();

        let waiting = wire("waiting", fresh.mux(&place.lanes, &get(&self.left)));
        let leader = wire("leader", fresh.mux(&place.leader, &get(&self.leader)));
        let line = wire("line", chosen(&leader, &lines));
        let here: Vec<Ex> = lines.iter().map(|l| l.eq(&line)).collect();
        let here = wire("here", pack(here.iter()));
        let now = wire("now", &waiting & &here);
        let left = wire("left_over", &waiting & &!&here);
        let rest = wire("rest", left.any());

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
            set(&self.fresh, !&rest);
            set(&self.left, &left);
            set(&self.leader, first_of(&left.each_bit()));
        });
        set(&self.beat_taken, &form & &!&rest);
        set(&self.req_valid, get(&self.valid));
        set(&self.req, get(&self.request));
    }
}
rtl_block!(Coalescer, "coalescer");
