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

use super::dims::Dims;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;

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
    pub unblock_valid: Input,
    pub unblock_warp: Input,
    pub waiting: Input,
    pub dec_valid: Input,
    pub dec_warp: Input,
    pub issue_valid: Input,
    pub issue_next: Input,
    pub issue_refetch: Input,
    pub issue_block: Input,
    pub refused: Input,
    pub hazard_set: Input,
    pub waits_for: Input,
    pub wake: Input,
    pub take: Input,
    pub fill_valid: Input,
    pub fill_warp: Input,
    pub fetch_valid: Output,
    pub fetch_warp: Output,
    pub fetch_pc: Output,
    pub sel_valid: Output,
    pub sel_warp: Output,
    pub sel_mask: Output,
    pub sel_pc: Output,
    pub sel_depth: Output,
    pub state_live: Output,
    pub state_blocked: Output,
    pub state_hazard: Output,
    pub state_memory: Output,
    pub state_special: Output,
    pub state_ready: Output,
    pub state_filled: Output,
    live: Reg,
    blocked: Reg,
    hazard: Reg,
    /// Nothing has completed since the warp last issued.
    doubtful: Reg,
    /// Of warps with a hazard: what they wait for; neither means the pipeline.
    for_memory: Reg,
    for_special: Reg,
    filled: Reg,
    fetching: Reg,
    /// The latest address is the redirected one, not the sequential one.
    redirected: Reg,
    /// Selected and neither issued nor refused yet.
    flying: Reg,
    picked_valid: Reg,
    picked: Reg,
    asks_valid: Reg,
    asks: Reg,
    held_valid: Reg,
    held: Reg,
    sequential: Ram,
    placed: Ram,
    _d: Dims,
}

/// Bits of a stack depth.
pub const DEPTH: usize = 7;

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
            unblock_valid: Input::new(1),
            unblock_warp: Input::new(d.warp),
            waiting: Input::new(w),
            dec_valid: Input::new(1),
            dec_warp: Input::new(d.warp),
            issue_valid: Input::new(1),
            issue_next: Input::new(d.pc),
            issue_refetch: Input::new(1),
            issue_block: Input::new(1),
            refused: Input::new(1),
            hazard_set: Input::new(1),
            waits_for: Input::new(2),
            wake: Input::new(w),
            take: Input::new(1),
            fill_valid: Input::new(1),
            fill_warp: Input::new(d.warp),
            fetch_valid: Output::new(1),
            fetch_warp: Output::new(d.warp),
            fetch_pc: Output::new(d.pc),
            sel_valid: Output::new(1),
            sel_warp: Output::new(d.warp),
            sel_mask: Output::new(WARP),
            sel_pc: Output::new(d.pc),
            sel_depth: Output::new(DEPTH),
            state_live: Output::new(w),
            state_blocked: Output::new(w),
            state_hazard: Output::new(w),
            state_memory: Output::new(w),
            state_special: Output::new(w),
            state_ready: Output::new(w),
            state_filled: Output::new(w),
            live: Reg::new(w),
            blocked: Reg::new(w),
            hazard: Reg::new(w),
            doubtful: Reg::new(w),
            for_memory: Reg::data(w),
            for_special: Reg::data(w),
            filled: Reg::new(w),
            fetching: Reg::new(w),
            redirected: Reg::new(w),
            flying: Reg::new(w),
            picked_valid: Reg::new(1),
            picked: Reg::new(d.warp),
            asks_valid: Reg::new(1),
            asks: Reg::new(d.warp),
            held_valid: Reg::new(1),
            held: Reg::data(d.warp + WARP + d.pc),
            sequential: Ram::new(RamKind::Lut, w, d.pc, 2),
            placed: Ram::new(RamKind::Lut, w, d.pc + WARP + DEPTH, 2),
            _d: d,
        }
    }
}

/// A set bit of `ready`, one-hot: the first behind `last`, else the first of all. One carry chain
/// through both in the order of preference.
fn round_robin(ready: &Ex, last: &Ex) -> Ex {
    let w = ready.width();
    let above = |i: usize| match i {
        0 => zero(1),
        _ => last.lt(&lit(last.width(), i as u64)),
    };
    let behind: Vec<Ex> = (0..w).map(above).collect();
    let behind = wire("behind", pack(behind.iter()));
    let candidates = wire("candidates", cat([ready, &(ready & &behind)]));
    let first = wire("first_candidate", lowest_one_hot(&candidates));
    first.bits(0, w) | first.bits(w, w)
}

impl Rtl for Warps {
    fn rtl(&self) {
        let d = &self._d;
        let w = d.warps;
        let hot = |valid: &Input, index: &Input| get(index).one_hot(w) & get(valid).repeat(w);

        // Redirection and start share one write port.
        let redirect = get(&self.redirect_valid);
        let held_valid = get(&self.held_valid);
        set(&self.start_ready, !&held_valid);
        let place_held = wire("place_held", &held_valid & !&redirect);
        when(&place_held, || set(&self.held_valid, lit(1, 0)));
        when(&get(&self.start_valid), || {
            set(&self.held_valid, lit(1, 1));
            set(
                &self.held,
                cat([
                    &get(&self.start_pc),
                    &get(&self.start_mask),
                    &get(&self.start_warp),
                ]),
            );
        });
        let held = get(&self.held);
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
            get(&self.dec_warp).one_hot(w) & get(&self.dec_valid).repeat(w),
        );
        let issue_hot = wire("issue_hot", &dec_hot & &issue.repeat(w));
        self.sequential
            .write(&get(&self.dec_warp), &get(&self.issue_next), &issue);

        let live = get(&self.live);
        let blocked = get(&self.blocked);
        let hazard = get(&self.hazard);
        let filled = get(&self.filled);
        let fetching = get(&self.fetching);
        let clear = get(&self.clear);
        let keep = !clear.repeat(w);
        set(&self.live, ((&live & !&ended) | &held_hot) & &keep);
        let block = &issue_hot & &get(&self.issue_block).repeat(w);
        let unblock = hot(&self.unblock_valid, &self.unblock_warp) | &placed_hot;
        set(&self.blocked, ((&blocked & !unblock) | block) & &keep);
        let wait = wire("refused_hot", &dec_hot & &get(&self.hazard_set).repeat(w));
        let waits_for = get(&self.waits_for);
        for (i, to) in [&self.for_memory, &self.for_special]
            .into_iter()
            .enumerate()
        {
            let kind = waits_for.bit(i).repeat(w);
            set(to, (get(to) & !&wait) | (&wait & &kind));
        }
        set(&self.hazard, ((&hazard | wait) & !get(&self.wake)) & &keep);
        set(
            &self.redirected,
            (get(&self.redirected) & !&issue_hot) | &placed_hot,
        );
        when(&clear, || set(&self.held_valid, lit(1, 0)));

        // Fetch: one line a cycle for a warp that has none.
        let need = wire("need", &live & !&blocked & !&filled & !&fetching);
        let fetch_warp = get(&self.asks);
        let fetch_hot = wire("fetch_hot", round_robin(&need, &fetch_warp));
        let fill = wire("fill", hot(&self.fill_valid, &self.fill_warp));
        set(&self.fetching, ((&fetching | &fetch_hot) & !&fill) & &keep);
        let used = &issue_hot & &get(&self.issue_refetch).repeat(w);
        set(&self.filled, ((&filled | &fill) & !used) & &keep);
        let needed = wire("needed", need.any());
        set(&self.asks_valid, &needed & !&clear);
        when(&needed, || {
            set(&self.asks, one_hot_index(&fetch_hot, d.warp))
        });
        let address = |port: usize, warp: &Ex| {
            let placed = self.placed.read(port, warp).named();
            let sequential = self.sequential.read(port, warp);
            let pc = get(&self.redirected)
                .bit_at(warp)
                .mux(&placed.bits(DEPTH + WARP, d.pc), &sequential);
            (placed, pc)
        };
        set(&self.fetch_valid, get(&self.asks_valid));
        set(&self.fetch_warp, &fetch_warp);
        set(&self.fetch_pc, address(0, &fetch_warp).1);

        // Selection.
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
        let doubtful = get(&self.doubtful);
        let sure = wire("sure", &ready & !&doubtful);
        set(&self.doubtful, (doubtful | &issue_hot) & !get(&self.wake));
        let sel_warp = get(&self.picked);
        // Both classes side by side: whether there is a sure one is known before the first of them.
        let others = round_robin(&ready, &sel_warp) & (!sure.any()).repeat(w);
        let sel_hot = wire("sel_hot", round_robin(&sure, &sel_warp) | others);
        let picks = wire("picks", !get(&self.picked_valid) | get(&self.take));
        let any = wire("any_ready", ready.any());
        when(&picks, || set(&self.picked_valid, &any));
        when(&(&picks & &any), || {
            set(&self.picked, one_hot_index(&sel_hot, d.warp))
        });
        when(&(&clear | &halt), || set(&self.picked_valid, lit(1, 0)));
        let left = &dec_hot & (&issue | get(&self.refused)).repeat(w);
        set(
            &self.flying,
            ((&flying & !wire("left", left)) | (&sel_hot & &picks.repeat(w))) & &keep,
        );
        let (placed, pc) = address(1, &sel_warp);
        set(&self.sel_valid, get(&self.picked_valid));
        set(&self.sel_warp, &sel_warp);
        set(&self.sel_mask, placed.bits(DEPTH, WARP));
        set(&self.sel_depth, placed.bits(0, DEPTH));
        set(&self.sel_pc, pc);
        set(&self.state_live, live);
        set(&self.state_blocked, blocked);
        set(&self.state_memory, &hazard & get(&self.for_memory));
        set(&self.state_special, &hazard & get(&self.for_special));
        set(&self.state_ready, &ready);
        set(&self.state_hazard, hazard);
        set(&self.state_filled, filled);
    }
}

rtl_block!(Warps, "warps");
