//! Bitstream of a SoC on a board with an ECP5: Yosys, nextpnr and ecppack on the Verilog and constraints that LiteX wrote.

use crate::synth::flow::{Options, Step, SynthError, Workshop};
use crate::synth::{ecp5_flow, Expected, Report, RESULTS};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What `soc.py` writes of a board with an ECP5.
pub(super) const DESCRIPTION: &str = "ecp5.json";
/// The folder of LiteX's files; the initial values of memories are read from it.
const GATEWARE: &str = "gateware";

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

/// Makes the bitstream in [`GATEWARE`] below `out`, and the report in `out`; nothing for a board without a description. Copies of
/// protected registers are not looked for: they lie deeper than in the tops of this project.
///
/// # Errors
/// A tool is missing or fails, or the SoC does not fit.
pub(super) fn make(
    out: &Path, board: &str, config: &str, mhz: f64, options: &Options, say: &mut dyn FnMut(Step),
) -> Result<Option<Report>, SynthError> {
    let path = out.join(DESCRIPTION);
    if !path.is_file() {
        return Ok(None);
    }
    let wrong = |what: String| SynthError::Output { path: path.clone(), what };
    let shop = Workshop::new(out, say)?;
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
    let mut gateware = Workshop::new(&out.join(GATEWARE), shop.say)?;
    for name in RESULTS {
        gateware.remove(name)?;
    }
    let constraints = format!("{}.lpf", description.top);
    let mut report =
        ecp5_flow(&mut gateware, &script, &Expected::default(), &["--lpf", &constraints], mhz, &part, options)?;
    report.target = format!("{board}, SoC");
    report.config = config.into();
    report.tools = gateware.tools.clone();
    report.seconds = gateware.seconds.clone();
    report.outputs = report.outputs.iter().map(|name| format!("{GATEWARE}/{name}")).collect();
    let shop = Workshop::new(out, gateware.say)?;
    shop.write("report.md", report.page())?;
    shop.write("report.json", report.json())?;
    Ok(Some(report))
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
