//! The C side of the driver, and the only place with `unsafe`.
//!
//! Every function is one entry of the dispatch table and does three things: reads what pointers point
//! to, calls the safe side, writes results. Handles are checked by the registry; other pointers must be
//! what the standard demands of programs, and null is refused where it does not allow it.
//!
//! Safety of all functions here: pointers that are not null point to as many values as the standard's
//! text of the call says, and callbacks may be called with what it says.
#![allow(clippy::missing_safety_doc)]

pub mod args;
pub mod buffer;
pub mod context;
pub mod device;
pub mod dispatch;
pub mod entry;
pub mod event;
pub mod export;
pub mod host;
pub mod image;
pub mod kernel;
pub mod ndrange;
pub mod platform;
pub mod program;
pub mod queue;
pub mod refused;
pub mod sampler;
pub mod transfer;
