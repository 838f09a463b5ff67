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
    /// Distance between them as floats, when the section allows one; `u32::MAX` for a NaN.
    pub ulp: Option<u32>,
    /// Line of the section in the launch file.
    pub line: Option<usize>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "global 0x{:08x}: expected 0x{:08x}, found 0x{:08x}",
            self.address, self.expected, self.found
        )?;
        match self.ulp {
            Some(u32::MAX) => f.write_str(" (one is not a number)"),
            Some(n) => write!(f, " ({n} ulp apart)"),
            None => Ok(()),
        }
    }
}
