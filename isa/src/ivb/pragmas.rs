//! Pragmas of Intel's manual (7.2): a source that has them to the same source without.
//!
//! - `.declare NAME Base=r5.2 ElementSize=4 SrcRegion=<8;8,1> DstRegion=<1> Type=f` (`Region=` is `SrcRegion=`); then
//!   `NAME(RegOff, SubRegOff)`, `NAME(RegOff)`, `NAME[a0.0, RegOff, SubRegOff]`, `NAME[a0.0, RegOff]`, `NAME[a0.0]`, `NAME`.
//! - `.define NAME TEXT`, which may name other definitions.
//! - `.default_execution_size (8)` and `.default_execution_size_F (8)`, by the type of the destination.
//! - `.default_register_type F` and `.default_register_type_r F`, by the register file.
//! - `.default_source_register_region <8;8,1>`, `.default_destination_register_region <1>`, and both with a type, `…_F`.
//! - `.kernel NAME`, `.reg_count_total N`, `.reg_count_payload N`, `.code`, `.end_code`, `.end_kernel` of the skeleton in 7.2.3.
//!   Defaults end with their kernel.
//!
//! A pragma is a line. Lines stay where they are, so that errors name them; columns are those of the line without pragmas.

use super::operand::{REGISTER, REGISTERS};
use super::table::{names::TYPES, OPS};
use crate::set::diag::{diag, Diag, Span};
use std::collections::HashMap;

/// Definitions inside of each other.
const NESTED: usize = 16;

/// A declared symbol.
struct Symbol {
    file: String,
    base: u32,
    sub: u32,
    element: u32,
    source: Option<String>,
    destination: Option<String>,
    kind: Option<String>,
}

/// What a setting holds for: everything, or a type or register file in upper case.
type Setting = HashMap<Option<String>, String>;

/// What `key` or everything is set to.
fn setting(of: &Setting, key: Option<&str>) -> Option<String> {
    let own = key.and_then(|k| of.get(&Some(k.to_ascii_uppercase())));
    own.or_else(|| of.get(&None)).cloned()
}

#[derive(Default)]
struct Pragmas {
    symbols: HashMap<String, Symbol>,
    defines: HashMap<String, String>,
    sizes: Setting,
    kinds: Setting,
    sources: Setting,
    destinations: Setting,
    kernel: bool,
}

/// The source, which has no comments, without pragmas.
///
/// # Errors
/// A pragma that is wrong, a use of a symbol that has no such form, definitions without an end.
pub fn expand(source: &str) -> Result<String, Diag> {
    let mut p = Pragmas::default();
    let mut out = String::with_capacity(source.len());
    for (n, line) in source.lines().enumerate() {
        let trimmed = line.trim_start();
        let at = Span { line: n + 1, col: line.chars().count() - trimmed.chars().count() + 1, len: 1 };
        let word = trimmed.split(|c: char| c.is_whitespace() || "<(".contains(c)).next().unwrap_or("");
        let known = word.starts_with('.') && p.pragma(word, &trimmed[word.len()..], at)?;
        if !known {
            out.push_str(&p.line(line, at)?);
        }
        out.push('\n');
    }
    Ok(out)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A type in upper case.
fn kind_of(text: &str, at: Span) -> Result<String, Diag> {
    let upper = text.to_ascii_uppercase();
    match TYPES.contains(&upper.as_str()) {
        true => Ok(upper),
        false => diag(at, format!("expected a type, one of {}, found {text}", TYPES.join(" "))),
    }
}

/// A number, decimal or hexadecimal.
fn number(text: &str, what: &str, at: Span) -> Result<u32, Diag> {
    let text = text.trim();
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.or_else(|_| diag(at, format!("expected {what}, found {}", if text.is_empty() { "nothing" } else { text })))
}

/// A region in its brackets, without blanks.
fn region(text: &str, at: Span) -> Result<String, Diag> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    match compact.starts_with('<') && compact.ends_with('>') {
        true => Ok(compact),
        false => diag(at, format!("expected a region such as <8;8,1>, found {}", text.trim())),
    }
}

impl Pragmas {
    /// Takes a line that is a pragma; false where it is none.
    fn pragma(&mut self, word: &str, rest: &str, at: Span) -> Result<bool, Diag> {
        let value = rest.trim().trim_end_matches(';').trim();
        let of = |name: &str| match word.strip_prefix(name) {
            Some("") => Some(None),
            Some(kind) => kind.strip_prefix('_').map(|k| Some(k.to_ascii_uppercase())),
            None => None,
        };
        let typed = |key: &Option<String>| key.as_deref().map_or(Ok(()), |k| kind_of(k, at).map(drop));
        if let Some(key) = of(".default_execution_size") {
            typed(&key)?;
            let size = number(value.trim_matches(['(', ')']), "an execution size, 1 to 32", at)?;
            if !size.is_power_of_two() || size > 32 {
                return diag(at, format!("expected an execution size, one of 1 2 4 8 16 32, found {size}"));
            }
            self.sizes.insert(key, size.to_string());
        } else if let Some(key) = of(".default_register_type") {
            self.kinds.insert(key, kind_of(value, at)?);
        } else if let Some(key) = of(".default_source_register_region") {
            typed(&key)?;
            self.sources.insert(key, region(value, at)?);
        } else if let Some(key) = of(".default_destination_register_region") {
            typed(&key)?;
            self.destinations.insert(key, region(value, at)?);
        } else {
            return self.other(word, value, at);
        }
        Ok(true)
    }

    fn other(&mut self, word: &str, value: &str, at: Span) -> Result<bool, Diag> {
        match word {
            ".declare" => self.declare(value, at)?,
            ".define" => {
                let name: String = value.chars().take_while(|c| is_name(*c)).collect();
                let text = value[name.len()..].trim();
                if name.is_empty() || text.is_empty() {
                    return diag(at, "expected a name and what it stands for: .define N 2*32");
                }
                self.defines.insert(name, text.into());
            }
            ".kernel" if self.kernel => return diag(at, "a source holds one kernel, this is the second .kernel"),
            ".kernel" => self.kernel = true,
            ".reg_count_total" | ".reg_count_payload" => {
                let n = number(value, "a number of registers", at)?;
                if u64::from(n) > REGISTERS {
                    return diag(at, format!("expected at most {REGISTERS} registers, found {n}"));
                }
            }
            ".code" | ".end_code" => {}
            ".end" if matches!(value, "code" | "kernel") => self.end(value == "kernel"),
            ".end_kernel" => self.end(true),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Defaults end with the kernel.
    fn end(&mut self, kernel: bool) {
        if kernel {
            for setting in [&mut self.sizes, &mut self.kinds, &mut self.sources, &mut self.destinations] {
                setting.clear();
            }
        }
    }

    fn declare(&mut self, value: &str, at: Span) -> Result<(), Diag> {
        let name: String = value.chars().take_while(|c| is_name(*c)).collect();
        // Blanks beside = and inside of brackets mean nothing.
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut rest = value[name.len()..].trim_start();
        while let Some((key, behind)) = rest.split_once('=') {
            let behind = behind.trim_start();
            let end = match behind.find('>') {
                Some(end) if behind.starts_with('<') => end + 1,
                _ => behind.find(char::is_whitespace).unwrap_or(behind.len()),
            };
            fields.push((key.trim().to_ascii_lowercase(), behind[..end].into()));
            rest = behind[end..].trim_start();
        }
        if name.is_empty() || !rest.is_empty() {
            return diag(at, "expected .declare NAME Base=r5 ElementSize=4 SrcRegion=<8;8,1> DstRegion=<1> Type=f");
        }
        let known = ["base", "elementsize", "region", "srcregion", "dstregion", "type"];
        if let Some((key, _)) = fields.iter().find(|f| !known.contains(&f.0.as_str())) {
            return diag(at, format!("{key} is no part of .declare, one of Base ElementSize SrcRegion DstRegion Type"));
        }
        let field = |key: &str| fields.iter().find(|f| f.0 == key).map(|f| f.1.as_str());
        let (Some(base), Some(element)) = (field("base"), field("elementsize")) else {
            return diag(
                at,
                format!("{name} needs Base=, its first register, and ElementSize=, the bytes of an element"),
            );
        };
        let file: String = base.chars().take_while(char::is_ascii_alphabetic).collect();
        let (first, sub) = base[file.len()..].split_once('.').unwrap_or((&base[file.len()..], "0"));
        let element = number(element, "the bytes of an element", at)?;
        if file.is_empty() || !matches!(element, 1 | 2 | 4 | 8) {
            return diag(
                at,
                format!("expected a register such as Base=r5, and ElementSize= 1, 2, 4 or 8, found {value}"),
            );
        }
        let symbol = Symbol {
            file,
            base: number(first, "the number of a register", at)?,
            sub: number(sub, "the number of an element", at)?,
            element,
            source: field("region").or(field("srcregion")).map(|r| region(r, at)).transpose()?,
            destination: field("dstregion").map(|r| region(r, at)).transpose()?,
            kind: field("type").map(|k| kind_of(k, at)).transpose()?,
        };
        self.symbols.insert(name, symbol);
        Ok(())
    }

    fn idle(&self) -> bool {
        let settings = [&self.sizes, &self.kinds, &self.sources, &self.destinations];
        self.symbols.is_empty() && self.defines.is_empty() && settings.iter().all(|s| s.is_empty())
    }

    /// A line of statements.
    fn line(&self, line: &str, at: Span) -> Result<String, Diag> {
        if self.idle() {
            return Ok(line.into());
        }
        let line = self.defined(line, at)?;
        let statements = crate::set::asm::statements(&line);
        let expanded = statements.iter().map(|s| self.statement(s.text, at)).collect::<Result<Vec<_>, _>>()?;
        Ok(expanded.join(";"))
    }

    /// The line with what its names are defined as.
    fn defined(&self, line: &str, at: Span) -> Result<String, Diag> {
        let mut line = line.to_string();
        for _ in 0..NESTED {
            let mut out = String::with_capacity(line.len());
            let mut rest = line.as_str();
            while !rest.is_empty() {
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                let (word, behind) = rest.split_at(end);
                out.push_str(self.defines.get(word).map_or(word, String::as_str));
                let end = behind.find(is_name).unwrap_or(behind.len());
                out.push_str(&behind[..end]);
                rest = &behind[end..];
            }
            if out == line {
                return Ok(out);
            }
            line = out;
        }
        diag(at, format!("definitions name each other more than {NESTED} deep: {}", line.trim()))
    }

    /// A statement with its symbols and defaults in words.
    fn statement(&self, text: &str, at: Span) -> Result<String, Diag> {
        let start = head(text);
        let (before, rest) = text.split_at(start);
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        let Some(op) = OPS.iter().find(|op| op.name == name) else { return Ok(text.into()) };
        if op.format.branches() {
            return Ok(text.into());
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
        let (mnemonic, rest) = rest.split_at(end);
        let (size, rest) = match rest.trim_start().strip_prefix('(').and_then(|r| r.split_once(')')) {
            Some((size, rest)) => (Some(size.trim().to_string()), rest),
            None => (None, rest),
        };
        let (operands, options) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
        let mut written = Vec::new();
        for (n, operand) in words(operands).iter().enumerate() {
            let to = n == 0 && (op.format.destination() || op.format == super::table::Format::Three);
            written.push(self.operand(operand, to, at)?);
        }
        let kind = written.first().and_then(|o| o.rsplit_once(':')).map(|(_, kind)| kind.to_string());
        let size = size.or_else(|| setting(&self.sizes, kind.as_deref()));
        let size = size.map_or(String::new(), |n| format!(" ({n})"));
        Ok(format!("{before}{mnemonic}{size} {} {options}", written.join(" ")))
    }

    /// An operand with what a symbol and the defaults say of it.
    fn operand(&self, text: &str, destination: bool, at: Span) -> Result<String, Diag> {
        let signs = text.find(is_name).unwrap_or(0);
        let signs = if text[signs..].starts_with("abs)") { signs + 4 } else { signs };
        let (sign, rest) = text.split_at(signs);
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let symbol = self.symbols.get(name);
        let (register, behind) = match symbol {
            Some(symbol) => symbol.at(name, behind, at)?,
            None => {
                let end = behind.find(['<', ':']).unwrap_or(behind.len());
                (format!("{name}{}", &behind[..end]), &behind[end..])
            }
        };
        let file: String = register.chars().take_while(char::is_ascii_alphabetic).collect();
        // Numbers and names of functions have no region.
        let general = register[file.len()..].starts_with(|c: char| c.is_ascii_digit() || c == '[');
        if !general || file.is_empty() || file.len() > 3 || name.starts_with("0x") {
            return Ok(text.into());
        }
        let (written, kind) = behind.split_once(':').map_or((behind, None), |(r, k)| (r, Some(k.trim().to_string())));
        let kind = kind.or_else(|| symbol?.kind.clone()).or_else(|| setting(&self.kinds, Some(&file)));
        let own = symbol.and_then(|s| if destination { s.destination.clone() } else { s.source.clone() });
        let all = if destination { &self.destinations } else { &self.sources };
        let region = match written.trim() {
            "" => own.or_else(|| setting(all, kind.as_deref())).unwrap_or_default(),
            given => given.to_string(),
        };
        let kind = kind.map_or(String::new(), |k| format!(":{}", k.to_ascii_lowercase()));
        Ok(format!("{sign}{register}{region}{kind}"))
    }
}

impl Symbol {
    /// The register that a use of the symbol means, and what stands behind the use.
    fn at<'a>(&self, name: &str, behind: &'a str, at: Span) -> Result<(String, &'a str), Diag> {
        let (open, close) = match behind.chars().next() {
            Some('(') => ('(', ')'),
            Some('[') => ('[', ']'),
            _ => return Ok((self.register(name, 0, 0, at)?, behind)),
        };
        let Some(end) = behind.find(close) else {
            return diag(at, format!("the {open} behind {name} is never closed, write {close}"));
        };
        let inner: Vec<&str> = behind[1..end].split(',').map(str::trim).collect();
        let behind = &behind[end + 1..];
        let offset =
            |n: usize| inner.get(n).map_or(Ok(0), |text| number(text, "a number of registers or elements", at));
        let indirect = open == '[';
        if inner.len() > 2 + usize::from(indirect) {
            return diag(at, format!("{name}{open}…{close} has too many parts: registers, then elements"));
        }
        if !indirect {
            return Ok((self.register(name, offset(0)?, offset(1)?, at)?, behind));
        }
        let [registers, elements] =
            [(self.base, offset(1)?), (self.sub, offset(2)?)].map(|(a, b)| u64::from(a) + u64::from(b));
        let bytes = registers * u64::from(REGISTER) + elements * u64::from(self.element);
        Ok((format!("{}[{},{bytes}]", self.file, inner[0]), behind))
    }

    fn register(&self, name: &str, registers: u32, elements: u32, at: Span) -> Result<String, Diag> {
        let (register, element) = (self.base.saturating_add(registers), self.sub.saturating_add(elements));
        let per_register = REGISTER / self.element;
        if self.file == "r" && (u64::from(register) >= REGISTERS || element >= per_register) {
            return diag(at, format!("{name}({registers}, {elements}) is r{register}.{element}: registers end at r127, elements of {} bytes at {}", self.element, per_register - 1));
        }
        Ok(format!("{}{register}.{element}", self.file))
    }
}

/// Where the mnemonic of a statement begins: behind its labels and its predicate.
fn head(text: &str) -> usize {
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let word = text[at..].find(|c| !is_name(c)).unwrap_or(text.len() - at);
        if text[at + word..].starts_with(':') && word > 0 {
            at += word + 1;
        } else if text[at..].starts_with('(') {
            let Some(end) = text[at..].find(')') else { return at };
            at += end + 1;
        } else {
            return at;
        }
    }
}

/// The operands, which blanks or commas separate where they stand in no brackets.
fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let (mut depth, mut open) = (0usize, false);
    for c in text.chars() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let separates = depth == 0 && (c.is_whitespace() || c == ',');
        let goes_on = !open && "<:([".contains(c) && !out.is_empty() && c != '(';
        if separates {
            open = false;
        } else if !c.is_whitespace() {
            match out.last_mut().filter(|_| open || goes_on) {
                Some(last) => last.push(c),
                None => out.push(c.into()),
            }
            open = true;
        }
    }
    out
}
