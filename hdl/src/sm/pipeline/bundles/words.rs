//! Words that bundles and registers carry whole, field by field. The control word is [`crate::sm::control::Control`].

use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::double::DoubleControl;
use crate::sm::control::ivb::ChannelControl;
use crate::sm::control::{alu_width, Control, BAR_COUNT};
use crate::sm::dims::{Dims, DEPTH};

packed! {
    /// An instruction of a warp on its way down the pipeline.
    pub struct Issue(d: &Dims) {
        control: Control::width(d),
        warp: d.warp,
        /// Scoreboard slot.
        slot: 2,
        /// Block slot.
        block: d.block,
        /// Register-file entry of the warp's R0, beat 0.
        reg_base: d.entry,
        /// Byte address of the block's shared memory.
        shared_base: d.shared,
        /// Active mask.
        mask: WARP,
        pc: d.pc,
        /// The instruction word, for the trace port.
        word: if d.trace { 64 } else { 1 },
        /// Divergence stack depth, for the trace port.
        depth: if d.trace { DEPTH } else { 1 },
    }
}

packed! {
    /// What write-back and trace need to know of a beat behind stage M.
    pub struct BeatTag(d: &Dims) {
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
        /// The special-function units take this beat; of floats of 64 bits their unit.
        special: 1,
        quad: 4,
        mem: 3,
        post_inc: 1,
        areg: 3,
        /// Predicates written; of Fermi alone.
        q1: d.has.predicates.bits(3),
        q2: d.has.predicates.bits(3),
        /// It makes a new execution mask; length of the instruction in halfwords. Of G13 alone.
        mask: d.has.execution_mask.bits(1),
        length: d.has.execution_mask.bits(3),
        /// `SourceControl::exchange`, and that this is its first pass, which writes nothing. Of G13 alone.
        exchange: d.has.exchange.bits(4),
        first_of_two: d.has.exchange.bits(1),
        /// It writes this uniform. Of G13 alone.
        stores: d.has.sources.bits(1),
        uniform: d.has.sources.bits(8),
        /// It takes locks on words of shared memory; of SM 1.2 and later.
        locks: d.has.locks.bits(1),
        /// … and these lanes got them: known from stage D on.
        locked: d.has.locks.bits(d.lanes),
        alu: alu_width(d),
        /// [`DoubleControl`]; with floats of 64 bits alone.
        double: d.double(DoubleControl::width(d.has.late_flags)),
        /// [`ChannelTag`]; of Ivy Bridge alone.
        channels: d.has.channels.bits(ChannelTag::width(())),
        pc: d.pc,
        word: if d.trace { 64 } else { 1 },
        active: if d.trace { WARP } else { 1 },
        depth: if d.trace { DEPTH } else { 1 },
    }
}

impl BeatTag {
    /// What it says of floats of 64 bits, where the chip has some; its fields are called `prefix_…`.
    pub fn double(&self, d: &Dims, prefix: &str) -> Option<DoubleControl> {
        d.double.then(|| DoubleControl::unpack(d.has.late_flags, prefix, &self.double))
    }

    /// Its executing threads at their places in the warp, where `on`: a word of lanes for each beat.
    pub fn in_warp(&self, d: &Dims, on: &Expr) -> Vec<Expr> {
        let lanes = d.threads / d.beats;
        let exec = self.exec.bits(0, lanes);
        let here = |b: usize| match d.beats {
            1 => on.clone(),
            _ => on & self.beat.is(b as u64),
        };
        (0..d.beats).map(|b| &exec & &here(b).repeat(lanes)).collect()
    }

    /// What it says of channels, on a chip of Ivy Bridge; its fields are called `prefix_…`.
    pub fn channels(&self, d: &Dims, prefix: &str) -> Option<ChannelTag> {
        d.has.channels.then(|| ChannelTag::unpack((), prefix, &self.channels))
    }
}

packed! {
    /// What stages behind M need of an instruction of Ivy Bridge: fields of `ChannelControl`.
    pub struct ChannelTag(_d: ()) {
        scalar: 1,
        to: 3,
        condition: 4,
        is_float: 1,
        is_signed: 1,
        /// Registers from pass to pass are two: of sixteen channels.
        twice: 1,
        keeps: 2,
        goes_on: 1,
    }
}

impl ChannelTag {
    /// Of a control word.
    pub fn of(c: &ChannelControl) -> Self {
        Self {
            scalar: c.scalar.clone(),
            to: c.to.clone(),
            condition: c.condition.clone(),
            is_float: c.is_float.clone(),
            is_signed: c.is_signed.clone(),
            twice: c.is_sixteen(),
            keeps: c.keeps.clone(),
            goes_on: c.goes_on.clone(),
        }
    }
}

packed! {
    /// One lane's addresses between stages A and M.
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
        /// The high word of the address is not 0; not of SM 1.0.
        beyond: d.has.wide_addresses.bits(1),
    }
}

/// Parts of a warp that say each for itself whether they meet a breakpoint: all of it is late.
pub const BREAKS: usize = 8;

packed! {
    /// What a beat's accesses may reach, between stages A and M.
    pub struct Limits(d: &Dims) {
        /// Access size of the shared, local or global operand minus one, in bytes.
        main_size: 4,
        /// It accesses one, in its first pass.
        main_on: 1,
        /// First address beyond its memory.
        main: 33,
        /// The first page of its memory is guarded.
        guarded: 1,
        /// Access size of the constant operand minus one, in bytes.
        constant_size: 2,
        /// There is one, in the first pass.
        constant_on: 1,
        /// The operand at the main address is one of constant memory; not of SM 1.0.
        indexed: d.has.wide_addresses.bits(1),
        /// Words of its bank, and the first of them.
        words: 15,
        base: d.constant,
    }
}

packed! {
    /// One lane's values between stages M and D.
    pub struct Values(d: &Dims) {
        r1: 32,
        r2: 32,
        r3: 32,
        /// Of G13 alone.
        r4: d.has.sources.bits(32),
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

packed! {
    /// One lane's operands between stage D and the lane.
    pub struct Operands(d: &Dims) {
        a: 32,
        b: 32,
        c: 32,
        /// Of G13 and Ivy Bridge.
        fourth: d.has.fourth_operand.bits(32),
        /// Carry flag.
        carry: 1,
        /// Predicates p1 to p3; not of SM 1.0.
        p: d.has.uops.bits(3),
    }
}

packed! {
    /// A control operation, see the ports of the divergence unit and the barriers.
    pub struct Operation(d: &Dims) {
        op: d.flow(),
        marker: 2,
        warp: d.warp,
        active: WARP,
        exec: WARP,
        target: d.pc,
        next: d.pc,
        pc: d.pc,
        block: d.block,
        bar_id: 4,
        bar_arrive: 1,
        bar_wait: 1,
        /// Not of SM 1.0.
        bar_count: d.has.barrier_counts.bits(BAR_COUNT),
        /// Second address of a branch; of Ivy Bridge alone.
        hop: d.has.channels.bits(d.pc),
    }
}
