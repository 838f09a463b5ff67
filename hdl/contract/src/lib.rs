//! What the chip, its hosts and its tools agree on. Types and tables only: who writes a file or drives
//! a port and who reads it use the same rows. `tests/contract.json` shows all of it; a test there
//! fails when a row changes.

#![warn(missing_docs)]

pub mod bits;
pub mod causes;
pub mod counters;
pub mod inject;
pub mod manifest;
pub mod ports;
pub mod registers;
pub mod site;
pub mod stage;
pub mod trace;

pub use causes::{StallCause, TrapCause};
pub use counters::Counter;
pub use manifest::{Direction, Manifest, ModuleInfo, Port};
pub use site::{Site, SiteKind};
pub use stage::Stage;
