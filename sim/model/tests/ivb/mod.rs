//! Ivy Bridge: value vectors, programs, arithmetic, control flow, messages.

// Channels are indices: the same one walks operands and results.
#![allow(clippy::needless_range_loop)]

mod bench;
mod document;
mod floats;
mod flow;
mod forms;
mod functions;
mod integers;
mod messages;
mod operands;
mod regions;
mod values;
