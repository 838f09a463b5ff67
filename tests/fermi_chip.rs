//! Chips of Fermi in lockstep: kernels, random programs, errors that must be noticed, faults.

use crate::support::set_chip::{self, chip_tests, native, Trapping};
use warpsmith_model::TrapCause;

chip_tests!("fermi");

#[test]
fn of_two_results_in_one_predicate_the_second_stays() {
    // FSETP P1, P1 of undefined operands: the model took the first result from the chip last.
    crate::support::sim::random_programs(&native("default", &[ISA]), 1096, 1);
}

#[test]
fn an_instruction_reads_the_predicates_that_it_overwrites_before_it_writes_them() {
    // 16 beats: the first has written its predicates before the last has read its own.
    let narrow = [SMALL, &["lanes=2", "port_words=2"]].concat();
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
#[rustfmt::skip] // One row a line.
const TRAPS: [Trapping; 16] = [
    ("a load at odd addresses", "S2R R0, SR_Tid_X; LD R1, [R0]; EXIT;", TrapCause::MisalignedAccess),
    ("a wide load beyond global memory", "S2R R0, SR_Tid_X; SHL R0, R0, 0x7; LD.128 R4, [R0]; EXIT;", TrapCause::OutOfRange),
    ("a load beyond shared memory", "MOV32I R0, 0x40; LDS R1, [R0]; EXIT;", TrapCause::OutOfRange),
    ("a load beyond a constant bank", "MOV32I R0, 0x4000; LDC R1, c[0x0][R0]; EXIT;", TrapCause::OutOfRange),
    ("a constant bank that no chip has", "MOV R0, c[0x1f][0x0]; EXIT;", TrapCause::OutOfRange),
    ("an address of more than 32 bits", "MOV32I R0, 0x10; MOV32I R1, 0x1; LD.E R2, [R0]; EXIT;", TrapCause::OutOfRange),
    ("BRK without PBK", "BRK; EXIT;", TrapCause::StackUnderflow),
    ("CONT without PCNT, of some threads", "PBK x; S2R R0, SR_Tid_X; ISETP.LT.AND P0, PT, R0, 0x3, PT; @P0 CONT; x: EXIT; EXIT;", TrapCause::StackUnderflow),
    ("pushes without end", "a: SSY a; BRA a; EXIT;", TrapCause::StackOverflow),
    ("an atomic", "RED.ADD [RZ], R1; EXIT;", TrapCause::Unimplemented),
    ("a sum of 64 bits", "DADD R0, R2, R4; EXIT;", TrapCause::Unimplemented),
    ("a reserved word", ".word 0x7; EXIT;", TrapCause::Illegal),
    ("a register beyond the launch's", "MOV R9, RZ; EXIT;", TrapCause::Register),
    ("a group of registers that ends beyond the launch's", "LD.128 R8, [RZ]; EXIT;", TrapCause::Register),
    ("a branch out of the program", "BRA 0x4000; EXIT;", TrapCause::Fetch),
    ("a barrier that expects more than there are", "BAR.SYNC 0x0, 0x400; EXIT;", TrapCause::BarrierDeadlock),
];

/// A chip with floats of 64 bits.
const DOUBLE: [&str; 2] = [ISA, "double=true"];
/// The smallest.
const SMALL_DOUBLE: [&str; 4] = [ISA, "double=true", "float=true", "sfus=1"];

#[test]
fn the_kernel_of_doubles_agrees_on_8_and_32_lanes() {
    let plain = native("default", &[ISA]);
    let launch = warpsmith_launch_file::load("kernels/fermi/dot_double/launch.toml").expect("a kernel of ours");
    let lacks = warpsmith_bench::lacks(plain.info(), &launch).expect("a plain chip lacks it");
    assert!(lacks.contains("DMUL"), "{lacks}");
    for name in ["default", "wide"] {
        let chip = native(name, &DOUBLE);
        assert_eq!(warpsmith_bench::lacks(chip.info(), &launch), None);
        crate::support::sim::agree(&chip, "kernels/fermi/dot_double/launch.toml".as_ref());
    }
}

#[test]
fn random_programs_of_doubles_agree_on_8_and_32_lanes() {
    set_chip::random_programs_agree(&native("default", &DOUBLE), 15_000, 60);
    set_chip::random_programs_agree(&native("wide", &DOUBLE), 5_000, 100);
}

#[test]
fn random_programs_of_doubles_agree_on_2_4_and_16_lanes() {
    for lanes in ["2", "4", "16"] {
        let lanes = [format!("lanes={lanes}"), format!("port_words={lanes}"), "shared_banks=2".into()];
        let set: Vec<&str> = SMALL_DOUBLE.into_iter().chain(lanes.iter().map(String::as_str)).collect();
        set_chip::random_programs_agree(&native("tiny", &set), 4_000, 20);
    }
}

#[test]
fn comparisons_of_doubles_read_the_predicates_that_they_overwrite_before_they_write_them() {
    let text =
        "S2R R0, SR_Tid_X; I2F.F64.S32 R2, R0; DSETP.LT P0, P1, R2, F8.0; @!P0 DSETP.GT.AND P0, P1, R2, F16.0, !P1; \
                @P0 DSETP.NE.OR P1, P0, R2, F20.0, P0; MOV R1, RZ; @P0 IADD R1, R1, 0x1; @P1 IADD R1, R1, 0x2; \
                VOTE.ANY R6, P2, P0; @P1 BRA end; IADD R1, R1, R6; end: ISCADD R0, R0, RZ, 0x2; ST [R0], R1; EXIT;";
    let narrow = [&SMALL_DOUBLE[..], &["lanes=2", "port_words=2"]].concat();
    for chip in [native("tiny", &narrow), native("default", &DOUBLE), native("wide", &DOUBLE)] {
        set_chip::program_agrees("fermi", &chip, "comparisons", 40, text);
    }
}

#[test]
fn an_instruction_waits_for_either_word_of_a_pair() {
    let text = "S2R R0, SR_Tid_X; I2F.F64.S32 R2, R0; MOV32I R3, 0x40080000; DADD R4, R2, R2; IADD R6, R5, 0x1; \
                MOV R5, R6; DMUL R2, R4, R2; F2I.S32.F64 R7, R2; MOV R2, R7; DSETP.LT P0, R2, R4; \
                MUFU.RCP64H R3, R5; F2I.U64.F64 R4, R2; IADD R0, R4, R5; F2F.F32.F64 R1, R2; I2F.F64.S32 R0, R1; EXIT;";
    let narrow = [&SMALL_DOUBLE[..], &["lanes=2", "port_words=2"]].concat();
    for chip in [native("tiny", &narrow), native("default", &DOUBLE), native("wide", &DOUBLE)] {
        set_chip::program_agrees("fermi", &chip, "pairs", 40, text);
    }
}

/// Programs with doubles that trap, and the cause.
const DOUBLE_TRAPS: [Trapping; 9] = [
    ("a pair that begins at an odd register", "DADD R0, R2, R5; EXIT;", TrapCause::Unimplemented),
    ("a result that does", "DADD R1, R2, R4; EXIT;", TrapCause::Unimplemented),
    ("an integer of 64 bits that does", "F2I.S64.F32 R1, R2; EXIT;", TrapCause::Unimplemented),
    ("a pair beyond the launch's registers", "DADD R8, R2, R4; EXIT;", TrapCause::Register),
    ("an integer of 64 bits beyond them", "F2I.S64.F32 R8, R2; EXIT;", TrapCause::Register),
    ("a constant that ends beyond its bank", "DADD R0, R2, c[0x0][0x1c]; EXIT;", TrapCause::OutOfRange),
    ("a constant of an empty bank", "DMUL R0, R2, c[0x5][0x0]; EXIT;", TrapCause::OutOfRange),
    ("a constant of a bank that no chip has", "DMUL R0, R2, c[0x1f][0x0]; EXIT;", TrapCause::OutOfRange),
    ("an atomic", "ATOM.ADD R0, [RZ], R1; EXIT;", TrapCause::Unimplemented),
];

/// A chip with atomic accesses.
const ATOMIC: [&str; 2] = [ISA, "atomics=true"];
/// The smallest.
const SMALL_ATOMIC: [&str; 4] = [ISA, "atomics=true", "float=true", "sfus=1"];
/// The same on two lanes and two SMs.
const NARROW_ATOMIC: [&str; 7] = [ISA, "atomics=true", "float=true", "sfus=1", "lanes=2", "port_words=2", "sms=2"];
/// The kernel of atomic accesses.
const HISTOGRAM: &str = "kernels/fermi/histogram/launch.toml";

#[test]
fn the_kernel_of_atomics_agrees_on_chips_of_every_width() {
    let plain = native("default", &[ISA]);
    let launch = warpsmith_launch_file::load(HISTOGRAM).expect("a kernel of ours");
    let lacks = warpsmith_bench::lacks(plain.info(), &launch).expect("a plain chip lacks it");
    assert!(lacks.contains("ATOM"), "{lacks}");
    let several = [&ATOMIC[..], &["sms=4", "double=true"]].concat();
    for chip in [
        native("tiny", &SMALL_ATOMIC),
        native("tiny", &NARROW_ATOMIC),
        native("default", &ATOMIC),
        native("default", &several),
        native("wide", &ATOMIC),
    ] {
        assert_eq!(warpsmith_bench::lacks(chip.info(), &launch), None);
        crate::support::sim::agree(&chip, HISTOGRAM.as_ref());
    }
}

#[test]
fn atomics_and_doubles_agree_in_verilator() {
    let several = [&SMALL_ATOMIC[..], &["double=true", "sms=2"]].concat();
    if let Some(chip) = crate::support::sim::chip("tiny", &several) {
        crate::support::sim::agree(&chip, HISTOGRAM.as_ref());
        crate::support::sim::agree(&chip, "kernels/fermi/dot_double/launch.toml".as_ref());
        set_chip::random_programs_agree(&chip, 10_000, 10);
    }
}

#[test]
fn random_programs_with_atomics_agree_on_one_sm_and_on_several() {
    set_chip::random_programs_agree(&native("tiny", &SMALL_ATOMIC), 8_000, 20);
    set_chip::random_programs_agree(&native("default", &ATOMIC), 15_000, 60);
    set_chip::random_programs_agree(&native("wide", &ATOMIC), 5_000, 100);
    let both = [&ATOMIC[..], &["sms=2", "double=true"]].concat();
    set_chip::random_programs_agree(&native("default", &both), 5_000, 60);
    set_chip::random_programs_agree(&native("tiny", &NARROW_ATOMIC), 4_000, 20);
}

#[test]
fn random_programs_execute_every_form_of_atomics_and_each_of_their_modifiers() {
    let report = crate::support::sim::random_programs(&native("default", &ATOMIC), 1, 60_000);
    let families = report.coverage.families(warpsmith_isa::Tier::full());
    for f in &families {
        let missed: Vec<&str> =
            f.missing().into_iter().filter(|item| item.starts_with("RED") || item.starts_with("ATOM")).collect();
        assert!(missed.is_empty(), "{}: {missed:?}", f.name);
    }
    let items: Vec<&String> = families.iter().flat_map(|f| &f.items).map(|i| &i.0).collect();
    assert!(items.iter().any(|i| i.starts_with("ATOM_CAS")), "{items:?}");
    for access in ["global atomic 1 x U32", "global reduction 1 x U32"] {
        assert!(items.iter().any(|i| i.as_str() == access), "{access}: {items:?}");
    }
}

#[test]
fn lanes_replace_one_word_one_after_the_other() {
    // One word, a word of every thread, every second lane; results that nobody wants, registers that are the address.
    let text = "S2R R0, SR_Tid_X; MOV32I R1, 0x100; IADD R2, R0, 0x1; ATOM.ADD R3, [R1], R2; ISCADD R4, R0, R1, 0x2; \
                ATOM.EXCH R5, [R4+0x40], R3; ATOM.CAS R4, [R1+0x4], R3, R2; LOP.AND R6, R0, 0x1; \
                ISETP.EQ.AND P0, PT, R6, RZ, PT; @P0 ATOM.XOR R1, [R1], R2; ATOM.MAX RZ, [RZ+0x8], R3; \
                RED.DEC [RZ+0xc], R4; ATOM.CAS RZ, [RZ+0x10], RZ, R0; MOV R7, RZ; MOV32I R6, 0x20; \
                ATOM.E.INC R3, [R6], R2; RED.E.MIN [R6+0x100], R5; EXIT;";
    for chip in [native("tiny", &NARROW_ATOMIC), native("default", &ATOMIC), native("wide", &ATOMIC)] {
        set_chip::program_agrees("fermi", &chip, "atomics", 40, text);
    }
}

/// Programs with atomic accesses that trap, and the cause.
#[rustfmt::skip] // One row a line.
const ATOMIC_TRAPS: [Trapping; 8] = [
    ("a misaligned word", "MOV32I R1, 0x2; RED.ADD [R1], R2; EXIT;", TrapCause::MisalignedAccess),
    ("an offset that misaligns it", "ATOM.ADD R2, [RZ+0x6], R3; EXIT;", TrapCause::MisalignedAccess),
    ("a word beyond global memory", "MOV32I R1, 0x1000; ATOM.EXCH R2, [R1], R3; EXIT;", TrapCause::OutOfRange),
    // What the first beats locked is free again.
    (
        "words of the last lanes alone",
        "S2R R0, SR_Tid_X; SHL R1, R0, 0x8; RED.ADD [R1], R0; EXIT;",
        TrapCause::OutOfRange,
    ),
    ("an address of more than 32 bits", "MOV32I R1, 0x1; ATOM.E.ADD R2, [R0], R3; EXIT;", TrapCause::OutOfRange),
    ("a base of a pair that begins at an odd register", "RED.E.ADD [R1], R0; EXIT;", TrapCause::Unimplemented),
    ("two operands and an address of 64 bits", "ATOM.E.CAS R2, [R0], R3, R4; EXIT;", TrapCause::Unimplemented),
    ("a result beyond the launch's registers", "ATOM.ADD R9, [RZ], R1; EXIT;", TrapCause::Register),
];

#[test]
fn traps_of_atomics_are_those_of_the_model() {
    for chip in [native("default", &ATOMIC), native("tiny", &[&SMALL_ATOMIC[..], &["sms=2"]].concat())] {
        set_chip::traps_are_those_of_the_model("fermi", &chip, &ATOMIC_TRAPS);
    }
}

#[test]
fn wrong_models_of_atomics_are_noticed() {
    let chip = native("tiny", &SMALL_ATOMIC);
    set_chip::wrong_model_is_noticed(&chip, warpsmith_model::Mutant::AtomicMinMax, 100_000);
    set_chip::wrong_models_are_noticed(&chip);
}

#[test]
fn faults_of_a_chip_with_atomics_have_the_same_record_in_both_simulations() {
    set_chip::faults_of_kernel_have_one_record("fermi", "histogram", &[&SMALL_ATOMIC[..], &["sms=2"]].concat());
}

#[test]
fn traps_of_doubles_are_those_of_the_model() {
    let chip = native("default", &DOUBLE);
    set_chip::traps_are_those_of_the_model("fermi", &chip, &DOUBLE_TRAPS);
    let others: Vec<Trapping> = TRAPS.into_iter().filter(|t| !t.1.contains("DADD")).collect();
    assert_eq!(others.len(), TRAPS.len() - 1);
    set_chip::traps_are_those_of_the_model("fermi", &chip, &others);
}

#[test]
fn wrong_models_of_doubles_are_noticed() {
    let chip = native("default", &DOUBLE);
    set_chip::wrong_models_are_noticed(&chip);
    set_chip::wrong_model_is_noticed(&chip, warpsmith_model::Mutant::DoubleTruncates, 100_000);
}

#[test]
fn faults_of_a_chip_with_doubles_have_the_same_record_in_both_simulations() {
    set_chip::faults_of_kernel_have_one_record("fermi", "dot_double", &SMALL_DOUBLE);
}
