//! Every value vector of the shared data to the bit.

use super::{hex, Bench};
use crate::common;
use std::collections::BTreeMap;

/// What registers hold where a vector says nothing: its tool's pattern.
const BEFORE: u64 = 0xdead_beef;

/// Name and values of each register, `exec` among them; one value stands for all lanes.
fn registers(column: &str) -> Vec<(&str, Vec<u64>)> {
    if column == "-" {
        return vec![];
    }
    let value = |v: &str| {
        let digits = v.trim_start_matches("0x");
        u64::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{v}"))
    };
    let pair = |p| {
        let (name, values): (&str, &str) = str::split_once(p, '=').expect("name=value");
        (name, values.split(':').map(value).collect())
    };
    column.split(',').map(pair).collect()
}

#[test]
fn every_value_row_holds_to_the_bit() {
    let Some(path) = common::shared("reference/isas/g13_values.tsv") else {
        return;
    };
    let tsv = std::fs::read_to_string(path).expect("readable");
    let mut wrong = Vec::new();
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for line in tsv.lines().skip(1) {
        let col: Vec<&str> = line.split('\t').collect();
        let mut bench = Bench::new();
        for r in 1..128 {
            (0..32).for_each(|l| bench.set(&format!("r{r}"), l, BEFORE));
        }
        let mut exec = u32::MAX;
        for (name, values) in registers(col[4]) {
            match name {
                "exec" => exec = values[0] as u32,
                _ => (0..32).for_each(|l| bench.set(name, l, values[l % values.len()])),
            }
        }
        if let Err(e) = bench.step(&hex(col[2]), exec) {
            wrong.push(format!("{line}: {}", e.cause));
            continue;
        }
        let mut found = Vec::new();
        for (name, values) in registers(col[5]) {
            let lanes = 0..values.len();
            let got: Vec<u64> = match name {
                "exec" => vec![warpsmith_model::uop::Warp::active(&bench.group).into()],
                _ => lanes.map(|l| bench.get(name, l)).collect(),
            };
            if got != values {
                found.push(format!("{name}: {got:x?}, wanted {values:x?}"));
            }
        }
        match found.is_empty() {
            true => *rows.entry(col[0]).or_default() += 1,
            false => wrong.push(format!("{} {} {}: {found:?}", col[0], col[3], col[4])),
        }
    }
    let right: usize = rows.values().sum();
    println!(
        "g13_values: {right} rows of {} forms to the bit, {} wrong",
        rows.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{:#?}", &wrong[..wrong.len().min(40)]);
    assert_eq!((right, rows.len()), (1475, 43));
}
