//! Ivy Bridge: value vectors, programs, arithmetic, control flow, messages, kernels.

mod bench;
mod values;
