//! The examples of the FlexGripPlus manual, read from the manual itself.

use crate::common;
use warpsmith_isa::{assemble, decode, text_in, Style};

/// Manual lines whose text and words disagree, with the reason.
const WRONG: [(usize, &str); 8] = [
    (248, "the mask in the words is 0xfff"),
    (864, "the words hold CARRY2, no negation and no C3"),
    (930, "the words name R3L and R5L"),
    (931, "the words name R9L and R30L"),
    (953, "the word names R4L"),
    (954, "the words name R12L and 0x3fffff"),
    (955, "the word names R4L"),
    (2602, "the word writes R2"),
];

/// Text in one form: no blanks, upper case, the typography of the manual undone.
fn plain(t: &str) -> String {
    let t: String = t
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ';')
        .collect();
    t.to_uppercase().replace(".CO", ".C0").replace("(CO", "(C0")
}

/// The hexadecimal words in parentheses at the end of a line, low word first.
fn example(line: &str) -> Option<(&str, Vec<u32>)> {
    let line = line.trim();
    let open = line.rfind('(')?;
    let hex = line[open + 1..].strip_suffix(')')?;
    let digits: String = hex
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| if c == 'O' { '0' } else { c })
        .collect();
    if line.starts_with('|') || !matches!(digits.len(), 8 | 16) {
        return None;
    }
    let mut w: Vec<u32> = (0..digits.len())
        .step_by(8)
        .map(|n| u32::from_str_radix(&digits[n..n + 8], 16).ok())
        .collect::<Option<_>>()?;
    // Long words have bit 0 of word 0 set; the manual mostly prints the high word first.
    if w.len() == 2 && !(w[0] & 1 == 1 && decode(w[0], w[1]).is_ok() && w[1] & 1 == 0) {
        w.reverse();
    }
    Some((line[..open].trim(), w))
}

#[test]
fn every_correct_example_of_the_manual_reads_and_assembles_as_printed() {
    let Some(manual) = common::reference("flexgripplus-manual.txt", "manual") else {
        return;
    };
    let (mut right, mut wrong) = (0, 0);
    for (n, line) in manual.lines().enumerate() {
        let Some((text, words)) = example(line) else {
            continue;
        };
        let n = n + 1;
        let i = decode(words[0], *words.get(1).unwrap_or(&0));
        let Ok(i) = i else {
            panic!("line {n}: {text} {words:08x?} does not decode")
        };
        let ours = text_in(&i, Style::Nvidia);
        let fixed = text.replace(".CO", ".C0").replace("(CO", "(C0");
        let back = assemble(&fixed, "manual").map(|a| a.words);
        let exit = words.len() == 2 && words[1] & 3 == 1;
        let assembled = back.map(|mut b| {
            b[words.len() - 1] |= u32::from(exit);
            b
        });
        if plain(&ours) == plain(text) && assembled.as_ref() == Ok(&words) {
            right += 1;
        } else {
            assert!(
                WRONG.iter().any(|w| w.0 == n),
                "line {n}: ours {ours}, manual {text}, words {words:08x?}, assembled {assembled:08x?}"
            );
            wrong += 1;
        }
    }
    assert_eq!((right, wrong), (145, 8));
}
