//! Checks of a launch: overlaps, ranges, registers, branch targets, and the chip's limits.

use crate::launch::{Launch, LaunchError};
use warpsmith_contract::registers::GUARD_BYTES;
use warpsmith_isa::{ChipInfo, Isa, Op};

/// Threads of a block at most: what R0's 16-bit x can number in one row is far above any chip.
const MAX_THREADS: u64 = 65536;

impl Launch {
    /// Everything that does not depend on the chip.
    ///
    /// # Errors
    /// The first found, naming its line.
    pub fn check(&self) -> Result<(), LaunchError> {
        let threads: u64 = self.block.iter().map(|&n| u64::from(n)).product();
        if threads > MAX_THREADS {
            return Err(self.at(
                Some(self.lines.block),
                format!("a block of {threads} threads; at most {MAX_THREADS} fit any chip"),
            ));
        }
        let most = match self.isa() {
            Isa::Sm10 => 128,
            other => other.set().registers(),
        };
        if most != 0 && !(1..=most).contains(&self.registers) {
            return Err(
                self.at(self.lines.registers, format!("registers is {}; it must be 1 to {most}", self.registers))
            );
        }
        for (sections, what) in [(&self.globals, "global"), (&self.expects, "expect")] {
            let mut spans = Vec::new();
            for s in sections {
                let end = s.offset + s.bytes.len() as u64;
                if end > self.global_bytes {
                    return Err(self.at(
                        s.line,
                        format!(
                            "[[{what}]] covers bytes 0x{:x} to 0x{end:x}; global_bytes is 0x{:x}: raise it or move the section",
                            s.offset, self.global_bytes
                        ),
                    ));
                }
                if self.guard && s.offset < GUARD_BYTES.into() && !s.bytes.is_empty() {
                    return Err(self.at(
                        s.line,
                        format!(
                            "[[{what}]] begins at byte 0x{:x}, and no kernel may use the first {GUARD_BYTES} bytes (guard = true): move it, or say guard = false",
                            s.offset
                        ),
                    ));
                }
                spans.push((s.offset, end, s.line));
            }
            self.overlap(spans, &format!("[[{what}]]"))?;
        }
        for bank in 0..32 {
            let spans = self
                .constants
                .iter()
                .filter(|c| c.bank == bank && !c.reserved)
                .map(|c| {
                    let start = u64::from(c.offset);
                    (start, start + c.bytes.len() as u64, c.line)
                })
                .collect();
            self.overlap(spans, &format!("[[constant]] of bank {bank}"))?;
        }
        match self.isa() {
            Isa::Sm10 => self.check_program(),
            _ => Ok(()),
        }
    }

    /// Two sections sharing bytes.
    fn overlap(&self, mut spans: Vec<(u64, u64, Option<usize>)>, what: &str) -> Result<(), LaunchError> {
        spans.sort_by_key(|s| s.0);
        for pair in spans.windows(2) {
            if pair[1].0 < pair[0].1 && pair[1].1 > pair[1].0 {
                let other = match pair[0].2 {
                    Some(line) => format!("the one at line {line}"),
                    None => "the one the program file brings".to_string(),
                };
                return Err(self.at(
                    pair[1].2,
                    format!(
                        "{what} covers bytes 0x{:x} to 0x{:x} and overlaps {other}, 0x{:x} to 0x{:x}: move one of them",
                        pair[1].0, pair[1].1, pair[0].0, pair[0].1
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Walks the program: truncated last instruction, registers written, branch targets.
    fn check_program(&self) -> Result<(), LaunchError> {
        let program = |message: String| LaunchError::new(&self.program_file, None, message);
        let words = self.program.words();
        if words.is_empty() {
            return Err(program("the program has no instructions".to_string()));
        }
        let mut starts = vec![false; words.len()];
        let mut targets = Vec::new();
        let mut i = 0;
        while i < words.len() {
            let pc = 4 * i;
            starts[i] = true;
            let w0 = words[i];
            let long = w0 & 1 != 0;
            if long && i + 1 == words.len() {
                return Err(program(format!(
                    "the program is truncated: word {} (0x{w0:08x}, at 0x{pc:04x}) begins a long instruction and is the last of {} words",
                    i + 1,
                    words.len()
                )));
            }
            let w1 = words.get(i + 1).copied().unwrap_or(0);
            if let Ok(instr) = warpsmith_isa::decode_in(self.program.semantics, w0, w1) {
                if let Some(r) = instr.last_register_written().filter(|r| u32::from(*r) >= self.registers) {
                    return Err(self.at(
                        self.lines.registers.or(Some(self.lines.program)),
                        format!(
                            "registers is {}, but the program writes R{r} at 0x{pc:04x} ({}): raise it to {}",
                            self.registers,
                            self.program_file.display(),
                            u32::from(r) + 1
                        ),
                    ));
                }
                match instr.op {
                    Op::Bra { target } | Op::Cal { target, .. } | Op::Ssy { target } | Op::Pbk { target } => {
                        targets.push((pc, target))
                    }
                    _ => {}
                }
            }
            i += if long { 2 } else { 1 };
        }
        for (pc, target) in targets {
            if starts.get((target / 4) as usize) == Some(&false) {
                return Err(program(format!(
                    "the instruction at 0x{pc:04x} names 0x{target:04x}, which is the middle of a long instruction"
                )));
            }
        }
        Ok(())
    }

    /// Whether a chip can run the launch.
    ///
    /// Errors: the first limit exceeded, naming the key's line, both numbers and what to do.
    pub fn check_fits(&self, chip: &ChipInfo) -> Result<(), LaunchError> {
        let (isa, config) = (self.isa(), &chip.name);
        if isa != chip.isa {
            return Err(self.at(
                Some(self.lines.program),
                format!(
                    "the program is of {isa} and configuration {config} executes {0}: take a chip of {isa} (--set isa={isa}), or say isa = \"{0}\" in the launch if the program is of that set",
                    chip.isa
                ),
            ));
        }
        let (semantics, reads) = (self.program.semantics, chip.tier.semantics());
        if semantics != reads {
            return Err(self.at(
                Some(self.lines.program),
                format!("the program is read as {semantics} and configuration {config} reads words as {reads}: --set semantics={semantics}"),
            ));
        }
        let executes = chip.tier.level();
        if self.level > executes {
            return Err(self.at(
                Some(self.lines.program),
                format!(
                    "the program is of level {} and configuration {config} executes {executes}: take a chip of that level (--set level={0})",
                    self.level
                ),
            ));
        }
        let warps = self.warps_per_block();
        if warps > chip.warps {
            return Err(self.at(
                Some(self.lines.block),
                format!(
                    "a block of {} threads needs {warps} warps{}; configuration {config} has {} (max_warps): use smaller blocks or a larger configuration",
                    self.block.iter().product::<u32>(),
                    match isa {
                        Isa::Ivb => format!(" of {} (simd)", self.warp_threads()),
                        _ => String::new(),
                    },
                    chip.warps
                ),
            ));
        }
        if isa == Isa::Ivb {
            self.check_absent(chip)?;
        }
        let (own, all) = (self.registers, self.chip_registers());
        if all > 128 {
            return Err(self.at(
                self.lines.registers.or(Some(self.lines.program)),
                format!(
                    "registers is {own}; a chip of {isa} has {} for a thread: say registers = N, N at most that",
                    128 - (all - own)
                ),
            ));
        }
        let registers = u64::from(self.chip_warp_registers()) * u64::from(warps);
        if registers > u64::from(chip.registers) {
            let (line, need, remedy) = match isa {
                Isa::Ivb => {
                    let (threads, own) = (self.warp_threads(), self.chip_warp_registers());
                    let need = format!(
                        "{warps} warps of {threads} threads (simd) a block need {registers} registers, {own} each"
                    );
                    (Some(self.lines.block), need, "use smaller blocks")
                }
                _ => (
                    self.lines.registers.or(Some(self.lines.program)),
                    format!("{all} registers a thread and {warps} warps a block need {registers} registers"),
                    "use smaller blocks, fewer registers",
                ),
            };
            let has = chip.registers;
            return Err(
                self.at(line, format!("{need}; configuration {config} has {has}: {remedy} or a larger configuration"))
            );
        }
        if let Some(c) = self.constants.iter().find(|c| c.bank > 15) {
            return Err(
                self.at(c.line, format!("constant bank {} does not exist on a chip; its banks are 0 to 15", c.bank))
            );
        }
        let banks = self.constant_memory();
        let bytes = |bank| banks.bank_bytes(bank).len() as u32;
        let constants = (0..16).map(bytes).max().unwrap_or(0);
        for (need, have, line, key) in [
            (self.chip_shared_bytes(), chip.shared_bytes, self.lines.shared_bytes, "shared_bytes"),
            (self.program.len().next_multiple_of(4), chip.program_bytes, Some(self.lines.program), "program"),
            (constants, chip.bank_bytes(), None, "constant"),
            (self.local_bytes, chip.local_bytes, self.lines.local_bytes, "local_bytes"),
        ] {
            if need > have && key == "shared_bytes" && line.is_none() {
                let line = self.lines.dynamic_shared_bytes;
                let what = match line {
                    Some(_) => "dynamic_shared_bytes is too large: ",
                    None => "",
                };
                return Err(self.at(
                    line.or(Some(self.lines.program)),
                    format!(
                        "{what}a block needs {need} bytes of shared memory with header, parameters and the kernel's own arrays; configuration {config} has {have}: use less or a larger configuration"
                    ),
                ));
            }
            if need > have {
                let line = match key {
                    "constant" => {
                        self.constants.iter().find(|c| c.offset + c.bytes.len() as u32 > have).and_then(|c| c.line)
                    }
                    _ => line,
                };
                return Err(self.at(
                    line,
                    format!("{key} needs {need} bytes; configuration {config} has {have}: use a larger configuration"),
                ));
            }
        }
        Ok(())
    }

    /// Constants, exceptions and local memory, which a chip of Ivy Bridge does not have.
    fn check_absent(&self, chip: &ChipInfo) -> Result<(), LaunchError> {
        if let Some(c) = self.constants.first() {
            let what = format!("constant bank {}; a chip of {} has none: use global memory", c.bank, chip.isa);
            return Err(self.at(c.line, what));
        }
        if let Some(address) = self.sip {
            let what = format!("sip is {address}; a chip of {} has no exceptions: leave the key out", chip.isa);
            return Err(self.at(self.lines.sip, what));
        }
        if self.local_bytes > 0 {
            let what = format!(
                "local_bytes is {}; a chip of {} has no local memory: use global memory and leave the key out",
                self.local_bytes, chip.isa
            );
            return Err(self.at(self.lines.local_bytes, what));
        }
        Ok(())
    }

    fn at(&self, line: Option<usize>, message: String) -> LaunchError {
        LaunchError::new(&self.file, line, message)
    }
}
