//! Datapath: from operand addresses to results; stages I (read), A, M, D, E1–E4, W.
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
//! | `i_*`        |        | the beat in the issue stage                                        |
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
//! Timing: results can be read [`super::issue::latency`] moves after the beat stood in I. The
//! stages behind D never stall. Reset or `clear`: empty.
//! Errors: traps 1–5, 8–10 are raised in M, in program order of a warp; once a beat has
//! trapped, or `halt` is set, no beat passes M.
//! Source: DESIGN §4.

mod back;
mod flow;
mod forward;
mod front;
mod memory;

use super::address::{AccessCheck, AddressLane, SHARED};
use super::constant::ConstantMemory;
use super::control::{AluControl, MAX_PASSES};
use super::dims::Dims;
use super::dispatch::Issue;
use super::execute::lane::Lane;
use super::execute::lane_stages;
use super::execute::special::Special;
use super::mem::shared::SharedMemory;
use super::operand::{Choice, OperandSelect};
use super::registers::Registers;
use super::scoreboard::SLOTS;
use super::warps::DEPTH;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;

packed! {
    /// What write-back and trace need to know of a beat behind M.
    pub struct Tag(d: &Dims) {
        first: 1,
        last: 1,
        warp: d.warp,
        slot: 2,
        block: d.block,
        beat: d.beat,
        pass: 2,
        /// Register-file entry of the destination.
        entry: d.entry,
        dst_kind: 2,
        dst_half: 1,
        dst_hi: 1,
        dst: 7,
        flags_we: 1,
        flags_from_y: 1,
        cdst: 2,
        /// Threads of this beat that execute.
        exec: d.lanes,
        /// The special-function units take this beat.
        special: 1,
        quad: 4,
        mem: 3,
        post_inc: 1,
        areg: 3,
        alu: AluControl::width(()),
        pc: d.pc,
        word: if d.trace { 64 } else { 1 },
        active: if d.trace { WARP } else { 1 },
        depth: if d.trace { DEPTH } else { 1 },
    }
}

packed! {
    /// One lane's addresses between A and M.
    pub struct Addresses(d: &Dims) {
        /// Address register.
        areg: 16,
        /// Shared, local or global byte address.
        main: 32,
        /// Byte address in the SM's shared memory.
        shared: d.shared,
        /// Constant byte address.
        constant: 16,
        /// Address register after post-increment.
        next: 16,
    }
}

/// Parts of a warp that say each for itself whether they meet a breakpoint: all of it is late.
const BREAKS: usize = 8;

packed! {
    /// What a beat's accesses may reach, between A and M.
    pub struct Limits(d: &Dims) {
        /// Access size of the shared, local or global operand minus one, in bytes.
        main_size: 4,
        /// It accesses one, in its first pass.
        main_on: 1,
        /// First address beyond its memory.
        main: 33,
        /// Access size of the constant operand minus one, in bytes.
        constant_size: 2,
        /// There is one, in the first pass.
        constant_on: 1,
        /// Words of its bank, and the first of them.
        words: 15,
        base: d.constant,
    }
}

packed! {
    /// One lane's operands between D and the lane.
    pub struct Operands(_d: ()) {
        a: 32,
        b: 32,
        c: 32,
        /// Carry flag.
        carry: 1,
    }
}

packed! {
    /// One lane's values between M and D.
    pub struct Values(_d: ()) {
        r1: 32,
        r2: 32,
        r3: 32,
        /// Address register.
        areg: 16,
        /// Shared, local or global byte address.
        main: 32,
        /// Constant byte address.
        constant: 16,
        /// Address register after post-increment.
        next: 16,
    }
}

/// Stages from D to W: that in front of the lanes, and theirs.
pub fn depth(d: &Dims) -> usize {
    usize::from(!d.forward) + lane_stages(d.floats)
}

/// See the module.
#[derive(LogicBlock)]
pub struct Datapath {
    pub clear: Input,
    pub halt: Input,
    pub sm: Input,
    pub registers: Input,
    pub shared_bytes: Input,
    pub global_last: Input,
    pub local_base: Input,
    pub local_bytes: Input,
    pub bank_base: Vec<Input>,
    pub bank_words: Vec<Input>,
    pub clock_count: Input,
    pub i_valid: Input,
    pub i_issue: Input,
    pub i_beat: Input,
    pub i_pass: Input,
    pub i_first: Input,
    pub i_last: Input,
    pub advance: Output,
    pub flow_valid: Output,
    pub flow_ready: Input,
    pub flow_op: Output,
    pub flow_marker: Output,
    pub flow_warp: Output,
    pub flow_active: Output,
    pub flow_exec: Output,
    pub flow_target: Output,
    pub flow_next: Output,
    pub flow_pc: Output,
    pub flow_block: Output,
    pub bar_valid: Output,
    pub bar_warp: Output,
    pub bar_id: Output,
    pub bar_arrive: Output,
    pub bar_wait: Output,
    pub bar_pc: Output,
    pub lsu_valid: Output,
    pub lsu_ready: Input,
    pub lsu_write: Output,
    pub lsu_size: Output,
    pub lsu_mask: Output,
    pub lsu_addr: Vec<Output>,
    pub lsu_data: Vec<Output>,
    pub lsu_warp: Output,
    pub lsu_slot: Output,
    pub lsu_entry: Output,
    pub lsu_last: Output,
    pub load_valid: Input,
    pub load_warp: Input,
    pub load_slot: Input,
    pub load_ready: Output,
    pub load_entry: Input,
    pub load_mask: Input,
    pub load_data: Vec<Input>,
    pub init_valid: Input,
    pub init_ready: Output,
    pub init_entry: Input,
    pub init_mask: Input,
    pub init_data: Vec<Input>,
    pub share_valid: Input,
    pub share_ready: Output,
    pub share_addr: Input,
    pub share_data: Input,
    pub const_we: Input,
    pub const_address: Input,
    pub const_data: Input,
    pub trap_valid: Output,
    pub trap_cause: Output,
    pub trap_lane: Output,
    pub trap_warp: Output,
    pub trap_pc: Output,
    pub trap_block: Output,
    pub hold: Output,
    pub gap: Input,
    pub busy: Output,
    pub done_valid: Output,
    pub done_warp: Output,
    pub done_slot: Output,
    pub late_valid: Output,
    pub late_warp: Output,
    pub late_slot: Output,
    pub late_entry: Output,
    pub late_mask: Output,
    pub late_data: Output,
    pub stall_lsu: Output,
    pub stall_special: Output,
    pub stall_shared: Output,
    pub stall_constant: Output,
    pub stall_control: Output,
    pub retire_last: Output,
    pub retire_threads: Output,
    /// The retire group: [`Tag`] and the values of a beat, see [`super::trace`].
    pub tr_valid: Output,
    pub tr_tag: Output,
    pub tr_y: Output,
    pub tr_flags: Output,
    pub tr_next: Output,
    pub tr_addr: Output,
    pub tr_data: Output,
    /// The instruction that holds the front in a stall: in D if it waits there, else in M.
    pub tr_held_pc: Output,
    /// Forwarding: what W wrote in the cycle in which the beat in A stood in I.
    kept: Vec<Reg>,
    kept_halves: Vec<Reg>,
    kept_hit: Vec<Reg>,
    kept_address: Vec<Reg>,
    kept_address_on: Vec<Reg>,
    /// A beat has trapped since the kernel began.
    trapped: Reg,
    /// Cycles that something has waited for a gap.
    waited: Reg,
    file: Registers,
    flags: Ram,
    aregs: Ram,
    address: Vec<AddressLane>,
    check: Vec<AccessCheck>,
    select: Vec<OperandSelect>,
    lane: Vec<Lane>,
    special: Maybe<Special>,
    constants: ConstantMemory,
    shared: SharedMemory,
    a_valid: Reg,
    a_issue: Reg,
    a_beat: Reg,
    a_pass: Reg,
    a_first: Reg,
    a_last: Reg,
    /// Operands whose register lies beyond the allocation: they read 0.
    a_absent: Reg,
    /// The shared operand's address without the address register.
    a_block_offset: Reg,
    branch: flow::Flow,
    m_valid: Reg,
    m_issue: Reg,
    m_beat: Reg,
    m_pass: Reg,
    m_first: Reg,
    m_last: Reg,
    m_exec: Reg,
    /// The beat accesses shared memory, and which of its lanes do: none unless it is valid.
    m_shared_on: Reg,
    m_shared: Reg,
    /// The same of constant memory.
    m_constant: Reg,
    m_limits: Reg,
    /// It is the last beat of a BPT, and threads of this eighth of the warp execute it.
    m_break: Reg,
    m_cc: Reg,
    m: Vec<Reg>,
    /// Operands, apart: an absent one is a reset of its register.
    m_r1: Vec<Reg>,
    m_r2: Vec<Reg>,
    m_r3: Vec<Reg>,
    d_valid: Reg,
    /// It has words to come from shared or constant memory: it stays, and so does all before it.
    d_waits: Reg,
    d_tag: Reg,
    d_choice: Reg,
    d_c_low: Reg,
    d_cc: Reg,
    dl: Vec<Reg>,
    o: Vec<Reg>,
    o_alu: Maybe<Reg>,
    x_valid: Vec<Reg>,
    x_tag: Vec<Reg>,
    x_next: Vec<Reg>,
    x_addr: Vec<Reg>,
    x_data: Vec<Reg>,
    _d: Dims,
    _sms: usize,
}

impl Datapath {
    /// The datapath of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        let l = d.lanes;
        let issue = Issue::width(&d);
        let tag = Tag::width(&d);
        let traced = if d.trace { 32 * l } else { 1 };
        let lanes = |w: usize| -> Vec<Reg> { (0..l).map(|_| Reg::data(w)).collect() };
        let kept = |w: usize| -> Vec<Reg> {
            (0..l * usize::from(d.forward))
                .map(|_| Reg::data(w))
                .collect()
        };
        let stages = |w: usize| -> Vec<Reg> { (0..depth(&d)).map(|_| Reg::data(w)).collect() };
        Self {
            clear: Input::new(1),
            halt: Input::new(1),
            sm: Input::new(4),
            registers: Input::new(8),
            shared_bytes: Input::new(15),
            global_last: Input::new(32),
            local_base: Input::new(32),
            local_bytes: Input::new(17),
            bank_base: Input::array(16, d.constant),
            bank_words: Input::array(16, 15),
            clock_count: Input::new(32),
            i_valid: Input::new(1),
            i_issue: Input::new(issue),
            i_beat: Input::new(d.beat),
            i_pass: Input::new(MAX_PASSES),
            i_first: Input::new(1),
            i_last: Input::new(1),
            advance: Output::new(1),
            flow_valid: Output::new(1),
            flow_ready: Input::new(1),
            flow_op: Output::new(3),
            flow_marker: Output::new(2),
            flow_warp: Output::new(d.warp),
            flow_active: Output::new(WARP),
            flow_exec: Output::new(WARP),
            flow_target: Output::new(d.pc),
            flow_next: Output::new(d.pc),
            flow_pc: Output::new(d.pc),
            flow_block: Output::new(d.block),
            bar_valid: Output::new(1),
            bar_warp: Output::new(d.warp),
            bar_id: Output::new(4),
            bar_arrive: Output::new(1),
            bar_wait: Output::new(1),
            bar_pc: Output::new(d.pc),
            lsu_valid: Output::new(1),
            lsu_ready: Input::new(1),
            lsu_write: Output::new(1),
            lsu_size: Output::new(3),
            lsu_mask: Output::new(l),
            lsu_addr: Output::array(l, 32),
            lsu_data: Output::array(l, 32),
            lsu_warp: Output::new(d.warp),
            lsu_slot: Output::new(2),
            lsu_entry: Output::new(d.entry),
            lsu_last: Output::new(1),
            load_valid: Input::new(1),
            load_warp: Input::new(d.warp),
            load_slot: Input::new(2),
            load_ready: Output::new(1),
            load_entry: Input::new(d.entry),
            load_mask: Input::new(l),
            load_data: Input::array(l, 32),
            init_valid: Input::new(1),
            init_ready: Output::new(1),
            init_entry: Input::new(d.entry),
            init_mask: Input::new(l),
            init_data: Input::array(l, 32),
            share_valid: Input::new(1),
            share_ready: Output::new(1),
            share_addr: Input::new(d.shared),
            share_data: Input::new(32),
            const_we: Input::new(1),
            const_address: Input::new(d.constant),
            const_data: Input::new(32),
            trap_valid: Output::new(1),
            trap_cause: Output::new(4),
            trap_lane: Output::new(5),
            trap_warp: Output::new(d.warp),
            trap_pc: Output::new(d.pc),
            trap_block: Output::new(d.block),
            hold: Output::new(1),
            gap: Input::new(1),
            busy: Output::new(1),
            done_valid: Output::new(1),
            done_warp: Output::new(d.warp),
            done_slot: Output::new(2),
            late_valid: Output::new(1),
            late_warp: Output::new(d.warp),
            late_slot: Output::new(2),
            late_entry: Output::new(d.entry),
            late_mask: Output::new(l),
            late_data: Output::new(32 * l),
            stall_lsu: Output::new(1),
            stall_special: Output::new(1),
            stall_shared: Output::new(1),
            stall_constant: Output::new(1),
            stall_control: Output::new(1),
            retire_last: Output::new(1),
            retire_threads: Output::new(6),
            tr_valid: Output::new(1),
            tr_tag: Output::new(tag),
            tr_y: Output::new(32 * l),
            tr_flags: Output::new(4 * l),
            tr_next: Output::new(16 * l),
            tr_addr: Output::new(traced),
            tr_data: Output::new(traced),
            tr_held_pc: Output::new(d.pc),
            kept: kept(32),
            kept_halves: kept(2),
            kept_hit: (0..3 * usize::from(d.forward))
                .map(|_| Reg::new(1))
                .collect(),
            kept_address: kept(16),
            kept_address_on: kept(1),
            trapped: Reg::new(1),
            waited: Reg::new(4),
            file: Registers::new(cfg),
            flags: Ram::with_granule(RamKind::Lut, d.warps * 4, WARP * 4, 4, 1),
            aregs: d.apart(Ram::with_granule(
                RamKind::Block,
                d.warps * 8 * d.beats,
                16 * l,
                16,
                1,
            )),
            address: (0..l).map(|_| AddressLane::default()).collect(),
            check: (0..l).map(|_| AccessCheck::default()).collect(),
            select: (0..l).map(|_| OperandSelect::default()).collect(),
            lane: (0..l).map(|_| Lane::new(d.floats)).collect(),
            special: Maybe::when(d.sfus > 0, || Special::new(cfg)),
            constants: ConstantMemory::new(cfg),
            shared: SharedMemory::new(cfg),
            a_valid: Reg::new(1),
            a_issue: Reg::data(issue),
            a_beat: Reg::data(d.beat),
            a_pass: Reg::data(MAX_PASSES),
            a_first: Reg::data(1),
            a_last: Reg::data(1),
            a_absent: Reg::data(3),
            a_block_offset: Reg::data(SHARED),
            branch: flow::Flow::new(&d),
            m_valid: Reg::new(1),
            m_issue: Reg::data(issue),
            m_beat: Reg::data(d.beat),
            m_pass: Reg::data(MAX_PASSES),
            m_first: Reg::data(1),
            m_last: Reg::data(1),
            m_exec: Reg::data(l),
            m_shared_on: Reg::new(1),
            m_shared: Reg::new(l),
            m_constant: Reg::new(l),
            m_limits: Reg::data(Limits::width(&d)),
            m_break: Reg::data(BREAKS),
            m_cc: Reg::data(4 * l),
            m: lanes(Addresses::width(&d)),
            m_r1: lanes(32),
            m_r2: lanes(32),
            m_r3: lanes(32),
            d_valid: Reg::new(1),
            d_waits: Reg::new(1),
            d_tag: Reg::data(tag),
            d_choice: Reg::data(Choice::width(())),
            d_c_low: Reg::data(2 * l),
            d_cc: Reg::data(4 * l),
            dl: lanes(Values::width(())),
            o: match d.forward {
                true => vec![],
                false => lanes(Operands::width(())),
            },
            o_alu: Maybe::when(!d.forward, || Reg::data(AluControl::width(()))),
            x_valid: (0..depth(&d)).map(|_| Reg::new(1)).collect(),
            x_tag: stages(tag),
            x_next: stages(16 * l),
            x_addr: stages(traced),
            x_data: stages(traced),
            _d: d,
            _sms: cfg.sms,
        }
    }
}

impl Rtl for Datapath {
    fn rtl(&self) {
        const { assert!(SLOTS == 4, "a slot number has 2 bits") };
        let d = &self._d;
        // One register for both memories: it goes far.
        let d_waits = get(&self.d_waits);
        set(
            &self.d_waits,
            get(&self.shared.next_busy) | get(&self.constants.next_busy),
        );
        let m_ready = self.memory_stage(&d_waits);
        let (advance, starts) = self.address_stage(&m_ready);
        let advance = wire("front_moves", advance);
        self.control_operations();
        self.execute_stages(&(get(&self.d_valid) & !&d_waits));
        let written = self.write_stage();
        self.read(&advance, &written);
        set(&self.advance, &advance);

        // Counted where an instruction enters M: all its threads at once.
        set(&self.retire_last, &starts);
        let mask = Issue::unpack(d, "count", &get(&self.a_issue)).mask;
        set(&self.retire_threads, population(&mask) & starts.repeat(6));

        let clear = get(&self.clear);
        let mut stages = vec![get(&self.a_valid), get(&self.m_valid), get(&self.d_valid)];
        stages.push(get(&self.branch.busy));
        stages.extend(self.special.get().map(|s| get(&s.busy)));
        stages.extend(get_all(&self.x_valid));
        set(&self.busy, any_of(&stages));
        when(&clear, || {
            set(&self.a_valid, lit(1, 0));
            set(&self.m_valid, lit(1, 0));
            set(&self.m_shared_on, lit(1, 0));
            set(&self.m_shared, zero(d.lanes));
            set(&self.m_constant, zero(d.lanes));
        });
    }
}

/// Number of set bits of a 32-bit mask, 6 bits.
///
/// Bits are counted in sixes, lookup tables all; then the counts' bits of equal weight.
fn population(mask: &Ex) -> Ex {
    let counts: Vec<Ex> = mask.each_bit().chunks(6).map(count_six).collect();
    let sum = |w: usize| {
        let bits: Vec<Ex> = counts.iter().map(|c| c.bit(w)).collect();
        count_six(&bits).zext(6)
    };
    let twice = |x: Ex| cat([&x.named().bits(0, 5), &zero(1)]);
    sum(0) + twice(sum(1) + twice(sum(2)))
}

/// Number of set bits of up to six, 3 bits.
fn count_six(bits: &[Ex]) -> Ex {
    let six = pack(bits.iter()).zext(6).named();
    let table = |b: u32| (0..64u64).fold(0, |t, n| t | u64::from(n.count_ones() >> b & 1) << n);
    let count: Vec<Ex> = (0..3)
        .map(|b| lit(64, table(b)).named().bit_at(&six))
        .collect();
    pack(count.iter()).named()
}

rtl_block!(Datapath, "datapath");
