//! One streaming multiprocessor: the wiring of its blocks, and nothing else but stall causes.
//!
//! ```text
//! controller ─► warps ─► dispatch ─► issue ─► datapath ─► lsu ─► memory port
//!                 ▲  ▲      (decode,            │   │
//!               fetch │     scoreboard)         │   └► shared, constants, lanes
//!                     └── divergence ◄──────────┤
//!                     └── barrier    ◄──────────┘
//! ```
//!
//! | port        | meaning                                                                    |
//! |-------------|----------------------------------------------------------------------------|
//! | `start`     | a kernel begins: whatever was left of the last is dropped                   |
//! | `halt`      | the kernel has trapped: nothing is issued or performed any more             |
//! | `block_*`   | a block is offered and taken; `block_done` when one is complete             |
//! | `mem_*`     | the SM's memory port, see lsu                                              |
//! | `trap_*`    | this SM has trapped                                                        |
//! | `idle`      | nothing resident, nothing under way                                        |
//! | `count_*`   | events for the performance counters; `count_stall_i`: the i-th stall cause  |
//! | `tr_*`      | the trace port, when configured                                            |
//! | the rest    | launch registers and memory writes, broadcast to all SMs                    |
//!
//! Timing: see the blocks. Reset: idle. Errors: traps, at most one a cycle: of a datapath trap, a
//! divergence trap and a barrier deadlock in one cycle the first in this order.
//! Source: docs/architecture.md, The chip.

pub mod barrier;
pub mod constant;
pub mod control;
pub mod controller;
pub mod dims;
pub mod divergence;
pub mod mem;
pub mod pipeline;
mod stalls;
pub mod trace;
mod traps;

use crate::cache::{Cache, Shape};
use crate::config::GpuConfig;
use crate::front::divergence::FrontDivergence;
use crate::front::fetch::FrontFetch;
use crate::launch_regs::{BANKS, STALLS};
use crate::rtl::prelude::*;
use control::Control;
use dims::Dims;
use mem::port::MemoryPort;
use pipeline::{bundles, datapath, dispatch, issue, warps};
use stalls::StallCauses;
use traps::{FoundTraps, Traps};

block! {
    /// See the module.
    pub struct Sm(cfg: &GpuConfig) {
        in number(4),
        in start(1),
        in running(1),
        in halt(1),
        in grid_x(16),
        in grid_y(16),
        in block_x(16),
        in block_y(16),
        in block_z(16),
        in threads(11),
        in registers(8),
        in shared_bytes(d.shared_size()),
        in program_bytes(d.pc),
        in start_pc(d.pc),
        in global_last(32),
        in global_guard(1),
        in local_base(32),
        in local_bytes(17),
        in param_count(7),
        in bank_base([BANKS] d.constant),
        in bank_words([BANKS] 15),
        in param_we(1),
        in const_we(1),
        in prog_we(1),
        in write_word(16),
        in write_data(32),
        in clock_count(32),
        in block_valid(1),
        out block_ready(1),
        in ctaid_x(16),
        in ctaid_y(16),
        out block_done(1),
        out idle(1),
        out trap_valid(1),
        out trap_cause(control::TRAP_CAUSE),
        out trap_lane(control::TRAP_LANE),
        out trap_warp(control::TRAP_WARP),
        out trap_pc(d.pc),
        out trap_x(16),
        out trap_y(16),
        part mem(MemoryPort<Source>: cfg.port_words),
        /// No other SM may use the chip's port; with atomic accesses and several SMs.
        out lock(if mem::atomic::locks(cfg); 1),
        out count_instruction(1),
        out count_threads(6),
        out count_request(1),
        out count_stall([STALLS] 1),
        /// One trace port, or none.
        part tr([usize::from(d.trace)] trace::TraceOut: d.lanes),
        part controller(controller::Controller: cfg),
        part warps(warps::Warps: cfg),
        part fetch(FrontFetch: cfg),
        part dispatch(dispatch::Dispatch: cfg),
        part issue(issue::IssueStage: cfg),
        part datapath(datapath::Datapath: cfg),
        part lsu(mem::lsu::Lsu: cfg),
        /// Cache of this SM.
        part l1(if cfg.l1_bytes > 0; Cache: Shape::l1(cfg)),
        part divergence(FrontDivergence: cfg),
        part barrier(barrier::Barrier: cfg),
        /// The barrier unit has taken a BAR: its warp is no longer blocked by decode.
        reg bar_taken(1),
        data bar_taken_warp(d.warp),
        part traps(Traps: &d),
        /// Causes of the stall in the cycle before; no cause when an instruction was issued.
        reg stall_seen(stalls::Stall::width(())),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Sm {
    /// Launch values and starting blocks.
    fn launch(&self) {
        let c = &self.controller;
        link(&[
            (&c.start, &self.start),
            (&c.halt, &self.halt),
            (&c.block_threads, &self.threads),
            (&c.block_x, &self.block_x),
            (&c.block_y, &self.block_y),
            (&c.block_z, &self.block_z),
            (&c.registers, &self.registers),
            (&c.shared_bytes, &self.shared_bytes),
            (&c.grid_x, &self.grid_x),
            (&c.grid_y, &self.grid_y),
            (&c.param_count, &self.param_count),
            (&c.param_we, &self.param_we),
            (&c.param_data, &self.write_data),
            (&c.block_valid, &self.block_valid),
            (&c.ctaid_x, &self.ctaid_x),
            (&c.ctaid_y, &self.ctaid_y),
        ]);
        set(&c.param_address, get(&self.write_word).bits(0, 6));
        set(&c.advance, get(&self.datapath.advance));
        // A slot must not begin again while the barriers still work off its warp's end.
        set(&c.warp_busy, get(&self.dispatch.busy) | get(&self.barrier.exiting));
        set(&self.datapath.gap, get(&self.datapath.advance) & get(&self.issue.ready));
        set(&self.block_ready, get(&c.block_ready));
        set(&self.block_done, get(&c.block_done));

        let d = &self.datapath;
        c.init.connect(&d.share);
        set(&d.init.valid, get(&c.rf_valid));
        set(&c.rf_ready, get(&d.init.ready));
        set(&d.init.entry, get(&c.rf_addr));
        set(&d.init.mask, get(&c.rf_mask));
        if let (Some(to), Some(from)) = (d.init_warp.get(), c.rf_warp.get()) {
            set(to, get(from));
        }
        for (to, from) in d.init.data.iter().zip(&c.rf_data) {
            set(to, get(from));
        }
        set(&c.warp_start_ready, get(&self.warps.start_ready));
        let (start, warp) = (get(&c.warp_start_valid), get(&c.warp_start));
        set(&self.warps.start_valid, &start);
        set(&self.warps.start_warp, &warp);
        set(&self.warps.start_mask, get(&c.warp_start_mask));
        set(&self.warps.start_pc, get(&self.start_pc));
        let v = self.divergence.ports();
        set(&v.start_valid, &start);
        set(&v.start_warp, &warp);
        set(&self.dispatch.place_valid, &start);
        set(&self.dispatch.place_warp, &warp);
        set(&self.dispatch.place_block, get(&c.warp_start_block));
        set(&self.dispatch.place_reg_base, get(&c.warp_start_regbase));
        set(&self.dispatch.place_shared_base, get(&c.warp_start_sharedbase));
        set(&self.barrier.start_valid, get(&c.block_start_valid));
        set(&self.barrier.start_warps, get(&c.block_start_warps));
        set(&self.barrier.start_block, get(&c.block_start_slot));
        let p = &self.datapath;
        if let Some(to) = p.start.get() {
            set(&to.valid, &start);
            set(&to.warp, &warp);
            set(&to.mask, get(&c.warp_start_mask));
        }
        let sizes = [&self.block_x, &self.block_y, &self.block_z];
        for (to, from) in p.block_size.iter().zip(sizes) {
            set(to, get(from));
        }
        set(&self.barrier.place_valid, &start);
        set(&self.barrier.place_warp, &warp);
        set(&self.barrier.place_block, get(&c.warp_start_block));
    }

    /// Fetch, selection, decode, issue.
    fn front(&self) {
        let (w, x, i, p) = (&self.warps, &self.dispatch, &self.issue, &self.datapath);
        link(&[
            (&w.clear, &self.start),
            (&w.halt, &self.halt),
            (&x.clear, &self.start),
            (&x.halt, &self.halt),
            (&x.registers, &self.registers),
            (&i.clear, &self.start),
            (&i.halt, &self.halt),
        ]);
        x.dec.connect(&w.dec);
        x.after.connect(&w.issue);
        w.sel.connect(&x.sel);
        i.free.connect(&x.free);
        i.waking.connect(&x.waking);
        i.near.connect(&x.near);
        wires(&[
            (&w.issue_valid, &x.issue_valid),
            (&w.refused, &x.refused),
            (&w.hazard_set, &x.hazard_set),
            (&w.waits_for, &x.waits_for),
            (&w.wake, &x.wake),
            (&w.take, &x.take),
            (&x.room, &i.room),
            (&x.fetch_full, &w.fetch_full),
            (&i.advance, &p.advance),
            (&i.hold, &p.hold),
            (&i.issue_valid, &x.issue_valid),
            (&i.issue, &x.issue),
            (&p.i.valid, &i.valid),
            (&p.i.issue, &i.out),
            (&p.i.beat, &i.beat),
            (&p.i.pass, &i.pass),
            (&p.i.first, &i.first),
            (&p.i.last, &i.last),
        ]);
    }

    /// Fetch, and what it tells the warp table and decode.
    fn fetches(&self) {
        let (f, w) = (self.fetch.ports(), &self.warps);
        link(&[(&f.program_bytes, &self.program_bytes), (&f.prog_we, &self.prog_we), (&f.prog_data, &self.write_data)]);
        set(&f.prog_address, get(&self.write_word).resize(f.prog_address.as_ref().width()));
        w.fetch.connect(&f.fetch);
        f.sel.connect(&self.dispatch.line);
        wires(&[(&f.sel_warp, &w.sel.warp)]);
    }

    /// Completion of what is not the pipeline's: special functions, loads and stores; one a cycle.
    fn done(&self) -> [Expr; 3] {
        let (p, l) = (&self.datapath, &self.lsu);
        let special = get(&p.done.valid);
        let pick = |a: &Output, b: &Output| special.mux(&get(a), &get(b));
        [
            wire("done", &special | &get(&l.done.valid)),
            pick(&p.done.warp, &l.done.warp),
            pick(&p.done.slot, &l.done.slot),
        ]
    }

    /// Datapath, load/store unit, memory port.
    fn back(&self) {
        let (p, l) = (&self.datapath, &self.lsu);
        link(&[
            (&p.clear, &self.start),
            (&p.halt, &self.halt),
            (&p.sm, &self.number),
            (&p.registers, &self.registers),
            (&p.sizes.shared_bytes, &self.shared_bytes),
            (&p.sizes.global_last, &self.global_last),
            (&p.sizes.global_guard, &self.global_guard),
            (&p.local_base, &self.local_base),
            (&p.sizes.local_bytes, &self.local_bytes),
            (&p.clock_count, &self.clock_count),
            (&p.constant_word.we, &self.const_we),
            (&p.constant_word.data, &self.write_data),
        ]);
        set(&p.constant_word.address, get(&self.write_word).resize(self._d.constant));
        for k in 0..BANKS {
            set(&p.sizes.bank_base[k], get(&self.bank_base[k]));
            set(&p.sizes.bank_words[k], get(&self.bank_words[k]));
        }
        wires(&[
            (&l.in_valid, &p.lsu.valid),
            (&p.lsu.ready, &l.in_ready),
            (&l.in_write, &p.lsu.write),
            (&l.in_size, &p.lsu.size),
            (&l.in_mask, &p.lsu.mask),
            (&l.in_warp, &p.lsu.warp),
            (&l.in_slot, &p.lsu.slot),
            (&l.in_rf, &p.lsu.entry),
            (&l.in_last, &p.lsu.last),
            (&p.load.valid, &l.wb_valid),
            (&l.wb_ready, &p.load.ready),
            (&p.load.warp, &l.wb_warp),
            (&p.load.slot, &l.wb_slot),
            (&l.done_busy, &p.done.valid),
            (&p.load.entry, &l.wb_rf),
            (&p.load.mask, &l.wb_mask),
        ]);
        for i in 0..self._d.lanes {
            set(&l.in_addr[i], get(&p.lsu.addr[i]));
            set(&l.in_data[i], get(&p.lsu.data[i]));
            set(&p.load.data[i], get(&l.wb_data[i]));
        }
        if let (Some(to), Some(from)) = (l.in_operation.get(), p.lsu.operation.get()) {
            set(to, get(from));
        }
        l.in_compare.iter().zip(&p.lsu.compare).for_each(|(to, from)| set(to, get(from)));
        if let (Some(halt), Some(lock), Some(from)) = (l.halt.get(), self.lock.get(), l.lock.get()) {
            set(halt, get(&self.halt));
            set(lock, get(from));
        }
        match self.l1.get() {
            None => l.mem.pass_up(&self.mem),
            Some(l1) => {
                set(&l1.running, get(&self.running));
                l1.serve(&l.mem);
                l1.mem.pass_up(&self.mem);
            }
        }
        set(&self.count_request, get(&l.request_count));
        set(&self.count_instruction, get(&p.retire_last));
        set(&self.count_threads, get(&p.retire_threads));
    }

    /// Divergence and barriers, and what they say to the warp table. Returns "a warp has ended".
    fn control(&self) -> (Expr, Expr) {
        let (p, v, b, w) = (&self.datapath, self.divergence.ports(), &self.barrier, &self.warps);
        wires(&[
            (&v.valid, &p.flow.valid),
            (&p.flow.ready, &v.ready),
            (&v.op, &p.flow.op),
            (&v.marker, &p.flow.marker),
            (&v.warp, &p.flow.warp),
            (&v.active, &p.flow.active),
            (&v.exec, &p.flow.exec),
            (&v.target, &p.flow.target),
            (&v.next, &p.flow.next),
            (&b.bar_valid, &p.bar.valid),
            (&b.bar_warp, &p.bar.warp),
            (&b.bar_id, &p.bar.id),
            (&b.bar_arrive, &p.bar.arrive),
            (&b.bar_wait, &p.bar.wait),
            (&w.waiting, &b.waiting),
            (&w.redirect_warp, &v.result_warp),
            (&w.redirect_mask, &v.result_mask),
            (&w.redirect_pc, &v.result_pc),
            (&w.redirect_depth, &v.result_depth),
            (&w.redirect_finished, &v.result_finished),
        ]);
        if let (Some((hop, waits)), Some(from), Some(to)) =
            (self.divergence.channels(), p.flow.hop.get(), self.dispatch.waits.get())
        {
            set(hop, get(from));
            set(&to.valid, get(&v.result_valid));
            set(&to.warp, get(&v.result_warp));
            set(&to.places, get(waits));
        }
        if let ([from], Some(to)) = (&p.mask[..], self.divergence.beat()) {
            from.connect(to);
        }
        if let (Some(to), Some(from)) = (b.counted.get(), p.bar.count.get()) {
            set(&to.count, get(from));
        }
        set(&b.clear, get(&self.start));
        let result = wire("result", get(&v.result_valid) & !get(&v.result_trap) & !get(&self.halt));
        set(&w.redirect_valid, &result);
        // A barrier instruction with `.S` goes on where the divergence unit says.
        let taken = match self._d.has.barrier_counts {
            true => get(&p.bar.valid) & !get(&p.flow.valid),
            false => get(&p.bar.valid),
        };
        set(&self.bar_taken, taken);
        set(&self.bar_taken_warp, get(&p.bar.warp));
        set(&w.unblock.valid, get(&self.bar_taken));
        set(&w.unblock.warp, get(&self.bar_taken_warp));
        let ended = wire("warp_ended", &result & get(&v.result_finished));
        let warp = get(&v.result_warp);
        set(&b.exit_warps, get(&self.controller.finishing));
        set(&b.live, get(&self.controller.running));
        set(&self.controller.finish_valid, &ended);
        set(&self.controller.finish_warp, &warp);
        (ended, warp)
    }

    /// Traps of the datapath, the divergence unit and the barriers.
    fn traps(&self) {
        let (p, b) = (&self.datapath, &self.barrier);
        let record = self.traps.rtl(&FoundTraps {
            d: &self._d,
            start: &self.start,
            beat: &p.trap,
            flow: &p.flow,
            bar: &p.bar,
            divergence: self.divergence.ports(),
            barrier: b,
        });
        set(&self.trap_valid, record.valid & !get(&self.halt));
        set(&self.trap_cause, record.cause);
        set(&self.trap_lane, record.lane);
        set(&self.trap_warp, record.warp.resize(5));
        set(&self.trap_pc, record.pc);
        let c = &self.controller;
        set(&c.asked_slot, record.block);
        set(&self.trap_x, get(&c.asked_x));
        set(&self.trap_y, get(&c.asked_y));
    }
}

/// Passes inputs of this block to inputs of its children.
fn link(pairs: &[(&Input, &Input)]) {
    pairs.iter().for_each(|(to, from)| set(*to, get(*from)));
}

/// Connects outputs of children to inputs of others.
fn wires(pairs: &[(&Input, &Output)]) {
    pairs.iter().for_each(|(to, from)| set(*to, get(*from)));
}

impl Rtl for Sm {
    fn rtl(&self) {
        self.launch();
        self.fetches();
        self.front();
        self.back();
        let (ended, ended_warp) = self.control();
        self.traps();
        let stall = StallCauses {
            running: &self.running,
            warps: &self.warps,
            dispatch: &self.dispatch,
            issue: &self.issue,
            datapath: &self.datapath,
            seen: &self.stall_seen,
            counts: &self.count_stall,
        };
        let stall = stall.rtl();
        let done = self.done();
        let x = &self.dispatch;
        for (to, value) in [&x.done.valid, &x.done.warp, &x.done.slot].into_iter().zip(&done) {
            set(to, value);
        }

        let (p, l, c) = (&self.datapath, &self.lsu, &self.controller);
        let moving = get(&p.busy)
            | get(&self.issue.busy)
            | get(&self.divergence.ports().busy)
            | get(&self.dispatch.occupied)
            | get(&self.warps.sel.valid)
            | !get(&l.idle);
        let moving = self.l1.get().map_or(moving.clone(), |l1| moving | get(&l1.busy));
        let moving = wire("moving", moving);
        let resident = !get(&c.idle) & !get(&self.halt);
        set(&self.idle, !&moving & !&resident & !get(&self.start));

        if let [t] = &self.tr[..] {
            let d = &self._d;
            let tag = bundles::BeatTag::unpack(d, "tag", &get(&p.retired.tag));
            let (w, x) = (&self.warps, &self.dispatch);
            let (live, blocked) = (get(&w.state_live), get(&w.state_blocked));
            let issued = bundles::Issue::unpack(d, "issued", &get(&x.issue));
            let (mut done, mut issues) = (done, get(&x.issue_valid));
            if let (Some(shown), Some(channels)) =
                (p.done_shown.get(), Control::unpack(d, "issued", &issued.control).channels(d, "issued"))
            {
                // Of the steps of an instruction the last is shown.
                done[0] = wire("done_shown", &done[0] & &(!get(&p.done.valid) | get(shown)));
                issues = issues & !channels.goes_on;
            }
            let later = get(&p.deferred.entry);
            let later = match p.deferred.flags.get() {
                // Flags of SM 1.3 stand beyond all registers.
                Some(flags) => cat([&get(flags), &later.zext(15)]),
                None => later,
            };
            let events = trace::Events {
                ld_valid: get(&p.deferred.valid),
                ld: [get(&p.deferred.warp), get(&p.deferred.slot), later, get(&p.deferred.mask)],
                ld_data: get(&p.deferred.data),
                done,
                performed: [get(&l.performed), get(&l.performed_warp), get(&l.performed_slot)],
                start: [
                    get(&c.warp_start_valid),
                    get(&c.warp_start),
                    get(&c.warp_start_block),
                    get(&c.warp_start_mask),
                    get(&c.warp_start_x),
                    get(&c.warp_start_y),
                    get(&c.warp_start_index),
                    get(&c.warp_start_regbase),
                ],
                exit: [ended, ended_warp],
                stall,
                issue: [issues, issued.warp.clone(), issued.pc.clone(), issued.slot.clone()],
                at: [
                    live.clone(),
                    blocked.clone(),
                    get(&w.state_hazard),
                    get(&w.state_memory),
                    get(&w.state_special),
                    &live & !&blocked & get(&w.state_unfetched),
                    &live & get(&self.barrier.waiting),
                ],
                held_pc: get(&p.tr_held_pc),
                request: get(&l.request_count),
            };
            let values = [
                get(&p.retired.y),
                get(&p.retired.flags),
                get(&p.retired.next),
                get(&p.retired.addr),
                get(&p.retired.data),
            ];
            trace::drive(t, d, &get(&p.retired.valid), &tag, values, events);
        }
    }
}

rtl_block!(Sm, "sm");
