//! Datapath: from operand addresses to results; stages I (read), A, M, D, E1, E2, W.
//!
//! | stage | what happens                                                                      |
//! |-------|-----------------------------------------------------------------------------------|
//! | I     | register and address-register RAMs take their addresses                           |
//! | A     | guard against flags, addresses; control operations leave for their units          |
//! | M     | access checks, shared and constant memory, global and local accesses leave        |
//! | D     | operand selection, into the integer lanes                                         |
//! | E1 E2 | the lanes                                                                         |
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
//! | `init_*`, `share_*` |  | R0 and shared words of a starting block                           |
//! | `trap_*`     |        | the first beat that must not go on                                 |
//! | `stall_*`    | 1      | why the front stands still                                         |
//! | `tr_*`       |        | the trace port (present when configured)                           |
//!
//! Timing: results can be read [`super::issue::LATENCY`] moves after the beat stood in I. The
//! stages from D on never stall. Reset or `clear`: empty.
//! Errors: traps 1–5, 8–10 are raised in M, in program order of a warp; once `halt` is set no beat
//! passes M.
//! Source: DESIGN §4.

use super::address::{AccessCheck, AddressLane};
use super::constant::ConstantMemory;
use super::control::{cause, destination, last_pass, memory, source1, source23, AluControl, Control, MAX_PASSES};
use super::dims::Dims;
use super::dispatch::Issue;
use super::execute::lane::Lane;
use super::execute::sfu::Sfu;
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
        /// Threads of this beat that execute; of a special function those of this pass.
        exec: d.lanes,
        /// The result is that of the special-function units.
        sfu: 1,
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
    /// One lane's values between two stages.
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
    pub busy: Output,
    pub stall_lsu: Output,
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
    file: Registers,
    flags: Ram,
    aregs: Ram,
    address: Vec<AddressLane>,
    check: Vec<AccessCheck>,
    select: Vec<OperandSelect>,
    lane: Vec<Lane>,
    sfu: Vec<Sfu>,
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
    m_valid: Reg,
    m_issue: Reg,
    m_beat: Reg,
    m_pass: Reg,
    m_first: Reg,
    m_last: Reg,
    m_exec: Reg,
    m_break: Reg,
    m_cc: Reg,
    m: Vec<Reg>,
    d_valid: Reg,
    d_tag: Reg,
    d_choice: Reg,
    d_c_low: Reg,
    d_cc: Reg,
    d_pass: Reg,
    dl: Vec<Reg>,
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
        let lanes = || -> Vec<Reg> { (0..l).map(|_| Reg::data(Values::width(()))).collect() };
        let stages = |w: usize| -> Vec<Reg> { (0..3).map(|_| Reg::data(w)).collect() };
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
            busy: Output::new(1),
            stall_lsu: Output::new(1),
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
            file: Registers::new(cfg),
            flags: Ram::with_granule(RamKind::Lut, d.warps * 4, WARP * 4, 4, 1),
            aregs: Ram::with_granule(RamKind::Block, d.warps * 8 * d.beats, 16 * l, 16, 1),
            address: (0..l).map(|_| AddressLane::default()).collect(),
            check: (0..l).map(|_| AccessCheck::default()).collect(),
            select: (0..l).map(|_| OperandSelect::default()).collect(),
            lane: (0..l).map(|_| Lane::default()).collect(),
            sfu: (0..d.sfus).map(|_| Sfu::default()).collect(),
            constants: ConstantMemory::new(cfg),
            shared: SharedMemory::new(cfg),
            a_valid: Reg::new(1),
            a_issue: Reg::data(issue),
            a_beat: Reg::data(d.beat),
            a_pass: Reg::data(MAX_PASSES),
            a_first: Reg::data(1),
            a_last: Reg::data(1),
            a_absent: Reg::data(3),
            m_valid: Reg::new(1),
            m_issue: Reg::data(issue),
            m_beat: Reg::data(d.beat),
            m_pass: Reg::data(MAX_PASSES),
            m_first: Reg::data(1),
            m_last: Reg::data(1),
            m_exec: Reg::data(l),
            m_break: Reg::data(1),
            m_cc: Reg::data(4 * l),
            m: lanes(),
            d_valid: Reg::new(1),
            d_tag: Reg::data(tag),
            d_choice: Reg::data(Choice::width(())),
            d_c_low: Reg::data(2 * l),
            d_cc: Reg::data(4 * l),
            d_pass: Reg::data(MAX_PASSES),
            dl: lanes(),
            x_valid: (0..3).map(|_| Reg::new(1)).collect(),
            x_tag: stages(tag),
            x_next: stages(16 * l),
            x_addr: stages(traced),
            x_data: stages(traced),
            _d: d,
            _sms: cfg.sms,
        }
    }

    /// Stage I: addresses of the three operands and of the address register.
    fn read(&self, advance: &Ex) {
        let d = &self._d;
        let issue = Issue::unpack(d, "i", &get(&self.i_issue));
        let c = Control::unpack(d, "ic", &issue.control);
        let (beat, pass) = (get(&self.i_beat), get(&self.i_pass));
        let r3 = wire("r3_pass", &c.r3 + &(pass.bits(0, 2) & c.mem.any().repeat(2)).zext(7));
        let numbers = [c.r1.clone(), c.r2.clone(), r3];
        let mut absent = vec![];
        for (p, r) in numbers.iter().enumerate() {
            let offset = d.with_beat(r, &beat).resize(d.entry);
            set(&self.file.entry[p], &issue.reg_base + &offset);
            absent.push(r.zext(8).ge(&get(&self.registers)));
        }
        set(&self.file.read, advance);
        when(advance, || {
            set(&self.a_valid, get(&self.i_valid));
            set(&self.a_issue, get(&self.i_issue));
            set(&self.a_beat, &beat);
            set(&self.a_pass, &pass);
            set(&self.a_first, get(&self.i_first));
            set(&self.a_last, get(&self.i_last));
            set(&self.a_absent, pack(absent.iter()));
        });
        self.aregs.read_when(0, &d.with_beat(&cat([&issue.warp, &c.areg]), &beat), advance);
    }

    /// Threads whose flags meet the guard condition: 32 bits.
    fn guard(&self, code: &Ex, row: &Ex) -> Ex {
        // Truth table of the condition over the 16 flag values, then one look-up a thread.
        let table: Vec<Ex> = (0..16u8)
            .map(|flags| {
                let codes = (0..32u8).filter(|c| warpsmith_isa::pred_holds(*c, flags) == Some(true));
                let holds = codes.fold(0u64, |m, c| m | 1 << c);
                lit(32, holds).named().bit_at(code)
            })
            .collect();
        let table = wire("guard_table", pack(table.iter()));
        let threads: Vec<Ex> = row.each_word(4).iter().map(|f| table.bit_at(f)).collect();
        wire("guard", pack(threads.iter()))
    }

    /// Stage A: guard, addresses, control operations. Returns what `advance` is.
    fn address_stage(&self, m_ready: &Ex) -> (Ex, Ex) {
        let d = &self._d;
        let (valid, beat, pass) = (get(&self.a_valid), get(&self.a_beat), get(&self.a_pass));
        let issue = Issue::unpack(d, "a", &get(&self.a_issue));
        let c = Control::unpack(d, "ac", &issue.control);
        let row = wire("flag_row", self.flags.read(0, &cat([&issue.warp, &c.cc])));
        let exec = wire("exec", &issue.mask & &self.guard(&c.pred, &row));

        let sound = !c.trap.any() & !get(&self.halt);
        let flows = c.flow.any() | c.marker.any();
        // With the last beat: only then are the flags of every thread written.
        let last = &valid & get(&self.a_last) & &sound;
        let want_flow = wire("want_flow", &last & &flows);
        let want_bar = wire("want_bar", &last & &c.bar);
        let stuck = wire("control_stuck", &want_flow & !get(&self.flow_ready));
        let goes = wire("a_goes", &valid & m_ready & !&stuck);
        set(&self.flow_valid, &want_flow & m_ready);
        set(&self.flow_op, &c.flow);
        set(&self.flow_marker, &c.marker);
        set(&self.flow_warp, &issue.warp);
        set(&self.flow_active, &issue.mask);
        set(&self.flow_exec, &exec);
        set(&self.flow_target, &c.target);
        set(&self.flow_pc, &issue.pc);
        set(&self.flow_block, &issue.block);
        let step = cat([&c.long, &!&c.long, &zero(2)]);
        set(&self.flow_next, &issue.pc + &step.zext(d.pc));
        set(&self.bar_valid, &want_bar & m_ready);
        set(&self.bar_warp, &issue.warp);
        set(&self.bar_id, &c.bar_id);
        set(&self.bar_arrive, &c.bar_arrive);
        set(&self.bar_wait, &c.bar_wait);
        set(&self.bar_pc, &issue.pc);
        set(&self.stall_control, &stuck & m_ready);

        let absent = get(&self.a_absent);
        let aregs = get(&self.aregs.rdata[0]).named();
        let global = c.mem.is(memory::GLOBAL_LOAD) | c.mem.is(memory::GLOBAL_STORE);
        when(m_ready, || {
            set(&self.m_valid, &goes);
            set(&self.m_issue, get(&self.a_issue));
            set(&self.m_beat, &beat);
            set(&self.m_pass, &pass);
            set(&self.m_first, get(&self.a_first));
            set(&self.m_last, get(&self.a_last));
            set(&self.m_exec, exec.word_at(&beat, d.lanes));
            set(&self.m_break, &c.breakpoint & &exec.any() & get(&self.a_last));
            set(&self.m_cc, row.word_at(&beat, 4 * d.lanes));
        });
        let has_areg = wire("has_areg", c.areg.any());
        let pass_of_wide = wire("pass_of_wide", pass.bits(0, 2) & c.mem.any().repeat(2));
        for (l, lane) in self.address.iter().enumerate() {
            let present = |i: usize, v: Ex| v & (!absent.bit(i)).repeat(32);
            let r1 = wire(&format!("r1_{l}"), present(0, get(&self.file.d1[l])));
            let areg = wire(&format!("areg_{l}"), aregs.bits(16 * l, 16) & has_areg.repeat(16));
            set(&lane.areg, &areg);
            set(&lane.r1, &r1);
            set(&lane.s_offset, &c.s_offset);
            set(&lane.c_offset, &c.c_offset);
            set(&lane.areg_use, &c.areg_use);
            set(&lane.post_inc, &c.post_inc);
            set(&lane.is_global, &global);
            set(&lane.pass, &pass_of_wide);
            let values = Values {
                r1,
                r2: present(1, get(&self.file.d2[l])),
                r3: present(2, get(&self.file.d3[l])),
                areg,
                main: get(&lane.main),
                constant: get(&lane.constant),
                next: get(&lane.next),
            };
            values.check(());
            when(m_ready, || set(&self.m[l], values.pack()));
        }
        let starts = &goes & &get(&self.a_first) & !get(&self.halt);
        (m_ready & &!&stuck, starts)
    }

    /// Stage M: checks, memories. Returns whether M can take a beat.
    fn memory_stage(&self) -> Ex {
        let d = &self._d;
        let l = d.lanes;
        let (valid, beat, pass, exec) = (get(&self.m_valid), get(&self.m_beat), get(&self.m_pass), get(&self.m_exec));
        let issue = Issue::unpack(d, "m", &get(&self.m_issue));
        let c = Control::unpack(d, "mc", &issue.control);
        let alive = wire("alive", &valid & !get(&self.halt));
        let store_shared = c.mem.is(memory::SHARED_STORE);
        let local = wire("is_local", c.mem.is(memory::LOCAL_LOAD) | c.mem.is(memory::LOCAL_STORE));
        let global = c.mem.is(memory::GLOBAL_LOAD) | c.mem.is(memory::GLOBAL_STORE);
        let outside = wire("outside", &local | &global);
        let from_shared = c.s1_kind.is(source1::SHARED);
        let first_pass = wire("first_pass", !pass.any());
        let shared_on = wire("shared_on", &first_pass & (&from_shared | &store_shared));
        let constant_on = wire("constant_on", &first_pass & (c.s2_kind.is(source23::CONST) | c.s3_kind.is(source23::CONST)));

        // Checks.
        let size_of = |code: &Ex| code.is(3).mux(&lit(4, 3), &code.any().mux(&lit(4, 1), &lit(4, 0)));
        let by_size: Vec<Ex> = [0, 0, 1, 1, 7, 15, 3, 3].iter().map(|v| lit(4, *v)).collect();
        let main_size = wire("main_size", c.mem.any().mux(&select(&c.mem_size, &by_size), &size_of(&c.s1_size)));
        let constant_size = wire("constant_size", size_of(&c.c_size).bits(0, 2));
        let limit = outside.mux(
            &local.mux(&get(&self.local_bytes).zext(33), &(get(&self.global_last).zext(33) + lit(33, 1))),
            &get(&self.shared_bytes).zext(33),
        );
        let limit = wire("main_limit", limit);
        let words = wire("bank_words_here", select(&c.c_bank, &get_all(&self.bank_words)));
        let base = wire("bank_base_here", select(&c.c_bank, &get_all(&self.bank_base)));
        let lanes: Vec<Values> = self.m.iter().enumerate().map(|(i, m)| Values::unpack((), &format!("m{i}"), &get(m))).collect();
        let mut faults = vec![];
        for (i, check) in self.check.iter().enumerate() {
            set(&check.active, &alive & &exec.bit(i));
            set(&check.main_on, &first_pass & (&from_shared | c.mem.any()));
            set(&check.main, &lanes[i].main);
            set(&check.main_size, &main_size);
            set(&check.main_limit, &limit);
            set(&check.constant_on, &constant_on);
            set(&check.constant, &lanes[i].constant);
            set(&check.constant_size, &constant_size);
            set(&check.constant_words, &words);
            faults.push(get(&check.fault));
        }
        let faulty: Vec<Ex> = faults.iter().map(Ex::any).collect();
        let faulty = wire("faulty", pack(faulty.iter()));
        let lowest = wire("lowest_faulty", lowest_one_hot(&faulty));
        let kind = one_hot_mux(&lowest, &faults);
        let early = wire("early_trap", c.trap.any() | get(&self.m_break));
        let early_cause = c.trap.any().mux(&c.trap, &lit(4, cause::BREAKPOINT));
        let late_cause = kind.is(1).mux(&lit(4, cause::MISALIGNED), &lit(4, cause::RANGE));
        let trap = wire("trap", &alive & (&early | faulty.any()));
        let lane_bits = clog2(l);
        let thread = d.with_beat_high(&beat, &one_hot_index(&lowest, lane_bits));
        set(&self.trap_valid, &trap);
        set(&self.trap_cause, early.mux(&early_cause, &late_cause));
        set(&self.trap_lane, early.mux(&zero(5), &thread));
        set(&self.trap_warp, &issue.warp);
        set(&self.trap_pc, &issue.pc);
        set(&self.trap_block, &issue.block);

        // Memories.
        let go = wire("go", &alive & !&trap);
        set(&self.constants.valid, &go & &constant_on);
        set(&self.constants.mask, &exec);
        set(&self.constants.const_we, get(&self.const_we));
        set(&self.constants.const_address, get(&self.const_address));
        set(&self.constants.const_data, get(&self.const_data));
        let constant_busy = wire("constant_busy", get(&self.constants.busy));
        set(&self.shared.valid, &go & &shared_on);
        set(&self.shared.hold, &constant_busy);
        set(&self.shared.write, &store_shared);
        let shared_size = |code: &Ex| code.is(3).mux(&lit(2, 2), &code.any().mux(&lit(2, 1), &lit(2, 0)));
        let stored = c.mem_size.is(6).mux(&lit(2, 2), &c.mem_size.bit(1).mux(&lit(2, 1), &lit(2, 0)));
        set(&self.shared.size, store_shared.mux(&stored, &shared_size(&c.s1_size)));
        set(&self.shared.mask, &exec);
        set(&self.shared.init_valid, get(&self.share_valid));
        set(&self.shared.init_addr, get(&self.share_addr));
        set(&self.shared.init_data, get(&self.share_data));
        set(&self.share_ready, get(&self.shared.init_ready));
        let shared_busy = wire("shared_busy", get(&self.shared.busy));
        let to_lsu = wire("to_lsu", &go & &outside);
        let lsu_full = wire("lsu_full", &to_lsu & !get(&self.lsu_ready));
        set(&self.lsu_valid, &to_lsu);
        set(&self.lsu_write, c.mem.bit(0));
        set(&self.lsu_size, (c.mem_size.bit(2)).mux(&lit(3, 6), &c.mem_size));
        set(&self.lsu_mask, &exec);
        set(&self.lsu_warp, &issue.warp);
        set(&self.lsu_slot, &issue.slot);
        set(&self.lsu_last, get(&self.m_last));
        let dst = wire("dst_pass", &c.dst + &(pass.bits(0, 2) & outside.repeat(2)).zext(7));
        let entry = wire("dst_entry", &issue.reg_base + &d.with_beat(&dst, &beat).resize(d.entry));
        set(&self.lsu_entry, &entry);
        let sm_bits = clog2(self._sms);
        for (i, m) in lanes.iter().enumerate() {
            let (main, constant) = (&m.main, &m.constant);
            let word = constant.bits(2, 14).resize(d.constant.max(14)).bits(0, d.constant.min(14)).zext(d.constant);
            set(&self.constants.word[i], &base + &word);
            set(&self.shared.addr[i], &issue.shared_base + &main.resize(d.shared));
            let data = m.r3.clone();
            let half = c.s3_hi.mux(&data.bits(16, 16), &data.bits(0, 16)).zext(32);
            set(&self.shared.wdata[i], c.s3_half.mux(&half, &data));
            // Local memory is interleaved by word over all threads of the chip, so that a warp's
            // accesses to one offset fill lines.
            let thread = d.with_beat_high(&beat, &lit(lane_bits, i as u64));
            let mut parts = vec![main.bits(2, 14)];
            if self._sms > 1 {
                parts.push(get(&self.sm).bits(0, sm_bits));
            }
            parts.extend([issue.warp.clone(), thread, main.bits(0, 2)]);
            let at = cat(parts.iter()).resize(32) + get(&self.local_base);
            set(&self.lsu_addr[i], local.mux(&at, main));
            set(&self.lsu_data[i], &data);
        }

        let done = wire("m_done", !&constant_busy & !&shared_busy & !&lsu_full);
        let leaves = wire("m_leaves", &valid & &done);
        set(&self.constants.leave, &leaves);
        set(&self.stall_lsu, &lsu_full);
        set(&self.stall_shared, &shared_busy);
        set(&self.stall_constant, &constant_busy & !&shared_busy);

        let loads = c.mem.is(memory::GLOBAL_LOAD) | c.mem.is(memory::LOCAL_LOAD);
        let to_areg = c.dst_kind.is(destination::AREG);
        // Of two passes of R2A the first writes its destination, the last steps the register it
        // read through; where both are one register the destination stands.
        let dst_now = (&c.dst_kind & &(!(&to_areg & !&first_pass)).repeat(2)).named();
        let steps = &c.post_inc & c.areg.any() & pass.eq(&last_pass(&c.passes)) & !(&to_areg & c.dst.bits(0, 3).eq(&c.areg));
        // A special function's pass is for the lanes that have the units in it.
        let turn = (0..l).map(|i| pass.is((i / d.sfus) as u64)).collect::<Vec<_>>();
        let exec = wire("exec_of_pass", &exec & &(pack(turn.iter()) | (!&c.sfu).repeat(l)));
        let tag = Tag {
            first: get(&self.m_first),
            last: get(&self.m_last),
            warp: issue.warp.clone(),
            slot: issue.slot.clone(),
            block: issue.block.clone(),
            beat: beat.clone(),
            pass: pass.bits(0, 2) & (!&c.sfu).repeat(2),
            entry,
            dst_kind: loads.mux(&zero(2), &dst_now),
            dst_half: c.dst_half.clone(),
            dst_hi: c.dst_hi.clone(),
            dst,
            flags_we: c.flags_we.clone(),
            flags_from_y: c.flags_from_y.clone(),
            cdst: c.cdst.clone(),
            exec: exec.clone(),
            sfu: c.sfu.clone(),
            quad: c.quad.clone(),
            mem: c.mem.clone(),
            post_inc: steps,
            areg: c.areg.clone(),
            alu: c.alu.clone(),
            pc: issue.pc.clone(),
            word: issue.word.clone(),
            active: if d.trace { issue.mask.clone() } else { zero(1) },
            depth: issue.depth.clone(),
        };
        tag.check(d);
        set(&self.d_valid, &leaves & &go);
        set(&self.d_tag, tag.pack());
        let choice = Choice {
            s1_kind: c.s1_kind.clone(),
            s1_half: c.s1_half.clone(),
            s1_hi: c.s1_hi.clone(),
            s1_size: c.s1_size.clone(),
            s2_kind: c.s2_kind.clone(),
            s2_half: c.s2_half.clone(),
            s2_hi: c.s2_hi.clone(),
            s3_kind: c.s3_kind.clone(),
            s3_half: c.s3_half.clone(),
            s3_hi: c.s3_hi.clone(),
            c_size: c.c_size.clone(),
            imm: c.imm.clone(),
        };
        choice.check(());
        set(&self.d_choice, choice.pack());
        set(&self.d_cc, get(&self.m_cc));
        set(&self.d_pass, &pass);
        let low: Vec<Ex> = lanes.iter().map(|m| m.constant.bits(0, 2)).collect();
        set(&self.d_c_low, pack(low.iter()));
        for (m, to) in self.m.iter().zip(&self.dl) {
            set(to, get(m));
        }
        wire("m_ready", !&valid | &done)
    }

    /// Stages D to W: operands into the lanes, tags beside them.
    fn execute_stages(&self) {
        let d = &self._d;
        let tag = get(&self.d_tag);
        let cc = get(&self.d_cc);
        let low = get(&self.d_c_low);
        let alu = Tag::unpack(d, "d", &tag).alu;
        let lanes: Vec<Values> = self.dl.iter().enumerate().map(|(i, r)| Values::unpack((), &format!("d{i}"), &get(r))).collect();
        for (i, s) in self.select.iter().enumerate() {
            let r = &lanes[i];
            set(&s.choice, get(&self.d_choice));
            set(&s.r1, &r.r1);
            set(&s.r2, &r.r2);
            set(&s.r3, &r.r3);
            set(&s.shared, get(&self.shared.rdata[i]));
            let shift = cat([&low.bits(2 * i, 2), &zero(3)]);
            set(&s.constant, get(&self.constants.data[i]).shr(&shift));
            set(&s.address, &r.areg);
            let flags = cc.bits(4 * i, 4);
            set(&s.flags, &flags);
            set(&s.clock_count, get(&self.clock_count));
            let lane = &self.lane[i];
            set(&lane.ctl, &alu);
            set(&lane.a, get(&s.a));
            set(&lane.b, get(&s.b));
            set(&lane.c, get(&s.c));
            set(&lane.cin, flags.bit(2));
        }
        let operands: Vec<Ex> = self.select.iter().map(|s| get(&s.a)).collect();
        let how = AluControl::unpack((), "sfu", &alu);
        for (u, unit) in self.sfu.iter().enumerate() {
            let shared_by: Vec<Ex> = operands.iter().skip(u).step_by(d.sfus).cloned().collect();
            set(&unit.func, &how.cond);
            set(&unit.neg, &how.neg);
            set(&unit.abs, &how.abs);
            set(&unit.x, select(&get(&self.d_pass), &shared_by));
        }
        let all = |f: fn(&Values) -> &Ex| pack(lanes.iter().map(f));
        let next = all(|r| &r.next);
        // Store data of a half register is what the selection made of it.
        let stored: Vec<Ex> = self.select.iter().map(|s| get(&s.c)).collect();
        let (addr, data) = if d.trace { (all(|r| &r.main), pack(stored.iter())) } else { (zero(1), zero(1)) };
        for i in 0..3 {
            let (v, t, n, a, w) = match i {
                0 => (get(&self.d_valid), tag.clone(), next.clone(), addr.clone(), data.clone()),
                _ => (
                    get(&self.x_valid[i - 1]),
                    get(&self.x_tag[i - 1]),
                    get(&self.x_next[i - 1]),
                    get(&self.x_addr[i - 1]),
                    get(&self.x_data[i - 1]),
                ),
            };
            set(&self.x_valid[i], v);
            set(&self.x_tag[i], t);
            set(&self.x_next[i], n);
            set(&self.x_addr[i], a);
            set(&self.x_data[i], w);
        }
    }

    /// Stage W.
    fn write_stage(&self) {
        let d = &self._d;
        let l = d.lanes;
        let valid = get(&self.x_valid[2]);
        let tag = Tag::unpack(d, "w", &get(&self.x_tag[2]));
        let quad: Vec<Ex> = (0..l).map(|i| tag.quad.bit(i % 4)).collect();
        let written = wire("written", &tag.exec & &pack(quad.iter()));
        let result = |i: usize, lane: &Lane| tag.sfu.mux(&get(&self.sfu[i % d.sfus].y), &get(&lane.y));
        let ys: Vec<Ex> = self.lane.iter().enumerate().map(|(i, x)| wire(&format!("y_{i}"), result(i, x))).collect();
        let to_gpr = &valid & tag.dst_kind.is(destination::GPR);
        let halves = tag.dst_half.mux(&cat([&tag.dst_hi, &!&tag.dst_hi]), &lit(2, 3));
        set(&self.file.alu_valid, to_gpr);
        set(&self.file.alu_entry, &tag.entry);
        set(&self.file.alu_mask, &written);
        set(&self.file.alu_halves, &halves);
        for (y, port) in ys.iter().zip(&self.file.alu_data) {
            let low = y.bits(0, 16);
            set(port, tag.dst_half.mux(&cat([&low, &low]), y));
        }

        // Flags: 4 bits a thread, the beat's place in the row of the warp.
        let flags: Vec<Ex> = (0..l).map(|i| tag.flags_from_y.mux(&ys[i].bits(0, 4), &get(&self.lane[i].flags))).collect();
        let flags = wire("flags_written", pack(flags.iter()));
        let mut enable = vec![];
        for b in 0..d.beats {
            let here = if d.beats == 1 { valid.clone() } else { &valid & tag.beat.is(b as u64) };
            enable.push(&tag.exec & &(here & &tag.flags_we).repeat(l));
        }
        self.flags.write(&cat([&tag.warp, &tag.cdst]), &flags.repeat(d.beats), &pack(enable.iter()));

        // Address registers: a destination, or a stepped one.
        let to_areg = wire("to_areg", tag.dst_kind.is(destination::AREG));
        let number = to_areg.mux(&tag.dst.bits(0, 3), &tag.areg);
        let stepped = get(&self.x_next[2]).named();
        let values: Vec<Ex> = (0..l).map(|i| to_areg.mux(&ys[i].bits(0, 16), &stepped.bits(16 * i, 16))).collect();
        let any = &valid & (&to_areg | &tag.post_inc) & number.any();
        self.aregs.write(&d.with_beat(&cat([&tag.warp, &number]), &tag.beat), &pack(values.iter()), &(&tag.exec & &any.repeat(l)));

        set(&self.file.load_valid, get(&self.load_valid));
        set(&self.load_ready, get(&self.file.load_ready));
        set(&self.file.load_entry, get(&self.load_entry));
        set(&self.file.load_mask, get(&self.load_mask));
        set(&self.file.init_valid, get(&self.init_valid));
        set(&self.init_ready, get(&self.file.init_ready));
        set(&self.file.init_entry, get(&self.init_entry));
        set(&self.file.init_mask, get(&self.init_mask));
        for i in 0..l {
            set(&self.file.load_data[i], get(&self.load_data[i]));
            set(&self.file.init_data[i], get(&self.init_data[i]));
        }
        set(&self.hold, get(&self.file.hold));

        set(&self.tr_valid, &valid);
        set(&self.tr_tag, get(&self.x_tag[2]));
        set(&self.tr_y, pack(ys.iter()));
        set(&self.tr_flags, flags);
        set(&self.tr_next, stepped);
        set(&self.tr_addr, get(&self.x_addr[2]));
        set(&self.tr_data, get(&self.x_data[2]));
    }
}

impl Rtl for Datapath {
    fn rtl(&self) {
        const { assert!(SLOTS == 4, "a slot number has 2 bits") };
        let d = &self._d;
        let m_ready = self.memory_stage();
        let (advance, starts) = self.address_stage(&m_ready);
        let advance = wire("front_moves", advance);
        self.read(&advance);
        set(&self.advance, &advance);
        self.execute_stages();
        self.write_stage();

        // Counted where an instruction enters M: all its threads at once.
        set(&self.retire_last, &starts);
        let mask = Issue::unpack(d, "count", &get(&self.a_issue)).mask;
        set(&self.retire_threads, population(&mask) & starts.repeat(6));

        let clear = get(&self.clear);
        let mut stages = vec![get(&self.a_valid), get(&self.m_valid), get(&self.d_valid)];
        stages.extend(get_all(&self.x_valid));
        set(&self.busy, any_of(&stages));
        when(&clear, || {
            set(&self.a_valid, lit(1, 0));
            set(&self.m_valid, lit(1, 0));
        });
    }
}

/// Number of set bits of a 32-bit mask, 6 bits.
fn population(mask: &Ex) -> Ex {
    let mut sums: Vec<Ex> = mask.each_bit().iter().map(|b| b.zext(6)).collect();
    while sums.len() > 1 {
        sums = sums.chunks(2).map(|p| if p.len() == 2 { &p[0] + &p[1] } else { p[0].clone() }).collect();
    }
    sums.remove(0)
}

rtl_block!(Datapath, "datapath");
