//! Conditions of comparisons.

/// Outcomes of a comparison `a ? b` that count as true, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cond(pub u8);

impl Cond {
    /// a < b.
    pub const LESS: u8 = 1;
    /// a = b; -0 = +0.
    pub const EQUAL: u8 = 2;
    /// a > b.
    pub const GREATER: u8 = 4;
    /// a is NaN.
    pub const NAN_A: u8 = 8;
    /// b is NaN and a is not.
    pub const NAN_B: u8 = 16;
    /// A NaN on either side.
    pub const UNORDERED: u8 = Cond::NAN_A | Cond::NAN_B;

    /// The opposite outcome.
    pub const fn inverted(self) -> Cond {
        Cond(!self.0 & 31)
    }
}
