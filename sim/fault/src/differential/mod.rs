//! Concurrent differential fault simulation: the fault-free run goes on cycle by cycle with the value of every
//! node, and each faulty machine is a set of differences from it.
//!
//! A machine costs what differs: its differences are laid over the fault-free values, what they reach is computed
//! in topological order, its next differences are read off ([`evaluate`]). One that repeats itself dozes until
//! something it rests on changes; one that differs in memory words alone sleeps until a word is read or written
//! ([`sleep`]). The memory behind the port is kept apart for machines that asked it for something else ([`port`]).
//! Machines are judged at the images of the fault-free run, as in serial simulation ([`judge`]), so the record of a
//! fault is the same. What differs widely, or does not end when the fault-free run does, is handed over to serial
//! simulation, which goes on where the machine stands.

mod evaluate;
mod fault_free;
mod graph;
mod judge;
mod machine;
mod mutant;
mod port;
mod sleep;
mod trace;

pub use fault_free::Reference;
pub use mutant::Mutant;

use crate::error::FaultError;
use crate::fault::Fault;
use crate::record::Record;
use crate::serial::SerialSimulator;
use crate::simulator::{Counts, FaultSimulator, SimulatorOptions};
use crate::site::SiteKind;
use evaluate::Evaluator;
use fault_free::FaultFree;
use judge::{drained, Judge};
use machine::{Machine, Place, Rest, Target};
use sleep::Sleepers;
use warpsmith_contract::registers::status;

/// Of so many nodes a machine may compute one in a cycle before that counts as excess. Between 14 and 56 the rate of a
/// campaign changes by a sixth.
const SHARE: usize = 40;
/// Excess, in multiples of that, at which it is handed over.
const PATIENCE: usize = 3;
/// The same of a fault that holds an output of a block for good: serial simulation of it computes every output of every
/// block in every cycle, and not by machine code.
const LONG_PATIENCE: usize = 500;

/// Runs many faults side by side. Each worker has its own; they share a [`Reference`].
pub struct DifferentialSimulator<'a> {
    reference: &'a Reference<'a>,
    judge: Judge<'a>,
    serial: SerialSimulator<'a>,
    short_cuts: bool,
    evaluator: Evaluator,
    counts: Counts,
}

impl<'a> DifferentialSimulator<'a> {
    /// For the faults of a reference's campaign.
    ///
    /// # Errors
    /// The simulation cannot be started; options that cannot be.
    pub fn new(reference: &'a Reference<'a>, options: SimulatorOptions) -> Result<Self, FaultError> {
        Ok(DifferentialSimulator {
            reference,
            judge: Judge::new(reference, options),
            serial: SerialSimulator::new(reference.golden, options)?
                .comparing(reference.mutant != Some(Mutant::Uncompared)),
            short_cuts: options.checkpoints && options.early_stop,
            evaluator: Evaluator::new(reference),
            counts: Counts::default(),
        })
    }

    /// What it did so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

impl FaultSimulator for DifferentialSimulator<'_> {
    fn counts(&self) -> Option<Counts> {
        Some(self.counts)
    }

    fn run(&mut self, faults: &[&Fault], done: &mut dyn FnMut(usize, Record) -> bool) -> Result<(), FaultError> {
        let g = self.reference.golden;
        for f in faults {
            f.check(g.sites(), g.cycles())?;
        }
        // Without its short cuts a run is what it is asked for.
        if !self.short_cuts {
            return self.serial.run(faults, done);
        }
        Campaign::new(self, faults, done).run()
    }
}

/// A list of faults on its way along the fault-free run.
struct Campaign<'s, 'f, 'a> {
    simulator: &'s mut DifferentialSimulator<'a>,
    reference: &'a Reference<'a>,
    run: FaultFree<'a>,
    faults: &'s [&'f Fault],
    done: &'s mut dyn FnMut(usize, Record) -> bool,
    /// Faults by cycle, and how many have begun.
    order: Vec<usize>,
    begun: usize,
    machines: Vec<Option<Machine<'f>>>,
    free: Vec<u32>,
    awake: Vec<u32>,
    sleepers: Sleepers,
    /// Asleep since the last image.
    fresh: Vec<u32>,
    /// Next image.
    image: usize,
}

/// What becomes of a machine.
enum Fate {
    Lives,
    Known(Record),
    HandedOver,
}

impl<'s, 'f, 'a> Campaign<'s, 'f, 'a> {
    fn new(
        simulator: &'s mut DifferentialSimulator<'a>, faults: &'s [&'f Fault],
        done: &'s mut dyn FnMut(usize, Record) -> bool,
    ) -> Self {
        let reference = simulator.reference;
        let mut order: Vec<usize> = (0..faults.len()).collect();
        order.sort_by_key(|f| faults[*f].cycle);
        Campaign {
            simulator,
            reference,
            run: FaultFree::new(reference),
            faults,
            done,
            order,
            begun: 0,
            machines: vec![],
            free: vec![],
            awake: vec![],
            sleepers: Sleepers::new(&reference.graph),
            fresh: vec![],
            image: 0,
        }
    }

    fn run(mut self) -> Result<(), FaultError> {
        let last = self.reference.last();
        let raw = self.raw();
        self.run.take_inputs();
        self.begin(&raw);
        loop {
            if !self.cycle()? {
                return Ok(());
            }
            let alive = self.machines.len() > self.free.len();
            if self.run.cycle == last || !alive && self.begun == self.order.len() {
                return Ok(());
            }
            let next = self.run.cycle + 1;
            let inverse = self.starts(next).any(|f| self.needs_raw(f));
            self.run.advance(inverse);
            let mut raw = vec![];
            if inverse {
                raw = self.raw();
                self.run.take_inputs();
            }
            self.begin(&raw);
        }
    }

    /// Faults that begin in a cycle, by their places in the list.
    fn starts<'b>(&'b self, cycle: u64) -> impl Iterator<Item = usize> + use<'b, 's, 'f, 'a> {
        let rest = self.order[self.begun..].iter().copied();
        rest.take_while(move |f| self.faults[*f].cycle == cycle)
    }

    /// Whether a fault holds an output at the inverse of what it is before the inputs change.
    fn needs_raw(&self, fault: usize) -> bool {
        let f = self.faults[fault];
        let kind = self.reference.golden.sites().site(f.site).kind;
        kind == SiteKind::Out && f.kind.forced().is_none()
    }

    /// The outputs that faults of this cycle invert, by fault.
    fn raw(&self) -> Vec<(usize, Vec<u64>)> {
        let of = |f: usize| {
            let m = self.machine(f);
            let value = |p| match p {
                Place::Tap(n) => self.run.v[n as usize],
                _ => 0,
            };
            (f, m.targets.iter().map(|t| value(t.place)).collect())
        };
        let starts = self.starts(self.run.cycle);
        starts.filter(|f| self.needs_raw(*f)).map(of).collect()
    }

    fn machine(&self, fault: usize) -> Machine<'f> {
        let f = self.faults[fault];
        let kind = self.reference.golden.sites().site(f.site).kind;
        Machine::new(fault, f, &self.reference.graph, kind)
    }

    /// Machines of the faults of this cycle.
    fn begin(&mut self, raw: &[(usize, Vec<u64>)]) {
        let graph = &self.reference.graph;
        let starts: Vec<usize> = self.starts(self.run.cycle).collect();
        self.begun += starts.len();
        for fault in starts {
            let mut m = self.machine(fault);
            let raw = raw.iter().find(|r| r.0 == fault).map_or(&[][..], |r| &r.1);
            m.begin(&self.run, graph, raw);
            m.force(self.run.cycle, |place| match place {
                Place::Register(node) => self.run.v[node as usize],
                Place::Tap(_) => 0,
                Place::Word(memory, address, piece) => {
                    let at = graph.memories[memory as usize].at(address.into(), piece);
                    at.map_or(0, |at| self.run.words[at])
                }
            });
            let id = self.free.pop().unwrap_or_else(|| {
                self.machines.push(None);
                self.machines.len() as u32 - 1
            });
            self.machines[id as usize] = Some(m);
            self.awake.push(id);
        }
    }

    /// One cycle of all machines; `false`: nobody wants more.
    fn cycle(&mut self) -> Result<bool, FaultError> {
        let (graph, cycle) = (&self.reference.graph, self.run.cycle);
        let golden = self.reference.golden;
        let (machines, awake) = (&mut self.machines, &mut self.awake);
        let all = machines.len() as u32;
        let mut rouse = |id: u32| {
            if let Some(m) = machines[id as usize].as_mut().filter(|m| m.rest == Rest::Asleep) {
                m.rest = Rest::Awake;
                awake.push(id);
            }
        };
        match cycle < self.reference.last() {
            true => self.sleepers.wake(graph, &self.run, &mut rouse),
            // All are asked for their end.
            false => (0..all).for_each(&mut rouse),
        }
        let images = &golden.checkpoints;
        let image = images.get(self.image).is_some_and(|i| i.cycle == cycle);
        self.image += usize::from(image);
        if image {
            self.fresh.sort_unstable();
            self.fresh.dedup();
            for id in std::mem::take(&mut self.fresh) {
                let asleep = |m: &Machine| m.rest == Rest::Asleep;
                if !self.machines[id as usize].as_ref().is_some_and(asleep) {
                    continue;
                }
                if let Fate::Known(record) = self.at_image(id) {
                    if !self.end(id, record) {
                        return Ok(false);
                    }
                }
            }
            if cycle == golden.cycles() {
                for id in 0..all {
                    let asleep = |m: &Machine| m.rest == Rest::Asleep;
                    if self.machines[id as usize].as_ref().is_some_and(asleep) {
                        self.at_image(id);
                    }
                }
            }
        }
        let mut k = 0;
        while k < self.awake.len() {
            let id = self.awake[k];
            let record = match self.advance(id, image) {
                Fate::Lives => {
                    if self.machines[id as usize].as_ref().is_some_and(|m| m.rest == Rest::Asleep) {
                        self.awake.swap_remove(k);
                        self.fresh.push(id);
                    } else {
                        k += 1;
                    }
                    continue;
                }
                Fate::Known(record) => record,
                Fate::HandedOver => {
                    self.simulator.counts.handed_over += 1;
                    let m = self.machines[id as usize].as_mut().expect("it is alive");
                    m.computed = true;
                    let serial = &mut self.simulator.serial;
                    let (record, cycles) = m.hand_over(serial, self.reference, &self.run)?;
                    self.simulator.counts.serial_cycles += cycles;
                    record
                }
            };
            self.awake.swap_remove(k);
            if !self.end(id, record) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Hands a record over and forgets the machine.
    fn end(&mut self, id: u32, record: Record) -> bool {
        let m = self.machines[id as usize].take().expect("it is alive");
        self.free.push(id);
        let in_memory = matches!(m.targets[..], [Target { place: Place::Word(..), .. }, ..]);
        self.simulator.counts.settled += u64::from(in_memory && !m.computed);
        (self.done)(m.number, record)
    }

    /// Judges a machine whose differences are those of the fault-free run's cycle.
    fn at_image(&mut self, id: u32) -> Fate {
        let judge = &self.simulator.judge;
        let m = self.machines[id as usize].as_mut().expect("it is alive");
        let compared = judge.compare(&self.run, m);
        if self.run.cycle == self.reference.golden.cycles() {
            judge.last_image(m, compared);
            return Fate::Lives;
        }
        match judge.image(&self.run, m, compared) {
            Some(record) => Fate::Known(record),
            None => Fate::Lives,
        }
    }

    /// A machine that is awake, in this cycle.
    fn advance(&mut self, id: u32, image: bool) -> Fate {
        let (reference, cycle) = (self.reference, self.run.cycle);
        let (ends, drained) = (reference.golden.cycles(), drained(reference));
        let share = reference.graph.nodes.len() / SHARE;
        let simulator = &mut *self.simulator;
        let m = self.machines[id as usize].as_mut().expect("it is alive");
        let begun = cycle > m.fault.cycle;
        let compared = (image && begun).then(|| simulator.judge.compare(&self.run, m));
        let quiet = m.rest == Rest::Dozing && cycle < drained && !m.support.iter().any(|n| self.run.has_changed(*n));
        if !quiet {
            let patience = if m.own.is_none() && m.fault.kind.is_stuck() { LONG_PATIENCE } else { PATIENCE };
            if begun && cycle < ends && m.excess > patience * share {
                return Fate::HandedOver;
            }
            let over = cycle >= drained;
            let watched = begun && cycle <= ends;
            let seen = simulator.evaluator.cycle(reference, &mut self.run, m, watched, over, over);
            simulator.counts.cycles += 1;
            simulator.counts.nodes += seen.computed as u64;
            m.computed |= seen.computed > 0;
            m.excess += seen.computed.saturating_sub(share);
            let trapped = status::TRAPPED.get(seen.bus as u32) != 0;
            if seen.leaves || cycle == reference.last() && trapped {
                return Fate::HandedOver;
            }
        }
        if cycle == reference.last() {
            return Fate::Known(simulator.judge.end(&self.run, m));
        }
        if let Some(compared) = compared {
            if cycle == ends {
                simulator.judge.last_image(m, compared);
            } else if let Some(record) = simulator.judge.image(&self.run, m, compared) {
                return Fate::Known(record);
            }
        }
        if m.is_over(cycle + 1) {
            return Fate::Known(simulator.judge.over(m, cycle + 1));
        }
        if m.rest == Rest::Asleep {
            self.sleepers.add(&reference.graph, id, &m.words);
        }
        Fate::Lives
    }
}
