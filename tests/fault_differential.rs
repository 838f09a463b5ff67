//! Concurrent differential fault simulation gives the records of serial simulation, on both engines.

use crate::support::{self, fault};
use fault::{collatz, mixed, records, reduction, result, POWER_ON};
use std::collections::BTreeMap;
use warpsmith_fault::site::glob;
use warpsmith_fault::{
    DifferentialSimulator, Engine, Fault, FaultError, FaultKind, FaultOutcome, Golden, Mutant, Record, Reference,
    SerialSimulator, SimulatorOptions, SiteKind,
};
use warpsmith_model::Launch;
use warpsmith_testkit::Random;

/// The fault-free run of a launch on the native engine.
fn native(name: &str, set: &[&str], launch: Launch) -> Golden {
    let folder = fault::folder(name, set);
    Golden::run_on(Engine::Native, &folder, launch, POWER_ON, None).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs the same faults in both ways and compares the records in all their fields.
#[track_caller]
fn same(golden: &Golden, serial: &Golden, faults: &[Fault]) {
    let reference = Reference::new(golden).unwrap_or_else(|e| panic!("{e}"));
    let options = SimulatorOptions::default();
    let mut differential = DifferentialSimulator::new(&reference, options).unwrap_or_else(|e| panic!("{e}"));
    let found = records(&mut differential, faults);
    let mut serial = SerialSimulator::new(serial, options).unwrap_or_else(|e| panic!("{e}"));
    let expected = records(&mut serial, faults);
    let mut classes: BTreeMap<_, u64> = BTreeMap::new();
    let mut wrong = vec![];
    for ((f, a), b) in faults.iter().zip(&found).zip(&expected) {
        *classes.entry((b.outcome, b.how)).or_default() += 1;
        if a != b {
            wrong.push((&golden.sites().site(f.site).path, f, a, b));
        }
    }
    println!(
        "{}: {} faults in {} cycles, {:?}: {classes:?}",
        golden.launch().name,
        faults.len(),
        golden.cycles(),
        differential.counts()
    );
    for (path, f, a, b) in wrong.iter().take(5) {
        println!("{path} {f:?}\n  found    {a:?}\n  expected {b:?}");
    }
    assert!(wrong.is_empty(), "{} of {} records differ", wrong.len(), faults.len());
}

#[test]
fn records_are_those_of_serial_simulation() {
    for (launch, seed, each) in [(reduction(), 0x1234_5678_9abc, 8), (collatz(), 0x9e37_79b9, 8)] {
        let golden = native("tiny", &fault::PARTS, launch);
        let faults = mixed(&golden, seed, each);
        same(&golden, &golden, &faults);
    }
}

#[test]
fn records_are_those_of_verilator() {
    for (launch, seed) in [(reduction(), 0x5eed_0001), (collatz(), 0x5eed_0002)] {
        let Some(verilator) = fault::golden(launch.clone(), None) else { return };
        let golden = native("tiny", &fault::PARTS, launch);
        assert_eq!(golden.cycles(), verilator.cycles());
        let faults = mixed(&golden, seed, 10);
        same(&golden, &verilator, &faults);
    }
}

/// Faults of some models in the sites of a pattern, `count` of them.
fn within(golden: &Golden, pattern: &str, kinds: &[FaultKind], count: usize) -> Vec<Fault> {
    let mut random = Random(0x5eed_0005);
    let mut faults = vec![];
    for n in 0.. {
        let of = SiteKind::ALL[n % 3];
        let kind = kinds[n / 3 % kinds.len()];
        let fault = fault::at_random(&mut random, golden, kind, of);
        if glob(pattern, &golden.sites().site(fault.site).path) {
            faults.push(fault);
        }
        if faults.len() == count {
            break;
        }
    }
    faults
}

/// What is easily done wrong, each with faults that would show it: machines with a memory of their own behind the port
/// (faults of the load/store unit), machines that sleep on memory words and wake (register file and shared memory),
/// machines that repeat themselves while a fault acts (stuck and intermittent bits), outputs held at the inverse of
/// what they were before their inputs changed, event counters that nothing is compared with.
#[test]
fn the_traps_are_avoided() {
    let golden = native("tiny", &fault::PARTS, reduction());
    use FaultKind::{Intermittent1, Mbu, Seu, StuckAt0, StuckAt1, Transient};
    for (pattern, kinds) in [
        ("u_sm_0.u_lsu.*", &[Seu, Mbu, Transient][..]),
        ("*.mem", &[Seu, Mbu, Transient, StuckAt1]),
        ("u_sm_0.u_warps.*", &[StuckAt0, StuckAt1, Intermittent1]),
        ("u_sm_0.u_datapath.*", &[Transient]),
        ("u_launch.*", &[Seu, StuckAt0, Transient]),
    ] {
        println!("{pattern}");
        same(&golden, &golden, &within(&golden, pattern, kinds, 60));
    }
}

/// Of a hardened chip, whose counters tell that something was corrected, and nothing else differs.
#[test]
fn records_of_a_hardened_chip_are_those_of_serial_simulation() {
    let schemes = ["harden.file=secded", "harden.scoreboard=tmr", "harden.warps=dmr", "harden.launch=tmr"];
    let golden = native("tiny", &[&fault::PARTS[..], &schemes].concat(), reduction());
    use FaultKind::{Mbu, Seu, StuckAt0, StuckAt1, Transient};
    for (pattern, kinds) in [
        ("*.u_words.mem", &[Seu, Mbu, Transient, StuckAt1][..]),
        ("*_copies.*", &[Seu, Transient, StuckAt0]),
        ("u_launch.u_faults.*", &[Seu, Mbu, StuckAt1]),
    ] {
        println!("{pattern}");
        same(&golden, &golden, &within(&golden, pattern, kinds, 60));
    }
}

/// Records of a simulator with a deliberate error; what refuses it is an error.
fn mutated(golden: &Golden, mutant: Mutant, faults: &[Fault]) -> Result<Vec<Record>, FaultError> {
    let reference = Reference::mutant(golden, mutant)?;
    let mut simulator = DifferentialSimulator::new(&reference, SimulatorOptions::default())?;
    Ok(records(&mut simulator, faults))
}

/// Records of serial simulation.
fn serial(golden: &Golden, faults: &[Fault]) -> Vec<Record> {
    let made = SerialSimulator::new(golden, SimulatorOptions::default());
    records(&mut made.unwrap_or_else(|e| panic!("{e}")), faults)
}

/// Must fail: one bit of one register's next value. The fault-free run is compared with the engine's.
#[test]
fn a_wrong_node_is_refused() {
    let golden = native("tiny", &fault::PARTS, collatz());
    for register in [3, 40, 111, 200, 301] {
        let found = Reference::mutant(&golden, Mutant::WrongNode(register));
        assert!(matches!(found, Err(FaultError::Control(_))), "{register}");
    }
}

/// Must fail: upsets of registers that reach other state when they are simulated one by one, without what leads there.
#[test]
fn a_missed_edge_is_noticed() {
    let golden = native("tiny", &fault::PARTS, collatz());
    let mut random = Random(0x5eed_0006);
    let faults: Vec<Fault> =
        (0..200).map(|_| fault::at_random(&mut random, &golden, FaultKind::Seu, SiteKind::Reg)).collect();
    let expected = serial(&golden, &faults);
    let spread = faults.iter().zip(&expected).filter(|(_, r)| r.spread.is_some());
    let (mut refused, mut wrong) = (0, 0);
    for (f, right) in spread.take(16) {
        let path = &golden.sites().site(f.site).path;
        match mutated(&golden, Mutant::MissedEdge(f.site), std::slice::from_ref(f)) {
            Err(FaultError::Control(_)) => refused += 1,
            Err(e) => panic!("{path}: {e}"),
            Ok(found) => {
                assert_ne!(&found[0], right, "{path}");
                wrong += 1;
            }
        }
    }
    println!("{refused} refused, {wrong} with another record");
    assert_eq!(refused + wrong, 16);
}

/// Records that a deliberate error makes wrong.
fn wrong(golden: &Golden, mutant: Mutant, faults: &[Fault]) -> usize {
    let found = mutated(golden, mutant, faults).unwrap_or_else(|e| panic!("{e}"));
    let expected = serial(golden, faults);
    let wrong = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
    println!("{mutant:?}: {wrong} of {} records differ", faults.len());
    wrong
}

/// Must fail: a machine that is handed over and not compared with the fault-free run never ends early.
#[test]
fn a_hand_over_without_comparison_is_noticed() {
    let golden = native("tiny", &fault::PARTS, reduction());
    let faults = mixed(&golden, 0x5eed_0007, 30);
    assert!(wrong(&golden, Mutant::Uncompared, &faults) > 0);
}

/// Must fail: a machine is handed over without what differs of it.
#[test]
fn a_hand_over_without_differences_is_noticed() {
    let golden = native("tiny", &fault::PARTS, reduction());
    let faults = mixed(&golden, 0x5eed_0007, 6);
    assert!(wrong(&golden, Mutant::Forgotten, &faults) > 0);
}

/// Faults in memory words that the fault-free run does not read take no computing, and most are such.
#[test]
fn memory_that_is_not_read_is_settled() {
    let golden = native("tiny", &fault::PARTS, reduction());
    let reference = Reference::new(&golden).unwrap_or_else(|e| panic!("{e}"));
    let mut random = Random(0x5eed_0008);
    let faults: Vec<Fault> =
        (0..400).map(|_| fault::at_random(&mut random, &golden, FaultKind::Seu, SiteKind::Ram)).collect();
    let mut simulator =
        DifferentialSimulator::new(&reference, SimulatorOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let found = records(&mut simulator, &faults);
    assert_eq!(found, serial(&golden, &faults));
    let counts = simulator.counts();
    println!("{counts:?}");
    assert!(counts.settled > 200, "{counts:?}");
    assert!(counts.settled + counts.handed_over <= 400, "{counts:?}");
}

/// A machine that is done at once repeats itself from then on: it must not doze through that.
#[test]
fn a_chip_that_is_done_at_once_does_not_doze() {
    let golden = native("tiny", &fault::PARTS, reduction());
    let sites = golden.sites().list();
    let complete = sites.iter().position(|s| s.path == "u_scheduler.complete");
    let site = complete.expect("the scheduler says when the grid is complete");
    let at = |cycle| Fault::simple(site, 0, vec![0], cycle, FaultKind::Seu);
    let faults: Vec<Fault> = (0..8).map(at).collect();
    same(&golden, &golden, &faults);
    let simulator = SerialSimulator::new(&golden, SimulatorOptions::default());
    let records = records(&mut simulator.unwrap_or_else(|e| panic!("{e}")), &faults);
    assert!(records.iter().any(|r| r.cycles < 10), "none ends at once");
}

/// Without short cuts, and one after the other, the results are the same.
#[test]
fn short_cuts_and_company_do_not_change_results() {
    let golden = native("tiny", &fault::PARTS, collatz());
    let reference = Reference::new(&golden).unwrap_or_else(|e| panic!("{e}"));
    let faults = mixed(&golden, 0x5eed_0003, 3);
    let with = |short_cuts: bool| {
        let options =
            SimulatorOptions { checkpoints: short_cuts, early_stop: short_cuts, ..SimulatorOptions::default() };
        DifferentialSimulator::new(&reference, options).unwrap_or_else(|e| panic!("{e}"))
    };
    let together = records(&mut with(true), &faults);
    let alone = faults.iter().flat_map(|f| records(&mut with(true), std::slice::from_ref(f)));
    assert_eq!(together, alone.collect::<Vec<_>>());
    let slow = records(&mut with(false), &faults);
    for (a, b) in together.iter().zip(&slow) {
        assert_eq!(result(a), result(b));
    }
}

/// Runs that end at the first wrong word are those that end with one, with a trap or never; the others have the records
/// that they have otherwise.
#[test]
fn ending_at_a_wrong_word_finds_what_the_host_would_see() {
    let golden = native("tiny", &fault::PARTS, collatz());
    let reference = Reference::new(&golden).unwrap_or_else(|e| panic!("{e}"));
    let faults = mixed(&golden, 0x5eed_0005, 20);
    let whole = SimulatorOptions::default();
    let short = SimulatorOptions { stop_at_sdc: true, ..whole };
    let full = records(&mut SerialSimulator::new(&golden, whole).unwrap_or_else(|e| panic!("{e}")), &faults);
    let serial = records(&mut SerialSimulator::new(&golden, short).unwrap_or_else(|e| panic!("{e}")), &faults);
    let simulator = DifferentialSimulator::new(&reference, short);
    let differential = records(&mut simulator.unwrap_or_else(|e| panic!("{e}")), &faults);
    for found in [serial, differential] {
        let mut sooner = 0;
        for ((f, full), found) in faults.iter().zip(&full).zip(&found) {
            let seen = [FaultOutcome::Sdc, FaultOutcome::Due, FaultOutcome::Hang].contains(&full.outcome);
            match found.outcome {
                FaultOutcome::Sdc => assert!(seen, "{f:?}: {full:?}"),
                _ => assert_eq!(found, full, "{f:?}"),
            }
            assert!(full.outcome != FaultOutcome::Sdc || found.outcome == FaultOutcome::Sdc, "{f:?}: {found:?}");
            sooner += usize::from(found.simulated < full.simulated);
        }
        assert!(sooner > 0, "{sooner} of {} end sooner", faults.len());
    }
}

#[test]
#[ignore = "long: 20,000 faults on three kernels and three chips, beside Verilator"]
fn twenty_thousand_records_are_those_of_verilator() {
    if !support::tools(&support::SIMULATION) {
        return;
    }
    let mut vector_add = support::load("vector_add");
    (vector_add.grid, vector_add.block) = ([2, 1], [32, 1, 1]);
    vector_add.expects.clear();
    let plain = &["trace=false"][..];
    let chips = [("tiny", &fault::PARTS[..]), ("default", plain), ("wide", plain)];
    let mut faults = 0;
    for (n, (name, set)) in chips.into_iter().enumerate() {
        for (k, launch) in [vector_add.clone(), reduction(), collatz()].into_iter().enumerate() {
            let folder = fault::folder(name, set);
            let verilator =
                Golden::run(&folder, launch.clone(), POWER_ON, None).unwrap_or_else(|e| panic!("{name}: {e}"));
            let golden = native(name, set, launch);
            let drawn = mixed(&golden, 0x5eed_0100 + 3 * n as u64 + k as u64, 106);
            same(&golden, &verilator, &drawn);
            faults += drawn.len();
        }
    }
    println!("{faults} faults");
    assert!(faults >= 20_000);
}
