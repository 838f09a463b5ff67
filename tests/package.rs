//! Packages: what is in them, their testbenches in Icarus, FuseSoC, IP-XACT against the Verilog.

use crate::support;

#[path = "package/ipxact.rs"]
mod ipxact;

use regex::Regex;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use support::{outcome, warpsmith};
use tempfile::TempDir;
use warpsmith_fpga::package::{package, Package, Wrapper};
use warpsmith_fpga::wrap::uart::UartOptions;
use warpsmith_hdl::config::{GpuConfig, NAMES};

const BOARD: UartOptions = UartOptions { memory_bytes: 65536 };

/// Files of the chips emitted so far: emitting takes longer than packing.
static CHIPS: Mutex<BTreeMap<String, BTreeMap<String, String>>> = Mutex::new(BTreeMap::new());

fn made(config: &str, set: &[&str], wrapper: &Wrapper) -> Package {
    let mut chips = CHIPS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = format!("{config} {set:?}");
    let files = chips.entry(key).or_insert_with(|| {
        let mut chip = GpuConfig::named(config).expect("a named configuration");
        for assignment in ["trace=false"].iter().chain(set) {
            chip.set(assignment).expect("a parameter");
        }
        warpsmith_hdl::chip(&chip, config).files
    });
    package(files, wrapper).expect("a package")
}

/// A package in a folder of its own.
fn written(package: &Package) -> TempDir {
    let dir = support::plain_folder();
    package.write(dir.path()).expect("writable");
    dir
}

/// Whether a program without `--version` can be started; else as `support::tools`.
fn starts(programs: &[&str]) -> bool {
    let absent: Vec<&str> = programs.iter().copied().filter(|p| Command::new(p).arg("-V").output().is_err()).collect();
    absent.is_empty() || support::tools(&absent)
}

/// The commands of the package's README: exit code and what they print.
fn testbench(dir: &Path) -> (i32, String) {
    let bench = Command::new("iverilog")
        .args(["-g2005", "-s", "tb_warpsmith", "-o", "../tb/tb.vvp"])
        .args(["-f", "files.f", "../tb/tb_warpsmith.v"])
        .current_dir(dir.join("rtl"))
        .output()
        .expect("iverilog starts");
    assert!(bench.status.success(), "{bench:?}");
    let run = Command::new("vvp").args(["-N", "tb.vvp"]).current_dir(dir.join("tb")).output().expect("vvp starts");
    let (code, out, _) = outcome(&run);
    (code, out)
}

/// Warp and thread instructions of the testbench's kernel on the model.
fn model_counts() -> (u64, u64) {
    let kernel = support::kernel("vector_add").display().to_string();
    let out = support::prints(&["run", &kernel, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let count = |key: &str| report[key].as_u64().expect("a number");
    (count("warp_instructions"), count("thread_instructions"))
}

fn passes(wrapper: &Wrapper) {
    let dir = written(&made("tiny", &[], wrapper));
    let (code, out) = testbench(dir.path());
    let line = Regex::new(&format!(
        r"PASS vector_add on tiny_{}: 1024 words, cycles (\d+), warp instructions (\d+), thread instructions (\d+)\n$",
        wrapper.name()
    ))
    .expect("a pattern");
    let found = line.captures(&out).unwrap_or_else(|| panic!("{out}"));
    let number = |i: usize| found[i].parse::<u64>().expect("a number");
    assert_eq!(code, 0, "{out}");
    assert_eq!((number(2), number(3)), model_counts());
    // A warp instruction takes a lane 4 cycles of a warp of 32.
    assert!((4 * number(2)..4000).contains(&number(1)), "{out}");
}

#[test]
fn testbenches_pass_in_icarus() {
    if starts(&["iverilog", "vvp"]) {
        passes(&Wrapper::Bus);
        passes(&Wrapper::Axi);
    }
}

#[test]
#[ignore = "a minute or two: every byte goes over the line"]
fn testbench_of_the_serial_line_passes() {
    if starts(&["iverilog", "vvp"]) {
        passes(&Wrapper::Uart(BOARD));
    }
}

#[test]
fn testbenches_of_other_chips_compile() {
    if !starts(&["iverilog"]) {
        return;
    }
    for (config, set, wrapper) in [
        ("tiny", "trace=true", Wrapper::Bus),
        ("tiny", "trace=true", Wrapper::Axi),
        ("tiny", "trace=true", Wrapper::Uart(BOARD)),
        // The widest line.
        ("wide", "trace=false", Wrapper::Axi),
        ("default", "isa=fermi", Wrapper::Bus),
        ("default", "isa=g13", Wrapper::Bus),
        ("default", "isa=ivb", Wrapper::Axi),
    ] {
        let dir = written(&made(config, &[set], &wrapper));
        let out = Command::new("iverilog")
            .args(["-g2005", "-Wall", "-Wno-timescale", "-t", "null"])
            .args(["-f", "files.f", "../tb/tb_warpsmith.v"])
            .current_dir(dir.path().join("rtl"))
            .output()
            .expect("iverilog starts");
        let (code, _, err) = outcome(&out);
        assert!(code == 0 && err.is_empty(), "{config} {wrapper:?}: {err}");
    }
}

/// Every way the testbench can fail ends it with exit code 1 and says where.
#[test]
fn testbenches_fail_when_they_should() {
    if !starts(&["iverilog", "vvp"]) {
        return;
    }
    type Change = fn(&Path);
    fn change(file: &Path, from: &str, to: &str) {
        let text = std::fs::read_to_string(file).expect("readable");
        assert!(text.contains(from), "{}: {from}", file.display());
        std::fs::write(file, text.replacen(from, to, 1)).expect("writable");
    }
    let cases: [(Wrapper, Change, &str); 7] = [
        (
            Wrapper::Bus,
            |dir| word(&dir.join("tb/expected.hex"), 0x804 / 4, "deadbeef"),
            "FAIL: memory at 0x00000804 holds ",
        ),
        (
            Wrapper::Axi,
            |dir| word(&dir.join("tb/expected.hex"), 0xffc / 4, "00000001"),
            "FAIL: memory at 0x00000ffc holds 00000000, expected 00000001",
        ),
        // Words that both files lack are undefined and not equal.
        (
            Wrapper::Bus,
            |dir| {
                for name in ["tb/memory.hex", "tb/expected.hex"] {
                    let text = std::fs::read_to_string(dir.join(name)).expect("readable");
                    let short: String = text.lines().take(1000).map(|l| format!("{l}\n")).collect();
                    std::fs::write(dir.join(name), short).expect("writable");
                }
            },
            "FAIL: memory at 0x00000fa0 holds xxxxxxxx, expected xxxxxxxx",
        ),
        (
            Wrapper::Bus,
            |dir| change(&dir.join("tb/tb_warpsmith.v"), "MAX_CYCLES = 2000000", "MAX_CYCLES = 500"),
            "FAIL: no end after 500 cycles",
        ),
        // The first instruction is none.
        (Wrapper::Axi, |dir| word(&dir.join("tb/program.hex"), 0, "ffffffff"), "FAIL: STATUS reads 00000006"),
        // A wrapper that marks no last beat.
        (
            Wrapper::Axi,
            |dir| {
                let file = dir.join("rtl/warpsmith_axi.v");
                let text = std::fs::read_to_string(&file).expect("readable");
                let last = Regex::new(r"assign m_axi_wlast = [^;]*;").expect("a pattern");
                assert!(last.is_match(&text));
                let wrong = last.replace(&text, "assign m_axi_wlast = 1'b0;");
                std::fs::write(file, wrong.as_bytes()).expect("writable");
            },
            "FAIL: wlast is 0 with 0 beats to come",
        ),
        (
            Wrapper::Axi,
            |dir| change(&dir.join("tb/tb_warpsmith.v"), "BASE = 32'h10000000", "BASE = 32'h10000010"),
            "FAIL: burst at 0x",
        ),
    ];
    fn word(file: &Path, at: usize, to: &str) {
        let text = std::fs::read_to_string(file).expect("readable");
        let mut lines: Vec<&str> = text.lines().collect();
        assert_ne!(lines[at], to);
        lines[at] = to;
        std::fs::write(file, lines.join("\n")).expect("writable");
    }
    for (wrapper, change, says) in cases {
        let dir = written(&made("tiny", &[], &wrapper));
        change(dir.path());
        let (code, out) = testbench(dir.path());
        assert!(code == 1 && out.contains(says), "{says}: exit code {code}, {out}");
        assert!(!out.contains("PASS"), "{out}");
    }
}

fn fusesoc(fusesoc: &Path, dir: &Path, target: &str, core: &str) -> (i32, String) {
    let home = support::plain_folder();
    let out = Command::new(fusesoc)
        .arg("--cores-root")
        .arg(dir)
        .args(["run", "--build-root"])
        .arg(home.path().join("build"))
        .args(["--target", target, core])
        .current_dir(home.path())
        .env("HOME", home.path())
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("XDG_DATA_HOME")
        .output()
        .expect("fusesoc starts");
    let (code, out, err) = outcome(&out);
    (code, out + &err)
}

/// FuseSoC and what its targets use; else as `support::tools`.
fn fusesoc_with(programs: &[&str]) -> Option<PathBuf> {
    let found = support::python_tool("fusesoc");
    if found.is_none() && !support::tools(&["fusesoc"]) {
        return None;
    }
    starts(programs).then_some(found).flatten()
}

#[test]
fn fusesoc_lints_and_simulates() {
    let programs = ["verilator", "iverilog", "vvp", "make"];
    let Some(tool) = fusesoc_with(&programs) else { return };
    for wrapper in [Wrapper::Bus, Wrapper::Axi, Wrapper::Uart(BOARD)] {
        let package = made("tiny", &[], &wrapper);
        let dir = written(&package);
        let (code, out) = fusesoc(&tool, dir.path(), "lint", &package.core);
        assert_eq!(code, 0, "{wrapper:?}: {out}");
        if !matches!(wrapper, Wrapper::Uart(_)) {
            let (code, out) = fusesoc(&tool, dir.path(), "sim", &package.core);
            assert!(code == 0 && out.contains("PASS vector_add"), "{out}");
        }
    }
    // Both notice what is wrong.
    let mut package = made("tiny", &[], &Wrapper::Bus);
    let verilog = package.files.get_mut("rtl/warpsmith.v").expect("the chip");
    *verilog = verilog.replace("output wire trapped\n);", "output wire trapped\n);\nwire [3:0] w = 5'd1;");
    let expected = package.files.get_mut("tb/expected.hex").expect("memory");
    *expected = format!("00000000{}", &expected[8..]);
    let dir = written(&package);
    let (code, out) = fusesoc(&tool, dir.path(), "lint", &package.core);
    assert!(code != 0 && out.contains("WIDTH"), "{out}");
    let (code, out) = fusesoc(&tool, dir.path(), "sim", &package.core);
    assert!(code != 0 && out.contains("FAIL: memory at 0x00000000"), "{out}");
}

/// The target `synth` on modules of a few gates in the chip's place.
#[test]
fn fusesoc_synthesis_refuses_latches_and_loops() {
    let Some(tool) = fusesoc_with(&["yosys", "make"]) else { return };
    for (body, good) in [
        ("always @(posedge c) q <= d;", true),
        ("always @* if (c) q = d;", false),
        ("wire a, b; assign a = b ^ d; assign b = a ^ c; always @(posedge c) q <= a;", false),
    ] {
        let mut package = made("tiny", &[], &Wrapper::Bus);
        let module = format!("module warpsmith(input c, input d, output reg q); {body} endmodule\n");
        package.files.insert("rtl/warpsmith.v".into(), module);
        let dir = written(&package);
        let (code, out) = fusesoc(&tool, dir.path(), "synth", &package.core);
        assert_eq!(code == 0, good, "{body}: {out}");
    }
}

#[test]
#[ignore = "minutes of synthesis"]
fn fusesoc_synthesizes_the_chip() {
    let Some(tool) = fusesoc_with(&["yosys", "make"]) else { return };
    let package = made("tiny", &[], &Wrapper::Axi);
    let dir = written(&package);
    let (code, out) = fusesoc(&tool, dir.path(), "synth", &package.core);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn packages_of_every_chip_are_whole() {
    let entry = Regex::new(r"(?m)^      - ([^:\n]+)").expect("a pattern");
    for config in NAMES {
        for wrapper in [Wrapper::Bus, Wrapper::Axi, Wrapper::Uart(BOARD)] {
            let files = made(config, &[], &wrapper).files;
            let core = format!("warpsmith_{config}.core");
            let mut wanted: BTreeSet<&str> = "LICENSE-APACHE LICENSE-MIT README.md manifest.json docs/registers.md \
                lint/waivers.vlt rtl/files.f rtl/warpsmith.v synth/synth_generic.tcl tb/tb_warpsmith.v \
                tb/writes.hex tb/program.hex tb/memory.hex tb/expected.hex"
                .split_whitespace()
                .collect();
            wanted.insert(&core);
            wanted.extend(match wrapper {
                Wrapper::Bus => vec![],
                Wrapper::Axi => vec!["rtl/warpsmith_axi.v", "docs/axi.md", "component.xml", "package_ip.tcl"],
                Wrapper::Uart(_) => vec!["rtl/warpsmith_uart.v", "docs/host-link.md"],
            });
            let names: BTreeSet<&str> = files.keys().map(String::as_str).collect();
            assert_eq!(names, wanted, "{config} {wrapper:?}");

            let rtl: BTreeSet<&str> =
                names.iter().filter_map(|n| n.strip_prefix("rtl/")).filter(|n| n.ends_with(".v")).collect();
            assert_eq!(files["rtl/files.f"].lines().collect::<BTreeSet<_>>(), rtl);
            for (name, text) in &files {
                let licence = ["// ", "# "].iter().any(|c| {
                    text.lines().take(2).any(|l| l == format!("{c}SPDX-License-Identifier: MIT OR Apache-2.0"))
                });
                let code = [".v", ".tcl", ".core"].iter().any(|e| name.ends_with(e));
                assert!(licence || !code, "{config}: {name} names no licence");
                // Everything is in the README and has its digest.
                assert!(name == "README.md" || files["README.md"].contains(&format!("| `{name}` |")), "{name}");
            }
            let manifest: serde_json::Value = serde_json::from_str(&files["manifest.json"]).expect("JSON");
            let digests: BTreeMap<String, String> = serde_json::from_value(manifest["files"].clone()).expect("digests");
            assert_eq!(digests.len() + 1, files.len());
            for (name, digest) in digests {
                assert_eq!(digest, format!("{:x}", Sha256::digest(&files[&name])), "{name}");
            }
            assert_eq!(manifest["name"], config);
            // Every file the core names is there.
            let named: Vec<&str> =
                entry.captures_iter(&files[&core]).map(|c| c.get(1).expect("a name").as_str()).collect();
            assert_eq!(named.len(), rtl.len() + 1 + 5 + 1);
            assert!(named.iter().all(|n| names.contains(n)), "{named:?}");
        }
    }
}

#[test]
fn the_command_writes_the_same_each_time_and_refuses_mistakes() {
    let work = tempfile::tempdir().expect("a folder");
    let out = work.path().join("p");
    let path = out.display().to_string();
    let base = ["package", "--config", "tiny", "--out", &path];
    let with = |more: &[&str]| {
        let args: Vec<&str> = base.iter().chain(more).copied().collect();
        outcome(&warpsmith(&args))
    };
    for _ in 0..2 {
        let (code, printed, err) = with(&["--wrapper", "axi"]);
        assert_eq!(code, 0, "{err}");
        let expected = made("tiny", &[], &Wrapper::Axi).files;
        let listed: BTreeSet<String> = printed.lines().skip(1).map(|l| l.trim().into()).collect();
        assert_eq!(listed, expected.keys().cloned().collect());
        let mut found = 0;
        for folder in ["", "rtl", "tb", "lint", "synth", "docs"] {
            for entry in std::fs::read_dir(out.join(folder)).expect("a folder") {
                let path = entry.expect("readable").path();
                if path.is_file() {
                    let name = path.strip_prefix(&out).expect("below").display().to_string();
                    let text = std::fs::read_to_string(&path).expect("readable");
                    assert!(expected.get(&name) == Some(&text), "{name}");
                    found += 1;
                }
            }
        }
        assert_eq!(found, expected.len());
    }
    std::fs::remove_dir_all(&out).expect("there");
    for (more, says) in [
        (&["--memory", "4096"][..], "--memory sizes the block RAM of --wrapper uart"),
        (&["--wrapper", "uart", "--memory", "100"], "memory_bytes = 100 is impossible"),
        (&["--wrapper", "uart", "--memory", "2048"], "--memory 2048: the testbench's kernel needs 4096 bytes"),
        (&["--wrapper", "pci"], "invalid value 'pci'"),
        (&["--set", "colour=red"], "colour"),
    ] {
        let (code, _, err) = with(more);
        assert!(code == 2 && err.contains(says), "{more:?}: {code} {err}");
        assert!(!out.exists(), "{more:?} wrote something");
    }
    std::fs::write(&out, "").expect("writable");
    let (code, _, err) = with(&[]);
    assert!(code == 2 && err.contains(&path), "{err}");
}
