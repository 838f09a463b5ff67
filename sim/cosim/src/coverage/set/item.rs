//! Forms that a chip executes, and the values in which their instructions differ.

use warpsmith_isa::set::Field;

/// One way in which instructions of a form differ: a field, and what its values are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The field.
    pub field: Field,
    /// Part of the guard, which counts where nobody executes, too.
    pub guard: bool,
    /// Values that are told apart, `None` all others, and their names.
    pub values: Vec<(Option<u64>, String)>,
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
    /// How its instructions differ.
    pub items: Vec<Item>,
}
