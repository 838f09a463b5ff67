//! Locks of global memory, under which a kernel does atomic accesses of 64 bits: a variable that the compiler makes.

/// Name of the variable in PTX.
pub const LOCKS: &str = "__warpsmith_locks";
