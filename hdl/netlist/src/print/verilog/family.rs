//! Families: modules that differ in sizes alone are printed once, with parameters.
//!
//! Parameters are the sizes of a memory, of the module itself or of the only one it holds. Every member is printed
//! with its numbers; where they differ, the number of each member must be its parameter and the same sum. So the
//! text with the parameters' values put in is the text of the member, or the members are printed apart.

use crate::design::Design;
use crate::module::{Memory, MemoryStyle, Module};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Modules that are printed as one.
pub struct Family {
    /// Verilog name.
    pub name: String,
    /// Positions of the members in the design.
    pub members: Vec<usize>,
    /// The sizes of each member.
    values: Vec<Parameters>,
    /// Those that are parameters: they differ.
    declared: BTreeSet<&'static str>,
    /// The module behind its name.
    pub text: String,
}

/// Names and values, in order.
type Parameters = Vec<(&'static str, u64)>;

const DEPTH: &str = "DEPTH";

/// A parameter that follows from [`DEPTH`].
const ADDRESS: &str = "ADDRESS";

impl Family {
    /// Values of a member's parameters, as they stand behind the module's name in an instance.
    pub fn arguments(&self, member: usize) -> String {
        let i = self.members.iter().position(|m| *m == member).expect("a member");
        let depth = self.values[i].iter().find(|p| p.0 == DEPTH).map_or(0, |p| p.1);
        let said = self.values[i].iter().filter(|(name, _)| self.declared.contains(name));
        let said = said.filter(|(name, v)| *name != ADDRESS || *v != log2(depth));
        let said: Vec<String> = said.map(|(name, value)| format!(".{name}({value})")).collect();
        format!("#({})", said.join(", "))
    }
}

/// What Verilog's `$clog2` gives.
fn log2(n: u64) -> u64 {
    u64::from(u64::BITS - n.saturating_sub(1).leading_zeros())
}

/// All families of a design, and which of them a module belongs to.
#[derive(Default)]
pub struct Families {
    /// In the order of their first members.
    pub list: Vec<Family>,
    of: HashMap<usize, usize>,
}

impl Families {
    /// Looks for families: first memories, then what holds one. `print`: a module behind its name, sizes of one bit
    /// written as others are.
    pub fn of(design: &Design, print: &dyn Fn(&Module, &Families) -> String) -> Self {
        let mut families = Families::default();
        for memories in [true, false] {
            let mut groups: BTreeMap<String, Vec<(usize, Parameters)>> = BTreeMap::new();
            for (i, module) in design.modules.iter().enumerate() {
                let member = match (&module.body.memory, memories) {
                    (Some(memory), true) => kind(memory).map(|name| (name, sizes(memory))),
                    (None, false) => families.holder(design, module),
                    _ => None,
                };
                if let Some((name, parameters)) = member {
                    groups.entry(name).or_default().push((i, parameters));
                }
            }
            for (name, members) in groups {
                // A module of the block that is no member, such as one with saboteurs, may bear the block's name.
                let bearer = design.modules.iter().position(|m| m.name == name);
                let taken = bearer.is_some_and(|i| members.iter().all(|m| m.0 != i));
                let name = if taken { design.modules[members[0].0].name.clone() } else { name };
                families.join(name, members, &|i, families| print(&design.modules[i], families));
            }
        }
        families
    }

    /// The family of a module.
    pub fn get(&self, module: usize) -> Option<&Family> {
        self.of.get(&module).map(|i| &self.list[*i])
    }

    /// Name and parameters of a module whose only child is a memory of a family.
    fn holder(&self, design: &Design, module: &Module) -> Option<(String, Parameters)> {
        let [child] = &module.body.children[..] else { return None };
        let below = child.module.0 as usize;
        self.get(below)?;
        let memory = design.modules[below].body.memory.as_ref()?;
        let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let block =
            module.name.rsplit_once('_').filter(|(_, n)| number(n)).map_or(&module.name[..], |(block, _)| block);
        Some((block.into(), sizes(memory)))
    }

    fn join(&mut self, name: String, members: Vec<(usize, Parameters)>, print: &dyn Fn(usize, &Families) -> String) {
        if members.len() < 2 {
            return;
        }
        let texts: Vec<String> = members.iter().map(|(i, _)| print(*i, self)).collect();
        let (members, values): (Vec<usize>, Vec<Parameters>) = members.into_iter().unzip();
        let Some((body, mut declared)) = unified(&texts, &values) else { return };
        if declared.contains(ADDRESS) {
            declared.insert(DEPTH);
        }
        let lines = values[0].iter().filter(|(name, _)| declared.contains(name)).map(|(name, value)| match *name {
            ADDRESS => format!("    parameter {name} = $clog2(DEPTH)"),
            _ => format!("    parameter {name} = {value}"),
        });
        let lines: Vec<String> = lines.collect();
        let text = format!(" #(\n{}\n){body}", lines.join(",\n"));
        self.of.extend(members.iter().map(|m| (*m, self.list.len())));
        self.list.push(Family { name, members, values, declared, text });
    }
}

/// Name of the family of a memory; none for constants.
fn kind(m: &Memory) -> Option<String> {
    let style = match m.style {
        MemoryStyle::Block => "bram",
        MemoryStyle::Lut => "lutram",
        MemoryStyle::Table => return None,
    };
    let granular = if m.granule == m.width { "" } else { "_granular" };
    let apart = if m.rdw_dont_care { "_apart" } else { "" };
    Some(format!("{style}_{}r{granular}{apart}", m.reads.len()))
}

fn sizes(m: &Memory) -> Parameters {
    let depth = u64::from(m.depth);
    let mut sizes = vec![(DEPTH, depth), ("WIDTH", m.width.into())];
    if m.granule != m.width {
        sizes.push(("GRANULE", m.granule.into()));
        sizes.push(("GRANULES", (m.width / m.granule).into()));
    }
    sizes.push((ADDRESS, log2(depth).max(1)));
    sizes
}

/// A piece of text; numbers are those that may differ within a family.
#[derive(Clone, Debug, PartialEq)]
enum Token<'a> {
    Text(&'a str),
    Number(u64),
    /// A constant of so many bits: base and digits.
    Sized(u64, &'a str),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = vec![];
    let mut rest = text;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    while let Some(first) = rest.chars().next() {
        let length = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (this, after) = rest.split_at(length);
        rest = after;
        let Ok(number) = this.parse() else {
            tokens.push(Token::Text(this));
            continue;
        };
        if let Some(digits) = rest.strip_prefix('\'') {
            let end = digits.find(|c| !word(c)).unwrap_or(digits.len());
            tokens.push(Token::Sized(number, &digits[..end]));
            rest = &digits[end..];
        } else {
            tokens.push(Token::Number(number));
        }
    }
    tokens
}

/// The members' texts as one, and the parameters in it; `None` when they differ otherwise than by parameters.
fn unified(texts: &[String], values: &[Parameters]) -> Option<(String, BTreeSet<&'static str>)> {
    let members: Vec<Vec<Token>> = texts.iter().map(|t| tokens(t)).collect();
    if members.iter().any(|m| m.len() != members[0].len()) {
        return None;
    }
    let mut o = String::new();
    let mut used = BTreeSet::new();
    for i in 0..members[0].len() {
        let first = &members[0][i];
        let alike = members.iter().all(|m| m[i] == *first);
        match first {
            Token::Text(t) if alike => o += t,
            Token::Number(n) if alike => o += &n.to_string(),
            Token::Sized(n, digits) if alike => o += &format!("{n}'{digits}"),
            Token::Text(_) => return None,
            Token::Number(_) => {
                let number = |m: &Vec<Token>| match m[i] {
                    Token::Number(n) => Some(n),
                    _ => None,
                };
                let (name, more) = parameter(&members.iter().map(number).collect::<Option<Vec<_>>>()?, values)?;
                used.insert(name);
                o += &sum(name, more);
            }
            Token::Sized(_, digits) => {
                let width = |m: &Vec<Token>| match &m[i] {
                    // There are no zero copies of a bit in front of a one.
                    Token::Sized(n, d) if d == digits && (*n > 1 || *d == "d0") => Some(*n),
                    _ => None,
                };
                let (name, more) = parameter(&members.iter().map(width).collect::<Option<Vec<_>>>()?, values)?;
                used.insert(name);
                o += &match *digits {
                    "d0" => format!("{{{}{{1'b0}}}}", grouped(name, more)),
                    "d1" => format!("{{{{{}{{1'b0}}}}, 1'b1}}", grouped(name, more - 1)),
                    _ => return None,
                };
            }
        }
    }
    // What is one bit in every member: a declaration has a space before its range, a use has none.
    Some((o.replace(" [0:0] ", " ").replace("[0:0]", "[0]"), used))
}

fn sum(name: &str, more: i64) -> String {
    match more {
        0 => name.into(),
        1.. => format!("{name}+{more}"),
        _ => format!("{name}{more}"),
    }
}

fn grouped(name: &str, more: i64) -> String {
    if more == 0 {
        name.into()
    } else {
        format!("({})", sum(name, more))
    }
}

/// The parameter, and what is added to it, that the members' numbers are.
fn parameter(numbers: &[u64], values: &[Parameters]) -> Option<(&'static str, i64)> {
    let differences = |p: usize| {
        let pairs = numbers.iter().zip(values);
        let mut each = pairs.map(|(n, v)| n.wrapping_sub(v[p].1) as i64);
        let first = each.next()?;
        each.all(|d| d == first).then_some((values[0][p].0, first))
    };
    (0..values[0].len()).filter_map(differences).min_by_key(|(_, more)| more.abs())
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_range_of_one_bit_goes_from_declarations_and_stays_in_uses() {
        let [one, two] = [5, 7].map(|w| format!("wire [0:0] a = b[0:0] == c[{}:0];", w - 1));
        let (text, _) = unified(&[one, two], &[vec![("WIDTH", 5)], vec![("WIDTH", 7)]]).expect("one family");
        assert_eq!(text, "wire a = b[0] == c[WIDTH-1:0];");
    }
}
