//! Bitstream of a SoC on a board with an ECP5: Yosys, nextpnr and ecppack on the Verilog and constraints that LiteX wrote.

use crate::synth::flow::{Options, Step, SynthError, Workshop};
use crate::synth::{ecp5_flow, finish, Expected, Report, RESULTS};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What `soc.py` writes of a board with an ECP5.
const DESCRIPTION: &str = "ecp5.json";

/// A SoC that is to be placed.
#[derive(Deserialize)]
struct Description {
    /// The module that is the FPGA; its constraints have the same name.
    top: String,
    /// The device by its full name.
    device: String,
    /// Verilog files.
    sources: Vec<PathBuf>,
}

/// Makes bitstream and report in the folder `gateware` of LiteX's files; nothing for a board without a description. Copies of
/// protected registers are not looked for: they lie deeper than in the tops of this project.
///
/// # Errors
/// A tool is missing or fails, or the SoC does not fit.
pub(super) fn make(
    gateware: &Path, board: &str, config: &str, mhz: f64, options: &Options, say: &mut dyn FnMut(Step),
) -> Result<Option<Report>, SynthError> {
    let path = gateware.join(DESCRIPTION);
    if !path.is_file() {
        return Ok(None);
    }
    let wrong = |what: String| SynthError::Output { path: path.clone(), what };
    let mut shop = Workshop::new(gateware, say)?;
    let description: Description = serde_json::from_str(&shop.read(DESCRIPTION)?)
        .map_err(|e| wrong(format!("a SoC for an ECP5 was expected ({e})")))?;
    let of_device = |e: String| wrong(format!("device {}: {e}", description.device));
    let part = description.device.parse().map_err(of_device)?;
    let mut script = String::new();
    for source in &description.sources {
        let _ = writeln!(script, "read_verilog -defer {}", source.display());
    }
    // LiteX writes `keep` as a string.
    script += "attrmap -tocase keep -imap keep=\"true\" keep=1 -imap keep=\"false\" keep=0 -remove keep=0\n";
    let _ = writeln!(script, "hierarchy -top {0}\nrename {0} top", description.top);
    let constraints = format!("{}.lpf", description.top);
    let pins = ["--lpf", &constraints];
    let mut report = ecp5_flow(&mut shop, &script, &Expected::default(), &pins, mhz, &part, options)?;
    finish(&shop, &mut report, &format!("{board}, SoC"), config)?;
    Ok(Some(report))
}

/// Removes what a former run has left in the folder `gateware`.
///
/// # Errors
/// A file cannot be removed.
pub(super) fn clear(gateware: &Path, say: &mut dyn FnMut(Step)) -> Result<(), SynthError> {
    let shop = Workshop::new(gateware, say)?;
    [DESCRIPTION].iter().chain(&RESULTS).try_for_each(|name| shop.remove(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(description: Option<&str>) -> Result<Option<Report>, String> {
        let dir = tempfile::tempdir().expect("a folder");
        if let Some(text) = description {
            std::fs::write(dir.path().join(DESCRIPTION), text).expect("a file");
        }
        let options = Options { clock_mhz: None, part: None, seed: 1, seeds: 1, route: true };
        make(dir.path(), "ulx3s", "tiny", 40.0, &options, &mut |_| {}).map_err(|e| e.to_string())
    }

    #[test]
    fn a_board_without_a_description_has_no_bitstream() {
        assert_eq!(made(None), Ok(None));
    }

    #[test]
    fn a_description_of_another_device_is_refused_by_its_name() {
        let text = r#"{"top": "top", "device": "xc7a35t", "sources": []}"#;
        let error = made(Some(text)).expect_err("no ECP5");
        assert!(error.contains(DESCRIPTION) && error.contains("xc7a35t"), "{error}");
        let error = made(Some("{}")).expect_err("no SoC");
        assert!(error.contains(DESCRIPTION) && error.contains("missing field"), "{error}");
    }
}
