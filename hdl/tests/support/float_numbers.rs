//! Operands floats are tried with.

use crate::support::Random;

/// Words in which formats, limits and rounding change.
pub fn corner(r: &mut Random) -> u32 {
    let edges: [u32; 42] = [
        0, 1, 0x7f_ffff, 0x80_0000, 0x80_0001, 0x3eff_ffff, 0x3f00_0000, 0x3f00_0001, 0x3f7f_ffff, 0x3f80_0000,
        0x3f80_0001, 0x3fc0_0000, 0x4b80_0000, 0x4eff_ffff, 0x4f00_0000, 0x4f7f_ffff, 0x4f80_0000, 0x7f7f_ffff,
        0x7f80_0000, 0x7f80_0001, 0x7fc0_0000, 0x7fff_ffff, 0x7c00, 0x7bff, 0x3c00, 0x3ff, 0xfbff, 0xffff, 0x8000,
        0x7fff, 0x80, 0x7f, 0xff, 0x1_0000, 65520, 65519, 0x1ff_ffff, 0x100_0001, 0x100_0003, 0xffff_ff7f, 0xffff_ff80,
        0xffff_ff81,
    ];
    let n = edges.len() as u32;
    let x = edges[r.below(n) as usize];
    let near = x.wrapping_add(r.below(5)).wrapping_sub(2);
    if r.below(2) == 0 {
        near | 1 << 31
    } else {
        near
    }
}

/// Any word, a corner, a number around 1, or one with a short significand, which gives ties.
pub fn number(r: &mut Random) -> u32 {
    let x = r.word();
    match r.below(6) {
        0 => corner(r),
        1 => x & 0x807f_ffff | (100 + r.below(70)) << 23,
        2 => x & 0xfff8_0000u32.wrapping_shl(r.below(5)),
        3 => x & 0x807f_ffff | (60 + r.below(8)) << 23,
        4 => x >> r.below(32),
        _ => x,
    }
}

/// Bit `bit` of `n`.
pub fn flag(n: usize, bit: u32) -> bool {
    n >> bit & 1 == 1
}
