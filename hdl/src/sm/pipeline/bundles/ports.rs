//! Bundles of ports between blocks.

use super::words::{Addresses, BeatTag, Issue, Limits, Operands, Values, BREAKS};
use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::ivb::FILTER;
use crate::sm::control::{BAR_COUNT, MAX_PASSES, TRAP_CAUSE};
use crate::sm::dims::{Dims, DEPTH};
use crate::sm::mem::format::conversion;
use crate::sm::mem::operation::Operation;
use crate::sm::pipeline::execute::queue::To;
use crate::sm::pipeline::operand::select::Choice;
use warpsmith_contract::registers::BANKS;

bundle! {
    /// A beat: an instruction, and which part of it.
    pub struct IssuedBeat(d: &Dims) {
        /// A beat stands in the stage.
        out valid(1),
        /// [`Issue`]: its instruction.
        out issue(Issue::width(d)),
        /// Its number within the pass.
        out beat(d.beat),
        /// The pass of a wide access.
        out pass(MAX_PASSES),
        /// It is the first beat of the instruction.
        out first(1),
        /// It is the last beat of the instruction.
        out last(1),
    }
}

/// Uniforms that an instruction of G13 reads: operands a to d, and the high word of a base.
pub const UNIFORM_READS: usize = 5;

bundle! {
    /// A uniform of G13 that an instruction writes.
    pub struct UniformWrite() {
        /// Its number.
        out number(8),
        /// Halves of it that are written, the low one in bit 0.
        out halves(2),
        /// Its value; a half stands in both.
        out data(32),
    }
}

bundle! {
    /// A beat and what it reads, from I to A and to the registers.
    pub struct ReadBeat(d: &Dims) {
        /// There is a beat.
        out valid(1),
        /// [`Issue`]: its instruction.
        out issue(Issue::width(d)),
        /// Its number within the pass.
        out beat(d.beat),
        /// The part of a wide access that its pass is about.
        out pass(MAX_PASSES),
        /// The pass is the first.
        out first_pass(1),
        /// It is the first beat of the instruction.
        out first(1),
        /// It is the last beat of the instruction.
        out last(1),
        /// Operands whose register lies beyond the allocation.
        out absent(3),
        /// The shared operand's address without the address register.
        out block_offset(d.shared_address()),
        /// Register-file entries of the three operands.
        out entry([3] d.entry),
        /// Address register, as a row of their memory; of SM 1.0 alone.
        out areg(if d.has.address_registers; d.areg()),
        /// Uniforms: operands a to d, and the high word of a base; of G13 alone.
        out uniform([d.has.sources.bits(UNIFORM_READS)] 8),
    }
}

bundle! {
    /// How the registers of a beat are read, from I to the registers of Ivy Bridge.
    pub struct ReadRegions(d: &Dims) {
        /// Regions of the three operands, `control::ivb::region`.
        out region([3] 2),
        /// Dwords of scalars among them.
        out sub([3] 3),
        /// The first channel is channel 8.
        out second(1),
        /// Number of the beat within the pass.
        out beat(d.beat),
        /// What operands read instead, `control::ivb::kept`, and of which warp and beat.
        out kept([3] 2),
        out kept_at(d.kept()),
    }
}

bundle! {
    /// Registers that a beat has read, from the register file to A.
    pub struct RegisterOperands(d: &Dims) as "" {
        /// First operand of each lane.
        out d1([d.lanes] 32),
        /// Second operand of each lane.
        out d2([d.lanes] 32),
        /// Third operand of each lane.
        out d3([d.lanes] 32),
    }
}

bundle! {
    /// Registers that the lanes write, from W to the register file; with forwarding to A, too.
    pub struct LaneWrite(d: &Dims) {
        /// They write.
        out valid(1),
        /// Register-file entry.
        out entry(d.entry),
        /// Lanes that write.
        out mask(d.lanes),
        /// Halves that are written, low half first; one half alone takes bits 15:0.
        out halves(2),
        /// Results of the lanes.
        out data([d.lanes] 32),
    }
}

bundle! {
    /// Flags or predicates that a beat writes, from W to their memory in A.
    pub struct ConditionWrite(row: usize, data: usize, enable: usize) {
        /// Row of the memory.
        out row(row),
        /// What is written.
        out data(data),
        /// Parts of the row that are written.
        out enable(enable),
    }
}

bundle! {
    /// Address registers that a beat writes, from W to their memory in A.
    pub struct AddressRegisterWrite(d: &Dims) {
        /// Row of the memory.
        out number(d.areg()),
        /// Value of each lane.
        out values([d.lanes] 16),
        /// Lanes that write.
        out enable(d.lanes),
    }
}

bundle! {
    /// Sizes of the memories, from the launch registers.
    pub struct MemorySizes(d: &Dims) as "" {
        /// Bytes of a block's shared memory.
        out shared_bytes(d.shared_size()),
        /// Last byte address of global memory.
        out global_last(32),
        /// Its first page is guarded.
        out global_guard(1),
        /// Bytes of a thread's local memory.
        out local_bytes(17),
        /// First word of each constant bank.
        out bank_base([BANKS] d.constant),
        /// Words of each constant bank.
        out bank_words([BANKS] 15),
    }
}

bundle! {
    /// A warp begins, of G13.
    pub struct WarpThreads(d: &Dims) {
        /// A warp begins.
        out valid(1),
        /// Its slot.
        out warp(d.warp),
        /// Its threads that exist.
        out mask(WARP),
    }
}

bundle! {
    /// A beat with its addresses and operands, from A to M.
    pub struct AddressedBeat(d: &Dims) {
        /// M takes what stands here.
        in ready(1),
        /// There is a beat.
        out valid(1),
        /// [`Issue`]: its instruction.
        out issue(Issue::width(d)),
        /// Its number within the pass.
        out beat(d.beat),
        /// The part of a wide access that its pass is about.
        out pass(MAX_PASSES),
        /// The pass is the first.
        out first_pass(1),
        /// Threads that a vote found; of Fermi alone.
        out vote(if d.has.predicates; WARP),
        /// The instruction is a vote; of Fermi alone.
        out votes(if d.has.predicates; 1),
        /// It is the first beat of the instruction.
        out first(1),
        /// It is the last beat of the instruction.
        out last(1),
        /// Lanes that execute.
        out exec(d.lanes),
        /// It accesses global or local memory.
        out outside_on(1),
        /// It goes to special functions, or to the unit for floats of 64 bits.
        out special_on(1),
        /// It accesses shared memory.
        out shared_on(1),
        /// Lanes that access shared memory.
        out shared(d.lanes),
        /// Lanes that read constant memory.
        out constant(d.lanes),
        /// [`Limits`] of its accesses.
        out limits(Limits::width(d)),
        /// Threads of this eighth of the warp meet a breakpoint.
        out breaks(BREAKS),
        /// Flags or predicates of each lane.
        out cc(4 * d.lanes),
        /// [`Addresses`] of each lane.
        out at([d.lanes] Addresses::width(d)),
        /// Operands that M takes as 0; those of G13 are complete.
        out absent(if !d.has.sources; 3),
        /// First operand of each lane.
        out r1([d.lanes] 32),
        /// Second operand of each lane.
        out r2([d.lanes] 32),
        /// Third operand of each lane.
        out r3([d.lanes] 32),
        /// Fourth operand of each lane, of G13 alone.
        out r4([d.has.sources.bits(d.lanes)] 32),
    }
}

bundle! {
    /// Why M and A stand still.
    pub struct MemoryStalls() as "stall" {
        /// The load/store unit is full.
        out lsu(1),
        /// The queue of special functions is full.
        out special(1),
        /// A beat waits for shared memory.
        out shared(1),
        /// A beat waits for constant memory.
        out constant(1),
    }
}

bundle! {
    /// Places in the queue of special functions, from M.
    pub struct SpecialPlace() {
        /// A beat will come: a place is kept.
        out reserve(1),
        /// There is a place.
        in ready(1),
    }
}

bundle! {
    /// A beat that has passed its checks, from M to D.
    pub struct CheckedBeat(d: &Dims) {
        /// The beat in D stays: nothing is taken.
        in waits(1),
        /// Address of the instruction in D.
        in pc(d.pc),
        /// There is a beat.
        out valid(1),
        /// [`BeatTag`].
        out tag(BeatTag::width(d)),
        /// [`Choice`] of its operands.
        out choice(Choice::width(d)),
        /// Byte of the constant word that each lane reads from.
        out c_low(2 * d.lanes),
        /// Flags or predicates of each lane.
        out cc(4 * d.lanes),
        /// [`Values`] of each lane.
        out values([d.lanes] Values::width(d)),
    }
}

bundle! {
    /// Words of shared and constant memory of the beat in D, from M.
    pub struct MemoryWords(d: &Dims) {
        /// Some come after the next cycle: the beat stays until they do.
        out wait(1),
        /// Shared words, the addressed byte lowest.
        out shared([d.lanes] 32),
        /// Lanes whose lock was free; of SM 1.2 and later.
        out locked(if d.has.locks; d.lanes),
        /// Constant words.
        out constant([d.lanes] 32),
    }
}

bundle! {
    /// A beat with its operands, from D to the lanes.
    pub struct OperandBeat(d: &Dims) {
        /// There is a beat.
        out valid(1),
        /// [`BeatTag`].
        out tag(BeatTag::width(d)),
        /// [`Operands`] of each lane.
        out operands([d.lanes] Operands::width(d)),
        /// lanes × 16 address register after post-increment.
        out next(16 * d.lanes),
        /// lanes × 32 byte addresses of the access, with a trace port.
        out addr(d.traced()),
        /// lanes × 32 store data, with a trace port.
        out data(d.traced()),
    }
}

bundle! {
    /// A beat with its results, from the lanes to W.
    pub struct ResultBeat(d: &Dims) {
        /// There is a beat.
        out valid(1),
        /// The lanes write registers.
        out writes(1),
        /// [`BeatTag`].
        out tag(BeatTag::width(d)),
        /// lanes × 16 address register after post-increment.
        out next(16 * d.lanes),
        /// lanes × 32 byte addresses of the access, with a trace port.
        out addr(d.traced()),
        /// lanes × 32 store data, with a trace port.
        out data(d.traced()),
        /// Result of each lane.
        out y([d.lanes] 32),
        /// Flags of each lane, or its two predicates.
        out conditions([d.lanes] d.conditions()),
    }
}

bundle! {
    /// Results of special functions, from their queue to W.
    pub struct SpecialResults(d: &Dims) {
        /// There is a beat of results.
        out valid(1),
        /// It is written.
        in ready(1),
        /// [`To`]: where it goes.
        out to(To::width(d)),
        /// Result of each lane; undefined in lanes that do not write.
        out data([d.lanes] 32),
    }
}

bundle! {
    /// The selected warp, from SEL to DEC.
    pub struct Selected(d: &Dims) {
        /// A warp is selected.
        out valid(1),
        /// Its slot.
        out warp(d.warp),
        /// Its active threads.
        out mask(WARP),
        /// Byte address of its instruction.
        out pc(d.pc),
        /// Its stack depth.
        out depth(DEPTH),
    }
}

bundle! {
    /// The fetched line of the selected warp, from R to DEC.
    pub struct Line(d: &Dims) as "sel" {
        /// 8 bytes, the low word at the lower address; of G13 12 bytes.
        out line(d.has.line),
        /// It lies in the program; of G13 the halfwords of it that do, from the first on.
        out inside(d.has.inside),
    }
}

bundle! {
    /// A request for a line, from the warp table to R.
    pub struct FetchRequest(d: &Dims) {
        /// A warp asks.
        out valid(1),
        /// Its slot.
        out warp(d.warp),
        /// Byte address of the line.
        out pc(d.pc),
    }
}

bundle! {
    /// An event of one warp.
    pub struct WarpEvent(d: &Dims) {
        /// The event happens in this cycle.
        out valid(1),
        /// Slot of the warp.
        out warp(d.warp),
    }
}

bundle! {
    /// Several events at once, to warps of their own.
    pub struct WarpEvents(n: usize, d: &Dims) {
        /// The event happens.
        out valid([n] 1),
        /// Slot of the warp.
        out warp([n] d.warp),
    }
}

bundle! {
    /// How a warp goes on behind the instruction that issues, from H to the warp table.
    pub struct Continuation(d: &Dims) as "issue" {
        /// Address of the next instruction in sequence.
        out next(d.pc),
        /// The line at that address is needed: the one before is used up, and no redirection follows.
        out refetch(1),
        /// The warp must not go on before control says where.
        out block(1),
    }
}

bundle! {
    /// An instruction in flight is complete: its results can be read.
    pub struct Completion(d: &Dims) {
        /// An instruction is complete.
        out valid(1),
        /// Slot of its warp.
        out warp(d.warp),
        /// Its scoreboard slot.
        out slot(2),
    }
}

bundle! {
    /// A control operation for the divergence unit, from A.
    pub struct ControlTransfer(d: &Dims) {
        /// An operation is offered.
        out valid(1),
        /// It is taken.
        in ready(1),
        /// One of [`crate::sm::control::flow`].
        out op(d.flow()),
        /// 0 none, 1 exit, 2 join.
        out marker(2),
        /// Slot of the warp.
        out warp(d.warp),
        /// Its active threads.
        out active(WARP),
        /// Those that meet the guard condition.
        out exec(WARP),
        /// Target of the branch.
        out target(d.pc),
        /// Address of the next instruction in sequence.
        out next(d.pc),
        /// Its own address.
        out pc(d.pc),
        /// Block slot of the warp.
        out block(d.block),
        /// Second address of a branch; of Ivy Bridge alone.
        out hop(if d.has.channels; d.pc),
    }
}

bundle! {
    /// Where channels of a warp wait, from the divergence unit of Ivy Bridge to DEC.
    pub struct WaitingChannels(d: &Dims) as "waits" {
        /// A control operation is complete.
        out valid(1),
        /// Slot of its warp.
        out warp(d.warp),
        /// Bit n: a channel waits at a byte address a with a / 8 mod 32 = n.
        out places(FILTER),
    }
}

bundle! {
    /// A barrier instruction, from A.
    pub struct BarrierOperation(d: &Dims) {
        /// There is one; it is always taken.
        out valid(1),
        /// Slot of the warp.
        out warp(d.warp),
        /// Number of the barrier.
        out id(4),
        /// The warp arrives.
        out arrive(1),
        /// The warp waits.
        out wait(1),
        /// Warps expected, 0 all.
        out count(if d.has.barrier_counts; BAR_COUNT),
        /// Address of the instruction.
        out pc(d.pc),
    }
}

bundle! {
    /// A beat of a global or local access, from M to the load/store unit.
    pub struct Access(d: &Dims) {
        /// A beat is offered.
        out valid(1),
        /// It is taken.
        in ready(1),
        /// Store, else load.
        out write(1),
        /// 0 u8, 1 s8, 2 u16, 3 s16, 6 32 bits; of G13 the [`crate::sm::mem::format::Conversion`] above it.
        out size(3 + conversion(d)),
        /// Lanes that access.
        out mask(d.lanes),
        /// Byte address of each lane.
        out addr([d.lanes] 32),
        /// Store data of each lane.
        out data([d.lanes] 32),
        /// [`Operation`] of an atomic access; its operand is in `data`.
        out operation(if d.has.atomics; Operation::width(())),
        /// What an exchange compares with, of each lane.
        out compare([d.has.atomics.bits(d.lanes)] 32),
        /// Slot of the warp.
        out warp(d.warp),
        /// Scoreboard slot.
        out slot(2),
        /// Register-file entry to load into; of G13 the enables of its halves above it.
        out entry(d.load_entry()),
        /// It completes the instruction.
        out last(1),
    }
}

bundle! {
    /// What a load has read, from the load/store unit to W.
    pub struct Loaded(d: &Dims) {
        /// There is something.
        out valid(1),
        /// Slot of the warp.
        out warp(d.warp),
        /// Scoreboard slot.
        out slot(2),
        /// It is written.
        in ready(1),
        /// Register-file entry; of G13 the enables of its halves above it.
        out entry(d.load_entry()),
        /// Lanes that write.
        out mask(d.lanes),
        /// Data of each lane.
        out data([d.lanes] 32),
    }
}

bundle! {
    /// A row of registers that waits for a free cycle of the write port.
    pub struct RegisterWrite(d: &Dims) {
        /// A row waits.
        out valid(1),
        /// It is written.
        in ready(1),
        /// Register-file entry.
        out entry(d.entry),
        /// Lanes that write.
        out mask(d.lanes),
        /// Data of each lane.
        out data([d.lanes] 32),
    }
}

bundle! {
    /// A word of a starting block's header, from the controller to shared memory.
    pub struct InitialWord(d: &Dims) {
        /// A word is offered.
        out valid(1),
        /// It is written.
        in ready(1),
        /// Byte address in the SM's shared memory.
        out addr(d.shared),
        /// The word.
        out data(32),
        /// No word: the locks on the words of these 16 bytes are freed; of SM 1.2 and later.
        out frees(if d.has.locks; 1),
    }
}

bundle! {
    /// A word of constant memory, from the host.
    pub struct ConstantWord(d: &Dims) as "const" {
        /// It is written.
        out we(1),
        /// Its number.
        out address(d.constant),
        /// The word.
        out data(32),
    }
}

bundle! {
    /// The first beat that must not go on, from M.
    pub struct BeatTrap(d: &Dims) {
        /// A beat traps.
        out valid(1),
        /// `TrapCause` of hdl/contract.
        out cause(TRAP_CAUSE),
        /// Number of the thread in its warp.
        out lane(5),
        /// Slot of the warp.
        out warp(d.warp),
        /// Address of the instruction.
        out pc(d.pc),
        /// Block slot of the warp.
        out block(d.block),
    }
}

bundle! {
    /// What loads and special functions write, from W to the trace port.
    pub struct DeferredWrite(d: &Dims) as "late" {
        /// They write.
        out valid(1),
        /// Slot of the warp.
        out warp(d.warp),
        /// Scoreboard slot.
        out slot(2),
        /// Register-file entry.
        out entry(d.entry),
        /// Lanes that write.
        out mask(d.lanes),
        /// lanes × 32 data.
        out data(32 * d.lanes),
        /// They are flags, of the register whose number is the entry; of SM 1.3.
        out flags(if d.has.late_flags; 1),
    }
}

bundle! {
    /// A beat in W with what it writes, to the trace port.
    pub struct RetiredBeat(d: &Dims) as "tr" {
        /// W holds a beat.
        out valid(1),
        /// [`BeatTag`].
        out tag(BeatTag::width(d)),
        /// lanes × 32 results.
        out y(32 * d.lanes),
        /// lanes × 4 flags.
        out flags(4 * d.lanes),
        /// lanes × 16 address register after post-increment.
        out next(16 * d.lanes),
        /// lanes × 32 byte addresses of the access, with a trace port.
        out addr(d.traced()),
        /// lanes × 32 store data, with a trace port.
        out data(d.traced()),
    }
}
