//! NVIDIA's own listings against the assembler and the disassembler, word for word.

use crate::common;
use warpsmith_isa::{assemble, decode, text_in, Style};

/// Words of the listings that were edited by hand without their text (or the reverse):
/// the text names another relation, register, flag register or target than the words hold.
const HAND_EDITED: [&str; 10] = [
    "3002cffd 6c2107c8",
    "10018003 00000280",
    "3080cdfd 6c6047c8",
    "3002cdfd 6c2187c8",
    "3004cd19 6c210780",
    "3001cd21 6c210780",
    "3006cffd 6c2147c8",
    "3006d1fd 6c2147c8",
    // Only the spelling of the offset: g [0x04], g [0x05].
    "2000c801 04204780",
    "2000ca01 04204780",
];

/// Words with an exit marker, which NVIDIA's text leaves out.
fn exits(words: &[u32]) -> bool {
    words.len() == 2 && words[0] & 3 == 1 && words[1] & 3 == 1
}

#[test]
fn every_listed_pair_reads_and_assembles_as_nvidia_printed_it() {
    let Some(tsv) = common::reference("sass_pairs.tsv", "sass_pairs") else {
        return;
    };
    let (mut same, mut edited) = (0, 0);
    for line in tsv.lines().skip(1) {
        let col: Vec<&str> = line.split('\t').collect();
        let (words, sass) = (common::words(col[2]), col[3]);
        let i = decode(words[0], *words.get(1).unwrap_or(&0)).expect("a listed word decodes");
        let text = text_in(&i, Style::Nvidia);
        let mut back = assemble(&format!("{sass};"), "listing").expect(sass).words;
        if exits(&words) {
            back[1] |= 1;
        }
        if text == sass && back == words {
            same += 1;
        } else {
            assert!(HAND_EDITED.contains(&col[2]), "{}: {text} | {sass}", col[2]);
            edited += 1;
        }
        // Our own full text is exact for all of them.
        let full = assemble(&warpsmith_isa::text(&i), "full").expect("our text assembles");
        assert_eq!(full.words, words);
    }
    assert!(same > 260 && edited <= 14, "{same} {edited}");
}
