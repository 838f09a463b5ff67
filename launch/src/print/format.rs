//! Formats of C's `printf`, and vectors of OpenCL C (`%v4hlf`).

/// Bytes of a string.
pub(super) type Text = Vec<u8>;

/// Bytes of an argument, low byte first.
pub(super) struct Argument(pub Vec<u8>);

/// Width and precision at most: more is no layout of a text.
const MOST: usize = 4096;

/// A conversion as the format names it.
#[derive(Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Elements of a vector.
    elements: Option<usize>,
    /// Bytes of an integer where the format says less than the argument has.
    bytes: Option<usize>,
    kind: char,
}

/// The text of a format with its arguments; `string` reads the string at an address. Conversions that are none, or
/// have no argument, stand as they are.
pub(super) fn text(format: &[u8], arguments: &[Argument], string: &dyn Fn(u32) -> Text) -> String {
    let mut arguments = arguments.iter();
    let mut out: Vec<u8> = Vec::new();
    let mut rest = format;
    while let Some((first, behind)) = rest.split_first() {
        if *first != b'%' {
            out.push(*first);
            rest = behind;
            continue;
        }
        if behind.first() == Some(&b'%') {
            out.push(b'%');
            rest = &behind[1..];
            continue;
        }
        let taken = arguments.clone();
        let converted = Conversion::read(behind, &mut arguments)
            .and_then(|(c, length)| Some((c.convert(arguments.next()?, string)?, length)));
        match converted {
            Some((text, length)) => {
                out.extend(text);
                rest = &behind[length..];
            }
            None => {
                arguments = taken;
                out.push(b'%');
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl Conversion {
    /// Takes a conversion behind its `%`: itself, and its bytes.
    fn read<'a>(text: &[u8], arguments: &mut impl Iterator<Item = &'a Argument>) -> Option<(Conversion, usize)> {
        let mut c = Conversion::default();
        let mut at = 0;
        while let Some(flag) = text.get(at).filter(|f| b"-+ #0".contains(f)) {
            match flag {
                b'-' => c.left = true,
                b'+' => c.plus = true,
                b' ' => c.space = true,
                b'#' => c.alternative = true,
                _ => c.zeros = true,
            }
            at += 1;
        }
        let mut number = |at: &mut usize| -> Option<i64> {
            if text.get(*at) == Some(&b'*') {
                *at += 1;
                return Some(arguments.next()?.signed(4));
            }
            let digits = text[*at..].iter().take_while(|b| b.is_ascii_digit()).count();
            let value = std::str::from_utf8(&text[*at..*at + digits]).ok()?.parse().ok();
            *at += digits;
            value
        };
        let width = number(&mut at).unwrap_or(0);
        c.left |= width < 0;
        c.width = (width.unsigned_abs() as usize).min(MOST);
        if text.get(at) == Some(&b'.') {
            at += 1;
            // A negative one is none.
            let precision = number(&mut at).unwrap_or(0);
            c.precision = usize::try_from(precision).ok().map(|p| p.min(MOST));
        }
        if text.get(at) == Some(&b'v') {
            at += 1;
            c.elements = number(&mut at).and_then(|n| [2, 3, 4, 8, 16].into_iter().find(|e| i64::from(*e as u8) == n));
            c.elements?;
        }
        let length = text[at..].iter().take_while(|b| b"hlLqjzt".contains(b)).count();
        c.bytes = match &text[at..at + length] {
            b"hh" => Some(1),
            b"h" => Some(2),
            b"" | b"hl" => Some(4),
            _ => None,
        };
        at += length;
        c.kind = char::from(*text.get(at)?);
        "diouxXcsfFeEgGaAp".contains(c.kind).then_some((c, at + 1))
    }

    /// The text of an argument.
    fn convert(&self, argument: &Argument, string: &dyn Fn(u32) -> Text) -> Option<Text> {
        let Some(count) = self.elements else { return Some(self.padded(self.one(argument, string))) };
        // Three elements take the room of four.
        let each = argument.0.len() / if count == 3 { 4 } else { count };
        let elements: Vec<Text> = (argument.0.chunks_exact(each.max(1)).take(count))
            .map(|bytes| self.padded(self.one(&Argument(bytes.to_vec()), string)))
            .collect();
        Some(elements.join(&b","[..]))
    }

    /// One value: its sign or prefix, and the rest.
    fn one(&self, argument: &Argument, string: &dyn Fn(u32) -> Text) -> (String, Text) {
        match self.kind {
            'd' | 'i' => {
                let value = argument.signed(self.bytes.unwrap_or(8));
                (self.sign(value < 0), self.digits(value.unsigned_abs().to_string()))
            }
            'u' => (String::new(), self.digits(self.unsigned(argument).to_string())),
            'o' => {
                let digits = self.digits(format!("{:o}", self.unsigned(argument)));
                let prefix = if self.alternative && digits.first() != Some(&b'0') { "0" } else { "" };
                (prefix.into(), digits)
            }
            'x' | 'X' => {
                let value = self.unsigned(argument);
                let prefix = if self.alternative && value != 0 { "0x" } else { "" };
                let digits = self.digits(format!("{value:x}"));
                match self.kind {
                    'x' => (prefix.into(), digits),
                    _ => (prefix.to_uppercase(), digits.to_ascii_uppercase()),
                }
            }
            'c' => (String::new(), vec![argument.unsigned(1) as u8]),
            's' => {
                let mut bytes = string(argument.unsigned(4) as u32);
                bytes.truncate(self.precision.unwrap_or(usize::MAX));
                (String::new(), bytes)
            }
            'p' => ("0x".into(), format!("{:x}", argument.unsigned(8)).into_bytes()),
            _ => self.float(argument.float()),
        }
    }

    fn unsigned(&self, argument: &Argument) -> u64 {
        argument.unsigned(self.bytes.unwrap_or(8))
    }

    fn sign(&self, negative: bool) -> String {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
        .into()
    }

    /// Digits of an integer, at least as many as the precision says.
    fn digits(&self, digits: String) -> Text {
        match self.precision {
            Some(0) if digits == "0" => Vec::new(),
            precision => format!("{digits:0>0$}", precision.unwrap_or(1)).into_bytes(),
        }
    }

    fn float(&self, value: f64) -> (String, Text) {
        let sign = self.sign(value.is_sign_negative() && !value.is_nan());
        let size = value.abs();
        let text = match self.kind.to_ascii_lowercase() {
            _ if value.is_nan() => "nan".into(),
            _ if value.is_infinite() => "inf".into(),
            'f' => self.fixed(size, self.precision.unwrap_or(6)),
            'e' => self.scientific(size, self.precision.unwrap_or(6)),
            'g' => self.shortest(size),
            _ => self.hexadecimal(size),
        };
        let prefix = if self.kind.eq_ignore_ascii_case(&'a') && value.is_finite() { "0x" } else { "" };
        match self.kind.is_ascii_uppercase() {
            true => (sign + &prefix.to_uppercase(), text.to_uppercase().into_bytes()),
            false => (sign + prefix, text.into_bytes()),
        }
    }

    /// A point where `#` asks for one.
    fn point(&self, digits: usize) -> &str {
        if self.alternative && digits == 0 {
            "."
        } else {
            ""
        }
    }

    fn fixed(&self, value: f64, digits: usize) -> String {
        format!("{value:.digits$}{}", self.point(digits))
    }

    fn scientific(&self, value: f64, digits: usize) -> String {
        let text = format!("{value:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |e| ('-', e));
        format!("{mantissa}{}e{sign}{exponent:0>2}", self.point(digits))
    }

    fn shortest(&self, value: f64) -> String {
        let digits = self.precision.unwrap_or(6).max(1);
        let rounded = format!("{value:.*e}", digits - 1);
        let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let text = match exponent {
            -4.. if exponent < digits as i32 => self.fixed(value, (digits as i32 - 1 - exponent) as usize),
            _ => self.scientific(value, digits - 1),
        };
        if self.alternative {
            return text;
        }
        let (number, exponent) = text.find('e').map_or((text.as_str(), ""), |at| text.split_at(at));
        match number.contains('.') {
            true => format!("{}{exponent}", number.trim_end_matches('0').trim_end_matches('.')),
            false => text,
        }
    }

    /// `%a` behind its prefix: one digit, the mantissa's other digits, the power of two.
    fn hexadecimal(&self, value: f64) -> String {
        let bits = value.to_bits();
        let (exponent, mantissa) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
        let (mut mantissa, exponent) = match (exponent, mantissa) {
            (0, 0) => (0, 0),
            (0, m) => (m, -1022),
            (e, m) => (m | 1 << 52, e - 1023),
        };
        let mut digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
        match self.precision {
            Some(p) if p < 13 => {
                // To nearest, ties to even.
                let shift = 52 - 4 * p;
                let (half, rest) = (1u64 << (shift - 1), mantissa & ((1 << shift) - 1));
                mantissa >>= shift;
                mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
                mantissa <<= shift;
                digits = format!("{:013x}", mantissa & ((1 << 52) - 1))[..p].into();
            }
            Some(p) => digits = format!("{digits:0<p$}"),
            None => digits = digits.trim_end_matches('0').into(),
        }
        let point = if digits.is_empty() { self.point(0) } else { "." };
        format!("{}{point}{digits}p{exponent:+}", mantissa >> 52)
    }

    /// Filled up to the width.
    fn padded(&self, (prefix, text): (String, Text)) -> Text {
        let missing = self.width.saturating_sub(prefix.len() + text.len());
        let number = !matches!(self.kind, 'c' | 's' | 'p') && text.first().is_some_and(|b| !b"inIN".contains(b));
        let integer = "diouxX".contains(self.kind);
        let zeros = self.zeros && !self.left && number && !(integer && self.precision.is_some());
        let fill = |byte: u8| std::iter::repeat_n(byte, missing);
        let prefix = prefix.into_bytes().into_iter();
        match (self.left, zeros) {
            (true, _) => prefix.chain(text).chain(fill(b' ')).collect(),
            (_, true) => prefix.chain(fill(b'0')).chain(text).collect(),
            _ => fill(b' ').chain(prefix).chain(text).collect(),
        }
    }
}

impl Argument {
    /// Its lowest bytes, at most so many, without a sign.
    fn unsigned(&self, bytes: usize) -> u64 {
        self.0.iter().take(bytes.min(8)).rev().fold(0, |v, b| v << 8 | u64::from(*b))
    }

    /// The same with a sign.
    fn signed(&self, bytes: usize) -> i64 {
        let bits = 8 * bytes.min(self.0.len()).min(8) as u32;
        match bits {
            0 => 0,
            _ => (self.unsigned(bytes) << (64 - bits)) as i64 >> (64 - bits),
        }
    }

    fn float(&self) -> f64 {
        match self.0.len() {
            2 => half::f16::from_bits(self.unsigned(2) as u16).to_f64(),
            8 => f64::from_bits(self.unsigned(8)),
            _ => f64::from(f32::from_bits(self.unsigned(4) as u32)),
        }
    }
}
