//! Warp table and warp scheduler: where each warp stands, and which one goes next.
//!
//! One bit a warp for each reason not to go: not live, control operation pending, hazard, line not
//! asked for yet, waiting at a barrier, in DEC or H. Any other warp may be selected, one a cycle, loose round
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
//! | `issue_refetch` | 1     | the line at that address is needed                              |
//! | `fetch_full`    | 1     | … and cannot be asked for in this cycle                         |
//! | `issue_block`   | 1     | the next address is not known yet (control, marker, barrier)    |
//! | `refused`       | 1     | it has to be selected again                                     |
//! | `hazard_set`    | 1     | … but not yet                                                   |
//! | `waits_for`     | 2     | for what: scoreboard `kind`                                     |
//! | `wake`          | warps | warps that have an operation less in flight                     |
//! | `take`          | 1     | DEC takes the selected warp                                     |
//! | `fetch_*`       |       | a warp that needs a line, and its address                       |
//! | `sel_*`         |       | the selected warp: threads, address, stack depth                |
//! | `state_*`       | warps | status bits, for stall counters and waveforms                   |
//!
//! Timing: a warp selected in one cycle is offered in the next, and no other until DEC takes it; it
//! is not selected again until its instruction has gone or is refused. Its line is asked for in the cycle in which its
//! address is set, and is there when it is selected at the earliest. Two writers share the table: `redirect` goes first,
//! a start waits in a register for a cycle without one. Program memory serves them first; the line behind an
//! instruction that goes beside them waits. Reset or `clear`: no warp is live.
//! Errors: none.
//! Source: docs/architecture.md, The chip; FlexGripPlus keeps one instruction a warp in flight.

use super::bundles::{Continuation, FetchRequest, Selected, WarpEvent};
use super::fetch::{Asks, Postponed};
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
        /// The warp's line is not asked for yet.
        reg unfetched(w),
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
        out fetch_full(1),
        part fetch(FetchRequest<Source>: &d),
        part sel(Selected<Source>: &d),
        out state_live(w),
        out state_blocked(w),
        out state_hazard(w),
        out state_memory(w),
        out state_special(w),
        out state_ready(w),
        out state_unfetched(w),
        part table(Table: w),
        /// The latest address is the redirected one, not the sequential one.
        reg redirected(w),
        /// Selected and neither issued nor refused yet.
        reg flying(w),
        /// No reason not to go but a barrier.
        reg eligible(w),
        part selection(Selection: &d),
        part postponed(Postponed: &d),
        part start(Start: &d),
        part sequential(Ram: RamKind::Lut, w, d.pc, 1),
        part placed(Ram: RamKind::Lut, w, d.pc + WARP + DEPTH, 1),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let w = d.warps;
    }
}

impl Warps {
    /// What the places read for a warp: {pc, mask, depth} as placed, and its present pc.
    fn place(&self, warp: &Expr) -> (Expr, Expr) {
        let placed = self.placed.read(0, warp).called("placed");
        let sequential = self.sequential.read(0, warp);
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
        let unfetched = get(&table.unfetched);
        let clear = get(&self.clear);
        let keep = !clear.repeat(w);
        set(&table.live, ((&live & !&ended) | &held_hot) & &keep);
        let block = &issue_hot & &get(&self.issue.block).repeat(w);
        let unblock = get(&self.unblock.warp).one_hot(w) & get(&self.unblock.valid).repeat(w);
        let unblock = unblock | &placed_hot;
        set(&table.blocked, ((&blocked & !&unblock) | block) & &keep);
        let wait = wire("refused_hot", &dec_hot & &get(&self.hazard_set).repeat(w));
        let waits_for = get(&self.waits_for);
        for (i, to) in [&table.for_memory, &table.for_special].into_iter().enumerate() {
            let kind = waits_for.bit(i).repeat(w);
            set(to, (get(to) & !&wait) | (&wait & &kind));
        }
        set(&table.hazard, ((&hazard | wait) & !get(&self.wake)) & &keep);
        set(&self.redirected, (get(&self.redirected) & !&issue_hot) | &placed_hot);
        when(&clear, || set(&self.start.valid, lit(1, 0)));

        // Lines from the addresses that are set.
        let placed_line =
            Asks { valid: place.clone(), warp: place_warp, pc: redirect.mux(&get(&self.redirect_pc), &held_pc) };
        let issued = Asks {
            valid: wire("refetches", &issue & get(&self.issue.refetch)),
            warp: get(&self.dec.warp),
            pc: get(&self.issue.next),
        };
        let lines = self.postponed.arbitrate(d, &self.fetch, &placed_line, &issued, &clear);
        let waits_for_line = wire("waits_for_line", get(&self.issue.refetch) & &lines.busy);
        set(&table.unfetched, ((&unfetched & !&lines.served) | &lines.begin) & &keep);
        set(&self.fetch_full, &lines.full);

        // SEL.
        let flying = get(&self.flying);
        // `halt` drops what is selected; it comes from afar, and is not asked of each warp.
        let halt = get(&self.halt);
        let ready = wire("ready", get(&self.eligible) & !get(&self.waiting));
        let doubtful = get(&table.doubtful);
        let sure = wire("sure", &ready & !&doubtful);
        set(&table.doubtful, (doubtful | &issue_hot) & !get(&self.wake));
        let choice = self.selection.choose(&ready, &sure, &get(&self.take), &(&clear | &halt));
        let left = &dec_hot & (&issue | get(&self.refused)).repeat(w);
        let picked = wire("picked_hot", &choice.best & &choice.taken.repeat(w));
        set(&self.flying, ((&flying & !wire("left", left)) | &picked) & &keep);
        // Reasons of a cycle later. The warp in H has none now but that it is there; what becomes of it is late.
        let wakes = wire("wakes", (get(&self.wake) & &dec_hot).any());
        let goes_on = &issue & !get(&self.issue.block) & !waits_for_line;
        let again = wire("again", goes_on | (get(&self.refused) & (!get(&self.hazard_set) | wakes)));
        let reasons = (&blocked & !&unblock) | (&hazard & !get(&self.wake)) | (&unfetched & !&lines.served);
        let others = ((&live & !&ended) | &held_hot) & !(reasons | &flying | &dec_hot) & !&picked;
        set(&self.eligible, (others | (&dec_hot & again.repeat(w))) & &keep);
        let sel_warp = get(&self.selection.warp);
        let (placed, pc) = self.place(&sel_warp);
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
        set(&self.state_unfetched, unfetched);
    }
}

rtl_block!(Warps, "warps");
