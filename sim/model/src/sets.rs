//! The instruction sets that run on the shared execution, by name.

use crate::uop::Set;

/// The model of a set; `None` for SM 1.0, which has a [`crate::Machine`] of its own, and for sets without
/// one.
pub fn by_name(name: &str) -> Option<&'static dyn Set> {
    sets().iter().copied().find(|s| s.instructions().name() == name)
}

/// All of them.
pub fn sets() -> &'static [&'static dyn Set] {
    &[&crate::fermi::Fermi, &crate::g13::G13, &crate::ivb::Ivb]
}
