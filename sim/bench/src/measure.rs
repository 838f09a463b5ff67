//! Runs cases on a chip and counts.

use crate::error::BenchError;
use crate::golden::golden;
use crate::suite::{Case, Suite};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpsmith_cosim::{folder, Chip, ChipInfo, MemoryOptions, PortLines, RunOptions, StallCause};
use warpsmith_isa::set::{self, Instr};
use warpsmith_isa::{disassemble_in, Isa};
use warpsmith_model::Launch;
use warpsmith_run::Machine;

/// A chip to measure.
pub struct Subject {
    /// Name in tables and in the baseline.
    pub name: String,
    /// The simulation.
    pub chip: Chip,
    /// Special-function units of an SM.
    pub sfus: u32,
    /// The memory behind its port.
    pub memory: MemoryOptions,
}

impl Subject {
    /// A chip with ideal memory under a name; the number of special-function units is read from its manifest.
    ///
    /// # Errors
    /// The manifest cannot be read.
    pub fn new(name: &str, chip: Chip) -> Result<Self, BenchError> {
        let manifest = folder::load(chip.folder())?;
        let sfus = manifest.config.get("sfus").and_then(|v| v.as_u64());
        Ok(Subject {
            name: name.to_string(),
            chip,
            // A chip without any runs none.
            sfus: sfus.unwrap_or(1).max(1) as u32,
            memory: MemoryOptions::default(),
        })
    }
}

/// One measured case. Utilisations are parts of what the whole chip could do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Configuration.
    pub config: String,
    /// SMs of the chip.
    pub sms: u32,
    /// Lanes of an SM.
    pub lanes: u32,
    /// Part of the suite.
    pub suite: Suite,
    /// Kernel.
    pub kernel: String,
    /// Problem size, where there are several.
    pub size: Option<u32>,
    /// Warps that fit an SM at once, of what the grid has.
    pub warps: u32,
    /// From start to done.
    pub cycles: u64,
    /// Retired.
    pub warp_instructions: u64,
    /// Lanes of their active masks.
    pub thread_instructions: u64,
    /// Warp instructions × beats / (cycles × SMs).
    pub issue_utilisation: f64,
    /// Thread instructions / (cycles × lanes × SMs).
    pub lane_utilisation: f64,
    /// Cycles in which nothing issued although it could, by cause, summed over the SMs.
    pub stalls: BTreeMap<String, u64>,
    /// Requests of the load/store units.
    pub requests: u64,
    /// Lines through the memory port: each request is one, unless a cache has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<PortLines>,
    /// Lines through the memory port / cycles.
    pub port_utilisation: f64,
    /// Lines that the accesses touch; see [`Golden`](crate::golden::Golden).
    pub ideal_requests: u64,
    /// Ideal requests / requests; none without requests.
    pub coalescing: Option<f64>,
    /// Special-function instructions × threads of a warp / (cycles × units × SMs); none without such instructions.
    pub sfu_utilisation: Option<f64>,
    /// FlexGripPlus on the same program: cycles, and whether they were measured or estimated.
    #[serde(rename = "elder")]
    pub flexgripplus: Option<FlexGripPlusCycles>,
}

/// Cycles of FlexGripPlus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlexGripPlusCycles {
    /// Cycles.
    pub cycles: u64,
    /// True: measured. False: its published cost by instruction class, summed.
    pub measured: bool,
}

impl Row {
    /// The key of the case.
    pub fn key(&self) -> String {
        match self.size {
            Some(n) => format!("{}/{}/{n}", self.suite.name(), self.kernel),
            None => format!("{}/{}", self.suite.name(), self.kernel),
        }
    }
}

/// Warps of a launch that an SM holds at once: bounded by warps, blocks, registers, shared memory and
/// the blocks an SM gets.
pub fn resident_warps(info: &ChipInfo, launch: &Launch) -> u32 {
    let warps = launch.warps_per_block();
    let grid = (launch.grid[0] * launch.grid[1]).div_ceil(info.sms);
    let blocks = info
        .blocks
        .min(info.warps / warps)
        .min(info.registers / (launch.chip_warp_registers() * warps))
        .min(info.shared_bytes / launch.chip_shared_bytes().next_multiple_of(16))
        .min(grid);
    blocks * warps
}

/// The first instruction of a program that the chip does not have, and where: it would trap there.
pub fn lacks(info: &ChipInfo, launch: &Launch) -> Option<String> {
    let (text, at) = match launch.isa() {
        Isa::Sm10 => {
            let lines = disassemble_in(launch.program.semantics, &launch.program.words()).into_iter();
            let mut missing = lines.filter(|l| {
                let second = l.words.get(1).copied().unwrap_or(0);
                info.tier.decode(l.words[0], second).is_ok_and(|i| !info.tier.has(i.form))
            });
            missing.next().map(|l| (l.text, u64::from(l.addr)))?
        }
        isa => {
            let set = isa.set();
            let lines = set::disassemble(set, &launch.program.bytes).into_iter();
            let mut missing = lines.filter(|l| {
                let of_chips = |i: &Instr| {
                    set.lower(i, l.offset).is_ok_and(|lowered| set.lacks(i, &lowered, info.options).is_none())
                };
                l.instr.as_ref().is_ok_and(|i| !of_chips(i))
            });
            missing.next().map(|l| (l.text, l.offset))?
        }
    };
    Some(format!("the chip {} lacks {text} (at 0x{at:x})", info.name))
}

/// Runs a case; only the cycles.
///
/// # Errors
/// The kernel traps, does not end, or leaves memory other than expected.
pub fn cycles(subject: &Subject, case: &Case, seed: u64) -> Result<u64, BenchError> {
    Ok(run(subject, case, seed)?.cycles)
}

fn run(subject: &Subject, case: &Case, seed: u64) -> Result<warpsmith_cosim::Counters, BenchError> {
    let options = RunOptions { seed, memory: subject.memory, ..RunOptions::default() };
    let ran = Machine::Rtl { chip: &subject.chip, options, sinks: vec![] }.run(&case.launch)?;
    let wrong = |what: String| BenchError::Wrong { key: case.key(), config: subject.name.clone(), what };
    match (ran.ending.why(&case.launch, ""), ran.differences.first()) {
        (None, None) => Ok(ran.counters),
        (None, Some(first)) => Err(wrong(format!("{} words differ, first {first}", ran.differences.len()))),
        (Some(why), _) => Err(wrong(why)),
    }
}

/// Runs a case and counts everything.
///
/// # Errors
/// As [`cycles`]; also when the model traps.
pub fn measure(subject: &Subject, case: &Case, seed: u64) -> Result<Row, BenchError> {
    let info = subject.chip.info();
    let c = run(subject, case, seed)?;
    let counted = golden(&case.launch, 4 * info.port_words).map_err(|what| BenchError::Wrong {
        key: case.key(),
        config: "the model".into(),
        what,
    })?;
    let warps = resident_warps(info, &case.launch);
    let per_cycle = |n: u64, of: u32| n as f64 / (c.cycles.max(1) as f64 * f64::from(of));
    let measured = match case.suite {
        Suite::FlexGripPlus => crate::suite::flexgripplus_cycles(&case.name),
        _ => None,
    };
    let flexgripplus = match measured {
        Some(cycles) => Some(FlexGripPlusCycles { cycles, measured: true }),
        None if warps >= 8 => Some(FlexGripPlusCycles { cycles: counted.flexgripplus_cycles, measured: false }),
        None => None,
    };
    Ok(Row {
        config: subject.name.clone(),
        sms: info.sms,
        lanes: info.lanes,
        suite: case.suite,
        kernel: case.name.clone(),
        size: case.size,
        warps,
        cycles: c.cycles,
        warp_instructions: c.warp_instructions,
        thread_instructions: c.thread_instructions,
        issue_utilisation: c.issue_utilisation,
        lane_utilisation: c.lane_utilisation,
        stalls: StallCause::NAMES.iter().zip(c.stalls).map(|(name, n)| (name.to_string(), n)).collect(),
        requests: c.global_requests,
        lines: c.lines.filter(|l| l.total() != c.global_requests),
        port_utilisation: per_cycle(c.lines.map_or(c.global_requests, PortLines::total), 1),
        ideal_requests: counted.ideal_requests,
        coalescing: (c.global_requests > 0).then(|| counted.ideal_requests as f64 / c.global_requests as f64),
        sfu_utilisation: (counted.special > 0)
            .then(|| per_cycle(u64::from(info.isa.warp_threads()) * counted.special, subject.sfus * info.sms)),
        // Its figures are of one SM of 8 lanes.
        flexgripplus: flexgripplus.filter(|_| info.sms == 1 && info.lanes == 8),
    })
}

/// Measures all cases on a chip, on all cores; the rows come in the order of the cases. None is begun once
/// `stop` says so: there are fewer rows than cases then.
///
/// # Errors
/// The first case that fails.
pub fn measure_all(
    subject: &Subject, cases: &[&Case], seed: u64, stop: fn() -> bool, done: &(dyn Fn(&Case) + Sync),
) -> Result<Vec<Row>, BenchError> {
    cases
        .par_iter()
        .filter(|_| !stop())
        .map(|case| {
            let row = measure(subject, case, seed);
            done(case);
            row
        })
        .collect()
}
