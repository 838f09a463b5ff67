//! Floats of 64 bits, compiled from PTX and run on the model, against the host's: special values and random operands, more
//! in `make soak`; roundings by the sign of what is lost; known answers; calls by parts of a warp.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use warpsmith_compiler::{Kernel, OptLevel, Options, Target};
use warpsmith_isa::{Level, Tier};
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::{Launch, Machine, ModelConfig};

/// Threads of a block.
const THREADS: u32 = 256;

const NAN: u64 = 0x7ff8_0000_0000_0000;
const SIGN: u64 = 1 << 63;

/// One instruction on up to three operands of 64 bits.
struct Row {
    /// The instruction: of `%a`, `%b`, `%c` (`%r` is the lower word of `%a`), to `%x` or to `%y`, whose type is `u32`.
    text: &'static str,
    want: fn([u64; 3]) -> u64,
}

fn f(x: u64) -> f64 {
    f64::from_bits(x)
}

fn number(x: f64) -> u64 {
    if x.is_nan() {
        NAN
    } else {
        x.to_bits()
    }
}

/// Every NaN is one; of the unit it may be any.
fn same(a: u64, b: u64, unit: bool) -> bool {
    let any = f(b).is_nan() || b == single(f32::NAN) && f32::from_bits(a as u32).is_nan();
    a == b || (f(a).is_nan() && f(b).is_nan() && a == NAN) || unit && any && (f(a).is_nan() || a >> 32 == 0)
}

fn single(x: f32) -> u64 {
    if x.is_nan() {
        0x7fff_ffff
    } else {
        u64::from(x.to_bits())
    }
}

fn compile(body: &str, target: &Target, level: OptLevel) -> Kernel {
    compile_with(body, target, &Options { level, ..Options::default() })
}

fn compile_with(body: &str, target: &Target, options: &Options) -> Kernel {
    let text = format!(
        ".version 7.0\n.target sm_20\n.address_size 32\n.visible .entry k(.param .u32 p)\n{{\n\
         .reg .b32 %r, %t, %n, %at, %y;\n.reg .f32 %f;\n.reg .b64 %a, %b, %c, %x, %z;\n.reg .pred %p, %q;\n\
         mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %n, %n, {THREADS}, %t;\n\
         ld.param.u32 %at, [p]; mad.lo.u32 %at, %n, 32, %at;\n\
         ld.global.b64 %a, [%at]; ld.global.b64 %b, [%at+8]; ld.global.b64 %c, [%at+16];\n\
         cvt.u32.u64 %r, %a; mov.b32 %f, %r; mov.u32 %y, 0; mov.u64 %x, 0;\n{body}\n\
         cvt.u64.u32 %z, %y; or.b64 %x, %x, %z; st.global.b64 [%at+24], %x;\nret;\n}}\n"
    );
    let (_, kernel) = warpsmith_compiler::compile(&text, "row.ptx", Some("k"), target, options)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    kernel
}

/// Results of a kernel on operands.
fn run(kernel: &Kernel, operands: &[[u64; 3]]) -> Vec<u64> {
    run_at(kernel, operands, Tier::full())
}

/// The same on a chip of a tier.
fn run_at(kernel: &Kernel, operands: &[[u64; 3]], tier: Tier) -> Vec<u64> {
    let mut rows = operands.to_vec();
    rows.resize(rows.len().next_multiple_of(THREADS as usize), [0; 3]);
    let bytes: Vec<u8> = rows.iter().flat_map(|r| [r[0], r[1], r[2], 0]).flat_map(u64::to_le_bytes).collect();
    let mut launch = Launch::from_words("row", kernel.words.clone());
    launch.grid = [rows.len() as u32 / THREADS, 1];
    launch.block = [THREADS, 1, 1];
    launch.registers = kernel.registers.max(1);
    launch.shared_bytes = kernel.shared_bytes;
    launch.local_bytes = kernel.local_bytes.next_multiple_of(4);
    launch.params = vec![0];
    launch.global_bytes = bytes.len() as u64;
    launch.globals = vec![GlobalSection::new(0, bytes)];
    let literals: Vec<u8> = kernel.literals.iter().flat_map(|w| w.to_le_bytes()).collect();
    if !literals.is_empty() {
        launch.constants.push(ConstantSection::new(1, 0, literals));
    }
    let mut machine = Machine::new(&launch, ModelConfig { fill: Some(1), tier, ..ModelConfig::default() });
    machine.run(u64::MAX).unwrap_or_else(|e| panic!("{e}"));
    let found = machine.global().read(0, 32 * operands.len());
    found.chunks(32).map(|c| u64::from_le_bytes(c[24..].try_into().expect("8 bytes"))).collect()
}

/// Ends of ranges, ties, integers at the limits of their types, and what is no number.
const SPECIAL: [u64; 40] = [
    0, 1, 2, 0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000, 0x0010_0000_0000_0001, 0x3ff0_0000_0000_0000,
    0x3ff0_0000_0000_0001, 0x3fef_ffff_ffff_ffff, 0x3fe0_0000_0000_0000, 0x3fdf_ffff_ffff_ffff, 0x3ff8_0000_0000_0000,
    0x4000_0000_0000_0000, 0x4004_0000_0000_0000, 0x4330_0000_0000_0000, 0x4330_0000_0000_0001, 0x4340_0000_0000_0000,
    0x43df_ffff_ffff_ffff, 0x43e0_0000_0000_0000, 0x43ef_ffff_ffff_ffff, 0x43f0_0000_0000_0000, 0x41df_ffff_ffc0_0000,
    0x41df_ffff_ffe0_0000, 0x41e0_0000_0000_0000, 0x41ef_ffff_ffe0_0000, 0x41ef_ffff_fff0_0000, 0x41f0_0000_0000_0000,
    0x47ef_ffff_e000_0000, 0x47ef_ffff_f000_0000, 0x3810_0000_0000_0000, 0x36a0_0000_0000_0000, 0x3690_0000_0000_0000,
    0x3690_0000_0000_0001, 0x380f_ffff_ffff_ffff, 0x7fef_ffff_ffff_ffff, 0x7fe0_0000_0000_0000, 0x7ff0_0000_0000_0000,
    0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0000, 0x3ca0_0000_0000_0000,
];

/// A random operand of all magnitudes, of few bits or near others.
fn some(rng: &mut ChaCha8Rng) -> u64 {
    let x: u64 = rng.gen();
    let near =
        |x: u64, range: std::ops::Range<u64>, rng: &mut ChaCha8Rng| x & !(0x7ff << 52) | rng.gen_range(range) << 52;
    match rng.gen_range(0..8) {
        0 => SPECIAL[rng.gen_range(0..SPECIAL.len())] | x & SIGN,
        1 => near(x & !0xffff_ffff, 953..1093, rng),
        2 => near(x | 0xffff_ffff, 1018..1028, rng),
        3 => x & (SIGN | ((1 << 52) - 1)),
        4..=5 => near(x, 953..1093, rng),
        _ => x,
    }
}

fn operands(random: usize) -> Vec<[u64; 3]> {
    let mut rng = ChaCha8Rng::seed_from_u64(64);
    let mut list: Vec<[u64; 3]> = Vec::new();
    for (k, a) in SPECIAL.iter().enumerate() {
        for (l, b) in SPECIAL.iter().enumerate() {
            let sign = |n: usize| if n % 2 == 1 { SIGN } else { 0 };
            list.push([a ^ sign(k + l), b ^ sign(l / 2), SPECIAL[(k + 7 * l) % SPECIAL.len()] ^ sign(k)]);
        }
    }
    for k in 0..random {
        let (a, mut b, mut c) = (some(&mut rng), some(&mut rng), some(&mut rng));
        match k % 8 {
            0 => b = a ^ SIGN ^ rng.gen_range(0..4),
            1 => c = (-(f(a) * f(b))).to_bits() ^ rng.gen_range(0..3),
            _ => {}
        }
        list.push([a, b, c]);
    }
    list
}

#[rustfmt::skip]
const ROWS: [Row; 34] = [
    Row { text: "add.rn.f64 %x, %a, %b;", want: |o| number(f(o[0]) + f(o[1])) },
    Row { text: "sub.f64 %x, %a, %b;", want: |o| number(f(o[0]) - f(o[1])) },
    Row { text: "mul.rn.f64 %x, %a, %b;", want: |o| number(f(o[0]) * f(o[1])) },
    Row { text: "fma.rn.f64 %x, %a, %b, %c;", want: |o| number(f(o[0]).mul_add(f(o[1]), f(o[2]))) },
    Row { text: "div.rn.f64 %x, %a, %b;", want: |o| number(f(o[0]) / f(o[1])) },
    Row { text: "rcp.rn.f64 %x, %a;", want: |o| number(1.0 / f(o[0])) },
    Row { text: "sqrt.rn.f64 %x, %a;", want: |o| number(f(o[0]).sqrt()) },
    Row { text: "neg.f64 %x, %a;", want: |o| o[0] ^ SIGN },
    Row { text: "abs.f64 %x, %a;", want: |o| o[0] & !SIGN },
    Row { text: "copysign.f64 %x, %a, %b;", want: |o| o[0] & SIGN | o[1] & !SIGN },
    Row { text: "min.f64 %x, %a, %b;", want: |o| least(o[0], o[1]) },
    Row { text: "max.f64 %x, %a, %b;", want: |o| match least(o[0] ^ SIGN, o[1] ^ SIGN) { NAN => NAN, x => x ^ SIGN } },
    Row { text: "cvt.rni.f64.f64 %x, %a;", want: |o| number(f(o[0]).round_ties_even()) },
    Row { text: "cvt.rzi.f64.f64 %x, %a;", want: |o| number(f(o[0]).trunc()) },
    Row { text: "cvt.rmi.f64.f64 %x, %a;", want: |o| number(f(o[0]).floor()) },
    Row { text: "cvt.rpi.f64.f64 %x, %a;", want: |o| number(f(o[0]).ceil()) },
    Row { text: "cvt.rzi.s64.f64 %x, %a;", want: |o| integer(o[0], f64::trunc, 64, true) },
    Row { text: "cvt.rmi.s64.f64 %x, %a;", want: |o| integer(o[0], f64::floor, 64, true) },
    Row { text: "cvt.rpi.u64.f64 %x, %a;", want: |o| integer(o[0], f64::ceil, 64, false) },
    Row { text: "cvt.rzi.u64.f64 %x, %a;", want: |o| integer(o[0], f64::trunc, 64, false) },
    Row { text: "cvt.rzi.s32.f64 %y, %a;", want: |o| integer(o[0], f64::trunc, 32, true) },
    Row { text: "cvt.rni.s32.f64 %y, %a;", want: |o| integer(o[0], f64::round_ties_even, 32, true) },
    Row { text: "cvt.rni.u32.f64 %y, %a;", want: |o| integer(o[0], f64::round_ties_even, 32, false) },
    Row { text: ".reg .u16 %h; cvt.rzi.u16.f64 %h, %a; cvt.u32.u16 %y, %h;", want: |o| integer(o[0], f64::trunc, 16, false) },
    Row { text: ".reg .s16 %h; cvt.rni.s8.f64 %h, %a; cvt.u32.u16 %y, %h; and.b32 %y, %y, 255;",
          want: |o| integer(o[0], f64::round_ties_even, 8, true) },
    Row { text: "cvt.rn.f64.s64 %x, %a;", want: |o| number(o[0] as i64 as f64) },
    Row { text: "cvt.rn.f64.u64 %x, %a;", want: |o| number(o[0] as f64) },
    Row { text: "cvt.rn.f64.s32 %x, %r;", want: |o| number(f64::from(o[0] as i32)) },
    Row { text: "cvt.rn.f64.u32 %x, %r;", want: |o| number(f64::from(o[0] as u32)) },
    Row { text: "cvt.f64.f32 %x, %f;", want: |o| number(f64::from(f32::from_bits(o[0] as u32))) },
    Row { text: "cvt.rn.f32.f64 %y, %a;", want: |o| single(f(o[0]) as f32) },
    Row { text: "setp.lt.f64 %p, %a, %b; setp.equ.f64 %q, %a, %b; selp.u32 %y, 1, 0, %p; @%q or.b32 %y, %y, 2;",
          want: |o| u64::from(f(o[0]) < f(o[1])) | u64::from(f(o[0]) == f(o[1]) || unordered(o)) << 1 },
    Row { text: "setp.geu.f64 %p, %a, %b; setp.nan.f64 %q, %a, %b; selp.u32 %y, 1, 0, %p; @%q or.b32 %y, %y, 2;",
          want: |o| u64::from(f(o[0]) >= f(o[1]) || unordered(o)) | u64::from(unordered(o)) << 1 },
    Row { text: "testp.subnormal.f64 %p, %a; testp.normal.f64 %q, %a; selp.u32 %y, 1, 0, %p; @%q or.b32 %y, %y, 2; \
                 testp.finite.f64 %p, %a; @%p or.b32 %y, %y, 4; testp.notanumber.f64 %p, %a; @%p or.b32 %y, %y, 8;",
          want: |o| { let x = f(o[0]); u64::from(x.is_subnormal()) | u64::from(x.is_normal()) << 1
              | u64::from(x.is_finite()) << 2 | u64::from(x.is_nan()) << 3 } },
];

fn unordered(o: [u64; 3]) -> bool {
    f(o[0]).is_nan() || f(o[1]).is_nan()
}

/// The smaller; a number beside a NaN, -0 below 0.
fn least(a: u64, b: u64) -> u64 {
    match (f(a).is_nan(), f(b).is_nan()) {
        (true, true) => NAN,
        (true, _) => b,
        (_, true) => a,
        _ if f(a).total_cmp(&f(b)).is_lt() => a,
        _ => b,
    }
}

/// An integer of a type, clamped; the lowest bit pattern with its upper bit alone for a NaN.
fn integer(a: u64, round: fn(f64) -> f64, bits: u32, signed: bool) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let x = round(f(a));
    if x.is_nan() {
        return 1 << (bits - 1);
    }
    let v = match (bits, signed) {
        (64, true) => x as i64 as u64,
        (64, false) => x as u64,
        (_, true) => x.clamp(-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1) - 1.0) as i64 as u64,
        (_, false) => x.clamp(0.0, mask as f64) as u64,
    };
    v & mask
}

fn agree(row: &Row, operands: &[[u64; 3]], target: &Target, level: OptLevel) -> Vec<String> {
    let kernel = compile(row.text, target, level);
    let unit = target.tier.level() == Level::Sm13;
    let found = run_at(&kernel, operands, if unit { target.tier } else { Tier::full() });
    let wrong = operands.iter().zip(found).filter(|(o, x)| !same(*x, (row.want)(**o), unit));
    wrong.take(3).map(|(o, x)| format!("{} {o:x?}: {x:#x}, not {:#x}", row.text, (row.want)(*o))).collect()
}

#[test]
fn instructions_agree_with_the_host() {
    let operands = operands(warpsmith_testkit::cases(700, 10_000_000 / 16));
    let mut wrong = Vec::new();
    for row in &ROWS {
        wrong.extend(agree(row, &operands, &Target::unlimited(), OptLevel::O2));
    }
    // Chips without float units, and plain selection.
    let mut tiny = Target::unlimited();
    tiny.tier = Tier::integer();
    for row in ROWS.iter().filter(|r| ["add", "fma", "sqr"].iter().any(|n| r.text.starts_with(n))) {
        wrong.extend(agree(row, &operands[..512], &tiny, OptLevel::O0));
    }
    // A chip with a unit for them.
    let mut unit = Target::unlimited();
    unit.tier = Tier::full().at(Level::Sm13);
    for row in &ROWS {
        for level in [OptLevel::O0, OptLevel::O2] {
            wrong.extend(agree(row, &operands[..1024], &unit, level));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_chip_with_a_unit_calls_no_routine_for_what_it_computes() {
    let mut unit = Target::unlimited();
    unit.tier = Tier::full().at(Level::Sm13);
    let body = "fma.rn.f64 %x, %a, %b, %c; add.rp.f64 %x, %x, %a; max.f64 %x, %x, %b;";
    let kernel = compile(body, &unit, OptLevel::O2);
    let bytes = |target: &Target| compile(body, target, OptLevel::O2).words.len();
    assert!(kernel.words.len() < 64 && 8 * kernel.words.len() < bytes(&Target::unlimited()), "{}", kernel.words.len());
}

/// The next number above or below one that is not 0.
fn neighbour(x: f64, above: bool) -> f64 {
    let step = if (x > 0.0) == above { 1 } else { u64::MAX };
    f64::from_bits(x.to_bits().wrapping_add(step))
}

/// A result rounded down, up or to zero, from the nearest one and the sign of what it lacks.
fn directed(nearest: f64, lacks: f64, mode: &str) -> f64 {
    let (below, above) = match lacks {
        l if l > 0.0 => (nearest, neighbour(nearest, true)),
        l if l < 0.0 => (neighbour(nearest, false), nearest),
        _ => (nearest, nearest),
    };
    match mode {
        "rm" => below,
        "rp" => above,
        _ if below.abs() < above.abs() => below,
        _ => above,
    }
}

/// What the nearest sum lacks.
fn lack_of_sum(a: f64, b: f64) -> f64 {
    let (x, y) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    y - ((x + y) - x)
}

#[test]
fn directed_roundings_agree() {
    // Exponents where what a result lacks is a number itself.
    let mut rng = ChaCha8Rng::seed_from_u64(65);
    let mut one = |spread: u64| {
        let x: u64 = rng.gen();
        x & !(0x7ff << 52) & if x % 3 == 0 { !0xffff_ffff } else { u64::MAX }
            | rng.gen_range(1023 - spread..1023 + spread) << 52
    };
    let n = warpsmith_testkit::cases(256, 10_000_000 / 16);
    let operands: Vec<[u64; 3]> = (0..n).map(|k| [one(40), one(if k % 2 == 0 { 40 } else { 2 }), 0]).collect();
    type Exact = fn(f64, f64) -> (f64, f64);
    let operations: [(&str, Exact); 7] = [
        ("add.MODE.f64 %x, %a, %b;", |a, b| (a + b, lack_of_sum(a, b))),
        ("mul.MODE.f64 %x, %a, %b;", |a, b| (a * b, a.mul_add(b, -(a * b)))),
        ("fma.MODE.f64 %x, %a, 0d4008000000000000, %a;", |a, _| (a * 4.0, 0.0)),
        ("fma.MODE.f64 %x, %a, %b, 0d0000000000000000;", |a, b| (a * b, a.mul_add(b, -(a * b)))),
        ("div.MODE.f64 %x, %a, %b;", |a, b| (a / b, (-(a / b)).mul_add(b, a) * b.signum())),
        ("abs.f64 %x, %a; sqrt.MODE.f64 %x, %x;", |a, _| {
            let r = a.abs().sqrt();
            (r, (-r).mul_add(r, a.abs()))
        }),
        ("cvt.MODE.f64.s64 %x, %a;", |a, _| {
            let i = a.to_bits() as i64;
            (i as f64, (i128::from(i) - i as f64 as i128) as f64)
        }),
    ];
    let mut wrong = Vec::new();
    for mode in ["rz", "rm", "rp"] {
        for (text, exact) in operations {
            let kernel = compile(&text.replace("MODE", mode), &Target::unlimited(), OptLevel::O2);
            let want = operands.iter().map(|o| {
                let (nearest, lacks) = exact(f(o[0]), f(o[1]));
                directed(nearest, lacks, mode).to_bits()
            });
            let found = run(&kernel, &operands);
            let differs = operands.iter().zip(want.zip(found)).filter(|(_, (w, x))| w != x);
            wrong.extend(differs.take(2).map(|(o, (w, x))| format!("{mode} {text} {o:x?}: {x:#x}, not {w:#x}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The largest float of 32 bits at most an exact number, which is `nearest` and what that lacks.
fn below(nearest: f64, lacks: f64) -> f32 {
    let x = nearest as f32;
    if f64::from(x) > nearest || f64::from(x) == nearest && lacks < 0.0 {
        let bits = x.to_bits();
        return f32::from_bits(if x > 0.0 { bits - 1 } else { bits + 1 });
    }
    x
}

#[test]
fn floats_of_32_bits_round_down_and_up() {
    let mut rng = ChaCha8Rng::seed_from_u64(66);
    let mut one = || u64::from(rng.gen::<u32>() & !(0xff << 23) | rng.gen_range(110..140) << 23);
    let operands: Vec<[u64; 3]> = (0..THREADS).map(|_| [one(), one(), one()]).collect();
    type Exact = fn(f64, f64) -> (f64, f64);
    let operations: [(&str, Exact); 6] = [
        ("add.MODE.ftz.f32 %f, %f, %g;", |a, b| (a + b, lack_of_sum(a, b))),
        ("sub.MODE.f32 %f, %f, %g;", |a, b| (a - b, lack_of_sum(a, -b))),
        ("mul.MODE.ftz.f32 %f, %f, %g;", |a, b| (a * b, 0.0)),
        ("fma.MODE.f32 %f, %f, %g, %g;", |a, b| (a * b + b, lack_of_sum(a * b, b))),
        ("div.MODE.f32 %f, %f, %g;", |a, b| (a / b, (-(a / b)).mul_add(b, a) * b.signum())),
        ("abs.f32 %f, %f; sqrt.MODE.f32 %f, %f;", |a, _| {
            let r = a.abs().sqrt();
            (r, (-r).mul_add(r, a.abs()))
        }),
    ];
    for (mode, sign) in [("rm", 1.0), ("rp", -1.0)] {
        for (text, exact) in operations {
            let body = format!(
                ".reg .f32 %g; cvt.u32.u64 %r, %b; mov.b32 %g, %r; {} mov.b32 %y, %f;",
                text.replace("MODE", mode)
            );
            let kernel = compile(&body, &Target::unlimited(), OptLevel::O2);
            for (o, found) in operands.iter().zip(run(&kernel, &operands)) {
                let [a, b] = [o[0], o[1]].map(|w| f64::from(f32::from_bits(w as u32)));
                let (nearest, lacks) = exact(a, b);
                let want = sign as f32 * below(sign * nearest, sign * lacks);
                assert_eq!(f32::from_bits(found as u32), want, "{mode} {text} {a} {b}");
            }
        }
    }
}

/// Answers that IEEE 754 and PTX give in words.
#[test]
fn known_answers() {
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const MOST: u64 = 0x7fef_ffff_ffff_ffff;
    const INFINITE: u64 = 0x7ff0_0000_0000_0000;
    const LEAST: u64 = 1;
    let cases: [(&str, u64, u64, u64); 26] = [
        // Beyond the largest number.
        ("add.rn.f64 %x, %a, %b;", MOST, MOST, INFINITE),
        ("add.rz.f64 %x, %a, %b;", MOST, MOST, MOST),
        ("add.rm.f64 %x, %a, %b;", MOST, MOST, MOST),
        ("add.rp.f64 %x, %a, %b;", MOST | SIGN, MOST | SIGN, MOST | SIGN),
        ("mul.rm.f64 %x, %a, %b;", MOST | SIGN, MOST, INFINITE | SIGN),
        ("add.rn.f64 %x, %a, %b;", MOST, 0x7c90_0000_0000_0000, INFINITE),
        ("add.rn.f64 %x, %a, %b;", MOST, 0x7c8f_ffff_ffff_ffff, MOST),
        // Below the smallest.
        ("mul.rn.f64 %x, %a, %b;", LEAST, 0x3fe0_0000_0000_0000, 0),
        ("mul.rp.f64 %x, %a, %b;", LEAST, LEAST, LEAST),
        ("mul.rm.f64 %x, %a, %b;", LEAST | SIGN, LEAST, LEAST | SIGN),
        ("mul.rn.f64 %x, %a, %b;", 3, 0x3fe0_0000_0000_0000, 2),
        ("div.rn.f64 %x, %a, %b;", 0x0010_0000_0000_0000, 0x4000_0000_0000_0000, 0x0008_0000_0000_0000),
        // Zeros.
        ("add.rn.f64 %x, %a, %b;", ONE, ONE | SIGN, 0),
        ("add.rm.f64 %x, %a, %b;", ONE, ONE | SIGN, SIGN),
        ("add.rm.f64 %x, %a, %b;", 0, 0, 0),
        ("add.rn.f64 %x, %a, %b;", SIGN, SIGN, SIGN),
        ("sqrt.rn.f64 %x, %a;", SIGN, 0, SIGN),
        ("div.rn.f64 %x, %a, %b;", ONE, SIGN, INFINITE | SIGN),
        // No numbers.
        ("div.rn.f64 %x, %a, %b;", 0, SIGN, NAN),
        ("mul.rn.f64 %x, %a, %b;", INFINITE, 0, NAN),
        ("sub.rn.f64 %x, %a, %b;", INFINITE, INFINITE, NAN),
        ("sqrt.rn.f64 %x, %a;", ONE | SIGN, 0, NAN),
        ("max.f64 %x, %a, %b;", 0xfff8_0000_0000_1234, ONE, ONE),
        ("min.f64 %x, %a, %b;", 0, SIGN, SIGN),
        // A product whose last bit only a fused sum keeps: (1 + 2^-52)^2 - (1 + 2^-51).
        ("fma.rn.f64 %x, %a, %a, %b;", ONE + 1, 0xbff0_0000_0000_0002, 0x3970_0000_0000_0000),
        ("cvt.rzi.s64.f64 %x, %a;", NAN, 0, SIGN),
    ];
    for (text, a, b, want) in cases {
        let found = run(&compile(text, &Target::unlimited(), OptLevel::O2), &[[a, b, 0]])[0];
        assert_eq!(found, want, "{text} {a:#x} {b:#x}: {found:#x}, not {want:#x}");
    }
}

/// Threads of a warp call at different places, different numbers of times, one call in another's way; values live on.
#[test]
fn parts_of_a_warp_call() {
    let body = "\
        .reg .u32 %i;\n\
        and.b32 %i, %r, 7;\n\
        setp.lt.u32 %p, %i, 3;\n\
        @%p bra less;\n\
        more:\n\
        mul.rn.f64 %x, %a, %b;\n\
        setp.gt.f64 %q, %x, %c;\n\
        @%q bra out;\n\
        add.rn.f64 %x, %x, %a;\n\
        bra out;\n\
        less:\n\
        add.rn.f64 %x, %a, %b;\n\
        again:\n\
        fma.rn.f64 %x, %x, %c, %a;\n\
        sub.u32 %i, %i, 1;\n\
        setp.ge.s32 %p, %i, 0;\n\
        @%p bra again;\n\
        out:\n\
        div.rn.f64 %b, %b, %x;\n\
        add.rn.f64 %x, %x, %b;";
    let want = |o: &[u64; 3]| {
        let (a, b, c) = (f(o[0]), f(o[1]), f(o[2]));
        let mut x;
        if o[0] & 7 < 3 {
            x = a + b;
            for _ in 0..=o[0] & 7 {
                x = x.mul_add(c, a);
            }
        } else {
            x = a * b;
            if x <= c || x.is_nan() || c.is_nan() {
                x += a;
            }
        }
        number(x + b / x)
    };
    let operands = &operands(384)[1600..];
    for level in [OptLevel::O0, OptLevel::O2] {
        for (stack, registers) in [(64, None), (16, Some(40)), (4, None)] {
            let mut target = Target::unlimited();
            target.stack_depth = stack;
            let options = Options { level, max_registers: registers, ..Options::default() };
            let kernel = compile_with(body, &target, &options);
            assert!(kernel.stack_depth <= stack, "{}", kernel.stack_depth);
            let found = run(&kernel, operands);
            for (o, x) in operands.iter().zip(found) {
                assert!(same(x, want(o), false), "{level:?} {stack}: {o:x?}: {x:#x}, not {:#x}", want(o));
            }
        }
    }
}

/// A kernel that calls a function of one or two operands.
fn function(name: &str, level: OptLevel) -> Kernel {
    let two = ["add_rn", "mul_rn", "div_rn", "atan2", "pow", "hypot", "fmod", "nextafter", "remainder"].contains(&name);
    let second = if two { ".param .b64 p1; st.param.f64 [p1], %b;" } else { "" };
    let list = if two { "p0, p1" } else { "p0" };
    let body = format!(
        "{{ .param .b64 p0; st.param.f64 [p0], %a; {second} .param .b64 r0; call.uni (r0), __ws_f64_{name}, ({list}); \
         ld.param.f64 %x, [r0]; }}"
    );
    compile(&body, &Target::unlimited(), level)
}

/// The functions' C compiled for the host beside the C library's of long double; nothing where that has no more bits.
fn reference() -> Option<(tempfile::TempDir, std::path::PathBuf)> {
    let clang = warpsmith_testkit::found(warpsmith_compiler::clang::find::find(None))?;
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: long double of this machine may be double");
        return None;
    }
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("reference");
    let mut command = std::process::Command::new(clang.path);
    command.args(["-O2", "-w", "-o"]).arg(&program).arg("-I").arg(here.join("src/lower/f64"));
    let out = command.arg(here.join("tests/double_reference.c")).arg("-lm").output().expect("clang runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    Some((folder, program))
}

/// What it prints, words of lines.
fn printed(program: &std::path::Path, what: &str, count: usize) -> Vec<Vec<String>> {
    let out = std::process::Command::new(program).args([what, &count.to_string()]).output().expect("it runs");
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).expect("text");
    text.lines().map(|l| l.split(' ').map(String::from).collect()).collect()
}

/// The largest error of every function: within what OpenCL allows, and as docs/opencl-accuracy.md says.
fn measure(operands: usize) {
    let Some((_folder, program)) = reference() else { return };
    let page = include_str!("../../docs/opencl-accuracy.md");
    let mut wrong = Vec::new();
    let rows = printed(&program, "measure", operands);
    assert!(rows.len() > 40, "{} functions", rows.len());
    for row in rows {
        let (name, error, allowed) =
            (&row[0], row[1].parse::<f64>().expect("ulp"), row[2].parse::<f64>().expect("ulp"));
        println!("{}", row.join(" "));
        if error > allowed {
            wrong.push(format!("{name}: {error} ulp of {} {}, allowed {allowed}", row[3], row[4]));
        }
        let front = format!("| `{name}` of doubles |");
        let said = page.lines().find_map(|l| l.strip_prefix(&front)?.split('|').nth(1)?.trim().strip_suffix(" ulp"));
        match said.and_then(|s| s.trim().parse::<f64>().ok()) {
            Some(said) if error <= said => {}
            said => wrong.push(format!("{name}: {error} ulp of {} {}, the page says {said:?}", row[3], row[4])),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_are_within_their_bounds() {
    measure(2000);
}

#[test]
#[ignore = "3·10^6 operands of each function of doubles"]
fn accuracy_of_doubles() {
    measure(3_000_000);
}

/// The model computes what the C of the routines says.
#[test]
fn functions_agree_with_their_c() {
    let Some((_folder, program)) = reference() else { return };
    let rows = printed(&program, "values", warpsmith_testkit::cases(24, 1 << 12));
    let bits = |s: &String| u64::from_str_radix(s, 16).expect("bits");
    // Those that are one routine.
    let other = ["rsqrt", "asinpi", "acospi", "atanpi", "atan2pi", "tanpi", "log_near", "log1p_near", "rootn"];
    for of in rows.chunk_by(|a, b| a[0] == b[0]).filter(|of| !other.contains(&of[0][0].as_str())) {
        let name = match of[0][0].as_str() {
            name @ ("add" | "mul" | "div" | "sqrt") => format!("{name}_rn"),
            name => name.into(),
        };
        let operands: Vec<[u64; 3]> = of.iter().map(|r| [bits(&r[1]), bits(&r[2]), 0]).collect();
        let found = run(&function(&name, OptLevel::O2), &operands);
        for (o, (row, x)) in operands.iter().zip(of.iter().zip(found)) {
            assert_eq!(x, bits(&row[3]), "{name} of {o:x?}");
        }
    }
}

/// Results that C's annex F gives.
#[test]
fn functions_of_special_values() {
    let inf = f64::INFINITY;
    let cases: [(&str, f64, f64, f64); 38] = [
        ("exp", -inf, 0.0, 0.0),
        ("exp", inf, 0.0, inf),
        ("exp", 0.0, 0.0, 1.0),
        ("exp", 710.0, 0.0, inf),
        ("exp", -746.0, 0.0, 0.0),
        ("exp2", 1023.0, 0.0, 2f64.powi(1023)),
        ("exp2", -1074.0, 0.0, 5e-324),
        ("log", 0.0, 0.0, -inf),
        ("log", -1.0, 0.0, f64::NAN),
        ("log", 1.0, 0.0, 0.0),
        ("log2", 8.0, 0.0, 3.0),
        ("log2", 5e-324, 0.0, -1074.0),
        ("log1p", -1.0, 0.0, -inf),
        ("log1p", -0.0, 0.0, -0.0),
        ("sin", -0.0, 0.0, -0.0),
        ("sin", inf, 0.0, f64::NAN),
        ("cos", 0.0, 0.0, 1.0),
        ("expm1", -inf, 0.0, -1.0),
        ("atan2", 0.0, -0.0, std::f64::consts::PI),
        ("atan2", -0.0, 1.0, -0.0),
        ("asin", 1.5, 0.0, f64::NAN),
        ("acos", 1.0, 0.0, 0.0),
        ("pow", f64::NAN, 0.0, 1.0),
        ("pow", -2.0, 3.0, -8.0),
        ("pow", -2.0, 0.5, f64::NAN),
        ("pow", -0.0, -3.0, -inf),
        ("pow", -1.0, inf, 1.0),
        ("hypot", inf, f64::NAN, inf),
        ("fmod", -3.0, inf, -3.0),
        ("cbrt", 27.0, 0.0, 3.0),
        ("erf", -inf, 0.0, -1.0),
        ("erfc", -inf, 0.0, 2.0),
        ("tgamma", -0.0, 0.0, -inf),
        ("tgamma", -3.0, 0.0, f64::NAN),
        ("tgamma", 5.0, 0.0, 24.0),
        ("lgamma", 2.0, 0.0, 0.0),
        ("lgamma", -7.0, 0.0, inf),
        ("sinpi", -3.0, 0.0, -0.0),
    ];
    let mut kernels = std::collections::HashMap::new();
    for (name, a, b, want) in cases {
        let kernel = kernels.entry(name).or_insert_with(|| function(name, OptLevel::O1));
        let found = run(kernel, &[[a.to_bits(), b.to_bits(), 0]])[0];
        assert!(same(found, number(want), false), "{name}({a:e}, {b:e}): {:e}, not {want:e}", f(found));
    }
}

/// The texts of the routines are what clang 19 writes; `WARPSMITH_BLESS` writes them anew.
#[test]
fn texts_of_the_routines_are_clangs() {
    let clang = std::path::Path::new("clang-19");
    let Ok(clang) = warpsmith_compiler::clang::find::find(Some(clang)) else {
        println!("skipped: clang 19 is not there");
        return;
    };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lower/f64");
    for name in ["routines", "math"] {
        let options =
            "-x c --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_20 -Os -fno-unroll-loops -S -o -";
        let mut command = std::process::Command::new(&clang.path);
        let out =
            command.args(options.split(' ')).arg(folder.join(name).with_extension("c")).output().expect("clang runs");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let lines = String::from_utf8(out.stdout).expect("text");
        let code =
            lines.lines().map(|l| l.split("//").next().unwrap_or("").trim_end()).filter(|l| !l.trim().is_empty());
        let text: String = code.map(|l| format!("{l}\n")).collect();
        let text = text.replace("\n.address_size 64\n", "\n.address_size 32\n");
        let file = folder.join(name).with_extension("ptx");
        if std::env::var_os("WARPSMITH_BLESS").is_some() {
            std::fs::write(&file, &text).expect("the file can be written");
        }
        let kept = std::fs::read_to_string(&file).expect("the text");
        assert!(kept == text, "{}: WARPSMITH_BLESS=1 writes it", file.display());
    }
}
