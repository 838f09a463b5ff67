//! Operands that are conditions, choices, numbers, shifts, targets or special registers.

use super::alu::cached;
use super::operand::{Kind, Operand};
use super::table::names::{name_of, Names, FLOAT_CONDITIONS, INT_CONDITIONS, SPECIAL_REGISTERS};
use crate::set::{low_bits, Place, Scanner, TextError};

impl Operand {
    /// The values of all fields as one, the first lowest.
    pub(super) fn combined(&self, bits: u128) -> u64 {
        self.fields.iter().rev().fold(0, |v, f| (v << f.width()) | f.get(bits))
    }

    fn put_combined(&self, bits: u128, value: u64) -> u128 {
        let mut rest = value;
        self.fields.iter().fold(bits, |bits, f| {
            let bits = f.put(bits, rest);
            rest >>= f.width();
            bits
        })
    }

    pub(super) fn print_choice(&self, bits: u128) -> Option<String> {
        let field = self.fields[0];
        let value = field.get(bits);
        Some(match self.kind {
            Kind::CountDst => cached("r0l".into(), value == 1),
            Kind::IntCond => named(INT_CONDITIONS, self.combined(bits)),
            Kind::FloatCond => named(FLOAT_CONDITIONS, self.combined(bits)),
            Kind::Binary => format!("0b{value:0width$b}", width = field.width() as usize),
            Kind::Signed => field.get_signed(bits).to_string(),
            Kind::TruthTable => self.fields.iter().map(|f| f.get(bits).to_string()).collect(),
            Kind::Shift | Kind::BitMask if value == 0 => return None,
            Kind::Shift => format!("lsl {value}"),
            Kind::BitMask => format!("mask {:#X}", low_bits(value as u32)).replacen("0X", "0x", 1),
            Kind::Target => format!("pc{:+}", field.get_signed(bits)),
            Kind::Special => match name_of(SPECIAL_REGISTERS, value) {
                Some(name) => format!("sr{value} ({name})"),
                None => format!("sr{value}"),
            },
            Kind::Choice if self.is_optional() => match name_of(self.names, value) {
                Some("") | None => return None,
                Some(name) => name.into(),
            },
            Kind::Choice | Kind::ClosedChoice => named(self.names, value),
            _ => value.to_string(),
        })
    }

    pub(super) fn parse_choice(&self, s: &mut Scanner, bits: u128, place: &Place) -> Result<u128, TextError> {
        let field = self.fields[0];
        let column = s.column();
        Ok(match self.kind {
            Kind::CountDst => {
                if !s.word().eq_ignore_ascii_case("r0l") {
                    return s.fault(column, "expected r0l, the counter of the execution mask");
                }
                field.put(bits, u64::from(s.eat_suffix("cache")))
            }
            Kind::IntCond => self.parse_name(s, bits, INT_CONDITIONS)?,
            Kind::FloatCond => self.parse_name(s, bits, FLOAT_CONDITIONS)?,
            Kind::Choice | Kind::ClosedChoice => self.parse_name(s, bits, self.names)?,
            Kind::Signed => field.put(bits, s.signed(field.width())? as u64),
            Kind::TruthTable => {
                let word = s.word();
                if word.len() != 4 || !word.bytes().all(|b| b == b'0' || b == b'1') {
                    return s.fault(column, "expected a truth table of four digits such as 0110");
                }
                let digits = word.bytes().map(|b| u64::from(b - b'0'));
                let pairs = self.fields.iter().zip(digits);
                pairs.fold(bits, |bits, (f, digit)| f.put(bits, digit))
            }
            Kind::Shift => {
                s.word();
                field.put(bits, s.number(field.width())?)
            }
            Kind::BitMask => {
                s.word();
                let value = s.number(32)?;
                if value == 0 || !(value + 1).is_power_of_two() {
                    return s.fault(column, "a mask is all ones from bit 0 up, such as mask 0xff");
                }
                // All 32 ones are written as 0.
                field.put(bits, u64::from(value.trailing_ones() % 32))
            }
            Kind::Target => field.put(bits, parse_target(s, field.width(), place)?),
            Kind::Special => {
                let word = s.word();
                let n = word.strip_prefix("sr").and_then(|n| n.parse().ok());
                let Some(n) = n.filter(|n| field.fits(*n)) else {
                    return s.fault(column, "expected a special register, sr0 to sr255");
                };
                parse_remark(s, n)?;
                field.put(bits, n)
            }
            _ => field.put(bits, s.number(field.width())?),
        })
    }

    /// A name, or where others are legal, a number.
    fn parse_name(&self, s: &mut Scanner, bits: u128, names: Names) -> Result<u128, TextError> {
        let column = s.column();
        let mut ahead = *s;
        let word = ahead.run(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let is = |name: &str| !name.is_empty() && name.eq_ignore_ascii_case(word);
        let width: u32 = self.fields.iter().map(|f| f.width()).sum();
        // Of two values with one name, the one that stands already.
        let here = self.combined(bits);
        let found = match name_of(names, here) {
            Some(name) if is(name) => Some(here),
            _ => names.iter().find(|n| is(n.1)).map(|n| u64::from(n.0)),
        };
        let value = match found {
            Some(value) if value < 1 << width => value,
            Some(_) => {
                *s = ahead;
                return s.fault(column, format!("this instruction has no {word}"));
            }
            None if self.kind == Kind::Choice && word.starts_with(|c: char| c.is_ascii_digit()) => {
                return Ok(self.fields[0].put(bits, s.number(width)?));
            }
            None => {
                let names: Vec<&str> = names.iter().map(|n| n.1).collect();
                return s.expected(&format!("one of {}", names.join(" ")));
            }
        };
        *s = ahead;
        Ok(self.put_combined(bits, value))
    }
}

/// Name of a value, else the number.
fn named(names: Names, value: u64) -> String {
    name_of(names, value).map_or_else(|| value.to_string(), String::from)
}

/// `pc+14`, `pc-22` or a label; bytes from the start of the instruction.
fn parse_target(s: &mut Scanner, width: u32, place: &Place) -> Result<u64, TextError> {
    let column = s.column();
    let name = s.word();
    if name.is_empty() {
        return s.expected("a label, or an offset such as pc+14");
    }
    let mut ahead = *s;
    let offset = if name == "pc" && ahead.eat("+") {
        *s = ahead;
        s.number(32)? as i64
    } else if name == "pc" && ahead.eat("-") {
        *s = ahead;
        -(s.number(32)? as i64)
    } else {
        match (place.label)(name) {
            Some(address) => address.wrapping_sub(place.pc) as i64,
            None => {
                let message = format!("the label {name} is not defined, define it with `{name}:`");
                return s.fault(column, message);
            }
        }
    };
    let limit = 1i64 << (width - 1);
    if offset < -limit || offset >= limit {
        let message = format!("the target is {offset} bytes away, more than {width} bits with sign");
        return s.fault(column, message);
    }
    Ok(offset as u64)
}

/// The name of a special register in brackets, where it stands.
fn parse_remark(s: &mut Scanner, n: u64) -> Result<(), TextError> {
    if !s.eat("(") {
        return Ok(());
    }
    let column = s.column();
    let found = s.run(|c| c != ')');
    match name_of(SPECIAL_REGISTERS, n) {
        Some(name) if name == found.trim() => s.need(")"),
        Some(name) => s.fault(column, format!("sr{n} is {name}")),
        None => s.fault(column, format!("sr{n} has no name, leave the bracket out")),
    }
}
