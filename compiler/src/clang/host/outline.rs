//! Declarations of a file: where each is, and whether it is one of the device.

use super::lex::{Kind as Token, Tokens};
use std::collections::HashSet;
use std::ops::Range;

/// What a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A namespace, or `extern "C" {…}`.
    Group,
    /// A class with members.
    Class,
    /// A function with a body.
    Function,
    /// Everything else.
    Other,
}

/// A declaration.
#[derive(Debug)]
pub(super) struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its tokens.
    pub range: Range<usize>,
    /// Tokens between the braces of a function, class or group.
    pub body: Range<usize>,
    /// Where `:` begins the initialisers of a constructor.
    pub initialisers: Option<usize>,
    /// Declarations in a group or class.
    pub children: Vec<Item>,
    /// Marked for the device.
    pub device: bool,
    /// Marked for the device by another declaration alone.
    pub inherits: bool,
    /// Marked as a kernel.
    pub kernel: bool,
    /// Marked for the host alone.
    host: bool,
    /// A template, not an instance of one.
    pub template: bool,
    /// The closing brace is missing: a kernel stands inside.
    pub open: bool,
    /// Declares a function, not a variable.
    pub function: bool,
    /// Last name in front of the parameters, their number, and whether it is a member.
    pub name: Option<(String, usize, bool)>,
}

impl Item {
    fn new(at: usize) -> Item {
        Item {
            kind: Kind::Other,
            range: at..at,
            body: at..at,
            initialisers: None,
            children: Vec::new(),
            device: false,
            inherits: false,
            kernel: false,
            host: false,
            template: false,
            open: false,
            function: false,
            name: None,
        }
    }

    /// True where something inside is marked for the device.
    pub fn holds_device(&self) -> bool {
        self.device || self.children.iter().any(Item::holds_device)
    }
}

/// The declarations of a text. A function without marks is one of the device where another declaration of it is.
pub(super) fn outline(tokens: &Tokens) -> Vec<Item> {
    let mut items = Parser { tokens, at: 0, depth: 0 }.items(tokens.len(), false);
    let mut names = HashSet::new();
    collect(&items, &mut names);
    inherit(&mut items, &names);
    items
}

fn collect(items: &[Item], names: &mut HashSet<(String, usize, bool)>) {
    for item in items {
        if item.device {
            names.extend(item.name.clone());
        }
        collect(&item.children, names);
    }
}

fn inherit(items: &mut [Item], names: &HashSet<(String, usize, bool)>) {
    for item in items {
        item.inherits = !item.device && !item.host && item.name.as_ref().is_some_and(|n| names.contains(n));
        item.device |= item.inherits;
        inherit(&mut item.children, names);
    }
}

/// Words that carry parentheses and are no functions.
const WITH_PARENTHESES: [&str; 9] =
    ["__declspec", "alignas", "decltype", "noexcept", "__asm__", "asm", "throw", "explicit", "requires"];

/// Words that begin a class or an enumeration.
pub(super) const CLASSES: [&str; 4] = ["struct", "class", "union", "enum"];

/// Classes and groups inside each other that are told apart; clang takes no more brackets.
const DEEPEST: u32 = 256;

struct Parser<'a> {
    tokens: &'a Tokens<'a>,
    at: usize,
    /// Classes and groups around the declaration.
    depth: u32,
}

/// What the head of a declaration has said so far.
#[derive(Default)]
struct Head {
    class: bool,
    enumeration: bool,
    parameters: bool,
    value: bool,
}

impl Parser<'_> {
    fn word(&self) -> &str {
        self.tokens.word(self.at)
    }

    fn items(&mut self, end: usize, members: bool) -> Vec<Item> {
        let mut list = Vec::new();
        while self.at < end {
            match self.word() {
                ";" | ")" | "]" | "}" => self.at += 1,
                _ if self.tokens.kind(self.at) == Token::Pragma => self.at += 1,
                "public" | "private" | "protected" if members && self.tokens.word(self.at + 1) == ":" => self.at += 2,
                _ => list.push(self.item(end, members)),
            }
        }
        list
    }

    fn item(&mut self, end: usize, member: bool) -> Item {
        let mut item = Item::new(self.at);
        while self.word() == "template" && self.tokens.word(self.at + 1) == "<" {
            item.template = true;
            self.at = self.tokens.behind_angles(self.at + 1).unwrap_or(self.at + 2);
        }
        if self.is_group() {
            self.group(&mut item, end);
        } else {
            self.declaration(&mut item, end, member);
        }
        self.at = self.at.max(item.range.start + 1).min(end.max(item.range.start + 1));
        item.range.end = self.at;
        item
    }

    /// At `namespace … {` or `extern "C" {`.
    fn is_group(&self) -> bool {
        let word = |n: usize| self.tokens.word(self.at + n);
        if word(0) == "extern" {
            return word(1).starts_with('"') && word(2) == "{";
        }
        let skip = usize::from(word(0) == "inline");
        if word(skip) != "namespace" {
            return false;
        }
        let mut i = self.at + skip + 1;
        while !matches!(self.tokens.word(i), "{" | ";" | "=" | "" | "}") {
            i = self.tokens.behind(i);
        }
        self.tokens.word(i) == "{"
    }

    fn group(&mut self, item: &mut Item, end: usize) {
        item.kind = Kind::Group;
        while self.word() != "{" {
            self.at = self.tokens.behind(self.at);
        }
        self.children(item, end, false);
    }

    /// From `{` to behind its `}`.
    fn children(&mut self, item: &mut Item, end: usize, members: bool) {
        let close = self.tokens.partner(self.at).min(end);
        self.at += 1;
        item.body = self.at..close;
        if self.depth < DEEPEST {
            self.depth += 1;
            item.children = self.items(close, members);
            self.depth -= 1;
        }
        self.at = close + 1;
    }

    fn declaration(&mut self, item: &mut Item, end: usize, member: bool) {
        let mut head = Head::default();
        let mut qualified = member;
        while self.at < end {
            let word = self.tokens.word(self.at);
            match word {
                "__attribute__" | "__attribute" => self.attribute(item),
                _ if WITH_PARENTHESES.contains(&word) && self.tokens.word(self.at + 1) == "(" => {
                    self.at = self.tokens.behind(self.at + 1);
                }
                "operator" => self.operator(),
                "=" => {
                    head.value = true;
                    self.at += 1;
                }
                "(" if head.value => self.at = self.tokens.behind(self.at),
                "(" => {
                    if !head.parameters {
                        item.name = self.name(qualified);
                        item.function = self.declares_function(item.range.start);
                    }
                    head.parameters = true;
                    self.at = self.tokens.behind(self.at);
                }
                ":" if head.parameters && !head.value && item.initialisers.is_none() => {
                    item.initialisers = Some(self.at);
                    self.at += 1;
                }
                "{" => {
                    if self.braces(item, &head, end) {
                        return;
                    }
                }
                ";" => {
                    self.at += 1;
                    return;
                }
                "}" => return,
                // Bases of a class may have parentheses of their own.
                ":" if head.class => self.bases(),
                _ => {
                    let begins = CLASSES.contains(&word) && !head.parameters && !head.value;
                    head.class |= begins;
                    head.enumeration |= begins && word == "enum";
                    qualified |= word == "::" && !head.parameters;
                    self.at = self.tokens.behind(self.at);
                }
            }
        }
    }

    /// `__attribute__((…))`: marks of CUDA.
    fn attribute(&mut self, item: &mut Item) {
        let end = self.tokens.behind(self.at + 1);
        for i in self.at..end {
            item.kernel |= self.tokens.word(i).trim_matches('_') == "global";
            match self.tokens.word(i).trim_matches('_') {
                "device" | "global" | "constant" | "shared" => item.device = true,
                "host" => item.host = true,
                _ => {}
            }
        }
        self.at = end.max(self.at + 1);
    }

    /// `operator` and its sign, up to the parameters.
    fn operator(&mut self) {
        self.at += 1;
        if self.word() == "(" && self.tokens.word(self.tokens.behind(self.at)) == "(" {
            self.at = self.tokens.behind(self.at);
        }
        while !matches!(self.word(), "(" | ";" | "{" | "}" | "") {
            self.at += 1;
        }
    }

    /// The name in front of `(`, and the number of parameters.
    fn name(&self, qualified: bool) -> Option<(String, usize, bool)> {
        let before = self.at.checked_sub(1)?;
        let close = self.tokens.partner(self.at);
        let mut commas = usize::from(close > self.at + 1);
        let mut i = self.at + 1;
        while i < close {
            match self.tokens.word(i) {
                "," => commas += 1,
                "<" => i = self.tokens.behind_angles(i).map_or(i, |b| b - 1),
                _ => {}
            }
            i = self.tokens.behind(i);
        }
        Some((self.tokens.word(before).to_string(), commas, qualified))
    }

    /// At the first `(` of a declaration that is no list of declarators: what is behind `)` belongs to a function.
    fn declares_function(&self, start: usize) -> bool {
        let word = |i: usize| self.tokens.word(i);
        let behind = word(self.tokens.behind(self.at));
        let one = (start..self.at).all(|i| word(i) != "," && word(i) != "typedef");
        let tails = ["const", "noexcept", "override", "final", "__attribute__", "throw", "->", "=", ":", "{", ";"];
        one && !matches!(word(self.at + 1), "*" | "&") && tails.contains(&behind)
    }

    fn bases(&mut self) {
        while !matches!(self.word(), "{" | ";" | "}" | "") {
            self.at = self.tokens.behind(self.at);
        }
    }

    /// At `{` of a declaration; true where it ends the declaration.
    fn braces(&mut self, item: &mut Item, head: &Head, end: usize) -> bool {
        let before = self.at.checked_sub(1).map_or("", |b| self.tokens.word(b));
        let named = self.at.checked_sub(1).is_some_and(|b| self.tokens.is_word(b)) || before == ">";
        let initialises = head.value || item.initialisers.is_some() && named && before != "try";
        if head.parameters && !initialises {
            self.function(item, end);
            return true;
        }
        if head.class && !head.parameters && !head.value && item.kind != Kind::Class {
            if head.enumeration {
                item.body = self.at + 1..self.tokens.partner(self.at);
                self.at = self.tokens.behind(self.at);
            } else {
                item.kind = Kind::Class;
                self.children(item, end, true);
            }
            return false;
        }
        self.at = self.tokens.behind(self.at);
        false
    }

    fn function(&mut self, item: &mut Item, end: usize) {
        item.kind = Kind::Function;
        let close = self.tokens.partner(self.at).min(end);
        item.body = self.at + 1..close;
        self.at = close + 1;
        while self.word() == "catch" {
            self.at = self.tokens.behind(self.tokens.behind(self.at + 1));
        }
        if !item.device {
            self.stop_at_kernel(item);
        }
    }

    /// A kernel in the body of a function: its closing brace is missing.
    fn stop_at_kernel(&mut self, item: &mut Item) {
        let word = |i: usize| self.tokens.word(i);
        let mark = |i: &usize| word(*i) == "global" && word(i - 1) == "(" && word(i - 2) == "(";
        let Some(mut at) = item.body.clone().skip(2).find(mark) else { return };
        while at > item.body.start && !matches!(word(at - 1), ";" | "}" | "{") {
            at -= 1;
        }
        item.open = true;
        item.body.end = at;
        self.at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::{outline, Item, Kind, Tokens};

    fn list(items: &[Item], tokens: &Tokens, out: &mut Vec<String>) {
        for i in items {
            let kind = match i.kind {
                Kind::Group => "group",
                Kind::Class => "class",
                Kind::Function => "function",
                Kind::Other => "other",
            };
            let device = if i.device { " device" } else { "" };
            let end = i.range.end.saturating_sub(1);
            out.push(format!("{kind}{device} {}…{}", tokens.word(i.range.start), tokens.word(end)));
            list(&i.children, tokens, out);
        }
    }

    fn of(text: &str) -> Vec<String> {
        let tokens = Tokens::new(text);
        let mut out = Vec::new();
        list(&outline(&tokens), &tokens, &mut out);
        out
    }

    #[test]
    fn declarations_of_every_kind() {
        for (text, expected) in [
            ("int a, b = f(3); a", &["other int…;", "other a…a"][..]),
            ("int x[] = {1, 2}, y{3};", &["other int…;"]),
            (
                "template <class T> struct S : B<(1 > 0)> { int x; S() : x(1), y{2} {} } s;",
                &["class template…;", "other int…;", "function S…}"],
            ),
            (
                "namespace a::b { inline namespace { int f() { return 1; } } } extern \"C\" { int g(); }",
                &["group namespace…}", "group inline…}", "function int…}", "group extern…}", "other int…;"],
            ),
            ("namespace x = y; extern \"C\" int g() {}", &["other namespace…;", "function extern…}"]),
            (
                "struct S f() { return S{}; } enum E : int { A = 1 }; typedef struct { int x; } T;",
                &["function struct…}", "other enum…;", "class typedef…;", "other int…;"],
            ),
            (
                "bool operator()(int x) const { } int operator+=(S a) { } auto l = [](int x) { return x; };",
                &["function bool…}", "function int…}", "other auto…;"],
            ),
            ("int main() try { } catch (...) { } int x;", &["function int…}", "other int…;"]),
            (
                "class A { public: int f() const noexcept(true) { } private: virtual ~A() = 0; };",
                &["class class…;", "function int…}", "other virtual…;"],
            ),
            (
                "__attribute__((device)) int f(int a); int f(int b) { } int f(int b, int c) { }",
                &["other device __attribute__…;", "function device int…}", "function int…}"],
            ),
            (
                "struct S { __attribute__((device)) int f(); }; int S::f() { } int f() { }",
                &["class struct…;", "other device __attribute__…;", "function device int…}", "function int…}"],
            ),
            (
                "__attribute__((constant)) int t[2] = {1}; static __attribute__((global)) void k() { }",
                &["other device __attribute__…;", "function device static…}"],
            ),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_function_without_its_brace_ends_in_front_of_the_next_kernel() {
        let text = "int f() { if (x) { y; } template <int n> __attribute__((global)) void k() { z; }";
        assert_eq!(of(text), ["function int…}", "function device template…}"]);
        assert_eq!(of("int f() { (( }"), ["function int…}"]);
        assert!(of("} ) int f(").len() == 1);
        assert!(of(&"namespace a { ".repeat(10_000)).len() > 200);
    }
}
