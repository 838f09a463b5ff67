//! The same of Ivy Bridge: registers that channels share, two beats, flags.

use super::*;
use crate::lockstep::compare::Field;
use crate::random::tests::small;

/// Halves, one channel, eight of sixteen, messages of several components, a block, special functions, flags, a branch.
const EVERYTHING: &str = "
    mov(16) g12<1>UD g1<8,8,1>UW { align1 1H };
    mul(1) g10<1>UD g0.1<0,1,0>UD 0x00000028UD { align1 WE_all 1N };
    add(16) g12<1>UD g12<8,8,1>UD g10<0,1,0>UD { align1 1H };
    shl(16) g14<1>UD g12<8,8,1>UD 0x00000004UD { align1 1H };
    send(16) g20<1>UD g14<8,8,1>UD 0x04415cff data { align1 1H };
    send(8) g30<1>UD g15<8,8,1>UD 0x02216cff data { align1 2Q };
    send(8) g30<1>UD g14<8,8,1>UD 0x02216cff data { align1 1Q };
    cmp.l.f0.1(16) g34<1>D g20<8,8,1>D g22<8,8,1>D { align1 1H };
    mov(16) g36.1<2>UW g20.1<16,8,2>UW { align1 1H };
    mov(16) g36<2>UW g22<16,8,2>UW { align1 1H };
    mov(1) g36.5<1>UD g20<0,1,0>UD { align1 WE_all 1N };
    math inv(16) g38<1>F g20<8,8,1>F null<8,8,1>F { align1 1H };
    math inv(8) g40<1>F g21<8,8,1>F null<8,8,1>F { align1 2Q };
    (+f0.1) if(16) JIP: other UIP: met { align1 1H };
    add(16) g36<1>UD g36<8,8,1>UD 0x00000011UD { align1 1H };
    else(16) JIP: met { align1 1H };
other:
    xor(16) g36<1>UD g36<8,8,1>UD g38<8,8,1>UD { align1 1H };
met:
    endif(16) JIP: 2 { align1 1H };
    and(16) g42<1>UD g14<8,8,1>UD 0x000000f0UD { align1 1H };
    mov(16) g44<1>UD g36<8,8,1>UD { align1 1H };
    mov(16) g46<1>UD g38<8,8,1>UD { align1 1H };
    send(16) null<1>UD g42<8,8,1>UD 0x0c035cfe data { align1 1H };
    send(8) null<1>UD g0<8,8,1>UD 0x02000004 gateway { align1 WE_all 1Q };
    wait(1) n0<1>UD { align1 WE_all 1N };
    send(16) g50<1>UD g42<8,8,1>UD 0x04415cfe data { align1 1H };
    mov(8) g60<1>UD 0x00000000UD { align1 WE_all 1Q };
    mov(1) g60.2<1>UD 0x00000003UD { align1 WE_all 1N };
    send(8) g62<1>UD g60<8,8,1>UD 0x022803ff data { align1 1Q };
    add(16) g64<1>UD g14<8,8,1>UD 0x00001000UD { align1 1H };
    mov(16) g66<1>UD g36<8,8,1>UD { align1 1H };
    mov(16) g68<1>UD g62<8,8,1>UD { align1 1H };
    send(16) null<1>UD g64<8,8,1>UD 0x0c035cff data { align1 1H };
    mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
    send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
";

fn launch() -> Launch {
    Launch { block: [40, 1, 1], simd: 16, shared_bytes: 256, ..launch_of(Isa::Ivb, EVERYTHING) }
}

#[test]
fn a_chip_that_is_the_model_agrees() {
    let compared = agrees(&launch());
    assert!(compared > 6 * 30, "{compared}");
    for seed in 0..12 {
        agrees(&generate(seed, &small(Isa::Ivb), 1000));
    }
}

#[test]
fn records_name_registers_and_halves() {
    let mut seen = vec![];
    trace(&launch(), plain(), |_, r| seen.push((r.dst, r.reg, r.half, r.passes, r.exec)));
    for want in [
        (Destination::Gpr, 10, 3, 1, 1),
        (Destination::Pending, 20, 3, 2, 0xffff),
        (Destination::Pending, 30, 3, 2, 0xff00),
        (Destination::Gpr, 36, 2, 1, 0xffff),
        (Destination::Gpr, 36, 3, 1, 1),
        (Destination::Pending, 40, 3, 1, 0xff00),
        (Destination::Gpr, 50, 3, 2, 0xffff),
        (Destination::Pending, 62, 3, 1, 0xffff),
    ] {
        assert!(seen.contains(&want), "{want:x?}: {seen:x?}");
    }
}

#[test]
fn a_flag_of_one_channel_is_compared_and_named() {
    let d = found(&launch(), |r| r.flags_we && r.exec & 1 << 9 != 0, |r| r.flags[9] ^= 1);
    assert_eq!((d.mismatch.field, &d.mismatch.what[..], d.mismatch.lane), (Field::Flags, "f0.1", Some(9)), "{d}");
    let d = found(&launch(), |r| r.flags_we, |r| r.predicate ^= 1);
    assert_eq!(d.mismatch.field, Field::FlagNumber, "{d}");
    assert!(d.to_string().contains("to g20: retire"), "{d}");
}

#[test]
fn every_pass_and_half_is_compared() {
    let d =
        found(&launch(), |r| r.mem == MemoryAccess::GlobalLoad && r.passes == 2 && r.reg == 20, |r| r.y[1][12] ^= 1);
    assert_eq!((&d.mismatch.what[..], d.mismatch.lane), ("g22 (load)", Some(12)), "{d}");
    let d = found(&launch(), |r| r.dst == Destination::Gpr && r.passes == 2, |r| r.y[1][3] ^= 1);
    assert_eq!((&d.mismatch.what[..], d.mismatch.lane), ("g52", Some(3)), "{d}");
    let d = found(&launch(), |r| r.half == 2, |r| r.y[0][7] ^= 1);
    assert_eq!((&d.mismatch.what[..], d.mismatch.lane), ("g36H", Some(7)), "{d}");
    let d = found(&launch(), |r| r.mem == MemoryAccess::SharedStore, |r| r.data[1][5] ^= 1);
    assert_eq!(d.mismatch.what, "data stored by pass 1");
    let d = found(&launch(), |r| r.mem == MemoryAccess::GlobalStore, |r| r.address[1][11] ^= 8);
    assert_eq!(d.mismatch.what, "address of pass 1");
}

#[test]
fn what_a_set_refuses_traps_as_unimplemented_and_no_opcode_as_illegal() {
    let end = "send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };";
    let code = launch_of(Isa::Ivb, &format!("mov(8) g10<1>UD g2<8,8,1>UD;\n{end}")).program.bytes;
    let place = |code: &[u8]| {
        let t = trap(&Launch { block: [8, 1, 1], simd: 8, ..Launch::from_code(Isa::Ivb, code.to_vec()) });
        (t.cause, t.pc)
    };
    for (byte, bits, want) in [
        // A stride of the destination that is 0; an opcode that is none; the second half of the format.
        (7, 0x60, TrapCause::Unimplemented),
        (0, 0x01 ^ 0x7f, TrapCause::Illegal),
    ] {
        let mut bytes = code.clone();
        bytes[byte] ^= bits;
        assert_eq!(place(&bytes), (want, 0));
    }
    assert_eq!(place(&code[..8]), (TrapCause::Fetch, 0));
}

#[test]
fn undefined_values_are_the_chips() {
    // g70 and on are written by nobody: a load over a part of them, a sum, and what a message stores.
    let source = "
        mov(16) g14<1>UD g1<8,8,1>UW { align1 1H };
        shl(16) g14<1>UD g14<8,8,1>UD 0x00000004UD { align1 1H };
        add(16) g20<1>UD g70<8,8,1>UD g14<8,8,1>UD { align1 1H };
        cmp.l.f1.1(16) null<1>UD g72<8,8,1>UD g20<8,8,1>UD { align1 1H switch };
        math inv(8) g30<1>F g71<8,8,1>F null<8,8,1>F { align1 2Q };
        math inv(8) g31<1>F g30<8,8,1>F null<8,8,1>F { align1 2Q };
        mov(16) g74<1>UD g14<8,8,1>UD { align1 1H };
        mov(16) g76<1>UD g30<8,8,1>UD { align1 1H };
        send(16) null<1>UD g74<8,8,1>UD 0x0c035cff data { align1 1H };
        mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
        send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
    ";
    let launch = Launch { grid: [1, 1], block: [16, 1, 1], simd: 16, ..launch_of(Isa::Ivb, source) };
    // On the chip they are not 0.
    let raw = trace(&launch, plain(), |_, r| match (r.dst, r.reg) {
        (Destination::Gpr, 20 | 76) => r.y[0].iter_mut().for_each(|v| *v = v.wrapping_add(0x1234_5678)),
        (Destination::Pending, 30 | 31) => r.y[0].iter_mut().for_each(|v| *v ^= 0x55),
        _ if r.flags_we => r.flags.iter_mut().for_each(|f| *f ^= 1),
        _ if r.mem == MemoryAccess::GlobalStore => r.data[1].iter_mut().for_each(|v| *v ^= 0x99),
        _ => {}
    });
    let compared = follow(&launch, plain(), &raw).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(compared, 11);
}

#[test]
fn every_mutant_that_reaches_the_set_is_found() {
    tell(Mutant::of_set(Isa::Ivb).collect(), (0..60).map(|seed| generate(seed, &small(Isa::Ivb), 2000)));
}
