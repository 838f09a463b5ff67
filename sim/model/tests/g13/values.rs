//! Every value of conformance/g13 to the bit.

use super::Bench;
use std::collections::BTreeMap;
use warpsmith_conformance::{self as conformance, bytes, number};

/// What registers hold where a vector says nothing: its tool's pattern.
const BEFORE: u64 = 0xdead_beef;

/// Name and values of each register, `exec` among them; one value stands for all lanes.
fn registers(column: &str) -> impl Iterator<Item = (&str, Vec<u64>)> {
    let all = |(name, values): (_, &str)| (name, values.split(':').map(number).collect());
    conformance::values(column).map(all)
}

/// What differs after an instruction from what a case says.
fn differences(code: &[u8], before: &str, after: &str) -> Vec<String> {
    let mut bench = Bench::new();
    for r in 1..128 {
        (0..32).for_each(|l| bench.set(&format!("r{r}"), l, BEFORE));
    }
    let mut exec = u32::MAX;
    for (name, values) in registers(before) {
        match name {
            "exec" => exec = values[0] as u32,
            _ => (0..32).for_each(|l| bench.set(name, l, values[l % values.len()])),
        }
    }
    if let Err(e) = bench.step(code, exec) {
        return vec![e.cause.to_string()];
    }
    let mut found = Vec::new();
    for (name, values) in registers(after) {
        let lanes = 0..values.len();
        let got: Vec<u64> = match name {
            "exec" => vec![warpsmith_model::uop::Warp::active(&bench.group).into()],
            _ => lanes.map(|l| bench.get(name, l)).collect(),
        };
        if got != values {
            found.push(format!("{name}: {got:x?}, wanted {values:x?}"));
        }
    }
    found
}

#[test]
fn every_value_row_holds_to_the_bit() {
    let mut wrong = Vec::new();
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    for instruction in conformance::rows("g13/values.txt") {
        let code = bytes(instruction.column(0));
        for case in &instruction.cases {
            let (before, after) = (case.column(0), case.column(1));
            let found = differences(&code, before, after);
            match found.is_empty() {
                true => *rows.entry(instruction.column(1).into()).or_default() += 1,
                false => wrong.push(format!("{} {before}: {found:?}", instruction.column(2))),
            }
        }
    }
    let right: usize = rows.values().sum();
    println!("g13/values.txt: {right} rows of {} forms to the bit, {} wrong", rows.len(), wrong.len());
    assert!(wrong.is_empty(), "{:#?}", &wrong[..wrong.len().min(40)]);
    assert_eq!((right, rows.len()), (1475, 43));
}
