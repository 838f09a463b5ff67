//! One instruction as text, both ways.

use super::alias::Alias;
use super::operand::Operand;
use super::table::TABLE;
use crate::set::{furthest, Field, Form, Instr, Place, Scanner, TextError};

/// Fields that choose between the mnemonic of a form (0) and its other spelling.
const SELECTORS: [&str; 3] = ["N", "load", "op"];

/// The field that chooses between the two mnemonics of a form.
fn selector(form: &Form<Operand>) -> Option<Field> {
    let found = form.fields.iter().find(|f| SELECTORS.contains(&f.name));
    found.copied()
}

/// The bit of `.sat`.
fn saturation(form: &Form<Operand>) -> Option<Field> {
    let own = form.fields.iter().find(|f| f.name == "S").copied();
    own.or_else(|| form.operands.iter().find_map(Operand::saturation))
}

/// The text of an instruction.
pub fn print(instr: &Instr) -> String {
    let form = TABLE.form(instr);
    let bits = instr.code.bits();
    let on = |field: Option<Field>| field.is_some_and(|f| f.get(bits) != 0);
    let alias = Alias::of(instr);
    let mut o = String::from(match alias {
        Some(p) => p.name,
        None if on(selector(form)) => form.alias,
        None => form.mnemonic,
    });
    if on(saturation(form)) {
        o.push_str(".sat");
    }
    let hidden = alias.map_or(&[][..], |p| p.hidden);
    let shown = (0..form.operands.len()).filter(|n| !hidden.contains(n));
    let mut mark = " ";
    for text in shown.filter_map(|n| form.operands[n].print(bits)) {
        o.push_str(mark);
        o.push_str(&text);
        mark = ", ";
    }
    o
}

/// One way to read a mnemonic.
type Reading = (usize, Option<&'static Alias>);

/// The instruction of a text; the form whose reading goes furthest gives the error.
pub fn parse(text: &str, place: &Place) -> Result<Instr, TextError> {
    let mut s = Scanner::new(text);
    let column = s.column();
    let name = s.run(|c| c.is_ascii_alphanumeric() || "_./".contains(c));
    if name.is_empty() {
        return s.expected("a mnemonic");
    }
    let mut sat = false;
    let mut name = name;
    let mut found = readings(name);
    if let Some(head) = name.strip_suffix(".sat").filter(|_| found.is_empty()) {
        (name, sat) = (head, true);
        found = readings(name);
    }
    if found.is_empty() {
        let near = crate::set::suggest(&super::G13, name);
        let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
        return s.fault(column, format!("G13 has no instruction {name}{near}"));
    }
    let places: Vec<usize> = (0..found.len()).collect();
    furthest(&places, |n| parse_as(found[n], name, sat, s, place))
}

/// The forms of a mnemonic, those with operands given first.
fn readings(name: &str) -> Vec<Reading> {
    let rows = TABLE.rows_of(name).iter().map(|row| (*row, None));
    Alias::named(name).map(|(row, p)| (row, Some(p))).chain(rows).collect()
}

fn parse_as((row, alias): Reading, name: &str, sat: bool, mut s: Scanner, place: &Place) -> Result<Instr, TextError> {
    let form = TABLE.forms()[row];
    let mut bits = form.match_;
    if let Some(p) = alias {
        bits = p.put(row, bits);
    } else if let Some(field) = selector(form) {
        bits = field.put(bits, u64::from(name.eq_ignore_ascii_case(form.alias)));
    }
    match saturation(form) {
        Some(field) => bits = field.put(bits, u64::from(sat)),
        None if sat => return s.fault(0, format!("{name} does not saturate, leave .sat out")),
        None => {}
    }
    let hidden = alias.map_or(&[][..], |p| p.hidden);
    let mut given: Vec<(&Operand, usize, &str)> = Vec::new();
    for (n, operand) in form.operands.iter().enumerate() {
        if hidden.contains(&n) {
            continue;
        }
        let mut ahead = s;
        let there = if given.iter().all(|g| g.2.is_empty()) { !ahead.done() } else { ahead.eat(",") };
        let column = ahead.column();
        let lacking = operand.is_optional() && !(there && operand.begins(ahead, bits));
        // `kill` of mov_imm and the flags at the end of map need not be written.
        if lacking || (!there && ahead.done() && operand.may_end()) {
            given.push((operand, column, ""));
            continue;
        }
        if !there {
            return match given.is_empty() {
                true => s.expected("an operand"),
                false => s.expected("`,` and another operand"),
            };
        }
        let before = ahead.rest();
        bits = operand.parse(&mut ahead, bits, place)?;
        if ahead.rest().starts_with('.') {
            return ahead.expected("no flag, the operand has no such");
        }
        let text = before[..before.len() - ahead.rest().len()].trim();
        given.push((operand, column, text));
        s = ahead;
    }
    if !s.done() {
        return s.expected("the end of the instruction");
    }
    for (operand, column, text) in given.iter().filter(|g| g.0.depends()) {
        let usual = operand.print(bits).unwrap_or_default();
        if !usual.eq_ignore_ascii_case(text) {
            let usual = if usual.is_empty() { "nothing" } else { &usual };
            return Err(TextError {
                column: *column,
                length: text.len().max(1),
                read: s.column(),
                message: format!("expected {usual} here, as the other operands say"),
            });
        }
    }
    let instr = TABLE.canonical(row, bits);
    match super::legal(&instr) {
        Ok(()) => Ok(instr),
        Err(e) => s.fault(0, e.to_string()),
    }
}
