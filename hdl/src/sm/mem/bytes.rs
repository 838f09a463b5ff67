//! Bytes of a lane's store: which of its word they are, and its data in every place they may go.

use crate::rtl::prelude::*;

/// Size of an access (one bit each); 8 bits when neither is set.
#[derive(Clone)]
pub struct AccessSize {
    /// 16 bits.
    pub half: Expr,
    /// 32 bits.
    pub word: Expr,
}

impl AccessSize {
    /// Of the code of an instruction: 0 and 1 8 bits, 2 and 3 16 bits, above 32 bits.
    pub fn of(code: &Expr) -> Self {
        let (half, word) = (code.bit(1), code.bit(2));
        Self { half: wire("half_access", &half & &!&word), word }
    }

    /// Which bytes of its word a lane's access covers (4 bits). `offset` is the byte in the word
    /// (2 bits), aligned to the size.
    pub fn enables(&self, offset: &Expr) -> Expr {
        let (low, high) = (offset.bit(0), offset.bit(1));
        let on = |k: usize| {
            let same_half = if k & 2 == 0 { !&high } else { high.clone() };
            let same_byte = if k & 1 == 0 { !&low } else { low.clone() };
            &self.word | &(&same_half & &(&self.half | &same_byte))
        };
        pack([on(0), on(1), on(2), on(3)].iter())
    }

    /// A lane's store data (32 bits, value in the low bits) repeated so that every place its
    /// bytes may go has them (32 bits).
    pub fn spread(&self, data: &Expr) -> Expr {
        let d = data.each_word(8);
        let low_half = (&self.half | &self.word).mux(&d[1], &d[0]);
        cat([&self.word.mux(&d[3], &low_half), &self.word.mux(&d[2], &d[0]), &low_half, &d[0]])
    }
}

/// Bytes 1 and 0 of `word` once the byte at `offset` (2 bits) is lowest. Only 32-bit accesses read
/// the upper half, and theirs has offset 0: it stays as it is.
pub fn aligned(word: &Expr, offset: &Expr) -> [Expr; 2] {
    let byte = word.each_word(8);
    let (low, high) = (offset.bit(0), offset.bit(1));
    let lowest = high.mux(&low.mux(&byte[3], &byte[2]), &low.mux(&byte[1], &byte[0]));
    [high.mux(&byte[3], &byte[1]), lowest]
}
