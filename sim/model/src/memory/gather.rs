//! Words of 32 lanes at once. Halves of a warp often use a row of words, or one word.

use crate::record::Lanes;
use warpsmith_isa::WARP_SIZE;

/// Lanes of half a warp.
const HALF: usize = WARP_SIZE / 2;

/// Where half a warp's words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    One,
    /// Lane after lane.
    Row,
    Other,
}

/// Of both halves.
pub type Shapes = [Shape; 2];

/// How the words at these addresses lie.
#[inline(always)]
pub(crate) fn shapes(at: &Lanes) -> Shapes {
    [shape(at, 0), shape(at, HALF)]
}

/// A value that the optimiser does not know. If it knew it, it would read the lanes in pieces that overlap two stores just
/// made; the host delays such reads until both stores are done.
#[inline(always)]
pub(crate) fn opaque(value: u32) -> u32 {
    std::hint::black_box(value)
}

/// The least and the greatest address of each half, where they are rows or one word.
#[inline(always)]
pub(crate) fn ends(at: &Lanes, shapes: Shapes) -> Option<[u32; 4]> {
    let plain = shapes[0] != Shape::Other && shapes[1] != Shape::Other;
    plain.then_some([at[0], at[HALF - 1], at[HALF], at[WARP_SIZE - 1]])
}

/// Addresses whose halves are each a row of words or one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// As [`ends`] gives them.
    ends: [u32; 4],
    shapes: Shapes,
}

/// Addresses as rows; `None` where a half is neither.
#[inline(always)]
pub(crate) fn rows(at: &Lanes) -> Option<Rows> {
    let shapes = shapes(at);
    Some(Rows { ends: ends(at, shapes)?, shapes })
}

impl Rows {
    /// The addresses behind `offset`; `None` where one is negative, above `last` or that of no word.
    #[inline(always)]
    pub fn moved(self, offset: i32, last: u32) -> Option<Rows> {
        let mut ends = self.ends;
        for e in &mut ends {
            *e = e.wrapping_add(offset as u32);
            if *e > last || *e & 3 != 0 {
                return None;
            }
        }
        Some(Rows { ends, ..self })
    }

    /// Words of `memory` at the addresses, which have been checked.
    #[inline(always)]
    pub fn gather(&self, memory: &[u8], to: &mut Lanes) {
        for half in 0..2 {
            let first = self.ends[2 * half] as usize;
            let to = &mut to[half * HALF..][..HALF];
            match self.shapes[half] {
                Shape::Row => copy(&memory[first..first + 4 * HALF], to),
                _ => to.fill(word(memory, first)),
            }
        }
    }
}

/// A row of words.
#[inline(always)]
fn copy(row: &[u8], to: &mut [u32]) {
    for l in 0..HALF {
        to[l] = word(row, 4 * l);
    }
}

#[inline(always)]
fn shape(at: &Lanes, from: usize) -> Shape {
    let first = opaque(at[from]);
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
        Shape::Row => copy(&memory[first..first + 4 * HALF], &mut to[from..from + HALF]),
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
