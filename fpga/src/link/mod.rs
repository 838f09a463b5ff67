//! The host's end of the wire: a chip behind a serial port.
//!
//! `frame`: bytes of a request and of an answer → `port`: the wire → `session`: every request repeated
//! until it is answered → `run`: a launch from loading to results.

mod error;
pub mod frame;
pub mod port;
pub mod run;
pub mod session;

pub use error::LinkError;
pub use port::{Serial, Transport};
pub use run::{Launched, Options, Progress};
pub use session::{About, Session};
