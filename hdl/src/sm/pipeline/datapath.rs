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

use super::address::g13_lane::G13AddressLane;
use super::address::lane::{AccessCheck, AddressLane};
use super::address::limits::Memories;
use super::address::sources::{uniforms, SourceParts, UNIFORMS};
use super::address::uop_lane::UopAddressLane;
use super::address::{AddressRegisters, AddressStage};
use super::bundles::{
    Access, BarrierOperation, BeatTag, BeatTrap, Completion, ConstantWord, ControlTransfer, DeferredWrite, InitialWord,
    Issue, IssuedBeat, Loaded, RegisterWrite, RetiredBeat,
};
use super::execute::lane::Lane;
use super::execute::special::Special;
use super::execute::uop::UopLane;
use super::execute::{Beside, ExecuteStages, LaneRegisters, ResultRegisters};
use super::flow::Flow;
use super::forward::{Forward, Written};
use super::memory::{MemoryRegisters, MemoryStage};
use super::operand::select::OperandSelect;
use super::operand::{OperandRegisters, OperandStage};
use super::predicates;
use super::read::ReadStage;
use super::registers::Registers;
use super::scoreboard::SLOTS;
use super::writeback::WriteBackStage;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::constant::ConstantMemory;
use crate::sm::dims::Dims;
use crate::sm::divergence::g13::MaskBeat;
use crate::sm::mem::shared::SharedMemory;
use warpsmith_contract::registers::BANKS;

block! {
    /// See the module.
    pub struct Datapath(cfg: &GpuConfig) {
        in clear(1),
        in halt(1),
        in sm(4),
        in registers(8),
        in shared_bytes(15),
        in global_last(32),
        in global_guard(1),
        in local_base(32),
        in local_bytes(17),
        in bank_base([BANKS] d.constant),
        in bank_words([BANKS] 15),
        in clock_count(32),
        /// Threads of a block along x, y, z; of G13.
        in block_size([d.g13(3)] 16),
        /// A warp begins: which, and its threads that exist.
        in start_valid(if d.is_g13(); 1),
        in start_warp(if d.is_g13(); d.warp),
        in start_mask(if d.is_g13(); WARP),
        /// New execution masks, of G13.
        part mask([d.g13(1)] MaskBeat<Source>: &d),
        part i(IssuedBeat<Sink>: &d),
        out advance(1),
        part flow(ControlTransfer<Source>: &d),
        part bar(BarrierOperation<Source>: &d),
        part lsu(Access<Source>: &d),
        part load(Loaded<Sink>: &d),
        /// R0 of a starting warp; of micro-operations all its registers, and the warp.
        part init(RegisterWrite<Sink>: &d),
        in init_warp(if d.has_predicates(); d.warp),
        part share(InitialWord<Sink>: &d),
        part constant_word(ConstantWord<Sink>: &d),
        part trap(BeatTrap<Source>: &d),
        out hold(1),
        in gap(1),
        out busy(1),
        part done(Completion<Source>: &d),
        part deferred(DeferredWrite<Source>: &d),
        out stall_lsu(1),
        out stall_special(1),
        out stall_shared(1),
        out stall_constant(1),
        out stall_control(1),
        out retire_last(1),
        out retire_threads(6),
        /// See [`crate::sm::trace`].
        part retired(RetiredBeat<Source>: &d),
        /// The instruction that holds the front in a stall: in D if it waits there, else in M.
        out tr_held_pc(d.pc),
        part forward(Forward: &d),
        /// A beat has trapped since the kernel began.
        reg trapped(1),
        /// Cycles that something has waited for a gap.
        reg waited(4),
        part file(Registers: cfg),
        part flags(if !d.has_uops(); Ram = flags()),
        part aregs(if !d.has_uops(); Ram = aregs()),
        part uniforms(if d.is_g13(); Ram = uniforms()),
        /// Threads of each warp that exist.
        part present(if d.is_g13(); Ram: RamKind::Lut, d.warps, WARP, 1),
        part predicates(if d.has_predicates(); Ram = predicates::memory(&d)),
        part address([l - d.other(l)] AddressLane:),
        part uop_address([d.other(l) - d.g13(l)] UopAddressLane:),
        part g13_address([d.g13(l)] G13AddressLane:),
        part check([l] AccessCheck:),
        part select([l] OperandSelect: &d),
        part lane([l - d.other(l)] Lane: d.floats),
        part uop_lane([d.other(l)] UopLane: d.is_g13(), d.is_g13()),
        part special(if d.sfus > 0; Special: cfg),
        part constants(ConstantMemory: cfg),
        part shared(SharedMemory: cfg),
        part a(AddressRegisters: &d),
        part branch(Flow: &d),
        part m(MemoryRegisters: &d),
        part d(OperandRegisters: &d),
        part o(LaneRegisters: &d),
        part x(ResultRegisters: &d),
        keep _d(Dims = d),
        keep _sms(usize = cfg.sms),
    } where {
        let d = Dims::of(cfg);
        let l = d.lanes;
        let flags = || Ram::with_granule(RamKind::Lut, d.warps * 4, WARP * 4, 4, 1);
        let aregs = || d.rdw_dont_care(Ram::with_granule(RamKind::Block, d.warps * 8 * d.beats, 16 * l, 16, 1));
    }
}

impl Datapath {
    /// Stage I: see [`ReadStage::rtl`].
    fn read(&self, advance: &Expr, written: &Written) {
        let stage = ReadStage {
            d: &self._d,
            beat: &self.i,
            registers: &self.registers,
            file: &self.file,
            aregs: self.aregs.get(),
            uniforms: self.uniforms.get(),
            forward: &self.forward,
            a: &self.a,
        };
        stage.rtl(advance, written);
    }

    /// Stage A: see [`AddressStage::rtl`].
    fn address(&self, m_ready: &Expr) -> (Expr, Expr) {
        let stage = AddressStage {
            d: &self._d,
            a: &self.a,
            halt: &self.halt,
            flags: self.flags.get(),
            predicates: self.predicates.get(),
            aregs: self.aregs.get(),
            file: &self.file,
            forward: &self.forward,
            memories: Memories {
                shared_bytes: &self.shared_bytes,
                global_last: &self.global_last,
                global_guard: &self.global_guard,
                local_bytes: &self.local_bytes,
                bank_base: &self.bank_base,
                bank_words: &self.bank_words,
            },
            lanes: &self.address,
            uop_lanes: &self.uop_address,
            g13_lanes: &self.g13_address,
            sources: self.sources(),
            branch: &self.branch,
            stall_control: &self.stall_control,
            m: &self.m,
        };
        stage.rtl(m_ready)
    }

    /// Where operands of G13 come from. The host's words of constant memory from the first on are uniforms, too.
    fn sources(&self) -> Option<SourceParts<'_>> {
        let (uniforms, present) = (self.uniforms.get()?, self.present.get()?);
        let word = &self.constant_word;
        let at = get(&word.address);
        let bits = clog2(UNIFORMS);
        let ours = match at.width() > bits {
            true => !at.bits(bits, at.width() - bits).any(),
            false => lit(1, 1),
        };
        let we = get(&word.we) & ours;
        uniforms.write(&at.resize(bits), &get(&word.data), &we);
        let start = [self.start_valid.get(), self.start_warp.get(), self.start_mask.get()];
        if let [Some(valid), Some(warp), Some(mask)] = start {
            present.write(&get(warp), &get(mask), &get(valid));
        }
        Some(SourceParts { uniforms, block_size: &self.block_size, present })
    }

    /// Stage M: see [`MemoryStage::rtl`].
    fn memory(&self, d_waits: &Expr) -> Expr {
        let stage = MemoryStage {
            d: &self._d,
            sms: self._sms,
            sm: &self.sm,
            clear: &self.clear,
            halt: &self.halt,
            trapped: &self.trapped,
            local_base: &self.local_base,
            m: &self.m,
            check: &self.check,
            constants: &self.constants,
            constant_word: &self.constant_word,
            shared: &self.shared,
            share: &self.share,
            special: self.special.get(),
            lsu: &self.lsu,
            trap: &self.trap,
            stall_lsu: &self.stall_lsu,
            stall_special: &self.stall_special,
            stall_shared: &self.stall_shared,
            stall_constant: &self.stall_constant,
            tr_held_pc: &self.tr_held_pc,
            next: &self.d,
        };
        stage.rtl(d_waits)
    }

    /// Stages D to E: operands into the lanes, tags beside them; `leaves`: the beat in D goes on.
    fn compute(&self, leaves: &Expr) {
        let d = &self._d;
        section("Stages D to E: operands and lanes");
        let operand = OperandStage {
            d,
            beat: &self.d,
            select: &self.select,
            shared: &self.shared,
            constants: &self.constants,
            clock_count: &self.clock_count,
        };
        let execute = ExecuteStages {
            d,
            clear: &self.clear,
            tag: &self.d.tag,
            o: &self.o,
            x: &self.x,
            lanes: &self.lane,
            uop_lanes: &self.uop_lane,
            special: self.special.get(),
        };
        let tag = get(&self.d.tag);
        let alu = execute.control(BeatTag::unpack(d, "d", &tag).alu);
        let values = operand.values();
        let mut first_operands = vec![];
        for (i, values) in values.iter().enumerate() {
            let operands = operand.lane(i, values);
            first_operands.push(execute.lane(i, &alu, operands));
        }
        execute.special(leaves, &first_operands);
        // Store data of a half register is what the selection made of it.
        let stored: Vec<Expr> = self.select.iter().map(|s| get(&s.c)).collect();
        let (addr, data) =
            if d.trace { (pack(values.iter().map(|r| &r.main)), pack(stored.iter())) } else { (zero(1), zero(1)) };
        self.x.follow(Beside { valid: leaves.clone(), tag, next: pack(values.iter().map(|r| &r.next)), addr, data });
    }

    /// Stage W: see [`WriteBackStage::rtl`].
    fn write_back(&self) -> Written {
        let stage = WriteBackStage {
            d: &self._d,
            x: &self.x,
            lanes: &self.lane,
            uop_lanes: &self.uop_lane,
            file: &self.file,
            flags: self.flags.get(),
            aregs: self.aregs.get(),
            predicates: self.predicates.get(),
            special: self.special.get(),
            load: &self.load,
            done: &self.done,
            deferred: &self.deferred,
            init: &self.init,
            init_warp: self.init_warp.get(),
            share: &self.share,
            shared: &self.shared,
            waited: &self.waited,
            hold: &self.hold,
            gap: &self.gap,
            retired: &self.retired,
            mask: self.mask.first(),
        };
        stage.rtl()
    }
}

impl Rtl for Datapath {
    fn rtl(&self) {
        const { assert!(SLOTS == 4, "a slot number has 2 bits") };
        let d = &self._d;
        // One register for both memories: it goes far.
        let d_waits = get(&self.d.waits);
        set(&self.d.waits, get(&self.shared.next_busy) | get(&self.constants.next_busy));
        let m_ready = self.memory(&d_waits);
        let (advance, starts) = self.address(&m_ready);
        let advance = wire("front_moves", advance);
        self.branch.hand_over(d, &self.clear, &self.flow, &self.bar);
        self.compute(&(get(&self.d.valid) & !&d_waits));
        let written = self.write_back();
        self.read(&advance, &written);
        set(&self.advance, &advance);

        section("The first beat of an instruction enters stage M");
        // Counted where an instruction enters M: all its threads at once.
        set(&self.retire_last, &starts);
        let mask = Issue::unpack(d, "count", &get(&self.a.issue)).mask;
        set(&self.retire_threads, population(&mask) & starts.repeat(6));

        let clear = get(&self.clear);
        let mut stages = vec![get(&self.a.valid), get(&self.m.valid), get(&self.d.valid)];
        stages.push(get(&self.branch.busy));
        stages.extend(self.special.get().map(|s| get(&s.busy)));
        stages.extend(get_all(&self.x.valid));
        set(&self.busy, any_of(&stages));
        when(&clear, || {
            set(&self.a.valid, lit(1, 0));
            set(&self.m.valid, lit(1, 0));
            set(&self.m.shared_on, lit(1, 0));
            set(&self.m.shared, zero(d.lanes));
            set(&self.m.constant, zero(d.lanes));
        });
    }
}

/// Number of set bits of a 32-bit mask, 6 bits.
///
/// Bits are counted in sixes, a lookup table for each bit of a count; then the counts' bits of equal weight.
fn population(mask: &Expr) -> Expr {
    let counts: Vec<Expr> = mask.each_bit().chunks(6).map(count_six).collect();
    let sum = |w: usize| {
        let bits: Vec<Expr> = counts.iter().map(|c| c.bit(w)).collect();
        count_six(&bits).zext(6)
    };
    let twice = |x: Expr| cat([&x.called("weighted").bits(0, 5), &zero(1)]);
    sum(0) + twice(sum(1) + twice(sum(2)))
}

/// Number of set bits of up to six, 3 bits.
fn count_six(bits: &[Expr]) -> Expr {
    let six = pack(bits.iter()).zext(6).called("six_bits");
    let table = |b: u32| (0..64u64).fold(0, |t, n| t | u64::from(n.count_ones() >> b & 1) << n);
    let count: Vec<Expr> = (0..3).map(|b| lit(64, table(b)).called(&format!("count_bit_{b}")).bit_at(&six)).collect();
    pack(count.iter()).called("count_of_six")
}

rtl_block!(Datapath, "datapath");
