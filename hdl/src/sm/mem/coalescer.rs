//! Coalescer: cuts a beat into requests, one for each line its lanes touch.
//!
//! Every cycle the lowest lane still to serve names the line; all waiting lanes of that line go
//! into the request. A line is one word of the memory port: 4P bytes. The line of a request and the
//! lanes in it are found a cycle ahead, while the request before it stands: of a new beat its lowest
//! lane comes with it, of the rest of a beat it is looked for.
//!
//! | port         | width          | meaning                                                    |
//! |--------------|----------------|------------------------------------------------------------|
//! | `beat_valid` | 1              | a beat waits                                               |
//! | `beat`       | `Beat::width`  | the beat, kept until taken                                 |
//! | `place`      | `Place::width` | its addresses; from registers                              |
//! | `beat_taken` | 1              | it stands in registers: show the next beat                 |
//! | `req_valid`  | 1              | a request waits                                            |
//! | `req`        | `Request`      | the request; without lanes it asks nothing of the port     |
//! | `req_ready`  | 1              | the request is taken                                       |
//!
//! Timing: one request a cycle; the first comes one cycle after the beat is shown. Which lanes a
//! request serves, and whether it is the last, are a table or two behind registers.
//! Reset: nothing waits. Errors: none.

use super::choice::{chosen, code_bits, first_of};
use super::format::{conversion, Conversion};
use super::operation::Operation;
use super::pack::Pack;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

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
        /// L × 32 store data.
        data: 32 * c.lanes,
        /// Register-file entry to load into.
        rf: Dims::of(c).load_entry(),
        /// [`Tag`].
        tag: Tag::width(c),
        /// Completes the instruction.
        last: 1,
        /// [`Conversion`], on a chip that converts.
        format: conversion(&Dims::of(c)),
        /// [`Operation`], and L × 32 words that an exchange compares with; on a chip with atomic accesses.
        operation: Dims::of(c).has.atomics.bits(Operation::width(())),
        compare: Dims::of(c).has.atomics.bits(32 * c.lanes),
    }
}

packed! {
    /// Where a beat accesses memory.
    pub struct Place(c: &GpuConfig) {
        /// Lanes that access.
        lanes: c.lanes,
        /// Code of the lowest of them.
        leader: code_bits(c.lanes),
        /// L × 32 byte addresses.
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
        /// L byte offsets in the line.
        offset: line_bits(c) * c.lanes,
        /// Register-file entry to load into.
        rf: Dims::of(c).load_entry(),
        /// [`Tag`].
        tag: Tag::width(c),
        /// The last request of the instruction.
        last: 1,
        /// [`Conversion`], on a chip that converts.
        format: conversion(&Dims::of(c)),
    }
}

packed! {
    /// One request for a line.
    pub struct Request(c: &GpuConfig) {
        /// Store, else load.
        write: 1,
        /// Number of the line.
        line: 32 - line_bits(c),
        /// L × 32 store data.
        data: 32 * c.lanes,
        /// [`Lanes`].
        lanes: Lanes::width(c),
        /// It is not there yet: its data are being converted; on a chip that converts.
        packs: Dims::of(c).has.formats.bits(1),
        /// [`Operation`], and L × 32 words that an exchange compares with; on a chip with atomic accesses.
        operation: Dims::of(c).has.atomics.bits(Operation::width(())),
        compare: Dims::of(c).has.atomics.bits(32 * c.lanes),
    }
}

block! {
    /// See the module.
    pub struct Coalescer(cfg: &GpuConfig) {
        in beat_valid(1),
        in beat(Beat::width(cfg)),
        in place(Place::width(cfg)),
        out beat_taken(1),
        out req_valid(1),
        out req(Request::width(cfg)),
        in req_ready(1),
        reg valid(1),
        /// The beat whose requests are asked, and its addresses.
        data kept(Beat::width(cfg)),
        data addr(32 * cfg.lanes),
        /// Its lanes that no request before served, the line of this one, and the lanes with an address in it.
        data waiting(cfg.lanes),
        data line(32 - line_bits(cfg)),
        data here(cfg.lanes),
        /// Converts the data of a store before it is asked for, of G13, a lane after the other: how many are done, and the
        /// cycles of this one.
        part packer(if d.has.formats; Pack:),
        reg packed_lanes(if d.has.formats; clog2(cfg.lanes) + 1),
        reg phase(if d.has.formats; 5),
        keep _cfg(GpuConfig = cfg.clone()),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Coalescer {
    /// Converts the data of the beat, which goes round by a lane when one is converted. Returns "not all are", and "it is
    /// converted and asks for nothing": the packer keeps floats of an element until the last ones come.
    fn pack(&self, beat: &Beat, valid: &Expr) -> Option<(Expr, Expr)> {
        let (packer, packed, phase) = (self.packer.get()?, self.packed_lanes.get()?, self.phase.get()?);
        let lanes = self._cfg.lanes;
        let how = Conversion::unpack((), "packed", &beat.format);
        let converts = all_of(&[valid.clone(), beat.write.clone(), how.code.any()]);
        let converts = wire("converts", converts & !get(packed).bit(clog2(lanes)));
        let data = beat.data.each_word(32);
        set(&packer.value, &data[0]);
        set(&packer.how, &beat.format);
        // The low bits of an entry are its beat; those of a store go by.
        let d = Dims::of(&self._cfg);
        let lane = get(packed).bits(0, clog2(lanes));
        set(&packer.thread, d.with_beat_high(&beat.rf.bits(0, clog2(d.beats)), &lane));
        set(&packer.phase, get(phase));
        let done = wire("lane_packed", &converts & &get(&packer.last));
        let goes_on = &converts & &!&done;
        set(phase, (get(phase) + lit(5, 1)) & goes_on.repeat(5));
        let turned = data.iter().skip(1).cloned().chain([get(&packer.result)]).collect::<Vec<_>>();
        when(&done, || {
            let beat = Beat { data: pack(turned.iter()), ..beat.clone() };
            set(&self.kept, beat.pack());
            set(packed, get(packed) + lit(clog2(lanes) + 1, 1));
        });
        let waits = all_of(&[valid.clone(), beat.write.clone(), Conversion::is_several(&how.code), !how.is_last()]);
        Some((converts.clone(), wire("only_kept", waits & !&converts)))
    }
}

impl Rtl for Coalescer {
    fn rtl(&self) {
        let cfg = &self._cfg;
        let low = line_bits(cfg);
        let place = Place::unpack(cfg, "place", &get(&self.place));
        let beat = Beat::unpack(cfg, "kept", &get(&self.kept));
        let lines_of = |addr: &Expr| -> Vec<Expr> {
            let words = addr.each_word(32);
            words.iter().map(|a| a.bits(low, 32 - low)).collect()
        };
        let (valid, addr) = (get(&self.valid), get(&self.addr));
        let (waiting, here) = (get(&self.waiting), get(&self.here));
        let now = wire("now", &waiting & &here);
        let left = wire("left_over", &waiting & &!&here);
        let rest = wire("rest", left.any());

        let (packs, kept) = self.pack(&beat, &valid).unzip();
        // What comes next: the rest of this beat, or the beat shown.
        let more = &valid & &rest;
        let more = wire("more", kept.as_ref().map_or(more.clone(), |kept| &more & &!kept));
        // Which of the two comes late: both are worked out.
        let of = |name: &str, leader: &Expr, addr: &Expr| {
            let lines = lines_of(addr);
            let line = wire(&format!("line_of_{name}"), chosen(leader, &lines));
            let here: Vec<Expr> = lines.iter().map(|l| l.eq(&line)).collect();
            (wire(&format!("here_of_{name}"), pack(here.iter())), line)
        };
        let rest_leader = wire("rest_leader", first_of(&left.each_bit()));
        let (rest_here, rest_line) = of("rest", &rest_leader, &addr);
        let (shown_here, shown_line) = of("shown", &place.leader, &place.addr);

        let goes = match (&packs, &kept) {
            (Some(packs), Some(kept)) => (get(&self.req_ready) & !packs) | kept,
            _ => get(&self.req_ready),
        };
        let free = wire("free", !&valid | goes);
        let take = wire("take", &free & &!&more);
        when(&free, || {
            set(&self.valid, &more | get(&self.beat_valid));
            set(&self.waiting, more.mux(&left, &place.lanes));
            set(&self.line, more.mux(&rest_line, &shown_line));
            set(&self.here, more.mux(&rest_here, &shown_here));
        });
        when(&take, || {
            set(&self.kept, get(&self.beat));
            set(&self.addr, &place.addr);
            if let Some(packed) = self.packed_lanes.get() {
                set(packed, zero(clog2(cfg.lanes) + 1));
            }
        });
        let offsets: Vec<Expr> = addr.each_word(32).iter().map(|a| a.bits(0, low)).collect();
        let not_there = packs.zip(kept).map(|(packs, kept)| packs | kept);
        let request = Request {
            write: beat.write,
            line: get(&self.line),
            data: beat.data,
            lanes: Lanes {
                size: beat.size,
                lanes: now,
                offset: pack(offsets.iter()),
                rf: beat.rf,
                tag: beat.tag,
                last: &beat.last & &!&rest,
                format: beat.format,
            }
            .pack(),
            packs: not_there.clone().unwrap_or_else(nothing),
            operation: beat.operation,
            compare: beat.compare,
        };
        request.check(cfg);
        set(&self.beat_taken, &take & get(&self.beat_valid));
        set(&self.req_valid, not_there.map_or(valid.clone(), |not| &valid & &!not));
        set(&self.req, request.pack());
    }
}
rtl_block!(Coalescer, "coalescer");
