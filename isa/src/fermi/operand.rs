//! Kinds of operands and their text.

use super::table::modifiers::SPECIAL_NAMES;
use crate::set::asm::undefined;
use crate::set::{Field, Operand as Fields, Place, Scanner, TextError};

/// Registers: 0 to 62, 63 reads as zero.
const ZERO: u64 = 63;
/// Predicates: 0 to 6, 7 is always true.
const TRUE: u64 = 7;

/// Kind of an operand; the fields in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Register.
    Reg,
    /// Even register of a pair.
    Reg64,
    /// Register, or pair where the destination type has 64 bits.
    RegByType,
    /// 1, 2 or 4 registers by the size modifier.
    RegBySize,
    /// Predicate.
    Pred,
    /// `c[bank][offset]`: bank, offset / 4.
    Const,
    /// The same of 8 bytes.
    Const64,
    /// Bits 31:12 of an f32.
    ImmF32,
    /// Bits 63:44 of an f64.
    ImmF64,
    /// 20 bits, sign-extended.
    ImmInt,
    /// 32 bits.
    Imm32,
    /// Special register.
    Special,
    /// `[register+offset]`: base, signed offset.
    Memory,
    /// `c[bank][register+offset]`: bank, base, signed offset.
    ConstMemory,
    /// Address: signed bytes from the next instruction.
    Target,
    /// Number.
    Number,
    /// Number, omitted when 0.
    Optional,
}

/// A sign and its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Minus.
    Neg(Field),
    /// Absolute value, before the minus.
    Abs(Field),
    /// Bitwise not of a number, logical not of a predicate.
    Not(Field),
}

impl Sign {
    /// Its bit.
    pub fn field(self) -> Field {
        match self {
            Sign::Neg(f) | Sign::Abs(f) | Sign::Not(f) => f,
        }
    }
}

/// An operand of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Kind.
    pub kind: Kind,
    /// Fields in the order of the kind.
    pub fields: &'static [Field],
    /// Signs.
    pub signs: &'static [Sign],
}

macro_rules! constructors {
    ($($name:ident $kind:ident),* $(,)?) => {
        $(#[doc = concat!("[`Kind::", stringify!($kind), "`].")]
        pub const fn $name(fields: &'static [Field]) -> Operand {
            Operand { kind: Kind::$kind, fields, signs: &[] }
        })*
    };
}

constructors! {
    reg Reg, reg64 Reg64, reg_by_type RegByType, reg_by_size RegBySize, pred Pred,
    constant Const, constant64 Const64, imm_f32 ImmF32, imm_f64 ImmF64, imm_int ImmInt,
    imm32 Imm32, special Special, memory Memory, const_memory ConstMemory, target Target,
    number Number, optional Optional,
}

impl Fields for Operand {
    fn fields(&self) -> Vec<Field> {
        let signs = self.signs.iter().map(|s| s.field());
        self.fields.iter().copied().chain(signs).collect()
    }

    fn describe(&self) -> String {
        let names: Vec<&str> = self.fields.iter().map(|f| f.name).collect();
        let mut o = format!("{:?} {}", self.kind, names.join(" "));
        for s in self.signs {
            let mark = match s {
                Sign::Neg(_) => "-",
                Sign::Abs(_) => "| |",
                Sign::Not(_) if self.kind == Kind::Pred => "!",
                Sign::Not(_) => "~",
            };
            o.push_str(&format!(" {mark}"));
        }
        o
    }
}

impl Operand {
    /// The same with signs.
    pub const fn signed(self, signs: &'static [Sign]) -> Operand {
        Operand { signs, ..self }
    }

    /// The minus bit, where it has one.
    pub fn minus(&self) -> Option<Field> {
        self.signs.iter().find_map(|s| match s {
            Sign::Neg(f) => Some(*f),
            _ => None,
        })
    }

    /// Its text with its signs; `None` where it is omitted.
    pub fn print(&self, bits: u128, pc: u64) -> Option<String> {
        let mut text = self.body(bits, pc)?;
        let set = |s: &&Sign| s.field().get(bits) != 0;
        if self.signs.iter().any(|s| matches!(s, Sign::Abs(_)) && set(&s)) {
            text = format!("|{text}|");
        }
        for s in self.signs.iter().filter(set) {
            let mark = match s {
                Sign::Abs(_) => continue,
                Sign::Neg(_) => '-',
                Sign::Not(_) if self.kind == Kind::Pred => '!',
                Sign::Not(_) => '~',
            };
            text.insert(0, mark);
        }
        Some(text)
    }

    fn body(&self, bits: u128, pc: u64) -> Option<String> {
        let value = |n: usize| self.fields[n].get(bits);
        Some(match self.kind {
            Kind::Reg | Kind::Reg64 | Kind::RegByType | Kind::RegBySize => register(value(0)),
            Kind::Pred => predicate(value(0)),
            Kind::Const | Kind::Const64 => format!("c[{:#x}][{:#x}]", value(0), value(1) * 4),
            Kind::ImmF32 | Kind::ImmF64 | Kind::ImmInt | Kind::Imm32 | Kind::Number => {
                format!("{:#x}", value(0))
            }
            Kind::Special => special_name(value(0)),
            Kind::Memory => address(value(0), self.fields[1].get_signed(bits)),
            Kind::ConstMemory => {
                let at = address(value(1), self.fields[2].get_signed(bits));
                format!("c[{:#x}]{at}", value(0))
            }
            Kind::Target => {
                let offset = self.fields[0].get_signed(bits);
                let target = pc.wrapping_add(8).wrapping_add_signed(offset);
                match target as i64 {
                    t if t < 0 => format!("-{:#x}", t.unsigned_abs()),
                    t => format!("{t:#x}"),
                }
            }
            Kind::Optional if value(0) == 0 => return None,
            Kind::Optional => format!("{:#x}", value(0)),
        })
    }

    /// Reads the operand with its signs into `bits`; `notes`: what of the text is not in them.
    ///
    /// # Errors
    /// Another kind of operand, a sign it has not, a value that does not fit.
    pub fn parse(
        &self, s: &mut Scanner, bits: u128, place: &Place, notes: &mut Vec<String>,
    ) -> Result<u128, TextError> {
        let mut bits = bits;
        let not = if self.kind == Kind::Pred { "!" } else { "~" };
        let mut close = false;
        for (mark, abs) in [(not, false), ("-", false), ("|", true)] {
            let sign = self.signs.iter().find(|sign| match sign {
                Sign::Neg(_) => mark == "-",
                Sign::Abs(_) => abs,
                Sign::Not(_) => mark == not,
            });
            if let Some(sign) = sign.filter(|_| s.eat(mark)) {
                bits = sign.field().put(bits, 1);
                close |= abs;
            }
        }
        bits = self.parse_body(s, bits, place, notes)?;
        if close {
            s.need("|")?;
        }
        Ok(bits)
    }

    fn parse_body(
        &self, s: &mut Scanner, bits: u128, place: &Place, notes: &mut Vec<String>,
    ) -> Result<u128, TextError> {
        let field = self.fields[0];
        let column = s.column();
        Ok(match self.kind {
            Kind::Reg | Kind::Reg64 | Kind::RegByType | Kind::RegBySize => field.put(bits, parse_register(s)?),
            Kind::Pred => {
                let n = indexed(s.word(), "P", "PT", TRUE);
                let n = n.map_or_else(|| s.fault(column, "expected P0 to P6 or PT"), Ok)?;
                field.put(bits, n)
            }
            Kind::Const | Kind::Const64 => {
                let bits = field.put(bits, parse_bank(s, field.width())?);
                s.need("[")?;
                let at = s.column();
                let offset = s.number(16)?;
                if offset % 4 != 0 {
                    return s.fault(at, "the offset of a constant is a multiple of 4");
                }
                s.need("]")?;
                self.fields[1].put(bits, offset / 4)
            }
            Kind::ImmF32 | Kind::ImmF64 | Kind::ImmInt | Kind::Imm32 => {
                field.put(bits, self.parse_immediate(s, notes)?)
            }
            Kind::Special => {
                let name = s.word();
                let n = special_number(name);
                let n = n.map_or_else(|| s.fault(column, "expected a special register"), Ok)?;
                field.put(bits, n)
            }
            Kind::Memory => parse_address(s, bits, field, self.fields[1])?,
            Kind::ConstMemory => {
                let bits = field.put(bits, parse_bank(s, field.width())?);
                parse_address(s, bits, self.fields[1], self.fields[2])?
            }
            Kind::Target => {
                let target = parse_target(s, place)?;
                let offset = target.wrapping_sub(place.pc).wrapping_sub(8) as i64;
                let limit = 1i64 << (field.width() - 1);
                if offset < -limit || offset >= limit {
                    return s.fault(column, "the target is more than 24 bits with sign away");
                }
                field.put(bits, offset as u64)
            }
            Kind::Number | Kind::Optional => field.put(bits, s.number(field.width())?),
        })
    }

    /// Raw digits, a signed integer where the operand is one, or `F1.5` where it is a float, which is cut off to the bits
    /// of the field.
    fn parse_immediate(&self, s: &mut Scanner, notes: &mut Vec<String>) -> Result<u64, TextError> {
        let width = self.fields[0].width();
        let column = s.column();
        if s.eat_here("F") {
            let digits = s.run(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            let (Ok(double), Ok(single)) = (digits.parse::<f64>(), digits.parse::<f32>()) else {
                return s.fault(column, "expected a float such as F1.5");
            };
            let (raw, low) = match self.kind {
                Kind::ImmF64 => (double.to_bits(), 44),
                Kind::ImmInt => return s.fault(column, "expected an integer, the instruction takes no float"),
                Kind::ImmF32 => (single.to_bits().into(), 12),
                _ => (single.to_bits().into(), 0),
            };
            let kept = raw >> low << low;
            if kept != raw {
                let is = match self.kind {
                    Kind::ImmF64 => f64::from_bits(kept).to_string(),
                    _ => f32::from_bits(kept as u32).to_string(),
                };
                notes.push(format!("F{digits} is cut off to the {width} bits of the immediate, F{is}"));
            }
            return Ok(raw >> low);
        }
        if matches!(self.kind, Kind::ImmInt | Kind::Imm32) && s.rest().starts_with('-') {
            return Ok(s.signed(width)? as u64 & ((1 << width) - 1));
        }
        s.number(width)
    }
}

fn register(n: u64) -> String {
    match n {
        ZERO => "RZ".into(),
        n => format!("R{n}"),
    }
}

/// Name of a predicate.
pub fn predicate(n: u64) -> String {
    match n {
        TRUE => "PT".into(),
        n => format!("P{n}"),
    }
}

fn special_name(n: u64) -> String {
    let named = SPECIAL_NAMES.iter().find(|s| u64::from(s.0) == n);
    named.map_or_else(|| format!("SR{n}"), |s| s.1.into())
}

fn special_number(name: &str) -> Option<u64> {
    let named = SPECIAL_NAMES.iter().find(|s| s.1.eq_ignore_ascii_case(name));
    let number = || name.strip_prefix("SR")?.parse().ok();
    let plain = named.map(|s| u64::from(s.0)).or_else(number)?;
    (plain < 256).then_some(plain)
}

/// `[Rn+offset]`; the zero register is left out where the offset is not negative.
fn address(base: u64, offset: i64) -> String {
    match (base, offset) {
        (ZERO, 0..) => format!("[{offset:#x}]"),
        (_, 0) => format!("[{}]", register(base)),
        (_, 1..) => format!("[{}+{offset:#x}]", register(base)),
        _ => format!("[{}+-{:#x}]", register(base), offset.unsigned_abs()),
    }
}

/// Number of `P3` or `PT` and the like.
pub fn indexed(word: &str, prefix: &str, last: &str, limit: u64) -> Option<u64> {
    if word.eq_ignore_ascii_case(last) {
        return Some(limit);
    }
    let upper = word.to_ascii_uppercase();
    let n: u64 = upper.strip_prefix(prefix)?.parse().ok()?;
    (n < limit).then_some(n)
}

fn parse_register(s: &mut Scanner) -> Result<u64, TextError> {
    let mut ahead = *s;
    let Some(n) = indexed(ahead.word(), "R", "RZ", ZERO) else {
        return s.expected("a register, R0 to R62 or RZ");
    };
    *s = ahead;
    Ok(n)
}

fn parse_bank(s: &mut Scanner, width: u32) -> Result<u64, TextError> {
    if !s.eat("c") {
        return s.expected("a constant such as c[0x0][0x20]");
    }
    s.need("[")?;
    let bank = s.number(width)?;
    s.need("]")?;
    Ok(bank)
}

fn parse_address(s: &mut Scanner, bits: u128, base: Field, offset: Field) -> Result<u128, TextError> {
    s.need("[")?;
    let mut ahead = *s;
    let register = indexed(ahead.word(), "R", "RZ", ZERO);
    let plus = match register {
        Some(_) => {
            *s = ahead;
            s.eat("+")
        }
        None => true,
    };
    let minus = s.rest().trim_start().starts_with('-');
    let value = if plus || minus { s.signed(offset.width())? } else { 0 };
    s.need("]")?;
    let bits = base.put(bits, register.unwrap_or(ZERO));
    Ok(offset.put(bits, value as u64))
}

fn parse_target(s: &mut Scanner, place: &Place) -> Result<u64, TextError> {
    let column = s.column();
    let next = s.rest().chars().next().unwrap_or(' ');
    if next == '-' || next.is_ascii_digit() {
        return Ok(s.signed(64)? as u64);
    }
    let name = s.word();
    if name.is_empty() {
        return s.expected("an address or a label");
    }
    match (place.label)(name) {
        Some(address) => Ok(address),
        None => s.fault(column, undefined(name)),
    }
}
