//! Work of a launch on any chip, counted on the golden model: ideal requests, special functions,
//! and the instructions FlexGripPlus would need its published cycles for.

use std::collections::{BTreeMap, BTreeSet};
use warpsmith_isa::{decode, FORMS};
use warpsmith_model::{Launch, Model, ModelConfig, Retired, RunError, Space, StepError};

/// Counts of one launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Golden {
    /// Lines of the memory port that each global load and store touches, summed: what merging can
    /// reach at best. Local memory is left out: where it lies is the chip's affair.
    pub ideal_requests: u64,
    /// Warp instructions of the special-function units.
    pub special: u64,
    /// Cycles of FlexGripPlus with several warps, by its published cost a warp instruction.
    pub flexgripplus_cycles: u64,
}

/// Steady state of FlexGripPlus on 8 scalar processors, cycles a warp instruction: GLD 325, GST 284
/// to 292, long IADD 81 to 90, RRO and SIN 70 to 80, simple integers 70. The lowest of each range;
/// 70 where there is no figure.
fn flexgripplus_cost(mnemonic: &str) -> u64 {
    match mnemonic.split('.').next() {
        Some("GLD") => 325,
        Some("GST") => 284,
        Some("IADD") => 81,
        _ => 70,
    }
}

fn is_special(mnemonic: &str) -> bool {
    let stem = mnemonic.split('.').next().unwrap_or("");
    matches!(stem.trim_end_matches("32"), "RCP" | "RSQ" | "LG2" | "SIN" | "COS" | "EX2")
}

/// Runs a launch on the model and counts, for a port of `line` bytes.
///
/// # Errors
/// The launch traps or does not end: its text.
pub fn golden(launch: &Launch, line: u32) -> Result<Golden, String> {
    let mut machine = Model::new(launch, ModelConfig::default());
    let mut record = Retired::default();
    let mut by_pc: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let mut counts = Golden::default();
    let mut lines = BTreeSet::new();
    let warps = launch.warps_per_block();
    for y in 0..launch.grid[1] {
        for x in 0..launch.grid[0] {
            let id = machine.start_block([x, y]);
            while (0..warps).any(|w| machine.warp(id, w).is_some_and(|w| !w.finished)) {
                for warp in 0..warps {
                    loop {
                        match machine.step(id, warp, &mut record, None) {
                            Ok(()) => {}
                            Err(StepError::Trap(t)) => return Err(RunError::Trap(t).to_string()),
                            // Finished, or waiting at a barrier.
                            Err(_) => break,
                        }
                        let cost = by_pc.entry(record.pc).or_insert_with(|| {
                            let [w0, w1] = record.word;
                            let name = decode(w0, w1).map_or("", |i| FORMS[usize::from(i.form)].mnemonic);
                            (flexgripplus_cost(name), u64::from(is_special(name)))
                        });
                        counts.flexgripplus_cycles += cost.0;
                        counts.special += cost.1;
                        if let Some(m) = record.mem.filter(|m| m.space == Space::Global) {
                            lines.clear();
                            for lane in 0..32 {
                                if record.exec_mask >> lane & 1 != 0 {
                                    let first = record.address[lane];
                                    let last = first + (m.bytes() - 1);
                                    lines.extend(first / line..=last / line);
                                }
                            }
                            counts.ideal_requests += lines.len() as u64;
                        }
                        if let Some(t) = record.deadlock {
                            return Err(RunError::Trap(t).to_string());
                        }
                        if record.finished || record.barrier.is_some() {
                            break;
                        }
                    }
                }
            }
            machine.retire_block(id);
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_isa::asm::assemble;

    #[test]
    fn lines_are_counted_once_an_instruction() {
        let text = "SHL R1, R0, 0x2;\nGST.U32 global14[R1], R0;\nGST.U32 global14[R1], R0;\nSHL R1, R0, 0x5;\nGST.U32 global14[R1], R0;\nRCP R2, R0;\nRET;\n";
        let mut launch = Launch::from_words("lines", assemble(text, "lines").unwrap().words);
        launch.global_bytes = 1024;
        let g = golden(&launch, 32).unwrap();
        // 128 bytes in 4 lines, twice; then a line a thread.
        assert_eq!(g.ideal_requests, 4 + 4 + 32);
        assert_eq!(g.special, 1);
        assert_eq!(g.flexgripplus_cycles, 4 * 70 + 3 * 284);
        assert_eq!(golden(&launch, 128).unwrap().ideal_requests, 1 + 1 + 8);
    }
}
