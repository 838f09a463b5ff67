use crate::coverage::set::SetCoverage;
use crate::random::tests::{instructions_to_kill, run, Order};
use crate::random::{generate, write_launch, Limits};
use std::collections::BTreeMap;
use warpsmith_isa::ivb::table::OPS;
use warpsmith_isa::Isa;
use warpsmith_model::ivb::Ivb;
use warpsmith_model::uop::Machine;
use warpsmith_model::{Launch, Mutant};

/// What a small chip executes.
fn chip() -> Limits {
    Limits { isa: Isa::Ivb, program_bytes: 8192, registers: 8192, shared_bytes: 8192, ..Limits::tiny() }
}

fn programs(count: u64, limits: &Limits) -> SetCoverage {
    let mut instructions = 0;
    let mut forms = BTreeMap::new();
    let mut coverage = SetCoverage::new(Isa::Ivb, Default::default()).expect("chips of it");
    for seed in 0..count {
        let launch = generate(seed, limits, 300 + (seed as u32 % 10) * 300);
        fits(seed, &launch, limits);
        let machine = || Machine::of_chip(&Ivb, &launch, 16, None);
        let first = run(seed, &launch, machine(), Order::Turns, &mut |slot, r, _| {
            *forms.entry(slot.instr.row).or_insert(0u64) += 1;
            coverage.add(slot, r, 0);
        });
        for order in [Order::First, Order::Last] {
            let again = run(seed, &launch, machine(), order, &mut |_, _, _| {});
            assert!(first == again, "seed {seed}: depends on the order of the threads");
        }
        let mut tracked = machine();
        tracked.track();
        tracked.run(1 << 20, None).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let places = tracked.undefined();
        assert!(places.list().is_empty(), "seed {seed}: {:?}", places.list().first());
        instructions += first.0;
    }
    println!("{count} programs, {instructions} instructions, {} forms", forms.len());
    let rows = super::rows().0;
    let never: Vec<&str> = rows.iter().filter(|r| !forms.contains_key(r)).map(|r| OPS[*r].name).collect();
    assert!(never.is_empty(), "never met: {never:?}");
    coverage
}

/// Checks the launch against the limits.
fn fits(seed: u64, launch: &Launch, limits: &Limits) {
    let bytes = launch.program.bytes.len() as u32;
    assert!(bytes <= limits.program_bytes, "seed {seed}: {bytes} bytes");
    assert!(launch.chip_shared_bytes() <= limits.shared_bytes);
    let registers = launch.warps_per_block() * launch.chip_warp_registers();
    assert!(registers <= limits.registers, "seed {seed}");
}

#[test]
fn random_programs_reach_everything_that_chips_execute_whatever_the_order_of_the_threads() {
    let coverage = programs(150, &chip());
    for f in coverage.families() {
        println!("{}: {} of {}", f.name, f.covered(), f.items.len());
        f.missing().iter().for_each(|m| println!("    never met: {m}"));
    }
    for f in coverage.families() {
        let least = match f.name {
            "modifiers, operands" => 0.98,
            _ => 1.0,
        };
        let share = f.covered() as f64 / f.items.len().max(1) as f64;
        assert!(share >= least, "{}: {:?}", f.name, f.missing());
    }
}

#[test]
#[ignore = "soak: WARPSMITH_SEEDS programs (3000), minutes"]
fn many_random_programs_end_without_traps() {
    let count = std::env::var("WARPSMITH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    programs(count, &chip());
}

#[test]
fn programs_of_the_smallest_chips_fit() {
    let limits = Limits { isa: Isa::Ivb, ..Limits::tiny() };
    (0..20).for_each(|seed| fits(seed, &generate(seed, &limits, 1500), &limits));
}

#[test]
fn a_written_launch_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let launch = generate(3, &chip(), 400);
    let back = warpsmith_launch_file::load(write_launch(&launch, dir.path()).unwrap()).unwrap();
    assert_eq!((&back.program, &back.params, back.simd), (&launch.program, &launch.params, launch.simd));
    assert_eq!(back.globals[0].bytes, launch.globals[0].bytes);
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    let most = 100_000;
    let generate = |seed: u64| generate(seed, &chip(), 300 + (seed as u32 % 28) * 100);
    let mutants = Mutant::of_set(Isa::Ivb);
    let alive: Vec<Mutant> = mutants.filter(|m| instructions_to_kill(&Ivb, *m, most, &generate).is_none()).collect();
    assert!(alive.is_empty(), "alive after {most}: {alive:?}");
}
