//! Faults in a chip in hardware: its saboteurs take a fault, the chip runs the kernel, and what it shows is judged as that of
//! a simulation.
//!
//! A chip in hardware shows its results, its cycles and its traps, and whether a bit changed; nobody compares its state. So its
//! records have the class of a simulation's, but not how a fault was masked.

use crate::classify::{classify, End, WrongWord};
use crate::error::FaultError;
use crate::fault::{Fault, Times};
use crate::golden::Golden;
use crate::record::{FaultOutcome, Record};
use crate::simulator::{FaultSimulator, SimulatorOptions};
use warpsmith_contract::inject::{Shot, ShotBecomes, Shown, TO_THE_END};
use warpsmith_contract::registers::trap;
use warpsmith_cosim::simulation::Becomes;
use warpsmith_model::GlobalMemory;
use warpsmith_netlist::pass::inject::{Chain, Place};

/// Runs the kernel on the chip with a fault, for at most so many cycles: how it ended, and global memory where it did. An error says why
/// the chip cannot be reached.
pub type Hardware<'a> = Box<dyn FnMut(&Shot, u64) -> Result<(Shown, Option<GlobalMemory>), String> + Send + 'a>;

/// The saboteurs of one chip.
pub struct HardwareSimulator<'a> {
    golden: &'a Golden,
    chain: &'a Chain,
    options: SimulatorOptions,
    right: GlobalMemory,
    hardware: Hardware<'a>,
}

impl<'a> HardwareSimulator<'a> {
    /// The chip behind `hardware`, whose saboteurs are on `chain`.
    ///
    /// # Errors
    /// Options that cannot be.
    pub fn new(
        golden: &'a Golden, chain: &'a Chain, options: SimulatorOptions, hardware: Hardware<'a>,
    ) -> Result<Self, FaultError> {
        options.check()?;
        Ok(HardwareSimulator { golden, chain, options, right: golden.memory(), hardware })
    }

    /// Runs the kernel without a fault.
    ///
    /// # Errors
    /// [`FaultError::Control`]: it is not the run of the simulation.
    pub fn control(&mut self) -> Result<Record, FaultError> {
        let record = self.shoot(&no_fault(self.golden), None)?;
        let g = self.golden;
        if record.outcome != FaultOutcome::NotActivated || record.wrong_words + record.words_outside > 0 {
            return Err(FaultError::Control(format!(
                "without a fault the chip takes {} cycles and the simulation {}, {} words of memory differ ({})",
                record.cycles,
                g.cycles(),
                record.wrong_words + record.words_outside,
                record.outcome
            )));
        }
        Ok(record)
    }

    fn shoot(&mut self, shot: &Shot, fault: Option<&Fault>) -> Result<Record, FaultError> {
        let g = self.golden;
        let limit = self.options.limit(g);
        let (shown, memory) = (self.hardware)(shot, limit).map_err(FaultError::Ask)?;
        let activated = shown.changed.map(u64::from);
        let memory = match memory {
            Some(memory) if shown.ended && u64::from(shown.cycles) <= limit => memory,
            _ => return Ok(Record { activated, ..Record::of(FaultOutcome::Hang, limit) }),
        };
        let addresses = (0..g.launch().global_bytes as u32).step_by(4);
        let word = |address| WrongWord { address, right: self.right.word(address), found: memory.word(address) };
        let wrong: Vec<WrongWord> = addresses.map(word).filter(|w| w.right != w.found).collect();
        let told = g.hardened.read(shown.corrected, shown.faults);
        let cause = shown.trap.map(|words| trap::CAUSE.get(words[0]) as u8);
        let cycles = u64::from(shown.cycles);
        Ok(classify(g, &End { cycles, cause, wrong: &wrong, activated, left: None, told }, fault))
    }
}

impl FaultSimulator for HardwareSimulator<'_> {
    fn run(&mut self, faults: &[&Fault], done: &mut dyn FnMut(usize, Record) -> bool) -> Result<(), FaultError> {
        for (i, fault) in faults.iter().enumerate() {
            let shot = shot(self.golden, self.chain, fault)?;
            if !done(i, self.shoot(&shot, Some(fault))?) {
                break;
            }
        }
        Ok(())
    }
}

/// A kernel without a fault.
fn no_fault(golden: &Golden) -> Shot {
    Shot {
        ones: vec![],
        becomes: ShotBecomes::Inverse,
        cycle: 0,
        duration: 0,
        period: 0,
        active: 0,
        phase: golden.phase(),
    }
}

/// A fault as the saboteurs take it.
///
/// # Errors
/// [`FaultError::Ask`]: a site without a saboteur, a fault that a memory's saboteur does not have.
pub fn shot(golden: &Golden, chain: &Chain, fault: &Fault) -> Result<Shot, FaultError> {
    fault.check(golden.sites(), golden.cycles())?;
    let path = &golden.sites().site(fault.site).path;
    let no = |what: &str| FaultError::Ask(format!("{path}: {what}"));
    let place = chain.place(path).ok_or_else(|| {
        no("the chip in hardware has no saboteur there: outputs of blocks have none; other blocks get theirs by `saboteurs`, here and in its bitstream")
    })?;
    let once = fault.kind.is_upset() || fault.kind.times() == Times::Duration && fault.duration == 1;
    if place.address.is_some() && !once {
        return Err(no("the saboteur of a memory inverts bits once: seu, mbu, or transient of one cycle"));
    }
    let cycles = |n: u64| u32::try_from(n).map_err(|_| no("the saboteurs count up to 2^32 cycles"));
    let duration = match (fault.kind.times(), fault.duration) {
        (Times::Once, _) => 1,
        (Times::Always, _) | (Times::Bursts, 0) => TO_THE_END,
        (Times::Duration | Times::Bursts, n) => cycles(n)?,
    };
    Ok(Shot {
        ones: ones(place, fault),
        becomes: match fault.kind.becomes() {
            Becomes::Inverse | Becomes::Flip => ShotBecomes::Inverse,
            Becomes::Zero => ShotBecomes::Zero,
            Becomes::One => ShotBecomes::One,
        },
        cycle: cycles(fault.cycle)?,
        duration,
        period: cycles(fault.period)?,
        active: cycles(fault.active)?,
        phase: golden.phase(),
    })
}

/// Bits of the chain that are 1.
fn ones(place: &Place, fault: &Fault) -> Vec<u32> {
    let mut ones: Vec<u32> = fault.bits.iter().map(|bit| place.mask + bit).collect();
    if let Some((first, bits)) = place.address {
        ones.extend((0..bits).filter(|i| fault.word >> i & 1 == 1).map(|i| first + i));
    }
    ones.sort_unstable();
    ones
}
