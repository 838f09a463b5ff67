//! Kinds of operands.

use super::alu::cached;
use super::table::names::{Names, FLOAT_CONDITIONS, INT_CONDITIONS, SPECIAL_REGISTERS};
use crate::set::{low_bits, Field, Operand as Fields, Place, Scanner, TextError};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $constructor:ident $kind:ident,)*) => {
        /// Kind of an operand; the fields in its order, a field of another operand it depends on last.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($(#[doc = $doc])+ $kind,)*
            /// Value with a name, left out where the name is ""; a value without name is a number.
            Choice,
            /// Value with a name; others are illegal.
            ClosedChoice,
        }

        $(
            #[doc = concat!("[`Kind::", stringify!($kind), "`].")]
            pub const fn $constructor(fields: &'static [Field]) -> Operand {
                Operand { kind: Kind::$kind, fields, names: &[] }
            }
        )*
    };
}

kinds! {
    /// Register of 16 or 32 bits that is written: number, width and cache.
    dst Dst,
    /// The same, or a pair (odd number).
    dst64 Dst64,
    /// Register of 16 bits: number, cache.
    dst_half DstHalf,
    /// Register of 32 bits: number, cache.
    dst_word DstWord,
    /// Two registers.
    dst_pair DstPair,
    /// Register that takes a float, with the saturation bit `.sat`.
    float_dst FloatDst,
    /// The same of 16 bits.
    float_dst16 FloatDst16,
    /// r0l, the counter of the execution mask: cache.
    count_dst CountDst,
    /// Register, uniform or 8 bits: value, mode.
    src Src,
    /// The same of 16 bits.
    src16 Src16,
    /// The same, or a pair.
    src64 Src64,
    /// As `Src`, with sign extension.
    mul_src MulSrc,
    /// As `Src64`, with sign extension.
    add_src AddSrc,
    /// As `Src`, of the width of the destination: value, mode, mode of the destination.
    select_src SelectSrc,
    /// As `Src`, with `.abs` and `.neg`; the 8 bits are a float.
    float_src FloatSrc,
    /// The same of 16 bits.
    float_src16 FloatSrc16,
    /// Two registers in a row, with `.abs` and `.neg`.
    float_pair_src FloatPairSrc,
    /// Condition of integers: condition, and where it has one, inversion.
    int_cond IntCond,
    /// Condition of floats.
    float_cond FloatCond,
    /// Number.
    number Number,
    /// Number in binary.
    binary Binary,
    /// Number with sign.
    signed Signed,
    /// Four bits, first the lowest.
    truth_table TruthTable,
    /// `lsl n`, left out for 0.
    shift Shift,
    /// `mask 0xff`: number of ones, left out for 0.
    bit_mask BitMask,
    /// Signed bytes from the start of the instruction.
    target Target,
    /// Special register.
    special Special,
    /// Register of 32 bits.
    reg Reg,
    /// Register of 32 bits, counted in halves.
    even_reg EvenReg,
    /// Register of 16 bits.
    half Half,
    /// As many registers as the components before it: number, width, components.
    vector Vector,
    /// The same, the components follow.
    vector_first VectorFirst,
    /// Four registers: number, width.
    four Four,
    /// Register or `_`: number, width, presence.
    atomic_reg AtomicReg,
    /// Register of 32 bits or `_`: number, presence.
    atomic_dst AtomicDst,
    /// Register of 32 bits, or two to compare and exchange: number, operation.
    atomic_src AtomicSrc,
    /// Pair, lane or uniform, that holds an address.
    base Base,
    /// Register of 32 bits or number of 16 bits.
    index Index,
    /// Register or uniform of 16 bits, or 0.
    group_base GroupBase,
    /// Register of 16 bits or number of 16 bits with sign.
    group_index GroupIndex,
    /// Number, or register of 16 bits (1).
    number_or_half NumberOrHalf,
    /// Register of 16 bits, or number (1).
    half_or_number HalfOrNumber,
    /// 1 to 4 registers: number, width, count.
    varying Varying,
    /// Three registers a component.
    coefficients Coefficients,
    /// Coefficient register.
    cf Cf,
    /// Sample of an interpolation at a sample: value, interpolation.
    sample_id SampleId,
    /// Texture state.
    texture_state TextureState,
    /// Sampler state.
    sampler_state SamplerState,
    /// Two uniforms.
    uniform_pair UniformPair,
    /// Pair, lane or uniform.
    async_reg AsyncReg,
    /// Three registers, or five in two dimensions: number, file, dimensions.
    async_base AsyncBase,
    /// Pair of uniforms that holds the address of the textures, where they are addressed: number, mode.
    heap Heap,
    /// Texture state, register that numbers it (1), offset in the heap (3).
    texture Texture,
    /// Sampler state or register that numbers it (1).
    sampler Sampler,
    /// Coordinates: number, two flags without known meaning, dimensions.
    coords Coords,
    /// Level of detail: value, mode.
    lod Lod,
    /// Value to compare with, offset: number, offset, comparison.
    compare_offset CompareOffset,
    /// Depth (2 registers) and stencil (1): number, depth, stencil.
    depth_stencil DepthStencil,
}

/// An operand of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Kind.
    pub kind: Kind,
    /// Fields in the order of the kind.
    pub fields: &'static [Field],
    /// Names of the values of a choice.
    pub names: Names,
}

/// [`Kind::Choice`].
pub const fn choice(fields: &'static [Field], names: Names) -> Operand {
    let kind = Kind::Choice;
    Operand {
        kind,
        fields,
        names,
    }
}

/// [`Kind::ClosedChoice`].
pub const fn closed_choice(fields: &'static [Field], names: Names) -> Operand {
    let kind = Kind::ClosedChoice;
    Operand {
        kind,
        fields,
        names,
    }
}

impl Fields for Operand {
    fn fields(&self) -> Vec<Field> {
        self.fields.to_vec()
    }

    fn describe(&self) -> String {
        let fields: Vec<&str> = self.fields.iter().map(|f| f.name).collect();
        let names: Vec<&str> = self.names.iter().map(|n| n.1).collect();
        let names = names.join(" ");
        let open = if names.is_empty() { "" } else { ": " };
        format!("{:?} {}{open}{names}", self.kind, fields.join(" "))
    }
}

/// What reads and writes a kind.
enum Class {
    Dst,
    Source,
    Item,
    Plain,
}

impl Operand {
    fn class(&self) -> Class {
        match self.kind {
            Kind::Dst | Kind::Dst64 | Kind::DstHalf | Kind::DstWord => Class::Dst,
            Kind::DstPair | Kind::FloatDst | Kind::FloatDst16 => Class::Dst,
            Kind::Src | Kind::Src16 | Kind::Src64 | Kind::MulSrc | Kind::AddSrc => Class::Source,
            Kind::SelectSrc | Kind::FloatSrc => Class::Source,
            Kind::FloatSrc16 | Kind::FloatPairSrc => Class::Source,
            Kind::CountDst | Kind::IntCond | Kind::FloatCond | Kind::Number => Class::Plain,
            Kind::Binary | Kind::Signed | Kind::TruthTable | Kind::Shift => Class::Plain,
            Kind::BitMask | Kind::Target | Kind::Special => Class::Plain,
            Kind::Choice | Kind::ClosedChoice => Class::Plain,
            _ => Class::Item,
        }
    }

    /// The field whose value has no meaning, where that makes the instruction illegal.
    pub fn illegal(&self, bits: u128) -> Option<Field> {
        match self.class() {
            Class::Dst => self.illegal_dst(bits),
            Class::Source => self.illegal_source(bits),
            Class::Plain => {
                let closed = match self.kind {
                    Kind::ClosedChoice => self.names,
                    Kind::IntCond => INT_CONDITIONS,
                    Kind::FloatCond => FLOAT_CONDITIONS,
                    _ => return None,
                };
                name_of(closed, self.combined(bits)).map_or(Some(self.fields[0]), |_| None)
            }
            Class::Item => None,
        }
    }

    /// The saturation bit of a destination of floats.
    pub fn saturation(&self) -> Option<Field> {
        match self.kind {
            Kind::FloatDst | Kind::FloatDst16 => self.fields.get(2).copied(),
            _ => None,
        }
    }

    /// True where the text, not only a value, depends on fields of other operands.
    pub fn depends(&self) -> bool {
        matches!(
            self.kind,
            Kind::Vector
                | Kind::VectorFirst
                | Kind::AtomicSrc
                | Kind::AsyncBase
                | Kind::SampleId
                | Kind::Heap
                | Kind::Coords
                | Kind::Lod
                | Kind::CompareOffset
        )
    }

    /// The values of all fields as one, the first lowest.
    fn combined(&self, bits: u128) -> u64 {
        self.fields
            .iter()
            .rev()
            .fold(0, |v, f| (v << f.width()) | f.get(bits))
    }

    fn put_combined(&self, bits: u128, value: u64) -> u128 {
        let mut rest = value;
        self.fields.iter().fold(bits, |bits, f| {
            let bits = f.put(bits, rest);
            rest >>= f.width();
            bits
        })
    }

    /// Its text; `None` where it is left out.
    pub fn print(&self, bits: u128) -> Option<String> {
        match self.class() {
            Class::Dst => Some(self.print_dst(bits)),
            Class::Source => Some(self.print_source(bits)),
            Class::Item => self.print_item(bits),
            Class::Plain => self.print_plain(bits),
        }
    }

    fn print_plain(&self, bits: u128) -> Option<String> {
        let field = self.fields[0];
        let value = field.get(bits);
        Some(match self.kind {
            Kind::CountDst => cached("r0l".into(), value == 1),
            Kind::IntCond => named(INT_CONDITIONS, self.combined(bits)),
            Kind::FloatCond => named(FLOAT_CONDITIONS, self.combined(bits)),
            Kind::Binary => format!("0b{value:0width$b}", width = field.width() as usize),
            Kind::Signed => field.get_signed(bits).to_string(),
            Kind::TruthTable => self
                .fields
                .iter()
                .map(|f| f.get(bits).to_string())
                .collect(),
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

    /// True where the text may lack it.
    pub fn is_optional(&self) -> bool {
        match self.kind {
            Kind::Choice => name_of(self.names, 0) == Some(""),
            Kind::Shift | Kind::BitMask | Kind::Vector | Kind::VectorFirst => true,
            Kind::Heap | Kind::SampleId | Kind::CompareOffset | Kind::DepthStencil => true,
            _ => false,
        }
    }

    /// True where it is 0 when the text ends before it.
    pub fn may_end(&self) -> bool {
        self.kind == Kind::Binary
    }

    /// True where an operand that may be lacking comes next.
    pub fn begins(&self, mut s: Scanner, bits: u128) -> bool {
        let word = s.word();
        let register = |file| {
            let rest = word.strip_prefix(file);
            rest.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
        };
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        match self.kind {
            Kind::Choice => {
                let mut names = self.names.iter();
                names.any(|n| !n.1.is_empty() && n.1.eq_ignore_ascii_case(word))
            }
            Kind::Shift => word.eq_ignore_ascii_case("lsl"),
            Kind::BitMask => word.eq_ignore_ascii_case("mask"),
            Kind::Vector => self.fields[2].get(bits) != 0,
            Kind::Heap => register('u'),
            Kind::SampleId => number || register('r'),
            Kind::VectorFirst | Kind::DepthStencil => register('r'),
            _ => true,
        }
    }

    /// Reads the operand into `bits`.
    ///
    /// # Errors
    /// Another kind of operand, a value that does not fit.
    pub fn parse(&self, s: &mut Scanner, bits: u128, place: &Place) -> Result<u128, TextError> {
        match self.class() {
            Class::Dst => self.parse_dst(s, bits),
            Class::Source => self.parse_source(s, bits),
            Class::Item => self.parse_item(s, bits),
            Class::Plain => self.parse_plain(s, bits, place),
        }
    }

    fn parse_plain(&self, s: &mut Scanner, bits: u128, place: &Place) -> Result<u128, TextError> {
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
                    return s.fault(
                        column,
                        "a mask is all ones from bit 0 up, such as mask 0xff",
                    );
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

    /// The kind in words, for errors.
    pub(super) fn expects(&self) -> &'static str {
        match self.kind {
            Kind::Reg | Kind::EvenReg => "a register of 32 bits such as r3",
            Kind::Half => "a register of 16 bits such as r3l",
            Kind::Vector | Kind::VectorFirst | Kind::Varying => "1 to 4 registers such as r3_r4",
            Kind::Four => "four registers such as r4_r5_r6_r7",
            Kind::AtomicReg => "a register or `_`",
            Kind::AtomicDst => "a register of 32 bits or `_`",
            Kind::AtomicSrc => "a register of 32 bits, or two to compare and exchange",
            Kind::Base | Kind::AsyncReg => "a pair such as r2_r3 or u2_u3",
            Kind::UniformPair => "a pair of uniforms such as u2_u3",
            Kind::Heap => "a pair of uniforms, the first even, such as u2_u3",
            Kind::AsyncBase => "three or five registers such as r2_r3_r4",
            Kind::Index => "a register of 32 bits such as r3, or a number of 16 bits",
            Kind::GroupIndex => "a register of 16 bits such as r3l, or a number of 16 bits",
            Kind::GroupBase => "a register of 16 bits such as r3l or u3l, or 0",
            Kind::NumberOrHalf | Kind::HalfOrNumber | Kind::SampleId => {
                "a number of 8 bits or a register of 16 bits such as r3l"
            }
            Kind::Coefficients => "3, 6, 9 or 12 registers such as r4_r5_r6",
            Kind::Cf => "a coefficient register such as cf3",
            Kind::TextureState => "a texture state such as ts3",
            Kind::SamplerState => "a sampler state such as ss3",
            Kind::Texture => "a texture state such as ts3, or a register",
            Kind::Sampler => "a sampler state such as ss3, or a register of 16 bits",
            Kind::Coords => "the registers of the coordinates such as r2_r3",
            Kind::Lod => "a level of detail, of 16 bits such as r3l or u3l",
            Kind::CompareOffset => "a register such as r3 or r3l",
            _ => "1 to 3 registers of 16 bits such as r3l_r3h",
        }
    }
}

/// Name of a value.
fn name_of(names: Names, value: u64) -> Option<&'static str> {
    let found = names.iter().find(|n| u64::from(n.0) == value);
    found.map(|n| n.1)
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
        let message =
            format!("the target is {offset} bytes away, more than {width} bits with sign");
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
