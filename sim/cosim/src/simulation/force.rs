//! Faults forced on a device: bits of a word of state, or of an output of a block.

use warpsmith_contract::SiteKind;
use warpsmith_engine::Device;

/// What a forced bit becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// 0.
    Zero,
    /// 1.
    One,
    /// The inverse of what it was in the first cycle.
    Inverse,
    /// Inverted once, in the first cycle; not for outputs.
    Flip,
}

/// Bits of one word, forced at certain cycles of the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Force {
    /// Site.
    pub site: usize,
    /// Word of a memory; 0 elsewhere.
    pub word: u32,
    /// Bits, least significant word first.
    pub mask: Vec<u32>,
    /// What they become.
    pub becomes: Becomes,
    /// First cycle.
    pub from: u64,
    /// First cycle after; `u64::MAX`: to the end.
    pub to: u64,
    /// Cycles from burst to burst; 0: one burst.
    pub period: u64,
    /// Cycles of a burst.
    pub active: u64,
}

impl Force {
    /// Whether it acts in a cycle.
    fn acts(&self, cycle: u64) -> bool {
        let to = match self.becomes {
            Becomes::Flip => self.from + 1,
            _ => self.to,
        };
        let inside = cycle >= self.from && cycle < to;
        inside && (self.period == 0 || (cycle - self.from) % self.period < self.active)
    }
}

/// A fault that has been added.
struct Forced {
    fault: Force,
    output: bool,
    range: std::ops::Range<usize>,
    /// Bits, as the site stores them.
    mask: Vec<u8>,
    /// What the bits become, known once it has acted.
    value: Option<Vec<u8>>,
    on: bool,
}

/// The faults of a simulation.
#[derive(Default)]
pub(super) struct Forces {
    list: Vec<Forced>,
    /// First cycle in which a fault changed a bit.
    pub activated: Option<u64>,
}

impl Forces {
    /// Adds a fault; it acts at once if its time has come.
    pub fn add(&mut self, device: &mut dyn Device, cycle: u64, fault: &Force) {
        let storage = &device.sites()[fault.site];
        self.list.push(Forced {
            fault: fault.clone(),
            output: storage.site.kind == SiteKind::Out,
            range: storage.range(fault.word),
            mask: storage.pack(&fault.mask),
            value: None,
            on: false,
        });
        if fault.acts(cycle) {
            self.after_edge(device, cycle);
        }
    }

    /// Removes all faults and opens the saboteurs.
    pub fn clear(&mut self, device: &mut dyn Device) {
        for f in self.list.drain(..).filter(|f| f.output && f.on) {
            let s = device.saboteur(f.fault.site);
            for (i, mask) in f.mask.iter().enumerate() {
                s.keep[i] |= mask;
                s.flip[i] &= !mask;
            }
        }
        self.activated = None;
    }

    /// Outputs are seen when the coming edge samples them.
    pub fn before_edge(&mut self, device: &dyn Device, cycle: u64) {
        for f in self.list.iter().filter(|f| f.output && f.on) {
            let Some(value) = &f.value else { continue };
            let raw = device.site(f.fault.site);
            let changed = |i: usize| (raw[i] ^ value[i]) & f.mask[i] != 0;
            if (0..raw.len()).any(changed) {
                self.activated = self.activated.or(Some(cycle));
            }
        }
    }

    /// State changes, and saboteurs close and open, in the cycle that has begun.
    pub fn after_edge(&mut self, device: &mut dyn Device, cycle: u64) {
        let mut dirty = false;
        for f in &mut self.list {
            let site = f.fault.site;
            let acts = f.fault.acts(cycle);
            if acts && f.value.is_none() {
                let now = &device.site(site)[f.range.clone()];
                let becomes = |byte: &u8| match f.fault.becomes {
                    Becomes::Zero => 0,
                    Becomes::One => 0xff,
                    Becomes::Inverse | Becomes::Flip => !byte,
                };
                f.value = Some(now.iter().map(becomes).collect());
            }
            let was = std::mem::replace(&mut f.on, acts);
            let Some(value) = &f.value else { continue };
            if f.output {
                if acts == was {
                    continue;
                }
                let s = device.saboteur(site);
                for (i, &mask) in f.mask.iter().enumerate() {
                    let closed = if acts { mask } else { 0 };
                    s.keep[i] = s.keep[i] & !mask | mask & !closed;
                    s.flip[i] = s.flip[i] & !mask | value[i] & closed;
                }
                dirty = true;
            } else if acts {
                let now = &mut device.site_mut(site)[f.range.clone()];
                for (i, byte) in now.iter_mut().enumerate() {
                    let change = (*byte ^ value[i]) & f.mask[i];
                    if change != 0 {
                        *byte ^= change;
                        dirty = true;
                        self.activated = self.activated.or(Some(cycle));
                    }
                }
            }
        }
        if dirty {
            device.settle();
        }
    }
}
