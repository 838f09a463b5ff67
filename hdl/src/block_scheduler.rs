//! Block scheduler: walks the grid and gives its blocks to the SMs.
//!
//! Blocks go out in order, ctaid.x fastest, to whichever SM can take one; the SMs are asked in
//! turn, one a cycle.
//!
//! | port              | width | meaning                                                      |
//! |-------------------|-------|--------------------------------------------------------------|
//! | `start`           | 1     | begin a grid                                                 |
//! | `grid_x`, `grid_y`| 16    | blocks in x and y, not 0; steady while `busy`                |
//! | `block_valid_i`   | 1     | SM i is offered a block                                      |
//! | `block_ready_i`   | 1     | SM i takes it                                                |
//! | `ctaid_x`, `_y`   | 16    | the block offered                                            |
//! | `block_done_i`    | 1     | one cycle: a block of SM i is complete                       |
//! | `idle_i`          | 1     | SM i has no block and nothing under way                      |
//! | `trap_valid_i`    | 1     | SM i has trapped; with it `trap_cause_i` 4, `trap_lane_i` 5, |
//! |                   |       | `trap_warp_i` 5, `trap_pc_i` pc, `trap_x_i`, `trap_y_i` 16   |
//! | `mem_error`       | 1     | the memory refused an access of the kernel: trap 12          |
//! | `mem_pending`     | 1     | stores are not complete: the grid is not either              |
//! | `busy`            | 1     | from `start` to `done`                                       |
//! | `done`            | 1     | the grid is complete or has trapped; until the next `start`  |
//! | `trapped`         | 1     | it has trapped: nothing may issue any more                   |
//! | `first_*`         |       | record of the first trap; `first_sm` 4                       |
//!
//! Timing: at most one block a cycle. An offer may be withdrawn in the next cycle. Several
//! `block_done_i` may come in one cycle. `done` comes when every block is complete, or after a trap,
//! every SM is idle and `mem_pending` is 0; on a hardened chip two cycles later. Reset: neither busy nor done.
//! Errors: of traps in one cycle the SM with the lowest number counts, later ones are ignored;
//! of `mem_error` nothing but the cause is known: the rest of the record is 0.
//! Source: ours; FlexGripPlus' block scheduler serves one SM.

use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::{TRAP_CAUSE, TRAP_LANE, TRAP_SM, TRAP_WARP};
use crate::sm::dims::Dims;
use crate::watchdog::Watchdog;
use warpsmith_contract::TrapCause;

/// Cycles from a wrong bit to `fault`: a grid that is complete is done when so many more have passed.
const DETECTION: usize = 2;

block! {
    /// See the module.
    pub struct BlockScheduler(cfg: &GpuConfig) {
        in start(1),
        in grid_x(16),
        in grid_y(16),
        out block_valid([n] 1),
        in block_ready([n] 1),
        out ctaid_x(16),
        out ctaid_y(16),
        in block_done([n] 1),
        in idle([n] 1),
        in trap_valid([n] 1),
        in trap_cause([n] TRAP_CAUSE),
        in trap_lane([n] TRAP_LANE),
        in trap_warp([n] TRAP_WARP),
        in trap_pc([n] d.pc),
        in trap_x([n] 16),
        in trap_y([n] 16),
        in mem_error(1),
        in mem_pending(1),
        /// Of a hardened chip: a fault was detected, trap 14.
        in fault(if !cfg.harden.is_empty(); 1),
        /// With a watchdog: an instruction of any SM retires. Without one for too long: trap 15.
        in retired(if cfg.watchdog > 0; 1),
        out busy(1),
        out done(1),
        out trapped(1),
        out first_cause(TRAP_CAUSE),
        out first_lane(TRAP_LANE),
        out first_warp(TRAP_WARP),
        out first_sm(TRAP_SM),
        out first_pc(d.pc),
        out first_x(16),
        out first_y(16),
        reg running(1),
        reg complete(1),
        reg stopped(1),
        reg more(1),
        data x(16),
        data y(16),
        part turn(Reg = Reg::reset_to(n, 1)),
        /// Blocks given out and not complete.
        reg resident(clog2(n * cfg.blocks + 1)),
        reg record(TRAP_CAUSE + TRAP_LANE + TRAP_WARP + TRAP_SM + d.pc + 32),
        part watchdog(if cfg.watchdog > 0; Watchdog: cfg.watchdog),
        /// Of a hardened chip: `complete`, one and two cycles later.
        reg settled(if !cfg.harden.is_empty(); DETECTION),
        keep _d(Dims = d),
        keep _sms(usize = n),
    } where {
        let d = Dims::of(cfg);
        let n = cfg.sms;
    }
}

impl Rtl for BlockScheduler {
    fn rtl(&self) {
        let n = self._sms;
        let start = get(&self.start);
        let (running, stopped, more) = (get(&self.running), get(&self.stopped), get(&self.more));
        let (x, y, turn) = (get(&self.x), get(&self.y), get(&self.turn));

        // Offers.
        let offer = wire("offer", &running & &more & !&stopped);
        let asked = wire("asked", &turn & &offer.repeat(n));
        for (s, valid) in self.block_valid.iter().enumerate() {
            set(valid, asked.bit(s));
        }
        let ready = get_all(&self.block_ready);
        let taken = wire("taken", (&asked & &pack(ready.iter())).any());
        if n > 1 {
            set(&self.turn, cat([&turn.bits(0, n - 1), &turn.bit(n - 1)]));
        } else {
            set(&self.turn, &turn);
        }
        let last_x = wire("last_x", (&x + lit(16, 1)).eq(&get(&self.grid_x)));
        let last_y = (&y + lit(16, 1)).eq(&get(&self.grid_y));
        when(&taken, || {
            set(&self.x, last_x.mux(&zero(16), &(&x + lit(16, 1))));
            when(&last_x, || {
                set(&self.y, &y + lit(16, 1));
                when(&last_y, || set(&self.more, zero(1)));
            });
        });

        // Completion.
        let resident = get(&self.resident);
        let w = resident.width();
        let finished = get_all(&self.block_done).iter().fold(zero(w), |sum, one| sum + one.zext(w));
        set(&self.resident, &resident + &taken.zext(w) - &finished);
        let idle = all_of(&get_all(&self.idle));
        let ended = stopped.clone() | (!&more & resident.is(0));
        let performed = !get(&self.mem_pending);
        when(&(running.clone() & ended & idle & performed), || {
            set(&self.running, zero(1));
            set(&self.complete, lit(1, 1));
        });

        // The first trap.
        let trap = get_all(&self.trap_valid);
        let trap = wire("trap", pack(trap.iter()));
        let hot = lowest_one_hot(&trap);
        let records: Vec<Expr> = (0..n)
            .map(|s| {
                cat([
                    &get(&self.trap_y[s]),
                    &get(&self.trap_x[s]),
                    &get(&self.trap_pc[s]),
                    &lit(TRAP_SM, s as u64),
                    &get(&self.trap_warp[s]),
                    &get(&self.trap_lane[s]),
                    &get(&self.trap_cause[s]),
                ])
            })
            .collect();
        let refused = get(&self.mem_error);
        when(&(running.clone() & (trap.any() | &refused) & !&stopped), || {
            set(&self.stopped, lit(1, 1));
            let none = lit(records[0].width(), TrapCause::Memory.number().into());
            let any = trap.any();
            set(&self.record, any.mux(&one_hot_mux(&hot, &records), &none));
        });
        if let (Some(watchdog), Some(retired)) = (self.watchdog.get(), self.retired.get()) {
            set(&watchdog.running, &running);
            set(&watchdog.retired, get(retired));
            let expired = wire("expired", get(&watchdog.expired));
            when(&(&expired & !&stopped), || {
                set(&self.stopped, lit(1, 1));
                set(&self.record, lit(records[0].width(), TrapCause::Watchdog.number().into()));
            });
            // What hangs may be what the end waits for.
            when(&(&expired & &stopped), || {
                set(&self.running, zero(1));
                set(&self.complete, lit(1, 1));
            });
        }
        let mut over = get(&self.complete);
        if let (Some(fault), Some(settled)) = (self.fault.get(), self.settled.get()) {
            let passed = get(settled);
            set(settled, cat([&passed.bits(0, DETECTION - 1), &over]));
            over = over & passed.bit(DETECTION - 1);
            // What the program does with a wrong value does not count: this trap comes before others of its cycle. The
            // wrong value may be in this block: a run that is not over is ended, and a trap has a cause.
            let unknown = get(&self.record).bits(0, TRAP_CAUSE).is(0);
            when(&(get(fault) & !&over & (!&stopped | unknown)), || {
                set(&self.running, lit(1, 1));
                set(&self.stopped, lit(1, 1));
                set(&self.record, lit(records[0].width(), TrapCause::Fault.number().into()));
            });
        }

        when(&start, || {
            set(&self.running, lit(1, 1));
            set(&self.complete, zero(1));
            set(&self.stopped, zero(1));
            set(&self.more, lit(1, 1));
            set(&self.x, zero(16));
            set(&self.y, zero(16));
            set(&self.resident, zero(w));
            set(&self.record, zero(self.record.as_ref().width()));
            if let Some(settled) = self.settled.get() {
                set(settled, zero(DETECTION));
            }
        });

        set(&self.ctaid_x, &x);
        set(&self.ctaid_y, &y);
        // Of a hardened chip, a bit that is wrong is no end.
        let hardened = self.fault.get().is_some();
        set(&self.busy, if hardened { &running | (get(&self.complete) & !&over) } else { running.clone() });
        set(&self.done, if hardened { over & !&running } else { over });
        set(&self.trapped, &stopped);
        let record = get(&self.record);
        let mut at = 0;
        let outputs = [
            &self.first_cause, &self.first_lane, &self.first_warp, &self.first_sm, &self.first_pc, &self.first_x,
            &self.first_y,
        ];
        for output in outputs {
            let width = output.as_ref().width();
            set(output, record.bits(at, width));
            at += width;
        }
    }
}

rtl_block!(BlockScheduler, "block_scheduler");
