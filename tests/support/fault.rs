//! Injecting chips, small launches and single faults for the tests of fault simulation.

use super::sim;
use std::path::PathBuf;
use warpsmith_cosim::{Collect, Host, RunOptions};
use warpsmith_fault::site::glob;
use warpsmith_fault::{Fault, FaultKind, FaultSimulator, Golden, Record, SerialSimulator, SimulatorOptions, SiteKind};
use warpsmith_isa::assemble;
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::Launch;
use warpsmith_testkit::Random;

/// Seed of the power-on state: fixed, so that cycles found in one run are those of the next.
pub const POWER_ON: u64 = 7;

/// Folder of the injecting chip of a configuration.
pub fn folder(name: &str, set: &[&str]) -> PathBuf {
    warpsmith_hdl::injecting_chip(&sim::config(name, set), name).cached().expect("the cache can be written")
}

/// What the tests change of `tiny`: it has the stages of larger chips.
pub const PARTS: [&str; 4] = ["trace=false", "sfus=1", "shared_banks=8", "lsu_serial=false"];

/// The fault-free run of a launch on the injecting `tiny` with [`PARTS`]; `None`, and a skip, when tools
/// are missing.
pub fn golden(launch: Launch, interval: Option<u64>) -> Option<Golden> {
    if !crate::support::tools(&crate::support::SIMULATION) {
        return None;
    }
    let folder = folder("tiny", &PARTS);
    Some(Golden::run(&folder, launch, POWER_ON, interval).unwrap_or_else(|e| panic!("{e}")))
}

/// Words as a part of global memory.
pub fn section(offset: u64, words: &[u32]) -> GlobalSection {
    GlobalSection::new(offset, words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

/// A launch of one warp with 256 bytes of global memory that expects words from address 0 on; R0 is
/// the thread's number.
pub fn launch(source: &str, expect: &[u32]) -> Launch {
    let program = assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
    let mut l = Launch::from_words("test", program.words);
    l.global_bytes = 256;
    l.expects = vec![section(0, expect)];
    l
}

/// Two blocks of reduction: loads, stores, barriers, divergence, shared memory.
pub fn reduction() -> Launch {
    let mut l = super::load("reduction");
    l.grid = [2, 1];
    l.expects.iter_mut().for_each(|e| e.bytes.truncate(8));
    l
}

/// A block of collatz: loops that every thread leaves at its own time.
pub fn collatz() -> Launch {
    let mut l = super::load("collatz");
    (l.grid, l.block) = ([1, 1], [5, 1, 1]);
    l.expects.clear();
    l
}

/// Instructions that nothing waits for.
pub fn delay(n: usize) -> String {
    "IADD32I R15, R15, 0x1; ".repeat(n)
}

/// A word of a site, and the first cycle in which it holds what was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub site: usize,
    pub word: u32,
    pub cycle: u64,
}

impl Place {
    /// A fault without times of its own in these bits, in this cycle.
    pub fn fault(self, bits: &[u32], kind: FaultKind) -> Fault {
        Fault::simple(self.site, self.word, bits.to_vec(), self.cycle, kind)
    }
}

/// A chip in cycle 0 of the fault-free run.
pub fn started(golden: &Golden) -> Host<'_> {
    let options = RunOptions { seed: POWER_ON, ..RunOptions::default() };
    let mut host = Host::new(golden.chip(), golden.launch(), &options, Collect::Off).unwrap_or_else(|e| panic!("{e}"));
    host.start();
    host
}

/// First cycle from `from` on in which a word of the sites that `pattern` names holds.
#[track_caller]
pub fn first(golden: &Golden, pattern: &str, from: u64, holds: impl Fn(&[u32]) -> bool) -> Place {
    let sites: Vec<(usize, u32)> = golden
        .sites()
        .list()
        .iter()
        .enumerate()
        .filter(|(_, s)| glob(pattern, &s.path))
        .map(|(i, s)| (i, s.depth))
        .collect();
    let mut host = started(golden);
    host.sim.run(from, false, u64::MAX);
    for cycle in from..golden.cycles() {
        for &(site, depth) in &sites {
            let word = (0..depth).find(|w| holds(&host.sim.site_word(site, *w)));
            if let Some(word) = word {
                return Place { site, word, cycle };
            }
        }
        host.sim.run(1, false, u64::MAX);
    }
    panic!("no word of {pattern} holds from cycle {from} on")
}

/// First cycle in which a register of the register file is `value`.
#[track_caller]
pub fn register(golden: &Golden, value: u32) -> Place {
    first(golden, "u_sm_0.u_datapath.u_write_back.u_file.*.mem", 0, |w| w[0] == value)
}

/// The record without what the way of running it decides.
pub fn result(record: &Record) -> Record {
    Record { simulated: 0, ..record.clone() }
}

/// Runs one fault with and without checkpoints and early stop; both ways must give the same.
#[track_caller]
pub fn run(golden: &Golden, fault: &Fault) -> Record {
    let plain = SimulatorOptions { checkpoints: false, early_stop: false, ..SimulatorOptions::default() };
    let [fast, slow] = [SimulatorOptions::default(), plain].map(|options| {
        let mut simulator = SerialSimulator::new(golden, options).unwrap_or_else(|e| panic!("{e}"));
        simulator.run_one(fault).unwrap_or_else(|e| panic!("{e}"))
    });
    assert_eq!(result(&fast), result(&slow), "{fault:?}");
    fast
}

/// A fault of a model in a site of a kind; every site is as likely, so small registers of
/// control are met as often as wide ones.
pub fn at_random(random: &mut Random, golden: &Golden, kind: FaultKind, of: SiteKind) -> Fault {
    let sites = golden.sites();
    let number = loop {
        let i = random.index(sites.list().len());
        if sites.site(i).kind == of {
            break i;
        }
    };
    let site = sites.site(number);
    let bit = random.below(site.width);
    let last = match kind {
        FaultKind::Mbu => (bit + 1 + random.below(3)).min(site.width - 1),
        _ => bit,
    };
    let word = random.below(site.depth);
    let cycle = random.below_wide(golden.cycles());
    let mut fault = Fault::simple(number, word, (bit..=last).collect(), cycle, kind);
    match kind {
        FaultKind::Transient => fault.duration = 1 + random.below_wide(40),
        FaultKind::Intermittent0 | FaultKind::Intermittent1 => {
            fault.period = 1 + random.below_wide(16);
            fault.active = 1 + random.below_wide(fault.period);
            fault.duration = [0, 1 + random.below_wide(100)][random.index(2)];
        }
        _ => {}
    }
    fault
}

/// Faults of every model in every kind of site, `each` of each.
pub fn mixed(golden: &Golden, seed: u64, each: usize) -> Vec<Fault> {
    let mut random = Random(seed);
    let mut faults = vec![];
    for _ in 0..each {
        for model in FaultKind::ALL {
            faults.extend(SiteKind::ALL.map(|of| at_random(&mut random, golden, model, of)));
        }
    }
    faults
}

/// Records by the place of the fault, each handed over once.
#[track_caller]
pub fn records(simulator: &mut dyn FaultSimulator, faults: &[Fault]) -> Vec<Record> {
    let faults: Vec<&Fault> = faults.iter().collect();
    let mut all = vec![None; faults.len()];
    let mut take = |i: usize, r: Record| all[i].replace(r).is_none();
    simulator.run(&faults, &mut take).unwrap_or_else(|e| panic!("{e}"));
    all.into_iter().map(|r| r.expect("a record of each")).collect()
}
