//! The fault-free run: its length, its results, and images of the chip during it.
//!
//! Cycle 0 is the state after the edge that takes the start. Images ("checkpoints") are taken every
//! `interval` cycles, the first in cycle 0, the last when the chip says done; the writes of global
//! memory between two of them are logged. A faulty run starts from an image and is compared with
//! the images after it.

use crate::engine::{Engine, Parts};
use crate::error::FaultError;
use crate::hardened::Hardened;
use crate::plan::Activity;
use crate::site::Sites;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use warpsmith_contract::registers::INJECT_PHASES;
use warpsmith_cosim::simulation::Image;
use warpsmith_cosim::{Chip, Collect, Ending, Host, RunOptions, Simulation, Stop, RESET_CYCLES};
use warpsmith_model::{GlobalMemory, Launch};
use warpsmith_netlist::flat::Flat;

/// Bytes all images together may take.
const IMAGE_BYTES: usize = 192 << 20;
/// Cycles from image to image, at least.
const INTERVAL: u64 = 8;
/// Cycles in which the last writes leave the chip after it says done.
pub(crate) const DRAIN: u64 = warpsmith_contract::inject::DRAIN as u64;
/// Cycles after which a run without faults is given up.
const LIMIT: u64 = 1 << 26;

/// A word of global memory written: byte address, value before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    pub address: u32,
    pub old: u32,
    pub new: u32,
}

/// State at a cycle, and the writes since the checkpoint before (an entry an address).
pub(crate) struct Checkpoint {
    pub cycle: u64,
    pub image: Image,
    pub writes: Vec<Write>,
}

/// An injecting chip on an engine, opened once for several launches.
#[derive(Clone)]
pub struct Opened {
    parts: Arc<Parts>,
    sites: Sites,
}

impl Opened {
    /// Makes an injecting folder's chip on an engine (with Verilator: builds it, or takes it from the cache).
    ///
    /// # Errors
    /// The chip cannot be built or is no injecting one.
    pub fn new(engine: Engine, folder: &Path) -> Result<Self, FaultError> {
        let sites = Sites::load(folder)?;
        let parts = Arc::new(Parts::open(engine, folder, &sites, false)?);
        Ok(Opened { parts, sites })
    }
}

/// Subject of a campaign: an injecting chip on an engine, a launch, and their fault-free run.
pub struct Golden {
    parts: Arc<Parts>,
    pub(crate) launch: Launch,
    pub(crate) options: RunOptions,
    sites: Sites,
    pub(crate) hardened: Hardened,
    /// Simulation cycle of cycle 0.
    pub(crate) origin: u64,
    cycles: u64,
    interval: u64,
    pub(crate) checkpoints: Vec<Checkpoint>,
    /// Writes after the last checkpoint, until the chip has drained.
    pub(crate) after: Vec<Write>,
    /// Last cycle in which each line of memory was read or written.
    touched: HashMap<u32, u64>,
    line_bytes: u32,
    activity: OnceLock<Activity>,
    /// What each word that the run writes held at images.
    values: OnceLock<HashMap<u32, Vec<u32>>>,
}

impl Golden {
    /// [`Golden::run_on`] Verilator.
    ///
    /// # Errors
    /// As [`Golden::run_on`].
    pub fn run(folder: &Path, launch: Launch, power_on: u64, interval: Option<u64>) -> Result<Self, FaultError> {
        Self::run_on(Engine::Verilator, folder, launch, power_on, interval)
    }

    /// Makes an injecting folder's chip on an engine (with Verilator: builds it, or takes it from the cache) and
    /// runs the launch twice: once for its length, once for the images. `interval`: cycles between images, chosen
    /// by the memory they need when `None`.
    ///
    /// # Errors
    /// The chip cannot be built or is no injecting one; the launch does not fit;
    /// [`FaultError::Control`] when the run traps, does not end, misses its expectations, or is not the
    /// same twice.
    pub fn run_on(
        engine: Engine, folder: &Path, launch: Launch, power_on: u64, interval: Option<u64>,
    ) -> Result<Self, FaultError> {
        Self::on(&Opened::new(engine, folder)?, launch, power_on, interval)
    }

    /// The same on a chip that is open.
    ///
    /// # Errors
    /// As [`Golden::run_on`].
    pub fn on(chip: &Opened, launch: Launch, power_on: u64, interval: Option<u64>) -> Result<Self, FaultError> {
        let Opened { parts, sites } = chip.clone();
        let hardened = Hardened::of(&sites);
        let options = RunOptions { seed: power_on, ..RunOptions::default() };
        let line_bytes = 4 * parts.all.info().port_words;
        let mut golden = Golden {
            parts,
            launch,
            options,
            sites,
            hardened,
            origin: 0,
            cycles: 0,
            interval: 0,
            checkpoints: vec![],
            after: vec![],
            touched: HashMap::new(),
            line_bytes,
            activity: OnceLock::new(),
            values: OnceLock::new(),
        };
        let first = golden.record(None)?;
        let fit = (IMAGE_BYTES / first.bytes.max(1)).max(2) as u64;
        let interval = interval.unwrap_or_else(|| first.cycles.div_ceil(fit).max(INTERVAL));
        let second = golden.record(Some(interval.max(1)))?;
        if (second.cycles, &second.memory) != (first.cycles, &first.memory) {
            return Err(FaultError::Control(format!(
                "two fault-free runs of seed {power_on} differ ({} and {} cycles)",
                first.cycles, second.cycles
            )));
        }
        golden.origin = second.origin;
        golden.cycles = second.cycles;
        golden.interval = interval.max(1);
        golden.checkpoints = second.checkpoints;
        golden.after = second.after;
        golden.touched = second.touched;
        Ok(golden)
    }

    /// One fault-free run, with images when an interval is given.
    fn record(&self, interval: Option<u64>) -> Result<Recording, FaultError> {
        let bad = |what: String| FaultError::Control(format!("{}: {what}", self.launch.name));
        let well = |ending: Ending| ending.why(&self.launch, "").map_or(Ok(()), |why| Err(bad(why)));
        let mut host = self.start(self.parts.quick())?;
        let origin = host.sim.cycle();
        let mut r = Recording { bytes: host.sim.image_bytes(), origin, ..Recording::default() };
        host.sim.journal(true);
        loop {
            let cycle = host.sim.cycle() - origin;
            if interval.is_some() {
                let writes = r.take(&mut host.sim, cycle, self.line_bytes);
                let mut image = Image::default();
                host.sim.save_image(&mut image);
                r.checkpoints.push(Checkpoint { cycle, image, writes });
            }
            if r.cycles > 0 {
                break;
            }
            if cycle >= LIMIT {
                well(Ending::CycleLimit(LIMIT))?;
            }
            let step = interval.unwrap_or(1 << 12);
            if host.sim.run(step, true, u64::MAX) == Stop::Done {
                r.cycles = host.sim.cycle() - origin;
            }
        }
        host.sim.run(DRAIN, false, u64::MAX);
        let end = host.sim.cycle() - origin;
        r.after = r.take(&mut host.sim, end, self.line_bytes);
        well(host.ending())?;
        let memory = host.global();
        if let Some(d) = self.launch.compare(&memory).first() {
            return Err(bad(format!("an expectation is not met without any fault: {d}")));
        }
        r.memory = memory.pages().map(|(at, bytes)| (at, bytes.to_vec())).collect();
        Ok(r)
    }

    /// A chip of this run with the launch loaded and started: cycle 0.
    pub(crate) fn start<'a>(&'a self, chip: &'a Chip) -> Result<Host<'a>, FaultError> {
        let mut host = Host::new(chip, &self.launch, &self.options, Collect::Off)?;
        host.start();
        Ok(host)
    }

    /// Cycles of the run.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Cycles between images.
    pub fn interval(&self) -> u64 {
        self.interval
    }

    /// Number of images and their bytes together.
    pub fn images(&self) -> (usize, usize) {
        let bytes = self.checkpoints.iter().map(|c| c.image.bytes()).sum();
        (self.checkpoints.len(), bytes)
    }

    /// Fault sites of the chip.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The launch.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// The injecting chip with all its sites.
    pub fn chip(&self) -> &Chip {
        &self.parts.all
    }

    /// What runs it.
    pub fn engine(&self) -> Engine {
        self.parts.engine
    }

    /// The quickest chip that has a site; all have the same numbers of sites and the same images.
    pub(crate) fn chip_with(&self, site: usize) -> &Chip {
        self.parts.with(self.sites.site(site).kind)
    }

    /// The quickest chip that has all state.
    pub(crate) fn quick_chip(&self) -> &Chip {
        self.parts.quick()
    }

    /// Whether it is a run of the native engine.
    pub fn is_native(&self) -> bool {
        self.flat().is_some()
    }

    /// The chip as a flat netlist with taps; the native engine's alone.
    pub(crate) fn flat(&self) -> Option<&Flat> {
        self.parts.flat.as_ref()
    }

    /// Values of registers and outputs, at every clock edge until the chip had drained. The first call runs the
    /// launch once more.
    ///
    /// # Errors
    /// The simulation cannot be started.
    pub fn activity(&self) -> Result<&Activity, FaultError> {
        if let Some(known) = self.activity.get() {
            return Ok(known);
        }
        let mut host = self.start(self.chip())?;
        host.sim.watch(true);
        host.sim.run(self.cycles + DRAIN, false, u64::MAX);
        Ok(self.activity.get_or_init(|| activity(&host.sim)))
    }

    /// Cycles since reset, modulo [`INJECT_PHASES`], in the cycle whose edge takes the start.
    pub fn phase(&self) -> u32 {
        ((self.origin - RESET_CYCLES - 1) % u64::from(INJECT_PHASES)) as u32
    }

    /// Global memory at the end of the run.
    pub fn memory(&self) -> GlobalMemory {
        let mut memory = GlobalMemory::new(self.launch.global_bytes);
        for g in &self.launch.globals {
            memory.write(g.offset, &g.bytes);
        }
        let writes = self.checkpoints.iter().flat_map(|c| &c.writes).chain(&self.after);
        for w in writes.filter(|w| u64::from(w.address) < self.launch.global_bytes) {
            memory.write(w.address.into(), &w.new.to_le_bytes());
        }
        memory
    }

    /// Number of the last checkpoint of a cycle or before it.
    pub(crate) fn checkpoint(&self, cycle: u64) -> usize {
        self.checkpoints.partition_point(|c| c.cycle <= cycle).saturating_sub(1)
    }

    /// Whether a wrong word stays wrong from a cycle on, which is that of an image: the run does not touch it any more, and
    /// never had the value that was found, as a run that is late would have.
    pub(crate) fn is_lost(&self, address: u32, found: u32, cycle: u64) -> bool {
        let values = self.values.get_or_init(|| {
            let mut values: HashMap<u32, Vec<u32>> = HashMap::new();
            for w in self.checkpoints.iter().flat_map(|c| &c.writes).chain(&self.after) {
                values.entry(w.address).or_default().extend([w.old, w.new]);
            }
            values
        });
        let had = values.get(&address).is_some_and(|v| v.contains(&found));
        !had && self.stays(address, cycle)
    }

    /// Whether the run neither reads nor writes the line of an address after a cycle, which is that of an image.
    pub(crate) fn stays(&self, address: u32, cycle: u64) -> bool {
        self.touched.get(&(address / self.line_bytes)).is_none_or(|last| *last <= cycle)
    }
}

/// Recording of one fault-free run.
#[derive(Default)]
struct Recording {
    bytes: usize,
    origin: u64,
    cycles: u64,
    checkpoints: Vec<Checkpoint>,
    after: Vec<Write>,
    touched: HashMap<u32, u64>,
    memory: Vec<(u32, Vec<u8>)>,
}

impl Recording {
    /// Takes the journal: writes, one an address, and the lines touched until `cycle`.
    fn take(&mut self, sim: &mut Simulation, cycle: u64, line: u32) -> Vec<Write> {
        let journal = sim.take_journal();
        let reads = journal.reads.iter().copied();
        for address in reads.chain(journal.writes.iter().map(|w| w.0)) {
            self.touched.insert(address / line, cycle);
        }
        let mut at = HashMap::new();
        let mut writes: Vec<Write> = vec![];
        for (address, old) in journal.writes {
            at.entry(address).or_insert_with(|| {
                writes.push(Write { address, old, new: sim.memory_word(address) });
            });
        }
        writes
    }
}

/// Values of the watched sites, a vector a site.
fn activity(sim: &Simulation) -> Activity {
    let ever = |value| {
        let sites = 0..sim.sites().len();
        sites.map(|site| sim.watched(site, value)).collect()
    };
    Activity { ever0: ever(false), ever1: ever(true), accesses: vec![] }
}
