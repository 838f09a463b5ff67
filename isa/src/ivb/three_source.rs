//! Operands of three-source instructions as text, both ways.

use super::fields::{three, Third, THIRDS};
use super::operand::{byte, channels, channels_text, components, element, kind, swizzle_text, REGISTERS};
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

/// Reads the four operands into `bits`.
///
/// # Errors
/// No such operands, or types of the sources that differ.
pub fn parse(s: &mut Scanner, bits: u128) -> Result<u128, TextError> {
    let reg = general(s)?;
    let at = element(s)?;
    s.need("<1>")?;
    let mask = channels(s)?;
    let code = kind(s, &THREE)?;
    let sub = byte(s, at, THREE[code as usize], STEP.into())?;
    let mut bits = three::REG.put(three::CHANNELS.put(bits, mask), reg);
    bits = three::SUB.put(three::DST_TYPE.put(bits, code), sub / u64::from(STEP));
    for (n, src) in THIRDS.iter().enumerate() {
        if s.eat("-") {
            bits = src.neg.put(bits, 1);
        }
        if s.eat("(abs)") {
            bits = src.abs.put(bits, 1);
        }
        bits = src.reg.put(bits, general(s)?);
        let at = element(s)?;
        if s.eat("<0,1,0>") {
            bits = src.replicate.put(bits, 1);
        } else if s.eat("<4,4,1>") {
            let four = components(s)?.iter().rev().fold(0, |v, c| v << 2 | c);
            bits = src.swizzle.put(bits, four);
        } else {
            return s.expected("the region <4,4,1>, or <0,1,0> for one component");
        }
        let column = s.column();
        let code = kind(s, &THREE)?;
        if n > 0 && code != three::SRC_TYPE.get(bits) {
            return s.fault(column, "the three sources have one type");
        }
        bits = three::SRC_TYPE.put(bits, code);
        let sub = byte(s, at, THREE[code as usize], STEP.into())?;
        bits = src.sub.put(bits, sub / u64::from(STEP));
    }
    Ok(bits)
}

/// Number of a general register.
fn general(s: &mut Scanner) -> Result<u64, TextError> {
    let mut ahead = *s;
    let n = ahead.word().strip_prefix('g').and_then(|d| d.parse().ok());
    match n.filter(|n| *n < REGISTERS) {
        Some(n) => {
            *s = ahead;
            Ok(n)
        }
        None => s.expected("a general register, g0 to g127"),
    }
}
