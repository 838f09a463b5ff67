//! Operands of three-source instructions as text, both ways.

use super::fields::{three, Third, THIRDS};
use super::operand::{channels_text, element, kind, swizzle_text};
use super::operand::{Operand, Region, Register, Value, ALL_CHANNELS, GENERAL, IN_ORDER, REGISTERS};
use super::table::names::{size, THREE};
use crate::set::{Field, Scanner, TextError};

/// Bytes of a dword, the step of the subregisters.
const STEP: u32 = 4;

fn swizzle(bits: u128, s: &Third) -> [u64; 4] {
    let v = s.swizzle.get(bits);
    [v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6]
}

/// Name of the type in a field.
pub fn kind_of(field: Field, bits: u128) -> &'static str {
    THREE[field.get(bits) as usize & 3]
}

/// The four operands, a blank before each.
pub fn print(bits: u128) -> String {
    let name = kind_of(three::DST_TYPE, bits);
    let element = |sub: u64, name: &str| sub as u32 * STEP / size(name);
    let sub = match element(three::SUB.get(bits), name) {
        0 => String::new(),
        n => format!(".{n}"),
    };
    let mask = channels_text(three::CHANNELS.get(bits));
    let mut o = format!(" g{}{sub}<1>{mask}{name}", three::REG.get(bits));
    let name = kind_of(three::SRC_TYPE, bits);
    for s in &THIRDS {
        let sign = [(s.neg, "-"), (s.abs, "(abs)")];
        let sign = sign.map(|(f, t)| if f.get(bits) == 1 { t } else { "" });
        let one = s.replicate.get(bits) == 1;
        let sub = match element(s.sub.get(bits), name) {
            0 if !one => String::new(),
            n => format!(".{n}"),
        };
        let region = match one {
            true => "<0,1,0>".into(),
            false => format!("<4,4,1>{}", swizzle_text(swizzle(bits, s))),
        };
        let reg = s.reg.get(bits);
        o.push_str(&format!(" {}g{reg}{sub}{region}{name}", sign.concat()));
    }
    o
}

/// Bits of the operands that the text does not name.
pub fn free(bits: u128) -> u128 {
    let one = THIRDS.iter().filter(|s| s.replicate.get(bits) == 1);
    one.fold(0, |f, s| f | s.swizzle.mask())
}

/// Reads the four operands.
///
/// # Errors
/// No such operands.
pub fn parse<'a>(s: &mut Scanner<'a>) -> Result<Vec<Operand<'a>>, TextError> {
    let mut to = general(s)?;
    s.need("<1>")?;
    to.letters(s, true)?;
    to.kind = Some(kind(s, &THREE)?);
    let mut out = vec![Operand { behind: *s, ..to }];
    for _ in &THIRDS {
        let column = s.column();
        let (neg, abs) = (s.eat("-"), s.eat("(abs)"));
        let mut from = Operand { column, neg, abs, ..general(s)? };
        if s.eat("<0,1,0>") {
            from.region = Some(Region::ONE);
        } else if s.eat("<4,4,1>") {
            from.letters(s, false)?;
        } else {
            return s.expected("the region <4,4,1>, or <0,1,0> for one component");
        }
        from.kind = Some(kind(s, &THREE)?);
        out.push(Operand { behind: *s, ..from });
    }
    Ok(out)
}

/// Puts the four operands into `bits`; a region other than that of one component is `<4,4,1>`.
///
/// # Errors
/// Other registers than general ones, types of the sources that differ.
pub fn put(operands: &[Operand], bits: u128) -> Result<u128, TextError> {
    let [to, from @ ..] = operands else { return Ok(bits) };
    let (w, code, sub) = parts(to)?;
    let mut bits = three::REG.put(three::CHANNELS.put(bits, to.channels.unwrap_or(ALL_CHANNELS)), w);
    bits = three::SUB.put(three::DST_TYPE.put(bits, code), sub);
    for (n, (src, o)) in THIRDS.iter().zip(from).enumerate() {
        let (reg, code, sub) = parts(o)?;
        bits = src.neg.put(src.abs.put(bits, o.abs.into()), o.neg.into());
        bits = src.sub.put(src.reg.put(bits, reg), sub);
        if o.region == Some(Region::ONE) {
            bits = src.replicate.put(bits, 1);
        } else {
            let four = o.components.unwrap_or(IN_ORDER).iter().rev().fold(0, |v, c| v << 2 | c);
            bits = src.swizzle.put(bits, four);
        }
        if n > 0 && code != three::SRC_TYPE.get(bits) {
            let column = o.kind.map_or(o.column, |k| k.1);
            return o.behind.fault(column, "the three sources have one type");
        }
        bits = three::SRC_TYPE.put(bits, code);
    }
    Ok(bits)
}

/// Register, type and dword in the register of an operand.
fn parts(o: &Operand) -> Result<(u64, u64, u64), TextError> {
    let code = o.type_code(&THREE)?;
    match o.value {
        Value::Register(w) if w.file == GENERAL && w.indirect.is_none() => {
            let byte = o.byte(&w, THREE[code as usize], STEP.into())?;
            Ok((w.reg, code, byte / u64::from(STEP)))
        }
        _ => o.behind.fault(o.column, "an operand of three sources is a general register"),
    }
}

/// A general register with its element.
fn general<'a>(s: &mut Scanner<'a>) -> Result<Operand<'a>, TextError> {
    let column = s.column();
    let mut ahead = *s;
    let n = ahead.word().strip_prefix('g').and_then(|d| d.parse().ok());
    match n.filter(|n| *n < REGISTERS) {
        Some(reg) => {
            *s = ahead;
            let w = Register { file: GENERAL, reg, element: element(s)?, indirect: None };
            Ok(Operand::new(column, *s, Value::Register(w)))
        }
        None => s.expected("a general register, g0 to g127"),
    }
}
