use crate::coverage::set::SetCoverage;
use crate::random::tests::{instructions_to_kill, run, Order};
use crate::random::{generate, Limits};
use std::collections::BTreeMap;
use warpsmith_isa::Isa;
use warpsmith_model::g13::G13;
use warpsmith_model::uop::Machine;
use warpsmith_model::{Launch, Mutant};

/// What the model executes.
fn model() -> Limits {
    Limits { isa: warpsmith_isa::Isa::G13, chip: false, ..Limits::tiny() }
}

/// What chips execute.
fn chip() -> Limits {
    Limits { chip: true, ..model() }
}

fn programs(count: u64, limits: &Limits) -> SetCoverage {
    let mut instructions = 0;
    let mut forms = BTreeMap::new();
    let mut coverage = SetCoverage::new(warpsmith_isa::Isa::G13, Default::default()).expect("chips of it");
    for seed in 0..count {
        let launch = generate(seed, limits, 300 + (seed as u32 % 10) * 300);
        fits(seed, &launch, limits);
        let machine = || match limits.chip {
            true => Machine::of_chip(&G13, &launch, 16, None),
            false => Machine::new(&G13, &launch, 16),
        };
        let first = run(seed, &launch, machine(), Order::Turns, &mut |slot, r, _| {
            *forms.entry(slot.instr.row).or_insert(0u64) += 1;
            coverage.add(slot, r, 0);
        });
        for order in [Order::First, Order::Last] {
            let again = run(seed, &launch, machine(), order, &mut |_, _, _| {});
            assert!(first == again, "seed {seed}: depends on the order of the groups");
        }
        instructions += first.0;
    }
    println!("{count} programs, {instructions} instructions, {} forms", forms.len());
    let rows = super::rows(limits.chip).0;
    for row in rows.iter().filter(|r| !forms.contains_key(r)) {
        println!("    never met: {}", super::words::form(*row).name);
    }
    let met = rows.iter().filter(|r| forms.contains_key(r)).count();
    assert!(met * 100 >= rows.len() * 95, "{met} of {}", rows.len());
    coverage
}

/// Checks the launch against the limits.
fn fits(seed: u64, launch: &Launch, limits: &Limits) {
    let bytes = launch.program.bytes.len() as u32;
    assert!(bytes <= limits.program_bytes, "seed {seed}: {bytes} bytes");
    assert!(launch.chip_shared_bytes() <= limits.shared_bytes);
    let registers = launch.warps_per_block() * 32 * launch.chip_registers();
    assert!(registers <= limits.registers, "seed {seed}");
}

#[test]
fn random_programs_end_without_traps_whatever_the_order_of_the_groups() {
    programs(100, &model());
}

#[test]
fn random_programs_of_chips_reach_everything_that_chips_execute() {
    let coverage = programs(250, &chip());
    for f in coverage.families() {
        println!("{}: {} of {}", f.name, f.covered(), f.items.len());
        f.missing().iter().for_each(|m| println!("    never met: {m}"));
    }
    for f in coverage.families() {
        let least = match f.name {
            "modifiers, operands" => 0.98,
            _ => 1.0,
        };
        let share = f.covered() as f64 / f.items.len() as f64;
        assert!(share >= least, "{}: {:?}", f.name, f.missing());
    }
}

#[test]
#[ignore = "soak: WARPSMITH_SEEDS programs (3000) of the model and of chips, minutes"]
fn many_random_programs_end_without_traps() {
    let count = std::env::var("WARPSMITH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    programs(count, &model());
    programs(count, &chip());
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    let most = 100_000;
    let generate = |seed: u64| generate(seed, &chip(), 300 + (seed as u32 % 28) * 100);
    let alive: Vec<Mutant> =
        Mutant::of_set(Isa::G13).filter(|m| instructions_to_kill(&G13, *m, most, &generate).is_none()).collect();
    assert!(alive.is_empty(), "alive after {most}: {alive:?}");
}
