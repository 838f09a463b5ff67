//! Hardened chips: kernels in lockstep, and campaigns of upsets in what is protected.

use crate::support::fault::{self, records, POWER_ON};
use crate::support::{found, kernel, load, outcome, prints, soak, warpsmith};
use std::collections::BTreeMap;
use std::path::Path;
use warpsmith_contract::TrapCause;
use warpsmith_fault::plan::{draw, Activity, Model, Precision, Request, Strategy};
use warpsmith_fault::site::{glob, Filter, Site};
use warpsmith_fault::{
    DifferentialSimulator, Engine, Fault, FaultKind, FaultOutcome, Golden, Reference, SimulatorOptions, Store,
};
use warpsmith_fpga::synth::flow::Workshop;
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_fpga::synth::Step;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_netlist::read;
use warpsmith_testkit::Random;

/// A scheme of each kind, and a watchdog, as `--set` takes them.
const MIXED: [&str; 7] = [
    "harden.file=secded", "harden.shared=parity", "harden.fetch=tmr+secded", "harden.scoreboard=tmr",
    "harden.warps=dmr", "harden.launch=dmr", "watchdog=4096",
];

fn with(args: &[&str], set: &[&str]) -> Vec<String> {
    let options = set.iter().flat_map(|s| ["--set", s]);
    args.iter().copied().chain(options).map(String::from).collect()
}

fn agrees(name: &str, config: &str, engine: &str, set: &[&str]) {
    let launch = kernel(name);
    let launch = launch.to_str().expect("UTF-8");
    let args = with(&["cosim", launch, "--config", config, "--engine", engine], set);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (code, out, err) = outcome(&warpsmith(&args));
    assert_eq!(code, 0, "{name} on {config} {set:?}: {out}{err}");
}

#[test]
fn kernels_agree_in_lockstep_with_every_bit_protected() {
    for name in ["vector_add", "reduction", "histogram", "collatz"] {
        agrees(name, "tiny", "native", &["harden.warpsmith=tmr+secded"]);
    }
    for name in ["vector_add", "reduction"] {
        agrees(name, "tiny", "native", &["harden.warpsmith=dmr+parity"]);
        agrees(name, "default", "native", &["harden.warpsmith=tmr+secded"]);
    }
}

#[test]
fn the_verilog_of_a_hardened_chip_agrees() {
    if !crate::support::tools(&crate::support::SIMULATION) {
        return;
    }
    agrees("reduction", "tiny", "verilator", &MIXED);
}

#[test]
fn random_programs_agree_on_a_hardened_chip() {
    let args = ["cosim", "--random", "20000", "--seed", "3901", "--config", "tiny", "--engine", "native"];
    let args = with(&args, &MIXED);
    prints(&args.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Outcomes of a campaign of `vector_add` on `tiny` with these schemes.
fn campaign(set: &[&str], names: &[&str], model: &str, count: &str) -> BTreeMap<FaultOutcome, usize> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("c.csv");
    let file = file.to_str().expect("UTF-8");
    let launch = kernel("vector_add");
    let launch = launch.to_str().expect("UTF-8");
    let mut args = vec!["fault", "plan", launch, "--config", "tiny", "--engine", "native", "--kind", model];
    args.extend(names.iter().flat_map(|n| ["--name", n]));
    args.extend(["--count", count, "--seed", "39", "-o", file]);
    let args = with(&args, set);
    prints(&args.iter().map(String::as_str).collect::<Vec<_>>());
    prints(&["fault", "run", file, "--engine", "native"]);
    let mut found = BTreeMap::new();
    let results = folder.path().join("c.db");
    for record in Store::open_read(&results).expect("results").records().expect("records").values() {
        *found.entry(record.outcome).or_default() += 1;
    }
    found
}

/// What does no harm.
const HARMLESS: [FaultOutcome; 3] = [FaultOutcome::Masked, FaultOutcome::Corrected, FaultOutcome::NotActivated];

/// Memories with check bits of the register file, and of fetch.
const FILE_AND_FETCH: [&str; 2] = ["*.u_file.*.u_words.mem", "*.u_fetch.*.u_words.mem"];

/// Nothing but masked and corrected upsets, and some of those.
#[track_caller]
fn all_corrected(set: &[&str], names: &[&str], count: &str) {
    let found = campaign(set, names, "seu", count);
    assert!(found.keys().all(|o| HARMLESS.contains(o)), "{set:?} {names:?}: {found:?}");
    assert!(found.contains_key(&FaultOutcome::Corrected), "{found:?}");
}

/// Nothing but harmless upsets and detected ones, and some of those.
#[track_caller]
fn none_passes(set: &[&str], names: &[&str], model: &str, count: &str) {
    let found = campaign(set, names, model, count);
    let fine = |o: &FaultOutcome| *o == FaultOutcome::Detected || HARMLESS.contains(o);
    assert!(
        found.keys().all(fine) && found.contains_key(&FaultOutcome::Detected),
        "{set:?} {names:?} {model}: {found:?}"
    );
}

#[test]
fn single_upsets_of_corrected_memories_are_corrected() {
    all_corrected(&["harden.file=secded", "harden.fetch=secded"], &FILE_AND_FETCH, "1500");
    let names = ["*.u_shared.*.u_words.mem", "*.u_constants.*.u_words.mem", "*.fix_word"];
    all_corrected(&["harden.shared=secded", "harden.constants=secded"], &names, "1500");
}

#[test]
fn double_upsets_and_parity_never_pass_unnoticed() {
    none_passes(&["harden.file=secded", "harden.fetch=secded"], &FILE_AND_FETCH, "mbu", "3000");
    none_passes(&["harden.file=parity", "harden.fetch=parity"], &FILE_AND_FETCH, "seu", "3000");
}

#[test]
fn upsets_of_copies_are_corrected_or_detected() {
    all_corrected(&["harden.scoreboard=tmr", "harden.warps=tmr", "harden.scheduler=tmr"], &["*_copies.*"], "1500");
    none_passes(&["harden.scoreboard=dmr", "harden.warps=dmr", "harden.scheduler=dmr"], &["*_copies.*"], "seu", "1500");
}

#[test]
fn faults_of_a_block_that_is_there_twice_are_detected() {
    agrees(
        "reduction",
        "tiny",
        "native",
        &["harden.lane=duplicate", "harden.decode=duplicate", "harden.shared=duplicate"],
    );
    agrees(
        "vector_add",
        "tiny",
        "native",
        &["harden.warps=duplicate", "harden.scoreboard=duplicate", "harden.lsu=secded"],
    );
    let lanes = ["*.u_lane_*.u_original.*", "*.u_lane_*.u_duplicate.*"];
    none_passes(&["harden.lane=duplicate"], &lanes, "seu", "800");
    none_passes(&["harden.lane=duplicate"], &lanes, "stuck-at", "150");
    // All of them; one that selects a warp for good keeps the stopped chip busy until the watchdog ends it.
    let warps = ["*.u_warps.u_original.*", "*.u_warps.u_duplicate.*"];
    none_passes(&["harden.warps=duplicate", "watchdog=1024"], &warps, "stuck-at", "1000");
    let plain = campaign(&["trace=true"], &["*.u_lane_*"], "stuck-at", "100");
    assert!(plain.contains_key(&FaultOutcome::Sdc), "without it they do harm: {plain:?}");
}

/// Keys of a small chip.
const SMALL: [&str; 4] = ["trace=false", "registers=512", "shared_bytes=1024", "program_bytes=1024"];

/// A small `tiny` with these schemes, and its fault-free run of `vector_add`.
fn small(schemes: &[&str]) -> Golden {
    let set = [&SMALL[..], schemes].concat();
    let folder = fault::folder("tiny", &set);
    Golden::run_on(Engine::Native, &folder, load("vector_add"), POWER_ON, None).unwrap_or_else(|e| panic!("{e}"))
}

/// How many faults have which outcome, in pieces that fit into memory; each stands for a number of faults.
fn outcomes(golden: &Golden, mut faults: impl Iterator<Item = (Fault, u64)>) -> BTreeMap<FaultOutcome, u64> {
    let reference = Reference::new(golden).unwrap_or_else(|e| panic!("{e}"));
    let mut simulator =
        DifferentialSimulator::new(&reference, SimulatorOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut found = BTreeMap::new();
    loop {
        let (some, stand): (Vec<Fault>, Vec<u64>) = faults.by_ref().take(1 << 18).unzip();
        if some.is_empty() {
            return found;
        }
        for (record, n) in records(&mut simulator, &some).into_iter().zip(stand) {
            // Of gates it is not known which registers tell of faults; the trap does.
            let outcome = match record.outcome {
                FaultOutcome::Due if record.cause == Some(TrapCause::Fault.number()) => FaultOutcome::Detected,
                outcome => outcome,
            };
            *found.entry(outcome).or_default() += n;
        }
    }
}

/// Words of memories with check bits, and copies of registers.
const WORDS: &str = "*.u_words.mem";
const COPIES: &str = "*_copies.*";

/// Protected state, by the paths of its sites.
fn state<'a>(golden: &'a Golden, pattern: &'a str) -> impl Iterator<Item = (usize, &'a Site)> {
    let sites = golden.sites().list().iter().enumerate();
    sites.filter(move |(_, s)| s.zeroed && glob(pattern, &s.path))
}

/// Bits of each code word of a memory with check bits: its block's name tells the parts that are written alone.
fn code_word(site: &Site) -> u32 {
    let shape = site.block.split_once('x').map_or("", |(_, shape)| shape);
    let shape = shape.split('_').next().unwrap_or_default();
    let parts = shape.split_once('g').map_or(1, |(all, part)| {
        let number = |text: &str| text.parse::<u32>().expect("bits");
        number(all) / number(part)
    });
    site.width / parts
}

/// All upsets of one bit of sites, in all cycles: the rows of an exhaustive campaign, and for how many upsets each stands.
fn singles(golden: &Golden, names: Vec<String>) -> Vec<(Fault, u64)> {
    let request = Request {
        models: vec![Model::Seu],
        strategy: Strategy::Exhaustive,
        filter: Filter { names, ..Filter::default() },
        count: None,
        precision: Precision { confidence: 0.95, margin: 0.02, proportion: 0.5 },
        seed: 1,
    };
    let accesses = Reference::new(golden).unwrap_or_else(|e| panic!("{e}")).accesses();
    let activity = Activity { accesses, ..Activity::default() };
    let plan = draw(&request, golden.sites(), golden.cycles(), Some(&activity)).unwrap_or_else(|e| panic!("{e}"));
    let all = plan.rows.into_iter().map(|r| (r.fault, r.weight as u64)).collect::<Vec<_>>();
    assert_eq!(all.iter().map(|f| f.1).sum::<u64>(), plan.parts[0].population);
    all
}

/// Upsets of a single bit in state with schemes, in soak every one of all bits and cycles: none does harm but what stops the
/// chip. (A flag of the end may be read before what is wrong with it is seen: then the end comes a cycle early.)
#[test]
fn single_upsets_are_corrected_or_detected() {
    use FaultOutcome::{Corrected, Detected, Timing};
    for (scheme, pattern, step, expected) in [
        ("harden.file=secded", WORDS, 997, Corrected),
        ("harden.shared=secded", WORDS, 97, Corrected),
        ("harden.fetch=secded", WORDS, 97, Corrected),
        ("harden.fetch=parity", WORDS, 97, Detected),
        ("harden.scheduler=tmr", COPIES, 211, Corrected),
        ("harden.scheduler=dmr", COPIES, 211, Detected),
        ("harden.warps=tmr", COPIES, 211, Corrected),
    ] {
        let golden = small(&[scheme]);
        let step = if soak() { 1 } else { step };
        let faults = singles(&golden, state(&golden, pattern).map(|s| s.1.path.clone()).collect());
        let rows = faults.len();
        let found = outcomes(&golden, faults.into_iter().step_by(step));
        println!("{scheme}: {rows} rows, {found:?}");
        let fine = |o: &FaultOutcome| match o {
            Corrected | Detected => *o == expected,
            Timing => scheme == "harden.scheduler=dmr",
            _ => HARMLESS.contains(o),
        };
        assert!(found.keys().all(fine) && found.contains_key(&expected), "{scheme}: {found:?}");
        assert!(found.get(&Timing).is_none_or(|n| *n <= 2), "{scheme}: {found:?}");
    }
}

/// Upsets that stand as one row have one outcome.
#[test]
fn upsets_of_a_row_are_equal() {
    for (scheme, pattern) in [
        ("harden.fetch=secded", "*u_fetch.*.u_words.mem"),
        ("trace=false", "*u_divergence.*.mem"),
        ("trace=false", "*u_scoreboard.*.mem"),
        ("trace=false", "*u_file.*.mem"),
        ("trace=false", "*u_conditions.*.mem"),
        ("trace=false", "*u_fetch.u_buffer.mem"),
        ("trace=false", "*u_lsu.*.mem"),
    ] {
        let golden = small(&[scheme]);
        let mut random = Random(0x5eed_0239);
        let mut rows = singles(&golden, vec![pattern.into()]);
        // Of more, which are of many words, nobody reads one.
        rows.retain(|r| (2..=golden.cycles()).contains(&r.1));
        assert!(rows.len() > 20, "{scheme} {pattern}: {} rows", rows.len());
        let drawn: Vec<(Fault, u64)> = (0..200).map(|_| rows[random.index(rows.len())].clone()).collect();
        let last: Vec<Fault> = drawn.iter().map(|r| r.0.clone()).collect();
        let mut earlier = |(f, n): &(Fault, u64)| Fault { cycle: f.cycle - random.below_wide(*n), ..f.clone() };
        let other: Vec<Fault> = drawn.iter().map(&mut earlier).collect();
        let reference = Reference::new(&golden).unwrap_or_else(|e| panic!("{e}"));
        let mut simulator =
            DifferentialSimulator::new(&reference, SimulatorOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let [last, other] = [last, other].map(|faults| records(&mut simulator, &faults));
        let mut harm = 0;
        for ((row, a), b) in drawn.iter().zip(&last).zip(&other) {
            assert_eq!(a.outcome, b.outcome, "{pattern}: {row:?}");
            harm += usize::from(!HARMLESS.contains(&a.outcome));
        }
        println!("{scheme} {pattern}: {harm} of {} do not stay masked", drawn.len());
    }
}

/// The chip as gates of Yosys with these schemes, and its fault-free run of `vector_add`. `None` without Yosys.
fn gates(schemes: &[&str], folder: &Path) -> Option<Golden> {
    let yosys = found(Tool::Yosys.find())?;
    let set = [&SMALL[..], schemes].concat();
    let out = folder.join("gates");
    let args = with(&["synth", "--target", "gates", "--config", "tiny", "--out", out.to_str().expect("UTF-8")], &set);
    prints(&args.iter().map(String::as_str).collect::<Vec<_>>());
    // Copies are modules of their own, which kept synthesis from joining them, and begin with their reset values.
    let flatten = "read_json netlist.json\nsetattr -mod -unset keep_hierarchy *\nflatten -noscopeinfo\nsetattr -unset init w:*\nwrite_json flat.json\n";
    let mut say = |_: Step| ();
    let mut shop = Workshop::new(&out, &mut say).expect("a folder");
    shop.write("flatten.ys", flatten).expect("room");
    shop.run("flatten", &yosys, &["flatten.ys"]).unwrap_or_else(|e| panic!("{e}"));
    let file = out.join("flat.json");
    let text = std::fs::read_to_string(&file).expect("the netlist");
    let design = read::yosys(&text, &file).unwrap_or_else(|e| panic!("{e}"));
    let mut config = GpuConfig::named("tiny").expect("a configuration");
    set.iter().for_each(|s| config.set(s).unwrap_or_else(|e| panic!("{e}")));
    let emitted = folder.join("emitted");
    warpsmith_hdl::injecting_chip_of(&config, "tiny", design.tree()).write(&emitted).expect("room");
    // What protects begins with zeros, which gates do not tell.
    let golden = Golden::run_on(Engine::Native, &emitted, load("vector_add"), 0, None);
    Some(golden.unwrap_or_else(|e| panic!("{e}")))
}

/// After synthesis protection is what it was: sampled upsets of flip-flops of copies and of words with check bits do nothing where
/// they are corrected, and stop the chip where they are detected.
#[test]
#[ignore = "three minutes of synthesis; make soak runs it"]
fn upsets_in_gates_are_corrected_or_detected() {
    let folder = tempfile::tempdir().expect("a folder");
    let corrected = ["harden.scheduler=tmr", "harden.warps=tmr", "harden.file=secded", "harden.fetch=secded"];
    let detected = ["harden.scheduler=dmr", "harden.warps=dmr", "harden.file=parity", "harden.fetch=parity"];
    for (schemes, detects) in [(corrected, false), (detected, true)] {
        let Some(golden) = gates(&schemes, &folder.path().join(detects.to_string())) else { return };
        // Names of one module: dots are underscores.
        for pattern in ["*_copies_*", "*_u_fetch_*_u_words_*", "*_u_bank_0_u_words_*"] {
            let faults = singles(&golden, vec![pattern.into()]);
            let step = (faults.len() / 20_000).max(1);
            let ended = outcomes(&golden, faults.into_iter().step_by(step));
            println!("{schemes:?} {pattern}: {ended:?}");
            let fine = |o: &FaultOutcome| match o {
                FaultOutcome::Detected => detects,
                // As above, of the flags of the end.
                FaultOutcome::Timing => detects && ended[o] <= 2,
                _ => HARMLESS.contains(o),
            };
            assert!(ended.keys().all(fine), "{pattern}: {ended:?}");
            assert_eq!(ended.contains_key(&FaultOutcome::Detected), detects, "{pattern}: {ended:?}");
        }
    }
}

/// Two wrong bits of one code word, anywhere in it: the chip stops when it reads the word.
#[test]
fn double_upsets_are_detected() {
    let golden = small(&["harden.file=secded", "harden.shared=secded", "harden.fetch=secded"]);
    let sites: Vec<(usize, &Site)> = state(&golden, WORDS).collect();
    let mut random = Random(0x5eed_0039);
    let draw = || {
        let (number, site) = sites[random.index(sites.len())];
        let width = code_word(site);
        let base = width * random.below(site.width / width);
        let first = random.below(width);
        let second = (first + 1 + random.below(width - 1)) % width;
        let bits = vec![base + first.min(second), base + first.max(second)];
        let (word, cycle) = (random.below(site.depth), random.below_wide(golden.cycles()));
        (Fault::simple(number, word, bits, cycle, FaultKind::Mbu), 1)
    };
    let found = outcomes(&golden, std::iter::repeat_with(draw).take(if soak() { 100_000 } else { 5_000 }));
    println!("{found:?}");
    let fine = |o: &FaultOutcome| matches!(o, FaultOutcome::Masked | FaultOutcome::Detected);
    assert!(found.keys().all(fine) && found.contains_key(&FaultOutcome::Detected), "{found:?}");
}

/// Stuck bits that hang a plain chip are detected on one with a watchdog; those that keep a program in a loop are not.
#[test]
fn a_watchdog_detects_hangs() {
    let names = ["u_sm_0.u_warps.*", "u_sm_0.u_lsu.*", "u_sm_0.u_scoreboard.*", "u_scheduler.*"];
    let plain = campaign(&[], &names, "stuck-at", "1500");
    let watched = campaign(&["watchdog=1024"], &names, "stuck-at", "1500");
    println!("{plain:?} {watched:?}");
    let of = |found: &BTreeMap<FaultOutcome, usize>, o| found.get(&o).copied().unwrap_or(0);
    assert!(of(&plain, FaultOutcome::Hang) > 50 && of(&plain, FaultOutcome::Detected) == 0, "{plain:?}");
    // It finds half of the hangs of the plain chip.
    let hangs = of(&plain, FaultOutcome::Hang);
    assert!(
        5 * of(&watched, FaultOutcome::Detected) > 2 * hangs && 5 * of(&watched, FaultOutcome::Hang) < 3 * hangs,
        "{watched:?}"
    );
}

/// The same campaign on the plain chip does harm: the tests above can fail.
#[test]
fn without_protection_the_same_upsets_do_harm() {
    let found = campaign(&[], &["*u_file.*", "*u_fetch.u_store.mem", "*u_warps.*"], "seu", "1500");
    assert!(found.contains_key(&FaultOutcome::Sdc) && found.contains_key(&FaultOutcome::Due), "{found:?}");
}

#[test]
fn a_configuration_with_a_wrong_scheme_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    for (table, told) in [
        ("scorebord = \"tmr\"", "no block of this chip is called `scorebord`"),
        ("scoreboard = \"ecc\"", "a table of blocks and schemes"),
        ("scoreboard = 3", "a table of blocks and schemes"),
        ("operand = \"secded\"", "`operand` has no memories"),
    ] {
        std::fs::write(&file, format!("base = \"tiny\"\n[harden]\n{table}\n")).expect("written");
        let (code, out, err) = outcome(&warpsmith(&["emit", "--config", file.to_str().expect("UTF-8"), "--out", "x"]));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("harden") && err.contains(told), "{err}");
    }
}
