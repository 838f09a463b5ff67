//! Words of messages: what a mistake was meant to be, and input that is shown to a terminal.

/// Characters of an endless token that are shown.
const SHOWN: usize = 60;
/// Longest token that is shown whole: a digest.
const WHOLE: usize = 64;

/// A message that may quote any input, fit for a terminal: control characters are escaped (ends of
/// lines and tabs stay), and of a token that does not end, 60 characters are left. A token is what
/// stands between spaces and slashes, so that paths stay whole; underlines of compilers do as well.
pub fn plain(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let ends = |c: char| c.is_whitespace() || c == '/';
        if ends(first) {
            push(&mut out, first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
        rest = &rest[token.len()..];
        let underline = token.chars().all(|c| matches!(c, '~' | '^' | '-' | '='));
        let length = token.chars().count();
        if length <= WHOLE || underline {
            token.chars().for_each(|c| push(&mut out, c));
            continue;
        }
        token.chars().take(SHOWN).for_each(|c| push(&mut out, c));
        out.push_str(&format!("… ({length} characters)"));
    }
    out
}

fn push(out: &mut String, c: char) {
    // Marks that change the direction of text hide what follows as control characters do.
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() && c != '\n' && c != '\t' || turns {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
}

/// The name that a misspelt one was meant to be: one letter in three may be wrong.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let all = names.into_iter();
    let near = all.map(|n| (strsim::damerau_levenshtein(n, name), n));
    let (distance, found) = near.min()?;
    (distance <= name.chars().count().div_ceil(3)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{nearest, plain};

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(plain("a\x1b[2Jb\r\0 c\n\td"), "a\\u{1b}[2Jb\\r\\u{0} c\n\td");
        assert_eq!(plain("\u{202e}x"), "\\u{202e}x");
    }

    #[test]
    fn endless_tokens_are_cut() {
        let (digest, endless) = ("f".repeat(64), "x".repeat(100_000));
        assert_eq!(plain(&digest), digest);
        let shown = format!("a {}… (100000 characters) b", "x".repeat(60));
        assert_eq!(plain(&format!("a {endless} b")), shown);
        let path = format!("/{}/{}", "d".repeat(50), "e".repeat(50));
        assert_eq!(plain(&path), path);
        let line = format!("{}^{}", "~".repeat(90), "~".repeat(9));
        assert_eq!(plain(&line), line);
    }

    #[test]
    fn a_slip_has_a_nearest_name() {
        let keys = ["lanes", "warps", "registers"];
        assert_eq!(nearest("lane", keys), Some("lanes"));
        assert_eq!(nearest("regsiters", keys), Some("registers"));
        assert_eq!(nearest("colour", keys), None);
    }
}
