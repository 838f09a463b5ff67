//! Saboteurs in hardware: every site has its place in the chain, without a fault the chip is the plain one, and a fault shows what it
//! does in simulation, through the bus of a simulated chip and over the line of a simulated board.

use crate::support::set_chip::native;
use crate::support::{self, args, fault, outcome, sim, warpsmith, Scratch};
use crate::uart::{self, serve};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warpsmith_contract::inject::Shot;
use warpsmith_contract::{ports, SiteKind};
use warpsmith_cosim::{Chip, Simulation, RESET_CYCLES};
use warpsmith_fault::{
    Engine, Fault, FaultKind, FaultOutcome, FaultSimulator, Golden, HardwareSimulator, Record, SerialSimulator,
    SimulatorOptions, Store,
};
use warpsmith_fpga::board::Board;
use warpsmith_fpga::link::{About, Injection, Link, LinkError, Space, Statistics};
use warpsmith_fpga::wrap::uart::UartOptions;
use warpsmith_model::Launch;
use warpsmith_netlist::pass::inject::Chain;
use warpsmith_testkit::Random;

/// A simulated chip at the end of a link without a line.
struct Direct {
    sim: Simulation,
    about: About,
    ports: BTreeMap<&'static str, usize>,
    doing: &'static str,
}

impl Direct {
    fn new(chip: &Chip, seed: u64) -> Self {
        let manifest = chip.design().manifest();
        let all =
            [ports::RESET, ports::BUS_VALID, ports::BUS_WRITE, ports::BUS_ADDRESS, ports::BUS_WDATA, ports::BUS_RDATA];
        let ports = all.map(|p| (p.name, manifest.port(p.name).expect("a port"))).into();
        let mut sim = chip.design().simulate(seed);
        for quiet in [ports::MEM_ERROR, ports::MEM_PENDING] {
            sim.set(manifest.port(quiet.name).expect("a port"), 0, 0);
        }
        let about = About { memory_bytes: 1 << 16, info: chip.info().clone() };
        Direct { sim, about, ports, doing: "" }
    }

    fn set(&mut self, port: ports::ChipPort, value: u32) {
        self.sim.set(self.ports[port.name], 0, value);
    }

    fn access(&mut self, write: bool, address: u32, word: u32) -> u32 {
        self.set(ports::BUS_VALID, 1);
        self.set(ports::BUS_WRITE, write.into());
        self.set(ports::BUS_ADDRESS, address);
        self.set(ports::BUS_WDATA, word);
        self.sim.run(1, false, u64::MAX);
        self.set(ports::BUS_VALID, 0);
        let word = self.sim.get(self.ports[ports::BUS_RDATA.name], 0);
        // A host is slower than its chip.
        self.sim.run(if write { 1 } else { 29 }, false, u64::MAX);
        word
    }
}

impl Link for Direct {
    fn hello(&mut self) -> Result<&About, LinkError> {
        self.set(ports::BUS_VALID, 0);
        self.set(ports::RESET, 1);
        self.sim.run(RESET_CYCLES, false, u64::MAX);
        self.set(ports::RESET, 0);
        Ok(&self.about)
    }

    fn read(&mut self, space: Space, address: u32, count: usize) -> Result<Vec<u32>, LinkError> {
        let addresses = (0..count as u32).map(|i| address + 4 * i);
        Ok(match space {
            Space::Bus => addresses.map(|a| self.access(false, a, 0)).collect(),
            Space::Memory => addresses.map(|a| self.sim.memory_word(a)).collect(),
        })
    }

    fn write(&mut self, space: Space, address: u32, words: &[u32]) -> Result<(), LinkError> {
        for (at, word) in (address..).step_by(4).zip(words) {
            match space {
                Space::Bus => drop(self.access(true, at, *word)),
                Space::Memory => self.sim.write_memory(at, &word.to_le_bytes()),
            }
        }
        Ok(())
    }

    fn clear(&mut self, _: u64) -> Result<(), LinkError> {
        self.sim.clear_memory(None);
        Ok(())
    }

    fn start(&mut self, word: u32) -> Result<(), LinkError> {
        self.write(Space::Bus, warpsmith_contract::registers::CONTROL.address, &[word])
    }

    fn doing(&mut self) -> &mut &'static str {
        &mut self.doing
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

/// The blocks of `tiny` that have saboteurs.
const ALL: &str = "saboteurs=warpsmith";

fn chain(set: &[&str]) -> Chain {
    let chain = warpsmith_hdl::saboteurs::chain(&sim::config("tiny", set));
    chain.expect("blocks of the chip").expect("some")
}

/// The fault-free run on the native engine from a power-on state.
fn golden(set: &[&str], launch: &Launch, power_on: u64) -> Golden {
    let folder = fault::folder("tiny", set);
    Golden::run_on(Engine::Native, &folder, launch.clone(), power_on, None).unwrap_or_else(|e| panic!("{e}"))
}

/// The simulator of a chip on the native engine with saboteurs.
fn hardware<'a>(golden: &'a Golden, chip: &Chip, chain: &'a Chain, seed: u64) -> HardwareSimulator<'a> {
    let link = Box::new(Direct::new(chip, seed));
    let injection = Injection::new(link, golden.launch(), chain.length, chain.layout());
    let mut injection = injection.unwrap_or_else(|e| panic!("{e}"));
    let shoot = move |shot: &Shot, limit| injection.shoot(shot, limit, &mut |_, _, _| {}).map_err(|e| e.to_string());
    let simulator = HardwareSimulator::new(golden, chain, SimulatorOptions::default(), Box::new(shoot));
    simulator.unwrap_or_else(|e| panic!("{e}"))
}

fn serial(golden: &Golden) -> SerialSimulator<'_> {
    SerialSimulator::new(golden, SimulatorOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// What a chip in hardware can tell of a fault; not words outside of the launch's memory, which a host does not read.
fn shown(r: &Record) -> (FaultOutcome, Option<u8>, [u64; 3], [Option<u64>; 2]) {
    let first = r.first_wrong.map(u64::from);
    (r.outcome, r.cause, [r.cycles, r.wrong_words, r.wrong_bits], [r.activated, first])
}

/// Registers and memories of the chip that campaigns know are those of the chain, each bit once.
#[test]
fn every_register_and_memory_has_a_place_in_the_chain() {
    for name in warpsmith_hdl::config::NAMES {
        let set = ["trace=false"];
        let sites = warpsmith_hdl::injecting_chip(&sim::config(name, &set), name).sites;
        let chain = warpsmith_hdl::saboteurs::chain(&sim::config(name, &["trace=false", ALL]));
        let chain = chain.expect("blocks of the chip").expect("some");
        let state: BTreeMap<&str, (u32, u32)> =
            sites.iter().filter(|s| s.kind != SiteKind::Out).map(|s| (s.path.as_str(), (s.width, s.depth))).collect();
        let places: BTreeMap<&str, (u32, u32)> =
            chain.places.iter().map(|p| (p.site.as_str(), (p.width, p.depth))).collect();
        assert_eq!(state, places, "{name}");
        let mut bits = vec![false; chain.length as usize];
        for p in &chain.places {
            let address = p.address.map_or(0..0, |(first, n)| first..first + n);
            assert!(p.address.is_none_or(|(_, n)| 1 << n >= p.depth), "{}", p.site);
            for bit in (p.mask..p.mask + p.width).chain(address) {
                assert!(!std::mem::replace(&mut bits[bit as usize], true), "{name}: {} and another", p.site);
            }
        }
        assert!(bits.iter().all(|b| *b), "{name}");
    }
}

#[test]
fn kernels_and_random_programs_run_as_on_the_plain_chip() {
    let chip = native("tiny", &[ALL]);
    for kernel in ["vector_add", "reduction", "transpose"] {
        sim::agree_on(&chip, &support::load(kernel));
    }
    sim::random_programs(&chip, 11, 3000);
}

/// Faults of every model in registers, and upsets in memories, run both ways. A fault may let the kernel use what was never written, of
/// which a chip in hardware has something else: such a fault is one whose effect depends on the power-on state in simulation, too.
fn faults_show_what_they_do_in_simulation(set: &[&str], launch: &Launch, seed: u64, each: usize) {
    let set = [set, &["trace=false"]].concat();
    let with = [&set[..], &[ALL]].concat();
    let golden_of = |power_on| golden(&set, launch, power_on);
    let (golden, chip, chain) = (golden_of(fault::POWER_ON), native("tiny", &with), chain(&with));
    let mut random = Random(seed);
    let mut faults: Vec<Fault> = vec![];
    for kind in FaultKind::ALL {
        let kinds: &[SiteKind] = if kind.is_upset() { &[SiteKind::Reg, SiteKind::Ram] } else { &[SiteKind::Reg] };
        for of in kinds {
            faults.extend((0..each).map(|_| fault::at_random(&mut random, &golden, kind, *of)));
        }
    }
    let simulated: Vec<_> = {
        let mut simulator = serial(&golden);
        faults.iter().map(|f| shown(&simulator.run_one(f).unwrap_or_else(|e| panic!("{e}")))).collect()
    };
    let mut hardware = hardware(&golden, &chip, &chain, seed);
    hardware.control().unwrap_or_else(|e| panic!("{e}"));
    let mut classes: BTreeMap<FaultOutcome, u64> = BTreeMap::new();
    let list: Vec<&Fault> = faults.iter().collect();
    let mut differ = vec![];
    let mut compare = |i: usize, found: Record| {
        *classes.entry(found.outcome).or_default() += 1;
        let (found, wanted) = (shown(&found), &simulated[i]);
        if found != *wanted {
            differ.push((i, format!("{wanted:?}, in hardware {found:?}")));
        }
        true
    };
    hardware.run(&list, &mut compare).unwrap_or_else(|e| panic!("{e}"));
    println!("{} faults in {} cycles: {classes:?}", faults.len(), golden.cycles());
    for (i, what) in &differ {
        let path = &golden.sites().site(faults[*i].site).path;
        println!("{path} {:?}: {what}", faults[*i]);
        let depends = (0..64).any(|power_on| {
            let golden = golden_of(100 + power_on);
            let record = serial(&golden).run_one(&faults[*i]).unwrap_or_else(|e| panic!("{e}"));
            shown(&record) != simulated[*i]
        });
        assert!(depends, "{path} {:?}: {what}", faults[*i]);
    }
    assert!(10 * differ.len() <= faults.len(), "{} of {}", differ.len(), faults.len());
    assert!(classes.len() >= 4, "{classes:?}");
}

#[test]
fn faults_show_what_they_do_in_simulation_on_two_lanes() {
    let set = ["lanes=2", "port_words=2", "shared_banks=2"];
    faults_show_what_they_do_in_simulation(&set, &fault::collatz(), 7, 2);
}

/// Blocks with saboteurs of the simulated board.
const SOME: &str = "warps,scoreboard,fetch";

/// A simulated board with saboteurs; `None` without the tools.
fn board() -> Option<Board> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    let folder = sim::emitted("tiny", &["trace=false", &format!("saboteurs={SOME}")]);
    Some(Board::build(&folder, &UartOptions { memory_bytes: 8192 }, 4).unwrap_or_else(|e| panic!("{e}")))
}

/// Runs a campaign on a board at a port.
fn run_at(port: &str, campaign: &Path, results: &Path, blocks: &str) -> (i32, String, String) {
    let on = format!("uart:{port}");
    outcome(&warpsmith(&args!["fault", "run", campaign, "--on", &on, "--saboteurs", blocks, "--results", results]))
}

/// Rows, classes and cycles of results. Whether a stuck bit of a register that nobody has written changes anything is left to what is in it.
fn classes(campaign: &Path, results: &Path) -> Vec<[String; 3]> {
    let out = results.with_extension("rows.csv");
    let (code, _, err) = outcome(&warpsmith(&args!["fault", "report", campaign, "--results", results, "--csv", &out]));
    assert_eq!(code, 0, "{err}");
    let text = std::fs::read_to_string(&out).expect("written");
    let mut lines = text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("names of columns");
    let at = |name: &str| header.iter().position(|h| *h == name).expect("a column");
    let columns = ["row", "outcome", "cycles"].map(at);
    lines.map(|l| columns.map(|c| l[c].replace("not-activated", "masked"))).collect()
}

/// A kernel of one warp with little memory: a line to a board is slow.
fn small(dir: &Path) -> PathBuf {
    let program = "SHL R1, R0, 0x2\nIADD32I R2, R0, 0x7\nGST.U32 global14[R1], R2\nRET\n";
    let expected: String = (0..32).map(|i| format!("{:08x}\n", i + 7)).collect();
    let text = "name = \"small\"\nprogram = \"small.sass\"\ngrid = [1, 1]\nblock = [32, 1, 1]\nregisters = 4\nshared_bytes = 16\nglobal_bytes = 128\n\n[[expect]]\noffset = 0\nfile = \"expect.hex\"\n";
    for (name, text) in [("small.sass", program), ("expect.hex", &expected), ("launch.toml", text)] {
        std::fs::write(dir.join(name), text).expect("written");
    }
    dir.join("launch.toml")
}

/// A campaign that a board takes: some faults of two kinds.
fn campaign(dir: &Path, count: &str) -> PathBuf {
    let file = dir.join("campaign.csv");
    let launch = small(dir);
    let kinds = ["--kind", "seu", "--kind", "stuck-at", "--site-kind", "reg"];
    let blocks = ["--block", "warps", "--block", "scoreboard", "--block", "fetch*"];
    let which = args!["fault", "plan", &launch, "--config", "tiny", "--count", count, "--seed", "3", "-o", &file];
    let all: Vec<&std::ffi::OsStr> = which.into_iter().chain(kinds.iter().chain(&blocks).map(AsRef::as_ref)).collect();
    let (code, _, err) = outcome(&warpsmith(&all));
    assert_eq!(code, 0, "{err}");
    file
}

#[test]
fn a_campaign_on_a_board_has_the_classes_of_simulation() {
    let Some(board) = board() else { return };
    same_classes(&board, "saboteurs", "8");
}

#[track_caller]
fn same_classes(board: &Board, name: &str, count: &str) {
    let dir = Scratch::new(name);
    let campaign = campaign(dir.path(), count);
    let served = serve(board, 0.0, None, 1);
    let results = dir.path().join("board.db");
    let (code, printed, err) = run_at(&served.path, &campaign, &results, SOME);
    assert_eq!(code, 0, "{printed}{err}");
    let (code, _, err) = outcome(&warpsmith(&args!["fault", "run", &campaign]));
    assert_eq!(code, 0, "{err}");
    let found = classes(&campaign, &results);
    let wanted = classes(&campaign, &dir.path().join("campaign.db"));
    assert_eq!(found.len(), wanted.len());
    let differ: Vec<_> = found.iter().zip(&wanted).filter(|(f, w)| f[..2] != w[..2]).collect();
    println!("{} of {} rows have another class: {differ:?}", differ.len(), found.len());
    // State without reset holds something else on the board: of few rows, one in fifty.
    assert!(50 * differ.len() <= found.len(), "{differ:?}");
}

/// A run whose board goes away keeps its rows; with the board back the same command goes on. Classes are those of simulation.
#[test]
#[ignore = "waits for a board that does not answer; make soak"]
fn a_campaign_on_a_board_goes_on_after_the_board_was_gone() {
    let Some(board) = board() else { return };
    let dir = Scratch::new("saboteurs");
    let campaign = campaign(dir.path(), "8");
    let rows_in_all =
        std::fs::read_to_string(&campaign).expect("written").lines().filter(|l| !l.starts_with('#')).count() - 1;
    let results = dir.path().join("board.db");
    let served = serve(&board, 0.0, None, 1);
    let port = served.path.clone();
    let running = {
        let (campaign, results) = (campaign.clone(), results.clone());
        std::thread::spawn(move || run_at(&port, &campaign, &results, SOME))
    };
    let rows = || Store::open_read(&results).and_then(|s| s.done()).map_or(0, |d| d.len());
    while rows() < 2 && !running.is_finished() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    drop(served);
    let (code, printed, err) = running.join().expect("no panic");
    support::check_refusal(code, &printed, &err, &["while "]);
    let before = rows();
    assert!((2..rows_in_all).contains(&before), "{before} rows");
    let served = serve(&board, 0.0005, Some(60_000), 2);
    let (code, printed, err) = run_at(&served.path, &campaign, &results, SOME);
    assert_eq!(code, 0, "{printed}{err}");
    assert!(printed.contains(&format!("{rows_in_all} faults, {} run now", rows_in_all - before)), "{printed}");
    let simulated = dir.path().join("campaign.db");
    let (code, _, err) = outcome(&warpsmith(&args!["fault", "run", &campaign]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(classes(&campaign, &results), classes(&campaign, &simulated));
}

#[test]
#[ignore = "minutes; make soak"]
fn nearly_all_of_five_hundred_rows_on_a_board_have_the_classes_of_simulation() {
    let Some(board) = board() else { return };
    same_classes(&board, "saboteurs-500", "500");
}

#[test]
fn boards_and_rows_that_do_not_fit_are_refused() {
    let dir = Scratch::new("saboteurs-refused");
    let results = dir.path().join("board.db");
    let campaign = campaign(dir.path(), "5");
    let refused = |campaign: &Path, port: &str, blocks: &str, parts: &[&str]| {
        let (code, printed, err) = run_at(port, campaign, &results, blocks);
        support::check_refusal(code, &printed, &err, parts);
        assert!(!results.exists(), "nothing was run");
    };
    refused(&campaign, "/dev/nowhere", SOME, &["/dev/nowhere"]);
    refused(&campaign, "/dev/nowhere", "warp", &["`warp`", "there are ", "warps"]);
    // A row of another block, and one that a memory's saboteur cannot take.
    refused(&campaign, "/dev/nowhere", "lane", &["row ", "has no saboteur there", "`saboteurs`"]);
    let list = "# warpsmith campaign 1\n# config = tiny\n# launch = ";
    let launch = support::root().join("kernels/vector_add/launch.toml");
    let mine = dir.path().join("mine.csv");
    let stuck = format!("{list}{}\nsite,bit,kind\nu_sm_0.u_fetch.u_store.mem,1,stuck-at-0\n", launch.display());
    std::fs::write(&mine, stuck).expect("written");
    refused(&mine, "/dev/nowhere", SOME, &["row 0: u_sm_0.u_fetch.u_store.mem", "inverts bits once"]);
    if let Some(plain) = uart::board() {
        let served = serve(&plain, 0.0, None, 1);
        refused(&campaign, &served.path, SOME, &["has no saboteurs", "--set saboteurs="]);
    }
    if let Some(board) = board() {
        let served = serve(&board, 0.0, None, 1);
        refused(&campaign, &served.path, "warpsmith", &["has other saboteurs", "--saboteurs"]);
    }
    let (code, _, err) = outcome(&warpsmith(&args!["fault", "run", &campaign, "--on", "soc:there"]));
    assert!(code == 2 && err.contains("memory of a SoC"), "{err}");
    let (code, _, err) = outcome(&warpsmith(&["emit", "--set", "saboteurs=warp", "--out", "target/none"]));
    support::check_refusal(code, "", &err, &["saboteurs", "`warp`", "warps"]);
}

#[test]
#[ignore = "minutes; make soak"]
fn thousands_of_faults_show_what_they_do_in_simulation() {
    faults_show_what_they_do_in_simulation(&[], &fault::reduction(), 6, 300);
    faults_show_what_they_do_in_simulation(&fault::PARTS[1..], &fault::collatz(), 7, 300);
}
