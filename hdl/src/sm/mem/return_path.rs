//! Return path of loads: matches read data with the lanes that asked, and writes registers.
//!
//! | port         | width          | meaning                                                     |
//! |--------------|----------------|-------------------------------------------------------------|
//! | `ask_valid`  | 1              | a load request is accepted by the port, or asks nothing     |
//! | `ask`        | `Lanes::width` | its lanes                                                   |
//! | `ask_ready`  | 1              | its data has a place (from registers only)                  |
//! | `mem_rvalid` | 1              | read data, in request order; always taken                   |
//! | `mem_rdata`  | 32P            | the line                                                    |
//! | `wb_valid`   | 1              | a register write; kept until `wb_ready`                     |
//! | `wb_ready`   | 1              | the register file takes it; also waited for without a write |
//! | `wb_rf`      | log2 entries   | entry of the register file of each lane                     |
//! | `wb_mask`    | L              | lanes that write                                            |
//! | `wb_data`    | [L][32]        | values, extended to 32 bits; undefined in other lanes       |
//! | `wb_tag`     | `Tag::width`   | warp and scoreboard slot                                    |
//! | `done`       | 1              | the load with `wb_tag` is complete in this cycle            |
//! | `idle`       | 1              | nothing asked or waiting                                    |
//!
//! Timing: `wb_valid` two cycles after `mem_rvalid` at the earliest; one write a cycle, in a serial
//!   unit one for as many cycles as it has lanes. There are `reads_in_flight` places for requests and
//!   as many for lines, so a line always has one.
//! Structure: both queues end in registers, and in a serial unit which lane is served in a cycle is
//!   found in the one before: a value is selected by registers.
//! Reset: nothing asked. Errors: none; read data nobody asked for is the chip's bug.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use super::choice::{chosen, first_of};
use super::coalescer::{line_bits, Lanes, Tag};
use super::format::{conversion, Conversion};
use super::front_fifo::FrontFifo;
use super::unpack::Unpack;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

packed! {
    /// The lane that a serial unit serves in a cycle.
    pub struct Turn(c: &GpuConfig) {
        /// A bit for each lane; none where none waits.
        lane: c.lanes,
        /// Its byte offset in the line.
        offset: line_bits(c),
        /// No other lane waits.
        last: 1,
    }
}

impl Turn {
    /// The turn of the lowest of the lanes that are `waiting`.
    fn of(name: &str, c: &GpuConfig, waiting: &Expr, offsets: &[Expr]) -> Self {
        let lanes = waiting.each_bit();
        let code = wire(&format!("{name}_code"), first_of(&lanes));
        let turn = Self { lane: lowest_one_hot(waiting), offset: chosen(&code, offsets), last: !two_of(&lanes) };
        turn.check(c);
        turn
    }
}

block! {
    /// See the module.
    pub struct ReturnPath(cfg: &GpuConfig) {
        in ask_valid(1),
        in ask(Lanes::width(cfg)),
        out ask_ready(1),
        in mem_rvalid(1),
        in mem_rdata(32 * cfg.port_words),
        out wb_valid(1),
        in wb_ready(1),
        out wb_rf(rf),
        out wb_mask(cfg.lanes),
        out wb_data([cfg.lanes] 32),
        out wb_tag(Tag::width(cfg)),
        out done(1),
        out idle(1),
        /// Lanes that asked; in a serial unit the present [`Turn`] above them.
        part asked(FrontFifo: cfg.reads_in_flight, Lanes::width(cfg) + turn, turn),
        part lines(FrontFifo: cfg.reads_in_flight, 32 * cfg.port_words, 0),
        reg valid(1),
        data writes(1),
        data last(1),
        data rf(rf),
        data mask(cfg.lanes),
        data tag(Tag::width(cfg)),
        data data([cfg.lanes] 32),
        /// Of a serial unit: lanes of the oldest request whose values are taken.
        reg served(if cfg.lsu_serial; cfg.lanes),
        /// Converts what is loaded where it waits for the register file, of G13: how, the cycles it has taken, two for each
        /// lane.
        part unpacker(if d.has.formats; Unpack:),
        data format(if d.has.formats; conversion(&d)),
        reg unpacked(if d.has.formats; clog2(cfg.lanes) + 2),
        keep _cfg(GpuConfig = cfg.clone()),
    } where {
        let d = Dims::of(cfg);
        let rf = d.load_entry();
        let turn = cfg.lsu_serial.bits(Turn::width(cfg));
    }
}

/// The value a lane loads: from `line`, at byte `offset`, extended as `size` (3 bits) says.
fn load_value(line: &Expr, offset: &Expr, size: &Expr) -> Expr {
    let word = line.word_at(&offset.bits(2, offset.width() - 2), 32).called("word").each_word(8);
    let (signed, half, full) = (size.bit(0), size.bit(1), size.bit(2));
    let low = offset.bit(1).mux(&offset.bit(0).mux(&word[3], &word[2]), &offset.bit(0).mux(&word[1], &word[0]));
    let low = low.called("low");
    let high = offset.bit(1).mux(&word[3], &word[1]).called("high");
    // Bit 1 is set for 32 bits as well: such a word takes its upper half as it is.
    let sign = (&signed & &half.mux(&high.bit(7), &low.bit(7))).called("sign");
    let fill = sign.repeat(8);
    let bytes = [low, half.mux(&high, &fill), full.mux(&word[2], &fill), full.mux(&word[3], &fill)];
    pack(bytes.iter())
}

impl ReturnPath {
    /// Converts what is loaded, which goes round by a lane when one is converted. Returns "not all are".
    fn unpack(&self, valid: &Expr, writes: &Expr) -> Option<Expr> {
        let (unpacker, format, unpacked) = (self.unpacker.get()?, self.format.get()?, self.unpacked.get()?);
        let how = Conversion::unpack((), "unpacked", &get(format));
        let count = get(unpacked);
        let converts = all_of(&[valid.clone(), writes.clone(), how.code.any(), !count.msb()]);
        let converts = wire("converts", converts);
        set(&unpacker.value, get(&self.data[0]));
        set(&unpacker.how, get(format));
        when(&converts, || set(unpacked, &count + &lit(count.width(), 1)));
        let done = wire("lane_unpacked", &converts & &count.bit(0));
        when(&done, || {
            for (i, data) in self.data.iter().enumerate() {
                let next = self.data.get(i + 1).map_or_else(|| get(&unpacker.result), get);
                set(data, next);
            }
        });
        Some(converts)
    }
}

impl Rtl for ReturnPath {
    fn rtl(&self) {
        let cfg = &self._cfg;
        set(&self.asked.in_valid, get(&self.ask_valid));
        let ask = get(&self.ask);
        let entering = match self.served.get() {
            None => ask,
            Some(_) => {
                let lanes = Lanes::unpack(cfg, "asking", &ask);
                let offsets = lanes.offset.each_word(line_bits(cfg));
                cat([&Turn::of("first", cfg, &lanes.lanes, &offsets).pack(), &ask])
            }
        };
        set(&self.asked.in_data, entering);
        set(&self.ask_ready, get(&self.asked.in_ready));
        set(&self.lines.in_valid, get(&self.mem_rvalid));
        set(&self.lines.in_data, get(&self.mem_rdata));

        let front = get(&self.asked.out_data);
        let asked = Lanes::unpack(cfg, "asked", &front.bits(0, Lanes::width(cfg)));
        let line = wire("line", get(&self.lines.out_data));
        let reads = wire("reads", asked.lanes.any());
        let valid = get(&self.valid);
        let writes = get(&self.writes);
        let stands = self.unpack(&valid, &writes);
        let stands = stands.map_or(valid.clone(), |converts| wire("stands", &valid & &!converts));
        let leaves = wire("leaves", &stands & &get(&self.wb_ready));
        let free = wire("free", !&valid | &leaves);
        let some = wire("some", get(&self.asked.out_valid) & (!&reads | get(&self.lines.out_valid)));
        let offsets = asked.offset.each_word(line_bits(cfg));
        let value = |o: &Expr| load_value(&line, o, &asked.size);
        let work = wire("work", &some & &free);
        // Whether the answer is complete then, and each lane's enable and value.
        let (complete, places): (Expr, Vec<(Expr, Expr)>) = match self.served.get() {
            // All lanes at once.
            None => {
                let values = offsets.iter().enumerate();
                let values = values.map(|(i, o)| wire(&format!("value_{i}"), value(o)));
                (some.clone(), values.map(|v| (work.clone(), v)).collect())
            }
            // The lowest lane that waits: of a new request it comes with it, of the rest it was looked for.
            Some(served) => {
                let now = Turn::unpack(cfg, "now", &front.bits(Lanes::width(cfg), Turn::width(cfg)));
                let on = wire("served_then", get(served) | &now.lane);
                let rest = wire("rest", &asked.lanes & &!&on);
                let next = Turn::of("next", cfg, &rest, &offsets);
                let value = wire("value", value(&now.offset));
                when(&work, || {
                    set(served, now.last.mux(&zero(cfg.lanes), &on));
                });
                let (amend, amended) = (self.asked.amend.get(), self.asked.amended.get());
                set(amend.expect("of a serial unit"), &work);
                set(amended.expect("of a serial unit"), next.pack());
                let puts = now.lane.each_bit().into_iter();
                let puts = puts.map(|h| (&work & &h, value.clone()));
                (&some & &now.last, puts.collect())
            }
        };
        let take = wire("take", &free & &complete);
        set(&self.asked.out_ready, &take);
        set(&self.lines.out_ready, &take & &reads);
        when(&free, || set(&self.valid, &complete));
        when(&take, || {
            set(&self.writes, reads);
            set(&self.last, asked.last);
            set(&self.rf, asked.rf);
            set(&self.mask, asked.lanes);
            set(&self.tag, asked.tag);
            if let (Some(format), Some(unpacked)) = (self.format.get(), self.unpacked.get()) {
                set(format, asked.format);
                set(unpacked, zero(clog2(cfg.lanes) + 2));
            }
        });
        for (data, (on, value)) in self.data.iter().zip(&places) {
            when(on, || set(data, value));
        }
        set(&self.wb_valid, stands & &writes);
        set(&self.wb_rf, get(&self.rf));
        set(&self.wb_mask, get(&self.mask));
        self.wb_data.iter().zip(&self.data).for_each(|(o, d)| set(o, get(d)));
        set(&self.wb_tag, get(&self.tag));
        set(&self.done, &leaves & &get(&self.last));
        set(&self.idle, !(&valid | &get(&self.asked.out_valid)));
    }
}
rtl_block!(ReturnPath, "return_path");
