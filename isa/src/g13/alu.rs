//! Destinations and sources of the arithmetic, with their widths, hints and flags.

use super::operand::{Kind, Operand};
use super::register::Registers;
use crate::set::{Field, Scanner, TextError};

/// What the mode bits of a source select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// 8 bits in the instruction.
    Number,
    /// Uniform register; `page` is bit 8 of its number.
    Uniform { wide: bool, page: u64 },
    /// Lane register of so many halves, 1, 2 or 4; hint 1 none, 2 `.cache`, 3 `.discard`.
    Register { halves: u64, hint: u64 },
}

/// Mode of a source; `None` where it is illegal.
fn mode(kind: Kind, t: u64, wide: bool) -> Option<Mode> {
    let register = |halves| (t & 3 != 0).then_some(Mode::Register { halves, hint: t & 3 });
    let uniform = |wide| Some(Mode::Uniform { wide, page: t & 1 });
    match (kind, t) {
        (Kind::SelectSrc, 4) => Some(Mode::Number),
        (Kind::SelectSrc, 6..) => uniform(wide),
        (Kind::SelectSrc, 5) => None,
        (Kind::SelectSrc, _) => register(if wide { 2 } else { 1 }),
        (_, 0) => Some(Mode::Number),
        (Kind::FloatSrc16, 6..) => None,
        (Kind::FloatSrc16, 4..) => uniform(false),
        (Kind::FloatSrc16, _) => register(1),
        (Kind::Src16, 6..) => None,
        (_, 4..8) => uniform(t & 2 != 0),
        (_, 0..4) => register(1),
        (_, 8..12) => register(2),
        (Kind::Src64 | Kind::AddSrc, _) => register(4),
        _ => None,
    }
}

/// True for sources with `.abs`, `.neg` and immediates that are floats.
fn is_float(kind: Kind) -> bool {
    matches!(kind, Kind::FloatSrc | Kind::FloatSrc16 | Kind::FloatPairSrc)
}

/// The float of 8 bits: sign, 3 bits of exponent, 4 of fraction.
pub fn mini_float(n: u64) -> f64 {
    let (sign, e, f) = (n >> 7, (n >> 4 & 7) as i32, (n & 15) as f64);
    let size = match e {
        0 => f / 64.0,
        _ => (16.0 + f) * 2f64.powi(e - 7),
    };
    if sign == 1 {
        -size
    } else {
        size
    }
}

impl Operand {
    /// 32 bits wide, where another operand's field says so.
    fn selects_wide(&self, bits: u128) -> bool {
        self.kind == Kind::SelectSrc && self.fields[2].get(bits) & 2 != 0
    }

    /// What source it is; `None` for an illegal one.
    pub(super) fn mode(&self, bits: u128) -> Option<Mode> {
        mode(self.kind, self.fields[1].get(bits), self.selects_wide(bits))
    }

    /// The field without meaning in a source.
    pub(super) fn illegal_source(&self, bits: u128) -> Option<Field> {
        match self.mode(bits) {
            None => Some(self.fields[1]),
            Some(Mode::Register { halves: 2, .. }) if self.fields[0].get(bits) & 1 == 1 => Some(self.fields[0]),
            Some(_) => None,
        }
    }

    /// The field without meaning in a destination.
    pub(super) fn illegal_dst(&self, bits: u128) -> Option<Field> {
        let odd = self.fields[0].get(bits) & 1 == 1;
        let wide = self.dst_is_wide(bits);
        match self.kind {
            Kind::FloatDst16 if self.fields[1].get(bits) & 2 != 0 => Some(self.fields[1]),
            Kind::Dst64 => None,
            _ if wide && odd => Some(self.fields[0]),
            _ => None,
        }
    }

    /// True for a destination of 32 bits or a pair.
    pub(super) fn dst_is_wide(&self, bits: u128) -> bool {
        match self.kind {
            Kind::DstHalf | Kind::FloatDst16 => false,
            Kind::DstWord => true,
            _ => self.fields[1].get(bits) & 2 != 0,
        }
    }

    pub(super) fn print_dst(&self, bits: u128) -> String {
        let (first, wide) = (self.fields[0].get(bits), self.dst_is_wide(bits));
        let count = match self.kind {
            Kind::DstPair => 2,
            Kind::Dst64 if wide && first & 1 == 1 => 2,
            _ => 1,
        };
        let name = Registers::row('r', first, wide, count).text();
        cached(name, self.fields[1].get(bits) & 1 == 1)
    }

    pub(super) fn parse_dst(&self, s: &mut Scanner, bits: u128) -> Result<u128, TextError> {
        let what = match self.kind {
            Kind::DstHalf | Kind::FloatDst16 => "a register of 16 bits such as r3l",
            Kind::DstWord => "a register of 32 bits such as r3",
            Kind::DstPair => "a pair of registers such as r2_r3 or r2l_r2h",
            Kind::Dst64 => "a register such as r3l, r3 or r2_r3",
            _ => "a register such as r3l or r3",
        };
        let mut ahead = *s;
        let found = Registers::parse(ahead.word()).filter(|r| {
            r.file == 'r'
                && match self.kind {
                    Kind::DstHalf | Kind::FloatDst16 => !r.wide && r.count == 1,
                    Kind::DstWord => r.wide && r.count == 1,
                    Kind::DstPair => r.count == 2,
                    Kind::Dst64 => r.count == 1 || (r.wide && r.count == 2),
                    _ => r.count == 1,
                }
        });
        let Some(r) = found else {
            return s.expected(what);
        };
        *s = ahead;
        let odd = u64::from(self.kind == Kind::Dst64 && r.count == 2);
        let wide = match self.kind {
            Kind::DstHalf | Kind::DstWord => 0,
            _ => u64::from(r.wide) << 1,
        };
        let cache = u64::from(s.eat_suffix("cache"));
        let bits = self.fields[0].put(bits, r.first | odd);
        Ok(self.fields[1].put(bits, wide | cache))
    }

    pub(super) fn print_source(&self, bits: u128) -> String {
        let v = self.fields[0].get(bits);
        let mut o = match self.mode(bits) {
            Some(Mode::Number) if is_float(self.kind) => format!("{:?}", mini_float(v)),
            Some(Mode::Number) | None => v.to_string(),
            Some(Mode::Uniform { wide, page }) => Registers::one('u', v | page << 8, wide).text(),
            Some(Mode::Register { halves, hint }) => {
                let pair = halves == 4 || self.kind == Kind::FloatPairSrc;
                let count = if pair { 2 } else { 1 };
                let name = Registers::row('r', v, halves > 1, count).text();
                name + ["", "", ".cache", ".discard"][hint as usize & 3]
            }
        };
        if is_float(self.kind) {
            let m = self.fields[2].get(bits);
            o.push_str(["", ".abs", ".neg", ".abs.neg"][m as usize & 3]);
        } else if self.extends() && self.fields[2].get(bits) == 1 && !o.starts_with(digit) {
            o.push_str(".sx");
        }
        o
    }

    /// True for sources with `.sx`.
    pub(super) fn extends(&self) -> bool {
        matches!(self.kind, Kind::MulSrc | Kind::AddSrc)
    }

    pub(super) fn parse_source(&self, s: &mut Scanner, bits: u128) -> Result<u128, TextError> {
        let column = s.column();
        let mut ahead = *s;
        let (value, mut wanted) = match Registers::parse(ahead.word()) {
            Some(r) => {
                *s = ahead;
                match self.mode_of(r) {
                    Some(mode) => (r.first & 0xff, mode),
                    None => return s.fault(column, "the operand takes no such registers"),
                }
            }
            None => (self.parse_immediate(s)?, Mode::Number),
        };
        let (mut float, mut extend) = (0, 0);
        loop {
            match &mut wanted {
                Mode::Register { hint, .. } if s.eat_suffix("cache") => *hint = 2,
                Mode::Register { hint, .. } if s.eat_suffix("discard") => *hint = 3,
                _ if is_float(self.kind) && s.eat_suffix("abs") => float |= 1,
                _ if is_float(self.kind) && s.eat_suffix("neg") => float |= 2,
                Mode::Register { .. } | Mode::Uniform { .. } if self.extends() && s.eat_suffix("sx") => {
                    extend = 1;
                }
                _ => break,
            }
        }
        let wide = self.selects_wide(bits);
        let modes = 0..1 << self.fields[1].width();
        let Some(t) = modes.into_iter().find(|t| mode(self.kind, *t, wide) == Some(wanted)) else {
            return s.fault(
                column,
                match self.kind {
                    Kind::SelectSrc => "the width must be that of the destination",
                    Kind::Src16 | Kind::FloatSrc16 => "expected a register of 16 bits",
                    _ => "expected a register of at most 32 bits",
                },
            );
        };
        let bits = self.fields[1].put(self.fields[0].put(bits, value), t);
        Ok(match self.fields.get(2) {
            Some(f) if is_float(self.kind) => f.put(bits, float),
            Some(f) if self.extends() => f.put(bits, extend),
            _ => bits,
        })
    }

    /// The mode of registers, without hint.
    fn mode_of(&self, r: Registers) -> Option<Mode> {
        let Registers { wide, count, .. } = r;
        let halves = match (self.kind, wide, count) {
            (Kind::FloatPairSrc, wide, 2) => 1 + u64::from(wide),
            (Kind::FloatPairSrc, _, _) if r.file == 'r' => return None,
            (_, true, 2) => 4,
            (_, wide, 1) => 1 + u64::from(wide),
            _ => return None,
        };
        match r.file {
            'u' if count == 1 => Some(Mode::Uniform { wide, page: r.first >> 8 }),
            'r' => Some(Mode::Register { halves, hint: 1 }),
            _ => None,
        }
    }

    fn parse_immediate(&self, s: &mut Scanner) -> Result<u64, TextError> {
        let column = s.column();
        if !is_float(self.kind) {
            return match s.rest().starts_with(digit) {
                true => s.number(8),
                false => s.expected("a register such as r3 or u3, or a number of 8 bits"),
            };
        }
        let Some(digits) = float_digits(s) else {
            return s.expected("a register such as r3 or u3, or a float such as 0.5");
        };
        // The digits of a float are one.
        let value: f64 = digits.parse().unwrap_or(f64::NAN);
        let found = (0..256).find(|n| mini_float(*n).to_bits() == value.to_bits());
        found.map_or_else(
            || {
                let far = |n: &u64| (mini_float(*n) - value).abs();
                let near = (0..256).min_by(|a, b| far(a).total_cmp(&far(b)));
                let near = mini_float(near.unwrap_or(0));
                s.fault(
                    column,
                    format!("{digits} is none of the 256 floats of 8 bits, the nearest is {near:?}; use a register"),
                )
            },
            Ok,
        )
    }
}

/// Passes over a decimal number with sign and fraction.
fn float_digits<'a>(s: &mut Scanner<'a>) -> Option<&'a str> {
    s.column();
    let text = s.rest();
    let mut ahead = *s;
    ahead.eat_here("-");
    if ahead.run(digit).is_empty() {
        return None;
    }
    let mut fraction = ahead;
    if fraction.eat_here(".") && !fraction.run(digit).is_empty() {
        ahead = fraction;
    }
    *s = ahead;
    Some(&text[..text.len() - ahead.rest().len()])
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// `name` with its hint.
pub fn cached(name: String, cache: bool) -> String {
    name + if cache { ".cache" } else { "" }
}
