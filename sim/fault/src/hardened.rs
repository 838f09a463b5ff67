//! What a hardened chip tells its host of a fault, and counters that nothing but the host reads.

use crate::site::{glob, SiteKind, Sites};
use warpsmith_contract::TrapCause;

/// Counters of the launch registers: of events, and of what was corrected and detected.
const COUNTERS: &str = "u_launch.u_counters.*";
const FAULT_COUNTERS: &str = "u_launch.u_faults.*";
/// Those of the fault counters that count corrections; the others hold a bit for each scheme that corrected or detected
/// something.
const CORRECTIONS: &str = "u_launch.u_faults.*count*";
const WATCHDOG: &str = "u_scheduler.u_watchdog.*";

/// Whether state of the site with this path never reaches anything but a reading host. Differences there do not keep a
/// run from being over.
pub(crate) fn without_feedback(path: &str) -> bool {
    glob(COUNTERS, path) || glob(FAULT_COUNTERS, path)
}

/// Where a hardened chip keeps what it tells, by numbers of sites: none of a plain one. Without a fault they stay as they
/// are.
pub(crate) struct Hardened {
    corrections: Vec<usize>,
    schemes: Vec<usize>,
    watched: bool,
}

/// What it tells of a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// It counted a correction.
    pub corrected: bool,
    /// A scheme corrected or detected something.
    scheme: bool,
    /// The chip has a watchdog.
    watched: bool,
}

impl Hardened {
    /// Of a chip with these sites.
    pub fn of(sites: &Sites) -> Self {
        let counters = sites.list().iter().enumerate();
        let counters = counters.filter(|(_, s)| s.kind != SiteKind::Out && glob(FAULT_COUNTERS, &s.path));
        let (corrections, schemes) = counters.map(|(i, _)| i).partition(|i| glob(CORRECTIONS, &sites.site(*i).path));
        Self { corrections, schemes, watched: sites.list().iter().any(|s| glob(WATCHDOG, &s.path)) }
    }

    /// What the registers CORRECTED and FAULTS tell.
    pub fn read(&self, corrected: u32, faults: u32) -> Told {
        Told { corrected: corrected != 0, scheme: faults != 0, watched: self.watched }
    }

    /// What the chip tells in a run in which `differs` says whether the word of a site differs from the fault-free
    /// run's; the faulty word tells nothing.
    pub fn told(&self, own: Option<(usize, u32)>, differs: impl Fn(usize) -> bool) -> Told {
        let any = |sites: &[usize]| sites.iter().any(|site| own != Some((*site, 0)) && differs(*site));
        Told { corrected: any(&self.corrections), scheme: any(&self.schemes), watched: self.watched }
    }
}

impl Told {
    /// Whether a trap is of a fault that was detected: by its cause, by the watchdog, or because the fault reached something
    /// that traps before the two cycles were over that a detection takes.
    pub fn is_detection(self, cause: u8) -> bool {
        let by_scheme = self.scheme && (cause == TrapCause::Fault.number() || !self.corrected);
        by_scheme || self.watched && cause == TrapCause::Watchdog.number()
    }
}
