//! Operations over the lanes of a SIMD-group and of quads, special registers.

use super::Bench;

/// Lane l holds l * l + 1 in r1, the lanes of `active` execute.
fn executed(text: &str, active: u32) -> Vec<u64> {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r1", l, (l * l + 1) as u64);
        bench.set("r2", l, 0xdead);
        bench.set("r3l", l, l as u64 & 1);
    }
    let step = bench.step(&super::code(text), active);
    step.unwrap_or_else(|e| panic!("{text}: {}", e.cause));
    (0..32).map(|l| bench.get("r2", l)).collect()
}

/// Checks each lane of a mask; the others keep what they had.
fn check(text: &str, active: u32, wanted: impl Fn(usize) -> u64) {
    for (l, got) in executed(text, active).into_iter().enumerate() {
        let wanted = if active >> l & 1 == 1 { wanted(l) } else { 0xdead };
        assert_eq!(got, wanted, "{text}, lane {l} of {active:#x}");
    }
}

const SOME: u32 = 0xf0f3_5a5e;

fn values(active: u32, lanes: std::ops::Range<usize>) -> impl Iterator<Item = u64> {
    lanes.filter(move |l| active >> l & 1 == 1).map(|l| (l * l + 1) as u64)
}

#[test]
fn folds_take_the_active_lanes() {
    for active in [u32::MAX, SOME, 1 << 31] {
        let all = |_: usize| values(active, 0..32);
        let quad = |l: usize| values(active, l & 28..(l & 28) + 4);
        let below = |l: usize| values(active, 0..l);
        check("simd_iadd r2, r1", active, |l| all(l).sum());
        check("simd_and r2, r1", active, |l| all(l).fold(0xffff_ffff, |a, b| a & b));
        check("simd_or r2, r1", active, |l| all(l).fold(0, |a, b| a | b));
        check("simd_xor r2, r1", active, |l| all(l).fold(0, |a, b| a ^ b));
        check("simd_min.u r2, r1", active, |l| all(l).min().unwrap_or(0));
        check("simd_max.s r2, r1", active, |l| all(l).max().unwrap_or(0));
        check("simd_prefix_iadd r2, r1", active, |l| below(l).sum());
        check("simd_prefix_max.u r2, r1", active, |l| below(l).max().unwrap_or(0));
        check("simd_prefix_min.s r2, r1", active, |l| below(l).min().unwrap_or(0x7fff_ffff));
        check("simd_prefix_and r2, r1", active, |l| below(l).fold(0xffff_ffff, |a, b| a & b));
        check("quad_iadd r2, r1", active, |l| quad(l).sum());
        check("quad_max.u r2, r1", active, |l| quad(l).max().unwrap_or(0));
        check("quad_prefix_iadd r2, r1", active, |l| values(active, l & 28..l).sum());
    }
}

#[test]
fn folds_of_floats_round_in_every_step() {
    let mut bench = Bench::new();
    let mut x = Vec::new();
    for l in 0..32 {
        let v = 1.0f32 + l as f32 * 0.1;
        x.push(v);
        bench.set("r1", l, v.to_bits().into());
    }
    let bits = |v: f32| u64::from(v.to_bits());
    bench.run("simd_fadd r2, r1");
    assert_eq!(bench.get("r2", 7), bits(x.iter().skip(1).fold(x[0], |a, b| a + b)));
    bench.run("quad_fmul r2, r1");
    assert_eq!(bench.get("r2", 5), bits(((x[4] * x[5]) * x[6]) * x[7]));
    bench.run("simd_prefix_fmul r2, r1");
    assert_eq!(bench.get("r2", 0), bits(1.0));
    assert_eq!(bench.get("r2", 3), bits((x[0] * x[1]) * x[2]));
    bench.run("simd_prefix_fadd r2, r1");
    assert_eq!((bench.get("r2", 0), bench.get("r2", 1)), (0, bits(x[0])));
    bench.run("simd_min.f r2, r1");
    assert_eq!(bench.get("r2", 31), bits(x[0]));
    bench.run("dfdx r2, r1");
    assert_eq!((bench.get("r2", 4), bench.get("r2", 5)), (bits(x[5] - x[4]), bits(x[5] - x[4])));
    bench.run("dfdy r2, r1");
    assert_eq!((bench.get("r2", 1), bench.get("r2", 3)), (bits(x[3] - x[1]), bits(x[3] - x[1])));
    // 16 bits are brought to 32 after the fold.
    bench.run("simd_max.f r2, r1h");
    let greatest = (x[31].to_bits() >> 16) as u16;
    assert_eq!(bench.get("r2", 0), bits(half(greatest)));
}

/// The value of a normal positive f16.
fn half(h: u16) -> f32 {
    f32::from_bits((u32::from(h >> 10) + 112) << 23 | u32::from(h & 0x3ff) << 13)
}

#[test]
fn quads_shuffle() {
    let at = |l: usize| (l * l + 1) as u64;
    check("quad_shuffle r2, r1, 2", SOME, |l| at(l & 28 | 2));
    check("quad_shuffle_down r2, r1, 1", SOME, |l| at(if l & 3 == 3 { l } else { l + 1 }));
    check("quad_shuffle_up r2, r1, 2", SOME, |l| at(if l & 3 < 2 { l } else { l - 2 }));
    check("quad_shuffle_rotate_up r2, r1, 1", SOME, |l| at(l & 28 | (l + 3) & 3));
    check("quad_shuffle_xor r2, r1, 3", SOME, |l| at(l ^ 3));
}

#[test]
fn quad_ballots_begin_with_the_quad() {
    let odd = SOME & 0xaaaa_aaaa;
    check("icmp_quad_ballot r2, ueq, r3l, 1", SOME, |l| u64::from(odd >> (l & 28)));
    check("icmp_ballot r2, ueq, r3l, 1", SOME, |_| odd.into());
}

#[test]
fn special_registers_tell_place_and_activity() {
    let text = "
        get_sr r2, sr48
        get_sr r3, sr49
        get_sr r4, sr51
        get_sr r5, sr53
        get_sr r6, sr80
        get_sr r7, sr81
        get_sr r8, sr52
        get_sr r9, sr59
        get_sr r10, sr58
        get_sr r11, sr5
        get_sr r12, sr1
        get_sr r13, sr60
        get_sr r14l, sr63
        imadd r1, r7, u2, r6
        bfi r1, 0, r1, 2
        bfi r1, 0, r1, 2
        device_store 0, i32, xyzw, r2_r3_r4_r5, u0_u1, r1, unsigned, 0
        iadd r1, r1, 4
        device_store 0, i32, xyzw, r6_r7_r8_r9, u0_u1, r1, unsigned, 0
        iadd r1, r1, 4
        device_store 0, i32, xyzw, r10_r11_r12_r13, u0_u1, r1, unsigned, 0
        iadd r1, r1, 4
        device_store 0, i32, x, r14, u0_u1, r1, unsigned, 0
        stop";
    let launch = warpsmith_model::Launch {
        grid: [2, 2],
        block: [7, 5, 1],
        params: vec![0, 0, 14],
        global_bytes: 1 << 16,
        ..warpsmith_model::Launch::from_code(warpsmith_isa::Isa::G13, super::code(text))
    };
    let mut machine = super::Machine::new(&super::Model, &launch, 0);
    machine.run(1000).unwrap_or_else(|e| panic!("{e}"));
    for (x, y) in (0..140).map(|i| (i % 14, i / 14)) {
        let (tx, ty) = (x % 7, y % 5);
        let linear = 7 * ty + tx;
        let (group, lane) = (linear / 32, linear % 32);
        let active = if group == 0 { 32 } else { 3 };
        let wanted = [tx, ty, linear, group, x, y, lane, active, lane, 5, y / 5, 0, 1];
        let word = |n: u32| machine.global().word((y * 14 + x) * 64 + 4 * n);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(word), wanted, "{x} {y}");
    }
}
