//! G80 arithmetic in integer code only, bit for bit.
//!
//! Nothing here uses the host's floating point: every result follows from the rules written in
//! each file, so it is the same on every machine. One file an idea: [`int`] the integer ALU,
//! [`float`] single precision add, multiply, multiply-add and compare, [`convert`] the conversion
//! unit, [`double`] floats of 64 bits, [`rro`] range reduction, [`sfu`] the special functions.
//!
//! Flags are a nibble: bit 0 zero, bit 1 sign, bit 2 carry, bit 3 overflow.

pub mod convert;
pub mod double;
pub mod float;
pub mod int;
pub mod rro;
pub mod sfu;

/// Zero flag, bit 0 of a condition register.
pub const Z: u8 = 1;
/// Sign flag, bit 1 of a condition register.
pub const S: u8 = 2;
/// Carry flag, bit 2 of a condition register.
pub const C: u8 = 4;
/// Overflow flag, bit 3 of a condition register.
pub const O: u8 = 8;
