//! Tests of the golden model: arithmetic against references, semantics, launches.

mod accuracy;
mod builtins;
mod common;
mod compiled;
mod convert_reference;
mod divergence;
mod float_reference;
mod kernels;
mod launch;
mod math;
mod opencl_accuracy;
mod parallel;
mod semantics;
mod traps;
mod vectors;
