//! The settings file and the variables that replace its keys; mistakes in them.

use crate::support::{both, host, tools, with_driver, Driver};
use std::path::Path;
use std::process::Output;

/// clinfo's list of devices with a settings file and variables.
fn devices(settings: &str, variables: &[(&str, &str)]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("opencl.toml");
    std::fs::write(&file, settings).expect("it can be written");
    let mut command = with_driver(Path::new("clinfo"), Driver::Warpsmith(""));
    command.arg("-l").env("WARPSMITH_OPENCL_CONFIG", &file);
    command.env_remove("WARPSMITH_DEVICE");
    for (name, value) in variables {
        command.env(name, value);
    }
    let out: Output = command.output().expect("timeout of coreutils starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr))
}

#[test]
fn file_chooses_and_variables_replace() {
    if !tools() || !Path::new("/usr/bin/clinfo").is_file() {
        return;
    }
    let (list, err) = devices("device = \"rtl:tiny,model:wide\"\ncosim = true\n", &[]);
    assert!(list.contains("#0: Warpsmith RTL tiny"), "{list}{err}");
    assert!(list.contains("#1: Warpsmith model wide"), "{list}{err}");
    let (list, err) = devices("device = \"rtl:tiny\"\n", &[("WARPSMITH_DEVICE", "model")]);
    assert!(list.contains("#0: Warpsmith model compute"), "{list}{err}");
    assert!(!list.contains("tiny"), "{list}");
    // Neither: the default.
    let (list, err) = devices("", &[]);
    assert!(list.contains("#0: Warpsmith model compute"), "{list}{err}");
    assert!(list.contains("#1: Warpsmith RTL compute"), "{list}{err}");
}

#[test]
fn chip_of_a_file_is_a_device() {
    if !tools() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let chip = folder.path().join("mine.toml");
    std::fs::write(&chip, "base = \"tiny\"\nwarps = 8\n").expect("it can be written");
    let mut command = with_driver(&host("reduction"), Driver::Warpsmith(""));
    command.env("WARPSMITH_DEVICE", format!("rtl:{}", chip.display()));
    let out = command.env("WARPSMITH_COSIM", "1").output();
    let out = out.expect("timeout of coreutils starts");
    assert!(out.status.success(), "{}", both(&out));
}

#[test]
fn mistakes_are_named() {
    if !tools() || !Path::new("/usr/bin/clinfo").is_file() {
        return;
    }
    for (settings, variables, named) in [
        ("devices = \"model\"\n", &[][..], "opencl.toml"),
        ("cosim = 3\n", &[], "opencl.toml"),
        ("", &[("WARPSMITH_COSIM", "perhaps")], "WARPSMITH_COSIM"),
        ("", &[("WARPSMITH_CYCLE_LIMIT", "-1")], "WARPSMITH_CYCLE_LIMIT"),
        ("", &[("WARPSMITH_DEVICE", "board")], "board"),
        ("", &[("WARPSMITH_DEVICE", "rtl:no/such.toml")], "no/such.toml"),
        ("", &[("WARPSMITH_DEVICE", "uart:/no/such/port")], "/no/such/port"),
        ("", &[("WARPSMITH_ENGINE", "steam")], "WARPSMITH_ENGINE"),
        ("", &[("WARPSMITH_MUTANT", "nobody")], "WARPSMITH_MUTANT"),
    ] {
        let (list, err) = devices(settings, variables);
        assert!(!list.contains("Device #0"), "{variables:?}: {list}");
        let ours = err.lines().find(|l| l.starts_with("warpsmith: "));
        let ours = ours.unwrap_or_else(|| panic!("{settings} {variables:?}: no message: {err}"));
        assert!(ours.contains(named), "{variables:?}: {ours}");
    }
}
