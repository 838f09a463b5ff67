//! Stage A: guard, effective addresses; control operations leave for their units.
//!
//! | port             | width | meaning                                                        |
//! |------------------|-------|----------------------------------------------------------------|
//! | `clear`          | 1     | drop the beat                                                  |
//! | `halt`           | 1     | the kernel has trapped                                         |
//! | `shared_bytes` … `bank_words_*` | | sizes of the memories                                 |
//! | `i_*`            |       | the beat in I, and what it reads                               |
//! | `advance`        | 1     | it is taken: the front moves                                   |
//! | `d1_l`, `d2_l`, `d3_l` | 32 | its registers, once it stands in A                           |
//! | `result_*`       |       | registers that W writes, with forwarding                       |
//! | `condition_*`    |       | flags or predicates that W writes                              |
//! | `areg_*`         |       | address registers that W writes                                |
//! | `flow_*`, `bar_*` |      | to the divergence unit and the barriers                        |
//! | `m_*`            |       | the beat with its addresses, to M                              |
//! | `stall_control`  | 1     | the beat waits for a unit of control                           |
//! | `retire_last`    | 1     | the first beat of an instruction leaves                        |
//! | `retire_threads` | 6     | its active threads                                             |
//! | `busy`           | 1     | a beat or a control operation is here                          |
//!
//! Timing: a beat that `advance` took stands here in the next cycle, and leaves when M takes it and its control
//! operation has a place. Reset or `clear`: empty; flags, predicates and address registers are undefined.
//! Errors: none; M checks what is found here.
//! Source: docs/semantics.md, Control flow and Operands in memory.

pub mod channel_lane;
pub mod g13_lane;
pub mod lane;
pub mod sources;
pub mod uop_lane;

use super::bundles::{
    AddressRegisterWrite, AddressedBeat, BarrierOperation, ConditionWrite, ConstantWord, ControlTransfer, Issue,
    LaneWrite, MemorySizes, Operation, ReadBeat, RegisterOperands, UniformWrite, WarpThreads, BREAKS,
};
use super::flow::Flow;
use super::forward::Forward;
use crate::config::{GpuConfig, WARP};
use crate::front::address_lane::{Access, FrontAddressLane, LaneOperands};
use crate::front::conditions::{written_to, Conditions, FrontConditions};
use crate::front::limits::elements;
use crate::rtl::prelude::*;
use crate::sm::control::ivb::{size, ChannelControl};
use crate::sm::control::{source1, source23, Control, BAR_COUNT, MAX_PASSES};
use crate::sm::dims::Dims;
use sources::{LaneWords, SourceMemories, Sources, TakenBeat};
use warpsmith_contract::trace::MemoryAccess;

group! {
    /// The beat in A.
    pub struct AddressRegisters(d: &Dims) as "a" {
        /// A holds a beat.
        reg valid(1),
        data issue(Issue::width(d)),
        /// Counts of the instruction's threads, of weight 1, 2 and 4.
        data counts([3] 3),
        data beat(d.beat),
        data pass(MAX_PASSES),
        /// The pass is the first.
        data first_pass(1),
        data first(1),
        data last(1),
        /// Operands whose register lies beyond the allocation: they read 0.
        data absent(3),
        /// The shared operand's address without the address register.
        data block_offset(d.shared_address()),
        /// Threads of the instruction's earlier beats that execute: the guard may be what the instruction itself
        /// writes, and writes before the last beat has left.
        data executing(if d.beats > 1; d.threads - d.lanes),
    }
}

block! {
    /// See the module.
    pub struct AddressStage(cfg: &GpuConfig) {
        in clear(1),
        in halt(1),
        part sizes(MemorySizes<Sink>: &d),
        /// Threads of a block along x, y, z; of G13.
        in block_size([d.has.sources.bits(3)] 16),
        part start(if d.has.sources; WarpThreads<Sink>: &d),
        /// The host's words of constant memory, the first of which are uniforms; of G13.
        part const_word(if d.has.sources; ConstantWord<Sink>: &d),
        /// Uniforms that stage W writes; of G13.
        part uniform(if d.has.sources; UniformWrite<Sink>:),
        part i(ReadBeat<Sink>: &d),
        out advance(1),
        part operands(RegisterOperands<Sink>: &d),
        part result(if d.forward; LaneWrite<Sink>: &d),
        part condition(if d.has.conditions; ConditionWrite<Sink> = written_to(&d)),
        part areg(if d.has.address_registers; AddressRegisterWrite<Sink>: &d),
        part flow(ControlTransfer<Source>: &d),
        part bar(BarrierOperation<Source>: &d),
        part m(AddressedBeat<Source>: &d),
        out stall_control(1),
        out retire_last(1),
        out retire_threads(6),
        out busy(1),
        part a(AddressRegisters: &d),
        part forward(Forward: &d),
        part conditions(if d.has.conditions; FrontConditions: cfg),
        part aregs(if d.has.address_registers; Ram = aregs()),
        part sources(if d.has.sources; SourceMemories: &d),
        /// Addresses of each lane.
        part adder([l] FrontAddressLane: &d),
        part branch(Flow: &d),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let l = d.lanes;
        let aregs = || d.rdw_dont_care(Ram::with_granule(RamKind::Block, d.warps * 8 * d.beats, 16 * l, 16, 1));
    }
}

impl Rtl for AddressStage {
    fn rtl(&self) {
        let (d, m) = (&self._d, &self.m);
        let m_ready = get(&m.ready);
        let (valid, beat, pass) = (get(&self.a.valid), get(&self.a.beat), get(&self.a.pass));
        let first = get(&self.a.first);
        let issue = Issue::unpack(d, "a", &get(&self.a.issue));
        let c = Control::unpack(d, "ac", &issue.control);
        let Conditions { guard, row } = match self.conditions.get() {
            Some(conditions) => {
                if let (Some(vote), Some(votes), Some(found)) = (m.vote.get(), m.votes.get(), conditions.vote()) {
                    set(vote, get(found[0]));
                    set(votes, get(found[1]));
                }
                conditions.read(&issue, &c, &beat, &first)
            }
            None => Conditions { guard: ones(d.lanes), row: zero(4 * d.lanes) },
        };
        let sources = self.sources.get().map(|memories| {
            let this = (beat.clone(), get(&self.a.absent));
            (memories, Sources::of(d, (memories, &self.block_size), this, &issue, &c))
        });
        let taking_part = match &sources {
            // A mask is made of all threads that exist.
            Some((memories, s)) => {
                let present = memories.present.read(0, &issue.warp);
                s.control.mask.mux(&present, &issue.mask)
            }
            None => issue.mask.clone(),
        };
        let channels = c.channels(d, "a");
        let taking_part = match &channels {
            Some(channels) => channels_of(channels, &taking_part),
            None => taking_part,
        };
        let threads = taking_part.bits(0, d.threads.max(d.lanes));
        let lanes_on = wire("lanes_on", threads.word_at(&beat, d.lanes) & &guard);
        // Of all threads: with the last beat.
        let exec = match self.a.executing.get() {
            Some(executing) => wire("exec", cat([&lanes_on, &get(executing)]).resize(WARP)),
            None => lanes_on.resize(WARP),
        };

        let known = !c.trap.any();
        let sound = &known & !get(&self.halt);
        let flows = c.flow.any() | c.marker.any();
        let to_unit = &flows | &c.bar;
        // With the last beat: only then is it known of every thread whether it executes.
        let last = &valid & get(&self.a.last) & &sound;
        // Nobody comes to a barrier: its warp goes on behind it. A warp of G13 comes without threads, too.
        let (flows, comes) = match d.has.predicates {
            true => {
                let some = exec.any().called("some");
                (&flows | &(&c.bar & !&some), &c.bar & some)
            }
            false => (flows, c.bar.clone()),
        };
        let want_flow = wire("want_flow", &last & &flows);
        let want_bar = wire("want_bar", &last & &comes);
        // `halt` comes from afar and is not asked: room comes all the same, and the answer goes to all stages.
        let stuck = all_of(&[valid.clone(), get(&self.a.last), known, to_unit, !get(&self.branch.ready)]);
        let stuck = wire("control_stuck", stuck);
        let goes = wire("a_goes", &valid & &m_ready & !&stuck);
        let step = match &sources {
            Some((_, s)) => cat([&s.control.length, &zero(1)]),
            // 16 or 8 bytes of Ivy Bridge, else 8 or 4.
            None => cat([&c.long, &!&c.long, &zero(2 + d.has.channels.bits(1))]),
        };
        let read = |l: usize| -> Vec<Expr> {
            let read = [&self.operands.d1[l], &self.operands.d2[l], &self.operands.d3[l]];
            (0..3).map(|i| self.forward.operand(i, l, get(read[i]))).collect()
        };
        // Of G13 a jump wants them, too.
        let words: Option<Vec<LaneWords>> =
            sources.as_ref().map(|(_, s)| (0..d.lanes).map(|l| s.lane(l, &read(l), &c)).collect());
        let (target, marker) = match (&sources, &words) {
            (Some((memories, s)), Some(words)) => {
                let taken = TakenBeat {
                    goes: goes.clone(),
                    first: first.clone(),
                    last: get(&self.a.last) & &sound,
                    warp: issue.warp.clone(),
                    on: lanes_on.clone(),
                    values: words.iter().map(|w| w.register.clone()).collect(),
                    number: c.imm.clone(),
                };
                memories.adjust(s, &taken, self.start.get());
                memories.jump(d, &c, &taken)
            }
            _ => (c.target.clone(), c.marker.clone()),
        };
        let operation = Operation {
            op: c.flow.clone(),
            marker,
            warp: issue.warp.clone(),
            active: issue.mask.clone(),
            exec: exec.clone(),
            target,
            next: &issue.pc + &step.zext(d.pc),
            pc: issue.pc.clone(),
            block: issue.block.clone(),
            bar_id: c.bar_id.clone(),
            bar_arrive: c.bar_arrive.clone(),
            bar_wait: c.bar_wait.clone(),
            bar_count: match d.has.barrier_counts {
                true => c.imm.bits(0, BAR_COUNT),
                false => nothing(),
            },
            hop: channels.as_ref().map_or(nothing(), |channels| channels.hop.clone()),
        };
        operation.check(d);
        set(&self.branch.flow_valid, &want_flow & &goes);
        set(&self.branch.bar_valid, &want_bar & &goes);
        set(&self.branch.operation, operation.pack());
        set(&self.stall_control, &stuck & &m_ready);

        let absent = get(&self.a.absent);
        let aregs = self.aregs.get().map(|r| get(&r.rdata[0]).named());
        // Known here: the rounds of shared memory are a long way in M.
        let shared = c.s1_kind.is(source1::SHARED) | c.accesses(MemoryAccess::SharedStore);
        let first_pass = get(&self.a.first_pass);
        let enters = &valid & !&stuck;
        // Of SM 1.0 only global and local accesses are wide.
        let in_pass = match d.has.wide_operands {
            true => lit(1, 1),
            false => first_pass.clone(),
        };
        let shared = wire("to_shared", &enters & shared & &in_pass);
        let limits = self.sizes.limits(d, &c, &first_pass);
        let constant = match d.has.wide_operands {
            true => c.s2_kind.is(source23::CONST) | c.s3_kind.is(source23::CONST),
            false => limits.constant_on.clone(),
        };
        let constant = wire("to_constant", &enters & &constant);
        let breaks = (&c.breakpoint & get(&self.a.last)).repeat(BREAKS);
        let live: Vec<Expr> = exec.each_word(WARP / BREAKS).iter().map(Expr::any).collect();
        let breaks = breaks & pack(live.iter());
        // Likewise: they say whether M moves.
        let outside = c.accesses_local() | c.accesses_global(d);
        set(&m.outside_on, wire("to_outside", &enters & outside));
        // A beat without threads goes to the special-function units only to end its instruction.
        let counts = lanes_on.any() | get(&self.a.last);
        let counts = match c.double(d, "a") {
            Some(double) => counts | double.is_double,
            None => counts,
        };
        set(&m.special_on, wire("to_special", all_of(&[enters.clone(), c.sfu.clone(), counts])));
        set(&m.shared_on, &shared);
        set(&m.shared, &lanes_on & &shared.repeat(d.lanes));
        set(&m.constant, &lanes_on & &constant.repeat(d.lanes));
        set(&m.valid, &goes);
        set(&m.issue, get(&self.a.issue));
        set(&m.beat, &beat);
        set(&m.pass, &pass);
        set(&m.first_pass, &first_pass);
        set(&m.first, get(&self.a.first));
        set(&m.last, get(&self.a.last));
        set(&m.exec, &lanes_on);
        set(&m.limits, limits.pack());
        set(&m.breaks, &breaks);
        set(&m.cc, row);
        if let Some(to) = m.absent.get() {
            set(to, &absent);
        }
        let has_areg = wire("has_areg", c.areg.any());
        let block_offset = match &sources {
            Some((_, s)) => {
                let step = elements(&limits.main_size, &s.control.place(&pass)).zext(d.shared_address());
                wire("block_offset_of_pass", get(&self.a.block_offset) + step)
            }
            None => get(&self.a.block_offset),
        };
        // Constants of 8 bytes begin at any word.
        let c = match c.double(d, "addressed").filter(|_| !d.has.late_flags) {
            Some(double) => {
                let step = cat([&(double.wide & pass.bit(0)), &zero(2)]).zext(16);
                Control { c_offset: wire("c_offset_of_pass", &c.c_offset + step), ..c }
            }
            None => c,
        };
        let access = Access {
            control: &c,
            sources: sources.as_ref().map(|(_, s)| &s.control),
            channels: channels.as_ref(),
            pass: &pass,
            main_size: &limits.main_size,
            block_offset: &block_offset,
        };
        for (l, adder) in self.adder.iter().enumerate() {
            let to = [&m.r1[l], &m.r2[l], &m.r3[l]];
            let of_lane = match words.as_ref().map(|w| &w[l]) {
                Some(words) => {
                    to.iter().zip(&words.operands).for_each(|(to, word)| set(*to, word));
                    set(&m.r4[l], &words.operands[3]);
                    let (base, index) = (words.base.clone(), words.index.clone());
                    LaneOperands { base, index, areg: zero(16), channel: nothing() }
                }
                None => {
                    let operands = read(l);
                    to.iter().zip(&operands).for_each(|(to, operand)| set(*to, operand));
                    let r1 = wire(&format!("r1_{l}"), absent.bit(0).mux(&zero(32), &operands[0]));
                    let high = absent.bit(1).mux(&zero(32), &operands[1]);
                    let areg = aregs.as_ref().map(|aregs| {
                        let read = self.forward.address_register(l, aregs.bits(16 * l, 16));
                        wire(&format!("areg_{l}"), has_areg.mux(&read, &zero(16)))
                    });
                    let channel = d.with_beat_high(&beat, &lit(clog2(d.lanes), l as u64));
                    let areg = areg.unwrap_or_else(|| zero(16));
                    LaneOperands { base: [r1, high], index: zero(32), areg, channel }
                }
            };
            set(&m.at[l], adder.compute(d, &access, of_lane).pack());
        }

        let advance = wire("front_moves", &m_ready & &!&stuck);
        set(&self.advance, &advance);
        self.take(&advance, &exec);
        self.branch.hand_over(d, &self.clear, &self.flow, &self.bar);
        set(&self.busy, &valid | get(&self.branch.busy));

        section("The first beat of an instruction leaves");
        // All its threads are counted at once.
        let starts = &goes & &get(&self.a.first) & !get(&self.halt);
        // Of several steps the last counts.
        let starts = match &channels {
            Some(channels) => starts & !&channels.goes_on,
            None => starts,
        };
        set(&self.retire_last, &starts);
        set(&self.retire_threads, sum(&get_all(&self.a.counts)) & starts.repeat(6));
    }
}

impl AddressStage {
    /// The beat in I comes, and with it what it reads; W writes.
    fn take(&self, advance: &Expr, exec: &Expr) {
        let (a, i, lanes) = (&self.a, &self.i, self._d.lanes);
        when(advance, || {
            set(&a.valid, get(&i.valid));
            set(&a.issue, get(&i.issue));
            let mask = Issue::unpack(&self._d, "ci", &get(&i.issue)).mask;
            a.counts.iter().zip(counts(&mask)).for_each(|(to, n)| set(to, n));
            set(&a.beat, get(&i.beat));
            set(&a.pass, get(&i.pass));
            set(&a.first_pass, get(&i.first_pass));
            set(&a.first, get(&i.first));
            set(&a.last, get(&i.last));
            set(&a.absent, get(&i.absent));
            set(&a.block_offset, get(&i.block_offset));
            if let Some(executing) = a.executing.get() {
                set(executing, exec.bits(lanes, self._d.threads - lanes));
            }
        });
        when(&get(&self.clear), || set(&a.valid, lit(1, 0)));
        if let Some(conditions) = self.conditions.get() {
            conditions.take(&self._d, (&get(&i.issue), &get(&i.beat)), advance);
        }
        self.forward.keep(advance, i, self.result.get(), self.areg.get());
        if let Some(sources) = self.sources.get() {
            sources.serve(i, advance, (self.const_word.get(), self.uniform.get()), self.start.get());
        }
        if let (Some(aregs), Some(read), Some(write)) = (self.aregs.get(), i.areg.get(), self.areg.get()) {
            aregs.read_when(0, &get(read), advance);
            let values: Vec<Expr> = get_all(&write.values);
            aregs.write(&get(&write.number), &pack(values.iter()), &get(&write.enable));
        }
        if let (Some(conditions), Some(write)) = (self.conditions.get(), self.condition.get()) {
            write.pass(conditions.write());
        }
    }
}

/// Channels of a warp that an instruction of Ivy Bridge is about, of those that are active or, where it says so, all.
fn channels_of(c: &ChannelControl, active: &Expr) -> Expr {
    let (one, four) = (c.size.is(size::ONE), c.size.is(size::FOUR));
    let (low, high) = (!&c.second, c.size.is(size::SIXTEEN) | &c.second);
    // Channel 0, 1 to 3, 4 to 7, 8 to 15.
    let shape = [&low, &(&low & !&one).repeat(3), &(&low & !(&one | &four)).repeat(4), &high.repeat(8)];
    let shape = wire("shape", pack(shape.into_iter()).zext(WARP));
    shape & &(active | &c.all.repeat(WARP))
}

/// Set bits of a 32-bit mask are counted in sixes, a lookup table for each bit of a count; then the counts' bits of equal
/// weight: how many have weight 1, 2, 4.
fn counts(mask: &Expr) -> Vec<Expr> {
    let sixes: Vec<Expr> = mask.each_bit().chunks(6).map(count_six).collect();
    let of = |weight: usize| {
        let bits: Vec<Expr> = sixes.iter().map(|c| c.bit(weight)).collect();
        count_six(&bits)
    };
    (0..3).map(of).collect()
}

/// The number of set bits, 6 bits.
fn sum(counts: &[Expr]) -> Expr {
    let twice = |x: Expr| cat([&x.called("weighted").bits(0, 5), &zero(1)]);
    counts[0].zext(6) + twice(counts[1].zext(6) + twice(counts[2].zext(6)))
}

/// Number of set bits of up to six, 3 bits.
fn count_six(bits: &[Expr]) -> Expr {
    let six = pack(bits.iter()).zext(6).called("six_bits");
    let table = |b: u32| (0..64u64).fold(0, |t, n| t | u64::from(n.count_ones() >> b & 1) << n);
    let count: Vec<Expr> = (0..3).map(|b| lit(64, table(b)).called(&format!("count_bit_{b}")).bit_at(&six)).collect();
    pack(count.iter()).called("count_of_six")
}

rtl_block!(AddressStage, "address_stage");
