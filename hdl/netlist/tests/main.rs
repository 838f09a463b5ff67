//! Tests of the netlist: file, flat form, reader of gates.

mod design;
mod file;
mod flat;
mod support;
mod yosys;
