//! Printers: a chip as text.

pub mod manifest;
pub mod netlist;
pub mod sites;
pub mod verilog;

/// Verilog name of an instance: no signal bears it, so it hides none.
pub fn instance_label(instance: &str) -> String {
    format!("u_{instance}")
}
