//! Every row of the lowering table on corner and random operands, from C through the model, against Rust.

use crate::rows::{self, float, integer, Row};
use warpsmith_compiler::clang::{find, Clang};
use warpsmith_compiler::{OptLevel, Target};
use warpsmith_isa::Tier;

fn clang() -> Option<Clang> {
    warpsmith_testkit::found(find::find(None))
}

fn agree(rows: &[Row], target: &Target) {
    let Some(clang) = clang() else { return };
    let mut wrong = vec![];
    for level in [OptLevel::O0, OptLevel::O2] {
        let differences = rows::check(&clang, rows, level, target);
        wrong.extend(differences.into_iter().map(|d| format!("{level:?} {d}")));
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn narrow_integers_agree() {
    let rows: Vec<Row> = integer::TYPES[..4].iter().flat_map(|ty| integer::rows(ty)).collect();
    agree(&rows, &Target::unlimited());
}

#[test]
fn words_agree() {
    let rows: Vec<Row> = ["i32", "u32"].into_iter().flat_map(integer::rows).chain(integer::words()).collect();
    agree(&rows, &Target::unlimited());
}

#[test]
fn double_words_agree() {
    let rows: Vec<Row> = ["i64", "u64"].into_iter().flat_map(integer::rows).collect();
    agree(&rows, &Target::unlimited());
}

#[test]
fn integers_agree_without_float_units() {
    let mut target = Target::unlimited();
    target.tier = Tier::integer();
    let rows: Vec<Row> = integer::TYPES
        .iter()
        .flat_map(|ty| integer::rows(ty))
        .filter(|r| ["div", "rem", "mul", "upper"].iter().any(|n| r.name.starts_with(n)))
        .collect();
    agree(&rows, &target);
}

#[test]
fn floats_agree() {
    let rows: Vec<Row> = float::rows().into_iter().chain(float::conversions()).collect();
    agree(&rows, &Target::unlimited());
}

#[test]
fn approximations_are_near() {
    agree(&float::approximate(), &Target::unlimited());
}
