//! A netlist of gates: flattened, memories kept as arrays, as Verilog and as Yosys' JSON.
//!
//! The folder is an emitted one, with the chip's ports: `warpsmith cosim --rtl` runs it. Memories stay
//! arrays, or the registers of a chip would be half a million flip-flops.

use super::copies::Expected;
use super::flow::{SynthError, Workshop};
use super::place::cells;
use super::report::Report;
use super::tools::Tool;
use crate::chip::ChipManifest;

/// From Verilog to gates, of the one module nothing instantiates: `synth` as Yosys does it, without the
/// step that maps memories to flip-flops.
pub const GATES: &str = "synth -flatten -auto-top -run begin:fine
opt -fast -full
opt -undriven -fine
techmap
dffunmap
opt -fast
abc -g AND,OR,XOR,NAND,NOR,XNOR,MUX
opt -fast
opt_clean -purge
check -assert
";

/// Yosys commands that write the gates.
const OUTPUT: &str = "tee -q -o stat.json stat -json
write_json netlist.json
write_verilog -noattr warpsmith.v.part
";

/// Gates of a single block: Yosys' JSON, of one flat module. `verilog` has the block and what it instantiates.
///
/// # Errors
/// Yosys is missing or fails, or a file cannot be written.
pub fn of_block(shop: &mut Workshop, verilog: &str) -> Result<String, SynthError> {
    let yosys = shop.tool(Tool::Yosys)?;
    shop.write("rtl.v", verilog)?;
    shop.write("synth.ys", format!("read_verilog rtl.v\n{GATES}write_json netlist.json\n"))?;
    shop.run("synthesis", &yosys, &["synth.ys"])?;
    shop.read("netlist.json")
}

/// Gates and memories of the chip in `out`/rtl.
pub(super) fn make(shop: &mut Workshop, chip: &ChipManifest) -> Result<Report, SynthError> {
    let yosys = shop.tool(Tool::Yosys)?;
    let script = format!("read_verilog rtl/warpsmith.v\n{GATES}{OUTPUT}");
    shop.write("synth.ys", script)?;
    shop.run("synthesis", &yosys, &["synth.ys"])?;
    let copied_bits = Expected::of(shop)?.check(shop, &chip.top)?;
    let text = shop.read("warpsmith.v.part")?;
    let verilog = format!(
        "// Warpsmith chip, configuration `{}`, as gates. Written by `warpsmith synth --target gates`.\n{text}",
        chip.name
    );
    shop.write("warpsmith.v", &verilog)?;
    let _ = std::fs::remove_file(shop.out.join("warpsmith.v.part"));
    let list = "warpsmith.v\n";
    shop.write("files.f", list)?;
    // Modules are the RTL's and go.
    let manifest = crate::chip::remade(
        &shop.read("rtl/manifest.json")?,
        [("modules", serde_json::json!({}))],
        [("files.f", list), ("warpsmith.v", verilog.as_str())],
    )?;
    shop.write("manifest.json", manifest)?;
    let cells = cells(shop)?;
    let some = |what: fn(&str) -> bool| -> u64 {
        let of = cells.iter().filter(|(k, _)| what(k));
        of.map(|(_, n)| n).sum()
    };
    let memory = |k: &str| k.starts_with("$mem");
    let ff = |k: &str| k.contains("DFF");
    Ok(Report {
        device: "gates; LUT counts them, BRAM counts memories".into(),
        luts: some(|k| k.starts_with("$_") && !k.contains("DFF")),
        ffs: some(ff),
        brams: some(memory) as f64,
        copied_bits,
        cells: cells.clone(),
        outputs: ["warpsmith.v", "netlist.json", "manifest.json", "files.f"].map(String::from).into(),
        ..Report::default()
    })
}
