//! Bytes of stores and loads of several lanes: enables, the winning lane of a byte, alignment.

use crate::rtl::prelude::*;

/// Size of an access, one-hot by its predicates (one bit each).
#[derive(Clone)]
pub struct AccessSize {
    /// 8 bits.
    pub byte: Ex,
    /// 16 bits.
    pub half: Ex,
    /// 32 bits.
    pub word: Ex,
}

impl AccessSize {
    /// Which bytes of its word a lane's access covers (4 bits). `offset` is the byte in the word
    /// (2 bits), aligned to the size.
    pub fn enables(&self, offset: &Ex) -> Ex {
        let (low, high) = (offset.bit(0), offset.bit(1));
        let on = |k: usize| {
            let same_half = if k & 2 == 0 { !&high } else { high.clone() };
            let same_byte = if k & 1 == 0 { !&low } else { low.clone() };
            &self.word | &(&same_half & &(&self.half | &same_byte))
        };
        pack([on(0), on(1), on(2), on(3)].iter())
    }

    /// A lane's store data (32 bits, value in the low bits) repeated so that every place its
    /// bytes may go has them.
    pub fn spread(&self, data: &Ex) -> Vec<Ex> {
        let d = data.each_word(8);
        let low_half = self.byte.mux(&d[0], &d[1]);
        vec![
            d[0].clone(),
            low_half.clone(),
            self.word.mux(&d[2], &d[0]),
            self.word.mux(&d[3], &low_half),
        ]
    }
}

/// Takes from each lane's byte enables (4 bits each) those bytes that a higher-numbered lane
/// writes as well. `same(i, j)`, one bit, i < j: the lanes store to the same word.
pub fn winning_bytes(enables: &[Ex], same: impl Fn(usize, usize) -> Ex) -> Vec<Ex> {
    let n = enables.len();
    let of_lane = |i: usize| {
        let higher: Vec<Ex> = (i + 1..n)
            .map(|j| &same(i, j).repeat(4) & &enables[j])
            .collect();
        if higher.is_empty() {
            enables[i].clone()
        } else {
            wire(&format!("won_{i}"), &enables[i] & &!any_of(&higher))
        }
    };
    (0..n).map(of_lane).collect()
}

/// The bytes of `spread` that `enables` names, zero elsewhere: one word of 32 bits.
pub fn gate_bytes(spread: &[Ex], enables: &Ex) -> Ex {
    let gated: Vec<Ex> = spread
        .iter()
        .zip(enables.each_bit())
        .map(|(b, on)| b & &on.repeat(8))
        .collect();
    pack(gated.iter())
}

/// The or of the items whose `on` bit is set; bits and items in the same order.
pub fn gated_or(on: &[Ex], items: &[Ex]) -> Ex {
    let gated: Vec<Ex> = on
        .iter()
        .zip(items)
        .map(|(on, x)| x & &on.repeat(x.width()))
        .collect();
    any_of(&gated)
}
