//! Chips without `float`: what divides integers runs where there is a special-function unit, and
//! traps where there is none.

use crate::support::sim;
use warpsmith_cosim::{cosim, CosimOptions, CosimReport, RunOptions};
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::Launch;

const THREADS: u32 = 48;
/// The float operations of a division, in their order.
const STEPS: [&str; 5] =
    ["I2F.F32.U32 R2, R1", "I2F.F32.U32 R3, R3", "RCP R3, R3", "FMUL.TRUNC.C0 R2, R2, R3", "F2I.U32.F32.TRUNC R2, R2"];

/// (5 t + 1) / 5 of every thread t, from a step on: no quotient lies near a whole number.
fn launch(from: usize) -> Launch {
    let source = format!(
        "I2I.U32.U16 R0, R0L; MVI R1, 0x5; IMUL.U16.U16 R1, R0L, R1L; MVI R3, 0x1; IADD R1, R1, R3;\n\
         MVI R3, 0x5; {};\nSHL R4, R0, 0x2; GST.U32 global14[R4], R2; RET;",
        STEPS[from..].join("; ")
    );
    let program = warpsmith_isa::assemble(&source, "division").unwrap_or_else(|e| panic!("{e}"));
    let mut l = Launch::from_words("division", program.words);
    l.block = [THREADS, 1, 1];
    l.registers = 8;
    l.global_bytes = u64::from(4 * THREADS);
    if from == 0 {
        let bytes = (0..THREADS).flat_map(|t| t.to_le_bytes()).collect();
        l.expects = vec![GlobalSection::new(0, bytes)];
    }
    l
}

fn run(chip: &warpsmith_cosim::Chip, launch: &Launch) -> CosimReport {
    let run = RunOptions { seed: sim::seed(), ..RunOptions::default() };
    let options = CosimOptions { run, ..CosimOptions::default() };
    cosim(chip, launch, &options).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn integers_are_divided_with_a_special_function_unit() {
    let Some(chip) = sim::chip("tiny", &["sfus=1"]) else { return };
    let report = run(&chip, &launch(0));
    assert!(report.outcome.is_agreement(), "{}", report.outcome);
    assert!(report.compared > 0);
}

#[test]
fn each_step_of_a_division_traps_on_a_chip_of_integers_alone() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    for (from, step) in STEPS.iter().enumerate() {
        let launch = launch(from);
        let mnemonic = step.split(['.', ' ']).next().unwrap_or_default();
        sim::lacks(&run(&chip, &launch), &launch, mnemonic);
    }
}
