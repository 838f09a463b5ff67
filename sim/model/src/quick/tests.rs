//! The quick path against the plain one, on random instructions and on accesses of every shape.

use super::{Kind, Quick, Whole};
use crate::launch::{ConstantSection, GlobalSection, Launch};
use crate::{Machine, ModelConfig};
use std::fmt::Write as _;
use warpsmith_isa::{Family, Instr, Level, Marker, Op, Pred, Src, Tier};
use warpsmith_testkit::Random;

/// All that a chip can execute: of every level.
fn tier() -> Tier {
    Tier::full().at(Level::HIGHEST)
}

/// A launch of `words`, behind which the program ends with a trap: registers stay to be seen.
fn launch(words: Vec<u32>, threads: u32) -> Launch {
    Launch {
        block: [threads, 1, 1],
        registers: 128,
        shared_bytes: 1 << 16,
        local_bytes: 64,
        global_bytes: 1 << 32,
        constants: (0..16).map(|bank| ConstantSection::new(bank, 0, vec![7 * bank; 1 << 12])).collect(),
        ..Launch::from_words("random", words)
    }
}

/// Whether an instruction leads to the next one.
fn goes_on(i: &Instr) -> bool {
    i.marker == Marker::None && (i.op.family() != Family::Control || i.op == Op::Nop)
}

/// Words `first` and random instructions that are `wanted` in a row; one that traps on the plain path is left out, but
/// for one in a thousand, which ends the program.
fn program(r: &mut Random, case: u64, first: &[u32], wanted: fn(&Instr) -> bool) -> (Launch, Vec<Instr>) {
    let threads = 1 + r.below(64);
    let (mut words, mut found) = (first.to_vec(), vec![]);
    while words.len() < first.len() + 80 {
        let (w0, mut w1) = (r.word() | 1, r.word());
        if !first.is_empty() && r.below(4) != 0 {
            // No marker, and the guard that always holds.
            w1 = w1 & !0x3f8b | 0x780;
        }
        let Ok(i) = tier().decode(w0, w1) else { continue };
        if !goes_on(&i) || !wanted(&i) {
            continue;
        }
        words.extend([w0, w1]);
        let mut m = Machine::new(&launch(words.clone(), threads), config(true, case));
        let _ = m.run(100_000);
        let last = 4 * (words.len() - 2);
        if m.trap().is_some_and(|t| t.pc as usize == last) && r.below(1000) != 0 {
            words.truncate(words.len() - 2);
            continue;
        }
        found.push(i);
    }
    (launch(words, threads), found)
}

fn config(plain: bool, fill: u64) -> ModelConfig {
    ModelConfig { plain, fill: Some(fill), tier: tier(), ..ModelConfig::default() }
}

/// Everything a run leaves behind.
fn left(launch: &Launch, fill: u64, plain: bool) -> String {
    let mut m = Machine::new(launch, config(plain, fill));
    let ended = m.run(100_000);
    let mut s = format!("{ended:?} {:?} {:?}\n", m.stats(), m.blocks());
    for (address, bytes) in m.global().pages() {
        let _ = writeln!(s, "{address:x}: {}", warpsmith_cache::key([bytes]));
    }
    s
}

#[test]
fn random_instructions_leave_what_the_plain_path_leaves() {
    let mut r = Random(37);
    let (mut quick, mut executed) = (0, 0);
    for case in 0..100 {
        let (launch, instructions) = program(&mut r, case, &[], |_| true);
        quick += instructions.iter().filter(|i| Quick::of(i).kind != Kind::Plain).count();
        let plain = left(&launch, case, true);
        let found = left(&launch, case, false);
        assert!(plain == found, "case {case}: {:08x?}", launch.program.words());
        let mut m = Machine::new(&launch, config(false, case));
        let _ = m.run(100_000);
        executed += m.stats().warp_instructions;
    }
    // Most are known, and most programs run to their end.
    assert!(quick > 100 * 20 && executed > 100 * 30, "{quick} {executed}");
}

/// An instruction that whole warps execute.
fn whole(i: &Instr) -> bool {
    i.pred == Pred::ALWAYS && Whole::of(i, u16::MAX).is_some()
}

#[test]
fn instructions_of_whole_warps_leave_what_the_plain_path_leaves() {
    // Address registers in rows at several places, of one word, and in no rows; the others are random.
    let text = "R2A A1, R0, 0x2;\nADA A2, A1, 0x8000;\nADA A3, A1, 0xffe0;\nR2A A4, R0, 0x4;\nMVI R1, 0x1fc;\nR2A A5, R1, 0x0;\n";
    let first = warpsmith_isa::asm::assemble(text, "test").unwrap().words;
    let (mut r, mut kinds) = (Random(41), [0; 5]);
    for case in 0..100 {
        let (launch, instructions) = program(&mut r, case, &first, whole);
        for i in instructions {
            kinds[0] += usize::from(i.src.iter().any(|s| matches!(s, Src::Shared(at) if at.areg != 0)));
            kinds[1] += usize::from(matches!(i.op, Op::AddA));
            kinds[2] += usize::from(i.cdst.is_some());
            kinds[3] += usize::from(matches!(i.op, Op::FMad { .. }));
            kinds[4] += usize::from(matches!(i.op, Op::FMul { .. }));
        }
        let plain = left(&launch, case, true);
        assert!(plain == left(&launch, case, false), "case {case}: {:08x?}", launch.program.words());
    }
    assert!(kinds.iter().all(|n| *n > 40), "{kinds:?}");
}

/// Loops whose threads go the same way, go apart, and end after different numbers of rounds.
#[test]
fn branches_leave_what_the_plain_path_leaves() {
    for rounds in [1, 2, 7, 300] {
        // R7 is the same in all threads, R5 in most, R6 differs.
        for (counter, condition) in [("R7", "NEU"), ("R5", "NEU"), ("R6", "GT"), ("R6", "NE")] {
            let text = format!(
                "MVI R7, 0x{rounds:x};\nMVI R8, 0x1;\nMVI R9, 0xffffffff;\nISET.S32 R5, R0, R8, EQ;\nIADD R5, R7, R5;\n\
                 LOP32I.AND R6, R0, 0x3;\nIADD R6, R6, R7;\nMVI R1, 0x0;\nSSY end;\nagain:\nIADD R1, R1, {counter};\n\
                 IADD.C0 {counter}, {counter}, R9;\nBRA C0.{condition}, again;\nend:\nNOP.S;\nIADD R2, R1, R0;\nTRAP;\n"
            );
            let assembled = warpsmith_isa::asm::assemble(&text, "test").map_err(|e| e.to_string()).expect(&text);
            let launch = Launch { block: [48, 1, 1], ..Launch::from_words("branches", assembled.words) };
            let plain = left(&launch, 1, true);
            assert!(plain.contains("cause: Trap,"), "{text}: {plain}");
            assert!(plain == left(&launch, 1, false), "{text}");
        }
    }
}

/// Loads and stores whose lanes are a row, one place, apart, on two pages, or partly idle; some trap.
#[test]
fn accesses_of_every_shape_leave_what_the_plain_path_leaves() {
    let mut trapped = 0;
    for (case, (stride, base)) in [0, 4, 64, 1024, 2, 0x4000]
        .into_iter()
        .flat_map(|stride| [0, 0x100, 0xffc0, 0xfffc, 0x1fff0, 0x3fff0, 0x102].map(|base| (stride, base)))
        .enumerate()
    {
        for (limit, kind) in [(32, 0), (20, 0), (1, 0), (0, 0), (32, 1), (17, 1), (32, 2)] {
            let mut text = format!(
                "MVI R5, 0x{limit:x};\nMVI R6, 0x{stride:x};\nMVI R7, 0x{base:x};\nIMUL.U16.U16 R1, R0L, R6L;\nIADD R1, R1, R7;\nISET.S32.C0 o[0x7f], R0, R5, LT;\n"
            );
            text += match kind {
                // Of whole warps.
                2 => "GLD.U32 R2, global14[R1];\nIADD32I R2, R2, 0x3;\nGST.U32 global14[R1], R2;\nGLD.U32 R3, global14[R1];\n",
                0 => "GLD.U32 R2 (C0.NE), global14[R1];\nIADD32I R2, R2, 0x3;\nGST.U32 global14[R1] (C0.NE), R2;\nGLD.U32 R3 (C0.NE), global14[R1];\n",
                _ => "R2A A1, R1, 0x0;\nMOV32 R2, g [A1+0x0];\nIADD32I R2, R2, 0x3;\nR2G.U32.U32 g [A1+0x0], R2;\nMOV32 R3, g [A1+0x0];\n",
            };
            text += "TRAP;\n";
            let Ok(assembled) = warpsmith_isa::asm::assemble(&text, "test") else {
                panic!("{text}: {:?}", warpsmith_isa::asm::assemble(&text, "test").err().map(|e| e.to_string()))
            };
            let launch = Launch {
                block: [48, 1, 1],
                shared_bytes: 0x4000,
                global_bytes: 0x40000,
                guard: case % 2 == 1,
                globals: vec![GlobalSection::new(0, (0..0x40000u32).map(|i| (i * 37 + i / 256) as u8).collect())],
                ..Launch::from_words("shapes", assembled.words)
            };
            let plain = left(&launch, 1, true);
            trapped += usize::from(!plain.contains("cause: Trap,"));
            assert!(plain == left(&launch, 1, false), "{text}");
        }
    }
    assert!(trapped > 20, "{trapped}");
}
