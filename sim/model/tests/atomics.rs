//! Atomic accesses of SM 1.1, votes and locks of SM 1.2: every operation against plain arithmetic, the order of lanes,
//! guards, traps.

use warpsmith_isa::{assemble, Level, Tier};
use warpsmith_model::{Launch, Model, ModelConfig, Stopped};
use warpsmith_testkit::Random;

/// Runs a program of 32 threads on words of global memory; what they are afterwards.
fn run(text: &str, words: &[u32]) -> Result<Vec<u32>, Stopped> {
    let program = assemble(&text.replace("; ", ";\n"), "t").unwrap_or_else(|e| panic!("{e}"));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let launch = Launch {
        global_bytes: bytes.len() as u64,
        shared_bytes: 256,
        globals: vec![warpsmith_model::launch::GlobalSection::new(0, bytes)],
        ..Launch::from_words("t", program.words)
    };
    let tier = Tier::full().at(Level::Sm12);
    let mut model = Model::new(&launch, ModelConfig { tier, ..ModelConfig::default() });
    model.run(1000, 1, None)?;
    let state = model.state();
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    Ok(state.global.read(0, state.global.len() as usize).chunks(4).map(word).collect())
}

/// An operation by the text of its mnemonic.
fn of(name: &str, old: u32, operand: u32, second: u32) -> u32 {
    match name {
        "ADD.U32" | "ADD.S32" => old.wrapping_add(operand),
        "EXCH" => operand,
        "CAS" if old == operand => second,
        "CAS" => old,
        "INC" if old >= operand => 0,
        "INC" => old + 1,
        "DEC" if old == 0 || old > operand => operand,
        "DEC" => old - 1,
        "MAX.U32" => old.max(operand),
        "MIN.U32" => old.min(operand),
        "MAX.S32" => (old as i32).max(operand as i32) as u32,
        "MIN.S32" => (old as i32).min(operand as i32) as u32,
        "AND" => old & operand,
        "OR" => old | operand,
        "XOR" => old ^ operand,
        other => panic!("{other}"),
    }
}

const NAMES: [&str; 13] =
    ["ADD.U32", "ADD.S32", "EXCH", "CAS", "INC", "DEC", "MAX.U32", "MIN.U32", "MAX.S32", "MIN.S32", "AND", "OR", "XOR"];

#[test]
fn every_operation_is_what_its_name_says_lane_after_lane() {
    let mut random = Random(0xa70);
    let value = |r: &mut Random| if r.chance(50) { r.below(5) } else { r.word() };
    for name in NAMES.iter().flat_map(|n| [*n; 8]) {
        // Threads share eight words behind their operands: 32 of R2, 32 of R3; results come last.
        let words: Vec<u32> = (0..72).map(|_| value(&mut random)).chain([0; 32]).collect();
        let second = if name == "CAS" { ", R3" } else { "" };
        let text = format!(
            "SHL R1, R0, 0x2; GLD.U32 R2, global14[R1]; IADD32I R4, R1, 0x80; GLD.U32 R3, global14[R4]; \
             MVI R5, 0x1c; LOP.AND R5, R1, R5; IADD32I R5, R5, 0x100; GATOM.{name} R6, global14[R5], R2{second}; \
             IADD32I R4, R1, 0x120; GST.U32 global14[R4], R6; RET;"
        );
        let got = run(&text, &words).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let mut want = words.clone();
        for lane in 0..32 {
            let at = 64 + lane % 8;
            want[72 + lane] = want[at];
            want[at] = of(name, want[at], words[lane], words[32 + lane]);
        }
        assert_eq!(got, want, "{name}");
        if !matches!(name, "EXCH" | "CAS") {
            let reduction = text
                .replace(&format!("GATOM.{name} R6, "), &format!("GRED.{name} "))
                .replace("IADD32I R4, R1, 0x120; GST.U32 global14[R4], R6; ", "");
            let got = run(&reduction, &words).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            assert_eq!(got[..72], want[..72], "GRED.{name}");
        }
    }
}

#[test]
fn lanes_that_the_guard_holds_back_do_nothing() {
    let text = "MVI R1, 0x0; MVI R2, 0x1; MVI R3, 0x8; ISET.S32.C0 o[0x7f], R0, R3, LT; \
                GATOM.ADD.U32 R4 (C0.NE), global14[R1], R2; RET;";
    assert_eq!(run(text, &[5, 7]).expect("an end"), [13, 7]);
}

#[test]
fn a_trap_leaves_memory_as_it_was() {
    // The last lane's address is beyond the end.
    let text = "SHL R1, R0, 0x2; MVI R2, 0x1; GRED.ADD.U32 global14[R1], R2; RET;";
    assert!(matches!(run(text, &[0; 31]), Err(Stopped::Trap { .. })));
    let text = "MVI R1, 0x2; GRED.ADD.U32 global14[R1], R2; RET;";
    assert!(matches!(run(text, &[0; 31]), Err(Stopped::Trap { .. })));
}

#[test]
fn loads_from_shared_memory_extend_as_their_operands_do() {
    let text = "MVI R1, 0xfff38281; R2A A1, R0, 0x2; R2G.U32.U32 g[A1+0x10], R1; G2R R2, g [A1+0x10]; \
                G2R R3, g [A1+0x20].S16; G2R R4, g [A1+0x40].U8; SHL R5, R0, 0x4; GST.U32 global14[R5], R2; \
                IADD32I R5, R5, 0x4; GST.U32 global14[R5], R3; IADD32I R5, R5, 0x4; GST.U32 global14[R5], R4; RET;";
    let program = assemble(&text.replace("; ", ";\n"), "t").unwrap_or_else(|e| panic!("{e}"));
    let launch = Launch { global_bytes: 512, shared_bytes: 0x40 + 128, ..Launch::from_words("t", program.words) };
    let tier = Tier::full().at(Level::Sm11);
    let mut model = Model::new(&launch, ModelConfig { tier, ..ModelConfig::default() });
    model.run(1000, 1, None).expect("an end");
    let words: Vec<u8> = model.state().global.read(0, 12);
    let all: Vec<u32> = words.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    assert_eq!(all, [0xfff3_8281, 0xffff_8281, 0x81]);
}

#[test]
fn a_vote_gives_every_active_thread_whether_the_guard_holds() {
    // Threads below `first` are active; of those the ones at and above `from` hold.
    for (first, from) in [(32, 0), (32, 31), (32, 32), (7, 0), (7, 6), (7, 7), (1, 0), (1, 1)] {
        let text = format!(
            "MVI R1, {first:#x}; ISET.S32.C1 o[0x7f], R0, R1, GE; RET C1.NE; \
             MVI R1, {from:#x}; ISET.S32.C0 o[0x7f], R0, R1, GE; VOTE.ANY C2 (C0.NE); VOTE.ALL C3 (C0.NE); \
             VOTE.ALL C0; C2R R2, C2; C2R R3, C3; C2R R4, C0; SHL R5, R0, 0x4; GST.U32 global14[R5], R2; \
             IADD32I R5, R5, 0x4; GST.U32 global14[R5], R3; IADD32I R5, R5, 0x4; GST.U32 global14[R5], R4; RET;"
        );
        let got = run(&text, &[0; 128]).unwrap_or_else(|e| panic!("{e:?}"));
        // Zero of a false vote, sign of a true one.
        let truth = |holds: bool| if holds { 2 } else { 1 };
        for (lane, words) in got.chunks(4).enumerate() {
            let want = match lane < first {
                true => [truth(from < first), truth(from == 0), 2, 0],
                false => [0; 4],
            };
            assert_eq!(words, want, "thread {lane} of {first}, from {from}");
        }
    }
}

#[test]
fn a_lock_goes_to_the_lowest_lane_at_a_free_word_until_a_store_frees_it() {
    // Four threads a word: R2 is what the first try gave, R3 the second, R4 that behind the owner's store.
    let text = "SHR R1, R0, 0x2; R2A A1, R1, 0x2; R2G.U32.U32 g [A1+0x10], R1; \
                G2R.LOCK.C0 R6, g [A1+0x10]; C2R R2, C0; G2R.LOCK.C1 R6, g [A1+0x10]; C2R R3, C1; \
                IADD32I R7, R6, 0x64; R2G.UNLOCK g [A1+0x10] (C0.LT), R7; G2R.LOCK.C1 R6, g [A1+0x10]; C2R R4, C1; \
                SHL R5, R0, 0x4; GST.U32 global14[R5], R2; IADD32I R5, R5, 0x4; GST.U32 global14[R5], R3; \
                IADD32I R5, R5, 0x4; GST.U32 global14[R5], R4; IADD32I R5, R5, 0x4; GST.U32 global14[R5], R6; RET;";
    let got = run(text, &[0; 128]).unwrap_or_else(|e| panic!("{e:?}"));
    for (lane, words) in got.chunks(4).enumerate() {
        let owns = if lane % 4 == 0 { 2 } else { 1 };
        assert_eq!(words, [owns, 1, owns, 100 + lane as u32 / 4], "thread {lane}");
    }
}

#[test]
fn sums_in_shared_memory_under_locks_lose_nothing() {
    // Every thread adds its number to one of four words, until it got the lock.
    let text = "MVI R1, 0x3; LOP.AND R1, R0, R1; R2A A1, R1, 0x2; MVI R2, 0x0; R2G.U32.U32 g [A1+0x10], R2; \
                again: G2R.LOCK.C0 R2, g [A1+0x10]; IADD R2, R2, R0; R2G.UNLOCK g [A1+0x10] (C0.LT), R2; \
                BRA again (C0.GE); G2R R2, g [A1+0x10]; SHL R5, R0, 0x2; GST.U32 global14[R5], R2; RET;";
    let got = run(text, &[0; 32]).unwrap_or_else(|e| panic!("{e:?}"));
    // The last thread of a word reads the whole sum.
    let sum = |word: u32| (0..8).map(|k| word + 4 * k).sum::<u32>();
    assert_eq!(got[28..], [sum(0), sum(1), sum(2), sum(3)], "{got:?}");
}
