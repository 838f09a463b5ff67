//! Which rows of the instruction tables a chip executes, in which reading; the rest traps as unimplemented.

use crate::sm10::decode::{decode_kept, DecodeError};
use crate::sm10::instr::{Instr, SfuFn};
use crate::sm10::level::Level;
use crate::sm10::op::Op;
use crate::sm10::semantics::Semantics;
use crate::sm10::table::{FORM_COUNT, ROWS};

/// A set of rows, from the `forms` of a chip's manifest. The reading is FlexGripPlus's where a row of its manual is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    rows: [u64; 4],
    semantics: Semantics,
}

impl Tier {
    /// The set of the rows named.
    pub fn from_rows(rows: &[u8]) -> Self {
        let mut set = [0; 4];
        for r in rows.iter().filter(|r| usize::from(**r) < ROWS.len()) {
            set[usize::from(*r) / 64] |= 1 << (r % 64);
        }
        let semantics = match rows.iter().any(|r| usize::from(*r) >= FORM_COUNT) {
            true => Semantics::FlexGripPlus,
            false => Semantics::G80,
        };
        Tier { rows: set, semantics }
    }

    /// Everything SM 1.0 computes with. What belongs to texture, quads and fragments is in no chip; what SM 1.1 to 1.3
    /// add is [asked for](Tier::at).
    pub fn full() -> Self {
        Self::of_operations(Semantics::G80, |_| true)
    }

    /// No float arithmetic, special functions or float conversions.
    pub fn integer() -> Self {
        Self::of_operations(Semantics::G80, |o| !o.is_float())
    }

    /// Of floats what compilers make of an integer division: FMUL, I2F, F2I and RCP.
    pub fn division() -> Self {
        use Op::{FMul, Sfu, F2I, I2F};
        let divides = |o: &Op| matches!(o, FMul { .. } | I2F { .. } | F2I { .. } | Sfu { func: SfuFn::Rcp, .. });
        Self::of_operations(Semantics::G80, |o| !o.is_float() || divides(o))
    }

    /// The same with what chips of a level add.
    pub fn at(self, level: Level) -> Self {
        let added = self.semantics.rows().filter(|(_, f)| Level::of(f).is_some_and(|l| l > Level::Sm10 && l <= level));
        let mut all = self;
        added.for_each(|(r, _)| all.rows[r / 64] |= 1 << (r % 64));
        all
    }

    /// The highest level of which it has a row.
    pub fn level(self) -> Level {
        let rows = (0..ROWS.len()).filter(|r| self.has(*r as u8));
        rows.filter_map(|r| Level::of(&ROWS[r])).max().unwrap_or_default()
    }

    /// The rows of another reading that do the operations of this one.
    pub fn read_as(self, semantics: Semantics) -> Self {
        if semantics == self.semantics {
            return self;
        }
        Self::of_operations(semantics, |o| !o.is_float() || self.executes(|own| own == o))
    }

    fn of_operations(semantics: Semantics, keep: impl Fn(&Op) -> bool) -> Self {
        let kept = semantics.rows().filter(|(_, f)| Level::of(f) == Some(Level::Sm10) && keep(&f.op));
        let rows: Vec<u8> = kept.map(|(r, _)| r as u8).collect();
        Self::from_rows(&rows)
    }

    /// How the chip reads its words.
    pub fn semantics(self) -> Semantics {
        self.semantics
    }

    /// Decodes one instruction as the chip reads it.
    ///
    /// # Errors
    /// Those of [`decode`](crate::sm10::decode()).
    pub fn decode(self, w0: u32, w1: u32) -> Result<Instr, DecodeError> {
        decode_kept(self.semantics, w0, w1, |row| self.has(row))
    }

    /// Whether it executes a form of such an operation.
    pub fn executes(self, of: impl Fn(&Op) -> bool) -> bool {
        let mut rows = 0..ROWS.len() as u8;
        rows.any(|r| of(&ROWS[usize::from(r)].op) && self.has(r))
    }

    /// Whether a row is in it.
    pub fn has(self, row: u8) -> bool {
        self.rows.get(usize::from(row) / 64).is_some_and(|w| w >> (row % 64) & 1 == 1)
    }
}

impl Default for Tier {
    /// [`Tier::full`].
    fn default() -> Self {
        Self::full()
    }
}
