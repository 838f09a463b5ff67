//! What of a file is left out for an error in it.

use super::cut::Cut;
use super::device;
use super::lex::Tokens;
use super::outline::{Item, Kind, CLASSES};
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
    Finder { tokens, all: items, t, effort }.of(items)
}

struct Finder<'a> {
    tokens: &'a Tokens<'a>,
    /// Declarations of the file.
    all: &'a [Item],
    /// The token of the error.
    t: usize,
    effort: Effort,
}

impl Finder<'_> {
    fn of(&self, items: &[Item]) -> Option<Cut> {
        let item = items.iter().find(|i| i.range.contains(&self.t))?;
        if item.device {
            return None;
        }
        match item.kind {
            Kind::Group => self.of(&item.children),
            Kind::Class => self.of_class(item),
            Kind::Function => self.of_function(item),
            // Without it code of the device would mean the template.
            Kind::Other => (!self.is_specialisation(item)).then(|| Cut::new(item.range.clone(), "")),
        }
    }

    /// A class keeps its size or goes as a whole; a class with functions of the device stays.
    fn of_class(&self, class: &Item) -> Option<Cut> {
        let whole = || (!class.holds_device()).then(|| self.without_members(class)).flatten();
        let Some(member) = class.children.iter().find(|i| i.range.contains(&self.t)) else { return whole() };
        if member.device {
            return None;
        }
        let says = |words: &[&str]| member.range.clone().any(|i| words.contains(&self.tokens.word(i)));
        let first = self.tokens.word(member.range.start);
        match member.kind {
            Kind::Function if !says(&["virtual"]) => self.of_function(member),
            Kind::Class if member.children.iter().any(|i| i.kind == Kind::Function && i.body.contains(&self.t)) => {
                self.of_class(member)
            }
            Kind::Other if member.function && !says(&["virtual"]) => Some(Cut::new(member.range.clone(), "")),
            Kind::Other if matches!(first, "using" | "friend" | "static" | "static_assert") => {
                Some(Cut::new(member.range.clone(), ""))
            }
            _ => whole(),
        }
    }

    /// A class goes; of one that stands for a template with some arguments a declaration stays, as its place would be the
    /// template's.
    fn without_members(&self, class: &Item) -> Option<Cut> {
        let head = || class.range.start..class.body.start;
        let bases = head().rfind(|i| CLASSES.contains(&self.tokens.word(*i))).unwrap_or(class.range.start);
        let end = (bases..class.body.start - 1).find(|i| self.tokens.word(*i) == ":").unwrap_or(class.body.start - 1);
        if !(bases..end).any(|i| self.tokens.word(i) == "<") {
            return Some(Cut::new(class.range.clone(), ""));
        }
        (self.t >= end).then(|| Cut::new(end..class.body.end + 1, ""))
    }

    /// True for what stands for a template with some arguments.
    fn is_specialisation(&self, item: &Item) -> bool {
        let word = |n: usize| self.tokens.word(item.range.start + n);
        word(0) == "template" && (word(1) != "<" || word(2) == ">")
    }

    fn of_function(&self, item: &Item) -> Option<Cut> {
        let (tokens, t) = (self.tokens, self.t);
        let decides = device::decides(tokens, item);
        let inside = item.body.contains(&t) || item.initialisers.is_some_and(|i| i <= t && t < item.body.end);
        if decides {
            // Another one of its name would be taken for it, in code of the device too.
            let alone = item.name.as_ref().is_some_and(|n| device::functions(self.all, &n.0) == 1);
            return (alone && !self.is_specialisation(item)).then(|| without_head(tokens, item));
        }
        if !inside || self.effort == Effort::Function {
            return Some(without_head(tokens, item));
        }
        let statement = (self.effort == Effort::Statement).then(|| statement::cut(tokens, &item.body, t)).flatten();
        Some(statement.unwrap_or_else(|| match item.initialisers {
            Some(from) => Cut::new(from..item.body.end, &format!("{{ {}", statement::emptied(tokens, &item.body))),
            None => Cut::new(item.body.clone(), &statement::emptied(tokens, &item.body)),
        }))
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

/// A function whose head is wrong: one without parameters names the kernels that it launched.
fn without_head(tokens: &Tokens, item: &Item) -> Cut {
    let body = statement::emptied(tokens, &item.body);
    let made = tokens.word(item.range.start) == "static" && tokens.word(item.range.start + 2).starts_with("__ws_left");
    match item.template || made || !body.contains('&') {
        true => Cut::new(item.range.clone(), ""),
        false => Cut::new(item.range.clone(), &format!("static void __ws_left_{}() {{ {body} }}", item.range.start)),
    }
}
