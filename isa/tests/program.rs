//! Word files, program checks and cubins.

use proptest::prelude::*;
use warpsmith_isa::{assemble, cubin, decode, listing, program, text, Semantics};

#[test]
fn hex_files_take_the_spellings_of_all_tools() {
    let w = program::parse_hex("0x10000005 0423c780 // mov\n0000000000, 80c00780 # x\n", "p.hex");
    assert_eq!(w, Ok(vec![0x1000_0005, 0x0423_c780, 0, 0x80c0_0780]));
}

#[test]
fn hex_errors_name_file_and_line() {
    let e = program::parse_hex("00000000\nxyz", "p.hex").expect_err("an error");
    assert_eq!(e.to_string(), "p.hex:2: expected a 32-bit word of at most 8 hexadecimal digits, found xyz");
    let e = program::parse_hex("123456789", "p.hex").expect_err("an error");
    assert!(e.to_string().starts_with("p.hex:1: "));
    let e = program::parse_hex("# empty", "p.hex").expect_err("an error");
    assert_eq!(e.to_string(), "p.hex: expected hexadecimal words, found none");
}

#[test]
fn binary_files_are_little_endian_words() {
    assert_eq!(program::parse_bin(&[1, 2, 3, 4], "p.bin"), Ok(vec![0x0403_0201]));
    let e = program::parse_bin(&[1, 2, 3], "p.bin").expect_err("an error");
    assert!(e.to_string().contains("found 3"));
}

fn problems(words: &[u32]) -> Vec<(u32, String)> {
    program::check(Semantics::G80, words).into_iter().map(|f| (f.addr, f.problem)).collect()
}

#[test]
fn a_sound_program_has_no_findings() {
    let a = assemble("l: MOV32 R1, R2; MOV32 R2, R1; BRA C0.NE, l; RET;", "a").expect("assembles");
    assert_eq!(problems(&a.words), vec![]);
}

#[test]
fn check_finds_bad_targets_misplaced_truncated_and_undefined_words() {
    let a = assemble("NOP; BRA 0x4; BRA 0x400;", "a").expect("assembles");
    let p = problems(&a.words);
    assert_eq!(p[0].0, 8);
    assert!(p[0].1.contains("in the middle"), "{p:?}");
    assert!(p[1].1.contains("outside the program"), "{p:?}");
    let p = problems(&[0x1000_8200, 0x1000_0005, 0x0403_c780]);
    assert!(p[0].0 == 4 && p[0].1.contains("multiple of 8"), "{p:?}");
    let p = problems(&[0x1000_0005]);
    assert!(p[0].1.contains("ends in the middle"), "{p:?}");
    let p = problems(&[0x8000_0000]);
    assert!(p[0].1.contains("no defined instruction"), "{p:?}");
}

#[test]
fn a_wide_load_may_replace_its_own_address() {
    for text in [
        "GLD.S128 R0, global14[R0];", "GLD.S128 R4, global14[R7];", "GLD.S64 R2, global14[R3];",
        "GLD.S128 R4, global14[R3];", "GST.S128 global14[R4], R4;",
    ] {
        assert_eq!(problems(&assemble(text, "f").expect(text).words), [], "{text}");
    }
}

#[test]
fn register_maxima_count_wide_accesses() {
    let a = assemble("GLD.S128 R8, global14[R1]; GST.S64 global14[R20], R30; MOV R2, R124;", "a");
    let w = a.expect("assembles").words;
    assert_eq!(program::max_register_written(Semantics::G80, &w), Some((11, 0)));
    assert_eq!(program::max_register_read(Semantics::G80, &w), Some((124, 16)));
    assert_eq!(program::max_register_written(Semantics::G80, &[]), None);
}

const CUBIN: &str = "architecture {sm_10}\nabiversion {0}\nmodname {cubin}\nfrob { a = b }\n\
consts {\n name = table\n segname = const\n segnum = 0\n offset = 0\n bytes = 8\n mem { 0x3f800000 0x40000000 }\n}\n\
reloc { name = x segname = reloc segnum = 14 offset = 0 bytes = 4 }\n\
code {\n name = k\n lmem = 0\n smem = 28\n reg = 3\n bar = 0\n bincode {\n 0x1000c805 0x0423c780 0000000000 0x80c00780\n }\n\
 const { segname = const segnum = 1 offset = 0 bytes = 4 mem { 0x000003ff } }\n}\n";

#[test]
fn a_cubin_is_read_and_written_back() {
    let c = cubin::parse(CUBIN, "k.cubin").expect("reads");
    assert_eq!(c.kernels[0].words, vec![0x1000_c805, 0x0423_c780, 0, 0x80c0_0780]);
    assert_eq!((c.kernels[0].smem, c.kernels[0].reg), (28, 3));
    assert_eq!(c.kernels[0].consts[0].words, Some(vec![0x3ff]));
    assert_eq!((c.consts.len(), c.globals[0].space), (1, 14));
    assert_eq!(c.unknown, vec![(4, "frob".into())]);
    let mut again = cubin::parse(&c.write(), "k.cubin").expect("reads its own text");
    again.unknown.clone_from(&c.unknown);
    assert_eq!(again, c);
}

#[test]
fn cubin_errors_name_the_line() {
    let e = cubin::parse(&CUBIN.replace("sm_10", "sm_20"), "k").expect_err("an error");
    assert_eq!(e.to_string(), "k:1: expected architecture sm_10, found sm_20; compile with -arch=sm_10");
    let cut = &CUBIN[..CUBIN.len() - 60];
    let e = cubin::parse(cut, "k").expect_err("an error");
    assert!(e.message.contains("truncated"), "{e}");
    let e = cubin::parse("\u{7f}ELF\u{1}", "k").expect_err("an error");
    assert!(e.to_string().starts_with("k:1: expected a text cubin"), "{e}");
    let e = cubin::parse("", "k").expect_err("an error");
    assert!(e.to_string().starts_with("k:1: "), "{e}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_words_make_the_decoder_or_the_checker_panic(words in proptest::collection::vec(any::<u32>(), 0..24)) {
        for p in words.windows(2) {
            if let Ok(i) = decode(p[0], p[1]) {
                let _ = text(&i);
            }
        }
        let _ = program::check(Semantics::G80, &words);
        let _ = (program::max_register_written(Semantics::G80, &words), program::max_register_read(Semantics::G80, &words));
    }

    #[test]
    fn a_listing_of_any_words_assembles_to_the_same_words(words in proptest::collection::vec(any::<u32>(), 0..24)) {
        let text = listing(&words);
        let a = assemble(&text, "l").map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(a.words, words, "{}", text);
    }

    #[test]
    fn no_text_makes_the_readers_panic(t in "\\PC{0,60}|[A-Z0-9 .,\\[\\]()|~+x;:#/*-]{0,60}") {
        let _ = assemble(&t, "f");
        let _ = program::parse_hex(&t, "f");
        let _ = cubin::parse(&t, "f");
        let _ = program::parse_bin(t.as_bytes(), "f");
    }

    #[test]
    fn no_instruction_like_text_makes_the_assembler_panic(
        name in "(IADD|IMAD|MOV|GLD|BRA|R2G|FSET|MVI|ADA|LOP)(32|32I)?(\\.[A-Z0-9]{1,5}){0,2}",
        ops in proptest::collection::vec("-?\\|?(R[0-9]{1,3}[LH]?|g \\[(A[0-9]\\+)?0x[0-9a-f]{1,8}\\]|c\\[0x[0-9a-f]\\]\\[0x[0-9a-f]{1,8}\\]|0x[0-9a-f]{1,8}|C0\\.NE|o\\[0x7f\\]|global[0-9]{1,2}\\[R[0-9]\\])\\|?", 0..5),
    ) {
        let _ = assemble(&format!("{name} {}", ops.join(", ")), "f");
    }

    #[test]
    fn no_edit_of_a_cubin_makes_the_loader_panic(at in 0..CUBIN.len(), with in "[a-z0-9{}= \n]{0,3}", drop in 0usize..5) {
        let end = (at + drop).min(CUBIN.len());
        let t = format!("{}{with}{}", &CUBIN[..at], &CUBIN[end..]);
        let _ = cubin::parse(&t, "f");
    }
}
