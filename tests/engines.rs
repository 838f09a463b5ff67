//! The native engine is the Verilog: beside Verilator, from its power-on state, every port, every register
//! and every memory in every cycle; on kernels and random programs, with and without faults.

use crate::support::{self, fault, pair, sim};
use pair::{Found, Pair};
use std::path::Path;
use std::sync::Arc;
use warpsmith_contract::SiteKind;
use warpsmith_cosim::simulation::{Becomes, Force};
use warpsmith_cosim::{run_rtl, BuildOptions, Chip, Collect, Design, Ending, Host, RunOptions};
use warpsmith_engine_native::{Backend, BuildOptions as NativeOptions, Native, Sites};
use warpsmith_netlist::flat::{Flat, Options};

/// The flat netlist of a configuration.
fn flat(name: &str, set: &[&str], taps: bool) -> Flat {
    let design = warpsmith_hdl::netlist(&sim::config(name, set));
    Flat::new(&design, Options { taps }).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A chip on the native engine alone.
fn native(name: &str, set: &[&str], options: NativeOptions) -> Chip {
    let folder = sim::emitted(name, set);
    let design = Design::native(&folder, options).unwrap_or_else(|e| panic!("{name}: {e}"));
    Chip::on(&folder, design).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A chip on Verilator, open to faults, with the native engine beside it; `alter` makes a deliberate error.
fn pair(
    name: &str, set: &[&str], options: NativeOptions, alter: impl FnOnce(&mut Flat),
) -> Option<(Chip, Arc<std::sync::Mutex<Found>>)> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    let folder = fault::folder(name, set);
    let chip = Chip::open(&folder, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut flat = flat(name, set, options.sites == Sites::All);
    alter(&mut flat);
    let native = Native::build(flat, options).unwrap_or_else(|e| panic!("{e}"));
    let pair = Pair::new(chip.design().engine().clone(), Arc::new(native));
    let found = pair.found.clone();
    let design = Design::on(Arc::new(pair), chip.design().manifest().clone());
    let chip = Chip::on(&folder, design).unwrap_or_else(|e| panic!("{e}"));
    Some((chip, found))
}

#[track_caller]
fn same(found: &std::sync::Mutex<Found>) {
    let found = found.lock().expect("no panic").clone();
    println!("{} comparisons, {} words", found.cycles, found.words);
    assert_eq!(found.difference, None);
    assert!(found.cycles > 1000, "{found:?}");
}

/// What is changed of `tiny`: it has the stages of larger chips.
const PARTS: [&str; 3] = ["sfus=1", "shared_banks=8", "lsu_serial=false"];

const BACKENDS: &[Backend] = &[Backend::Code, Backend::Bytecode];

/// Kernels and random programs, beside Verilator and the golden model.
fn lockstep(backends: &[Backend], name: &str, set: &[&str], sites: Sites, kernels: &[&str], random: u64) {
    for &backend in backends {
        let options = NativeOptions { backend, sites };
        let Some((chip, found)) = pair(name, set, options, |_| {}) else { return };
        for k in kernels {
            sim::agree_on(&chip, &support::load(k));
        }
        sim::random_programs(&chip, sim::seed(), random);
        println!("{name}, {}", chip.design().engine().name());
        same(&found);
    }
}

#[test]
fn tiny_is_its_verilog() {
    lockstep(BACKENDS, "tiny", &PARTS, Sites::State, &["vector_add"], 5_000);
}

/// Outputs of blocks too, behind every edge.
#[test]
fn tiny_is_its_verilog_with_all_its_sites() {
    lockstep(BACKENDS, "tiny", &PARTS, Sites::All, &["vector_add"], 2_000);
}

#[test]
fn default_is_its_verilog() {
    let kernels = ["vector_add", "matmul_tiled", "black_scholes"];
    lockstep(&[Backend::Code], "default", &[], Sites::State, &kernels, 5_000);
}

/// The plain build, whose ports alone can be seen: trace port, bus and memory in every cycle.
#[test]
fn wide_answers_as_its_verilog() {
    let Some(chip) = sim::chip("wide", &[]) else { return };
    let options = NativeOptions { sites: Sites::None, ..NativeOptions::default() };
    let native = Native::build(flat("wide", &[], false), options).unwrap_or_else(|e| panic!("{e}"));
    let pair = Pair::new(chip.design().engine().clone(), Arc::new(native));
    let found = pair.found.clone();
    let design = Design::on(Arc::new(pair), chip.design().manifest().clone());
    let chip = Chip::on(chip.folder(), design).unwrap_or_else(|e| panic!("{e}"));
    // Where state cannot be copied, both begin with zeros.
    let options = RunOptions { seed: 0, ..RunOptions::default() };
    for k in ["vector_add", "matmul_tiled", "black_scholes"] {
        let ran = run_rtl(&chip, &support::load(k), &options).unwrap_or_else(|e| panic!("{e}"));
        assert!(matches!(ran.ending, Ending::Done), "{:?}", ran.ending);
    }
    same(&found);
}

#[test]
#[ignore = "compiles `wide` open to faults: minutes"]
fn wide_is_its_verilog() {
    let kernels = ["vector_add", "matmul_tiled", "black_scholes"];
    lockstep(BACKENDS, "wide", &[], Sites::State, &kernels, 5_000);
}

#[test]
#[ignore = "compiles `quad` open to faults: minutes"]
fn quad_is_its_verilog() {
    let kernels = ["vector_add", "matmul_tiled"];
    lockstep(BACKENDS, "quad", &[], Sites::State, &kernels, 2_000);
}

/// Upsets of registers and memories, and outputs of blocks stuck or inverted, do the same to both.
#[test]
fn faults_do_the_same_to_both() {
    let options = NativeOptions { sites: Sites::All, ..NativeOptions::default() };
    let set = &PARTS;
    let Some((chip, found)) = pair("tiny", set, options, |_| {}) else { return };
    let launch = support::load("vector_add");
    let mut random = warpsmith_testkit::Random(0x5eed_0007);
    let options = RunOptions::default();
    for _ in 0..60 {
        let mut host = Host::new(&chip, &launch, &options, Collect::Off).unwrap();
        host.start();
        let mut faults = vec![];
        for _ in 0..4 {
            let site = random.index(host.sim.sites().len());
            let storage = host.sim.sites()[site].clone();
            let word = random.below(storage.site.depth);
            let bit = random.below(storage.site.width) as usize;
            let mut mask = vec![0; storage.site.words32()];
            mask[bit / 32] = 1 << (bit % 32);
            let out = storage.site.kind == SiteKind::Out;
            let becomes = match random.below(4) {
                0 => Becomes::Zero,
                1 => Becomes::One,
                2 if !out => Becomes::Flip,
                _ => Becomes::Inverse,
            };
            let from = host.sim.cycle() + random.below_wide(30);
            let fault =
                Force { site, word, mask, becomes, from, to: from + 1 + random.below_wide(20), period: 0, active: 0 };
            host.sim.force(&fault);
            faults.push((storage.site.path, fault));
            host.sim.run(20, false, u64::MAX);
        }
        // All of them have ended by then.
        host.sim.run(60, false, u64::MAX);
        let difference = found.lock().expect("no panic").difference.clone();
        assert_eq!(difference, None, "after {faults:#?}");
    }
    same(&found);
}

/// Must fail: one bit of one register's next value.
#[test]
fn a_wrong_node_is_noticed() {
    for number in [3, 50, 200] {
        let options = NativeOptions { sites: Sites::State, ..NativeOptions::default() };
        let wrong = |flat: &mut Flat| {
            let reg = flat.regs.len() * number / 256;
            let next = flat.regs[reg].next;
            let one = flat.graph.lit(flat.regs[reg].width, 1);
            flat.regs[reg].next = flat.graph.xor(next, one);
        };
        let Some((chip, found)) = pair("tiny", &PARTS, options, wrong) else { return };
        let launch = support::load("vector_add");
        let mut host = Host::new(&chip, &launch, &RunOptions::default(), Collect::Off).unwrap();
        host.start();
        host.sim.run(10, false, u64::MAX);
        let found = found.lock().expect("no panic").difference.clone();
        let difference = found.expect("a difference");
        assert!(difference.contains("cycle 1, behind the edge, site "), "{difference}");
    }
}

/// Every named chip has a flat form, and runs on the native engine in lockstep with the model.
#[test]
fn named_chips_run_natively() {
    for name in warpsmith_hdl::config::NAMES {
        let chip = native(name, &[], NativeOptions::default());
        sim::agree_on(&chip, &support::load("vector_add"));
    }
}

/// Chips of all seeds agree with the model on random programs, whatever undefined state holds.
#[test]
fn random_programs_agree_with_the_model() {
    for name in ["tiny", "default"] {
        sim::random_programs(&native(name, &[], NativeOptions::default()), sim::seed(), 10_000);
    }
}

/// What is wrong with a netlist file is said by name.
#[test]
fn bad_netlists_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let emitted = warpsmith_hdl::chip(&sim::config("tiny", &[]), "tiny");
    emitted.write(folder.path()).expect("it can be written");
    let path = folder.path().join("netlist.json");
    let text = &emitted.files["netlist.json"];
    let refused = |why: &str| {
        let e = Design::native(folder.path(), NativeOptions::default());
        let e = e.err().expect("an error").to_string();
        assert!(e.contains("netlist.json") && e.contains(why), "{e}");
    };
    let write = |text: &str| std::fs::write(&path, text).expect("it can be written");
    write(&text.replacen("\"version\":1", "\"version\":2", 1));
    refused("was altered: its SHA-256 is not that of manifest.json; renew the folder");
    std::fs::remove_file(&path).expect("it is there");
    refused("cannot be read");
    // Without a manifest the reader itself refuses.
    let read = |text: &str, why: &str| {
        let e = Native::of_netlist(text, Path::new("netlist.json"), NativeOptions::default());
        let e = e.err().expect("an error").to_string();
        assert!(e.contains(why), "{e}");
    };
    read(&text[..text.len() / 2], "netlist.json: no netlist, JSON is needed here");
    assert!(text.contains("\"version\":1") || text.contains("\"version\": 1"));
    let version = text.replacen("\"version\":1", "\"version\":2", 1);
    read(&version.replacen("\"version\": 1", "\"version\": 2", 1), "version is 2");
}

#[test]
fn a_waveform_is_written_natively() {
    let chip = native("tiny", &[], NativeOptions::default());
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("run.fst");
    let options = RunOptions { wave: Some(path.clone()), ..RunOptions::default() };
    let launch = support::load("vector_add");
    let ran = run_rtl(&chip, &launch, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ran.ending, Ending::Done);
    assert_eq!(ran.differences, []);
    // An FST file begins with its header block: type 0, length 329, big-endian, and the time range.
    let bytes = std::fs::read(&path).expect("written");
    assert!(bytes.len() > 10_000, "{} bytes", bytes.len());
    assert_eq!(&bytes[..9], [0, 0, 0, 0, 0, 0, 0, 1, 0x49]);
    let end = u64::from_be_bytes(bytes[17..25].try_into().expect("eight bytes"));
    assert!(end >= 2 * ran.counters.cycles, "ends at {end}");
}

/// The command line: the native engine by name, and by choice of the program, which says so once.
#[test]
fn the_engine_is_chosen_on_the_command_line() {
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_warpsmith"));
        // Without Verilator in reach.
        command.env("PATH", "").args(args);
        let out = command.arg(support::kernel("vector_add")).output();
        let out = out.expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let tiny = ["--config", "tiny", "--seed", "1", "--engine"];
    for command in [&["run", "--on", "rtl"][..], &["cosim"]] {
        let with = |engine| [command, &tiny, &[engine]].concat();
        let (code, out, err) = run(&with("native"));
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        let (code, out, err) = run(&with("auto"));
        assert_eq!(code, Some(0), "{out}{err}");
        assert_eq!(err.matches("engine: native: ").count(), 1, "{err}");
    }
    let (code, _, err) = run(&["run", "--engine", "native"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--engine says what runs the chip; add --on rtl"), "{err}");
}
