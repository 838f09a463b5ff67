//! Chips of G13 in lockstep: kernels, random programs, errors that must be noticed, instructions at random, traps, faults.

use crate::support::set_chip::{self, chip_tests, native, Trapping};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use warpsmith_cosim::{cosim, CosimOptions, Outcome};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13 as G13Set;
use warpsmith_isa::set::InstructionSet;
use warpsmith_model::g13::G13;
use warpsmith_model::uop::{Ended, Machine};
use warpsmith_model::{Launch, TrapCause};

chip_tests!("g13");

/// Programs that trap, and the cause. Uniforms are 0.
#[rustfmt::skip] // One row a line.
const TRAPS: [Trapping; 28] = [
    ("a word of threadgroup memory at odd addresses", "get_sr r2, sr51; threadgroup_load i32, x, r3, r2l, 0; stop;", TrapCause::MisalignedAccess),
    ("a store of threadgroup memory at odd addresses", "get_sr r2, sr51; threadgroup_store i16, x, r3, r2l, 0; stop;", TrapCause::MisalignedAccess),
    ("a load beyond threadgroup memory", "threadgroup_load i32, x, r3, 0, 16; stop;", TrapCause::OutOfRange),
    ("three elements that end beyond threadgroup memory", "threadgroup_store i32, xyz, r3_r4_r5, 0, 14; stop;", TrapCause::OutOfRange),
    ("a load beyond device memory", "device_load 0, i32, x, r3, u0_u1, 1024, unsigned; stop;", TrapCause::OutOfRange),
    ("a store below device memory", "device_store 0, i32, x, r3, u0_u1, 65535, signed, 0; stop;", TrapCause::OutOfRange),
    (
        "an index that leaves device memory in some threads",
        "get_sr r2, sr51; device_load 0, i32, xyz, r3_r4_r5, u0_u1, r2, unsigned, lsl 2; \
         imadd r2, r2, 32, 0; device_load 0, i32, xyz, r3_r4_r5, u0_u1, r2, unsigned, lsl 2; stop;",
        TrapCause::OutOfRange,
    ),
    ("an address of more than 32 bits", "mov_imm r2, 16, 0b0; mov_imm r3, 1, 0b0; device_load 0, i32, x, r4, r2_r3, 0, unsigned; stop;", TrapCause::OutOfRange),
    ("trap where no thread is left", "if_icmp r0l, ult, r2, 0, 1; trap; stop;", TrapCause::Trap),
    ("bytes that are no instruction", ".byte 0xff; .byte 0xff; .byte 0xff; .byte 0xff; stop;", TrapCause::Illegal),
    ("a register beyond the launch's", "mov_imm r8, 1, 0b0; stop;", TrapCause::Register),
    ("registers of a load that end beyond the launch's", "device_load 0, i32, xyz, r6_r7_r8, u0_u1, 0, unsigned; stop;", TrapCause::Register),
    ("registers of a threadgroup load that end beyond the launch's", "threadgroup_load i32, xy, r7_r8, 0, 0; stop;", TrapCause::Register),
    ("the end of the program", "iadd r2, r2, 1;", TrapCause::Fetch),
    ("an instruction that the program ends in", "iadd r2, r2, 1; .byte 0x72; .byte 0;", TrapCause::Fetch),
    ("an odd byte at the end of the program", "iadd r2, r2, 1; .byte 0x88;", TrapCause::Fetch),
    ("a return to different addresses", "get_sr r2, sr51; imadd r2, r2, 2, 0; ret r2; stop;", TrapCause::StackUnderflow),
    ("a return to an odd address", "mov_imm r2, 3, 0b0; ret r2; stop;", TrapCause::Fetch),
    ("a call of an address beyond the program", "mov_imm r2, 256, 0b0; call r2; stop;", TrapCause::Fetch),
    ("a load beyond private memory", "stack_load r3, i32, 0, 0, x, 0, 2000, 0; stop;", TrapCause::OutOfRange),
    ("a fold over lanes", "simd_iadd r2, r3; stop;", TrapCause::Unimplemented),
    ("a pair that is shifted in a sum of 64 bits", "iadd r2_r3, r3, r4_r5, lsl 1; stop;", TrapCause::Unimplemented),
    ("a pair of which half is beyond the launch's", "iadd r7_r8, r3, r4; stop;", TrapCause::Register),
    ("halves over the address", "device_load 0, i16, xy, r2l_r2h, u0_u1, r2, unsigned; stop;", TrapCause::Unimplemented),
    ("halves over the base", "threadgroup_load i16, xyz, r2h_r3l_r3h, r3l, 0; stop;", TrapCause::Unimplemented),
    ("halves that end beyond the launch's registers", "device_load 0, i16, xyz, r7l_r7h_r8l, u0_u1, 0, unsigned; stop;", TrapCause::Register),
    ("a store at a pair and an index in registers", "device_store 0, i32, x, r4, r2_r3, r5, unsigned, 0; stop;", TrapCause::Unimplemented),
    ("a load over both registers of its address", "threadgroup_load i32, xy, r2_r3, r2l, r3l; stop;", TrapCause::Unimplemented),
];

/// Programs of what random ones rarely hit: what they do, and their text. 40 threads a block, r2 is the lane.
const AGREEING: [(&str, &str); 16] = [
    (
        "shuffles",
        "imadd r3, r2, r2, 5; simd_shuffle r4, r3, r2l; simd_shuffle_down r5, r3, 3; simd_shuffle_up r6, r3, r2l; \
         simd_shuffle_xor r7, r3, 5; simd_shuffle_rotate_up r4, r3, 9; simd_shuffle r5l, r3h, 31; \
         simd_shuffle_down r6, r7, r2l; simd_shuffle_xor r7, r2, r2l; simd_shuffle_rotate_up r3, r3, r2l; \
         simd_shuffle r3, r3, 32; simd_shuffle_up r3, r3, 1; stop;",
    ),
    (
        "shuffles of quads",
        "imadd r3, r2, r2, 5; quad_shuffle r4, r3, r2; quad_shuffle_down r5, r3, 1; quad_shuffle_up r6, r3, r2; \
         quad_shuffle_xor r7, r3, 3; quad_shuffle_rotate_up r4, r3_r4, r2_r3; quad_shuffle_down r5, r3, r2; \
         quad_shuffle_up r6, r3, 2; quad_shuffle_xor r7l, r3, r2l; stop;",
    ),
    (
        "operations over lanes where some are active",
        "and r3, r2, 5; if_icmp r0l, ult, r3, 2, 1; simd_shuffle_down r4, r2, 1; quad_shuffle_xor r5, r2, 1; \
         icmp_ballot r6, ult, r2, 11; icmp_quad_ballot r7, ueq, r3, 1; dfdx r4, r2; pop_exec r0l, 1; \
         if_icmp r0l, ult, r2, 0, 1; icmp_ballot r6, ult, r2, 11; simd_shuffle r6, r2, 1; pop_exec r0l, 1; \
         icmp_ballot r4l, ult, r2, 17; stop;",
    ),
    (
        "ballots",
        "convert u32_to_f, r3, r2, rte; icmp_ballot r4, ult, r2, 17; icmp_quad_ballot r5, ugt, r2, 5; \
         fcmp_ballot r6, lt, r3, 8.0; fcmp_quad_ballot r7h, gte, r3, 6.0; icmp_ballot r4h, nueq, r4, r2; \
         icmp_ballot r5, ueq, r4, r4; icmp_ballot r6, ult, r5, r6; stop;",
    ),
    (
        "derivatives",
        "convert u32_to_f, r3, r2, rte; fmul32 r3, r3, r3; dfdx r4, r3; dfdy r5, r3; dfdx r6l, r3.neg; \
         dfdy.sat r7, r3.abs; dfdx r4l, r6l; dfdy r5, r6l.neg; dfdx.sat r6h, r6l; dfdy r7h, r3; dfdx r3, r3; stop;",
    ),
    (
        "special functions and halves",
        "convert u32_to_f, r3, r2, rte; fmul32 r3, r3, 0.125; fadd32 r4l, r3, -2.0; exp2 r5, r3.neg; exp2 r5h, r4l; \
         sin_pt_1 r6, r3; sin_pt_2 r7, r6; sin_pt_1 r6l, r3; sin_pt_2 r6h, r6l; rsqrt_special r7, r3; \
         rsqrt_special r7l, r4l; rcp r5l, r4l; log2 r5h, r3; rsqrt.sat r6l, r3; exp2.sat r6h, r4l; stop;",
    ),
    (
        "selects of four registers behind what they read",
        "iadd r3, r2, 3; iadd r4, r2, 100; iadd r5, r3, r4; icmpsel ugt, r6, r2, r3, r4, r5; iadd r5, r5, 1; \
         icmpsel ult, r5, r2, r3, r4, r5; imadd r4, r2, 3, 1; fcmpsel lt, r3, r2, r3, r5, r4; \
         icmpsel ult, r7l, r2, r3, r4h, r5l; stop;",
    ),
    (
        "calls",
        "if_icmp r0l, ugt, r2, 3, 1; call one; pop_exec r0l, 1; if_icmp r0l, ult, r2, 0, 1; ret r1; \
         call r3; pop_exec r0l, 1; iadd r7, r1, r2; stop; one: iadd r5, r5, 3; ret r1;",
    ),
    (
        "private memory",
        "imadd r3, r2, 7, 1; stack_store i32, 1, 0, xy, 4, r2_r3, 8, 0; stack_adjust 1, 0, 0, 0, 0, 4; \
         stack_load r4_r5, i32, 1, 0, xy, 4, 4, 0; stack_get_ptr 0, 0, 0, 0, 0, r6; and r7, r2, 12; \
         stack_adjust_reg 1, 0, 0, 0, 0, r7; stack_get_ptr 0, 0, 0, 0, 0, r7; stack_load r4, i8, 1, 0, x, 4, -4, 0; \
         if_icmp r0l, ult, r2, 0, 1; stack_adjust 1, 0, 0, 0, 0, -4; stack_adjust_reg 1, 0, 0, 0, 0, r6; \
         pop_exec r0l, 1; stack_get_ptr 0, 0, 0, 0, 0, r6; stop;",
    ),
    (
        "uniforms",
        "mov_imm r3, 0x12345678, 0b0; uniform_store 2, i16, xy, 0, r3l_r3h, 144; iadd r4, u72, r2; \
         uniform_store 2, i16, x, 0, r3h, 145; iadd r5, u72, 1; uniform_store 2, i16, x, 0, r3l, 37, lsl 2; \
         iadd r6, u74l, r5; if_icmp r0l, ult, r2, 0, 1; uniform_store 2, i16, xy, 0, r2l_r2h, 144; pop_exec r0l, 1; \
         fadd32 r7, u72, 1.0; stop;",
    ),
    (
        "sums that are clamped",
        "mov_imm r3, 0x7ffffff0, 0b0; iadd.sat r4, r3.sx, r2.sx; iadd.sat r5, r3, r3; iadd.sat r6l, r3, r2; \
         isub.sat r7, r2, 16; imadd.sat r4, r3, r3, r2; imadd.sat r5, r3.sx, r2, r3.sx; imsub.sat r6h, r2l.sx, r2, r3; \
         stop;",
    ),
    (
        "several floats in one word",
        "get_sr r2, sr80; convert u32_to_f, r4, r2, rte; fmul32 r5, r4, 0.25; fadd32 r3, r4, -8.0; \
         device_store 0, rgb9e5, xyz, r3_r4_r5, u0_u1, r2, unsigned, 0; device_load 0, i32, x, r6, u0_u1, r2, unsigned; wait 0; \
         device_store 0, rg11b10f, xyz, r3_r4_r5, u0_u1, r2, unsigned, 0; device_load 0, i32, x, r7, u0_u1, r2, unsigned; wait 0; \
         fmul32 r6, r4, 0.03125; if_icmp r0l, ult, r2, 21, 1; \
         device_store 0, rgb10a2, xyzw, r3_r4_r5_r6, u0_u1, r2, unsigned, 0; pop_exec r0l, 1; \
         device_load 0, rgb10a2, xyzw, r3_r4_r5_r6, u0_u1, r2, unsigned; wait 0; fadd32 r7, r3, r6; stop;",
    ),
    (
        "rows of halves",
        "get_sr r2, sr80; mov_imm r7, 0x8000, 0b0; imadd r3, r2, r2, r7; imadd r4, r3, 77, r2; device_store 0, i16, xyzw, r3l_r3h_r4l_r4h, u0_u1, r2, unsigned, lsl 2, 0; \
         device_load 0, i16, yzw, r5h_r6l_r6h, u0_u1, r2, unsigned, lsl 2; wait 0; iadd r7, r5h, r6; \
         stack_store i16, 1, 0, xy, 4, r6h_r7l, 8, 0; stack_load r3h_r4l, i16, 1, 0, xy, 4, 8, 0; iadd r5, r3h, r4; \
         device_store 0, rgb9e5, xyz, r3h_r4l_r4h, u0_u1, r2, unsigned, 0; device_load 0, rgb9e5, xyz, r5h_r6l_r6h, u0_u1, r2, unsigned; \
         wait 0; fadd16 r7l, r5h, r6l; stack_adjust 1, 0, 0, 0, 0, 8; stop;",
    ),
    (
        "sums of 64 bits",
        "mov_imm r3, 0xfffffff0, 0b0; iadd r4_r5, r3, r2; iadd r4_r5, r4_r5, r3.sx; isub r6_r7, r4_r5, r3, lsl 4; \
         iadd r6_r7, r6_r7, r3l.sx, lsl 2; iadd r3_r4, r3.sx, r4_r5; isub r4_r5, r3_r4, r4_r5; iadd r5_r6, r5.sx, r5.sx, lsl 3; \
         isub r6_r7, 0, r2; iadd r6_r7, r6_r7, u0; isub r2_r3, r3h.sx, r2_r3; isub.sat r4_r5, 3, r2, lsl 4; stop;",
    ),
    (
        "products of 64 bits",
        "mov_imm r3, 0xfffff123, 0b0; imadd r4_r5, r3, r3, r2; imadd r4_r5, r3.sx, r3, r4_r5; imsub r6_r7, r3.sx, r2, r4_r5; \
         imadd r6_r7, r3, r3.sx, r3.sx, lsl 3; imsub r2_r3, r3.sx, r3.sx, r2, lsl 4; imadd r3_r4, r3, r4, r4_r5; \
         imadd r4_r5, r4l.sx, 255, r5h.sx, lsl 1; imadd r5_r6, r5, r6, 0; imsub r6_r7, r7h, r6.sx, 9, lsl 2; stop;",
    ),
    (
        "shifts of two words",
        "mov_imm r3, 0x89abcdef, 0b0; mov_imm r4, 0x76543210, 0b0; shlhi r5, r4, r3, r2, mask 0xff; \
         shrhi r6, r4, r3, r2; asrh r7, r3, r2; imadd r5, r2, 2, 30; shlhi r6, r4, r3, r5, mask 0xfff; \
         shrhi r7, r4, r3, r5, mask 0x7; extr r6, r3, r4, r5, mask 0xffff; bfeil r7, r4, r3, r5, mask 0x1f; \
         asrh r6, r3h, r5; imadd r7, r2, r3, r4, lsl 3; convert s8_to_f, r6, r3, rte; convert u8_to_f, r6h, r3h, rtz; \
         stop;",
    ),
];

/// Chips of 2, 4, 8, 16 and 32 lanes.
fn of_every_width() -> Vec<warpsmith_cosim::Chip> {
    let narrow = [SMALL, &["lanes=2", "port_words=2"]].concat();
    let broad = [ISA, "lanes=16", "port_words=16", "shared_banks=16"];
    vec![
        native("tiny", &narrow),
        native("tiny", SMALL),
        native("default", &[ISA]),
        native("default", &broad),
        native("wide", &[ISA]),
    ]
}

#[test]
fn programs_agree_on_chips_of_every_width() {
    let chips = of_every_width();
    for (what, text) in AGREEING {
        let launch = set_chip::launch("g13", what, set_chip::TRAPPING, &format!("get_sr r2, sr52; {text}"));
        let launch = Launch { local_bytes: 256, ..launch };
        assert_eq!(of_model(&launch), None, "{what}");
        for chip in &chips {
            let report = cosim(chip, &launch, &CosimOptions::default());
            let report = report.unwrap_or_else(|e| panic!("{what} on {}: {e}", chip.info().name));
            assert!(report.outcome.is_agreement(), "{what} on {}: {}", chip.info().name, report.outcome);
        }
    }
}

/// The cause by which a launch traps on the model of chips.
fn of_model(launch: &Launch) -> Option<TrapCause> {
    match Machine::of_chip(&G13, launch, 16, None).run(10_000) {
        Err(Ended::Trap(t)) => Some(t.cause.number()),
        Err(e) => panic!("{e}"),
        Ok(_) => None,
    }
}

#[test]
fn programs_that_trap_do_so_on_the_model() {
    for program in &TRAPS {
        let launch = set_chip::launch("g13", program.0, set_chip::TRAPPING, program.1);
        assert_eq!(of_model(&launch), Some(program.2), "{}", program.0);
    }
}

#[test]
fn instructions_at_random_do_or_trap_as_on_the_model() {
    let chip = native("default", &[ISA]);
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed_0134);
    let (mut ran, mut trapped) = (0, 0);
    for (row, form) in TABLE.forms().iter().enumerate() {
        // Jumps may go on without end.
        if ["jmp", "call", "ret"].iter().any(|j| form.name.starts_with(j)) {
            continue;
        }
        let sample = G13Set.sample(row).expect("one of each form");
        let lowered = G13Set.lower(&sample, 0);
        let of_chips = lowered.is_ok_and(|l| G13Set.lacks(&sample, &l, warpsmith_isa::Options::default()).is_none());
        let count = if of_chips { 6 } else { 1 };
        for _ in 0..crate::support::cases(count, 20 * count) {
            let bits = rng.gen::<u128>() & !form.mask | form.match_;
            let length = form.length.of(bits);
            let mut code = bits.to_le_bytes()[..length].to_vec();
            // stop
            code.extend([0x88, 0]);
            let launch = Launch {
                registers: 126,
                shared_bytes: 256,
                global_bytes: 256,
                params: vec![0x40; 64],
                ..Launch::from_code(warpsmith_isa::Isa::G13, code)
            };
            let expected = of_model(&launch);
            let report = cosim(&chip, &launch, &CosimOptions::default());
            let report = report.unwrap_or_else(|e| panic!("{}: {e}", form.name));
            match (&report.outcome, expected) {
                (Outcome::Agree, None) => ran += 1,
                (Outcome::Trap(t), Some(cause)) if t.cause == cause => trapped += 1,
                (outcome, _) => panic!("{} {bits:#x}: {outcome}", form.name),
            }
        }
    }
    println!("{ran} instructions ran, {trapped} trapped");
    assert!(ran > 20 && trapped > 20, "{ran}, {trapped}");
}

/// A chip with atomic accesses.
const ATOMIC: [&str; 2] = [ISA, "atomics=true"];
/// The smallest, on one SM and on two.
const SMALL_ATOMIC: [&str; 4] = [ISA, "atomics=true", "float=true", "sfus=1"];
const NARROW_ATOMIC: [&str; 7] = [ISA, "atomics=true", "float=true", "sfus=1", "lanes=2", "port_words=2", "sms=2"];
/// The kernel of atomic accesses.
const HISTOGRAM: &str = "kernels/g13/histogram/launch.toml";

#[test]
fn the_kernel_of_atomics_agrees_on_chips_of_every_width() {
    let plain = native("default", &[ISA]);
    let launch = warpsmith_launch_file::load(HISTOGRAM).expect("a kernel of ours");
    let lacks = warpsmith_bench::lacks(plain.info(), &launch).expect("a plain chip lacks it");
    assert!(lacks.contains("atomic"), "{lacks}");
    let several = [&ATOMIC[..], &["sms=4"]].concat();
    for chip in [
        native("tiny", &SMALL_ATOMIC),
        native("tiny", &NARROW_ATOMIC),
        native("default", &several),
        native("wide", &ATOMIC),
    ] {
        assert_eq!(warpsmith_bench::lacks(chip.info(), &launch), None);
        crate::support::sim::agree(&chip, HISTOGRAM.as_ref());
    }
}

#[test]
fn random_programs_with_atomics_agree_on_one_sm_and_on_several() {
    set_chip::random_programs_agree(&native("default", &ATOMIC), 15_000, 60);
    set_chip::random_programs_agree(&native("wide", &ATOMIC), 5_000, 100);
    set_chip::random_programs_agree(&native("tiny", &NARROW_ATOMIC), 4_000, 20);
}

#[test]
fn random_programs_execute_every_operation_of_atomics() {
    let report = crate::support::sim::random_programs(&native("default", &ATOMIC), 1, 60_000);
    let families = report.coverage.families(warpsmith_isa::Tier::full());
    for f in &families {
        let missed: Vec<&str> = f.missing().into_iter().filter(|item| item.starts_with("atomic")).collect();
        assert!(missed.is_empty(), "{}: {missed:?}", f.name);
    }
    let items: Vec<&String> = families.iter().flat_map(|f| &f.items).map(|i| &i.0).collect();
    let operations = items.iter().filter(|i| i.starts_with("atomic") && i.contains("op ")).count();
    assert_eq!(operations, 10, "{items:?}");
    for access in ["global atomic 1 x U32", "global atomic 1 x S32", "global reduction 1 x U32"] {
        assert!(items.iter().any(|i| i.as_str() == access), "{access}: {items:?}");
    }
}

#[test]
fn lanes_replace_one_word_one_after_the_other() {
    // One word, a word of every thread, some threads; signs, a base that is rounded down, a result over the index.
    let text = "get_sr r2, sr80; iadd r3, r2, 1; isub r4, 7, r2; atomic sub, 0, r5, u0_u1, 64, unsigned, r3, 0, 0, 0, 0, 0; \
                atomic imin, 0, r6, u0_u1, 65, signed, r4, 0, 0, 0, 0, 0; atomic imax, 1, _, u0_u1, 66, signed, r4, 0, 0, 0, 0, 0; \
                atomic umin, 0, r7, u0_u1, r2, unsigned, r5, 0, 0, 0, 0, 0; mov_imm r5, 0x13, 0b0; mov_imm r6, 0, 0b0; \
                if_icmp r0l, ugt, r2, 5, 1; atomic xchg, 0, r2, r5_r6, 32, signed, r4, 0, 0, 0, 0, 0; pop_exec r0l, 1; \
                atomic xor, 0, r6, u0_u1, 3, unsigned, r2, 1, 2, 1, 4, 2; stop;";
    for chip in [native("tiny", &NARROW_ATOMIC), native("default", &ATOMIC), native("wide", &ATOMIC)] {
        set_chip::program_agrees("g13", &chip, "atomics", 40, text);
    }
}

/// Programs with atomic accesses that trap, and the cause.
#[rustfmt::skip] // One row a line.
const ATOMIC_TRAPS: [Trapping; 6] = [
    ("a word beyond device memory", "atomic add, 0, r3, u0_u1, 1024, unsigned, r4, 0, 0, 0, 0, 0; stop;", TrapCause::OutOfRange),
    ("an address of more than 32 bits", "mov_imm r3, 1, 0b0; atomic add, 0, r4, r2_r3, 0, signed, r4, 0, 0, 0, 0, 0; stop;", TrapCause::OutOfRange),
    ("a comparison and exchange", "atomic cmpxchg, 0, r3, u0_u1, 0, signed, r4_r5, 0, 0, 0, 0, 0; stop;", TrapCause::Unimplemented),
    ("a word of threadgroup memory", "threadgroup_atomic add, r4, 0, 0, r5, 0, 2, 128, 0; stop;", TrapCause::Unimplemented),
    ("a pair and an index in registers", "atomic add, 0, r3, r2_r3, r4, signed, r5, 0, 0, 0, 0, 0; stop;", TrapCause::Unimplemented),
    ("a result beyond the launch's registers", "atomic add, 0, r9, u0_u1, 0, signed, r4, 0, 0, 0, 0, 0; stop;", TrapCause::Register),
];

#[test]
fn traps_of_atomics_are_those_of_the_model() {
    for chip in [native("default", &ATOMIC), native("tiny", &[&SMALL_ATOMIC[..], &["sms=2"]].concat())] {
        set_chip::traps_are_those_of_the_model("g13", &chip, &ATOMIC_TRAPS);
    }
}

#[test]
fn wrong_models_of_atomics_are_noticed() {
    let chip = native("tiny", &SMALL_ATOMIC);
    set_chip::wrong_model_is_noticed(&chip, warpsmith_model::Mutant::AtomicMinMax, 100_000);
}
