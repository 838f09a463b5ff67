//! Arguments of Verilator.

/// Flags of all C++ that Verilator writes: it may go into a library that shows nothing of it. The
/// compiler makes no vectors of straight code: GCC 12 sums up sixteen comparisons wrongly that way,
/// which are the stalls of 16 SMs (`sim/cosim/tests/simulation.rs`).
pub const GENERATED: [&str; 4] =
    ["-CFLAGS", "-fPIC -fvisibility=hidden -fno-gnu-unique", "-CFLAGS", "-fno-tree-slp-vectorize"];

/// How Verilator treats every model: unknown bits take a value that depends on the seed, at power-on and where
/// the Verilog says x.
pub const SIMULATED: [&str; 12] = [
    "-O3", "--x-assign", "unique", "--x-initial", "unique", "--noassert", "-Wall", "-Wno-fatal", "--output-split",
    "15000", "--output-split-cfuncs", "2000",
];
