//! One instruction as text, both ways.

use super::operand::{indexed, predicate, Operand};
use super::table::fields::{GUARD, GUARD_NOT, JOIN};
use super::table::TABLE;
use crate::set::suffix::{read_suffixes, suffixes};
use crate::set::{furthest, Field, Form, Instr, Place, Scanner, TextError};

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
    o.push_str(&suffixes(form.modifiers, bits));
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

/// The instruction of a text; the form whose reading goes furthest gives the error.
pub fn parse(text: &str, place: &Place) -> Result<Instr, TextError> {
    let mut s = Scanner::new(text);
    let guard = parse_guard(&mut s)?;
    let column = s.column();
    let mnemonic = s.word();
    let rows = TABLE.rows_of(mnemonic);
    if rows.is_empty() && mnemonic.is_empty() {
        return s.expected("a mnemonic");
    }
    if rows.is_empty() {
        let near = crate::set::suggest(&super::Fermi, mnemonic);
        let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
        return s.fault(column, format!("Fermi has no instruction {mnemonic}{near}"));
    }
    furthest(rows, |row| parse_row(row, s, guard, place))
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

fn parse_row(row: usize, mut s: Scanner, guard: (u64, u64), place: &Place) -> Result<Instr, TextError> {
    let form = TABLE.forms()[row];
    let mut bits = form.match_;
    if form.fields.contains(&GUARD) {
        bits = GUARD_NOT.put(GUARD.put(bits, guard.0), guard.1);
    } else if guard != (ALWAYS, 0) {
        return s.fault(0, format!("{} takes no guard", form.mnemonic));
    }
    bits = read_suffixes(form.modifiers, &mut s, bits)?;
    let po = plus_one(form).filter(|_| s.eat_suffix("PO"));
    if form.fields.contains(&JOIN) && s.eat_suffix("S") {
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
            return s.fault(column, "only one operand can have a minus; both bits together mean .PO, sum + 1");
        }
        _ => {}
    }
    let instr = TABLE.canonical(row, bits);
    match super::legal(&instr) {
        Ok(()) => Ok(instr),
        Err(e) => s.fault(0, e.to_string()),
    }
}
