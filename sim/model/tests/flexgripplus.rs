//! What the model does in the reading of FlexGripPlus's manual, against its formulas in integers of 64 bits.

use crate::common::reference::Operands;
use warpsmith_isa::{assemble_in, pred_holds, Semantics, Tier};
use warpsmith_model::{Launch, Machine, ModelConfig, Retired};
use warpsmith_testkit::Random;

/// Registers and flag registers of thread 0, and address registers, after a program of one warp.
struct State {
    registers: Vec<u32>,
    flags: [u8; 4],
    address: [u32; 8],
}

fn run(source: &str) -> State {
    let semantics = Semantics::FlexGripPlus;
    let code = assemble_in(Some(semantics), &format!("{source}; NOP.EXIT;"), "t").unwrap_or_else(|e| panic!("{e}"));
    let launch = Launch::from_words("t", code.words);
    let launch = Launch { registers: 16, program: launch.program.clone().read_as(semantics), ..launch };
    let tier = Tier::full().read_as(semantics);
    let mut m = Machine::new(&launch, ModelConfig { tier, ..ModelConfig::default() });
    let block = m.start_block([0, 0]);
    let mut record = Retired::default();
    let mut state = State { registers: vec![], flags: [0; 4], address: [0; 8] };
    while !record.finished {
        m.step(block, 0, &mut record).unwrap_or_else(|e| panic!("{source}: {e}"));
        if let Some(w) = m.warp(block, 0).filter(|w| !w.registers.is_empty()) {
            state.registers = w.registers.iter().map(|lanes| lanes[0]).collect();
            state.flags = [0, 1, 2, 3].map(|c| w.flags[c][0]);
            state.address = [0, 1, 2, 3, 4, 5, 6, 7].map(|a| w.address[a][0]);
        }
    }
    state
}

/// R5 and C0 of an instruction on R2, R3 and R4.
fn of(words: [u32; 3], instruction: &str) -> (u32, u8) {
    let [a, b, c] = words;
    let state = run(&format!("MVI R2, {a:#x}; MVI R3, {b:#x}; MVI R4, {c:#x}; {instruction}"));
    (state.registers[5], state.flags[0])
}

/// Z, S, C and O of `a - b`.
fn difference(a: u32, b: u32) -> u8 {
    let (wrapped, borrow) = a.overflowing_sub(b);
    let (signed, overflow) = (a as i32).overflowing_sub(b as i32);
    assert_eq!(wrapped, signed as u32);
    u8::from(wrapped == 0) | u8::from(signed < 0) << 1 | u8::from(!borrow) << 2 | u8::from(overflow) << 3
}

/// Pairs where rules change, and others.
fn pairs() -> Vec<(u32, u32)> {
    let ends = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff];
    let mut pairs: Vec<(u32, u32)> = ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b))).collect();
    let mut r = Random(26);
    pairs.extend((0..40).map(|_| (r.any(), r.any())));
    pairs
}

#[test]
fn address_registers_take_sums() {
    let state = run("MVI R2, 0x1fff0; R2A A1, R2, 0x123; A2R R5, A1, 0x3ff; R2A A2, R2; A2R R6, A2");
    assert_eq!(state.address[1], 0x0113, "0x1fff0 + 0x123, 16 bits of it");
    assert_eq!(state.registers[5], 0x0113 + 0x3ff);
    assert_eq!((state.address[2], state.registers[6]), (0xfff0, 0xfff0));
    // The sum of a register keeps what an address register would not.
    let state = run("MVI R2, 0xffff; R2A A1, R2; A2R R5, A1, 0x3ff");
    assert_eq!(state.registers[5], 0x103fe);
}

#[test]
fn each_bit_of_the_carry_adds_it_and_the_sign_is_of_the_second_source() {
    for (a, b) in pairs() {
        for carry in [0u32, 1] {
            // C0 of 0 - 1 is clear, of 1 - 0 set.
            let flags = format!("MVI R6, {carry}; MVI R7, {}; IADD.C0 R6, R6, -R7", 1 - carry);
            for (suffix, adds) in [("", false), (".ENABLE.CARRY0", true), (".IN.CARRY0", true), (".CARRY0", true)] {
                for minus in ["", "-"] {
                    let source = format!("{flags}; MVI R2, {a:#x}; MVI R3, {b:#x}; IADD{suffix}.C0 R5, R2, {minus}R3");
                    let state = run(&source);
                    let second = if minus.is_empty() { i64::from(b) } else { -i64::from(b) };
                    let sum = i64::from(a) + second + i64::from(adds && carry == 1);
                    assert_eq!(state.registers[5], sum as u32, "{source}");
                    let zero_sign = u8::from(sum as u32 == 0) | u8::from((sum as i32) < 0) << 1;
                    assert_eq!(state.flags[0] & 3, zero_sign, "{source}");
                    if !minus.is_empty() && !adds {
                        assert_eq!(state.flags[0], difference(a, b), "{source}");
                    }
                }
            }
        }
    }
}

#[test]
fn product_and_third_source_each_have_a_sign() {
    for (a, b) in pairs() {
        let c = a.rotate_left(9) ^ b;
        for (p, m) in [("", ""), ("-", ""), ("", "-"), ("-", "-")] {
            let sign = |s: &str, v: i64| if s.is_empty() { v } else { -v };
            let sum = |product: i64| (sign(p, product) + sign(m, i64::from(c))) as u32;
            let low = |x: u32| i64::from(x & 0xffff);
            let short = |x: u32| i64::from(x as u16 as i16);
            let wide = |x: u32| i64::from(((x << 8) as i32) >> 8);
            let r = |kind: &str, h: &str| of([a, b, c], &format!("IMAD.{kind} R5, {p}R2{h}, R3{h}, {m}R4")).0;
            assert_eq!(r("U16", "L"), sum(low(a) * low(b)), "U16 {a:x} {b:x} {c:x}");
            assert_eq!(r("S16", "L"), sum(short(a) * short(b)), "S16 {a:x} {b:x} {c:x}");
            assert_eq!(r("S24", ""), sum(wide(a) * wide(b)), "S24 {a:x} {b:x} {c:x}");
            assert_eq!(r("HI.S24", ""), sum((wide(a) * wide(b)) >> 16), "HI.S24 {a:x} {b:x} {c:x}");
        }
    }
}

#[test]
fn comparisons_know_the_conditions_on_flags() {
    let names = ["OVERFLOW", "CARRY", "ABOVE", "SIGN", "NOT_SIGN", "BELOW_EQ", "NOT_CARRY", "NOT_OVERFLOW"];
    let codes = [0x10, 0x11, 0x12, 0x13, 0x1c, 0x1d, 0x1e, 0x1f];
    for (a, b) in pairs() {
        for (name, code) in names.into_iter().zip(codes) {
            let holds = |flags| pred_holds(code, flags).map(|h| if h { u32::MAX } else { 0 });
            for signed in ["", ".S32"] {
                let found = of([a, b, 0], &format!("ISET{signed} R5, R2, R3, {name}")).0;
                assert_eq!(Some(found), holds(difference(a, b)), "ISET{signed} {a:x} {b:x} {name}");
            }
            // Of halves the flags are those of 16 bits.
            let [x, y] = [a, b].map(|w| w << 16);
            let found = of([a, b, 0], &format!("MVI R5, 0x0; ISET.U16 R5L, R2L, R3L, {name}")).0;
            assert_eq!(Some(found), holds(difference(x, y)).map(|h| h & 0xffff), "ISET.U16 {a:x} {b:x} {name}");
            let (f, g) = (f32::from_bits(a), f32::from_bits(b));
            let flushed = |f: f32| if f.is_subnormal() { 0.0 } else { f };
            let flags = match flushed(f).partial_cmp(&flushed(g)) {
                None => 3,
                Some(std::cmp::Ordering::Less) => 2,
                Some(std::cmp::Ordering::Equal) => 1,
                Some(std::cmp::Ordering::Greater) => 0,
            };
            let found = of([a, b, 0], &format!("FSET R5, R2, R3, {name}")).0;
            assert_eq!(Some(found), holds(flags), "FSET {f:e} {g:e} {name}");
        }
    }
}

#[test]
fn a_count_in_the_word_has_five_bits() {
    // The bits beyond are ignored: 33 is 1.
    let semantics = Semantics::FlexGripPlus;
    let w = [0x3021_0405u32 + (5 << 2) - 4, 0xc410_0780];
    let i = warpsmith_isa::decode_in(semantics, w[0], w[1]).expect("SHL");
    assert_eq!(warpsmith_isa::text(&i), "SHL R5, R2, 0x1");
    assert_eq!(of([3, 0, 0], "SHL R5, R2, 0x1f").0, 0x8000_0000);
    assert_eq!(of([3, 33, 0], "SHL R5, R2, R3").0, 0, "a register's count is not cut");
}
