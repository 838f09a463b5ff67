//! A device and its surroundings: the memory behind its port, the record of its trace port, the faults
//! forced on it, and images of all of them.

mod force;
mod memory;
mod trace;
mod watch;

pub use force::{Becomes, Force};
pub use memory::{Dram, Journal, MemoryOptions, MemoryTiming, PortLines, DDR3, SDRAM};
pub use warpsmith_contract::trace::Collect;

use force::Forces;
use memory::{Bytes, Memory, Random, Waiting};
use std::path::Path;
use std::sync::Arc;
use trace::Recorder;
use warpsmith_contract::{bits, ports::DONE, Manifest, SiteKind};
use warpsmith_engine::{Device, State, Storage, WaveError};
use warpsmith_model::launch::snapshot::Snapshot;
use watch::Watched;

/// Why [`Simulation::run`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All cycles ran.
    Cycles,
    /// The output `done` is set.
    Done,
    /// The event buffer is full: take the events and go on.
    Events,
}

/// The state of a simulation after an edge of the clock: registers, memories, inputs, the cycle, the
/// reads that wait, and what the trace port was last reported to show. What stands in the simulated memory is not part of it: its writes are journaled.
/// Loading an image and running on gives what the run it was taken from gave, as long as that is done
/// on the same memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    device: warpsmith_engine::Image,
    cycle: u64,
    memory: Waiting,
    /// What the trace record saw last of the ports that it reports when they change.
    reported: Vec<u32>,
}

impl Image {
    /// Bytes it takes, without the reads that wait.
    pub fn bytes(&self) -> usize {
        self.device.bytes()
    }
}

/// One running simulation. Ports are named by their index in the manifest, sites by theirs in
/// `sites.json`; only devices that are open to fault injection have sites.
pub struct Simulation {
    device: Box<dyn Device>,
    state: State,
    cycle: u64,
    memory: Memory,
    recorder: Recorder,
    forces: Forces,
    watched: Option<Watched>,
    done: Option<usize>,
}

impl Simulation {
    /// Around a device of the chip that `manifest` describes. `seed` draws the timing of the memory
    /// until [`Simulation::configure_memory`].
    pub fn new(device: Box<dyn Device>, manifest: &Manifest, seed: u64) -> Self {
        Simulation {
            state: State::of(&*device),
            device,
            cycle: 0,
            memory: Memory::new(manifest, seed),
            recorder: Recorder::new(manifest),
            forces: Forces::default(),
            watched: None,
            done: manifest.port(DONE.name),
        }
    }

    /// Every bit of state at random, by `seed` and the sites alone: the same on every engine. Memories with check bits
    /// stay 0.
    pub(crate) fn power_on(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        for site in 0..self.sites().len() {
            let storage = &self.sites()[site];
            if storage.site.kind == SiteKind::Out || storage.site.zeroed {
                continue;
            }
            let (width, bytes) = (storage.site.width as usize, storage.bytes);
            for word in self.device.site_mut(site).chunks_mut(bytes) {
                for (i, chunk) in word.chunks_mut(4).enumerate() {
                    let value = random.next() & bits::mask(width, i);
                    chunk.copy_from_slice(&value.to_le_bytes()[..chunk.len()]);
                }
            }
        }
        self.device.settle();
    }

    /// Lets the logic settle after inputs changed, without a clock edge.
    pub fn eval(&mut self) {
        self.device.eval();
    }

    /// Word `word` (bits 32·word and up) of a port.
    pub fn get(&self, port: usize, word: usize) -> u32 {
        self.device.get(port, word)
    }

    /// Sets word `word` of an input. A value that does not fit is a mistake of the caller: debug
    /// builds refuse it, others drop the bits above, so that the chip never sees them.
    pub fn set(&mut self, port: usize, word: usize, value: u32) {
        self.device.set(port, word, value);
    }

    /// Cycles clocked so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Clocks up to `cycles` cycles, answering the memory port and recording events; returns early
    /// when `until_done` and the output `done` is set, or when more than `words` event words wait.
    pub fn run(&mut self, cycles: u64, until_done: bool, words: u64) -> Stop {
        let done = self.done.filter(|_| until_done);
        for _ in 0..cycles {
            self.step();
            if done.is_some_and(|port| self.device.get(port, 0) != 0) {
                return Stop::Done;
            }
            if self.recorder.events.len() as u64 > words {
                return Stop::Events;
            }
        }
        Stop::Cycles
    }

    /// One cycle.
    fn step(&mut self) {
        let device = &mut *self.device;
        self.memory.drive(device, self.cycle);
        device.eval();
        self.memory.accept(device, self.cycle);
        self.recorder.record(device, self.cycle);
        self.forces.before_edge(device, self.cycle);
        if let Some(w) = &mut self.watched {
            w.look(device);
        }
        device.edge();
        self.cycle += 1;
        self.forces.after_edge(device, self.cycle);
    }

    /// Hands the waiting events (header, cycle low, cycle high, fields) to `f` and forgets them.
    pub fn take_events<T>(&mut self, f: impl FnOnce(&[u32]) -> T) -> T {
        let result = f(&self.recorder.events);
        self.recorder.events.clear();
        result
    }

    /// Which trace groups are recorded as events, at first those of lockstep; fewer are faster.
    pub fn collect(&mut self, groups: Collect) {
        self.recorder.collect = groups;
    }

    /// Empties the simulated memory, above memory of the host.
    pub fn clear_memory(&mut self, before: Option<Arc<Snapshot>>) {
        self.memory.bytes = Bytes::above(before);
    }

    /// Copies bytes into the simulated memory; what goes beyond 2^32 is dropped.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) {
        self.memory.bytes.write(address, bytes);
    }

    /// Bytes of the simulated memory; beyond 2^32 zeros.
    pub fn read_memory(&self, address: u32, len: usize) -> Vec<u8> {
        self.memory.bytes.read(address, len)
    }

    /// The little-endian word of the simulated memory at a multiple of 4.
    pub fn memory_word(&self, address: u32) -> u32 {
        self.memory.bytes.word(address)
    }

    /// Whether the 64 KiB page holding `address` has ever been written.
    pub fn has_page(&self, address: u32) -> bool {
        self.memory.bytes.has_page(address)
    }

    /// Timing of the memory and the byte ranges the chip may touch: `[0, limit)` and `second`.
    pub fn configure_memory(&mut self, options: &MemoryOptions, limit: u64, second: std::ops::Range<u64>) {
        self.memory.configure(options, limit, second);
    }

    /// Lines through the memory port since its timing was set.
    pub fn port_lines(&self) -> PortLines {
        self.memory.lines
    }

    /// Number of accesses outside the allowed ranges and the first address.
    pub fn strays(&self) -> Option<(u64, u32)> {
        self.memory.strays()
    }

    /// Begins (anew) or ends the journal of the simulated memory.
    pub fn journal(&mut self, on: bool) {
        self.memory.journal = on.then(Journal::default);
    }

    /// What the journal holds, which then is empty; nothing when there is none.
    pub fn take_journal(&mut self) -> Journal {
        self.memory.journal.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Starts writing an FST waveform.
    ///
    /// # Errors
    /// The design was built without waveforms, or the file cannot be made.
    pub fn open_wave(&mut self, path: &Path) -> Result<(), WaveError> {
        self.device.open_wave(path)
    }

    /// Ends the waveform.
    pub fn close_wave(&mut self) {
        self.device.close_wave();
    }

    /// The sites of a chip that is open to fault injection.
    pub fn sites(&self) -> &[Storage] {
        self.device.sites()
    }

    /// A word of a site, least significant 32 bits first.
    pub fn site_word(&self, site: usize, word: u32) -> Vec<u32> {
        let range = self.sites()[site].range(word);
        Storage::unpack(&self.device.site(site)[range])
    }

    /// Writes a word of state and lets the logic settle. Bits beyond the site's width must be 0: debug
    /// builds refuse others, release builds drop them.
    pub fn set_site_word(&mut self, site: usize, word: u32, value: &[u32]) {
        self.set_site_words([(site, word, value)]);
    }

    /// [`Simulation::set_site_word`] for many words (site, word, value); the logic settles once.
    pub fn set_site_words<V: AsRef<[u32]>>(&mut self, words: impl IntoIterator<Item = (usize, u32, V)>) {
        for (site, word, value) in words {
            let storage = &self.sites()[site];
            let (range, bytes) = (storage.range(word), storage.pack(value.as_ref()));
            self.device.site_mut(site)[range].copy_from_slice(&bytes);
        }
        self.device.settle();
    }

    /// Replaces the reads that wait by one that is answered in the coming cycle with `line`, or by none.
    pub fn set_waiting(&mut self, line: Option<Vec<u32>>) {
        self.memory.waiting.replace(self.cycle, line);
    }

    /// Adds a fault; it acts at once if its time has come.
    pub fn force(&mut self, fault: &Force) {
        self.forces.add(&mut *self.device, self.cycle, fault);
    }

    /// Removes all faults; what they have changed stays.
    pub fn clear_forces(&mut self) {
        self.forces.clear(&mut *self.device);
    }

    /// Whether the output `done` is set.
    pub fn is_done(&self) -> bool {
        self.done.is_some_and(|port| self.device.get(port, 0) != 0)
    }

    /// First cycle in which a fault changed a bit.
    pub fn activated(&self) -> Option<u64> {
        self.forces.activated
    }

    /// Bytes of an image.
    pub fn image_bytes(&self) -> usize {
        self.state.image_bytes()
    }

    /// Takes an image, into one that may have been used before.
    pub fn save_image(&self, image: &mut Image) {
        self.state.save(&*self.device, &mut image.device);
        image.cycle = self.cycle;
        image.memory = self.memory.waiting.clone();
        image.reported = self.recorder.reported();
    }

    /// Goes to the state of an image; faults stay as they are, and waiting events are forgotten.
    pub fn load_image(&mut self, image: &Image) {
        self.state.restore(&mut *self.device, &image.device);
        self.cycle = image.cycle;
        self.memory.waiting = image.memory.clone();
        self.recorder.restore(&image.reported);
    }

    /// Leaves a site out of comparisons with images.
    pub fn ignore_site(&mut self, site: usize) {
        self.state.ignore(site);
    }

    /// Sites that differ from an image, at most `found.len()`, into `found`; how many. The word `but`
    /// (site, word) is not looked at. Reads that wait and differ count as a site of the number of
    /// sites; they are looked at last.
    ///
    /// # Panics
    /// There is no room for a site.
    pub fn differs(&self, image: &Image, but: Option<(usize, u32)>, found: &mut [usize]) -> usize {
        assert!(!found.is_empty(), "room for a site");
        let mut n = 0;
        self.state.differs(&*self.device, &image.device, but, |site| {
            found[n] = site;
            n += 1;
            n < found.len()
        });
        if n < found.len() && !self.memory.waiting.same_reads(&image.memory) {
            found[n] = self.sites().len();
            n += 1;
        }
        n
    }

    /// Whether a word of state differs from an image.
    pub fn word_differs(&self, image: &Image, site: usize, word: u32) -> bool {
        self.state.word_differs(&*self.device, &image.device, site, word)
    }

    /// Begins (anew) or ends watching which bits of registers and outputs are ever 0 and ever 1.
    pub fn watch(&mut self, on: bool) {
        self.watched = on.then(|| Watched::new(self.device.sites()));
    }

    /// Bits of a site that were `value` at an edge since watching began: 32-bit words, least
    /// significant first; none for memories of several words, and when nothing is watched.
    pub fn watched(&self, site: usize, value: bool) -> Vec<u32> {
        self.watched.as_ref().map_or_else(Vec::new, |w| w.ever(site, value))
    }
}
