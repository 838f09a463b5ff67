//! Device, threadgroup and stack memory, uniforms, atomics: addresses, formats, order of the lanes.

use super::{code, Bench};
use warpsmith_model::uop::Cause;

fn cause(text: &str, prepare: impl Fn(&mut Bench)) -> Cause {
    let mut bench = Bench::new();
    prepare(&mut bench);
    match bench.step(&code(text), 1) {
        Ok(_) => panic!("{text} does not trap"),
        Err(f) => f.cause,
    }
}

#[test]
fn loads_round_the_base_down_and_shift_the_index() {
    let mut bench = Bench::new();
    bench.global.write(0, &(0..=255).collect::<Vec<u8>>());
    for l in 0..32 {
        // r1: -1 in lane 1.
        bench.set("r1", l, (l as u64).wrapping_sub(2) & 0xffff_ffff);
        bench.set("r2_r3", l, 0x43);
    }
    bench.run("device_load 0, i32, x, r4, r2_r3, r1, signed");
    assert_eq!(bench.get("r4", 1), 0x3f3e_3d3c);
    assert_eq!(bench.get("r4", 2), 0x4342_4140);
    bench.run("device_load 0, i16, x, r4, r2_r3, r1, signed, lsl 1");
    assert_eq!(bench.get("r4", 3), 0x4746);
    bench.run("device_load 0, i8, xyzw, r4l_r4h_r5l_r5h, r2_r3, 2, unsigned");
    assert_eq!(bench.get("r4_r5", 0), 0x0048_0047_0046_0045);
    // The registers follow each other, the elements have a gap.
    bench.run("device_load 0, i16, xw, r6_r7, r2_r3, -1, signed");
    assert_eq!(bench.get("r6_r7", 9), 0x0000_4746_0000_4140);
    bench.run("device_load 0, f16, x, r8h, r2_r3, 0, signed");
    assert_eq!(bench.get("r8", 0), 0x4342_0000);
}

#[test]
fn stores_cut_and_the_highest_lane_wins() {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r1", l, 0x1234_5600 + l as u64);
        bench.set("r2_r3", l, 0x100);
        bench.set("r4", l, l as u64 / 8);
    }
    let stepped = bench.step(&code("device_store 0, i8, x, r1, r2_r3, r4, unsigned, 0"), 0xffff_0f0f);
    assert!(stepped.is_ok());
    assert_eq!(bench.global.word(0x100), 0x1f17_0b03);
    bench.run("device_store 0, i16, xy, r1_r2, r2_r3, 8, unsigned, 0");
    assert_eq!(bench.global.word(0x110), 0x0100_561f);
}

#[test]
fn stores_of_several_elements_go_element_after_element() {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r1", l, 0x10 + l as u64);
        bench.set("r2", l, 0x80 + l as u64);
        bench.set("r4_r5", l, 0x100);
        bench.set("r6", l, l as u64);
    }
    // Each lane's second byte meets the next lane's first.
    bench.run("device_store 0, i8, xy, r1_r2, r4_r5, r6, unsigned, 0");
    assert_eq!(bench.global.word(0x100), 0x8281_8010);
    assert_eq!(bench.global.word(0x120) & 0xff, 0x9f);
}

#[test]
fn bad_addresses_and_formats_trap() {
    let beyond = cause("device_load 0, i32, x, r4, r2_r3, 0, signed", |b| b.set("r2_r3", 0, 4096));
    assert!(matches!(beyond, Cause::OutOfRange { address: 4096, .. }), "{beyond}");
    let high = cause("device_store 0, i32, x, r4, r2_r3, 0, signed, 0", |b| {
        b.set("r2_r3", 0, 1 << 32);
    });
    assert!(matches!(high, Cause::OutOfRange { .. }), "{high}");
    let negative = cause("device_load 0, i8, x, r4, r2_r3, -1, signed", |_| ());
    assert!(matches!(negative, Cause::OutOfRange { .. }), "{negative}");
    let group = cause("threadgroup_load i32, x, r4, r1l, 0", |b| b.set("r1l", 0, 2));
    assert!(matches!(group, Cause::Misaligned { .. }), "{group}");
    for text in [
        "threadgroup_load u8norm, x, r4, r1l, 0",
        "stack_load r6, srgba8, 1, 0, x, 4, 16, 0",
        "device_load 0, i32, x, r4l, r2_r3, 0, signed",
        "device_load 0, i32, xyzw, r126_r127_r128_r129, r2_r3, 0, signed",
        "simd_matrix_fmadd32 r0_r1, r2_r3, r4_r5, r6_r7",
    ] {
        let Ok(instr) = warpsmith_isa::set::assemble(&warpsmith_isa::g13::G13, text, "t") else {
            // The assembler knows no registers beyond the file.
            assert!(text.contains("r128"), "{text}");
            continue;
        };
        let mut bench = Bench::new();
        let stepped = bench.step(&instr.bytes, 1);
        let Err(f) = stepped else { panic!("{text}") };
        assert!(matches!(f.cause, Cause::Unimplemented { .. }), "{text}: {}", f.cause);
    }
}

#[test]
fn threadgroup_loads_read_what_lanes_stored() {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r1l", l, 4 * l as u64);
        bench.set("r1h", l, 3);
        bench.set("r2", l, 0x0001_0000 * l as u64 + 7);
    }
    bench.run("threadgroup_store i32, x, r2, r1l, 0");
    bench.run("threadgroup_load i32, xy, r4_r5, r1l, 1");
    assert_eq!(bench.get("r4_r5", 4), 0x0006_0007_0005_0007);
    bench.run("threadgroup_load i16, x, r4l, 0, r1h");
    assert_eq!(bench.get("r4l", 0), 1);
}

#[test]
fn the_last_registers_may_hold_the_address_of_several_elements() {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r127h", l, 4 * l as u64);
        bench.set("r2", l, 0x0001_0000 * l as u64 + 7);
    }
    bench.run("threadgroup_store i32, x, r2, r127h, 0");
    bench.run("threadgroup_load i16, xyz, r4l_r4h_r5l, r127h, 0");
    assert_eq!([bench.get("r4", 4), bench.get("r5l", 4)], [0x0004_0007, 7]);
}

#[test]
fn the_stack_is_the_lanes_own() {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r4", l, 100 + l as u64);
    }
    bench.run("stack_adjust 0, 1, 2, 0, 0, 56");
    bench.run("stack_store i32, 1, 0, x, 4, r4, 8, 0");
    bench.run("stack_adjust 0, 1, 2, 0, 0, -8");
    bench.run("stack_load r6, i32, 1, 0, x, 4, 16, 0");
    assert_eq!((bench.get("r6", 0), bench.get("r6", 31)), (100, 131));
    bench.run("stack_load r8l_r8h, i16, 1, 0, xy, 4, 16, 0");
    assert_eq!(bench.get("r8", 5), 105);
    // The pointer is the group's: it moves where no lane is active, too.
    let moved = bench.step(&code("stack_adjust 0, 1, 2, 0, 0, -48"), 0);
    assert!(moved.is_ok());
    bench.run("stack_load r6, i32, 1, 0, x, 4, 64, 0");
    assert_eq!(bench.get("r6", 3), 103);
}

#[test]
fn atomics_go_lane_after_lane() {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r2_r3", l, 0x100);
        bench.set("r4", l, l as u64);
        bench.set("r5", l, 0xffff_fff0 + l as u64);
        bench.set("r8l", l, 0x40);
    }
    bench.run("atomic add, 0, r6, r2_r3, 0, signed, r4, 1, 0, 1, 4, 2");
    assert_eq!(bench.global.word(0x100), 496);
    assert_eq!((bench.get("r6", 1), bench.get("r6", 4)), (0, 6));
    bench.run("atomic imin, 0, _, r2_r3, 0, signed, r5, 1, 0, 1, 4, 2");
    assert_eq!(bench.global.word(0x100), 0xffff_fff0);
    bench.run("atomic umax, 0, _, r2_r3, 0, signed, r4, 1, 0, 1, 4, 2");
    assert_eq!(bench.global.word(0x100), 0xffff_fff0);
    bench.run("atomic xchg, 0, r6, r2_r3, 0, signed, r4, 1, 0, 1, 4, 2");
    assert_eq!((bench.get("r6", 0), bench.get("r6", 9)), (0xffff_fff0, 8));
    assert_eq!(bench.global.word(0x100), 31);
    // Of the 32 numbers lane 31's is there.
    bench.run("atomic cmpxchg, 0, r6, r2_r3, 0, signed, r4_r5, 1, 0, 1, 4, 2");
    assert_eq!(bench.global.word(0x100), 0x0000_000f);
    assert_eq!(bench.get("r6", 31), 31);
    bench.run("threadgroup_store i32, x, r4, r8l, 0");
    let sum = "threadgroup_atomic add, r6, r8l, 0, r4, 0, 0, 0, 0";
    bench.run(sum);
    assert_eq!(bench.get("r6", 2), 31 + 1);
    assert_eq!(bench.shared[0x40..0x42], (31u16 + 496).to_le_bytes());
}

#[test]
fn uniforms_take_the_highest_lane() {
    let mut bench = Bench::new();
    for l in 0..32 {
        bench.set("r1", l, 0x2000_1000 + l as u64);
    }
    let form = |f: &str| {
        let forms = warpsmith_isa::g13::table::TABLE.forms();
        forms.iter().position(|r| r.name == f).expect("a form")
    };
    use warpsmith_isa::set::{Fields, InstructionSet};
    let values = vec![("F", 1), ("mask", 3), ("R", 2), ("Rt", 0), ("O", 20), ("Ot", 1)];
    let fields = Fields { row: form("uniform_store"), values, long: true, ..Fields::default() };
    let instr = warpsmith_isa::g13::G13.encode(&fields).expect("legal");
    let stepped = bench.step(&instr.code.to_vec(), 0x0000_ff00);
    assert!(stepped.is_ok(), "{stepped:?}");
    assert_eq!(bench.get("u10", 0), 0x2000_100f);
}
