//! The value vectors and the program of the reference tables.

use super::bench::Bench;
use crate::common;
use std::collections::BTreeMap;
use warpsmith_isa::ivb::{compacted, Ivb};
use warpsmith_isa::set::InstructionSet;

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |n: usize| u8::from_str_radix(&hex[n..n + 2], 16).expect("two digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// `g2=00..,f0.0=1f` as names and values.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let each = text.split(',').filter(|t| !t.is_empty());
    each.map(|t| t.split_once('=').expect("a name and a value"))
}

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
    let Some(tsv) = common::table("ivb_values.tsv") else {
        return;
    };
    let (mut rows, mut short, mut opcodes, mut wrong) = (0, 0, BTreeMap::new(), vec![]);
    let each = tsv.lines().skip(1).flat_map(|line| {
        let col: Vec<&str> = line.split('\t').collect();
        let native = bytes(col[1]);
        let instr = Ivb.decode(&native).expect("an instruction");
        let compact = compacted(&instr).map(|i| i.code.to_vec());
        [Some(native), compact].map(|code| (code, col.clone()))
    });
    for (code, col) in each {
        let Some(code) = code else { continue };
        short += usize::from(code.len() == 8);
        let mut bench = Bench::new(16, &code);
        for (name, value) in pairs(col[3]) {
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
        rows += 1;
        *opcodes.entry(col[0]).or_insert(0) += 1;
        if let Err(e) = bench.step() {
            wrong.push(format!("{}: {e}", col[2]));
            continue;
        }
        for (name, value) in pairs(col[4]) {
            let found = shown(&bench, name, value);
            if found != value {
                wrong.push(format!(
                    "{}\n  in {}\n  {name} {found}\n  not {value}",
                    col[2], col[3]
                ));
            }
        }
    }
    println!(
        "{rows} value rows of {} opcodes, {short} of them compact",
        opcodes.len()
    );
    let first: Vec<&String> = wrong.iter().take(20).collect();
    assert!(wrong.is_empty(), "{} of {rows}: {first:#?}", wrong.len());
    assert!(rows >= 431, "{rows}");
}

#[test]
fn the_public_fill_kernel_fills() {
    let Some(tsv) = common::table("programs.tsv") else {
        return;
    };
    let rows = tsv.lines().map(|l| l.split('\t').collect::<Vec<_>>());
    let code: Vec<u8> = rows
        .filter(|c| c[0] == "ivb" && c[1] == "gpgpu_fill")
        .flat_map(|c| bytes(c[3]))
        .collect();
    assert_eq!(code.len(), 160);
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
    println!("gpgpu_fill: 4 groups");
}
