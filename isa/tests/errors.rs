//! Messages of the assembler: the exact place, what was expected, what was found.

use warpsmith_isa::assemble;

fn message(source: &str) -> String {
    assemble(source, "k.asm").expect_err("an error").to_string()
}

#[test]
fn a_full_register_where_a_half_is_needed_is_named_with_its_column() {
    let e = message("NOP;\n  IMAD.U16 R1, R3, R4L, R1;");
    assert_eq!(e, "k.asm:2:16: IMAD.U16 takes a half register here (R3L or R3H), found R3");
}

#[test]
fn a_misspelt_mnemonic_gets_the_nearest_name() {
    let e = message("IADD3 R1, R2, R3;");
    assert!(e.starts_with("k.asm:1:1: IADD3 is no instruction of SM 1.0, did you mean IADD"), "{e}");
    let e = message("MOVV R1, R2;");
    assert_eq!(e, "k.asm:1:1: MOVV is no instruction of SM 1.0, did you mean MOV?");
    // Distant names are not suggested.
    let e = message("FOO R1, R2;");
    assert_eq!(e, "k.asm:1:1: FOO is no instruction of SM 1.0, `warpsmith isa list` prints all");
}

#[test]
fn a_foreign_modifier_is_named_at_its_place() {
    let e = message("IADD.F64 R1, R2, R3;");
    assert_eq!(e, "k.asm:1:6: the modifier .F64 does not apply to IADD");
}

#[test]
fn a_wrong_number_of_operands_is_counted() {
    let e = message("IADD R1, R2;");
    assert_eq!(e, "k.asm:1:12: IADD takes 3 operands, found 2");
}

#[test]
fn an_undefined_label_is_named_at_its_use_and_a_near_one_is_suggested() {
    let e = message("loop: NOP;\nBRA lop;");
    assert_eq!(e, "k.asm:2:5: the label lop is not defined, did you mean loop?");
}

#[test]
fn a_label_defined_twice_points_at_the_second() {
    let e = message("a: NOP;\na: NOP;");
    assert_eq!(e, "k.asm:2:1: the label a is already defined in line 1");
}

#[test]
fn an_unknown_condition_lists_the_known_ones() {
    let e = message("BRA C0.WRONG, 0x0;");
    assert!(e.starts_with("k.asm:1:8: WRONG is no condition, one of F, LT, EQ"), "{e}");
}

#[test]
fn a_guard_on_a_short_form_names_the_long_one() {
    let e = message("IADD32 R1 (C0.NE), R2, R3;");
    assert_eq!(e, "k.asm:1:11: IADD32 takes no guard, use IADD");
}

#[test]
fn a_register_that_does_not_exist_is_refused() {
    let e = message("MOV R1, R128;");
    assert_eq!(e, "k.asm:1:9: R128 does not exist, registers are R0 to R127");
}

#[test]
fn a_register_beyond_the_short_form_is_refused() {
    let e = message("MOV32 R1, R64;");
    assert!(e.contains("R64 is beyond the registers of the short form (up to R63)"), "{e}");
}

#[test]
fn an_offset_that_does_not_fit_states_the_range() {
    let e = message("IADD R1, g [0x20], R2;");
    assert!(e.contains("units of 4 bytes, 0 to 31"), "{e}");
}

#[test]
fn shared_memory_as_a_second_source_is_refused() {
    let e = message("IADD R1, R2, g [0x4];");
    assert!(e.starts_with("k.asm:1:14: IADD takes no g [] as operand 2"), "{e}");
}

#[test]
fn an_open_comment_and_a_stray_character_are_located() {
    assert!(message("NOP; /* x\n").starts_with("k.asm:1:6: the comment opened here"));
    assert!(message("NOP @;").starts_with("k.asm:1:5: the character '@'"));
}

#[test]
fn directives_fill_the_result_and_refuse_nonsense() {
    let a = assemble(
        ".kernel add\n.registers 4\n.shared 28 # bytes\n.local 0x10\n.const 1 0 0x3ff, 2\nMOV R0, R1;",
        "k.asm",
    )
    .expect("assembles");
    assert_eq!((a.name.as_str(), a.registers, a.shared, a.local), ("add", Some(4), Some(28), 16));
    assert_eq!(a.consts, vec![(1, 0, vec![0x3ff, 2])]);
    assert_eq!(a.lines, vec![(0, 6)]);
    assert!(message(".registers 500").starts_with("k.asm:1:12: expected 1 to 128"));
    assert!(message(".frob 1").starts_with("k.asm:1:2: .frob is no directive"));
    assert!(message(".const 16 0 1").starts_with("k.asm:1:8: expected a constant bank"));
}

#[test]
fn an_odd_short_instruction_before_a_long_one_is_padded_and_noted() {
    let a = assemble("MOV32 R1, R2;\nloop: BRA loop;", "k.asm").expect("assembles");
    assert_eq!(a.words, vec![0x1000_8404, warpsmith_isa::asm::PAD_WORD, 0x1000_1003, 0x780]);
    assert_eq!(a.labels, vec![("loop".into(), 8)]);
    assert_eq!(a.notes.len(), 1);
    assert_eq!(a.notes[0].0, 2);
}

#[test]
fn several_statements_labels_and_comments_share_lines() {
    let a = assemble("a: b: NOP; RET C0.NE /* x */ ; BRA a // y", "k.asm").expect("assembles");
    assert_eq!(a.words.len(), 6);
    assert_eq!(a.labels.len(), 2);
}

#[test]
fn float_literals_become_single_precision_bits() {
    let a = assemble("MVI R1, 1.5; FADD32I R1, R1, -0.5;", "k.asm").expect("assembles");
    let b = assemble("MVI R1, 0x3fc00000; FADD32I R1, R1, 0xbf000000;", "k.asm").expect("assembles");
    assert_eq!(a.words, b.words);
}
