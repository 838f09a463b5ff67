//! `warpsmith synth`: mistakes, projects, and in `make soak` bitstreams and areas.

mod support;

use std::path::Path;
use support::{outcome, warpsmith, warpsmith_with};
use warpsmith_fpga::synth::area::{Area, Baseline};
use warpsmith_fpga::synth::pins::tcl_files;
use warpsmith_fpga::synth::Report;

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn mistakes_end_with_two_and_one_line() {
    for (args, told) in [
        (vec!["synth"], "--target"),
        (vec!["synth", "--target", "de10"], "ulx3s"),
        (vec!["synth", "--target", "ulx3s", "--clock", "fast"], "MHz"),
        (vec!["synth", "--target", "ulx3s", "--clock", "0"], "MHz"),
        (vec!["synth", "--target", "ulx3s", "--seed", "x"], "number"),
        (
            vec!["synth", "--target", "arty_a7", "--clock", "1.01"],
            "PLL",
        ),
    ] {
        let out = tempfile::tempdir().expect("a folder");
        let mut args = args;
        if args.len() > 3 {
            args.extend(["--config", "tiny", "--out", text(out.path())]);
        }
        let (code, stdout, err) = outcome(&warpsmith(&args));
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {err}");
        assert!(
            err.starts_with("warpsmith: ") && err.contains(told),
            "{args:?}: {err}"
        );
    }
}

#[test]
fn a_missing_tool_ends_with_two_and_the_command_that_installs_it() {
    for target in ["ulx3s", "tang_nano_20k", "ecp5", "xilinx", "gates"] {
        let out = tempfile::tempdir().expect("a folder");
        let args = [
            "synth",
            "--target",
            target,
            "--config",
            "tiny",
            "--out",
            text(out.path()),
        ];
        let run = warpsmith_with(&args, |c| {
            c.env("PATH", "")
                .env("WARPSMITH_CACHE", out.path())
                .env("WARPSMITH_PYTHON", "/nonexistent")
        });
        let (code, _, err) = outcome(&run);
        assert_eq!(code, 2, "{target}: {err}");
        assert!(
            err.contains("yosys is missing") && err.contains("make tools"),
            "{target}: {err}"
        );
    }
}

/// Both projects: every file the Tcl takes is there, the names in it are those of the sources.
#[test]
fn vivado_projects_are_whole() {
    for target in ["arty_a7", "zynq"] {
        let dir = tempfile::tempdir().expect("a folder");
        let args = [
            "synth",
            "--target",
            target,
            "--config",
            "tiny",
            "--json",
            "--out",
            text(dir.path()),
        ];
        let (code, out, err) = outcome(&warpsmith(&args));
        assert_eq!(code, 0, "{err}");
        let report: Report = serde_json::from_str(&out).expect("a report");
        assert_eq!(
            (report.target.as_str(), report.config.as_str()),
            (target, "tiny")
        );
        let read = |name: &str| {
            std::fs::read_to_string(dir.path().join(name))
                .unwrap_or_else(|e| panic!("{target}: {name}: {e}"))
        };
        let (tcl, settings) = (read("project.tcl"), read("settings.tcl"));
        let files = tcl_files(&tcl);
        assert!(files.len() >= 3, "{files:?}");
        for name in &files {
            assert!(!read(name).is_empty());
        }
        // Nothing lies there that the project leaves out.
        for entry in std::fs::read_dir(dir.path()).expect("the folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let source = name.ends_with(".v") || name.ends_with(".xdc") || name == "settings.tcl";
            assert!(!source || files.contains(&name), "{name} is in no project");
        }
        // Every variable of the script is set.
        for name in ["part", "jobs"] {
            assert!(
                settings.contains(&format!("set {name} ")) && tcl.contains(&format!("${name}"))
            );
        }
        assert!(settings.contains(&format!("set part {}\n", report.device)));
        assert!(
            !read("rtl/warpsmith.v").contains("trace_"),
            "the trace port is left out"
        );
        if target == "arty_a7" {
            let generics = settings.split_once("generics {").expect("generics").1;
            let generics = generics.split_once('}').expect("an end").0;
            let top = read("top.v");
            assert_eq!(
                generics.split(' ').count(),
                top.matches("parameter ").count()
            );
            for generic in generics.split(' ') {
                let (name, value) = generic.split_once('=').expect("a value");
                assert!(top.contains(&format!("parameter {name} =")), "{name}");
                value.parse::<u32>().expect("a number");
            }
        } else {
            let axi = read("warpsmith_axi.v");
            for name in ["aclk", "aresetn", "interrupt"] {
                assert!(
                    axi.contains(name) && tcl.contains(&format!("chip/{name}")),
                    "{name}"
                );
            }
            for bus in ["s_axi", "m_axi"] {
                assert!(
                    axi.contains(&format!("{bus}_awaddr")) && tcl.contains(&format!("chip/{bus}")),
                    "{bus}"
                );
            }
        }
    }
}

/// Every board's sources with the chip and its memory, through Verilator's eyes: vendor cells are
/// empty modules here.
#[test]
fn tops_of_all_boards_lint() {
    if !support::tools("tops_of_all_boards_lint", &["verilator"]) {
        return;
    }
    for (board, cells) in [
        (warpsmith_fpga::synth::board::ULX3S, "EHXPLLL"),
        (warpsmith_fpga::synth::board::TANG_NANO_20K, "rPLL"),
        (warpsmith_fpga::synth::board::ARTY_A7, "PLLE2_BASE BUFG"),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let uart = "module warpsmith_uart #(parameter DIVISOR = 217) (input wire clock, input wire reset, input wire rx, output wire tx, output wire [3:0] status); assign tx = rx; assign status = {clock, reset, DIVISOR[1:0]}; endmodule\n";
        let source = format!(
            "{}{uart}{}",
            warpsmith_fpga::synth::board::POWER_ON_RESET,
            board.top
        );
        let file = dir.path().join("top.v");
        std::fs::write(&file, source).expect("written");
        let out = std::process::Command::new("verilator")
            .args([
                "--lint-only",
                "-Wall",
                "--bbox-unsup",
                "-Wno-DECLFILENAME",
                "-Wno-UNUSED",
                "--top-module",
                "top",
            ])
            .arg(&file)
            .output()
            .expect("Verilator starts");
        let log = String::from_utf8_lossy(&out.stderr);
        // What the vendor's cells are is all it may miss.
        for line in log
            .lines()
            .filter(|l| l.starts_with('%') && !l.contains("Exiting"))
        {
            let vendor = cells.split(' ').any(|c| line.contains(&format!("'{c}'")));
            assert!(vendor, "{}: {line}", board.name);
        }
        assert!(log.contains("Cannot find file"), "{}: {log}", board.name);
    }
}

/// The promise to a newcomer: `tiny` for the ULX3S, to the bitstream.
#[test]
#[ignore = "ten minutes of place and route; make soak runs it"]
fn ulx3s_bitstream_of_tiny() {
    let dir = tempfile::tempdir().expect("a folder");
    let args = [
        "synth",
        "--target",
        "ulx3s",
        "--config",
        "tiny",
        "--json",
        "--out",
        text(dir.path()),
    ];
    let (code, out, err) = outcome(&warpsmith(&args));
    assert!(code == 0 || code == 1, "{err}");
    let report: Report = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {err}"));
    assert_eq!(code == 0, report.meets_clock().expect("a clock"), "{err}");
    let bits = std::fs::metadata(dir.path().join("bitstream.bit")).expect("a bitstream");
    assert!(bits.len() > 100_000, "{} bytes", bits.len());
    assert!(
        report.luts > 5_000 && report.brams >= 32.0 && report.dsps >= 8,
        "{}",
        report.page()
    );
    let path = report.critical_path.expect("a path");
    assert!(
        path.blocks.iter().any(|b| b.block.starts_with("u_")),
        "{path:?}"
    );
}

/// Area of the named configurations against `fpga/area.toml`; with `WARPSMITH_BLESS` it is renewed.
#[test]
#[ignore = "synthesis of four chips; make soak runs it"]
fn area_is_that_of_the_baseline() {
    let file = support::root().join("fpga/area.toml");
    let baseline = std::fs::read_to_string(&file).expect("fpga/area.toml");
    let mut baseline: Baseline =
        toml::from_str(&baseline).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let bless = std::env::var_os("WARPSMITH_BLESS").is_some();
    let mut objections = vec![];
    for name in warpsmith_hdl::config::NAMES {
        let dir = tempfile::tempdir().expect("a folder");
        let args = [
            "synth",
            "--target",
            "xilinx",
            "--config",
            name,
            "--json",
            "--out",
            text(dir.path()),
        ];
        let (code, out, err) = outcome(&warpsmith(&args));
        assert_eq!(code, 0, "{err}");
        let report: Report = serde_json::from_str(&out).expect("a report");
        let area = Area {
            luts: report.luts,
            ffs: report.ffs,
            dsps: report.dsps,
            brams: report.brams,
        };
        println!("{name}: {area:?}");
        if bless {
            baseline.yosys.clone_from(&report.tools["yosys"]);
            baseline.area.insert(name.into(), area);
            continue;
        }
        assert_eq!(
            report.tools["yosys"], baseline.yosys,
            "another Yosys counts otherwise"
        );
        objections.extend(baseline.objections(name, &area));
    }
    if bless {
        let text = toml::to_string(&baseline).expect("TOML");
        std::fs::write(&file, format!("# Area of the named configurations in `warpsmith synth --target xilinx`; renewed by\n# WARPSMITH_BLESS=1 cargo test --release --test synth area -- --ignored\n{text}")).expect("written");
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}
