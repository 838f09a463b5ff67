//! Faults on the gates of one block: stuck-at and transition faults on every pin, simulated over the patterns that a
//! kernel gave the block.
//!
//! A [`Circuit`] is the combinational part of a block of two-input gates: outputs of flip-flops and memories are inputs
//! of it, their inputs are outputs (the full-scan view). [`Collapsed`] is its fault list with equal faults joined,
//! [`Patterns`] are inputs of it, [`mod@simulate`] says which pattern shows which fault, [`brute`] says the same slowly,
//! [`mod@splice`] puts the gates into the chip, with pins at which faults can be forced, and [`mod@prove`] proves that a
//! fault cannot show.
//!
//! The crate knows netlists alone: it starts no tool and runs no chip.

#![warn(missing_docs)]

pub mod brute;
mod circuit;
mod clock;
mod collapse;
mod decode;
mod fault;
mod gate;
mod name;
mod pattern;
pub mod prove;
pub mod simulate;
pub mod splice;
mod word;

pub use circuit::{Cell, Circuit, Net, NetId, Observed, ObservedKind, Source, SourceKind};
pub use clock::Stopwatch;
pub use collapse::Collapsed;
pub use decode::CircuitError;
pub use fault::{Fault, Model, Pin, PinId, Place};
pub use gate::Gate;
pub use name::Nearest;
pub use pattern::{joined, Patterns, Recorder};
pub use splice::{splice, SpliceError, Spliced};
pub use word::Word;
