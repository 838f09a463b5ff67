//! Random programs of SM 1.0 on the model.

use crate::coverage::Coverage;
use crate::random::{generate, write_launch, Limits};
use warpsmith_isa::Isa;
use warpsmith_isa::{Instr, Op, Tier, ROWS};
use warpsmith_model::num::float::exponent;
use warpsmith_model::{Launch, Machine, ModelConfig, Mutant, Retired, RetiredDst};

/// Which warp runs next on the model.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// All in turn, one instruction each.
    Turns,
    /// The first that can, as far as it gets.
    First,
    /// The last that can, as far as it gets.
    Last,
}

/// Runs a launch on the model, counting coverage; gives the final memory.
fn run(
    seed: u64,
    launch: &Launch,
    fill: Option<u64>,
    stack_depth: usize,
    order: Order,
    coverage: &mut Coverage,
) -> (u64, Vec<u8>) {
    let config = ModelConfig { fill, stack_depth, ..ModelConfig::default() };
    run_with(seed, launch, config, order, |i, r, depth| {
        coverage.add(i, r, depth);
    })
}

/// Runs a launch on the model, showing what every step does; gives the final memory.
fn run_with(
    seed: u64,
    launch: &Launch,
    config: ModelConfig,
    order: Order,
    mut step: impl FnMut(&Instr, &Retired, u32),
) -> (u64, Vec<u8>) {
    let mut m = Machine::new(launch, config);
    let mut r = Retired::default();
    for y in 0..launch.grid[1] {
        for x in 0..launch.grid[0] {
            let id = m.start_block([x, y]);
            let warps = launch.warps_per_block();
            let mut turn = 0;
            loop {
                let ready = |w: &u32| {
                    let warp = m.warp(id, *w).unwrap();
                    !warp.control.is_finished() && warp.barriers.waiting.is_none()
                };
                let next = match order {
                    Order::Turns => (turn..turn + warps).map(|w| w % warps).find(ready),
                    Order::First => (0..warps).find(ready),
                    Order::Last => (0..warps).rev().find(ready),
                };
                let Some(w) = next else { break };
                turn = w + 1;
                let control = &m.warp(id, w).unwrap().control;
                let (pc, depth) = (control.pc, control.stack().len() as u32);
                if let Err(e) = m.step(id, w, &mut r) {
                    panic!(
                        "seed {seed}: {e} at pc 0x{pc:x}: {}",
                        crate::instruction::text(launch, pc, m_word(launch, pc))
                    );
                }
                assert!(r.deadlock.is_none(), "seed {seed}: {:?}", r.deadlock);
                let i = warpsmith_isa::decode(r.word[0], r.word[1]).unwrap();
                step(&i, &r, depth);
                assert!(m.stats().warp_instructions < 200_000, "seed {seed}: does not end");
            }
        }
    }
    (m.stats().warp_instructions, m.global().read(0, launch.global_bytes as usize))
}

fn m_word(launch: &Launch, pc: u32) -> [u32; 2] {
    let i = pc as usize / 4;
    let words = launch.program.words();
    [words[i], words.get(i + 1).copied().unwrap_or(0)]
}

#[test]
fn random_programs_end_without_traps_and_depend_on_nothing_undefined() {
    for tier in [Tier::integer(), Tier::full()] {
        let mut coverage = Coverage::default();
        let limits = Limits { tier, ..Limits::tiny() };
        let (mut instructions, count) = (0, 150);
        for seed in 0..count {
            let launch = generate(seed, &limits, 300 + (seed as u32 % 10) * 300);
            assert!(launch.program.len() <= limits.program_bytes, "seed {seed}: {} bytes", launch.program.len());
            assert!(launch.shared_bytes <= limits.shared_bytes);
            assert!(launch.constants.iter().map(|c| c.bytes.len()).sum::<usize>() as u32 <= limits.constant_bytes);
            assert!(launch.warps_per_block() * 32 * launch.registers <= limits.registers);
            let (n, zeros) = run(seed, &launch, None, 16, Order::Turns, &mut coverage);
            let again = |fill, order| run(seed, &launch, fill, 16, order, &mut Coverage::default()).1;
            let filled = again(Some(seed + 1), Order::Turns);
            assert!(zeros == filled, "seed {seed}: the result depends on undefined state");
            for order in [Order::First, Order::Last] {
                assert!(zeros == again(None, order), "seed {seed}: the result depends on the order of the warps");
            }
            instructions += n;
        }
        let float: u64 = coverage.forms.iter().filter(|f| ROWS[usize::from(*f.0)].op.is_float()).map(|f| f.1).sum();
        println!("{float} float instructions of {instructions}");
        println!("{} instructions a program\n{}", instructions / count, coverage.summary(tier));
        let (hit, all) = coverage.forms_hit(tier);
        assert!(hit * 100 >= all * 95, "{hit} of {all}");
        assert_eq!(coverage.conditions.len(), 23);
        assert_eq!(coverage.never_met(tier), [""; 0]);
        assert!(coverage.conflicts.keys().max() >= Some(&8), "{:?}", coverage.conflicts);
    }
}

/// Float limits of the smallest configuration.
fn full() -> Limits {
    Limits { tier: Tier::full(), ..Limits::tiny() }
}

#[test]
fn most_float_operands_are_numbers_near_each_other() {
    // Threads that executed FADD, FMUL, FMAD; with normal operands; and with a result that is a
    // normal number and none of the operands.
    let mut counts = [[0u64; 3]; 3];
    for seed in 0..100 {
        let config = ModelConfig::default();
        let launch = generate(seed, &full(), 1500);
        run_with(seed, &launch, config, Order::Turns, |i, r, _| {
            let (kind, sources) = match i.op {
                Op::FAdd { .. } => (0, 2),
                Op::FMul { .. } => (1, 2),
                Op::FMad { .. } => (2, 3),
                _ => return,
            };
            let normal = |x: u32| (1..255).contains(&exponent(x));
            for l in (0..32).filter(|l| r.exec_mask >> l & 1 == 1) {
                let x: Vec<u32> = r.sources[..sources].iter().map(|s| s[l]).collect();
                let y = r.values[0][l];
                let numbers = x.iter().all(|x| normal(*x));
                let works = normal(y) && x.iter().all(|x| (x ^ y) << 1 != 0);
                counts[kind][0] += 1;
                counts[kind][1] += u64::from(numbers);
                counts[kind][2] += u64::from(numbers && works);
            }
        });
    }
    for (name, [all, numbers, works]) in ["FADD", "FMUL", "FMAD"].iter().zip(counts) {
        println!(
            "{name}: {all} threads, operands normal {} %, result another normal number {} %",
            100 * numbers / all,
            100 * works / all
        );
        assert!(5 * numbers > 2 * all && 5 * works > all, "{name}: {counts:?}");
    }
}

/// What a step did to the state of its warp: everything the lockstep compares.
fn effect(r: &Retired) -> Vec<u32> {
    let mut out = vec![r.pc, r.exec_mask, r.next_pc, r.next_mask];
    let count = match r.dst {
        RetiredDst::None => 0,
        RetiredDst::Gpr { count, .. } => usize::from(count),
        RetiredDst::Half { .. } | RetiredDst::Addr { .. } => 1,
    };
    for l in 0..32 {
        if r.write_mask >> l & 1 == 1 {
            out.extend(r.values[..count].iter().map(|v| v[l]));
        }
        if r.exec_mask >> l & 1 == 1 {
            out.extend(r.flags.map(|_| u32::from(r.flag_values[l])));
            out.extend(r.mem.map(|_| r.address[l]));
            let passes = r.mem.map_or(0, |m| m.passes());
            out.extend(r.data[..passes].iter().map(|d| d[l]));
        }
    }
    out
}

/// Warp instructions of random programs until the mutant did something else than the model.
fn instructions_to_kill(mutant: Mutant, first: u64, most: u64) -> Option<u64> {
    let mut before = 0;
    for seed in first.. {
        let launch = generate(seed, &full(), 300 + (seed as u32 % 28) * 100);
        let config = ModelConfig { mutant: Some(mutant), ..ModelConfig::default() };
        let (mut right, mut wrong) = (Machine::new(&launch, ModelConfig::default()), Machine::new(&launch, config));
        let (mut a, mut b) = (Retired::default(), Retired::default());
        for y in 0..launch.grid[1] {
            for x in 0..launch.grid[0] {
                let id = right.start_block([x, y]);
                wrong.start_block([x, y]);
                loop {
                    let next = (0..launch.warps_per_block()).find(|w| {
                        let warp = right.warp(id, *w).unwrap();
                        !warp.control.is_finished() && warp.barriers.waiting.is_none()
                    });
                    let Some(w) = next else { break };
                    right.step(id, w, &mut a).unwrap();
                    let n = before + right.stats().warp_instructions;
                    if wrong.step(id, w, &mut b).is_err() || effect(&a) != effect(&b) {
                        return Some(n);
                    }
                    if n >= most {
                        return None;
                    }
                }
            }
        }
        before += right.stats().warp_instructions;
    }
    None
}

#[test]
fn random_programs_tell_every_mutant_from_the_model() {
    let most = 100_000;
    let mut alive = vec![];
    for (name, mutant) in Mutant::ALL {
        match instructions_to_kill(mutant, 1, most) {
            Some(n) => println!("{name}: after {n} warp instructions"),
            None => alive.push(name),
        }
    }
    assert!(alive.is_empty(), "alive after {most}: {alive:?}");
}

#[test]
fn an_arrival_does_not_open_a_later_barrier() {
    // Of a barrier that a warp arrived at the others would go through early, and that warp would wait for ever.
    let mut arrivals = 0;
    for seed in 0..600 {
        let words = generate(seed, &Limits::tiny(), 1300).program.words();
        let (mut at, mut arrived) = (0, vec![]);
        while let Some(&first) = words.get(at) {
            let i = warpsmith_isa::decode(first, words.get(at + 1).copied().unwrap_or(0)).unwrap();
            at += 1 + usize::from(i.long);
            match i.op {
                Op::Bar { id, wait: true, .. } => {
                    assert!(!arrived.contains(&id), "seed {seed}: barrier {id} before word {at}");
                    arrived.clear();
                }
                Op::Bar { id, .. } => {
                    arrived.push(id);
                    arrivals += 1;
                }
                _ => {}
            }
        }
    }
    assert!(arrivals > 100, "{arrivals} arrivals");
}

#[test]
#[ignore = "soak: WARPSMITH_SEEDS programs (3000) for each of several limits, minutes"]
fn many_random_programs_end_without_traps() {
    let count = std::env::var("WARPSMITH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    let small = Limits { stack_depth: 4, ..Limits::tiny() };
    let few = Limits { warps: 2, registers: 1024, ..Limits::tiny() };
    let large = Limits {
        options: Default::default(),
        isa: Isa::Sm10,
        program_bytes: 16384,
        constant_bytes: 8192,
        registers: 16384,
        shared_bytes: 16384,
        warps: 32,
        stack_depth: 32,
        chip: true,
        tier: Tier::full(),
    };
    for limits in [Limits::tiny(), small, few, large] {
        let mut n = 0;
        for seed in 0..count {
            let launch = generate(seed, &limits, 300 + (seed as u32 % 28) * 100);
            let depth = limits.stack_depth as usize;
            let results = [Order::Turns, Order::First, Order::Last]
                .map(|o| run(seed, &launch, None, depth, o, &mut Coverage::default()));
            assert!(results[0] == results[1] && results[0] == results[2], "seed {seed}");
            n += results[0].0;
        }
        println!("{count} programs, {n} warp instructions: {limits:?}");
    }
}

#[test]
fn a_seed_names_one_program() {
    assert_eq!(generate(7, &Limits::tiny(), 500), generate(7, &Limits::tiny(), 500));
    assert_ne!(generate(7, &Limits::tiny(), 500).program, generate(8, &Limits::tiny(), 500).program);
}

#[test]
fn a_written_launch_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let launch = generate(3, &Limits::tiny(), 400);
    let back = warpsmith_launch_file::load(write_launch(&launch, dir.path()).unwrap()).unwrap();
    assert_eq!(
        (back.program, back.globals[0].bytes.clone(), back.local_bytes),
        (launch.program, launch.globals[0].bytes.clone(), launch.local_bytes)
    );
}
