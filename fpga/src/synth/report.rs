//! Report of a synthesis: cells, clock, critical path by block; as JSON and as a page.

use super::netlist::{Bit, Netlist};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The report of one synthesis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Target.
    pub target: String,
    /// Configuration of the chip.
    pub config: String,
    /// Device.
    pub device: String,
    /// Seed of place and route, the fastest of those tried; none without place and route.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<u64>,
    /// Seeds tried, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub seeds: Vec<Tried>,
    /// Tool to version.
    pub tools: BTreeMap<String, String>,
    /// Lookup tables: on ECP5 those of carries and distributed RAM too, on Gowin as well, on Xilinx
    /// LUT1 to LUT6 alone.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Multipliers: 18 × 18 on ECP5, DSP48E1 on Xilinx, any on Gowin.
    pub dsps: u64,
    /// Block RAMs: 18 Kibit on ECP5 and Gowin, halves of 36 Kibit ones as 0.5 on Xilinx.
    pub brams: f64,
    /// Bits of registers in copies, each found with all its copies; none on a chip without any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copied_bits: Option<u64>,
    /// Cells by the tool's own names.
    pub cells: BTreeMap<String, u64>,
    /// Capacity of the device by the place and route's names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub available: BTreeMap<String, u64>,
    /// Clock asked for, in MHz.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock_mhz: Option<f64>,
    /// Clock reached, in MHz.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fmax_mhz: Option<f64>,
    /// Longest path between registers of the chip's clock.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub critical_path: Option<Path>,
    /// Remark on these figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remark: Option<String>,
    /// Seconds of each stage, in order.
    pub seconds: Vec<(String, f64)>,
    /// Files for a user, below the folder.
    pub outputs: Vec<String>,
}

/// A seed of place and route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The seed.
    pub seed: u64,
    /// Clock reached, in MHz; none where it was not routed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fmax_mhz: Option<f64>,
}

/// A path from a register to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// Register it starts at.
    pub start: String,
    /// Register it ends at.
    pub end: String,
    /// Its length in ns.
    pub ns: f64,
    /// Blocks it passes, in order.
    pub blocks: Vec<Passage>,
}

/// Delay of a path in one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Instances below the top, joined by dots.
    pub block: String,
    /// In its cells, in ns.
    pub logic_ns: f64,
    /// On wires that begin in it, in ns.
    pub routing_ns: f64,
    /// Signals on the way, as far as they have names.
    pub signals: Vec<String>,
}

/// Figures of nextpnr's `--report` file.
#[derive(Debug, Deserialize)]
pub(super) struct Nextpnr {
    /// Clock net to frequencies.
    #[serde(default)]
    pub fmax: BTreeMap<String, Fmax>,
    /// Kind of cell to counts.
    pub utilization: BTreeMap<String, Used>,
    #[serde(default)]
    critical_paths: Vec<RawPath>,
}

/// A clock.
#[derive(Debug, Deserialize)]
pub(super) struct Fmax {
    /// MHz.
    pub achieved: f64,
}

/// Cells of a kind.
#[derive(Debug, Deserialize)]
pub(super) struct Used {
    pub used: u64,
    pub available: u64,
}

#[derive(Debug, Deserialize)]
struct RawPath {
    from: String,
    to: String,
    path: Vec<Hop>,
}

#[derive(Debug, Deserialize)]
struct Hop {
    delay: f64,
    from: End,
    to: End,
    #[serde(default)]
    net: Option<String>,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct End {
    cell: String,
}

impl Nextpnr {
    /// The clock that limits: of the nets nextpnr names, the slowest.
    pub fn slowest(&self) -> Option<f64> {
        let all = self.fmax.values().map(|f| f.achieved);
        all.min_by(f64::total_cmp)
    }

    /// Cells used, by kind.
    pub fn used(&self, kind: &str) -> u64 {
        self.utilization.get(kind).map_or(0, |u| u.used)
    }

    /// Longest path from a clock to the same clock, block by block.
    pub fn critical(&self) -> Option<Path> {
        let length = |p: &RawPath| p.path.iter().map(|h| h.delay).sum::<f64>();
        let path = self
            .critical_paths
            .iter()
            .filter(|p| p.from == p.to && p.from != "<async>")
            .max_by(|a, b| length(a).total_cmp(&length(b)))?;
        let (first, last) = (path.path.first()?, path.path.last()?);
        let mut blocks: Vec<Passage> = vec![];
        for hop in &path.path {
            let block = block_of(&hop.from.cell);
            if blocks.last().is_none_or(|b| b.block != block) {
                blocks.push(Passage { block, logic_ns: 0.0, routing_ns: 0.0, signals: vec![] });
            }
            let at = blocks.last_mut().expect("just pushed");
            if hop.kind == "routing" {
                at.routing_ns += hop.delay;
                let name = hop.net.as_deref().map(signal_of).unwrap_or_default();
                if !name.is_empty() && at.signals.last() != Some(&name) {
                    at.signals.push(name);
                }
            } else {
                at.logic_ns += hop.delay;
            }
        }
        for b in &mut blocks {
            b.logic_ns = rounded(b.logic_ns);
            b.routing_ns = rounded(b.routing_ns);
        }
        Some(Path {
            start: register_of(&first.from.cell),
            end: register_of(&last.to.cell),
            ns: rounded(length(path)),
            blocks,
        })
    }
}

/// Picoseconds are enough.
fn rounded(ns: f64) -> f64 {
    (ns * 1000.0).round() / 1000.0
}

/// Instance of the chip in tops and wrappers.
const CHIP: &str = "chip";

/// Instances a flattened name lies in: all but its last part, counted from the chip on where it is
/// one of the chip's; `top` outside of any.
fn block_of(name: &str) -> String {
    let mut parts: Vec<&str> = name.split('.').collect();
    parts.pop();
    if let Some(chip) = parts.iter().position(|p| *p == CHIP) {
        // A cell of the chip's top itself is told as the chip's.
        let own = usize::from(parts.len() > chip + 1);
        parts.drain(..chip + own);
    }
    match parts.is_empty() {
        true => "top".into(),
        false => parts.join("."),
    }
}

/// The signal of a net or cell: the last part, without what the mapper added.
fn signal_of(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.starts_with('$') {
        return String::new();
    }
    let ends = ["_LUT", "_TRELLIS", "_PFUMX", "_L6MUX", "_CCU2C", "_MULT", "_DP16", "_DFF", "_ALU", "_MUX2", "_$", "$"];
    let end = ends.iter().filter_map(|e| last.find(e)).min();
    last[..end.unwrap_or(last.len())].to_string()
}

fn register_of(cell: &str) -> String {
    format!("{}.{}", block_of(cell), signal_of(cell))
}

impl Report {
    /// Whether the clock asked for is reached; none without place and route.
    pub fn meets_clock(&self) -> Option<bool> {
        Some(self.fmax_mhz? >= self.clock_mhz?)
    }

    /// The page `report.md`, and what `synth` prints.
    pub fn page(&self) -> String {
        let mut s = format!("# {} on {}\n\n", self.config, self.target);
        let mut row = |what: &str, value: String| {
            let _ = writeln!(s, "| {what} | {value} |");
        };
        row("what", "value".into());
        row("---", "---".into());
        if !self.device.is_empty() {
            row("device", self.device.clone());
        }
        // A project has none yet.
        if !self.cells.is_empty() {
            row("LUT", self.of(self.luts as f64, &["TRELLIS_COMB", "LUT4"]));
            row("FF", self.of(self.ffs as f64, &["TRELLIS_FF", "DFF"]));
            row("DSP", self.of(self.dsps as f64, &["MULT18X18D"]));
            row("BRAM", self.of(self.brams, &["DP16KD", "BSRAM"]));
        }
        if let Some(bits) = self.copied_bits {
            row("copies of registers", format!("0 unprotected bits of {bits}"));
        }
        if let Some(mhz) = self.clock_mhz {
            row("clock made", format!("{mhz:.2} MHz"));
        }
        if let Some(mhz) = self.fmax_mhz {
            row("clock reached", format!("{mhz:.2} MHz"));
        }
        if let [_, _, ..] = &self.seeds[..] {
            let clock = |t: &Tried| t.fmax_mhz.map_or("not routed".into(), |mhz| format!("{mhz:.2}"));
            let all: Vec<String> = self.seeds.iter().map(|t| format!("{}: {}", t.seed, clock(t))).collect();
            row("seeds, MHz", all.join(", "));
        }
        for (tool, version) in &self.tools {
            row(tool, version.clone());
        }
        for (stage, seconds) in &self.seconds {
            row(stage, format!("{seconds:.1} s"));
        }
        if let Some(remark) = &self.remark {
            let _ = write!(s, "\n{remark}\n");
        }
        if let Some(path) = &self.critical_path {
            let _ = write!(
                s,
                "\n## Critical path: {:.2} ns\n\nFrom `{}` to `{}`:\n\n| block | logic ns | routing ns | signals |\n|---|---|---|---|\n",
                path.ns, path.start, path.end
            );
            for b in &path.blocks {
                let _ = writeln!(
                    s,
                    "| `{}` | {:.2} | {:.2} | {} |",
                    b.block,
                    b.logic_ns,
                    b.routing_ns,
                    b.signals.join(", ")
                );
            }
        }
        if !self.outputs.is_empty() {
            s += "\n## Files\n\n";
            for name in &self.outputs {
                let _ = writeln!(s, "- `{name}`");
            }
        }
        s
    }

    /// A count, and what share of the device it is.
    fn of(&self, count: f64, kinds: &[&str]) -> String {
        let available = kinds.iter().find_map(|k| self.available.get(*k));
        match available {
            Some(&n) if n > 0 => {
                format!("{count} of {n} ({:.0} %)", 100.0 * count / n as f64)
            }
            _ => count.to_string(),
        }
    }
}

/// Cells by type of Yosys' `stat -json`.
pub(super) fn cells_of(stat: &str) -> Option<BTreeMap<String, u64>> {
    let value: serde_json::Value = serde_json::from_str(stat).ok()?;
    let cells = value["design"]["num_cells_by_type"].as_object()?;
    cells.iter().map(|(k, v)| Some((k.clone(), v.as_u64()?))).collect()
}

/// Places of a LUT4 that Yosys' netlist of a GW2A takes at the least: one for each LUT and each bit of
/// an adder, the eight of a tile for a distributed RAM, and one for each flip-flop whose input is not
/// the output of a LUT or adder: it has no way in but through the LUT of its own place. Of flip-flops
/// with one source one shares its place.
///
/// `None`: not a netlist with a module `top`. Source: nextpnr 0.11.1, `himbaechel/uarch/gowin`: the wire
/// `XD` of a flip-flop has its LUT's `F` as its only source (`gowin_arch_gen.py`), and a
/// place with a LUT that is not it is refused (`slice_valid` in `gowin.cc`).
pub(super) fn gowin_places(netlist: &str) -> Option<u64> {
    let netlist: Netlist = serde_json::from_str(netlist).ok()?;
    let cells = &netlist.modules.get("top")?.cells;
    let mut sources = BTreeSet::new();
    let (mut places, mut inputs) = (0, vec![]);
    for cell in cells.values() {
        let net = |port: &str| match cell.connections.get(port)?.first()? {
            Bit::Net(number) => Some(*number),
            Bit::Constant(_) => None,
        };
        if cell.kind.starts_with("LUT") {
            places += 1;
            sources.extend(net("F"));
        } else if cell.kind == "ALU" {
            places += 1;
            sources.extend(net("SUM"));
        } else if cell.kind.starts_with("RAM16") {
            places += 8;
        } else if cell.kind.starts_with("DFF") {
            inputs.push(net("D"));
        }
    }
    let alone = |d: &&Option<u64>| !d.is_some_and(|net| sources.remove(&net));
    Some(places + inputs.iter().filter(alone).count() as u64)
}

impl Report {
    /// The file `report.json`.
    pub fn json(&self) -> String {
        // Strings and numbers only: it cannot fail.
        serde_json::to_string_pretty(self).expect("a report is JSON") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// nextpnr 0.11.1's report of a small design: a shift register around `u_sm_0`, which holds `u_lane_0`.
    const SAMPLE: &str = include_str!("sample.json");

    #[test]
    fn critical_path_is_told_by_blocks() {
        let found: Nextpnr = serde_json::from_str(SAMPLE).expect("the sample");
        assert_eq!((found.used("TRELLIS_COMB"), found.used("DP16KD")), (136, 0));
        assert!((found.slowest().expect("a clock") - 119.56).abs() < 0.01);
        let path = found.critical().expect("a path");
        assert_eq!(path.start, "u_sm_0.a");
        assert_eq!(path.blocks[0].block, "u_sm_0");
        assert_eq!(path.blocks[0].signals, ["a[14]"]);
        assert_eq!(path.blocks[1].block, "u_sm_0.u_lane_0");
        // The path is as long as the clock's period, and the blocks share all of it.
        let sum: f64 = path.blocks.iter().map(|b| b.logic_ns + b.routing_ns).sum();
        assert!((sum - path.ns).abs() < 0.005, "{path:?}");
        assert!((1000.0 / path.ns - 119.56).abs() < 0.1, "{path:?}");
    }

    #[test]
    fn a_flip_flop_shares_the_place_of_the_lut_before_it() {
        let cell =
            |kind: &str, connections: serde_json::Value| serde_json::json!({"type": kind, "connections": connections});
        let netlist = serde_json::json!({"modules": {"LUT4": {"cells": {}}, "top": {"cells": {
            "table": cell("LUT4", serde_json::json!({"F": [5]})),
            "half": cell("LUT1", serde_json::json!({"F": [6]})),
            "adder": cell("ALU", serde_json::json!({"SUM": [7], "COUT": [8]})),
            "memory": cell("RAM16SDP4", serde_json::json!({"DO": [9, 10, 11, 12]})),
            "behind_table": cell("DFFE", serde_json::json!({"D": [5], "Q": [20]})),
            "behind_it_too": cell("DFFR", serde_json::json!({"D": [5], "Q": [21]})),
            "behind_adder": cell("DFF", serde_json::json!({"D": [7], "Q": [22]})),
            "behind_memory": cell("DFF", serde_json::json!({"D": [9], "Q": [23]})),
            "behind_flip_flop": cell("DFFS", serde_json::json!({"D": [20], "Q": [24]})),
            "constant": cell("DFF", serde_json::json!({"D": ["1"], "Q": [25]})),
            "pad": cell("OBUF", serde_json::json!({"I": [25]})),
        }}}});
        // Tables 2, adder 1, memory 8; four flip-flops of six stand alone.
        assert_eq!(gowin_places(&netlist.to_string()), Some(15));
        assert_eq!(gowin_places(r#"{"modules": {}}"#), None);
        assert_eq!(gowin_places("no netlist"), None);
    }

    #[test]
    fn names_lose_what_the_tools_added() {
        let names = [
            ("uart.chip.u_sm_0.q_TRELLIS_FF_Q_3", "u_sm_0.q"),
            ("chip.u_sm_0.u_lane_0.sum_LUT4_Z", "u_sm_0.u_lane_0.sum"),
            ("uart.state_TRELLIS_FF_Q", "uart.state"),
            ("so_TRELLIS_FF_Q", "top.so"),
            ("uart.chip.busy_TRELLIS_FF_Q", "chip.busy"),
            ("uart.memory.line_TRELLIS_FF_Q", "uart.memory.line"),
        ];
        for (cell, wanted) in names {
            assert_eq!(register_of(cell), wanted);
        }
    }

    #[test]
    fn page_and_json_hold_what_a_user_asks_for() {
        let found: Nextpnr = serde_json::from_str(SAMPLE).expect("the sample");
        let report = Report {
            target: "ulx3s".into(),
            config: "tiny".into(),
            luts: 136,
            cells: [("LUT4".to_string(), 136)].into(),
            available: [("TRELLIS_COMB".to_string(), 24_288)].into(),
            copied_bits: Some(33),
            clock_mhz: Some(120.0),
            fmax_mhz: found.slowest(),
            critical_path: found.critical(),
            seconds: vec![("synthesis".into(), 12.34)],
            remark: Some("Of a cold day.".into()),
            ..Report::default()
        };
        assert_eq!(report.meets_clock(), Some(false));
        let page = report.page();
        for text in [
            "| LUT | 136 of 24288 (1 %) |",
            "| copies of registers | 0 unprotected bits of 33 |",
            "| clock reached | 119.56 MHz |",
            "| synthesis | 12.3 s |",
            "\nOf a cold day.\n",
            "From `u_sm_0.a` to `",
            "| `u_sm_0.u_lane_0` |",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        let back: Report = serde_json::from_str(&report.json()).expect("JSON");
        assert_eq!(back, report);
    }

    #[test]
    fn counts_of_yosys_are_read() {
        let stat = r#"{"modules": {}, "design": {"num_cells": 3, "num_cells_by_type": {"LUT4": 2, "CCU2C": 1}}}"#;
        let cells = cells_of(stat).expect("counts");
        assert_eq!((cells["LUT4"], cells["CCU2C"]), (2, 1));
        assert_eq!(cells_of("{}"), None);
    }
}
