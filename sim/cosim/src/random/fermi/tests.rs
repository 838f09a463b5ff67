use crate::coverage::set::SetCoverage;
use crate::random::tests::{instructions_to_kill, run, Order};
use crate::random::{generate, write_launch, Limits};
use warpsmith_isa::Isa;
use warpsmith_model::fermi::Fermi;
use warpsmith_model::uop::Machine;
use warpsmith_model::{Launch, Mutant};

fn tiny() -> Limits {
    Limits { isa: warpsmith_isa::Isa::Fermi, ..Limits::tiny() }
}

/// Checks the launch against the limits.
fn fits(seed: u64, launch: &Launch, limits: &Limits) {
    assert!(
        launch.program.bytes.len() as u32 <= limits.program_bytes,
        "seed {seed}: {} bytes",
        launch.program.bytes.len()
    );
    assert!(launch.shared_bytes + 16 <= limits.shared_bytes);
    let constants: usize = launch.constants.iter().map(|c| c.bytes.len()).sum();
    let constants = constants + 4 + 0x20 + 4 * launch.params.len();
    assert!(constants as u32 <= limits.constant_bytes, "seed {seed}");
    assert!(launch.warps_per_block() * 32 * (launch.registers + 2) <= limits.registers);
}

fn programs(count: u64, limits: &Limits) -> SetCoverage {
    let mut instructions = 0;
    let mut coverage = SetCoverage::new(warpsmith_isa::Isa::Fermi, limits.options).unwrap();
    for seed in 0..count {
        let launch = generate(seed, limits, 300 + (seed as u32 % 10) * 300);
        fits(seed, &launch, limits);
        let depth = limits.stack_depth as usize;
        let machine = || Machine::of_chip_with(&Fermi, &launch, depth, limits.options, None);
        let first = run(seed, &launch, machine(), Order::Turns, &mut |slot, r, depth| {
            coverage.add(slot, r, depth);
        });
        for order in [Order::First, Order::Last] {
            assert!(
                first == run(seed, &launch, machine(), order, &mut |_, _, _| {}),
                "seed {seed}: the result depends on the order of the warps"
            );
        }
        instructions += first.0;
    }
    println!("{count} programs, {instructions} warp instructions: {limits:?}");
    for f in coverage.families() {
        println!("{}: {} of {}", f.name, f.covered(), f.items.len());
        f.missing().iter().for_each(|m| println!("    never met: {m}"));
    }
    coverage
}

#[test]
fn random_programs_end_without_traps_whatever_the_order_of_the_warps() {
    let coverage = programs(150, &tiny());
    for f in coverage.families() {
        let least = match f.name {
            "forms by depth" => 0.8,
            "modifiers, operands" => 0.98,
            _ => 1.0,
        };
        let share = f.covered() as f64 / f.items.len() as f64;
        assert!(share >= least, "{}: {:?}", f.name, f.missing());
    }
}

#[test]
fn random_programs_of_doubles_reach_every_form_and_kind_of_result() {
    let coverage = programs(150, &Limits { options: warpsmith_isa::Options::ALL, ..tiny() });
    let families = coverage.families();
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
#[ignore = "soak: WARPSMITH_SEEDS programs (3000) for each of several limits, minutes"]
fn many_random_programs_end_without_traps() {
    let count = std::env::var("WARPSMITH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    let shallow = Limits { stack_depth: 4, ..tiny() };
    let few = Limits { warps: 2, registers: 2048, ..tiny() };
    let large = Limits {
        program_bytes: 16384,
        constant_bytes: 8192,
        registers: 16384,
        shared_bytes: 16384,
        warps: 32,
        stack_depth: 32,
        ..tiny()
    };
    for limits in [tiny(), shallow, few, large] {
        programs(count, &limits);
    }
}

#[test]
fn a_seed_names_one_program() {
    assert_eq!(generate(7, &tiny(), 500), generate(7, &tiny(), 500));
    assert_ne!(generate(7, &tiny(), 500).program, generate(8, &tiny(), 500).program);
}

#[test]
fn a_written_launch_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let launch = generate(3, &tiny(), 400);
    let back = warpsmith_launch_file::load(write_launch(&launch, dir.path()).unwrap()).unwrap();
    assert_eq!((&back.program, &back.params), (&launch.program, &launch.params));
    assert_eq!(back.globals[0].bytes, launch.globals[0].bytes);
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    let most = 100_000;
    let generate = |seed: u64| generate(seed, &tiny(), 300 + (seed as u32 % 28) * 100);
    let alive: Vec<Mutant> =
        Mutant::of_set(Isa::Fermi).filter(|m| instructions_to_kill(&Fermi, *m, most, &generate).is_none()).collect();
    assert!(alive.is_empty(), "alive after {most}: {alive:?}");
}
