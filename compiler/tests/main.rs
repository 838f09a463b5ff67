//! Tests of the compiler: PTX of clang, rows of the lowering table, random programs.

mod clang;
mod double;
mod host;
mod left_out;
mod lowering;
mod opencl_builtins;
mod random;
mod rows;
