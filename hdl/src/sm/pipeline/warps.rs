//! Warp table and warp scheduler: where each warp stands, and which one goes next.
//!
//! One bit a warp for each reason not to go: not live, control operation pending, hazard, nothing
//! fetched, waiting at a barrier, in decode. Any other warp may be selected, one a cycle, loose round
//! robin: the search starts behind the warp selected last. Warps of which nothing has completed since they
//! last issued go last: decode may well refuse them, and a refusal costs the slot.
//!
//! | port            | width | meaning                                                         |
//! |-----------------|-------|-----------------------------------------------------------------|
//! | `start_*`       |       | a warp begins, if `start_ready`: slot, threads, address         |
//! | `redirect_*`    |       | divergence unit: new mask, pc and depth of a warp, or its end   |
//! | `unblock_*`     |       | the barrier unit has taken the warp's BAR                       |
//! | `dec_*`         |       | the warp whose instruction stands before the scoreboard         |
//! | `issue_*`       |       | it goes; address of the next                                    |
//! | `issue_refetch` | 1     | the fetched line is used up                                     |
//! | `issue_block`   | 1     | the next address is not known yet (control, marker, barrier)    |
//! | `refused`       | 1     | it has to be selected again                                     |
//! | `hazard_set`    | 1     | … but not yet                                                   |
//! | `waits_for`     | 2     | for what: scoreboard `kind`                                     |
//! | `wake`          | warps | warps that have an operation less in flight                     |
//! | `take`          | 1     | decode takes the selected warp                                  |
//! | `fill_*`        |       | a fetched line has arrived                                      |
//! | `fetch_*`       |       | a warp that needs a line, and its address                       |
//! | `sel_*`         |       | the selected warp: threads, address, stack depth                |
//! | `state_*`       | warps | status bits, for stall counters and waveforms                   |
//!
//! Timing: a warp selected in one cycle is offered in the next, and no other until decode takes it; it
//! is not selected again until its instruction has gone or is refused. So is a fetch: the warp is
//! chosen in one cycle, its address asked for in the next. Two writers share the table: `redirect` goes first,
//! a start waits in a register for a cycle without one. Reset or `clear`: no warp is live.
//! Errors: none.
//! Source: any-ready-warp issue, DESIGN §4; FlexGripPlus keeps one instruction a warp in flight.

use super::bundles::{Continuation, FetchRequest, Selected, WarpEvent};
use super::fetch::{Lines, Requests};
use super::select::Selection;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::dims::{Dims, DEPTH};

group! {
    /// Where each warp stands: a bit a warp.
    struct Table(w: usize) as "" {
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
    struct Start(d: &Dims) as "held" {
        reg valid(1),
        /// Address, threads, slot.
        data warp(d.warp + WARP + d.pc => "held"),
    }
}

/// See the module.
#[derive(LogicBlock)]
pub struct Warps {
    pub clear: Input,
    pub halt: Input,
    pub start_ready: Output,
    pub start_valid: Input,
    pub start_warp: Input,
    pub start_mask: Input,
    pub start_pc: Input,
    pub redirect_valid: Input,
    pub redirect_warp: Input,
    pub redirect_mask: Input,
    pub redirect_pc: Input,
    pub redirect_depth: Input,
    pub redirect_finished: Input,
    pub unblock: WarpEvent<Sink>,
    pub waiting: Input,
    pub dec: WarpEvent<Sink>,
    pub issue_valid: Input,
    pub issue: Continuation<Sink>,
    pub refused: Input,
    pub hazard_set: Input,
    pub waits_for: Input,
    pub wake: Input,
    pub take: Input,
    pub fill: WarpEvent<Sink>,
    pub fetch: FetchRequest<Source>,
    pub sel: Selected<Source>,
    pub state_live: Output,
    pub state_blocked: Output,
    pub state_hazard: Output,
    pub state_memory: Output,
    pub state_special: Output,
    pub state_ready: Output,
    pub state_filled: Output,
    table: Table,
    lines: Lines,
    /// The latest address is the redirected one, not the sequential one.
    redirected: Reg,
    /// Selected and neither issued nor refused yet.
    flying: Reg,
    selection: Selection,
    requests: Requests,
    start: Start,
    sequential: Ram,
    placed: Ram,
    _d: Dims,
}

impl Warps {
    /// The table of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        let w = d.warps;
        Self {
            clear: Input::new(1),
            halt: Input::new(1),
            start_ready: Output::new(1),
            start_valid: Input::new(1),
            start_warp: Input::new(d.warp),
            start_mask: Input::new(WARP),
            start_pc: Input::new(d.pc),
            redirect_valid: Input::new(1),
            redirect_warp: Input::new(d.warp),
            redirect_mask: Input::new(WARP),
            redirect_pc: Input::new(d.pc),
            redirect_depth: Input::new(DEPTH),
            redirect_finished: Input::new(1),
            unblock: WarpEvent::new(&d),
            waiting: Input::new(w),
            dec: WarpEvent::new(&d),
            issue_valid: Input::new(1),
            issue: Continuation::new(&d),
            refused: Input::new(1),
            hazard_set: Input::new(1),
            waits_for: Input::new(2),
            wake: Input::new(w),
            take: Input::new(1),
            fill: WarpEvent::new(&d),
            fetch: FetchRequest::new(&d),
            sel: Selected::new(&d),
            state_live: Output::new(w),
            state_blocked: Output::new(w),
            state_hazard: Output::new(w),
            state_memory: Output::new(w),
            state_special: Output::new(w),
            state_ready: Output::new(w),
            state_filled: Output::new(w),
            table: Table::new(w),
            lines: Lines::new(w),
            redirected: Reg::new(w),
            flying: Reg::new(w),
            selection: Selection::new(&d),
            requests: Requests::new(&d),
            start: Start::new(&d),
            sequential: Ram::new(RamKind::Lut, w, d.pc, 2),
            placed: Ram::new(RamKind::Lut, w, d.pc + WARP + DEPTH, 2),
            _d: d,
        }
    }
}

impl Warps {
    /// What a port of the places reads for a warp: {pc, mask, depth} as placed, and its present pc.
    fn place(&self, port: usize, warp: &Ex) -> (Ex, Ex) {
        let placed = self.placed.read(port, warp).named();
        let sequential = self.sequential.read(port, warp);
        let pc = get(&self.redirected)
            .bit_at(warp)
            .mux(&placed.bits(DEPTH + WARP, self._d.pc), &sequential);
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
            set(
                &self.start.warp,
                cat([
                    &get(&self.start_pc),
                    &get(&self.start_mask),
                    &get(&self.start_warp),
                ]),
            );
        });
        let held = get(&self.start.warp);
        let (held_warp, held_mask, held_pc) = (
            held.bits(0, d.warp),
            held.bits(d.warp, WARP),
            held.bits(d.warp + WARP, d.pc),
        );
        let place_warp = redirect.mux(&get(&self.redirect_warp), &held_warp);
        let redirected = cat([
            &get(&self.redirect_pc),
            &get(&self.redirect_mask),
            &get(&self.redirect_depth),
        ]);
        let started = cat([&held_pc, &held_mask, &zero(DEPTH)]);
        let place = &redirect | &place_held;
        self.placed
            .write(&place_warp, &redirect.mux(&redirected, &started), &place);
        let placed_hot = wire("placed_hot", place_warp.one_hot(w) & place.repeat(w));
        let ended = wire(
            "ended",
            placed_hot.clone() & (&redirect & &get(&self.redirect_finished)).repeat(w),
        );
        let held_hot = wire("held_hot", held_warp.one_hot(w) & place_held.repeat(w));

        let issue = get(&self.issue_valid);
        let dec_hot = wire(
            "dec_hot",
            get(&self.dec.warp).one_hot(w) & get(&self.dec.valid).repeat(w),
        );
        let issue_hot = wire("issue_hot", &dec_hot & &issue.repeat(w));
        self.sequential
            .write(&get(&self.dec.warp), &get(&self.issue.next), &issue);

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
        for (i, to) in [&table.for_memory, &table.for_special]
            .into_iter()
            .enumerate()
        {
            let kind = waits_for.bit(i).repeat(w);
            set(to, (get(to) & !&wait) | (&wait & &kind));
        }
        set(&table.hazard, ((&hazard | wait) & !get(&self.wake)) & &keep);
        set(
            &self.redirected,
            (get(&self.redirected) & !&issue_hot) | &placed_hot,
        );
        when(&clear, || set(&self.start.valid, lit(1, 0)));

        // R: lines for warps that have none.
        let need = wire(
            "need",
            &live & !&blocked & !&filled & !get(&self.lines.fetching),
        );
        let used = &issue_hot & &get(&self.issue.refetch).repeat(w);
        self.requests
            .choose(&self.lines, &need, &self.fill, &used, &clear);
        let fetch_warp = get(&self.requests.warp);
        set(&self.fetch.valid, get(&self.requests.valid));
        set(&self.fetch.warp, &fetch_warp);
        set(&self.fetch.pc, self.place(0, &fetch_warp).1);

        // SEL.
        let flying = get(&self.flying);
        let halt = get(&self.halt);
        let ready = &live
            & !&blocked
            & !&hazard
            & &filled
            & !get(&self.waiting)
            & !&flying
            & !halt.repeat(w);
        let ready = wire("ready", ready);
        let doubtful = get(&table.doubtful);
        let sure = wire("sure", &ready & !&doubtful);
        set(&table.doubtful, (doubtful | &issue_hot) & !get(&self.wake));
        let choice = self
            .selection
            .choose(&ready, &sure, &get(&self.take), &(&clear | &halt));
        let left = &dec_hot & (&issue | get(&self.refused)).repeat(w);
        set(
            &self.flying,
            ((&flying & !wire("left", left)) | (&choice.best & &choice.taken.repeat(w))) & &keep,
        );
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
