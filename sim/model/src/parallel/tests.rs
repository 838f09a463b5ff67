//! Programs whose blocks race on purpose, against the run of one block after the other.

use super::Pace;
use crate::launch::{GlobalSection, Launch};
use crate::trap::TrapCause;
use crate::{Machine, ModelConfig, RunError, Stats};
use std::fmt::Write as _;
use warpsmith_testkit::Random;

/// Where the blocks meet: 16 words, and a page apart 16 more.
const SHARED_BYTES: u32 = 64;
const FAR: u32 = 0x1_0000;

fn launch(text: &str, blocks: u32, threads: u32) -> Launch {
    let program = warpsmith_isa::asm::assemble(text, "test").unwrap_or_else(|e| panic!("{e}"));
    Launch {
        grid: [blocks, 1],
        block: [threads, 1, 1],
        global_bytes: u64::from(FAR + SHARED_BYTES),
        globals: vec![GlobalSection::new(0, (0..SHARED_BYTES as u8).map(|i| i.wrapping_mul(29)).collect())],
        ..Launch::from_words("test", program.words)
    }
}

/// Everything a run leaves behind: end, counts, trap, pages of memory, blocks and the last of them.
fn left_by(launch: &Launch, run: impl Fn(&mut Machine) -> Result<Stats, RunError>) -> String {
    left_on(false, launch, run)
}

/// [`left_by`]; `plain`: of the plain path alone.
fn left_on(plain: bool, launch: &Launch, run: impl Fn(&mut Machine) -> Result<Stats, RunError>) -> String {
    let mut m = Machine::new(launch, ModelConfig { plain, ..ModelConfig::default() });
    let ended = run(&mut m);
    let mut s = format!("{ended:?} {:?} {:?}\n", m.stats(), m.trap());
    for (address, bytes) in m.global().pages() {
        let _ = writeln!(s, "{address:x}: {:?}", &bytes[..SHARED_BYTES as usize]);
        assert!(bytes[SHARED_BYTES as usize..].iter().all(|b| *b == 0));
    }
    let _ = writeln!(s, "{} {:?}", m.blocks().len(), m.blocks().last());
    s
}

/// A program of loads and stores of all sizes on the shared words, at addresses that depend on the
/// block, the thread or what was loaded; now and then a block or a value makes it trap.
fn racy(r: &mut Random) -> String {
    // R0 tid, R1 ctaid, R2 value, R3 loaded, R4 address, R5 R6 scratch, R7 an address outside.
    let mut s = String::from("MOV.U16 R1L, g [0x6].U16;\nI2I.U32.U16 R1, R1L;\nIADD R2, R1, R0;\nMVI R7, 0xfffff0;\n");
    let traps = r.below(3) == 0;
    for i in 0..3 + r.below(10) {
        let size = r.pick(&["U8", "U16", "U32", "U32", "U32"]);
        let mask = match size {
            "U8" => 63,
            "U16" => 62,
            _ => 60,
        };
        let from = r.pick(&["R1", "R1", "R0", "R2"]);
        let far = if r.below(4) == 0 { FAR } else { 0 };
        let _ = write!(
            s,
            "SHL R4, {from}, 0x{:x};\nIADD32I R4, R4, 0x{:x};\nMVI R5, 0x{mask:x};\nLOP.AND R4, R4, R5;\nIADD32I R4, R4, 0x{far:x};\n",
            r.below(4),
            r.below(64)
        );
        let _ = match r.below(8) {
            0..=2 => writeln!(s, "GLD.{size} R3, global14[R4];\nIADD R2, R2, R3;"),
            3 | 4 => writeln!(s, "GST.{size} global14[R4], R2;"),
            5 => writeln!(
                s,
                "MVI R5, 0x{:x};\nISET.S32.C0 o[0x7f], R2, R5, GT;\nGST.{size} global14[R4] (C0.NE), R2;",
                r.below(200)
            ),
            6 if traps => {
                let what = r.pick(&["R1", "R6"]);
                writeln!(
                    s,
                    "MVI R5, 0x3f;\nLOP.AND R6, R2, R5;\nMVI R5, 0x{:x};\nISET.S32.C0 o[0x7f], {what}, R5, EQ;\nGLD.U32 R3 (C0.NE), global14[R7];",
                    r.below(40)
                )
            }
            _ => writeln!(
                s,
                "MVI R5, 0x3;\nLOP.AND R5, R1, R5;\nMVI R6, 0x0;\nloop{i}: IADD R2, R2, R3;\nIADD32I R5, R5, 0xffffffff;\nISET.S32.C0 o[0x7f], R5, R6, GT;\nBRA C0.NE, loop{i};"
            ),
        };
    }
    s + "RET;\n"
}

#[test]
fn racing_blocks_leave_what_one_after_the_other_leaves() {
    let mut r = Random(11);
    let (mut wrong, mut trapped, mut limited) = (0, 0, 0);
    for case in 0..200 {
        let text = racy(&mut r);
        let l = launch(&text, 1 + r.below(60), 1 + r.below(70));
        let max = match r.below(4) {
            0 => 1 + u64::from(r.below(3000)),
            _ => u64::MAX,
        };
        let plain = left_on(true, &l, |m| m.run(max));
        assert_eq!(plain, left_by(&l, |m| m.run(max)), "case {case}:\n{text}");
        for threads in [1, 2, 3, 8] {
            let waves = left_by(&l, |m| m.run_parallel(max, threads));
            assert_eq!(plain, waves, "case {case}, {threads} threads:\n{text}");
        }
        trapped += u32::from(plain.starts_with("Err(Trap"));
        limited += u32::from(plain.starts_with("Err(Inst"));
        wrong += u32::from(plain != left_by(&l, |m| m.run_waves(max, 2, false)));
    }
    // The cases are worth something: each kind of end is there, and without the check of what a
    // block saw many go wrong.
    println!("{wrong} wrong unchecked, {trapped} trapped, {limited} at the limit");
    assert!(wrong >= 60, "{wrong}");
    assert!(trapped >= 10 && limited >= 10, "{trapped} {limited}");
}

/// A block waits for the store of the one before it.
#[test]
fn a_block_may_wait_for_an_earlier_one() {
    let text = "MOV.U16 R1L, g [0x6].U16;\nI2I.U32.U16 R1, R1L;\nMVI R2, 0x0;\nIADD32I R4, R1, 0x1;\n\
                wait: GLD.U32 R3, global14[R2];\nISET.S32.C0 o[0x7f], R3, R1, LT;\nBRA C0.NE, wait;\n\
                GST.U32 global14[R2], R4;\nRET;";
    let l = Launch { globals: Vec::new(), ..launch(text, 100, 32) };
    let plain = left_by(&l, |m| m.run(u64::MAX));
    assert!(plain.contains(": [100, 0"), "{plain}");
    assert_eq!(plain, left_by(&l, |m| m.run_parallel(u64::MAX, 2)));
}

/// The clock counts the instructions of all blocks before.
#[test]
fn a_clock_shows_the_blocks_before() {
    let text = "MOV.U16 R1L, g [0x6].U16;\nI2I.U32.U16 R1, R1L;\nMVI R5, 0xf;\nLOP.AND R1, R1, R5;\n\
                SHL R1, R1, 0x2;\nS2R R2, SR1;\nGST.U32 global14[R1], R2;\nRET;";
    let l = launch(text, 40, 32);
    let plain = left_by(&l, |m| m.run(u64::MAX));
    assert_eq!(plain, left_by(&l, |m| m.run_parallel(u64::MAX, 2)));
}

/// A trap that only the last instruction before the limit reaches, and one the limit comes before.
#[test]
fn the_limit_comes_before_the_trap_as_in_one_run() {
    let text = "MOV.U16 R1L, g [0x6].U16;\nI2I.U32.U16 R1, R1L;\nMVI R5, 0x4;\nMVI R7, 0xfffff0;\n\
                ISET.S32.C0 o[0x7f], R1, R5, EQ;\nGLD.U32 R3 (C0.NE), global14[R7];\nRET;";
    let l = launch(text, 20, 32);
    let mut ends = Vec::new();
    for max in 30..40 {
        let plain = left_on(true, &l, |m| m.run(max));
        assert_eq!(plain, left_by(&l, |m| m.run_parallel(max, 2)), "limit {max}");
        let mut m = Machine::new(&l, ModelConfig::default());
        ends.push(match m.run(max) {
            Err(RunError::Trap(t)) => Some(t.cause),
            _ => None,
        });
    }
    // Four blocks of 7, then 5 before the trap.
    let (limit, trap) = ends.split_at(4);
    assert_eq!(limit, [None; 4]);
    assert_eq!(trap, [Some(TrapCause::OutOfRange); 6]);
}

#[test]
fn waves_grow_while_they_pay_and_pauses_while_they_do_not() {
    let mut p = Pace::new(2);
    assert_eq!(p.wave, 8);
    assert_eq!((p.after(8, 2), p.wave), (0, 16));
    assert_eq!((p.after(16, 5), p.wave), (32, 8));
    assert_eq!((p.after(8, 8), p.wave), (128, 8));
    for _ in 0..9 {
        assert_eq!(p.after(8, 0), 0);
    }
    assert_eq!(p.wave, 128);
}
