//! Builds a simulation that is a program of its own: Verilog around a chip, and a C++ main.

use crate::build::{FLAGS, WAIVERS};
use crate::VerilatorError;
use std::path::PathBuf;
use warpsmith_cxx::{program, Port, Program};

/// A program to build.
#[derive(Clone, Copy, Debug)]
pub struct Executable<'a> {
    /// Verilog files: name, text.
    pub sources: &'a [(String, String)],
    /// Top module.
    pub top: &'a str,
    /// Parameters of the top module.
    pub parameters: &'a [(&'a str, u64)],
    /// Inputs of the top module: name, bits.
    pub inputs: &'a [(&'a str, usize)],
    /// C++ with `main`; `model.h` has the class `Model`.
    pub main: &'a str,
}

/// Path of the program: from the cache, or built now.
///
/// # Errors
/// A missing tool, Verilog or C++ that does not compile, a cache that cannot be written.
pub fn executable(what: &Executable<'_>) -> Result<PathBuf, VerilatorError> {
    let ours = what.sources.iter().map(|(n, t)| (n.as_str(), t.as_str()));
    let sources: Vec<_> = [("waivers.vlt", WAIVERS)].into_iter().chain(ours).collect();
    let inputs = what.inputs.iter().map(|(n, w)| Port::input(n, *w));
    let ports: Vec<Port> = inputs.collect();
    Ok(program(&Program {
        sources: &sources,
        top: what.top,
        parameters: what.parameters,
        ports: &ports,
        verilator: &FLAGS,
        optimise: ("-O2", "-O1"),
        main: what.main,
    })?)
}
