//! Alignments behind marks of CUDA, as nvcc takes them: `__shared__ alignas(16) float a[4]`.

use super::lex::Tokens;

/// The text with such alignments in front of the mark, of the same length; `None` where there are none.
pub(super) fn in_front(text: &str, tokens: &Tokens) -> Option<String> {
    let mut out = text.to_string();
    let mut found = false;
    for i in 0..tokens.len() {
        if tokens.word(i) != "alignas" || tokens.word(i + 1) != "(" {
            continue;
        }
        // `__attribute__ ( ( shared ) )`
        let Some(mark) = i.checked_sub(6).filter(|m| tokens.word(*m) == "__attribute__" && tokens.behind(*m + 1) == i)
        else {
            continue;
        };
        let whole = tokens.bytes(&(mark..tokens.behind(i + 1)));
        let (first, second) = (tokens.bytes(&(mark..i)), tokens.bytes(&(i..tokens.behind(i + 1))));
        // Lines stay what they are.
        if text[whole.clone()].contains('\n') {
            continue;
        }
        let swapped = [&text[second.clone()], &text[first.end..second.start], &text[first]].concat();
        out.replace_range(whole, &swapped);
        found = true;
    }
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{in_front, Tokens};

    #[test]
    fn alignments_come_in_front_of_marks() {
        for (text, expected) in [
            (
                "{ __attribute__((shared)) alignas(alignof(T)) float a[4]; }",
                Some("{ alignas(alignof(T)) __attribute__((shared)) float a[4]; }"),
            ),
            ("__attribute__((device))alignas(16) int x;", Some("alignas(16)__attribute__((device)) int x;")),
            ("alignas(16) __attribute__((shared)) int x; struct alignas(8) S { };", None),
            ("__attribute__((aligned(8))) alignas(8) int x; alignas(", None),
        ] {
            assert_eq!(in_front(text, &Tokens::new(text)).as_deref(), expected, "{text}");
        }
    }
}
