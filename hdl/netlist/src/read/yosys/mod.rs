//! Yosys' gate-level JSON (`write_json`): one flat module of gates, flip-flops and memories.
//!
//! Every gate becomes a named value of one bit, every flip-flop a register of one bit, every memory a
//! child that reads without a clock; registers behind synchronous read ports stand in the module itself.
//! An undefined bit (`x`) reads as zero.

mod flip_flop;
mod gate;
mod json;
mod memory;
mod module;
mod ram;

use super::error::{fault, At, Fault, ReadError};
use crate::check;
use crate::design::Design;
use json::{number, RawFile, RawModule};
pub use module::identifier;
use module::Gates;
use std::path::Path;

/// What to do about a file that is wrong.
const REMEDY: &str = "`synth -flatten`, `techmap` and `write_json` of Yosys make one that can be read";

/// Reads a netlist of gates and checks it ([`check::design`]); `file` is named in errors.
///
/// # Errors
/// [`ReadError`] with file and cell: no JSON of Yosys, several modules without a top, an `inout` port, a
/// tri-state value, a cell that is no gate, no flip-flop with a rising edge and at most a synchronous reset,
/// and no memory of one write port, a second clock or one that is not named `clock`, an initial value, a net
/// with two drivers or none, a combinational loop.
pub fn yosys(text: &str, file: &Path) -> Result<Design, ReadError> {
    read(text, file).map_err(|e| e.error(file, REMEDY))
}

fn read(text: &str, file: &Path) -> Result<Design, Fault> {
    let raw: RawFile = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(e) => return fault(format!("no netlist of Yosys ({e})")),
    };
    let modules = &raw.modules.0;
    let top = |m: &&(String, RawModule)| {
        let top = m.1.attributes.get("top").and_then(number);
        modules.len() == 1 || top.is_some_and(|n| n != 0)
    };
    let Some((name, module)) = modules.iter().find(top) else {
        return fault(format!("{} modules, none of them is the top", modules.len()));
    };
    let tree = Gates::read(name, module, file).at(|| format!("module {name}"))?;
    let design = Design::new(tree);
    match check::design(&design) {
        Ok(()) => Ok(design),
        Err(e) => fault(e.to_string()),
    }
}
