//! Which rows of the instruction table a chip executes.

use warpsmith_isa::table::Kind;
use warpsmith_isa::FORMS;

/// What a chip executes; the rest traps as unimplemented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// No float arithmetic, special functions or float conversions.
    Integer,
    /// Everything SM 1.0 computes with.
    Full,
}

impl Tier {
    /// The tier of a chip with or without float units.
    pub fn of(float: bool) -> Self {
        if float {
            Tier::Full
        } else {
            Tier::Integer
        }
    }
}

/// Whether a row executes on a chip of this tier without always trapping.
pub fn implemented(form: u8, tier: Tier) -> bool {
    use Kind::*;
    let Some(f) = FORMS.get(usize::from(form)) else {
        return false;
    };
    match f.kind {
        // TRAP stops every kernel; the short BPT has no guard that could hold it back.
        Unsupported | LdShared | Trap => false,
        Bpt => f.predicated,
        I2F(_) | F2I(..) | F2F(..) | FAdd | FMul | FMad | FMin | FMax | FSet | FSlct | Sfu(_)
        | Rro(_) => tier == Tier::Full,
        _ => true,
    }
}
