//! Warp table and warp scheduler: where each warp stands, and which one goes next.
//!
//! One bit a warp for each reason not to go: not live, control operation pending, hazard, nothing
//! fetched, waiting at a barrier, in DEC or H. Any other warp may be selected, one a cycle, loose round
//! robin: the search starts behind the warp selected last. Warps of which nothing has completed since they
//! last issued go last: H may well refuse them, and a refusal costs the slot.
//!
//! | port            | width | meaning                                                         |
//! |-----------------|-------|-----------------------------------------------------------------|
//! | `start_*`       |       | a warp begins, if `start_ready`: slot, threads, address         |
//! | `redirect_*`    |       | divergence unit: new mask, pc and depth of a warp, or its end   |
//! | `unblock_*`     |       | the barrier unit has taken the warp's BAR                       |
//! | `dec_*`         |       | the warp whose instruction stands in H                          |
//! | `issue_*`       |       | it goes; address of the next                                    |
//! | `issue_refetch` | 1     | the fetched line is used up                                     |
//! | `issue_block`   | 1     | the next address is not known yet (control, marker, barrier)    |
//! | `refused`       | 1     | it has to be selected again                                     |
//! | `hazard_set`    | 1     | … but not yet                                                   |
//! | `waits_for`     | 2     | for what: scoreboard `kind`                                     |
//! | `wake`          | warps | warps that have an operation less in flight                     |
//! | `take`          | 1     | DEC takes the selected warp                                     |
//! | `fill_*`        |       | a fetched line has arrived                                      |
//! | `fetch_*`       |       | a warp that needs a line, and its address                       |
//! | `sel_*`         |       | the selected warp: threads, address, stack depth                |
//! | `state_*`       | warps | status bits, for stall counters and waveforms                   |
//!
//! Timing: a warp selected in one cycle is offered in the next, and no other until DEC takes it; it
//! is not selected again until its instruction has gone or is refused. So is a fetch: the warp is
//! chosen in one cycle, its address asked for in the next. Two writers share the table: `redirect` goes first,
//! a start waits in a register for a cycle without one. Reset or `clear`: no warp is live.
//! Errors: none.
//! Source: docs/architecture.md, The chip; FlexGripPlus keeps one instruction a warp in flight.

use super::bundles::{Continuation, FetchRequest, Selected, WarpEvent};
use super::fetch::{Lines, Requests};
use super::select::Selection;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::dims::{Dims, DEPTH};

group! {
    /// Where each warp stands: a bit a warp.
    pub struct Table(w: usize) as "" {
        reg live(w),
        /// A control operation is under way: where the warp goes on is not known yet.
        reg blocked(w),
        /// The warp waits for a result.
        reg hazard(w),
        /// Nothing has completed since the warp last issued.
        reg doubtful(w),
        /// Of warps with a hazard: what they wait for; neither means the pipeline.
        data for_memory(w),
        data for_special(w),
    }
}

group! {
    /// A starting warp, until a cycle without a redirection.
    pub struct Start(d: &Dims) as "held" {
        reg valid(1),
        /// Address, threads, slot.
        data warp(d.warp + WARP + d.pc => "held"),
    }
}

block! {
    /// See the module.
    pub struct Warps(cfg: &GpuConfig) {
        in clear(1),
        in halt(1),
        out start_ready(1),
        in start_valid(1),
        in start_warp(d.warp),
        in start_mask(WARP),
        in start_pc(d.pc),
        in redirect_valid(1),
        in redirect_warp(d.warp),
        in redirect_mask(WARP),
        in redirect_pc(d.pc),
        in redirect_depth(DEPTH),
        in redirect_finished(1),
        part unblock(WarpEvent<Sink>: &d),
        in waiting(w),
        part dec(WarpEvent<Sink>: &d),
        in issue_valid(1),
        part issue(Continuation<Sink>: &d),
        in refused(1),
        in hazard_set(1),
        in waits_for(2),
        in wake(w),
        in take(1),
        part fill(WarpEvent<Sink>: &d),
        part fetch(FetchRequest<Source>: &d),
        part sel(Selected<Source>: &d),
        out state_live(w),
        out state_blocked(w),
        out state_hazard(w),
        out state_memory(w),
        out state_special(w),
        out state_ready(w),
        out state_filled(w),
        part table(Table: w),
        part lines(Lines: w),
        /// The latest address is the redirected one, not the sequential one.
        reg redirected(w),
        /// Selected and neither issued nor refused yet.
        reg flying(w),
        part selection(Selection: &d),
        part requests(Requests: &d),
        part start(Start: &d),
        part sequential(Ram: RamKind::Lut, w, d.pc, 2),
        part placed(Ram: RamKind::Lut, w, d.pc + WARP + DEPTH, 2),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let w = d.warps;
    }
}

impl Warps {
    /// What a port of the places reads for a warp: {pc, mask, depth} as placed, and its present pc.
    fn place(&self, port: usize, warp: &Expr) -> (Expr, Expr) {
        let placed = self.placed.read(port, warp).called("placed");
        let sequential = self.sequential.read(port, warp);
        let pc = get(&self.redirected).bit_at(warp).mux(&placed.bits(DEPTH + WARP, self._d.pc), &sequential);
        (placed, pc)
    }
}

impl Rtl for Warps {
    fn rtl(&self) {
        let d = &self._d;
        let w = d.warps;
        let table = &self.table;

        // Redirection and start share one write port.
        let redirect = get(&self.redirect_valid);
        let held_valid = get(&self.start.valid);
        set(&self.start_ready, !&held_valid);
        let place_held = wire("place_held", &held_valid & !&redirect);
        when(&place_held, || set(&self.start.valid, lit(1, 0)));
        when(&get(&self.start_valid), || {
            set(&self.start.valid, lit(1, 1));
            set(&self.start.warp, cat([&get(&self.start_pc), &get(&self.start_mask), &get(&self.start_warp)]));
        });
        let held = get(&self.start.warp);
        let (held_warp, held_mask, held_pc) =
            (held.bits(0, d.warp), held.bits(d.warp, WARP), held.bits(d.warp + WARP, d.pc));
        let place_warp = redirect.mux(&get(&self.redirect_warp), &held_warp);
        let redirected = cat([&get(&self.redirect_pc), &get(&self.redirect_mask), &get(&self.redirect_depth)]);
        let started = cat([&held_pc, &held_mask, &zero(DEPTH)]);
        let place = &redirect | &place_held;
        self.placed.write(&place_warp, &redirect.mux(&redirected, &started), &place);
        let placed_hot = wire("placed_hot", place_warp.one_hot(w) & place.repeat(w));
        let ended = wire("ended", placed_hot.clone() & (&redirect & &get(&self.redirect_finished)).repeat(w));
        let held_hot = wire("held_hot", held_warp.one_hot(w) & place_held.repeat(w));

        let issue = get(&self.issue_valid);
        let dec_hot = wire("dec_hot", get(&self.dec.warp).one_hot(w) & get(&self.dec.valid).repeat(w));
        let issue_hot = wire("issue_hot", &dec_hot & &issue.repeat(w));
        self.sequential.write(&get(&self.dec.warp), &get(&self.issue.next), &issue);

        let live = get(&table.live);
        let blocked = get(&table.blocked);
        let hazard = get(&table.hazard);
        let filled = get(&self.lines.filled);
        let clear = get(&self.clear);
        let keep = !clear.repeat(w);
        set(&table.live, ((&live & !&ended) | &held_hot) & &keep);
        let block = &issue_hot & &get(&self.issue.block).repeat(w);
        let unblock = get(&self.unblock.warp).one_hot(w) & get(&self.unblock.valid).repeat(w);
        let unblock = unblock | &placed_hot;
        set(&table.blocked, ((&blocked & !unblock) | block) & &keep);
        let wait = wire("refused_hot", &dec_hot & &get(&self.hazard_set).repeat(w));
        let waits_for = get(&self.waits_for);
        for (i, to) in [&table.for_memory, &table.for_special].into_iter().enumerate() {
            let kind = waits_for.bit(i).repeat(w);
            set(to, (get(to) & !&wait) | (&wait & &kind));
        }
        set(&table.hazard, ((&hazard | wait) & !get(&self.wake)) & &keep);
        set(&self.redirected, (get(&self.redirected) & !&issue_hot) | &placed_hot);
        when(&clear, || set(&self.start.valid, lit(1, 0)));

        // R: lines for warps that have none.
        let need = wire("need", &live & !&blocked & !&filled & !get(&self.lines.fetching));
        let used = &issue_hot & &get(&self.issue.refetch).repeat(w);
        self.requests.choose(&self.lines, &need, &self.fill, &used, &clear);
        let fetch_warp = get(&self.requests.warp);
        set(&self.fetch.valid, get(&self.requests.valid));
        set(&self.fetch.warp, &fetch_warp);
        set(&self.fetch.pc, self.place(0, &fetch_warp).1);

        // SEL.
        let flying = get(&self.flying);
        // `halt` drops what is selected; it comes from afar, and is not asked of each warp.
        let halt = get(&self.halt);
        let ready = &live & !&blocked & !&hazard & &filled & !get(&self.waiting) & !&flying;
        let ready = wire("ready", ready);
        let doubtful = get(&table.doubtful);
        let sure = wire("sure", &ready & !&doubtful);
        set(&table.doubtful, (doubtful | &issue_hot) & !get(&self.wake));
        let choice = self.selection.choose(&ready, &sure, &get(&self.take), &(&clear | &halt));
        let left = &dec_hot & (&issue | get(&self.refused)).repeat(w);
        set(&self.flying, ((&flying & !wire("left", left)) | (&choice.best & &choice.taken.repeat(w))) & &keep);
        let sel_warp = get(&self.selection.warp);
        let (placed, pc) = self.place(1, &sel_warp);
        set(&self.sel.valid, get(&self.selection.valid));
        set(&self.sel.warp, &sel_warp);
        set(&self.sel.mask, placed.bits(DEPTH, WARP));
        set(&self.sel.depth, placed.bits(0, DEPTH));
        set(&self.sel.pc, pc);
        set(&self.state_live, live);
        set(&self.state_blocked, blocked);
        set(&self.state_memory, &hazard & get(&table.for_memory));
        set(&self.state_special, &hazard & get(&table.for_special));
        set(&self.state_ready, &ready);
        set(&self.state_hazard, hazard);
        set(&self.state_filled, filled);
    }
}

rtl_block!(Warps, "warps");
