//! Area of a chip alone in `synth_xilinx`, and its baseline: lookup tables, flip-flops, DSPs and block
//! RAMs of the named configurations, `fpga/area.toml`.

use super::copies::Expected;
use super::flow::{SynthError, Workshop};
use super::place::cells;
use super::report::Report;
use super::tools::Tool;
use crate::chip::ChipManifest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Area of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// LUT1 to LUT6; not those that are distributed RAM or shift registers.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// DSP48E1.
    pub dsps: u64,
    /// RAMB36E1, and RAMB18E1 as halves.
    pub brams: f64,
}

/// The baseline's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Yosys that counted.
    pub yosys: String,
    /// How much more is accepted, in per cent.
    pub margin_percent: f64,
    /// Configuration to area, the trace port off.
    pub area: BTreeMap<String, Area>,
}

impl Baseline {
    /// Figures of `now` that differ from the baseline by more than the margin: a line each.
    /// A smaller figure counts too: without renewing the file a later growth would go unnoticed.
    pub fn objections(&self, name: &str, now: &Area) -> Vec<String> {
        let Some(was) = self.area.get(name) else {
            return vec![format!("{name}: not in the baseline")];
        };
        let pairs = [
            ("LUT", was.luts as f64, now.luts as f64),
            ("FF", was.ffs as f64, now.ffs as f64),
            ("DSP", was.dsps as f64, now.dsps as f64),
            ("BRAM", was.brams, now.brams),
        ];
        pairs
            .iter()
            .filter(|(_, was, now)| (now - was).abs() > was * self.margin_percent / 100.0)
            .map(|(kind, was, now)| format!("{name}: {now} {kind}, the baseline has {was}"))
            .collect()
    }
}

/// The script that counts; `-nowidelut`, as MUXF7 and MUXF8 would hide tables.
const SCRIPT: &str = "read_verilog rtl/warpsmith.v
synth_xilinx -family xc7 -nowidelut FLATTEN -top warpsmith
tee -q -o stat.json stat -top warpsmith -json
";

/// Most lanes of a chip that is counted flattened: beyond, that takes a quarter of an hour and more.
/// Block by block the count is some per cent higher.
const FLAT_LANES: u32 = 16;

/// Area of the chip in `out`/rtl.
pub(super) fn xilinx(shop: &mut Workshop, chip: &ChipManifest) -> Result<Report, SynthError> {
    let yosys = shop.tool(Tool::Yosys)?;
    let lanes = chip.number("lanes")? * chip.number("sms")?;
    let flatten = match lanes <= FLAT_LANES {
        true => "-flatten",
        false => "",
    };
    let copies = Expected::of(shop)?;
    let output = if copies.is_empty() { "" } else { "write_json netlist.json\n" };
    shop.write("synth.ys", SCRIPT.replace("FLATTEN", flatten) + output)?;
    shop.run("synthesis", &yosys, &["synth.ys"])?;
    let copied_bits = copies.check(shop, "warpsmith")?;
    let cells = cells(shop)?;
    let count = |kind: &str| cells.get(kind).copied().unwrap_or(0);
    Ok(Report {
        device: "Xilinx 7 series, any".into(),
        luts: (1..=6).map(|n| count(&format!("LUT{n}"))).sum(),
        ffs: ["FDRE", "FDSE", "FDCE", "FDPE"].map(count).iter().sum(),
        dsps: count("DSP48E1"),
        brams: count("RAMB36E1") as f64 + 0.5 * count("RAMB18E1") as f64,
        copied_bits,
        cells: cells.clone(),
        ..Report::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_per_cent_pass_and_three_do_not() {
        let was = Area { luts: 10_000, ffs: 5_000, dsps: 20, brams: 10.5 };
        let baseline = Baseline { yosys: "0.70".into(), margin_percent: 2.0, area: [("tiny".to_string(), was)].into() };
        let says = |area: Area| baseline.objections("tiny", &area).len();
        assert_eq!(says(was), 0);
        assert_eq!(says(Area { luts: 10_200, ffs: 4_900, ..was }), 0);
        assert_eq!(says(Area { luts: 10_300, ..was }), 1);
        assert_eq!(says(Area { ffs: 4_850, ..was }), 1);
        assert_eq!(says(Area { dsps: 21, brams: 11.0, ..was }), 2);
        assert_eq!(baseline.objections("huge", &was).len(), 1);
    }
}
