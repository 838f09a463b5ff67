//! One instruction as text, both ways.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::operand::{indexed, predicate, Operand};
use super::table::fields::{GUARD, GUARD_NOT, JOIN};
use super::table::TABLE;
use crate::set::{Field, Form, Instr, Modifier, Place, Scanner, TextError};

/// Guard that always passes.
const ALWAYS: u64 = 7;
/// Mnemonics in which both minus bits together mean sum + 1, written `.PO`.
const PLUS_ONE: [&str; 3] = ["IADD", "ISCADD", "IMAD"];

/// The two minus bits that make `.PO`.
fn plus_one(form: &Form<Operand>) -> Option<[Field; 2]> {
    let minus: Vec<Field> = form.operands.iter().filter_map(Operand::minus).collect();
    let pair = <[Field; 2]>::try_from(minus).ok()?;
    PLUS_ONE.contains(&form.mnemonic).then_some(pair)
}

/// The text of an instruction, without `;`.
pub fn print(instr: &Instr, pc: u64) -> String {
    let form = TABLE.form(instr);
    let mut bits = instr.code.bits();
    let mut o = String::new();
    if form.fields.contains(&GUARD) {
        match (GUARD.get(bits), GUARD_NOT.get(bits)) {
            (ALWAYS, 0) => {}
            (p, 0) => o.push_str(&format!("@{} ", predicate(p))),
            (p, _) => o.push_str(&format!("@!{} ", predicate(p))),
        }
    }
    o.push_str(form.mnemonic);
    let names = form.modifiers.iter().filter_map(|m| m.name(bits));
    for name in names.filter(|n| !n.is_empty()) {
        o.push('.');
        o.push_str(name);
    }
    if let Some(minus) = plus_one(form).filter(|m| m.iter().all(|f| f.get(bits) == 1)) {
        o.push_str(".PO");
        bits = minus.iter().fold(bits, |b, f| f.put(b, 0));
    }
    if form.fields.contains(&JOIN) && JOIN.get(bits) == 1 {
        o.push_str(".S");
    }
    let operands = form.operands.iter().filter_map(|op| op.print(bits, pc));
    let operands: Vec<String> = operands.collect();
    if !operands.is_empty() {
        o.push(' ');
        o.push_str(&operands.join(", "));
    }
    o
}

/// Rows of each mnemonic.
static ROWS: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut rows: HashMap<&str, Vec<usize>> = HashMap::new();
    for (n, f) in TABLE.forms().iter().enumerate() {
        rows.entry(f.mnemonic).or_default().push(n);
    }
    rows
});

/// The instruction of a text; the form whose reading goes furthest gives the error.
pub fn parse(text: &str, place: &Place) -> Result<Instr, TextError> {
    let mut s = Scanner::new(text);
    let guard = parse_guard(&mut s)?;
    let column = s.column();
    let mnemonic = s.word().to_ascii_uppercase();
    let Some(rows) = ROWS.get(mnemonic.as_str()) else {
        if mnemonic.is_empty() {
            return s.expected("a mnemonic");
        }
        let near = crate::set::suggest(&super::Fermi, &mnemonic);
        let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
        return s.fault(column, format!("Fermi has no instruction {mnemonic}{near}"));
    };
    let mut furthest: Option<TextError> = None;
    for &row in rows {
        match parse_row(row, s, guard, place) {
            Ok(instr) => return Ok(instr),
            Err(e) if furthest.as_ref().is_none_or(|f| e.read > f.read) => furthest = Some(e),
            Err(_) => {}
        }
    }
    furthest.map_or_else(|| s.expected("operands"), Err)
}

/// `@P0`, `@!P0`; predicate and negation.
fn parse_guard(s: &mut Scanner) -> Result<(u64, u64), TextError> {
    if !s.eat("@") {
        return Ok((ALWAYS, 0));
    }
    let not = s.eat("!");
    let mut ahead = *s;
    let Some(p) = indexed(ahead.word(), "P", "PT", ALWAYS) else {
        return s.expected("a guard, P0 to P6 or PT");
    };
    *s = ahead;
    Ok((p, u64::from(not)))
}

fn parse_row(
    row: usize,
    mut s: Scanner,
    guard: (u64, u64),
    place: &Place,
) -> Result<Instr, TextError> {
    let form = TABLE.forms()[row];
    let mut bits = form.match_;
    if form.fields.contains(&GUARD) {
        bits = GUARD_NOT.put(GUARD.put(bits, guard.0), guard.1);
    } else if guard != (ALWAYS, 0) {
        return s.fault(0, format!("{} takes no guard", form.mnemonic));
    }
    bits = parse_modifiers(form, &mut s, bits)?;
    let po = plus_one(form).filter(|_| eat_suffix(&mut s, "PO"));
    if form.fields.contains(&JOIN) && eat_suffix(&mut s, "S") {
        bits = JOIN.put(bits, 1);
    }
    if s.rest().starts_with('.') {
        return s.expected("a modifier of this instruction, in its order");
    }
    let column = s.column();
    for (n, operand) in form.operands.iter().enumerate() {
        let mut ahead = s;
        if n > 0 && !ahead.eat(",") {
            if ahead.done() && operand.print(0, 0).is_none() {
                continue;
            }
            return s.expected("`,` and another operand");
        }
        bits = operand.parse(&mut ahead, bits, place)?;
        s = ahead;
    }
    if !s.done() {
        return s.expected("the end of the instruction");
    }
    let negated = |minus: &[Field; 2]| minus.iter().filter(|f| f.get(bits) == 1).count();
    match (po, plus_one(form)) {
        (Some(minus), _) if negated(&minus) > 0 => {
            return s.fault(column, "with .PO no operand has a minus");
        }
        (Some(minus), _) => bits = minus.iter().fold(bits, |b, f| f.put(b, 1)),
        (None, Some(minus)) if negated(&minus) == 2 => {
            return s.fault(
                column,
                "only one operand can have a minus; both bits together mean .PO, sum + 1",
            );
        }
        _ => {}
    }
    let instr = TABLE.canonical(row, bits);
    match super::legal(&instr) {
        Ok(()) => Ok(instr),
        Err(e) => s.fault(0, e.to_string()),
    }
}

/// Reads the suffixes of a form in its order; those that are left out have their default.
fn parse_modifiers(form: &Form<Operand>, s: &mut Scanner, bits: u128) -> Result<u128, TextError> {
    let mut bits = bits;
    for m in form.modifiers {
        let column = s.column();
        match m {
            Modifier::Fixed(name) if eat_suffix(s, name) => {}
            Modifier::Fixed(name) => {
                return s.fault(column, format!("expected .{name}"));
            }
            Modifier::Names(field, names) => {
                let found = names
                    .iter()
                    .filter(|n| !n.1.is_empty())
                    .find(|n| eat_suffix(s, n.1))
                    .map(|n| u64::from(n.0));
                let Some(value) = found.or_else(|| m.default()) else {
                    let all: Vec<String> = names.iter().map(|n| format!(".{}", n.1)).collect();
                    return s.fault(column, format!("expected one of {}", all.join(" ")));
                };
                bits = field.put(bits, value);
            }
        }
    }
    Ok(bits)
}

/// Passes over `.name` where the whole suffix is that.
fn eat_suffix(s: &mut Scanner, name: &str) -> bool {
    let mut ahead = *s;
    let yes = ahead.eat_here(".") && ahead.word().eq_ignore_ascii_case(name);
    if yes {
        *s = ahead;
    }
    yes
}
