//! Each trap cause, where it is recorded, and that the instruction had no effect.

use crate::common;
use common::build::*;
use warpsmith_isa::{decode, AddKind, Dst, Instr, MemRef, MemSize, Op, Src, Width};
use warpsmith_model::{Launch, Machine, ModelConfig, RunError, Space, TrapCause};

const LTU: u8 = 0x09;

fn raw(words: Vec<u32>) -> Launch {
    Launch::from_words("test", words)
}

#[test]
fn an_undefined_encoding_traps_as_illegal() {
    // Control operation 14 has no row.
    let t = trap(&raw(vec![0xe000_0003, 0x0000_0780]));
    assert_eq!((t.cause, t.pc), (TrapCause::Illegal, 0));
}

#[test]
fn an_undefined_condition_code_traps_as_illegal() {
    let [w0, w1] = words(&nop());
    let mut add_words = words(&add(1, 2, 3));
    add_words[1] = (add_words[1] & !(0x1f << 7)) | (0x14 << 7);
    let t = trap(&raw(vec![w0, w1, add_words[0], add_words[1]]));
    assert_eq!((t.cause, t.pc), (TrapCause::Illegal, 8));
}

#[test]
fn an_output_register_destination_traps_as_illegal() {
    let mut w = words(&add(5, 2, 3));
    w[1] |= 1 << 3;
    assert_eq!(trap(&raw(w.to_vec())).cause, TrapCause::Illegal);
}

#[test]
fn a_texture_instruction_traps_as_unimplemented() {
    assert_eq!(trap(&raw(vec![0xf000_0001, 0x0000_0784])).cause, TrapCause::Unimplemented);
}

#[test]
fn a_long_instruction_off_its_alignment_traps() {
    let [w0, w1] = words(&nop());
    // MOV32 R1, R0 is short; the long word after it lies at byte 4.
    let t = trap(&raw(vec![0x1000_8004, w0, w1, 0]));
    assert_eq!((t.cause, t.pc), (TrapCause::MisalignedLong, 4));
}

#[test]
fn running_off_the_program_traps_as_fetch() {
    let t = trap(&launch(&[nop(), nop()]));
    assert_eq!((t.cause, t.pc), (TrapCause::Fetch, 16));
}

#[test]
fn a_misaligned_access_names_the_lowest_thread() {
    // R1 = 4 * tid, plus 2 for threads from 8 on.
    let t = trap(&launch(&[
        shl(1, 0, 2),
        mvi(2, 8),
        mvi(3, 2),
        compare(0, 2),
        when(LTU, flow(Op::Bra { target: 8 * 6 })),
        add(1, 1, 3),
        load(4, 1, MemSize::B32),
        exit(),
    ]));
    // The taken side, threads 0 to 7, runs first and exits.
    assert_eq!((t.cause, t.lane, t.pc), (TrapCause::MisalignedAccess, 8, 48));
}

#[test]
fn an_out_of_range_access_names_space_and_limit() {
    let t = trap(&launch(&[shl(1, 0, 12), load(4, 1, MemSize::B32), exit()]));
    assert_eq!((t.cause, t.lane), (TrapCause::OutOfRange, 16));
    let a = t.access.expect("the access is recorded");
    assert_eq!((a.space, a.address, a.limit), (Space::Global, 65536, 65536));
    let text = t.to_string();
    assert!(text.contains("lane 16") && text.contains("global memory"), "{text}");
}

#[test]
fn misalignment_is_found_before_the_range() {
    let t = trap(&launch(&[mvi(1, 65537), load(4, 1, MemSize::B32), exit()]));
    assert_eq!(t.cause, TrapCause::MisalignedAccess);
}

#[test]
fn a_trapping_store_writes_nothing() {
    let l = launch(&[shl(1, 0, 12), store(1, 1, MemSize::B32), exit()]);
    let mut m = Machine::new(&l, ModelConfig::default());
    assert!(matches!(m.run(100), Err(RunError::Trap(_))));
    assert_eq!(m.global().word(4096), 0);
    assert_eq!(m.stats().warp_instructions, 1, "the store did not retire");
}

#[test]
fn a_shared_operand_beyond_the_block_traps() {
    let mut i = add(1, 0, 0);
    i.src[0] = Src::Shared(at(16, MemSize::B32));
    let t = trap(&launch(&[i, exit()]));
    assert_eq!(t.cause, TrapCause::OutOfRange);
    let a = t.access.expect("the access is recorded");
    assert_eq!((a.space, a.limit), (Space::Shared, 16));
}

#[test]
fn a_constant_beyond_what_was_loaded_traps() {
    let i = long(Op::LdConst, Dst::Reg(1), &[Src::Const { bank: 1, at: at(4, MemSize::B32) }]);
    let t = trap(&launch(&[i, exit()]));
    assert_eq!(t.access.map(|a| a.space), Some(Space::Constant(1)));
}

#[test]
fn threads_predicated_off_access_nothing() {
    let m = run(&launch(&[mvi(1, 0x7fff_fff0), when(0, load(2, 1, MemSize::B32)), exit()]));
    assert_eq!(m.trap(), None);
}

#[test]
fn a_push_on_a_full_stack_traps_as_overflow() {
    let l = launch(&[flow(Op::Ssy { target: 0 }), flow(Op::Bra { target: 0 })]);
    let mut m = Machine::new(&l, ModelConfig { stack_depth: 5, ..ModelConfig::default() });
    let Err(RunError::Trap(t)) = m.run(1000) else {
        panic!("no trap");
    };
    assert_eq!(t.cause, TrapCause::StackOverflow);
    assert_eq!(m.stats().warp_instructions, 10);
}

#[test]
fn a_divergent_branch_on_a_full_stack_traps_and_a_uniform_one_does_not() {
    let l = launch(&[
        mvi(2, 16),
        compare(0, 2),
        flow(Op::Bra { target: 24 }),
        when(LTU, flow(Op::Bra { target: 32 })),
        exit(),
    ]);
    let mut m = Machine::new(&l, ModelConfig { stack_depth: 0, ..ModelConfig::default() });
    let Err(RunError::Trap(t)) = m.run(1000) else {
        panic!("no trap");
    };
    assert_eq!((t.cause, t.pc), (TrapCause::StackOverflow, 24));
}

#[test]
fn a_join_with_an_empty_stack_traps_before_its_instruction() {
    let l = launch(&[joining(store(3, 0, MemSize::B32)), exit()]);
    let t = trap(&l);
    assert_eq!(t.cause, TrapCause::StackUnderflow);
}

#[test]
fn trap_traps_always_and_bpt_under_its_predicate() {
    assert_eq!(trap(&launch(&[flow(Op::Trap)])).cause, TrapCause::Trap);
    assert_eq!(trap(&launch(&[flow(Op::Bpt), exit()])).cause, TrapCause::Trap);
    assert_eq!(run(&launch(&[when(0, flow(Op::Bpt)), exit()])).trap(), None);
}

#[test]
fn a_write_beyond_the_allocation_traps_even_when_predicated_off() {
    for i in [add(16, 0, 0), when(0, add(16, 0, 0)), load(15, 1, MemSize::B64), load(13, 1, MemSize::B128)] {
        let t = trap(&launch(&[i, exit()]));
        assert_eq!(t.cause, TrapCause::Register);
    }
}

#[test]
fn registers_beyond_the_allocation_read_zero() {
    let m =
        run(&launch(&[shl(1, 0, 2), add(2, 124, 124), mvi(3, 1), add(2, 2, 3), exiting(store(1, 2, MemSize::B32))]));
    assert_eq!(memory(&m, 0, 32), vec![1; 32]);
}

#[test]
fn a_wide_access_is_aligned_to_its_whole_size() {
    let t = trap(&launch(&[mvi(1, 8), load(4, 1, MemSize::B128), exit()]));
    assert_eq!(t.cause, TrapCause::MisalignedAccess);
}

#[test]
fn local_memory_ends_at_its_allocation() {
    let mut l = launch(&[
        long(
            Op::StLocal { at: MemRef { areg: 0, offset: 8, post_inc: false, size: MemSize::B32 } },
            Dst::None,
            &[Src::Reg(0)],
        ),
        exit(),
    ]);
    l.local_bytes = 8;
    assert_eq!(trap(&l).access.map(|a| a.space), Some(Space::Local));
    l.local_bytes = 12;
    assert_eq!(run(&l).trap(), None);
}

#[test]
fn the_discard_drops_the_result_and_keeps_the_flags() {
    let discard = Instr {
        dst: Dst::Discard,
        cdst: Some(1),
        ..long(Op::IAdd { kind: AddKind::Sub, width: Width::W32, sat: false }, Dst::None, &[Src::Reg(0), Src::Reg(0)])
    };
    let mut read = long(Op::C2R, Dst::Reg(2), &[Src::Cc(1)]);
    // Source and guard share the field.
    read.pred.creg = 1;
    let m = run(&launch(&[discard, read, shl(1, 0, 2), exiting(store(1, 2, MemSize::B32))]));
    // Zero and carry: no borrow.
    assert_eq!(memory(&m, 0, 32), vec![5; 32]);
}

#[test]
fn random_words_trap_or_run_but_never_panic() {
    let mut random = warpsmith_testkit::Random(42);
    let mut next = || random.word();
    let (mut retired, mut trapped) = (0, 0);
    for round in 0..5_000u32 {
        let mut words = Vec::new();
        // Even rounds: long instructions that may execute. Odd rounds: anything.
        while words.len() < 24 {
            let (w0, w1) = (next(), next());
            let (w0, w1) = if round % 2 == 0 { ((w0 & !2) | 1, (w1 & !0xf83) | 0x780) } else { (w0, w1) };
            let executes = decode(w0, w1).is_ok_and(|i| {
                !matches!(i.dst, Dst::Out(_))
                    && !matches!(i.op, Op::Unsupported | Op::LdShared { .. } | Op::Atomic { .. } | Op::Vote { .. })
            });
            if executes || round % 2 == 1 {
                words.extend([w0, w1]);
            }
        }
        let mut l = Launch::from_words("random", words);
        l.registers = 128;
        l.shared_bytes = 4096;
        l.local_bytes = 256;
        l.global_bytes = 1 << 32;
        l.block = [40, 1, 1];
        for bank in 0..16 {
            l.constants.push(warpsmith_model::launch::ConstantSection::new(bank, 0, vec![round as u8; 4096]));
        }
        let mut m = Machine::new(
            &l,
            ModelConfig {
                // Zeroed state lets memory operands hit; a pattern exercises the arithmetic.
                fill: (round % 4 < 2).then_some(u64::from(round)),
                ..ModelConfig::default()
            },
        );
        trapped += matches!(m.run(200), Err(RunError::Trap(_))) as u32;
        retired += m.stats().warp_instructions;
    }
    assert!(retired > 5_000 && trapped > 1_000, "{retired} retired, {trapped} trapped");
}
