//! Missing tools, the cache, `doctor`.

use crate::support::{self, args, check_refusal, outcome, warpsmith_with};
use std::path::Path;

#[test]
fn missing_verilator_is_named_with_the_way_out() {
    let launch = support::kernel("vector_add");
    let cache = tempfile::tempdir().expect("a temporary folder");
    let args = args!["run", &launch, "--on", "rtl", "--config", "tiny", "--engine", "verilator",];
    let out = warpsmith_with(&args, |c| {
        c.env("WARPSMITH_VERILATOR", "no-such-verilator").env("WARPSMITH_CACHE", cache.path())
    });
    let (code, out, err) = outcome(&out);
    check_refusal(
        code,
        &out,
        &err,
        &["no-such-verilator", "WARPSMITH_VERILATOR", "--engine native", "warpsmith doctor"],
    );
}

/// Every tool is optional: the model and the native engine need none. A cache that cannot be written is not.
#[test]
fn doctor_says_what_missing_tools_are_for_and_fails_only_without_a_cache() {
    let doctor = |cache: &Path| {
        let out = warpsmith_with(&["doctor"], |c| {
            c.env("PATH", "").env("WARPSMITH_VERILATOR", "no-such-verilator").env("WARPSMITH_CACHE", cache)
        });
        outcome(&out)
    };
    let cache = tempfile::tempdir().expect("a temporary folder");
    let (code, out, err) = doctor(cache.path());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for (tool, needed_for) in [
        ("verilator", "board"),
        ("g++", "--engine verilator"),
        ("clang", "cc"),
        ("sbatch", "slurm"),
        ("yosys", "synth"),
        ("LiteX", "soc"),
    ] {
        let found = out.lines().find(|l| {
            let mut words = l.split_whitespace();
            words.next() == Some("optional") && words.next() == Some(tool)
        });
        let line = found.unwrap_or_else(|| panic!("no line of {tool}: {out}"));
        assert!(line.contains(needed_for), "{line}");
        assert!(line.contains("install"), "{line}");
    }
    let (code, out, err) = doctor(Path::new("/proc/no-cache"));
    assert_eq!(code, 2, "{out}");
    let missing = |l: &str| l.starts_with("MISSING") && l.contains("WARPSMITH_CACHE");
    assert!(out.lines().any(missing), "{out}");
    assert!(err.starts_with("warpsmith: "), "{err}");
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("ptx")).expect("made");
    std::fs::write(dir.path().join("ptx/a"), vec![0; 2_000_000]).expect("written");
    std::fs::write(dir.path().join("mine.txt"), "mine").expect("written");
    let cache = dir.path().display().to_string();
    let run = |args: &[&str]| outcome(&warpsmith_with(args, |c| c.env("WARPSMITH_CACHE", &cache)));
    for args in [&["cache"][..], &["cache", "--size"]] {
        let (code, out, _) = run(args);
        assert!(code == 0 && out.contains(&cache) && out.contains("2.0 MB"), "{out}");
    }
    let (code, out, _) = run(&["cache", "--clear"]);
    assert!(code == 0 && out.contains("1 entries removed, 2.0 MB"), "{out}");
    assert!(!dir.path().join("ptx").exists() && dir.path().join("mine.txt").exists());
}
