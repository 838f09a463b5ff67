//! The same of G13: halves, three passes, elements of a byte, the counter of the mask.

use super::*;
use crate::lockstep::compare::Field;
use crate::random::tests::small;

/// Counters, halves, elements of every size, accesses of three passes, where no thread is left, too.
const EVERYTHING: &str = "
    get_sr r2, sr80
    get_sr r3, sr51
    if_icmp r0l, ult, r3, 3, 1
    jmp_exec_none next
next:
    iadd r4, r3, 7
    iadd r4l, r3l, 9
    else_icmp r0l, ueq, r3, r3, 1
    iadd r4h, r3l, 5
    pop_exec r0l, 1
    if_icmp r0l, ugt, r3, 200, 1
    iadd r4, r4, 1
    threadgroup_barrier
    call there
there:
    pop_exec r0l, 1
    imadd r5, r2, 4, 0
    device_load 0, i32, xyz, r6_r7_r8, u0_u1, r2, unsigned, lsl 2
    device_load 0, i16, x, r9h, u0_u1, r2, unsigned
    device_load 0, i8, xyzw, r10_r11_r12_r13, u0_u1, r5, unsigned
    rcp r14, r6
    threadgroup_store i16, xyz, r6_r7_r8, 0, 3
    threadgroup_store i8, x, r9h, 0, 16
    threadgroup_barrier
    threadgroup_load i16, xyz, r15_r16_r17, 0, 3
    threadgroup_load i8, x, r18l, 0, 16
    device_store 0, i8, xyz, r10_r11_r12, u2_u3, r5, unsigned, 0
    stop
";

fn launch() -> Launch {
    Launch {
        block: [40, 1, 1],
        registers: 24,
        params: vec![0, 0, 0x800, 0],
        shared_bytes: 64,
        ..launch_of(Isa::G13, EVERYTHING)
    }
}

#[test]
fn a_chip_that_is_the_model_agrees() {
    let compared = agrees(&launch());
    assert!(compared > 4 * 20, "{compared}");
    for seed in 0..10 {
        agrees(&generate(seed, &small(Isa::G13), 1000));
    }
}

#[test]
fn counters_are_those_of_all_threads_there_are() {
    let mut seen = vec![];
    trace(&launch(), plain(), |_, r| {
        if r.half == 1 && r.reg == 0 {
            seen.push((r.active, r.exec));
        }
    });
    // The second warp of a block has 8 threads.
    for want in [(u32::MAX, u32::MAX), (7, u32::MAX), (0, u32::MAX), (0, 0xff)] {
        assert!(seen.contains(&want), "{want:x?}: {seen:x?}");
    }
    let d = found(&launch(), |r| r.exec & !r.active & 4 != 0, |r| r.y[0][2] ^= 1);
    assert_eq!((&d.mismatch.what[..], d.mismatch.lane), ("R0L", Some(2)));
    let d = found(&launch(), |r| r.active == 0 && r.exec != 0, |r| r.exec = 0);
    assert_eq!(d.mismatch.field, Field::Executed, "{d}");
}

#[test]
fn barriers_and_calls_go_on_without_threads() {
    let mut seen = vec![];
    trace(&launch(), plain(), |_, r| {
        if r.active == 0 {
            seen.push((r.word[0] & 0xffff, r.exec, r.dst));
        }
    });
    let call = seen.iter().find(|s| s.0 == 0xc010);
    assert_eq!(call.map(|s| (s.1, s.2)), Some((0, Destination::Gpr)));
    let barrier = seen.iter().find(|s| s.0 & 0xff == 0x68);
    assert_eq!(barrier.map(|s| s.1), Some(0), "{seen:x?}");
}

#[test]
fn every_pass_and_half_is_compared() {
    for (pass, what) in [(0, "R6"), (2, "R8")] {
        let d = found(&launch(), |r| r.mem == MemoryAccess::GlobalLoad && r.passes == 3, |r| r.y[pass][3] ^= 1);
        assert_eq!(d.mismatch.what, format!("{what} (load)"), "{d}");
    }
    let d = found(&launch(), |r| r.mem == MemoryAccess::GlobalLoad && r.half == 2, |r| r.half = 1);
    assert_eq!(d.mismatch.field, Field::DstNumber, "{d}");
    let d = found(&launch(), |r| r.dst == Destination::Gpr && r.passes == 3, |r| r.y[1][3] ^= 1);
    assert_eq!((&d.mismatch.what[..], d.mismatch.lane), ("R16", Some(3)));
    let d = found(&launch(), |r| r.mem == MemoryAccess::GlobalStore, |r| r.address[2][1] ^= 1);
    assert_eq!(d.mismatch.what, "address of pass 2");
    let d = found(&launch(), |r| r.mem == MemoryAccess::SharedStore && r.passes == 3, |r| r.data[1][5] ^= 0x8000);
    assert_eq!(d.mismatch.what, "data stored by pass 1");
}

#[test]
fn every_mutant_that_reaches_the_set_is_found() {
    tell(Mutant::of_set(Isa::G13).collect(), (0..160).map(|seed| generate(seed, &small(Isa::G13), 2000)));
}

#[test]
fn an_undefined_address_is_that_of_the_chip_where_the_mask_has_a_gap() {
    // Nobody writes r2 and r3: the model has base 0, the chip 0x40; elements 1 and 3 lie 4 and 12 bytes behind it.
    let program =
        "device_load 0, i32, yw, r6_r7, r2_r3, 0, signed\n device_store 0, i32, xz, r6_r7, r2_r3, 0, signed, 0\n stop";
    let launch = Launch { grid: [1, 1], ..launch_of(Isa::G13, program) };
    let raw = trace(&launch, plain(), |_, r| {
        if r.mem != MemoryAccess::None {
            r.address.iter_mut().flatten().for_each(|a| *a += 0x40);
        }
        let values = [word(0x44 / 4), word(0x4c / 4)];
        match r.mem {
            MemoryAccess::GlobalLoad => values.iter().zip(&mut r.y).for_each(|(v, y)| *y = [*v; WARP_SIZE]),
            MemoryAccess::GlobalStore => values.iter().zip(&mut r.data).for_each(|(v, d)| *d = [*v; WARP_SIZE]),
            _ => {}
        }
    });
    follow(&launch, plain(), &raw).unwrap_or_else(|d| panic!("{d}"));
}
