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
    pub fn of(at: &Lanes) -> Rows {
        match ends(at, shapes(at)) {
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
    pub fn gather(self, memory: &[u8], offset: i32, to: &mut Lanes) -> Option<()> {
        if matches!(self, Rows::UNKNOWN | Rows::NONE) {
            return None;
        }
        let memory = &memory[..memory.len().min(1 << 16)];
        let [a, b, c, d] = self.ends();
        for (half, (first, last)) in [(a, b), (c, d)].into_iter().enumerate() {
            let to = &mut to[half * HALF..][..HALF];
            let at = u32::from(first).wrapping_add(offset as u32) as usize;
            if at & 3 != 0 {
                return None;
            }
            match first == last {
                true => to.fill(word(memory.get(at..)?.get(..4)?, 0)),
                false => copy(memory.get(at..)?.get(..4 * HALF)?, to),
            }
        }
        Some(())
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

#[cfg(test)]
mod tests {
    use super::*;
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
            let (rows, found) = (Rows::of(&at), Rows::of(&at.map(|a| a.wrapping_add(offset) & 0xffff)));
            let moved = rows.moved(offset);
            assert!(moved == found || moved == Rows::UNKNOWN, "{at:x?} {offset:x}");
            known += usize::from(moved == found);
            // A row that is cut at 2^16 is none.
            broken += usize::from(rows != Rows::NONE && found == Rows::NONE);
        }
        assert!(known > 5_000 && broken > 100, "{known} {broken}");
    }

    #[test]
    fn words_of_rows_are_those_of_their_lanes() {
        let memory: Vec<u8> = (0..0x1_0100u32).map(|i| (i * 37 + i / 256) as u8).collect();
        let (mut r, mut read, mut left) = (Random(6), 0, 0);
        for _ in 0..20_000 {
            let at = addresses(&mut r);
            let offset = [0, 4, 0x3c0, -4, 2, -0x8000][r.index(6)];
            let memory = &memory[..[0, 60, 0x8040, 0x1_0000, 0x1_0100][r.index(5)]];
            let mut to = [0; WARP_SIZE];
            if Rows::of(&at).gather(memory, offset, &mut to).is_none() {
                left += 1;
                continue;
            }
            read += 1;
            for l in 0..WARP_SIZE {
                let a = at[l].wrapping_add(offset as u32) & 0xffff;
                assert!(a & 3 == 0 && to[l] == word(memory, a as usize), "{at:x?} {offset:x}");
            }
        }
        assert!(read > 1_000 && left > 1_000, "{read} {left}");
    }
}
