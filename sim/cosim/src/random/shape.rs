//! Sizes of grid and block, and of a thread's or warp's own memory.

use super::limits::Limits;
use rand::Rng;

/// Threads of a block in `x, y, z`, blocks of the grid in `x, y`, and threads of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub block: [u32; 3],
    pub grid: [u32; 2],
    pub warp: u32,
}

impl Shape {
    /// Threads of a block.
    pub fn threads(self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a block.
    pub fn warps(self) -> u32 {
        self.threads().div_ceil(self.warp)
    }

    /// Whether no thread of a warp is missing.
    pub fn full_warps(self) -> bool {
        self.threads() % self.warp == 0
    }

    /// Blocks of the grid.
    pub fn blocks(self) -> u32 {
        self.grid.iter().product()
    }
}

/// Sizes for at most `warps` warps in all, whose threads take `registers` registers each.
pub fn draw(rng: &mut impl Rng, limits: &Limits, registers: u32, warps: u32) -> Shape {
    draw_of(rng, limits, 32, 32 * registers, warps)
}

/// The same of warps of so many threads, which take so many registers of the SM each.
pub fn draw_of(rng: &mut impl Rng, limits: &Limits, warp: u32, registers: u32, warps: u32) -> Shape {
    let fit = limits.registers / registers;
    let most = warps.clamp(1, 32);
    let warps = rng.gen_range(1..=fit.min(limits.warps).min(most).clamp(1, 6));
    let blocks = rng.gen_range(1..=(most / warps).clamp(1, 8));
    let threads = if rng.gen_bool(0.5) { warp * warps } else { warp * warps - rng.gen_range(0..warp) };
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
    Shape { block, grid, warp }
}

/// Bytes of shared memory of a warp, a power of two, where there is room for so many; and mask and shift of the number
/// of the thread that make its pointer, which reaches half of them at most.
pub fn shared(rng: &mut impl Rng, shape: Shape, room: u32, least_shift: u32) -> (u32, (u32, u32)) {
    let bytes = match shape.full_warps() {
        true => *[256, 512, 1024].iter().rev().find(|&&w| w <= room && rng.gen_bool(0.6)).unwrap_or(&256),
        false => 128,
    };
    loop {
        let (mask, shift) = ((1u32 << rng.gen_range(0..6)) - 1, rng.gen_range(least_shift..9));
        if mask << shift <= bytes / 2 {
            return (bytes, (mask, shift));
        }
    }
}

/// Up to two constant banks from 2 on, of at most `most` bytes each.
pub fn banks(rng: &mut impl Rng, most: u32) -> Vec<(u8, u32)> {
    let mut banks: Vec<(u8, u32)> = vec![];
    for _ in 0..rng.gen_range(0..3) {
        let b = rng.gen_range(2..16);
        if banks.iter().all(|x| x.0 != b) {
            banks.push((b, most.min(64 * rng.gen_range(1..4u32))));
        }
    }
    banks
}

/// A thread's own global memory.
pub struct Slots {
    /// Pieces of 16 bytes.
    pub count: u32,
    /// Bytes from a thread's to the next thread's.
    pub thread_stride: u32,
    /// Bytes from a piece to the next one of the thread.
    pub stride: u32,
    /// Bytes of all threads.
    pub bytes: u32,
}

impl Slots {
    /// Draws how many, and whether those of a thread lie together.
    pub fn draw(rng: &mut impl Rng, shape: Shape) -> Slots {
        let count = rng.gen_range(2..5u32);
        let threads = shape.threads() * shape.blocks();
        let (thread_stride, stride) = match rng.gen() {
            true => (16 * count, 16),
            false => (16, 16 * threads),
        };
        Slots { count, thread_stride, stride, bytes: 16 * count * threads }
    }
}
