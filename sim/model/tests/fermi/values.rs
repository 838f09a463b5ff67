//! The values and programs of conformance/fermi.

use crate::common::one_step;
use std::collections::BTreeMap;
use warpsmith_conformance::{self as conformance, number};
use warpsmith_isa::uop::{Place, Type};
use warpsmith_model::fermi::Fermi;
use warpsmith_model::uop::{Machine, Warp};
use warpsmith_model::Launch;

/// A name of the vectors as a place and the type of its value: `R0`, `P1`.
fn place(name: &str, digits: usize) -> (Place, Type) {
    let (kind, n) = name.split_at(1);
    let n: u16 = n.parse().unwrap_or_else(|_| panic!("{name}"));
    match kind {
        "P" => (Place::Predicate(n as u8), Type::Bool),
        "R" if digits > 8 => (Place::register(n), Type::U64),
        "R" => (Place::register(n), Type::U32),
        _ => panic!("{name}"),
    }
}

/// `c[0x1][0x20]`.
fn constant(name: &str) -> Option<(u8, usize)> {
    let (bank, offset) = name.strip_prefix("c[0x")?.split_once("][0x")?;
    let number = |s| usize::from_str_radix(s, 16).expect("hexadecimal digits");
    Some((number(bank) as u8, number(offset.trim_end_matches(']'))))
}

#[test]
fn every_value_vector_matches_to_the_bit() {
    let (mut rows, mut forms, mut wrong) = (0, BTreeMap::new(), vec![]);
    for instruction in conformance::rows("fermi/values.txt") {
        let word = number(instruction.column(0));
        for case in &instruction.cases {
            let found = differences(word, case.column(0), case.column(1));
            let text = (instruction.column(2), case.column(0));
            wrong.extend(found.into_iter().map(|d| format!("{text:?}: {d}")));
            rows += 1;
        }
        *forms.entry(instruction.column(1).to_string()).or_insert(0) += 1;
    }
    println!("{rows} value rows of {} forms", forms.len());
    let first: Vec<&String> = wrong.iter().take(100).collect();
    assert!(wrong.is_empty(), "{} of {rows}: {first:#?}", wrong.len());
    assert_eq!(rows, 2939);
}

/// What differs after an instruction from what a case says.
fn differences(word: u64, before: &str, after: &str) -> Vec<String> {
    let launch = Launch::from_code(warpsmith_isa::Isa::Fermi, word.to_le_bytes().to_vec());
    let mut constants = launch.constant_memory();
    let mut inputs = vec![];
    for (name, hex) in conformance::values(before) {
        match constant(name) {
            Some((bank, at)) => {
                let bytes = &number(hex).to_le_bytes()[..if hex.len() > 8 { 8 } else { 4 }];
                constants.write(bank, at, bytes);
            }
            None => inputs.push((place(name, hex.len()), number(hex))),
        }
    }
    let set = |warp: &mut dyn Warp| {
        for ((place, ty), value) in &inputs {
            for lane in 0..32 {
                warp.write(place, *ty, lane, *value).expect("a register");
            }
        }
    };
    let warp = match one_step(&Fermi, &launch, &constants, set) {
        Ok(w) => w,
        Err(e) => return vec![e],
    };
    let mut wrong = vec![];
    for (name, hex) in conformance::values(after) {
        let (place, ty) = place(name, hex.len());
        for lane in [0, 17, 31] {
            let found = warp.read(&place, ty, lane).expect("a register");
            if found != number(hex) {
                wrong.push(format!("{name} of lane {lane} is {found:#x}"));
                break;
            }
        }
    }
    wrong
}

/// The bytes of a program of conformance/fermi/programs.txt.
fn program(name: &str) -> Vec<u8> {
    conformance::program("fermi", name, |word| number(word).to_le_bytes().to_vec())
}

fn run(code: Vec<u8>, params: &[u32], memory: &[(u64, Vec<u32>)]) -> Machine {
    let bytes = |w: &Vec<u32>| w.iter().flat_map(|w| w.to_le_bytes()).collect();
    let launch = Launch {
        grid: [2, 1],
        block: [48, 1, 1],
        params: params.to_vec(),
        global_bytes: 4096,
        globals: memory
            .iter()
            .map(|(offset, words)| warpsmith_model::launch::GlobalSection::new(*offset, bytes(words)))
            .collect(),
        ..Launch::from_code(warpsmith_isa::Isa::Fermi, code)
    };
    let mut m = Machine::new(&Fermi, &launch, 32);
    m.run(1_000_000).unwrap_or_else(|e| panic!("{e}"));
    m
}

#[test]
fn the_programs_give_their_results() {
    let code = program("saxpy");
    let float = |f: f32| f.to_bits();
    let x: Vec<u32> = (0..96).map(|i| float(i as f32)).collect();
    let y: Vec<u32> = (0..96).map(|i| float(0.5 * i as f32)).collect();
    let m = run(code, &[90, float(2.0), 0x100, 0x400], &[(0x100, x), (0x400, y)]);
    for i in 0..96 {
        let want = if i < 90 { 2.5 } else { 0.5 } * i as f32;
        assert_eq!(m.global().word(0x400 + 4 * i), float(want), "saxpy {i}");
    }
    for (name, want) in [
        ("diverge", (|t: u32| if t % 2 == 0 { 2 * t } else { t + 100 }) as fn(u32) -> u32),
        ("loop", |t| t * (t + 1) / 2),
    ] {
        let m = run(program(name), &[0x200], &[]);
        for t in 0..48 {
            assert_eq!(m.global().word(0x200 + 4 * t), want(t), "{name} {t}");
        }
    }
}
