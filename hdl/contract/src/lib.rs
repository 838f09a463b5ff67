//! What the chip, its hosts and its tools agree on. Types and tables only: who writes a file and who
//! reads it use the same type.

pub mod manifest;
pub mod site;

pub use manifest::{Direction, Manifest, ModuleInfo, Port};
pub use site::{Site, SiteKind};
