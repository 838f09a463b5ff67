//! The chip: launch registers, block scheduler, SMs, memory arbiter.
//!
//! | port          | width    | meaning                                                          |
//! |---------------|----------|------------------------------------------------------------------|
//! | `bus_*`       |          | host bus, see launch_regs                                        |
//! | `mem_valid`   | 1        | a request; kept with its fields until `mem_ready`                |
//! | `mem_write`   | 1        | store, in order with loads once accepted; else load              |
//! | `mem_address` | 32       | byte address of a line                                           |
//! | `mem_wdata`, `mem_wmask` | line, bytes | store data, bytes to store                          |
//! | `mem_rvalid`, `mem_rdata` | 1, line | load data in the order of the requests; always taken     |
//! | `mem_error`   | 1        | an access of this kernel has failed: trap 12; any cycle          |
//! | `mem_pending` | 1        | stores taken are not complete yet: `done` waits                  |
//! | `busy`, `done`, `trapped` | 1 | state of the kernel                                            |
//! | `tr{s}_*`     |          | trace port of SM s, when configured                              |
//!
//! Timing: see the blocks. Reset: idle. Errors: a trap stops every SM; its record can be read.
//! Source: docs/architecture.md, The chip.

use crate::block_scheduler::BlockScheduler;
use crate::cache::{Cache, Shape};
use crate::config::GpuConfig;
use crate::launch_regs::{LaunchRegs, BANKS, STALLS};
use crate::memory_arbiter::MemoryArbiter;
use crate::rtl::prelude::*;
use crate::sm::mem::port::MemoryPort;
use crate::sm::trace::TraceOut;
use crate::sm::Sm;
use warpsmith_contract::ports::BUS_ADDRESS_BITS;

block! {
    /// See the module.
    pub struct Gpu(cfg: &GpuConfig) {
        in bus_valid(1),
        in bus_write(1),
        in bus_address(BUS_ADDRESS_BITS),
        in bus_wdata(32),
        out bus_rdata(32),
        part mem(MemoryPort<Source>: cfg.port_words),
        in mem_error(1),
        in mem_pending(1),
        out busy(1),
        out done(1),
        out trapped(1),
        part tr([traced] TraceOut: cfg.lanes),
        reg clock_count(32),
        part launch(LaunchRegs: cfg),
        part scheduler(BlockScheduler: cfg),
        part sm([cfg.sms] Sm: cfg),
        part arbiter(MemoryArbiter: cfg),
        /// Cache of all SMs.
        part l2(if cfg.l2_bytes > 0; Cache: Shape::l2(cfg)),
    } where {
        let traced = if cfg.trace { cfg.sms } else { 0 };
    }
}

/// Sum of one event of all SMs, as wide as the counter's port.
fn total(of: &[Expr], port: &Input) -> Expr {
    let width = port.as_ref().width();
    of[1..].iter().fold(of[0].resize(width), |sum, x| sum + x.resize(width))
}

impl Rtl for Gpu {
    fn rtl(&self) {
        let (l, s, a) = (&self.launch, &self.scheduler, &self.arbiter);
        for (to, from) in [
            (&l.bus_valid, &self.bus_valid),
            (&l.bus_write, &self.bus_write),
            (&l.bus_address, &self.bus_address),
            (&l.bus_wdata, &self.bus_wdata),
        ] {
            set(to, get(from));
        }
        set(&self.bus_rdata, get(&l.bus_rdata));
        for (to, from) in [
            (&l.busy, &s.busy),
            (&l.done, &s.done),
            (&l.trapped, &s.trapped),
            (&l.trap_cause, &s.first_cause),
            (&l.trap_lane, &s.first_lane),
            (&l.trap_warp, &s.first_warp),
            (&l.trap_sm, &s.first_sm),
            (&l.trap_pc, &s.first_pc),
            (&l.trap_x, &s.first_x),
            (&l.trap_y, &s.first_y),
            (&s.start, &l.start),
            (&s.grid_x, &l.grid_x),
            (&s.grid_y, &l.grid_y),
        ] {
            set(to, get(from));
        }
        if let (Some(corrected), Some(detected)) = (l.chip_corrected.get(), l.chip_detected.get()) {
            // The pass that hardens the chip gives them their values.
            for sink in [corrected, detected] {
                set(sink, zero(sink.as_ref().width()));
            }
        }
        if let (Some(from), Some(to)) = (l.fault.get(), s.fault.get()) {
            set(to, get(from));
        }
        set(&s.mem_error, get(&self.mem_error));
        let running = get(&s.busy);
        let pending = get(&self.mem_pending);
        set(&s.mem_pending, self.l2.get().map_or(pending.clone(), |l2| pending | get(&l2.busy)));
        when_else(
            &get(&l.start),
            || set(&self.clock_count, zero(32)),
            || set(&self.clock_count, get(&self.clock_count) + running.zext(32)),
        );
        for (i, m) in self.sm.iter().enumerate() {
            set(&m.number, lit(4, i as u64));
            set(&m.running, &running);
            set(&m.clock_count, get(&self.clock_count));
            for (to, from) in [
                (&m.start, &l.start),
                (&m.halt, &s.trapped),
                (&m.grid_x, &l.grid_x),
                (&m.grid_y, &l.grid_y),
                (&m.block_x, &l.block_x),
                (&m.block_y, &l.block_y),
                (&m.block_z, &l.block_z),
                (&m.threads, &l.block_threads),
                (&m.registers, &l.registers),
                (&m.shared_bytes, &l.shared_bytes),
                (&m.program_bytes, &l.program_bytes),
                (&m.start_pc, &l.start_pc),
                (&m.global_last, &l.global_last),
                (&m.global_guard, &l.global_guard),
                (&m.local_base, &l.local_base),
                (&m.local_bytes, &l.local_bytes),
                (&m.param_count, &l.param_count),
                (&m.param_we, &l.param_we),
                (&m.const_we, &l.const_we),
                (&m.prog_we, &l.prog_we),
                (&m.write_word, &l.write_word),
                (&m.write_data, &l.write_data),
                (&m.block_valid, &s.block_valid[i]),
                (&m.ctaid_x, &s.ctaid_x),
                (&m.ctaid_y, &s.ctaid_y),
                (&s.block_ready[i], &m.block_ready),
                (&s.block_done[i], &m.block_done),
                (&s.idle[i], &m.idle),
                (&s.trap_valid[i], &m.trap_valid),
                (&s.trap_cause[i], &m.trap_cause),
                (&s.trap_lane[i], &m.trap_lane),
                (&s.trap_warp[i], &m.trap_warp),
                (&s.trap_pc[i], &m.trap_pc),
                (&s.trap_x[i], &m.trap_x),
                (&s.trap_y[i], &m.trap_y),
                (&a.sm_valid[i], &m.mem.valid),
                (&m.mem.ready, &a.sm_ready[i]),
                (&a.sm_write[i], &m.mem.write),
                (&a.sm_address[i], &m.mem.address),
                (&a.sm_wdata[i], &m.mem.wdata),
                (&a.sm_wmask[i], &m.mem.wmask),
                (&m.mem.rvalid, &a.sm_rvalid[i]),
                (&m.mem.rdata, &a.sm_rdata[i]),
            ] {
                set(to, get(from));
            }
            if let (Some(lock), Some(to)) = (m.lock.get(), a.sm_lock.get(i)) {
                set(to, get(lock));
            }
            for k in 0..BANKS {
                set(&m.bank_base[k], get(&l.bank_base[k]));
                set(&m.bank_words[k], get(&l.bank_words[k]));
            }
            if let ([from], Some(to)) = (&m.tr[..], self.tr.get(i)) {
                for ((_, to), (_, from)) in to.all().zip(from.all()) {
                    set(to, get(from));
                }
            }
        }
        let all = |f: &dyn Fn(&Sm) -> Expr| -> Vec<Expr> { self.sm.iter().map(f).collect() };
        if let Some(retired) = s.retired.get() {
            set(retired, any_of(&all(&|m| get(&m.count_instruction).any())));
        }
        set(&l.count_warp_instructions, total(&all(&|m| get(&m.count_instruction)), &l.count_warp_instructions));
        set(&l.count_thread_instructions, total(&all(&|m| get(&m.count_threads)), &l.count_thread_instructions));
        set(&l.count_global_requests, total(&all(&|m| get(&m.count_request)), &l.count_global_requests));
        for k in 0..STALLS {
            set(&l.count_stall[k], total(&all(&|m| get(&m.count_stall[k])), &l.count_stall[k]));
        }
        match self.l2.get() {
            None => a.mem.pass_up(&self.mem),
            Some(l2) => {
                set(&l2.running, &running);
                l2.serve(&a.mem);
                l2.mem.pass_up(&self.mem);
            }
        }
        set(&self.busy, running);
        set(&self.done, get(&s.done));
        set(&self.trapped, get(&s.trapped));
    }
}

rtl_block!(Gpu, "warpsmith");
