//! Words of 32 lanes at once. Halves of a warp often use a row of words, or one word.

use crate::record::Lanes;
use warpsmith_isa::WARP_SIZE;

/// Lanes of half a warp.
const HALF: usize = WARP_SIZE / 2;

/// Where half a warp's words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    /// Lane after lane.
    Row,
    Other,
}

/// Of both halves.
pub(crate) type Shapes = [Shape; 2];

/// How the words at these addresses lie.
#[inline(always)]
pub(crate) fn shapes(at: &Lanes) -> Shapes {
    [shape(at, 0), shape(at, HALF)]
}

#[inline(always)]
fn shape(at: &Lanes, from: usize) -> Shape {
    let first = at[from];
    let (mut other, mut gap) = (0, 0);
    for l in 0..HALF {
        other |= at[from + l] ^ first;
        gap |= at[from + l] ^ first.wrapping_add(4 * l as u32);
    }
    match (other, gap) {
        (0, _) => Shape::One,
        (_, 0) => Shape::Row,
        _ => Shape::Other,
    }
}

/// Words of `memory`, which begins at address `base`, at aligned addresses that are inside it.
#[inline(always)]
pub(crate) fn gather(memory: &[u8], base: u32, at: &Lanes, shapes: Shapes, to: &mut Lanes) {
    gather_half(memory, base, at, 0, shapes[0], to);
    gather_half(memory, base, at, HALF, shapes[1], to);
}

#[inline(always)]
fn gather_half(memory: &[u8], base: u32, at: &Lanes, from: usize, shape: Shape, to: &mut Lanes) {
    let first = at[from].wrapping_sub(base) as usize;
    match shape {
        Shape::One => {
            let w = word(memory, first);
            for l in from..from + HALF {
                to[l] = w;
            }
        }
        Shape::Row => {
            let row = &memory[first..first + 4 * HALF];
            for l in 0..HALF {
                to[from + l] = word(row, 4 * l);
            }
        }
        Shape::Other => {
            for l in from..from + HALF {
                to[l] = word(memory, at[l].wrapping_sub(base) as usize);
            }
        }
    }
}

/// Writes words to `memory`, which begins at address `base`, at aligned addresses that are inside it.
#[inline(always)]
pub(crate) fn scatter(memory: &mut [u8], base: u32, at: &Lanes, mask: u32, from: &Lanes) {
    for l in 0..WARP_SIZE {
        if mask >> l & 1 != 0 {
            let at = at[l].wrapping_sub(base) as usize;
            memory[at..at + 4].copy_from_slice(&from[l].to_le_bytes());
        }
    }
}

/// Sets the bits of words at aligned addresses; the first bit is that of address `base`.
#[inline(always)]
pub(crate) fn mark(bits: &mut [u64], base: u32, at: &Lanes, shapes: Shapes) {
    mark_half(bits, base, at, 0, shapes[0]);
    mark_half(bits, base, at, HALF, shapes[1]);
}

#[inline(always)]
fn mark_half(bits: &mut [u64], base: u32, at: &Lanes, from: usize, shape: Shape) {
    let first = at[from].wrapping_sub(base) as usize / 4;
    match shape {
        Shape::One => bits[first / 64] |= 1 << (first % 64),
        Shape::Row => {
            let row = ((1u128 << HALF) - 1) << (first % 64);
            bits[first / 64] |= row as u64;
            // Behind the last word there is none to mark.
            if let Some(next) = bits.get_mut(first / 64 + 1) {
                *next |= (row >> 64) as u64;
            }
        }
        Shape::Other => {
            for l in from..from + HALF {
                let at = at[l].wrapping_sub(base) as usize / 4;
                bits[at / 64] |= 1 << (at % 64);
            }
        }
    }
}

#[inline(always)]
fn word(memory: &[u8], at: usize) -> u32 {
    let b = &memory[at..at + 4];
    u32::from_le_bytes([b[0], b[1], b[2], b[3]])
}
