//! Tests of the blocks: each in Verilator and Icarus against exact Rust functions.

mod barrier;
mod bundles;
mod controller;
mod decode;
mod divergence;
mod fermi_decode;
mod fermi_divergence;
mod flat;
mod float_convert;
mod float_lane;
mod g13_decode;
mod g13_fetch;
mod g13_mask;
mod inject;
mod int_lane;
mod launch;
mod lint;
mod lsu;
mod netlist;
mod operand;
mod sfu;
mod shared;
mod special;
mod support;
mod uop_lane;
mod writers;
