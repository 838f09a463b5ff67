//! `printf` of a kernel: how the records lie in global memory that kernels write and hosts read.
//!
//! The compiler gives a program that prints a variable [`BUFFER`] of [`BYTES`] bytes, zeros before a launch. It
//! begins with a head of [`HEAD`] bytes: the bytes of a region, 0 while nothing was printed, and a word that is not 0
//! where text was left out because its region was full. Regions follow one another: one, or without atomic accesses
//! one for each warp of the grid. A region begins with the bytes of its records, [`REGION_HEAD`] bytes; the records
//! are in the order in which they were written.
//!
//! All words are little endian. A record is a word with its bytes, and [`CONSTANT`] where format and strings lie in
//! constant bank 0 instead of global memory; the address of the format, which ends with a zero byte; and for each
//! argument a word with its bytes, and the value, filled up to whole words. Integers narrower than a word are widened,
//! as C has it.

/// Name of the variable in PTX.
pub const BUFFER: &str = "__warpsmith_printf";
/// Name of the function of the headers that takes a place for a record of so many bytes; 0: there is none left.
pub const TAKE: &str = "__warpsmith_print";
/// Name of the function of the headers for an assertion that fails: condition, file, line and function in C.
pub const ASSERT: &str = "__warpsmith_assert";
/// Name of the variable in PTX that holds the format of its message.
pub const ASSERT_TEXT: &str = "__warpsmith_assert_text";
/// The format: file, line, function, block, thread, condition.
pub const ASSERT_FORMAT: &str = "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s' failed.\n";
/// Bytes of the head.
pub const HEAD: u32 = 8;
/// Bytes of all regions together, a power of two.
pub const REGION_BYTES: u32 = 1 << 20;
/// Bytes of the variable.
pub const BYTES: u32 = HEAD + REGION_BYTES;
/// Bytes in front of the records of a region.
pub const REGION_HEAD: u32 = 4;
/// Bit of the first word of a record: format and strings lie in constant bank 0.
pub const CONSTANT: u32 = 1 << 31;
