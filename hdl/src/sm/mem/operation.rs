//! What an atomic access does to a word.

use crate::codes;
use crate::packed;

codes! { "ATOMIC":
/// Operations, as words of SM 1.1 have them (bits 37:34).
pub mod atomic {
    /// Sum.
    pub const ADD: u64 = 0;
    /// The operand.
    pub const EXCH: u64 = 1;
    /// The operand where the other one is what was there.
    pub const CAS: u64 = 2;
    /// Difference, of G13 alone.
    pub const SUB: u64 = 3;
    /// One more, from the operand on 0.
    pub const INC: u64 = 4;
    /// One less; of 0 and above the operand the operand.
    pub const DEC: u64 = 5;
    /// The larger one.
    pub const MAX: u64 = 6;
    /// The smaller one.
    pub const MIN: u64 = 7;
    /// And.
    pub const AND: u64 = 10;
    /// Or.
    pub const OR: u64 = 11;
    /// Exclusive or.
    pub const XOR: u64 = 12;
}
}

packed! {
    /// What an access does to a word.
    pub struct Operation(_d: ()) {
        /// One of [`mod@atomic`].
        code: 4 => atomic,
        /// Larger and smaller are those of signed words.
        signed: 1,
        /// There is one: the access is no load and no store.
        on: 1,
    }
}
