//! Fault models: effect, bits and cycles of a fault.
//!
//! Cycle `c` is the time between the `c`-th clock edge after the write that starts the kernel and the
//! next one. A fault of cycle `c` changes what every reader sees in that cycle.

use crate::error::FaultError;
use crate::site::{SiteKind, Sites};
use std::fmt;
use std::str::FromStr;
use warpsmith_cosim::simulation::{Becomes, Force};

/// When a fault acts, from its cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// In its cycle.
    Once,
    /// In every cycle.
    Always,
    /// For `duration` cycles.
    Duration,
    /// For the first `active` of every `period` cycles, for `duration` cycles or, if that is 0, to the end.
    Bursts,
}

/// A fault model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// Single-event upset: one stored bit is inverted once and stays so until it is written.
    Seu,
    /// Multi-bit upset: the same for several bits of a word at once.
    Mbu,
    /// The bits are 0 from the cycle on.
    StuckAt0,
    /// The bits are 1 from the cycle on.
    StuckAt1,
    /// The bits are held for `duration` cycles at the inverse of what they were.
    Transient,
    /// The bits are 0 for the first `active` of every `period` cycles, for `duration` cycles or, if
    /// that is 0, to the end.
    Intermittent0,
    /// The same with 1.
    Intermittent1,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [FaultKind; 7] = [
        FaultKind::Seu,
        FaultKind::Mbu,
        FaultKind::StuckAt0,
        FaultKind::StuckAt1,
        FaultKind::Transient,
        FaultKind::Intermittent0,
        FaultKind::Intermittent1,
    ];

    /// Name in campaign files and tables, what the bits become, and when.
    const fn row(self) -> (&'static str, Becomes, Times) {
        match self {
            FaultKind::Seu => ("seu", Becomes::Flip, Times::Once),
            FaultKind::Mbu => ("mbu", Becomes::Flip, Times::Once),
            FaultKind::StuckAt0 => ("stuck-at-0", Becomes::Zero, Times::Always),
            FaultKind::StuckAt1 => ("stuck-at-1", Becomes::One, Times::Always),
            FaultKind::Transient => ("transient", Becomes::Inverse, Times::Duration),
            FaultKind::Intermittent0 => ("intermittent-0", Becomes::Zero, Times::Bursts),
            FaultKind::Intermittent1 => ("intermittent-1", Becomes::One, Times::Bursts),
        }
    }

    /// Name in campaign files and tables.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// What the bits become.
    pub const fn becomes(self) -> Becomes {
        self.row().1
    }

    /// When it acts.
    pub const fn times(self) -> Times {
        self.row().2
    }

    /// The value that the bits are forced to; `None`: the inverse of what they were.
    pub const fn forced(self) -> Option<bool> {
        match self.becomes() {
            Becomes::Zero => Some(false),
            Becomes::One => Some(true),
            Becomes::Inverse | Becomes::Flip => None,
        }
    }

    /// Whether the fault inverts stored bits once, rather than forcing them for some time.
    pub const fn is_upset(self) -> bool {
        matches!(self.times(), Times::Once)
    }

    /// Whether the fault never goes away.
    pub const fn is_stuck(self) -> bool {
        matches!(self.times(), Times::Always)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FaultKind {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        FaultKind::ALL.into_iter().find(|k| k.name() == s).ok_or_else(|| {
            format!("no fault model `{s}`; there are {}", FaultKind::ALL.map(FaultKind::name).join(", "))
        })
    }
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// Number of the site.
    pub site: usize,
    /// Word of a memory; 0 elsewhere.
    pub word: u32,
    /// Bits of the word, ascending, at least one.
    pub bits: Vec<u32>,
    /// Cycle from which on it acts; 0 is the state before the first edge after the start.
    pub cycle: u64,
    /// Model.
    pub kind: FaultKind,
    /// Cycles it lasts: transient (1 or more), intermittent (0: to the end); 0 elsewhere.
    pub duration: u64,
    /// Cycles from one burst of an intermittent fault to the next; 0 elsewhere.
    pub period: u64,
    /// Cycles of a burst, 1 to `period`; 0 elsewhere.
    pub active: u64,
}

impl Fault {
    /// A fault without times of its own: upset or stuck-at.
    pub fn simple(site: usize, word: u32, bits: Vec<u32>, cycle: u64, kind: FaultKind) -> Self {
        Fault { site, word, bits, cycle, kind, duration: 0, period: 0, active: 0 }
    }

    /// The bits as a mask of 32-bit words, least significant first.
    pub fn mask(&self) -> Vec<u32> {
        let top = self.bits.iter().max().copied().unwrap_or(0);
        let mut mask = vec![0; top as usize / 32 + 1];
        for b in &self.bits {
            mask[*b as usize / 32] |= 1 << (b % 32);
        }
        mask
    }

    /// Whether the fault acts in cycle `c`. An upset acts once, in its cycle.
    pub fn acts(&self, c: u64) -> bool {
        let Some(since) = c.checked_sub(self.cycle) else { return false };
        match self.kind.times() {
            Times::Once => since == 0,
            Times::Always => true,
            Times::Duration => since < self.duration,
            Times::Bursts => (self.duration == 0 || since < self.duration) && since % self.period < self.active,
        }
    }

    /// Refuses a fault that a chip of these sites and a run of so many cycles cannot have.
    ///
    /// # Errors
    /// [`FaultError::Ask`].
    pub fn check(&self, sites: &Sites, cycles: u64) -> Result<(), FaultError> {
        let f = self;
        let no = |what: String| Err(FaultError::Ask(what));
        let Some(site) = sites.list().get(f.site) else { return no(format!("site {}: the chip has fewer", f.site)) };
        let path = &site.path;
        if f.word >= site.depth {
            return no(format!("{path} has {} words, not {}", site.depth, f.word));
        }
        if f.bits.is_empty() || f.bits.iter().any(|b| *b >= site.width) {
            let width = site.width;
            return no(format!("bits {:?}: {path} has {width} bits a word", f.bits));
        }
        if f.cycle >= cycles {
            return no(format!("cycle {}: without it there are {cycles}", f.cycle));
        }
        match f.kind.times() {
            Times::Duration if f.duration == 0 => no("a transient needs a duration of a cycle or more".into()),
            Times::Bursts if f.active == 0 || f.active > f.period => no(format!(
                "an intermittent fault is active for 1 to `period` cycles, not {} of {}",
                f.active, f.period
            )),
            _ => Ok(()),
        }
    }

    /// The word of state it is in, site and word; `None`: an output of a block.
    pub(crate) fn state_word(&self, sites: &Sites) -> Option<(usize, u32)> {
        let is_state = sites.site(self.site).kind != SiteKind::Out;
        is_state.then_some((self.site, self.word))
    }

    /// The fault as a simulation takes it whose cycle 0 is cycle `origin`.
    pub(crate) fn force(&self, origin: u64) -> Force {
        let from = origin + self.cycle;
        let to = match (self.kind.times(), self.duration) {
            (Times::Once, _) => from + 1,
            (Times::Always, _) | (Times::Bursts, 0) => u64::MAX,
            (Times::Duration | Times::Bursts, n) => from + n,
        };
        Force {
            site: self.site,
            word: self.word,
            mask: self.mask(),
            becomes: self.kind.becomes(),
            from,
            to,
            period: self.period,
            active: self.active,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for k in FaultKind::ALL {
            assert_eq!(k.name().parse(), Ok(k));
        }
        assert!("sue".parse::<FaultKind>().unwrap_err().contains("seu"));
    }

    #[test]
    fn masks_span_words() {
        let f = Fault::simple(0, 0, vec![0, 31, 33], 0, FaultKind::Mbu);
        assert_eq!(f.mask(), [0x8000_0001, 2]);
    }

    #[test]
    fn a_fault_acts_in_its_time() {
        let acting = |f: &Fault| (0..12).filter(|c| f.acts(*c)).collect::<Vec<_>>();
        let mut f = Fault::simple(0, 0, vec![0], 3, FaultKind::Seu);
        assert_eq!(acting(&f), [3]);
        f.kind = FaultKind::StuckAt0;
        assert_eq!(acting(&f).len(), 9);
        (f.kind, f.duration) = (FaultKind::Transient, 2);
        assert_eq!(acting(&f), [3, 4]);
        (f.kind, f.duration, f.period, f.active) = (FaultKind::Intermittent1, 6, 4, 1);
        assert_eq!(acting(&f), [3, 7]);
        f.duration = 0;
        assert_eq!(acting(&f), [3, 7, 11]);
    }
}
