//! What a difference looks like to the reader.

use super::compare::Mismatch;
use std::fmt;
use warpsmith_isa::Isa;

/// Last write of a register by a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Retire number, from 1.
    pub retire: u64,
    /// Byte address of the instruction.
    pub pc: u32,
}

/// A bit pattern with an underscore in the middle.
pub fn bits(v: u32) -> String {
    format!("0x{:04x}_{:04x}", v >> 16, v & 0xffff)
}

/// Where and what: the first difference between model and chip.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// A retired instruction differs.
    Retire(Box<RetireDifference>),
    /// Anything else.
    Other(Subject, String),
}

/// What a difference that belongs to no retired instruction is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// Blocks: started outside the grid, or not all of them.
    Blocks,
    /// Warps: started twice, never, or retiring where none was started.
    Warps,
    /// Threads a warp starts with.
    Threads,
    /// A memory access that never ends, or outside memory.
    Accesses,
    /// Contents of global memory at the end.
    Memory,
    /// A trap of one side, or another one.
    Trap,
    /// The chip's counters.
    Counters,
    /// The trace port's protocol.
    Protocol,
}

/// The first retired instruction that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct RetireDifference {
    /// SM.
    pub sm: usize,
    /// Warp within its block.
    pub warp: u32,
    /// Block index in the grid, `x, y`.
    pub ctaid: [u32; 2],
    /// Blocks of the grid in x, to number the block.
    pub grid_x: u32,
    /// Retire number over all warps, from 1.
    pub retire: u64,
    /// Cycle since power-on.
    pub cycle: u64,
    /// Byte address the chip retired.
    pub pc: u32,
    /// Its source line, as `saxpy.cu:12`, where it is known.
    pub place: Option<String>,
    /// Instruction set.
    pub isa: Isa,
    /// The instruction as the assembler writes it.
    pub text: String,
    /// A special-function unit computes it.
    pub special: bool,
    /// Its words.
    pub word: [u32; 2],
    /// The words the model executed.
    pub expected: [u32; 2],
    /// What differs.
    pub mismatch: Mismatch,
    /// Active masks, model and chip.
    pub active: [u32; 2],
    /// Last writers of the source registers, by name.
    pub writers: Vec<(String, Option<Writer>)>,
    /// Command that replays it.
    pub replay: String,
}

impl fmt::Display for RetireDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = self.ctaid[1] * self.grid_x + self.ctaid[0];
        writeln!(
            f,
            "cosim: warp {} of block {block} differs at retire {} (cycle {})",
            self.warp, self.retire, self.cycle
        )?;
        let words = match self.word {
            [w0, w1] if self.isa != Isa::Sm10 || w0 & 1 != 0 => {
                format!("{}_{:04x}_{:04x}", bits(w0), w1 >> 16, w1 & 0xffff)
            }
            [w0, _] => bits(w0),
        };
        let place = match &self.place {
            Some(p) => format!("        {p}"),
            None => String::new(),
        };
        writeln!(f, "  0x{:08x}  {}        word {words}{place}", self.pc, self.text)?;
        let m = &self.mismatch;
        let what = match m.lane {
            Some(l) => format!("lane {l}, {}", m.what),
            None => m.what.clone(),
        };
        writeln!(f, "  {what:<13} model {}    rtl {}    xor {}", bits(m.model), bits(m.rtl), bits(m.model ^ m.rtl))?;
        if m.what != "active mask" {
            writeln!(f, "  active mask   model {}    rtl {}", bits(self.active[0]), bits(self.active[1]))?;
        }
        if !self.writers.is_empty() {
            let parts: Vec<String> = self
                .writers
                .iter()
                .map(|(name, w)| match w {
                    Some(w) => format!("to {name}: retire {}, pc 0x{:x}", w.retire, w.pc),
                    None => format!("to {name}: none"),
                })
                .collect();
            writeln!(f, "  last write by this warp {}", parts.join("; "))?;
        }
        write!(f, "  replay: {}", self.replay)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Retire(d) => d.fmt(f),
            Difference::Other(_, s) => f.write_str(s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::compare::Field;
    use super::*;

    #[test]
    fn the_report_names_place_both_values_and_the_replay() {
        let d = RetireDifference {
            sm: 0,
            warp: 3,
            ctaid: [1, 2],
            grid_x: 4,
            retire: 1841,
            cycle: 90233,
            pc: 0x1a8,
            place: Some("x.sass:9".into()),
            isa: Isa::Sm10,
            text: "IADD32 R1, R1, R2".into(),
            special: false,
            word: [0x2000_8204, 0],
            expected: [0x2000_8204, 0],
            mismatch: Mismatch {
                field: Field::Value,
                what: "R1".into(),
                lane: Some(17),
                model: 0x12c40,
                rtl: 0x2c40,
                lanes: vec![(17, 0x12c40, 0x2c40)],
            },
            active: [u32::MAX; 2],
            writers: vec![("R2".into(), Some(Writer { retire: 1836, pc: 0x190 })), ("R3".into(), None)],
            replay: "warpsmith cosim x.toml --seed 7".into(),
        };
        let text = d.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "cosim: warp 3 of block 9 differs at retire 1841 (cycle 90233)");
        assert!(lines[1].starts_with("  0x000001a8  IADD32"), "{text}");
        assert!(lines[1].ends_with("        x.sass:9"), "{text}");
        assert_eq!(lines[2], "  lane 17, R1   model 0x0001_2c40    rtl 0x0000_2c40    xor 0x0001_0000");
        assert_eq!(lines[3], "  active mask   model 0xffff_ffff    rtl 0xffff_ffff");
        assert_eq!(lines[4], "  last write by this warp to R2: retire 1836, pc 0x190; to R3: none");
        assert_eq!(lines[5], "  replay: warpsmith cosim x.toml --seed 7");
    }
}
