//! Semantics of single instructions through encode, decode and machine.

use crate::common;
use common::build::*;
use warpsmith_isa::{
    AddKind, Dst, FloatType, Instr, IntType, LogicOp, MemRef, MemSize, MulKind, Op, Round, Src, Width,
};
use warpsmith_model::{Machine, ModelConfig, Mutant, Retired, RetiredDst};

/// Result and `$c0` flags of thread 0 after an instruction on R2, R3, R4 that writes R5.
fn eval(op: Op, x: &[u32]) -> (u32, u8) {
    let mut program: Vec<Instr> = x.iter().enumerate().map(|(i, v)| mvi(2 + i as u8, *v)).collect();
    let src: Vec<Src> = (0..x.len()).map(|i| Src::Reg(2 + i as u8)).collect();
    program.push(Instr { cdst: Some(0), ..long(op, Dst::Reg(5), &src) });
    program.push(exit());
    let l = launch(&program);
    let mut m = Machine::new(&l, ModelConfig::default());
    let b = m.start_block([0, 0]);
    let mut r = Retired::default();
    let mut out = (0, 0);
    while !r.finished {
        m.step(b, 0, &mut r).unwrap_or_else(|e| panic!("{e}"));
        if let Some(w) = m.warp(b, 0).filter(|w| !w.registers.is_empty()) {
            out = (w.registers[5][0], w.flags[0][0]);
        }
    }
    out
}

fn iadd(kind: AddKind, sat: bool) -> Op {
    Op::IAdd { kind, width: Width::W32, sat }
}

#[test]
fn iadd_saturates_at_the_signed_limits_and_keeps_overflow() {
    assert_eq!(eval(iadd(AddKind::Add, true), &[0x7fff_ffff, 1]), (0x7fff_ffff, 8));
    assert_eq!(eval(iadd(AddKind::Sub, true), &[0x8000_0000, 1]), (0x8000_0000, 0xe));
}

#[test]
fn subtraction_sets_carry_when_there_is_no_borrow() {
    assert_eq!(eval(iadd(AddKind::Sub, false), &[5, 0]), (5, 4));
    assert_eq!(eval(iadd(AddKind::Sub, false), &[0, 1]), (u32::MAX, 2));
    assert_eq!(eval(iadd(AddKind::Subr, false), &[1, 5]), (4, 4));
}

#[test]
fn logic_pass_b_gives_the_second_source_inverted_when_asked() {
    let op = Op::Logic { op: LogicOp::PassB, not_a: false, not_b: true, width: Width::W32 };
    assert_eq!(eval(op, &[1, 0x0f0f_0f0f]), (0xf0f0_f0f0, 2));
}

#[test]
fn imad_uses_the_named_multiplier() {
    let mad = |mul| Op::IMad { kind: AddKind::Add, mul, sat: false };
    let f = 0x00ff_ffff;
    assert_eq!(eval(mad(MulKind::U24), &[f, f, 1]).0, 0xfe00_0002);
    assert_eq!(eval(mad(MulKind::S24), &[f, f, 1]).0, 2);
    assert_eq!(eval(mad(MulKind::HiU24), &[f, f, 0]).0, 0xffff_fe00);
}

#[test]
fn i2i_clamps_to_the_destination() {
    let i2i = |dst, src| Op::I2I { dst, src, neg: false, abs: false };
    assert_eq!(eval(i2i(IntType::S8, IntType::S32), &[300]), (127, 0));
    assert_eq!(eval(i2i(IntType::S8, IntType::S32), &[(-300i32) as u32]), ((-128i32) as u32, 2));
    assert_eq!(eval(i2i(IntType::U32, IntType::S32), &[(-1i32) as u32]), (0, 1));
}

#[test]
fn f2i_truncates_clamps_and_sends_nan_to_zero() {
    let f2i = |dst| Op::F2I { dst, src: FloatType::F32, round: Round::Zero, neg: false, abs: false };
    let f = |x: f32| x.to_bits();
    assert_eq!(eval(f2i(IntType::S32), &[f(1.7)]).0, 1);
    assert_eq!(eval(f2i(IntType::S32), &[f(2147483648.0)]).0, 0x7fff_ffff);
    assert_eq!(eval(f2i(IntType::U32), &[f(-2.0)]), (0, 1));
    assert_eq!(eval(f2i(IntType::S32), &[0x7fc0_0000]), (0, 1));
}

#[test]
fn i2f_carries_into_the_exponent() {
    let i2f = |src| Op::I2F { dst: FloatType::F32, src, round: Round::Nearest, neg: false, abs: false, sat: false };
    assert_eq!(eval(i2f(IntType::S32), &[0x7fff_ffff]).0, 0x4f00_0000);
    assert_eq!(eval(i2f(IntType::U32), &[u32::MAX]).0, 0x4f80_0000);
    assert_eq!(eval(i2f(IntType::S32), &[u32::MAX]), (0xbf80_0000, 2));
}

#[test]
fn fset_is_ordered_and_treats_both_zeros_alike() {
    let fset = |cond| Op::FSet { cond, neg_a: false, abs_a: false, neg_b: false, abs_b: false };
    let nan = 0x7fc0_0000;
    assert_eq!(eval(fset(2), &[0x8000_0000, 0]), (u32::MAX, 2));
    assert_eq!(eval(fset(2), &[nan, nan]), (0, 1));
    assert_eq!(eval(fset(8), &[nan, 0]), (u32::MAX, 2));
}

#[test]
fn half_floats_widen_exactly_and_narrow_with_denormals() {
    use warpsmith_model::num::convert::f2f;
    let widen = |x| f2f(x, FloatType::F16, FloatType::F32, Round::Nearest, false, false, false, false);
    let narrow = |x: f32, r| f2f(x.to_bits(), FloatType::F32, FloatType::F16, r, false, false, false, false);
    for h in 0..0x7c00u32 {
        assert_eq!(narrow(f32::from_bits(widen(h)), Round::Nearest), h);
        assert_eq!(narrow(f32::from_bits(widen(h | 0x8000)), Round::Zero), h | 0x8000);
    }
    assert_eq!(widen(1), (2f32.powi(-24)).to_bits());
    assert_eq!(widen(0x7c00), 0x7f80_0000);
    assert_eq!(widen(0x7c01), 0x7fff_ffff);
    assert_eq!(narrow(65520.0, Round::Nearest), 0x7c00);
    assert_eq!(narrow(65519.0, Round::Nearest), 0x7bff);
    assert_eq!(narrow(1e30, Round::Zero), 0x7bff);
    assert_eq!(narrow(2f32.powi(-33), Round::Up), 1);
    assert_eq!(narrow(2f32.powi(-34), Round::Up), 0);
    assert_eq!(narrow(f32::NAN, Round::Nearest), 0x7fff);
}

/// The rounded result of a host double, when the sum of two floats is exact in a double.
#[test]
fn float_add_and_multiply_agree_with_the_host_on_normal_numbers() {
    use warpsmith_model::num::float;
    let mut random = warpsmith_testkit::Random(1);
    let mut next = || {
        let x = random.bits();
        // Exponents near one another, so that cancellation and alignment both happen.
        ((x >> 20) as u32 & 0x807f_ffff) | ((100 + (x as u32 % 50)) << 23)
    };
    for _ in 0..200_000 {
        let (a, b) = (next(), next());
        let (fa, fb) = (f32::from_bits(a), f32::from_bits(b));
        assert_eq!(float::add(a, b, Round::Nearest), (fa + fb).to_bits(), "{a:08x} + {b:08x}");
        assert_eq!(float::mul(a, b, Round::Nearest), (fa * fb).to_bits(), "{a:08x} * {b:08x}");
    }
}

#[test]
fn a_half_register_write_leaves_the_other_half() {
    let mov = long(Op::Mov { width: Width::W16, lanes: 15 }, Dst::Half(2 * 2 + 1), &[Src::Half(2 * 3)]);
    let m = run(&launch(&[
        mvi(2, 0x1111_2222),
        mvi(3, 0x3333_4444),
        mov,
        shl(1, 0, 2),
        exiting(store(1, 2, MemSize::B32)),
    ]));
    assert_eq!(memory(&m, 0, 2), vec![0x4444_2222; 2]);
}

#[test]
fn a_quad_move_writes_only_the_named_lanes() {
    let mov = long(Op::Mov { width: Width::W32, lanes: 0b0101 }, Dst::Reg(2), &[Src::Reg(3)]);
    let m = run(&launch(&[mvi(2, 1), mvi(3, 2), mov, shl(1, 0, 2), exiting(store(1, 2, MemSize::B32))]));
    assert_eq!(memory(&m, 0, 8), [2, 1, 2, 1, 2, 1, 2, 1]);
}

#[test]
fn an_add_with_carry_reads_the_flag_register_of_its_predicate_field() {
    // 0xffffffff + 1 sets carry in $c2; 0 + 0 + carry = 1 where the long form names $c2.
    let first = Instr { cdst: Some(2), ..arith(AddKind::Add, 4, 2, 3) };
    let mut second = arith(AddKind::Addc, 5, 8, 8);
    second.pred.creg = 2;
    let m = run(&launch(&[
        mvi(2, u32::MAX),
        mvi(3, 1),
        mvi(8, 0),
        first,
        second,
        shl(1, 0, 2),
        exiting(store(1, 5, MemSize::B32)),
    ]));
    assert_eq!(memory(&m, 0, 1), [1]);
}

#[test]
fn stores_of_several_threads_to_one_word_leave_the_highest() {
    let m = run(&launch(&[mvi(1, 64), exiting(store(1, 0, MemSize::B32))]));
    assert_eq!(m.global().word(64), 31);
}

#[test]
fn sub_word_accesses_extend_and_store_their_low_bits() {
    let mut l = launch(&[
        mvi(1, 3),
        load(2, 1, MemSize::S8),
        mvi(1, 2),
        load(3, 1, MemSize::U16),
        load(4, 1, MemSize::S16),
        mvi(5, 16),
        store(5, 2, MemSize::B32),
        mvi(5, 20),
        store(5, 3, MemSize::B32),
        mvi(5, 24),
        store(5, 4, MemSize::B32),
        mvi(5, 29),
        exiting(store(5, 4, MemSize::U8)),
    ]);
    l.globals.push(warpsmith_model::launch::GlobalSection::new(0, vec![0, 0, 0x34, 0x92]));
    let m = run(&l);
    assert_eq!(memory(&m, 16, 4), [0xffff_ff92, 0x9234, 0xffff_9234, 0x3400]);
}

#[test]
fn wide_accesses_move_consecutive_registers() {
    let mut l = launch(&[
        mvi(1, 16),
        load(4, 1, MemSize::B128),
        mvi(2, 32),
        store(2, 6, MemSize::B64),
        mvi(2, 48),
        exiting(store(2, 4, MemSize::B128)),
    ]);
    l.globals.push(warpsmith_model::launch::GlobalSection::new(16, (1..=16).collect()));
    let m = run(&l);
    let w = memory(&m, 16, 4);
    assert_eq!(memory(&m, 48, 4), w);
    assert_eq!(memory(&m, 32, 2), w[2..]);
}

/// Thread t: `$a1` = 4 * t.
fn a1() -> Instr {
    long(Op::R2A { shift: 2 }, Dst::Addr(1), &[Src::Reg(0)])
}

#[test]
fn shared_stores_and_operands_use_the_address_register() {
    let through = |offset, post_inc| MemRef { areg: 1, offset, post_inc, size: MemSize::B32 };
    let mut read = add(2, 0, 8);
    read.src[0] = Src::Shared(MemRef { offset: 64, ..through(64, false) });
    let mut walk = add(3, 0, 8);
    walk.src[0] = Src::Shared(through(32, true));
    let mut l = launch(&[
        a1(),
        mvi(8, 0),
        shl(1, 0, 2),
        long(Op::StShared { at: through(64, false), unlock: false }, Dst::None, &[Src::Reg(0)]),
        read,
        // Post-increment reads at $a1 itself, then $a1 += 32.
        walk,
        long(Op::A2R, Dst::Reg(4), &[Src::Addr(1)]),
        store(1, 2, MemSize::B32),
        mvi(5, 128),
        add(5, 5, 1),
        store(5, 4, MemSize::B32),
        mvi(5, 256),
        add(5, 5, 1),
        exiting(store(5, 3, MemSize::B32)),
    ]);
    l.shared_bytes = 192;
    let m = run(&l);
    assert_eq!(memory(&m, 0, 32), (0..32).collect::<Vec<u32>>());
    assert_eq!(memory(&m, 128, 32), (0..32).map(|t| 32 + 4 * t).collect::<Vec<u32>>());
    // Words 1 and 2 of the header hold ntid.y | ntid.z << 16 and nctaid.
    assert_eq!(memory(&m, 256, 4)[..3], [32 << 16, 1 | (1 << 16), 1 | (1 << 16)]);
    assert_eq!(m.global().word(256 + 4 * 16), 0, "s[0x40] is thread 0's word");
    assert_eq!(m.global().word(256 + 4 * 17), 1);
}

#[test]
fn local_memory_is_private_to_each_thread() {
    let mut l = launch(&[
        long(Op::StLocal { at: at(4, MemSize::B32) }, Dst::None, &[Src::Reg(0)]),
        long(Op::LdLocal { at: at(4, MemSize::B32) }, Dst::Reg(2), &[]),
        shl(1, 0, 2),
        exiting(store(1, 2, MemSize::B32)),
    ]);
    l.local_bytes = 8;
    l.block = [64, 1, 1];
    assert_eq!(memory(&run(&l), 0, 64), (0..64).collect::<Vec<u32>>());
}

#[test]
fn parameters_and_block_index_lie_in_the_header() {
    let mut param = add(2, 0, 8);
    param.src[0] = Src::Shared(at(0x10, MemSize::B32));
    let mut index = add(3, 0, 8);
    index.src[0] = Src::Shared(at(0xc, MemSize::B32));
    let mut l = launch(&[mvi(8, 0), param, index, exiting(store(2, 3, MemSize::B32))]);
    l.grid = [1, 2];
    l.params = vec![0x40];
    l.shared_bytes = 20;
    let m = run(&l);
    // ctaid.x 0, ctaid.y 1 in the upper half: the second block stored last.
    assert_eq!(m.global().word(0x40), 1 << 16);
}

#[test]
fn the_record_names_destination_values_and_flags() {
    let l = launch(&[Instr { cdst: Some(3), ..add(2, 0, 0) }, exiting(store(1, 2, MemSize::B32))]);
    let mut m = Machine::new(&l, ModelConfig::default());
    let b = m.start_block([0, 0]);
    let mut r = Retired::default();
    m.step(b, 0, &mut r).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(r.dst, RetiredDst::Gpr { first: 2, count: 1 });
    assert_eq!((r.pc, r.next_pc, r.long), (0, 8, true));
    assert_eq!(r.values[0][31], 62);
    assert_eq!((r.flags, r.flag_values[0], r.flag_values[1]), (Some(3), 1, 0));
    m.step(b, 0, &mut r).unwrap_or_else(|e| panic!("{e}"));
    assert!(r.finished && r.mem.is_some());
    assert_eq!((r.data[0][5], r.address[5], r.dst), (10, 0, RetiredDst::None));
    assert!(m.step(b, 0, &mut r).is_err(), "a finished warp cannot step");
}

#[test]
fn a_mutant_with_swapped_subtraction_gives_another_result() {
    let l = launch(&[mvi(2, 7), shl(1, 0, 2), arith(AddKind::Sub, 3, 2, 0), exiting(store(1, 3, MemSize::B32))]);
    let result = |mutant| {
        let mut m = Machine::new(&l, ModelConfig { mutant, ..ModelConfig::default() });
        m.run(100).unwrap_or_else(|e| panic!("{e}"));
        m.global().word(4)
    };
    assert_eq!(result(None), 6);
    assert_eq!(result(Some(Mutant::SwapSubtract)), (-6i32) as u32);
}
