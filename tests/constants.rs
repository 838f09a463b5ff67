//! Constants at an address of each thread: every beat collects them over several cycles.
//!
//! `warpsmith fault coverage` showed that no kernel and hardly a random program reads constants so: of
//! the stuck-at faults in the registers that collect them, two of 32 were detected.

use crate::support::{fault, sim};
use warpsmith_cosim::{cosim, CosimOptions, RunOptions, StallCause};
use warpsmith_fault::coverage::Coverage;
use warpsmith_fault::plan::{draw, Model, Precision, Request, Strategy};
use warpsmith_fault::{Engine, Filter, Golden};
use warpsmith_model::launch::ConstantSection;
use warpsmith_model::Launch;

/// Threads, and words of the table.
const THREADS: u32 = 128;
const WORDS: u32 = 256;

/// What is read: thread to word of the table, and the instructions that put it into R2.
type Pattern = (fn(u32) -> u32, &'static str);
const PATTERNS: [Pattern; 6] = [
    (|t| t, "MOV R2, R0"),
    (|t| 255 - t, "LOP.XOR R2, R0, R14"),
    (|t| 5 * t % 256, "IMUL.U16.U16 R2, R0L, R15L; LOP.AND R2, R2, R14"),
    (|t| t / 2, "SHR R2, R0, 0x1"),
    (|t| t % 4, "MVI R3, 0x3; LOP.AND R2, R0, R3"),
    // In each eight, threads 1, 3, 5 and 7 share a word, and 2 and 6 are served after them.
    (
        |t| t * t % 8 + t / 8 * 8,
        "IMUL.U16.U16 R2, R0L, R0L; MVI R3, 0x7; LOP.AND R2, R2, R3; MVI R3, 0x78; LOP.AND R3, R0, R3; IADD R2, R2, R3",
    ),
];

/// Any words in which every bit is often 0 and often 1.
fn table(word: u32) -> u32 {
    let w = (word + 1).wrapping_mul(0x9e37_79b9);
    let w = (w ^ (w >> 15)).wrapping_mul(0x85eb_ca6b);
    w ^ (w >> 13)
}

/// Every pattern is read and stored; the sums of all stand first.
fn launch() -> Launch {
    let mut source = String::from("I2I.U32.U16 R0, R0L; MVI R15, 0x5; MVI R14, 0xff; MVI R4, 0x0; SHL R5, R0, 0x2;\n");
    for (n, (_, index)) in PATTERNS.iter().enumerate() {
        source += &format!(
            "{index}; R2A A1, R2, 0x2; MVC R6, c[0x1][A1+0x0]; SHL R4, R4, 0x1; IADD R4, R4, R6;\n\
             MVI R7, {:#x}; IADD R7, R7, R5; GST.U32 global14[R7], R6;\n",
            4 * THREADS as usize * (n + 1)
        );
    }
    source += "GST.U32 global14[R5], R4; RET;";
    let program = warpsmith_isa::assemble(&source, "constants").unwrap_or_else(|e| panic!("{e}"));
    let mut l = Launch::from_words("constants", program.words);
    l.block = [THREADS, 1, 1];
    l.registers = 16;
    l.global_bytes = u64::from(4 * THREADS) * (PATTERNS.len() as u64 + 1);
    l.constants = vec![ConstantSection::new(1, 0, (0..WORDS).flat_map(|w| table(w).to_le_bytes()).collect())];
    let mut expect = vec![0u32; THREADS as usize];
    for (index, _) in PATTERNS {
        let read: Vec<u32> = (0..THREADS).map(|t| table(index(t))).collect();
        for (sum, r) in expect.iter_mut().zip(&read) {
            *sum = (*sum << 1).wrapping_add(*r);
        }
        expect.extend(read);
    }
    l.expects = vec![fault::section(0, &expect)];
    l
}

#[test]
fn every_thread_gets_its_constant() {
    for (name, set) in [("tiny", &[][..]), ("wide", &[])] {
        let Some(chip) = sim::chip(name, set) else { return };
        let options =
            CosimOptions { run: RunOptions { seed: sim::seed(), ..RunOptions::default() }, ..CosimOptions::default() };
        let report = cosim(&chip, &launch(), &options).unwrap();
        assert!(report.outcome.is_agreement(), "{name}: {}", report.outcome);
    }
}

/// Constants of each thread and words of one bank of shared memory in turn: either keeps a beat in
/// stage D while the other is asked in M. Word 8t of shared memory holds t.
fn beside_shared_memory() -> Launch {
    const THREADS: u32 = 64;
    let reads = [
        // One constant for all beside a word of each thread.
        ("IADD R6, g[A1+0x4], c[0x1][0x3]", 2),
        ("MVC R7, c[0x1][A2+0x0]", 1),
        ("MOV R8, g[A1+0x4]", 0),
        ("MVC R9, c[0x1][A2+0x0]", 1),
        ("IADD R10, g[A1+0x4], c[0x1][0x3]", 2),
        ("IADD R11, g[A1+0x4], c[0x1][0x3]", 2),
        ("MVC R12, c[0x1][A2+0x0]", 1),
        ("MVC R13, c[0x1][A2+0x0]", 1),
    ];
    let mut source = String::from(
        "I2I.U32.U16 R0, R0L; SHL R5, R0, 0x2; R2A A1, R0, 0x5; R2A A2, R0, 0x2; R2G.U32.U32 g[A1+0x4], R0;\n",
    );
    for (read, _) in reads.iter().chain(&reads) {
        source += &format!("{read};\n");
    }
    let mut expect = vec![];
    for (n, (_, kind)) in reads.iter().enumerate() {
        source +=
            &format!("MVI R4, {:#x}; IADD R4, R4, R5; GST.U32 global14[R4], R{};\n", 4 * THREADS as usize * n, 6 + n);
        expect.extend((0..THREADS).map(|t| match kind {
            0 => t,
            1 => table(t),
            _ => t.wrapping_add(table(3)),
        }));
    }
    source += "RET;";
    let program = warpsmith_isa::assemble(&source, "beside").unwrap_or_else(|e| panic!("{e}"));
    let mut l = Launch::from_words("beside", program.words);
    l.block = [THREADS, 1, 1];
    l.registers = 16;
    l.shared_bytes = 16 + 32 * THREADS;
    l.global_bytes = u64::from(4 * THREADS) * reads.len() as u64;
    l.constants = launch().constants;
    l.expects = vec![fault::section(0, &expect)];
    l
}

#[test]
fn constants_and_shared_memory_wait_for_each_other() {
    let narrow = ["lanes=2", "port_words=2"];
    for (name, set) in [("tiny", &[][..]), ("tiny", &narrow), ("wide", &[])] {
        let Some(chip) = sim::chip(name, set) else { return };
        let report = cosim(&chip, &beside_shared_memory(), &CosimOptions::default()).unwrap();
        assert!(report.outcome.is_agreement(), "{name} {set:?}: {}", report.outcome);
        for cause in [StallCause::SharedConflict, StallCause::ConstantConflict] {
            let cycles = report.counters.stalls[cause.index()];
            assert!(cycles > 50, "{name} {set:?}: {}: {cycles} cycles", cause.name());
        }
    }
}

#[test]
fn stuck_bits_of_collected_constants_are_detected() {
    let folder = fault::folder("tiny", &fault::PARTS);
    let golden = Golden::run_on(Engine::Native, &folder, launch(), fault::POWER_ON, None).unwrap();
    let request = Request {
        models: vec![Model::STUCK],
        strategy: Strategy::Exhaustive,
        filter: Filter { names: vec!["*.u_constants.collected_*".into()], ..Filter::default() },
        count: None,
        precision: Precision { confidence: 0.95, margin: 0.05, proportion: 0.5 },
        seed: 1,
    };
    let plan = draw(&request, golden.sites(), 1, None).unwrap();
    let mut coverage = Coverage::new(plan.rows.into_iter().map(|r| r.fault).collect());
    coverage.run(&golden, 2, &|_| {}).unwrap();
    let total = coverage.total(1.96);
    assert_eq!(total.faults, 2 * 32 * 8, "a word a lane");
    assert_eq!(total.detected, total.faults, "{total:?}");
}
