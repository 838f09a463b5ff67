//! Load/store unit: beats of global and local accesses to the memory port and back.
//!
//! A queue of 16 beats, the coalescer, the choice of a lane for each store byte, the crossbar to the
//! line at the port, and the return path. A serial unit (`lsu_serial`) has no crossbars: it puts a
//! store's line together, and takes a load's apart, one lane a cycle. L lanes, P words a line.
//!
//! | port             | width        | meaning                                                   |
//! |------------------|--------------|-----------------------------------------------------------|
//! | `in_valid`       | 1            | a beat from stage M                                       |
//! | `in_ready`       | 1            | it is taken; from registers only                          |
//! | `in_write`       | 1            | store, else load                                          |
//! | `in_size`        | 3            | 0 u8, 1 s8, 2 u16, 3 s16, 6 32 bits                       |
//! | `in_mask`        | L            | lanes that access, may be none                            |
//! | `in_addr`        | [L][32]      | byte addresses, checked and aligned to the size           |
//! | `in_data`        | [L][32]      | store data in every place of its word it may go           |
//! | `in_warp`        | log2 warps   | warp slot                                                 |
//! | `in_slot`        | 2            | scoreboard slot                                           |
//! | `in_rf`          | log2 entries | register-file entry of this beat to load into             |
//! | `in_last`        | 1            | last beat of the last pass: ends the instruction          |
//! | `mem_valid`      | 1            | a request; kept with all its fields until `mem_ready`     |
//! | `mem_ready`      | 1            | the port takes it                                         |
//! | `mem_write`      | 1            | store, else load                                          |
//! | `mem_address`    | 32           | byte address, a multiple of 4P                            |
//! | `mem_wdata`      | 32P          | store data; undefined outside the mask                 |
//! | `mem_wmask`      | 4P           | bytes to store; 0 for a load                              |
//! | `mem_rvalid`     | 1            | read data in request order; always taken                  |
//! | `mem_rdata`      | 32P          | the line                                                  |
//! | `wb_valid`       | 1            | a register write, kept until `wb_ready`                   |
//! | `wb_ready`       | 1            | the register file takes it                                |
//! | `wb_rf`          | log2 entries | entry                                                     |
//! | `wb_mask`        | L            | lanes that write                                          |
//! | `wb_data`        | [L][32]      | values, extended to 32 bits; undefined in other lanes     |
//! | `wb_warp`        | log2 warps   | warp slot of the load                                     |
//! | `wb_slot`        | 2            | its scoreboard slot                                       |
//! | `done_valid`     | 1            | an instruction is complete: loads in the cycle of their last register write, stores after the port took the last request |
//! | `done_busy`      | 1            | none may be told in this cycle; then `wb_ready` is low    |
//! | `done_warp`      | log2 warps   | its warp slot                                             |
//! | `done_slot`      | 2            | its scoreboard slot                                       |
//! | `performed`      | 1            | the port takes an instruction's last request in this cycle, or the turn of one that asks nothing has come |
//! | `performed_warp` | log2 warps   | its warp slot                                             |
//! | `performed_slot` | 2            | its scoreboard slot                                       |
//! | `request_count`  | 1            | a request is taken in this cycle                          |
//! | `idle`           | 1            | nothing queued, in flight or waiting                      |
//!
//! Timing: a request appears at the port three cycles after its beat entered at the earliest; a beat
//!   costs one cycle for each line its lanes touch; in a serial unit a store costs one for each lane, and every beat two at least. Requests keep
//!   the order of beats; within a beat the lowest waiting lane names the next line. `done` of a store comes the
//!   cycle after its last request was taken, or later when loads complete in that cycle.
//! Stores of several lanes to one byte in one beat: the highest-numbered lane wins.
//! Reset: nothing queued; read data of earlier requests must not come after it.
//! Errors: none; addresses are checked in stage M.
//! Source: ours; docs/blocks/trace.md says what `performed_*` is for.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use super::atomic::{locks, AtomicUnit};
use super::choice::{code_bits, first_of, gather};
use super::coalescer::{line_bits, Beat, Coalescer, Lanes, Place, Request, Tag};
use super::fifo::Fifo;
use super::format::conversion;
use super::line_bytes::{Line, LineBytes};
use super::operation::Operation;
use super::ping_pong_fifo::PingPongFifo;
use super::port::MemoryPort;
use super::return_path::ReturnPath;
use super::store_bytes::{Chosen, StoreBytes};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::Completion;

/// Beats the queue holds.
const QUEUE: usize = 16;

block! {
    /// See the module.
    pub struct Lsu(cfg: &GpuConfig) {
        in in_valid(1),
        out in_ready(1),
        in in_write(1),
        /// Of G13 the [`Conversion`](super::format::Conversion) above it.
        in in_size(3 + conversion(&Dims::of(cfg))),
        in in_mask(lanes),
        in in_addr([lanes] 32),
        in in_data([lanes] 32),
        /// [`Operation`] of an atomic access of 32 bits, its operand in `in_data`, and what an exchange compares with. Such
        /// accesses wait until everything before them is complete; each request is a read and a write ([`AtomicUnit`]).
        in in_operation(if d.has.atomics; Operation::width(())),
        in in_compare([d.has.atomics.bits(lanes)] 32),
        /// The kernel has trapped.
        in halt(if locks(cfg); 1),
        /// No other SM may use the port.
        out lock(if locks(cfg); 1),
        in in_warp(warp),
        in in_slot(2),
        in in_rf(rf),
        in in_last(1),
        part mem(MemoryPort<Source>: words),
        out wb_valid(1),
        in wb_ready(1),
        out wb_rf(rf),
        out wb_mask(lanes),
        out wb_data([lanes] 32),
        out wb_warp(warp),
        out wb_slot(2),
        in done_busy(1),
        part done(Completion<Source>: &Dims::of(cfg)),
        out performed(1),
        out performed_warp(warp),
        out performed_slot(2),
        out request_count(1),
        out idle(1),
        part queue(Fifo: QUEUE, Beat::width(cfg)),
        part places(PingPongFifo: QUEUE, Place::width(cfg)),
        part coalescer(Coalescer: cfg),
        /// One of the two.
        part bytes(if !cfg.lsu_serial; StoreBytes: cfg),
        part serial(if cfg.lsu_serial; LineBytes: cfg),
        part returns(ReturnPath: cfg),
        part atomic(if d.has.atomics; AtomicUnit: cfg),
        /// Stores that are complete but not yet told: two, so that one may leave as one enters.
        part stored(Fifo: 2, Tag::width(cfg)),
        /// Of a serial unit: the coalescer took the beat that both queues still show.
        reg popped(if cfg.lsu_serial; 1),
        keep _cfg(GpuConfig = cfg.clone()),
    } where {
        let d = Dims::of(cfg);
        let (lanes, words) = (cfg.lanes, cfg.port_words);
        let rf = d.load_entry();
        let warp = clog2(cfg.warps);
    }
}

/// The request that the unit for atomic accesses replaces words for.
struct Sequence<'a> {
    unit: &'a AtomicUnit,
    request: Request,
    /// The lanes of the request, each with a word of its own: what they found is a line of such words.
    lanes: Lanes,
    /// It ends in this cycle, and its results are there.
    answer: Expr,
}

impl Lsu {
    /// Beats into the queue. One that neither accesses nor ends an instruction leaves no trace.
    fn enter(&self) {
        let mask = get(&self.in_mask);
        let beat = Beat {
            write: get(&self.in_write),
            size: get(&self.in_size).bits(0, 3),
            data: pack(get_all(&self.in_data).iter()),
            rf: get(&self.in_rf),
            tag: Tag { warp: get(&self.in_warp), slot: get(&self.in_slot) }.pack(),
            last: get(&self.in_last),
            format: match conversion(&Dims::of(&self._cfg)) {
                0 => nothing(),
                width => get(&self.in_size).bits(3, width),
            },
            operation: self.in_operation.get().map_or(nothing(), get),
            compare: match &self.in_compare[..] {
                [] => nothing(),
                words => pack(get_all(words).iter()),
            },
        };
        beat.check(&self._cfg);
        let place = Place {
            lanes: mask.clone(),
            leader: first_of(&mask.each_bit()),
            addr: pack(get_all(&self.in_addr).iter()),
        };
        place.check(&self._cfg);
        // Both take and give in the same cycles; that of the places holds two more.
        let enters = wire("enters", get(&self.in_valid) & (mask.any() | &beat.last) & get(&self.queue.in_ready));
        set(&self.queue.in_valid, &enters);
        set(&self.queue.in_data, beat.pack());
        set(&self.places.in_valid, enters);
        set(&self.places.in_data, place.pack());
        set(&self.in_ready, get(&self.queue.in_ready));
        let (shown, taken) = (get(&self.queue.out_valid), get(&self.coalescer.beat_taken));
        // Of a serial unit it leaves the queues a cycle later: what is taken is the end of a long path, and the next one is
        // not wanted so soon.
        let (shown, leaves) = match self.popped.get() {
            Some(popped) => {
                set(popped, &taken);
                (shown & !get(popped), get(popped))
            }
            None => (shown, taken),
        };
        set(&self.coalescer.beat_valid, shown);
        set(&self.coalescer.beat, get(&self.queue.out_data));
        set(&self.coalescer.place, get(&self.places.out_data));
        set(&self.queue.out_ready, &leaves);
        set(&self.places.out_ready, leaves);
    }

    /// The request at the unit for atomic accesses, on a chip that has one.
    fn sequence(&self) -> Option<Sequence<'_>> {
        let unit = self.atomic.get()?;
        let cfg = &self._cfg;
        let request = Request::unpack(cfg, "replacing", &get(&self.coalescer.req));
        let lanes = Lanes::unpack(cfg, "replacing", &request.lanes);
        let own: Vec<Expr> = (0..cfg.lanes).map(|i| lit(line_bits(cfg), 4 * i as u64)).collect();
        let lanes = Lanes { offset: pack(own.iter()), ..lanes };
        Some(Sequence { unit, request, lanes, answer: get(&unit.answer) })
    }

    /// A request of the coalescer to the stage before the port, or to the unit for atomic accesses.
    fn to_stage(&self, req_valid: &Input, req_ready: &Output, sequence: &Option<Sequence>) {
        let from = &self.coalescer;
        let (valid, ready) = match sequence {
            None => (get(&from.req_valid), get(req_ready)),
            Some(s) => {
                let on = Operation::unpack((), "replacing", &s.request.operation).on;
                set(&s.unit.req_valid, &on & &get(&from.req_valid));
                set(&s.unit.req, get(&from.req));
                (get(&from.req_valid) & !&on, on.mux(&get(&s.unit.req_ready), &get(req_ready)))
            }
        };
        set(req_valid, valid);
        set(&from.req_ready, ready);
    }

    /// Requests through the stage before the port. `taken` says when the one at the port goes.
    fn at_port(&self, sequence: &Option<Sequence>) -> (Expr, Line, &Input) {
        let cfg = &self._cfg;
        let from = &self.coalescer;
        if let Some(stage) = self.serial.get() {
            self.to_stage(&stage.req_valid, &stage.req_ready, sequence);
            set(&stage.req, get(&from.req));
            let request = Line::unpack(cfg, "request", &get(&stage.out));
            return (get(&stage.out_valid), request, &stage.out_ready);
        }
        let stage = self.bytes.get().expect("the stage of a unit that is not serial");
        self.to_stage(&stage.req_valid, &stage.req_ready, sequence);
        set(&stage.req, get(&from.req));
        let request = Chosen::unpack(cfg, "request", &get(&stage.out));
        let data = self.line(&request);
        let request = Line { write: request.write, line: request.line, lanes: request.lanes, mask: request.mask, data };
        (get(&stage.out_valid), request, &stage.out_ready)
    }

    /// The line to store (32P): every byte from the lane that was chosen for it.
    fn line(&self, request: &Chosen) -> Expr {
        let data = request.data.each_word(32);
        let source = request.source.each_word(code_bits(self._cfg.lanes));
        let words: Vec<Expr> = source.chunks(4).map(|s| gather(s, &data)).collect();
        pack(words.iter())
    }

    /// The port, for a request of the stage before it, where it `asks`, or for a sequence.
    fn ask(&self, asks: Expr, request: Line, sequence: &Option<Sequence>) {
        let (m, returns) = (&self.mem, &self.returns);
        let (came, words) = (get(&m.rvalid), get(&m.rdata));
        let (valid, request, came, words) = match sequence {
            None => (asks, request, came, words),
            // It begins when nothing stands before the port, and what follows meanwhile is behind it.
            Some(Sequence { unit, request: of, lanes, answer }) => {
                let busy = get(&unit.busy);
                set(&unit.ready, get(&m.ready));
                set(&unit.rvalid, &came);
                set(&unit.rdata, &words);
                let request = Line {
                    write: busy.mux(&get(&unit.write), &request.write),
                    line: busy.mux(&of.line, &request.line),
                    data: busy.mux(&get(&unit.line), &request.data),
                    mask: busy.mux(&get(&unit.mask), &request.mask),
                    lanes: request.lanes,
                };
                let loads = wire("old_words", answer & &!&of.write & lanes.lanes.any());
                let (came, words) = (busy.mux(&loads, &came), busy.mux(&get(&unit.old), &words));
                (busy.mux(&get(&unit.valid), &asks), request, came, words)
            }
        };
        set(&m.valid, valid);
        set(&m.write, request.write);
        set(&m.address, cat([&request.line, &zero(line_bits(&self._cfg))]));
        set(&m.wdata, request.data);
        set(&m.wmask, request.mask);
        set(&returns.mem_rvalid, came);
        set(&returns.mem_rdata, words);
    }

    /// Register writes and completions.
    fn leave(&self, stored: &Expr, tag: &Expr) {
        let returns = &self.returns;
        set(&returns.wb_ready, get(&self.wb_ready));
        set(&self.wb_valid, get(&returns.wb_valid));
        set(&self.wb_rf, get(&returns.wb_rf));
        set(&self.wb_mask, get(&returns.wb_mask));
        self.wb_data.iter().zip(&returns.wb_data).for_each(|(o, d)| set(o, get(d)));
        let load = Tag::unpack(&self._cfg, "load", &get(&returns.wb_tag));
        set(&self.wb_warp, &load.warp);
        set(&self.wb_slot, &load.slot);

        set(&self.stored.in_valid, stored);
        set(&self.stored.in_data, tag);
        let loaded = get(&returns.done);
        let turn = wire("stores_turn", !(&loaded | &get(&self.done_busy)));
        set(&self.stored.out_ready, &turn);
        set(&self.done.valid, &loaded | &(&turn & &get(&self.stored.out_valid)));
        let store = Tag::unpack(&self._cfg, "store", &get(&self.stored.out_data));
        set(&self.done.warp, loaded.mux(&load.warp, &store.warp));
        set(&self.done.slot, loaded.mux(&load.slot, &store.slot));
    }
}

impl Rtl for Lsu {
    fn rtl(&self) {
        let cfg = &self._cfg;
        self.enter();
        let sequence = self.sequence();
        let (valid, request, leave) = self.at_port(&sequence);
        // A store that is put together.
        let pending = self.serial.get().map_or(zero(1), |stage| get(&stage.pending));
        let lanes = Lanes::unpack(cfg, "request", &request.lanes);
        // While a sequence ends nothing of the stage does.
        let tag = match &sequence {
            None => lanes.tag.clone(),
            Some(s) => s.answer.mux(&s.lanes.tag, &lanes.tag),
        };
        let whose = Tag::unpack(cfg, "request", &tag);

        // A request waits until what follows from it has a place; nothing but the request itself
        // can take that place, so `mem_valid` never falls before `mem_ready`.
        let place = request.write.mux(&(get(&self.stored.in_ready) | !&lanes.last), &get(&self.returns.ask_ready));
        let may = wire("may", &valid & &place);
        let accesses = wire("accesses", lanes.lanes.any());
        let asks = wire("asks", &may & &accesses);
        let accepted = wire("accepted", &asks & &get(&self.mem.ready));
        let taken = wire("taken", &may & &(!&accesses | get(&self.mem.ready)));
        set(leave, &taken);
        let ends = wire("ends", &taken & &lanes.last);
        let reads = &taken & &!&request.write;
        let stores = &ends & &request.write;
        let (reads, asked, count, ends, stores) = match &sequence {
            None => (reads, request.lanes.clone(), accepted, ends, stores),
            Some(Sequence { unit, request: of, lanes: own, answer }) => {
                let own_ends = wire("own_ends", answer & &own.last);
                let quiet = [get(&self.returns.idle), get(&self.returns.ask_ready), get(&self.stored.in_ready)];
                set(&unit.may_begin, all_of(&quiet) & !(&valid | &pending));
                if let (Some(from), Some(to)) = (self.halt.get(), unit.halt.get()) {
                    set(to, get(from));
                }
                if let (Some(from), Some(to)) = (unit.lock.get(), self.lock.get()) {
                    set(to, get(from));
                }
                (
                    reads | (answer & &!&of.write),
                    answer.mux(&own.pack(), &request.lanes),
                    accepted | (get(&unit.valid) & get(&self.mem.ready)),
                    ends | &own_ends,
                    stores | (own_ends & &of.write),
                )
            }
        };
        self.ask(asks, request, &sequence);
        set(&self.returns.ask_valid, reads);
        set(&self.returns.ask, asked);
        set(&self.request_count, count);
        set(&self.performed, ends);
        set(&self.performed_warp, &whose.warp);
        set(&self.performed_slot, &whose.slot);
        self.leave(&stores, &tag);
        let queued = any_of(&[get(&self.queue.out_valid), get(&self.coalescer.req_valid), valid, pending]);
        let waiting = &queued | &get(&self.stored.out_valid);
        let waiting = match conversion(&Dims::of(cfg)) {
            0 => waiting,
            _ => waiting | Request::unpack(cfg, "standing", &get(&self.coalescer.req)).packs,
        };
        set(&self.idle, &!&waiting & &get(&self.returns.idle));
    }
}
rtl_block!(Lsu, "lsu");
