//! `netlist.json` of chips: it is their design, and the Verilog printed from it is theirs.

use std::path::Path;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit::Emitted;
use warpsmith_netlist::{check, pass, print, read, Design};

/// Reads a chip's netlist and prints everything else from it. Gives the size of the file in bytes.
fn same(name: &str, chip: &Emitted) -> usize {
    let text = &chip.files["netlist.json"];
    let design = read::netlist(text, Path::new("netlist.json"));
    let design = design.unwrap_or_else(|e| panic!("{name}: {e}"));
    let kind = if chip.manifest.inject { ", injecting" } else { "" };
    println!("{name}{kind}: {} bytes", text.len());
    assert!(print::netlist::file(&design) == *text, "{name}: written anew");
    assert_eq!(print::sites::sites(&design), chip.sites, "{name}");
    assert_eq!(print::manifest::ports(&design), chip.manifest.ports, "{name}");
    assert_eq!(print::manifest::modules(&design), chip.manifest.modules, "{name}");
    let verilog = &chip.files["warpsmith.v"];
    let title = verilog.lines().nth(1).expect("a title");
    let printed = print::verilog::file(&design, title.trim_start_matches("// "));
    assert!(printed == *verilog, "{name}: the Verilog differs");
    no_dead_wires(name, &design);
    text.len()
}

/// The pass has nothing to do any more.
fn no_dead_wires(name: &str, design: &Design) {
    for module in &design.modules {
        assert!(pass::dead_wires(&module.body) == module.body, "{name}: {} has dead wires", module.name);
    }
}

#[test]
fn the_file_is_the_chip() {
    for name in ["tiny", "default", "wide", "quad"] {
        let config = GpuConfig::named(name).expect("a configuration");
        let bytes = same(name, &warpsmith_hdl::chip(&config, name));
        assert!(name != "default" || bytes < 400_000, "{bytes} bytes");
        same(name, &warpsmith_hdl::injecting_chip(&config, name));
    }
}

#[test]
fn the_design_of_the_blocks_is_that_of_the_file() {
    for name in ["tiny", "default"] {
        let config = GpuConfig::named(name).expect("a configuration");
        let design = warpsmith_hdl::netlist(&config);
        check::design(&design).unwrap_or_else(|e| panic!("{name}: {e}"));
        let chip = warpsmith_hdl::chip(&config, name);
        let text = &chip.files["netlist.json"];
        let again = read::netlist(text, Path::new("netlist.json"));
        assert!(again.as_ref() == Ok(&design), "{name}");
    }
}
