//! A word of global memory that is not as expected.

use std::fmt;

/// One word that is not what the launch expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Byte address.
    pub address: u64,
    /// The word the launch expects.
    pub expected: u32,
    /// The word in memory.
    pub found: u32,
    /// Where the section expects floats: number of the element, and distance between the two in units
    /// of the last place; `u32::MAX` for a NaN and a number.
    pub float: Option<(usize, u32)>,
    /// Line of the section in the launch file.
    pub line: Option<usize>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { address, expected, found, .. } = *self;
        let Some((element, ulp)) = self.float else {
            return write!(f, "global 0x{address:08x}: expected 0x{expected:08x}, found 0x{found:08x}");
        };
        write!(
            f,
            "global 0x{address:08x}, element {element}: expected {:?} (0x{expected:08x}), found {:?} (0x{found:08x})",
            f32::from_bits(expected),
            f32::from_bits(found)
        )?;
        match ulp {
            u32::MAX => f.write_str(", one is not a number"),
            n => write!(f, ", {n} ulp apart"),
        }
    }
}
