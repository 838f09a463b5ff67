//! One instruction as text, both ways.

use super::operand::{indexed, predicate, Kind, Operand};
use super::table::fields::{GUARD, GUARD_NOT, JOIN, PRED_C, PRED_N};
use super::table::TABLE;
use crate::set::suffix::{read_suffixes, suffixes};
use crate::set::{furthest, Field, Form, Instr, Modifier, Place, Scanner, TextError};

/// Guard that always passes.
const ALWAYS: u64 = 7;
/// Mnemonics in which both minus bits together mean sum + 1, written `.PO`.
const PLUS_ONE: [&str; 3] = ["IADD", "ISCADD", "IMAD"];

/// Suffixes that only the seed names, without a meaning: mnemonic, suffix, bit. No word with one is an instruction.
const SEED_ALONE: [(&str, &str, u32); 5] =
    [("FADD", "FMA", 57), ("FMUL", "FMA", 8), ("FMUL", "FMA2", 9), ("FMUL32I", "FMA", 8), ("FMUL32I", "FMA2", 9)];

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

/// The instruction of a text, and what of the text is not in it; the form whose reading goes furthest gives the error.
pub fn parse(text: &str, place: &Place) -> Result<(Instr, Vec<String>), TextError> {
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

/// The suffixes of a form; a comparison without `.AND`, `.OR` or `.XOR` is combined by and.
fn parse_suffixes(form: &Form<Operand>, s: &mut Scanner, bits: u128) -> Result<u128, TextError> {
    form.modifiers.iter().try_fold(bits, |bits, m| {
        let combines = matches!(m, Modifier::Names(field, _) if field.name == "log") && form.operands.contains(&PRED_C);
        match read_suffixes(&[*m], s, bits) {
            Err(_) if combines && two_results(form) => Ok(bits),
            read => read,
        }
    })
}

/// It is a comparison: its second result may be left out, and the predicate that both are combined with.
fn two_results(form: &Form<Operand>) -> bool {
    let values = |o: &&Operand| o.kind != Kind::Pred;
    form.operands.contains(&PRED_N) && form.operands.iter().filter(values).count() == 2
}

/// Whether an operand of a comparison is left out where the rest of the text stands behind what comes before it.
fn left_out(form: &Form<Operand>, operand: &Operand, mut s: Scanner) -> bool {
    if !two_results(form) {
        return false;
    }
    if *operand == PRED_C {
        return s.done();
    }
    let comma = s.eat(",");
    s.eat("|");
    *operand == PRED_N && comma && indexed(s.word(), "P", "PT", ALWAYS).is_none()
}

/// A suffix that only the seed names sets its bit.
fn parse_seed_alone(form: &Form<Operand>, s: &mut Scanner, bits: u128, notes: &mut Vec<String>) -> u128 {
    let own = SEED_ALONE.iter().filter(|(mnemonic, ..)| *mnemonic == form.mnemonic);
    own.fold(bits, |bits, (_, suffix, bit)| match s.eat_suffix(suffix) {
        true => {
            notes.push(format!(".{suffix} has no known meaning: model and chips take the word for illegal"));
            bits | 1 << bit
        }
        false => bits,
    })
}

fn parse_row(row: usize, mut s: Scanner, guard: (u64, u64), place: &Place) -> Result<(Instr, Vec<String>), TextError> {
    let form = TABLE.forms()[row];
    let mut notes = vec![];
    let mut bits = form.match_;
    if form.fields.contains(&GUARD) {
        bits = GUARD_NOT.put(GUARD.put(bits, guard.0), guard.1);
    } else if guard != (ALWAYS, 0) {
        return s.fault(0, format!("{} takes no guard", form.mnemonic));
    }
    bits = parse_suffixes(form, &mut s, bits)?;
    bits = parse_seed_alone(form, &mut s, bits, &mut notes);
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
        if left_out(form, operand, ahead) {
            bits = operand.fields[0].put(bits, ALWAYS);
            continue;
        }
        if n > 0 && !ahead.eat(",") {
            if ahead.done() && operand.print(0, 0).is_none() {
                continue;
            }
            return s.expected("`,` and another operand");
        }
        if *operand == PRED_N && two_results(form) {
            ahead.eat("|");
        }
        bits = operand.parse(&mut ahead, bits, place, &mut notes)?;
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
        Ok(()) => Ok((instr, notes)),
        Err(e) => s.fault(0, e.to_string()),
    }
}
