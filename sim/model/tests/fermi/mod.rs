//! Fermi's model.

mod flow;
mod machine;
mod special;
mod values;

use warpsmith_model::fermi::Fermi;
use warpsmith_model::uop::{Ended, Machine, Trap};
use warpsmith_model::Launch;

/// A launch of a source: 40 threads, 4 KiB of global memory, 0x100 as the first parameter.
pub fn launch(source: &str) -> Launch {
    let program = warpsmith_isa::set::assemble(&warpsmith_isa::fermi::Fermi, source, "test");
    let program = program.unwrap_or_else(|e| panic!("{e}\n{source}"));
    Launch {
        block: [40, 1, 1],
        params: vec![0x100],
        global_bytes: 4096,
        shared_bytes: 256,
        local_bytes: 64,
        ..Launch::from_code(warpsmith_isa::Isa::Fermi, program.bytes)
    }
}

/// Runs it to its end.
pub fn run(launch: &Launch) -> Machine {
    let mut m = Machine::new(&Fermi, launch, 16);
    m.run(100_000).unwrap_or_else(|e| panic!("{e}"));
    m
}

/// The words that each thread stored: a source that leaves one in R1 and its thread number in R0.
pub fn results(source: &str) -> Vec<u32> {
    let source = format!("S2R R0, SR_Tid_X;\n{source}\nISCADD R62, R0, c[0x0][0x20], 0x2;\nST [R62], R1;\nEXIT;\n");
    let m = run(&launch(&source));
    (0..40).map(|t| m.global().word(0x100 + 4 * t)).collect()
}

/// Runs a source that must trap.
pub fn trap(source: &str) -> Trap {
    match Machine::new(&Fermi, &launch(source), 16).run(100_000) {
        Err(Ended::Trap(t)) => t,
        other => panic!("expected a trap, the run gave {other:?}"),
    }
}
