//! The language blocks are written in: rust-hdl blocks whose bodies are plain Rust.
//!
//! A block is a struct with `#[derive(LogicBlock)]` whose fields are [`Input`], [`Output`],
//! [`Reg`], [`Ram`], [`Rom`] and other blocks (or `Vec`s or [`Maybe`]s of them), an `impl Rtl` that says what it does, and
//! `rtl_block!(Type, "module_name")`. State lives in [`Reg`] and [`Ram`] only. Clock and
//! synchronous reset are threaded by the emitter.

mod expr;
mod maybe;
mod packed;
mod port;
mod ram;
mod rom;
mod scope;

pub use expr::*;
pub use maybe::Maybe;
pub use port::{Input, Leaf, Output, Reg};
pub use ram::{clog2, Ram, RamKind};
pub use rom::Rom;
pub use scope::{build, get, get_all, set, when, when_else, wire, Rtl};

pub(crate) use scope::module_of;

/// What a block's file imports.
pub mod prelude {
    pub use super::*;
    pub use crate::{packed, rtl_block};
    pub use rust_hdl_core::logic::Logic;
    pub use rust_hdl_core::prelude::LogicBlock;
    pub use rust_hdl_core::{ast, block, logic, probe};
}
