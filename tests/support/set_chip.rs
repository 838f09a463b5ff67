//! Chips of a set beside SM 1.0 in lockstep: kernels, random programs, errors that must be noticed, traps, faults.

use super::{fault, sim};
use fault::POWER_ON;
use std::path::PathBuf;
use std::sync::Arc;
use warpsmith_cosim::{cosim, cosim_random, Chip, CosimOptions, Design, NativeOptions, Outcome, RandomOptions};
use warpsmith_engine_native::Native;
use warpsmith_fault::{
    DifferentialSimulator, Engine, FaultOutcome, Golden, Reference, SerialSimulator, SimulatorOptions,
};
use warpsmith_model::{Launch, Mutant, TrapCause};
use warpsmith_netlist::{Expr, ExprId, Kind};

/// A chip on the native engine, ready at once.
pub fn native(name: &str, set: &[&str]) -> Chip {
    let folder = sim::emitted(name, set);
    let design = Design::native(&folder, NativeOptions::default());
    Chip::on(&folder, design.unwrap_or_else(|e| panic!("{name}: {e}"))).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Such a chip that is wrong: `signal`, of one bit, is 0 in the modules that have `register`.
pub fn native_without(name: &str, set: &[&str], register: &str, signal: &str) -> Chip {
    let mut design = warpsmith_hdl::netlist(&sim::config(name, set));
    let bodies = design.modules.iter_mut().map(|m| &mut m.body);
    let mut silenced = 0;
    for body in bodies.filter(|b| b.registers().any(|(_, s)| s.name == register)) {
        let Some(at) = body.signals.iter().position(|s| s.name == signal) else { continue };
        let zero = ExprId(body.exprs.len() as u32);
        body.exprs.push(Expr { kind: Kind::Lit(0), width: 1 });
        let mut values = body.assigns.iter_mut().chain(&mut body.wires);
        values.find(|(s, _)| s.0 as usize == at).expect("it has a value").1 = zero;
        silenced += 1;
    }
    assert!(silenced > 0, "no module with {register} has {signal}");
    let native = Native::of_design(&design, NativeOptions::default()).expect("a chip without loops");
    let folder = sim::emitted(name, set);
    let manifest = Design::netlist(&folder).expect("a folder").0;
    Chip::on(&folder, Design::on(Arc::new(native), manifest)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Launch file of a kernel of the set.
fn kernel(isa: &str, name: &str) -> PathBuf {
    let folder = super::root().join("kernels").join(isa).join(name);
    folder.join("launch.toml")
}

/// The kernels of the set agree, but those that the chip lacks something of.
pub fn kernels_agree(isa: &str, chip: &Chip) {
    let folder = super::root().join("kernels").join(isa);
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut names: Vec<String> = entries.map(|e| e.expect("readable").file_name().to_string_lossy().into()).collect();
    names.sort();
    names.retain(|name| {
        let launch = warpsmith_launch_file::load(kernel(isa, name)).unwrap_or_else(|e| panic!("{e}"));
        warpsmith_bench::lacks(chip.info(), &launch).is_none()
    });
    assert!(names.len() >= 6, "{names:?}");
    for name in names {
        let report = sim::agree(chip, &kernel(isa, &name));
        println!("{name}: {} warp instructions", report.compared);
    }
}

/// Compares so many warp instructions of random programs, in soak `soak` times as many.
pub fn random_programs_agree(chip: &Chip, count: u64, soak: u64) {
    let count = if super::soak() { soak * count } else { count };
    sim::random_programs(chip, sim::seed(), count);
}

/// Random programs find every wrong model.
pub fn wrong_models_are_noticed(chip: &Chip) {
    Mutant::of_set(chip.info().isa).for_each(|mutant| wrong_model_is_noticed(chip, mutant, 100_000));
}

/// Random programs of `count` warp instructions find a wrong model.
pub fn wrong_model_is_noticed(chip: &Chip, mutant: Mutant, count: u64) {
    let out = tempfile::tempdir().expect("a temporary folder");
    let options =
        RandomOptions { count, seed: 1, mutant: Some(mutant), out: out.path().into(), ..RandomOptions::default() };
    let report = cosim_random(chip, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
    let Outcome::Differ(difference) = &report.outcome else { panic!("{mutant:?} went unnoticed: {}", report.outcome) };
    let text = difference.to_string();
    assert!(text.contains("model") && text.contains("rtl") && text.contains("replay: "), "{text}");
    let (_, failing) = report.failed.expect("the program that failed");
    assert!(failing.is_file(), "{} is the program to replay", failing.display());
}

/// A program agrees on the chip.
pub fn program_agrees(isa: &str, chip: &Chip, what: &str, threads: u32, text: &str) {
    let report = cosim(chip, &launch(isa, what, threads, text), &CosimOptions::default());
    let report = report.unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(report.outcome.is_agreement(), "{what} on {}: {}", chip.info().name, report.outcome);
}

/// Threads of a block of a program that traps.
pub const TRAPPING: u32 = 40;

/// A program that traps: what it does, its text, the cause.
pub type Trapping = (&'static str, &'static str, TrapCause);

/// The launch of a program of the set: two blocks of so many threads with 8 registers.
pub fn launch(isa: &str, what: &str, threads: u32, text: &str) -> Launch {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let extension = if isa == "fermi" { "sass" } else { "asm" };
    let source = format!("p.{extension}");
    let text = format!(".isa {isa}\n{}\n", text.replace("; ", ";\n"));
    std::fs::write(folder.path().join(&source), text).expect("written");
    let launch = folder.path().join("p.toml");
    let registers = if isa == "ivb" { "simd = 16\n" } else { "registers = 8\n" };
    let text = format!(
        "name = \"p\"\nisa = \"{isa}\"\nprogram = \"{source}\"\ngrid = [2, 1]\nblock = [{threads}, 1, 1]\n\
         {registers}params = []\nglobal_bytes = 4096\nshared_bytes = 64\n"
    );
    std::fs::write(&launch, text).expect("written");
    warpsmith_launch_file::load(&launch).unwrap_or_else(|e| panic!("{what}: {e}"))
}

/// Programs trap on the chip as on the model.
pub fn traps_are_those_of_the_model(isa: &str, chip: &Chip, programs: &[Trapping]) {
    for program in programs {
        let (what, text, cause) = program;
        let launch = launch(isa, what, TRAPPING, text);
        let report = cosim(chip, &launch, &CosimOptions::default());
        let report = report.unwrap_or_else(|e| panic!("{what}: {e}"));
        let Outcome::Trap(trap) = &report.outcome else { panic!("{what}: {}", report.outcome) };
        assert_eq!(trap.cause, *cause, "{what}: {trap}");
    }
}

/// Faults of every kind in `tiny` with `set`, running the kernel `reduction`, have the same record in differential and
/// serial simulation.
pub fn faults_have_one_record(isa: &str, set: &[&str]) {
    faults_of_kernel_have_one_record(isa, "reduction", set);
}

/// The same running another kernel.
pub fn faults_of_kernel_have_one_record(isa: &str, name: &str, set: &[&str]) {
    let launch = warpsmith_launch_file::load(kernel(isa, name)).unwrap_or_else(|e| panic!("{e}"));
    let folder = fault::folder("tiny", set);
    let golden = Golden::run_on(Engine::Native, &folder, launch, POWER_ON, None).unwrap_or_else(|e| panic!("{e}"));
    let faults = fault::mixed(&golden, 0x5eed, if super::soak() { 100 } else { 6 });
    let reference = Reference::new(&golden).unwrap_or_else(|e| panic!("{e}"));
    let options = SimulatorOptions::default();
    let differential = DifferentialSimulator::new(&reference, options);
    let found = fault::records(&mut differential.unwrap_or_else(|e| panic!("{e}")), &faults);
    let serial = SerialSimulator::new(&golden, options);
    let expected = fault::records(&mut serial.unwrap_or_else(|e| panic!("{e}")), &faults);
    for ((fault, a), b) in faults.iter().zip(&found).zip(&expected) {
        assert_eq!(a, b, "{fault:?}");
    }
    let masked = found.iter().filter(|r| r.outcome == FaultOutcome::Masked).count();
    println!("{} faults, {masked} masked", faults.len());
    assert!(masked < faults.len(), "no fault has an effect");
}

/// Tests that chips of every instruction set of micro-operations pass; `TRAPS` are the set's programs that trap.
macro_rules! chip_tests {
    ($set:literal) => {
        set_chip::chip_tests!($set, ["lanes=2", "port_words=2", "sms=2"], []);
    };
    // What the odd one of the small chips has, and what small chips of this set need beside floats.
    ($set:literal, $odd:expr, [$($more:literal),*]) => {
        const ISA: &str = concat!("isa=", $set);
        /// `tiny` has no floats; chips of micro-operations have.
        const SMALL: &[&str] = &[ISA, "float=true", "sfus=1", $($more),*];

        #[test]
        fn kernels_agree_on_8_lanes_in_verilator() {
            if let Some(chip) = crate::support::sim::chip("default", &[ISA]) {
                set_chip::kernels_agree($set, &chip);
            }
        }

        #[test]
        fn kernels_agree_on_32_lanes() {
            set_chip::kernels_agree($set, &native("wide", &[ISA]));
        }

        #[test]
        fn kernels_agree_on_two_sms_of_16_lanes() {
            let set = [ISA, "sms=2", "lanes=16", "port_words=16", "shared_banks=16"];
            set_chip::kernels_agree($set, &native("default", &set));
        }

        #[test]
        fn random_programs_agree_on_8_lanes() {
            set_chip::random_programs_agree(&native("default", &[ISA]), 20_000, 50);
        }

        #[test]
        fn random_programs_agree_on_32_lanes() {
            set_chip::random_programs_agree(&native("wide", &[ISA]), 10_000, 100);
        }

        #[test]
        fn random_programs_agree_on_small_chips() {
            set_chip::random_programs_agree(&native("tiny", SMALL), 10_000, 10);
            let odd = [SMALL, &$odd].concat();
            set_chip::random_programs_agree(&native("tiny", &odd), 5_000, 10);
        }

        #[test]
        fn every_wrong_model_is_noticed() {
            set_chip::wrong_models_are_noticed(&native("default", &[ISA]));
        }

        #[test]
        fn traps_are_those_of_the_model() {
            set_chip::traps_are_those_of_the_model($set, &native("default", &[ISA]), &TRAPS);
        }

        #[test]
        fn faults_of_every_kind_have_the_same_record_in_both_simulations() {
            set_chip::faults_have_one_record($set, SMALL);
        }
    };
}
pub(crate) use chip_tests;
