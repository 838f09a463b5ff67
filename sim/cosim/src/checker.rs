//! The model beside the chip: it takes the events of the trace port up to the first difference, and judges
//! the end.

use crate::chip::Chip;
use crate::ending::stray;
use crate::error::CosimError;
use crate::host::{where_warps_are, Host, StopReason};
use crate::instruction;
use crate::lockstep::collect::Collector;
use crate::lockstep::report::{bits, Difference, Subject};
use crate::lockstep::Lockstep;
use crate::observe::Observer;
use crate::outcome::{CosimOptions, CosimReport, Outcome};
use crate::readout::Counters;
use warpsmith_check::Check;
use warpsmith_model::undefined::{Found, Places};
use warpsmith_model::{GlobalMemory, Launch, ModelConfig};

/// The comparison of one run. A clone goes on from where the run is.
#[derive(Clone)]
pub(crate) struct Checker<'a> {
    lock: Lockstep<'a>,
    collector: Collector,
    found: Option<Difference>,
    /// Cycle of the simulation of the last event looked at.
    last: u64,
    /// The command that reports print.
    replay: String,
}

impl<'a> Checker<'a> {
    /// Of a launch that is about to start on `chip`.
    pub fn new(chip: &Chip, launch: &'a Launch, options: &CosimOptions) -> Self {
        let replay = options.replay.clone().unwrap_or_else(|| {
            format!("warpsmith cosim {} --config {} --seed {}", launch.file.display(), chip.info.name, options.run.seed)
        });
        let config = ModelConfig {
            stack_depth: chip.info.stack_depth as usize,
            tier: chip.info.tier,
            options: chip.info.options,
            mutant: options.mutant,
            ..ModelConfig::default()
        };
        let check = options.check.then(|| Check::new(launch));
        let (lanes, sms) = (chip.info.lanes as usize, chip.info.sms as usize);
        Checker {
            lock: Lockstep::new(launch, config, lanes, sms, replay.clone()).checked(check),
            collector: Collector::of(chip),
            found: None,
            last: 0,
            replay,
        }
    }

    /// Takes raw events, and shows them to an observer; false after the first difference.
    pub fn take(&mut self, raw: &[u32], mut observer: Option<&mut Observer<'_>>) -> bool {
        let (lock, found, last) = (&mut self.lock, &mut self.found, &mut self.last);
        let result = self.collector.take(raw, |sm, cycle, event| {
            *last = cycle;
            if let Some(o) = &mut observer {
                o.take(sm, cycle, &event);
            }
            match lock.take(sm, cycle, event) {
                Ok(()) => true,
                Err(d) => {
                    *found = Some(d);
                    false
                }
            }
        });
        result.unwrap_or_else(|text| {
            let text = format!("the trace port is inconsistent: {text}");
            let broken = self.other(Subject::Protocol, &text);
            self.found.get_or_insert(broken);
            false
        })
    }

    /// Whether a difference was found.
    pub fn differs(&self) -> bool {
        self.found.is_some()
    }

    /// The report of a run that stopped.
    ///
    /// # Errors
    /// A silent chip cannot be run again to see where its warps are.
    pub fn report(
        mut self, host: &mut Host<'_>, options: &CosimOptions, stop: StopReason, counters: Counters,
    ) -> Result<CosimReport, CosimError> {
        let mut trap = None;
        let outcome = match (self.found.take(), stop) {
            (Some(d), _) => Outcome::Differ(Box::new(d)),
            (None, StopReason::Watchdog) => Outcome::Watchdog(format!(
                "{}\n  replay: {}",
                where_warps_are(host.chip, host.launch, &options.run)?,
                self.replay
            )),
            (None, StopReason::Limit) => Outcome::CycleLimit(options.run.max_cycles),
            (None, StopReason::Done | StopReason::Stopped) => match trap.insert(host.trap()) {
                Some(t) => match self.lock.finish_trap(t) {
                    Ok(t) => Outcome::Trap(t),
                    Err(d) => Outcome::Differ(Box::new(d)),
                },
                None => self.at_the_end(host, &counters),
            },
        };
        let undefined = self.lock.undefined();
        let check = self.lock.findings();
        let outcome = blamed(outcome, trap.flatten().map(|t| t.pc), &undefined, host.launch);
        Ok(CosimReport {
            outcome,
            counters,
            compared: self.lock.retired(),
            cycle: self.last,
            trap: trap.flatten(),
            coverage: self.lock.coverage,
            undefined,
            check,
            global: host.global(),
        })
    }

    fn other(&self, subject: Subject, text: &str) -> Difference {
        let text = format!("cosim: {text}\n  replay: {}", self.replay);
        Difference::Other(subject, text)
    }

    /// Checks after a run that ended without a trap.
    fn at_the_end(&mut self, host: &Host<'_>, counters: &Counters) -> Outcome {
        if let Err(d) = self.lock.finish() {
            return Outcome::Differ(Box::new(d));
        }
        let state = self.lock.machine().state();
        let differ = |subject, text: String| Outcome::Differ(Box::new(self.other(subject, &text)));
        if let Some(t) = state.trap {
            return differ(Subject::Trap, format!("model: {t}; rtl: done without a trap"));
        }
        if let Some((count, first)) = host.sim.strays() {
            return differ(Subject::Accesses, stray(count, first));
        }
        let global = host.global();
        if let Some((address, model, rtl)) = first_difference(state.global, &global) {
            return differ(
                Subject::Memory,
                format!(
                    "global memory differs at 0x{address:08x}\n  model {}    rtl {}    xor {}",
                    bits(model),
                    bits(rtl),
                    bits(model ^ rtl)
                ),
            );
        }
        let stats = state.stats;
        for (what, model, rtl) in [
            ("warp instructions", stats.warp_instructions, counters.warp_instructions),
            ("thread instructions", stats.thread_instructions, counters.thread_instructions),
        ] {
            if model != rtl {
                return differ(Subject::Counters, format!("the counter of {what} differs: model {model}, rtl {rtl}"));
            }
        }
        match host.launch.compare(&global) {
            d if d.is_empty() => Outcome::Agree,
            d => Outcome::Unexpected(d),
        }
    }
}

/// A difference at an instruction that depends on a value which the program never wrote is the program's.
fn blamed(outcome: Outcome, trap: Option<u32>, places: &Places, launch: &Launch) -> Outcome {
    let Outcome::Differ(difference) = outcome else { return outcome };
    let pc = match &*difference {
        Difference::Retire(d) => Some(d.pc),
        Difference::Other(Subject::Trap, _) => trap,
        Difference::Other(..) => None,
    };
    match places.list().iter().find(|f| Some(f.pc) == pc) {
        Some(found) => Outcome::Undefined(undefined_line(launch, found), difference),
        None => Outcome::Differ(difference),
    }
}

/// A place that depends on an undefined value, with its source line and its instruction.
pub fn undefined_line(launch: &Launch, found: &Found) -> String {
    let text = instruction::at(launch, found.pc).map(|i| i.text);
    let text = text.unwrap_or_else(|| "undefined".into());
    let place = launch.source.place(found.pc);
    let place = place.map_or(String::new(), |p| format!("{p}, "));
    let what = found.text(launch.isa());
    format!("{place}pc 0x{:04x}, {text}: {what}", found.pc)
}

/// First word that differs: byte address, model, chip.
fn first_difference(model: &GlobalMemory, rtl: &GlobalMemory) -> Option<(u32, u32, u32)> {
    let mut pages: Vec<u32> = model.pages().chain(rtl.pages()).map(|p| p.0).collect();
    pages.sort_unstable();
    pages.dedup();
    pages
        .into_iter()
        .flat_map(|p| (0..1u32 << 14).map(move |w| p + 4 * w))
        .find_map(|a| (model.word(a) != rtl.word(a)).then(|| (a, model.word(a), rtl.word(a))))
}
