//! A barrier deadlock in one block while others still retire: model and chip name the same trap.

use crate::support::set_chip::native;
use crate::support::sim;
use warpsmith_cosim::{cosim, Chip, CosimOptions, MemoryOptions, MemoryTiming, Outcome, RunOptions};
use warpsmith_isa::set::asm;
use warpsmith_isa::sets::by_name;
use warpsmith_isa::{assemble, decode, Op};
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::{Launch, Trap, TrapCause};

/// Blocks from `s[0x10]` on, as many as `s[0x14]`, deadlock: their warps wait at two barriers. The others
/// count to `s[0x18]`, a load and a store a round, meet at a barrier and end as the text `END` says.
const SM10: &str = "MVI R3, 0x0; IMAD32I.U16 R3, g[0x6].U16, 0x1, R3\n\
    MOV R4, g[0x4]; ISET.S32.C0 o[0x7f], R3, R4, LT; BRA C0.NE, busy\n\
    IADD R4, g[0x5], R4; ISET.S32.C0 o[0x7f], R3, R4, GE; BRA C0.NE, busy\n\
    SHR R1, R0, 0x5; MVI R4, 0x1; ISET.S32.C0 o[0x7f], R1, R4, LT; BRA C0.NE, first\n\
    ISET.S32.C0 o[0x7f], R1, R4, EQ; BRA C0.NE, second\n\
    MVI R6, 0x0; MOV R4, g[0x7]\n\
    later: IADD32I R6, R6, 0x1; ISET.S32.C0 o[0x7f], R6, R4, LT; BRA C0.NE, later; RET\n\
    first: BAR.ARV.WAIT b0, 0xfff; RET\n\
    second: BAR.ARV.WAIT b1, 0xfff; RET\n\
    busy: MOV R4, g[0x6]; MVI R6, 0x0; SHL R3, R3, 0x9; SHL R1, R0, 0x2; IADD R1, R1, R3\n\
    again: GLD.U32 R7, global14[R1]; IADD32I R7, R7, 0x1; GST.U32 global14[R1], R7\n\
    IADD32I R6, R6, 0x1; ISET.S32.C0 o[0x7f], R6, R4, LT; BRA C0.NE, again\n\
    BAR.ARV.WAIT b2, 0xfff\n";

/// The same of Fermi.
const FERMI: &str = "S2R R3, SR_CTAid_X; S2R R0, SR_Tid_X; MOV R4, c[0x0][0x20]\n\
    ISETP.LT.AND P0, PT, R3, R4, PT; @P0 BRA busy\n\
    IADD R4, R4, c[0x0][0x24]; ISETP.GE.AND P0, PT, R3, R4, PT; @P0 BRA busy\n\
    SHR.U32 R1, R0, 0x5; ISETP.EQ.AND P0, PT, R1, RZ, PT; @P0 BRA first\n\
    ISETP.EQ.AND P0, PT, R1, 0x1, PT; @P0 BRA second; MOV R6, RZ\n\
    later: IADD R6, R6, 0x1; ISETP.LT.AND P0, PT, R6, c[0x0][0x2c], PT; @P0 BRA later; EXIT\n\
    first: BAR.SYNC 0x0; EXIT\n\
    second: BAR.SYNC 0x1, 0x80; EXIT\n\
    busy: MOV R6, RZ; SHL R3, R3, 0x9; SHL R1, R0, 0x2; IADD R1, R1, R3\n\
    again: LD R7, [R1]; IADD R7, R7, 0x1; ST [R1], R7\n\
    IADD R6, R6, 0x1; ISETP.LT.AND P0, PT, R6, c[0x0][0x28], PT; @P0 BRA again\n\
    BAR.SYNC 0x2\n";

/// What a launch is made of: which blocks deadlock, rounds of the others, rounds of a deadlocking block's
/// third warp, and the end of the others.
#[derive(Clone, Copy, Debug)]
struct Mix {
    blocks: u32,
    threads: u32,
    first: u32,
    count: u32,
    rounds: u32,
    late: u32,
    end: &'static str,
}

fn launch(isa: &str, m: Mix) -> Launch {
    let mut l = match isa {
        "sm10" => {
            let text = format!("{SM10}{}\n", m.end);
            let program = assemble(&text, "mix").unwrap_or_else(|e| panic!("{e}"));
            Launch::from_words("mix", program.words)
        }
        _ => {
            let set = by_name(isa).expect("a set");
            let text = format!("{FERMI}{}\n", m.end).replace("; ", ";\n");
            let program = asm::assemble(set, &text, "mix").unwrap_or_else(|e| panic!("{e}"));
            let mut l = Launch::from_code(set.isa(), program.bytes);
            l.registers = 16;
            l
        }
    };
    (l.grid, l.block) = ([m.blocks, 1], [m.threads, 1, 1]);
    l.params = vec![m.first, m.count, m.rounds, m.late];
    if isa == "sm10" {
        l.shared_bytes = 32;
    }
    l.global_bytes = 512 * u64::from(m.blocks);
    l.globals = vec![GlobalSection::new(0, (0..l.global_bytes).map(|i| i as u8).collect())];
    l
}

#[track_caller]
fn trap(chip: &Chip, l: &Launch, mix: Mix, seed: u64) -> Trap {
    let options = CosimOptions {
        run: RunOptions {
            seed,
            memory: MemoryOptions {
                timing: MemoryTiming::Latency(1, 1 + 30 * (seed % 3) as u32),
                ready_of_256: 256 - 64 * (seed % 2) as u32,
                seed,
            },
            ..RunOptions::default()
        },
        ..CosimOptions::default()
    };
    let report = cosim(chip, l, &options).unwrap_or_else(|e| panic!("{e}"));
    match report.outcome {
        Outcome::Trap(t) => t,
        other => panic!("{}, {mix:?}, seed {seed}: {other}", chip.info().name),
    }
}

/// Every mix on a chip: which blocks deadlock, how long the others run, how the deadlock is found.
fn agree(chip: &Chip, isa: &str, blocks: &[u32]) {
    let mut seed = 0;
    let mut elsewhere = 0;
    let end = if isa == "sm10" { "RET" } else { "EXIT" };
    for &blocks in blocks {
        for (first, count) in [(0, 1), (blocks - 1, 1), (blocks / 2, 1), (0, blocks)] {
            // With a third warp its end may be what is waited for.
            for (threads, late) in [(64, 0), (96, 1), (70, 30)] {
                for rounds in [0, 3, 90] {
                    let mix = Mix { blocks, threads, first, count, rounds, late, end };
                    seed += 1;
                    let l = launch(isa, mix);
                    let t = trap(chip, &l, mix, seed);
                    assert_eq!(t.cause, TrapCause::BarrierDeadlock, "{mix:?}: {t}");
                    let dead = first..first + count;
                    assert!(dead.contains(&t.ctaid[0]), "{mix:?}: {t}");
                    // The lowest warp that has not ended, where it waits.
                    assert_eq!(t.warp, 0, "{mix:?}: {t}");
                    if isa == "sm10" {
                        let (at, words) = (t.pc as usize / 4, l.program.words());
                        let instr = decode(words[at], words[at + 1]).expect("defined");
                        assert!(matches!(instr.op, Op::Bar { id: 0, .. }), "{mix:?}: {t}");
                    }
                    elsewhere += usize::from(t.ctaid[0] != 0);
                }
            }
        }
    }
    assert!(elsewhere > 0, "no other block than the first has deadlocked");
}

/// The other blocks trap too: whichever the chip finds first, the model knows it.
fn either(chip: &Chip, isa: &str, ends: &[&'static str]) {
    let mut causes = [0; 16];
    for (n, end) in ends.iter().enumerate() {
        for late in (0..32).step_by(2) {
            // The deadlock comes later and later, beside traps of the others.
            let mix = Mix { blocks: 4, threads: 96, first: n as u32, count: 2, rounds: 1, late: late * 3 / 2, end };
            let t = trap(chip, &launch(isa, mix), mix, late.into());
            causes[usize::from(t.cause.number())] += 1;
        }
    }
    println!("{}: traps by cause {causes:?}", chip.info().name);
    assert!(causes.iter().filter(|n| **n > 0).count() > 1, "{causes:?}");
}

/// Ends of the other blocks: a trap of the data path, a stack too full and one too empty.
const ENDS: [&str; 3] = ["BPT", "over: SSY over; BRA over", "NOP.S; RET"];

#[test]
fn a_deadlock_beside_other_blocks_is_agreed_on_one_sm() {
    for (name, set) in [("default", &[][..]), ("tiny", &[]), ("wide", &[])] {
        let chip = native(name, set);
        agree(&chip, "sm10", &[2, 5]);
        either(&chip, "sm10", &ENDS);
    }
}

#[test]
fn a_deadlock_beside_other_blocks_is_agreed_on_several_sms() {
    let chip = native("quad", &[]);
    agree(&chip, "sm10", &[2, 9]);
    either(&chip, "sm10", &ENDS);
    let chip = native("default", &["sms=2", "lanes=16", "port_words=16"]);
    agree(&chip, "sm10", &[2, 3]);
}

#[test]
fn a_deadlock_beside_other_blocks_is_agreed_on_chips_of_fermi() {
    let fermi = "isa=fermi";
    for (name, set) in [("default", &[fermi][..]), ("wide", &[fermi, "sms=2"])] {
        let chip = native(name, set);
        agree(&chip, "fermi", &[2, 5]);
        either(&chip, "fermi", &["BRK; EXIT", "MOV32I R0, 0x1; LD R1, [R0]; EXIT"]);
    }
}

#[test]
fn a_deadlock_beside_other_blocks_is_agreed_in_verilator() {
    if let Some(chip) = sim::chip("default", &[]) {
        agree(&chip, "sm10", &[2, 5]);
    }
}
