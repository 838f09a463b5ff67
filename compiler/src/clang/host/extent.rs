//! What of a file is left out for an error in it.

use super::cut::Cut;
use super::lex::Tokens;
use super::outline::{Item, Kind};
use super::statement;

/// How much goes for an error in a function of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// The statement.
    Statement,
    /// All statements.
    Body,
    /// The function.
    Function,
}

/// The cut for an error at a token; `None` where it is the device's.
pub(super) fn of_error(tokens: &Tokens, items: &[Item], t: usize, effort: Effort) -> Option<Cut> {
    let item = items.iter().find(|i| i.range.contains(&t))?;
    if item.device {
        return None;
    }
    match item.kind {
        Kind::Group => of_error(tokens, &item.children, t, effort),
        Kind::Class => of_class(tokens, item, t, effort),
        Kind::Function => Some(of_function(tokens, item, t, effort)),
        Kind::Other => Some(Cut::new(item.range.clone(), "")),
    }
}

/// Functions whose closing brace is missing, cut before anything else is known.
pub(super) fn open_functions(tokens: &Tokens, items: &[Item], out: &mut Vec<Cut>) {
    for item in items {
        if item.open {
            out.push(Cut::new(item.body.clone(), &format!("{} }}", statement::emptied(tokens, &item.body))));
        }
        open_functions(tokens, &item.children, out);
    }
}

/// A class keeps its size or goes as a whole; a class with functions of the device stays.
fn of_class(tokens: &Tokens, class: &Item, t: usize, effort: Effort) -> Option<Cut> {
    let whole = || (!class.holds_device()).then(|| Cut::new(class.range.clone(), ""));
    let Some(member) = class.children.iter().find(|i| i.range.contains(&t)) else { return whole() };
    if member.device {
        return None;
    }
    let says = |words: &[&str]| member.range.clone().any(|i| words.contains(&tokens.word(i)));
    let first = tokens.word(member.range.start);
    match member.kind {
        Kind::Function if !says(&["virtual"]) => Some(of_function(tokens, member, t, effort)),
        Kind::Class if member.children.iter().any(|i| i.kind == Kind::Function && i.body.contains(&t)) => {
            of_class(tokens, member, t, effort)
        }
        Kind::Other if member.function && !says(&["virtual"]) => Some(Cut::new(member.range.clone(), "")),
        Kind::Other if matches!(first, "using" | "friend" | "static" | "static_assert") => {
            Some(Cut::new(member.range.clone(), ""))
        }
        _ => whole(),
    }
}

fn of_function(tokens: &Tokens, item: &Item, t: usize, effort: Effort) -> Cut {
    let evaluated = (item.range.start..item.body.start).any(|i| tokens.word(i) == "constexpr");
    let inside = item.body.contains(&t) || item.initialisers.is_some_and(|i| i <= t && t < item.body.end);
    if !inside || evaluated || effort == Effort::Function {
        return without_head(tokens, item);
    }
    let statement = (effort == Effort::Statement).then(|| statement::cut(tokens, &item.body, t)).flatten();
    statement.unwrap_or_else(|| match item.initialisers {
        Some(from) => Cut::new(from..item.body.end, &format!("{{ {}", statement::emptied(tokens, &item.body))),
        None => Cut::new(item.body.clone(), &statement::emptied(tokens, &item.body)),
    })
}

/// A function whose head is wrong: one without parameters names the kernels that it launched.
fn without_head(tokens: &Tokens, item: &Item) -> Cut {
    let body = statement::emptied(tokens, &item.body);
    let made = tokens.word(item.range.start) == "static" && tokens.word(item.range.start + 2).starts_with("__ws_left");
    match item.template || made || !body.contains('&') {
        true => Cut::new(item.range.clone(), ""),
        false => Cut::new(item.range.clone(), &format!("static void __ws_left_{}() {{ {body} }}", item.range.start)),
    }
}
