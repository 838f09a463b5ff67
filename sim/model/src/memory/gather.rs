//! Words of 32 lanes at once. Halves of a warp often use a row of words, or one word.

use crate::record::Lanes;
use pulp::bytemuck::{cast, cast_slice};
use pulp::Simd;
use std::slice::from_ref;
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
pub(crate) fn shapes<S: Simd>(simd: S, at: &Lanes) -> Shapes {
    [shape(simd, &at[..HALF]), shape(simd, &at[HALF..])]
}

/// A value that the optimiser does not know. If it knew it, it would read the lanes in pieces that overlap two stores just
/// made; the host delays such reads until both stores are done.
#[inline(always)]
pub(crate) fn opaque<T>(value: T) -> T {
    std::hint::black_box(value)
}

/// The low half of a word, as a mask.
#[inline(always)]
pub(crate) fn low_half() -> u32 {
    opaque(0xffff)
}

/// The least and the greatest address of each half, where they are rows or one word.
#[inline(always)]
pub(crate) fn ends(at: &Lanes, shapes: Shapes) -> Option<[u32; 4]> {
    let plain = shapes[0] != Shape::Other && shapes[1] != Shape::Other;
    plain.then_some([at[0], at[HALF - 1], at[HALF], at[WARP_SIZE - 1]])
}

/// Bits that some addresses have, of which the lowest two are right, and in which some differ, of which the highest is.
#[inline(always)]
pub(crate) fn spread(at: &Lanes, shapes: Shapes) -> (u32, u32) {
    if let Some([a, b, c, d]) = ends(at, shapes) {
        return (a | c, (a ^ b) | (a ^ c) | (a ^ d));
    }
    let first = opaque(at[0]);
    let (mut low, mut apart) = (0, 0);
    for a in at {
        low |= a;
        apart |= a ^ first;
    }
    (low, apart)
}

/// Addresses of 16 bits whose halves are each a row of words or one word. In one word of the host: a struct it would
/// read in other pieces than it wrote it, which it delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows(u64);

impl Rows {
    /// Nobody has looked how the addresses lie: a half whose last address is below its first one.
    pub const UNKNOWN: Rows = Rows(1);
    /// They are in no rows.
    pub const NONE: Rows = Rows(2);

    /// How addresses lie.
    #[inline(always)]
    pub fn of<S: Simd>(simd: S, at: &Lanes) -> Rows {
        match ends(at, shapes(simd, at)) {
            Some([a, b, c, d]) => Rows::packed([a as u16, b as u16, c as u16, d as u16]),
            None => Rows::NONE,
        }
    }

    #[inline(always)]
    fn packed(ends: [u16; 4]) -> Rows {
        Rows((0..4).fold(0, |all, i| all | u64::from(ends[i]) << (16 * i)))
    }

    #[inline(always)]
    fn ends(self) -> [u16; 4] {
        [0, 1, 2, 3].map(|i| (self.0 >> (16 * i)) as u16)
    }

    /// The addresses behind `offset`, of 16 bits.
    #[inline(always)]
    pub fn moved(self, offset: u32) -> Rows {
        let [a, b, c, d] = self.ends().map(|e| e.wrapping_add(offset as u16));
        match self {
            Rows::UNKNOWN | Rows::NONE => Rows::UNKNOWN,
            _ if a > b || c > d => Rows::UNKNOWN,
            _ => Rows::packed([a, b, c, d]),
        }
    }

    /// Words of `memory` at the addresses behind `offset`; `None` where one is not inside, or not aligned, and where the
    /// addresses are in no rows.
    #[inline(always)]
    pub fn gather<S: Simd>(self, simd: S, memory: &[u8], offset: i32, to: &mut Lanes) -> Option<()> {
        let memory = reached(memory);
        for (half, (at, shape)) in self.halves(offset)?.into_iter().enumerate() {
            let to = &mut to[half * HALF..][..HALF];
            match shape {
                Shape::Row => copy(memory.get(at..)?.first_chunk()?, to),
                _ => fill(simd, word(memory.get(at..)?.get(..4)?, 0), to),
            }
        }
        Some(())
    }

    /// Writes words to `memory`, with the same conditions; of lanes with one address the last one's stays.
    #[inline(always)]
    pub fn scatter(self, memory: &mut [u8], offset: i32, from: &Lanes) -> Option<()> {
        let halves = self.halves(offset)?;
        for (at, shape) in halves {
            let bytes = if shape == Shape::Row { 4 * HALF } else { 4 };
            reached(memory).get(at..)?.get(..bytes)?;
        }
        for (half, (at, shape)) in halves.into_iter().enumerate() {
            let from: &[u32; HALF] = from[half * HALF..].first_chunk()?;
            match shape {
                Shape::Row => *memory[at..].first_chunk_mut()? = cast::<_, [u8; 4 * HALF]>(from.map(u32::to_le)),
                _ => memory[at..at + 4].copy_from_slice(&from[HALF - 1].to_le_bytes()),
            }
        }
        Some(())
    }

    /// Where each half begins behind `offset`, and how it lies; `None` where the addresses are in no rows, or not aligned.
    #[inline(always)]
    fn halves(self, offset: i32) -> Option<[(usize, Shape); 2]> {
        let [a, b, c, d] = self.ends();
        let half = |first: u16, last: u16| {
            let shape = if first == last { Shape::One } else { Shape::Row };
            (u32::from(first).wrapping_add(offset as u32) as usize, shape)
        };
        let aligned = (u32::from(a | c) | offset as u32) & 3 == 0;
        (aligned && !matches!(self, Rows::UNKNOWN | Rows::NONE)).then_some([half(a, b), half(c, d)])
    }
}

/// Offsets have 16 bits: what of a memory they reach.
#[inline(always)]
fn reached(memory: &[u8]) -> &[u8] {
    &memory[..memory.len().min(1 << 16)]
}

/// A row of words, in vectors: reading a vector just after its words were written one by one would wait for them.
#[inline(always)]
fn copy(row: &[u8; 4 * HALF], to: &mut [u32]) {
    let words: [u32; HALF] = cast(*row);
    to.copy_from_slice(&words.map(u32::from_le));
}

/// One word in all places, in vectors as [`copy`].
#[inline(always)]
pub(crate) fn fill<S: Simd>(simd: S, value: u32, to: &mut [u32]) {
    let (vectors, rest) = S::as_mut_simd_u32s(to);
    vectors.fill(simd.splat_u32s(value));
    rest.fill(value);
}

/// Of the addresses of half a warp.
#[inline(always)]
fn shape<S: Simd>(simd: S, at: &[u32]) -> Shape {
    static STEPS: Lanes = steps();
    let first = simd.splat_u32s(at[0]);
    let (mut other, mut gap) = (simd.splat_u32s(0), simd.splat_u32s(0));
    for (at, steps) in S::as_simd_u32s(at).0.iter().zip(S::as_simd_u32s(&STEPS).0) {
        let apart = simd.sub_u32s(*at, first);
        other = simd.or_u32s(other, apart);
        gap = simd.or_u32s(gap, simd.xor_u32s(apart, *steps));
    }
    if is_zero::<S>(other) {
        Shape::One
    } else if is_zero::<S>(gap) {
        Shape::Row
    } else {
        Shape::Other
    }
}

/// How far the words of a row are behind the first.
const fn steps() -> Lanes {
    let (mut steps, mut l) = ([0; WARP_SIZE], 0);
    while l < WARP_SIZE {
        steps[l] = 4 * l as u32;
        l += 1;
    }
    steps
}

#[inline(always)]
fn is_zero<S: Simd>(vector: S::u32s) -> bool {
    let mut any = 0;
    for word in cast_slice::<S::u32s, u32>(from_ref(&vector)) {
        any |= word;
    }
    any == 0
}

/// Words of `memory`, which begins at address `base`, at aligned addresses that are inside it.
#[inline(always)]
pub(crate) fn gather<S: Simd>(simd: S, memory: &[u8], base: u32, at: &Lanes, shapes: Shapes, to: &mut Lanes) {
    for (half, shape) in shapes.into_iter().enumerate() {
        let (at, to) = (&at[half * HALF..][..HALF], &mut to[half * HALF..][..HALF]);
        let first = at[0].wrapping_sub(base) as usize;
        match (shape, memory[first..].first_chunk()) {
            (Shape::One, _) => fill(simd, word(memory, first), to),
            (Shape::Row, Some(row)) => copy(row, to),
            _ => {
                for l in 0..HALF {
                    to[l] = word(memory, at[l].wrapping_sub(base) as usize);
                }
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
            let (row, bit) = ((1 << HALF) - 1, first % 64);
            bits[first / 64] |= row << bit;
            if bit > 64 - HALF {
                bits[first / 64 + 1] |= row >> (64 - bit);
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

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::Scalar;
    use warpsmith_testkit::Random;

    /// Addresses of 16 bits, most often in rows.
    fn addresses(r: &mut Random) -> Lanes {
        let first =
            [0, 0xffc0, 0xffc4, 0x8000, r.below(1 << 16), r.below(1 << 16) & !3].map(|a| [a, a + 4 * r.below(20)]);
        let halves = [0, 1].map(|_| (first[r.index(6)][r.index(2)], [0, 4, 4, 4, 2][r.index(5)]));
        let mut at: Lanes = std::array::from_fn(|l| {
            let (first, step) = halves[l / HALF];
            first.wrapping_add(step * (l % HALF) as u32) & 0xffff
        });
        if r.below(4) == 0 {
            at[r.index(WARP_SIZE)] ^= 4;
        }
        at
    }

    #[test]
    fn rows_that_move_lie_as_their_lanes_do() {
        let (mut r, mut known, mut broken) = (Random(5), 0, 0);
        for _ in 0..20_000 {
            let at = addresses(&mut r);
            let offset = [4, 0x3c0, 0xffff_fffc, 0x40, r.word()][r.index(5)];
            let (rows, found) = (Rows::of(Scalar, &at), Rows::of(Scalar, &at.map(|a| a.wrapping_add(offset) & 0xffff)));
            let moved = rows.moved(offset);
            assert!(moved == found || moved == Rows::UNKNOWN, "{at:x?} {offset:x}");
            known += usize::from(moved == found);
            // A row that is cut at 2^16 is none.
            broken += usize::from(rows != Rows::NONE && found == Rows::NONE);
        }
        assert!(known > 5_000 && broken > 100, "{known} {broken}");
    }

    #[test]
    fn words_of_rows_are_read_and_written_as_those_of_their_lanes() {
        let memory: Vec<u8> = (0..0x1_0100u32).map(|i| (i * 37 + i / 256) as u8).collect();
        let (mut r, mut read, mut left) = (Random(6), 0, 0);
        for _ in 0..20_000 {
            let at = addresses(&mut r);
            let offset: i32 = [0, 4, 0x3c0, -4, 2, -0x8000][r.index(6)];
            let memory = &memory[..[0, 60, 0x8040, 0x1_0000, 0x1_0100][r.index(5)]];
            let mut to = [0; WARP_SIZE];
            if Rows::of(Scalar, &at).gather(Scalar, memory, offset, &mut to).is_none() {
                let mut whole = memory.to_vec();
                let written = Rows::of(Scalar, &at).scatter(&mut whole, offset, &to);
                assert!(written.is_none() && whole == memory, "{at:x?} {offset:x}");
                left += 1;
                continue;
            }
            read += 1;
            let (mut found, mut expected) = (memory.to_vec(), memory.to_vec());
            let from = std::array::from_fn(|_| r.word());
            Rows::of(Scalar, &at).scatter(&mut found, offset, &from).expect("what can be read can be written");
            for l in 0..WARP_SIZE {
                let a = at[l].wrapping_add(offset as u32) & 0xffff;
                assert!(a & 3 == 0 && to[l] == word(memory, a as usize), "{at:x?} {offset:x}");
                expected[a as usize..][..4].copy_from_slice(&from[l].to_le_bytes());
            }
            assert!(found == expected, "{at:x?} {offset:x}");
        }
        assert!(read > 1_000 && left > 1_000, "{read} {left}");
    }
}
