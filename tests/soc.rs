//! `warpsmith soc`: systems of LiteX around a chip. One is simulated, with LiteDRAM's model of a board's SDRAM, and
//! kernels run on it from the host through LiteX's server; for the boards LiteX writes its Verilog.

use crate::support::{self, check_refusal, outcome, prints, refuses, warpsmith, warpsmith_with};
use crate::uart::as_the_model;
use std::path::{Path, PathBuf};
use warpsmith_cache::lock::Lock;
use warpsmith_cosim::Ending;
use warpsmith_fpga::link::{Etherbone, Launched, Link, LinkError, Options, Soc};
use warpsmith_fpga::soc::{served, BOARDS, SIMULATION};
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_isa::assemble;
use warpsmith_model::Launch;

/// Kernels of integers, all that `tiny` runs.
const TEN: [&str; 10] = [
    "barrier_ping_pong", "bitonic_sort", "collatz", "histogram", "matmul_tiled", "nested_calls", "prefix_scan",
    "reduction", "transpose", "vector_add",
];

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn litex() -> bool {
    Tool::Litex.find().is_ok() || support::absent("LiteX (`make tools`)")
}

/// A simulated SoC with `tiny`, in a folder that stays: it is built anew only when it would be another one.
fn simulated() -> Option<PathBuf> {
    if !litex() || !support::tools(&support::SIMULATION) {
        return None;
    }
    if let Some(missing) =
        ["event2/event.h", "json-c/json.h"].iter().find(|h| !Path::new("/usr/include").join(h).is_file())
    {
        support::absent(format!("{missing} (libevent-dev, libjson-c-dev)"));
        return None;
    }
    let mut out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soc-sim-tiny");
    if text(&out).contains(char::is_whitespace) {
        out = Path::new("/tmp").join(format!("warpsmith-soc-sim-tiny-{}", warpsmith_cache::key([text(&out)])));
    }
    let _alone = Lock::wait(&out.with_extension("lock")).expect("a lock");
    prints(&["soc", "--board", SIMULATION, "--config", "tiny", "--out", text(&out)]);
    Some(out)
}

fn run_on(soc: &Soc, at: &str, launch: &Launch, max_cycles: u64) -> Result<Launched, LinkError> {
    let link: &mut dyn Link = &mut Etherbone::connect(soc.clone(), at)?;
    link.run(launch, &Options { all: true, max_cycles, ..Options::default() }, &mut |_, _, _| {})
}

/// A kernel that never ends.
fn endless() -> Launch {
    let program = assemble("again: IADD32I R1, R1, 0x1; BRA again", "endless").unwrap_or_else(|e| panic!("{e}"));
    let mut launch = Launch::from_words("endless", program.words);
    launch.registers = 2;
    launch
}

/// One after the other on one SoC: what a kernel leaves behind, one that still runs too, must not reach the next.
#[test]
fn kernels_run_on_a_simulated_soc_from_the_host() {
    let Some(folder) = simulated() else { return };
    let soc = Soc::read(&folder).expect("a SoC");
    let results = served(&folder, |at| {
        let launch = support::load("vector_add");
        let first = run_on(&soc, at, &launch, 1 << 20).expect("the first");
        as_the_model(&launch, &first.ran);
        // More than the chip alone takes, whose memory answers at once: this one is an SDRAM.
        assert!(first.ran.counters.cycles > 1500, "{:?}", first.ran.counters);
        let stuck = run_on(&soc, at, &endless(), 1000).expect("it starts");
        assert!(matches!(stuck.ran.ending, Ending::CycleLimit(_)), "{:?}", stuck.ran.ending);
        let again = run_on(&soc, at, &launch, 1 << 20).expect("after a reset of the SoC");
        as_the_model(&launch, &again.ran);
    });
    results.expect("the simulation starts");
}

/// The command starts the simulation itself.
#[test]
fn the_command_runs_a_kernel_on_a_simulated_soc() {
    let Some(folder) = simulated() else { return };
    let file = support::kernel("vector_add").display().to_string();
    let on = format!("soc:{}", folder.display());
    let json = prints(&["run", &file, "--on", &on, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("one object");
    assert_eq!((&json["outcome"], &json["warp_instructions"]), (&"pass".into(), &140.into()), "{json}");
    // Floats are none of this chip's: the trap is that of the chip.
    let file = support::kernel("saxpy").display().to_string();
    let (code, out, err) = outcome(&warpsmith(&["run", &file, "--on", &on]));
    assert!(code == 1 && out.starts_with("trap: saxpy on the board with tiny"), "{out}{err}");
    // A server that is not there.
    refuses(&["run", &file, "--on", &format!("{on}@localhost:1")], &["localhost:1", "litex_server"]);
    // The same folder says that another chip was built.
    let other = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(other.path().join("gpu")).expect("writable");
    std::fs::copy(folder.join("gpu/manifest.json"), other.path().join("gpu/manifest.json")).expect("writable");
    let json = std::fs::read_to_string(folder.join("soc.json")).expect("there");
    let mut map: serde_json::Value = serde_json::from_str(&json).expect("an object");
    map["chip"] = 1.into();
    std::fs::write(other.path().join("soc.json"), map.to_string()).expect("writable");
    let soc = Soc::read(other.path()).expect("a SoC");
    let result = served(&folder, |at| run_on(&soc, at, &support::load("vector_add"), 1));
    let error = result.expect("the simulation starts").expect_err("another chip");
    assert!(matches!(error, LinkError::OtherChip { ours: 1, .. }), "{error}");
}

#[test]
#[ignore = "a minute of simulation; make soak runs it"]
fn ten_kernels_run_on_a_simulated_soc() {
    let Some(folder) = simulated() else { return };
    let soc = Soc::read(&folder).expect("a SoC");
    let results = served(&folder, |at| {
        for kernel in TEN {
            let launch = support::load(kernel);
            let launched = run_on(&soc, at, &launch, 1 << 24).unwrap_or_else(|e| panic!("{kernel}: {e}"));
            as_the_model(&launch, &launched.ran);
            println!("{kernel}: {} cycles", launched.ran.counters.cycles);
        }
    });
    results.expect("the simulation starts");
}

/// LiteX's Verilog of a board: every instance in it is that of a module there is, with its ports.
fn elaborated(board: &str, more: &[&str]) {
    let out = support::plain_folder();
    let mut args = vec!["soc", "--board", board, "--config", "tiny", "--no-build", "--out", text(out.path())];
    args.extend(more);
    let said = prints(&args);
    assert!(said.contains("built: tiny"), "{said}");
    let soc = Soc::read(out.path()).expect("a SoC");
    assert!(soc.about.memory_bytes >= 32 << 20 && !soc.is_simulation());
    assert!(prints(&args).contains("up to date"));
    let gateware = out.path().join("gateware");
    let of = |ending: &str| {
        let all = std::fs::read_dir(&gateware).expect("a folder").map(|e| e.expect("readable").path());
        all.filter(|p| p.extension().is_some_and(|e| e == ending)).collect::<Vec<_>>()
    };
    let (pins, cells) = match of("xdc").is_empty() {
        true => (of("lpf"), "+/ecp5/cells_sim.v +/ecp5/cells_bb.v"),
        false => (of("xdc"), "+/xilinx/cells_sim.v +/xilinx/cells_xtra.v"),
    };
    assert_eq!((pins.len(), of("v").len()), (1, 1), "{board}");
    if !support::tools(&["yosys"]) {
        return;
    }
    let verilog = of("v").remove(0);
    let top = verilog.file_stem().expect("a name").to_string_lossy().into_owned();
    // The sources of LiteX's own flow, for Yosys or Vivado.
    let flow: PathBuf = of("ys").into_iter().chain(of("tcl")).next().expect("a script");
    let flow = std::fs::read_to_string(flow).expect("readable");
    let named = flow.lines().filter_map(|l| l.strip_prefix("read_verilog ")).map(|n| n.trim_matches(['{', '}']));
    let sources: Vec<&str> = named.collect();
    assert!(sources.len() > 2, "{flow}");
    let sources = sources.join(" ");
    let script = format!("read_verilog -lib {cells}; read_verilog {sources}; hierarchy -check -top {top}");
    let ran = support::yosys().args(["-q", "-p", &script]).output().expect("Yosys starts");
    assert!(ran.status.success(), "{board}: {}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn the_ulx3s_is_elaborated() {
    if litex() {
        elaborated("ulx3s", &[]);
    }
}

#[test]
#[ignore = "half a minute of LiteX; make soak runs it"]
fn all_boards_are_elaborated() {
    if !litex() {
        return;
    }
    for (name, board) in BOARDS.iter().filter(|b| b.0 != SIMULATION) {
        for link in &board.links {
            elaborated(name, &["--cpu", "vexriscv", "--link", link]);
        }
    }
}

#[test]
#[ignore = "a quarter of an hour of place and route; make soak runs it"]
fn the_soc_of_the_ulx3s_is_routed() {
    if !litex() || [Tool::Yosys, Tool::NextpnrEcp5, Tool::Ecppack].iter().any(|t| t.find().is_err()) {
        return;
    }
    let out = support::plain_folder();
    let (code, said, err) =
        outcome(&warpsmith(&["soc", "--board", "ulx3s", "--config", "tiny", "--out", text(out.path())]));
    assert_eq!(code, 0, "{said}{err}");
    let gateware = out.path().join("gateware");
    let bitstream = gateware.join("bitstream.bit");
    assert!(std::fs::metadata(bitstream).expect("a bitstream").len() > 100_000);
    let report = std::fs::read_to_string(gateware.join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("one object");
    assert!(report["fmax_mhz"].as_f64() >= report["clock_mhz"].as_f64(), "{report}");
    // The board's memory, bus and link are around the chip.
    assert!(said.contains("ulx3s, SoC") && report["luts"].as_u64() > Some(20_000), "{said}");
}

#[test]
fn mistakes_end_with_two_and_say_what_to_do() {
    let out = support::plain_folder();
    let base = ["soc", "--config", "tiny", "--no-build", "--out", text(out.path())];
    let with = |more: &[&'static str]| base.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>();
    for (more, told) in [
        (vec!["--board", "arty"], "add --cpu vexriscv"),
        (vec!["--board", "ulx3s", "--link", "etherbone"], "ULX3S (ECP5-85F) has uart alone"),
    ] {
        refuses(&with(&more), &[told]);
    }
    let spaces = out.path().join("a b");
    let args = ["soc", "--board", "ulx3s", "--config", "tiny", "--no-build", "--out", text(&spaces)];
    refuses(&args, &["a b", "spaces", "name another one"]);
    for (more, told) in [
        (vec![], "--board"),
        (vec!["--board", "de10"], "arty, ecpix5, orangecrab, sim, ulx3s"),
        (vec!["--board", "sim", "--cpu", "z80"], "vexriscv"),
        (vec!["--board", "sim", "--clock", "fast"], "MHz"),
    ] {
        let (code, stdout, err) = outcome(&warpsmith(&with(&more)));
        assert_eq!((code, stdout.as_str()), (2, ""), "{more:?}: {err}");
        assert!(err.contains(told), "{more:?}: {err}");
    }
    let missing = warpsmith_with(&with(&["--board", "ulx3s"]), |c| {
        c.env("PATH", "").env("WARPSMITH_CACHE", out.path()).env("WARPSMITH_PYTHON", "/nonexistent")
    });
    let (code, stdout, err) = outcome(&missing);
    check_refusal(code, &stdout, &err, &["LiteX is missing", "make tools"]);
    let file = support::kernel("vector_add").display().to_string();
    refuses(&["run", &file, "--on", "soc:no-such-folder"], &["no-such-folder/soc.json", "warpsmith soc"]);
    refuses(&["run", &file, "--on", "soc:x", "--check"], &["--check watches the model"]);
}
