//! The vectors of docs/differences.md in both readings.

use std::collections::BTreeSet;
use warpsmith_isa::{assemble_in, Semantics, Tier};
use warpsmith_model::{Launch, Machine, ModelConfig, Retired};

const PAGE: &str = include_str!("../../../docs/differences.md");

/// Rows of the table below a heading: cells without their borders.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = PAGE.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let rows = section.lines().skip_while(|l| !l.starts_with("|")).take_while(|l| l.starts_with("|"));
    rows.skip(2).map(|l| l.trim_matches('|').split(" | ").map(|c| c.trim_matches(['|', ' '])).collect()).collect()
}

/// Name and value of `R5=0000000d`.
fn assignment(text: &str) -> (char, usize, u32) {
    let (place, value) = text.split_once('=').unwrap_or_else(|| panic!("{text} is no value"));
    let (kind, number) = place.split_at(1);
    let number = number.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    (
        kind.chars().next().unwrap_or(' '),
        number,
        u32::from_str_radix(value, 16).unwrap_or_else(|e| panic!("{text}: {e}")),
    )
}

/// Instructions that bring the state about. R15 is no register of the vectors.
fn before(state: &str) -> String {
    let place = |text: &str| match assignment(text) {
        ('R', n, v) => format!("MVI R{n}, {v:#x};"),
        ('A', n, v) => format!("MVI R15, {v:#x}; R2A A{n}, R15;"),
        ('C', n, v) => format!("MVI R15, {v:#x}; R2C C{n}, R15;"),
        _ => panic!("{text}"),
    };
    let given = state.split_whitespace().filter(|s| *s != "–").map(place);
    format!("MVI R5, 0x0; MVI R0, 0x0; {}", given.collect::<String>())
}

/// What the words leave where `wanted` looks, or their trap.
fn found(semantics: Semantics, words: &[u32], state: &str, wanted: &str) -> String {
    let start = assemble_in(Some(semantics), &before(state), "before").unwrap_or_else(|e| panic!("{state}: {e}"));
    let mut code = start.words;
    let first = code.len() as u32 * 4;
    code.extend(words);
    if words.len() == 1 {
        code.push(warpsmith_isa::asm::PAD_WORD);
    }
    code.extend([0xf000_0001, 0xe000_0781]);
    let launch = Launch::from_words("vector", code);
    let launch = Launch { registers: 16, program: launch.program.clone().read_as(semantics), ..launch };
    let config = ModelConfig { tier: Tier::full().read_as(semantics), ..ModelConfig::default() };
    let mut m = Machine::new(&launch, config);
    let block = m.start_block([0, 0]);
    let mut record = Retired::default();
    let mut after = None;
    while !record.finished {
        if let Err(e) = m.step(block, 0, &mut record) {
            let trap = match e {
                warpsmith_model::StepError::Trap(t) => t.cause.number(),
                other => panic!("{other}"),
            };
            return format!("trap {trap}");
        }
        if record.pc == first {
            after = m.warp(block, 0).cloned();
        }
    }
    let warp = after.expect("the instruction retires");
    match assignment(wanted) {
        ('R', n, _) => format!("R{n}={:08x}", warp.registers[n][0]),
        ('A', n, _) => format!("A{n}={:04x}", warp.address[n][0]),
        ('C', n, _) => format!("C{n}={:x}", warp.flags[n][0]),
        _ => panic!("{wanted}"),
    }
}

#[test]
fn every_vector_of_the_page_gives_what_it_says_in_both_readings() {
    let vectors = table("## Vectors");
    assert!(vectors.len() >= 50, "{} vectors", vectors.len());
    for v in &vectors {
        let [number, words, _, state, g80, flexgripplus, ..] = v[..] else {
            panic!("{v:?}");
        };
        let words = words.trim_matches('`').split_whitespace();
        let words: Vec<u32> =
            words.map(|w| u32::from_str_radix(w, 16).unwrap_or_else(|e| panic!("{w}: {e}"))).collect();
        for (semantics, wanted) in Semantics::ALL.into_iter().zip([g80, flexgripplus]) {
            // A trap has no place: look somewhere.
            let at = if wanted.starts_with("trap") { "R5=0" } else { wanted };
            assert_eq!(found(semantics, &words, state, at), wanted, "{number} {words:08x?} as {semantics}");
        }
    }
}

#[test]
fn bold_rows_of_the_page_are_those_that_the_two_readings_tell_apart() {
    let differences = table("## Differences");
    let numbered = differences.iter().filter(|r| !r[0].is_empty());
    let bold: BTreeSet<&str> =
        numbered.clone().filter(|r| r[0].starts_with("**")).map(|r| r[0].trim_matches('*')).collect();
    let vectors = table("## Vectors");
    let apart: BTreeSet<&str> = vectors.iter().filter(|v| v[4] != v[5]).map(|v| v[0]).collect();
    let by_test = ["B1", "M4"].into_iter().collect();
    assert_eq!(bold, apart.union(&by_test).copied().collect());
    let all: BTreeSet<&str> = numbered.map(|r| r[0].trim_matches('*')).collect();
    assert!(vectors.iter().all(|v| all.contains(v[0])), "a vector of no row");
}
