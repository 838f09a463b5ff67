//! The host link: `warpsmith_uart` in Verilator behind a pseudo-terminal, with a clean line, a noisy
//! one, and a board that is reset in the middle. Results are those of the model, counters those
//! of the simulated chip with an ideal memory, and so are the cycles.

use crate::support::{self, sim};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use warpsmith_cosim::{BuildOptions, Chip, Collect, Counters, Ending, Host, Ran, RunOptions, Stop};
use warpsmith_fpga::board::{Board, Faults, Switches};
use warpsmith_fpga::chip::ChipManifest;
use warpsmith_fpga::link::frame::Decoder;
use warpsmith_fpga::link::{Launched, Link, LinkError, Options, Serial, Session};
use warpsmith_fpga::wrap::uart::{render, UartOptions};
use warpsmith_model::{Launch, Machine, ModelConfig};

/// Parameters of `tiny`: those of most tests, and the chip of the Tang Nano 20K.
pub const PLAIN: &[&str] = &["trace=false"];
const NARROW: &[&str] = &["trace=false", "lanes=2", "port_words=2"];
const MEMORY: UartOptions = UartOptions { memory_bytes: 16384 };

/// A simulated board that serves until it is dropped.
pub struct Served {
    switches: Switches,
    thread: Option<JoinHandle<()>>,
    /// Its end of the line.
    pub path: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.switches.off.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))), "the board serves to its end");
    }
}

/// A simulated board with `tiny`; `None` without the tools.
pub fn board() -> Option<Board> {
    board_with(PLAIN)
}

fn board_with(set: &[&str]) -> Option<Board> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    let folder = sim::emitted("tiny", set);
    Some(Board::build(&folder, &MEMORY, 4).unwrap_or_else(|e| panic!("{e}")))
}

/// Serves with a share of wrong bits, or a reset after so many bytes.
pub fn serve(board: &Board, noise: f64, reset_after: Option<u64>, seed: u64) -> Served {
    serve_with(board, Faults { noise, reset_after, seed, ..Faults::default() })
}

/// Serves with all of [`Faults`].
pub fn serve_with(board: &Board, faults: Faults) -> Served {
    let switches = Switches::default();
    let (board, theirs) = (board.clone(), switches.clone());
    let (send, path) = channel();
    let thread = std::thread::spawn(move || {
        let ready = |path: &Path| send.send(path.display().to_string()).expect("awaited");
        let traffic = board.serve(None, &faults, &theirs, ready);
        traffic.expect("the board starts");
    });
    Served { switches, thread: Some(thread), path: path.recv().expect("the board says its path") }
}

/// Runs a launch and reads all memory back.
pub fn run_on(served: &Served, launch: &Launch) -> Result<Launched, LinkError> {
    let all = Options { all: true, ..Options::default() };
    let link: &mut dyn Link = &mut Session::new(Serial::open(&served.path, 1_000_000)?);
    link.run(launch, &all, &mut |_, _, _| {})
}

/// Every word of global memory as the model leaves it.
#[track_caller]
pub fn as_the_model(launch: &Launch, ran: &Ran) {
    let mut machine = Machine::new(
        launch,
        ModelConfig {
            stack_depth: ran.chip.as_ref().expect("the board's").stack_depth as usize,
            fill: None,
            tier: Default::default(),
            ..ModelConfig::default()
        },
    );
    machine.run(1 << 30).expect("no trap");
    assert_eq!(ran.ending, Ending::Done);
    for at in (0..launch.global_bytes as u32).step_by(4) {
        let (want, got) = (machine.global().word(at), ran.global.word(at));
        assert_eq!(want, got, "{} at 0x{at:x}", launch.name);
    }
}

#[test]
fn kernels_give_the_models_results_and_the_simulated_chips_counters() {
    results_and_counters_are_right(PLAIN);
}

#[test]
fn kernels_do_so_on_two_lanes() {
    results_and_counters_are_right(NARROW);
}

fn results_and_counters_are_right(set: &[&str]) {
    let Some(board) = board_with(set) else { return };
    let folder = sim::emitted("tiny", set);
    let chip = Chip::open(&folder, &BuildOptions::default()).expect("the chip alone");
    // One board for all: what a launch leaves behind must not reach the next.
    let served = serve(&board, 0.0, None, 7);
    for kernel in ["vector_add", "nested_calls", "vector_add"] {
        let launch = support::load(kernel);
        let Launched { ran, resets, .. } = run_on(&served, &launch).expect(kernel);
        as_the_model(&launch, &ran);
        assert!(resets.is_empty());
        // The controller of an SM looks at one block slot a cycle, from reset on: how long a block that
        // has ended keeps its slot depends on the cycle of the start, and on nothing else.
        let phases = (0..u64::from(chip.info().blocks)).map(|gap| alone(&chip, &launch, gap));
        let (cycles, each): (Vec<u64>, Vec<_>) = phases.map(|c| (c.cycles, counts(&c))).unzip();
        let counted = counts(&ran.counters);
        assert!(each.iter().all(|c| *c == counted), "{kernel}: {each:?}, {counted:?}");
        let took = ran.counters.cycles;
        assert!(cycles.contains(&took), "{kernel}: {took} of {cycles:?}");
    }
}

/// What does not depend on when a kernel is started.
fn counts(c: &Counters) -> [u64; 3] {
    [c.warp_instructions, c.thread_instructions, c.global_requests]
}

/// The simulated chip without a board, started some cycles after the launch was loaded.
fn alone(chip: &Chip, launch: &Launch, gap: u64) -> Counters {
    let options = RunOptions::default();
    let mut host = Host::new(chip, launch, &options, Collect::Off).expect("it fits");
    host.sim.run(gap, false, u64::MAX);
    host.start();
    assert_eq!(host.sim.run(1 << 20, true, u64::MAX), Stop::Done);
    host.counters()
}

#[test]
fn the_program_runs_kernels_on_a_board() {
    let Some(board) = board() else { return };
    let served = serve(&board, 0.0, None, 8);
    let on = format!("uart:{}", served.path);
    let file = support::kernel("vector_add").display().to_string();
    let run = |launch: &str, more: &[&str]| {
        let mut args = vec!["run", launch, "--on", &on];
        args.extend(more);
        support::outcome(&support::warpsmith(&args))
    };
    let (code, out, err) = run(&file, &["--json"]);
    assert_eq!(code, 0, "{out}{err}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(json["outcome"], "pass");
    assert!(json["cycles"].as_u64() > Some(100) && json["stalls"]["launch"].is_u64());

    // A dump is all of memory, as on the model.
    let dir = tempfile::tempdir().expect("a folder");
    let dump = |name: &str| dir.path().join(name).display().to_string();
    let (here, there) = (dump("model.hex"), dump("board.hex"));
    assert_eq!(run(&file, &["--dump", &there]).0, 0);
    assert_eq!(support::outcome(&support::warpsmith(&["run", &file, "--dump", &here])).0, 0);
    let read = |p: &str| std::fs::read_to_string(p).expect("written");
    assert_eq!(read(&here), read(&there));

    // A trap, with its place.
    let source = dir.path().join("trap.sass");
    std::fs::write(&source, "MVI R1, 0x2;\nGST.U32 global14 [R1], R1;\nRET;\n").expect("written");
    let trap = dir.path().join("trap.toml");
    std::fs::write(
        &trap,
        "program = \"trap.sass\"\ngrid = [1, 1]\nblock = [1, 1, 1]\nregisters = 4\nglobal_bytes = 64\n",
    )
    .expect("written");
    let trap = trap.display().to_string();
    let (code, out, err) = run(&trap, &[]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("trap 4"), "{out}{err}");

    // What does not fit, and what makes no sense.
    let sobel = support::kernel("sobel").display().to_string();
    for (args, parts) in [
        (vec![sobel.as_str()], vec!["32768", "16384", "memory_bytes"]),
        (vec![&file, "--wave", "x.fst"], vec!["--wave", "--on rtl"]),
        (vec![&file, "--profile"], vec!["--profile"]),
        (vec![&file, "--threads", "2"], vec!["--threads"]),
        (vec![&file, "--seed", "2"], vec!["--seed"]),
        (vec![&file, "--config", "wide"], vec!["--config"]),
    ] {
        let (code, out, err) = run(args[0], &args[1..]);
        assert_eq!(code, 2, "{args:?}: {out}{err}");
        for part in parts {
            assert!(err.contains(part), "{args:?}: {err}");
        }
    }
}

#[test]
fn a_noisy_line_costs_time_and_nothing_else() {
    let Some(board) = board() else { return };
    let launch = support::load("vector_add");
    let mut retries = 0;
    for seed in [1, 2, 3] {
        let served = serve(&board, 0.002, None, seed);
        let launched = run_on(&served, &launch).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        as_the_model(&launch, &launched.ran);
        retries += launched.retries;
    }
    assert!(retries >= 3, "{retries} retries: the noise is not real");
}

/// A decoder that believes everything must be noticed, or the test above shows nothing.
#[test]
fn without_the_crc_noise_reaches_the_results() {
    let Some(board) = board() else { return };
    let launch = support::load("vector_add");
    let all = Options { all: true, ..Options::default() };
    let noticed = (1..=8).any(|seed| {
        let served = serve(&board, 0.002, None, seed);
        let port = Serial::open(&served.path, 1_000_000).expect("opens");
        let link: &mut dyn Link = &mut Session::with_decoder(port, Decoder::new(false));
        match link.run(&launch, &all, &mut |_, _, _| {}) {
            Err(_) => true,
            Ok(Launched { ran, .. }) => ran.ending != Ending::Done || !ran.differences.is_empty(),
        }
    });
    assert!(noticed, "eight noisy runs without a CRC went well");
}

#[test]
fn a_reset_in_the_middle_is_noticed_wherever_it_comes() {
    let Some(board) = board() else { return };
    let launch = support::load("vector_add");
    let mut places = std::collections::BTreeSet::new();
    // While the program, memory is loaded, results are read.
    for bytes in [60, 1100, 2080] {
        let served = serve(&board, 0.0, Some(bytes), bytes);
        let Launched { ran, resets, .. } = run_on(&served, &launch).unwrap_or_else(|e| panic!("after {bytes}: {e}"));
        as_the_model(&launch, &ran);
        assert_eq!(resets.len(), 1, "after {bytes} bytes");
        places.extend(resets);
    }
    assert!(places.len() >= 2, "{places:?}");
}

#[test]
fn ports_that_are_no_board_are_explained() {
    let file = support::kernel("vector_add").display().to_string();
    for (on, part) in [
        ("uart:no-such-port", "warpsmith board"),
        ("uart:", "uart:PATH"),
        ("uart:x@fast", "no speed"),
        ("uart:/dev/null", "serial port"),
    ] {
        let (code, out, err) = support::outcome(&support::warpsmith(&["run", &file, "--on", on]));
        assert_eq!(code, 2, "{on}: {out}{err}");
        assert!(err.contains(part), "{on}: {err}");
    }
}

/// Lint with every warning on, and no latch, for a chip with the trace port and one without.
#[test]
fn the_module_is_clean_verilog() {
    if !support::tools(&["verilator"]) {
        return;
    }
    for (name, set, memory_bytes) in
        [("tiny", &["trace=false"][..], 8192), ("tiny", NARROW, 8192), ("default", &[], 65536), ("wide", &[], 3 * 128)]
    {
        let folder = sim::emitted(name, set);
        let text = std::fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
        let chip = ChipManifest::from_manifest(&text).expect("a chip");
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("warpsmith_uart.v");
        let verilog = render(&chip, &UartOptions { memory_bytes }).expect("rendered");
        std::fs::write(&file, verilog).expect("written");
        let lint = lint(&file, &folder.join("warpsmith.v"));
        assert!(lint.is_empty(), "{name}: {lint}");
        // One line, and what is not whole lines.
        let line = chip.line_bits() as u64 / 8;
        for bad in [0, line, 100, memory_bytes + 4, 1 << 40] {
            assert!(render(&chip, &UartOptions { memory_bytes: bad }).is_err());
        }
    }
}

fn lint(file: &Path, chip: &Path) -> String {
    let waivers = support::root().join("sim/engine/verilator/waivers.vlt");
    let out = support::lint("warpsmith_uart", &[], &[&waivers, file, chip]);
    String::from_utf8_lossy(&out.stderr).into_owned()
}
