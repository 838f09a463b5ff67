//! Words of 32 lanes at once. Halves of a warp often use a row of words, or one word.

use crate::record::Lanes;
use warpsmith_isa::WARP_SIZE;

/// Lanes of half a warp.
const HALF: usize = WARP_SIZE / 2;

/// Where half a warp's words are.
enum Shape {
    One,
    /// Lane after lane.
    Row,
    Other,
}

#[inline(always)]
fn shape(at: &[u32]) -> Shape {
    let first = at[0];
    let (mut other, mut gap) = (0, 0);
    for (l, a) in (0..HALF as u32).zip(at) {
        other |= a ^ first;
        gap |= a ^ first.wrapping_add(4 * l);
    }
    match (other, gap) {
        (0, _) => Shape::One,
        (_, 0) => Shape::Row,
        _ => Shape::Other,
    }
}

/// Words of `memory` at aligned offsets that are inside it.
#[inline(always)]
pub(crate) fn gather(memory: &[u8], at: &Lanes, to: &mut Lanes) {
    for half in [0, HALF] {
        let (at, to) = (&at[half..half + HALF], &mut to[half..half + HALF]);
        let first = at[0] as usize;
        match shape(at) {
            Shape::One => to.fill(word(memory, first)),
            Shape::Row => {
                let row = &memory[first..first + 4 * HALF];
                for (to, b) in to.iter_mut().zip(row.chunks_exact(4)) {
                    *to = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                }
            }
            Shape::Other => {
                for (to, a) in to.iter_mut().zip(at) {
                    *to = word(memory, *a as usize);
                }
            }
        }
    }
}

/// Sets the bits of words at aligned offsets.
#[inline(always)]
pub(crate) fn mark(bits: &mut [u64], at: &Lanes) {
    for at in at.chunks_exact(HALF) {
        let first = at[0] as usize / 4;
        match shape(at) {
            Shape::One => bits[first / 64] |= 1 << (first % 64),
            Shape::Row => {
                let row = ((1u128 << HALF) - 1) << (first % 64);
                bits[first / 64] |= row as u64;
                // Behind the last word there is none to mark.
                if let Some(next) = bits.get_mut(first / 64 + 1) {
                    *next |= (row >> 64) as u64;
                }
            }
            Shape::Other => at.iter().for_each(|a| bits[*a as usize / 256] |= 1 << (a / 4 % 64)),
        }
    }
}

#[inline(always)]
fn word(memory: &[u8], at: usize) -> u32 {
    let b = &memory[at..at + 4];
    u32::from_le_bytes([b[0], b[1], b[2], b[3]])
}
