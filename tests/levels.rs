//! Chips of SM 1.1 to 1.3 in lockstep: kernels, random programs, errors that must be noticed, traps, faults.

use crate::support::set_chip::{self, native};
use crate::support::{self, sim};
use std::path::PathBuf;
use warpsmith_cosim::random::sm10::tier::implemented;
use warpsmith_cosim::{cosim, cosim_random, Chip, CosimOptions, Outcome, RandomOptions};
use warpsmith_isa::{assemble, Family, Op, ROWS};
use warpsmith_model::launch::ConstantSection;
use warpsmith_model::{Launch, Model, ModelConfig, Mutant, TrapCause};

const LEVEL: &str = "level=sm12";
/// The level below it, without votes and locks.
const BELOW: &str = "level=sm11";
/// The level above it, with floats of 64 bits.
const ABOVE: &str = "level=sm13";
/// The smallest chip of it.
const SMALL_ABOVE: [&str; 3] = [ABOVE, "float=true", "sfus=1"];
/// Several SMs whose warps meet at the same words.
const SMALL: [&str; 2] = [LEVEL, "sms=4"];

/// Every launch file of a level's kernels agrees.
fn kernels_agree(chip: &Chip, level: &str) {
    let folders = std::fs::read_dir(support::root().join("kernels").join(level)).expect("kernels of a level");
    let files = |folder: std::io::Result<std::fs::DirEntry>| {
        let entries = std::fs::read_dir(folder.expect("a folder").path()).expect("readable");
        entries.map(|e| e.expect("a file").path()).collect::<Vec<PathBuf>>()
    };
    let mut launches: Vec<PathBuf> = folders.flat_map(files).collect();
    launches.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    launches.sort();
    assert!(launches.len() >= if level == "sm13" { 1 } else { 4 }, "{level}: {launches:?}");
    for file in launches {
        let report = sim::agree(chip, &file);
        println!("{} on {}: {} warp instructions", file.display(), chip.info().name, report.compared);
    }
}

#[test]
fn kernels_of_the_levels_agree_on_chips_of_every_width() {
    let narrow = [LEVEL, "lanes=2", "port_words=2", "sms=2"];
    for chip in [
        native("tiny", &[LEVEL]),
        native("tiny", &narrow),
        native("compute", &[]),
        native("wide", &[LEVEL]),
        native("quad", &[LEVEL]),
    ] {
        kernels_agree(&chip, "sm11");
        kernels_agree(&chip, "sm12");
    }
    for chip in [native("tiny", &SMALL_ABOVE), native("compute", &[ABOVE]), native("wide", &[ABOVE])] {
        kernels_agree(&chip, "sm12");
        kernels_agree(&chip, "sm13");
    }
}

#[test]
fn random_programs_of_the_levels_agree_on_one_sm() {
    set_chip::random_programs_agree(&native("tiny", &[BELOW]), 5_000, 60);
    for (name, count) in [("tiny", 10_000), ("compute", 15_000), ("wide", 5_000)] {
        set_chip::random_programs_agree(&native(name, &[LEVEL]), count, 60);
    }
    set_chip::random_programs_agree(&native("tiny", &SMALL_ABOVE), 10_000, 60);
    for (name, count) in [("compute", 15_000), ("wide", 5_000)] {
        set_chip::random_programs_agree(&native(name, &[ABOVE]), count, 60);
    }
}

#[test]
fn random_programs_of_the_levels_agree_on_several_sms() {
    set_chip::random_programs_agree(&native("compute", &["sms=2"]), 10_000, 60);
    set_chip::random_programs_agree(&native("quad", &[LEVEL]), 10_000, 60);
    set_chip::random_programs_agree(&native("wide", &[LEVEL, "sms=2"]), 4_000, 60);
    set_chip::random_programs_agree(&native("compute", &[ABOVE, "sms=2"]), 5_000, 60);
}

#[test]
fn random_programs_execute_all_that_the_levels_add() {
    let chip = native("compute", &[ABOVE]);
    let report = sim::random_programs(&chip, 1, 60_000);
    let missed: Vec<&str> = (0..ROWS.len() as u8)
        .filter(|r| implemented(*r, chip.info().tier) && !report.coverage.forms.contains_key(r))
        .map(|r| &ROWS[usize::from(r)])
        .filter(|f| {
            let accesses = matches!(f.op, Op::Atomic { .. } | Op::LdShared { .. } | Op::StShared { .. });
            accesses || matches!(f.op, Op::Vote { .. }) || f.op.family() == Family::Double
        })
        .map(|f| f.mnemonic)
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(report.coverage.accesses.contains_key("global atomic B32"), "{:?}", report.coverage.accesses);
}

#[test]
fn wrong_models_of_what_the_levels_add_are_noticed() {
    let chip = native("tiny", &[LEVEL]);
    for mutant in [Mutant::AtomicMinMax, Mutant::VoteAnyAll, Mutant::LockStays] {
        set_chip::wrong_model_is_noticed(&chip, mutant, 100_000);
    }
    set_chip::wrong_model_is_noticed(&native("tiny", &SMALL_ABOVE), Mutant::DoubleTruncates, 100_000);
}

#[test]
fn a_chip_whose_sequences_are_not_atomic_is_noticed() {
    // No SM keeps the others from the port between its read and its write.
    let chip = set_chip::native_without("tiny", &SMALL, "locked", "lock");
    let out = tempfile::tempdir().expect("a temporary folder");
    let options = RandomOptions { count: 200_000, seed: 1, out: out.path().into(), ..RandomOptions::default() };
    let report = cosim_random(&chip, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
    assert!(matches!(report.outcome, Outcome::Differ(_)), "unnoticed: {}", report.outcome);
}

/// Two blocks of 40 threads.
fn launch(text: &str) -> Launch {
    let program = assemble(text, "p").unwrap_or_else(|e| panic!("{e}"));
    Launch {
        grid: [2, 1],
        block: [40, 1, 1],
        registers: 8,
        shared_bytes: 64,
        global_bytes: 4096,
        ..Launch::from_words("p", program.words)
    }
}

#[test]
fn atomic_accesses_trap_as_those_of_the_model_do() {
    let several = native("tiny", &SMALL);
    let cases = [
        ("MVI R1, 0x2; GRED.ADD.U32 global14[R1], R2; RET;", TrapCause::MisalignedAccess),
        ("MVI R1, 0x1000; GATOM.EXCH R2, global14[R1], R3; RET;", TrapCause::OutOfRange),
        // The last beats alone are beyond the end: what the first ones locked is free again.
        ("SHL R1, R0, 0x8; GATOM.ADD.U32 R2, global14[R1], R0; RET;", TrapCause::OutOfRange),
        ("GATOM.ADD.U32 R9, global14[R1], R0; RET;", TrapCause::Register),
        ("GRED 0xd0000001, 0xc0000780; RET;", TrapCause::Unimplemented),
    ];
    for chip in [&several, &native("compute", &[])] {
        for (text, cause) in cases {
            let report = cosim(chip, &launch(text), &CosimOptions::default());
            let report = report.unwrap_or_else(|e| panic!("{text}: {e}"));
            let Outcome::Trap(trap) = &report.outcome else { panic!("{text}: {}", report.outcome) };
            assert_eq!(trap.cause, cause, "{text}: {trap}");
        }
    }
    let below = native("tiny", &[]);
    let cases = [
        ("GRED.ADD.U32 global14[R1], R2; RET;", TrapCause::Unimplemented),
        ("G2R.U16 R2L, g [0x4].U16; RET;", TrapCause::Unimplemented),
        ("VOTE.ANY C0; RET;", TrapCause::Unimplemented),
        ("DADD R2, R4, R6; RET;", TrapCause::Unimplemented),
        ("DSET.C0 o[0x1], R4, R6, LT; RET;", TrapCause::Unimplemented),
        ("F2F.F32.F64 R2, R4; RET;", TrapCause::Illegal),
        // No row of SM 1.0 has these words.
        ("G2R.LOCK.C0 R2, g [0x5]; RET;", TrapCause::Illegal),
    ];
    for (text, cause) in cases {
        let report = cosim(&below, &launch(text), &CosimOptions::default());
        let report = report.unwrap_or_else(|e| panic!("{text}: {e}"));
        let Outcome::Trap(trap) = &report.outcome else { panic!("{text}: {}", report.outcome) };
        assert_eq!(trap.cause, cause, "{text} on a chip of SM 1.0: {trap}");
    }
    // A store that frees a lock is a store.
    let report = cosim(&below, &launch("R2G.UNLOCK g [0x5], R0; RET;"), &CosimOptions::default());
    let report = report.unwrap_or_else(|e| panic!("{e}"));
    assert!(report.outcome.is_agreement(), "{}", report.outcome);
}

#[test]
fn shared_memory_of_64_kib_is_used_to_its_last_word() {
    // Every thread stores its number near the end, and the number of the thread behind it goes out.
    let text = "SHL R1, R0, 0x2; MVI R2, 0xff00; IADD R2, R1, R2; R2A A1, R2, 0x0; R2G.U32.U32 g [A1+0x0], R0;\
                BAR.ARV.WAIT b0, 0xfff; LOP.XOR R2, R2, c[0x1][0x0]; R2A A1, R2, 0x0; MOV R3, g [A1+0x0];\
                GST.U32 global14[R1], R3; RET;";
    let launch = Launch {
        grid: [1, 1],
        block: [64, 1, 1],
        shared_bytes: 65536,
        constants: vec![ConstantSection::new(1, 0, vec![4, 0, 0, 0])],
        ..launch(&text.replace("; ", ";\n"))
    };
    let chip = native("compute", &[]);
    let report = cosim(&chip, &launch, &CosimOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(report.outcome.is_agreement(), "{}", report.outcome);
    let mut model = Model::new(&launch, ModelConfig { tier: chip.info().tier, ..ModelConfig::default() });
    model.run(100_000, 1, None).unwrap_or_else(|e| panic!("{e:?}"));
    let expected: Vec<u8> = (0..64u32).flat_map(|t| (t ^ 1).to_le_bytes()).collect();
    assert_eq!(model.state().global.read(0, 256), expected);
    let refused = cosim(&native("default", &[]), &launch, &CosimOptions::default());
    let message = refused.map(|r| r.outcome.to_string()).unwrap_err().to_string();
    assert!(message.contains("65536") && message.contains("16384"), "{message}");
}

#[test]
fn the_model_on_several_threads_takes_the_same_tickets() {
    // Every thread of 64 blocks takes a ticket and leaves its number there.
    let text = "GATOM.ADD.U32 R1, global14[R4], R5; SHL R1, R1, 0x2; IADD32I R1, R1, 0x100;\
                IMAD.U16 R2, g [0x6].U16, R6L, R0; GST.U32 global14[R1], R2; RET;";
    let text = format!("MVI R4, 0x0; MVI R5, 0x1; MVI R6, 0x20; {text}").replace("; ", ";\n");
    let launch = Launch { grid: [64, 1], block: [32, 1, 1], global_bytes: 0x100 + 4 * 2048, ..launch(&text) };
    let tier = native("compute", &[]).info().tier;
    let run = |threads: usize| {
        let mut model = Model::new(&launch, ModelConfig { tier, ..ModelConfig::default() });
        model.run(100_000, threads, None).unwrap_or_else(|e| panic!("{e:?}"));
        model.state().global.read(0, launch.global_bytes as usize)
    };
    let one = run(1);
    assert_eq!(one[..4], 2048u32.to_le_bytes());
    assert_eq!(one, run(4));
}

#[test]
fn faults_of_a_chip_with_atomics_have_one_record() {
    set_chip::faults_of_kernel_have_one_record("sm11", "histogram", &SMALL);
}

#[test]
fn faults_of_a_chip_with_floats_of_64_bits_have_one_record() {
    set_chip::faults_of_kernel_have_one_record("sm13", "squares", &SMALL_ABOVE);
}

#[test]
fn floats_of_64_bits_trap_as_those_of_the_model_do() {
    let chip = native("tiny", &SMALL_ABOVE);
    let cases = [
        // The second register of the result is beyond the allocation.
        ("DADD R7, R0, R2; RET;", TrapCause::Register),
        ("F2F.F64.F32 R7, R0; RET;", TrapCause::Register),
        ("F2F.F64.F32 R2, g [0x1f]; RET;", TrapCause::OutOfRange),
        ("DSET.C0 o[0x1], R4, R6, LT; RET;", TrapCause::Illegal),
    ];
    for (text, cause) in cases {
        let report = cosim(&chip, &launch(text), &CosimOptions::default());
        let report = report.unwrap_or_else(|e| panic!("{text}: {e}"));
        let Outcome::Trap(trap) = &report.outcome else { panic!("{text}: {}", report.outcome) };
        assert_eq!(trap.cause, cause, "{text}: {trap}");
    }
}
