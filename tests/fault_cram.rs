//! `warpsmith fault cram`: mistakes are one line; in `make soak` a routed chip. What bits turn into is tested with a small
//! design in `tests/routed.rs`.

use crate::support;
use serde_json::Value;
use support::{found, kernel, only_in_soak, prints, refuses};
use warpsmith_fpga::synth::tools::Tool;

#[test]
fn mistakes_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().display().to_string();
    let launch = kernel("vector_add").display().to_string();
    let refused = |more: &[&str], parts: &[&str]| {
        refuses(&[&["fault", "cram", &folder, "--launch", &launch, "--config", "tiny"][..], more].concat(), parts);
    };
    refused(&[], &["manifest.json: no such file", "synth --target ecp5 --config tiny"]);
    refused(&["--hang", "0.5"], &["hang"]);
    // A folder of another chip.
    let rtl = dir.path().join("rtl").display().to_string();
    prints(&["emit", "--config", "tiny", "--set", "trace=false", "--set", "lanes=4", "--out", &rtl]);
    for name in ["place.config", "routed.json"] {
        std::fs::write(dir.path().join(name), "").expect("room");
    }
    refused(&[], &["manifest.json", "other parameters than `tiny`"]);
    prints(&["emit", "--config", "tiny", "--set", "trace=false", "--out", &rtl]);
    if found(Tool::NextpnrEcp5.find()).is_some() {
        refused(&[], &["place.config: a line `.device` was expected"]);
    }
}

/// A thousand bits of `tiny`, which is routed for it: every bit that is simulated has an outcome, the table and the figures
/// agree, and of the bits that change something some are critical and some are not.
#[test]
#[ignore = "a quarter of an hour for place and route; make soak runs it"]
fn bits_of_a_routed_chip_are_classified() {
    only_in_soak();
    if found(Tool::NextpnrEcp5.find()).is_none() || found(Tool::Yosys.find()).is_none() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("routed").display().to_string();
    let (code, ..) = support::outcome(&support::warpsmith(&[
        "synth", "--target", "ecp5", "--config", "tiny", "--clock", "40", "--out", &folder,
    ]));
    assert!(code <= 1, "placed and routed, whatever its clock");
    let csv = dir.path().join("bits.csv").display().to_string();
    let launch = kernel("vector_add").display().to_string();
    let args =
        ["fault", "cram", &folder, "--config", "tiny", "--launch", &launch, "--count", "1000", "--csv", &csv, "--json"];
    let json: Value = serde_json::from_str(&prints(&args)).expect("one object");
    let number = |v: &Value| v.as_u64().expect("a number");
    let essential = &json["essential"];
    assert_eq!(number(&essential["bits"]), 1000);
    let left: u64 = essential["not_simulated"].as_object().expect("reasons").values().map(number).sum();
    assert_eq!(number(&essential["simulated"]) + left, 1000);
    let critical = number(&essential["critical"]);
    assert!(critical > 50 && critical < number(&essential["simulated"]), "{critical}");
    let table = std::fs::read_to_string(&csv).expect("the table");
    assert_eq!(table.lines().count() as u64, 1 + number(&json["drawn"]));
    let failed = table.lines().filter(|l| [",sdc,", ",due,", ",hang,"].iter().any(|o| l.contains(o)));
    assert_eq!(failed.count() as u64, critical);
    // The first of them alone has the same outcome.
    let row = table.lines().skip(1).find(|l| l.contains(",sdc,")).expect("a wrong result");
    let bit = row.split(',').next().expect("a bit");
    let args = ["fault", "cram", &folder, "--config", "tiny", "--launch", &launch, "--bit", bit, "--json"];
    let one: Value = serde_json::from_str(&prints(&args)).expect("one object");
    assert_eq!(one["essential"]["outcomes"]["sdc"], 1);
}
