//! The host: programs the chip over its bus, runs it, and reads what it counted.

use crate::chip::{Chip, Placement};
use crate::ending::{Ending, Ran};
use crate::error::CosimError;
use crate::launch_sequence::{launch_sequence, start_word};
use crate::lockstep::collect::{Collector, Watch};
use crate::observe::Observer;
use crate::readout::{Counters, RtlTrap};
use crate::simulation::{Collect, MemoryOptions, Simulation, Stop};
use std::path::PathBuf;
use std::time::Instant;
use warpsmith_contract::registers::{self as map, status};
use warpsmith_contract::{ports, Counter};
use warpsmith_model::{GlobalMemory, Launch};

/// Event words after which the run pauses to take them.
pub(crate) const EVENT_WORDS: u64 = 1 << 18;

/// How a chip is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Seed of the power-on state.
    pub seed: u64,
    /// The simulated memory.
    pub memory: MemoryOptions,
    /// Cycles after which the run is given up.
    pub max_cycles: u64,
    /// Cycles without a retired instruction after which the watchdog gives the run up, with a memory that answers at once.
    pub watchdog_cycles: u64,
    /// Waveform to write; the chip must be opened with `wave`.
    pub wave: Option<PathBuf>,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            seed: 1,
            memory: MemoryOptions::default(),
            max_cycles: 1 << 40,
            watchdog_cycles: 20_000,
            wave: None,
        }
    }
}

impl RunOptions {
    /// Cycles without a retired instruction after which the watchdog gives a run on so many SMs up: an atomic access
    /// is a read and a write for each of 32 threads, and keeps other SMs from the port.
    pub fn patience(&self, sms: u32) -> u64 {
        self.watchdog_cycles.saturating_add(64 * u64::from(sms) * (self.memory.timing.slowest() - 1))
    }
}

/// Cycles for which the reset of a simulated chip is 1.
pub const RESET_CYCLES: u64 = 8;

/// Ports by index, looked up once.
struct Ports {
    reset: usize,
    valid: usize,
    write: usize,
    address: usize,
    wdata: usize,
    rdata: usize,
}

/// A chip with a launch loaded. [`run_rtl`] and [`cosim()`](crate::cosim()) run it from beginning to
/// end; fault injection drives it by hand.
pub struct Host<'a> {
    /// The simulation.
    pub sim: Simulation,
    /// What is loaded.
    pub launch: &'a Launch,
    /// The chip.
    pub chip: &'a Chip,
    pub(crate) placement: Placement,
    ports: Ports,
    /// Cycle of the simulation in which the start was written.
    pub start_cycle: u64,
    began: Instant,
}

/// Why a run stopped.
pub(crate) enum StopReason {
    /// The chip said done.
    Done,
    /// Nothing retired for the cycles of the watchdog.
    Watchdog,
    /// The limit.
    Limit,
    /// The sink asked to stop.
    Stopped,
}

impl<'a> Host<'a> {
    /// Powers the chip on, resets it and loads the launch.
    ///
    /// # Errors
    /// The launch does not fit, or the chip does not answer.
    pub fn new(chip: &'a Chip, launch: &'a Launch, options: &RunOptions, collect: Collect) -> Result<Self, CosimError> {
        let placement = Placement::new(&chip.info, launch)?;
        let m = chip.design.manifest();
        let port = |n: &str| m.port(n).ok_or_else(|| CosimError::Manifest(format!("no port `{n}`")));
        let ports = Ports {
            reset: port(ports::RESET.name)?,
            valid: port(ports::BUS_VALID.name)?,
            write: port(ports::BUS_WRITE.name)?,
            address: port(ports::BUS_ADDRESS.name)?,
            wdata: port(ports::BUS_WDATA.name)?,
            rdata: port(ports::BUS_RDATA.name)?,
        };
        let mut sim = chip.design.simulate(options.seed);
        if let Some(path) = &options.wave {
            sim.open_wave(path)?;
        }
        sim.collect(Collect::Off);
        let mut host = Host { sim, launch, chip, placement, ports, start_cycle: 0, began: Instant::now() };
        // The simulated memory performs stores at once and refuses none.
        for quiet in [ports::MEM_ERROR, ports::MEM_PENDING] {
            if let Some(port) = m.port(quiet.name) {
                host.sim.set(port, 0, 0);
            }
        }
        host.sim.set(host.ports.valid, 0, 0);
        host.sim.set(host.ports.reset, 0, 1);
        host.sim.run(RESET_CYCLES, false, u64::MAX);
        host.sim.set(host.ports.reset, 0, 0);
        host.sim.run(2, false, u64::MAX);
        host.memory(&options.memory);
        host.load()?;
        host.sim.collect(collect);
        Ok(host)
    }

    /// Loads another launch into the chip as the last one left it, without a reset.
    pub(crate) fn next(&mut self, launch: &'a Launch, options: &RunOptions) -> Result<(), CosimError> {
        self.placement = Placement::new(&self.chip.info, launch)?;
        self.launch = launch;
        self.sim.clear_memory(None);
        self.memory(&options.memory);
        self.load()
    }

    /// Timing, allowed ranges and contents of the simulated memory.
    fn memory(&mut self, options: &MemoryOptions) {
        let p = &self.placement;
        let local = u64::from(p.local_base);
        self.sim.configure_memory(options, p.global_end, local..local + p.local_total);
        if self.launch.before.is_some() {
            self.sim.clear_memory(self.launch.before.clone());
        }
        for g in &self.launch.globals {
            self.sim.write_memory(g.offset as u32, &g.bytes);
        }
    }

    /// One bus write.
    pub fn write(&mut self, address: u32, value: u32) {
        let p = &self.ports;
        self.sim.set(p.valid, 0, 1);
        self.sim.set(p.write, 0, 1);
        self.sim.set(p.address, 0, address);
        self.sim.set(p.wdata, 0, value);
        self.sim.run(1, false, u64::MAX);
        self.sim.set(self.ports.valid, 0, 0);
    }

    /// One bus read; takes one cycle.
    pub fn read(&mut self, address: u32) -> u32 {
        let p = &self.ports;
        self.sim.set(p.valid, 0, 1);
        self.sim.set(p.write, 0, 0);
        self.sim.set(p.address, 0, address);
        self.sim.run(1, false, u64::MAX);
        self.sim.set(self.ports.valid, 0, 0);
        self.sim.get(self.ports.rdata, 0)
    }

    fn counter(&mut self, counter: Counter) -> u64 {
        let address = map::COUNTER.at(counter.number() as u32);
        let low = self.read(address);
        let high = self.read(address + 4);
        u64::from(high) << 32 | u64::from(low)
    }

    fn load(&mut self) -> Result<(), CosimError> {
        let id = self.read(map::ID.address);
        if id != map::ID_VALUE {
            return Err(CosimError::Manifest(format!("the chip's ID register reads 0x{id:08x} and not 0x{:08x}: it is not a Warpsmith chip or its bus does not work", map::ID_VALUE)));
        }
        for (address, value) in launch_sequence(self.launch, &self.placement) {
            self.write(address, value);
        }
        Ok(())
    }

    /// Starts the grid.
    pub fn start(&mut self) {
        self.began = Instant::now();
        self.start_cycle = self.sim.cycle();
        self.write(map::CONTROL.address, start_word(self.launch));
    }

    /// Cycles since start.
    pub fn elapsed(&self) -> u64 {
        self.sim.cycle() - self.start_cycle
    }

    /// Runs to the end, handing events to `sink` (false: stop).
    pub(crate) fn run(&mut self, options: &RunOptions, mut sink: impl FnMut(&[u32]) -> bool) -> StopReason {
        let mut retired = 0;
        let mut since = self.elapsed();
        let patience = options.patience(self.chip.info.sms);
        let chunk = (patience / 4).clamp(64, 1 << 20);
        loop {
            let mut left = chunk.min(options.max_cycles.saturating_sub(self.elapsed()));
            if left == 0 {
                return StopReason::Limit;
            }
            while left > 0 {
                let before = self.sim.cycle();
                let stop = self.sim.run(left, true, EVENT_WORDS);
                left -= (self.sim.cycle() - before).min(left);
                if !self.sim.take_events(&mut sink) {
                    return StopReason::Stopped;
                }
                if stop == Stop::Done {
                    // The last writes and events leave the pipeline of the trace port.
                    self.sim.run(64, false, u64::MAX);
                    return if self.sim.take_events(&mut sink) { StopReason::Done } else { StopReason::Stopped };
                }
            }
            let now = self.counter(Counter::WarpInstructions);
            if now != retired {
                retired = now;
                since = self.elapsed();
            } else if self.elapsed() - since >= patience {
                self.sim.take_events(&mut sink);
                return StopReason::Watchdog;
            }
        }
    }

    /// The trap record, if the chip trapped.
    pub fn trap(&mut self) -> Option<RtlTrap> {
        if status::TRAPPED.get(self.read(map::STATUS.address)) == 0 {
            return None;
        }
        let record = [map::TRAP, map::TRAP_PC, map::TRAP_BLOCK].map(|r| self.read(r.address));
        Some(RtlTrap::from_words(record))
    }

    /// How a launch ended after which the chip says done.
    pub fn ending(&mut self) -> Ending {
        match (self.trap(), self.sim.strays()) {
            (Some(trap), _) => Ending::Trap(trap),
            (None, Some((count, first))) => Ending::Stray(count, first),
            (None, None) => Ending::Done,
        }
    }

    /// Reads the counters.
    pub fn counters(&mut self) -> Counters {
        let seconds = self.began.elapsed().as_secs_f64();
        let sums = Counter::ALL.map(|c| self.counter(c));
        let counters = Counters::from_sums(&sums, &self.chip.info, seconds);
        Counters { lines: Some(self.sim.port_lines()), ..counters }
    }

    /// Global memory as the chip left it.
    pub fn global(&self) -> GlobalMemory {
        let mut out = GlobalMemory::above(self.launch.global_bytes, self.launch.before.clone());
        for page in 0..self.launch.global_bytes.div_ceil(1 << 16) {
            let at = (page << 16) as u32;
            if self.sim.has_page(at) {
                let n = (self.launch.global_bytes - (page << 16)).min(1 << 16) as usize;
                out.write(page << 16, &self.sim.read_memory(at, n));
            }
        }
        out
    }
}

/// Runs a launch on the chip alone.
///
/// # Errors
/// The launch does not fit, or the simulation cannot run. How the kernel ended is in the report.
pub fn run_rtl(chip: &Chip, launch: &Launch, options: &RunOptions) -> Result<Ran, CosimError> {
    let mut host = Host::new(chip, launch, options, Collect::Off)?;
    let report = run_loaded(&mut host, options, None)?;
    host.sim.close_wave();
    Ok(report)
}

/// [`run_rtl`] with every cycle shown to an observer. Slower.
///
/// # Errors
/// As [`run_rtl`], and when the chip has no trace port or breaks its protocol.
pub fn run_observed(
    chip: &Chip, launch: &Launch, options: &RunOptions, observer: &mut Observer<'_>,
) -> Result<Ran, CosimError> {
    chip.need_trace(Collect::All)?;
    let mut host = Host::new(chip, launch, options, Collect::All)?;
    let report = run_loaded(&mut host, options, Some(observer))?;
    host.sim.close_wave();
    Ok(report)
}

/// Runs launches one after the other on one chip that is reset only before the first: what a trap
/// or a kernel leaves behind must not reach the next. Stops after the first launch that neither
/// ends nor traps. Global memory begins anew for each.
///
/// # Errors
/// As [`run_rtl`].
pub fn run_in_turn(chip: &Chip, launches: &[&Launch], options: &RunOptions) -> Result<Vec<Ran>, CosimError> {
    let mut reports = vec![];
    let Some(first) = launches.first() else { return Ok(reports) };
    let mut host = Host::new(chip, first, options, Collect::Off)?;
    for (i, launch) in launches.iter().enumerate() {
        if i > 0 {
            host.next(launch, options)?;
        }
        let report = run_loaded(&mut host, options, None)?;
        let lost = !matches!(report.ending, Ending::Done | Ending::Trap(_));
        reports.push(report);
        if lost {
            break;
        }
    }
    host.sim.close_wave();
    Ok(reports)
}

/// Runs what is loaded.
fn run_loaded(
    host: &mut Host<'_>, options: &RunOptions, mut observer: Option<&mut Observer<'_>>,
) -> Result<Ran, CosimError> {
    let (chip, launch) = (host.chip, host.launch);
    let mut collector = observer.is_some().then(|| Collector::of(chip));
    host.start();
    if let Some(o) = &mut observer {
        o.begin(host.start_cycle);
    }
    let pulse = host.run(options, |events| {
        if let (Some(o), Some(c)) = (&mut observer, &mut collector) {
            let result = c.take(events, |sm, cycle, event| {
                o.take(sm, cycle, &event);
                true
            });
            if let Err(e) = result {
                o.fault(e);
            }
        }
        true
    });
    let counters = host.counters();
    if let Some(o) = observer {
        o.finish(&counters)?;
    }
    let ending = match pulse {
        StopReason::Done | StopReason::Stopped => host.ending(),
        StopReason::Watchdog => Ending::Watchdog(where_warps_are(chip, launch, options)?),
        StopReason::Limit => Ending::CycleLimit(options.max_cycles),
    };
    Ok(Ran::new(Some(chip.info()), launch, ending, counters, host.global()))
}

/// Runs once more, watching the trace port, to say where the warps of a silent chip are: the same
/// seed gives the same run, and runs that end need not pay for being watched.
pub(crate) fn where_warps_are(chip: &Chip, launch: &Launch, options: &RunOptions) -> Result<String, CosimError> {
    let cycles = options.patience(chip.info.sms);
    if chip.need_trace(Collect::Lockstep).is_err() {
        return Ok(format!(
            "cosim: no retire in {cycles} cycles; emit the chip with --set trace=true to see where its warps are"
        ));
    }
    let mut host = Host::new(chip, launch, &RunOptions { wave: None, ..options.clone() }, Collect::Lockstep)?;
    let mut watch = Watch::new(chip);
    host.start();
    host.run(options, |events| {
        watch.take(events);
        true
    });
    Ok(watch.explain(cycles, launch))
}
