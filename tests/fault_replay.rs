//! Replay: where a program sees a fault first, its class, waveforms, the table.

use crate::support;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;
use support::{kernel, outcome, root, tools, warpsmith, SIMULATION};
use warpsmith_cosim::lockstep::compare::Field;
use warpsmith_fault::replay::Wider;
use warpsmith_fault::{
    Campaign, Engine, ErrorClass, Explanation, Fault, FaultKind, FaultOutcome, Golden, How, RanOn, Replay,
    SimulatorOptions, SiteKind, Sites, Store, Traced,
};
use warpsmith_hdl::config::GpuConfig;

/// Emits an injecting `tiny`.
fn folder(trace: bool) -> PathBuf {
    let mut config = GpuConfig::named("tiny").expect("a configuration");
    config.trace = trace;
    let name = if trace { "tiny-traced" } else { "tiny" };
    let to = root().join("target").join("test-replay").join(name);
    warpsmith_hdl::injecting_chip(&config, "tiny").write(&to).expect("written");
    to
}

fn wider() -> Vec<Wider> {
    let config = GpuConfig::named("tiny").expect("a configuration");
    warpsmith_hdl::sm::trace::wider(&config)
        .into_iter()
        .map(|w| Wider { without: w.without as u32, with: w.with as u32, place: w.place })
        .collect()
}

/// Vector addition on `tiny`: without a fault, and the chip with the trace port.
fn bench() -> Option<&'static (Golden, Traced)> {
    static BENCH: OnceLock<(Golden, Traced)> = OnceLock::new();
    if !tools(&SIMULATION) {
        return None;
    }
    Some(BENCH.get_or_init(|| {
        let launch = support::load("vector_add");
        let golden = Golden::run(&folder(false), launch, 1, None).unwrap_or_else(|e| panic!("{e}"));
        let traced = Traced::open(&golden, &folder(true), &wider(), false).unwrap_or_else(|e| panic!("{e}"));
        (golden, traced)
    }))
}

fn explain(golden: &Golden, traced: &Traced, fault: &Fault) -> Explanation {
    let mut replay = Replay::new(golden, traced, SimulatorOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    replay.explain(fault).unwrap_or_else(|e| panic!("{e}"))
}

fn fault(golden: &Golden, path: &str, word: u32, bit: u32, cycle: u64, kind: FaultKind) -> Fault {
    let site = golden.sites().find(path).unwrap_or_else(|e| panic!("{e}"));
    Fault::simple(site, word, vec![bit], cycle, kind)
}

#[test]
fn an_upset_of_a_register_surfaces_where_it_is_read() {
    let Some((golden, traced)) = bench() else { return };
    // A register file of 4 beats a register: bank 5 holds threads 5, 13, 21 and 29. Some word of it is
    // a source of the kernel; the upset must surface as bit 9 of one of these threads, and no other.
    let mut seen = 0;
    for word in 0..24 {
        let path = "u_sm_0.u_datapath.u_write_back.u_file.u_bank_5.mem";
        let f = fault(golden, path, word, 9, 100, FaultKind::Seu);
        let e = explain(golden, traced, &f);
        let Some(i) = e.surfaced.as_ref().and_then(|s| s.instruction.as_ref()) else { continue };
        let thread = 5 + 8 * (word % 4);
        let (field, lanes) = (i.found.mismatch.field, i.lanes());
        assert_eq!(lanes, 1 << thread, "word {word}: {e:?}");
        assert!(e.surfaced.as_ref().is_some_and(|s| s.cycle >= 100));
        // Additions and shifts move the bit at most upwards.
        assert_eq!(i.bits() & 0x1ff, 0, "word {word}: {e:?}");
        assert!(
            matches!(
                e.class,
                Some(ErrorClass::Value | ErrorClass::MemoryAddress | ErrorClass::MemoryData | ErrorClass::Flags)
            ),
            "word {word}: {e:?}"
        );
        if matches!(field, Field::Stored) {
            assert_eq!(i.bits(), 1 << 9, "a store stores the bit itself");
        }
        seen += 1;
    }
    assert!(seen > 0, "some register is read after cycle 100");
}

/// The lockstep before a fault is taken over from the fault before it, or begun anew.
#[test]
fn explanations_do_not_depend_on_the_faults_before() {
    let Some((golden, traced)) = bench() else { return };
    let bank = "u_sm_0.u_datapath.u_write_back.u_file.u_bank_5.mem";
    let mut faults: Vec<Fault> = [(0, 90), (3, 250), (7, 251), (9, 40), (11, 400), (0, 0)]
        .map(|(word, cycle)| fault(golden, bank, word, 9, cycle, FaultKind::Seu))
        .into();
    // Upsets and stuck bits of every kind of site, some of which hang, trap or store elsewhere.
    let sites = golden.sites().list().len();
    faults.extend((0..sites).step_by(sites / 40).map(|site| {
        let kind = match golden.sites().site(site).kind {
            SiteKind::Out => FaultKind::StuckAt1,
            _ => FaultKind::Seu,
        };
        Fault::simple(site, 0, vec![0], (site as u64 * 37) % golden.cycles(), kind)
    }));
    let mut replay = Replay::new(golden, traced, SimulatorOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut seen = 0;
    for f in &faults {
        let e = replay.explain(f).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(e, explain(golden, traced, f));
        seen += u32::from(e.class.is_some());
    }
    assert!(seen > 5, "{seen} faults have an effect");
}

#[test]
fn a_stuck_bit_of_the_active_mask_is_wrong_lane_activity() {
    let Some((golden, traced)) = bench() else { return };
    let f = fault(golden, "u_sm_0.u_dispatch.mask", 0, 7, 0, FaultKind::StuckAt0);
    let e = explain(golden, traced, &f);
    assert_eq!(e.class, Some(ErrorClass::LaneActivity), "{e:?}");
    let s = e.surfaced.expect("it surfaces");
    let i = s.instruction.expect("in an instruction");
    assert_eq!(i.found.mismatch.field, Field::Active);
    assert_eq!((i.lanes(), i.bits()), (1 << 7, 1 << 7));
    assert_eq!(i.found.retire, 1, "in the first instruction of all");
    assert_eq!(e.record.outcome, FaultOutcome::Sdc, "thread 7 stores nothing");
}

#[test]
fn an_upset_of_a_pc_is_wrong_control_flow() {
    let Some((golden, traced)) = bench() else { return };
    let f = fault(golden, "u_sm_0.u_dispatch.pc", 0, 3, 0, FaultKind::StuckAt1);
    let e = explain(golden, traced, &f);
    assert!(matches!(e.class, Some(ErrorClass::ControlFlow | ErrorClass::Trap)), "{e:?}");
}

#[test]
fn a_stuck_bit_of_an_opcode_is_wrong_operation() {
    let Some((golden, traced)) = bench() else { return };
    // Bits 28 to 31 of a word's first half are the opcode.
    let mut operations = 0;
    for (bit, kind) in (28..32).flat_map(|b| [(b, FaultKind::StuckAt0), (b, FaultKind::StuckAt1)]) {
        let f = fault(golden, "u_sm_0.u_dispatch.word", 0, bit, 0, kind);
        let e = explain(golden, traced, &f);
        let Some(class) = e.class else { continue };
        // What is no instruction traps and never retires.
        assert!(matches!(class, ErrorClass::Operation | ErrorClass::Trap), "{kind} at {bit}: {e:?}");
        operations += u32::from(class == ErrorClass::Operation);
    }
    assert!(operations > 0, "some opcode becomes another one");
}

#[test]
fn a_masked_fault_says_so() {
    let Some((golden, traced)) = bench() else { return };
    // Nothing reads the last word of the program memory.
    let f = fault(golden, "u_sm_0.u_fetch.u_store.mem", 511, 0, 50, FaultKind::Seu);
    let mut replay = Replay::new(golden, traced, SimulatorOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let e = replay.explain(&f).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((e.record.outcome, e.record.how), (FaultOutcome::Masked, Some(How::Unused)));
    assert_eq!((e.class, &e.surfaced), (None, &None));
    let trail = replay.trail(&e).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(trail.len(), 1, "{trail:?}");
    assert_eq!((trail[0].cycle, trail[0].sites, &trail[0].new), (50, 1, &vec![f.site]));
    let text = e.text(3, golden.sites(), &trail);
    for part in ["row 3: seu in cycle 50", "masked, unused", "no architectural difference"] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

#[test]
fn an_absent_bit_disturbs_nothing() {
    let Some((golden, traced)) = bench() else { return };
    // The last two bits of a held instruction stand in for its word and depth.
    let path = "u_sm_0.u_issue.held";
    let site = golden.sites().find(path).expect("a site");
    let width = golden.sites().site(site).width;
    for bit in [width - 2, width - 1] {
        let e = explain(golden, traced, &fault(golden, path, 0, bit, 60, FaultKind::StuckAt1));
        assert_eq!((e.class, e.record.outcome), (None, FaultOutcome::Masked), "{e:?}");
    }
    // The bits before them are the pc.
    let e = explain(golden, traced, &fault(golden, path, 0, width - 3, 0, FaultKind::StuckAt1));
    assert_ne!(e.class, Some(ErrorClass::Operation), "{e:?}");
}

/// A campaign of a few rows, and where results would be.
fn campaign(dir: &Path) -> PathBuf {
    let path = dir.join("c.csv");
    let launch = kernel("vector_add");
    let rows = "row,site,word,bit,cycle,kind,duration,period,active,weight\n\
                0,u_sm_0.u_dispatch.mask,0,7,0,stuck-at-0,,,,1\n\
                1,u_sm_0.u_fetch.u_store.mem,511,0,50,seu,,,,1\n";
    let text =
        format!("# warpsmith campaign 1\n# config = tiny\n# launch = {}\n# power_on = 1\n{rows}", launch.display());
    std::fs::write(&path, text).expect("written");
    path
}

fn replay(args: &[&str]) -> Output {
    warpsmith(&[&["fault", "replay"], args].concat())
}

#[test]
fn one_row_is_explained_and_compared_with_the_results() {
    if !tools(&SIMULATION) {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = campaign(dir.path());
    let file = path.to_str().expect("text");
    let (code, out, err) = outcome(&replay(&[file, "0"]));
    assert_eq!(code, 0, "{err}");
    for part in [
        "row 0: stuck-at-0 in cycle 0 at u_sm_0.u_dispatch.mask bit 7",
        "class: wrong-lane-activity (SC'23: IAT or IAL)",
        "first architectural difference",
        "active mask: model 0xffff_ffff  chip 0xffff_ff7f  xor 0x0000_0080",
        "vector_add.sass:",
        "propagation",
    ] {
        assert!(out.contains(part), "'{part}' is missing in:\n{out}");
    }
    let (code, out, err) = outcome(&warpsmith(&["fault", "run", file]));
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = outcome(&replay(&[file, "0", "--json"]));
    assert_eq!(code, 0, "{err}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(json["stored"], "equal");
    assert_eq!(json["outcome"], "sdc");
    assert_eq!(json["class"], "wrong-lane-activity");
    assert_eq!(json["surfaced"]["instruction"]["lanes"], 0x80);
    assert_eq!(json["surfaced"]["instruction"]["pc"], 0);
    assert!(json["propagation"].as_array().is_some_and(|p| !p.is_empty()));
    // Results that say something else.
    let store = Store::open_read(&path.with_extension("db")).expect("results");
    let sites = Sites::load(&folder(false)).expect("sites");
    let rows = Campaign::read(&path, &sites).expect("a campaign").rows;
    let mut record = store.records().expect("records")[&0].clone();
    record.wrong_words += 1;
    let other = dir.path().join("other.db");
    let mut changed = Store::open(&other, store.meta()).expect("a new database");
    changed.insert(&sites, RanOn::Engine(Engine::Verilator), &[(&rows[0], record)]).expect("inserted");
    changed.finish().expect("written");
    let other = other.to_str().expect("text");
    let (code, _, err) = outcome(&replay(&[file, "0", "--results", other]));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("ANOTHER RECORD: wrong words"), "{err}");
}

#[test]
fn all_rows_with_an_effect_stand_in_the_table() {
    if !tools(&SIMULATION) {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = campaign(dir.path());
    let table = dir.path().join("o.csv");
    let (code, out, err) =
        outcome(&replay(&[path.to_str().expect("text"), "--all", "--csv", table.to_str().expect("text")]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("1 of 2 rows have an effect"), "{out}");
    let text = std::fs::read_to_string(&table).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(lines[0], warpsmith_fault::replay::CSV_COLUMNS.join(","));
    assert!(
        lines[1].starts_with("0,u_sm_0.u_dispatch.mask,0,7,stuck-at-0,0,sdc,wrong-lane-activity,IAT/IAL,"),
        "{text}"
    );
    assert!(lines[1].ends_with("active mask,0x00000080,0x00000080,"), "{text}");
}

#[test]
fn both_waveforms_cover_the_window() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = campaign(dir.path());
    let wave = dir.path().join("w.fst");
    let (code, _, err) = outcome(&replay(&[
        path.to_str().expect("text"),
        "0",
        "--window",
        "20",
        "--engine",
        "native",
        "--wave",
        wave.to_str().expect("text"),
    ]));
    assert_eq!(code, 0, "{err}");
    let read = |p: &Path| std::fs::read(p).expect("written");
    let (faulty, right) = (read(&wave), read(&dir.path().join("w.golden.fst")));
    // The header block of an FST file: type 0, length 329, big-endian; times, then at byte 49 and on
    // the numbers of scopes, variables and signals.
    let number = |b: &[u8], at: usize| u64::from_be_bytes(b[at..at + 8].try_into().expect("eight"));
    for b in [&faulty, &right] {
        assert_eq!(&b[..9], [0, 0, 0, 0, 0, 0, 0, 1, 0x49]);
        let cycles = (number(b, 17) - number(b, 9)) / 2;
        assert!((20..200).contains(&cycles), "{cycles} cycles");
    }
    assert_eq!((number(&faulty, 9), number(&faulty, 17)), (number(&right, 9), number(&right, 17)));
    assert_eq!(faulty[41..73], right[41..73], "the same scopes and signals");
    assert!(number(&faulty, 49) > 300, "variables");
    assert_ne!(faulty[330..], right[330..], "the fault shows");
}

#[test]
fn mistakes_are_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = campaign(dir.path());
    let file = path.to_str().expect("text");
    for (args, part) in [
        (&["nowhere.csv", "0"][..], "nowhere.csv"),
        (&[file, "9"], "no row 9; there are 0 to 1"),
        (&[file, "0", "--wave", "x.vcd"], ".fst"),
        (&[file, "0", "--results", "none.db"], "none.db"),
        (&[file], "required"),
    ] {
        let (code, out, err) = outcome(&replay(args));
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(part), "{args:?}: '{part}' is missing in: {err}");
    }
}
