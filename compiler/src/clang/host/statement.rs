//! Statements of a host function: the one that holds an error, and what stands in its place.

use super::cut::Cut;
use super::lex::{Kind, Tokens};
use std::cell::Cell;
use std::ops::Range;

/// Ends a path through a function that a statement has left.
const END: &str = "__builtin_trap();";

/// Statements inside each other that are told apart.
const DEEPEST: u32 = 300;

/// What marks a statement that was made from what is left of another one.
const KEPT: [&str; 4] = ["(", "void", ")", "&"];

/// The cut for an error at token `t` of a function's body; `None` where no statement holds it.
pub(super) fn cut(tokens: &Tokens, body: &Range<usize>, t: usize) -> Option<Cut> {
    Finder { tokens, t, depth: Cell::new(0) }.block(body)
}

/// A body in the place of `body`: kernels that it named, so that they are there.
pub(super) fn emptied(tokens: &Tokens, body: &Range<usize>) -> String {
    format!("{} {END}", kept(tokens, body))
}

struct Finder<'a> {
    tokens: &'a Tokens<'a>,
    /// The token of the error.
    t: usize,
    /// Statements around the one that is looked at.
    depth: Cell<u32>,
}

/// Parts of a statement: heads with their keywords, and statements.
#[derive(Default)]
struct Parts {
    heads: Vec<(usize, Range<usize>)>,
    statements: Vec<Range<usize>>,
    /// Behind the last one.
    end: usize,
}

impl Finder<'_> {
    fn word(&self, i: usize) -> &str {
        self.tokens.word(i)
    }

    fn block(&self, body: &Range<usize>) -> Option<Cut> {
        let mut i = body.start;
        while i < body.end {
            let end = self.end(i, body.end).max(i + 1);
            if self.t < end {
                return (self.t >= i).then(|| self.inside(i, end)).flatten();
            }
            i = end;
        }
        None
    }

    /// Behind `(…)` at a token, or the token.
    fn behind_parentheses(&self, i: usize) -> usize {
        if self.word(i) == "(" {
            self.tokens.behind(i)
        } else {
            i
        }
    }

    /// Where the parentheses of a statement with a head are.
    fn head(&self, i: usize) -> usize {
        i + 1 + usize::from(self.word(i + 1) == "constexpr")
    }

    /// Calls with one statement more around; `too_deep` where there are too many.
    fn deeper<T>(&self, too_deep: impl Fn() -> T, call: impl Fn() -> T) -> T {
        if self.depth.get() >= DEEPEST {
            return too_deep();
        }
        self.depth.set(self.depth.get() + 1);
        let result = call();
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// Behind the statement that begins at a token.
    fn end(&self, i: usize, limit: usize) -> usize {
        self.deeper(|| limit, || self.behind_statement(i, limit))
    }

    fn behind_statement(&self, i: usize, limit: usize) -> usize {
        if i >= limit {
            return limit;
        }
        if self.tokens.kind(i) == Kind::Pragma {
            return self.end(i + 1, limit);
        }
        let end = match self.word(i) {
            "{" => self.tokens.behind(i),
            "if" | "for" | "while" | "switch" | "do" | "else" | "try" => self.parts(i, limit).end,
            _ => match self.label(i, limit) {
                Some(behind) => self.end(behind, limit),
                None => self.simple(i, limit),
            },
        };
        end.min(limit)
    }

    /// Behind `case …:`, `default:` or a label.
    fn label(&self, i: usize, limit: usize) -> Option<usize> {
        if self.word(i) == "case" {
            let colon = (i + 1..limit).find(|j| matches!(self.word(*j), ":" | ";" | "{" | "}"))?;
            return (self.word(colon) == ":").then_some(colon + 1);
        }
        (self.tokens.is_word(i) && self.word(i + 1) == ":").then_some(i + 2)
    }

    fn simple(&self, i: usize, limit: usize) -> usize {
        let mut j = i;
        while j < limit {
            match self.word(j) {
                ";" => return j + 1,
                "}" => return j.max(i + 1),
                _ => j = self.tokens.behind(j),
            }
        }
        limit
    }

    /// The cut in a statement that holds the error.
    fn inside(&self, i: usize, end: usize) -> Option<Cut> {
        self.deeper(|| Some(self.whole(i..end)), || self.within(i, end))
    }

    fn within(&self, i: usize, end: usize) -> Option<Cut> {
        let mut first = i;
        while self.tokens.kind(first) == Kind::Pragma && first < end {
            first += 1;
        }
        match self.word(first) {
            _ if self.t < first => Some(self.whole(i..end)),
            "{" => {
                let close = self.tokens.partner(first);
                if self.t == first || self.t >= close {
                    None
                } else {
                    self.block(&(first + 1..close))
                }
            }
            "if" | "for" | "while" | "switch" | "do" | "else" | "try" => {
                self.compound(first, end).or_else(|| Some(self.whole(i..end)))
            }
            ";" => None,
            _ => match self.label(first, end) {
                Some(behind) if self.t < behind => Some(Cut::new(first..behind, "")),
                Some(behind) if behind < end => self.inside(behind, end),
                Some(_) => None,
                None => Some(self.plain(i..end)),
            },
        }
    }

    /// The cut in a statement with a head or with parts; `None` where none of them holds the error.
    fn compound(&self, first: usize, end: usize) -> Option<Cut> {
        let parts = self.parts(first, end);
        if let Some((keyword, head)) = parts.heads.iter().find(|(_, h)| h.contains(&self.t)) {
            return Some(self.condition(*keyword, head.clone()));
        }
        let part = parts.statements.into_iter().find(|s| s.contains(&self.t))?;
        self.inside(part.start, part.end)
    }

    /// Heads and statements of a statement that begins with a keyword.
    fn parts(&self, first: usize, limit: usize) -> Parts {
        let mut parts = Parts { end: first, ..Parts::default() };
        match self.word(first) {
            "if" => {
                self.head_of(&mut parts);
                self.statement_of(&mut parts, limit);
                if self.word(parts.end) == "else" && parts.end < limit {
                    parts.end += 1;
                    self.statement_of(&mut parts, limit);
                }
            }
            "do" => {
                parts.end += 1;
                self.statement_of(&mut parts, limit);
                if self.word(parts.end) == "while" {
                    self.head_of(&mut parts);
                }
                parts.end += usize::from(self.word(parts.end) == ";");
            }
            "else" => {
                parts.end += 1;
                self.statement_of(&mut parts, limit);
            }
            "try" => {
                parts.end += 1;
                self.statement_of(&mut parts, limit);
                while self.word(parts.end) == "catch" && parts.end < limit {
                    self.head_of(&mut parts);
                    self.statement_of(&mut parts, limit);
                }
            }
            _ => {
                self.head_of(&mut parts);
                self.statement_of(&mut parts, limit);
            }
        }
        parts
    }

    /// Adds what is in the parentheses behind the keyword that comes next.
    fn head_of(&self, parts: &mut Parts) {
        let open = self.head(parts.end);
        let behind = self.behind_parentheses(open);
        if behind > open {
            parts.heads.push((parts.end, open + 1..behind - 1));
        }
        parts.end = behind;
    }

    /// Adds the statement that comes next.
    fn statement_of(&self, parts: &mut Parts, limit: usize) {
        let end = self.end(parts.end, limit);
        parts.statements.push(parts.end..end);
        parts.end = end;
    }

    /// The head of a statement without its condition.
    fn condition(&self, keyword: usize, inner: Range<usize>) -> Cut {
        let with = match self.word(keyword) {
            "for" => ";;",
            "catch" => "...",
            // clang remarks on a constant that no case has.
            "switch" => "int __ws_left = 0",
            _ => "0",
        };
        Cut::new(inner, with)
    }

    /// A statement without parts: its launch with another configuration, or what is left of it.
    fn plain(&self, range: Range<usize>) -> Cut {
        self.configuration(&range).unwrap_or_else(|| self.whole(range))
    }

    /// A configuration of a launch that holds the error.
    fn configuration(&self, range: &Range<usize>) -> Option<Cut> {
        let three = |i: usize, sign: &str| {
            (i..i + 3).all(|j| self.word(j) == sign) && i + 3 <= range.end && self.tokens.touch(i, i + 2)
        };
        let open = (range.start..self.t).rev().find(|i| three(*i, "<"))? + 3;
        let mut close = open;
        while close < range.end && !three(close, ">") {
            close = self.tokens.behind(close);
        }
        let inside = open <= self.t && self.t < close && close < range.end;
        let changed =
            self.tokens.bytes(&(open..close)) != self.tokens.bytes(&(open..open + 3)) || self.word(open) != "1";
        (inside && changed).then(|| Cut::new(open..close, "1,1"))
    }

    /// A statement that goes, but for the kernels that it names.
    fn whole(&self, range: Range<usize>) -> Cut {
        let start = range.start + usize::from(self.word(range.start) == "{");
        let again = KEPT.iter().enumerate().all(|(n, word)| self.word(start + n) == *word);
        let kept = if again { String::new() } else { kept(self.tokens, &range) };
        let end = if self.word(range.start) == "return" { END } else { "" };
        let with = format!("{{{}{}}}", kept, end);
        Cut::new(range, &with)
    }
}

/// Statements that name the instances of templates in a range: a kernel among them is compiled.
fn kept(tokens: &Tokens, range: &Range<usize>) -> String {
    let mut out = String::new();
    let mut i = range.start;
    while i < range.end {
        let behind = instance(tokens, i).filter(|b| *b <= range.end);
        let Some(behind) = behind else {
            i += 1;
            continue;
        };
        let mut start = i;
        while start >= range.start + 2 && tokens.word(start - 1) == "::" && tokens.is_word(start - 2) {
            start -= 2;
        }
        let before = start.checked_sub(1).map_or("", |b| tokens.word(b));
        let words: Vec<_> = (start..behind).map(|j| tokens.word(j)).collect();
        let text = format!("{} {};", KEPT.concat(), words.join(" "));
        if tokens.word(start) != "std" && !matches!(before, "." | "->" | "::") && !out.contains(&text) {
            out += &text;
        }
        i = behind;
    }
    out
}

/// Behind `name<…>` in front of a launch, a call or the end of an argument.
fn instance(tokens: &Tokens, i: usize) -> Option<usize> {
    let name = tokens.word(i);
    if !tokens.is_word(i)
        || name.ends_with("_cast")
        || matches!(name, "template" | "operator")
        || tokens.word(i + 1) != "<"
    {
        return None;
    }
    // `k<<<…>>>` has no arguments of a template.
    if tokens.word(i + 2) == "<" {
        return None;
    }
    let behind = tokens.behind_angles(i + 1)?;
    matches!(tokens.word(behind), "(" | "<" | "," | ")" | ";").then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::{cut, Tokens};
    use crate::clang::host::cut::apply;

    /// The body with the cut for the error at `!`.
    fn without(body: &str) -> Option<String> {
        let at = body.find('!').expect("an error");
        let tokens = Tokens::new(body);
        let cut = cut(&tokens, &(0..tokens.len()), tokens.at(at).expect("a token"))?;
        Some(apply(body, &tokens, vec![cut]))
    }

    #[test]
    fn only_the_statement_with_the_error_goes() {
        for (body, expected) in [
            ("a; b(!); c;", "a; {} c;"),
            ("int x = !; c;", "{} c;"),
            ("return !;", "{__builtin_trap();}"),
            ("if (!x) a; else b;", "if (0) a; else b;"),
            ("if (x) { a; !; } else b;", "if (x) { a; {} } else b;"),
            ("if (x) a; else if (y) !; else c;", "if (x) a; else if (y) {} else c;"),
            ("if (x) a; else if (!) b;", "if (x) a; else if (0) b;"),
            ("if (x) !; else b;", "if (x) {} else b;"),
            ("if constexpr (!) b;", "if constexpr (0) b;"),
            ("for (auto x : !) { b; }", "for (;;) { b; }"),
            ("for (;;) { while (!) b; }", "for (;;) { while (0) b; }"),
            ("do { !; } while (x); c;", "do { {} } while (x); c;"),
            ("do a; while (!); c;", "do a; while (0); c;"),
            ("switch (!) { case 1: a; }", "switch (int __ws_left = 0) { case 1: a; }"),
            ("switch (x) { case !: a; }", "switch (x) {  a; }"),
            ("switch (x) { case 1: !; default: b; }", "switch (x) { case 1: {} default: b; }"),
            ("try { !; } catch (E &e) { b; }", "try { {} } catch (E &e) { b; }"),
            ("try { a; } catch (! &e) { b; } c;", "try { a; } catch (...) { b; } c;"),
            ("try { a; } catch (E &e) { !; } c;", "try { a; } catch (E &e) { {} } c;"),
            ("f([&] { a; !; }); c;", "{} c;"),
            ("x = {1, !, 3}; c;", "{} c;"),
            ("if (x) for (;;) if (y) { !; }", "if (x) for (;;) if (y) { {} }"),
            ("#pragma omp for\nfor (;;) !;", "#pragma omp for\nfor (;;) {}"),
            ("l: !; m: a;", "l: {} m: a;"),
            ("struct S { int !; } s; c;", "{} c;"),
            ("else !;", "else {}"),
        ] {
            assert_eq!(without(body).as_deref(), Some(expected), "{body}");
        }
        for body in [";;!", "{ a; }!", "{!}"] {
            let _ = without(body);
        }
    }

    #[test]
    fn kernels_that_a_statement_names_stay() {
        for (body, expected) in [
            ("k<<<g, b, 0, !>>>(x);", "k<<<1,1>>>(x);"),
            ("k<int><<<g, f(!)>>>(x);", "k<int><<<1,1>>>(x);"),
            ("k<<<1,1>>>(!);", "{}"),
            ("n::k<float, (3>2)><<<g, b>>>(!);", "{(void)& n :: k < float , ( 3 > 2 ) >;}"),
            ("return run<4>(!);", "{(void)& run < 4 >;__builtin_trap();}"),
            ("x.f<3>(!); ", "{} "),
            ("{(void)& k < ! >;}", "{{}}"),
            ("std::max<int>(!); static_cast<int>(!);", "{} static_cast<int>(!);"),
        ] {
            assert_eq!(without(body).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn statements_in_each_other_have_an_end() {
        for part in ["if (x) ", "{ ", "for (;;) ", "do ", "else ", "a: ", "try { } catch (...) "] {
            let body = format!("{}!; b;", part.repeat(100_000));
            assert!(without(&body).is_some(), "{part}");
        }
    }

    #[test]
    fn lines_and_their_markers_stay() {
        let body = "a;\nf(\n# 7 \"k.cu\"\n  !,\n#pragma x\n  2); b;";
        assert_eq!(without(body).as_deref(), Some("a;\n{}\n# 7 \"k.cu\"\n\n\n b;"));
    }
}
