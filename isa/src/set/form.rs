//! One row of a table: an encoding with its operands, modifiers and reserved bits.

use super::bits::{low_bits, run, Field};

/// Length of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Always so many bytes.
    Fixed(u8),
    /// `long` bytes where bit `bit` is 1; else `short`, and the bits beyond read as 0.
    ByBit {
        /// Number of the length bit.
        bit: u8,
        /// Bytes when it is 0.
        short: u8,
        /// Bytes when it is 1.
        long: u8,
    },
}

impl Length {
    /// Bytes of an instruction with these bits.
    pub fn of(self, bits: u128) -> usize {
        match self {
            Length::Fixed(n) => n.into(),
            Length::ByBit { bit, long, .. } if bits >> bit & 1 == 1 => long.into(),
            Length::ByBit { short, .. } => short.into(),
        }
    }

    /// Shortest and longest, in bytes.
    pub fn range(self) -> (usize, usize) {
        match self {
            Length::Fixed(n) => (n.into(), n.into()),
            Length::ByBit { short, long, .. } => (short.into(), long.into()),
        }
    }

    /// The length bit as a mask; 0 without one.
    pub fn mask(self) -> u128 {
        match self {
            Length::Fixed(_) => 0,
            Length::ByBit { bit, .. } => 1 << bit,
        }
    }
}

/// What is known about a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Encoding and meaning are given by a source.
    Specified,
    /// The meaning is a decision of this project.
    Decided,
    /// The meaning is open.
    Todo,
    /// Decoded only; execution traps.
    Excluded,
    /// Only encoding and length are known.
    Unknown,
}

/// Where the encoding comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The pages the project started from.
    Seed,
    /// Named there, the layout from a public tool.
    SeedPublic,
    /// A public tool.
    Public,
    /// A decision of this project.
    Decided,
}

/// A suffix of the mnemonic that a field, or the form, selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// Always this name.
    Fixed(&'static str),
    /// The field's value names it; "" is the default. A field of one bit has no name for its default;
    /// any other value without a name is reserved.
    Names(Field, &'static [(u8, &'static str)]),
}

impl Modifier {
    /// Its name for these bits; `None` for a reserved value.
    pub fn name(self, bits: u128) -> Option<&'static str> {
        match self {
            Modifier::Fixed(name) => Some(name),
            Modifier::Names(field, names) => {
                let value = field.get(bits);
                let named = names.iter().find(|n| u64::from(n.0) == value);
                named.map(|n| n.1).or_else(|| (field.width() == 1).then_some(""))
            }
        }
    }

    /// The value it has when the text does not name it; `None` where a name is needed.
    pub fn default(self) -> Option<u64> {
        match self {
            Modifier::Fixed(_) => None,
            Modifier::Names(field, names) => {
                let unnamed = |v: &u64| !names.iter().any(|n| u64::from(n.0) == *v);
                let empty = names.iter().find(|n| n.1.is_empty());
                empty.map(|n| u64::from(n.0)).or_else(|| (0..2).find(unnamed).filter(|_| field.width() == 1))
            }
        }
    }
}

/// An operand of a set: its kind and the fields it is made of.
pub trait Operand: Copy + 'static {
    /// The fields, in the order of the kind.
    fn fields(&self) -> Vec<Field>;
    /// Name for tables of documentation.
    fn describe(&self) -> String;
}

/// One encoding.
#[derive(Clone, Copy, Debug)]
pub struct Form<O: 'static> {
    /// Name, unique in the table.
    pub name: &'static str,
    /// Mnemonic, without modifiers.
    pub mnemonic: &'static str,
    /// Other spelling that the assembler accepts, or "".
    pub alias: &'static str,
    /// Length.
    pub length: Length,
    /// Bits the form fixes.
    pub mask: u128,
    /// Their values.
    pub match_: u128,
    /// Operands in assembler order.
    pub operands: &'static [O],
    /// Suffixes of the mnemonic in assembler order.
    pub modifiers: &'static [Modifier],
    /// Fields of no operand or modifier.
    pub fields: &'static [Field],
    /// Reserved bits, (lowest bit, width) of each run; written as 0.
    pub reserved: &'static [(u8, u8)],
    /// Meaning.
    pub sem: &'static str,
    /// What is known.
    pub status: Status,
    /// Origin of the encoding.
    pub evidence: Evidence,
    /// Remark, or "".
    pub note: &'static str,
}

impl<O> Form<O> {
    /// The same with another mnemonic and an alias.
    pub const fn spelled(self, mnemonic: &'static str, alias: &'static str) -> Self {
        Form { mnemonic, alias, ..self }
    }

    /// The same with these fields of no operand or modifier.
    pub const fn with_fields(self, fields: &'static [Field]) -> Self {
        Form { fields, ..self }
    }

    /// The same with a remark.
    pub const fn with_note(self, note: &'static str) -> Self {
        Form { note, ..self }
    }
}

impl<O: Operand> Form<O> {
    /// Every field once: operands, modifiers, others.
    pub fn all_fields(&self) -> Vec<Field> {
        let operands = self.operands.iter().flat_map(Operand::fields);
        let modifiers = self.modifiers.iter().filter_map(|m| match m {
            Modifier::Names(field, _) => Some(*field),
            Modifier::Fixed(_) => None,
        });
        let mut out: Vec<Field> = Vec::new();
        for f in operands.chain(modifiers).chain(self.fields.iter().copied()) {
            if !out.contains(&f) {
                out.push(f);
            }
        }
        out
    }

    /// The reserved bits as a mask.
    pub fn reserved_mask(&self) -> u128 {
        self.reserved.iter().fold(0, |m, r| m | run(*r))
    }

    /// True when these bits, those beyond the length taken as 0, are of this form.
    pub fn matches(&self, bits: u128) -> bool {
        let bits = bits & low_bits(8 * self.length.of(bits) as u32);
        bits & self.mask == self.match_
    }
}
