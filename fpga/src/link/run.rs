//! A launch on a board: hello, load, start, wait, read back.

use super::error::LinkError;
use super::target::{About, Link, Space};
use std::time::{Duration, Instant};
use warpsmith_contract::registers::{self as map, control, status};
use warpsmith_contract::Counter;
use warpsmith_cosim::chip::Placement;
use warpsmith_cosim::{launch_sequence, start_word};
use warpsmith_cosim::{Counters, Ending, Ran, RtlTrap};
use warpsmith_model::{GlobalMemory, Launch};

/// Times a launch is begun before a board that resets itself is given up.
const BEGINNINGS: u32 = 3;
/// Longest pause between two looks at a running chip.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// Words of a request while progress is shown: short enough at any baud rate in use.
const PIECE: usize = 255;

/// What is said of a board whose chip lacks the guard that the launch asks for.
const UNGUARDED: &str = "the board's chip has no guard of the first page of memory: a use of NULL is not noticed; \
    build its bitstream anew with this program";

/// How a launch is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cycles after which it is given up.
    pub max_cycles: u64,
    /// Cycles without a retired instruction after which the chip is called silent.
    pub watchdog_cycles: u64,
    /// Read back all of global memory, not only what the launch expects something of.
    pub all: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_cycles: 1 << 40, watchdog_cycles: 20_000, all: false }
    }
}

/// A launch that was run.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The result; global memory as far as it was read back.
    pub ran: Ran,
    /// Requests that had to be sent again.
    pub retries: u64,
    /// What the board was doing each time it was reset; the launch was then done anew.
    pub resets: Vec<&'static str>,
}

/// What is going on, words moved and words to move.
pub type Progress<'a> = &'a mut dyn FnMut(&'static str, u64, u64);

impl About {
    /// Refuses a launch that the chip or the board's memory cannot hold.
    ///
    /// # Errors
    /// The limit, and what the launch needs.
    pub fn fits(&self, launch: &Launch) -> Result<(), LinkError> {
        place(self, launch).map(drop)
    }
}

impl dyn Link + '_ {
    /// Runs a launch; when the board is reset meanwhile, does all of it anew.
    ///
    /// # Errors
    /// The launch does not fit, the line or the board fails. How the kernel ended is in the result.
    pub fn run(&mut self, launch: &Launch, options: &Options, progress: Progress<'_>) -> Result<Launched, LinkError> {
        let (mut launched, resets) = self.anew(|link| link.once(launch, options, progress))?;
        let anew = |doing| format!("the board was reset while {doing}; the launch was done anew");
        launched.ran.notes.splice(0..0, resets.iter().map(anew));
        launched.resets = resets;
        Ok(launched)
    }

    /// Does something that begins with hello; when the board is reset meanwhile, does all of it anew. What it was doing
    /// each time comes along.
    pub(super) fn anew<T>(
        &mut self, mut work: impl FnMut(&mut Self) -> Result<T, LinkError>,
    ) -> Result<(T, Vec<&'static str>), LinkError> {
        let mut resets = vec![];
        loop {
            match work(self) {
                Err(LinkError::Reset { doing }) => {
                    resets.push(doing);
                    if resets.len() as u32 == BEGINNINGS {
                        return Err(LinkError::ResetAgain { times: BEGINNINGS, doing });
                    }
                }
                done => return Ok((done?, resets)),
            }
        }
    }

    fn once(&mut self, launch: &Launch, options: &Options, progress: Progress<'_>) -> Result<Launched, LinkError> {
        progress("saying hello", 0, 0);
        let about = self.hello()?.clone();
        let (placement, need) = place(&about, launch)?;
        self.load(launch, &placement, need, progress)?;
        let started = Instant::now();
        *self.doing() = "starting the kernel";
        self.start(start_word(launch))?;
        let ending = self.wait(options, progress)?;
        let seconds = started.elapsed().as_secs_f64();
        *self.doing() = "reading counters";
        // Chips made before there was a guard have no such bit: it reads 0.
        let control = self.read(Space::Bus, map::CONTROL.address, 1)?;
        let guarded = !launch.guard || control::GUARD.get(control[0]) == 1;
        let words = 2 * Counter::COUNT;
        let sums = self.read(Space::Bus, map::COUNTER.address, words)?;
        let sums = Counter::ALL.map(|c| sum(&sums, c));
        let counters = Counters::from_sums(&sums, &about.info, seconds);
        let global = match ending {
            // Memory belongs to the chip until it stops.
            Ending::Done | Ending::Trap(_) => self.results(launch, options, progress)?,
            _ => GlobalMemory::new(launch.global_bytes),
        };
        let mut ran = Ran::new(Some(&about.info), launch, ending, counters, global);
        if !guarded {
            ran.notes.push(UNGUARDED.into());
        }
        let retries = self.statistics().resent;
        if retries > 0 {
            ran.notes.push(format!("{retries} requests were sent again: the line is not clean"));
        }
        Ok(Launched { ran, retries, resets: vec![] })
    }

    pub(super) fn load(
        &mut self, launch: &Launch, placement: &Placement, need: u64, progress: Progress<'_>,
    ) -> Result<(), LinkError> {
        let mut image = GlobalMemory::new(launch.global_bytes.next_multiple_of(4));
        for g in &launch.globals {
            image.write(g.offset, &g.bytes);
        }
        let bus = launch_sequence(launch, placement);
        let spans: Vec<(u32, usize)> = launch.globals.iter().map(|g| words_of(g.offset, g.bytes.len())).collect();
        let total = (bus.len() + spans.iter().map(|s| s.1).sum::<usize>()) as u64;
        let mut moved = 0;
        *self.doing() = "loading the program";
        for run in bus.chunk_by(|a, b| b.0 == a.0 + 4) {
            let words: Vec<u32> = run.iter().map(|w| w.1).collect();
            for (i, piece) in words.chunks(PIECE).enumerate() {
                progress(self.doing(), moved, total);
                self.write(Space::Bus, run[PIECE * i].0, piece)?;
                moved += piece.len() as u64;
            }
        }
        *self.doing() = "clearing memory";
        self.clear(need)?;
        *self.doing() = "loading memory";
        for (first, count) in spans {
            for i in (0..count).step_by(PIECE) {
                progress(self.doing(), moved, total);
                let n = PIECE.min(count - i);
                let at = first + 4 * i as u32;
                let words: Vec<u32> = (0..n).map(|k| image.word(at + 4 * k as u32)).collect();
                self.write(Space::Memory, at, &words)?;
                moved += n as u64;
            }
        }
        Ok(())
    }

    /// Looks at the running chip until it ends, stands still, or takes too long.
    pub(super) fn wait(&mut self, options: &Options, progress: Progress<'_>) -> Result<Ending, LinkError> {
        *self.doing() = "running the kernel";
        let mut pause = Duration::from_millis(1);
        let (mut retired, mut since) = (0, 0);
        loop {
            // Cycles and warp instructions.
            let (state, counters) = self.look(4)?;
            let cycles = sum(&counters, Counter::Cycles);
            let now = sum(&counters, Counter::WarpInstructions);
            progress(self.doing(), now, 0);
            if status::DONE.get(state) == 1 {
                if status::TRAPPED.get(state) == 0 {
                    return Ok(Ending::Done);
                }
                let r = self.read(Space::Bus, map::TRAP.address, 3)?;
                return Ok(Ending::Trap(RtlTrap::from_words([r[0], r[1], r[2]])));
            }
            if status::BUSY.get(state) == 0 {
                return Err(LinkError::Answer {
                    doing: self.doing(),
                    what: "that its chip neither runs nor is done".into(),
                });
            }
            if cycles >= options.max_cycles {
                return Ok(Ending::CycleLimit(options.max_cycles));
            }
            if now != retired {
                (retired, since) = (now, cycles);
            } else if cycles.saturating_sub(since) >= options.watchdog_cycles {
                let n = cycles - since;
                return Ok(Ending::Watchdog(format!(
                    "no retire in {n} cycles; `--on rtl` with --seed says where the warps are"
                )));
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn results(
        &mut self, launch: &Launch, options: &Options, progress: Progress<'_>,
    ) -> Result<GlobalMemory, LinkError> {
        *self.doing() = "reading results";
        let mut global = GlobalMemory::new(launch.global_bytes);
        let spans: Vec<(u32, usize)> = if options.all {
            vec![words_of(0, launch.global_bytes as usize)]
        } else {
            let sections = launch.expects.iter();
            sections.map(|e| words_of(e.offset, e.bytes.len())).collect()
        };
        let total = spans.iter().map(|s| s.1 as u64).sum();
        let mut moved = 0;
        for (first, count) in spans {
            for i in (0..count).step_by(PIECE) {
                progress(self.doing(), moved, total);
                let n = PIECE.min(count - i);
                let at = first + 4 * i as u32;
                let words = self.read(Space::Memory, at, n)?;
                let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                bytes.truncate((launch.global_bytes - u64::from(at)) as usize);
                global.write(u64::from(at), &bytes);
                moved += n as u64;
            }
        }
        Ok(global)
    }
}

/// A counter among the words read from COUNTER on.
pub(super) fn sum(words: &[u32], counter: Counter) -> u64 {
    let n = counter.number();
    u64::from(words[2 * n + 1]) << 32 | u64::from(words[2 * n])
}

/// First word and number of words that hold some bytes.
pub(super) fn words_of(offset: u64, bytes: usize) -> (u32, usize) {
    let first = offset / 4 * 4;
    let end = (offset + bytes as u64).next_multiple_of(4);
    (first as u32, ((end - first) / 4) as usize)
}

/// Where the memories of a launch lie and how many bytes they take, if they fit.
pub(super) fn place(about: &About, launch: &Launch) -> Result<(Placement, u64), LinkError> {
    let placement = Placement::new(&about.info, launch)?;
    let need = match placement.local_total {
        0 => launch.global_bytes,
        local => u64::from(placement.local_base) + local,
    };
    if need > about.memory_bytes {
        return Err(LinkError::Memory {
            launch: launch.file.display().to_string(),
            global: launch.global_bytes,
            local: placement.local_total,
            need,
            memory: about.memory_bytes,
        });
    }
    Ok((placement, need))
}
