//! What of the device is left out for an error in it: a body, so that only what calls it is refused, or a kernel.
//!
//! A declaration stays as it is, and with it which function a call means. Bodies that decide what a declaration says stay,
//! those of `constexpr` functions and of functions whose result type is deduced: their errors are errors of the file.

use super::cut::Cut;
use super::lex::Tokens;
use super::outline::{Item, Kind};
use crate::ptx::left;

/// A part that goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A body, and what makes it one of the device.
    Body(Cut, Option<Cut>),
    /// A definition or declaration of a kernel that is wrong itself, and its name.
    Kernel(Cut, String),
}

/// The part for an error at a token, with the number `number`; `None` where the file stands or falls with it.
pub(super) fn of_error(tokens: &Tokens, items: &[Item], t: usize, number: usize) -> Option<Part> {
    let item = declaration(items, t)?;
    match item.kind {
        Kind::Function if !item.device => None,
        Kind::Function if !item.kernel || t + 1 >= item.body.start => {
            // A definition without a mark would be one of the host, and no kernel would call it.
            let start = item.range.start;
            let marked = format!("__attribute__((device)) {}", tokens.word(start));
            let mark = item.inherits.then(|| Cut::new(start..start + 1, &marked));
            let cut = body(tokens, item, t, number).filter(|_| !(item.inherits && item.template))?;
            Some(Part::Body(cut, mark))
        }
        _ if item.kernel => kernel(tokens, items, item),
        _ => None,
    }
}

/// The function, or the declaration without members, that holds a token.
fn declaration(items: &[Item], t: usize) -> Option<&Item> {
    let item = items.iter().find(|i| i.range.contains(&t))?;
    match item.kind {
        Kind::Group | Kind::Class => declaration(&item.children, t),
        Kind::Function | Kind::Other => Some(item),
    }
}

fn body(tokens: &Tokens, item: &Item, t: usize, number: usize) -> Option<Cut> {
    let initialises = item.initialisers.is_some_and(|i| i <= t && t + 1 < item.body.start);
    let inside = item.body.start <= t + 1 && t <= item.body.end;
    let refused = tokens.word(item.body.start) == "::" && tokens.word(item.body.start + 1) == "__ws_left_out";
    if refused || decides(tokens, item) || !(inside || initialises) {
        return None;
    }
    let call = format!("{} __builtin_trap();", left::call(number));
    Some(match item.initialisers.filter(|_| initialises) {
        Some(from) => Cut::new(from..item.body.end, &format!("{{ {call} ")),
        None => Cut::new(item.body.clone(), &format!(" {call} ")),
    })
}

/// True where the body of a function says what its declaration is worth.
pub(super) fn decides(tokens: &Tokens, item: &Item) -> bool {
    let head = || (item.range.start..item.body.start).map(|i| tokens.word(i));
    let deduced = head().filter(|w| *w == "auto").count();
    let evaluated = head().any(|w| matches!(w, "constexpr" | "consteval" | "__constexpr"));
    // `auto f() -> int` deduces nothing.
    evaluated || deduced > usize::from(head().any(|w| w == "->"))
}

/// A kernel: no code of the device calls it. It has no other one of its name that could be taken for it.
fn kernel(tokens: &Tokens, items: &[Item], item: &Item) -> Option<Part> {
    let (name, ..) = item.name.as_ref()?;
    let start = item.range.start;
    let instance = tokens.word(start) == "template" && (tokens.word(start + 1) != "<" || tokens.word(start + 2) == ">");
    let sound = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let single = functions(items, name) <= usize::from(item.kind == Kind::Function);
    (sound && !instance && single).then(|| Part::Kernel(Cut::new(item.range.clone(), ""), name.clone()))
}

/// Number of the functions of a name that have bodies.
pub(super) fn functions(items: &[Item], name: &str) -> usize {
    let named = |i: &&Item| i.kind == Kind::Function && i.name.as_ref().is_some_and(|n| n.0 == name);
    items.iter().filter(named).count() + items.iter().map(|i| functions(&i.children, name)).sum::<usize>()
}
