//! The language blocks are written in: rust-hdl blocks whose bodies are plain Rust.
//!
//! A block is declared by [`block!`](crate::block): its ports, registers ([`Reg`]), memories ([`Ram`],
//! [`Rom`]) and other blocks, each once; an `impl Rtl` says what it does, and `rtl_block!(Type, "module_name")` makes
//! it a module. Ports that two blocks share are a [`bundle!`](crate::bundle), registers of a part of a block,
//! such as a pipeline stage, a [`group!`](crate::group). State lives in [`Reg`] and [`Ram`] only. Clock and
//! synchronous reset are threaded by the emitter.

mod alternatives;
mod codes;
mod declare;
mod expr;
mod group;
mod maybe;
mod named;
mod packed;
mod port;
mod ram;
mod rom;
mod scope;
mod simulate;
mod slot;
mod value;

pub use codes::Codes;
pub use declare::{drive, signal_name, AnyPort, Ends, Row, Side, Sink, Source, Table};
pub use expr::*;
pub use group::Group;
pub use maybe::{Bits, Maybe};
pub use named::Named;
pub use packed::field_place;
pub use port::{Input, Leaf, Output, Reg};
pub use ram::{Ram, RamKind};
pub use rom::Rom;
pub use scope::{assertion, build, code, coded, get, get_all, section, set, when, when_else, wire, Rtl};
pub use simulate::{Clocked, Simulated};
pub use value::Expr;

pub(crate) use scope::module_of;

/// What a block's file imports.
pub mod prelude {
    pub use crate::rtl::*;
    pub use crate::{alternatives, block, bundle, codes, group, packed, rtl_block};
    pub use rust_hdl_core::logic::Logic;
    pub use rust_hdl_core::prelude::LogicBlock;
    pub use rust_hdl_core::{ast, block, logic, probe};
}
