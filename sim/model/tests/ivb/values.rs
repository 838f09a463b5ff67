//! The values and the program of conformance/ivb.

use super::bench::Bench;
use std::collections::BTreeMap;
use warpsmith_conformance::{self as conformance, bytes};
use warpsmith_isa::ivb::{compacted, Ivb};
use warpsmith_isa::set::InstructionSet;

/// Number of a general register.
fn general(name: &str) -> Option<usize> {
    name.strip_prefix('g')?.parse().ok()
}

/// What a register of the vectors holds, as they write it.
fn shown(bench: &Bench, name: &str, like: &str) -> String {
    if let Some(n) = general(name) {
        let all = (32 * n..32 * n + 32).map(|b| format!("{:02x}", bench.byte(b)));
        return all.collect();
    }
    match name {
        "f0.0" => format!("{:0width$x}", bench.flag(0), width = like.len()),
        "acc0" => {
            let all = (0..8).map(|c| format!("{:x}", bench.accumulator(c)));
            all.collect::<Vec<_>>().join(":")
        }
        other => panic!("{other}"),
    }
}

#[test]
fn every_value_vector_matches_to_the_bit() {
    let (mut rows, mut short, mut opcodes, mut wrong) = (0, 0, BTreeMap::new(), vec![]);
    for instruction in conformance::rows("ivb/values.txt") {
        let native = bytes(instruction.column(0));
        let instr = Ivb.decode(&native).expect("an instruction");
        let compact = compacted(&instr).map(|i| i.code.to_vec());
        let codes = [Some(native), compact];
        for (code, case) in codes.iter().flatten().flat_map(|c| instruction.cases.iter().map(move |case| (c, case))) {
            short += usize::from(code.len() == 8);
            rows += 1;
            *opcodes.entry(instruction.column(1).to_string()).or_insert(0) += 1;
            let (before, after) = (case.column(0), case.column(1));
            let found = differences(code, before, after);
            let text = instruction.column(2);
            wrong.extend(found.iter().map(|d| format!("{text}\n  in {before}\n  {d}")));
        }
    }
    println!("{rows} value rows of {} opcodes, {short} of them compact", opcodes.len());
    let first: Vec<&String> = wrong.iter().take(20).collect();
    assert!(wrong.is_empty(), "{} of {rows}: {first:#?}", wrong.len());
    assert!(rows >= 418, "{rows}");
}

/// What differs after an instruction from what a case says.
fn differences(code: &[u8], before: &str, after: &str) -> Vec<String> {
    let mut bench = Bench::new(16, code);
    for (name, value) in conformance::values(before) {
        match general(name) {
            Some(n) => {
                for (i, b) in bytes(value).into_iter().enumerate() {
                    bench.set_byte(32 * n + i, b);
                }
            }
            None => {
                assert_eq!(name, "f0.0");
                bench.set_flag(0, u16::from_str_radix(value, 16).expect("digits"));
            }
        }
    }
    if let Err(e) = bench.step() {
        return vec![e.to_string()];
    }
    conformance::values(after)
        .map(|(name, value)| (name, shown(&bench, name, value), value))
        .filter(|(_, found, value)| found != value)
        .map(|(name, found, value)| format!("{name} {found}\n  not {value}"))
        .collect()
}

#[test]
fn the_fill_program_fills() {
    let code = conformance::program("ivb", "fill", bytes);
    assert_eq!(code.len(), 112);
    for (x, y) in [(0, 0), (2, 0), (1, 3), (3, 7)] {
        let mut bench = Bench::new(16, &code);
        bench.buffers = vec![(0x100, 512)];
        bench.set_dword(1, x);
        bench.set_dword(6, y);
        bench.set_byte(32, 0xa5);
        bench.run(100).expect("it ends");
        let at = 0x100 + 64 * y + 16 * x;
        for byte in 0..512 {
            let inside = (at..at + 16).contains(&(0x100 + byte));
            let want = if inside { 0xa5 } else { 0 };
            assert_eq!(bench.global.byte(0x100 + byte), want, "{x} {y} {byte}");
        }
    }
    println!("fill: 4 groups");
}
