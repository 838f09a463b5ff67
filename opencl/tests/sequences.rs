//! Random sequences of calls from four threads: right results, no object left, no crash, no deadlock.

use crate::support::{both, host, tools, with_driver, Driver};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::io::Write;
use std::process::Stdio;

/// One line of a script of `hosts/sequence.c`: thread, call, two numbers.
type Line = (u32, char, u32, u32);

fn line() -> impl Strategy<Value = Line> {
    // Often what gives commands, seldom what waits.
    const CALLS: &str = "bbbrffffkkkkkkccccmdwFluunqKe";
    let calls: Vec<char> = CALLS.chars().collect();
    (0..4u32, prop::sample::select(calls), 0..8u32, 0..64u32)
}

fn run(script: &[Line], driver: Driver) -> Result<(), String> {
    let mut child = with_driver(&host("sequence"), driver)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("timeout of coreutils starts");
    let text: String = script.iter().map(|(t, call, a, b)| format!("{t} {call} {a} {b}\n")).collect();
    let mut stdin = child.stdin.take().expect("it was piped");
    // A program that died does not read.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    let out = child.wait_with_output().expect("it ends");
    match out.status.success() {
        true => Ok(()),
        false => Err(format!("{}\n{}\n{text}", out.status, both(&out))),
    }
}

fn sequences(driver: Driver, cases: u32, lines: usize) {
    let cases = warpsmith_testkit::cases(cases, 20 * cases);
    let mut runner =
        TestRunner::new(Config { cases, max_shrink_iters: 200, failure_persistence: None, ..Config::default() });
    runner
        .run(&prop::collection::vec(line(), 1..lines), |script| run(&script, driver).map_err(TestCaseError::fail))
        .unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn random_calls_on_the_model() {
    if tools() {
        sequences(Driver::Warpsmith("model"), 40, 300);
    }
}

#[test]
fn random_calls_on_the_verilog_of_tiny() {
    if tools() {
        sequences(Driver::Warpsmith("rtl:tiny"), 8, 150);
    }
}
