//! Which rows of the instruction table a chip executes; the rest traps as unimplemented.

use warpsmith_isa::table::Kind;
use warpsmith_isa::FORMS;

/// A set of rows, from the `forms` of a chip's manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
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
        Self::of_kinds(|k| !matches!(k, Kind::Unsupported | Kind::LdShared))
    }

    /// No float arithmetic, special functions or float conversions.
    pub fn integer() -> Self {
        Self::of_kinds(|k| !k.is_float() && !matches!(k, Kind::Unsupported | Kind::LdShared))
    }

    fn of_kinds(keep: impl Fn(Kind) -> bool) -> Self {
        let rows: Vec<u8> = (0..FORMS.len() as u8)
            .filter(|r| keep(FORMS[usize::from(*r)].kind))
            .collect();
        Self::from_rows(&rows)
    }

    /// Whether it executes a form of this kind.
    pub fn executes(self, kind: impl Fn(Kind) -> bool) -> bool {
        let mut rows = 0..FORMS.len() as u8;
        rows.any(|r| kind(FORMS[usize::from(r)].kind) && self.has(r))
    }

    fn has(self, row: u8) -> bool {
        self.0
            .get(usize::from(row) / 64)
            .is_some_and(|w| w >> (row % 64) & 1 == 1)
    }
}

/// Whether a row executes on a chip of this tier without always trapping.
pub fn implemented(form: u8, tier: Tier) -> bool {
    // TRAP stops every kernel; the short BPT has no guard that could hold it back.
    let stops = FORMS.get(usize::from(form)).is_none_or(|f| match f.kind {
        Kind::Trap => true,
        Kind::Bpt => !f.predicated,
        _ => false,
    });
    tier.has(form) && !stops
}
