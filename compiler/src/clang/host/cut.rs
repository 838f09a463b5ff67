//! Parts of a text that are left out, or replaced.

use super::lex::Tokens;
use std::ops::Range;

/// Tokens, and the text in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    tokens: Range<usize>,
    with: String,
}

impl Cut {
    /// A cut.
    pub fn new(tokens: Range<usize>, with: &str) -> Cut {
        Cut { tokens, with: with.to_string() }
    }

    /// True where another one begins at the same token.
    pub fn is_at(&self, other: &Cut) -> bool {
        self.tokens.start == other.tokens.start
    }
}

/// The text with cuts applied, the widest first; lines and their markers stay.
pub(super) fn apply(text: &str, tokens: &Tokens, mut cuts: Vec<Cut>) -> String {
    cuts.sort_by_key(|c| (c.tokens.start, std::cmp::Reverse(c.tokens.end)));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        let bytes = tokens.bytes(&cut.tokens);
        if bytes.start < at {
            continue;
        }
        out.push_str(&text[at..bytes.start]);
        out.push_str(&cut.with);
        // A line begins behind each of them.
        for line in text[bytes.clone()].split('\n').skip(1) {
            out.push('\n');
            if super::lines::is_marker(line) {
                out.push_str(line);
            }
        }
        at = bytes.end;
    }
    out.push_str(&text[at..]);
    out
}
