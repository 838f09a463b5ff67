//! Random C programs, compiled by the host's compiler and by ours; results are compared.
//!
//! [`generate`] makes a program without undefined behaviour from a seed, [`print`] writes it as
//! CUDA C, [`host`] runs it natively with a thread at a time, [`device`] compiles it to machine code
//! and runs it on the golden model, [`reduce`] makes a failing one small. [`typing`] checks that a program is C.

pub mod device;
pub mod expression;
pub mod flow;
pub mod generate;
pub mod host;
pub mod print;
pub mod program;
pub mod reduce;
pub mod run;
pub mod typing;
