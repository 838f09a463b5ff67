//! What a run came to, in words: expectations, traps with their lines, endings of a chip; its memory as a file.

use super::output::write_file;
use super::report::{Counters, Outcome};
use anyhow::Result;
use std::io::Write;
use std::path::Path;
use warpsmith_cosim::{ChipInfo, Ending, StallCause};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_isa::Isa;
use warpsmith_model::{GlobalMemory, Launch, TrapCause};

/// Result of a chip's run: outcome and details.
pub fn verdict(launch: &Launch, ending: &Ending, global: &GlobalMemory) -> (Outcome, Vec<String>) {
    const RAISE: &str = "; raise --max-cycles if the kernel is meant to run this long";
    match (ending, ending.why(RAISE)) {
        (_, None) => judge(launch, global),
        (Ending::Trap(trap), _) => (Outcome::Trap, vec![stopped(launch, trap.pc, trap.cause, trap)]),
        (_, Some(why)) => (Outcome::Fail, vec![why]),
    }
}

/// Counters of a run in the form of the report.
pub fn counters(info: &ChipInfo, c: &warpsmith_cosim::Counters) -> Counters {
    Counters {
        cycles: c.cycles,
        lanes: u64::from(info.lanes) * u64::from(info.sms),
        stalls: StallCause::NAMES.iter().zip(c.stalls).map(|(name, n)| (name.to_string(), n)).collect(),
    }
}

/// Compares memory with the launch's expectations: outcome, and the first differences in words.
pub fn judge(launch: &Launch, memory: &GlobalMemory) -> (Outcome, Vec<String>) {
    const SHOWN: usize = 8;
    let differences = launch.compare(memory);
    if differences.is_empty() {
        return (Outcome::Pass, vec![]);
    }
    let mut details: Vec<String> = differences
        .iter()
        .take(SHOWN)
        .map(|d| match launch.buffer_at(d.address) {
            Some((name, offset)) => format!("{d}, byte {offset:#x} of {name}"),
            None => d.to_string(),
        })
        .collect();
    if differences.len() > SHOWN {
        details.push(format!("and {} more words", differences.len() - SHOWN));
    }
    (Outcome::Fail, details)
}

/// A trap with the source line of its instruction, where it is known.
pub fn trapped(launch: &Launch, pc: u32, trap: &dyn std::fmt::Display) -> String {
    match launch.source.place(pc) {
        Some(place) => format!("{trap}, {place}"),
        None => trap.to_string(),
    }
}

/// A chip's trap; of an instruction it lacks, with the key of the configuration that brings it.
pub fn stopped(launch: &Launch, pc: u32, cause: u8, trap: &dyn std::fmt::Display) -> String {
    let text = trapped(launch, pc, trap);
    let lacks = cause == TrapCause::Unimplemented.number() && launch.isa() == Isa::Sm10;
    match lacks.then(|| brings(launch, pc)).flatten() {
        Some(key) => format!("{text}; --set {key} brings it"),
        None => text,
    }
}

/// The key with which a chip has the instruction at an address.
fn brings(launch: &Launch, pc: u32) -> Option<&'static str> {
    let form = launch.program.at(pc)?.row as u8;
    let chip = |float: bool, sfus: usize| GpuConfig { float, sfus, ..GpuConfig::default() };
    [("sfus=2", chip(false, 2)), ("float=true", chip(true, 2))]
        .into_iter()
        .find_map(|(key, chip)| warpsmith_hdl::forms(&chip).contains(&form).then_some(key))
}

/// Writes global memory, one word a line, from address 0.
pub fn dump(path: &Path, memory: &GlobalMemory) -> Result<()> {
    write_file(path, |out| dump_words(out, memory))
}

fn dump_words(out: &mut dyn Write, memory: &GlobalMemory) -> std::io::Result<()> {
    for address in (0..memory.len()).step_by(4) {
        writeln!(out, "{:08x}", memory.word(address as u32))?;
    }
    Ok(())
}
