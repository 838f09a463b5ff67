//! Every chip emits, and Verilator's lint has nothing to say: it looks into every block, whatever its depth.

use crate::support;
use std::path::Path;
use warpsmith_cache::verdict::verdict;
use warpsmith_cxx::tool::{verilator, verilator_version};
use warpsmith_hdl::chip;
use warpsmith_hdl::config::{GpuConfig, Isa};

const FLAGS: [&str; 6] =
    ["--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME", "--top-module", "warpsmith"];

/// What Verilator says of a chip's text; empty when that is nothing.
fn said(text: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(dir.path().join("warpsmith.v"), text).expect("written");
    let out = verilator().command(dir.path()).args(FLAGS).arg("warpsmith.v").output().expect("it starts");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.success(), said.is_empty(), "{said}");
    said
}

/// The Verilog of a named configuration for an instruction set.
fn verilog(name: &str, isa: Isa) -> String {
    of_chip(name, GpuConfig { isa, ..GpuConfig::named(name).expect("a configuration") })
}

fn of_chip(name: &str, cfg: GpuConfig) -> String {
    chip(&cfg, name).files["warpsmith.v"].clone()
}

#[test]
fn blocks_lint_clean_in_every_width() {
    if let Err(e) = verilator_version() {
        support::absent(e);
        return;
    }
    let plain = [
        ("tiny", Isa::Sm10),
        ("default", Isa::Sm10),
        ("wide", Isa::Sm10),
        ("default", Isa::Fermi),
        ("wide", Isa::Fermi),
        ("default", Isa::G13),
        ("wide", Isa::G13),
        ("default", Isa::Ivb),
        ("wide", Isa::Ivb),
    ];
    let with = |name, isa, double, atomics| {
        let named = GpuConfig::named(name).expect("a configuration");
        of_chip(name, GpuConfig { isa, double, atomics, ..named })
    };
    let more = [
        ("default", Isa::Fermi, true, false),
        ("wide", Isa::Fermi, true, false),
        ("default", Isa::Fermi, false, true),
        ("quad", Isa::Fermi, true, true),
        ("default", Isa::G13, false, true),
    ];
    let more = more.map(|(name, isa, double, atomics)| (name, isa, with(name, isa, double, atomics)));
    for (name, isa, text) in plain.into_iter().map(|(name, isa)| (name, isa, verilog(name, isa))).chain(more) {
        let inputs: Vec<&[u8]> = [text.as_bytes()].into_iter().chain(FLAGS.map(str::as_bytes)).collect();
        verdict(&mut verilator().command(Path::new(".")), "--version", &inputs, || {
            let said = said(&text);
            assert!(said.is_empty(), "{name} of {isa:?}: {said}");
        })
        .expect("the tool starts and the cache can be written");
    }
}

/// A wrong width in a block far below the top, a latch and a signal that nothing drives.
#[test]
fn must_fail_what_is_wrong_in_a_block_is_seen_from_the_top() {
    if let Err(e) = verilator_version() {
        support::absent(e);
        return;
    }
    let text = verilog("tiny", Isa::Sm10);
    assert_eq!(said(&text), "");
    for (block, wrong, warning) in [
        ("int_unit", "wire [3:0] narrow = 5'd1;", "WIDTH"),
        ("access_check", "wire undriven; wire reads = undriven;", "UNDRIVEN"),
        ("barrier", "reg latch; always @(*) if (reset) latch = clock;", "LATCH"),
    ] {
        let (before, module) = text.split_once(&format!("\nmodule {block} ")).expect("a block of the chip");
        let module = module.replacen("\nendmodule", &format!("\n    {wrong}\nendmodule"), 1);
        let said = said(&format!("{before}\nmodule {block} {module}"));
        assert!(said.contains(warning), "{block}: {wrong}: {said}");
    }
}
