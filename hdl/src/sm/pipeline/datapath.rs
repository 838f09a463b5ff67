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

use super::address::lane::{AccessCheck, AddressLane};
use super::address::limits::Memories;
use super::address::{Address, AddressRegisters};
use super::bundles::{
    Access, BarrierOperation, Beat, BeatTrap, Completion, ConstantWord, ControlTransfer,
    DeferredWrite, InitialWord, Issue, Loaded, RegisterWrite, RetiredBeat, Tag,
};
use super::execute::lane::Lane;
use super::execute::special::Special;
use super::execute::{Beside, Execute, LaneRegisters, ResultRegisters};
use super::flow::Flow;
use super::forward::{Forward, Written};
use super::memory::{Memory, MemoryRegisters};
use super::operand::select::OperandSelect;
use super::operand::{Operand, OperandRegisters};
use super::read::Read;
use super::registers::Registers;
use super::scoreboard::SLOTS;
use super::writeback::WriteBack;
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::constant::ConstantMemory;
use crate::sm::dims::Dims;
use crate::sm::mem::shared::SharedMemory;

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
    pub i: Beat<Sink>,
    pub advance: Output,
    pub flow: ControlTransfer<Source>,
    pub bar: BarrierOperation<Source>,
    pub lsu: Access<Source>,
    pub load: Loaded<Sink>,
    /// R0 of a starting warp.
    pub init: RegisterWrite<Sink>,
    pub share: InitialWord<Sink>,
    pub constant_word: ConstantWord<Sink>,
    pub trap: BeatTrap<Source>,
    pub hold: Output,
    pub gap: Input,
    pub busy: Output,
    pub done: Completion<Source>,
    pub deferred: DeferredWrite<Source>,
    pub stall_lsu: Output,
    pub stall_special: Output,
    pub stall_shared: Output,
    pub stall_constant: Output,
    pub stall_control: Output,
    pub retire_last: Output,
    pub retire_threads: Output,
    /// See [`crate::sm::trace`].
    pub retired: RetiredBeat<Source>,
    /// The instruction that holds the front in a stall: in D if it waits there, else in M.
    pub tr_held_pc: Output,
    forward: Forward,
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
    a: AddressRegisters,
    branch: Flow,
    m: MemoryRegisters,
    d: OperandRegisters,
    o: LaneRegisters,
    x: ResultRegisters,
    _d: Dims,
    _sms: usize,
}

impl Datapath {
    /// The datapath of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        let l = d.lanes;
        let row = 16 * l;
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
            i: Beat::new(&d),
            advance: Output::new(1),
            flow: ControlTransfer::new(&d),
            bar: BarrierOperation::new(&d),
            lsu: Access::new(&d),
            load: Loaded::new(&d),
            init: RegisterWrite::new(&d),
            share: InitialWord::new(&d),
            constant_word: ConstantWord::new(&d),
            trap: BeatTrap::new(&d),
            hold: Output::new(1),
            gap: Input::new(1),
            busy: Output::new(1),
            done: Completion::new(&d),
            deferred: DeferredWrite::new(&d),
            stall_lsu: Output::new(1),
            stall_special: Output::new(1),
            stall_shared: Output::new(1),
            stall_constant: Output::new(1),
            stall_control: Output::new(1),
            retire_last: Output::new(1),
            retire_threads: Output::new(6),
            retired: RetiredBeat::new(&d),
            tr_held_pc: Output::new(d.pc),
            forward: Forward::new(&d),
            trapped: Reg::new(1),
            waited: Reg::new(4),
            file: Registers::new(cfg),
            flags: Ram::with_granule(RamKind::Lut, d.warps * 4, WARP * 4, 4, 1),
            aregs: {
                let depth = d.warps * 8 * d.beats;
                d.rdw_dont_care(Ram::with_granule(RamKind::Block, depth, row, 16, 1))
            },
            address: (0..l).map(|_| AddressLane::default()).collect(),
            check: (0..l).map(|_| AccessCheck::default()).collect(),
            select: (0..l).map(|_| OperandSelect::default()).collect(),
            lane: (0..l).map(|_| Lane::new(d.floats)).collect(),
            special: Maybe::when(d.sfus > 0, || Special::new(cfg)),
            constants: ConstantMemory::new(cfg),
            shared: SharedMemory::new(cfg),
            a: AddressRegisters::new(&d),
            branch: Flow::new(&d),
            m: MemoryRegisters::new(&d),
            d: OperandRegisters::new(&d),
            o: LaneRegisters::new(&d),
            x: ResultRegisters::new(&d),
            _d: d,
            _sms: cfg.sms,
        }
    }

    /// Stage I: returns nothing, its beat goes to A.
    fn read(&self, advance: &Ex, written: &Written) {
        let stage = Read {
            d: &self._d,
            beat: &self.i,
            registers: &self.registers,
            file: &self.file,
            aregs: &self.aregs,
            forward: &self.forward,
            a: &self.a,
        };
        stage.rtl(advance, written);
    }

    /// Stage A: see [`Address::rtl`].
    fn address(&self, m_ready: &Ex) -> (Ex, Ex) {
        let stage = Address {
            d: &self._d,
            a: &self.a,
            halt: &self.halt,
            flags: &self.flags,
            aregs: &self.aregs,
            file: &self.file,
            forward: &self.forward,
            memories: Memories {
                shared_bytes: &self.shared_bytes,
                global_last: &self.global_last,
                local_bytes: &self.local_bytes,
                bank_base: &self.bank_base,
                bank_words: &self.bank_words,
            },
            lanes: &self.address,
            branch: &self.branch,
            stall_control: &self.stall_control,
            m: &self.m,
        };
        stage.rtl(m_ready)
    }

    /// Stage M: see [`Memory::rtl`].
    fn memory(&self, d_waits: &Ex) -> Ex {
        let stage = Memory {
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
    fn compute(&self, leaves: &Ex) {
        let d = &self._d;
        let operand = Operand {
            beat: &self.d,
            select: &self.select,
            shared: &self.shared,
            constants: &self.constants,
            clock_count: &self.clock_count,
        };
        let execute = Execute {
            d,
            clear: &self.clear,
            tag: &self.d.tag,
            o: &self.o,
            x: &self.x,
            lanes: &self.lane,
            special: self.special.get(),
        };
        let tag = get(&self.d.tag);
        let alu = execute.control(Tag::unpack(d, "d", &tag).alu);
        let values = operand.values();
        let mut first_operands = vec![];
        for (i, values) in values.iter().enumerate() {
            let operands = operand.lane(i, values);
            first_operands.push(execute.lane(i, &alu, operands));
        }
        execute.special(leaves, &first_operands);
        // Store data of a half register is what the selection made of it.
        let stored: Vec<Ex> = self.select.iter().map(|s| get(&s.c)).collect();
        let (addr, data) = if d.trace {
            (pack(values.iter().map(|r| &r.main)), pack(stored.iter()))
        } else {
            (zero(1), zero(1))
        };
        self.x.follow(Beside {
            valid: leaves.clone(),
            tag,
            next: pack(values.iter().map(|r| &r.next)),
            addr,
            data,
        });
    }

    /// Stage W: see [`WriteBack::rtl`].
    fn write_back(&self) -> Written {
        let stage = WriteBack {
            d: &self._d,
            x: &self.x,
            lanes: &self.lane,
            file: &self.file,
            flags: &self.flags,
            aregs: &self.aregs,
            special: self.special.get(),
            load: &self.load,
            done: &self.done,
            deferred: &self.deferred,
            init: &self.init,
            share: &self.share,
            shared: &self.shared,
            waited: &self.waited,
            hold: &self.hold,
            gap: &self.gap,
            retired: &self.retired,
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
        set(
            &self.d.waits,
            get(&self.shared.next_busy) | get(&self.constants.next_busy),
        );
        let m_ready = self.memory(&d_waits);
        let (advance, starts) = self.address(&m_ready);
        let advance = wire("front_moves", advance);
        self.branch.hand_over(d, &self.clear, &self.flow, &self.bar);
        self.compute(&(get(&self.d.valid) & !&d_waits));
        let written = self.write_back();
        self.read(&advance, &written);
        set(&self.advance, &advance);

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
