use crate::random::tests::{programs, reaches, small, tell_every_mutant};
use warpsmith_isa::ivb::table::OPS;
use warpsmith_isa::Isa;

#[test]
fn random_programs_reach_everything_that_chips_execute_whatever_the_order_of_the_threads() {
    let (coverage, met) = programs(150, &small(Isa::Ivb));
    let rows = super::rows().0;
    let never: Vec<&str> = rows.iter().filter(|r| !met.contains(r)).map(|r| OPS[*r].name).collect();
    assert!(never.is_empty(), "never met: {never:?}");
    reaches(&coverage, &[("modifiers, operands", 0.98)]);
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    tell_every_mutant(Isa::Ivb);
}
