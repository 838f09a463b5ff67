//! `warpsmith fault selftest`: what it writes detects what it says, by a count of its own; mistakes are one line.

use crate::support;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use support::{found, kernel, only_in_soak, outcome, prints, refuses, warpsmith_with};
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::rtl::field_place;
use warpsmith_hdl::sm::control::Control;
use warpsmith_hdl::sm::dims::Dims;

type Row = BTreeMap<String, String>;

fn table(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).expect("the table");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    lines.map(|l| names.iter().map(|n| n.to_string()).zip(l.split(',').map(String::from)).collect()).collect()
}

/// What the command prints for a unit of a chip, and its folder; `None` without Yosys.
fn selftest(unit: &str, config: &str, more: &[&str]) -> Option<(Value, tempfile::TempDir)> {
    found(Tool::Yosys.find())?;
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("tests").display().to_string();
    let args = ["fault", "selftest", "--unit", unit, "--config", config, "--json", "--out", &out];
    let json = serde_json::from_str(&prints(&[&args[..], more].concat())).expect("one object");
    Some((json, dir))
}

fn number(json: &Value, path: &[&str]) -> u64 {
    path.iter().fold(json, |v, k| &v[*k]).as_u64().unwrap_or_else(|| panic!("{path:?}"))
}

/// Faults of a table, and which of them `fault gates` sees detected by the stores of one of the first programs.
fn counted_again(unit: &str, config: &str, folder: &Path, pins: &[&str], first: usize) -> (Vec<Row>, Vec<bool>) {
    let rows = table(&folder.join("faults.csv"));
    let mut detected: BTreeMap<(String, String), bool> = BTreeMap::new();
    let mut tests: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    tests.retain(|t| t.is_dir());
    tests.sort();
    tests.truncate(first);
    for test in tests {
        let launch = test.join("launch.toml").display().to_string();
        prints(&["run", &launch, "--config", config]);
        let csv = folder.join("../again.csv").display().to_string();
        let args = ["fault", "gates", "--unit", unit, "--config", config, "--launch", &launch];
        prints(&[&args[..], &["--sample", "all", "--csv", &csv], pins].concat());
        for row in table(Path::new(&csv)) {
            let seen = ["sdc", "due", "hang"].contains(&&row["outcome"][..]);
            *detected.entry((row["pin"].clone(), row["fault"].clone())).or_default() |= seen;
        }
    }
    let again = rows.iter().map(|r| detected[&(r["pin"].clone(), r["fault"].clone())]).collect();
    (rows, again)
}

/// `fault gates` on each program that was written counts the same faults, and none of those that are proved untestable.
#[test]
fn what_it_writes_detects_what_it_says() {
    let pins = &["--pin", "y_3.*", "--pin", "e1_*_3.*"][..];
    let more = [&["--kernels", "none", "--budget", "4", "--depth", "2", "--conflicts", "200"][..], pins].concat();
    let Some((json, dir)) = selftest("int", "tiny", &more) else { return };
    let folder = dir.path().join("tests");
    let (rows, again) = counted_again("int_unit", "tiny", &folder, pins, usize::MAX);
    assert_eq!(rows.len() as u64, number(&json, &["faults"]));
    for (row, again) in rows.iter().zip(&again) {
        let name = format!("{} {}: {}", row["pin"], row["fault"], row["verdict"]);
        assert_eq!(row["verdict"] == "detected", *again, "{name}");
    }
    let detected = again.iter().filter(|d| **d).count() as u64;
    assert_eq!(detected, number(&json, &["detected", "faults"]));
    assert!(detected * 10 > 5 * rows.len() as u64, "{detected} of {}", rows.len());
    let tests = json["tests"].as_array().expect("tests").len();
    assert!((1..=4).contains(&tests));
    for file in ["report.txt", "report.json", "t01/program.sass"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    // Nothing is replaced.
    let out = folder.display().to_string();
    refuses(&["fault", "selftest", "--unit", "int", "--config", "tiny", "--out", &out], &["--out", "new or empty"]);
}

/// A bit of the trap cause that is stuck at 1 traps; stuck at 0 it shows in a word that traps, and in no other.
#[test]
fn what_shows_in_words_that_trap_alone_is_said() {
    let config = GpuConfig::named("tiny").expect("a chip");
    let (at, _) = field_place(&Control::fields(&Dims::of(&config)), "trap").expect("a field");
    let pin = format!("control_{at}.Y");
    let more = ["--kernels", "none", "--budget", "2", "--depth", "2", "--conflicts", "200", "--pin", &pin];
    let Some((json, dir)) = selftest("decoder", "tiny", &more) else { return };
    let rows = table(&dir.path().join("tests/faults.csv"));
    let verdict = |fault: &str| {
        let row = rows.iter().find(|r| r["pin"] == pin && r["fault"] == fault);
        row.map(|r| (r["verdict"].clone(), r["outcome"].clone())).expect("a row")
    };
    assert_eq!(verdict("stuck-at-1"), ("detected".into(), "due".into()));
    assert_eq!(verdict("stuck-at-0"), ("trap-only".into(), String::new()));
    assert!(number(&json, &["found", "trap_only", "faults"]) >= 1);
    assert_eq!(number(&json, &["testable", "classes"]), number(&json, &["detected", "classes"]));
}

#[test]
fn mistakes_are_one_line() {
    let ask = |more: &[&str], fragments: &[&str]| {
        let args = ["fault", "selftest", "--config", "tiny", "--budget", "1", "--kernels", "none"];
        refuses(&[&args[..], more].concat(), fragments)
    };
    ask(&["--unit", "nothing"], &["--unit nothing", "int_unit", "decode"]);
    ask(&["--unit", "float"], &["no such block", "`tiny`"]);
    ask(&["--unit", "int", "--hang", "0"], &["hang"]);
    ask(&["--unit", "int", "--netlist", "none.json"], &["none.json"]);
    ask(&["--unit", "int", "--netlist", "Cargo.toml"], &["Cargo.toml", "no netlist of Yosys"]);
    ask(&["--unit", "int", "--out", "tests"], &["--out tests", "new or empty"]);
    ask(&["--unit", "int", "--out", "Cargo.toml"], &["--out Cargo.toml", "new or empty"]);
    // Without Yosys, and without gates of an earlier run.
    let cache = tempfile::tempdir().expect("a folder");
    let args = ["fault", "selftest", "--unit", "int", "--config", "tiny"];
    let out = warpsmith_with(&args, |c| {
        c.env("PATH", "").env("WARPSMITH_CACHE", cache.path()).env("WARPSMITH_PYTHON", cache.path())
    });
    let (code, stdout, err) = outcome(&out);
    support::check_refusal(code, &stdout, &err, &["yosys is missing", "make tools"]);
}

#[test]
fn gates_of_another_unit_or_chip_are_refused() {
    if found(Tool::Yosys.find()).is_none() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let kept = dir.path().join("gates.json").display().to_string();
    let launch = kernel("vector_add").display().to_string();
    let args = ["fault", "gates", "--unit", "int_unit", "--config", "tiny", "--launch", &launch];
    prints(&[&args[..], &["--sample", "0", "--keep", &kept]].concat());
    let ask = |unit: &str, gates: &str, fragments: &[&str]| {
        let args = ["fault", "selftest", "--unit", unit, "--config", "tiny", "--kernels", "none"];
        refuses(&[&args[..], &["--budget", "1", "--netlist", gates]].concat(), fragments)
    };
    ask("decoder", &kept, &["another unit or another chip"]);
    let text = std::fs::read_to_string(&kept).expect("the gates").replace("$_XOR_", "$_XNOR_");
    let wrong = dir.path().join("wrong.json");
    std::fs::write(&wrong, text).expect("room");
    ask("int", &wrong.display().to_string(), &["do not do what", "of this chip does"]);
}

/// The coverage of docs/fault-selftest.md; what the first program detects is counted again by `fault gates`, which runs
/// every fault to its end.
fn reaches(unit: &str, block: &str, config: &str, share: f64) {
    only_in_soak();
    let Some((json, dir)) = selftest(unit, config, &["--kernels", "none"]) else { return };
    let (rows, again) = counted_again(block, config, &dir.path().join("tests"), &[], 1);
    let mut of_first = 0;
    for (row, again) in rows.iter().zip(&again) {
        let name = format!("{} {}: {}", row["pin"], row["fault"], row["verdict"]);
        assert!(!(*again && row["verdict"] != "detected"), "{name}");
        assert!(*again || row["test"] != "t01", "{name}");
        of_first += usize::from(row["test"] == "t01");
    }
    assert!(2 * of_first > rows.len(), "{of_first} of {}", rows.len());
    let reached = number(&json, &["detected", "faults"]) as f64 / number(&json, &["testable", "faults"]) as f64;
    assert!(reached >= share, "{unit}: {reached}");
}

#[test]
#[ignore = "minutes; make soak runs it"]
fn tests_of_the_integer_unit_reach_their_coverage() {
    reaches("int", "int_unit", "tiny", 0.985);
}
