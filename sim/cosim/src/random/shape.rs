//! Sizes of grid and block.

use super::state::Limits;
use rand::Rng;

/// Threads of a block in `x, y, z` and blocks of the grid in `x, y` for at most `warps` warps in all,
/// whose threads take `registers` registers each.
pub fn draw(rng: &mut impl Rng, limits: &Limits, registers: u32, warps: u32) -> ([u32; 3], [u32; 2]) {
    let fit = limits.registers / (32 * registers);
    let most = warps.clamp(1, 32);
    let warps = rng.gen_range(1..=fit.min(limits.warps).min(most).clamp(1, 6));
    let blocks = rng.gen_range(1..=(most / warps).clamp(1, 8));
    let threads = if rng.gen_bool(0.5) { 32 * warps } else { 32 * warps - rng.gen_range(0..32) };
    let block = match rng.gen_range(0..3) {
        0 => [threads, 1, 1],
        1 => {
            let x = rng.gen_range(1..=threads.min(40));
            [x, threads / x, 1]
        }
        _ => {
            let x = rng.gen_range(1..=threads.min(9));
            let y = rng.gen_range(1..=(threads / x).min(9));
            [x, y, (threads / (x * y)).clamp(1, 64)]
        }
    };
    let grid = match rng.gen_range(0..3) {
        0 => [blocks, 1],
        1 => [1, blocks],
        _ => [blocks.div_ceil(2), if blocks > 1 { 2 } else { 1 }],
    };
    (block, grid)
}
