//! Which rows of the instruction table a chip executes; the rest traps as unimplemented.

use crate::sm10::instr::SfuFn;
use crate::sm10::op::Op;
use crate::sm10::table::FORMS;

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

    /// Everything SM 1.0 computes with. What belongs to SM 1.1 and later, to texture, quads and fragments is in no
    /// chip.
    pub fn full() -> Self {
        Self::of_operations(|_| true)
    }

    /// No float arithmetic, special functions or float conversions.
    pub fn integer() -> Self {
        Self::of_operations(|o| !o.is_float())
    }

    /// Of floats what compilers make of an integer division: FMUL, I2F, F2I and RCP.
    pub fn division() -> Self {
        use Op::{FMul, Sfu, F2I, I2F};
        let divides = |o: &Op| matches!(o, FMul { .. } | I2F { .. } | F2I { .. } | Sfu { func: SfuFn::Rcp, .. });
        Self::of_operations(|o| !o.is_float() || divides(o))
    }

    fn of_operations(keep: impl Fn(&Op) -> bool) -> Self {
        let on_chips = |o: &Op| !matches!(o, Op::Unsupported | Op::LdShared { .. });
        let kept = |r: &u8| on_chips(&FORMS[usize::from(*r)].op) && keep(&FORMS[usize::from(*r)].op);
        let rows: Vec<u8> = (0..FORMS.len() as u8).filter(kept).collect();
        Self::from_rows(&rows)
    }

    /// Whether it executes a form of such an operation.
    pub fn executes(self, of: impl Fn(&Op) -> bool) -> bool {
        let mut rows = 0..FORMS.len() as u8;
        rows.any(|r| of(&FORMS[usize::from(r)].op) && self.has(r))
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
