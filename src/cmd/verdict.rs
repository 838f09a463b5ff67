//! What a run came to, in words: expectations, and how it ended otherwise; its memory as a file.

use super::output::write_file;
use super::report::Outcome;
use anyhow::Result;
use std::path::Path;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_isa::{Isa, Options};
use warpsmith_model::{Difference, GlobalMemory, Launch, TrapCause};
use warpsmith_run::Ran;

/// Outcome of a run, and what is said of it; `limit` is the option that raises its limit.
pub fn verdict(launch: &Launch, ran: &Ran, limit: &str) -> (Outcome, Vec<String>) {
    match (ran.ending.why(launch, limit), ran.ending.trap()) {
        (None, _) => judge(launch, &ran.differences),
        (Some(why), Some((pc, cause))) => (Outcome::Trap, vec![with_key(launch, pc, cause, why)]),
        (Some(why), None) => (Outcome::Fail, vec![why]),
    }
}

/// Words that differ from the launch's expectations: outcome, and the first ones in words.
fn judge(launch: &Launch, differences: &[Difference]) -> (Outcome, Vec<String>) {
    const SHOWN: usize = 8;
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

/// The text of a trap; of an instruction that a chip lacks, with the key of the configuration that brings it.
fn with_key(launch: &Launch, pc: u32, cause: u8, text: String) -> String {
    let lacks = cause == TrapCause::Unimplemented.number();
    let key = match launch.isa() {
        Isa::Sm10 => brings,
        _ => brings_option,
    };
    match lacks.then(|| key(launch, pc)).flatten() {
        Some(key) => format!("{text}; --set {key} brings it"),
        None => text,
    }
}

/// The key with which a chip has the instruction at an address.
fn brings(launch: &Launch, pc: u32) -> Option<String> {
    let form = launch.program.at(pc)?.row as u8;
    let chip = |float: bool, sfus: usize| GpuConfig { float, sfus, ..GpuConfig::default() };
    [("sfus=2", chip(false, 2)), ("float=true", chip(true, 2))]
        .into_iter()
        .find_map(|(key, chip)| warpsmith_hdl::forms(&chip).contains(&form).then(|| key.into()))
}

/// The option with which chips of another set have the instruction at an address.
fn brings_option(launch: &Launch, pc: u32) -> Option<String> {
    let set = launch.isa().set();
    let instr = set.decode(launch.program.bytes.get(pc as usize..)?).ok()?;
    let lowered = set.lower(&instr, pc.into()).ok()?;
    let lacks = |options| set.lacks(&instr, &lowered, options).is_some();
    let found = Options::KEYS.into_iter().find(|(_, options)| !lacks(*options));
    found.filter(|_| lacks(Options::default())).map(|(key, _)| format!("{key}=true"))
}

/// Writes global memory, one word a line, from address 0.
pub fn dump(path: &Path, memory: &GlobalMemory) -> Result<()> {
    write_file(path, |out| {
        for address in (0..memory.len()).step_by(4) {
            writeln!(out, "{:08x}", memory.word(address as u32))?;
        }
        Ok(())
    })
}
