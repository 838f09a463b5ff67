//! Kinds of operands.

use super::table::names::{name_of, Names, FLOAT_CONDITIONS, INT_CONDITIONS};
use crate::set::{Field, Operand as Fields, Place, Scanner, TextError};

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
    Operand { kind, fields, names }
}

/// [`Kind::ClosedChoice`].
pub const fn closed_choice(fields: &'static [Field], names: Names) -> Operand {
    let kind = Kind::ClosedChoice;
    Operand { kind, fields, names }
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
    Register,
    Choice,
}

impl Operand {
    fn class(&self) -> Class {
        match self.kind {
            Kind::Dst | Kind::Dst64 | Kind::DstHalf | Kind::DstWord => Class::Dst,
            Kind::DstPair | Kind::FloatDst | Kind::FloatDst16 => Class::Dst,
            Kind::Src | Kind::Src16 | Kind::Src64 | Kind::MulSrc | Kind::AddSrc => Class::Source,
            Kind::SelectSrc | Kind::FloatSrc => Class::Source,
            Kind::FloatSrc16 | Kind::FloatPairSrc => Class::Source,
            Kind::CountDst | Kind::IntCond | Kind::FloatCond | Kind::Number => Class::Choice,
            Kind::Binary | Kind::Signed | Kind::TruthTable | Kind::Shift => Class::Choice,
            Kind::BitMask | Kind::Target | Kind::Special => Class::Choice,
            Kind::Choice | Kind::ClosedChoice => Class::Choice,
            _ => Class::Register,
        }
    }

    /// A source: register, uniform or number, by its mode.
    pub(super) fn is_source(&self) -> bool {
        matches!(self.class(), Class::Source)
    }

    /// The field whose value has no meaning, where that makes the instruction illegal.
    pub fn illegal(&self, bits: u128) -> Option<Field> {
        match self.class() {
            Class::Dst => self.illegal_dst(bits),
            Class::Source => self.illegal_source(bits),
            Class::Choice => {
                let closed = match self.kind {
                    Kind::ClosedChoice => self.names,
                    Kind::IntCond => INT_CONDITIONS,
                    Kind::FloatCond => FLOAT_CONDITIONS,
                    _ => return None,
                };
                name_of(closed, self.combined(bits)).map_or(Some(self.fields[0]), |_| None)
            }
            Class::Register => None,
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

    /// Its text; `None` where it is left out.
    pub fn print(&self, bits: u128) -> Option<String> {
        match self.class() {
            Class::Dst => Some(self.print_dst(bits)),
            Class::Source => Some(self.print_source(bits)),
            Class::Register => self.print_register(bits),
            Class::Choice => self.print_choice(bits),
        }
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
            Class::Register => self.parse_register(s, bits),
            Class::Choice => self.parse_choice(s, bits, place),
        }
    }
}
