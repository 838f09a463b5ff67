//! The chip as data.
//!
//! A block's description becomes a [`Module`]; the tree of all instances becomes a [`Design`], in which
//! equal modules exist once. Everything that reads or prints a chip is a pass or a printer over it:
//!
//! ```text
//! blocks of hdl ─► Description ─describe─► Module ─┐
//!                              (widths, latches,   ├─► Tree ─saboteur?─► Design ─┬─► Verilog
//!                               undriven signals)  ┘              (dedup)        ├─► sites
//!                                                                                ├─► ports, modules of the manifest
//!                                                   gates of Yosys ─read─► Design ├─► netlist file ─read─► Design
//!                                                                                └─► Flat
//! ```

pub mod check;
pub mod describe;
pub mod design;
pub mod expr;
pub mod flat;
mod id;
mod module;
pub mod pass;
pub mod print;
pub mod read;

pub use check::CheckError;
pub use describe::Description;
pub use design::{Design, Tree};
pub use expr::{Binary, Expr, Kind, Pool};
pub use id::{ExprId, ModuleId, SignalId};
pub use module::{Body, Child, Memory, MemoryStyle, Module, ReadPort, Signal, SignalKind, Stmt, Tap, WritePort};
