//! Launches that formatters of C++ have torn apart: `k << < 1, 1 >> > (p)`.

use super::lex::Tokens;

/// The text with such launches in one piece, each of the same length; `None` where there are none.
pub(super) fn joined(text: &str, tokens: &Tokens) -> Option<String> {
    let three = |i: usize, sign: &str| (i..i + 3).all(|j| tokens.word(j) == sign);
    let mut torn = Vec::new();
    let mut i = 0;
    while i + 3 < tokens.len() {
        let operator = i > 0 && tokens.word(i - 1) == "operator";
        if three(i, "<") && !operator {
            let mut close = i + 3;
            while !matches!(tokens.word(close), "" | ";" | "{" | "}" | ")") && !three(close, ">") {
                close = tokens.behind(close);
            }
            if three(close, ">") && tokens.word(close + 3) == "(" {
                torn.extend([(i, "<<<"), (close, ">>>")].into_iter().filter(|(at, _)| !tokens.touch(*at, *at + 2)));
            }
            i += 3;
            continue;
        }
        i += 1;
    }
    if torn.is_empty() {
        return None;
    }
    let mut out = text.to_string();
    for (at, sign) in torn.into_iter().rev() {
        let bytes = tokens.bytes(&(at..at + 3));
        let rest = text[bytes.clone()].chars().skip(3).map(|c| if c == '\n' { c } else { ' ' });
        out.replace_range(bytes, &sign.chars().chain(rest).collect::<String>());
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{joined, Tokens};

    #[test]
    fn launches_are_put_together() {
        for (text, expected) in [
            ("k << < 1, 1 >> > (d);", Some("k <<<  1, 1 >>>  (d);")),
            ("k < < < 1 > > >(d);", Some("k <<<   1 >>>  (d);")),
            ("k<int> << <g, f(b >> 1)>>>(d);", Some("k<int> <<< g, f(b >> 1)>>>(d);")),
            ("k<<<1, 1>>>(d);", None),
            ("friend int operator<< <>(A<B<C<int> > > x); a << b; x < y;", None),
            ("A<B<C<int>> > x(3); <<<", None),
        ] {
            assert_eq!(joined(text, &Tokens::new(text)).as_deref(), expected, "{text}");
        }
    }
}
