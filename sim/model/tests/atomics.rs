//! Atomic accesses of SM 1.1: every operation against plain arithmetic, the order of lanes, guards, traps.

use warpsmith_isa::{assemble, Level, Tier};
use warpsmith_model::{Launch, Model, ModelConfig, Stopped};
use warpsmith_testkit::Random;

/// Runs a program of 32 threads on words of global memory; what they are afterwards.
fn run(text: &str, words: &[u32]) -> Result<Vec<u32>, Stopped> {
    let program = assemble(&text.replace("; ", ";\n"), "t").unwrap_or_else(|e| panic!("{e}"));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let launch = Launch {
        global_bytes: bytes.len() as u64,
        globals: vec![warpsmith_model::launch::GlobalSection::new(0, bytes)],
        ..Launch::from_words("t", program.words)
    };
    let tier = Tier::full().at(Level::Sm11);
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
