//! The heap of `malloc` and `new` of a kernel: a variable that the compiler makes and the launch gives its size.
//!
//! Only the compiler's headers know how blocks lie in it. Before a launch its first word is its bytes and
//! all others are zeros.

/// Name of the variable in PTX.
pub const HEAP: &str = "__warpsmith_heap";
/// Bytes unless the launch says so: those of CUDA.
pub const BYTES: u32 = 8 << 20;
/// Bytes at least and at most.
pub const LIMITS: (u32, u32) = (4096, 64 << 20);
