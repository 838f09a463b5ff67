//! Forms that a chip executes, and the values in which their instructions differ.

use warpsmith_isa::set::Field;

/// One way in which instructions of a form differ: a field, and what its values are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The field.
    pub field: Field,
    /// Part of the guard, which counts where nobody executes, too.
    pub guard: bool,
    /// Values that are told apart, none for all others, and their names.
    pub values: Vec<(Vec<u64>, String)>,
}

impl Item {
    /// Which of the names the field's value has.
    pub fn of(&self, value: u64) -> Option<usize> {
        let named = |v: &(Vec<u64>, String)| v.0.is_empty() || v.0.contains(&value);
        self.values.iter().position(named)
    }
}

/// A form that a chip executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Row of the table.
    pub row: usize,
    /// Name of the form.
    pub name: &'static str,
    /// Family of forms.
    pub family: &'static str,
    /// Whether it may stand anywhere in straight-line code.
    pub plain: bool,
    /// What its control flow may do, where that is told apart.
    pub flows: &'static [&'static str],
    /// How its instructions differ.
    pub items: Vec<Item>,
}
