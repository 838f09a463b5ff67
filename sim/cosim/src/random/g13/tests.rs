use crate::random::tests::{programs, reaches, small, tell_every_mutant};
use crate::random::Limits;
use warpsmith_isa::Isa;

/// Programs of what the limits describe reach 95 of 100 rows that they may have.
fn reach_rows(count: u64, limits: &Limits) -> crate::coverage::Coverage {
    let (coverage, met) = programs(count, limits);
    let rows = super::rows(limits).0;
    let missing: Vec<_> = rows.iter().filter(|r| !met.contains(r)).map(|r| super::words::form(*r).name).collect();
    assert!(missing.len() * 20 <= rows.len(), "never met: {missing:?}");
    coverage
}

#[test]
fn random_programs_end_without_traps_whatever_the_order_of_the_groups() {
    reach_rows(100, &Limits { chip: false, ..small(Isa::G13) });
}

#[test]
fn random_programs_of_chips_reach_everything_that_chips_execute() {
    let coverage = reach_rows(250, &small(Isa::G13));
    reaches(&coverage, &[("modifiers, operands", 0.98)]);
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    tell_every_mutant(Isa::G13);
}
