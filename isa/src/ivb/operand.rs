//! Operands of one- and two-source instructions as text, both ways; their bits without a name.

use super::fields::*;
use super::immediate;
use super::table::names::{self, size};
use crate::set::{Scanner, TextError};

/// Register file of the architecture registers.
pub const ARCHITECTURE: u64 = 0;
/// Register file of the general registers.
pub const GENERAL: u64 = 1;
/// Register file code of an immediate.
pub const IMMEDIATE: u64 = 3;
/// Bytes of a register.
pub const REGISTER: u32 = 32;
/// General registers.
pub const REGISTERS: u64 = 128;
/// Components in order, without a name in the text.
pub const IN_ORDER: [u64; 4] = [0, 1, 2, 3];

const COMPONENTS: &str = "xyzw";

/// Text of a direct register: its name and the element in it.
fn register(file: u64, reg: u64, sub: u32, kind: &str) -> String {
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
    if mask == 15 {
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
        register(file, reg, sub as u32, kind)
    };
    let stride = names::HORIZONTAL[DST_STRIDE.get(bits) as usize];
    let channels = match align16 {
        true => channels_text(DST_CHANNELS.get(bits)),
        false => String::new(),
    };
    format!("{name}<{stride}>{channels}{kind}")
}

/// True where these fields are this architecture register.
fn is(bits: u128, file: crate::set::Field, reg: crate::set::Field, number: u64) -> bool {
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
        register(s.file.get(bits), s.reg.get(bits), sub as u32, kind)
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

/// A register as it is written, the element not yet in bytes.
struct Written {
    file: u64,
    reg: u64,
    /// Element and its place in the text.
    element: Option<(u64, usize)>,
    /// Element of a0 and offset in bytes, where the register is indirect.
    indirect: Option<(u64, i64)>,
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

fn written(s: &mut Scanner) -> Result<Written, TextError> {
    let mut ahead = *s;
    let word = ahead.word();
    if word == "g" && ahead.eat("[") {
        *s = ahead;
        s.need("a0")?;
        let address = element(s)?;
        if let Some((8.., column)) = address {
            return s.fault(column, "a0 has the elements 0 to 7");
        }
        let column = s.column();
        let offset = match s.eat("]") {
            true => 0,
            false => {
                let n = s.signed(10)?;
                s.need("]")?;
                n
            }
        };
        return Ok(Written {
            file: GENERAL,
            reg: 0,
            element: Some((0, column)),
            indirect: Some((address.map_or(0, |a| a.0), offset)),
        });
    }
    let Some((file, reg)) = named(word) else {
        return s.expected("a register such as g12, acc0, null or g[a0]");
    };
    *s = ahead;
    Ok(Written { file, reg, element: element(s)?, indirect: None })
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

/// Byte of an element of a type in the register.
pub fn byte(s: &Scanner, at: Option<(u64, usize)>, kind: &str, step: u64) -> Result<u64, TextError> {
    let Some((n, column)) = at else { return Ok(0) };
    let byte = n * u64::from(size(kind));
    if byte >= u64::from(REGISTER) {
        let elements = REGISTER / size(kind);
        return s.fault(column, format!("a register has {elements} elements of {kind}"));
    }
    if byte % step != 0 {
        return s.fault(column, format!("align16 begins at a multiple of {step} bytes"));
    }
    Ok(byte)
}

/// The code of one of `values`, in the text a number.
fn coded(s: &mut Scanner, values: &[u32], what: &str) -> Result<u64, TextError> {
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

/// A type, in capitals directly behind what it is the type of.
pub fn kind(s: &mut Scanner, of: &[&'static str]) -> Result<u64, TextError> {
    let mut ahead = *s;
    let word = ahead.run(|c| c.is_ascii_uppercase());
    match names::value(of, word) {
        Some(code) => {
            *s = ahead;
            Ok(code)
        }
        None => s.expected(&format!("a type, one of {}", of.join(" "))),
    }
}

/// Components of a source; in order where none are written.
pub fn components(s: &mut Scanner) -> Result<[u64; 4], TextError> {
    let column = s.column();
    if !s.eat_here(".") {
        return Ok(IN_ORDER);
    }
    let letters = s.run(|c| COMPONENTS.contains(c));
    let values = letters.chars().filter_map(|c| COMPONENTS.find(c));
    let values: Vec<u64> = values.map(|v| v as u64).collect();
    match values[..] {
        [x] => Ok([x; 4]),
        [x, y, z, w] => Ok([x, y, z, w]),
        _ => s.fault(column, "expected one component or four, such as .x or .xyzz"),
    }
}

/// Channels of a destination; all where none are written.
pub fn channels(s: &mut Scanner) -> Result<u64, TextError> {
    let column = s.column();
    if !s.eat_here(".") {
        return Ok(15);
    }
    let mut mask = 0;
    for c in s.run(|c| COMPONENTS.contains(c)).chars() {
        let bit = 1 << COMPONENTS.find(c).unwrap_or(0);
        if mask >= bit {
            return s.fault(column, "the channels stand in the order xyzw, each once");
        }
        mask |= bit;
    }
    Ok(mask)
}

/// Reads the destination into `bits`.
///
/// # Errors
/// No destination, or one that does not fit.
pub fn parse_destination(s: &mut Scanner, bits: u128, align16: bool) -> Result<u128, TextError> {
    let column = s.column();
    let w = written(s)?;
    let mut bits = DST_FILE.put(bits, w.file);
    bits = DST_STRIDE.put(bits, 1);
    if align16 {
        bits = DST_CHANNELS.put(bits, 15);
    }
    if (w.file, w.reg) == (ARCHITECTURE, names::IP) {
        return Ok(DST_REG.put(bits, w.reg));
    }
    s.need("<")?;
    bits = DST_STRIDE.put(bits, coded(s, &names::HORIZONTAL, "the stride")?);
    s.need(">")?;
    if align16 {
        bits = DST_CHANNELS.put(bits, channels(s)?);
    }
    let code = kind(s, &names::TYPES)?;
    bits = DST_TYPE.put(bits, code);
    if let Some((address, offset)) = w.indirect {
        bits = DST_ADDRESS.put(DST_INDIRECT.put(bits, 1), address);
        return Ok(match align16 {
            true => DST_OFFSET_HIGH.put(bits, sixteenth(s, column, offset)?),
            false => DST_OFFSET.put(bits, offset as u64),
        });
    }
    bits = DST_REG.put(bits, w.reg);
    let name = names::TYPES[code as usize];
    Ok(match align16 {
        true => DST_HALF.put(bits, byte(s, w.element, name, 16)? / 16),
        false => DST_SUB.put(bits, byte(s, w.element, name, 1)?),
    })
}

fn sixteenth(s: &Scanner, column: usize, offset: i64) -> Result<u64, TextError> {
    match offset % 16 {
        0 => Ok((offset / 16) as u64),
        _ => s.fault(column, "in align16 the offset is a multiple of 16 bytes"),
    }
}

/// Reads a source into `bits`; an immediate only where one is `allowed`.
///
/// # Errors
/// No source, or one that does not fit.
pub fn parse_source(
    src: &Source,
    s: &mut Scanner,
    bits: u128,
    align16: bool,
    allowed: bool,
) -> Result<u128, TextError> {
    let column = s.column();
    let rest = s.rest();
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        let (kind, value) = immediate::parse(s)?;
        if !allowed {
            return s.fault(column, "an immediate is the last source only");
        }
        let bits = src.file.put(bits, IMMEDIATE);
        return Ok(super::fields::IMMEDIATE.put(src.kind.put(bits, kind), value.into()));
    }
    let mut bits = bits;
    if s.eat("-") {
        bits = src.neg.put(bits, 1);
    }
    if s.eat("(abs)") {
        bits = src.abs.put(bits, 1);
    }
    let w = written(s)?;
    bits = src.file.put(bits, w.file);
    if (w.file, w.reg) == (ARCHITECTURE, names::IP) {
        if src.neg.get(bits) | src.abs.get(bits) != 0 {
            return s.fault(column, "ip has no sign");
        }
        return Ok(src.reg.put(bits, w.reg));
    }
    s.need("<")?;
    let vertical = match s.eat("VxH") {
        true => names::EACH,
        false => coded(s, &names::VERTICAL, "the vertical stride")?,
    };
    bits = src.vertical.put(bits, vertical);
    if !align16 {
        s.need(",")?;
        let width = coded(s, &[1, 2, 4, 8, 16], "the width")?;
        s.need(",")?;
        let horizontal = coded(s, &names::HORIZONTAL, "the horizontal stride")?;
        bits = src.horizontal.put(src.width.put(bits, width), horizontal);
    }
    s.need(">")?;
    if align16 {
        let components = components(s)?;
        let pairs = src.swizzle.into_iter().zip(components);
        bits = pairs.fold(bits, |b, (field, v)| field.put(b, v));
    }
    let code = kind(s, &names::TYPES)?;
    bits = src.kind.put(bits, code);
    if let Some((address, offset)) = w.indirect {
        bits = src.address.put(src.indirect.put(bits, 1), address);
        return Ok(match align16 {
            true => src.offset_high.put(bits, sixteenth(s, column, offset)?),
            false => src.offset.put(bits, offset as u64),
        });
    }
    bits = src.reg.put(bits, w.reg);
    let name = names::TYPES[code as usize];
    Ok(match align16 {
        true => src.half.put(bits, byte(s, w.element, name, 16)? / 16),
        false => src.sub.put(bits, byte(s, w.element, name, 1)?),
    })
}
