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
const TRAPS: [Trapping; 26] = [
    (
        "a word of threadgroup memory at odd addresses",
        "get_sr r2, sr51; threadgroup_load i32, x, r3, r2l, 0; stop;",
        TrapCause::MisalignedAccess,
    ),
    (
        "a store of threadgroup memory at odd addresses",
        "get_sr r2, sr51; threadgroup_store i16, x, r3, r2l, 0; stop;",
        TrapCause::MisalignedAccess,
    ),
    ("a load beyond threadgroup memory", "threadgroup_load i32, x, r3, 0, 16; stop;", TrapCause::OutOfRange),
    (
        "three elements that end beyond threadgroup memory",
        "threadgroup_store i32, xyz, r3_r4_r5, 0, 14; stop;",
        TrapCause::OutOfRange,
    ),
    ("a load beyond device memory", "device_load 0, i32, x, r3, u0_u1, 1024, unsigned; stop;", TrapCause::OutOfRange),
    (
        "a store below device memory",
        "device_store 0, i32, x, r3, u0_u1, 65535, signed, 0; stop;",
        TrapCause::OutOfRange,
    ),
    (
        "an index that leaves device memory in some threads",
        "get_sr r2, sr51; device_load 0, i32, xyz, r3_r4_r5, u0_u1, r2, unsigned, lsl 2; \
         imadd r2, r2, 32, 0; device_load 0, i32, xyz, r3_r4_r5, u0_u1, r2, unsigned, lsl 2; stop;",
        TrapCause::OutOfRange,
    ),
    (
        "an address of more than 32 bits",
        "mov_imm r2, 16, 0b0; mov_imm r3, 1, 0b0; device_load 0, i32, x, r4, r2_r3, 0, unsigned; stop;",
        TrapCause::OutOfRange,
    ),
    ("trap where no thread is left", "if_icmp r0l, ult, r2, 0, 1; trap; stop;", TrapCause::Trap),
    ("bytes that are no instruction", ".byte 0xff; .byte 0xff; .byte 0xff; .byte 0xff; stop;", TrapCause::Illegal),
    ("a register beyond the launch's", "mov_imm r8, 1, 0b0; stop;", TrapCause::Register),
    (
        "registers of a load that end beyond the launch's",
        "device_load 0, i32, xyz, r6_r7_r8, u0_u1, 0, unsigned; stop;",
        TrapCause::Register,
    ),
    (
        "registers of a threadgroup load that end beyond the launch's",
        "threadgroup_load i32, xy, r7_r8, 0, 0; stop;",
        TrapCause::Register,
    ),
    ("the end of the program", "iadd r2, r2, 1;", TrapCause::Fetch),
    ("an instruction that the program ends in", "iadd r2, r2, 1; .byte 0x72; .byte 0;", TrapCause::Fetch),
    ("an odd byte at the end of the program", "iadd r2, r2, 1; .byte 0x88;", TrapCause::Fetch),
    (
        "a return to different addresses",
        "get_sr r2, sr51; imadd r2, r2, 2, 0; ret r2; stop;",
        TrapCause::StackUnderflow,
    ),
    ("a return to an odd address", "mov_imm r2, 3, 0b0; ret r2; stop;", TrapCause::Fetch),
    ("a call of an address beyond every program", "mov_imm r2, 0xfffffff0, 0b0; call r2; stop;", TrapCause::Fetch),
    ("a load beyond private memory", "stack_load r3, i32, 0, 0, x, 0, 2000, 0; stop;", TrapCause::OutOfRange),
    ("a fold over lanes", "simd_iadd r2, r3; stop;", TrapCause::Unimplemented),
    ("a sum of 64 bits", "iadd r2_r3, r3, r4; stop;", TrapCause::Unimplemented),
    ("the second element alone", "device_load 0, i32, y, r3, u0_u1, 0, unsigned; stop;", TrapCause::Unimplemented),
    ("two elements in halves", "device_load 0, i16, xy, r2l_r2h, u0_u1, 0, unsigned; stop;", TrapCause::Unimplemented),
    (
        "a pair and an index in registers",
        "device_load 0, i32, x, r4, r2_r3, r5, unsigned; stop;",
        TrapCause::Unimplemented,
    ),
    (
        "a load over both registers of its address",
        "threadgroup_load i32, xy, r2_r3, r2l, r3l; stop;",
        TrapCause::Unimplemented,
    ),
];

/// The cause by which a launch traps on the model of chips.
fn of_model(launch: &Launch) -> Option<TrapCause> {
    match Machine::of_chip(&G13, launch, 16, None).run(10_000, None) {
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
        let of_chips = lowered.is_ok_and(|l| G13Set.lacks(&sample, &l).is_none());
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
