//! Words of 32 lanes at once.

use crate::record::Lanes;
use warpsmith_isa::WARP_SIZE;

/// Words of `memory` at aligned offsets that are inside it. Halves of a warp often read a row of words, or one word.
#[inline(always)]
pub(crate) fn gather(memory: &[u8], at: &Lanes, to: &mut Lanes) {
    for half in [0, WARP_SIZE / 2] {
        let (at, to) = (&at[half..half + WARP_SIZE / 2], &mut to[half..half + WARP_SIZE / 2]);
        let first = at[0];
        let (mut other, mut gap) = (0, 0);
        for l in 0..WARP_SIZE / 2 {
            other |= at[l] ^ first;
            gap |= at[l] ^ first.wrapping_add(4 * l as u32);
        }
        let first = first as usize;
        if other == 0 {
            to.fill(word(memory, first));
        } else if gap == 0 {
            let row = &memory[first..first + 2 * WARP_SIZE];
            for (to, b) in to.iter_mut().zip(row.chunks_exact(4)) {
                *to = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        } else {
            for l in 0..WARP_SIZE / 2 {
                to[l] = word(memory, at[l] as usize);
            }
        }
    }
}

#[inline(always)]
fn word(memory: &[u8], at: usize) -> u32 {
    let b = &memory[at..at + 4];
    u32::from_le_bytes([b[0], b[1], b[2], b[3]])
}
