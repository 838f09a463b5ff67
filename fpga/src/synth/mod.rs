//! From an emitted chip to a bitstream, a netlist or a project, with free tools.
//!
//! [`synth`] does one [`Target`] in a folder: `rtl/` the emitted chip, beside it the sources around it,
//! a log a stage, results, `report.md` and `report.json`. `tools` finds programs, `flow` runs them,
//! `board` and `pll` know the boards, `pins` reads constraints, `report` reads results.

pub mod area;
pub mod board;
mod copies;
pub mod ecp5;
pub mod flow;
mod gates;
pub mod harness;
mod netlist;
pub mod pins;
mod place;
pub mod pll;
pub mod report;
pub mod tools;
pub mod vivado;

pub(crate) use copies::Expected;
pub use flow::{Options, Step, SynthError};
pub use gates::{of_block, GATES};
pub(crate) use place::ecp5_flow;
pub use place::{CONFIGURATION, ROUTED};
pub use report::Report;

use crate::chip::ChipManifest;
use board::{Board, BOARDS};
use flow::Workshop;
use std::path::Path;

/// Result of a synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A bitstream, or for Xilinx a Vivado project, with memory and UART.
    Board(&'static Board),
    /// A Vivado project with AXI beside a processor.
    Zynq,
    /// The chip alone on the largest ECP5: area and clock.
    Ecp5,
    /// The chip alone in `synth_xilinx`: area.
    Xilinx,
    /// A netlist of gates and memories.
    Gates,
}

/// Files a former run may have left, which must not be taken for this one's.
pub const RESULTS: [&str; 7] =
    ["report.md", "report.json", "bitstream.bit", "bitstream.fs", "place.json", "stat.json", place::ROUTED];

/// Makes `target` of the chip emitted into `out`/rtl.
///
/// # Errors
/// A failing tool or a missing file; a missed clock is a line of the report, no error.
pub fn synth(target: Target, options: &Options, out: &Path, say: &mut dyn FnMut(Step)) -> Result<Report, SynthError> {
    let mut shop = Workshop::new(out, say)?;
    for name in RESULTS {
        shop.remove(name)?;
    }
    let chip = ChipManifest::from_manifest(&shop.read("rtl/manifest.json")?)?;
    let mut report = match target {
        Target::Board(board) if board.family == pll::Family::Series7 => {
            vivado::board(&mut shop, &chip, board, options)?
        }
        Target::Board(board) => place::board(&mut shop, &chip, board, options)?,
        Target::Zynq => vivado::zynq(&mut shop, &chip, options)?,
        Target::Ecp5 => place::ecp5(&mut shop, &chip, options)?,
        Target::Xilinx => area::xilinx(&mut shop, &chip)?,
        Target::Gates => gates::make(&mut shop, &chip)?,
    };
    finish(&shop, &mut report, target.name(), &chip.name)?;
    Ok(report)
}

/// Adds to a report what it was made of and how, and writes it into the folder.
pub(crate) fn finish(shop: &Workshop, report: &mut Report, target: &str, config: &str) -> Result<(), SynthError> {
    report.target = target.into();
    report.config = config.into();
    report.tools = shop.tools.clone();
    report.seconds = shop.seconds.clone();
    report.outputs.push("report.json".into());
    shop.write("report.md", report.page())?;
    shop.write("report.json", report.json())
}

impl Target {
    /// All of them, boards first.
    pub fn all() -> impl Iterator<Item = Target> {
        let others = [Target::Zynq, Target::Ecp5, Target::Xilinx, Target::Gates];
        BOARDS.into_iter().map(Target::Board).chain(others)
    }

    /// Whether it is placed on an ECP5.
    pub fn is_ecp5(self) -> bool {
        match self {
            Target::Board(board) => board.family == pll::Family::Ecp5,
            Target::Ecp5 => true,
            Target::Zynq | Target::Xilinx | Target::Gates => false,
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Target::Board(board) => board.name,
            Target::Zynq => "zynq",
            Target::Ecp5 => "ecp5",
            Target::Xilinx => "xilinx",
            Target::Gates => "gates",
        }
    }

    /// What it is, for the help.
    pub fn makes(self) -> &'static str {
        match self {
            Target::Board(board) => board.makes,
            Target::Zynq => "PYNQ-Z2: Vivado project, AXI beside the processor",
            Target::Ecp5 => "The chip alone on an ECP5-85F: area, clock, critical path",
            Target::Xilinx => "The chip alone in Yosys' synth_xilinx: area",
            Target::Gates => "Netlist of gates and memories, for cosim --rtl",
        }
    }
}
