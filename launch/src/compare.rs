//! Comparison of global memory with a launch's expectations.

use crate::launch::Launch;
use crate::memory::GlobalMemory;
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

/// Distance between two floats in units of the last place; 0 for equal bits, ±0, two NaNs;
/// `u32::MAX` for a NaN and a number.
pub fn ulp_distance(a: u32, b: u32) -> u32 {
    let nan = |x: u32| x & 0x7fff_ffff > 0x7f80_0000;
    match (nan(a), nan(b)) {
        (true, true) => return 0,
        (false, false) => {}
        _ => return u32::MAX,
    }
    let key = |x: u32| {
        let magnitude = i64::from(x & 0x7fff_ffff);
        if x >> 31 != 0 {
            -magnitude
        } else {
            magnitude
        }
    };
    (key(a) - key(b)).unsigned_abs().min(u64::from(u32::MAX - 1)) as u32
}

impl Launch {
    /// Every word that differs from an expectation, in the order of the file. Sections are compared
    /// word by word; a last part of less than 4 bytes is padded with zeros.
    pub fn compare(&self, memory: &GlobalMemory) -> Vec<Difference> {
        let mut out = Vec::new();
        for section in &self.expects {
            let actual = memory.read(section.offset, section.bytes.len());
            let words = section.bytes.chunks(4).zip(actual.chunks(4));
            for (i, (want, got)) in words.enumerate() {
                let (expected, found) = (word(want), word(got));
                if expected == found {
                    continue;
                }
                let ulp = ulp_distance(expected, found);
                if section.max_ulp.is_some_and(|most| ulp <= most) {
                    continue;
                }
                out.push(Difference {
                    address: section.offset + 4 * i as u64,
                    expected,
                    found,
                    float: section.floats.then_some((i, ulp)),
                    line: section.line,
                });
            }
        }
        out
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, b| (word << 8) | u32::from(*b))
}

#[cfg(test)]
mod tests {
    use super::ulp_distance;

    #[test]
    fn neighbours_are_one_apart_and_zeros_are_equal() {
        assert_eq!(ulp_distance(0x3f80_0000, 0x3f80_0001), 1);
        assert_eq!(ulp_distance(0, 0x8000_0000), 0);
        assert_eq!(ulp_distance(0x8000_0001, 1), 2);
        assert_eq!(ulp_distance(0x7fc0_0000, 0x7fff_ffff), 0);
        assert_eq!(ulp_distance(0x7fc0_0000, 0x3f80_0000), u32::MAX);
    }
}
