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
//! every SM is idle and `mem_pending` is 0. Reset: neither busy nor done.
//! Errors: of traps in one cycle the SM with the lowest number counts, later ones are ignored;
//! of `mem_error` nothing but the cause is known: the rest of the record is 0.
//! Source: ours; FlexGripPlus' block scheduler serves one SM.

use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::cause;
use crate::sm::dims::Dims;

/// See the module.
#[derive(LogicBlock)]
pub struct BlockScheduler {
    pub start: Input,
    pub grid_x: Input,
    pub grid_y: Input,
    pub block_valid: Vec<Output>,
    pub block_ready: Vec<Input>,
    pub ctaid_x: Output,
    pub ctaid_y: Output,
    pub block_done: Vec<Input>,
    pub idle: Vec<Input>,
    pub trap_valid: Vec<Input>,
    pub trap_cause: Vec<Input>,
    pub trap_lane: Vec<Input>,
    pub trap_warp: Vec<Input>,
    pub trap_pc: Vec<Input>,
    pub trap_x: Vec<Input>,
    pub trap_y: Vec<Input>,
    pub mem_error: Input,
    pub mem_pending: Input,
    pub busy: Output,
    pub done: Output,
    pub trapped: Output,
    pub first_cause: Output,
    pub first_lane: Output,
    pub first_warp: Output,
    pub first_sm: Output,
    pub first_pc: Output,
    pub first_x: Output,
    pub first_y: Output,
    running: Reg,
    complete: Reg,
    stopped: Reg,
    more: Reg,
    x: Reg,
    y: Reg,
    turn: Reg,
    /// Blocks given out and not complete.
    resident: Reg,
    record: Reg,
    _d: Dims,
    _sms: usize,
}

impl BlockScheduler {
    /// The scheduler of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        let n = cfg.sms;
        Self {
            start: Input::new(1),
            grid_x: Input::new(16),
            grid_y: Input::new(16),
            block_valid: Output::array(n, 1),
            block_ready: Input::array(n, 1),
            ctaid_x: Output::new(16),
            ctaid_y: Output::new(16),
            block_done: Input::array(n, 1),
            idle: Input::array(n, 1),
            trap_valid: Input::array(n, 1),
            trap_cause: Input::array(n, 4),
            trap_lane: Input::array(n, 5),
            trap_warp: Input::array(n, 5),
            trap_pc: Input::array(n, d.pc),
            trap_x: Input::array(n, 16),
            trap_y: Input::array(n, 16),
            mem_error: Input::new(1),
            mem_pending: Input::new(1),
            busy: Output::new(1),
            done: Output::new(1),
            trapped: Output::new(1),
            first_cause: Output::new(4),
            first_lane: Output::new(5),
            first_warp: Output::new(5),
            first_sm: Output::new(4),
            first_pc: Output::new(d.pc),
            first_x: Output::new(16),
            first_y: Output::new(16),
            running: Reg::new(1),
            complete: Reg::new(1),
            stopped: Reg::new(1),
            more: Reg::new(1),
            x: Reg::data(16),
            y: Reg::data(16),
            turn: Reg::reset_to(n, 1),
            resident: Reg::new(clog2(n * cfg.blocks + 1)),
            record: Reg::new(4 + 5 + 5 + 4 + d.pc + 32),
            _d: d,
            _sms: n,
        }
    }
}

impl Rtl for BlockScheduler {
    fn rtl(&self) {
        let (d, n) = (&self._d, self._sms);
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
        let finished = get_all(&self.block_done)
            .iter()
            .fold(zero(w), |sum, one| sum + one.zext(w));
        set(&self.resident, &resident + &taken.zext(w) - &finished);
        let idle = all_of(&get_all(&self.idle));
        let over = stopped.clone() | (!&more & resident.is(0));
        let performed = !get(&self.mem_pending);
        when(&(running.clone() & over & idle & performed), || {
            set(&self.running, zero(1));
            set(&self.complete, lit(1, 1));
        });

        // The first trap.
        let trap = get_all(&self.trap_valid);
        let trap = wire("trap", pack(trap.iter()));
        let hot = lowest_one_hot(&trap);
        let records: Vec<Ex> = (0..n)
            .map(|s| {
                cat([
                    &get(&self.trap_y[s]),
                    &get(&self.trap_x[s]),
                    &get(&self.trap_pc[s]),
                    &lit(4, s as u64),
                    &get(&self.trap_warp[s]),
                    &get(&self.trap_lane[s]),
                    &get(&self.trap_cause[s]),
                ])
            })
            .collect();
        let refused = get(&self.mem_error);
        when(
            &(running.clone() & (trap.any() | &refused) & !&stopped),
            || {
                set(&self.stopped, lit(1, 1));
                let none = lit(records[0].width(), cause::MEMORY);
                let any = trap.any();
                set(&self.record, any.mux(&one_hot_mux(&hot, &records), &none));
            },
        );

        when(&start, || {
            set(&self.running, lit(1, 1));
            set(&self.complete, zero(1));
            set(&self.stopped, zero(1));
            set(&self.more, lit(1, 1));
            set(&self.x, zero(16));
            set(&self.y, zero(16));
            set(&self.resident, zero(w));
            set(&self.record, zero(self.record.as_ref().width()));
        });

        set(&self.ctaid_x, &x);
        set(&self.ctaid_y, &y);
        set(&self.busy, &running);
        set(&self.done, get(&self.complete));
        set(&self.trapped, &stopped);
        let record = get(&self.record);
        let mut at = 0;
        let widths = [4, 5, 5, 4, d.pc, 16, 16];
        let outputs = [
            &self.first_cause,
            &self.first_lane,
            &self.first_warp,
            &self.first_sm,
            &self.first_pc,
            &self.first_x,
            &self.first_y,
        ];
        for (output, width) in outputs.into_iter().zip(widths) {
            set(output, record.bits(at, width));
            at += width;
        }
    }
}

rtl_block!(BlockScheduler, "block_scheduler");
