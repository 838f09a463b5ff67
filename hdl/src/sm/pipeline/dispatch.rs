//! Decode (DEC) and hazard check (H): one selected instruction in each, until it may go or is refused.
//!
//! The word is decoded in one cycle and held against the scoreboard in the next. An instruction that
//! has to wait for an earlier one leaves H at once and its warp sleeps until something of it
//! completes, so another warp can use the slot. It stays while nobody comes and what it waits for is
//! about to complete.
//!
//! | port           | width  | meaning                                                        |
//! |----------------|--------|----------------------------------------------------------------|
//! | `sel_*`        |        | the selected warp's line, address, threads, stack depth         |
//! | `take`         | 1      | it enters DEC                                                   |
//! | `room`         | 1      | the issue stage can take an instruction                         |
//! | `dec_*`        |        | H holds an instruction of this warp                             |
//! | `occupied`     | 1      | DEC or H holds one                                              |
//! | `issue_valid`  | 1      | the instruction in H goes                                       |
//! | `issue`        | Issue  | it, with all it needs later                                     |
//! | `issue_next`   | pc     | address of the next instruction in sequence                     |
//! | `issue_refetch`| 1      | the line at that address is needed                              |
//! | `fetch_full`   | 1      | an instruction that needs one cannot go                         |
//! | `issue_block`  | 1      | the warp must not go on before control says where               |
//! | `clashes`      | 1      | the instruction in H has to wait                                |
//! | `refused`      | 1      | … and leaves                                                    |
//! | `hazard_set`   | 1      | … and its warp sleeps                                           |
//! | `waits_for`    | 2      | what it waits for: scoreboard `kind`                            |
//! | `place_*`      |        | where a starting warp lives: block slot, registers, shared      |
//! | `free_*`, `done_*`, `waking_*`, `near_*` | | completions: pipeline, load/store unit; warps to wake ahead of the first, warps woken already |
//!
//! Timing: two cycles at least; nothing here asks whether the pipeline moves. Reset or `clear`: empty.
//! Errors: traps found in the word (see decode), a long instruction at an odd word (3) and an address
//! outside the program (10) travel on as `control.trap` and are taken in order, in stage M.
//! Source: docs/architecture.md, The chip.

use super::bundles::{Completion, Continuation, Issue, Line, Selected, WaitingChannels, WarpEvent, WarpEvents};
use super::decode::row_lines::RowLines;
use super::decode::stage::DecodeRegisters;
use super::hazard::{woken, HazardRegisters};
use super::scoreboard::Scoreboard;
use super::timing::AHEAD;
use crate::config::GpuConfig;
use crate::front::decode::{Found, FrontDecode};
use crate::rtl::prelude::*;
use crate::sm::control::Control;
use crate::sm::dims::Dims;
use crate::sm::divergence::ivb::ChannelFilter;
use crate::sm::divergence::marker;

block! {
    /// See the module.
    pub struct Dispatch(cfg: &GpuConfig) {
        in clear(1),
        in halt(1),
        in registers(8),
        part sel(Selected<Sink>: &d),
        part line(Line<Sink>: &d),
        out take(1),
        in room(1),
        in fetch_full(1),
        part dec(WarpEvent<Source>: &d),
        out occupied(1),
        out issue_valid(1),
        out issue(Issue::width(&d)),
        part after(Continuation<Source>: &d),
        out hazard_set(1),
        out clashes(1),
        out refused(1),
        out waits_for(2),
        out wake(d.warps),
        out busy(d.warps),
        in place_valid(1),
        in place_warp(d.warp),
        in place_block(d.block),
        in place_reg_base(d.entry),
        in place_shared_base(d.shared),
        part free(Completion<Sink>: &d),
        part waking(WarpEvent<Sink>: &d),
        part near(WarpEvents<Sink>: AHEAD + 1, &d),
        part done(Completion<Sink>: &d),
        /// Addresses at which channels of a warp wait, a filter of them; of Ivy Bridge alone.
        part waits(if d.has.channels; WaitingChannels<Sink>: &d),
        part decoding(DecodeRegisters: &d),
        part checking(HazardRegisters: &d),
        /// In front of the registers of DEC.
        part rows(if d.has.row_lines; RowLines: cfg),
        part decode(FrontDecode: cfg),
        part scoreboard(Scoreboard: cfg),
        part filter(if d.has.channels; ChannelFilter: &d),
        part places(Ram: RamKind::Lut, d.warps, d.block + d.entry + d.shared, 1),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Dispatch {
    /// Where the warp of the instruction in DEC lives; written when a warp starts.
    fn place(&self) -> Expr {
        let place = cat([&get(&self.place_shared_base), &get(&self.place_reg_base), &get(&self.place_block)]);
        self.places.write(&get(&self.place_warp), &place, &get(&self.place_valid));
        self.places.read(0, &get(&self.decoding.warp))
    }
}

impl Rtl for Dispatch {
    fn rtl(&self) {
        let d = &self._d;
        let (dec, h, scoreboard) = (&self.decoding, &self.checking, &self.scoreboard);
        let [blocks, refetches] = h.goes_on(d);
        let (valid, room) = (get(&h.valid), get(&self.room) & !(&refetches & &get(&self.fetch_full)));
        let (halt, clear) = (get(&self.halt), get(&self.clear));
        let free = wire("hazard_free", !&valid | &room);

        let can = dec.take((&self.decode, &self.rows), &self.sel, &self.line, &free);
        set(&self.take, &can & get(&self.sel.valid));
        let decoded = dec.decode(d, &self.decode, &get(&self.registers));
        let comes = wire("comes", get(&dec.valid) & &free);
        let decoded = match (self.filter.get(), self.waits.get()) {
            (Some(filter), Some(waits)) => {
                let [_, next] = dec.addresses(d, &decoded);
                let starts = (&get(&self.place_warp), &get(&self.place_valid));
                let joins = filter.joins(waits, starts, &get(&dec.warp), &next);
                let joins = match &decoded.goes_on {
                    Some(goes_on) => joins & !goes_on,
                    None => joins,
                };
                let control = Control::unpack(d, "joining", &decoded.control);
                let marker = joins.mux(&lit(2, marker::JOIN), &control.marker);
                Found { control: Control { marker, ..control }.pack(), ..decoded }
            }
            _ => decoded,
        };
        h.take(d, dec, &decoded, &comes, &self.place());
        when(&(&halt | &clear), || set(&dec.valid, lit(1, 0)));
        set(&scoreboard.arriving, &decoded.control);
        set(&scoreboard.numbers, &decoded.numbers);
        set(&scoreboard.coming, get(&dec.warp));
        set(&scoreboard.step, &comes);
        set(&self.occupied, get(&dec.valid) | &valid);

        set(&scoreboard.clear, &clear);
        let verdict = h.judge(scoreboard, &self.near, (&comes, &room), (&halt, &clear));
        set(&self.clashes, &valid & &verdict.hazard);
        set(&scoreboard.allocate, &verdict.go);
        set(&self.dec.valid, &valid);
        set(&self.dec.warp, get(&h.warp));
        set(&self.issue_valid, &verdict.go);
        set(&self.issue, h.issue(d, get(&scoreboard.slot)).pack());
        set(&self.after.next, get(&h.next));
        set(&self.after.refetch, refetches);
        set(&self.after.block, blocks);

        // A refused warp sleeps until a completion of its own, unless it has been woken for one already.
        // A wake in this very cycle prevails in the table.
        set(&self.hazard_set, &verdict.refuse & !verdict.soon);
        set(&self.refused, &verdict.refuse);
        set(&self.waits_for, get(&scoreboard.waits_for));
        set(&self.wake, woken(d, &self.waking, &self.done));
        set(&self.busy, get(&scoreboard.busy));
        self.free.pass(&scoreboard.free);
        self.done.pass(&scoreboard.done);
    }
}

rtl_block!(Dispatch, "dispatch");
