//! Observers: what every warp did in every cycle, for timelines and profiles.
//!
//! An [`Observer`] reads all trace groups of all SMs and tells its sinks what they mean: an
//! instruction from issue to retirement, the time a warp waited and why, the cycles an SM issued
//! nothing and why, the requests of an access, the use of the memory port. Cycles count from the
//! start of the grid. Runs without an observer pay nothing: the trace groups it needs are then not
//! recorded.

pub mod listing;
mod page;
pub mod profile;
mod remarks;
pub mod timeline;

use crate::error::CosimError;
use crate::lockstep::collect::{RtlRecord, Start, Status, TraceEvent};
use crate::readout::Counters;
use std::collections::VecDeque;
use std::ops::Range;
use warpsmith_contract::StallCause;
use warpsmith_isa::WARP_SIZE;

/// Takes what an observer sees. Cycles count from the start of the grid.
pub trait Sink {
    /// A warp begins in `cycle`.
    fn start(&mut self, sm: usize, cycle: u64, start: &Start);
    /// A warp has ended: `cycle` is the first without it. What it waited for is already told.
    fn exit(&mut self, sm: usize, cycle: u64, warp: u32);
    /// An instruction leaves decode in `cycle`. What its warp waited for before is already told.
    fn issue(&mut self, sm: usize, cycle: u64, warp: u32, pc: u32);
    /// It retires: the cycle it was issued in, and the cycle of its last beat in the record.
    fn retire(&mut self, sm: usize, issued: u64, retired: u64, record: &RtlRecord);
    /// A warp could not go on in these cycles.
    fn wait(&mut self, sm: usize, warp: u32, cycles: Range<u64>, cause: StallCause);
    /// The SM issued nothing in these cycles. `culprit`: the instruction in stage M when the cause
    /// lies there, the control operation under way or the barrier; `None` for other causes.
    fn lost(&mut self, sm: usize, cycles: Range<u64>, cause: StallCause, culprit: Option<u32>);
    /// The accesses of the instruction at `pc` have taken this many requests.
    fn performed(&mut self, sm: usize, pc: u32, requests: u64);
    /// The chip's memory port took a request or answered one.
    fn port(&mut self, cycle: u64, taken: bool, write: bool, answered: bool);
    /// The run is over. `end`: the cycles counted, or more when something retired after a trap.
    ///
    /// # Errors
    /// What was to be written cannot be.
    fn finish(&mut self, end: u64, counters: &Counters) -> Result<(), CosimError>;
}

/// Whether stage M holds the front.
fn is_in_m(cause: StallCause) -> bool {
    matches!(cause, StallCause::Memory | StallCause::SharedConflict | StallCause::ConstantConflict)
}

/// Why the warp in slot `w` cannot go on; `None` for one that can, or that does not exist.
fn cause_of_warp(s: &Status, w: usize) -> Option<StallCause> {
    let is = |mask: u32| mask >> w & 1 == 1;
    if !is(s.live) {
        return None;
    }
    let own = [
        (s.waiting, StallCause::Barrier),
        (s.blocked, StallCause::Control),
        (s.load, StallCause::Load),
        (s.sfu, StallCause::Sfu),
        (s.hazard, StallCause::Hazard),
        (s.unfetched, StallCause::Fetch),
    ];
    let own = own.iter().find(|o| is(o.0)).map(|o| o.1);
    let all = s.stall.filter(|c| is_in_m(*c) || *c == StallCause::Operand);
    own.or(all)
}

/// Something that began and lasts.
#[derive(Clone, Copy, PartialEq)]
struct Span {
    since: u64,
    cause: StallCause,
    culprit: Option<u32>,
}

/// Scoreboard slots of an SM.
const KEYS: usize = 4 * WARP_SIZE;

struct Sm {
    /// Issued and not retired, by warp and slot: cycle and pc. Two when the result of the first was
    /// already readable.
    flights: Vec<VecDeque<(u64, u32)>>,
    /// The instruction that got the slot last.
    latest: Vec<u32>,
    /// What each warp issued last.
    last: [Option<u32>; WARP_SIZE],
    waits: [Option<Span>; WARP_SIZE],
    lost: Option<Span>,
    /// Requests since an access was last performed.
    requests: u64,
}

fn number(key: (u32, u32)) -> usize {
    (4 * key.0 as usize + key.1 as usize) % KEYS
}

/// Reads the trace events of a run.
pub struct Observer<'a> {
    begin: u64,
    /// Where the last retired instruction ended.
    end: u64,
    sms: Vec<Sm>,
    sinks: Vec<&'a mut dyn Sink>,
    fault: Option<String>,
}

impl<'a> Observer<'a> {
    /// An observer of a chip of `sms` SMs.
    pub fn new(sms: u32, sinks: Vec<&'a mut dyn Sink>) -> Self {
        let sm = || Sm {
            flights: vec![VecDeque::new(); KEYS],
            latest: vec![0; KEYS],
            last: [None; WARP_SIZE],
            waits: [None; WARP_SIZE],
            lost: None,
            requests: 0,
        };
        Observer { begin: 0, end: 0, sms: (0..sms).map(|_| sm()).collect(), sinks, fault: None }
    }

    /// The grid starts in this cycle of the simulation.
    pub(crate) fn begin(&mut self, cycle: u64) {
        self.begin = cycle;
    }

    /// The trace port has broken its protocol.
    pub(crate) fn fault(&mut self, text: String) {
        self.fault.get_or_insert(text);
    }

    /// Takes one event.
    pub(crate) fn take(&mut self, sm: usize, cycle: u64, event: &TraceEvent) {
        let cycle = cycle.saturating_sub(self.begin);
        let Observer { sms, sinks, end, .. } = self;
        let state = &mut sms[sm];
        match event {
            TraceEvent::Status(s) => status(state, sinks, sm, cycle, s),
            TraceEvent::Issue { key, pc } => {
                state.flights[number(*key)].push_back((cycle, *pc));
                state.latest[number(*key)] = *pc;
                state.last[key.0 as usize] = Some(*pc);
                sinks.iter_mut().for_each(|k| k.issue(sm, cycle, key.0, *pc));
            }
            TraceEvent::Retire(r) => match state.flights[number((r.warp, r.slot))].pop_front() {
                Some((issued, pc)) if pc == r.pc => {
                    *end = cycle + 1;
                    sinks.iter_mut().for_each(|k| k.retire(sm, issued, cycle, r))
                }
                found => self.fault(format!(
                    "warp {} of SM {sm} retires pc 0x{:x} in cycle {cycle} from slot {}, where {found:x?} was issued",
                    r.warp, r.pc, r.slot
                )),
            },
            TraceEvent::Start(s) => {
                state.last[s.warp as usize] = None;
                sinks.iter_mut().for_each(|k| k.start(sm, cycle, s));
            }
            TraceEvent::Exit(warp) => {
                // It shows as live until now.
                let cycle = cycle + 1;
                if let Some(o) = state.waits[*warp as usize].take() {
                    for k in sinks.iter_mut() {
                        k.wait(sm, *warp, o.since..cycle, o.cause);
                    }
                }
                sinks.iter_mut().for_each(|k| k.exit(sm, cycle, *warp));
            }
            TraceEvent::Request => state.requests += 1,
            TraceEvent::Performed(key) => {
                let requests = std::mem::take(&mut state.requests);
                let pc = state.latest[number(*key)];
                sinks.iter_mut().for_each(|k| k.performed(sm, pc, requests));
            }
            TraceEvent::Port { taken, write, answered } => {
                sinks.iter_mut().for_each(|k| k.port(cycle, *taken, *write, *answered))
            }
            TraceEvent::Load { .. } | TraceEvent::Done(_) | TraceEvent::Stall(_) => {}
        }
    }

    /// The run has ended.
    ///
    /// # Errors
    /// The trace port was inconsistent, or a sink cannot write.
    pub(crate) fn finish(&mut self, counters: &Counters) -> Result<(), CosimError> {
        let nothing = Status::default();
        let end = self.end.max(counters.cycles);
        let Observer { sms, sinks, .. } = self;
        for (sm, state) in sms.iter_mut().enumerate() {
            status(state, sinks, sm, end, &nothing);
        }
        if let Some(text) = &self.fault {
            return Err(CosimError::Observe(text.clone()));
        }
        self.sinks.iter_mut().try_for_each(|k| k.finish(end, counters))
    }
}

/// Ends and begins spans where the state of an SM has changed in `cycle`.
fn status(state: &mut Sm, sinks: &mut [&mut dyn Sink], sm: usize, cycle: u64, s: &Status) {
    let changed = |open: &mut Option<Span>, cause: Option<StallCause>, culprit: Option<u32>| {
        if open.map(|o| (o.cause, o.culprit)) == cause.map(|c| (c, culprit)) {
            return None;
        }
        let next = cause.map(|cause| Span { since: cycle, cause, culprit });
        std::mem::replace(open, next).filter(|o| o.since < cycle)
    };
    for w in 0..WARP_SIZE {
        if let Some(o) = changed(&mut state.waits[w], cause_of_warp(s, w), None) {
            for k in sinks.iter_mut() {
                k.wait(sm, w as u32, o.since..cycle, o.cause);
            }
        }
    }
    let last_of = |warps: u32| (0..WARP_SIZE).find_map(|w| state.last[w].filter(|_| warps >> w & 1 == 1));
    let culprit = match s.stall {
        Some(c) if is_in_m(c) => Some(s.held_pc),
        Some(StallCause::Control) => last_of(s.live & s.blocked),
        Some(StallCause::Barrier) => last_of(s.live & s.waiting),
        _ => None,
    };
    if let Some(o) = changed(&mut state.lost, s.stall, culprit) {
        for k in sinks.iter_mut() {
            k.lost(sm, o.since..cycle, o.cause, o.culprit);
        }
    }
}
