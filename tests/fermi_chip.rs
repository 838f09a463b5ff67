//! Chips of Fermi in lockstep: kernels, random programs, errors that must be noticed, faults.

use crate::support::{self, fault, sim};
use fault::{Random, POWER_ON};
use std::path::PathBuf;
use warpsmith_cosim::{
    cosim, cosim_random, Chip, CosimOptions, Design, NativeOptions, Outcome, RandomOptions,
};
use warpsmith_fault::{
    DifferentialSimulator, Engine, Fault, FaultKind, FaultOutcome, FaultSimulator, Golden, Record,
    Reference, SerialSimulator, SimulatorOptions, SiteKind,
};
use warpsmith_model::{Launch, Mutant, TrapCause};

const ISA: &str = "isa=fermi";
/// `tiny` has no floats; chips of micro-operations have.
const SMALL: [&str; 3] = [ISA, "float=true", "sfus=1"];

fn kernel(name: &str) -> PathBuf {
    let folder = support::root().join("kernels/fermi").join(name);
    folder.join("launch.toml")
}

/// Names of the kernels.
fn kernels() -> Vec<String> {
    let folder = support::root().join("kernels/fermi");
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut names: Vec<String> = entries
        .map(|e| e.expect("readable").file_name().to_string_lossy().into())
        .collect();
    names.sort();
    assert!(names.len() >= 6, "{names:?}");
    names
}

/// A chip on the native engine, ready at once.
fn native(name: &str, set: &[&str]) -> Chip {
    let folder = sim::emitted(name, set);
    let design = Design::native(&folder, NativeOptions::default());
    Chip::on(&folder, design.unwrap_or_else(|e| panic!("{name}: {e}")))
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn all_agree(chip: &Chip) {
    for name in kernels() {
        let report = sim::agree(chip, &kernel(&name));
        println!("{name}: {} warp instructions", report.compared);
    }
}

#[test]
fn kernels_agree_on_8_lanes_in_verilator() {
    let test = "kernels_agree_on_8_lanes_in_verilator";
    if let Some(chip) = sim::chip(test, "default", &[ISA]) {
        all_agree(&chip);
    }
}

#[test]
fn kernels_agree_on_32_lanes() {
    all_agree(&native("wide", &[ISA]));
}

#[test]
fn kernels_agree_on_two_sms_of_16_lanes() {
    let set = [ISA, "sms=2", "lanes=16", "port_words=16", "shared_banks=16"];
    all_agree(&native("default", &set));
}

/// Compares so many warp instructions of random programs, in soak `soak` times as many.
fn random_programs_agree(chip: &Chip, count: u64, soak: u64) {
    let count = if support::soak() { soak * count } else { count };
    let seed = sim::seed();
    println!(
        "seed {seed:#x}, {count} warp instructions on {}",
        chip.info().name
    );
    let options = RandomOptions {
        count,
        seed,
        out: std::env::temp_dir().join("warpsmith-cosim-failure"),
        ..RandomOptions::default()
    };
    let report = cosim_random(chip, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        report.outcome.is_agreement(),
        "{}\nfailed: {:?}",
        report.outcome,
        report.failed
    );
    assert!(report.compared >= count, "{} compared", report.compared);
}

#[test]
fn random_programs_agree_on_8_lanes() {
    random_programs_agree(&native("default", &[ISA]), 20_000, 50);
}

#[test]
fn random_programs_agree_on_32_lanes() {
    random_programs_agree(&native("wide", &[ISA]), 10_000, 100);
}

#[test]
fn random_programs_agree_on_small_chips() {
    random_programs_agree(&native("tiny", &SMALL), 10_000, 10);
    let narrow = [&SMALL[..], &["lanes=2", "port_words=2", "sms=2"]].concat();
    random_programs_agree(&native("tiny", &narrow), 5_000, 10);
}

#[test]
fn every_wrong_model_is_noticed() {
    let chip = native("default", &[ISA]);
    let out = tempfile::tempdir().expect("a temporary folder");
    for mutant in Mutant::OF_SETS {
        let options = RandomOptions {
            count: 100_000,
            seed: 1,
            mutant: Some(mutant),
            out: out.path().into(),
            ..RandomOptions::default()
        };
        let report = cosim_random(&chip, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
        let Outcome::Differ(difference) = &report.outcome else {
            panic!("{mutant:?} went unnoticed: {}", report.outcome)
        };
        let text = difference.to_string();
        assert!(text.contains("replay: "), "{text}");
    }
}

/// Programs that trap, and the cause.
const TRAPS: [(&str, &str, TrapCause); 16] = [
    (
        "a load at odd addresses",
        "S2R R0, SR_Tid_X; LD R1, [R0];",
        TrapCause::MisalignedAccess,
    ),
    (
        "a wide load beyond global memory",
        "S2R R0, SR_Tid_X; SHL R0, R0, 0x7; LD.128 R4, [R0];",
        TrapCause::OutOfRange,
    ),
    (
        "a load beyond shared memory",
        "MOV32I R0, 0x40; LDS R1, [R0];",
        TrapCause::OutOfRange,
    ),
    (
        "a load beyond a constant bank",
        "MOV32I R0, 0x4000; LDC R1, c[0x0][R0];",
        TrapCause::OutOfRange,
    ),
    (
        "a constant bank that no chip has",
        "MOV R0, c[0x1f][0x0];",
        TrapCause::OutOfRange,
    ),
    (
        "an address of more than 32 bits",
        "MOV32I R0, 0x10; MOV32I R1, 0x1; LD.E R2, [R0];",
        TrapCause::OutOfRange,
    ),
    ("BRK without PBK", "BRK;", TrapCause::StackUnderflow),
    (
        "CONT without PCNT, of some threads",
        "PBK x; S2R R0, SR_Tid_X; ISETP.LT.AND P0, PT, R0, 0x3, PT; @P0 CONT; x: EXIT;",
        TrapCause::StackUnderflow,
    ),
    (
        "pushes without end",
        "a: SSY a; BRA a;",
        TrapCause::StackOverflow,
    ),
    ("an atomic", "RED.ADD [RZ], R1;", TrapCause::Unimplemented),
    (
        "a sum of 64 bits",
        "DADD R0, R2, R4;",
        TrapCause::Unimplemented,
    ),
    ("a reserved word", ".word 0x7;", TrapCause::Illegal),
    (
        "a register beyond the launch's",
        "MOV R9, RZ;",
        TrapCause::Register,
    ),
    (
        "a group of registers that ends beyond the launch's",
        "LD.128 R8, [RZ];",
        TrapCause::Register,
    ),
    (
        "a branch out of the program",
        "BRA 0x4000;",
        TrapCause::Fetch,
    ),
    (
        "a barrier that expects more than there are",
        "BAR.SYNC 0x0, 0x400;",
        TrapCause::BarrierDeadlock,
    ),
];

#[test]
fn traps_are_those_of_the_model() {
    let chip = native("default", &[ISA]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (what, body, cause) in TRAPS {
        let source = folder.path().join("p.sass");
        let text = format!(".isa fermi\n{}\nEXIT;\n", body.replace("; ", ";\n"));
        std::fs::write(source, text).expect("written");
        let launch = folder.path().join("p.toml");
        let text = "name = \"p\"\nisa = \"fermi\"\nprogram = \"p.sass\"\ngrid = [2, 1]\nblock = [40, 1, 1]\n\
                    registers = 8\nparams = []\nglobal_bytes = 4096\nshared_bytes = 64\n";
        std::fs::write(&launch, text).expect("written");
        let launch = Launch::load(&launch).unwrap_or_else(|e| panic!("{what}: {e}"));
        let report = cosim(&chip, &launch, &CosimOptions::default());
        let report = report.unwrap_or_else(|e| panic!("{what}: {e}"));
        let Outcome::Trap(trap) = &report.outcome else {
            panic!("{what}: {}", report.outcome)
        };
        assert_eq!(trap.cause, cause, "{what}: {trap}");
    }
}

/// Every record of some faults.
fn records(simulator: &mut dyn FaultSimulator, faults: &[Fault]) -> Vec<Record> {
    let faults: Vec<&Fault> = faults.iter().collect();
    let mut all = vec![None; faults.len()];
    let mut take = |i: usize, r: Record| all[i].replace(r).is_none();
    simulator
        .run(&faults, &mut take)
        .unwrap_or_else(|e| panic!("{e}"));
    let all = all.into_iter();
    all.map(|r| r.expect("a record of each")).collect()
}

#[test]
fn faults_of_every_kind_have_the_same_record_in_both_simulations() {
    let launch = Launch::load(kernel("reduction")).unwrap_or_else(|e| panic!("{e}"));
    let folder = fault::folder("tiny", &SMALL);
    let golden = Golden::run_on(Engine::Native, &folder, launch, POWER_ON, None)
        .unwrap_or_else(|e| panic!("{e}"));
    let mut random = Random(0x5eed);
    let mut faults = vec![];
    for _ in 0..if support::soak() { 100 } else { 6 } {
        for model in FaultKind::ALL {
            for of in SiteKind::ALL {
                faults.push(random.fault(&golden, model, of));
            }
        }
    }
    let reference = Reference::new(&golden).unwrap_or_else(|e| panic!("{e}"));
    let options = SimulatorOptions::default();
    let differential = DifferentialSimulator::new(&reference, options);
    let found = records(&mut differential.unwrap_or_else(|e| panic!("{e}")), &faults);
    let serial = SerialSimulator::new(&golden, options);
    let expected = records(&mut serial.unwrap_or_else(|e| panic!("{e}")), &faults);
    for ((fault, a), b) in faults.iter().zip(&found).zip(&expected) {
        assert_eq!(a, b, "{fault:?}");
    }
    let masked = found
        .iter()
        .filter(|r| r.outcome == FaultOutcome::Masked)
        .count();
    println!("{} faults, {masked} masked", faults.len());
    assert!(masked < faults.len(), "no fault has an effect");
}
