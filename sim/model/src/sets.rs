//! The instruction sets that run on the shared execution.

use crate::uop::Set;
use warpsmith_isa::Isa;

/// The model of a set; `None` for SM 1.0, which has a [`crate::Machine`] of its own.
pub fn of(isa: Isa) -> Option<&'static dyn Set> {
    sets().iter().copied().find(|s| s.instructions().isa() == isa)
}

/// All of them.
pub fn sets() -> &'static [&'static dyn Set] {
    &[&crate::fermi::Fermi, &crate::g13::G13, &crate::ivb::Ivb]
}
