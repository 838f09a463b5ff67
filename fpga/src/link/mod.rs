//! The host's end of the wire: a chip behind a serial port, or in a SoC of LiteX.
//!
//! `frame`: bytes of a request and of an answer → `port`: the wire → `session`: every request repeated
//! until it is answered → `run`: a launch from loading to results; `inject`: the same with faults; `memory` and `clock`: tests of the board itself.
//! `etherbone` takes the place of the first three before a SoC; `target` is what both are to the last three.

mod clock;
mod error;
pub mod etherbone;
pub mod frame;
pub mod inject;
pub mod memory;
pub mod port;
pub mod run;
pub mod session;
pub mod target;

pub use clock::Clock;
pub use error::LinkError;
pub use etherbone::{Etherbone, Soc};
pub use inject::Injection;
pub use memory::{MemoryTest, Pattern, WrongWord};
pub use port::{Serial, Transport};
pub use run::{Launched, Options, Progress};
pub use session::Session;
pub use target::{About, Link, Space, Statistics};
