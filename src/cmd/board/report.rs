//! The report of a board: what its owner sends in. docs/boards.md has its keys.

use serde::Serialize;
use std::time::SystemTime;
use warpsmith_bench::Case;
use warpsmith_fpga::link::{About, Clock, MemoryTest, Pattern, Statistics};
use warpsmith_run::Beside;

/// Version of the report's keys.
const FORMAT: u32 = 1;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should.
    Pass,
    /// Something differs.
    Fail,
}

impl Verdict {
    /// Of something that is right, or is not.
    pub fn of(right: bool) -> Self {
        match right {
            true => Verdict::Pass,
            false => Verdict::Fail,
        }
    }

    /// As reports have it.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
        }
    }
}

/// A whole report. Keys without a value are left out.
#[derive(Debug, Serialize)]
pub struct Report {
    format: u32,
    pub outcome: Verdict,
    date: String,
    warpsmith: &'static str,
    pub board: Option<String>,
    pub by: Option<String>,
    pub bitstream: Option<Bitstream>,
    pub chip: Chip,
    pub memory: Memory,
    pub clock: Option<Frequency>,
    pub random: Random,
    pub link: Line,
    #[serde(rename = "kernel")]
    pub kernels: Vec<Kernel>,
    pub left_out: Vec<LeftOut>,
}

/// What the board was configured with.
#[derive(Clone, Debug, Serialize)]
pub struct Bitstream {
    pub file: String,
    pub sha256: String,
}

/// What the board says of itself.
#[derive(Debug, Serialize)]
pub struct Chip {
    name: String,
    sms: u32,
    lanes: u32,
    warps: u32,
    blocks: u32,
    registers: u32,
    shared_bytes: u32,
    constant_bytes: u32,
    program_bytes: u32,
    stack_depth: u32,
    port_words: u32,
    float: bool,
    memory_bytes: u64,
}

/// The memory test.
#[derive(Debug, Serialize)]
pub struct Memory {
    pub outcome: Verdict,
    pub bytes_tested: u64,
    pub wrong_words: u64,
    pub first_wrong: Option<WrongWord>,
}

/// A word that was read otherwise than written.
#[derive(Debug, Serialize)]
pub struct WrongWord {
    pattern: Pattern,
    address: String,
    expected: String,
    read: String,
}

/// The chip's clock.
#[derive(Debug, Serialize)]
pub struct Frequency {
    pub mhz: f64,
    pub uncertainty_mhz: f64,
    pub seconds: f64,
}

/// The random programs.
#[derive(Debug, Serialize)]
pub struct Random {
    /// None where no program ran.
    pub outcome: Option<Verdict>,
    /// Of the first program; text, for TOML's numbers are signed.
    pub seed: String,
    pub programs: u64,
    pub warp_instructions: u64,
    /// Programs that the board's memory does not hold.
    pub too_large: u64,
    pub failed_seed: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// The link to the host.
#[derive(Debug, Serialize)]
pub struct Line {
    pub requests: u64,
    pub sent_again: u64,
    pub without_answer: u64,
    pub with_a_wrong_answer: u64,
    pub resets: u64,
}

/// A kernel that ran.
#[derive(Debug, Serialize)]
pub struct Kernel {
    pub name: String,
    pub outcome: Verdict,
    pub cycles: u64,
    pub warp_instructions: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// A kernel that the board cannot run.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    pub name: String,
    pub why: String,
}

impl Report {
    /// Of a board without any results.
    pub fn new(about: &About, seed: u64) -> Self {
        Report {
            format: FORMAT,
            outcome: Verdict::Pass,
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            warpsmith: env!("CARGO_PKG_VERSION"),
            board: None,
            by: None,
            bitstream: None,
            chip: Chip::new(about),
            memory: Memory::new(&MemoryTest::default()),
            clock: None,
            random: Random {
                outcome: None,
                seed: format!("{seed:#x}"),
                programs: 0,
                warp_instructions: 0,
                too_large: 0,
                failed_seed: None,
                details: vec![],
            },
            link: Line::new(Statistics::default()),
            kernels: vec![],
            left_out: vec![],
        }
    }

    /// Whether all that was tested is right.
    pub fn verdict(&self) -> Verdict {
        let kernels = self.kernels.iter().map(|k| k.outcome);
        let mut all = kernels.chain([self.memory.outcome]).chain(self.random.outcome);
        Verdict::of(self.clock.is_some() && all.all(|o| o == Verdict::Pass))
    }
}

impl Chip {
    fn new(about: &About) -> Self {
        let i = &about.info;
        Chip {
            name: i.name.clone(),
            sms: i.sms,
            lanes: i.lanes,
            warps: i.warps,
            blocks: i.blocks,
            registers: i.registers,
            shared_bytes: i.shared_bytes,
            constant_bytes: i.constant_bytes,
            program_bytes: i.program_bytes,
            stack_depth: i.stack_depth,
            port_words: i.port_words,
            float: has_floats(i),
            memory_bytes: about.memory_bytes,
        }
    }
}

/// Whether a chip computes with floats.
pub fn has_floats(chip: &warpsmith_isa::ChipInfo) -> bool {
    chip.tier != warpsmith_isa::Tier::integer() && chip.tier != warpsmith_isa::Tier::division()
}

impl Memory {
    /// Of a finished test.
    pub fn new(test: &MemoryTest) -> Self {
        Memory {
            outcome: Verdict::of(test.wrong == 0),
            bytes_tested: test.bytes,
            wrong_words: test.wrong,
            first_wrong: test.first.map(|w| WrongWord {
                pattern: w.pattern,
                address: hex(w.address),
                expected: hex(w.expected),
                read: hex(w.read),
            }),
        }
    }
}

fn hex(word: u32) -> String {
    format!("0x{word:08x}")
}

impl Frequency {
    /// Of a measured clock, to a hertz.
    pub fn new(clock: &Clock) -> Self {
        let mhz = |hertz: f64| hertz.round() / 1e6;
        Frequency {
            mhz: mhz(clock.hertz),
            uncertainty_mhz: mhz(clock.uncertainty),
            seconds: (clock.seconds * 1e3).round() / 1e3,
        }
    }
}

impl Line {
    /// What a link did.
    pub fn new(of: Statistics) -> Self {
        Line {
            requests: of.requests,
            sent_again: of.resent,
            without_answer: of.silent,
            with_a_wrong_answer: of.garbled,
            resets: of.resets,
        }
    }
}

impl Kernel {
    /// Of a case that ran.
    pub fn new(case: &Case, beside: &Beside) -> Self {
        Kernel {
            name: case.key(),
            outcome: Verdict::of(beside.differences.is_empty()),
            cycles: beside.ran.counters.cycles,
            warp_instructions: beside.ran.counters.warp_instructions,
            details: beside.differences.clone(),
        }
    }

    /// Of one that the board has no result of.
    pub fn failed(case: &Case, why: String) -> Self {
        let (name, outcome) = (case.key(), Verdict::Fail);
        Kernel { name, outcome, cycles: 0, warp_instructions: 0, details: vec![why] }
    }
}
