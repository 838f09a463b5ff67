//! Immediates as text, both ways.

use crate::set::{scan::number, Scanner, TextError};

/// Text of an immediate of a type.
pub fn print(kind: &str, v: u32) -> String {
    match kind {
        "D" => format!("{}D", v as i32),
        "W" => format!("{}W", v as u16 as i16),
        "UW" => format!("{:#06x}UW", v as u16),
        "F" => format!("{v:#x}F"),
        "VF" => format!("{v:#x}VF"),
        other => format!("{v:#010x}{other}"),
    }
}

/// Type and bits of an immediate: digits and the type, W and UW in both halves. Of a float `0x` gives the bits, other
/// digits are its value.
///
/// # Errors
/// No immediate, or one that does not fit its type.
pub fn parse(s: &mut Scanner) -> Result<(&'static str, u32), TextError> {
    let column = s.column();
    let minus = s.eat_here("-");
    let word = written(s);
    let suffix = ["UD", "UW", "UV", "VF", "V", "F", "W", "D"].into_iter().find(|t| word.ends_with(t));
    let Some(kind) = suffix else {
        return s.fault(column, "an immediate ends with its type, such as 1D, 1.5F or 0x3f800000F");
    };
    let digits = &word[..word.len() - kind.len()];
    let bits_follow = digits.starts_with("0x") || digits.starts_with("0b");
    if kind == "F" && !bits_follow {
        let value = digits.parse::<f32>().ok().filter(|v| v.is_finite());
        let Some(value) = value else {
            return s.fault(column, format!("{digits} is no float, write 1.5F or the bits as 0x3fc00000F"));
        };
        return Ok((kind, if minus { -value } else { value }.to_bits()));
    }
    if kind == "VF" && !bits_follow {
        return s.fault(column, "the bits of four small floats are written as 0x30303030VF");
    }
    let Some(value) = number(digits) else {
        return s.fault(column, format!("expected digits before {kind}, such as 0x1{kind}"));
    };
    let value = if minus { -i128::from(value) } else { value.into() };
    match raw(kind, value) {
        Some(raw) => Ok((kind, raw)),
        None => s.fault(column, misfit(kind)),
    }
}

/// The bits of an integer of a type, W and UW in both halves; `None` where it does not fit.
pub fn raw(kind: &str, value: i128) -> Option<u32> {
    let words = matches!(kind, "W" | "UW");
    let bits = if words { 16 } else { 32 };
    let low = if matches!(kind, "W" | "D") { -(1i128 << (bits - 1)) } else { 0 };
    let raw = value as u32;
    (low..1 << bits).contains(&value).then_some(if words { raw & 0xffff | raw << 16 } else { raw })
}

/// What is wrong with an integer that does not fit its type.
pub fn misfit(kind: &str) -> String {
    format!("the value does not fit {} bits of {kind}", if matches!(kind, "W" | "UW") { 16 } else { 32 })
}

/// Digits, a point and an exponent with its sign, and the type behind them.
fn written<'a>(s: &mut Scanner<'a>) -> &'a str {
    let rest = s.rest();
    let word = s.run(|c| c.is_ascii_alphanumeric() || c == '.');
    let open = word.ends_with(['e', 'E']) && !word.starts_with("0x");
    if open && (s.eat_here("-") || s.eat_here("+")) {
        s.run(|c| c.is_ascii_alphanumeric());
    }
    &rest[..rest.len() - s.rest().len()]
}
