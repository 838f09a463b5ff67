//! What NVIDIA's disassembler and the FlexGripPlus manual print, against assembler and disassembler, word for word.

use warpsmith_conformance as conformance;
use warpsmith_isa::{assemble_in, decode_in, text_in, Semantics, Style};

/// Words with an exit marker, which NVIDIA's text leaves out.
fn exits(words: &[u32]) -> bool {
    words.len() == 2 && words[0] & 3 == 1 && words[1] & 3 == 1
}

/// Reads and assembles every row of a file; says how many have a text.
fn both_ways(semantics: Semantics, file: &str) -> usize {
    let assemble = |text: &str, name| assemble_in(Some(semantics), text, name);
    let mut texts = 0;
    for row in conformance::rows(file) {
        let (words, text) = (conformance::words(row.column(0)), row.column(1));
        let i = decode_in(semantics, words[0], *words.get(1).unwrap_or(&0)).expect(text);
        // Our own full text is exact for all of them.
        let full = assemble(&warpsmith_isa::text(&i), "full").expect("our text assembles");
        assert_eq!(full.words, words);
        if text.is_empty() {
            continue;
        }
        assert_eq!(text_in(&i, Style::Nvidia), text, "{words:08x?}");
        let mut back = assemble(&format!("{text};"), "pair").expect(text).words;
        if exits(&words) {
            back[1] |= 1;
        }
        assert_eq!(back, words, "{text}");
        texts += 1;
    }
    texts
}

#[test]
fn every_pair_of_nvidias_disassembler_reads_and_assembles_as_printed() {
    assert_eq!(both_ways(Semantics::G80, "sm10/pairs.txt"), 262);
}

#[test]
fn every_example_of_the_manual_reads_and_assembles_as_printed() {
    for semantics in Semantics::ALL {
        assert_eq!(both_ways(semantics, "sm10/manual.txt"), 143, "{semantics}");
    }
}
