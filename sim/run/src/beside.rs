//! A launch on a board, then on the model: expectations, every word of memory, and what both count.

use crate::machine::{Machine, RunError};
use warpsmith_cosim::Ran;
use warpsmith_fpga::link::{Link, Options, Progress};
use warpsmith_model::{Launch, ModelConfig};

/// Warp instructions after which the model gives a launch up.
const LIMIT: u64 = 1 << 32;
/// Cycles of a warp instruction on a chip that works, at most: a hundred accesses to a slow memory.
const SLOWEST: u64 = 10_000;

/// A launch that was run on a board and on the model.
pub struct Beside {
    /// What the board did; all of global memory.
    pub ran: Ran,
    /// Where the board is not as the model, in words; none: they agree.
    pub differences: Vec<String>,
}

/// Runs a launch on both. The board is given up after a multiple of what the model took, or where the options say.
///
/// # Errors
/// The launch does not fit the board; the line or the board fails.
pub fn beside(
    link: &mut dyn Link, launch: &Launch, options: &Options, progress: Progress<'_>,
) -> Result<Beside, RunError> {
    let info = link.hello()?.info.clone();
    let config = ModelConfig::of_chip(&info);
    let model = Machine::Model { config, limit: LIMIT, threads: 1, trace: None, check: false }.run(launch)?;
    let most = SLOWEST * (model.counters.warp_instructions + 100);
    let options = Options { all: true, max_cycles: options.max_cycles.min(most), ..options.clone() };
    let ran = link.run(launch, &options, progress)?.ran;
    let differences = compared(launch, &model, &ran);
    Ok(Beside { ran, differences })
}

fn compared(launch: &Launch, model: &Ran, board: &Ran) -> Vec<String> {
    match (model.ending.why(launch, ""), board.ending.why(launch, "")) {
        (None, None) => {}
        (None, Some(why)) => return vec![why],
        (Some(why), _) => return vec![format!("the model: {why}")],
    }
    let mut found = vec![];
    if let Some(first) = board.differences.first() {
        found.push(format!("{} words are not as the launch expects, first {first}", board.differences.len()));
    }
    let mut words = model.global.differences(&board.global);
    if let Some(at) = words.next() {
        let (expected, read) = (model.global.word(at), board.global.word(at));
        let n = 1 + words.count();
        found.push(format!(
            "{n} words of memory differ, first at 0x{at:08x}: model 0x{expected:08x}, board 0x{read:08x}"
        ));
    }
    let counts = |r: &Ran| [r.counters.warp_instructions, r.counters.thread_instructions];
    for ((name, expected), counted) in
        ["warp instructions", "thread instructions"].into_iter().zip(counts(model)).zip(counts(board))
    {
        if expected != counted {
            found.push(format!("{name}: model {expected}, board {counted}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_cosim::{Counters, Ending, RtlTrap};
    use warpsmith_model::GlobalMemory;

    /// A run of 10 warp instructions that left two words.
    fn ran(words: [u32; 2], ending: Ending) -> Ran {
        let mut global = GlobalMemory::new(8);
        for (i, word) in words.into_iter().enumerate() {
            global.write(4 * i as u64, &word.to_le_bytes());
        }
        let counters = Counters { warp_instructions: 10, thread_instructions: 320, ..Counters::default() };
        Ran::new(None, &Launch::from_words("k", vec![]), ending, counters, global)
    }

    #[test]
    fn must_fail_memory_counts_and_endings_are_told_apart() {
        let launch = Launch::from_words("k", vec![]);
        let model = ran([1, 2], Ending::Done);
        let found = |board: &Ran| compared(&launch, &model, board);
        assert_eq!(found(&ran([1, 2], Ending::Done)), Vec::<String>::new());
        assert_eq!(
            found(&ran([1, 3], Ending::Done)),
            ["1 words of memory differ, first at 0x00000004: model 0x00000002, board 0x00000003"]
        );
        let mut other = ran([1, 2], Ending::Done);
        other.counters.thread_instructions = 319;
        assert_eq!(found(&other), ["thread instructions: model 320, board 319"]);
        let trap = Ending::Trap(RtlTrap::from_words([4, 8, 0]));
        assert!(found(&ran([1, 2], trap))[0].contains("trap 4"));
        assert_eq!(found(&ran([1, 2], Ending::Watchdog("silent".into()))), ["silent"]);
    }
}
