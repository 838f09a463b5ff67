//! What Intel's manual of the execution unit says, a test a section; expected values are computed here from its
//! formulas in exact arithmetic.

use super::bench::{code, Bench};
use super::operands::eight;
use warpsmith_isa::Isa;
use warpsmith_model::{Launch, Model, ModelConfig, Traced};
use warpsmith_testkit::Random;

/// The quiet NaN that the model writes.
const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;
const MINUS: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;

/// A thread of 32 channels with doubles in g12 and g13, after one instruction under cr0.0.
fn doubles(text: &str, values: [u64; 8], control: u32) -> Bench {
    let mut bench = Bench::new(32, &code(text));
    for n in 80..96 {
        bench.set_dword(n, 0xaaaa_aaaa);
    }
    for (n, v) in values.iter().enumerate() {
        bench.set_dword(96 + 2 * n, *v as u32);
        bench.set_dword(97 + 2 * n, (*v >> 32) as u32);
    }
    bench.set_control(control);
    bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
    bench
}

/// Double `n` from g10 on.
fn double(bench: &Bench, n: usize) -> u64 {
    u64::from(bench.dword(80 + 2 * n)) | u64::from(bench.dword(81 + 2 * n)) << 32
}

/// What a register holds that no one has written.
const UNTOUCHED: u64 = 0xaaaa_aaaa_aaaa_aaaa;

#[test]
fn section_3_3_9_5a_a_double_is_a_pair_of_channels() {
    let v: [u64; 8] = std::array::from_fn(|n| (n as f64 + 0.5).to_bits());
    // Text, for each double from g10 on which of g12's it is.
    let rows: [(&str, &[usize]); 6] = [
        ("mov(8) g10<1>DF g12<8,8,1>DF { align1 1Q }", &[0, 1, 2, 3]),
        ("mov(16) g10<1>DF g12<8,8,1>DF { align1 1H }", &[0, 1, 2, 3, 4, 5, 6, 7]),
        ("mov(4) g10<1>DF g12.2<4,4,1>DF { align1 1N }", &[2, 3]),
        ("mov(8) g10<1>DF g12.1<0,2,1>DF { align1 1Q }", &[1, 1, 1, 1]),
        ("mov(8) g10<1>DF g12<4,2,1>DF { align1 1Q }", &[0, 2, 4, 6]),
        ("mov(2) g10<1>DF g12.3<2,2,1>DF { align1 1N }", &[3]),
    ];
    for (text, want) in rows {
        let bench = doubles(text, v, 0);
        for n in 0..8 {
            let want = want.get(n).map_or(UNTOUCHED, |i| v[*i]);
            assert_eq!(double(&bench, n), want, "{text}: double {n}");
        }
    }
    // Align16: .x picks the low half, .y the high half.
    let bench = doubles("mov(4) g10<1>.zwDF g12<4>.xyxyDF { align16 1N }", v, 0);
    assert_eq!((double(&bench, 0), double(&bench, 1), double(&bench, 2)), (UNTOUCHED, v[0], UNTOUCHED));
    // Arithmetic, and the mask: the two channels of a pair are masked alike.
    let text = "(+f0.0) add(8) g10<1>DF g12<8,8,1>DF g13<8,8,1>DF { align1 1Q }";
    let mut bench = Bench::new(32, &code(text));
    for (n, v) in v.iter().enumerate() {
        bench.set_dword(96 + 2 * n, *v as u32);
        bench.set_dword(97 + 2 * n, (*v >> 32) as u32);
    }
    bench.set_flag(0, 0b1100_0011);
    bench.step().expect("a sum of doubles");
    let want = [5.0, 0.0, 0.0, 11.0f64].map(f64::to_bits);
    assert_eq!(std::array::from_fn(|n| double(&bench, n)), want);
    // A comparison sets the flags of both channels.
    let mut bench = Bench::new(32, &code("cmp.l.f0.0(8) null<1>DF g12<8,8,1>DF g13<8,8,1>DF { align1 1Q switch }"));
    for n in [0, 3] {
        bench.set_dword(105 + 2 * n, 0x4000_0000);
    }
    bench.step().expect("a comparison of doubles");
    assert_eq!(bench.flag(0), 0b1100_0011);
}

/// The float of a double toward zero, denormals kept: the bits beyond its fraction are dropped.
fn truncated(v: u64) -> u32 {
    let sign = (v >> 32) as u32 & MINUS;
    let (exponent, fraction) = ((v >> 52 & 0x7ff) as i32 - 1023, v & ((1 << 52) - 1));
    let magnitude = match exponent {
        1024 if fraction != 0 => return NAN,
        1024 => INF,
        128.. => INF - 1,
        -126.. => ((exponent + 127) as u32) << 23 | (fraction >> 29) as u32,
        // With the implied one, shifted to units of 2^-149.
        -149.. => ((fraction | 1 << 52) >> (52 - (exponent + 149))) as u32,
        _ => 0,
    };
    sign | magnitude
}

#[test]
fn section_2_4_5_df_to_f_rounds_toward_zero() {
    let mut random = Random(245);
    let corner = [
        0,
        1,
        0x000f_ffff_ffff_ffff,
        f64::MAX.to_bits(),
        f64::INFINITY.to_bits(),
        f64::NAN.to_bits(),
        1.999_999_999_999f64.to_bits(),
        1e-40f64.to_bits(),
        1e-45f64.to_bits(),
        1e-46f64.to_bits(),
    ];
    for round in 0..200 {
        let values: [u64; 8] = std::array::from_fn(|_| {
            let near = (1023 - 160 + random.bits() % 300) << 52 | random.bits() >> 12;
            let chosen = corner[random.index(corner.len())];
            random.pick(&[near, near, chosen]) | random.bits() << 63
        });
        // Every rounding mode and denormal mode of cr0.0.
        let control = (round % 4) << 4 | (round / 4 % 2) << 6;
        let bench = doubles("mov(8) g10<1>F g12<8,8,1>DF { align1 1Q }", values, control);
        for n in 0..4 {
            // The upper dword of every quadword is undefined.
            assert_eq!(bench.dword(80 + 2 * n), truncated(values[n]), "{:#x} under {control:#x}", values[n]);
        }
    }
}

#[test]
fn section_2_4_6_f_to_df_is_exact_and_2_3_1_2_keeps_denormals() {
    let mut random = Random(246);
    for round in 0..100 {
        let floats: [u32; 8] = std::array::from_fn(|_| match random.word() % 4 {
            0 => random.word() & 0x807f_ffff,
            1 => random.pick(&[0, MINUS, INF, INF | MINUS, NAN, 1, 0x807f_ffff]),
            _ => random.word(),
        });
        let values = std::array::from_fn(|n| u64::from(floats[n]));
        let bench = doubles("mov(8) g10<1>DF g12<8,8,1>F { align1 1Q }", values, (round % 2) << 6);
        for n in 0..4 {
            let exact = f64::from(f32::from_bits(floats[n]));
            let found = f64::from_bits(double(&bench, n));
            let same = found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan();
            assert!(same, "{:#x}: {found:e}, not {exact:e}", floats[n]);
        }
    }
    // A format conversion keeps what arithmetic flushes.
    let tiny = u64::from(0x0040_0000u32);
    let sum = doubles("add(8) g10<1>F g12<8,8,1>F 0x0F { align1 1Q }", [tiny; 8], 0);
    assert_eq!(sum.dword(80), 0);
}

#[test]
fn section_3_4_4_anyv_and_allv_combine_the_subregisters_of_one_flag_register() {
    let flags: [u16; 4] = [0b0011, 0b0101, 0b1001_0000, 0b1111_0000];
    for register in 0..2 {
        let [low, high] = [flags[2 * register], flags[2 * register + 1]];
        for (how, mask) in [("anyv", low | high), ("allv", low & high)] {
            for sub in 0..2 {
                let text = format!("(+f{register}.{sub}.{how}) mov(16) g10<1>UW 0x0007UW {{ align1 1H }}");
                let mut bench = Bench::new(32, &code(&text));
                (0..4).for_each(|n| bench.set_flag(n, flags[n]));
                bench.step().expect("a predicate");
                for n in 0..16 {
                    let written = bench.byte(320 + 2 * n) == 7;
                    assert_eq!(written, mask >> n & 1 == 1, "{text}: channel {n}");
                }
            }
        }
    }
}

#[test]
fn section_3_3_9_7b_size_32_applies_the_low_half_of_the_mask_twice() {
    let mut bench = Bench::new(5, &code("mov(32) g10<1>UW g12<16,16,1>UW { align1 1H }"));
    for n in 0..16 {
        bench.set_dword(96 + n, 0x0101_0101);
    }
    bench.step().expect("32 channels");
    for n in 0..32 {
        assert_eq!(bench.byte(320 + 2 * n) == 1, n % 16 < 5, "channel {n}");
    }
}

#[test]
fn section_3_3_3_4_six_elements_of_a0_hold_12_bits() {
    for text in ["mov(8) a0<1>UW 0xabcdUW { align1 WE_all 1Q }", "mov(4) a0<1>UD 0xabcdabcdUD { align1 WE_all 1N }"] {
        let text = format!("{text}; mov(8) g10<1>UW a0<8,8,1>UW {{ align1 WE_all 1Q }}");
        let mut bench = Bench::new(8, &code(&text));
        bench.run(2).ok();
        let found: [u32; 8] = std::array::from_fn(|n| bench.dword(80 + n / 2) >> (16 * (n % 2)) & 0xffff);
        let want = [0xabcd, 0xabcd, 0xbcd, 0xbcd, 0xbcd, 0xbcd, 0xbcd, 0xbcd];
        assert_eq!(found, want, "{text}");
    }
}

#[test]
fn section_6_51_round_up_gives_minus_zero() {
    // Argument, what the table of the page allows: an integral value of its own sign.
    let rows = [
        (0xbf00_0000, MINUS),
        (0xbf7f_ffff, MINUS),
        (0x8080_0000, MINUS),
        (0xbfc0_0000, 0xbf80_0000),
        (0xff80_0000, 0xff80_0000),
        (0x8000_0001, MINUS),
        (MINUS, MINUS),
        (0, 0),
        (1, 0),
        (0x0080_0000, ONE),
        (0x3f00_0000, ONE),
        (0x4b7f_ffff, 0x4b7f_ffff),
        (0x4aff_ffff, 0x4b00_0000),
        (INF, INF),
        (0x7f80_0001, NAN),
    ];
    for (x, want) in rows {
        let bench = eight("rndu(8) g10<1>F g2<8,8,1>F", &[[x; 8]], None);
        assert_eq!(bench.dword(80), want, "rndu of {x:#x}");
    }
}

/// What the table of powers says of base and exponent; `None`: a finite positive number.
fn power(base: f32, exponent: f32) -> Option<u32> {
    let [base, exponent] = [base, exponent].map(|v| if v.is_subnormal() { 0.0f32.copysign(v) } else { v });
    if base.is_nan() || exponent.is_nan() {
        return Some(NAN);
    }
    let magnitude = base.abs();
    let finite = magnitude != 0.0 && magnitude.is_finite();
    if exponent == 0.0 {
        return Some(if finite { ONE } else { NAN });
    }
    if finite && exponent.is_finite() {
        return None;
    }
    let large = exponent > 0.0;
    Some(match magnitude {
        1.0 => NAN,
        // Minus infinity to a finite positive power.
        m if m.is_infinite() && base < 0.0 && large && exponent.is_finite() => NAN,
        m if (m > 1.0) == large => INF,
        _ => 0,
    })
}

#[test]
fn section_6_41_6_powers_follow_the_table() {
    let values =
        [f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-40, -1e-40, f32::NAN, 1.0, -1.0, 0.75, -0.75, 2.5, -2.5];
    for (base, exponent) in values.iter().flat_map(|b| values.map(|e| (*b, e))) {
        let sources = [[base.to_bits(); 8], [exponent.to_bits(); 8]];
        let bench = eight("math pow(8) g10<1>F g2<8,8,1>F g4<8,8,1>F", &sources, None);
        let found = bench.dword(80);
        match power(base, exponent) {
            Some(want) => assert_eq!(found, want, "{base} to {exponent}"),
            None => {
                let want = f64::from(base.abs()).powf(exponent.into());
                let error = (f64::from(f32::from_bits(found)) / want - 1.0).abs();
                assert!(error < 1e-5, "{base} to {exponent}: {found:#x}, not {want}");
            }
        }
    }
}

#[test]
fn section_3_3_3_8_accumulator_disable_stops_implicit_updates() {
    let s = [[5; 8], [6; 8]];
    // Text, what the accumulator holds after it with bit 1 of cr0.0 clear and set.
    let rows = [
        ("add(8) g10<1>D g2<8,8,1>D g4<8,8,1>D { align1 1Q AccWrEnable }", 11, 77),
        ("addc(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD { align1 1Q AccWrEnable }", 0, 77),
        ("mac(8) g10<1>D g2<16,8,2>W g4<16,8,2>W { align1 1Q AccWrEnable }", 107, 77),
        // An explicit destination is written all the same.
        ("mov(8) acc0<1>D g2<8,8,1>D { align1 1Q }", 5, 5),
    ];
    for (text, enabled, disabled) in rows {
        for (control, want) in [(0, enabled), (2, disabled)] {
            let mut bench = Bench::new(8, &code(text));
            for (at, row) in s.iter().enumerate() {
                (0..8).for_each(|n| bench.set_dword(16 + 16 * at + n, row[n]));
            }
            (0..8).for_each(|n| bench.set_accumulator(n, 77));
            bench.set_control(control);
            bench.step().expect(text);
            assert_eq!(bench.accumulator(3), want, "{text} under {control}");
        }
    }
}

#[test]
fn section_3_3_3_8_vector_mask_enable_executes_groups_of_four() {
    let text = "mov(4) g14<1>UD sr0<4,4,1>UD { align1 WE_all 1N };
        mov(8) g10<1>UD 0x7UD { align1 1Q };
        or(1) cr0<1>UD cr0<0,1,0>UD 0x8UD { align1 WE_all 1N switch };
        mov(8) g11<1>UD 0x7UD { align1 1Q };
        and(1) cr0<1>UD cr0<0,1,0>UD 0xfffffff7UD { align1 WE_all 1N switch };
        mov(8) g12<1>UD 0x7UD { align1 1Q }";
    let mut bench = Bench::new(5, &code(text));
    for _ in 0..6 {
        bench.step().expect("an instruction");
    }
    assert_eq!((bench.dword(114), bench.dword(115)), (0x1f, 0xff));
    let written = |g: usize| (0..8).filter(|n| bench.dword(8 * g + n) == 7).count();
    assert_eq!((written(10), written(11), written(12)), (5, 8, 5));
}

#[test]
fn section_3_3_6_2_a_trace_names_the_address_register() {
    let text = "mov(1) a0.3<1>UW 0x0100UW { align1 WE_all 1N };
        mov(8) g[a0.3 -4]<1>UD 0x7UD { align1 WE_all 1Q };
        send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT }";
    let launch = Launch { block: [8, 1, 1], ..Launch::from_code(Isa::Ivb, code(text)) };
    let mut places = Vec::new();
    let mut see = |t: &Traced| places.extend(t.writes.iter().map(|w| w.place.clone()));
    let run = Model::new(&launch, ModelConfig::default()).run(100, 1, Some(&mut see));
    assert!(run.is_ok());
    assert_eq!(places, ["a0 byte 6", "region at byte a0.3 -4"]);
}

/// A program and a System Routine behind it, which counts in g20.0 and keeps AIP in g20.1, clears the exception and
/// returns; five channels.
fn with_routine(program: &str) -> Bench {
    let end = "send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };";
    let routine = "add(1) g20<1>UD g20<0,1,0>UD 0x1UD { align1 WE_all 1N switch };
        mov(1) g20.1<1>UD cr0.2<0,1,0>UD { align1 WE_all 1N switch };
        and(1) cr0.1<1>UD cr0.1<0,1,0>UD 0x0fffffffUD { align1 WE_all 1N switch };
        or(1) cr0<1>UD cr0<0,1,0>UD 0x8000UD { align1 WE_all 1N switch };
        and(1) cr0<1>UD cr0<0,1,0>UD 0x7fffffffUD { align1 WE_all 1N switch };
        nop";
    let main = code(&format!("{program}{end}"));
    let mut bench = Bench::new(5, &[main.clone(), code(routine)].concat());
    bench.set_system(main.len() as u32);
    bench
}

#[test]
fn section_6_38_mac_of_doubles_adds_to_the_accumulator() {
    let v: [u64; 8] = std::array::from_fn(|n| (1.0 + n as f64 / 3.0).to_bits());
    // Product and sum are rounded one after the other; the accumulator of each double is its own.
    let first = "mul(8) g10<1>DF g12<8,8,1>DF g13<8,8,1>DF { align1 1Q AccWrEnable }";
    let second = "mac(8) g11<1>DF g12<8,8,1>DF g12<8,8,1>DF { align1 1Q }";
    let mut bench = doubles(&format!("{first}; {second}"), v, 0);
    bench.step().expect("mac");
    for n in 0..4 {
        let [a, b] = [v[n], v[n + 4]].map(f64::from_bits);
        assert_eq!(f64::from_bits(double(&bench, n)), a * b);
        assert_eq!(f64::from_bits(double(&bench, n + 4)), a * a + a * b);
    }
}

#[test]
fn section_2_3_1_1_and_6_18_cmpn_prefers_the_number() {
    // The second source that is no number is true, for nz false; the first one is not. Both are left open.
    let pairs =
        [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0), (f64::NAN, 1.0), (1.0, f64::NAN), (2.0, f64::NAN), (f64::NAN, 2.0)];
    let holds = |condition: &str, a: f64, b: f64| match condition {
        "nz" => !b.is_nan() && a != b,
        _ if b.is_nan() => true,
        "z" => a == b,
        "g" => a > b,
        "ge" => a >= b,
        "l" => a < b,
        _ => a <= b,
    };
    for condition in ["z", "nz", "g", "ge", "l", "le"] {
        let singles = format!("cmpn.{condition}.f0.0(8) g10<1>F g12<8,8,1>F g13<8,8,1>F {{ align1 1Q }}");
        let mut bench = Bench::new(8, &code(&singles));
        for (n, (a, b)) in pairs.iter().enumerate() {
            bench.set_dword(96 + n, (*a as f32).to_bits());
            bench.set_dword(104 + n, (*b as f32).to_bits());
        }
        bench.step().expect("cmpn");
        for (n, (a, b)) in pairs.iter().enumerate() {
            let want = holds(condition, *a, *b);
            assert_eq!(
                (bench.flag(0) >> n & 1 == 1, bench.dword(80 + n) == u32::MAX),
                (want, want),
                "{singles} {a} {b}"
            );
        }
        let text = format!("cmpn.{condition}.f0.0(8) g10<1>DF g12<8,8,1>DF g13<8,8,1>DF {{ align1 1Q }}");
        for four in pairs.windows(4) {
            let of = |n: usize| if n < 4 { four[n].0 } else { four[n - 4].1 };
            let bench = doubles(&text, std::array::from_fn(|n| of(n).to_bits()), 0);
            for (n, (a, b)) in four.iter().enumerate() {
                let (want, flags) = (holds(condition, *a, *b), bench.flag(0) >> (2 * n) & 3);
                assert_eq!((flags, double(&bench, n) == u64::MAX), (if want { 3 } else { 0 }, want), "{text} {a} {b}");
            }
        }
    }
}

#[test]
fn section_6_55_sel_takes_the_double_that_is_a_number() {
    let (one, two, nan) = (1f64.to_bits(), 2f64.to_bits(), f64::NAN.to_bits());
    let v = [one, nan, two, nan, two, one, nan, nan];
    for (condition, want) in [("ge", [two, one, two]), ("l", [one, one, two])] {
        let text = format!("sel.{condition}(8) g10<1>DF g12<8,8,1>DF g13<8,8,1>DF {{ align1 1Q }}");
        let bench = doubles(&text, v, 0);
        assert_eq!(std::array::from_fn(|n| double(&bench, n)), want, "{text}");
    }
}

#[test]
fn section_4_2_3_a_launch_says_where_the_system_routine_is() {
    let program = "or(1) cr0.1<1>UD cr0.1<0,1,0>UD 0x20002000UD { align1 WE_all 1N switch };
        shl(8) g10<1>UD g1<8,8,1>UW 0x00000002UD { align1 1Q };
        add(8) g11<1>UD g20<0,1,0>UD 0x5UD { align1 1Q };
        send(8) null<1>UD g10<8,8,1>UD 0x04036eff data { align1 1Q };
        send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
        mov(1) g20<1>UD 0x2UD { align1 WE_all 1N };
        mov(1) cr0.1<1>UD 0x0UD { align1 WE_all 1N switch };
        and(1) cr0<1>UD cr0<0,1,0>UD 0x7fffffffUD { align1 WE_all 1N switch };
        nop";
    let mut launch = Launch::from_code(Isa::Ivb, code(program));
    (launch.block, launch.global_bytes) = ([8, 1, 1], 32);
    let without = Model::new(&launch, ModelConfig::default()).run(100, 1, None);
    let e = without.expect_err("an exception without a System Routine");
    assert!(e.to_string().contains("key sip"), "{e}");
    launch.sip = Some(5 * 16);
    let mut model = Model::new(&launch, ModelConfig::default());
    model.run(100, 1, None).expect("the routine returns");
    assert_eq!([0, 4, 28].map(|at| model.state().global.word(at)), [7; 3]);
}

#[test]
fn section_4_3_3_a_software_exception_runs_the_system_routine() {
    let raise = |bits: u32| format!("or(1) cr0.1<1>UD cr0.1<0,1,0>UD {bits:#x}UD {{ align1 WE_all 1N switch }};");
    let work = "mov(8) g10<1>UD 0x7UD { align1 1Q };";
    // Enabled: once, and the thread goes on behind the instruction, with the channels it had.
    let mut bench = with_routine(&format!("{}{work}", raise(0x2000_2000)));
    bench.run(20).expect("it ends");
    assert_eq!((bench.dword(160), bench.dword(161)), (1, 16));
    assert_eq!((0..8).map(|n| bench.dword(80 + n)).collect::<Vec<_>>(), [7, 7, 7, 7, 7, 0, 0, 0]);
    assert_eq!(bench.control(0) >> 31, 0);
    // Disabled: nothing but the bit.
    let mut bench = with_routine(&format!("{}{work}", raise(0x2000_0000)));
    bench.run(20).expect("it ends");
    assert_eq!((bench.dword(160), bench.control(1) >> 29 & 1), (0, 1));
    // Without a System Routine the exception is an error; software does not set the bit of the routine.
    let mut bench = Bench::new(8, &code(&raise(0x2000_2000)));
    assert!(bench.step().expect_err("no SIP").contains("no System Routine"));
    let mut bench = Bench::new(8, &code("or(1) cr0<1>UD cr0<0,1,0>UD 0x80000000UD { align1 WE_all 1N switch }"));
    bench.step().expect("a write without effect");
    assert_eq!(bench.control(0), 0);
}

#[test]
fn section_4_2_2_an_exception_that_is_left_set_enters_again() {
    let raise = "or(1) cr0.1<1>UD cr0.1<0,1,0>UD 0x20002000UD { align1 WE_all 1N switch };";
    let routine = "add(1) g20<1>UD g20<0,1,0>UD 0x1UD { align1 WE_all 1N switch };
        and(1) cr0<1>UD cr0<0,1,0>UD 0x7fffffffUD { align1 WE_all 1N switch }";
    let mut bench = Bench::new(8, &code(&format!("{raise}nop;{routine}")));
    bench.set_system(32);
    for _ in 0..7 {
        bench.step().expect("round and round");
    }
    assert_eq!((bench.dword(160), bench.control(2)), (3, 16));
}

#[test]
fn section_4_3_breakpoints_and_illegal_opcodes_run_the_system_routine() {
    // Bit 30 of an instruction, enabled by bit 15 of cr0.1; AIP names the instruction itself, which then executes.
    let enable = "or(1) cr0.1<1>UD cr0.1<0,1,0>UD 0x8000UD { align1 WE_all 1N switch };";
    for (enabled, count) in [(true, 1), (false, 0)] {
        let program = format!("{}mov(8) g10<1>UD 0x7UD {{ align1 1Q }};", if enabled { enable } else { "nop;" });
        let mut bench = with_routine(&program);
        let mut bytes = bench.code().to_vec();
        bytes[16 + 3] |= 0x40;
        bench.replace(&bytes);
        bench.run(20).expect("it ends");
        let at = if enabled { 16 } else { 0 };
        assert_eq!((bench.dword(160), bench.dword(161), bench.dword(80)), (count, at, 7));
    }
    // `illegal` is enabled at the start; disabled it does nothing but set its bit.
    let mut bench = with_routine("illegal;");
    for _ in 0..3 {
        bench.step().expect("the routine");
    }
    assert_eq!((bench.dword(160), bench.dword(161), bench.control(1) >> 28 & 1), (1, 0, 1));
    let mut bench = with_routine("mov(1) cr0.1<1>UD 0x0UD { align1 WE_all 1N switch }; illegal;");
    bench.run(20).expect("it ends");
    assert_eq!((bench.dword(160), bench.control(1)), (0, 1 << 28));
}

#[test]
fn section_3_3_3_10_a_write_of_ip_jumps() {
    // Over the addition; the low three bits are dropped, a predicate of 0 goes on.
    for (flag, want) in [(1, 0), (0, 7)] {
        let text = "(+f0.0) add(1) ip ip 0x00000025UD { align1 WE_all 1N };
            mov(8) g10<1>UD 0x7UD { align1 1Q };
            send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT }";
        let mut bench = Bench::new(8, &code(text));
        bench.set_flag(0, flag);
        bench.run(5).expect("it ends");
        assert_eq!(bench.dword(80), want);
    }
}

#[test]
fn section_3_3_3_9_to_12_counts_dependencies_and_the_clock_are_read_only() {
    let text = "mov(8) g10<1>UW tdr0<8,8,1>UW { align1 WE_all 1Q };
        mov(1) g11<1>UD tm0<0,1,0>UD { align1 WE_all 1N };
        mov(4) g12<1>UD tm0<4,4,1>UD { align1 WE_all 1N };
        mov(1) n0<1>UD 0x7UD { align1 WE_all 1N };
        mov(1) tdr0<1>UW 0x7UW { align1 WE_all 1N };
        mov(1) tm0<1>UD 0x7UD { align1 WE_all 1N };
        mov(1) g13<1>UD n0<0,1,0>UD { align1 WE_all 1N };
        mov(1) sr0.2<1>UD 0x3UD { align1 WE_all 1N };
        mov(8) g14<1>UD 0x7UD { align1 1Q }";
    let mut bench = Bench::new(8, &code(text));
    (80..120).for_each(|n| bench.set_dword(n, 0x55));
    for _ in 0..9 {
        bench.step().expect("an instruction");
    }
    // The bench's clock stands at 0.
    let dwords = |from: usize| std::array::from_fn::<u32, 4, _>(|n| bench.dword(from + n));
    assert_eq!([dwords(80), dwords(96)], [[0; 4]; 2]);
    assert_eq!((bench.dword(88), bench.dword(104)), (0, 0));
    assert_eq!(dwords(112), [7, 7, 0x55, 0x55], "the dispatch mask is written");
}

#[test]
fn section_3_3_3_4_a_message_takes_its_descriptor_from_a0() {
    // A load of one dword a channel: bits 15:0 of the descriptor in a0.0, the others in a0.1.
    let direct = "send(8) g10<1>UD g2<8,8,1>UD 0x02116eff data { align1 1Q }";
    let by_a0 = "mov(1) a0<1>UD 0x02116effUD { align1 WE_all 1N };
        send(8) g10<1>UD g2<8,8,1>UD a0<0,1,0>UD 0x00000200 data { align1 1Q }";
    let run = |text: &str, steps: usize| {
        let mut bench = Bench::new(8, &code(text));
        (0..8).for_each(|n| bench.set_dword(16 + n, 4 * n as u32));
        (0..32).for_each(|n| bench.global.set_byte(n, 3 * n as u8 + 1));
        for _ in 0..steps {
            bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
        }
        std::array::from_fn::<u32, 8, _>(|n| bench.dword(80 + n))
    };
    let want = run(direct, 1);
    assert_ne!(want, [0; 8]);
    assert_eq!(run(by_a0, 2), want);
    let mut bench = Bench::new(8, &code(by_a0));
    bench.step().expect("a0");
    bench.set_address(1, 0);
    assert!(bench.step().expect_err("no such message").contains("message"));
}

#[test]
fn section_3_3_9_6a_and_6b_two_registers_have_an_index_each() {
    // Text; of each half of the destination its dword, of each source half its dword.
    let rows = [
        ("mov(16) g[a0]<1>F g12<8,8,1>F { align1 1H }", [240, 160], [96, 104]),
        ("mov(16) g[a0]<1>F g[a0.2]<8,8,1>F { align1 1H }", [240, 160], [32, 312]),
        ("mov(16) g20<1>F g[a0.2 4]<8,8,1>F { align1 1H }", [160, 168], [33, 313]),
        // A scalar keeps its index, one register has one.
        ("mov(8) g[a0.1]<1>F g[a0.2]<8,8,1>F { align1 1Q }", [160, 164], [32, 36]),
    ];
    for (text, to, from) in rows {
        let mut bench = Bench::new(16, &code(text));
        (0..400).for_each(|n| bench.set_dword(n, n as u32));
        for (n, dword) in [240, 160, 32, 312].into_iter().enumerate() {
            bench.set_address(n, 4 * dword);
        }
        bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
        for half in 0..2 {
            for n in 0..4 {
                assert_eq!(bench.dword(to[half] + n), (from[half] + n) as u32, "{text}: half {half}, {n}");
            }
        }
    }
    let mut bench = Bench::new(16, &code("mov(16) g20<1>F g[a0.2]<0,1,0>F { align1 1H }"));
    bench.set_dword(32, 7);
    bench.set_address(2, 128);
    bench.step().expect("a scalar");
    assert!((160..176).all(|n| bench.dword(n) == 7));
}

#[test]
fn section_2_3_2_alt_mode_has_no_infinities() {
    let max = f32::MAX;
    let unary = |name: &str| format!("math {name}(8) g10<1>F g2<8,8,1>F null<8,8,1>F");
    let binary = |name: &str| format!("{name}(8) g10<1>F g2<8,8,1>F g4<8,8,1>F");
    let rows = [
        (binary("add"), max, max, max),
        (binary("add"), -max, -max, -max),
        (binary("mul"), max, -2.0, -max),
        (binary("add"), f32::INFINITY, f32::NEG_INFINITY, 0.0),
        (binary("mul"), f32::INFINITY, 0.0, 0.0),
        (binary("sel.l"), f32::INFINITY, 1.0, 1.0),
        (unary("inv"), 0.0, 0.0, max),
        (unary("inv"), -0.0, 0.0, -max),
        (unary("log"), 0.0, 0.0, -max),
        (unary("log"), -4.0, 0.0, 2.0),
        (unary("sqrt"), -4.0, 0.0, 2.0),
        (unary("rsq"), -4.0, 0.0, 0.5),
        (unary("rsq"), 0.0, 0.0, max),
        (unary("rsq"), -0.0, 0.0, max),
        (unary("exp"), 200.0, 0.0, max),
        (unary("exp"), -0.0, 0.0, 1.0),
        (unary("sin"), 0.0, 0.0, 0.0),
        (unary("cos"), -0.0, 0.0, 1.0),
        (binary("math pow"), -2.0, 2.0, 4.0),
        (binary("math pow"), 0.0, -2.0, max),
        (binary("math pow"), 0.0, 2.0, 0.0),
        (binary("math pow"), -0.0, 0.0, 1.0),
        ("rndd(8) g10<1>F g2<8,8,1>F".into(), max, 0.0, max),
        ("frc(8) g10<1>F g2<8,8,1>F".into(), max, 0.0, 0.0),
        ("mov(8) g10<1>F g2<8,8,1>F".into(), f32::INFINITY, 0.0, f32::INFINITY),
    ];
    for (text, x, y, want) in rows {
        let mut bench = Bench::new(8, &code(&text));
        for n in 0..8 {
            bench.set_dword(16 + n, x.to_bits());
            bench.set_dword(32 + n, y.to_bits());
        }
        bench.set_control(1);
        bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
        let found = f32::from_bits(bench.dword(80));
        let close = found == want || (found - want).abs() < 1e-5;
        assert!(close, "{text} of {x} and {y}: {found}, not {want}");
    }
    // Doubles have one mode.
    let infinite = f64::INFINITY.to_bits();
    let bench = doubles("add(8) g10<1>DF g12<8,8,1>DF g12<8,8,1>DF { align1 1Q }", [infinite; 8], 1);
    assert_eq!(double(&bench, 0), infinite);
}

#[test]
fn section_6_42_an_indexed_move_takes_each_element_by_its_own_index() {
    // Type, bytes; the elements are bytes of g5 that count up.
    for (kind, size) in [("UB", 1), ("UW", 2), ("UD", 4)] {
        let text = format!("movi(8) g10<1>{kind} g[a0 {size}]<8,8,1>{kind} {{ align1 1Q }}");
        let mut bench = Bench::new(8, &code(&text));
        (0..64).for_each(|n| bench.set_byte(160 + n, n as u8));
        let index = [3usize, 0, 6, 6, 1, 5, 2, 4];
        for (n, i) in index.into_iter().enumerate() {
            bench.set_address(n, (160 + size * i) as u16);
        }
        bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
        for n in 0..8 * size {
            let want = size * (index[n / size] + 1) + n % size;
            assert_eq!(usize::from(bench.byte(320 + n)), want, "{text}: byte {n}");
        }
    }
    // The second half of the register has the indices from a0.4 on.
    let mut bench = Bench::new(8, &code("movi(4) g10.4<1>UD g[a0]<4,4,1>UD { align1 1N }"));
    (0..8).for_each(|n| bench.set_dword(40 + n, n as u32));
    (0..8).for_each(|n| bench.set_address(n, 160 + 4 * (7 - n as u16)));
    bench.step().expect("an indexed move");
    assert_eq!(std::array::from_fn::<u32, 4, _>(|n| bench.dword(84 + n)), [3, 2, 1, 0]);
}
