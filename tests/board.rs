//! `warpsmith board test` on simulated boards: a sound one that is reset once, on a noisy line; one with a stuck bit of memory and a chip
//! that adds wrong; none at all.

use crate::support::{self, args, outcome, sim, warpsmith, Scratch};
use crate::uart::{self, as_the_model, run_on, serve, serve_with, PLAIN};
use std::collections::BTreeSet;
use std::path::Path;
use warpsmith_cosim::patched_copy;
use warpsmith_fpga::board::{Board, Faults, Terminal};
use warpsmith_fpga::link::LinkError;
use warpsmith_fpga::synth;
use warpsmith_fpga::wrap::uart::UartOptions;

/// A small memory: all of it goes over the line eight times. No random program fits.
const MEMORY: UartOptions = UartOptions { memory_bytes: 4096 };

/// Tests the board at a port: exit code, what it printed, errors.
fn tested(port: &str, out: &Path, more: &[&str]) -> (i32, String, String) {
    let mut args = args!["board", "test", "--port", port, "--out", out].to_vec();
    args.extend(more.iter().map(AsRef::<std::ffi::OsStr>::as_ref));
    outcome(&warpsmith(&args))
}

fn report(path: &Path) -> toml::Value {
    let text = std::fs::read_to_string(path).expect("the report was written");
    toml::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_sound_board_passes_and_its_report_says_what_it_is() {
    let Some(board) = uart::board() else { return };
    let served = serve(&board, 0.0005, Some(3000), 3);
    let dir = Scratch::new("board-report");
    let (out, bitstream) = (dir.path().join("board-report.toml"), dir.path().join("some.bit"));
    std::fs::write(&bitstream, "abc").expect("written");
    let bitstream = bitstream.display().to_string();
    let named = ["--board", "a simulation", "--by", "Ada, ada@example.org", "--bitstream", &bitstream];
    let run = ["--config", "tiny", "--filter", "reduction", "--random", "100", "--seed", "7", "--json"];
    let (code, printed, err) = tested(&served.path, &out, &[&named[..], &run[..]].concat());
    assert_eq!(code, 0, "{printed}{err}");
    let report = report(&out);
    // The same in both forms.
    let json: serde_json::Value = serde_json::from_str(&printed).expect("one object");
    assert_eq!(serde_json::to_value(&report).expect("JSON"), present(json));

    let text = |path: &str| path.split('.').fold(&report, |v, k| &v[k]).as_str().expect(path).to_string();
    let number = |path: &str| path.split('.').fold(&report, |v, k| &v[k]).as_integer().expect(path);
    assert_eq!(text("outcome"), "pass");
    assert_eq!((text("board"), text("by")), ("a simulation".into(), "Ada, ada@example.org".into()));
    // FIPS 180-4's example.
    assert_eq!(text("bitstream.sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(text("bitstream.file"), "some.bit");
    assert_eq!((text("chip.name"), number("chip.lanes")), ("tiny-tracefalse".into(), 8));
    assert_eq!((number("memory.bytes_tested"), number("memory.wrong_words")), (16384, 0));
    assert!(number("random.warp_instructions") >= 100 && number("random.programs") >= 1);
    assert!(number("link.sent_again") > 0, "the noise is not real: {report}");
    assert_eq!(number("link.resets"), 1, "while memory was tested");
    assert!(report["clock"]["mhz"].as_float() > report["clock"]["uncertainty_mhz"].as_float(), "{report}");
    let kernels = report["kernel"].as_array().expect("kernels");
    let named = |name: &str| kernels.iter().find(|k| k["name"].as_str() == Some(name)).expect(name);
    assert!(named("kernels/reduction")["warp_instructions"].as_integer() > Some(100), "{report}");
    assert!(kernels.len() >= 4 && kernels.iter().all(|k| k["outcome"].as_str() == Some("pass")), "{report}");
    let left_out = report["left_out"].as_array().expect("kernels that do not fit");
    let why = |name: &str| left_out.iter().find(|l| l["name"].as_str() == Some(name)).expect(name)["why"].to_string();
    assert!(why("flexgrip/reduction/256").contains("8 warps"), "{report}");

    // The page explains every key.
    let page = std::fs::read_to_string(support::root().join("docs/boards.md")).expect("a page");
    let mut keys = BTreeSet::new();
    collect(&report, &mut keys);
    assert!(keys.len() > 30, "{keys:?}");
    for key in keys {
        assert!(page.contains(&format!("`{key}`")), "docs/boards.md does not explain {key}");
    }
}

/// A value without what is null.
fn present(mut value: serde_json::Value) -> serde_json::Value {
    if let Some(table) = value.as_object_mut() {
        table.retain(|_, v| !v.is_null());
        table.values_mut().for_each(|v| *v = present(v.take()));
    }
    value
}

/// Every key of a value.
fn collect(value: &toml::Value, keys: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                keys.insert(key.clone());
                collect(value, keys);
            }
        }
        toml::Value::Array(list) => list.iter().for_each(|v| collect(v, keys)),
        _ => {}
    }
}

/// A bit of memory is always 1, in lines that the kernel does not use; the chip's adder forgets its carry in.
#[test]
fn must_fail_wrong_memory_and_a_wrong_chip_are_reported() {
    if !support::tools(&support::SIMULATION) {
        return;
    }
    let dir = Scratch::new("board-wrong");
    let chip = dir.path().join("chip");
    patched_copy(&sim::emitted("tiny", PLAIN), &chip, "{1'd0, e2_addend, e2_cin}", "{1'd0, e2_addend, 1'd0}")
        .unwrap_or_else(|e| panic!("the description changed, choose another line: {e}"));
    let stuck = |module: String| {
        let sound = "rdata <= words[index];";
        assert_eq!(module.matches(sound).count(), 1, "the template changed: choose another line");
        module.replace(sound, "rdata <= words[index] | {24'd0, &index, 7'd0};")
    };
    let board = Board::build_altered(&chip, &MEMORY, 4, stuck).unwrap_or_else(|e| panic!("{e}"));
    let served = serve(&board, 0.0, None, 1);
    let out = dir.path().join("board-report.toml");
    let more = ["--filter", "bitonic_sort", "--random", "1", "--seed", "1"];
    let (code, printed, err) = tested(&served.path, &out, &more);
    assert_eq!(code, 1, "{printed}{err}");
    // The first word of the last line, which has 8.
    for line in [
        "fail: memory, 4 096 of 4 096 bytes: ",
        "first at 0x00000fe0 of the walking ones: expected 0x01000000, read 0x01000080",
        "fail: kernels/bitonic_sort, ",
        "words of memory differ, first at 0x",
        "pass: flexgrip/bitonic_sort/32, ",
        "left out: 1 kernels",
        "not run: 0 random programs from seed 0x1 on",
        "holds hardly any",
        "fail: ",
    ] {
        assert!(printed.contains(line), "{line}: {printed}{err}");
    }
    let report = report(&out);
    assert_eq!(report["outcome"].as_str(), Some("fail"));
    let wrong = &report["memory"]["first_wrong"];
    assert_eq!((wrong["pattern"].as_str(), wrong["address"].as_str()), (Some("walking-ones"), Some("0x00000fe0")));
    assert!(report["memory"]["wrong_words"].as_integer() > Some(8), "{report}");
}

#[test]
fn what_cannot_be_tested_is_explained_and_leaves_no_report() {
    let dir = Scratch::new("board-none");
    let out = dir.path().join("board-report.toml");
    let refused = |port: &str, more: &[&str], parts: &[&str]| {
        let (code, printed, err) = tested(port, &out, more);
        support::check_refusal(code, &printed, &err, parts);
        let left = std::fs::read_dir(dir.path()).expect("a folder").count();
        assert_eq!(left, 0, "{port} {more:?}: something was written");
    };
    refused("no-such-port", &[], &["no-such-port", "is the board connected", "warpsmith board"]);
    refused("uart:/dev/null", &[], &["/dev/null", "serial port"]);
    refused("soc:no-such-folder", &[], &["soc.json", "warpsmith soc"]);
    refused("no-such-port", &["--bitstream", "no-such.bit"], &["--bitstream no-such.bit", "check the path"]);
    refused("no-such-port", &["--config", "no-such-chip"], &["no-such-chip"]);
    refused("no-such-port", &["--filter", "no-such-kernel"], &["--filter no-such-kernel", "kernels/vector_add"]);
    // A line with nobody at its other end.
    let silent = Terminal::open(None).expect("a pseudo-terminal");
    let path = silent.path().display().to_string();
    refused(&path, &[], &["no answer while saying hello", "powered", "rx and tx", "@BAUD"]);
    let Some(board) = uart::board() else { return };
    let served = serve(&board, 0.0, None, 5);
    refused(
        &served.path,
        &["--config", "wide"],
        &["chip tiny-tracefalse has lanes = 8", "chip wide", "has 32", "bitstream"],
    );
}

/// What the ULX3S has around `warpsmith_uart`, with a PLL whose clock comes late and misses edges, and which says twice
/// that it is locked; it and the button, which is the board's reset here, change where the clock falls.
fn ulx3s(module: String) -> String {
    const PLL: &str = r#"
module EHXPLLL #(
    parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter CLKOP_DIV = 1, parameter FEEDBK_PATH = "",
    parameter CLKOP_ENABLE = "", parameter CLKOP_CPHASE = 0, parameter CLKOP_FPHASE = 0,
    parameter OUTDIVIDER_MUXA = "", parameter PLLRST_ENA = "", parameter INTFB_WAKE = "",
    parameter STDBY_ENABLE = "", parameter DPHASE_SOURCE = ""
) (
    input wire CLKI, input wire CLKFB, output wire CLKOP, output reg LOCK, input wire RST, input wire STDBY,
    input wire PHASESEL0, input wire PHASESEL1, input wire PHASEDIR, input wire PHASESTEP,
    input wire PHASELOADREG, input wire PLLWAKESYNC, input wire ENCLKOP
);
    reg [10:0] age = 11'd0;
    reg running = 1'b0;
    assign CLKOP = CLKI & running;
    initial LOCK = 1'b0;
    always @(negedge CLKI) begin
        if (!age[10]) age <= age + 11'd1;
        running <= age[10] | age > 11'd100 & ^age[3:0];
        LOCK <= age[10] | age > 11'd300 & age < 11'd700;
    end
endmodule
"#;
    const BOARD: &str = r#"
module warpsmith_uart #(parameter DIVISOR = 4) (
    input wire clock, input wire reset, input wire rx, output wire tx, output wire [3:0] status
);
    reg button_n = 1'b0;
    always @(negedge clock) button_n <= !reset;
    wire [7:0] led;
    assign status = led[3:0];
    top #(.DIVISOR(DIVISOR)) board (
        .clk_25mhz(clock), .button_n(button_n), .ftdi_txd(rx), .ftdi_rxd(tx), .wifi_gpio0(), .led(led)
    );
endmodule
"#;
    let inner = |text: &str| text.replace("warpsmith_uart #(", "warpsmith_uart_inside #(");
    let board = synth::board::ULX3S;
    let common: String = board.common.iter().map(|(_, text)| inner(text)).collect();
    // Verilator is told what the boards' tools are not.
    let quiet = "/* verilator lint_off UNUSED */ /* verilator lint_off DECLFILENAME */\n\
                 /* verilator lint_off PINCONNECTEMPTY */ /* verilator lint_off MULTITOP */\n";
    [quiet, &inner(&module), &common, board.top, PLL, BOARD].concat()
}

#[test]
#[ignore = "two minutes of simulation; make soak runs it"]
fn the_ulx3s_starts_however_its_clock_does_and_understands_bits_of_another_length() {
    if !support::tools(&support::SIMULATION) {
        return;
    }
    // Cycles of a bit about as many as boards have.
    let board =
        Board::build_altered(&sim::emitted("tiny", PLAIN), &MEMORY, 16, ulx3s).unwrap_or_else(|e| panic!("{e}"));
    let launch = support::load("vector_add");
    // Registers and memories are undefined at start; one seed each. The button is pressed while the kernel is loaded.
    for (seed, skew, reset_after) in [(1, -0.03, None), (2, 0.03, None), (3, 0.0, Some(600))] {
        let served = serve_with(&board, Faults { seed, skew, reset_after, ..Faults::default() });
        let launched = run_on(&served, &launch).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        as_the_model(&launch, &launched.ran);
        assert_eq!(launched.resets.len(), usize::from(reset_after.is_some()));
    }
    // The last bit of a byte is another one.
    for skew in [-0.1, 0.1] {
        let served = serve_with(&board, Faults { skew, ..Faults::default() });
        let e = run_on(&served, &launch).expect_err("too long, or too short");
        assert!(matches!(e, LinkError::Silent { .. } | LinkError::Garbled { .. }), "skew {skew}: {e}");
    }
}
