//! The value vectors and programs of the reference tables.

use crate::common::{self, one_step};
use std::collections::BTreeMap;
use warpsmith_isa::uop::{Place, Type};
use warpsmith_model::fermi::Fermi;
use warpsmith_model::uop::{Machine, Set, Warp};
use warpsmith_model::{Constants, Launch};

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

/// `R0=0x12,P1=1` as names, values and their digits.
fn pairs(text: &str) -> impl Iterator<Item = (&str, u64, usize)> {
    text.split(',').filter(|t| !t.is_empty()).map(|t| {
        let (name, value) = t.split_once('=').expect("a name and a value");
        let digits = value.trim_start_matches("0x");
        let n = u64::from_str_radix(digits, 16).expect("hexadecimal digits");
        (name, n, digits.len())
    })
}

/// `c[0x1][0x20]`.
fn constant(name: &str) -> Option<(u8, usize)> {
    let (bank, offset) = name.strip_prefix("c[0x")?.split_once("][0x")?;
    let number = |s| usize::from_str_radix(s, 16).expect("hexadecimal digits");
    Some((number(bank) as u8, number(offset.trim_end_matches(']'))))
}

#[test]
fn every_value_vector_matches_to_the_bit() {
    let Some(tsv) = common::table("fermi_values.tsv") else {
        return;
    };
    let (mut rows, mut forms, mut wrong) = (0, BTreeMap::new(), vec![]);
    for line in tsv.lines().skip(1) {
        let col: Vec<&str> = line.split('\t').collect();
        let word = u64::from_str_radix(col[1].trim_start_matches("0x"), 16).expect("a word");
        let launch = Launch::from_code("fermi", word.to_le_bytes().to_vec());
        let mut constants = Constants::default();
        Fermi.constants(&launch, &mut constants);
        let mut inputs = vec![];
        for (name, value, digits) in pairs(col[3]) {
            match constant(name) {
                Some((bank, at)) => {
                    let bytes = &value.to_le_bytes()[..if digits > 8 { 8 } else { 4 }];
                    constants.write(bank, at, bytes);
                }
                None => inputs.push((place(name, digits), value)),
            }
        }
        let set = |warp: &mut dyn Warp| {
            for ((place, ty), value) in &inputs {
                for lane in 0..32 {
                    warp.write(place, *ty, lane, *value).expect("a register");
                }
            }
        };
        let warp = one_step(&Fermi, &launch, &constants, set);
        let warp = match warp {
            Ok(w) => w,
            Err(e) => {
                wrong.push(format!("{line}: {e}"));
                continue;
            }
        };
        for (name, value, digits) in pairs(col[4]) {
            let (place, ty) = place(name, digits);
            for lane in [0, 17, 31] {
                let found = warp.read(&place, ty, lane).expect("a register");
                if found != value && wrong.len() < 100 {
                    wrong.push(format!("{line}: {name} of lane {lane} is {found:#x}"));
                    break;
                }
            }
        }
        rows += 1;
        *forms.entry(col[0]).or_insert(0) += 1;
    }
    println!("{rows} value rows of {} forms", forms.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows >= 2939, "{rows}");
}

/// The bytes of a program of `programs.tsv`.
fn program(name: &str) -> Option<Vec<u8>> {
    let tsv = common::table("programs.tsv")?;
    let rows = tsv.lines().map(|l| l.split('\t').collect::<Vec<_>>());
    let words = rows
        .filter(|c| c[0] == "fermi" && c[1] == name)
        .flat_map(|c| {
            let word = u64::from_str_radix(c[3].trim_start_matches("0x"), 16);
            word.expect("a word").to_le_bytes()
        });
    Some(words.collect())
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
            .map(|(offset, words)| warpsmith_model::launch::GlobalSection {
                offset: *offset,
                bytes: bytes(words),
                max_ulp: None,
                floats: false,
                line: None,
            })
            .collect(),
        ..Launch::from_code("fermi", code)
    };
    let mut m = Machine::new(&Fermi, &launch, 32);
    m.run(1_000_000, None).unwrap_or_else(|e| panic!("{e}"));
    m
}

#[test]
fn the_programs_give_their_results() {
    let Some(code) = program("saxpy") else { return };
    let float = |f: f32| f.to_bits();
    let x: Vec<u32> = (0..96).map(|i| float(i as f32)).collect();
    let y: Vec<u32> = (0..96).map(|i| float(0.5 * i as f32)).collect();
    let m = run(
        code,
        &[90, float(2.0), 0x100, 0x400],
        &[(0x100, x), (0x400, y)],
    );
    for i in 0..96 {
        let want = if i < 90 { 2.5 } else { 0.5 } * i as f32;
        assert_eq!(m.global().word(0x400 + 4 * i), float(want), "saxpy {i}");
    }
    for (name, want) in [
        (
            "diverge",
            (|t: u32| if t % 2 == 0 { 2 * t } else { t + 100 }) as fn(u32) -> u32,
        ),
        ("loop", |t| t * (t + 1) / 2),
    ] {
        let code = program(name).expect("the table has it");
        let m = run(code, &[0x200], &[]);
        for t in 0..48 {
            assert_eq!(m.global().word(0x200 + 4 * t), want(t), "{name} {t}");
        }
    }
}
