//! Floats of 64 bits of SM 1.3 on the model: against the host where it rounds as they do, and by examples: NaNs, zeros,
//! roundings, conversions, flags.

use warpsmith_isa::{assemble, Level, Tier};
use warpsmith_model::{launch::GlobalSection, Launch, Model, ModelConfig};
use warpsmith_testkit::Random;

/// Result, as pair, and flags of an instruction `R2`, whose sources are pairs from R4, R6 and R8 on, of each of 32 threads.
fn run(text: &str, x: &[[u64; 3]; 32]) -> Vec<(u64, u32)> {
    let program = format!(
        "I2I.U32.U16 R1, R0L; SHL R10, R1, 0x5; GLD.S64 R4, global14[R10]; IADD32I R11, R10, 0x8; \
         GLD.S64 R6, global14[R11]; IADD32I R11, R11, 0x8; GLD.S64 R8, global14[R11]; MVI R2, 0x0; MVI R3, 0x0; \
         {text}; C2R R12, C1; GST.S64 global14[R10], R2; IADD32I R10, R10, 0x8; GST.U32 global14[R10], R12; RET;"
    );
    let words = assemble(&program.replace("; ", ";\n"), "t").unwrap_or_else(|e| panic!("{text}: {e}")).words;
    let bytes = x.iter().flat_map(|x| [x[0], x[1], x[2], 0]).flat_map(u64::to_le_bytes).collect();
    let launch =
        Launch { global_bytes: 1024, globals: vec![GlobalSection::new(0, bytes)], ..Launch::from_words("t", words) };
    let tier = Tier::full().at(Level::Sm13);
    let mut model = Model::new(&launch, ModelConfig { tier, ..ModelConfig::default() });
    model.run(1000, 1, None).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let out = model.state().global.read(0, 1024);
    let word = |at: usize| u64::from_le_bytes(out[at..at + 8].try_into().expect("8 bytes"));
    (0..32).map(|t| (word(32 * t), word(32 * t + 8) as u32)).collect()
}

/// The same of one thread's sources.
fn one(text: &str, x: [u64; 3]) -> (u64, u32) {
    run(text, &[x; 32])[0]
}

const NAN: u64 = 0x7ff0_0000_0000_1234;
const QUIET: u64 = NAN | 1 << 51;
const OTHER: u64 = 0xfff8_0000_0000_0777;
const NONE: u64 = 0xfff8_0000_0000_0000;
const INF: u64 = 0x7ff << 52;
const SIGN: u64 = 1 << 63;

#[test]
fn sums_and_products_are_those_of_the_host() {
    let mut random = Random(0x64);
    let exponents = [0u64, 1, 2, 960, 1000, 1022, 1023, 1024, 1060, 1100, 1500, 2045, 2046];
    let mut number = || {
        let fraction = match random.below(4) {
            0 => 0,
            1 => u64::from(random.below(8)),
            _ => u64::from(random.word()) << 20 | u64::from(random.word() >> 12),
        };
        let exponent = exponents[random.below(exponents.len() as u32) as usize];
        u64::from(random.below(2)) << 63 | exponent << 52 | fraction & ((1 << 52) - 1)
    };
    type Operation = (&'static str, fn([f64; 3]) -> f64);
    let operations: [Operation; 6] = [
        ("DADD.C1 R2, R4, R6", |[a, b, _]| a + b),
        ("DADD.C1 R2, -R4, R6", |[a, b, _]| b - a),
        ("DMUL.C1 R2, R4, R6", |[a, b, _]| a * b),
        ("DFMA.C1 R2, R4, R6, R8", |[a, b, c]| a.mul_add(b, c)),
        ("DMIN.C1 R2, R4, |R6|", |[a, b, _]| if a < b.abs() || a.is_sign_negative() { a } else { b.abs() }),
        ("F2F.F64.F64.FLOOR.C1 R2, R4", |[a, _, _]| a.floor()),
    ];
    for _ in 0..30 {
        let mut x = [[0; 3]; 32];
        x.iter_mut().flatten().for_each(|x| *x = number());
        for (text, host) in operations {
            for (x, (y, flags)) in x.iter().zip(run(text, &x)) {
                let want = host(x.map(f64::from_bits));
                assert_eq!(y, want.to_bits(), "{text}: {x:x?}");
                let sign = u32::from(want < 0.0) << 1;
                assert_eq!(flags, sign | u32::from(want == 0.0), "{text}: {x:x?}");
            }
        }
    }
}

#[test]
fn a_nan_keeps_what_it_is() {
    let one_0 = 1.0f64.to_bits();
    for (text, x, want) in [
        ("DADD.C1 R2, -R4, R6", [NAN, one_0, 0], QUIET),
        ("DADD.C1 R2, R4, R6", [NAN, OTHER, 0], OTHER),
        ("DMUL.C1 R2, R4, R6", [NAN, OTHER, 0], OTHER),
        ("DFMA.C1 R2, R4, R6, R8", [OTHER, one_0, NAN], QUIET),
        ("DFMA.C1 R2, R4, R6, R8", [NAN, OTHER, NAN], OTHER),
        ("DADD.C1 R2, R4, -R6", [INF, INF, 0], NONE),
        ("DMUL.C1 R2, R4, R6", [INF, 0, 0], NONE),
        ("DFMA.C1 R2, R4, R6, R8", [INF, one_0, INF | SIGN], NONE),
        ("DMAX.C1 R2, -R4, R6", [NAN, OTHER, 0], OTHER),
        ("F2F.F64.F64.C1 R2, -R4", [NAN, 0, 0], QUIET),
        ("F2F.F64.F32.C1 R2, R4", [0xffa0_0001, 0, 0], 0xfffc_0000_2000_0000),
        ("F2F.F32.F64.C1 R2, R4", [0xfff0_0000_2000_0000, 0, 0], 0xffc0_0001),
    ] {
        assert_eq!(one(text, x), (want, 3), "{text}: {x:x?}");
    }
    assert_eq!(one("DMIN.C1 R2, R4, R6", [NAN, one_0 | SIGN, 0]), (one_0 | SIGN, 2));
    assert_eq!(one("DSET.C1 R2, R4, R6, NEU", [NAN, one_0, 0]), (0xffff_ffff, 2));
    assert_eq!(one("DSET.C1 R2, R4, R6, NE", [NAN, one_0, 0]), (0, 1));
    assert_eq!(one("DSET.C1 R2, R4, R6, EQ", [0, SIGN, 0]), (0xffff_ffff, 2));
    assert_eq!(one("DMAX.C1 R2, R4, R6", [SIGN, 0, 0]), (0, 1));
}

#[test]
fn conversions_round_clamp_and_say_so() {
    const OVERFLOW: u32 = 8;
    let bits = |v: f64| v.to_bits();
    for (text, x, want) in [
        ("F2I.S32.F64.C1 R2, R4", bits(2.5), (2, 0)),
        ("F2I.S32.F64.CEIL.C1 R2, -R4", bits(2.5), (0xffff_fffe, 2)),
        ("F2I.S32.F64.FLOOR.C1 R2, -R4", bits(2.5), (0xffff_fffd, 2)),
        ("F2I.S32.F64.TRUNC.C1 R2, |R4|", bits(-0.75), (0, 1)),
        ("F2I.S32.F64.C1 R2, R4", bits(3e9), (0x7fff_ffff, OVERFLOW)),
        ("F2I.S32.F64.C1 R2, R4", bits(-3e9), (0x8000_0000, OVERFLOW | 2)),
        ("F2I.U32.F64.C1 R2, R4", bits(-1.0), (0, OVERFLOW | 1)),
        ("F2I.U32.F64.C1 R2, R4", bits(5e9), (0xffff_ffff, OVERFLOW | 2)),
        ("F2I.U32.F64.C1 R2, R4", NAN, (0x8000_0000, OVERFLOW | 2)),
        ("F2I.U64.F64.C1 R2, R4", NAN, (SIGN, OVERFLOW | 2)),
        // Nothing is said of these.
        ("F2I.U64.F64.C1 R2, R4", bits(1e20), (u64::MAX, 2)),
        ("F2I.S64.F64.C1 R2, R4", bits(1e20), (SIGN - 1, OVERFLOW)),
        ("F2I.S64.F64.TRUNC.C1 R2, R4", bits(-1e15 - 0.5), (-1_000_000_000_000_000i64 as u64, 2)),
        ("F2I.U64.F32.C1 R2, R4", 1e10f32.to_bits().into(), (10_000_000_000, 0)),
        ("F2I.S64.F32.FLOOR.C1 R2, R4", (-0.5f32).to_bits().into(), (u64::MAX, 2)),
        ("I2F.F64.U32.C1 R2, R4", 0xffff_ffff, (bits(4_294_967_295.0), 0)),
        ("I2F.F64.S32.C1 R2, R4", 0xffff_ffff, (bits(-1.0), 2)),
        ("I2F.F64.S64.C1 R2, R4", (1 << 62) + 257, (bits((1u64 << 62) as f64), 0)),
        ("I2F.F64.U64.CEIL.C1 R2, R4", (1 << 62) + 1, (bits((1u64 << 62) as f64) + 1, 0)),
        ("I2F.F32.U64.C1 R2, R4", u64::MAX, ((u64::MAX as f32).to_bits().into(), 0)),
        ("I2F.F32.S64.TRUNC.C1 R2, R4", (-0x7fff_ffff_ffff_ffffi64) as u64, (0xdeff_ffff, 2)),
        ("F2F.F32.F64.C1 R2, R4", 1, (0, 1)),
        ("F2F.F32.F64.CEIL.C1 R2, R4", 1, (1, 0)),
        ("F2F.F32.F64.C1 R2, R4", bits(1e-40), ((1e-40f32).to_bits().into(), 0)),
        ("F2F.F64.F32.C1 R2, R4", 1, (bits(f64::from(f32::from_bits(1))), 0)),
        ("F2F.F64.F64.ROUND.C1 R2, R4", bits(-0.5), (SIGN, 1)),
        ("F2F.F64.F64.ROUND.C1 R2, R4", bits(1.5), (bits(2.0), 0)),
        ("DADD.FLOOR.C1 R2, R4, -R4", bits(1.5), (SIGN, 1)),
        ("DMUL.CEIL.C1 R2, R4, R4", 1, (1, 0)),
    ] {
        assert_eq!(one(text, [x, 0, 0]), want, "{text}: {x:x}");
    }
}
