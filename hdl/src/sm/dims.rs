//! Widths that follow from a configuration.

use crate::config::{Floats, GpuConfig, Isa, Level, Semantics};
use crate::front::features::Features;
use crate::rtl::{cat, clog2, Bits, Expr, Ram};
use warpsmith_isa::ivb::DWORDS;

/// Bits of a stack depth.
pub const DEPTH: usize = 7;

/// Widths in bits (and counts) of one SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Instruction set.
    pub isa: Isa,
    /// What it has that another may lack.
    pub has: Features,
    /// Reading of the words of SM 1.0.
    pub semantics: Semantics,
    /// Level of SM 1.x.
    pub level: Level,
    /// Lanes.
    pub lanes: usize,
    /// Threads of a warp: 32, of Ivy Bridge 16 channels.
    pub threads: usize,
    /// Beats of a warp instruction, threads / lanes, at least 1.
    pub beats: usize,
    /// Bits of a beat number, at least 1.
    pub beat: usize,
    /// Resident warps.
    pub warps: usize,
    /// Bits of a warp slot number.
    pub warp: usize,
    /// Block slots.
    pub blocks: usize,
    /// Bits of a block slot number, at least 1.
    pub block: usize,
    /// Bits of a program byte address; one more than needed, so that "beyond" can be said.
    pub pc: usize,
    /// Bits of a register-file entry address (one lane); of Ivy Bridge that of a general register of 8 dwords.
    pub entry: usize,
    /// Bits of a shared-memory byte address of the SM.
    pub shared: usize,
    /// Bits of a constant-memory word address of the SM.
    pub constant: usize,
    /// Float instructions.
    pub floats: Floats,
    /// Special-function units.
    pub sfus: usize,
    /// Floats of 64 bits.
    pub double: bool,
    /// Stage W forwards to stage A: where an instruction is one beat.
    pub forward: bool,
    /// The trace port is there.
    pub trace: bool,
}

impl Dims {
    /// The widths of a configuration.
    pub fn of(c: &GpuConfig) -> Self {
        let (threads, beats) = (c.threads(), c.beats());
        // A register of Ivy Bridge is an entry of 8 lanes.
        let entries = if c.isa == Isa::Ivb { c.registers / DWORDS } else { c.registers / c.lanes };
        Self {
            threads,
            isa: c.isa,
            has: Features::of(c.isa).at(c.level).with(c.options()),
            semantics: c.semantics,
            level: c.level,
            lanes: c.lanes,
            beats,
            beat: clog2(beats),
            warps: c.warps,
            warp: clog2(c.warps),
            blocks: c.blocks,
            block: clog2(c.blocks),
            pc: pc_width(c),
            entry: clog2(entries),
            shared: clog2(c.shared_bytes),
            constant: clog2(c.constant_bytes / 4),
            floats: c.floats(),
            sfus: c.sfus,
            double: c.double || c.level >= Level::Sm13,
            forward: beats == 1 && c.isa != Isa::Ivb,
            trace: c.trace,
        }
    }

    /// Bits of a byte address in shared memory, as addresses are added up.
    pub fn shared_address(&self) -> usize {
        self.shared.max(14)
    }

    /// Bits of a number of bytes of shared memory.
    pub fn shared_size(&self) -> usize {
        self.shared_address() + 1
    }

    /// `width` where there are floats of 64 bits, else 0.
    pub fn double(&self, width: usize) -> usize {
        self.double.bits(width)
    }

    /// Bits of the number of a beat of a warp, `{warp, beat}`: a place of what the steps of an instruction of Ivy Bridge keep.
    pub fn kept(&self) -> usize {
        self.warp + if self.beats == 1 { 0 } else { self.beat }
    }

    /// Rows of 8 lanes, of Ivy Bridge: registers that a cycle can read or write.
    pub fn rows(&self) -> usize {
        self.lanes / DWORDS
    }

    /// Bits of where a load writes: a register-file entry and, on a chip of G13, the enables of its halves
    /// above it, low half first.
    pub fn load_entry(&self) -> usize {
        self.entry + self.has.late_halves.bits(2)
    }

    /// Bits of the row of an address register: warp, number, beat.
    pub fn areg(&self) -> usize {
        let beat = if self.beats == 1 { 0 } else { self.beat };
        self.warp + 3 + beat
    }

    /// Bits of what a lane finds beside its result: four flags, of micro-operations two predicates.
    pub fn conditions(&self) -> usize {
        if self.has.uops {
            2
        } else {
            4
        }
    }

    /// Bits of the size of an operand in memory.
    pub fn operand_size(&self) -> usize {
        2 + self.has.uops.bits(1)
    }

    /// Bits of the number of a constant bank.
    pub fn bank(&self) -> usize {
        4 + self.has.uops.bits(1)
    }

    /// Bits of a control-flow operation.
    pub fn flow(&self) -> usize {
        3 + self.has.uops.bits(1)
    }

    /// Bits of a word a lane that only the trace port needs; without one a signal of 1 bit.
    pub fn traced(&self) -> usize {
        if self.trace {
            32 * self.lanes
        } else {
            1
        }
    }

    /// `{high, beat}` as an address: the number of a beat has no bits where an instruction is one beat.
    pub fn with_beat(&self, high: &Expr, beat: &Expr) -> Expr {
        if self.beats == 1 {
            high.clone()
        } else {
            cat([high, beat])
        }
    }

    /// `{beat, lane}`: the number of a thread in its warp, 5 bits.
    pub fn with_beat_high(&self, beat: &Expr, lane: &Expr) -> Expr {
        let thread = if self.beats == 1 { lane.clone() } else { cat([beat, lane]) };
        thread.resize(5)
    }

    /// A RAM that stage I reads and W writes. With forwarding a reader may come in the cycle of the
    /// write and use the half word, or the lanes, that are not written; without, none comes.
    pub fn rdw_dont_care(&self, ram: Ram) -> Ram {
        if self.forward {
            ram
        } else {
            ram.rdw_dont_care()
        }
    }
}

/// Bits of a program byte address: one more than the memory needs.
pub fn pc_width(c: &GpuConfig) -> usize {
    clog2(c.program_bytes) + 1
}
