//! The same of another instruction set: Fermi.

use super::*;
use crate::lockstep::compare::Field;

/// Integers, floats, predicates, divergence, a barrier, votes, wide accesses to every memory.
const EVERYTHING: &str = "
    S2R R0, SR_Tid_X;
    S2R R1, SR_CTAid_X;
    IMAD.U32.U32 R2, R1, c[0x0][0x8], R0;
    ISCADD R3, R2, c[0x0][0x20], 0x3;
    LD.64 R4, [R3];
    FSETP.LTU.AND P0, P1, R4, 0x0, PT;
    PSETP.AND.XOR P2, P3, P0, PT, P1;
    IADD R6, R4, -R5;
    SHR R7, R4, 0x3;
    F2I.S32.F32 R8, R4;
    I2F.F32.S32 R9, R5;
    F2F.F16.F32 R10, R4;
    MUFU.RCP R11, R4;
    @P0 FADD R9, R9, R4;
    SSY met;
    @!P0 BRA other;
    IADD R6, R6, 0x11;
    NOP.S;
other:
    LOP.XOR R7, R7, R6;
    NOP.S;
met:
    SHL R12, R0, 0x3;
    STS.64 [R12], R6;
    BAR.SYNC 0x0;
    LOP.XOR R13, R12, 0x8;
    LDS.64 R14, [R13];
    STL.64 [0x8], R14;
    LDL R16, [0xc];
    LDC.64 R18, c[0x0][0x8];
    VOTE.ANY R20, P4, P2;
    S2R R21, SR_ClockLo;
    @P4 IADD R8, R8, R16;
    IADD R8, R8, R18;
    ISCADD R22, R2, c[0x0][0x24], 0x4;
    ST.128 [R22], R8;
    EXIT;
";

fn launch() -> Launch {
    Launch {
        block: [70, 1, 1],
        registers: 24,
        params: vec![0, 0x800],
        shared_bytes: 70 * 8 + 8,
        local_bytes: 16,
        ..launch_of(Isa::Fermi, EVERYTHING)
    }
}

#[test]
fn a_chip_that_is_the_model_agrees() {
    let compared = agrees(&launch());
    assert!(compared > 6 * 30, "{compared}");
}

#[test]
fn a_predicate_of_one_lane_is_compared_and_named() {
    let d = found(&launch(), |r| r.flags_we && r.exec & 1 << 7 != 0, |r| r.flags[7] ^= 2);
    assert_eq!(d.mismatch.field, Field::Flags, "{d}");
    assert_eq!((&d.mismatch.what[..], d.mismatch.lane), ("P1", Some(7)));
    assert!(d.text.starts_with("FSETP.LTU"), "{d}");
    assert!(d.to_string().contains("to R4: retire"), "{d}");
}

#[test]
fn a_predicate_with_another_number_is_found() {
    let d = found(&launch(), |r| r.flags_we, |r| r.predicate ^= 4);
    assert_eq!(d.mismatch.field, Field::FlagNumber, "{d}");
}

#[test]
fn every_register_of_a_wide_operand_is_compared() {
    let d = found(&launch(), |r| r.dst == Destination::Gpr && r.passes == 2, |r| r.y[1][3] ^= 1);
    assert_eq!((&d.mismatch.what[..], d.mismatch.lane), ("R15", Some(3)));
    assert!(d.text.starts_with("LDS.64"), "{d}");
}

#[test]
fn stores_are_compared_by_address_and_register() {
    let d = found(&launch(), |r| r.mem == MemoryAccess::GlobalStore, |r| r.data[3][0] ^= 1);
    assert_eq!(d.mismatch.what, "data stored by pass 3");
    let d = found(&launch(), |r| r.mem == MemoryAccess::SharedStore, |r| r.address[1][5] ^= 16);
    assert_eq!(d.mismatch.what, "address of pass 1");
}

#[test]
fn every_mutant_that_reaches_the_set_is_found() {
    tell(Mutant::of_set(Isa::Fermi).collect(), [launch()]);
}

#[test]
fn what_chips_do_not_execute_traps_and_so_do_registers_beyond_the_launch() {
    for (source, cause) in [
        ("RED.ADD [RZ], R1;", TrapCause::Unimplemented),
        ("DADD R2, R4, R6;", TrapCause::Unimplemented),
        ("MUFU.RCP64H R1, R2;", TrapCause::Unimplemented),
        ("MOV R24, R1;", TrapCause::Register),
        ("LD.64 R22, [RZ]; LD.128 R24, [RZ];", TrapCause::Register),
        ("ST [RZ+0x1], RZ;", TrapCause::MisalignedAccess),
        ("BRK;", TrapCause::StackUnderflow),
    ] {
        let t = trap(&Launch { program: launch_of(Isa::Fermi, source).program, ..launch() });
        assert_eq!(t.cause, cause, "{source}: {t}");
    }
}
