//! Options, help and its examples.

use super::refuses;
use crate::support::{self, args, outcome, warpsmith, warpsmith_with};
use warpsmith_fpga::synth::tools::Tool;

#[test]
fn timeline_and_profile_of_the_model_are_refused() {
    let kernel = support::kernel("vector_add");
    for option in ["--timeline", "--profile"] {
        let given = format!("{option}=x");
        refuses(&args!["run", &kernel, &given], &[option, "--on rtl"]);
    }
    refuses(&["cosim", "--random", "1", "--timeline", "x"], &["--timeline", "--random"]);
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let launch = "kernels/vector_add/launch.toml";
    refuses_usage(&["cosim", launch, "--coverage", "x.html"], "--coverage");
    refuses_usage(&["run", launch, "--max-cycles", "0"], "--max-cycles");
    refuses_usage(&["run", launch, "--max-instructions", "0"], "--max-instructions");
    let plan = |more: &[&str], fragments: &[&str]| {
        let first = ["fault", "plan", launch, "-o", "target/never.csv"];
        let all: Vec<&str> = first.iter().chain(more).copied().collect();
        refuses(&all, fragments);
    };
    plan(&["--kind", "seu", "--duration", "3"], &["--duration", "transient or intermittent"]);
    plan(&["--kind", "transient", "--period", "3"], &["--period", "intermittent"]);
    plan(&["--active", "3"], &["--active", "intermittent"]);
    plan(&["--pattern", "adjacent-3"], &["--pattern", "mbu"]);
}

/// The parser of the command line refuses: several lines, the option among them.
#[track_caller]
fn refuses_usage(args: &[&str], option: &str) {
    let (code, _, err) = outcome(&warpsmith(args));
    assert!(code == 2 && err.contains(option), "{code}: {err}");
}

#[test]
fn mistakes_on_the_command_line_exit_with_2() {
    for args in [
        &["run"][..],
        &["frobnicate"],
        &["run", "--on", "silicon", "x.toml"],
        &["cosim"],
        &["bench", "--suite", "nonsense"],
        &["bench", "--config", "tiny", "--filter", "nonsense"],
        &["bench", "--config", "tiny,lanes=9"],
        &["bench", "--check", "--baseline", "no-such-file"],
        &["bench", "--results", "no-such-file"],
        &["bench", "--results", "docs/benchmarks/results.json", "--long"],
        &["cosim", "--seed", "x", "--random", "1"],
        &["run", "--threads", "0", "x.toml"],
        &[],
    ] {
        let (code, out, err) = outcome(&warpsmith(args));
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
    }
    let (_, _, err) = outcome(&warpsmith(&["frobnicate"]));
    assert!(err.starts_with("warpsmith: "), "{err}");
}

#[test]
fn help_and_version_exit_with_0_and_name_the_exit_codes() {
    for command in
        ["emit", "cc", "asm", "disasm", "isa", "run", "cosim", "bench", "opencl", "synth", "package", "soc", "doctor"]
    {
        for flag in ["-h", "--help"] {
            let (code, out, err) = outcome(&warpsmith(&[command, flag]));
            assert_eq!((code, err.as_str()), (0, ""));
            assert!(out.contains("Exit codes: 0"), "{command} {flag}: {out}");
        }
        let (_, short, _) = outcome(&warpsmith(&[command, "-h"]));
        assert!(short.lines().count() <= 40, "-h of {command} fits a screen");
    }
    let (code, out, _) = outcome(&warpsmith(&["--version"]));
    assert_eq!((code, out.trim()), (0, concat!("warpsmith ", env!("CARGO_PKG_VERSION"))));
}

/// Subcommands that a `--help` lists.
fn subcommands(help: &str) -> Vec<&str> {
    let list = help.split_once("\nCommands:\n").map_or("", |l| l.1);
    let list = list.split("\n\n").next().unwrap_or("");
    let names = list.lines().filter_map(|l| l.strip_prefix("  "));
    let names = names.filter_map(|l| l.split_whitespace().next());
    names.filter(|n| *n != "help").collect()
}

/// The examples of a command and of those below it, in order.
fn examples(path: &[&str], found: &mut Vec<String>) {
    let (_, help, _) = outcome(&warpsmith(&[path, &["--help"]].concat()));
    let lines = help.lines().filter_map(|l| l.strip_prefix("  warpsmith "));
    found.extend(lines.map(str::to_string));
    for name in subcommands(&help) {
        examples(&[path, &[name]].concat(), found);
    }
}

/// The examples of every `--help`, as typed, where a newcomer stands: in a folder with the kernels and without
/// `target`. Those of C need clang.
#[test]
fn examples_of_the_help_run() {
    let dir = support::Scratch::new("examples");
    for name in ["kernels", "sim"] {
        let link = dir.path().join(name);
        std::os::unix::fs::symlink(support::root().join(name), link).expect("a link");
    }
    let mut found = vec![];
    examples(&[], &mut found);
    let mut seen = 0;
    for line in &found {
        assert!(!line.contains("target/"), "a newcomer has no target: {line}");
        // No board is at hand; tests/uart.rs has a simulated one.
        if line.contains("uart:") || line.starts_with("board ") {
            continue;
        }
        let compiles = line.starts_with("cc ") || line.contains("saxpy.cubin");
        if compiles && !support::clang() {
            continue;
        }
        let gates = line.starts_with("fault gates ") || line.contains("selftest");
        if gates && Tool::Yosys.find().is_err() {
            continue;
        }
        // LiteX builds in no folder with spaces in its name.
        let spaces = dir.path().to_string_lossy().contains(char::is_whitespace);
        if line.starts_with("soc ") && (spaces || Tool::Litex.find().is_err()) {
            continue;
        }
        let args: Vec<&str> = line.split_whitespace().collect();
        let (code, _, err) = outcome(&warpsmith_with(&args, |c| c.current_dir(dir.path())));
        assert_eq!(code, 0, "warpsmith {line}: {err}");
        seen += 1;
    }
    assert!(seen >= 20, "{seen} examples of {}", found.len());
}
