//! The row of G13's table that the bytes are of, and their length.

use super::super::row_field::{gather, hit_name};
use crate::rtl::prelude::*;
use warpsmith_isa::g13::operand::{Kind, Operand};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::set::{low_bits, Field, Form, Length};

/// Bits of the longest instruction.
pub(super) const LONGEST: usize = 96;

/// The bytes have the bits of `value` where `mask` has ones; always, where it has none.
fn matches(w: &Expr, mask: u128, value: u128) -> Option<Expr> {
    let picked: Vec<usize> = (0..LONGEST).filter(|i| mask >> i & 1 == 1).collect();
    if picked.is_empty() {
        return None;
    }
    let bits: Vec<Expr> = picked.iter().map(|i| w.bit(*i)).collect();
    let fixed = picked.iter().zip(0..);
    let fixed = fixed.fold(0u64, |v, (i, n)| v | ((value >> i & 1) as u64) << n);
    Some(pack(bits.iter()).eq(&lit(picked.len(), fixed)))
}

/// The bytes are of a form; and with the shorter of its encodings, if it has two.
fn hit(w: &Expr, form: &Form<Operand>) -> (Expr, Option<Expr>) {
    let Length::ByBit { bit, short, .. } = form.length else {
        let hit = matches(w, form.mask, form.match_);
        return (hit.expect("a form fixes some bits"), None);
    };
    let near = low_bits(8 * u32::from(short));
    let low = matches(w, form.mask & near, form.match_ & near).expect("a form fixes some bits");
    let is_long = w.bit(bit.into());
    // Bits that are not there read as 0.
    let fits_short = form.match_ & !near == 0;
    let high = matches(w, form.mask & !near, form.match_ & !near);
    let hit = match (high, fits_short) {
        (None, _) => low.clone(),
        (Some(high), true) => &low & &(!&is_long | high),
        (Some(high), false) => &low & &(&is_long & &high),
    };
    let short = fits_short.then(|| &hit & &!is_long);
    (hit, short)
}

/// Hit lines of which one at most is one: bytes of two forms are of the one that fixes more of them.
fn alone(hits: &[Expr]) -> Vec<Expr> {
    let forms = TABLE.forms();
    let narrower = |one: &Form<Operand>, other: &Form<Operand>| {
        one.mask != other.mask && one.mask & other.mask == other.mask && one.match_ & other.mask == other.match_
    };
    let of_row = |(hit, form): (&Expr, &&'static Form<Operand>)| {
        let others: Vec<Expr> =
            forms.iter().zip(hits).filter(|(other, _)| narrower(other, form)).map(|(_, hit)| hit.clone()).collect();
        match others.is_empty() {
            true => hit.clone(),
            false => wire("hit_alone", hit & &!any_of(&others)),
        }
    };
    hits.iter().zip(forms.iter()).map(of_row).collect()
}

/// The forms of the table that the bytes are of, their length, and the bytes without those beyond it.
pub(super) struct Found {
    pub hits: Vec<Expr>,
    /// Halfwords.
    pub length: Expr,
    pub w: Expr,
}

impl Found {
    pub fn of(bytes: &Expr) -> Found {
        let mut hits = vec![];
        // By halfwords: forms that have so many, and those of them with a longer encoding.
        let mut of_length: Vec<Vec<Expr>> = vec![vec![]; 7];
        let mut cut: Vec<Vec<Expr>> = vec![vec![]; 7];
        for (index, form) in TABLE.forms().iter().enumerate() {
            let (hit, short) = hit(bytes, form);
            let hit = wire(&hit_name(index, form.name), hit);
            let (least, most) = form.length.range();
            match short {
                Some(short) => {
                    let short = wire("short_form", short);
                    of_length[least / 2].push(short.clone());
                    of_length[most / 2].push(&hit & &!&short);
                    cut[least / 2].push(short);
                }
                None => of_length[most / 2].push(hit.clone()),
            }
            hits.push(hit);
        }
        let any = |list: &[Expr]| match list {
            [] => zero(1),
            _ => any_of(list),
        };
        let is: Vec<Expr> = of_length.iter().map(|l| wire("has_length", any(l))).collect();
        let bit = |b: usize| {
            let with: Vec<Expr> = (2..7).filter(|n| n >> b & 1 == 1).map(|n| is[n].clone()).collect();
            any(&with)
        };
        let (one, two) = (bit(1), bit(2));
        let low = bit(0) | !(&one | &two);
        let length = wire("halfwords", cat([&two, &one, &low]));
        let mut beyond = zero(1);
        let mut kept = vec![];
        for (n, ended) in cut.iter().enumerate().take(LONGEST / 16) {
            beyond = wire("is_beyond", &beyond | &any(ended));
            kept.push(bytes.bits(16 * n, 16) & (!&beyond).repeat(16));
        }
        let w = wire("instruction", pack(kept.iter()));
        let hits = alone(&hits);
        Found { hits, length, w }
    }

    /// The rows: hit line, form, and the fields of the instruction by their names.
    pub fn rows(&self) -> impl Iterator<Item = FoundRow<'_>> {
        let rows = self.hits.iter().zip(TABLE.forms()).enumerate();
        rows.map(|(index, (hit, form))| FoundRow { w: &self.w, hit, form, index })
    }

    /// The row of a name.
    pub fn row(&self, name: &str) -> FoundRow<'_> {
        self.rows().find(|r| r.form.name == name).unwrap_or_else(|| panic!("a row {name}"))
    }

    /// The bytes are no instruction: no row has them, or an operand has a value without meaning.
    pub fn illegal(&self) -> Expr {
        let mut users: Vec<(Operand, Vec<Expr>)> = vec![];
        for (form, hit) in TABLE.forms().iter().zip(&self.hits) {
            for o in form.operands {
                match users.iter_mut().find(|u| u.0 == *o) {
                    Some(u) => u.1.push(hit.clone()),
                    None => users.push((*o, vec![hit.clone()])),
                }
            }
        }
        let each: Vec<Expr> = users.iter().filter_map(|(o, hits)| Some(illegal(&self.w, o)? & any_of(hits))).collect();
        !any_of(&self.hits) | wire("illegal_value", any_of(&each))
    }
}

/// A row over the bits of the instruction.
pub(super) struct FoundRow<'a> {
    w: &'a Expr,
    pub hit: &'a Expr,
    pub form: &'static Form<Operand>,
    pub index: usize,
}

impl FoundRow<'_> {
    /// A field that the form has, by its name.
    pub fn field(&self, name: &str) -> Expr {
        let field = TABLE.fields(self.index).iter().find(|f| f.name == name);
        gather(self.w, field.unwrap_or_else(|| panic!("{}: a field {name}", self.form.name)).parts)
    }

    /// The two fields of its sources of a kind: number and mode.
    pub fn sources(&self, kind: Kind) -> Vec<[Expr; 2]> {
        let of_kind = self.form.operands.iter().filter(|o| o.kind == kind);
        of_kind.map(|o| [0, 1].map(|n| gather(self.w, o.fields[n].parts))).collect()
    }
}

/// The operand has a value without meaning: the answer of the instruction table for every value of the few bits that
/// it looks at. `None`: it never has.
fn illegal(w: &Expr, o: &Operand) -> Option<Expr> {
    // The third field matters where it is the mode of the destination.
    let fields = match o.kind {
        Kind::SelectSrc => o.fields,
        _ => &o.fields[..o.fields.len().min(2)],
    };
    let bits: Vec<u8> = fields.iter().flat_map(looked_at).collect();
    let is_illegal = |n: u128| {
        let word = bits.iter().zip(0..);
        let word = word.fold(0, |w, (at, i)| w | (n >> i & 1) << at);
        o.illegal(word).is_some()
    };
    let values: Vec<u128> = (0..1 << bits.len()).filter(|n| is_illegal(*n)).collect();
    if values.is_empty() {
        return None;
    }
    assert!(bits.len() <= 6, "{:?} looks at {} bits", o.kind, bits.len());
    let answers = values.iter().fold(0, |t, n| t | 1u64 << n);
    let index: Vec<Expr> = bits.iter().map(|b| w.bit((*b).into())).collect();
    let table = lit(1 << bits.len(), answers).named();
    Some(table.bit_at(&pack(index.iter())))
}

/// The bits of a field that its legality may depend on: a register counts by its lowest, which says whether it is odd.
fn looked_at(f: &Field) -> Vec<u8> {
    let all: Vec<u8> = f.parts.iter().flat_map(|p| p.0..p.0 + p.1).collect();
    match all.len() {
        // Modes of a conversion among them.
        0..=6 => all,
        _ => all[..1].to_vec(),
    }
}
