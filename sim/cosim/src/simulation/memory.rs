//! The memory behind the chip's port: 2^32 bytes, reads answered in order after a latency.

mod bytes;
mod dram;

pub(crate) use bytes::Bytes;
use dram::Banks;
pub use dram::{Dram, DDR3, SDRAM};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ops::Range;
use warpsmith_contract::{ports, Manifest};
use warpsmith_engine::Device;

/// How long reads take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryTiming {
    /// Cycles from acceptance to data, least (1 or more) and most; drawn for each read. Stores take none.
    Latency(u32, u32),
    /// A DRAM behind its controller.
    Dram(Dram),
}

impl MemoryTiming {
    /// Cycles that a read takes at most, about.
    pub fn slowest(&self) -> u64 {
        match self {
            MemoryTiming::Latency(_, most) => (*most).max(1).into(),
            MemoryTiming::Dram(dram) => dram.slowest(),
        }
    }
}

/// How the simulated memory answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOptions {
    /// How long reads take.
    pub timing: MemoryTiming,
    /// Cycles out of 256 in which a request is accepted; 256: always.
    pub ready_of_256: u32,
    /// Seed of both draws.
    pub seed: u64,
}

impl Default for MemoryOptions {
    /// Ideal: always ready, data in the next cycle.
    fn default() -> Self {
        MemoryOptions { timing: MemoryTiming::Latency(1, 1), ready_of_256: 256, seed: 1 }
    }
}

/// Lines that went through the memory port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortLines {
    /// Read.
    pub read: u64,
    /// Written.
    pub written: u64,
}

impl PortLines {
    /// Both.
    pub fn total(self) -> u64 {
        self.read + self.written
    }

    /// The sum of two runs, where it is known of either.
    pub fn sum(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(PortLines { read: a.read + b.read, written: a.written + b.written }),
            (a, b) => a.or(b),
        }
    }
}

/// Accesses to the simulated memory since the journal began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// Byte address and former value of each word written, in order.
    pub writes: Vec<(u32, u32)>,
    /// Byte address of each line read, in order.
    pub reads: Vec<u32>,
}

/// A small deterministic generator (xorshift64).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }
}

/// A read that was accepted and not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read {
    /// Cycle from which it may be answered.
    due: u64,
    /// The line as it was when the read was accepted.
    line: Vec<u32>,
}

/// What of the memory belongs to the state of a run, besides its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The oldest first.
    reads: VecDeque<Read>,
    last_due: u64,
    banks: Banks,
    random: Random,
    /// Accesses outside the allowed ranges, and the address of the first.
    strays: u64,
    first_stray: u32,
}

impl Waiting {
    /// One read that is answered in `cycle`, or none.
    pub fn replace(&mut self, cycle: u64, line: Option<Vec<u32>>) {
        self.reads.clear();
        self.reads.extend(line.map(|line| Read { due: cycle, line }));
    }

    /// Whether the reads that wait are the same.
    pub fn same_reads(&self, other: &Self) -> bool {
        self.reads == other.reads
    }
}

/// The chip's memory port by the indices of its signals.
#[derive(Clone, Copy)]
struct Signals {
    valid: usize,
    ready: usize,
    write: usize,
    address: usize,
    wdata: usize,
    wmask: usize,
    rvalid: usize,
    rdata: usize,
    reset: Option<usize>,
    /// 32-bit words of a line.
    words: usize,
}

impl Signals {
    /// `None`: the chip has no memory port.
    fn of(manifest: &Manifest) -> Option<Self> {
        let port = |p: ports::ChipPort| manifest.port(p.name);
        let rdata = port(ports::MEM_RDATA)?;
        Some(Signals {
            valid: port(ports::MEM_VALID)?,
            ready: port(ports::MEM_READY)?,
            write: port(ports::MEM_WRITE)?,
            address: port(ports::MEM_ADDRESS)?,
            wdata: port(ports::MEM_WDATA)?,
            wmask: port(ports::MEM_WMASK)?,
            rvalid: port(ports::MEM_RVALID)?,
            rdata,
            reset: port(ports::RESET),
            words: (manifest.ports[rdata].width / 32).max(1),
        })
    }
}

/// The memory and its timing.
pub(super) struct Memory {
    pub bytes: Bytes,
    pub waiting: Waiting,
    pub journal: Option<Journal>,
    pub lines: PortLines,
    signals: Option<Signals>,
    options: MemoryOptions,
    /// Bytes the chip may touch.
    allowed: [Range<u64>; 2],
}

impl Memory {
    /// All zeros, ideal, without limits.
    pub fn new(manifest: &Manifest, seed: u64) -> Self {
        Memory {
            bytes: Bytes::default(),
            waiting: Waiting { random: Random::new(seed), ..Waiting::default() },
            journal: None,
            lines: PortLines::default(),
            signals: Signals::of(manifest),
            options: MemoryOptions::default(),
            allowed: [0..u64::MAX, 0..0],
        }
    }

    /// Timing, and the byte ranges the chip may touch: `[0, limit)` and `second`.
    pub fn configure(&mut self, options: &MemoryOptions, limit: u64, second: Range<u64>) {
        self.options = *options;
        self.waiting.random = Random::new(options.seed);
        self.lines = PortLines::default();
        self.allowed = [0..limit, second];
    }

    /// Number of accesses outside the allowed ranges and the first address.
    pub fn strays(&self) -> Option<(u64, u32)> {
        let w = &self.waiting;
        (w.strays > 0).then_some((w.strays, w.first_stray))
    }

    /// Answers and back-pressure for the coming cycle.
    pub fn drive(&mut self, device: &mut dyn Device, cycle: u64) {
        let Some(s) = &self.signals else { return };
        let w = &mut self.waiting;
        let ready = self.options.ready_of_256;
        let takes = ready >= 256 || (w.random.next() & 255) < ready;
        let takes = match &self.options.timing {
            MemoryTiming::Latency(..) => takes,
            MemoryTiming::Dram(dram) => w.banks.has_room(dram, cycle) && takes,
        };
        device.set(s.ready, 0, takes.into());
        let answer = w.reads.front().is_some_and(|r| r.due <= cycle);
        device.set(s.rvalid, 0, answer.into());
        if answer {
            let read = w.reads.pop_front().expect("a read waits");
            for (i, word) in read.line.iter().enumerate() {
                device.set(s.rdata, i, *word);
            }
        }
    }

    /// A request accepted in this cycle.
    pub fn accept(&mut self, device: &dyn Device, cycle: u64) {
        let Some(s) = self.signals else { return };
        let on = |port: usize| device.get(port, 0) != 0;
        // Before the reset the chip's state is random, and so are its requests.
        if s.reset.is_some_and(on) {
            self.waiting.reads.clear();
            return;
        }
        if !on(s.valid) || !on(s.ready) {
            return;
        }
        let (words, asked) = (s.words, device.get(s.address, 0));
        // Requests are whole lines; a chip that breaks this is reported, not followed.
        let line = asked & !(4 * words as u32 - 1);
        if asked != line {
            self.outside(asked);
        }
        if on(s.write) {
            self.lines.written += 1;
            if let MemoryTiming::Dram(dram) = &self.options.timing {
                self.waiting.banks.take(dram, line, 4 * words as u32, true, cycle);
            }
            for w in 0..words {
                let mask = device.get(s.wmask, w / 8) >> (4 * (w % 8)) & 15;
                if mask != 0 {
                    let at = line.wrapping_add(4 * w as u32);
                    self.store(at, mask, device.get(s.wdata, w));
                }
            }
        } else {
            self.lines.read += 1;
            self.read(line, words, cycle);
        }
    }

    /// Writes the bytes of `mask` of the word at `at`.
    fn store(&mut self, at: u32, mask: u32, data: u32) {
        let old = self.bytes.word(at);
        if let Some(j) = &mut self.journal {
            j.writes.push((at, old));
        }
        if mask == 15 {
            self.bytes.set_word(at, data);
            self.look(at, 4);
            return;
        }
        let mut new = old;
        for b in (0..4).filter(|b| mask >> b & 1 != 0) {
            let byte = 0xff << (8 * b);
            new = new & !byte | data & byte;
            self.look(at + b, 1);
        }
        self.bytes.set_word(at, new);
    }

    /// Takes the line as it is now; it is answered after the latency, and after all reads before.
    fn read(&mut self, line: u32, words: usize, cycle: u64) {
        self.look(line, 1);
        if let Some(j) = &mut self.journal {
            j.reads.push(line);
        }
        let (o, w) = (&self.options, &mut self.waiting);
        let due = match &o.timing {
            MemoryTiming::Latency(least, most) => {
                let least = (*least).max(1);
                let more = match most.saturating_sub(least) {
                    0 => 0,
                    n => w.random.next() % (n + 1),
                };
                cycle + u64::from(least + more)
            }
            MemoryTiming::Dram(dram) => w.banks.take(dram, line, 4 * words as u32, false, cycle),
        };
        let due = due.max(w.last_due + 1);
        w.last_due = due;
        let at = |i: usize| line + 4 * i as u32;
        w.reads.push_back(Read { due, line: (0..words).map(|i| self.bytes.word(at(i))).collect() });
    }

    /// Counts an access outside the allowed ranges.
    fn look(&mut self, address: u32, bytes: u64) {
        let from = u64::from(address);
        let within = |r: &Range<u64>| from >= r.start && from + bytes <= r.end;
        if !self.allowed.iter().any(within) {
            self.outside(address);
        }
    }

    fn outside(&mut self, address: u32) {
        let w = &mut self.waiting;
        if w.strays == 0 {
            w.first_stray = address;
        }
        w.strays += 1;
    }
}
