//! Ivy Bridge: value vectors, programs, arithmetic, control flow, messages, kernels.

mod arithmetic;
mod bench;
mod flow;
mod forms;
mod messages;
mod regions;
mod values;
