//! Runs of programs of the sets beside SM 1.0 on the model, warps in any order.

use warpsmith_model::uop::{Machine, Set, Slot, State};
use warpsmith_model::{Launch, Mutant, Retired, RetiredDst};

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

/// Runs a launch on a machine, showing every instruction and the depth before it; gives warp
/// instructions and final memory.
pub fn run(
    seed: u64,
    launch: &Launch,
    mut m: Machine,
    order: Order,
    seen: &mut dyn FnMut(&Slot, &Retired, u32),
) -> (u64, Vec<u8>) {
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
                let (pc, depth) = (warp.pc(), warp.depth() as u32);
                if let Err(e) = m.step(id, w, &mut r) {
                    let set = m.set().instructions();
                    let text = set
                        .decode(launch.program.bytes.get(pc as usize..).unwrap_or_default())
                        .map(|i| set.print(&i, pc.into()));
                    panic!("seed {seed}, {order:?}: {e} at pc 0x{pc:x}: {text:?}");
                }
                assert!(r.deadlock.is_none(), "seed {seed}: {:?}", r.deadlock);
                seen(m.instruction(pc).unwrap(), &r, depth);
                assert!(m.stats().warp_instructions < 300_000, "seed {seed}: does not end");
            }
            m.retire_block(id);
        }
    }
    (m.stats().warp_instructions, m.global().read(0, launch.global_bytes as usize))
}

/// What a step did to the state of its warp: everything the lockstep compares.
fn effect(r: &Retired) -> Vec<u32> {
    let mut out = vec![r.pc, r.exec_mask];
    let count = match r.dst {
        RetiredDst::Gpr { count, .. } => usize::from(count),
        RetiredDst::Half { .. } => 1,
        _ => 0,
    };
    let passes = r.mem.map_or(0, |m| m.passes());
    for l in (0..32).filter(|l| r.exec_mask >> l & 1 == 1) {
        out.extend(r.values[..count].iter().map(|v| v[l]));
        out.extend(r.mem.map(|_| r.address[l]));
        out.extend(r.data[..passes].iter().map(|d| d[l]));
        for p in r.predicates.iter() {
            for q in (0..2).filter(|q| p.number[*q].is_some()) {
                out.push(p.value[q] >> l & 1);
            }
        }
    }
    out
}

/// Warp instructions of random programs until the mutant did something else than the model.
pub fn instructions_to_kill(
    set: &'static dyn Set,
    mutant: Mutant,
    most: u64,
    generate: &dyn Fn(u64) -> Launch,
) -> Option<u64> {
    let mut before = 0;
    for seed in 1.. {
        let launch = generate(seed);
        let of = |mutant| Machine::of_chip(set, &launch, 16, mutant);
        let (mut right, mut wrong) = (of(None), of(Some(mutant)));
        let (mut a, mut b) = (Retired::default(), Retired::default());
        for y in 0..launch.grid[1] {
            for x in 0..launch.grid[0] {
                let id = right.start_block([x, y]);
                wrong.start_block([x, y]);
                loop {
                    let ready = |w: &u32| right.block(id).unwrap().state(*w) == Some(State::Ready);
                    let Some(w) = (0..launch.warps_per_block()).find(ready) else {
                        break;
                    };
                    right.step(id, w, &mut a).unwrap();
                    let n = before + right.stats().warp_instructions;
                    if wrong.step(id, w, &mut b).is_err() || effect(&a) != effect(&b) {
                        println!("{mutant:?}: after {n} warp instructions");
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
