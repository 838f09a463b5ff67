//! Regions, indirect operands, channels, predicates, special registers: against the bytes they name.

use super::bench::{code, Bench};
use warpsmith_testkit::Random;

/// A thread whose general registers hold the number of each dword, after one instruction.
fn after(text: &str, prepare: impl Fn(&mut Bench)) -> Bench {
    let mut bench = Bench::new(32, &code(text));
    for n in 0..1024 {
        bench.set_dword(n, n as u32);
    }
    prepare(&mut bench);
    bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
    bench
}

/// Dwords from g10 on.
fn result(bench: &Bench, count: usize) -> Vec<u32> {
    (0..count).map(|n| bench.dword(80 + n)).collect()
}

#[test]
fn a_region_reads_the_bytes_of_its_formula() {
    let mut random = Random(1);
    let mut cases = 0;
    while cases < 2000 {
        let (kind, size) = random.pick(&[("UD", 4), ("UW", 2), ("UB", 1)]);
        let exec = random.pick(&[1usize, 2, 4, 8, 16]);
        let width = random.pick(&[1usize, 2, 4, 8, 16]);
        let vertical = random.pick(&[0usize, 1, 2, 4, 8, 16, 32]);
        let horizontal = random.pick(&[0usize, 1, 2, 4]);
        let stride = random.pick(&[1usize, 2, 4]);
        let sub = random.word() as usize % (32 / size);
        let last = (0..exec).map(|i| (i / width) * vertical + i % width * horizontal);
        let end = sub * size + (last.max().unwrap_or(0) + 1) * size;
        if end > 64 || (exec - 1) * stride * size + size > 64 {
            continue;
        }
        // The manual's rules on regions, section 3.3.9: 2A, 2B, 2D, 2E, 2F, 2H; 1B of bytes, which are words inside.
        let row = |r: usize| (sub + r * vertical) * size;
        let crosses = |r: usize| row(r) / 32 != (row(r) + (width - 1) * horizontal * size) / 32;
        if width > exec
            || width == exec && horizontal != 0 && vertical != width * horizontal
            || width == 1 && horizontal != 0
            || exec == 1 && vertical != 0
            || vertical == 0 && horizontal == 0 && width != 1
            || (0..exec / width).any(crosses)
            || size == 1 && stride == 4 && exec != 1
        {
            continue;
        }
        // 3D and 3E: a destination of two registers takes each from one of two, or both from one element.
        let register = |c: usize| (row(c / width) + c % width * horizontal * size) / 32;
        let half = (exec / 2).max(1);
        let halves = half * stride * size == 32 && (0..exec).all(|c| register(c) == c / half + register(0));
        let scalar = vertical == 0 && horizontal == 0;
        if exec * stride * size > 32 && exec > 1 && !halves && !scalar {
            continue;
        }
        let part = if exec < 8 { 'N' } else { "QH".as_bytes()[exec / 16] as char };
        let sub_text = if sub == 0 { String::new() } else { format!(".{sub}") };
        let text = format!(
            "mov({exec}) g10<{stride}>{kind} g2{sub_text}<{vertical},{width},{horizontal}>{kind} \
             {{ align1 1{part} }}"
        );
        let seed = random.word();
        let fill = |bench: &mut Bench| {
            let mut r = Random(seed.into());
            (0..128).for_each(|n| bench.set_byte(64 + n, r.word() as u8));
            (0..64).for_each(|n| bench.set_byte(320 + n, 0xaa));
        };
        let bench = after(&text, fill);
        let mut want = [0xaa; 64];
        for i in 0..exec {
            let from = 64 + sub * size + ((i / width) * vertical + i % width * horizontal) * size;
            for b in 0..size {
                want[i * stride * size + b] = bench.byte(from + b);
            }
        }
        let found: Vec<u8> = (0..64).map(|n| bench.byte(320 + n)).collect();
        assert_eq!(found, want, "{text}");
        cases += 1;
    }
    println!("{cases} regions");
}

#[test]
fn indirect_operands_use_the_address_register() {
    let set = |bench: &mut Bench| {
        for n in 0..8 {
            bench.set_address(n, 128 + 32 * n as u16);
        }
    };
    // One address for all: byte 160 + 8 is dword 42.
    let bench = after("mov(8) g10<1>UD g[a0.1 8]<8,8,1>UD { align1 1Q }", set);
    assert_eq!(result(&bench, 8), (42..50).collect::<Vec<u32>>());
    // An address a row, an address a channel.
    let bench = after("mov(8) g10<1>UD g[a0.2 -4]<VxH,4,1>UD { align1 1Q }", set);
    assert_eq!(result(&bench, 8), [47, 48, 49, 50, 55, 56, 57, 58]);
    let bench = after("mov(8) g10<1>UD g[a0]<VxH,1,0>UD { align1 1Q }", set);
    let want: Vec<u32> = (0..8).map(|n| 32 + 8 * n).collect();
    assert_eq!(result(&bench, 8), want);
    // A destination.
    let bench = after("mov(8) g[a0.3 4]<2>UD g2<8,8,1>UD { align1 1Q }", set);
    let found: Vec<u32> = (0..8).map(|n| bench.dword(57 + 2 * n)).collect();
    assert_eq!(found, (16..24).collect::<Vec<u32>>());
    // Beyond the file.
    let text = "mov(8) g10<1>UD g[a0]<8,8,1>UD { align1 1Q }";
    let mut bench = Bench::new(8, &code(text));
    bench.set_address(0, 4096 - 28);
    assert!(bench.step().is_err());
}

#[test]
fn align16_swizzles_and_masks() {
    let bench = after("mov(8) g10<1>.xzwUD g2<4>.wzyxUD { align16 1Q }", |_| {});
    assert_eq!(result(&bench, 8), [19, 81, 17, 16, 23, 85, 21, 20]);
    // A group for all.
    let bench = after("mov(8) g10<1>UD g2<0>.yUD { align16 1Q }", |_| {});
    assert_eq!(result(&bench, 8), [17; 8]);
    let text = "bfi2(8) g10<1>.yUD g2<4,4,1>UD g4.1<0,1,0>UD g6<4,4,1>.xxxxUD { align16 1Q }";
    let bench = after(text, |_| {});
    let want = |n: u32, x: u32| (16 + n) & 33 | !(16 + n) & x;
    assert_eq!(bench.dword(81), want(1, 48));
    assert_eq!(bench.dword(85), want(5, 52));
    assert_eq!(bench.dword(80), 80);
}

#[test]
fn the_second_half_of_the_channels_has_its_own_flags_and_accumulators() {
    // 2Q: flags and accumulators 8 to 15, elements from 0 on.
    let bench = after("cmp.l.f0.0(8) g10<1>UD g2<8,8,1>UD 0x00000014UD { align1 2Q }", |b| {
        b.set_flag(0, 0xf0f0);
    });
    assert_eq!(bench.flag(0), 0x0ff0);
    let ones = u32::MAX;
    assert_eq!(result(&bench, 8), [ones, ones, ones, ones, 0, 0, 0, 0]);
    let bench = after("add(8) g10<1>UD g2<8,8,1>UD 0x1UD { align1 2Q AccWrEnable }", |_| {});
    assert_eq!((bench.accumulator(0), bench.accumulator(8)), (0, 17));
    let bench = after("mov(8) g10<1>UD acc0<8,8,1>UD { align1 2Q }", |b| {
        (0..16).for_each(|n| b.set_accumulator(n, 500 + n as u64));
    });
    assert_eq!(bench.dword(80), 500);
    let bench = after("mov(8) g10<1>UD acc1<8,8,1>UD { align1 1Q }", |b| {
        (0..16).for_each(|n| b.set_accumulator(n, 500 + n as u64));
    });
    assert_eq!(bench.dword(80), 508);
}

#[test]
fn predicates_gather_flags() {
    let mut random = Random(7);
    let group = |n: usize| 1usize << n;
    let mut cases = 0;
    for _ in 0..300 {
        let flags: [u16; 4] = std::array::from_fn(|_| random.word() as u16);
        let flags = if random.word() % 4 == 0 { [0, 0xffff, 0xf00f, 0xff] } else { flags };
        let at = random.word() as usize % 4;
        let inverted = random.word() % 2 == 0;
        let word = |r: usize| u32::from(flags[2 * r]) | u32::from(flags[2 * r + 1]) << 16;
        let bit = |r: usize, n: usize| word(r) >> ((16 * (at % 2) + n) % 32) & 1 == 1;
        let (how, pick): (String, Box<dyn Fn(usize) -> bool>) = match random.word() % 5 {
            0 => (String::new(), Box::new(|n| bit(at / 2, n))),
            1 => (".anyv".into(), Box::new(|n| word(at / 2) >> n & 0x10001 != 0)),
            2 => (".allv".into(), Box::new(|n| word(at / 2) >> n & 0x10001 == 0x10001)),
            k => {
                let size = group(1 + random.word() as usize % 4);
                let of = move |n: usize| n / size * size..n / size * size + size;
                match k {
                    3 => (format!(".any{size}h"), Box::new(move |n| of(n).any(|m| bit(at / 2, m)))),
                    _ => (format!(".all{size}h"), Box::new(move |n| of(n).all(|m| bit(at / 2, m)))),
                }
            }
        };
        let sign = if inverted { '-' } else { '+' };
        let text = format!("({sign}f{}.{}{how}) mov(16) g10<1>UD 0x7UD {{ align1 1H }}", at / 2, at % 2);
        let bench = after(&text, |b| (0..4).for_each(|n| b.set_flag(n, flags[n])));
        for n in 0..16 {
            let want = if pick(n) != inverted { 7 } else { 80 + n as u32 };
            assert_eq!(bench.dword(80 + n), want, "{text} {flags:x?} {n}");
        }
        cases += 1;
    }
    let bench = after("(+f0.0.z) mov(8) g10<1>UD g2<4>UD { align16 1Q }", |b| {
        b.set_flag(0, 0x40);
    });
    assert_eq!(result(&bench, 8), [80, 81, 82, 83, 20, 21, 22, 23]);
    println!("{cases} predicates");
}

#[test]
fn special_registers_read_and_write() {
    let bench = after("mov(1) f1.1<1>UW 0xbeefUW { align1 WE_all 1N }", |_| {});
    assert_eq!((bench.flag(2), bench.flag(3)), (0, 0xbeef));
    let bench = after("mov(4) g10<1>UD sr0<4,4,1>UD { align1 WE_all 1N }", |_| {});
    assert_eq!(result(&bench, 4), [0, 0, u32::MAX, u32::MAX]);
    let bench = after("mov(1) g10<1>UD ip { align1 WE_all 1N }", |_| {});
    assert_eq!(bench.dword(80), 0);
    let text = "add(8) a0<1>UW g2<16,8,2>UW 0x0020UW { align1 1Q }\n\
                mov(8) g10<1>UW a0<8,8,1>UW { align1 1Q }";
    let mut bench = after(text, |_| {});
    bench.step().expect("a0 reads");
    let want: Vec<u32> = (0..4).map(|n| (48 + 2 * n) | (49 + 2 * n) << 16).collect();
    assert_eq!(result(&bench, 4), want);
    for (text, why) in [
        ("mov(8) acc0<1>UB g2<8,8,1>UB { align1 1Q }", "accumulator of bytes"),
        ("wait(1) n1<1>UD { align1 WE_all 1N }", "n1 or n2"),
    ] {
        let e = Bench::new(8, &code(text)).step().expect_err(text);
        assert!(e.contains(why), "{text}: {e}");
    }
}

#[test]
fn channels_that_do_not_exist_write_nothing_but_with_we_all() {
    for (options, count) in [("1H", 5), ("WE_all 1H", 16)] {
        let text = format!("mov(16) g10<1>UD 0x7UD {{ align1 {options} }}");
        let mut bench = Bench::new(5, &code(&text));
        bench.step().expect("it executes");
        let written = (0..16).filter(|n| bench.dword(80 + n) == 7).count();
        assert_eq!(written, count, "{text}");
    }
}
