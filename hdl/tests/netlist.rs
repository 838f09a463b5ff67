//! `netlist.json` of chips: it is their design, and the Verilog printed from it is theirs.

use std::path::Path;
use warpsmith_hdl::config::{GpuConfig, Isa};
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
        assert!(name != "default" || bytes < 440_000, "{bytes} bytes");
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

/// A queue with saboteurs is a module of its own beside those that are one module with parameters.
#[test]
fn modules_with_saboteurs_have_names_of_their_own() {
    let config = GpuConfig { saboteurs: vec!["warps".into()], ..GpuConfig::named("wide").expect("a configuration") };
    let design = warpsmith_hdl::netlist(&config);
    let mut names = print::verilog::modules(&design, |m| m.name.to_string());
    names.sort_unstable();
    let fifos = names.iter().filter(|n| n.starts_with("fifo")).count();
    let all = names.len();
    names.dedup();
    assert_eq!((names.len(), fifos), (all, 2), "{names:?}");
}

/// What a reader of Verilog stumbles over: the module, and what.
fn complaints(verilog: &str) -> Vec<String> {
    let mut found = vec![];
    for module in verilog.split("\nmodule ").skip(1) {
        let name = module.split([' ', '(']).next().expect("a name");
        let module = module.split("\nendmodule").next().expect("its end");
        let words = |line: &str| -> Vec<String> {
            line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(String::from).collect()
        };
        let mut used: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
        let code = module.lines().map(|l| l.split("//").next().unwrap_or(l));
        for line in code.clone() {
            for constant in ["1'd0 ?", "1'd1 ?", "~1'd", "{1'd0}}", "{1'd1}}", "& 1'd", "| 1'd"] {
                if line.contains(constant) {
                    found.push(format!("{name}: a constant that is not folded: {}", line.trim()));
                }
            }
            for word in words(line) {
                if word.strip_prefix("t_").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) {
                    found.push(format!("{name}: a value without a name: {word}"));
                }
                *used.entry(word).or_default() += 1;
            }
        }
        for line in code.filter(|l| l.trim_start().starts_with("localparam ")) {
            let code = line.split(" = ").next().and_then(|l| l.split(' ').next_back()).expect("its name");
            if used.get(code) == Some(&1) {
                found.push(format!("{name}: a code that nothing uses: {code}"));
            }
        }
    }
    for line in verilog.lines().filter(|l| l.starts_with("//") && l.contains("[`")) {
        found.push(format!("a link in a comment: {line}"));
    }
    found
}

#[test]
fn nothing_in_the_verilog_of_a_chip_stops_its_reader() {
    for (name, isa) in [("tiny", Isa::Sm10), ("default", Isa::Sm10), ("default", Isa::Fermi), ("default", Isa::G13)] {
        let config = GpuConfig { isa, ..GpuConfig::named(name).expect("a configuration") };
        let chip = warpsmith_hdl::chip(&config, name);
        let verilog = &chip.files["warpsmith.v"];
        let found = complaints(verilog);
        assert!(found.is_empty(), "{name} {isa:?}: {}", found.join("\n"));
        for part in [" == UNIT_FADD", " #(.DEPTH(16), .WIDTH(", "module fifo #(", "    // The beat in A."] {
            assert!(verilog.contains(part) || isa != Isa::Sm10 || name != "default", "{name}: no `{part}`");
        }
    }
}

#[test]
fn bad_verilog_is_complained_about() {
    let bad = "// See [`kind`].
module bad (
    input  wire a
);
    localparam [1:0] KIND_CALL = 2'd1;
    wire t_1 = ~1'd0;
    wire b = 1'd0 ? a : t_1;
endmodule
";
    let found = complaints(&format!("\n{bad}"));
    for what in ["not folded: wire t_1", "not folded: wire b", "without a name: t_1", "uses: KIND_CALL", "a link"] {
        assert!(found.iter().any(|f| f.contains(what)), "{what}: {found:?}");
    }
}
