//! The chip as one graph: instances expanded, values of at most 64 bits, each distinct one once.
//!
//! [`Flat::new`] makes it from a [`Design`](crate::Design): constants are folded, equal values shared, what
//! nothing reads is left out. Engines make code of it; [`Evaluator`] is the plain reading of it that they are
//! compared with.

mod build;
mod chip;
mod eval;
mod fold;
mod graph;
mod node;
mod packed;
mod prune;
mod wide;

pub use build::{FlatError, Options};
pub use chip::{Flat, Instance, Mem, Reg, Write};
pub use eval::Evaluator;
pub use graph::Graph;
pub use node::{mask, InstanceId, MemId, Node, NodeId, Op, Parts, RegId};
pub use packed::{Kind, Packed, PartList};
