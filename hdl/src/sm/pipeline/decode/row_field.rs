//! What the decoders of all sets are made of: hits of rows of an instruction table, and fields of the control
//! word that rows choose.

use crate::rtl::prelude::*;

/// The bits of a word in runs of (lowest bit, width), the least significant run first.
pub(super) fn gather(w: &Expr, runs: &[(u8, u8)]) -> Expr {
    let run = |&(low, width): &(u8, u8)| w.bits(low.into(), width.into());
    let runs: Vec<Expr> = runs.iter().map(run).collect();
    pack(runs.iter())
}

/// The word has the bits of `value` where `mask` has ones.
pub(super) fn matches(w: &Expr, mask: u64, value: u64) -> Expr {
    let picked: Vec<usize> = (0..64).filter(|i| mask >> i & 1 == 1).collect();
    let word: Vec<Expr> = picked.iter().map(|i| w.bit(*i)).collect();
    let value = picked.iter().enumerate().fold(0u64, |v, (n, i)| v | (value >> i & 1) << n);
    pack(word.iter()).eq(&lit(picked.len(), value))
}

/// Name of the hit line of row `index`, whose name or mnemonic is `text`.
pub(super) fn hit_name(index: usize, text: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '_',
    };
    let name: String = text.chars().map(letter).collect();
    format!("h{index}_{name}")
}

/// A field that rows choose: the or of gated values; rows that give the same value share a gate.
pub(super) struct RowField {
    name: &'static str,
    width: usize,
    list: Vec<(Expr, Vec<Expr>)>,
}

impl RowField {
    /// A field of `width` bits that no row has asked for; `name` is that of its wire, `f_name`.
    pub(super) fn new(name: &'static str, width: usize) -> Self {
        let list = vec![];
        Self { name, width, list }
    }

    /// The row of `hit` asks for `value`.
    pub(super) fn add(&mut self, hit: &Expr, value: Expr) {
        assert_eq!(value.width(), self.width, "bits of the field {}", self.name);
        match self.list.iter_mut().find(|c| c.0 == value) {
            Some(c) => c.1.push(hit.clone()),
            None => self.list.push((value, vec![hit.clone()])),
        }
    }

    /// The row of `hit` asks for a number.
    pub(super) fn constant(&mut self, hit: &Expr, value: u64) {
        self.add(hit, lit(self.width, value));
    }

    /// Width in bits.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The row of `hit` sets this field of one bit.
    pub(super) fn flag(&mut self, hit: &Expr) {
        self.add(hit, lit(1, 1));
    }

    /// What the rows ask for together; 0 where none does.
    pub(super) fn value(self) -> Expr {
        let width = self.width;
        let gated: Vec<Expr> = self
            .list
            .into_iter()
            .filter(|(value, _)| *value != zero(width))
            .map(|(value, hits)| {
                let gate = any_of(&hits);
                if value == ones(width) {
                    gate.repeat(width)
                } else {
                    gate.repeat(width) & value
                }
            })
            .collect();
        if gated.is_empty() {
            zero(width)
        } else {
            any_of(&gated)
        }
    }

    /// The same as a wire. A field is taken once.
    pub(super) fn take(self) -> Expr {
        let name = format!("f_{}", self.name);
        wire(&name, self.value())
    }
}

/// Declares the fields: name, width in bits and meaning of each.
macro_rules! row_fields {
    ($($(#[$doc:meta])* $name:ident: $width:expr),* $(,)?) => {
        /// The fields that rows choose. Where nothing else is said, a field has the meaning of the same
        /// name in [`crate::sm::control`].
        pub(super) struct RowFields {
            $($(#[$doc])* pub(super) $name: RowField),*
        }
        impl Default for RowFields {
            fn default() -> Self {
                Self { $($name: RowField::new(stringify!($name), $width)),* }
            }
        }
    };
}
pub(super) use row_fields;
