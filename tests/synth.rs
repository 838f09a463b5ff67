//! `warpsmith synth`: mistakes, projects, and in `make soak` bitstreams and areas.

use crate::support;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use support::{outcome, warpsmith, warpsmith_with};
use warpsmith_fpga::synth::area::{Area, Baseline};
use warpsmith_fpga::synth::pins::tcl_files;
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_fpga::synth::{self, Options, Report, SynthError, Target};
use warpsmith_hdl::emit::tree;
use warpsmith_hdl::sm::mem::fifo::Fifo;
use warpsmith_netlist::pass::harden::{harden, Plan, Sinks};
use warpsmith_netlist::{print, Design};

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
        (vec!["synth", "--target", "ulx3s", "--seeds", "0"], "1..=1000"),
        (vec!["synth", "--target", "ecp5", "--part", "LFE5U-85F"], "LFE5U-85F-6BG381C"),
        (vec!["synth", "--target", "arty_a7", "--part", "LFE5U-85F-6BG381C"], "no ECP5"),
        (vec!["synth", "--target", "arty_a7", "--clock", "1.01"], "PLL"),
    ] {
        let out = tempfile::tempdir().expect("a folder");
        let mut args = args;
        if args.len() > 3 {
            args.extend(["--config", "tiny", "--out", text(out.path())]);
        }
        let (code, stdout, err) = outcome(&warpsmith(&args));
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.starts_with("warpsmith: ") && err.contains(told), "{args:?}: {err}");
    }
}

#[test]
fn a_missing_tool_ends_with_two_and_the_command_that_installs_it() {
    for target in ["ulx3s", "tang_nano_20k", "ecp5", "xilinx", "gates"] {
        let out = tempfile::tempdir().expect("a folder");
        let args = ["synth", "--target", target, "--config", "tiny", "--out", text(out.path())];
        let run = warpsmith_with(&args, |c| {
            c.env("PATH", "").env("WARPSMITH_CACHE", out.path()).env("WARPSMITH_PYTHON", "/nonexistent")
        });
        let (code, _, err) = outcome(&run);
        assert_eq!(code, 2, "{target}: {err}");
        assert!(err.contains("yosys is missing") && err.contains("make tools"), "{target}: {err}");
    }
}

/// A queue with its registers in three copies in the place of a chip, synthesized; without `kept` its copies lack the
/// attribute that keeps them apart.
fn copied_queue(target: Target, kept: bool) -> Result<Report, SynthError> {
    let plan = Plan::from([("warpsmith".to_string(), "tmr".parse().expect("a scheme"))]);
    let nowhere = Sinks { corrected: "-", detected: "-" };
    let mut queue = harden(tree("warpsmith", &Fifo::new(4, 12)), &plan, &nowhere).expect("registers");
    queue.module.name = "warpsmith".into();
    let design = Design::new(queue);
    let mut verilog = print::verilog::file(&design, "A queue.");
    let attribute = "(* keep_hierarchy = \"yes\" *)";
    assert!(verilog.contains(attribute));
    if !kept {
        verilog = verilog.replace(attribute, "");
    }
    let out = tempfile::tempdir().expect("a folder");
    let rtl = out.path().join("rtl");
    std::fs::create_dir(&rtl).expect("a folder");
    std::fs::copy(support::root().join("rtl-out/default/manifest.json"), rtl.join("manifest.json"))
        .expect("a manifest");
    std::fs::write(rtl.join("warpsmith.v"), verilog).expect("room");
    let sites = serde_json::to_string(&print::sites::sites(&design)).expect("JSON");
    std::fs::write(rtl.join("sites.json"), sites).expect("room");
    let options = Options { clock_mhz: None, part: None, seed: 1, seeds: 1, route: false };
    synth::synth(target, &options, out.path(), &mut |_| ())
}

/// Synthesis keeps the copies apart because of their attribute, and joins them without it, which is told.
#[test]
fn copies_that_synthesis_joins_are_told() {
    if support::found(Tool::Yosys.find()).is_none() {
        return;
    }
    for target in [Target::Xilinx, Target::Gates] {
        let report = copied_queue(target, true).unwrap_or_else(|e| panic!("{}: {e}", target.name()));
        let bits = report.copied_bits.expect("copies");
        assert!(bits > 5 && report.ffs >= 3 * bits, "{}", report.page());
        assert!(report.page().contains("0 unprotected bits of "), "{}", report.page());
        let error = copied_queue(target, false).expect_err("copies are joined");
        assert!(matches!(&error, SynthError::Unprotected { unprotected, all, .. } if unprotected == all), "{error}");
    }
}

/// A synthesis that loses copies ends with 1 and their names: here a Yosys that loses everything.
#[test]
fn lost_copies_end_with_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let yosys = dir.path().join("yosys");
    let script = "#!/bin/sh
if [ \"$1\" = -V ]; then echo 'Yosys 0.0'; exit; fi
echo '{\"design\": {\"num_cells_by_type\": {}}}' > stat.json
echo '{\"modules\": {\"warpsmith\": {}}}' > netlist.json
";
    std::fs::write(&yosys, script).expect("room");
    std::fs::set_permissions(&yosys, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let out = dir.path().join("out");
    let run = |set: &str| {
        let args = ["synth", "--target", "xilinx", "--config", "tiny", "--set", set, "--out", text(&out)];
        outcome(&warpsmith_with(&args, |c| {
            c.env("PATH", dir.path()).env("WARPSMITH_CACHE", dir.path()).env("WARPSMITH_PYTHON", "/nonexistent")
        }))
    };
    let (code, stdout, err) = run("harden.dispatch=tmr");
    assert_eq!((code, stdout.as_str()), (1, ""), "{err}");
    for told in ["netlist.json: ", " unprotected bits of ", "u_sm_0.u_dispatch.", " more; ", "keep_hierarchy"] {
        assert!(err.contains(told), "{told}: {err}");
    }
    // A chip without copies has none to lose.
    assert_eq!(run("watchdog=0").0, 0);
}

/// Both projects: every file the Tcl takes is there, the names in it are those of the sources.
#[test]
fn vivado_projects_are_whole() {
    for target in ["arty_a7", "zynq"] {
        let dir = tempfile::tempdir().expect("a folder");
        let args = ["synth", "--target", target, "--config", "tiny", "--json", "--out", text(dir.path())];
        let (code, out, err) = outcome(&warpsmith(&args));
        assert_eq!(code, 0, "{err}");
        let report: Report = serde_json::from_str(&out).expect("a report");
        assert_eq!((report.target.as_str(), report.config.as_str()), (target, "tiny"));
        let read = |name: &str| {
            std::fs::read_to_string(dir.path().join(name)).unwrap_or_else(|e| panic!("{target}: {name}: {e}"))
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
            assert!(settings.contains(&format!("set {name} ")) && tcl.contains(&format!("${name}")));
        }
        assert!(settings.contains(&format!("set part {}\n", report.device)));
        assert!(!read("rtl/warpsmith.v").contains("trace_"), "the trace port is left out");
        if target == "arty_a7" {
            let generics = settings.split_once("generics {").expect("generics").1;
            let generics = generics.split_once('}').expect("an end").0;
            let top = read("top.v");
            assert_eq!(generics.split(' ').count(), top.matches("parameter ").count());
            for generic in generics.split(' ') {
                let (name, value) = generic.split_once('=').expect("a value");
                assert!(top.contains(&format!("parameter {name} =")), "{name}");
                value.parse::<u32>().expect("a number");
            }
        } else {
            let axi = read("warpsmith_axi.v");
            for name in ["aclk", "aresetn", "irq"] {
                assert!(axi.contains(name) && tcl.contains(&format!("chip/{name}")), "{name}");
            }
            for bus in ["s_axi", "m_axi"] {
                assert!(axi.contains(&format!("{bus}_awaddr")) && tcl.contains(&format!("chip/{bus}")), "{bus}");
            }
        }
    }
}

/// A module with these ports of one bit each, or as `NAME:WIDTH`, in place of a vendor's cell.
fn cell(name: &str, parameters: &str, inputs: &str, outputs: &str) -> String {
    let ports = |direction: &str, names: &str| -> Vec<String> {
        let names = names.split(' ').map(|n| n.split_once(':').unwrap_or((n, "1")));
        names.map(|(n, width)| format!("{direction} wire [{width}-1:0] {n}")).collect()
    };
    let parameters: Vec<String> = parameters.split(' ').map(|p| format!("parameter {p} = 0")).collect();
    let all = [ports("input", inputs), ports("output", outputs)].concat();
    let drive: String =
        outputs.split(' ').filter_map(|o| o.split(':').next()).map(|o| format!("assign {o} = 0; ")).collect();
    format!("module {name} #({}) ({}); {drive} endmodule\n", parameters.join(", "), all.join(", "))
}

/// Every board's top through Verilator's eyes; vendor cells and the chip are modules without insides.
/// Whether the vendors' cells have these ports is seen by Yosys, which knows them, in the long tests.
#[test]
fn tops_of_all_boards_lint() {
    if !support::tools(&["verilator"]) {
        return;
    }
    let cells = [
        cell(
            "EHXPLLL",
            "CLKI_DIV CLKFB_DIV CLKOP_DIV FEEDBK_PATH CLKOP_ENABLE CLKOP_CPHASE CLKOP_FPHASE OUTDIVIDER_MUXA PLLRST_ENA INTFB_WAKE STDBY_ENABLE DPHASE_SOURCE",
            "CLKI CLKFB RST STDBY PHASESEL0 PHASESEL1 PHASEDIR PHASESTEP PHASELOADREG PLLWAKESYNC ENCLKOP",
            "CLKOP LOCK",
        ),
        cell(
            "rPLL",
            "FCLKIN DEVICE IDIV_SEL FBDIV_SEL ODIV_SEL DYN_IDIV_SEL DYN_FBDIV_SEL DYN_ODIV_SEL PSDA_SEL DUTYDA_SEL DYN_DA_EN CLKFB_SEL CLKOUT_BYPASS CLKOUTP_BYPASS CLKOUTD_BYPASS DYN_SDIV_SEL CLKOUTD_SRC CLKOUTD3_SRC CLKOUT_FT_DIR CLKOUTP_FT_DIR CLKOUT_DLY_STEP CLKOUTP_DLY_STEP",
            "CLKIN CLKFB RESET RESET_P FBDSEL:6 IDSEL:6 ODSEL:6 PSDA:4 DUTYDA:4 FDLY:4",
            "CLKOUT LOCK",
        ),
        cell(
            "PLLE2_BASE",
            "CLKIN1_PERIOD DIVCLK_DIVIDE CLKFBOUT_MULT CLKOUT0_DIVIDE",
            "CLKIN1 CLKFBIN PWRDWN RST",
            "CLKFBOUT CLKOUT0 LOCKED",
        ) + "module BUFG (input wire I, output wire O); assign O = I; endmodule\n",
    ];
    let uart = cell("warpsmith_uart", "DIVISOR", "clock reset rx", "tx status:4");
    let plls = ["EHXPLLL ", "rPLL ", "PLLE2_BASE "];
    for board in synth::board::BOARDS {
        let text: String = board.common.iter().map(|(_, text)| *text).collect();
        let modules = text.clone() + board.top;
        let of_pll = plls.iter().position(|pll| modules.contains(pll)).expect("a PLL");
        let cells = &cells[of_pll];
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("top.v");
        let lint = |top: &str| {
            let off = "/* verilator lint_off UNUSED */ /* verilator lint_off WIDTH */\n";
            let on = "/* verilator lint_on UNUSED */ /* verilator lint_on WIDTH */\n";
            std::fs::write(&file, format!("{off}{cells}{uart}{on}{text}{top}")).expect("written");
            let out = support::lint("top", &["-Wno-DECLFILENAME", "-Wno-MULTITOP"], &[&file]);
            (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let (clean, log) = lint(board.top);
        assert!(clean, "{}: {log}", board.name);
        let (clean, _) = lint(&board.top.replace(".reset(reset)", ".reset(rest)"));
        assert!(!clean, "{}: a misspelt name passes", board.name);
    }
}

/// A chip for a board, to the bitstream.
#[track_caller]
fn bitstream(board: &str, set: &[&str], file: &str) -> Report {
    let dir = tempfile::tempdir().expect("a folder");
    let mut args = vec!["synth", "--target", board, "--config", "tiny", "--json"];
    args.extend(set.iter().flat_map(|assignment| ["--set", assignment]));
    args.extend(["--out", text(dir.path())]);
    let (code, out, err) = outcome(&warpsmith(&args));
    assert!(code == 0 || code == 1, "{err}");
    let report: Report = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {err}"));
    assert_eq!(code == 0, report.meets_clock().expect("a clock"), "{err}");
    let bits = std::fs::metadata(dir.path().join(file)).expect("a bitstream");
    assert!(bits.len() > 100_000, "{} bytes", bits.len());
    let path = report.critical_path.as_ref().expect("a path");
    assert!(path.blocks.iter().any(|b| b.block.starts_with("u_")), "{path:?}");
    report
}

/// The promise to a newcomer: `tiny` for the ULX3S.
#[test]
#[ignore = "ten minutes of place and route; make soak runs it"]
fn ulx3s_bitstream_of_tiny() {
    let report = bitstream("ulx3s", &[], "bitstream.bit");
    assert!(report.luts > 5_000 && report.brams >= 32.0 && report.dsps >= 8, "{}", report.page());
}

#[test]
#[ignore = "twenty minutes of place and route; make soak runs it"]
fn tang_nano_bitstream_of_two_lanes() {
    let set = ["lanes=2", "port_words=2"];
    let report = bitstream("tang_nano_20k", &set, "bitstream.fs");
    assert!(report.luts > 10_000 && report.brams >= 20.0 && report.dsps == 2, "{}", report.page());
    // Its clock is not to be trusted, and the page says so.
    assert!(report.page().contains("The clock is too good"));
}

/// Area of the named configurations against `fpga/area.toml`; with `WARPSMITH_BLESS` it is renewed.
#[test]
#[ignore = "synthesis of four chips; make soak runs it"]
fn area_is_that_of_the_baseline() {
    let file = support::root().join("fpga/area.toml");
    let baseline = std::fs::read_to_string(&file).expect("fpga/area.toml");
    let mut baseline: Baseline = toml::from_str(&baseline).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let bless = std::env::var_os("WARPSMITH_BLESS").is_some();
    let mut objections = vec![];
    for name in warpsmith_hdl::config::NAMES {
        let dir = tempfile::tempdir().expect("a folder");
        let args = ["synth", "--target", "xilinx", "--config", name, "--json", "--out", text(dir.path())];
        let (code, out, err) = outcome(&warpsmith(&args));
        assert_eq!(code, 0, "{err}");
        let report: Report = serde_json::from_str(&out).expect("a report");
        let area = Area { luts: report.luts, ffs: report.ffs, dsps: report.dsps, brams: report.brams };
        println!("{name}: {area:?}");
        if bless {
            baseline.yosys.clone_from(&report.tools["yosys"]);
            baseline.area.insert(name.into(), area);
            continue;
        }
        assert_eq!(report.tools["yosys"], baseline.yosys, "another Yosys counts otherwise");
        objections.extend(baseline.objections(name, &area));
    }
    if bless {
        let text = toml::to_string(&baseline).expect("TOML");
        std::fs::write(&file, format!("# Area of the named configurations in `warpsmith synth --target xilinx`; renewed by\n# WARPSMITH_BLESS=1 cargo test --release synth::area -- --ignored\n{text}")).expect("written");
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}
