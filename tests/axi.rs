//! The chip between AXI4-Lite and AXI4: lint, synthesis, and a suite in cocotb with masters and
//! slaves of cocotbext-axi that we did not write.

use crate::support::{self, sim};

#[path = "axi/suite.rs"]
mod suite;

use std::path::Path;
use std::process::{Command, Output};
use suite::{python, Suite};

use warpsmith_contract::Port;
use warpsmith_fpga::chip::ChipManifest;
use warpsmith_fpga::wrap::axi::{render, AxiOptions};

/// A chip without trace port: its folder and its manifest.
fn chip(name: &str) -> (std::path::PathBuf, ChipManifest) {
    let folder = sim::emitted(name, &["trace=false"]);
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
    (folder, ChipManifest::from_manifest(&text).expect("a chip"))
}

#[track_caller]
fn succeeds(command: &mut Command) {
    let out = command.output().expect("the tool starts");
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    let text = text + &String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{command:?}:\n{text}");
}

/// The chip's ports and nothing inside: its own text is linted in `emit.rs`.
fn shell(chip: &ChipManifest) -> String {
    let port = |p: &Port| format!("{} wire [{}-1:0] {}", p.direction.name(), p.width, p.name);
    let ports: Vec<String> = chip.ports.iter().map(port).collect();
    let outputs = chip.ports.iter().filter(|p| !p.is_input());
    let drive: String = outputs.map(|p| format!("assign {} = 0;\n", p.name)).collect();
    format!(
        "`timescale 1ns/1ps\n/* verilator lint_off UNUSED */ /* verilator lint_off WIDTH */\nmodule {} (\n{}\n);\n{drive}endmodule\n\
         /* verilator lint_on UNUSED */ /* verilator lint_on WIDTH */\n",
        chip.top,
        ports.join(",\n")
    )
}

/// Every configuration in every width of its data, beside a chip without insides.
fn wrappers(mut look: impl FnMut(&str, &Path, &Path, usize)) {
    let work = tempfile::tempdir().expect("a folder");
    for name in warpsmith_hdl::config::NAMES {
        let (_, chip) = chip(name);
        let inside = work.path().join(format!("{name}.v"));
        std::fs::write(&inside, shell(&chip)).expect("writable");
        let mut data_bits = 32;
        while data_bits <= chip.line_bits() {
            let options = AxiOptions {
                data_bits,
                // Addresses without, with some and with all upper bits.
                address_bits: [32, 40, 64][data_bits.ilog2() as usize % 3],
                ..AxiOptions::of(&chip)
            };
            let file = work.path().join(format!("{name}-{data_bits}.v"));
            let text = render(&chip, &options).expect("possible options");
            std::fs::write(&file, text).expect("writable");
            look(name, &inside, &file, data_bits);
            data_bits *= 2;
        }
    }
}

fn lint(chip: &Path, wrapper: &Path) -> Output {
    let waivers = support::root().join("sim/engine/verilator/waivers.vlt");
    support::lint("warpsmith_axi", &["-Wno-DECLFILENAME"], &[&waivers, chip, wrapper])
}

#[test]
fn wrappers_lint_clean_in_every_width() {
    if !support::tools(&["verilator"]) {
        return;
    }
    let mut seen = std::collections::BTreeMap::new();
    wrappers(|name, chip, wrapper, _| {
        let out = lint(chip, wrapper);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{said}");
        *seen.entry(name.to_string()).or_insert(0) += 1;
    });
    // A line of 256 bits takes 4 widths, one of 1024 takes 6.
    assert_eq!((seen["default"], seen["wide"]), (4, 6));
    assert_eq!(seen.len(), warpsmith_hdl::config::NAMES.len());
}

/// The chip without insides still says what its ports are.
#[test]
fn a_chip_wired_wrongly_does_not_lint() {
    if !support::tools(&["verilator"]) {
        return;
    }
    let wrong = [
        (".mem_wdata(mem_wdata)", ".mem_wdata(mem_wdata[30:0])"),
        (".mem_ready(mem_ready), ", ""),
        (".mem_valid(mem_valid)", ".mem_vallid(mem_valid)"),
    ];
    let mut tried = false;
    wrappers(|_, chip, wrapper, _| {
        if std::mem::replace(&mut tried, true) {
            return;
        }
        let text = std::fs::read_to_string(wrapper).expect("readable");
        let (before, instance) = text.rsplit_once(" chip (").expect("the chip's instance");
        for (right, wrong) in wrong {
            assert!(instance.contains(right), "{right}");
            let instance = instance.replacen(right, wrong, 1);
            let file = wrapper.with_extension("wrong.v");
            std::fs::write(&file, format!("{before} chip ({instance}")).expect("writable");
            let out = lint(chip, &file);
            assert!(!out.status.success(), "{right} as {wrong:?} lints clean");
        }
    });
    assert!(tried);
}

#[test]
fn wrappers_have_no_latches() {
    if !support::tools(&["yosys"]) {
        return;
    }
    wrappers(|_, _, wrapper, _| {
        for half in ["warpsmith_axi_slave", "warpsmith_axi_master"] {
            let script = format!(
                "read_verilog \"{}\"; hierarchy -check -top {half}; proc; check -assert; \
                 select -assert-none t:$dlatch t:$adlatch t:$adff t:$aldff",
                wrapper.display()
            );
            succeeds(support::yosys().args(["-q", "-p", &script]));
        }
    });
}

const ALL: Suite = Suite { chip: "tiny", data_bits: 256, address_bits: 32, seeds: &[1], filter: "", mutation: None };

/// Registers, kernels under stalls, errors, speed.
const TESTS: usize = 4;

/// All of them in `make soak`, else the first.
fn seeds(all: &'static [u32]) -> &'static [u32] {
    match support::soak() {
        true => all,
        false => &all[..1],
    }
}

#[test]
fn a_line_a_beat() {
    if let Some(python) = python() {
        let suite = Suite { seeds: seeds(&[1, 2, 6, 7]), ..ALL };
        suite.pass(&python, TESTS);
    }
}

#[test]
fn eight_beats_a_line_and_long_addresses() {
    if let Some(python) = python() {
        let suite = Suite { data_bits: 32, address_bits: 40, seeds: seeds(&[3, 4, 8, 9]), ..ALL };
        suite.pass(&python, TESTS);
    }
}

/// Cycles of a kernel by width, printed: docs/axi.md.
#[test]
#[ignore = "half a minute of simulation; make soak runs it"]
fn speed_by_width() {
    let Some(python) = python() else { return };
    for data_bits in [32, 64, 256] {
        let suite = Suite { data_bits, filter: "speed", ..ALL };
        suite.pass(&python, 1);
    }
}

/// Wrong wrappers, each with the test that has to fail and what it has to say.
const MUTANTS: [(&str, &str, &str, &str); 9] = [
    // Every byte of a line stored.
    ("m_axi_wstrb = q_mask[3:0]", "m_axi_wstrb = 4'hf", "kernels", "wrong results"),
    // Errors of memory not passed on.
    ("mem_error = failed", "mem_error = 1'b0", "errors", "the error is lost"),
    // Errors of stores not passed on.
    ("m_axi_bvalid && m_axi_bresp[1]", "1'b0", "errors", "the error is lost"),
    // Reads pass stores to their line.
    ("!q_write && !(|w_hit)", "!q_write", "kernels", "beside a write of it"),
    // Stores pass reads of their line.
    ("q_write && !(|r_hit)", "q_write", "kernels", "beside a read of it"),
    // Done before the stores are.
    (
        "assign mem_pending = (q_valid && q_write) || (|w_busy) || failed",
        "assign mem_pending = 1'b0",
        "kernels|errors",
        "done before memory is",
    ),
    // The base forgotten.
    ("address = memory_base + ", "address = ", "kernels", "AssertionError: 0x"),
    // A part of a word written.
    ("w_whole <= &s_axi_wstrb", "w_whole <= 1'b1", "registers", "a part was written"),
    // A field that changes before it is taken.
    ("m_axi_arcache = 4'b0010;", "m_axi_arcache = {3'b001, mem_valid};", "kernels", "before it was taken"),
];

#[test]
#[ignore = "half a minute of simulation; make soak runs it"]
fn wrong_wrappers_are_found() {
    let Some(python) = python() else { return };
    for (from, to, filter, says) in MUTANTS {
        let outcome = Suite { data_bits: 32, address_bits: 40, seeds: &[5], filter, mutation: Some((from, to)), ..ALL }
            .run(&python);
        println!("{from} -> {to}: {} of {}", outcome.failed, outcome.tests);
        assert!(
            outcome.failed > 0 && outcome.log.contains(says),
            "{from} -> {to}, not found: {} tests\n{}",
            outcome.tests,
            outcome.log
        );
    }
}
