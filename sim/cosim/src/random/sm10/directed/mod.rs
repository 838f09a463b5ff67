//! Straight-line programs of one warp for a part of the chip, whose results all reach global memory: of words with all their
//! bits random ([`mod@words`]), and of chosen rows on operands that belong together ([`mod@lanes`]).

pub mod lanes;
pub mod words;

use super::super::value;
use super::form::is_plain;
use super::tier::implemented;
use crate::random::limits::Limits;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use warpsmith_isa::{Op, ROWS};

/// An instruction that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Its word.
    pub word: u64,
    /// Its operands, in the order of its sources; `None`: it is wanted as it is, whatever its registers hold.
    pub operands: Option<[u32; 3]>,
}

/// What a program is made for.
#[derive(Clone, Debug, Default)]
pub struct Steer {
    /// How often each row of the instruction table is drawn; empty: all alike.
    pub weights: Vec<u32>,
    /// Operands that threads load together.
    pub sets: Vec<[u32; 3]>,
    /// Instructions that are wanted.
    pub wishes: Vec<Wish>,
    /// Lanes of the chip, a power of two.
    pub lanes: u32,
}

/// Rows from which they draw: those of straight-line code, and accesses to global memory.
pub fn rows(limits: &Limits) -> Vec<usize> {
    rows_of(limits, straight)
}

fn rows_of(limits: &Limits, fits: fn(&Op) -> bool) -> Vec<usize> {
    (0..ROWS.len()).filter(|&f| implemented(f as u8, limits.tier) && fits(&ROWS[f].op)).collect()
}

fn straight(op: &Op) -> bool {
    is_plain(op) || on_global(op)
}

fn on_global(op: &Op) -> bool {
    matches!(op, Op::LdGlobal { .. } | Op::StGlobal { .. } | Op::Atomic { .. })
}

/// An operand: a random one, or one that has few bits that are set or clear, at one place or from one place on.
fn word(rng: &mut ChaCha8Rng, floats: bool) -> u32 {
    match rng.gen_range(0..10) {
        // A shift count.
        3 => rng.gen_range(0..40),
        4 => 1 << rng.gen_range(0..32u32),
        5 => !(1 << rng.gen_range(0..32u32)),
        6 => u32::MAX << rng.gen_range(0..32u32),
        7 => u32::MAX >> rng.gen_range(0..32u32),
        _ if floats && rng.gen() => value::float(rng),
        _ => value::integer(rng),
    }
}

/// A word beside another: what tells two operands apart is seldom in two random ones.
fn neighbour(rng: &mut ChaCha8Rng, word: u32) -> u32 {
    let bit = rng.gen_range(0..32u32);
    match rng.gen_range(0..6) {
        0 => word,
        1 | 2 => word ^ 1 << bit,
        3 => word.wrapping_add(rng.gen_range(0..3)).wrapping_sub(1),
        // The same from a bit on.
        4 => word ^ rng.gen::<u32>() & (2 << bit).max(1u32).wrapping_sub(1),
        _ => !word ^ 1 << bit,
    }
}

/// Four words, some of which tell little apart.
fn group(rng: &mut ChaCha8Rng, floats: bool) -> [u32; 4] {
    let mut words = [0; 4];
    for i in 0..4 {
        words[i] = if i > 0 && rng.gen() { neighbour(rng, words[i - 1]) } else { word(rng, floats) };
    }
    words
}

/// Rows that hold for `fits`, each as often as it is to be drawn.
fn drawn(limits: &Limits, steer: &Steer, fits: fn(&Op) -> bool) -> Vec<usize> {
    let rows = rows_of(limits, fits);
    let often: Vec<usize> = rows
        .iter()
        .flat_map(|r| std::iter::repeat_n(*r, steer.weights.get(*r).copied().unwrap_or(1) as usize))
        .collect();
    if often.is_empty() {
        rows
    } else {
        often
    }
}
