//! Memory, barriers, votes and special registers.

use super::{launch, results, run, trap};
use warpsmith_model::uop::Cause;

#[test]
fn loads_extend_and_stores_truncate() {
    let source = |load: &str, at: u32| {
        format!(
            "LOP.AND R2, R0, 0x7; SHL R2, R2, 0x3; MOV32I R3, 0x9a8b7c6d; STS [R2], R3; MOV32I R4, 0x12345678;\n\
             STS [R2+0x4], R4; LDS{load} R1, [R2+{at:#x}];"
        )
    };
    for (load, at, want) in [
        ("", 4, 0x1234_5678),
        (".U8", 1, 0x7c),
        (".S8", 2, 0xffff_ff8b),
        (".U16", 2, 0x9a8b),
        (".S16", 0, 0x7c6d),
        (".S16", 2, 0xffff_9a8b),
    ] {
        let got = results(&source(load, at));
        assert!(got.iter().all(|g| *g == want), "{load}: {got:x?}");
    }
    let bytes = results(
        "LOP.AND R2, R0, 0x7; SHL R2, R2, 0x2; MOV32I R3, 0xffffffff; STS [R2], R3; MOV32I R3, 0x12345678;\n\
         STS.U8 [R2+0x1], R3; STS.U16 [R2+0x2], R3; LDS R1, [R2];",
    );
    assert!(bytes.iter().all(|b| *b == 0x5678_78ff), "{bytes:x?}");
}

#[test]
fn wide_accesses_take_groups_of_registers() {
    let got = results(
        "MOV32I R4, 0x1; MOV32I R5, 0x2; MOV32I R6, 0x3; MOV32I R7, 0x4; STL.128 [0x10], R4;\n\
         LDL.64 R8, [0x18]; IADD R1, R8, R9; LDL R2, [0x14]; ISCADD R1, R2, R1, 0x4;",
    );
    assert!(got.iter().all(|g| *g == 0x27), "{got:x?}");
    // A group that is RZ reads zeros and drops what it gets.
    let got = results("STL.64 [0x8], RZ; LDL.64 RZ, [0x8]; LDL R1, [0x8]; IADD R1, R1, RZ;");
    assert!(got.iter().all(|g| *g == 0));
}

#[test]
fn bad_addresses_and_groups_trap() {
    for (source, part) in [
        ("MOV32I R0, 0x2; LD R1, [R0]; EXIT;", "not aligned"),
        ("MOV32I R0, 0x4; LD.64 R2, [R0]; EXIT;", "not aligned"),
        ("MOV32I R0, 0x1000; ST [R0], R1; EXIT;", "has 4096 bytes"),
        ("MOV32I R0, 0x0; LD R1, [R0+-0x4]; EXIT;", "has 4096 bytes"),
        ("LDS R1, [0x100]; EXIT;", "has 256 bytes"),
        ("LDL R1, [0x40]; EXIT;", "has 64 bytes"),
        ("MOV R1, c[0x5][0x0]; EXIT;", "constant bank 5"),
        ("MOV32I R3, 0x1; LD.E R1, [R2]; EXIT;", "has 4096 bytes"),
        ("LD.E R1, [R3]; EXIT;", "no multiple of its size"),
        ("LD.64 R1, [R2]; EXIT;", "no multiple of its size"),
        ("DADD R2, R3, R4; EXIT;", "no multiple of its size"),
        ("NOP;", "no instruction at this address"),
        ("BRK; EXIT;", "BRK without a PBK"),
        ("CONT; EXIT;", "CONT without a PCNT"),
        ("top: CAL top;", "stack is full (16 entries)"),
        (".word 0xffffffffffffffff;", "illegal instruction"),
    ] {
        let t = trap(source).to_string();
        assert!(t.contains(part), "{source}: {t}");
    }
    // The lowest lane at fault is named, and lanes that do not execute are not at fault.
    let t = trap(
        "S2R R0, SR_Tid_X; ISCADD R1, R0, RZ, 0x7; ISETP.GE.AND P0, PT, R0, 0x4, PT; @P0 ST [R1+0xe00], R0; EXIT;",
    );
    assert_eq!((t.lane, t.pc), (4, 0x18), "{t}");
    // An address without .E wraps at 32 bits.
    let got =
        results("MOV32I R2, 0xfffffffc; LD R1, [R2+0x104]; MOV32I R3, 0x7; ST [R2+0x104], R3; LD R1, [RZ+0x100];");
    assert_eq!(got[31], 7);
}

#[test]
fn lanes_go_in_ascending_order() {
    let m = run(&launch(
        "S2R R0, SR_Tid_X; MOV32I R1, 0x100; IADD R2, R0, 0x1; ST [R1], R2; RED.ADD [R1+0x4], R2;\n\
         ATOM.ADD R3, [R1+0x8], R2; ISCADD R4, R0, R1, 0x2; ST [R4+0x100], R3;\n\
         ATOM.EXCH R3, [R1+0xc], R2; ST [R4+0x200], R3; ATOM.CAS R3, [R1+0x10], R0, R2; ST [R4+0x300], R3;\n\
         RED.MAX [R1+0x14], R2; MOV32I R5, 0x6; RED.INC [R1+0x18], R5; RED.DEC [R1+0x1c], R5; EXIT;",
    ));
    let word = |a: u32| m.global().word(a);
    assert_eq!(word(0x100), 40);
    assert_eq!(word(0x104), 40 * 41 / 2);
    for t in 0..40 {
        assert_eq!(word(0x200 + 4 * t), t * (t + 1) / 2, "sum before thread {t}");
        assert_eq!(word(0x300 + 4 * t), t, "exchanged by thread {t}");
        // Old equals the thread's number in every thread: each stores its successor.
        assert_eq!(word(0x400 + 4 * t), t, "compared by thread {t}");
    }
    assert_eq!((word(0x110), word(0x114)), (40, 40));
    // Counts 0 to 6 in a circle, up and down.
    assert_eq!((word(0x118), word(0x11c)), (5, 2));
}

#[test]
fn votes_are_over_the_lanes_that_execute() {
    let vote = |op: &str| {
        results(&format!(
            "LOP.AND R2, R0, 0x3; ISETP.EQ.AND P0, PT, R2, 0x1, PT; ISETP.NE.AND P1, PT, R2, RZ, PT; MOV R1, RZ;\n\
             @P1 VOTE.{op} R1, P2, P0; @P2 IADD R1, R1, 0x1;"
        ))
    };
    // Bit 1 of every four lanes; all of lanes 1 to 3: no; some: yes.
    for (op, yes) in [("ALL", 0), ("ANY", 1), ("EQ", 0)] {
        let got = vote(op);
        assert_eq!(got[0], 0);
        assert_eq!(got[1], 0x2222_2222 + yes, "{op}");
        assert_eq!(got[37], 0x22 + yes, "{op} of the second warp");
    }
    let not = results("ISETP.GE.AND P0, PT, R0, RZ, PT; VOTE.ALL R1, P1, !P0; @!P1 IADD R1, R1, 0x5;");
    assert!(not.iter().all(|n| *n == 5), "{not:x?}");
}

#[test]
fn special_registers_tell_lane_block_and_grid() {
    for (name, want) in [
        ("SR_LaneId", (|t| t % 32) as fn(u32) -> u32),
        ("SR_Tid_X", |t| t),
        ("SR_Tid_Y", |_| 0),
        ("SR_NTid_X", |_| 40),
        ("SR_NTid_Z", |_| 1),
        ("SR_NCTAid_X", |_| 1),
        ("SR_EqMask", |t| 1 << (t % 32)),
        ("SR_LtMask", |t| (1 << (t % 32)) - 1),
        ("SR_LeMask", |t| (2u64 << (t % 32)) as u32 - 1),
        ("SR_GtMask", |t| !((2u64 << (t % 32)) as u32).wrapping_sub(1)),
        ("SR_GeMask", |t| !((1 << (t % 32)) - 1)),
        ("SR_VirtCfg", |_| 0),
    ] {
        let got = results(&format!("S2R R1, {name};"));
        for (t, g) in got.iter().enumerate() {
            let t = t as u32;
            let want = match (name, t % 32) {
                ("SR_LeMask", 31) => u32::MAX,
                ("SR_GtMask", 31) => 0,
                _ => want(t),
            };
            assert_eq!(*g, want, "{name} of thread {t}");
        }
    }
}

#[test]
fn barriers_count_warps_and_release() {
    // Warp 0 arrives and goes on, warp 1 waits for it: 64 threads are two warps.
    let source = "S2R R0, SR_Tid_X; ISETP.GE.AND P0, PT, R0, 0x20, PT; @P0 BRA late;\n\
                  MOV32I R2, 0x5; STS [0x0], R2; BAR.ARV 0x3, 0x40; BRA end;\n\
                  late: BAR.SYNC 0x3, 0x40; LDS R1, [0x0];\n\
                  end: ISCADD R3, R0, c[0x0][0x20], 0x2; ST [R3], R1; EXIT;";
    let m = run(&launch(source));
    assert_eq!(m.global().word(0x100 + 4 * 35), 5);
    let t = trap("S2R R0, SR_Tid_X; ISETP.GE.AND P0, PT, R0, 0x20, PT; @P0 BRA late; BAR.SYNC 0x0; EXIT; late: BAR.SYNC 0x1; EXIT;");
    assert_eq!(t.cause, Cause::Deadlock);
    // A warp that has ended is not waited for.
    run(&launch("S2R R0, SR_Tid_X; ISETP.GE.AND P0, PT, R0, 0x20, PT; @P0 EXIT; BAR.SYNC 0x0; EXIT;"));
}

/// `.FTZ` is about 32 bits.
#[test]
fn denormals_of_64_bits_are_kept() {
    let of_double = "MOV32I R2, 0x1; MOV32I R3, 0x80000000;";
    let got = results(&format!("{of_double} F2I.FTZ.S32.F64.FLOOR R1, R2;"));
    assert!(got.iter().all(|g| *g == u32::MAX), "{got:x?}");
    let got = results("MOV32I R2, 0x80000001; F2I.FTZ.S32.F32.FLOOR R1, R2;");
    assert!(got.iter().all(|g| *g == 0), "{got:x?}");
}
