//! The memories an SM reaches in stage M: shared memory in place, global and local through the LSU.
//!
//! [`shared`] is the banked shared memory. [`lsu`] takes beats, [`coalescer`] turns each into
//! requests for whole lines, [`store_bytes`] gives each stored byte to one lane (of a serial unit
//! [`line_bytes`] puts the line together), [`return_path`]
//! brings read data back to registers, [`mod@atomic`] replaces words in memory on chips that have such accesses. [`bytes`] holds what both share: byte enables and byte positions;
//! [`choice`] the crossbars and which lane wins a byte. [`fifo`] is the FIFO they use, [`front_fifo`] the
//! one with registered output, [`ping_pong_fifo`] the one with two such registers. Of G13 [`mod@format`] says how elements are floats, [`unpack`] and [`pack`] convert them.

pub mod atomic;
pub mod bytes;
pub mod choice;
pub mod coalescer;
pub mod fifo;
pub mod format;
pub mod front_fifo;
pub mod line_bytes;
pub mod locks;
pub mod lsu;
pub mod operation;
pub mod pack;
pub mod ping_pong_fifo;
pub mod port;
pub mod return_path;
pub mod shared;
pub mod store_bytes;
pub mod unpack;
