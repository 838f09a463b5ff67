//! G80 arithmetic in integer code only, bit for bit.
//!
//! Nothing here uses the host's floating point: every result follows from the rules written in
//! each file, so it is the same on every machine. One file an idea: [`int`] the integer ALU,
//! [`float`] single precision add, multiply, multiply-add and compare, [`convert`] the conversion
//! unit, [`rro`] range reduction, [`sfu`] the special functions with their ROMs in [`tables`].
//!
//! Flags are a nibble: bit 0 zero, bit 1 sign, bit 2 carry, bit 3 overflow.

pub mod convert;
pub mod float;
pub mod int;
pub mod rro;
pub mod sfu;
pub mod tables;

/// Zero flag, bit 0 of a condition register.
pub const Z: u8 = 1;
/// Sign flag, bit 1 of a condition register.
pub const S: u8 = 2;
/// Carry flag, bit 2 of a condition register.
pub const C: u8 = 4;
/// Overflow flag, bit 3 of a condition register.
pub const O: u8 = 8;

/// Value of predicate `code` (0..31) on flags `f`; the undefined codes 0x14..0x1b give false.
///
/// Source: sm10-isa.md §2.
pub fn predicate(code: u8, f: u8) -> bool {
    let (z, s, c, o) = (f & Z != 0, f & S != 0, f & C != 0, f & O != 0);
    match code {
        0x00 => false,
        0x01 => (s & !z) ^ o,
        0x02 => z & !s,
        0x03 => s ^ (z | o),
        0x04 => !z & !(s ^ o),
        0x05 => !z,
        0x06 => !(s ^ o),
        0x07 => !z | !s,
        0x08 => z & s,
        0x09 => s ^ o,
        0x0a => z,
        0x0b => z | (s ^ o),
        0x0c => !s ^ (z | o),
        0x0d => !z | s,
        0x0e => (!s | z) ^ o,
        0x0f => true,
        0x10 => o,
        0x11 => c,
        0x12 => !z & c,
        0x13 => s,
        0x1c => !s,
        0x1d => z | !c,
        0x1e => !c,
        0x1f => !o,
        _ => false,
    }
}
