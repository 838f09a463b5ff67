//! Formats of device memory: what a beat of a load or store asks of the converters.

use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

/// Codes of [`Conversion::code`]: those of the instructions of G13. Bit 3 is 0 in the first four, of which bit 0 says
/// that the integer has a sign, bit 1 that it has 16 bits, not 8.
pub mod code {
    /// No format: the bits.
    pub const PLAIN: u64 = 0;
    /// Without sign, 8 bits.
    pub const UNORM8: u64 = 4;
    /// With sign, 8 bits.
    pub const SNORM8: u64 = 5;
    /// Without sign, 16 bits.
    pub const UNORM16: u64 = 6;
    /// With sign, 16 bits.
    pub const SNORM16: u64 = 7;
    /// 10, 10, 10 and 2 bits without sign.
    pub const RGB10A2: u64 = 8;
    /// A byte of sRGB.
    pub const SRGB: u64 = 10;
    /// Three floats of 11, 11 and 10 bits.
    pub const RG11B10: u64 = 12;
    /// Three fractions of 9 bits with one exponent.
    pub const RGB9E5: u64 = 13;
    /// Of the last two: stores cut.
    pub const CUT: u64 = 2;
}

packed! {
    /// How registers have an element of memory.
    pub struct Conversion(_d: ()) {
        /// One of [`mod@code`].
        code: 4,
        /// Registers have floats of 16 bits, not of 32.
        half: 1,
        /// Which of the floats of an element, or of a group of elements.
        component: 2,
    }
}

/// Bits of a [`Conversion`] on a chip that has them, else 0.
pub fn conversion(d: &Dims) -> usize {
    d.has.formats.bits(Conversion::width(()))
}

impl Conversion {
    /// Integers of the element have a sign.
    pub fn is_signed(&self) -> Expr {
        self.code.bit(0)
    }

    /// The element is an integer of 16 bits, not of 8.
    pub fn is_wide(&self) -> Expr {
        self.code.bit(1) & !self.code.bit(3)
    }

    /// An element is several floats, of a row of registers.
    pub fn is_several(code: &Expr) -> Expr {
        code.bit(3) & (code.bit(2) | !code.bit(1))
    }

    /// The last of several floats of an element.
    pub fn is_last(&self) -> Expr {
        self.code.bit(2).mux(&self.component.is(2), &self.is_alpha())
    }

    /// Component 3: of a colour what is no intensity.
    pub fn is_alpha(&self) -> Expr {
        self.component.all()
    }
}
