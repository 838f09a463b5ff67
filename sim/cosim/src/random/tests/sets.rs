//! Runs of programs of the sets beside SM 1.0 on the model, warps in any order.

use warpsmith_model::uop::{Machine, Slot, State};
use warpsmith_model::{Launch, Retired};

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
                        .decode(launch.code.get(pc as usize..).unwrap_or_default())
                        .map(|i| set.print(&i, pc.into()));
                    panic!("seed {seed}, {order:?}: {e} at pc 0x{pc:x}: {text:?}");
                }
                assert!(r.deadlock.is_none(), "seed {seed}: {:?}", r.deadlock);
                seen(m.instruction(pc).unwrap(), &r, depth);
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
