//! A control operation between stage A and its unit: one of the divergence unit's, or a barrier's.
//!
//! | port            | width     | meaning                                                    |
//! |-----------------|-----------|------------------------------------------------------------|
//! | `clear`         | 1         | drop what is held                                          |
//! | `flow_valid`    | 1         | stage A hands over an operation of the divergence unit, if `ready` |
//! | `bar_valid`     | 1         | stage A hands over a barrier instruction, if `ready`       |
//! | `operation`     | Operation | it                                                         |
//! | `ready`         | 1         | either can be taken                                        |
//! | `out_ready`     | 1         | the divergence unit takes what is held                     |
//! | `out_flow`, `out_bar` | 1   | what is held, for whom                                     |
//! | `out`           | Operation | it                                                         |
//! | `busy`          | 1         | something is held                                          |
//!
//! Timing: held in the cycle after; a barrier instruction one cycle, an operation of the divergence
//! unit until `out_ready`. Reset or `clear`: empty. Errors: none.
//! Source: guard and stall are late in stage A; the units have tables of their own to look into.

use super::bundles::{BarrierOperation, ControlTransfer, Operation};
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct Flow(d: &Dims) {
        in clear(1),
        in flow_valid(1),
        in bar_valid(1),
        in operation(Operation::width(d)),
        out ready(1),
        in out_ready(1),
        out out_flow(1),
        out out_bar(1),
        out out(Operation::width(d)),
        out busy(1),
        reg flow(1),
        reg bar(1),
        data held(Operation::width(d)),
    }
}

impl Flow {
    /// What this child holds to the units: `transfer` to the divergence unit, `barrier` to the barriers.
    pub fn hand_over(
        &self, d: &Dims, clear: &Input, transfer: &ControlTransfer<Source>, barrier: &BarrierOperation<Source>,
    ) {
        let o = Operation::unpack(d, "flow", &get(&self.out));
        set(&self.clear, get(clear));
        set(&self.out_ready, get(&transfer.ready));
        set(&transfer.valid, get(&self.out_flow));
        set(&transfer.op, o.op);
        set(&transfer.marker, o.marker);
        set(&transfer.warp, &o.warp);
        set(&transfer.active, o.active);
        set(&transfer.exec, o.exec);
        set(&transfer.target, o.target);
        set(&transfer.next, o.next);
        set(&transfer.pc, &o.pc);
        set(&transfer.block, o.block);
        if let Some(hop) = transfer.hop.get() {
            set(hop, o.hop);
        }
        set(&barrier.valid, get(&self.out_bar));
        set(&barrier.warp, o.warp);
        set(&barrier.id, o.bar_id);
        set(&barrier.arrive, o.bar_arrive);
        set(&barrier.wait, o.bar_wait);
        if let Some(count) = barrier.count.get() {
            set(count, o.bar_count);
        }
        set(&barrier.pc, o.pc);
    }
}

impl Rtl for Flow {
    fn rtl(&self) {
        let (flow, bar) = (get(&self.flow), get(&self.bar));
        let ready = wire("can_take", !&flow | get(&self.out_ready));
        let keep = !get(&self.clear);
        set(&self.flow, (get(&self.flow_valid) | (&flow & !get(&self.out_ready))) & &keep);
        set(&self.bar, get(&self.bar_valid) & &keep);
        when(&ready, || set(&self.held, get(&self.operation)));
        set(&self.ready, ready);
        set(&self.out_flow, &flow);
        set(&self.out_bar, &bar);
        set(&self.out, get(&self.held));
        set(&self.busy, flow | bar);
    }
}

rtl_block!(Flow, "flow");
