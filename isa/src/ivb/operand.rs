//! Operands of one- and two-source instructions as text, both ways; their bits without a name.

use super::fields::*;
use super::immediate;
use super::table::names::{self, size};
use crate::set::{Field, Scanner, TextError};

/// Register file of the architecture registers.
pub const ARCHITECTURE: u64 = 0;
/// Register file of the general registers.
pub const GENERAL: u64 = 1;
/// Register file code of an immediate.
pub const IMMEDIATE: u64 = 3;
/// Bytes of a register.
pub const REGISTER: u32 = 32;
/// Dwords of it.
pub const DWORDS: usize = REGISTER as usize / 4;
/// General registers.
pub const REGISTERS: u64 = 128;
/// All channels of a destination, without a name in the text.
pub const ALL_CHANNELS: u64 = 15;
/// Components in order, without a name in the text.
pub const IN_ORDER: [u64; 4] = [0, 1, 2, 3];

const COMPONENTS: &str = "xyzw";

/// Text of a direct register: its name and the element in it.
fn register_text(file: u64, reg: u64, sub: u32, kind: &str) -> String {
    let element = match sub / size(kind) {
        0 => String::new(),
        n => format!(".{n}"),
    };
    if file == GENERAL {
        return format!("g{reg}{element}");
    }
    let known = names::ARCHITECTURE.iter().find(|a| (a.0..a.0 + a.1).contains(&(reg as u8)));
    match known {
        Some((_, _, name, false)) => (*name).into(),
        Some((first, _, name, true)) => format!("{name}{}{element}", reg - u64::from(*first)),
        None => format!("arf{reg}{element}"),
    }
}

/// Text of an indirect register.
fn indirect(address: u64, offset: i64) -> String {
    let element = match address {
        0 => String::new(),
        n => format!(".{n}"),
    };
    match offset {
        0 => format!("g[a0{element}]"),
        n => format!("g[a0{element} {n}]"),
    }
}

/// The suffix of components; nothing where they are in order.
pub fn swizzle_text(s: [u64; 4]) -> String {
    let letter = |v: u64| COMPONENTS.as_bytes()[v as usize & 3] as char;
    match s {
        IN_ORDER => String::new(),
        [x, y, z, w] if x == y && y == z && z == w => format!(".{}", letter(x)),
        all => format!(".{}", all.map(letter).iter().collect::<String>()),
    }
}

/// The suffix of a mask of channels; nothing where all are written.
pub fn channels_text(mask: u64) -> String {
    if mask == ALL_CHANNELS {
        return String::new();
    }
    let on = COMPONENTS.chars().enumerate();
    let on = on.filter(|(n, _)| mask >> n & 1 == 1).map(|(_, c)| c);
    format!(".{}", on.collect::<String>())
}

/// Text of the destination.
pub fn print_destination(bits: u128, align16: bool) -> String {
    let kind = names::TYPES[DST_TYPE.get(bits) as usize];
    let (file, reg) = (DST_FILE.get(bits), DST_REG.get(bits));
    let name = if DST_INDIRECT.get(bits) == 1 {
        let offset = match align16 {
            true => DST_OFFSET_HIGH.get_signed(bits) * 16,
            false => DST_OFFSET.get_signed(bits),
        };
        indirect(DST_ADDRESS.get(bits), offset)
    } else if is(bits, DST_FILE, DST_REG, names::IP) {
        return "ip".into();
    } else {
        let sub = match align16 {
            true => DST_HALF.get(bits) * 16,
            false => DST_SUB.get(bits),
        };
        register_text(file, reg, sub as u32, kind)
    };
    let stride = names::HORIZONTAL[DST_STRIDE.get(bits) as usize];
    let channels = match align16 {
        true => channels_text(DST_CHANNELS.get(bits)),
        false => String::new(),
    };
    format!("{name}<{stride}>{channels}{kind}")
}

/// True where these fields are this architecture register.
fn is(bits: u128, file: Field, reg: Field, number: u64) -> bool {
    file.get(bits) == ARCHITECTURE && reg.get(bits) == number
}

/// Text of a source.
pub fn print_source(s: &Source, bits: u128, align16: bool) -> String {
    let kind = s.kind.get(bits) as usize;
    if s.file.get(bits) == IMMEDIATE {
        return immediate::print(names::IMMEDIATES[kind], super::fields::IMMEDIATE.get(bits) as u32);
    }
    let kind = names::TYPES[kind];
    let name = if s.indirect.get(bits) == 1 {
        let offset = match align16 {
            true => s.offset_high.get_signed(bits) * 16,
            false => s.offset.get_signed(bits),
        };
        indirect(s.address.get(bits), offset)
    } else if is(bits, s.file, s.reg, names::IP) {
        return "ip".into();
    } else {
        let sub = match align16 {
            true => s.half.get(bits) * 16,
            false => s.sub.get(bits),
        };
        register_text(s.file.get(bits), s.reg.get(bits), sub as u32, kind)
    };
    let sign =
        format!("{}{}", if s.neg.get(bits) == 1 { "-" } else { "" }, if s.abs.get(bits) == 1 { "(abs)" } else { "" });
    let vertical = match s.vertical.get(bits) {
        names::EACH => "VxH".into(),
        v => names::VERTICAL.get(v as usize).map_or("?".into(), u32::to_string),
    };
    if align16 {
        let swizzle = swizzle_text(s.swizzle.map(|f| f.get(bits)));
        return format!("{sign}{name}<{vertical}>{swizzle}{kind}");
    }
    let width = 1u32 << s.width.get(bits);
    let horizontal = names::HORIZONTAL[s.horizontal.get(bits) as usize];
    format!("{sign}{name}<{vertical},{width},{horizontal}>{kind}")
}

/// Bits of the destination that its text does not name.
pub fn free_destination(bits: u128, align16: bool) -> u128 {
    if DST_INDIRECT.get(bits) == 1 || DST_FILE.get(bits) != ARCHITECTURE {
        return 0;
    }
    let sub = if align16 { DST_HALF } else { DST_SUB }.mask();
    match DST_REG.get(bits) {
        names::NULL => sub,
        names::IP => sub | DST_CHANNELS.mask() | DST_STRIDE.mask() | DST_TYPE.mask(),
        _ => 0,
    }
}

/// Bits of a source that its text does not name.
pub fn free_source(s: &Source, bits: u128, align16: bool) -> u128 {
    let file = s.file.get(bits);
    if file == IMMEDIATE {
        let words = matches!(s.kind.get(bits), 2 | 3);
        return if words { UIP.mask() } else { 0 };
    }
    if s.indirect.get(bits) == 1 || file != ARCHITECTURE {
        return 0;
    }
    let reserved = if align16 { s.reserved.mask() } else { 0 };
    match s.reg.get(bits) {
        names::NULL if align16 => s.half.mask(),
        names::NULL => s.sub.mask(),
        names::IP => (s.all.mask() & !s.reg.mask() & !s.indirect.mask() & !reserved) | s.kind.mask(),
        _ => 0,
    }
}

/// The syntax of Mesa's assembler, or that of Intel's manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `g12.4<8,8,1>F`.
    Own,
    /// `r12.4<8;8,1>:f`, in upper or lower case.
    Manual,
}

/// A register as it is written, the element not yet in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Register file.
    pub file: u64,
    /// Number in the file.
    pub reg: u64,
    /// Element and its place in the text.
    pub element: Option<(u64, usize)>,
    /// Element of a0 and offset in bytes, where the register is indirect.
    pub indirect: Option<(u64, i64)>,
}

/// What an operand is.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A register.
    Register(Register),
    /// The bits of an immediate.
    Immediate(u32),
}

/// Strides and width of a region, as the fields code them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Vertical stride.
    pub vertical: u64,
    /// Width; align16 has none.
    pub width: Option<u64>,
    /// Horizontal stride, the one of a destination.
    pub horizontal: u64,
}

impl Region {
    /// `<1>`.
    pub const PACKED: Region = Region::stride(1);
    /// `<4>` of align16.
    pub const FOUR: Region = Region { vertical: 3, width: None, horizontal: 0 };
    /// `<0,1,0>`, one element for all channels.
    pub const ONE: Region = Region { vertical: 0, width: Some(0), horizontal: 0 };

    /// The region of a destination.
    pub const fn stride(horizontal: u64) -> Region {
        Region { vertical: 0, width: None, horizontal }
    }
}

/// An operand of either syntax.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// Byte of the text where it begins.
    pub column: usize,
    /// The text behind it.
    pub behind: Scanner<'a>,
    /// Minus.
    pub neg: bool,
    /// Absolute value.
    pub abs: bool,
    /// Register or immediate.
    pub value: Value,
    /// Its region; `ip` and an immediate have none.
    pub region: Option<Region>,
    /// Channels of a destination in align16, where they are written.
    pub channels: Option<u64>,
    /// Components of a source in align16, where they are written.
    pub components: Option<[u64; 4]>,
    /// Its type and the place of that; `ip` has none.
    pub kind: Option<(&'static str, usize)>,
}

impl<'a> Operand<'a> {
    /// A value that begins at `column`; what it has beside is added.
    pub fn new(column: usize, behind: Scanner<'a>, value: Value) -> Operand<'a> {
        let (neg, abs, region, channels, components, kind) = (false, false, None, None, None, None);
        Operand { column, behind, neg, abs, value, region, channels, components, kind }
    }

    /// The code of its type in a list.
    ///
    /// # Errors
    /// The list has no such type.
    pub fn type_code(&self, of: &[&'static str]) -> Result<u64, TextError> {
        let (name, column) = self.kind.unwrap_or(("", self.column));
        match names::value(of, name) {
            Some(code) => Ok(code),
            None => self.behind.fault(column, format!("expected a type, one of {}, found `{name}`", of.join(" "))),
        }
    }

    /// Byte of its element in the register, a multiple of `step`.
    ///
    /// # Errors
    /// The register has no such element.
    pub fn byte(&self, register: &Register, kind: &str, step: u64) -> Result<u64, TextError> {
        let Some((n, column)) = register.element else { return Ok(0) };
        let byte = n * u64::from(size(kind));
        if byte >= u64::from(REGISTER) {
            let elements = REGISTER / size(kind);
            return self.behind.fault(column, format!("a register has {elements} elements of {kind}"));
        }
        if byte % step != 0 {
            return self.behind.fault(column, format!("align16 begins at a multiple of {step} bytes"));
        }
        Ok(byte)
    }

    /// Reads the channels of a destination or the components of a source.
    ///
    /// # Errors
    /// Letters in another order or number.
    pub fn letters(&mut self, s: &mut Scanner, destination: bool) -> Result<(), TextError> {
        let column = s.column();
        if !s.eat_here(".") {
            return Ok(());
        }
        let letters = s.run(|c| COMPONENTS.contains(c));
        let values: Vec<u64> = letters.chars().filter_map(|c| COMPONENTS.find(c)).map(|v| v as u64).collect();
        if destination {
            if !values.is_sorted_by(|a, b| a < b) {
                return s.fault(column, "the channels stand in the order xyzw, each once");
            }
            self.channels = Some(values.iter().fold(0, |mask, v| mask | 1 << v));
            return Ok(());
        }
        self.components = Some(match values[..] {
            [x] => [x; 4],
            [x, y, z, w] => [x, y, z, w],
            _ => return s.fault(column, "expected one component or four, such as .x or .xyzz"),
        });
        Ok(())
    }

    /// Puts a register of a type into its fields: mode, element of a0, offset, offset of align16, number, half and byte.
    fn put_register(
        &self, w: &Register, kind: u64, align16: bool,
        [indirect, address, offset, offset_high, reg, half, sub]: [Field; 7], bits: u128,
    ) -> Result<u128, TextError> {
        let Some((element, bytes)) = w.indirect else {
            let (field, step) = if align16 { (half, 16) } else { (sub, 1) };
            let byte = self.byte(w, names::TYPES[kind as usize], step)?;
            return Ok(reg.put(field.put(bits, byte / step), w.reg));
        };
        let bits = address.put(indirect.put(bits, 1), element);
        match bytes % 16 {
            _ if !align16 => Ok(offset.put(bits, bytes as u64)),
            0 => Ok(offset_high.put(bits, (bytes / 16) as u64)),
            _ => self.behind.fault(self.column, "in align16 the offset is a multiple of 16 bytes"),
        }
    }

    /// Puts the destination into `bits`.
    ///
    /// # Errors
    /// One that does not fit.
    pub fn put_destination(&self, bits: u128, align16: bool) -> Result<u128, TextError> {
        let Value::Register(w) = self.value else {
            return self.behind.fault(self.column, "the destination is a register");
        };
        let stride = self.region.unwrap_or(Region::PACKED).horizontal;
        let mut bits = DST_STRIDE.put(DST_FILE.put(bits, w.file), stride);
        if align16 {
            bits = DST_CHANNELS.put(bits, self.channels.unwrap_or(ALL_CHANNELS));
        }
        if w.is_ip() {
            return Ok(DST_REG.put(bits, w.reg));
        }
        let code = self.type_code(&names::TYPES)?;
        let fields = [DST_INDIRECT, DST_ADDRESS, DST_OFFSET, DST_OFFSET_HIGH, DST_REG, DST_HALF, DST_SUB];
        self.put_register(&w, code, align16, fields, DST_TYPE.put(bits, code))
    }

    /// Puts a source into `bits`; an immediate only where one is `allowed`.
    ///
    /// # Errors
    /// One that does not fit.
    pub fn put_source(&self, src: &Source, bits: u128, align16: bool, allowed: bool) -> Result<u128, TextError> {
        let w = match self.value {
            Value::Register(w) => w,
            Value::Immediate(_) if !allowed => {
                return self.behind.fault(self.column, "an immediate is the last source only")
            }
            Value::Immediate(value) => {
                let bits = src.kind.put(src.file.put(bits, IMMEDIATE), self.type_code(&names::IMMEDIATES)?);
                return Ok(super::fields::IMMEDIATE.put(bits, value.into()));
            }
        };
        let mut bits = src.neg.put(src.abs.put(bits, self.abs.into()), self.neg.into());
        bits = src.file.put(bits, w.file);
        if w.is_ip() {
            return match self.neg || self.abs {
                true => self.behind.fault(self.column, "ip has no sign"),
                false => Ok(src.reg.put(bits, w.reg)),
            };
        }
        let region = self.region.unwrap_or(Region::ONE);
        bits = src.vertical.put(bits, region.vertical);
        if align16 {
            let pairs = src.swizzle.into_iter().zip(self.components.unwrap_or(IN_ORDER));
            bits = pairs.fold(bits, |b, (field, v)| field.put(b, v));
        } else if let Some(width) = region.width {
            bits = src.horizontal.put(src.width.put(bits, width), region.horizontal);
        } else {
            return self.behind.fault(self.column, "a region of align1 has three numbers, such as 8;8,1");
        }
        let code = self.type_code(&names::TYPES)?;
        let fields = [src.indirect, src.address, src.offset, src.offset_high, src.reg, src.half, src.sub];
        self.put_register(&w, code, align16, fields, src.kind.put(bits, code))
    }
}

impl Register {
    /// `null`.
    pub const NULL: Register = Register { file: ARCHITECTURE, reg: names::NULL, element: None, indirect: None };

    /// True for the instruction pointer, which has no region and no type.
    pub fn is_ip(&self) -> bool {
        (self.file, self.reg) == (ARCHITECTURE, names::IP)
    }
}

/// `.3` directly behind a name.
pub fn element(s: &mut Scanner) -> Result<Option<(u64, usize)>, TextError> {
    let mut ahead = *s;
    if !ahead.eat_here(".") {
        return Ok(None);
    }
    let column = ahead.column();
    let n = ahead.number(5)?;
    *s = ahead;
    Ok(Some((n, column)))
}

/// True where components come next, `.xyzw`.
pub fn lettered(s: &Scanner) -> bool {
    s.rest().strip_prefix('.').is_some_and(|r| r.starts_with(|c| COMPONENTS.contains(c)))
}

/// A register with its element.
fn register(s: &mut Scanner, syntax: Syntax) -> Result<Register, TextError> {
    let mut ahead = *s;
    let word = ahead.word();
    // Names of the manual in those of the other syntax.
    let lower = word.to_ascii_lowercase();
    let general = lower.strip_prefix('r').filter(|n| n.chars().all(|c| c.is_ascii_digit()));
    let word = match (syntax, general) {
        (Syntax::Own, _) => word.to_string(),
        (Syntax::Manual, Some(n)) => format!("g{n}"),
        (Syntax::Manual, None) if lower == "acc" => "acc0".into(),
        (Syntax::Manual, None) => lower,
    };
    if word == "g" && ahead.eat("[") {
        *s = ahead;
        s.need("a0")?;
        let address = element(s)?;
        if let Some((8.., column)) = address {
            return s.fault(column, "a0 has the elements 0 to 7");
        }
        let mut offset = 0;
        if !s.eat("]") {
            let _mark = syntax == Syntax::Manual && (s.eat(",") || s.eat("+"));
            offset = s.signed(10)?;
            s.need("]")?;
        }
        let indirect = Some((address.map_or(0, |a| a.0), offset));
        return Ok(Register { file: GENERAL, reg: 0, element: None, indirect });
    }
    let Some((file, reg)) = named(&word) else {
        return s.expected(match syntax {
            Syntax::Own => "a register such as g12, acc0, null or g[a0]",
            Syntax::Manual => "a register such as r12, acc0, null or r[a0.0]",
        });
    };
    *s = ahead;
    let bare = syntax == Syntax::Manual && lettered(s);
    Ok(Register { file, reg, element: if bare { None } else { element(s)? }, indirect: None })
}

/// File and number of a register.
fn named(word: &str) -> Option<(u64, u64)> {
    let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let name = &word[..word.len() - digits.len()];
    let n = digits.parse::<u64>().ok();
    if name == "g" {
        return n.filter(|n| *n < REGISTERS).map(|n| (GENERAL, n));
    }
    let known = names::ARCHITECTURE.iter().find(|a| a.2 == name)?;
    let n = match (known.3, n) {
        (true, Some(n)) if n < u64::from(known.1) => n,
        (false, None) if digits.is_empty() => 0,
        _ => return None,
    };
    Some((ARCHITECTURE, u64::from(known.0) + n))
}

/// The code of one of `values`, in the text a number.
///
/// # Errors
/// Another number, or none.
pub fn coded(s: &mut Scanner, values: &[u32], what: &str) -> Result<u64, TextError> {
    let column = s.column();
    let mut ahead = *s;
    let n = ahead.number(8)?;
    let Some(code) = values.iter().position(|v| u64::from(*v) == n) else {
        let all: Vec<String> = values.iter().map(u32::to_string).collect();
        return ahead.fault(column, format!("{what} is one of {}", all.join(" ")));
    };
    *s = ahead;
    Ok(code as u64)
}

/// The width of a region.
///
/// # Errors
/// No width.
pub fn width(s: &mut Scanner) -> Result<u64, TextError> {
    coded(s, &[1, 2, 4, 8, 16], "the width")
}

/// A type, in capitals directly behind what it is the type of, and its place.
pub fn kind(s: &mut Scanner, of: &[&'static str]) -> Result<(&'static str, usize), TextError> {
    let mut ahead = *s;
    let word = ahead.run(|c| c.is_ascii_uppercase());
    match of.iter().find(|t| **t == word) {
        Some(name) => {
            let column = s.column();
            *s = ahead;
            Ok((name, column))
        }
        None => s.expected(&format!("a type, one of {}", of.join(" "))),
    }
}

/// Reads a destination or a source; an immediate is a source.
///
/// # Errors
/// No such operand.
pub fn parse<'a>(s: &mut Scanner<'a>, destination: bool, align16: bool) -> Result<Operand<'a>, TextError> {
    let column = s.column();
    if !destination && digits(s) {
        let (kind, value) = immediate::parse(s)?;
        return Ok(Operand { kind: Some((kind, column)), ..Operand::new(column, *s, Value::Immediate(value)) });
    }
    let mut o = signed_register(s, Syntax::Own, destination)?;
    if matches!(o.value, Value::Register(w) if w.is_ip()) {
        return Ok(o);
    }
    s.need("<")?;
    let mut region = Region { vertical: 0, width: None, horizontal: 0 };
    if destination {
        region.horizontal = coded(s, &names::HORIZONTAL, "the stride")?;
    } else if s.eat("VxH") {
        region.vertical = names::EACH;
    } else {
        region.vertical = coded(s, &names::VERTICAL, "the vertical stride")?;
    }
    if !destination && !align16 {
        s.need(",")?;
        region.width = Some(width(s)?);
        s.need(",")?;
        region.horizontal = coded(s, &names::HORIZONTAL, "the horizontal stride")?;
    }
    s.need(">")?;
    if align16 {
        o.letters(s, destination)?;
    }
    o.kind = Some(kind(s, &names::TYPES)?);
    Ok(Operand { behind: *s, region: Some(region), ..o })
}

/// True where a number comes next.
pub fn digits(s: &mut Scanner) -> bool {
    s.column();
    let rest = s.rest();
    rest.strip_prefix('-').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
}

/// A register, of a source with its sign.
///
/// # Errors
/// No register.
pub fn signed_register<'a>(s: &mut Scanner<'a>, syntax: Syntax, destination: bool) -> Result<Operand<'a>, TextError> {
    let column = s.column();
    let (neg, abs) = (!destination && s.eat("-"), !destination && s.eat("(abs)"));
    let w = register(s, syntax)?;
    Ok(Operand { neg, abs, ..Operand::new(column, *s, Value::Register(w)) })
}
