//! Divergent programs: nested regions, loops, calls, exits, barriers, partial warps.

use crate::common;
use common::build::*;
use warpsmith_isa::{Instr, MemSize, Op};
use warpsmith_model::{thread_id, Machine, ModelConfig, Retired};

const EQU: u8 = 0x0a;
const NE: u8 = 0x05;
const LTU: u8 = 0x09;

/// R1 = R0 * 4: every thread's own word.
fn address() -> Instr {
    shl(1, 0, 2)
}

#[test]
fn both_sides_of_a_branch_run_and_rejoin() {
    // Threads below 16 add 100, the others 200, everybody adds 1 after the join.
    let m = run(&launch(&[
        address(),
        mvi(2, 16),
        compare(0, 2),
        mvi(3, 0),
        flow(Op::Ssy { target: 8 * 9 }),
        when(LTU, flow(Op::Bra { target: 8 * 8 })),
        mvi(3, 200),
        flow(Op::Bra { target: 8 * 9 }),
        mvi(3, 100),
        join(),
        mvi(4, 1),
        add(3, 3, 4),
        exiting(store(1, 3, MemSize::B32)),
    ]));
    let want: Vec<u32> = (0..32).map(|t| if t < 16 { 101 } else { 201 }).collect();
    assert_eq!(memory(&m, 0, 32), want);
}

#[test]
fn nested_regions_rejoin_innermost_first() {
    // Outer split at 16, inner split of the lower half at 8; R5 counts joins executed.
    let m = run(&launch(&[
        address(),                                   // 0
        mvi(2, 16),                                  // 1
        mvi(6, 8),                                   // 2
        mvi(7, 1),                                   // 3
        mvi(5, 0),                                   // 4
        flow(Op::Ssy { target: 8 * 14 }),            // 5
        compare(0, 2),                               // 6
        when(LTU, flow(Op::Bra { target: 8 * 9 })),  // 7
        flow(Op::Bra { target: 8 * 14 }),            // 8: upper half
        flow(Op::Ssy { target: 8 * 13 }),            // 9: lower half
        compare(0, 6),                               // 10
        when(LTU, flow(Op::Bra { target: 8 * 13 })), // 11
        add(5, 5, 7),                                // 12: threads 8..15 only
        joining(add(5, 5, 7)),                       // 13: inner join, once for each of 0..15
        joining(add(5, 5, 7)),                       // 14: outer join, once for each thread
        exiting(store(1, 5, MemSize::B32)),          // 15
    ]));
    let want: Vec<u32> = (0..32)
        .map(|t| match t {
            0..=7 => 2,
            8..=15 => 3,
            _ => 1,
        })
        .collect();
    assert_eq!(memory(&m, 0, 32), want);
}

#[test]
fn threads_leave_a_loop_one_by_one_and_continue_together() {
    // Thread t breaks after t + 1 rounds; after the loop one instruction stores for all.
    let l = launch(&[
        address(),
        mvi(3, 0),
        mvi(4, 1),
        flow(Op::Pbk { target: 8 * 8 }),
        compare(3, 0),
        add(3, 3, 4),
        when(EQU, flow(Op::Brk)),
        flow(Op::Bra { target: 8 * 4 }),
        exiting(store(1, 3, MemSize::B32)),
    ]);
    let mut m = Machine::new(&l, ModelConfig::default());
    let b = m.start_block([0, 0]);
    let mut r = Retired::default();
    let mut stores = 0;
    while !r.finished {
        m.step(b, 0, &mut r).unwrap_or_else(|e| panic!("{e}"));
        stores += r.mem.is_some() as u32;
    }
    assert_eq!(stores, 1, "the warp is whole again after the loop");
    assert_eq!(memory(&m, 0, 32), (1..=32).collect::<Vec<u32>>());
}

#[test]
fn a_divergent_return_waits_for_the_other_threads() {
    // In the routine even threads (R2 = 0) return early, odd threads add 10 first.
    let l = launch(&[
        address(),                                   // 0
        mvi(3, 1),                                   // 1
        mvi(4, 10),                                  // 2
        mvi(5, 0),                                   // 3
        shl(2, 0, 31),                               // 4: non-zero for odd threads
        flow(Op::Cal { target: 8 * 8, lim: false }), // 5
        add(5, 5, 3),                                // 6
        exiting(store(1, 5, MemSize::B32)),          // 7
        compare(2, 6),                               // 8: R6 reads 0
        when(EQU, flow(Op::Ret)),                    // 9
        add(5, 5, 4),                                // 10
        flow(Op::Ret),                               // 11
    ]);
    let m = run(&l);
    let want: Vec<u32> = (0..32).map(|t| if t % 2 == 1 { 11 } else { 1 }).collect();
    assert_eq!(memory(&m, 0, 32), want);
}

#[test]
fn exit_in_one_side_leaves_the_other_running() {
    let m = run(&launch(&[
        address(),
        mvi(2, 16),
        compare(0, 2),
        mvi(3, 7),
        flow(Op::Ssy { target: 8 * 8 }),
        when(LTU, flow(Op::Bra { target: 8 * 7 })),
        flow(Op::Bra { target: 8 * 8 }),
        exiting(store(1, 3, MemSize::B32)), // 7: threads 0..15 end here
        join(),                             // 8
        mvi(3, 9),
        exiting(store(1, 3, MemSize::B32)),
    ]));
    let want: Vec<u32> = (0..32).map(|t| if t < 16 { 7 } else { 9 }).collect();
    assert_eq!(memory(&m, 0, 32), want);
}

#[test]
fn survivors_of_an_exit_resume_after_the_join_they_executed() {
    // The taken side joins first, the other side exits: nobody pops the joinat entry by `.S`.
    let m = run(&launch(&[
        address(),                                  // 0
        mvi(2, 16),                                 // 1
        mvi(4, 1),                                  // 2
        mvi(3, 0),                                  // 3
        compare(0, 2),                              // 4
        flow(Op::Ssy { target: 8 * 8 }),            // 5
        when(LTU, flow(Op::Bra { target: 8 * 8 })), // 6
        exiting(store(1, 2, MemSize::B32)),         // 7: threads 16..31 end here
        joining(add(3, 3, 4)),                      // 8: once for 0..15
        exiting(store(1, 3, MemSize::B32)),         // 9
    ]));
    let want: Vec<u32> = (0..32).map(|t| if t < 16 { 1 } else { 16 }).collect();
    assert_eq!(memory(&m, 0, 32), want);
}

#[test]
fn predicated_top_level_return_ends_only_its_threads() {
    let m = run(&launch(&[
        address(),
        mvi(2, 5),
        compare(0, 2),
        when(LTU, flow(Op::Ret)),
        store(1, 2, MemSize::B32),
        flow(Op::Ret),
    ]));
    let want: Vec<u32> = (0..32).map(|t| if t < 5 { 0 } else { 5 }).collect();
    assert_eq!(memory(&m, 0, 32), want);
}

#[test]
fn a_partial_warp_runs_only_its_threads() {
    let mut l = launch(&[address(), mvi(2, 1), exiting(store(1, 2, MemSize::B32))]);
    l.block = [37, 1, 1];
    let m = run(&l);
    let words = memory(&m, 0, 64);
    assert!(words[..37].iter().all(|w| *w == 1));
    assert!(words[37..].iter().all(|w| *w == 0));
    assert_eq!(m.stats().warp_instructions, 6);
    assert_eq!(m.stats().thread_instructions, 3 * 37);
}

#[test]
fn threads_of_a_three_dimensional_block_count_x_first() {
    assert_eq!(thread_id(0, [4, 3, 2]), 0);
    assert_eq!(thread_id(5, [4, 3, 2]), 1 | (1 << 16));
    assert_eq!(thread_id(23, [4, 3, 2]), 3 | (2 << 16) | (1 << 26));
}

fn bar() -> Instr {
    flow(Op::Bar { id: 0, arrive: true, wait: true, mask: None })
}

#[test]
fn a_barrier_orders_a_store_before_another_warps_load() {
    // Every thread stores its id, then reads the word of the thread 32 further, modulo 64.
    let mut l = launch(&[
        address(),
        store(1, 0, MemSize::B32),
        bar(),
        mvi(2, 128),
        warpsmith_isa::Instr {
            op: Op::Logic {
                op: warpsmith_isa::LogicOp::Xor,
                not_a: false,
                not_b: false,
                width: warpsmith_isa::Width::W32,
            },
            ..add(3, 1, 2)
        },
        load(4, 3, MemSize::B32),
        mvi(5, 256),
        add(6, 1, 5),
        exiting(store(6, 4, MemSize::B32)),
    ]);
    l.block = [64, 1, 1];
    let m = run(&l);
    let want: Vec<u32> = (0..64).map(|t| t ^ 32).collect();
    assert_eq!(memory(&m, 256, 64), want);
}

#[test]
fn a_barrier_does_not_wait_for_exited_warps() {
    // Warp 1 ends before the barrier.
    const GEU: u8 = 0x0e;
    let mut l = launch(&[
        address(),
        mvi(2, 32),
        compare(0, 2),
        when(GEU, flow(Op::Ret)),
        bar(),
        exiting(store(1, 2, MemSize::B32)),
    ]);
    l.block = [64, 1, 1];
    let m = run(&l);
    assert_eq!(memory(&m, 0, 33)[31..], [32, 0]);
}

#[test]
fn warps_at_two_barriers_deadlock_with_a_trap() {
    // Warp 0 waits at barrier 0, warp 1 at barrier 1.
    let other = flow(Op::Bar { id: 1, arrive: true, wait: true, mask: None });
    let mut l = launch(&[mvi(2, 32), compare(0, 2), when(LTU, flow(Op::Bra { target: 8 * 4 })), other, bar(), exit()]);
    l.block = [64, 1, 1];
    assert_eq!(trap(&l).cause, warpsmith_model::TrapCause::BarrierDeadlock);
}

#[test]
fn an_endless_loop_stops_at_the_instruction_limit() {
    let l = launch(&[flow(Op::Bra { target: 0 })]);
    let mut m = Machine::new(&l, ModelConfig::default());
    let e = m.run(1000).expect_err("the loop has no end");
    let text = e.to_string();
    assert!(text.contains("1000") && text.contains("0x0000"), "{text}");
}

#[test]
fn not_equal_follows_the_zero_flag() {
    let m = run(&launch(&[
        address(),
        mvi(2, 3),
        mvi(4, 1),
        compare(0, 2),
        when(NE, add(3, 5, 4)),
        exiting(store(1, 3, MemSize::B32)),
    ]));
    let want: Vec<u32> = (0..32).map(|t| (t != 3) as u32).collect();
    assert_eq!(memory(&m, 0, 32), want);
}
