use super::super::state::Limits;
use super::super::write::write_launch;
use super::generate;
use crate::coverage::set::SetCoverage;
use warpsmith_model::fermi::Fermi;
use warpsmith_model::uop::{Machine, State};
use warpsmith_model::{Launch, Retired};

fn tiny() -> Limits {
    Limits {
        isa: "fermi",
        ..Limits::tiny()
    }
}

/// Which warp runs next on the model.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// All in turn, one instruction each.
    Turns,
    /// The first that can, as far as it gets.
    First,
    /// The last that can, as far as it gets.
    Last,
}

/// Runs a launch on the model of a chip, counting coverage; gives warp instructions and final memory.
fn run(
    seed: u64,
    launch: &Launch,
    depth: usize,
    order: Order,
    mut coverage: Option<&mut SetCoverage>,
) -> (u64, Vec<u8>) {
    let mut m = Machine::of_chip(&Fermi, launch, depth, None);
    let mut r = Retired::default();
    for y in 0..launch.grid[1] {
        for x in 0..launch.grid[0] {
            let id = m.start_block([x, y]);
            let warps = launch.warps_per_block();
            let mut turn = 0;
            loop {
                let ready = |w: &u32| m.block(id).unwrap().state(*w) == Some(State::Ready);
                let next = match order {
                    Order::Turns => (turn..turn + warps).map(|w| w % warps).find(ready),
                    Order::First => (0..warps).find(ready),
                    Order::Last => (0..warps).rev().find(ready),
                };
                let Some(w) = next else { break };
                turn = w + 1;
                let warp = m.warp(id, w).unwrap();
                let (pc, at) = (warp.pc(), warp.depth() as u32);
                if let Err(e) = m.step(id, w, &mut r) {
                    let set = m.set().instructions();
                    let text = set
                        .decode(&launch.code[pc as usize..])
                        .map(|i| set.print(&i, pc.into()));
                    panic!("seed {seed}, {order:?}: {e} at pc 0x{pc:x}: {text:?}");
                }
                assert!(r.deadlock.is_none(), "seed {seed}: {:?}", r.deadlock);
                if let Some(c) = &mut coverage {
                    c.add(m.instruction(pc).unwrap(), &r, at);
                }
                assert!(
                    m.stats().warp_instructions < 300_000,
                    "seed {seed}: does not end"
                );
            }
            m.retire_block(id);
        }
    }
    (
        m.stats().warp_instructions,
        m.global().read(0, launch.global_bytes as usize),
    )
}

/// Checks the launch against the limits.
fn fits(seed: u64, launch: &Launch, limits: &Limits) {
    assert!(
        launch.code.len() as u32 <= limits.program_bytes,
        "seed {seed}: {} bytes",
        launch.code.len()
    );
    assert!(launch.shared_bytes + 16 <= limits.shared_bytes);
    let constants: usize = launch.constants.iter().map(|c| c.bytes.len()).sum();
    let constants = constants + 4 + 0x20 + 4 * launch.params.len();
    assert!(constants as u32 <= limits.constant_bytes, "seed {seed}");
    assert!(launch.warps_per_block() * 32 * (launch.registers + 2) <= limits.registers);
}

fn programs(count: u64, limits: &Limits) -> SetCoverage {
    let mut instructions = 0;
    let mut coverage = SetCoverage::new("fermi").unwrap();
    for seed in 0..count {
        let launch = generate(seed, limits, 300 + (seed as u32 % 10) * 300);
        fits(seed, &launch, limits);
        let depth = limits.stack_depth as usize;
        let first = run(seed, &launch, depth, Order::Turns, Some(&mut coverage));
        for order in [Order::First, Order::Last] {
            assert!(
                first == run(seed, &launch, depth, order, None),
                "seed {seed}: the result depends on the order of the warps"
            );
        }
        instructions += first.0;
    }
    println!("{count} programs, {instructions} warp instructions: {limits:?}");
    for f in coverage.families() {
        println!("{}: {} of {}", f.name, f.covered(), f.items.len());
        f.missing()
            .iter()
            .for_each(|m| println!("    never met: {m}"));
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
#[ignore = "soak: WARPSMITH_SEEDS programs (3000) for each of several limits, minutes"]
fn many_random_programs_end_without_traps() {
    let count = std::env::var("WARPSMITH_SEEDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(3000);
    let shallow = Limits {
        stack_depth: 4,
        ..tiny()
    };
    let few = Limits {
        warps: 2,
        registers: 2048,
        ..tiny()
    };
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
    assert_ne!(
        generate(7, &tiny(), 500).code,
        generate(8, &tiny(), 500).code
    );
}

#[test]
fn a_written_launch_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let launch = generate(3, &tiny(), 400);
    let back = Launch::load(write_launch(&launch, dir.path()).unwrap()).unwrap();
    assert_eq!(
        (back.isa, &back.code, &back.params),
        ("fermi", &launch.code, &launch.params)
    );
    assert_eq!(back.globals[0].bytes, launch.globals[0].bytes);
}
