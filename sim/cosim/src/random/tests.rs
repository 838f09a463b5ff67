//! Random programs of every set on the model: warps in any order, every deliberate error.

use super::{generate, write_launch, Limits};
use crate::coverage::Coverage;
use std::collections::BTreeSet;
use warpsmith_isa::{Isa, Tier};
use warpsmith_model::uop::{Program, Rules};
use warpsmith_model::{BlockId, Launch, Model, ModelConfig, Mutant, Retired, RetiredDst, StepError};

/// Limits of small chips of a set; of SM 1.0 with floats.
pub fn small(isa: Isa) -> Limits {
    let tiny = Limits { isa, tier: Tier::full(), ..Limits::tiny() };
    match isa {
        Isa::Ivb => Limits { program_bytes: 8192, registers: 8192, shared_bytes: 8192, ..tiny },
        _ => tiny,
    }
}

/// Which warp runs next on the model.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// All in turn, one instruction each.
    Turns,
    /// The first that can, as far as it gets.
    First,
    /// The last that can, as far as it gets.
    Last,
}

/// The model of what the limits describe.
fn config(limits: &Limits) -> ModelConfig {
    let Limits { chip, options, .. } = *limits;
    ModelConfig { stack_depth: limits.stack_depth as usize, chip, options, ..ModelConfig::default() }
}

fn blocks(launch: &Launch) -> impl Iterator<Item = [u32; 2]> {
    let [width, height] = launch.grid;
    (0..height).flat_map(move |y| (0..width).map(move |x| [x, y]))
}

/// Executes the next instruction of a warp; false where it waits or has ended.
fn step(m: &mut Model, id: BlockId, warp: u32, r: &mut Retired) -> Result<bool, StepError> {
    match m.step(id, warp, r, None) {
        Err(StepError::Finished { .. } | StepError::Waiting { .. }) => Ok(false),
        stepped => stepped.map(|()| true),
    }
}

/// Runs a launch, showing every instruction and the depth before it; gives warp instructions and final memory.
pub fn run(
    seed: u64, launch: &Launch, config: ModelConfig, order: Order, mut seen: impl FnMut(&Retired, u32),
) -> (u64, Vec<u8>) {
    let mut m = Model::new(launch, config);
    let (mut r, mut count) = (Retired::default(), 0);
    let warps = launch.warps_per_block();
    for ctaid in blocks(launch) {
        let id = m.start_block(ctaid);
        let mut turn = 0;
        let mut next = |m: &mut Model, r: &mut Retired| {
            (0..warps).any(|n| {
                let w = match order {
                    Order::Turns => (turn + n) % warps,
                    Order::First => n,
                    Order::Last => warps - 1 - n,
                };
                let (pc, depth) = m.warp(id, w).map_or((0, 0), |w| (w.pc, w.depth));
                let stepped = step(m, id, w, r).unwrap_or_else(|e| {
                    let text = crate::instruction::at(launch, pc).map(|i| i.text);
                    panic!("seed {seed}, {order:?}: {e} at pc 0x{pc:x}: {text:?}")
                });
                if stepped {
                    turn = w + 1;
                    assert!(r.deadlock.is_none(), "seed {seed}: {:?}", r.deadlock);
                    seen(r, depth);
                }
                stepped
            })
        };
        while next(&mut m, &mut r) {
            count += 1;
            assert!(count < 300_000, "seed {seed}: does not end");
        }
        m.retire_block(id);
    }
    (count, m.state().global.read(0, launch.global_bytes as usize))
}

/// Checks the launch against the limits.
fn fits(seed: u64, launch: &Launch, limits: &Limits) {
    let constants = launch.constant_memory();
    let constants: usize = (0..32).map(|bank| constants.bank_bytes(bank).len()).sum();
    let registers = launch.warps_per_block() * launch.chip_warp_registers();
    for (what, need, have) in [
        ("program", launch.program.len(), limits.program_bytes),
        ("shared memory", launch.chip_shared_bytes(), limits.shared_bytes),
        ("constants", constants as u32, limits.constant_bytes),
        ("registers", registers, limits.registers),
    ] {
        assert!(need <= have, "seed {seed}: {need} of {have}: {what}");
    }
}

/// Runs programs in every order of the warps: what they have in common, and the rows they reach. What is undefined at
/// the start decides nothing: in SM 1.0 another pattern gives the same, in Ivy Bridge nothing that is used depends on it.
pub fn programs(count: u64, limits: &Limits) -> (Coverage, BTreeSet<usize>) {
    let (mut coverage, mut rows, mut instructions) = (Coverage::default(), BTreeSet::new(), 0);
    let Limits { isa, options, .. } = *limits;
    for seed in 0..count {
        let launch = generate(seed, limits, 300 + (seed as u32 % 10) * 300);
        fits(seed, &launch, limits);
        let rules = Rules { chip: limits.chip.then_some(options), ..Rules::default() };
        let program = Program::with(isa.set(), &launch.program.bytes, rules);
        let first = run(seed, &launch, config(limits), Order::Turns, |r, depth| match isa {
            Isa::Sm10 => coverage.add(&warpsmith_isa::decode(r.word[0], r.word[1]).unwrap(), r, depth),
            _ => {
                let slot = program.at(r.pc).unwrap();
                rows.insert(slot.instr.row);
                coverage.add_of_set((isa, options), slot, r, depth);
            }
        });
        for order in [Order::First, Order::Last] {
            let again = run(seed, &launch, config(limits), order, |_, _| {});
            assert!(first == again, "seed {seed}: the result depends on the order of the warps");
        }
        if isa == Isa::Sm10 {
            let filled = ModelConfig { fill: Some(seed + 1), ..config(limits) };
            let filled = run(seed, &launch, filled, Order::Turns, |_, _| {});
            assert!(first == filled, "seed {seed}: the result depends on undefined state");
        }
        if isa == Isa::Ivb {
            let mut tracked = Model::new(&launch, ModelConfig { tracked: true, ..config(limits) });
            tracked.run(1 << 20, 1, None).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let places = tracked.state().undefined;
            assert!(places.is_empty(), "seed {seed}: {:?}", places.list().first());
        }
        instructions += first.0;
    }
    println!("{count} programs, {instructions} warp instructions: {limits:?}\n{}", coverage.summary(limits.tier));
    (coverage, rows)
}

/// Checks what programs of a set have met, by family: all of it, of some families a part.
pub fn reaches(coverage: &Coverage, parts: &[(&str, f64)]) {
    let families = coverage.families(Tier::full());
    for f in &families {
        println!("{}: {} of {}; never met: {:?}", f.name, f.covered(), f.items.len(), f.missing());
    }
    for f in &families {
        let least = parts.iter().find(|p| p.0 == f.name).map_or(1.0, |p| p.1);
        let share = f.covered() as f64 / f.items.len() as f64;
        assert!(share >= least, "{}: {:?}", f.name, f.missing());
    }
}

/// What a step did to the state of its warp: everything the lockstep compares.
fn effect(r: &Retired) -> Vec<u32> {
    let mut out = vec![r.pc, r.exec_mask, r.next_pc, r.next_mask];
    let count = match r.dst {
        RetiredDst::None => 0,
        RetiredDst::Gpr { count, .. } | RetiredDst::Half { count, .. } => usize::from(count),
        RetiredDst::Addr { .. } => 1,
    };
    let passes = r.mem.map_or(0, |m| m.passes());
    for l in 0..32 {
        if r.write_mask >> l & 1 == 1 {
            out.extend(r.values[..count].iter().map(|v| v[l]));
        }
        if r.exec_mask >> l & 1 == 1 {
            out.extend(r.flags.map(|_| u32::from(r.flag_values[l])));
            out.extend(r.mem.map(|_| r.address[l]));
            out.extend(r.data[..passes].iter().map(|d| d[l]));
            for p in r.predicates.iter() {
                out.extend((0..2).filter(|q| p.number[*q].is_some()).map(|q| p.value[q] >> l & 1));
            }
        }
    }
    out
}

/// Warp instructions of random programs until the mutant did something else than the model.
fn instructions_to_kill(limits: &Limits, mutant: Mutant, most: u64) -> Option<u64> {
    let mut count = 0;
    let (mut a, mut b) = (Retired::default(), Retired::default());
    for seed in 1.. {
        let launch = generate(seed, limits, 300 + (seed as u32 % 28) * 100);
        let of = |mutant| Model::new(&launch, ModelConfig { mutant, ..config(limits) });
        let (mut right, mut wrong) = (of(None), of(Some(mutant)));
        for ctaid in blocks(&launch) {
            let id = right.start_block(ctaid);
            wrong.start_block(ctaid);
            let next = |m: &mut Model, r: &mut Retired| {
                (0..launch.warps_per_block())
                    .find(|w| step(m, id, *w, r).unwrap_or_else(|e| panic!("seed {seed}: {e}")))
            };
            while let Some(w) = next(&mut right, &mut a) {
                count += 1;
                if !step(&mut wrong, id, w, &mut b).is_ok_and(|stepped| stepped) || effect(&a) != effect(&b) {
                    println!("{mutant:?}: after {count} warp instructions");
                    return Some(count);
                }
                if count >= most {
                    return None;
                }
            }
        }
    }
    None
}

/// Every mutant of a set is told from the model within 100,000 instructions.
pub fn tell_every_mutant(isa: Isa) {
    let limits = small(isa);
    let mutants: Vec<Mutant> = match isa {
        Isa::Sm10 => Mutant::ALL.iter().map(|m| m.1).collect(),
        _ => Mutant::of_set(isa).collect(),
    };
    let lives = |m: &Mutant| instructions_to_kill(&limits, *m, 100_000).is_none();
    let alive: Vec<Mutant> = mutants.into_iter().filter(lives).collect();
    assert!(alive.is_empty(), "alive: {alive:?}");
}

#[test]
#[ignore = "soak: WARPSMITH_SEEDS programs (3000) for each set and several limits, minutes"]
fn many_random_programs_end_without_traps() {
    let count = std::env::var("WARPSMITH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    for isa in Isa::ALL {
        programs(count, &small(isa));
    }
    programs(count, &Limits { chip: false, ..small(Isa::G13) });
    programs(count, &Limits::tiny());
    for isa in [Isa::Sm10, Isa::Fermi] {
        let few = if isa == Isa::Sm10 { 1024 } else { 2048 };
        programs(count, &Limits { stack_depth: 4, ..small(isa) });
        programs(count, &Limits { warps: 2, registers: few, ..small(isa) });
        let (program_bytes, constant_bytes, registers, shared_bytes) = (16384, 8192, 16384, 16384);
        let large = Limits { program_bytes, constant_bytes, registers, shared_bytes, ..small(isa) };
        programs(count, &Limits { warps: 32, stack_depth: 32, ..large });
    }
}

#[test]
fn a_seed_names_one_program_that_fits_the_smallest_chip() {
    for isa in Isa::ALL {
        let limits = Limits { isa, ..Limits::tiny() };
        let program = |seed| generate(seed, &limits, 1500);
        (0..20).for_each(|seed| fits(seed, &program(seed), &limits));
        assert_eq!(program(7), program(7));
        assert_ne!(program(7).program, program(8).program);
    }
}

#[test]
fn a_written_launch_reads_back() {
    for isa in Isa::ALL {
        let dir = tempfile::tempdir().unwrap();
        let launch = generate(3, &small(isa), 400);
        let back = warpsmith_launch_file::load(write_launch(&launch, dir.path()).unwrap()).unwrap();
        let of = |l: &Launch| (l.program.clone(), l.params.clone(), l.globals[0].bytes.clone(), l.local_bytes, l.simd);
        assert_eq!(of(&back), of(&launch));
    }
}
