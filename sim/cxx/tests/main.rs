//! Tests of C++ built under the checks.

mod program;
