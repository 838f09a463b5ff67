//! Datapath: from operand addresses to results; the wiring of stages I, A, M, D, E, W, each a block.
//!
//! ```text
//!      i ─► read ─► address ─► memory ─► operand ─► execute ─► write_back
//!                    ▲   ▲                                        │   │
//!                    │   └── registers that have been read ───────┘   │
//!                    └────── flags, address registers, forwarding ────┘
//! ```
//!
//! | stage | what happens                                                                      |
//! |-------|-----------------------------------------------------------------------------------|
//! | I     | register and address-register RAMs take their addresses                           |
//! | A     | guard against flags, addresses; control operations leave for their units          |
//! | M     | access checks, shared and constant memory, global and local accesses leave        |
//! | D     | operand selection; words of shared and constant memory that took no turn in M     |
//! | O     | operands stand before the lanes and the queue of special functions; not there with forwarding |
//! | E1–E4 | the lanes; E1, E2 where there are only integers                                   |
//! | W     | registers, flags, address registers are written; the trace record                 |
//!
//! | port         | width  | meaning                                                            |
//! |--------------|--------|--------------------------------------------------------------------|
//! | `i_*`        |        | the beat in I                                                      |
//! | `advance`    | 1      | it moves on in this cycle                                          |
//! | `flow_*`     |        | to the divergence unit                                             |
//! | `bar_*`      |        | to the barriers                                                    |
//! | `lsu_*`      |        | to the load/store unit                                             |
//! | `load_*`     |        | loads' results from it                                             |
//! | `done_*`     |        | a special function is complete                                     |
//! | `late_*`     |        | what loads and special functions write, for the trace port         |
//! | `init_*`, `share_*` |  | R0 and shared words of a starting block                           |
//! | `trap_*`     |        | the first beat that must not go on                                 |
//! | `stall_*`    | 1      | why the front stands still                                         |
//! | `hold`, `gap`| 1      | issue has to leave a gap of a cycle; it is made                    |
//! | `tr_*`       |        | the trace port (present when configured)                           |
//!
//! Timing: results can be read `latency` moves (timing.rs) after the beat stood in I. The
//! stages behind D never stall. Reset or `clear`: empty.
//! Errors: traps 1–5, 8–10 are raised in M, in program order of a warp; once a beat has
//! trapped, or `halt` is set, no beat passes M.
//! Source: docs/architecture.md, The chip.

use super::address::AddressStage;
use super::bundles::{
    Access, BarrierOperation, BeatTrap, Completion, ConstantWord, ControlTransfer, DeferredWrite, InitialWord,
    IssuedBeat, Loaded, MemorySizes, MemoryStalls, RegisterWrite, RetiredBeat, WarpThreads,
};
use super::execute::ExecuteStage;
use super::memory::MemoryStage;
use super::operand::OperandStage;
use super::read::ReadStage;
use super::scoreboard::SLOTS;
use super::write_back::WriteBackStage;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use crate::sm::divergence::g13::MaskBeat;

block! {
    /// See the module.
    pub struct Datapath(cfg: &GpuConfig) {
        in clear(1),
        in halt(1),
        in sm(4),
        in registers(8),
        part sizes(MemorySizes<Sink>: &d),
        in local_base(32),
        in clock_count(32),
        /// Threads of a block along x, y, z; of G13.
        in block_size([d.has.sources.bits(3)] 16),
        part start(if d.has.sources; WarpThreads<Sink>: &d),
        /// New execution masks, of G13.
        part mask([d.has.execution_mask.bits(1)] MaskBeat<Source>: &d),
        part i(IssuedBeat<Sink>: &d),
        out advance(1),
        part flow(ControlTransfer<Source>: &d),
        part bar(BarrierOperation<Source>: &d),
        part lsu(Access<Source>: &d),
        part load(Loaded<Sink>: &d),
        /// R0 of a starting warp; of micro-operations all its registers, and the warp.
        part init(RegisterWrite<Sink>: &d),
        in init_warp(if d.has.predicates; d.warp),
        part share(InitialWord<Sink>: &d),
        part constant_word(ConstantWord<Sink>: &d),
        part trap(BeatTrap<Source>: &d),
        out hold(1),
        in gap(1),
        out busy(1),
        part done(Completion<Source>: &d),
        part deferred(DeferredWrite<Source>: &d),
        /// `done` is of an instruction, and of no step of one; of Ivy Bridge.
        out done_shown(if d.has.channels && d.sfus > 0; 1),
        part stall(MemoryStalls<Source>:),
        out stall_control(1),
        out retire_last(1),
        out retire_threads(6),
        /// See [`crate::sm::trace`].
        part retired(RetiredBeat<Source>: &d),
        /// The instruction that holds the front in a stall: in D if it waits there, else in M.
        out tr_held_pc(d.pc),
        part read(ReadStage: cfg),
        part address(AddressStage: cfg),
        part memory(MemoryStage: cfg),
        part operand(OperandStage: cfg),
        part execute(ExecuteStage: cfg),
        part write_back(WriteBackStage: cfg),
    } where {
        let d = Dims::of(cfg);
    }
}

/// Wires one child's ports to those of another, where both are there.
macro_rules! join {
    ($from:expr => $to:expr) => {
        if let (Some(from), Some(to)) = ($from.get(), $to.get()) {
            from.connect(to);
        }
    };
}

impl Datapath {
    /// From stage to stage.
    fn stages(&self) {
        let (i, a, m, d, e, w) =
            (&self.read, &self.address, &self.memory, &self.operand, &self.execute, &self.write_back);
        self.i.pass(&i.i);
        i.a.connect(&a.i);
        drive(&w.entry, &i.a.entry);
        join!(i.regions => w.regions);
        drive(&w.read, &a.advance);
        w.operands.connect(&a.operands);
        a.m.connect(&m.a);
        m.d.connect(&d.m);
        m.words.connect(&d.words);
        d.e.connect(&e.d);
        e.w.connect(&w.e);
        join!(m.special => e.place);
        join!(m.double => e.double_place);
        join!(e.results => w.results);
        join!(w.result => a.result);
        join!(w.uniform => a.uniform);
        join!(w.condition => a.condition);
        join!(w.areg => a.areg);
    }

    /// Launch values, the host's words, and what a starting warp brings.
    fn launch(&self) {
        let (a, m, w) = (&self.address, &self.memory, &self.write_back);
        for clear in [&a.clear, &m.clear, &self.execute.clear] {
            drive(clear, &self.clear);
        }
        for halt in [&a.halt, &m.halt] {
            drive(halt, &self.halt);
        }
        drive(&self.read.registers, &self.registers);
        self.sizes.pass(&a.sizes);
        drive(&m.sm, &self.sm);
        drive(&m.local_base, &self.local_base);
        drive(&self.operand.clock_count, &self.clock_count);
        self.constant_word.pass(&m.constant_word);
        self.share.pass(&m.share);
        set(&w.share_waits, get(&self.share.valid) & !get(&m.share.ready));
        self.init.pass(&w.init);
        drive(&w.init_warp, &self.init_warp);
        drive(&a.block_size, &self.block_size);
        if let (Some(from), Some(to)) = (self.start.get(), a.start.get()) {
            from.pass(to);
        }
        if let Some(to) = a.const_word.get() {
            self.constant_word.pass(to);
        }
    }

    /// To the units around: control, memory, issue, trace.
    fn units(&self) {
        let (a, m, w) = (&self.address, &self.memory, &self.write_back);
        drive(&self.advance, &a.advance);
        a.flow.pass_up(&self.flow);
        a.bar.pass_up(&self.bar);
        m.lsu.pass_up(&self.lsu);
        m.trap.pass_up(&self.trap);
        m.stall.pass_up(&self.stall);
        drive(&self.stall_control, &a.stall_control);
        self.load.pass(&w.load);
        w.done.pass_up(&self.done);
        w.deferred.pass_up(&self.deferred);
        if let (Some(from), Some(to)) = (w.done_shown.get(), self.done_shown.get()) {
            set(to, get(from));
        }
        w.retired.pass_up(&self.retired);
        for (from, to) in w.mask.iter().zip(&self.mask) {
            from.pass_up(to);
        }
        drive(&self.hold, &w.hold);
        drive(&w.gap, &self.gap);
        drive(&self.retire_last, &a.retire_last);
        drive(&self.retire_threads, &a.retire_threads);
        drive(&self.tr_held_pc, &m.tr_held_pc);
        let busy = [&a.busy, &m.busy, &self.operand.busy, &self.execute.busy].map(get);
        set(&self.busy, any_of(&busy));
    }
}

impl Rtl for Datapath {
    fn rtl(&self) {
        const { assert!(SLOTS == 4, "a slot number has 2 bits") };
        self.stages();
        self.launch();
        self.units();
    }
}

rtl_block!(Datapath, "datapath");
