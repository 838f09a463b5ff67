//! Choice of one lane: a code for the first or last lane that is on, and the item it names.
//!
//! The code is a tree: two lanes have an index of 1 bit, four one of 2 bits; two groups have their
//! codes and, above them, 1 bit that names the upper group. Eight lanes: 5 bits, sixteen: 11. A whole
//! index would be shorter but costs a multiplexer for each of its bits; like this an item of 8 lanes
//! is 3 lookup tables a bit, and 8 selections of a byte or word make a crossbar.

use crate::rtl::prelude::*;

/// Bits of the code for `lanes` lanes, a power of two, at least 2.
pub fn code_bits(lanes: usize) -> usize {
    assert!(lanes >= 2 && lanes.is_power_of_two(), "lanes in pairs");
    match lanes {
        2 => 1,
        _ => 3 * lanes / 4 - 1,
    }
}

/// The code of the first lane that is on; of any lane when none is.
pub fn first_of(on: &[Expr]) -> Expr {
    code(on, &|low, _| !any_of(low), &|on| !&on[0] & (&on[1] | &!&on[2]))
}

/// The code of the last lane that is on; of any lane when none is.
pub fn last_of(on: &[Expr]) -> Expr {
    code(on, &|_, high| any_of(high), &|on| &on[3] | &(!&on[2] & &on[1]))
}

/// `upper` of two halves: the upper one is named; `odd` of four lanes: lane 1 or 3 is named.
fn code(on: &[Expr], upper: &dyn Fn(&[Expr], &[Expr]) -> Expr, odd: &dyn Fn(&[Expr]) -> Expr) -> Expr {
    let (low, high) = on.split_at(on.len() / 2);
    let upper_half = upper(low, high);
    match on.len() {
        2 => return upper_half,
        4 => return cat([&upper_half, &odd(on)]),
        _ => {}
    }
    cat([&upper_half, &code(high, upper, odd), &code(low, upper, odd)])
}

/// The item of the lane that `code` names.
pub fn chosen(code: &Expr, items: &[Expr]) -> Expr {
    assert_eq!(code.width(), code_bits(items.len()), "a code of the lanes");
    if let [a, b] = items {
        return code.mux(b, a);
    }
    if let [a, b, c, d] = items {
        let odd = code.bit(0);
        return code.bit(1).mux(&odd.mux(d, c), &odd.mux(b, a));
    }
    let (low, high) = items.split_at(items.len() / 2);
    let w = code_bits(low.len());
    let high = chosen(&code.bits(w, w), high);
    code.msb().mux(&high, &chosen(&code.bits(0, w), low))
}

/// For every byte of a word: the code of the last lane that stores it, and whether one does.
///
/// `here`: the lane stores to this word; `enables`: the bytes of its word it stores (4 bits).
pub struct ByteSources {
    /// 4 codes.
    pub code: Vec<Expr>,
    /// 4 bits.
    pub any: Expr,
}

impl ByteSources {
    /// The sources of the word with this name.
    pub fn new(name: &str, here: &[Expr], enables: &[Expr]) -> Self {
        let lanes = here.iter().zip(enables).enumerate();
        let gives: Vec<Expr> = lanes.map(|(i, (h, e))| wire(&format!("gives_{name}_{i}"), e & &h.repeat(4))).collect();
        let byte = |k: usize| {
            let on: Vec<Expr> = gives.iter().map(|g| g.bit(k)).collect();
            wire(&format!("source_{name}_{k}"), last_of(&on))
        };
        Self { code: (0..4).map(byte).collect(), any: wire(&format!("stored_{name}"), any_of(&gives)) }
    }
}

/// The word whose byte k is byte k of the lane that `code[k]` names.
pub fn gather(code: &[Expr], words: &[Expr]) -> Expr {
    let byte = |(k, code): (usize, &Expr)| {
        let items: Vec<Expr> = words.iter().map(|w| w.bits(8 * k, 8)).collect();
        chosen(code, &items)
    };
    let bytes: Vec<Expr> = code.iter().enumerate().map(byte).collect();
    pack(bytes.iter())
}
