//! PTX, as clang writes it for CUDA C and OpenCL C, to machine code of SM 1.0.
//!
//! One folder a pass, in the order of the work: [`clang`] C to PTX by the installed compiler ·
//! `ptx` text to syntax tree · `lower` calls inlined, words of 32 bits, memory spaces → [`ir`] ·
//! `opt` single assignment and optimisations · `select` machine instructions on virtual
//! registers ([`mir`]) · `alloc` registers · `flow` divergence and join points · `layout` words.
#![warn(missing_docs)]

pub mod alloc;
mod callees;
pub mod clang;
pub mod compile;
pub mod environment;
pub mod error;
pub mod flow;
pub mod ir;
pub mod kept;
pub mod layout;
pub mod lower;
pub mod mir;
pub mod opt;
pub mod program;
pub mod ptx;
pub mod select;
pub mod source;
pub mod texture;

pub use compile::{compile, compile_all, compile_with_ir, kernel_names, kernels, Code, Kernels};
pub use error::{CompileError, Loc};
pub use program::{Kernel, LineEntry, OptLevel, Options, Unit};
pub use source::{link, Compiled, Source};
/// The chip that code is for.
pub use warpsmith_isa::ChipInfo as Target;
