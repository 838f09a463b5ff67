//! One instruction as text, both ways, in the syntax of Mesa's gen7 assembler.

use super::canonical::{flag, free, usual, writes_flag};
use super::compact::{compress, expand};
use super::fields::*;
use super::layout::COMPACT;
use super::operand::{parse_destination, parse_source, print_destination, print_source, IMMEDIATE};
use super::options::{self, Options};
use super::table::names::{self, name};
use super::table::{row_of, Format, OPS};
use super::{legal, manual, three_source, Ivb};
use crate::set::{Code, Instr, Place, Scanner, TextError};

/// Branch distances count so many bytes.
const STEP: i64 = 8;
/// Bytes of a native instruction.
const NATIVE: usize = 16;

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

fn predicates(align16: bool) -> &'static [&'static str] {
    match align16 {
        true => &names::PREDICATES16,
        false => &names::PREDICATES,
    }
}

/// A flag and its place in the text.
type Flag = (u64, u64, usize);

/// The instruction of a text, in either syntax.
pub fn parse(text: &str, place: &Place) -> Result<Instr, TextError> {
    let Some(other) = manual::translate(text) else {
        return parse_own(text, place);
    };
    let whole = |message| TextError { column: 0, length: text.trim_end().len().max(1), read: 0, message };
    let other = other.map_err(whole)?;
    parse_own(&other, place).map_err(|e| whole(format!("{}, read as `{other}`", e.message)))
}

fn parse_own(text: &str, place: &Place) -> Result<Instr, TextError> {
    let mut s = Scanner::new(text);
    let predicate = parse_predicate(&mut s)?;
    let column = s.column();
    let mnemonic = s.word();
    let row = OPS.iter().find(|op| op.name == mnemonic);
    let Some(row) = row.and_then(|op| row_of(op.opcode.into())) else {
        if mnemonic.is_empty() {
            return s.expected("a mnemonic");
        }
        let near = crate::set::suggest(&Ivb, mnemonic);
        let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
        return s.fault(column, format!("Ivy Bridge has no instruction {mnemonic}{near}"));
    };
    let op = &OPS[row];
    if op.format == Format::Bare && s.done() {
        if predicate.is_some() {
            return s.fault(0, "it takes no predicate");
        }
        return Ok(Instr { row, code: Code::new(op.opcode.into(), NATIVE) });
    }
    let mut bits = u128::from(op.opcode);
    if s.eat_suffix("sat") {
        bits = SATURATE.put(bits, 1);
    }
    let mut writes = None;
    if op.format == Format::Math {
        bits = CONDITION.put(bits, named(&mut s, &names::FUNCTIONS, "a function")?);
    } else if s.eat_here(".") {
        bits = CONDITION.put(bits, named(&mut s, &names::CONDITIONS, "a condition")?);
        if writes_flag(row, bits) {
            s.need(".")?;
            writes = Some(parse_flag(&mut s)?);
        }
    }
    bits = EXEC.put(bits, exec(&mut s)?);
    let end = s.rest().find('{').map_or(text.len(), |n| text.len() - s.rest().len() + n);
    let options = options::parse(text, end, op.format, EXEC.get(bits))?;
    bits |= options.bits;
    if let Some(p) = predicate {
        let names = predicates(options.align16());
        let code = match p.how {
            "" => Some(1),
            how => names::value(names, how),
        };
        let Some(code) = code else {
            let (how, all) = (p.how, names[2..].join(" "));
            return s.fault(p.column, format!("{how} is no predicate here, one of {all}"));
        };
        bits = INVERT.put(PREDICATE.put(bits, code), p.inverted.into());
        if writes.is_some_and(|w: Flag| (w.0, w.1) != (p.flag.0, p.flag.1)) {
            return s.fault(p.flag.2, "predicate and condition have one flag register");
        }
        writes = Some(p.flag);
    }
    if let Some((f, sub, _)) = writes {
        let fields = flag(op.format);
        bits = fields[1].put(fields[0].put(bits, f), sub);
    }
    bits = parse_operands(&mut s, row, bits, &options, place)?;
    if s.column() != end && !s.done() {
        return s.expected("the options in { }, or the end of the instruction");
    }
    if options.end {
        bits = END.put(bits, 1);
    }
    finish(row, usual(row, bits), &options, &s)
}

/// The legal instruction of these bits, compact where the options ask for it.
fn finish(row: usize, bits: u128, options: &Options, s: &Scanner) -> Result<Instr, TextError> {
    let legal = |bits| match legal::check(row, bits) {
        Ok(()) => Ok(()),
        Err(e) => s.fault(0, e.to_string()),
    };
    legal(bits)?;
    let Some(column) = options.compacted else {
        return Ok(Instr { row, code: Code::new(bits, NATIVE) });
    };
    let short = OPS[row].format.compacts();
    match compress(bits, free(row, bits)).filter(|_| short) {
        Some(code) => {
            legal(code)?;
            let code = Code::new(code, NATIVE / 2);
            Ok(Instr { row, code })
        }
        None => Err(TextError {
            column,
            length: "compacted".len(),
            read: column,
            message: "this instruction has no compact encoding, leave out `compacted`".into(),
        }),
    }
}

/// A predicate as it is written.
struct Predicate<'a> {
    inverted: bool,
    flag: Flag,
    /// How the flags of the channels make it, and the place of that.
    how: &'a str,
    column: usize,
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
    let column = s.column();
    let how = if s.eat_here(".") { s.word() } else { "" };
    s.need(")")?;
    Ok(Some(Predicate { inverted, flag, how, column }))
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

/// A name of a list.
fn named(s: &mut Scanner, names: &[&str], what: &str) -> Result<u64, TextError> {
    let mut ahead = *s;
    match names::value(names, ahead.word()) {
        Some(v) => {
            *s = ahead;
            Ok(v)
        }
        None => {
            let all = names.iter().filter(|n| !matches!(**n, "" | "?"));
            let all: Vec<&str> = all.copied().collect();
            s.expected(&format!("{what}, one of {}", all.join(" ")))
        }
    }
}

/// `(8)`.
fn exec(s: &mut Scanner) -> Result<u64, TextError> {
    s.need("(")?;
    let column = s.column();
    let n = s.number(6)?;
    if !n.is_power_of_two() {
        return s.fault(column, "the execution size is one of 1 2 4 8 16 32");
    }
    s.need(")")?;
    Ok(n.trailing_zeros().into())
}

fn parse_operands(
    s: &mut Scanner,
    row: usize,
    bits: u128,
    options: &Options,
    place: &Place,
) -> Result<u128, TextError> {
    let format = OPS[row].format;
    let align16 = options.align16();
    let mut bits = bits;
    match format {
        Format::Bare => return Ok(bits),
        Format::Three => return three_source::parse(s, bits),
        Format::Jip | Format::JipUip => {
            s.need("JIP:")?;
            bits = JIP.put(bits, distance(s, place, place.pc, 16)?);
            if format == Format::JipUip {
                s.need("UIP:")?;
                bits = UIP.put(bits, distance(s, place, place.pc, 16)?);
            }
            return Ok(bits);
        }
        _ => {}
    }
    if format.destination() {
        bits = parse_destination(s, bits, align16)?;
    }
    if format.source(0) {
        bits = parse_source(&SOURCES[0], s, bits, align16, format == Format::One)?;
    }
    match format {
        Format::Send => message(s, bits, align16),
        Format::Jump | Format::Call if is_label(s) => {
            let from = match format {
                Format::Jump => place.pc.wrapping_add(NATIVE as u64),
                _ => place.pc,
            };
            let value = distance(s, place, from, 32)?;
            let src1 = &SOURCES[1];
            bits = src1.kind.put(src1.file.put(bits, IMMEDIATE), 1);
            Ok(super::fields::IMMEDIATE.put(bits, value))
        }
        f if f.source(1) => parse_source(&SOURCES[1], s, bits, align16, true),
        _ => Ok(bits),
    }
}

/// True where a name comes next that no operand begins with.
fn is_label(s: &Scanner) -> bool {
    let mut ahead = *s;
    let word = ahead.word();
    let label = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    label && !ahead.rest().starts_with(['<', '.', '[']) && word != "ip"
}

/// A distance in steps of 8 bytes: a number, or a label `from` which it counts.
fn distance(s: &mut Scanner, place: &Place, from: u64, bits: u32) -> Result<u64, TextError> {
    let column = s.column();
    if !is_label(s) {
        return Ok(s.signed(bits)? as u64);
    }
    let word = s.word();
    let Some(target) = (place.label)(word) else {
        return s.fault(column, format!("the label {word} is not defined, define it with `{word}:`"));
    };
    let bytes = target.wrapping_sub(from) as i64;
    if bytes % STEP != 0 {
        return s.fault(column, "the label is not at a multiple of 8 bytes");
    }
    let limit = 1i64 << (bits - 1);
    match bytes / STEP {
        n if (-limit..limit).contains(&n) => Ok(n as u64),
        _ => s.fault(column, format!("the label is too far away for {bits} bits")),
    }
}

/// Descriptor and shared function of a message; what follows up to the options is a remark.
fn message(s: &mut Scanner, bits: u128, align16: bool) -> Result<u128, TextError> {
    let mut bits = bits;
    let register = !s.rest().trim_start().starts_with(|c: char| c.is_ascii_digit());
    if register {
        bits = parse_source(&SOURCES[1], s, bits, align16, false)?;
    }
    let column = s.column();
    let descriptor = s.number(32)?;
    let own = super::fields::IMMEDIATE.get(bits);
    if !register {
        bits = SOURCES[1].file.put(bits, IMMEDIATE);
        bits = super::fields::IMMEDIATE.put(bits, descriptor);
    } else {
        // The number has the bits of the operand and those that the operand does not name.
        let loose = super::operand::free_source(&SOURCES[1], bits, align16) | END.mask();
        let all = super::fields::IMMEDIATE.put(bits, descriptor);
        if (all ^ bits) & !loose != 0 {
            return s.fault(column, format!("the bits of this descriptor in a register are {own:#010x}"));
        }
        bits = all;
    }
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
    Ok(CONDITION.put(bits, code as u64))
}
