//! The assembler text of Intel's manual as a second syntax: `(f0.0) add (8) r4.0<1>:f r5.0<8;8,1>:f r6:f {NoMask}` is
//! `(+f0.0) add(8) g4<1>F g5<8,8,1>F g6<8,8,1>F { align1 WE_all 1Q }` in the other one.
//!
//! What the manual leaves out is its usual value: a region is packed, `f0` is `f0.0`, an immediate without a type has
//! that of the destination. A message ends with its two descriptors: `send (8) r10:ud r2:ud 0xa 0x02106eff`.

use super::operand::{coded, digits, lettered, signed_register, width};
use super::operand::{Operand, Region, Register, Syntax, Value};
use super::parts::{distance, ends, exec, is_label, landing, mnemonic, named, writes, Flag, Message, Parts, Predicate};
use super::table::names::{self, unit, FUNCTIONS, IMMEDIATES, TYPES};
use super::table::{Format, OPS};
use super::{fields::ALIGN16, immediate, options};
use crate::set::{scan::number, Place, Scanner, TextError};

/// Options of the manual and of the other syntax.
#[rustfmt::skip]
const OPTIONS: [(&str, &str); 25] = [
    ("NoMask", "WE_all"), ("AccWrEn", "AccWrEnable"), ("AccWrEnable", "AccWrEnable"), ("NoDDClr", "NoDDClr"),
    ("NoDDChk", "NoDDChk"), ("Switch", "switch"), ("Atomic", "atomic"), ("Compr", "align1"), ("Align1", "align1"),
    ("Align16", "align16"), ("SecHalf", "2Q"), ("Q1", "1Q"), ("Q2", "2Q"), ("Q3", "3Q"), ("Q4", "4Q"), ("H1", "1H"),
    ("H2", "2H"), ("N1", "1N"), ("N2", "2N"), ("N3", "3N"), ("N4", "4N"), ("N5", "5N"), ("N6", "6N"), ("N7", "7N"),
    ("N8", "8N"),
];
/// The options to choose from.
const KNOWN: &str = "NoMask AccWrEn NoDDClr NoDDChk Switch Atomic Compr SecHalf Align1 Align16 Q2";

/// True for a text that is of the manual: it has a type behind `:`, a region with `;`, a general register `r12`, an
/// option of the manual, or a branch without `JIP:`.
pub fn is(text: &str) -> bool {
    let (head, braces) = text.split_once('{').unwrap_or((text, ""));
    let mut s = Scanner::new(head);
    if s.eat("(") {
        s.run(|c| c != ')');
        s.eat(")");
    }
    let name = s.word();
    let Some(op) = OPS.iter().find(|op| op.name == name) else { return false };
    let typed = |t: &str| TYPES.iter().chain(&IMMEDIATES).any(|k| k.eq_ignore_ascii_case(t));
    let words = || s.rest().split(|c: char| c.is_whitespace() || "()<>[],;-+*.".contains(c));
    let general = |w: &str| {
        let n = w.split(':').next().and_then(|w| w.strip_prefix('r'));
        n.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()))
    };
    let labels = op.format.branches() || matches!(op.format, Format::Jump | Format::Call);
    let own = |o: &str| OPTIONS.iter().any(|k| k.0.eq_ignore_ascii_case(o) && !k.1.eq_ignore_ascii_case(o));
    op.format.branches() && !head.contains("JIP:")
        || head.contains(';')
        || words().any(|w| w.split_once(':').is_some_and(|(_, t)| typed(t)))
        || !labels && words().any(general)
        || braces.split([',', ' ', '}']).any(own)
}

/// Reads the text of an instruction.
///
/// # Errors
/// No instruction of this syntax.
pub fn parse<'a>(s: &mut Scanner<'a>, place: &Place) -> Result<Parts<'a>, TextError> {
    let mut p = Parts { predicate: predicate(s)?, ..Parts::default() };
    p.row = mnemonic(s)?;
    let format = OPS[p.row].format;
    modifiers(s, &mut p)?;
    let sized = s.rest().trim_start().starts_with('(');
    let size = if sized { Some(exec(s)?) } else { None };
    let mut end = false;
    match format {
        Format::Bare => {}
        Format::Send => end = message(s, &mut p)?,
        Format::Jip | Format::JipUip => {
            p.distances = [distance(s, place, place.pc, 16)?; 2];
            if format == Format::JipUip && !ends(s) {
                p.distances[1] = distance(s, place, place.pc, 16)?;
            }
        }
        _ => operands(s, &mut p, place)?,
    }
    if !ends(s) {
        return s.expected("the options in { }, or the end of the instruction");
    }
    // Without a size it is that of the destination's type.
    let kind = p.operands.first().filter(|_| format.destination()).and_then(|o| o.kind);
    p.exec = size.unwrap_or(if kind.is_some_and(|k| names::size(k.0) <= 2) { 4 } else { 3 });
    p.options = options::parse(*s, (format, p.exec), &OPTIONS, KNOWN)?;
    p.options.end |= end;
    let vector = p.operands.iter().any(|o| o.channels.is_some() || o.components.is_some());
    if vector || format == Format::Three {
        p.options.bits = ALIGN16.put(p.options.bits, 1);
    }
    complete(&mut p, *s)?;
    Ok(p)
}

/// `(f0.0.any4h)`, with `-` or `!` inverted.
fn predicate<'a>(s: &mut Scanner<'a>) -> Result<Option<Predicate<'a>>, TextError> {
    if !s.eat("(") {
        return Ok(None);
    }
    let inverted = s.eat("-") || s.eat("!");
    if !inverted {
        s.eat("+");
    }
    let flag = flag(s)?;
    Predicate::read(s, inverted, flag).map(Some)
}

/// `f0.1`, or `f0` for `f0.0`.
fn flag(s: &mut Scanner) -> Result<Flag, TextError> {
    let column = s.column();
    let Some(f) = ["f0", "f1"].iter().position(|f| s.eat(f)) else {
        return s.expected("a flag, one of f0.0 f0.1 f1.0 f1.1");
    };
    let mut ahead = *s;
    let numbered = ahead.eat_here(".") && ahead.rest().starts_with(|c: char| c.is_ascii_digit());
    let sub = if numbered { ahead.number(1)? } else { 0 };
    if numbered {
        *s = ahead;
    }
    Ok((f as u64, sub, column))
}

/// Saturation, condition and its flag, in any order.
fn modifiers(s: &mut Scanner, p: &mut Parts) -> Result<(), TextError> {
    // `e` and `ne` are other names of `z` and `nz`.
    let other = ["", "e", "ne"];
    loop {
        if s.eat_suffix("sat") {
            p.saturate = true;
        } else if !s.eat_here(".") {
            break;
        } else if OPS[p.row].format == Format::Math {
            return s.expected("sat, the function stands at the end");
        } else if s.rest().starts_with("f0") || s.rest().starts_with("f1") {
            p.flag = Some(flag(s)?);
        } else {
            let own = named(s, &other, "");
            p.condition = own.or_else(|_| named(s, &names::CONDITIONS, "a condition"))?;
        }
    }
    match p.flag {
        Some((.., column)) if !writes(p.row, p.condition) => s.fault(column, "no condition writes this flag"),
        _ => Ok(()),
    }
}

/// Destination and sources.
fn operands<'a>(s: &mut Scanner<'a>, p: &mut Parts<'a>, place: &Place) -> Result<(), TextError> {
    let format = OPS[p.row].format;
    let three = format == Format::Three;
    let jumps = matches!(format, Format::Jump | Format::Call);
    if three || format.destination() {
        let mut to = operand(s, true)?;
        let ip = matches!(to.value, Value::Register(w) if w.is_ip());
        if ip || matches!(format, Format::Call | Format::Wait) {
            to.kind.get_or_insert(("UD", to.column));
        }
        p.operands.push(to);
    }
    for _ in 0..if three { 3 } else { (0..2).filter(|n| format.source(*n)).count() } {
        let usual = match jumps {
            true => Some(("D", s.column())),
            false => p.operands.iter().find_map(|o| o.kind),
        };
        let from = if jumps && is_label(s) {
            landing(s, format, place)?
        } else if digits(s) {
            immediate(s, usual)?
        } else if format == Format::Math && p.operands.len() == 2 && function(s).is_some() {
            // A function of one argument, written without the second.
            Operand::new(s.column(), *s, Value::Register(Register::NULL))
        } else {
            operand(s, false)?
        };
        let kind = if jumps { from.kind.or(usual) } else { from.kind };
        p.operands.push(Operand { kind, ..from });
    }
    if format == Format::Math {
        let Some(code) = function(s) else { return named(s, &FUNCTIONS, "a function").map(drop) };
        s.word();
        p.condition = code;
    }
    Ok(())
}

/// Operands of a message: where its answer goes, its payload, six bits that name the shared function (3:0) and the end of
/// the thread (5), and the descriptor, a number or a0.0. Returns whether the thread ends.
fn message<'a>(s: &mut Scanner<'a>, p: &mut Parts<'a>) -> Result<bool, TextError> {
    p.operands = vec![operand(s, true)?, operand(s, false)?];
    let at = s.column();
    let extended = s.number(6)?;
    let behind = *s;
    let target = extended & 15;
    if extended & 16 != 0 || names::TARGETS.get(target as usize).is_none_or(|t| *t == "?") {
        return behind.fault(at, format!("{extended:#x} names no shared function: bits 3:0 do, bit 5 ends the thread"));
    }
    if digits(s) {
        let column = s.column();
        let descriptor = s.number(32)?;
        p.message = Some(Message { column, behind: *s, descriptor, target });
    } else {
        p.condition = target;
        p.operands.push(operand(s, false)?);
    }
    Ok(extended & 32 != 0)
}

/// The function of math that comes next, in upper or lower case.
fn function(s: &Scanner) -> Option<u64> {
    let mut ahead = *s;
    names::value(&FUNCTIONS, &ahead.word().to_ascii_lowercase())
}

/// A register, its region and type; letters stand before or behind the region.
fn operand<'a>(s: &mut Scanner<'a>, destination: bool) -> Result<Operand<'a>, TextError> {
    let mut o = signed_register(s, Syntax::Manual, destination)?;
    if lettered(s) {
        o.letters(s, destination)?;
    }
    if s.eat("<") {
        o.region = Some(match destination {
            true => Region::stride(coded(s, &names::HORIZONTAL, "the stride")?),
            false => region(s, matches!(o.value, Value::Register(w) if w.indirect.is_some()))?,
        });
        s.need(">")?;
        if lettered(s) {
            o.letters(s, destination)?;
        }
    }
    o.kind = kind(s, &TYPES)?;
    Ok(Operand { behind: *s, ..o })
}

/// A region up to `>`: `8;8,1`, `4` in align16, `4,1` with an address for each row.
fn region(s: &mut Scanner, indirect: bool) -> Result<Region, TextError> {
    let inner = s.rest().split('>').next().unwrap_or_default();
    let rows = inner.matches([',', ';']).count() == 1 && indirect;
    let vertical = match rows || s.eat("VxH") {
        true => names::EACH,
        false => coded(s, &names::VERTICAL, "the vertical stride")?,
    };
    if !(rows || s.eat(";") || s.eat(",")) {
        return Ok(Region { vertical, width: None, horizontal: 0 });
    }
    let width = Some(width(s)?);
    s.need(",")?;
    Ok(Region { vertical, width, horizontal: coded(s, &names::HORIZONTAL, "the horizontal stride")? })
}

/// `:f`, where it is written.
fn kind(s: &mut Scanner, of: &[&'static str]) -> Result<Option<(&'static str, usize)>, TextError> {
    if !s.eat_here(":") {
        return Ok(None);
    }
    let (column, mut ahead) = (s.column(), *s);
    let word = ahead.word();
    let Some(name) = of.iter().find(|t| t.eq_ignore_ascii_case(word)) else {
        let all = of.join(" ").to_ascii_lowercase();
        return s.expected(&format!("a type, one of {all}, such as r12.0<8;8,1>:f"));
    };
    *s = ahead;
    Ok(Some((*name, column)))
}

/// A number, a sum or product of numbers, and its type.
fn immediate<'a>(s: &mut Scanner<'a>, usual: Option<(&'static str, usize)>) -> Result<Operand<'a>, TextError> {
    let column = s.column();
    let word = s.run(|c| c.is_ascii_alphanumeric() || ".*+-".contains(c));
    let behind = *s;
    let Some((kind, at)) = kind(s, &IMMEDIATES)?.or(usual) else {
        return s.fault(column, format!("the type of {word} is missing, such as {word}:d"));
    };
    let operand = |kind, bits| Operand { kind: Some((kind, at)), ..Operand::new(column, *s, Value::Immediate(bits)) };
    let float = word.parse::<f32>().ok().filter(|v| kind == "F" && v.is_finite());
    if let Some(value) = float {
        return Ok(operand(kind, value.to_bits()));
    }
    let Some(value) = sum(word) else {
        return behind.fault(column, format!("{word} is no number, such as 2, 0x1f, 2*32+16 or 1.5:f"));
    };
    // A negative number has a sign.
    let kind = match (value < 0, kind) {
        (true, "UD") => "D",
        (true, "UW") => "W",
        (_, kind) => kind,
    };
    match immediate::raw(kind, value.into()) {
        Some(_) if kind == "F" && !word.starts_with("0x") => Ok(operand(kind, (value as f32).to_bits())),
        Some(bits) => Ok(operand(kind, bits)),
        None => behind.fault(column, immediate::misfit(kind)),
    }
}

/// The value of a sum of products.
fn sum(word: &str) -> Option<i64> {
    let factor = |f: &str| {
        let n = i64::try_from(number(f.trim_start_matches('-'))?).ok()?;
        Some(if f.starts_with('-') { -n } else { n })
    };
    let product = |t: &str| t.split('*').try_fold(1i64, |p, f| p.checked_mul(factor(f)?));
    word.split('+').try_fold(0i64, |s, t| s.checked_add(product(t)?))
}

/// Adds the types and regions that are left out.
fn complete(p: &mut Parts, s: Scanner) -> Result<(), TextError> {
    let (format, align16) = (OPS[p.row].format, p.options.align16());
    let Some(first) = p.operands.first().copied() else { return Ok(()) };
    let Some((kind, _)) = p.operands.iter().find_map(|o| o.kind) else {
        let mut name = s;
        name.skip(first.column);
        let name = name.word();
        return first.behind.fault(first.column, format!("the type of {name} is missing, such as {name}:f"));
    };
    for (n, o) in p.operands.iter_mut().enumerate() {
        let (kind, _) = *o.kind.get_or_insert((kind, o.column));
        let packed = (1 << p.exec).min(32 / unit(kind)).min(16).trailing_zeros();
        let usual = match align16 {
            _ if n == 0 && (format.destination() || format == Format::Three) => Region::PACKED,
            true => Region::FOUR,
            false if p.exec == 0 => Region::ONE,
            false => Region { vertical: u64::from(packed) + 1, width: Some(packed.into()), horizontal: 1 },
        };
        // In align16 the manual writes any stride of a destination; the encoding has 1.
        o.region = o.region.filter(|_| !(align16 && usual == Region::PACKED)).or(Some(usual));
    }
    Ok(())
}
