//! Values wider than a word: 32-bit words, least significant first.

/// Bits of 32-bit word `word` of something `width` bits wide; 0 beyond it.
pub fn mask(width: usize, word: usize) -> u32 {
    match width.saturating_sub(32 * word) {
        0 => 0,
        n @ 1..=31 => (1 << n) - 1,
        _ => u32::MAX,
    }
}

/// Whether `value` fits word `word` of something `width` bits wide.
pub fn fits(width: usize, word: usize, value: u32) -> bool {
    value & !mask(width, word) == 0
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_value_fits_or_does_not() {
        assert!(fits(1, 0, 1) && !fits(1, 0, 2) && !fits(1, 1, 1));
        assert!(fits(32, 0, u32::MAX) && !fits(32, 1, 1) && fits(40, 1, 0xff));
        assert!(!fits(40, 1, 0x100) && fits(96, 2, u32::MAX) && !fits(96, 3, 1));
    }
}
