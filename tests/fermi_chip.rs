//! Chips of Fermi in lockstep: kernels, random programs, errors that must be noticed, faults.

use crate::support::set_chip::{self, chip_tests, native, Trapping};
use warpsmith_model::TrapCause;

chip_tests!("fermi");

#[test]
fn of_two_results_in_one_predicate_the_second_stays() {
    // FSETP P1, P1 of undefined operands: the model took the first result from the chip last.
    set_chip::random_programs_from(&native("default", &[ISA]), 1096, 1);
}

#[test]
fn an_instruction_reads_the_predicates_that_it_overwrites_before_it_writes_them() {
    // 16 beats: the first has written its predicates before the last has read its own.
    let narrow = [&SMALL[..], &["lanes=2", "port_words=2"]].concat();
    for chip in [native("tiny", &narrow), native("default", &[ISA]), native("wide", &[ISA])] {
        for (what, text) in OVERWRITTEN {
            set_chip::program_agrees("fermi", &chip, what, 40, text);
        }
    }
}

#[test]
fn a_join_that_waits_for_the_divergence_unit_keeps_its_guard() {
    // The exit of a thread looks at 15 entries of its warp's stack; a .S of another warp waits in stage A meanwhile,
    // and its first beats write the predicate of its guard.
    let round = |k: u32| {
        format!(
            "ISETP.EQ.AND P1, PT, R0, {:#x}, PT; ISETP.LT.AND P0, PT, R0, 0x8, PT; SSY on{k}; @P1 EXIT; \
             @P0 ISETP.GE.AND.S P0, PT, R0, 0x8, PT; IADD R2, R2, 0x100; NOP.S; on{k}: ",
            31 - k
        )
    };
    let rounds: String = (0..8).map(round).collect();
    let text = format!("S2R R0, SR_LaneId; MOV R2, RZ; {}{rounds}e: EXIT; EXIT;", "SSY e; ".repeat(14));
    set_chip::program_agrees("fermi", &native("default", &[ISA]), "a .S that waits", 512, &text);
}

/// Instructions about all threads of a warp that write the predicates they read.
const OVERWRITTEN: [(&str, &str); 3] = [
    ("a vote", "S2R R0, SR_Tid_X; ISETP.LT.AND P0, PT, R0, 0x2, PT; VOTE.EQ R1, P0, P0; @P0 IADD R1, R1, 0x200; EXIT;"),
    (
        "the guard of a vote",
        "S2R R0, SR_Tid_X; ISETP.GE.AND P0, PT, R0, 0x1, PT; ISETP.LT.AND P1, PT, R0, 0x8, PT; MOV R1, RZ; \
         @P0 VOTE.ALL R1, P0, P1; EXIT;",
    ),
    (
        "the guard of a .S",
        "S2R R0, SR_Tid_X; ISETP.LT.AND P0, PT, R0, 0x8, PT; SSY on; @P0 ISETP.GE.AND.S P0, PT, R0, 0x8, PT; \
         IADD R0, R0, 0x100; NOP.S; on: EXIT;",
    ),
];

/// Programs that trap, and the cause.
const TRAPS: [Trapping; 16] = [
    ("a load at odd addresses", "S2R R0, SR_Tid_X; LD R1, [R0]; EXIT;", TrapCause::MisalignedAccess),
    (
        "a wide load beyond global memory",
        "S2R R0, SR_Tid_X; SHL R0, R0, 0x7; LD.128 R4, [R0]; EXIT;",
        TrapCause::OutOfRange,
    ),
    ("a load beyond shared memory", "MOV32I R0, 0x40; LDS R1, [R0]; EXIT;", TrapCause::OutOfRange),
    ("a load beyond a constant bank", "MOV32I R0, 0x4000; LDC R1, c[0x0][R0]; EXIT;", TrapCause::OutOfRange),
    ("a constant bank that no chip has", "MOV R0, c[0x1f][0x0]; EXIT;", TrapCause::OutOfRange),
    ("an address of more than 32 bits", "MOV32I R0, 0x10; MOV32I R1, 0x1; LD.E R2, [R0]; EXIT;", TrapCause::OutOfRange),
    ("BRK without PBK", "BRK; EXIT;", TrapCause::StackUnderflow),
    (
        "CONT without PCNT, of some threads",
        "PBK x; S2R R0, SR_Tid_X; ISETP.LT.AND P0, PT, R0, 0x3, PT; @P0 CONT; x: EXIT; EXIT;",
        TrapCause::StackUnderflow,
    ),
    ("pushes without end", "a: SSY a; BRA a; EXIT;", TrapCause::StackOverflow),
    ("an atomic", "RED.ADD [RZ], R1; EXIT;", TrapCause::Unimplemented),
    ("a sum of 64 bits", "DADD R0, R2, R4; EXIT;", TrapCause::Unimplemented),
    ("a reserved word", ".word 0x7; EXIT;", TrapCause::Illegal),
    ("a register beyond the launch's", "MOV R9, RZ; EXIT;", TrapCause::Register),
    ("a group of registers that ends beyond the launch's", "LD.128 R8, [RZ]; EXIT;", TrapCause::Register),
    ("a branch out of the program", "BRA 0x4000; EXIT;", TrapCause::Fetch),
    ("a barrier that expects more than there are", "BAR.SYNC 0x0, 0x400; EXIT;", TrapCause::BarrierDeadlock),
];
