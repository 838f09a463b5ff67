//! Tests of the golden model: arithmetic against references, semantics.

mod accuracy;
mod atomics;
mod builtins;
mod common;
mod convert_reference;
mod differences;
mod divergence;
mod fermi;
mod flexgripplus;
mod float_reference;
mod g13;
mod host;
mod ieee_reference;
mod ivb;
mod kernels;
mod math;
mod opencl_accuracy;
mod opencl_builtins;
mod packed;
mod parallel;
mod semantics;
mod sets;
mod sm10_lowering;
mod traps;
mod vectors;
mod warp;
