//! Instructions as text, and as the assembler encodes it.

use warpsmith_isa::ivb::{compacted, Ivb};
use warpsmith_isa::set::{Instr, InstructionSet, Place};

/// The instruction of a text that may be illegal.
pub fn read(text: &str) -> Option<Instr> {
    Ivb.parse(text, &Place::at(0)).ok()
}

/// Bytes of a text that the generator relies on, in the compact format where it is asked for and there is one.
///
/// # Panics
/// The text is no legal instruction.
pub fn bytes(text: &str, compact: bool) -> Vec<u8> {
    let instr = Ivb.parse(text, &Place::at(0)).unwrap_or_else(|e| panic!("{text}: {}", e.message));
    code(&instr, compact)
}

/// Bytes of an instruction, in the compact format where it is asked for and there is one.
pub fn code(instr: &Instr, compact: bool) -> Vec<u8> {
    let short = compacted(instr).filter(|_| compact);
    short.unwrap_or(*instr).code.to_vec()
}

/// Channels of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exec {
    /// 1, 8 or 16.
    pub size: u32,
    /// Its first channel is channel 8.
    pub second: bool,
    /// Channels that are not active take part, too.
    pub all: bool,
}

impl Exec {
    /// Channel 0 alone, active or not.
    pub const ONE: Exec = Exec { size: 1, second: false, all: true };
    /// All 16, active or not.
    pub const WHOLE: Exec = Exec { size: 16, second: false, all: true };

    /// The active ones of so many channels.
    pub const fn of(size: u32) -> Exec {
        Exec { size, second: false, all: false }
    }

    /// Registers of a dword a channel.
    pub fn registers(self) -> u64 {
        u64::from(self.size.div_ceil(8))
    }

    /// The options of an instruction, `more` behind them.
    pub fn options(self, mode: u32, more: &str) -> String {
        let all = if self.all { " WE_all" } else { "" };
        let part = match (self.size, self.second) {
            (1, _) => "1N",
            (16, _) => "1H",
            (_, false) => "1Q",
            (_, true) => "2Q",
        };
        let space = if more.is_empty() { "" } else { " " };
        format!("{{ align{mode}{all} {part}{space}{more} }}")
    }
}

/// Shared function data cache: type, control, surface, header, registers of payload and response.
pub fn data(kind: u32, control: u32, surface: u32, header: bool, lengths: [u64; 2]) -> String {
    let [payload, response] = lengths.map(|n| n as u32);
    let all = payload << 25 | response << 20 | u32::from(header) << 19 | kind << 14 | control << 8 | surface;
    format!("{all:#010x} data")
}
