//! The emitted Verilog: accepted by Verilator, Icarus and Yosys, without latches, always the same bytes.

use crate::support::{self, sim};
use std::path::Path;
use std::process::Command;
use warpsmith_hdl::config::{GpuConfig, NAMES};

/// Named configurations, and odd ones a user may ask for.
fn configurations() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all: Vec<_> = NAMES.iter().map(|n| (*n, vec![])).collect();
    all.push(("tiny", vec!["lanes=16", "port_words=32"]));
    all.push(("tiny", vec!["lanes=2", "port_words=2"]));
    all.push(("tiny", vec!["trace=false"]));
    all.push(("tiny", vec!["lanes=2", "port_words=2", "shared_banks=2", "saboteurs=warpsmith"]));
    all.push(("tiny", vec!["sfus=1", "shared_banks=1"]));
    all.push(("tiny", vec!["semantics=flexgripplus", "float=true", "sfus=1"]));
    all.push(("default", vec!["level=sm11", "sms=2"]));
    all.push(("tiny", vec!["level=sm12", "lanes=2", "port_words=2"]));
    all.push(("tiny", vec!["l1_bytes=1024", "cache_ways=1"]));
    all.push(("tiny", vec!["sms=2", "l1_bytes=1024", "l2_bytes=2048", "cache_ways=4"]));
    all.push(("default", vec!["sms=3", "blocks=5", "stack_depth=4", "reads_in_flight=2"]));
    all
}

#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let out = command.output().expect("the tool starts");
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{command:?}:\n{}", text.lines().take(30).collect::<Vec<_>>().join("\n"));
    text
}

#[test]
fn every_configuration_lints_clean_in_verilator() {
    if !support::tools(&["verilator"]) {
        return;
    }
    // Flags and waivers.
    let [flags, waivers] = ["src/build.rs", "waivers.vlt"].map(|file| {
        let engine = support::root().join("sim/engine/verilator");
        std::fs::read(engine.join(file)).expect("a file of the engine")
    });
    for (name, set) in configurations() {
        let folder = sim::emitted(name, &set);
        let mut tool = Command::new("verilator");
        support::verdict(&mut tool, "--version", &[&verilog(&folder), &flags, &waivers], || {
            warpsmith_cosim::folder::lint(&folder).unwrap_or_else(|e| panic!("{name} {set:?}: {e}"));
        });
    }
    let open = warpsmith_hdl::injecting_chip(&sim::config("default", &["trace=false"]), "default");
    let folder = tempfile::tempdir().expect("a folder");
    open.write(folder.path()).expect("it can be written");
    warpsmith_cosim::folder::lint(folder.path()).unwrap_or_else(|e| panic!("injecting default: {e}"));
}

#[test]
fn every_configuration_is_accepted_by_icarus() {
    if !tool_with("iverilog", "-V") {
        return;
    }
    let flags = ["-g2005", "-Wall", "-t", "null"];
    for (name, set) in configurations() {
        let folder = sim::emitted(name, &set);
        let inputs = (verilog(&folder), flags.join(" "));
        let inputs = [&inputs.0[..], inputs.1.as_bytes()];
        support::verdict(&mut Command::new("iverilog"), "-V", &inputs, || {
            let mut icarus = Command::new("iverilog");
            let text = succeeds(icarus.args(flags).arg(folder.join("warpsmith.v")));
            assert!(!text.contains("error"), "{name} {set:?}: {text}");
        });
    }
}

/// Some tools have no `--version`.
fn tool_with(program: &str, flag: &str) -> bool {
    Command::new(program).arg(flag).output().is_ok() || support::tools(&[program])
}

/// The Verilog of an emitted chip.
fn verilog(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("warpsmith.v")).expect("emitted")
}

/// Runs a script of Yosys behind `read_verilog`.
fn yosys(folder: &Path, script: &str) {
    let inputs = [&verilog(folder)[..], script.as_bytes()];
    support::verdict(&mut support::yosys(), "-V", &inputs, || {
        let file = folder.join("warpsmith.v");
        let script = format!("read_verilog \"{}\"; {script}", file.display());
        println!("{}", succeeds(support::yosys().args(["-q", "-p", &script])));
    });
}

/// Synthesis for Xilinx 7: no latch, no memory that fell apart into registers. Prints the area.
fn synthesizes(name: &str, set: &[&str], flatten: bool) {
    let flat = if flatten { " -flatten" } else { "" };
    println!("{name} {set:?}");
    let script = format!(
        "synth_xilinx -family xc7 -top warpsmith{flat}; \
         select -assert-none t:LDCE t:LDPE t:$dlatch t:$_DLATCH_*; stat"
    );
    yosys(&sim::emitted(name, set), &script);
}

#[test]
#[ignore = "a minute or two; make soak. Latches: `no_configuration_has_latches`"]
fn tiny_synthesizes_without_latches() {
    if tool_with("yosys", "-V") {
        synthesizes("tiny", &[], true);
    }
}

/// Latches appear when processes become cells: cheap enough for every configuration.
#[test]
fn no_configuration_has_latches() {
    if !tool_with("yosys", "-V") {
        return;
    }
    let script = "hierarchy -check -top warpsmith; proc; check -assert; \
                  select -assert-none t:$dlatch t:$adlatch";
    for (name, set) in configurations() {
        yosys(&sim::emitted(name, &set), script);
    }
}

#[test]
fn named_configurations_synthesize_without_latches() {
    if !support::only_in_soak() {
        return;
    }
    if tool_with("yosys", "-V") {
        for name in NAMES {
            synthesizes(name, &[], name == "default");
        }
    }
}

#[test]
fn emission_gives_the_same_bytes_every_time() {
    for (name, set) in configurations() {
        let mut config = GpuConfig::named(name).expect("named");
        for s in set {
            config.set(s).expect("a parameter");
        }
        let (a, b) = (warpsmith_hdl::chip(&config, name), warpsmith_hdl::chip(&config, name));
        assert!(a == b, "{name}");
        for (file, text) in &a.files {
            // A year with its month; the bare number may be that of a bit.
            for trace in [env!("CARGO_MANIFEST_DIR"), "2026-", "2025-"] {
                assert!(!text.contains(trace), "{name}/{file} holds '{trace}'");
            }
        }
    }
}

/// The build for fault injection: valid Verilog, and nothing of it in the plain build.
#[test]
fn injecting_chips_are_accepted_and_leave_the_plain_one_alone() {
    let config = sim::config("default", &["trace=false"]);
    let before = warpsmith_hdl::chip(&config, "default");
    let open = warpsmith_hdl::injecting_chip(&config, "default");
    assert!(before == warpsmith_hdl::chip(&config, "default"), "the plain chip is another one after the injecting one");
    let committed = support::root().join("rtl-out/default/warpsmith.v");
    let committed = std::fs::read_to_string(committed).expect("it is committed");
    for plain in [&committed, &before.files["warpsmith.v"]] {
        for word in ["SABOTEUR", "public"] {
            assert!(!plain.contains(word), "{word}");
        }
    }
    assert!(open.files["warpsmith.v"].contains("`SABOTEUR [31:0] y_keep"));
    let folder = tempfile::tempdir().expect("a folder");
    open.write(folder.path()).expect("it can be written");
    if tool_with("iverilog", "-V") {
        let text = succeeds(
            Command::new("iverilog").args(["-g2005", "-Wall", "-t", "null"]).arg(folder.path().join("warpsmith.v")),
        );
        assert!(!text.contains("error"), "{text}");
    }
}

#[test]
fn committed_default_is_what_the_source_describes() {
    support::prints(&["emit", "--config", "default", "--check"]);
}

#[test]
fn manifest_names_every_file_and_its_hash() {
    let folder = sim::emitted("tiny", &[]);
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(manifest["name"], "tiny");
    assert_eq!(manifest["config"]["lanes"], 8);
    for file in ["warpsmith.v", "files.f", "sites.json", "netlist.json"] {
        assert!(manifest["files"][file].as_str().is_some_and(|h| h.len() == 64), "{file}");
        assert!(Path::new(&folder).join(file).is_file());
    }
    // The committed folder leaves the netlist out; a changed one is stale.
    let copy = tempfile::tempdir().expect("a folder");
    let chip = warpsmith_hdl::chip(&sim::config("tiny", &[]), "tiny");
    chip.write(copy.path()).expect("it can be written");
    let netlist = copy.path().join("netlist.json");
    std::fs::write(&netlist, "{}").expect("changed");
    let stale = chip.check(copy.path()).expect_err("another netlist");
    assert!(stale.to_string().contains("netlist.json"), "{stale}");
    std::fs::remove_file(&netlist).expect("it was there");
    chip.check(copy.path()).unwrap_or_else(|e| panic!("{e}"));
    let modules = manifest["modules"].as_object().expect("modules");
    for (name, module) in modules {
        let source = module["source"].as_str().expect("a source");
        assert!(support::root().join(source).is_file(), "{name}: {source} is no file");
    }
}
