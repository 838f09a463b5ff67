//! A table of forms, checked when it is built: every bit accounted for, overlaps ruled.

use std::collections::HashMap;

use super::bits::{low_bits, run, Code, Field};
use super::form::{Form, Length, Operand};
use super::{DecodeError, EncodeError, Fields, Instr};

/// What two forms that match the same code mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// An error of the table.
    Refused,
    /// The form whose fixed bits include those of the other wins.
    MostSpecific,
}

/// What a set reserved bit of a code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// The code is illegal.
    Illegal,
    /// Nothing; it is kept.
    Ignored,
}

/// An error of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A field or a reserved run ends beyond the longest encoding.
    #[error("{form}: {what} lies outside the {bits} bits of the instruction")]
    Outside {
        /// The form.
        form: String,
        /// The field.
        what: String,
        /// Bits of the longest encoding.
        bits: u32,
    },
    /// Two owners of one bit.
    #[error("{form}: bits {bits:#x} of {what} belong to another field too")]
    Twice {
        /// The form.
        form: String,
        /// The second owner.
        what: String,
        /// The bits.
        bits: u128,
    },
    /// Two fields of one name.
    #[error("{form}: two fields are named {what}")]
    Field {
        /// The form.
        form: String,
        /// The name.
        what: String,
    },
    /// Bits of no owner.
    #[error("{form}: bits {bits:#x} are neither fixed, a field nor reserved")]
    Uncovered {
        /// The form.
        form: String,
        /// The bits.
        bits: u128,
    },
    /// A fixed value outside the mask.
    #[error("{form}: the match has bits that the mask has not")]
    Match {
        /// The form.
        form: String,
    },
    /// Two forms match one code.
    #[error("{a} and {b} match the same code and neither is the more specific")]
    Overlap {
        /// The first form.
        a: &'static str,
        /// The second.
        b: &'static str,
    },
    /// Two forms of one name.
    #[error("{name} stands twice in the table")]
    Name {
        /// The name.
        name: &'static str,
    },
}

/// Proves that `mask`, `fields` and `reserved` cover `bits` bits, each once.
///
/// # Errors
/// The first bit outside, owned twice or by none.
pub fn cover(form: &str, bits: u32, mask: u128, fields: &[Field], reserved: &[(u8, u8)]) -> Result<(), TableError> {
    let of = |what: &str| (form.to_string(), what.to_string());
    for (n, f) in fields.iter().enumerate() {
        let (form, what) = of(f.name);
        if fields[..n].iter().any(|g| g.name == f.name) {
            return Err(TableError::Field { form, what });
        }
        if f.width() > 64 {
            let bits = 64;
            return Err(TableError::Outside { form, what, bits });
        }
    }
    let mut used = 0;
    let runs = fields.iter().flat_map(|f| f.parts.iter().map(|p| (f.name, *p)));
    let fixed = [("mask", mask)].into_iter();
    let parts = runs.chain(reserved.iter().map(|r| ("reserved", *r)));
    for (what, m) in fixed.chain(parts.map(|(n, p)| (n, run(p)))) {
        let (form, what) = of(what);
        if m & !low_bits(bits) != 0 {
            return Err(TableError::Outside { form, what, bits });
        }
        if used & m != 0 {
            let bits = used & m;
            return Err(TableError::Twice { form, what, bits });
        }
        used |= m;
    }
    match low_bits(bits) & !used {
        0 => Ok(()),
        bits => Err(TableError::Uncovered { form: form.into(), bits }),
    }
}

/// Name and value of each field.
pub fn values(fields: &[Field], bits: u128) -> Vec<(&'static str, u64)> {
    fields.iter().map(|f| (f.name, f.get(bits))).collect()
}

/// `bits` with the named fields set.
///
/// # Errors
/// A name that is no field of `form`, a value that does not fit.
pub fn put(
    form: &'static str, fields: &[Field], bits: u128, values: &[(&'static str, u64)],
) -> Result<u128, EncodeError> {
    let mut bits = bits;
    for &(name, value) in values {
        let field = fields.iter().find(|f| f.name == name);
        let field = field.ok_or(EncodeError::Field { form, name })?;
        if !field.fits(value) {
            let width = field.width();
            return Err(EncodeError::Value { form, name, value, width });
        }
        bits = field.put(bits, value);
    }
    Ok(bits)
}

/// A checked table.
pub struct Table<O: 'static> {
    forms: Vec<&'static Form<O>>,
    /// Fields of each form.
    fields: Vec<Vec<Field>>,
    /// Rows of each mnemonic and alias, in lower case.
    named: HashMap<String, Vec<usize>>,
    reserved: Reserved,
    /// The bits that choose a bucket.
    key: Vec<u32>,
    /// Rows of each key, most fixed bits first.
    buckets: Vec<Vec<u16>>,
}

/// Bits of the key of the buckets.
const KEY_BITS: usize = 10;

impl<O: Operand> Table<O> {
    /// Checks the rows and orders them for decoding.
    ///
    /// # Errors
    /// The first fault of the rows.
    pub fn new(parts: &[&'static [Form<O>]], overlap: Overlap, reserved: Reserved) -> Result<Table<O>, TableError> {
        let forms: Vec<&'static Form<O>> = parts.iter().flat_map(|p| p.iter()).collect();
        for (i, f) in forms.iter().enumerate() {
            check(f)?;
            for g in &forms[..i] {
                pair(f, g, overlap)?;
            }
        }
        let key = key_bits(&forms);
        let buckets = buckets(&forms, &key);
        Ok(Table {
            named: named(&forms),
            fields: forms.iter().map(|f| f.all_fields()).collect(),
            forms,
            reserved,
            key,
            buckets,
        })
    }

    /// The forms in table order.
    pub fn forms(&self) -> &[&'static Form<O>] {
        &self.forms
    }

    /// Rows of a mnemonic or alias, in upper or lower case; empty when there is none.
    pub fn rows_of(&self, mnemonic: &str) -> &[usize] {
        let rows = self.named.get(&mnemonic.to_ascii_lowercase());
        rows.map_or(&[], Vec::as_slice)
    }

    /// The form of an instruction of this table.
    pub fn form(&self, instr: &Instr) -> &'static Form<O> {
        self.forms[instr.row]
    }

    /// Every field of a row once.
    pub fn fields(&self, row: usize) -> &[Field] {
        &self.fields[row]
    }

    /// The instruction at the start of `bytes`.
    ///
    /// # Errors
    /// No form matches, the bytes end early, or reserved bits are set where that is illegal.
    pub fn decode(&self, bytes: &[u8]) -> Result<Instr, DecodeError> {
        let all = Code::read(bytes);
        let row = self.find(all.bits()).ok_or_else(|| self.unknown(all))?;
        let form = self.forms[row];
        let need = form.length.of(all.bits());
        if need > all.len() {
            let have = all.len();
            return Err(DecodeError::Truncated { need, have });
        }
        let code = Code::new(all.bits(), need);
        let set = code.bits() & form.reserved_mask();
        if self.reserved == Reserved::Illegal && set != 0 {
            let form = form.name;
            return Err(DecodeError::Reserved { form, bits: set });
        }
        Ok(Instr { row, code })
    }

    /// Why no row matches.
    fn unknown(&self, all: Code) -> DecodeError {
        let lengths = || self.forms.iter().map(|f| f.length.range());
        let shortest = lengths().map(|l| l.0).min().unwrap_or(0);
        let longest = lengths().map(|l| l.1).max().unwrap_or(0);
        let have = all.len();
        if have < shortest {
            let need = shortest;
            return DecodeError::Truncated { need, have };
        }
        DecodeError::Unknown(Code::new(all.bits(), have.min(longest)))
    }

    /// The row that matches.
    fn find(&self, bits: u128) -> Option<usize> {
        let bucket = &self.buckets[index(&self.key, bits)];
        let mut rows = bucket.iter().map(|r| usize::from(*r));
        rows.find(|r| self.forms[*r].matches(bits))
    }

    /// The values of all fields of an instruction.
    pub fn split(&self, instr: &Instr) -> Fields {
        let bits = instr.code.bits();
        let form = self.forms[instr.row];
        Fields {
            row: instr.row,
            long: bits & form.length.mask() != 0,
            values: values(&self.fields[instr.row], bits),
            kept: bits & form.reserved_mask(),
        }
    }

    /// The instruction with these values; fields that are not named are 0.
    ///
    /// # Errors
    /// A row, field or value that does not exist, or reserved bits where they are illegal.
    pub fn join(&self, fields: &Fields) -> Result<Instr, EncodeError> {
        let row = fields.row;
        let form = *self.forms.get(row).ok_or(EncodeError::Row(row))?;
        let mut bits = put(form.name, &self.fields[row], form.match_, &fields.values)?;
        let allowed = match self.reserved {
            Reserved::Illegal => 0,
            Reserved::Ignored => form.reserved_mask(),
        };
        if fields.kept & !allowed != 0 {
            let bits = fields.kept & !allowed;
            return Err(EncodeError::Kept { form: form.name, bits });
        }
        bits |= fields.kept;
        if fields.long {
            bits |= form.length.mask();
        }
        let bytes = form.length.of(bits);
        let code = Code::new(bits, bytes);
        if code.bits() != bits {
            return Err(EncodeError::Short { form: form.name, bytes });
        }
        Ok(Instr { row, code })
    }

    /// The shortest encoding of these bits: the long one only if a bit beyond the short one is set.
    pub fn canonical(&self, row: usize, bits: u128) -> Instr {
        let length = self.forms[row].length;
        let short = low_bits(8 * length.range().0 as u32);
        let bits = match bits & !short & !length.mask() {
            0 => bits & !length.mask(),
            _ => bits | length.mask(),
        };
        let code = Code::new(bits, length.of(bits));
        Instr { row, code }
    }
}

/// One form: fields, mask and match.
fn check<O: Operand>(f: &Form<O>) -> Result<(), TableError> {
    let bits = 8 * f.length.range().1 as u32;
    if f.match_ & !f.mask != 0 {
        return Err(TableError::Match { form: f.name.into() });
    }
    let fixed = f.mask | f.length.mask();
    cover(f.name, bits, fixed, &f.all_fields(), f.reserved)
}

/// Two forms: the names differ, and no code of both is open.
fn pair<O: Operand>(f: &Form<O>, g: &Form<O>, overlap: Overlap) -> Result<(), TableError> {
    if f.name == g.name {
        return Err(TableError::Name { name: f.name });
    }
    let nested = f.mask != g.mask && (f.mask & g.mask == f.mask || f.mask & g.mask == g.mask);
    if overlap == Overlap::MostSpecific && nested {
        return Ok(());
    }
    for (m, v) in variants(f) {
        for (n, w) in variants(g) {
            if (v ^ w) & m & n == 0 {
                return Err(TableError::Overlap { a: f.name, b: g.name });
            }
        }
    }
    Ok(())
}

/// Mask and match of each length of a form.
fn variants<O: Operand>(f: &Form<O>) -> Vec<(u128, u128)> {
    let bit = f.length.mask();
    let (short, long) = f.length.range();
    let (short, long) = (low_bits(8 * short as u32), low_bits(8 * long as u32));
    match f.length {
        Length::Fixed(_) => vec![(f.mask, f.match_)],
        Length::ByBit { .. } => [(short, 0), (long, bit)]
            .into_iter()
            .filter(|(bits, _)| f.match_ & !bits == 0)
            .map(|(bits, l)| ((f.mask | bit) & bits, f.match_ | l))
            .collect(),
    }
}

/// Rows of each mnemonic and alias.
fn named<O: Operand>(forms: &[&'static Form<O>]) -> HashMap<String, Vec<usize>> {
    let mut out: HashMap<String, Vec<usize>> = HashMap::new();
    for (row, f) in forms.iter().enumerate() {
        for name in [f.mnemonic, f.alias].iter().filter(|n| !n.is_empty()) {
            let rows = out.entry(name.to_ascii_lowercase()).or_default();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    out
}

/// The bits of the shortest instruction that most forms fix.
fn key_bits<O: Operand>(forms: &[&'static Form<O>]) -> Vec<u32> {
    let shortest = forms.iter().map(|f| f.length.range().0).min().unwrap_or(0);
    let fixed = |bit: &u32| forms.iter().filter(|f| f.mask >> bit & 1 == 1).count();
    let mut bits: Vec<u32> = (0..8 * shortest as u32).collect();
    bits.sort_by_key(|bit| std::cmp::Reverse(fixed(bit)));
    bits.truncate(KEY_BITS);
    bits
}

/// Value of the key bits.
fn index(key: &[u32], bits: u128) -> usize {
    let of = |(n, bit): (usize, &u32)| ((bits >> bit & 1) as usize) << n;
    key.iter().enumerate().map(of).sum()
}

fn buckets<O: Operand>(forms: &[&'static Form<O>], key: &[u32]) -> Vec<Vec<u16>> {
    let mut rows: Vec<u16> = (0..forms.len() as u16).collect();
    rows.sort_by_key(|r| std::cmp::Reverse(forms[usize::from(*r)].mask.count_ones()));
    let admits = |row: u16, k: usize| {
        let f = forms[usize::from(row)];
        (index(key, f.match_) ^ k) & index(key, f.mask) == 0
    };
    (0..1 << key.len()).map(|k| rows.iter().copied().filter(|r| admits(*r, k)).collect()).collect()
}
