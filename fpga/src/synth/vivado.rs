//! Vivado projects: the sources, the Tcl and its settings. Vivado itself is not run: it is not free
//! and was not available.

use super::board::Board;
use super::flow::{Options, SynthError, Workshop};
use super::place::{clock_of, sources};
use super::report::Report;
use crate::chip::ChipManifest;
use crate::wrap::axi::{self, AxiOptions};

/// Tcl of the Artix board.
pub const ARTY_A7_TCL: &str = include_str!("../../arty_a7/project.tcl");
/// Tcl of the Zynq board.
pub const ZYNQ_TCL: &str = include_str!("../../zynq/project.tcl");
/// Device of the PYNQ-Z2, and its board file.
pub const ZYNQ_PART: &str = "xc7z020clg400-1";
const ZYNQ_BOARD: &str = "tul.com.tw:pynq-z2:part0:1.0";

/// The project of a board with memory and UART.
pub(super) fn board(
    shop: &mut Workshop, chip: &ChipManifest, board: &'static Board, options: &Options,
) -> Result<Report, SynthError> {
    let pll = clock_of(board, options)?;
    sources(shop, chip, board)?;
    let generics: Vec<String> = pll.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let settings = format!("set part {}\nset generics {{{}}}\nset jobs 2\n", board.device, generics.join(" "));
    shop.write("settings.tcl", settings)?;
    shop.write("project.tcl", ARTY_A7_TCL)?;
    Ok(Report {
        device: board.device.into(),
        clock_mhz: Some(pll.mhz),
        outputs: vec!["project.tcl".into()],
        ..Report::default()
    })
}

/// The project of the Zynq board: registers and memory over AXI.
pub(super) fn zynq(shop: &mut Workshop, chip: &ChipManifest, options: &Options) -> Result<Report, SynthError> {
    let axi = axi::render(chip, &AxiOptions::of(chip))?;
    shop.write("warpsmith_axi.v", axi)?;
    // The processor's PLL makes the clock; Vivado takes the nearest it can.
    let mhz = options.clock_mhz.unwrap_or(25.0);
    let settings = format!("set part {ZYNQ_PART}\nset board_part {ZYNQ_BOARD}\nset clock_mhz {mhz}\nset jobs 2\n");
    shop.write("settings.tcl", settings)?;
    shop.write("project.tcl", ZYNQ_TCL)?;
    Ok(Report {
        device: ZYNQ_PART.into(),
        clock_mhz: Some(mhz),
        outputs: vec!["project.tcl".into()],
        ..Report::default()
    })
}
