//! Stage M: access checks, shared and constant memory, beats for the load/store unit and places
//! for those of special functions.
//!
//! | port         | width | meaning                                                            |
//! |--------------|-------|--------------------------------------------------------------------|
//! | `clear`      | 1     | drop the beat                                                      |
//! | `halt`       | 1     | the kernel has trapped                                             |
//! | `sm`         | 4     | number of the SM                                                   |
//! | `local_base` | 32    | first byte of local memory                                         |
//! | `a_*`        |       | the beat from A                                                    |
//! | `const_*`    |       | the host writes a word of constant memory                          |
//! | `share_*`    |       | a word of a starting block's header                                |
//! | `lsu_*`      |       | to the load/store unit                                             |
//! | `special_*`  |       | a place in the queue of special functions                          |
//! | `trap_*`     |       | the first beat that must not go on, in the cycle behind            |
//! | `stall_*`    | 1     | why the front stands still                                         |
//! | `d_*`        |       | the beat to D                                                      |
//! | `words_*`    |       | words of shared and constant memory of the beat in D               |
//! | `tr_held_pc` | pc    | the instruction that holds the front in a stall: in D if it waits there, else here |
//! | `busy`       | 1     | a beat is here                                                     |
//!
//! Timing: a beat leaves in the cycle after it came unless `lsu_ready` or `special_ready` is low for it or D waits.
//! The first words of shared and constant memory are read in its last cycle here, the others while it waits in D.
//! Reset or `clear`: empty; nothing has trapped.
//! Errors: traps 1–5, 8–10 in program order of a warp; once a beat has trapped, or `halt` is set, no beat passes.
//! Source: docs/semantics.md, Memory and Traps.

use super::access_check::{fault, AccessCheck};
use super::bundles::{
    Access, AddressedBeat, Addresses, BeatTag, BeatTrap, ChannelTag, CheckedBeat, ConstantWord, InitialWord, Issue,
    Limits, MemoryStalls, MemoryWords, SpecialPlace, Values, BREAKS,
};
use super::operand::select::Choice;
use crate::config::{GpuConfig, WARP};
use crate::front::passes;
use crate::rtl::prelude::*;
use crate::sm::constant::ConstantMemory;
use crate::sm::control::double::DoubleControl;
use crate::sm::control::g13::SourceControl;
use crate::sm::control::ivb::{registers_of_pass, ChannelControl};
use crate::sm::control::uop::UopControl;
use crate::sm::control::{last_pass, trap_cause, Control, MAX_PASSES, TRAP_CAUSE};
use crate::sm::dims::Dims;
use crate::sm::mem::bytes::AccessSize;
use crate::sm::mem::format::Conversion;
use crate::sm::mem::operation::Operation;
use crate::sm::mem::shared::SharedMemory;
use warpsmith_contract::trace::{Destination, MemoryAccess};
use warpsmith_contract::TrapCause;

group! {
    /// The beat in M.
    pub struct MemoryRegisters(d: &Dims) as "m" {
        /// M holds a beat.
        reg valid(1),
        data issue(Issue::width(d)),
        data beat(d.beat),
        data pass(MAX_PASSES),
        /// The pass is the first.
        data first_pass(1),
        /// Threads that a vote found, and whether this is one; of Fermi alone.
        data vote(if d.has.predicates; WARP),
        data votes(if d.has.predicates; 1),
        data first(1),
        data last(1),
        data exec(d.lanes),
        /// The beat accesses global or local memory; it goes to special functions. Neither unless it is valid.
        reg outside_on(1),
        reg special_on(1),
        /// The beat accesses shared memory, and which of its lanes do: none unless it is valid.
        reg shared_on(1),
        reg shared(d.lanes),
        /// The same of constant memory.
        reg constant(d.lanes),
        data limits(Limits::width(d)),
        /// It is the last beat of a BPT, and threads of this eighth of the warp execute it.
        data breaks(BREAKS => "m_break"),
        data cc(4 * d.lanes),
        /// [`Addresses`] of each lane.
        data at([d.lanes] Addresses::width(d) => "m"),
        /// Operands, apart: an absent one is a reset of its register.
        data r1([d.lanes] 32),
        data r2([d.lanes] 32),
        data r3([d.lanes] 32),
        data r4([d.has.sources.bits(d.lanes)] 32),
    }
}

group! {
    /// What the beat in M has found, a cycle later: its cause is made of it then.
    pub struct RaisedTrap(d: &Dims) as "raised" {
        /// The beat traps.
        reg valid(1),
        /// What is wrong with the accesses of each lane, as [`fault`] has it.
        data faults(2 * d.lanes),
        /// The instruction traps by itself, and its cause.
        data known(1),
        data cause(TRAP_CAUSE),
        data beat(d.beat),
        data warp(d.warp),
        data pc(d.pc),
        data block(d.block),
    }
}

block! {
    /// See the module.
    pub struct MemoryStage(cfg: &GpuConfig) {
        in clear(1),
        in halt(1),
        in sm(4),
        in local_base(32),
        part a(AddressedBeat<Sink>: &d),
        part constant_word(ConstantWord<Sink>: &d),
        part share(InitialWord<Sink>: &d),
        part lsu(Access<Source>: &d),
        part special(if d.sfus > 0; SpecialPlace<Source>:),
        part double(if d.double; SpecialPlace<Source>:),
        part trap(BeatTrap<Source>: &d),
        part stall(MemoryStalls<Source>:),
        part d(CheckedBeat<Source>: &d),
        part words(MemoryWords<Source>: &d),
        out tr_held_pc(d.pc),
        out busy(1),
        part m(MemoryRegisters: &d),
        /// A beat has trapped since the kernel began.
        reg trapped(1),
        part raised(RaisedTrap: &d),
        part check([d.lanes] AccessCheck:),
        part constants(ConstantMemory: cfg),
        part shared(SharedMemory: cfg),
        keep _d(Dims = d),
        keep _sms(usize = cfg.sms),
    } where {
        let d = Dims::of(cfg);
    }
}

/// The beat in the stage, field by field.
struct Unpacked {
    issue: Issue,
    c: Control,
    beat: Expr,
    pass: Expr,
    /// Lanes that execute.
    exec: Expr,
    /// There is a beat, and nothing has trapped.
    alive: Expr,
    /// It accesses local memory; local or global.
    local: Expr,
    outside: Expr,
    first_pass: Expr,
    double: Option<DoubleControl>,
    channels: Option<ChannelControl>,
    sources: Option<SourceControl>,
}

/// How registers have what the beat loads or stores; [`Conversion`], of G13.
fn conversion(b: &Unpacked, s: &SourceControl) -> Expr {
    // Several floats of one word are those of the passes.
    let several = Conversion::is_several(&s.layout);
    let how = Conversion {
        code: s.layout.clone(),
        half: b.c.mem.bit(0).mux(&b.c.s3_half, &b.c.dst_half),
        component: several.mux(&b.pass, &s.place(&b.pass)),
    };
    how.check(());
    how.pack()
}

impl MemoryStage {
    /// The beat, field by field.
    fn unpack(&self) -> Unpacked {
        let (d, pass) = (&self._d, get(&self.m.pass));
        let issue = Issue::unpack(d, "m", &get(&self.m.issue));
        let c = Control::unpack(d, "mc", &issue.control);
        let alive = get(&self.m.valid) & !get(&self.halt) & !get(&self.trapped);
        let alive = wire("alive", alive);
        let local = wire("is_local", c.accesses_local());
        let outside = wire("outside", &local | &c.accesses_global(d));
        Unpacked {
            issue,
            alive,
            beat: get(&self.m.beat),
            exec: get(&self.m.exec),
            outside,
            local,
            first_pass: get(&self.m.first_pass),
            double: c.double(d, "m"),
            channels: c.channels(d, "m"),
            sources: c.sources(d, "ms"),
            c,
            pass,
        }
    }

    /// Each lane's values, and its byte address in the SM's shared memory. `pass`: the part of a wide access.
    fn values(&self, b: &Unpacked, pass: &Expr, limits: &Limits) -> (Vec<Values>, Vec<Expr>) {
        let d = &self._d;
        let mut shared_at = vec![];
        let place = b.sources.as_ref().map_or_else(|| pass.clone(), |s| s.place(pass));
        // Stage A has added the pass of a pair.
        let pair = b.double.as_ref().map(|double| wire("not_of_pair", !&double.wide).repeat(16));
        let of_constant = |address: Expr| match &pair {
            Some(other) => &address | &(other & &cat([pass, &zero(2)]).zext(16)),
            None => passes::address_of_operand(d, limits, &place, address),
        };
        let values = self
            .m
            .at
            .iter()
            .enumerate()
            .map(|(i, m)| {
                let at = Addresses::unpack(d, &format!("m{i}"), &get(m));
                shared_at.push(passes::address_of_operand(d, limits, &place, at.shared));
                Values {
                    r1: get(&self.m.r1[i]),
                    r2: get(&self.m.r2[i]),
                    r3: get(&self.m.r3[i]),
                    r4: self.m.r4.get(i).map_or(nothing(), get),
                    areg: at.areg,
                    main: passes::address(d, limits, &place, at.main),
                    constant: of_constant(at.constant),
                    next: at.next,
                }
            })
            .collect();
        (values, shared_at)
    }

    /// The traps of the beat: the lowest faulty thread's, or what the instruction brings. Returns whether
    /// there is one; what was found is kept for the record, which leaves a cycle later.
    fn check(&self, b: &Unpacked, limits: &Limits, values: &[Values]) -> Expr {
        let (d, c, alive) = (&self._d, &b.c, &b.alive);
        let mut faults = vec![];
        for (i, check) in self.check.iter().enumerate() {
            set(&check.active, alive & &b.exec.bit(i));
            set(&check.main_on, &limits.main_on);
            let at = Addresses::unpack(d, &format!("checked{i}"), &get(&self.m.at[i]));
            let (limit, guarded) = match d.has.wide_addresses {
                true => (&limits.main & !at.beyond.repeat(33), &limits.guarded & !&at.beyond),
                false => (limits.main.clone(), limits.guarded.clone()),
            };
            set(&check.main, at.main);
            set(&check.main_guarded, guarded);
            set(&check.main_size, &limits.main_size);
            set(&check.main_limit, limit);
            set(&check.constant_on, &limits.constant_on);
            set(&check.constant, &values[i].constant);
            set(&check.constant_size, &limits.constant_size);
            set(&check.constant_words, &limits.words);
            faults.push(get(&check.fault));
        }
        let faults = wire("faults", pack(faults.iter()));
        let known = wire("early_trap", c.trap.any() | get(&self.m.breaks).any());
        let known_cause = c.trap.any().mux(&c.trap, &trap_cause(TrapCause::Trap));
        let trap = wire("trap", alive & (&known | faults.any()));
        // Nothing goes on behind it.
        set(&self.trapped, (get(&self.trapped) | &trap) & !get(&self.clear));
        let raised = &self.raised;
        set(&raised.valid, &trap & !get(&self.clear));
        set(&raised.faults, faults);
        set(&raised.known, known);
        set(&raised.cause, known_cause);
        set(&raised.beat, &b.beat);
        set(&raised.warp, &b.issue.warp);
        set(&raised.pc, &b.issue.pc);
        set(&raised.block, &b.issue.block);
        trap
    }

    /// The record of the beat that trapped in the cycle before.
    fn record(&self) {
        let (d, raised) = (&self._d, &self.raised);
        let faults = get(&raised.faults).each_word(2);
        let faulty: Vec<Expr> = faults.iter().map(Expr::any).collect();
        let faulty = wire("faulty", pack(faulty.iter()));
        let lowest = wire("lowest_faulty", lowest_one_hot(&faulty));
        let kind = one_hot_mux(&lowest, &faults);
        let fault_cause = kind.is(fault::MISALIGNED).mux(
            &trap_cause(TrapCause::MisalignedAccess),
            &kind.is(fault::NULL).mux(&trap_cause(TrapCause::Null), &trap_cause(TrapCause::OutOfRange)),
        );
        let lane_bits = clog2(d.lanes);
        let thread = d.with_beat_high(&get(&raised.beat), &one_hot_index(&lowest, lane_bits));
        let known = get(&raised.known);
        set(&self.trap.valid, get(&raised.valid));
        set(&self.trap.cause, known.mux(&get(&raised.cause), &fault_cause));
        set(&self.trap.lane, known.mux(&zero(5), &thread));
        set(&self.trap.warp, get(&raised.warp));
        set(&self.trap.pc, get(&raised.pc));
        set(&self.trap.block, get(&raised.block));
    }

    /// Shared and constant memory. What holds the pipeline does not ask for traps: after one nothing goes
    /// on, and the checks would stand in its longest path. What leaves a trace does.
    fn memories(&self, b: &Unpacked, limits: &Limits, trap: &Expr, d_waits: &Expr) {
        let store_shared = b.c.accesses(MemoryAccess::SharedStore);
        set(&self.constants.mask, get(&self.m.constant));
        set(&self.constants.base, &limits.base);
        set(&self.constants.const_we, get(&self.constant_word.we));
        set(&self.constants.const_address, get(&self.constant_word.address));
        set(&self.constants.const_data, get(&self.constant_word.data));
        set(&self.constants.hold, d_waits);
        set(&self.shared.valid, get(&self.m.shared_on));
        set(&self.shared.sound, &b.alive & !trap);
        set(&self.shared.hold, d_waits);
        set(&self.shared.write, &store_shared);
        let shared_size = |code: &Expr| {
            // Of three bits 4 is s8.
            let half = code.bits(0, 2).any();
            code.is(3).mux(&lit(2, 2), &half.mux(&lit(2, 1), &lit(2, 0)))
        };
        let whole = match self._d.has.wide_operands {
            true => b.c.mem_size.bit(2),
            false => b.c.mem_size.is(6),
        };
        let stored = whole.mux(&lit(2, 2), &b.c.mem_size.bit(1).mux(&lit(2, 1), &lit(2, 0)));
        set(&self.shared.size, store_shared.mux(&stored, &shared_size(&b.c.s1_size)));
        set(&self.shared.mask, get(&self.m.shared));
        if let (Some(lock), Some(frees), Some(from)) =
            (self.shared.lock.get(), self.shared.init_frees.get(), self.share.frees.get())
        {
            set(lock, &b.c.lock);
            set(frees, get(from));
        }
        set(&self.shared.init_valid, get(&self.share.valid));
        set(&self.shared.init_addr, get(&self.share.addr));
        set(&self.shared.init_data, get(&self.share.data));
        set(&self.share.ready, get(&self.shared.init_ready));
    }

    /// The beat of a global or local access, but for addresses and data.
    fn access(&self, b: &Unpacked, to_lsu: &Expr) {
        set(&self.lsu.valid, to_lsu);
        set(&self.lsu.write, b.c.mem.bit(0));
        let size = b.c.mem_size.bit(2).mux(&lit(3, 6), &b.c.mem_size);
        set(&self.lsu.size, b.sources.as_ref().map_or(size.clone(), |s| cat([&conversion(b, s), &size])));
        let mask = match self._d.has.null_register {
            // A load without a destination only traps.
            true => {
                let useful = b.c.mem.bit(0) | b.c.dst_kind.any();
                &b.exec & &useful.repeat(self._d.lanes)
            }
            false => b.exec.clone(),
        };
        set(&self.lsu.mask, mask);
        if let Some(operation) = self.lsu.operation.get() {
            let of_word = match self._d.has.uops {
                true => {
                    let signed = if self._d.has.atomic_signs { b.c.atomic_signed.clone() } else { zero(1) };
                    Operation { code: b.c.atomic.clone(), signed, on: nothing() }
                }
                false => Operation::unpack((), "of_word", &b.c.imm.bits(0, Operation::width(()))),
            };
            set(operation, Operation { on: wire("is_atomic", b.c.is_atomic()), ..of_word }.pack());
            self.lsu.compare.iter().zip(&self.m.r2).for_each(|(to, from)| set(to, get(from)));
        }
        set(&self.lsu.warp, &b.issue.warp);
        set(&self.lsu.slot, &b.issue.slot);
        set(&self.lsu.last, get(&self.m.last));
    }

    /// Addresses and store data of each lane, for all memories; of a half the `high` one.
    fn lanes(&self, b: &Unpacked, high: &Expr, values: &[Values], shared_at: &[Expr]) {
        let store_size = AccessSize::of(&b.c.mem_size);
        let store_size = match &b.sources {
            // Floats that are converted are whole.
            Some(s) => {
                let floats = wire("stores_floats", s.layout.any());
                AccessSize { half: &store_size.half & &!&floats, word: &store_size.word | &floats }
            }
            None => store_size,
        };
        let d = &self._d;
        let sm_bits = clog2(self._sms);
        // Local memory begins at a multiple of 128 bytes, those of a word of a warp's threads.
        let local_base = get(&self.local_base).bits(7, 25) & b.local.repeat(25);
        let local_base = wire("local_base_here", local_base);
        for (i, m) in values.iter().enumerate() {
            let (main, constant) = (&m.main, &m.constant);
            let word = constant.bits(2, 14).resize(d.constant.max(14)).bits(0, d.constant.min(14)).zext(d.constant);
            set(&self.constants.word[i], &word);
            set(&self.shared.addr[i], &shared_at[i]);
            let low = high.mux(&m.r3.bits(16, 16), &m.r3.bits(0, 16));
            let upper = m.r3.bits(16, 16) & (!&b.c.s3_half).repeat(16);
            let half = wire(&format!("stored_{i}"), cat([&upper, &low]));
            let data = wire(&format!("store_{i}"), store_size.spread(&half));
            set(&self.shared.wdata[i], &data);
            // Local memory is interleaved by word over all threads of the chip, so that a warp's
            // accesses to one offset fill lines.
            let thread = d.with_beat_high(&b.beat, &lit(clog2(d.lanes), i as u64));
            let mut parts = vec![main.bits(2, 14)];
            if self._sms > 1 {
                parts.push(get(&self.sm).bits(0, sm_bits));
            }
            parts.push(b.issue.warp.clone());
            let row = b.local.mux(&cat(parts.iter()).resize(25), &main.bits(7, 25));
            let row = carry_chain(&local_base, &row, &zero(1)).bits(0, 25);
            let thread = b.local.mux(&thread, &main.bits(2, 5));
            let at = cat([&row, &thread, &main.bits(0, 2)]);
            set(&self.lsu.addr[i], at);
            set(&self.lsu.data[i], &data);
        }
    }

    /// What the stages behind need to know. `dst`, `entry`: the destination of this pass.
    fn tag(&self, b: &Unpacked, (dst, dst_hi): (Expr, Expr), entry: Expr, special: Expr) -> BeatTag {
        let (d, c, issue) = (&self._d, &b.c, &b.issue);
        let loads = c.accesses(MemoryAccess::GlobalLoad) | c.accesses(MemoryAccess::LocalLoad);
        let later = loads | &c.sfu;
        let later = if d.has.atomics { later | c.accesses(MemoryAccess::GlobalAtomic) } else { later };
        let later = if d.has.null_register { later & c.dst_kind.any() } else { later };
        let to_areg = c.dst_kind.is(Destination::Addr as u64);
        // Of two passes of R2A the first writes its destination, the last steps the register it
        // read through; where both are one register the destination stands.
        let dst_now = (&c.dst_kind & &(!(&to_areg & !&b.first_pass)).repeat(2)).called("dst_now");
        let steps = &c.post_inc
            & c.areg.any()
            & b.pass.eq(&last_pass(d, &c.passes))
            & !(&to_areg & c.dst.bits(0, 3).eq(&c.areg));
        let [mask, length, exchange, first_of_two, stores, uniform] = match &b.sources {
            Some(s) => {
                let first = s.exchange.any() & &b.first_pass;
                let [mask, length, exchange] = [&s.mask, &s.length, &s.exchange].map(Expr::clone);
                [mask, length, exchange, first, s.stores.clone(), s.n4.clone()]
            }
            None => std::array::from_fn(|_| nothing()),
        };
        let [q1, q2] = c.predicates(d, "mp").map_or([nothing(), nothing()], |p| [p.q1, p.q2]);
        let tag = BeatTag {
            first: get(&self.m.first),
            last: get(&self.m.last),
            warp: issue.warp.clone(),
            slot: issue.slot.clone(),
            block: issue.block.clone(),
            beat: b.beat.clone(),
            pass: b.pass.clone(),
            entry,
            dst_kind: later.mux(&lit(2, Destination::Pending as u64), &dst_now),
            dst_half: c.dst_half.clone(),
            dst_hi,
            dst,
            flags_we: match &b.double {
                // The unit for floats of 64 bits writes its flags later.
                Some(double) if d.has.late_flags => &c.flags_we & &!&double.is_double,
                // Of a comparison of pairs the last pass writes.
                Some(double) => &c.flags_we & &(!&double.wide | b.pass.bit(0)),
                None => c.flags_we.clone(),
            },
            flags_from_y: c.flags_from_y.clone(),
            cdst: c.cdst.clone(),
            exec: b.exec.clone(),
            special,
            quad: c.quad.clone(),
            mem: c.mem.clone(),
            post_inc: steps,
            areg: c.areg.clone(),
            q1,
            q2,
            mask,
            length,
            exchange,
            first_of_two,
            stores,
            uniform,
            locks: match d.has.locks {
                true => &c.lock & &!c.accesses(MemoryAccess::SharedStore),
                false => nothing(),
            },
            locked: if d.has.locks { zero(d.lanes) } else { nothing() },
            alu: match b.sources.as_ref().filter(|_| d.has.wide_sums) {
                // The second pass of a sum.
                Some(s) => {
                    let alu = UopControl::unpack((), "ma", &c.alu);
                    UopControl { high: &alu.high | &(&s.sum_of_two & &!&b.first_pass), ..alu }.pack()
                }
                None => c.alu.clone(),
            },
            double: c.double.clone(),
            channels: b.channels.as_ref().map_or(nothing(), |channels| ChannelTag::of(channels).pack()),
            pc: issue.pc.clone(),
            word: issue.word.clone(),
            active: if d.trace { issue.mask.clone() } else { zero(1) },
            depth: issue.depth.clone(),
        };
        tag.check(d);
        tag
    }

    /// How D selects operands; a vote's finding takes the place of the immediate.
    fn choice(&self, c: &Control, double: Option<&DoubleControl>) -> Choice {
        let mut choice = Choice::of(&self._d, c);
        if let (Some(vote), Some(votes)) = (self.m.vote.get(), self.m.votes.get()) {
            choice.imm = wire("imm_or_vote", get(votes).mux(&get(vote), &choice.imm));
        }
        if let Some(double) = double {
            // The low word of a number of 64 bits is 0.
            let low = &double.wide & !get(&self.m.pass).bit(0);
            choice.imm = choice.imm & wire("imm_there", !low).repeat(32);
        }
        choice
    }

    /// A beat comes from A, if there is one.
    fn take(&self, ready: &Expr) {
        let (a, m) = (&self.a, &self.m);
        set(&a.ready, ready);
        if let (Some(from), Some(to), Some(found), Some(vote)) =
            (a.vote.get(), m.vote.get(), a.votes.get(), m.votes.get())
        {
            // A vote is over the threads of all beats: its first beat has found it.
            when(&(ready & get(&a.first)), || set(to, get(from)));
            when(ready, || set(vote, get(found)));
        }
        when(ready, || {
            set(&m.outside_on, get(&a.outside_on));
            set(&m.special_on, get(&a.special_on));
            set(&m.shared_on, get(&a.shared_on));
            set(&m.shared, get(&a.shared));
            set(&m.constant, get(&a.constant));
            set(&m.valid, get(&a.valid));
            set(&m.issue, get(&a.issue));
            set(&m.beat, get(&a.beat));
            set(&m.pass, get(&a.pass));
            set(&m.first_pass, get(&a.first_pass));
            set(&m.first, get(&a.first));
            set(&m.last, get(&a.last));
            set(&m.exec, get(&a.exec));
            set(&m.limits, get(&a.limits));
            set(&m.breaks, get(&a.breaks));
            set(&m.cc, get(&a.cc));
            for (to, from) in m.at.iter().zip(&a.at).chain(m.r4.iter().zip(&a.r4)) {
                set(to, get(from));
            }
        });
        let absent = a.absent.get().map(|absent| (ready.repeat(3) & get(absent)).each_bit());
        for (i, (to, from)) in [(&m.r1, &a.r1), (&m.r2, &a.r2), (&m.r3, &a.r3)].into_iter().enumerate() {
            for (to, from) in to.iter().zip(from) {
                when(ready, || set(to, get(from)));
                // Said last and with its own condition, so that it maps to the flip-flops' reset.
                if let Some(absent) = &absent {
                    when(&absent[i], || set(to, zero(32)));
                }
            }
        }
        when(&get(&self.clear), || {
            set(&m.valid, lit(1, 0));
            set(&m.outside_on, lit(1, 0));
            set(&m.special_on, lit(1, 0));
            set(&m.shared_on, lit(1, 0));
            set(&m.shared, zero(self._d.lanes));
            set(&m.constant, zero(self._d.lanes));
        });
    }
}

impl Rtl for MemoryStage {
    /// Checks, memories; nothing leaves the stage while the beat in D waits.
    fn rtl(&self) {
        let d = &self._d;
        let d_waits = &get(&self.d.waits);
        let b = self.unpack();
        let limits = Limits::unpack(d, "limits", &get(&self.m.limits));
        let wide = match d.has.wide_operands {
            true => lit(1, 1),
            false => b.outside.clone(),
        };
        let part = wire("part", &b.pass & &wide.repeat(MAX_PASSES));
        let (values, shared_at) = self.values(&b, &part, &limits);
        let trap = self.check(&b, &limits, &values);
        self.record();
        let go = wire("go", &b.alive & !&trap);
        self.memories(&b, &limits, &trap, d_waits);

        let outside = get(&self.m.outside_on);
        let to_lsu = wire("to_lsu", &go & &outside & !d_waits);
        // Whether something has trapped is not asked: room comes all the same, and the answer goes to all stages.
        let lsu_full = wire("lsu_full", outside & !get(&self.lsu.ready));
        let special = get(&self.m.special_on);
        let to_special = wire("to_special", &go & &special);
        let special_ready = self.special.get().map_or(lit(1, 1), |s| get(&s.ready));
        let special_full = match (self.double.get(), &b.double) {
            (Some(place), Some(double)) => {
                // Every beat goes to the unit for floats of 64 bits; a place is kept with its low words.
                let double_full = &b.first_pass & !get(&place.ready);
                // After a trap a place may never be given back.
                &b.alive & &special & double.is_double.mux(&double_full, &!special_ready)
            }
            _ => &special & !special_ready,
        };
        let special_full = wire("special_full", special_full);
        self.access(&b, &to_lsu);
        let (passed, dst_hi) = match &b.channels {
            Some(channels) => (registers_of_pass(&part, &channels.is_sixteen()), b.c.dst_hi.clone()),
            None if d.has.late_halves => {
                let (passed, high) = passes::half(&part, &b.c.dst_half, &b.c.dst_hi);
                (passed.zext(7), high)
            }
            None => (part.zext(7), b.c.dst_hi.clone()),
        };
        let dst = wire("dst_pass", &b.c.dst + &passed);
        let entry = match &b.channels {
            Some(channels) => {
                // The register of the first row of lanes: the first channel may be channel 8.
                let rows = match d.beats {
                    1 => zero(d.entry),
                    _ => b.beat.zext(d.entry),
                };
                &b.issue.reg_base + &dst.resize(d.entry) + &(rows - &channels.second.zext(d.entry))
            }
            None => &b.issue.reg_base + &d.with_beat(&dst, &b.beat).resize(d.entry),
        };
        let entry = wire("dst_entry", entry);
        let loads_to = match d.has.late_halves {
            true => {
                let low = !(&b.c.dst_half & &dst_hi);
                let high = !&b.c.dst_half | &dst_hi;
                cat([&high, &low, &entry])
            }
            false => entry.clone(),
        };
        set(&self.lsu.entry, loads_to);
        // The half of a register that is stored.
        let stored_high = match d.has.late_halves {
            true => passes::half(&(&part & &b.c.mem.any().repeat(MAX_PASSES)), &b.c.s3_half, &b.c.s3_hi).1,
            false => b.c.s3_hi.clone(),
        };
        self.lanes(&b, &stored_high, &values, &shared_at);

        // A gap in M stays there too while D waits: issue counts on it that nothing moves then.
        let stays = any_of(&[lsu_full.clone(), special_full.clone(), d_waits.clone()]);
        let ready = wire("m_ready", !stays);
        let leaves = wire("m_leaves", get(&self.m.valid) & &ready);
        if let Some(special) = self.special.get() {
            let reserve = &to_special & &leaves;
            match (self.double.get(), &b.double) {
                (Some(place), Some(double)) => {
                    set(&special.reserve, &reserve & &!&double.is_double);
                    set(&place.reserve, all_of(&[reserve, double.is_double.clone(), b.first_pass.clone()]));
                }
                _ => set(&special.reserve, reserve),
            }
        }
        set(&self.constants.leaves, &leaves);
        set(&self.shared.leaves, &leaves);
        let (shared_busy, constant_busy) = (get(&self.shared.busy), get(&self.constants.busy));
        set(&self.stall.special, special_full & !d_waits);
        set(&self.stall.lsu, lsu_full & !d_waits);
        set(&self.stall.shared, &shared_busy);
        set(&self.stall.constant, &constant_busy & !&shared_busy);

        let tag = self.tag(&b, (dst, dst_hi), entry, to_special);
        set(&self.d.valid, &leaves & &go);
        set(&self.d.tag, tag.pack());
        let low: Vec<Expr> = values.iter().map(|m| m.constant.bits(0, 2)).collect();
        let choice = Choice { s3_hi: stored_high, ..self.choice(&b.c, b.double.as_ref()) };
        set(&self.d.choice, choice.pack());
        set(&self.d.cc, get(&self.m.cc));
        set(&self.d.c_low, pack(low.iter()));
        for (m, to) in values.iter().zip(&self.d.values) {
            m.check(d);
            set(to, m.pack());
        }
        set(&self.words.wait, get(&self.shared.next_busy) | get(&self.constants.next_busy));
        for (to, from) in self.words.shared.iter().zip(&self.shared.rdata) {
            set(to, get(from));
        }
        if let (Some(to), Some(from)) = (self.words.locked.get(), self.shared.locked.get()) {
            set(to, get(from));
        }
        for (to, from) in self.words.constant.iter().zip(&self.constants.data) {
            set(to, get(from));
        }
        set(&self.tr_held_pc, d_waits.mux(&get(&self.d.pc), &b.issue.pc));
        set(&self.busy, get(&self.m.valid));
        self.take(&ready);
    }
}

rtl_block!(MemoryStage, "memory_stage");
