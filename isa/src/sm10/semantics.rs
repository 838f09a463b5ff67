//! Which document says what a word of SM 1.0 means: the hardware's tables, or the manual of FlexGripPlus.

use crate::sm10::table::{Form, Marked, FORM_COUNT, REPLACED, ROWS};
use crate::sm10::types::Marker;

/// The reading of instruction words. docs/differences.md lists where the two differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Semantics {
    /// That of the G80, as envytools documents it.
    #[default]
    G80,
    /// That of the FlexGripPlus programmer's manual, where it says another thing and its own examples do not.
    FlexGripPlus,
}

impl Semantics {
    /// Both.
    pub const ALL: [Semantics; 2] = [Semantics::G80, Semantics::FlexGripPlus];

    /// Name in configurations, on command lines, in sources.
    pub const fn name(self) -> &'static str {
        match self {
            Semantics::G80 => "g80",
            Semantics::FlexGripPlus => "flexgripplus",
        }
    }

    /// The reading of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Whether the row of this number is one of this reading. A row of the manual takes the place of those that its words
    /// match.
    pub fn has(self, row: usize) -> bool {
        let own = row >= FORM_COUNT;
        match self {
            Semantics::G80 => !own,
            Semantics::FlexGripPlus => own || !REPLACED[row],
        }
    }

    /// Its rows with their numbers, in decoding order.
    pub fn rows(self) -> impl Iterator<Item = (usize, &'static Form)> {
        ROWS.iter().enumerate().filter(move |(n, _)| self.has(*n))
    }

    /// The marker that a code (two bits) is on a row, and the other way round: the manual has join and exit the other way
    /// round, but on its pages of GST and NOP.
    pub fn marker(self, form: &Form, code: u32) -> Option<Marker> {
        Some(match (code, self == Semantics::FlexGripPlus && form.marked == Marked::Either) {
            (0, _) => Marker::None,
            (1, false) | (2, true) => Marker::Exit,
            (2, false) | (1, true) => Marker::Join,
            _ => return None,
        })
    }

    /// The code of a marker, see [`Semantics::marker`].
    pub fn marker_code(self, form: &Form, marker: Marker) -> u32 {
        (0..3).find(|code| self.marker(form, *code) == Some(marker)).unwrap_or(0)
    }
}

impl std::fmt::Display for Semantics {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
