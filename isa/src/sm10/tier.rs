//! Which rows of the instruction table a chip executes; the rest traps as unimplemented.

use crate::sm10::table::{OpFamily, FORMS};

/// A set of rows, from the `forms` of a chip's manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier([u64; 3]);

impl Tier {
    /// The set of the rows named.
    pub fn from_rows(rows: &[u8]) -> Self {
        let mut set = [0; 3];
        for r in rows.iter().filter(|r| usize::from(**r) < FORMS.len()) {
            set[usize::from(*r) / 64] |= 1 << (r % 64);
        }
        Tier(set)
    }

    /// Everything SM 1.0 computes with.
    pub fn full() -> Self {
        Self::of_kinds(|k| !matches!(k, OpFamily::Unsupported | OpFamily::LdShared))
    }

    /// No float arithmetic, special functions or float conversions.
    pub fn integer() -> Self {
        Self::of_kinds(|k| !k.is_float() && !matches!(k, OpFamily::Unsupported | OpFamily::LdShared))
    }

    fn of_kinds(keep: impl Fn(OpFamily) -> bool) -> Self {
        let rows: Vec<u8> = (0..FORMS.len() as u8).filter(|r| keep(FORMS[usize::from(*r)].kind)).collect();
        Self::from_rows(&rows)
    }

    /// Whether it executes a form of this kind.
    pub fn executes(self, kind: impl Fn(OpFamily) -> bool) -> bool {
        let mut rows = 0..FORMS.len() as u8;
        rows.any(|r| kind(FORMS[usize::from(r)].kind) && self.has(r))
    }

    /// Whether a row is in it.
    pub fn has(self, row: u8) -> bool {
        self.0.get(usize::from(row) / 64).is_some_and(|w| w >> (row % 64) & 1 == 1)
    }
}

impl Default for Tier {
    /// [`Tier::full`].
    fn default() -> Self {
        Self::full()
    }
}
