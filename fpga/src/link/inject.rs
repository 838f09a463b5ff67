//! Faults in a board's chip: its saboteurs are told of one, a launch is run, and the results are read back.

use super::error::LinkError;
use super::run::{place, words_of, Options, Progress};
use super::target::{Link, Space};
use std::time::Duration;
use warpsmith_contract::inject::{Shot, Shown};
use warpsmith_contract::registers::{self as map, inject_arm, inject_shift, inject_state};
use warpsmith_cosim::chip::Placement;
use warpsmith_cosim::{launch_sequence, start_word};
use warpsmith_isa::set::assemble;
use warpsmith_isa::{ChipInfo, Isa};
use warpsmith_model::{GlobalMemory, Launch};

/// Longest pause between two looks at a running chip.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// Looks at a chip that shifts, or takes its start, before it is given up: it needs milliseconds.
const LOOKS: u32 = 1000;

/// A launch on a board with saboteurs.
pub struct Injection<'l> {
    link: Box<dyn Link + Send + 'l>,
    launch: &'l Launch,
    /// Bits of the chain.
    length: u32,
    placement: Placement,
    /// Bytes of memory that the launch needs.
    need: u64,
    /// A kernel that fills the register file, and where its memories lie; `None`: not for this instruction set, or it
    /// does not fit the chip.
    fill: Option<(Launch, Placement)>,
    /// Global memory before the kernel.
    before: GlobalMemory,
    /// What is in global memory; `None`: not known.
    now: Option<GlobalMemory>,
}

impl<'l> Injection<'l> {
    /// Asks whether the board's chip has the saboteurs of a chain of `length` bits and this layout.
    ///
    /// # Errors
    /// It has others or none; the launch does not fit; the line or the board fails.
    pub fn new(
        mut link: Box<dyn Link + Send + 'l>, launch: &'l Launch, length: u32, layout: u32,
    ) -> Result<Self, LinkError> {
        let about = link.hello()?.clone();
        *link.doing() = "asking for saboteurs";
        let found = link.read(Space::Bus, map::INJECT_LENGTH.address, 2)?;
        if found != [length, layout] {
            return Err(LinkError::Saboteurs { found: found[0], wanted: length });
        }
        let (placement, need) = place(&about, launch)?;
        let mut before = GlobalMemory::new(launch.global_bytes.next_multiple_of(4));
        for g in &launch.globals {
            before.write(g.offset, &g.bytes);
        }
        let fill = filling(&about.info).and_then(|fill| Some((fill.clone(), place(&about, &fill).ok()?.0)));
        Ok(Injection { link, launch, length, placement, need, fill, before, now: None })
    }

    /// Runs the launch with a fault, for at most `limit` cycles; memory comes along where it ended. When the board is reset
    /// meanwhile, does all of it anew.
    ///
    /// # Errors
    /// The line or the board fails.
    pub fn shoot(
        &mut self, shot: &Shot, limit: u64, progress: Progress<'_>,
    ) -> Result<(Shown, Option<GlobalMemory>), LinkError> {
        let Injection { link, launch, length, placement, need, fill, before, now } = self;
        let link: &mut dyn Link = &mut **link;
        let (done, _) = link.anew(|link| {
            let fill = fill.as_ref();
            let mut shooting = Shooting { link, launch, length: *length, placement, need: *need, fill, before, now };
            shooting.once(shot, limit, progress)
        })?;
        Ok(done)
    }
}

/// One fault.
struct Shooting<'s> {
    link: &'s mut (dyn Link + 's),
    launch: &'s Launch,
    length: u32,
    placement: &'s Placement,
    need: u64,
    fill: Option<&'s (Launch, Placement)>,
    before: &'s GlobalMemory,
    now: &'s mut Option<GlobalMemory>,
}

impl Shooting<'_> {
    fn once(
        &mut self, shot: &Shot, limit: u64, progress: Progress<'_>,
    ) -> Result<(Shown, Option<GlobalMemory>), LinkError> {
        self.link.hello()?;
        if let Some((fill, placement)) = self.fill {
            // The last kernel left its results: a fault that lets this one read a register too early would find them there.
            *self.link.doing() = "filling the register file";
            self.bus(fill, placement)?;
            self.link.start(start_word(fill))?;
            self.link.wait(&Options::default(), progress)?;
            self.link.hello()?;
        }
        self.prepare(progress)?;
        *self.link.doing() = "shifting the fault into the chip";
        for word in shifts(&shot.ones, self.length) {
            self.link.write(Space::Bus, map::INJECT_SHIFT.address, &[word])?;
            self.until(map::INJECT_SHIFT.address, |word| inject_shift::SHIFTING.get(word) == 0)?;
        }
        *self.link.doing() = "arming the fault";
        let arm = inject_arm::BECOMES.put(shot.becomes as u32) | inject_arm::ARM.put(1);
        let times = [shot.cycle, shot.duration, shot.period, shot.active, shot.phase, arm];
        self.link.write(Space::Bus, map::INJECT_CYCLE.address, &times)?;
        *self.link.doing() = "starting the kernel";
        self.link.start(start_word(self.launch))?;
        self.until(map::INJECT_STATE.address, |state| inject_state::ARMED.get(state) == 0)?;
        *self.link.doing() = "running the kernel";
        let (state, cycles, changed) = self.end(limit)?;
        let ended = inject_state::RUNNING.get(state) == 0;
        let changed = (inject_state::CHANGED.get(state) == 1).then_some(changed);
        if !ended {
            return Ok((Shown { cycles, ended, trap: None, corrected: 0, faults: 0, changed }, None));
        }
        *self.link.doing() = "reading results";
        let r = self.link.read(Space::Bus, map::STATUS.address, 6)?;
        let trapped = map::status::TRAPPED.get(r[0]) == 1;
        let trap = trapped.then_some([r[1], r[2], r[3]]);
        let memory = self.memory(progress)?;
        Ok((Shown { cycles, ended, trap, corrected: r[4], faults: r[5], changed }, Some(memory)))
    }

    /// Program, constants and launch registers anew, which a fault may have spoiled; of memory what is not as it was.
    fn prepare(&mut self, progress: Progress<'_>) -> Result<(), LinkError> {
        let local = self.placement.local_total > 0;
        match self.now.take().filter(|_| !local) {
            None => self.link.load(self.launch, self.placement, self.need, progress)?,
            Some(now) => {
                *self.link.doing() = "loading the program";
                self.bus(self.launch, self.placement)?;
                *self.link.doing() = "loading memory";
                let differ =
                    (0..self.words() as u32).map(|i| 4 * i).filter(|at| now.word(*at) != self.before.word(*at));
                let differ: Vec<u32> = differ.collect();
                for run in differ.chunk_by(|a, b| *b == a + 4) {
                    let words: Vec<u32> = run.iter().map(|at| self.before.word(*at)).collect();
                    self.link.write(Space::Memory, run[0], &words)?;
                }
            }
        }
        Ok(())
    }

    /// Program, constants and launch registers of a launch.
    fn bus(&mut self, launch: &Launch, placement: &Placement) -> Result<(), LinkError> {
        let bus = launch_sequence(launch, placement);
        for run in bus.chunk_by(|a, b| b.0 == a.0 + 4) {
            let words: Vec<u32> = run.iter().map(|w| w.1).collect();
            self.link.write(Space::Bus, run[0].0, &words)?;
        }
        Ok(())
    }

    fn words(&self) -> usize {
        words_of(0, self.launch.global_bytes as usize).1
    }

    /// All of global memory; it is known from then on.
    fn memory(&mut self, progress: Progress<'_>) -> Result<GlobalMemory, LinkError> {
        let count = self.words();
        progress(self.link.doing(), 0, count as u64);
        let words = self.link.read(Space::Memory, 0, count)?;
        let mut memory = GlobalMemory::new(4 * count as u64);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        memory.write(0, &bytes);
        *self.now = Some(memory.clone());
        Ok(memory)
    }

    /// Reads a register until it is as it should be.
    fn until(&mut self, address: u32, good: impl Fn(u32) -> bool) -> Result<(), LinkError> {
        for look in 0..LOOKS {
            if good(self.link.read(Space::Bus, address, 1)?[0]) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_micros(u64::from(look).min(1000)));
        }
        let doing = self.link.doing();
        Err(LinkError::Answer { doing, what: "that its saboteurs are not ready".into() })
    }

    /// INJECT_STATE, INJECT_CYCLES and INJECT_CHANGED once the kernel has ended, or taken more than `limit` cycles.
    fn end(&mut self, limit: u64) -> Result<(u32, u32, u32), LinkError> {
        let mut pause = Duration::from_micros(100);
        loop {
            let [state, cycles, changed] = self.link.read(Space::Bus, map::INJECT_STATE.address, 3)?[..] else {
                unreachable!("three words were asked for")
            };
            if inject_state::RUNNING.get(state) == 0 || u64::from(cycles) > limit {
                return Ok((state, cycles, changed));
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}

/// A kernel of all threads of a chip's SM that fills every register with a number of its own.
fn filling(info: &ChipInfo) -> Option<Launch> {
    let (instruction, end, most) = match info.isa {
        Isa::Sm10 => ("MVI", "RET", 124),
        Isa::Fermi => ("MOV32I", "EXIT", 63),
        Isa::G13 | Isa::Ivb => return None,
    };
    // As many warps as have as many registers as an instruction can name.
    let registers = (info.registers / (32 * info.warps)).clamp(1, most);
    let warps = (info.warps / info.blocks).min(512 / 32);
    let lines: Vec<String> =
        (0..registers).map(|r| format!("{instruction} R{r}, 0x{:08x};\n", 0x5eed_0001 + 0x0101 * r)).collect();
    let text = format!("{}{end};\n", lines.concat());
    let mut launch = Launch::from_words("filling", vec![]);
    launch.program.bytes = assemble(info.isa.set(), &text, "filling").expect("a program of this crate").bytes;
    launch.program.isa = info.isa;
    (launch.grid, launch.block, launch.registers) = ([info.blocks, info.sms], [32 * warps, 1, 1], registers);
    Some(launch)
}

/// Words for INJECT_SHIFT that make exactly the bits `ones` of a chain of `length` 1: what goes in first ends last in the
/// chain.
fn shifts(ones: &[u32], length: u32) -> Vec<u32> {
    let mut left = length;
    let mut words = vec![];
    let mut shift = |count: u32, first: u32| {
        if count > 0 {
            words.push(inject_shift::COUNT.put(count) | inject_shift::FIRST.put(first));
        }
    };
    let mut first = 0;
    for one in ones.iter().rev() {
        shift(left - 1 - one, first);
        (left, first) = (one + 1, 1);
    }
    shift(left, first);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_model::{Machine, ModelConfig};

    #[test]
    fn the_filling_kernel_ends_and_is_there_for_two_sets() {
        let info = ChipInfo { registers: 2048, warps: 4, blocks: 2, ..ChipInfo::unlimited() };
        let launch = filling(&info).expect("of SM 1.0");
        assert_eq!((launch.registers, launch.block[0], launch.program.len()), (16, 64, 8 * 17));
        Machine::new(&launch, ModelConfig::default()).run(10_000).expect("it ends");
        for (isa, most) in [(Isa::Sm10, 124), (Isa::Fermi, 63)] {
            let large = ChipInfo { isa, registers: 65_536, warps: 2, ..info.clone() };
            assert_eq!(filling(&large).expect("of the set").registers, most);
        }
        assert!(filling(&ChipInfo { isa: Isa::G13, ..info }).is_none());
    }

    #[test]
    fn what_is_shifted_in_makes_the_bits_of_the_fault() {
        for (ones, length) in [(&[][..], 5), (&[0][..], 1), (&[4][..], 5), (&[0, 1, 3][..], 9), (&[7, 8][..], 9)] {
            let mut chain = vec![true; length as usize];
            for word in shifts(ones, length) {
                for i in 0..inject_shift::COUNT.get(word) {
                    chain.pop();
                    chain.insert(0, i == 0 && inject_shift::FIRST.get(word) == 1);
                }
            }
            let wanted: Vec<bool> = (0..length).map(|i| ones.contains(&i)).collect();
            assert_eq!(chain, wanted, "{ones:?} of {length}");
        }
    }
}
