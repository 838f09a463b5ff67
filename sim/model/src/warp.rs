//! State of one warp: registers laid out register by register, 32 threads side by side.

use crate::divergence::Control;
use crate::memory::gather::{low_half, Rows};
use crate::record::Lanes;
use pulp::Simd;
use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, DerefMut, Index};
use warpsmith_isa::WARP_SIZE;

/// A register, 32 threads side by side. Vectors of the host do not cross the lines of its cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Register(pub Lanes);

impl Register {
    /// Zeros.
    pub const ZERO: Register = Register([0; WARP_SIZE]);
}

impl Deref for Register {
    type Target = Lanes;

    #[inline(always)]
    fn deref(&self) -> &Lanes {
        &self.0
    }
}

impl DerefMut for Register {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Lanes {
        &mut self.0
    }
}

/// State of one warp.
#[derive(Clone, Debug)]
pub struct Warp {
    /// Pc, active mask, thread states, divergence stack.
    pub control: Control,
    /// General registers, `[register][thread]`, 32 bits each.
    pub registers: Vec<Register>,
    /// Flag registers `$c0..$c3`, `[register][thread]`, 4 bits each.
    pub flags: [[u8; WARP_SIZE]; 4],
    /// Address registers.
    pub address: Addresses,
    /// Local memory, `local_bytes` a thread, thread after thread.
    pub local: Vec<u8>,
}

/// Address registers `$a0..$a7`, `[register][thread]`, 16 bits each; `$a0` stays 0.
#[derive(Clone)]
pub struct Addresses {
    lanes: [Register; 8],
    /// How the lanes of each lie.
    rows: [Cell<Rows>; 8],
}

impl Addresses {
    fn new() -> Addresses {
        Addresses { lanes: [Register::ZERO; 8], rows: [const { Cell::new(Rows::UNKNOWN) }; 8] }
    }

    /// Register `a`, to be written.
    #[inline(always)]
    pub(crate) fn written(&mut self, a: usize) -> &mut Lanes {
        self.rows[a].set(Rows::UNKNOWN);
        &mut self.lanes[a]
    }

    /// How the lanes of register `a` lie.
    #[inline(always)]
    pub(crate) fn rows<S: Simd>(&self, simd: S, a: usize) -> Rows {
        if self.rows[a].get() == Rows::UNKNOWN {
            self.rows[a].set(Rows::of(simd, &self.lanes[a]));
        }
        self.rows[a].get()
    }

    /// Writes register `from` behind `offset` to `to`.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, simd: S, to: usize, from: usize, offset: u32) {
        let rows = self.rows(simd, from).moved(offset);
        let (lanes, low) = (self.lanes[from], low_half());
        for l in 0..WARP_SIZE {
            self.lanes[to][l] = lanes[l].wrapping_add(offset) & low;
        }
        self.rows[to].set(rows);
    }
}

/// The lanes alone: what was found out about them is no state.
impl fmt::Debug for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lanes.fmt(f)
    }
}

impl Index<usize> for Addresses {
    type Output = Lanes;

    #[inline(always)]
    fn index(&self, a: usize) -> &Lanes {
        &self.lanes[a]
    }
}

/// A repeatable pattern for state that starts undefined.
pub(crate) fn pattern(seed: u64, index: u64) -> u32 {
    // splitmix64's mixer: every seed and index gives an unrelated word.
    let mut x = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x >> 32) as u32
}

impl Warp {
    /// Warp `index` of a block: threads below the block's count exist, R0 holds their ids, the
    /// rest is 0 or, with `fill`, a pattern of that seed.
    pub(crate) fn new(
        index: u32, block: [u32; 3], registers: u32, local_bytes: u32, depth: usize, fill: Option<u64>,
    ) -> Self {
        let total = block[0] * block[1] * block[2];
        let first = index * WARP_SIZE as u32;
        let count = total.saturating_sub(first).min(WARP_SIZE as u32);
        let threads = if count == 32 { u32::MAX } else { (1 << count) - 1 };
        let mut w = Warp {
            control: Control::new(threads, depth),
            registers: vec![Register::ZERO; registers as usize],
            flags: [[0; WARP_SIZE]; 4],
            address: Addresses::new(),
            local: vec![0; local_bytes as usize * WARP_SIZE],
        };
        if let Some(seed) = fill {
            let seed = seed ^ (u64::from(index) << 32);
            let mut n = 0;
            let mut next = || {
                n += 1;
                pattern(seed, n)
            };
            w.registers.iter_mut().flat_map(|r| r.iter_mut()).for_each(|r| *r = next());
            w.flags.iter_mut().flatten().for_each(|f| *f = next() as u8 & 15);
            (1..8).for_each(|a| w.address.written(a).iter_mut().for_each(|a| *a = next() & 0xffff));
            w.local.iter_mut().for_each(|b| *b = next() as u8);
        }
        if let Some(r0) = w.registers.first_mut() {
            for (lane, r) in r0.iter_mut().enumerate() {
                if lane < count as usize {
                    *r = thread_id(first + lane as u32, block);
                }
            }
        }
        w
    }
}

/// R0 of thread `n` of a block: `tid.x | tid.y << 16 | tid.z << 26`.
pub fn thread_id(n: u32, block: [u32; 3]) -> u32 {
    let x = n % block[0];
    let y = n / block[0] % block[1];
    let z = n / (block[0] * block[1]);
    x | (y << 16) | (z << 26)
}
