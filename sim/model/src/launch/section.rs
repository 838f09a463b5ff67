//! Parts of memory with given contents.

/// Initial contents of a part of a constant bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantSection {
    /// Bank, 0..=15; in other sets than SM 1.0 0..=31.
    pub bank: u8,
    /// Byte offset in the bank.
    pub offset: u32,
    /// Contents, little endian.
    pub bytes: Vec<u8>,
    /// Space the program reserves for the host to fill: other sections may lie over it.
    pub reserved: bool,
    /// Line in the launch file; `None` if it comes with the program.
    pub line: Option<usize>,
}

/// Initial or expected contents of a part of global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalSection {
    /// Byte offset.
    pub offset: u64,
    /// Contents, little endian.
    pub bytes: Vec<u8>,
    /// Allowed distance between floats; `None`: equal bits.
    pub max_ulp: Option<u32>,
    /// Expected as floats: differences show them.
    pub floats: bool,
    /// Line in the launch file.
    pub line: Option<usize>,
}
