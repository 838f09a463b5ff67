use crate::random::tests::{programs, reaches, small, tell_every_mutant};
use crate::random::Limits;
use warpsmith_isa::{Isa, Options, Tier};

#[test]
fn random_programs_end_without_traps_whatever_the_order_of_the_warps() {
    let (coverage, _) = programs(150, &small(Isa::Fermi));
    reaches(&coverage, &[("forms by depth", 0.8), ("modifiers, operands", 0.98)]);
}

#[test]
fn random_programs_of_doubles_reach_every_form_and_kind_of_result() {
    let (coverage, _) =
        programs(150, &Limits { options: Options { double: true, ..Options::default() }, ..small(Isa::Fermi) });
    let families = coverage.families(Tier::full());
    let of = |name: &str| families.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no family {name}"));
    assert_eq!(of("double forms").missing(), [""; 0]);
    assert_eq!(of("conversion forms").missing(), [""; 0]);
    let results = &of("results by form").items;
    for form in ["DADD_R", "DMUL_R", "DFMA_RR"] {
        for class in ["+0", "NaN", "infinity", "denormal", "number"] {
            let met = results.iter().find(|r| r.0 == format!("{form} {class}")).map_or(0, |r| r.1);
            assert!(met > 0, "{form} never gave {class}");
        }
    }
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    tell_every_mutant(Isa::Fermi);
}
