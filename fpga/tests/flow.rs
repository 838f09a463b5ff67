//! The whole way from Verilog to a bitstream and its report, around a stand-in for the chip that
//! takes seconds: the chip's ports, a multiplier, adders, and as much memory as a test wants.

use serde_json::{json, Value};
use std::path::Path;
use warpsmith_fpga::synth::board::{Board, ECPIX5, ORANGECRAB, TANG_NANO_20K, ULX3S};
use warpsmith_fpga::synth::{synth, Options, Report, SynthError, Target};

/// Writes `rtl/` of a chip whose outputs are bits of `sum`, a register behind a multiplier in the
/// instance `u_sum`; `words` of 256 bits of block RAM are on the way to it.
fn stand_in(out: &Path, words: usize) {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../rtl-out/default/manifest.json");
    let text = std::fs::read_to_string(manifest).expect("the committed chip");
    let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
    let ports = manifest["ports"].as_array_mut().expect("a list");
    ports.retain(|p| !p["name"].as_str().expect("a name").starts_with("tr0_"));
    let (mut header, mut drive) = (vec![], String::new());
    for port in ports {
        let (name, width) = (port["name"].as_str().expect("a name"), &port["width"]);
        let direction = port["direction"].as_str().expect("a direction");
        header.push(format!("{direction} wire [{width}-1:0] {name}"));
        if direction == "output" {
            drive += &format!("    assign {name} = {{{width}{{1'b1}}}} & {{8{{sum}}}};\n");
        }
    }
    manifest["name"] = json!("stand-in");
    let memory = match words {
        0 => "wire [31:0] word = ~at;".into(),
        _ => format!(
            "reg [255:0] memory [0:{}]; reg [255:0] read;
    always @(posedge clock) begin
        read <= memory[at[15:0]];
        if (at[31]) memory[at[15:0]] <= {{8{{sum}}}};
    end
    wire [31:0] word = read[255:224] ^ read[223:192] ^ read[191:160] ^ read[159:128]
        ^ read[127:96] ^ read[95:64] ^ read[63:32] ^ read[31:0];",
            words - 1
        ),
    };
    let verilog = format!(
        "module sums (input wire clock, input wire [31:0] a, input wire [31:0] b, output reg [31:0] sum);
    reg [31:0] at;
    {memory}
    // A multiplier and seven adders in a row: no path of the wrapper is as long.
    wire [31:0] s0 = sum * word ^ at;
    wire [31:0] s1 = s0 + {{s0[15:0], s0[31:16]}}, s2 = s1 + {{s1[15:0], s1[31:16]}};
    wire [31:0] s3 = s2 + {{s2[15:0], s2[31:16]}}, s4 = s3 + {{s3[15:0], s3[31:16]}};
    wire [31:0] s5 = s4 + {{s4[15:0], s4[31:16]}}, s6 = s5 + {{s5[15:0], s5[31:16]}};
    always @(posedge clock) begin
        at <= a ^ b;
        sum <= s6 + at;
    end
endmodule
module warpsmith (\n    {}\n);
    wire [31:0] sum;
    sums u_sum (.clock(clock), .a(mem_rdata[31:0]), .b(bus_wdata), .sum(sum));
{drive}endmodule\n",
        header.join(",\n    ")
    );
    let rtl = out.join("rtl");
    std::fs::create_dir_all(&rtl).expect("a folder");
    std::fs::write(rtl.join("warpsmith.v"), verilog).expect("room");
    std::fs::write(rtl.join("manifest.json"), manifest.to_string()).expect("room");
    std::fs::write(rtl.join("sites.json"), "[]").expect("room");
}

/// What the flow makes of the stand-in; `None`, with a line, when a tool is missing.
fn flow(target: Target, words: usize, out: &Path) -> Option<Result<Report, SynthError>> {
    flow_with(target, words, out, &Options { clock_mhz: None, part: None, seed: 1, seeds: 1, route: true })
}

fn flow_with(target: Target, words: usize, out: &Path, options: &Options) -> Option<Result<Report, SynthError>> {
    stand_in(out, words);
    match synth(target, options, out, &mut |_| ()) {
        Err(SynthError::Missing(e)) => {
            warpsmith_testkit::absent(e);
            None
        }
        result => Some(result),
    }
}

/// A bitstream of at least `bytes`, and a report that knows the clock and a path through
/// `longest`.
fn goes_through(board: &'static Board, bytes: u64, longest: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(result) = flow(Target::Board(board), 0, dir.path()) else { return };
    let report = result.unwrap_or_else(|e| panic!("{}: {e}", board.name));
    println!("{}", report.page());
    assert_eq!((report.target.as_str(), report.config.as_str()), (board.name, "stand-in"));
    let file = report.outputs.iter().find(|o| o.starts_with("bitstream"));
    let file = dir.path().join(file.expect("a bitstream"));
    let size = std::fs::metadata(&file).expect("the file").len();
    assert!(size > bytes, "{}: {size} bytes", file.display());
    // The multiplier, the UART with its memory and no more than that.
    assert!(report.dsps > 0 && report.ffs > 100, "{report:?}");
    assert!((300..6000).contains(&report.luts), "{report:?}");
    assert!(report.brams * 2048.0 >= f64::from(board.memory_bytes), "{report:?}");
    assert!(report.available.values().any(|n| *n > 10_000), "{report:?}");
    let (asked, reached) = (report.clock_mhz.expect("asked"), report.fmax_mhz.expect("reached"));
    assert!((asked - f64::from(board.clock_khz) / 1000.0).abs() < 0.05 * asked);
    let path = report.critical_path.as_ref().expect("a path");
    assert!((1000.0 / path.ns - reached).abs() < 0.02 * reached, "{path:?}");
    assert!(path.blocks.iter().any(|b| b.block.starts_with(longest)), "{path:?}");
    let stages: Vec<&str> = report.seconds.iter().map(|s| s.0.as_str()).collect();
    assert_eq!(stages, ["synthesis", "place and route", "bitstream"]);
    let json = std::fs::read_to_string(dir.path().join("report.json")).expect("the report");
    let back: Report = serde_json::from_str(&json).expect("JSON");
    assert_eq!(back.page(), report.page());
}

#[test]
fn a_small_chip_becomes_a_bitstream_for_the_ulx3s() {
    goes_through(&ULX3S, 100_000, "u_sum");
}

#[test]
#[ignore = "two minutes; make soak runs it"]
fn a_small_chip_becomes_a_bitstream_for_the_other_ecp5_boards() {
    for board in [&ORANGECRAB, &ECPIX5] {
        goes_through(board, 100_000, "u_sum");
    }
}

/// The fastest of the seeds counts, its files have the names of a run with one seed, and those of the others are gone.
#[test]
fn seeds_are_tried_and_the_fastest_counts() {
    let dir = tempfile::tempdir().expect("a folder");
    let part = "LFE5UM5G-25F-8BG381C".parse().expect("a part");
    let options = Options { clock_mhz: Some(100.0), part: Some(part), seed: 7, seeds: 2, route: true };
    let Some(result) = flow_with(Target::Ecp5, 0, dir.path(), &options) else { return };
    let report = result.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(report.device, "LFE5UM5G-25F-8BG381C");
    let clocks: Vec<f64> = report.seeds.iter().map(|t| t.fmax_mhz.expect("routed")).collect();
    assert_eq!(report.seeds.iter().map(|t| t.seed).collect::<Vec<_>>(), [7, 8]);
    let fastest = clocks.iter().copied().max_by(f64::total_cmp);
    assert!(clocks.iter().any(|c| Some(*c) != fastest), "seeds differ: {clocks:?}");
    assert_eq!(report.fmax_mhz, fastest);
    assert_eq!(report.seed, Some(7 + clocks.iter().position(|c| Some(*c) == fastest).expect("there") as u64));
    let page = report.page();
    assert!(page.contains(&format!("| seeds, MHz | 7: {:.2}, 8: ", clocks[0])), "{page}");
    let mut names: Vec<String> = std::fs::read_dir(dir.path())
        .expect("a folder")
        .map(|e| e.expect("there").file_name().to_string_lossy().into())
        .collect();
    names.retain(|n| n.contains("place"));
    names.sort();
    let logs = [7, 8].map(|seed| format!("place-and-route-{seed}.log"));
    assert_eq!(names, [&logs[..], &["place.config".into(), "place.json".into()]].concat());
}

#[test]
#[ignore = "minutes, in a device that is small; make soak runs it"]
fn a_small_chip_becomes_a_bitstream_for_the_tang_nano() {
    // What is behind a multiplier is missing in the times of nextpnr for Gowin.
    goes_through(&TANG_NANO_20K, 100_000, "uart.memory");
}

/// `words` of 256 bits are more than the board's device has.
fn is_too_large(board: &'static Board, words: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(result) = flow(Target::Board(board), words, dir.path()) else { return };
    let Err(SynthError::DoesNotFit { device, why, log }) = &result else { panic!("{}: {result:?}", board.name) };
    println!("{device}: {why}");
    assert_eq!(device, board.device);
    assert!(why.contains(", there are ") && log.is_file(), "{why}");
    for name in ["report.json", "bitstream.bit", "bitstream.fs"] {
        assert!(!dir.path().join(name).exists(), "{name}");
    }
}

#[test]
fn four_mebibits_do_not_fit_on_the_ulx3s() {
    is_too_large(&ULX3S, 16_384);
}

#[test]
fn one_mebibit_does_not_fit_on_the_tang_nano() {
    is_too_large(&TANG_NANO_20K, 4096);
}
