//! Runs the flat netlist of a chip, behind the seam of `warpsmith-engine`: no Verilator, no compiler.
//!
//! [`Native::build`] makes a plan of a [`Flat`](warpsmith_netlist::flat::Flat): the nodes of the graph in an order
//! in which each stands behind its operands. A [`Backend`] runs the plan: the bytecode interpreter everywhere,
//! and machine code made by cranelift where the cargo feature `cranelift` and the processor allow it. Bytecode
//! is what the machine code is compared with.
//!
//! State, ports and sites stand in one array of bytes, the same for both backends; registers and memories have
//! the storage of Verilator's engine, so images of the two compare site by site.

#![warn(missing_docs)]

mod bytecode;
#[cfg(feature = "cranelift")]
mod code;
#[cfg(not(feature = "cranelift"))]
#[path = "no_code.rs"]
mod code;
mod device;
mod layout;
mod native;
mod shared;
mod wave;

pub use native::{Backend, BuildOptions, Native, NativeError, Sites};
