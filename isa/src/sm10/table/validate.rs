//! The tables check themselves: every bit accounted for, no ambiguous pair, no row without its documentation.

use super::{Form, Since};
use crate::sm10::semantics::Semantics;

/// Checks the table of a reading; every finding is one sentence naming the row. Empty means sound.
pub fn validate(semantics: Semantics) -> Vec<String> {
    let mut out = Vec::new();
    for (i, f) in semantics.rows() {
        row_findings(i, f, &mut out);
        for (j, g) in semantics.rows().filter(|(j, _)| *j > i) {
            if f.overlaps(g) && !f.is_within(g) && !g.is_within(f) {
                out.push(format!("rows {i} {} and {j} {} overlap", f.mnemonic, g.mnemonic));
            }
        }
    }
    out
}

fn row_findings(i: usize, f: &Form, out: &mut Vec<String>) {
    let mut say = |what: String| out.push(format!("row {i} {}: {what}", f.mnemonic));
    let all = if f.class.is_long() { u64::MAX } else { 0xffff_ffff };
    if f.match_ & !f.mask != 0 {
        say("match sets bits outside the mask".into());
    }
    let fields = f.field_bits();
    let free = all & !(f.mask | fields);
    if free != f.ignored {
        say(format!("bits {:#x} are neither fixed, field nor ignored, or are named twice", free ^ f.ignored));
    }
    if fields & !all != 0 {
        say("a field lies beyond the word".into());
    }
    if f.doc.is_empty() || !f.doc.ends_with('.') {
        say("has no sentence".into());
    }
    if f.source.is_empty() {
        say("names no source".into());
    }
    if f.since == Since::Sm10 && f.mnemonic.is_empty() {
        say("has no spelling".into());
    }
}
