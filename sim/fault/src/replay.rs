//! Explains a fault: its first architectural effect, and its propagation before that.
//!
//! The fault runs twice. On the campaign's chip it runs to its end, as in the campaign, and gives its
//! record. In lockstep with the golden model, on the same chip with a trace port, it runs up to the
//! first instruction that differs. The second chip has all state of the first: some pipeline registers
//! are wider, for what the port shows ([`Wider`]). All of it is set in cycle 0 to what the first chip
//! has there, so that state that is never written is the same too.

mod class;
mod text;

pub use class::ErrorClass;
pub use text::{table, CSV_COLUMNS};

use crate::error::FaultError;
use crate::fault::Fault;
use crate::golden::Golden;
use crate::record::{FaultOutcome, Record};
use crate::serial::SerialSimulator;
use crate::simulator::SimulatorOptions;
use crate::site::{Site, SiteKind, Sites};
use crate::trail::{trail, Step};
use std::path::Path;
use warpsmith_cosim::lockstep::report::{Difference, RetireDifference};
use warpsmith_cosim::observe::listing::Listing;
use warpsmith_cosim::simulation::{Force, Image};
use warpsmith_cosim::{
    cosim_disturbed, BuildOptions, Chip, Collect, CosimError, CosimOptions, Host,
    Outcome as Ending, RtlTrap, RunOptions,
};
use warpsmith_isa::decode;

/// Cycles the lockstep run may take beyond those after which a simulator calls a run a hang: the trace
/// port reports an instruction some cycles after it retired.
const ROOM: u64 = 256;

/// Registers that are wider with a trace port, and hold what it shows beside what they hold without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wider {
    /// Width without one.
    pub without: u32,
    /// And with one.
    pub with: u32,
    /// Where each bit of the narrow register stands in the wide one; `None`: nowhere, it is always 0.
    pub place: Vec<Option<u32>>,
}

/// A site of the campaign's chip on the one with the trace port.
struct Place {
    site: usize,
    /// Where each bit stands; `None`: where it stands there.
    bits: Option<Vec<Option<u32>>>,
}

impl Place {
    fn of(site: &Site, among: &Sites, wider: &[Wider]) -> Option<Self> {
        let number = among.find(&site.path).ok()?;
        let other = among.site(number);
        if (other.kind, other.depth) != (site.kind, site.depth) {
            return None;
        }
        let bits = match other.width == site.width {
            true => None,
            false => {
                let shape = (site.width, other.width);
                let found = wider.iter().find(|w| (w.without, w.with) == shape);
                Some(found?.place.clone())
            }
        };
        Some(Place { site: number, bits })
    }

    /// Where a bit stands.
    fn bit(&self, bit: u32) -> Option<u32> {
        match &self.bits {
            None => Some(bit),
            Some(place) => place.get(bit as usize).copied().flatten(),
        }
    }

    /// A word of the site with all bits of the campaign's in it.
    fn word(&self, mut word: Vec<u32>, value: &[u32]) -> Vec<u32> {
        let Some(place) = &self.bits else {
            return value.to_vec();
        };
        for (from, to) in place.iter().enumerate() {
            if let Some(to) = to.map(|t| t as usize) {
                let bit = value[from / 32] >> (from % 32) & 1;
                word[to / 32] = word[to / 32] & !(1 << (to % 32)) | bit << (to % 32);
            }
        }
        word
    }
}

/// The campaign's chip with a trace port.
pub struct Traced {
    chip: Chip,
    /// By site of the campaign's chip.
    places: Vec<Option<Place>>,
    /// Image of cycle 0, with the state of the campaign's chip.
    image: Image,
}

impl Traced {
    /// Builds the simulation of an injecting folder with a trace port (or takes it from the cache),
    /// with waveforms if asked, and gives it the state that the campaign's chip has in cycle 0.
    ///
    /// # Errors
    /// The chip cannot be built, or is not the campaign's chip with a trace port.
    pub fn open(
        golden: &Golden,
        folder: &Path,
        wider: &[Wider],
        wave: bool,
    ) -> Result<Self, FaultError> {
        let options = BuildOptions {
            wave,
            ..BuildOptions::default()
        };
        let chip = Chip::open(folder, &options)?;
        chip.design().need_injection()?;
        let sites = Sites::load(folder)?;
        let all = golden.sites().list().iter();
        let mut traced = Traced {
            chip,
            places: all.map(|s| Place::of(s, &sites, wider)).collect(),
            image: Image::default(),
        };
        traced.image = traced.first_image(golden)?;
        Ok(traced)
    }

    /// The image of cycle 0.
    fn first_image(&self, golden: &Golden) -> Result<Image, FaultError> {
        let right = golden.start()?;
        let mut host = self.start(golden)?;
        if host.sim.cycle() != golden.origin {
            return Err(FaultError::Ask(format!(
                "{}: starts the kernel in cycle {} and the campaign's chip in cycle {}: not the same chip",
                self.chip.folder().display(),
                host.sim.cycle(),
                golden.origin
            )));
        }
        for (n, site) in golden.sites().list().iter().enumerate() {
            if site.kind == SiteKind::Out {
                continue;
            }
            let place = self.place(golden, n)?;
            for word in 0..site.depth {
                let old = host.sim.site_word(place.site, word);
                let new = place.word(old.clone(), &right.sim.site_word(n, word));
                if old != new {
                    host.sim.set_site_word(place.site, word, &new);
                }
            }
        }
        let mut image = Image::default();
        host.sim.save_image(&mut image);
        Ok(image)
    }

    /// The launch, started.
    fn start<'a>(&'a self, golden: &'a Golden) -> Result<Host<'a>, FaultError> {
        let mut host = Host::new(&self.chip, golden.launch(), &golden.options, Collect::Off)?;
        host.start();
        Ok(host)
    }

    /// Where a site of the campaign's chip is.
    fn place(&self, golden: &Golden, site: usize) -> Result<&Place, FaultError> {
        self.places[site].as_ref().ok_or_else(|| {
            FaultError::Ask(format!(
                "{}: has no site {} as the campaign's chip has it",
                self.chip.folder().display(),
                golden.sites().site(site).path
            ))
        })
    }

    /// A fault of the campaign on this chip; `None` when none of its bits is there, because they
    /// stand in for fields that the campaign's chip does not have.
    fn force(&self, golden: &Golden, fault: &Fault) -> Result<Option<Force>, FaultError> {
        let place = self.place(golden, fault.site)?;
        let mut here = fault.clone();
        here.site = place.site;
        here.bits = fault.bits.iter().filter_map(|b| place.bit(*b)).collect();
        Ok((!here.bits.is_empty()).then(|| here.force(golden.origin)))
    }

    /// Writes the waveform of cycles `from` to before `to`, with the fault or without one. The chip must
    /// be opened with waveforms. A cycle takes two units of time.
    ///
    /// # Errors
    /// The simulation cannot run or the file cannot be written.
    pub fn wave(
        &self,
        golden: &Golden,
        fault: Option<&Fault>,
        from: u64,
        to: u64,
        path: &Path,
    ) -> Result<(), FaultError> {
        let mut host = self.start(golden)?;
        host.sim.load_image(&self.image);
        if let Some(force) = fault.map(|f| self.force(golden, f)).transpose()?.flatten() {
            host.sim.force(&force);
        }
        host.sim.run(from, false, u64::MAX);
        host.sim.open_wave(path).map_err(CosimError::from)?;
        host.sim.run(to.saturating_sub(from), false, u64::MAX);
        host.sim.close_wave();
        Ok(())
    }
}

/// The first retired instruction that differs from the model's.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// First difference in lockstep; its cycle counts from power-on.
    pub found: RetireDifference,
    /// Cycle in which it retired; a load's data come later.
    pub retired: u64,
    /// The instruction as the chip executed it.
    pub text: String,
    /// Source file and line of its address, when the launch has a source.
    pub line: Option<(String, usize)>,
}

impl Instruction {
    /// Number of the block in the grid.
    pub fn block(&self) -> u32 {
        let [x, y] = self.found.ctaid;
        y * self.found.grid_x + x
    }

    /// Threads that differ: those whose value does, those that are active on one side only, or, when
    /// the whole warp is wrong, those the chip has active.
    pub fn lanes(&self) -> u32 {
        use warpsmith_cosim::lockstep::compare::Field;
        let m = &self.found.mismatch;
        match m.field {
            Field::Active | Field::Executed | Field::LoadThreads => m.model ^ m.rtl,
            _ if m.lanes.is_empty() => self.found.active[1],
            _ => m.lanes.iter().fold(0, |mask, l| mask | 1 << l.0),
        }
    }

    /// Bits that differ in any of them.
    pub fn bits(&self) -> u32 {
        let m = &self.found.mismatch;
        match m.lanes.is_empty() {
            true => m.model ^ m.rtl,
            false => m.lanes.iter().fold(0, |bits, l| bits | (l.1 ^ l.2)),
        }
    }

    /// The register whose value differs, such as `R5`, or the byte address that is right; empty for
    /// anything else.
    pub fn target(&self) -> String {
        use warpsmith_cosim::lockstep::compare::Field;
        let m = &self.found.mismatch;
        match m.field {
            Field::Value | Field::Flags | Field::StepValue | Field::Loaded => {
                m.what.split(' ').next().unwrap_or("").to_string()
            }
            Field::Address => format!("0x{:08x}", m.model),
            _ => String::new(),
        }
    }
}

/// The first difference a program sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Surfaced {
    /// Cycle in which the trace port showed it.
    pub cycle: u64,
    /// Lockstep's words for it.
    pub text: String,
    /// When it belongs to an instruction that retired.
    pub instruction: Option<Instruction>,
    /// When the chip trapped.
    pub trap: Option<RtlTrap>,
}

/// Explanation of a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Fault.
    pub fault: Fault,
    /// Its record, as in the campaign.
    pub record: Record,
    /// First architectural effect, if any.
    pub class: Option<ErrorClass>,
    /// Where it sees it.
    pub surfaced: Option<Surfaced>,
    /// Warp instructions compared.
    pub compared: u64,
}

/// Explains faults of one campaign. Each worker has its own.
pub struct Replay<'a> {
    golden: &'a Golden,
    traced: &'a Traced,
    simulator: SerialSimulator<'a>,
    options: CosimOptions,
    listing: Listing,
}

impl<'a> Replay<'a> {
    /// A chip for the faults of `golden`, to run as the campaign did.
    ///
    /// # Errors
    /// The simulation cannot be started.
    pub fn new(
        golden: &'a Golden,
        traced: &'a Traced,
        options: SimulatorOptions,
    ) -> Result<Self, FaultError> {
        let simulator = SerialSimulator::new(golden, options)?;
        let run = RunOptions {
            max_cycles: options.limit(golden) + ROOM,
            ..golden.options.clone()
        };
        Ok(Replay {
            golden,
            traced,
            simulator,
            options: CosimOptions {
                run,
                ..CosimOptions::default()
            },
            listing: Listing::of(golden.launch()),
        })
    }

    /// Runs a fault to its end, as the campaign does.
    ///
    /// # Errors
    /// The simulation cannot run.
    pub fn record(&mut self, fault: &Fault) -> Result<Record, FaultError> {
        self.simulator.run_one(fault)
    }

    /// Runs a fault in lockstep with the model.
    ///
    /// # Errors
    /// The simulation cannot run; [`FaultError::Control`] when the two chips disagree on whether a
    /// program sees the fault.
    pub fn explain(&mut self, fault: &Fault) -> Result<Explanation, FaultError> {
        let record = self.record(fault)?;
        self.explain_as(fault, record)
    }

    /// [`Replay::explain`] for a fault whose record is known.
    ///
    /// # Errors
    /// As [`Replay::explain`].
    pub fn explain_as(&mut self, fault: &Fault, record: Record) -> Result<Explanation, FaultError> {
        let force = self.traced.force(self.golden, fault)?;
        let image = &self.traced.image;
        let report = cosim_disturbed(
            &self.traced.chip,
            self.golden.launch(),
            &self.options,
            &mut |sim| {
                sim.load_image(image);
                if let Some(force) = &force {
                    sim.force(force);
                }
            },
        )?;
        let cycle = report.cycle.saturating_sub(self.golden.origin);
        let (class, surfaced) = match &report.outcome {
            Ending::Differ(d) => (
                Some(ErrorClass::of(d)),
                Some(self.surfaced(d, cycle, report.trap)),
            ),
            Ending::Watchdog(_) | Ending::CycleLimit(_) => {
                let text = format!(
                    "every instruction is right, but the last one retired by cycle {cycle} and the kernel does not end"
                );
                let surfaced = Surfaced {
                    cycle,
                    text,
                    instruction: None,
                    trap: None,
                };
                (Some(ErrorClass::NoProgress), Some(surfaced))
            }
            Ending::Agree => (ErrorClass::without(record.outcome), None),
            // The model's run is the fault-free one, which does neither.
            Ending::Unexpected(_) | Ending::Trap(_) => {
                return Err(FaultError::Control(report.outcome.to_string()))
            }
        };
        if class.is_none() && matches!(record.outcome, FaultOutcome::Sdc | FaultOutcome::Due) {
            return Err(FaultError::Control(format!(
                "a fault in {} in cycle {} is {} on the campaign's chip and changes nothing on the one with the trace port",
                self.golden.sites().site(fault.site).path,
                fault.cycle,
                record.outcome
            )));
        }
        Ok(Explanation {
            fault: fault.clone(),
            record,
            class,
            surfaced,
            compared: report.compared,
        })
    }

    /// A difference for a reader.
    fn surfaced(&self, difference: &Difference, cycle: u64, trap: Option<RtlTrap>) -> Surfaced {
        let instruction = match difference {
            Difference::Retire(d) => Some(Instruction {
                retired: d.cycle.saturating_sub(self.golden.origin),
                text: match decode(d.word[0], d.word[1]) {
                    Ok(i) => warpsmith_isa::text(&i),
                    Err(_) => "undefined".to_string(),
                },
                line: self.listing.lines.get(&d.pc).and_then(|l| {
                    let file = l.source.as_ref().map_or(&self.listing.file, |s| &s.0);
                    Some((file.clone(), l.number?))
                }),
                found: (**d).clone(),
            }),
            Difference::Other(..) => None,
        };
        // The command lockstep names runs the launch without the fault.
        let text = difference.to_string();
        let text = text.split("\n  replay: ").next().unwrap_or("");
        Surfaced {
            cycle,
            text: text.strip_prefix("cosim: ").unwrap_or(text).to_string(),
            instruction,
            trap,
        }
    }

    /// Propagation of the fault from its cycle to its first architectural effect; without one to
    /// the end of it, or of the run.
    ///
    /// # Errors
    /// The simulation cannot run.
    pub fn trail(&self, e: &Explanation) -> Result<Vec<Step>, FaultError> {
        trail(self.golden, &e.fault, self.until(e))
    }

    /// Last cycle of interest.
    pub fn until(&self, e: &Explanation) -> u64 {
        let seen = e.surfaced.as_ref().map(|s| s.cycle);
        seen.or(e.record.converged).unwrap_or(self.golden.cycles())
    }
}
