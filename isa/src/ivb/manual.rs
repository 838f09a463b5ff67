//! The assembler text of Intel's manual as a second syntax: `(f0.0) add (8) r4.0<1>:f r5.0<8;8,1>:f r6:f {NoMask}` is
//! read as `(+f0.0) add(8) g4<1>F g5<8,8,1>F g6<8,8,1>F { align1 WE_all 1Q }`.
//!
//! What the manual leaves out is its usual value: a region is packed, `f0` is `f0.0`, an immediate without a type has
//! that of the destination. Messages have one syntax, the other one.

use super::table::names::{size, unit, FUNCTIONS, IMMEDIATES, TYPES};
use super::table::{Format, Op, OPS};
use crate::set::scan::number;

/// Options of the manual and of the other syntax; an empty one says nothing.
const OPTIONS: [(&str, &str); 12] = [
    ("nomask", "WE_all"),
    ("accwren", "AccWrEnable"),
    ("accwrenable", "AccWrEnable"),
    ("noddclr", "NoDDClr"),
    ("noddchk", "NoDDChk"),
    ("switch", "switch"),
    ("atomic", "atomic"),
    ("eot", "EOT"),
    ("compr", ""),
    ("align1", ""),
    ("align16", ""),
    ("sechalf", ""),
];

/// The text in the other syntax; `None` where it is in that syntax already.
///
/// # Errors
/// What cannot be read, in words.
pub fn translate(text: &str) -> Option<Result<String, String>> {
    let (head, braces) = match text.split_once('{') {
        Some((head, rest)) => (head, rest.trim_end().trim_end_matches('}')),
        None => (text, ""),
    };
    let words = words(head);
    let own_option = |o: &str| OPTIONS[..7].iter().any(|k| o.trim().eq_ignore_ascii_case(k.0) && o.trim() != k.1);
    let typed = |w: &String| w.split_once(':').is_some_and(|(_, t)| types().any(|k| k.eq_ignore_ascii_case(t)));
    let general = words.iter().any(|w| is_general(w));
    let own = words.iter().any(typed) || braces.split(',').any(own_option) || head.contains('<') && region(head);
    let mut words = words.into_iter().peekable();
    let predicate = words.next_if(|w| w.starts_with('(') && !w.starts_with("(abs)"));
    let name = words.next()?;
    let op = OPS.iter().find(|op| op.name == name.split(['.', '(']).next().unwrap_or(""))?;
    let branch = op.format.branches() && !head.contains("JIP:");
    let registers = general && !matches!(op.format, Format::Jump | Format::Call | Format::Jip | Format::JipUip);
    (own || branch || registers)
        .then(|| Reader { op, predicate, name, rest: words.collect(), braces: braces.into() }.read())
}

/// True for a general register of the manual, `r12` or `r[a0.0]`.
fn is_general(word: &str) -> bool {
    let body = word.trim_start_matches('-').trim_start_matches("(abs)");
    body.strip_prefix('r').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit() || c == '['))
}

/// True where a region has the semicolon of the manual.
fn region(head: &str) -> bool {
    head.split('<').skip(1).any(|r| r.split('>').next().unwrap_or("").contains(';'))
}

/// Names of all types.
fn types() -> impl Iterator<Item = &'static str> {
    TYPES.into_iter().chain(IMMEDIATES)
}

/// Words, blanks inside brackets left out.
fn words(text: &str) -> Vec<String> {
    let (mut out, mut depth, mut open) = (Vec::<String>::new(), 0, false);
    for c in text.chars() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            _ => {}
        }
        let blank = c.is_whitespace();
        if blank && depth <= 0 {
            open = false;
        } else if !blank && open {
            out.last_mut().into_iter().for_each(|w| w.push(c));
        } else if !blank {
            out.push(c.into());
            open = true;
        }
        // A predicate or a size ends its word, a magnitude does not.
        let whole = c == ')' && depth <= 0;
        open &= !(whole && out.last().is_some_and(|w| !w.ends_with("(abs)")));
    }
    out
}

/// An instruction in words.
struct Reader {
    op: &'static Op,
    predicate: Option<String>,
    name: String,
    rest: Vec<String>,
    braces: String,
}

/// A register operand in parts.
struct Operand {
    sign: String,
    name: String,
    region: Option<String>,
    components: String,
    kind: Option<&'static str>,
}

impl Reader {
    fn read(&self) -> Result<String, String> {
        let mut rest: Vec<&str> = self.rest.iter().map(String::as_str).collect();
        let mut head = self.name.clone();
        if let Some(at) = head.find('(') {
            // The size directly behind the name.
            rest.insert(0, &self.name[at..]);
            head.truncate(at);
        }
        let size = match rest.first().and_then(|w| w.strip_prefix('(')?.strip_suffix(')')?.parse::<u32>().ok()) {
            Some(size) => {
                rest.remove(0);
                size
            }
            None => self.usual_size(&rest),
        };
        let mut out = match &self.predicate {
            Some(p) => predicate(p)?,
            None => String::new(),
        };
        out.push_str(&self.modifiers(&head));
        let function = (self.op.format == Format::Math).then(|| rest.pop()).flatten();
        if let Some(function) = function {
            let known = FUNCTIONS.iter().find(|f| f.eq_ignore_ascii_case(function));
            out.push_str(&format!(" {}", known.ok_or(format!("{function} is no function of math"))?));
        }
        out.push_str(&format!("({size})"));
        let align16 = self.braces.to_ascii_lowercase().contains("align16") || rest.iter().any(|w| vector(w));
        out.push_str(&self.operands(&rest, size, align16)?);
        out.push_str(&self.options(size, align16)?);
        Ok(out)
    }

    /// The size by the type of the destination.
    fn usual_size(&self, rest: &[&str]) -> u32 {
        match rest.first().and_then(|w| operand(w).ok()).and_then(|o| o.kind).map(size) {
            Some(1 | 2) => 16,
            _ => 8,
        }
    }

    /// Name, condition with its flag, saturation.
    fn modifiers(&self, head: &str) -> String {
        let mut parts = head.split('.');
        let name = parts.next().unwrap_or_default();
        let (mut condition, mut saturate, mut flag) = ("", "", None::<String>);
        while let Some(part) = parts.next() {
            match part {
                "sat" => saturate = ".sat",
                "e" => condition = "z",
                "ne" => condition = "nz",
                "f0" | "f1" => {
                    let sub = parts.clone().next().filter(|s| matches!(*s, "0" | "1"));
                    if sub.is_some() {
                        parts.next();
                    }
                    flag = Some(format!(".{part}.{}", sub.unwrap_or("0")));
                }
                other => condition = other,
            }
        }
        let condition = match (condition, self.op.name) {
            ("", _) => String::new(),
            (c, "sel") => format!(".{c}"),
            (c, _) => format!(".{c}{}", flag.unwrap_or(".f0.0".into())),
        };
        format!("{name}{saturate}{condition}")
    }

    fn operands(&self, rest: &[&str], size: u32, align16: bool) -> Result<String, String> {
        let mut out = String::new();
        match self.op.format {
            Format::Bare => {}
            Format::Jip => out.push_str(&format!(" JIP: {}", rest.first().ok_or("expected the target, JIP")?)),
            Format::JipUip => {
                let jip = rest.first().ok_or("expected the targets, JIP and UIP")?;
                out.push_str(&format!(" JIP: {jip} UIP: {}", rest.get(1).unwrap_or(jip)));
            }
            Format::Send => return Err("a message is written as send(8) g10<1>UD g2<8,8,1>UD 0x02106eff data".into()),
            Format::Jump => out.push_str(&format!(" {}", target(rest.first().ok_or("expected the distance")?, size)?)),
            Format::Call => {
                let [to, distance, ..] = rest else { return Err("expected the destination and the distance".into()) };
                let to = operand(to)?;
                out.push_str(&format!(
                    " {} {}",
                    to.destination(false, to.kind.unwrap_or("UD")),
                    target(distance, size)?
                ));
            }
            Format::Wait => {
                let to = operand(rest.first().ok_or("expected n0, n1 or n2")?)?;
                out.push_str(&format!(" {}", to.destination(align16, "UD")));
            }
            _ => self.data(rest, size, align16, &mut out)?,
        }
        Ok(out)
    }

    /// Destination and sources of an operation.
    fn data(&self, rest: &[&str], size: u32, align16: bool, out: &mut String) -> Result<(), String> {
        let (to, from) = rest.split_first().ok_or("expected the destination")?;
        let to = operand(to)?;
        let typed = from.iter().find_map(|w| w.rsplit_once(':').and_then(|(_, t)| type_of(t)));
        let usual = if to.name == "ip" { "UD" } else { typed.unwrap_or("") };
        let kind = to.kind.unwrap_or(usual);
        if kind.is_empty() {
            return Err(format!("the type of {} is missing, such as {}:f", rest[0], rest[0]));
        }
        out.push_str(&format!(" {}", to.destination(align16 && self.op.format != Format::Three, kind)));
        for word in from {
            if word.starts_with(|c: char| c.is_ascii_digit()) || word.starts_with('-') && immediate(word, kind).is_ok()
            {
                out.push_str(&format!(" {}", immediate(word, kind)?));
                continue;
            }
            let s = operand(word)?;
            let kind = s.kind.unwrap_or(kind);
            out.push_str(&format!(" {}", s.source(size, align16, kind, self.op.format == Format::Three)));
        }
        // A function of one argument, written without the second.
        if self.op.format == Format::Math && from.len() == 1 {
            out.push_str(if align16 { " null<4>F" } else { " null<8,8,1>F" });
        }
        Ok(())
    }

    fn options(&self, size: u32, align16: bool) -> Result<String, String> {
        let align16 = align16 || self.op.format == Format::Three;
        let letter = match size {
            0..=4 => 'N',
            8 => 'Q',
            _ => 'H',
        };
        let (mut part, mut words) = (1, String::new());
        for option in self.braces.split(',').map(str::trim).filter(|o| !o.is_empty()) {
            let lower = option.to_ascii_lowercase();
            let digits: String = lower.chars().filter(char::is_ascii_digit).collect();
            let letters: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
            match OPTIONS.iter().find(|o| o.0 == lower) {
                Some(_) if lower == "sechalf" => part = 2,
                Some((_, word)) => words.push_str(&format!(" {word}")),
                None if matches!(letters.as_str(), "q" | "h" | "n") && digits.len() == 1 => {
                    part = digits.parse().unwrap_or(1);
                }
                None => {
                    return Err(format!(
                        "{option} is no option, one of NoMask AccWrEn NoDDClr NoDDChk Switch Atomic EOT Q2"
                    ))
                }
            }
        }
        Ok(format!(" {{ align{}{} {part}{letter} }}", if align16 { 16 } else { 1 }, words.trim_end()))
    }
}

/// True for an operand with a mask or a swizzle.
fn vector(word: &str) -> bool {
    operand(word).is_ok_and(|o| !o.components.is_empty())
}

/// The name of a type in the other syntax.
fn type_of(text: &str) -> Option<&'static str> {
    types().find(|t| t.eq_ignore_ascii_case(text))
}

/// `(f0.0.any4h)`, with `-` or `!` inverted.
fn predicate(text: &str) -> Result<String, String> {
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    let (sign, flag) = match inner.strip_prefix(['-', '!']) {
        Some(flag) => ('-', flag),
        None => ('+', inner.trim_start_matches('+')),
    };
    let parts: Vec<&str> = flag.split('.').collect();
    match parts[..] {
        [f @ ("f0" | "f1")] => Ok(format!("({sign}{f}.0) ")),
        [f @ ("f0" | "f1"), sub @ ("0" | "1")] => Ok(format!("({sign}{f}.{sub}) ")),
        [f @ ("f0" | "f1"), sub @ ("0" | "1"), how] => Ok(format!("({sign}{f}.{sub}.{how}) ")),
        [f @ ("f0" | "f1"), how] => Ok(format!("({sign}{f}.0.{how}) ")),
        _ => Err(format!("{text} is no predicate, such as (f0.0) or (-f0.0.any4h)")),
    }
}

/// A distance: a register, a number or a label.
fn target(word: &str, size: u32) -> Result<String, String> {
    let (value, kind) = word.rsplit_once(':').map_or((word, None), |(v, t)| (v, type_of(t)));
    if number(value.trim_start_matches('-')).is_some() {
        return immediate(value, kind.unwrap_or("D"));
    }
    match operand(word) {
        Ok(o) if o.kind.is_some() => Ok(o.source(size, false, o.kind.unwrap_or("D"), false)),
        _ => Ok(word.into()),
    }
}

/// A number, a sum or product of numbers, and its type.
fn immediate(word: &str, usual: &'static str) -> Result<String, String> {
    let (value, kind) = match word.rsplit_once(':') {
        Some((v, t)) => (v, type_of(t).ok_or(format!("{t} is no type"))?),
        None => (word, usual),
    };
    let invalid = || format!("{word} is no number");
    if value.starts_with("0x") || kind == "F" && value.parse::<f32>().is_ok() {
        return Ok(format!("{value}{kind}"));
    }
    let mut sum = 0i64;
    for term in value.split('+') {
        let mut product = 1i64;
        for factor in term.split('*') {
            let minus = factor.starts_with('-');
            let n = number(factor.trim_start_matches('-')).and_then(|n| i64::try_from(n).ok()).ok_or_else(invalid)?;
            product = product.checked_mul(if minus { -n } else { n }).ok_or_else(invalid)?;
        }
        sum = sum.checked_add(product).ok_or_else(invalid)?;
    }
    // A negative number has a sign.
    let kind = match (sum < 0, kind) {
        (true, "UD") => "D",
        (true, "UW") => "W",
        (_, kind) => kind,
    };
    Ok(format!("{sum}{kind}"))
}

/// A register operand.
fn operand(word: &str) -> Result<Operand, String> {
    let invalid = || format!("{word} is no operand, such as r12.0<8;8,1>:f");
    let (rest, kind) = match word.rsplit_once(':') {
        Some((rest, t)) => (rest, Some(type_of(t).ok_or_else(invalid)?)),
        None => (word, None),
    };
    let body = rest.trim_start_matches('-').trim_start_matches("(abs)");
    let sign = rest[..rest.len() - body.len()].to_string();
    let (name, region, behind) = match body.split_once('<') {
        Some((name, more)) => {
            let (region, behind) = more.split_once('>').ok_or_else(invalid)?;
            (name, Some(region.replace(';', ",")), behind)
        }
        None => (body, None, ""),
    };
    let is_components = |c: &str| !c.is_empty() && c.chars().all(|c| "xyzw".contains(c));
    let (name, mut components) = match name.rsplit_once('.') {
        Some((name, c)) if is_components(c) => (name, format!(".{c}")),
        _ => (name, String::new()),
    };
    match behind.strip_prefix('.') {
        Some(c) if is_components(c) => components = behind.into(),
        _ if behind.is_empty() => {}
        _ => return Err(invalid()),
    }
    let lower = name.to_ascii_lowercase();
    let name = match lower.strip_prefix("r[a0") {
        Some(inner) => {
            let inner = inner.strip_suffix(']').ok_or_else(invalid)?;
            let (element, offset) = inner.split_at(inner.find([',', '+', '-']).unwrap_or(inner.len()));
            let offset = offset.trim_start_matches([',', '+']);
            format!("g[a0{element}{}{offset}]", if offset.is_empty() { "" } else { " " })
        }
        None if lower == "acc" => "acc0".into(),
        None => match lower.strip_prefix('r') {
            Some(n) if n.starts_with(|c: char| c.is_ascii_digit()) => format!("g{n}"),
            _ => lower,
        },
    };
    // The first element needs no number in the other syntax.
    let name = name.strip_suffix(".0").map_or(name.clone(), str::to_string);
    let first = name.chars().next().ok_or_else(invalid)?;
    if !first.is_ascii_alphabetic() {
        return Err(invalid());
    }
    Ok(Operand { sign, name, region, components, kind })
}

impl Operand {
    fn destination(&self, align16: bool, kind: &str) -> String {
        if self.name == "ip" {
            return "ip".into();
        }
        // In align16 the manual writes any stride; the encoding has 1.
        let stride = self.region.as_deref().filter(|_| !align16).unwrap_or("1");
        format!("{}<{stride}>{}{kind}", self.name, self.components)
    }

    fn source(&self, channels: u32, align16: bool, kind: &str, three: bool) -> String {
        if self.name == "ip" {
            return "ip".into();
        }
        let packed = channels.min(32 / unit(kind)).min(16);
        let indirect = self.name.starts_with("g[");
        let region = match (self.region.as_deref(), align16, three) {
            (Some("0,1,0"), _, true) => "0,1,0".into(),
            (_, _, true) => "4,4,1".into(),
            (Some(r), true, _) => r.split(',').next().unwrap_or("4").to_string(),
            (None, true, _) => "4".into(),
            (Some(r), ..) if indirect && r.matches(',').count() == 1 => format!("VxH,{r}"),
            (Some(r), ..) => r.to_string(),
            (None, ..) if channels == 1 => "0,1,0".into(),
            (None, ..) => format!("{packed},{packed},1"),
        };
        format!("{}{}<{region}>{}{kind}", self.sign, self.name, self.components)
    }
}
