//! Traps of an SM: the first of a cycle leaves as a record.

use super::barrier::Barrier;
use super::control::{trap_cause, TRAP_CAUSE};
use super::dims::Dims;
use super::divergence::Ports;
use super::pipeline::bundles::{BarrierOperation, BeatTrap, ControlTransfer};
use crate::rtl::prelude::*;
use warpsmith_contract::TrapCause;

packed! {
    /// A trap on its way out.
    pub struct TrapRecord(d: &Dims) {
        cause: TRAP_CAUSE,
        lane: 5,
        warp: d.warp,
        pc: d.pc,
        block: d.block,
    }
}

group! {
    /// What trap records need to know, and the record of the cycle before.
    pub struct Traps(d: &Dims) as "" {
        /// Where each warp waits, for a deadlock's record.
        part bar_place(Ram: RamKind::Lut, d.warps, d.pc + d.block, 1),
        /// Address and block of the control operation under way.
        data flow_pc(d.pc),
        data flow_block(d.block),
        /// The same of the one before: a result comes two cycles after its operation.
        data result_pc(d.pc),
        data result_block(d.block),
        /// The SM trapped in the cycle before.
        reg trapped(1),
        data trap_record(TrapRecord::width(d)),
    }
}

/// Where traps are found.
pub struct FoundTraps<'a> {
    pub d: &'a Dims,
    /// A kernel begins.
    pub start: &'a Input,
    pub beat: &'a BeatTrap<Source>,
    pub flow: &'a ControlTransfer<Source>,
    pub bar: &'a BarrierOperation<Source>,
    pub divergence: &'a Ports<Sink>,
    pub barrier: &'a Barrier,
}

/// The trap of the cycle before.
pub struct Trap {
    pub valid: Expr,
    pub cause: Expr,
    /// Number of the thread in its warp.
    pub lane: Expr,
    pub warp: Expr,
    pub pc: Expr,
    /// Block slot.
    pub block: Expr,
}

impl Traps {
    /// Of a datapath trap, a divergence trap and a barrier deadlock in one cycle the first in this order.
    pub fn rtl(&self, found: &FoundTraps) -> Trap {
        let (d, v, b) = (found.d, found.divergence, found.barrier);
        let (beat, flow, bar) = (found.beat, found.flow, found.bar);
        when(&(get(&v.ready) & get(&flow.valid)), || {
            set(&self.flow_pc, get(&flow.pc));
            set(&self.flow_block, get(&flow.block));
        });
        set(&self.result_pc, get(&self.flow_pc));
        set(&self.result_block, get(&self.flow_block));
        let place = cat([&get(&flow.block), &get(&bar.pc)]);
        self.bar_place.write(&get(&bar.warp), &place, &get(&bar.valid));
        let dead_warp = get(&b.deadlock_warp);
        let dead = self.bar_place.read(0, &dead_warp).called("dead");
        let (dead_pc, dead_block) = (dead.bits(0, d.pc), dead.bits(d.pc, d.block));
        let by_path = wire("datapath_trap", get(&beat.valid));
        let by_flow = wire("flow_trap", get(&v.result_valid) & get(&v.result_trap));
        let dead = get(&b.deadlock);
        // The mask unit answers a cycle sooner than a stack.
        let (flow_pc, flow_block) = match d.has.execution_mask {
            true => (get(&self.flow_pc), get(&self.flow_block)),
            false => (get(&self.result_pc), get(&self.result_block)),
        };
        let pick = |path: Expr, flow: Expr, barrier: Expr| by_path.mux(&path, &by_flow.mux(&flow, &barrier));
        let record = TrapRecord {
            cause: pick(get(&beat.cause), get(&v.result_cause), trap_cause(TrapCause::BarrierDeadlock)),
            lane: pick(get(&beat.lane), zero(5), zero(5)),
            warp: pick(get(&beat.warp), get(&v.result_warp), dead_warp.clone()),
            pc: pick(get(&beat.pc), flow_pc, dead_pc),
            block: pick(get(&beat.block), flow_block, dead_block),
        };
        record.check(d);
        // A cycle later: what finds a trap is the end of long paths.
        set(&self.trapped, (&by_path | &by_flow | &dead) & !get(found.start));
        set(&self.trap_record, record.pack());
        let record = TrapRecord::unpack(d, "trap", &get(&self.trap_record));
        Trap {
            valid: get(&self.trapped),
            cause: record.cause,
            lane: record.lane,
            warp: record.warp,
            pc: record.pc,
            block: record.block,
        }
    }
}
