//! `tests/run`, which `make test` ends with: it hides no failure, and says how to run each alone.

use crate::support;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// Runs it on a cargo that prints `text` and ends with `code`.
fn run(text: &str, code: i32, arguments: &[&str]) -> (i32, String) {
    run_demanding(text, code, arguments, false)
}

/// The same; with `tools`, every tool is demanded.
fn run_demanding(text: &str, code: i32, arguments: &[&str], tools: bool) -> (i32, String) {
    let dir = tempfile::tempdir().expect("a folder");
    let cargo = dir.path().join("cargo");
    let script = format!("#!/bin/sh\necho \"arguments $*\"\ncat <<'END'\n{text}END\nexit {code}\n");
    std::fs::write(&cargo, script).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&cargo, mode).expect("our own file");
    let mut command = Command::new(support::root().join("tests/run"));
    command.args(arguments).env("CARGO", cargo).env("LC_ALL", "C");
    match tools {
        true => command.env("WARPSMITH_REQUIRE_TOOLS", "1"),
        false => command.env_remove("WARPSMITH_REQUIRE_TOOLS"),
    };
    let out = command.output().expect("it starts");
    let (code, out, err) = support::outcome(&out);
    assert_eq!(err, "");
    (code, out)
}

const PASSES: &str = "\
     Running tests/a.rs (target/debug/deps/a-1)
test one ... ok
test two ... ok

successes:

---- one stdout ----
a line that nobody wants
skipped: one: shared data absent
skipped: one: more of it

---- two stdout ----
    failing

successes:
    one
    two

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

";

const FAILS: &str = "\
     Running tests/b.rs (target/debug/deps/b-1)
test three ... FAILED

failures:

---- three stdout ----
    left

failures:
    deep::three
    four

test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p warpsmith-hdl --test b`
     Running tests/c.rs (target/debug/deps/c-1)
error: test failed, to rerun pass `-p warpsmith --test c`

Caused by:
  process didn't exit successfully (signal: 6, SIGABRT: process abort signal)
error: 2 targets failed:
    `-p warpsmith-hdl --test b`
    `-p warpsmith --test c`
";

fn last(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn a_run_that_passes_ends_with_its_numbers() {
    let (code, text) = run(PASSES, 0, &["--release", "--", "--ignored"]);
    assert_eq!(code, 0);
    let numbers = "tests: 1 passed, 0 failed, 1 skipped, 1 of make soak left out, 0 minutes";
    assert_eq!(last(&text), numbers);
    assert!(text.contains("skipped: one: shared data absent") && !text.contains("nobody wants"));
    // Where Verilator is installed its runtime is linked.
    let text = text.replace(" --features warpsmith-cosim/verilated", "");
    let arguments = "test --color never --no-fail-fast --workspace --release -- --show-output --ignored";
    assert!(text.contains(arguments), "{text}");
}

#[test]
fn every_failure_is_named_with_its_command_and_fails_the_run() {
    let (code, text) = run(&[PASSES, FAILS, PASSES].concat(), 101, &[]);
    assert_eq!(code, 101);
    // Two that failed, and a program that ended without a word.
    let numbers = "tests: 7 passed, 3 failed, 2 skipped, 2 of make soak left out, 0 minutes";
    assert_eq!(last(&text), numbers);
    let commands = "what failed, each alone:
  cargo test -p warpsmith-hdl --test b -- --exact deep::three
  cargo test -p warpsmith-hdl --test b -- --exact four
  cargo test -p warpsmith --test c
tests: ";
    assert!(text.contains(commands), "{text}");
    assert!(text.contains("    left"), "what a failure said");
}

#[test]
fn a_run_in_which_nothing_compiles_fails() {
    let (code, text) = run("error: could not compile `warpsmith`\n", 101, &[]);
    assert_eq!(code, 101);
    assert!(text.contains("cargo ended with 101 before all tests had run"));
    assert!(last(&text).starts_with("tests: 0 passed, 0 failed"));
}

#[test]
fn a_skipped_test_fails_where_tools_are_demanded_unless_the_readme_allows_it() {
    let (code, text) = run_demanding(PASSES, 0, &[], true);
    assert_eq!(code, 1, "{text}");
    let named = "skipped, and not among those of tests/README.md (## Skipped):\n  one: one: shared data absent\n";
    assert!(text.contains(named), "{text}");
    let numbers = "tests: 1 passed, 1 failed, 0 skipped, 1 of make soak left out, 0 minutes";
    assert_eq!(last(&text), numbers);
    // One of a test, one of a module.
    for allowed in ["kernels::kernels_agree_in_lockstep_on_quad", "shared_kernels::any"] {
        let passes = PASSES.replace("---- one stdout", &format!("---- {allowed} stdout"));
        let (code, text) = run_demanding(&passes, 0, &[], true);
        assert_eq!(code, 0, "{text}");
        assert!(last(&text).starts_with("tests: 1 passed, 0 failed, 1 skipped"));
    }
}
