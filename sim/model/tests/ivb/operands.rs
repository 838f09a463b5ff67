//! Operands for the tests of operations, and one instruction on them.

use super::bench::{code, Bench};
use warpsmith_testkit::Random;

/// Floats with every exponent that matters, and the special ones.
pub fn float(r: &mut Random) -> u32 {
    let special = [
        0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 1, 0x807f_ffff,
        0x0080_0000, 0x7f7f_ffff, 0x3fff_ffff,
    ];
    match r.word() % 4 {
        0 => r.pick(&special),
        1 => r.word(),
        // Near 1, so that sums cancel and products stay.
        _ => r.word() & 0x80ff_ffff | (0x3e00_0000 + ((r.word() % 8) << 23)),
    }
}

/// Integers of every length, and their corners.
pub fn integer(r: &mut Random) -> u32 {
    let corners = [0, 1, 2, 31, 32, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    match r.word() % 3 {
        0 => r.pick(&corners),
        1 => r.word() >> (r.word() % 32),
        _ => r.word(),
    }
}

/// A denormal as the zero of its sign; the NaN.
pub fn canonical(x: f32) -> u32 {
    match x {
        x if x.is_nan() => 0x7fc0_0000,
        x if x.is_subnormal() => x.to_bits() & 0x8000_0000,
        x => x.to_bits(),
    }
}

/// A float of bits, a denormal as the zero of its sign.
pub fn flushed(x: u32) -> f32 {
    match f32::from_bits(x) {
        f if f.is_subnormal() => f32::from_bits(x & 0x8000_0000),
        f => f,
    }
}

/// One instruction on eight channels; sources in g2, g4, g6 and accumulators, the result in g10.
pub fn eight(text: &str, sources: &[[u32; 8]], accumulators: Option<[u64; 8]>) -> Bench {
    let mut bench = Bench::new(8, &code(text));
    for (s, words) in sources.iter().enumerate() {
        for (n, w) in words.iter().enumerate() {
            bench.set_dword(16 + 16 * s + n, *w);
        }
    }
    for (n, a) in accumulators.into_iter().flatten().enumerate() {
        bench.set_accumulator(n, a);
    }
    bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
    bench
}

/// Compares an instruction of three sources or fewer with a function of one channel.
pub fn compare(text: &str, rounds: u32, operand: fn(&mut Random) -> u32, want: impl Fn([u32; 3]) -> u32) -> u32 {
    let mut r = Random(text.len() as u64 * 31 + 5);
    for _ in 0..rounds {
        let s: [[u32; 8]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| operand(&mut r)));
        let bench = eight(text, &s, None);
        for n in 0..8 {
            let one = [s[0][n], s[1][n], s[2][n]];
            let (found, want) = (bench.dword(80 + n), want(one));
            assert_eq!(found, want, "{text}: {one:x?} gives {found:#x}, not {want:#x}");
        }
    }
    rounds * 8
}
