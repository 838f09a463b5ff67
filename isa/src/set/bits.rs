//! Bit strings: the code of one instruction and the fields in it.

use std::fmt;

/// Bytes of the longest instruction of any set.
pub const MAX_BYTES: usize = 16;

/// The low `n` bits of 128.
pub const fn low_bits(n: u32) -> u128 {
    if n >= 128 {
        u128::MAX
    } else {
        (1 << n) - 1
    }
}

/// The code of one instruction; bit 0 is the lowest bit of its first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    bits: u128,
    bytes: u8,
}

impl Code {
    /// A code of `bytes` bytes, 16 at most; higher bits are dropped.
    pub fn new(bits: u128, bytes: usize) -> Code {
        let bytes = bytes.min(MAX_BYTES);
        Code { bits: bits & low_bits(8 * bytes as u32), bytes: bytes as u8 }
    }

    /// The first 16 bytes, or fewer, of a program.
    pub fn read(bytes: &[u8]) -> Code {
        let n = bytes.len().min(MAX_BYTES);
        let mut b = [0; MAX_BYTES];
        b[..n].copy_from_slice(&bytes[..n]);
        Code::new(u128::from_le_bytes(b), n)
    }

    /// All bits.
    pub fn bits(self) -> u128 {
        self.bits
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        usize::from(self.bytes)
    }

    /// True when it has no bytes.
    pub fn is_empty(self) -> bool {
        self.bytes == 0
    }

    /// The bytes in memory order.
    pub fn to_vec(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.len()].to_vec()
    }
}

impl fmt::Display for Code {
    /// The bytes in memory order, two digits each, without spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_vec().iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// A field: one value in one or more runs of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, unique in a form.
    pub name: &'static str,
    /// (lowest bit, width) of each run, the least significant run of the value first; at most 64 bits.
    pub parts: &'static [(u8, u8)],
}

impl Field {
    /// A field from its runs.
    pub const fn new(name: &'static str, parts: &'static [(u8, u8)]) -> Field {
        Field { name, parts }
    }

    /// Width in bits.
    pub fn width(self) -> u32 {
        self.parts.iter().map(|p| u32::from(p.1)).sum()
    }

    /// The bits of the code it lies in.
    pub fn mask(self) -> u128 {
        self.parts.iter().fold(0, |m, p| m | run(*p))
    }

    /// Its value in a code.
    pub fn get(self, bits: u128) -> u64 {
        let mut at = 0;
        self.parts.iter().fold(0, |v, &(low, width)| {
            let part = (bits >> low & low_bits(width.into())) as u64;
            let v = v | part << at;
            at += u32::from(width);
            v
        })
    }

    /// Its value, sign-extended.
    pub fn get_signed(self, bits: u128) -> i64 {
        let unused = 64 - self.width();
        ((self.get(bits) << unused) as i64) >> unused
    }

    /// True when the value fits.
    pub fn fits(self, value: u64) -> bool {
        u128::from(value) <= low_bits(self.width())
    }

    /// `bits` with the field set to the low bits of `value`.
    pub fn put(self, bits: u128, value: u64) -> u128 {
        let mut rest = u128::from(value);
        self.parts.iter().fold(bits, |b, &(low, width)| {
            let part = rest & low_bits(width.into());
            rest >>= width;
            b & !run((low, width)) | part << low
        })
    }
}

/// The bits of one run (lowest bit, width).
pub fn run(part: (u8, u8)) -> u128 {
    low_bits(part.1.into()) << part.0
}
