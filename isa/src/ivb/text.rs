//! One instruction as text, both ways, in the syntax of Mesa's gen7 assembler.

use super::canonical::{flag, writes_flag};
use super::compact::expand;
use super::fields::*;
use super::layout::COMPACT;
use super::operand::{self, print_destination, print_source, IMMEDIATE};
use super::options;
use super::parts::{distance, exec, is_label, landing, mnemonic, named, predicates, writes};
use super::parts::{Flag, Message, Parts, Predicate};
use super::table::names::{self, name};
use super::table::{Format, OPS};
use super::three_source;
use crate::set::{Instr, Place, Scanner, TextError};

/// The options to choose from.
const OPTIONS: &str = "align1 align16 WE_all NoDDClr NoDDChk 1Q compacted atomic switch AccWrEnable, EOT of a message";

/// The text of an instruction, without `;`.
pub fn print(instr: &Instr) -> String {
    let code = instr.code.bits();
    let compacted = code & COMPACT != 0;
    let bits = if compacted { expand(code) } else { code };
    let op = &OPS[instr.row];
    if op.format == Format::Bare {
        return op.name.into();
    }
    let align16 = ALIGN16.get(bits) == 1;
    let [f, sub] = flag(op.format).map(|f| f.get(bits));
    let flag = format!("f{f}.{sub}");
    let mut o = String::new();
    if PREDICATE.get(bits) != 0 {
        let sign = if INVERT.get(bits) == 1 { '-' } else { '+' };
        let names = predicates(align16);
        let how = match name(names, PREDICATE.get(bits)) {
            Some("") | None => String::new(),
            Some(how) => format!(".{how}"),
        };
        o.push_str(&format!("({sign}{flag}{how}) "));
    }
    o.push_str(op.name);
    if SATURATE.get(bits) == 1 {
        o.push_str(".sat");
    }
    let condition = CONDITION.get(bits);
    match op.format {
        Format::Math => {
            o.push(' ');
            o.push_str(name(&names::FUNCTIONS, condition).unwrap_or("?"));
        }
        Format::Send => {}
        _ if condition == 0 => {}
        _ => {
            o.push('.');
            o.push_str(name(&names::CONDITIONS, condition).unwrap_or("?"));
            if writes_flag(instr.row, bits) {
                o.push('.');
                o.push_str(&flag);
            }
        }
    }
    o.push_str(&format!("({})", 1u32 << EXEC.get(bits)));
    o.push_str(&operands(op.format, bits, align16));
    o.push(' ');
    o.push_str(&options::print(op.format, bits, compacted));
    o
}

fn operands(format: Format, bits: u128, align16: bool) -> String {
    let source = |n: usize| format!(" {}", print_source(&SOURCES[n], bits, align16));
    let distance = |f: crate::set::Field| f.get_signed(bits);
    let descriptor = super::fields::IMMEDIATE.get(bits);
    match format {
        Format::Bare => String::new(),
        Format::Jip => format!(" JIP: {}", distance(JIP)),
        Format::JipUip => format!(" JIP: {} UIP: {}", distance(JIP), distance(UIP)),
        Format::Three => three_source::print(bits),
        _ => {
            let mut o = String::new();
            if format.destination() {
                o.push(' ');
                o.push_str(&print_destination(bits, align16));
            }
            if format.source(0) {
                o.push_str(&source(0));
            }
            if format == Format::Send {
                if SOURCES[1].file.get(bits) != IMMEDIATE {
                    o.push_str(&source(1));
                }
                let target = name(&names::TARGETS, CONDITION.get(bits)).unwrap_or("?");
                o.push_str(&format!(" {descriptor:#010x} {target}"));
            } else if format.source(1) {
                o.push_str(&source(1));
            }
            o
        }
    }
}

/// Reads the text of an instruction.
///
/// # Errors
/// No instruction of this syntax.
pub fn parse<'a>(s: &mut Scanner<'a>, place: &Place) -> Result<Parts<'a>, TextError> {
    let mut p = Parts { predicate: parse_predicate(s)?, ..Parts::default() };
    p.row = mnemonic(s)?;
    let format = OPS[p.row].format;
    if format == Format::Bare && s.done() {
        return match p.predicate {
            Some(_) => s.fault(0, "it takes no predicate"),
            None => Ok(p),
        };
    }
    p.saturate = s.eat_suffix("sat");
    if format == Format::Math {
        p.condition = named(s, &names::FUNCTIONS, "a function")?;
    } else if s.eat_here(".") {
        p.condition = named(s, &names::CONDITIONS, "a condition")?;
        if writes(p.row, p.condition) {
            s.need(".")?;
            p.flag = Some(parse_flag(s)?);
        }
    }
    p.exec = exec(s)?;
    // The operands depend on the access mode, which stands behind them.
    let mut behind = *s;
    behind.run(|c| c != '{');
    let end = behind.column();
    p.options = options::parse(behind, (format, p.exec), &[], OPTIONS)?;
    operands_of(s, &mut p, place)?;
    if s.column() != end && !s.done() {
        return s.expected("the options in { }, or the end of the instruction");
    }
    Ok(p)
}

/// `(+f0.0.any4h)`.
fn parse_predicate<'a>(s: &mut Scanner<'a>) -> Result<Option<Predicate<'a>>, TextError> {
    if !s.eat("(") {
        return Ok(None);
    }
    let inverted = s.eat("-");
    if !inverted && !s.eat("+") {
        return s.expected("`+` or `-` and the flag of the predicate");
    }
    let flag = parse_flag(s)?;
    Predicate::read(s, inverted, flag).map(Some)
}

/// `f0.1`.
fn parse_flag(s: &mut Scanner) -> Result<Flag, TextError> {
    let column = s.column();
    let flag = s.word();
    let flag = ["f0", "f1"].iter().position(|f| *f == flag);
    let dot = s.eat_here(".");
    let sub = s.number(1);
    match (flag, dot, sub) {
        (Some(f), true, Ok(sub)) => Ok((f as u64, sub, column)),
        _ => s.fault(column, "expected a flag, one of f0.0 f0.1 f1.0 f1.1"),
    }
}

fn operands_of<'a>(s: &mut Scanner<'a>, p: &mut Parts<'a>, place: &Place) -> Result<(), TextError> {
    let format = OPS[p.row].format;
    let align16 = p.options.align16();
    match format {
        Format::Bare => return Ok(()),
        Format::Three => {
            p.operands = three_source::parse(s)?;
            return Ok(());
        }
        Format::Jip | Format::JipUip => {
            s.need("JIP:")?;
            p.distances[0] = distance(s, place, place.pc, 16)?;
            if format == Format::JipUip {
                s.need("UIP:")?;
                p.distances[1] = distance(s, place, place.pc, 16)?;
            }
            return Ok(());
        }
        _ => {}
    }
    if format.destination() {
        p.operands.push(operand::parse(s, true, align16)?);
    }
    if format.source(0) {
        p.operands.push(operand::parse(s, false, align16)?);
    }
    match format {
        Format::Send => {
            if !s.rest().trim_start().starts_with(|c: char| c.is_ascii_digit()) {
                p.operands.push(operand::parse(s, false, align16)?);
            }
            p.message = Some(message(s)?);
        }
        Format::Jump | Format::Call if is_label(s) => p.operands.push(landing(s, format, place)?),
        f if f.source(1) => p.operands.push(operand::parse(s, false, align16)?),
        _ => {}
    }
    Ok(())
}

/// Descriptor and shared function of a message; what follows up to the options is a remark.
fn message<'a>(s: &mut Scanner<'a>) -> Result<Message<'a>, TextError> {
    let start = s.column();
    let descriptor = s.number(32)?;
    let behind = *s;
    let column = s.column();
    let rest = s.rest();
    let found = names::TARGETS.iter().enumerate().filter(|(_, t)| {
        let after = rest.strip_prefix(**t);
        after.is_some_and(|a| !a.starts_with(|c: char| c.is_ascii_alphanumeric()))
    });
    // Of `sampler` and `sampler cache` the longer.
    let Some((code, target)) = found.max_by_key(|(_, t)| t.len()) else {
        s.word();
        let known = names::TARGETS.iter().filter(|t| **t != "?");
        let known: Vec<&str> = known.copied().collect();
        return s.fault(column, format!("no shared function of that name, one of: {}", known.join(", ")));
    };
    s.eat_here(target);
    s.run(|c| c != '{');
    Ok(Message { column: start, behind, descriptor, target: code as u64 })
}
