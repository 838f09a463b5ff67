//! Chips of Fermi in lockstep: kernels, random programs, errors that must be noticed, faults.

use crate::support::{set_chip, sim};
use set_chip::{native, Trapping};
use warpsmith_model::TrapCause;

const ISA: &str = "isa=fermi";
/// `tiny` has no floats; chips of micro-operations have.
const SMALL: [&str; 3] = [ISA, "float=true", "sfus=1"];

#[test]
fn kernels_agree_on_8_lanes_in_verilator() {
    let test = "kernels_agree_on_8_lanes_in_verilator";
    if let Some(chip) = sim::chip(test, "default", &[ISA]) {
        set_chip::kernels_agree("fermi", &chip);
    }
}

#[test]
fn kernels_agree_on_32_lanes() {
    set_chip::kernels_agree("fermi", &native("wide", &[ISA]));
}

#[test]
fn kernels_agree_on_two_sms_of_16_lanes() {
    let set = [ISA, "sms=2", "lanes=16", "port_words=16", "shared_banks=16"];
    set_chip::kernels_agree("fermi", &native("default", &set));
}

#[test]
fn random_programs_agree_on_8_lanes() {
    set_chip::random_programs_agree(&native("default", &[ISA]), 20_000, 50);
}

#[test]
fn of_two_results_in_one_predicate_the_second_stays() {
    // FSETP P1, P1 of undefined operands: the model took the first result from the chip last.
    set_chip::random_programs_from(&native("default", &[ISA]), 1096, 1);
}

#[test]
fn random_programs_agree_on_32_lanes() {
    set_chip::random_programs_agree(&native("wide", &[ISA]), 10_000, 100);
}

#[test]
fn random_programs_agree_on_small_chips() {
    set_chip::random_programs_agree(&native("tiny", &SMALL), 10_000, 10);
    let narrow = [&SMALL[..], &["lanes=2", "port_words=2", "sms=2"]].concat();
    set_chip::random_programs_agree(&native("tiny", &narrow), 5_000, 10);
}

#[test]
fn every_wrong_model_is_noticed() {
    set_chip::wrong_models_are_noticed(&native("default", &[ISA]));
}

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

#[test]
fn traps_are_those_of_the_model() {
    set_chip::traps_are_those_of_the_model("fermi", &native("default", &[ISA]), &TRAPS);
}

#[test]
fn faults_of_every_kind_have_the_same_record_in_both_simulations() {
    set_chip::faults_have_one_record("fermi", &SMALL);
}
