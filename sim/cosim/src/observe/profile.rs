//! Profiles: what each instruction of a kernel cost, and why.
//!
//! | figure       | what it counts                                                               |
//! |--------------|------------------------------------------------------------------------------|
//! | executions   | retired warp instructions                                                    |
//! | slots        | cycles of issue: its beats                                                    |
//! | lost         | cycles in which its SM issued nothing, charged to one instruction each; the sums by cause are the chip's counters |
//! | waited       | cycles in which its warp could not go on, of all warps                       |
//! | requests     | requests its accesses took at the SM's port                                  |
//! | ideal        | requests they would take if the lanes of each beat had neighbouring addresses |
//! | splits       | executions of a branch that part of the active threads took                  |
//!
//! A lost cycle is charged to the instruction in stage M when the cause lies there (memory, shared
//! and constant conflicts), to the control operation or barrier the lowest such warp has under way,
//! and else to the instruction the SM issues next. What is left is launch and end.

use super::listing::Listing;
use super::Sink;
use crate::error::CosimError;
use crate::instruction::{self, Instruction};
use crate::lockstep::collect::{RtlRecord, Start};
use crate::readout::Counters;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use warpsmith_check::Findings;
use warpsmith_contract::StallCause;
use warpsmith_isa::ChipInfo;
use warpsmith_isa::WARP_SIZE;
use warpsmith_model::Launch;

/// Causes of stalls.
const N: usize = StallCause::COUNT;

/// Cycles by cause, in the order of [`StallCause::ALL`].
pub type ByCause = [u64; N];

/// What one instruction cost.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Warp instructions retired.
    pub executions: u64,
    /// Threads of their active masks.
    pub active: u64,
    /// Threads that executed: active, and their guard held.
    pub executing: u64,
    /// Issue slots.
    pub slots: u64,
    /// Cycles lost.
    pub lost: ByCause,
    /// Warp cycles waited.
    pub waited: ByCause,
    /// Requests.
    pub requests: u64,
    /// The least its accesses need.
    pub ideal: u64,
    /// Executions that split their warp.
    pub splits: u64,
    /// `load` or `store` of global or local memory.
    pub access: Option<&'static str>,
    /// A branch, return or break.
    pub branch: bool,
}

impl Row {
    /// Cycles lost, all causes.
    pub fn lost_all(&self) -> u64 {
        self.lost.iter().sum()
    }

    /// Cycles of an SM it cost: issued or lost.
    pub fn cost(&self) -> u64 {
        self.slots + self.lost_all()
    }

    /// Cycles it took of its SM or of the SM's memory port, whichever is more.
    pub fn weight(&self) -> u64 {
        self.cost().max(self.requests)
    }

    /// A figure for one execution.
    pub fn each(&self, n: u64) -> f64 {
        n as f64 / self.executions.max(1) as f64
    }

    /// Cycles of a cause.
    pub fn by(cycles: &ByCause, cause: StallCause) -> u64 {
        cycles[cause.index()]
    }
}

/// The cause with most cycles, if any.
pub fn main_cause(cycles: &ByCause) -> Option<(StallCause, u64)> {
    by_cause(cycles).max_by_key(|c| (c.1, N - c.0.index()))
}

/// The causes with cycles, in the order of [`StallCause::ALL`].
pub(super) fn by_cause(cycles: &ByCause) -> impl Iterator<Item = (StallCause, u64)> + '_ {
    let all = StallCause::ALL.into_iter().zip(cycles.iter().copied());
    all.filter(|c| c.1 > 0)
}

#[derive(Clone, Copy, Default)]
struct Warp {
    last: Option<u32>,
    /// Waited since then.
    waited: ByCause,
}

/// The profile of a run; see the module.
pub struct Profile {
    /// `transpose on default`.
    pub title: String,
    /// The program.
    pub listing: Listing,
    /// What its instructions are, by byte address.
    instructions: BTreeMap<u32, Instruction>,
    /// Executed instructions by byte address.
    pub rows: BTreeMap<u32, Row>,
    /// Lost cycles no instruction is to blame for.
    pub outside: ByCause,
    /// The chip's counters.
    pub counters: Counters,
    /// Cycles in which the chip's memory port took a request.
    pub port_used: u64,
    /// Cycles × SMs.
    pub sm_cycles: u64,
    /// What is wrong with the program, where that was looked for.
    pub check: Option<Findings>,
    lanes: usize,
    /// Threads of a warp.
    pub(super) threads: u32,
    line_bytes: u64,
    warps: Vec<[Warp; WARP_SIZE]>,
    pending: Vec<ByCause>,
}

fn add(to: &mut ByCause, from: &ByCause) {
    to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
}

/// Whether an instruction's own end is what is waited for, and not its begin.
fn is_behind(why: StallCause) -> bool {
    matches!(why, StallCause::Control | StallCause::Barrier)
}

impl Profile {
    /// The profile of a launch on a chip, to be filled by an [`Observer`](super::Observer).
    pub fn new(launch: &Launch, chip: &ChipInfo) -> Self {
        let listing = Listing::of(launch);
        let addresses = listing.lines.keys();
        let instructions = addresses.filter_map(|pc| Some((*pc, instruction::at(launch, *pc)?)));
        Profile {
            title: format!("{} on {}", launch.name, chip.name),
            instructions: instructions.collect(),
            listing,
            rows: BTreeMap::new(),
            outside: [0; N],
            counters: Counters::default(),
            port_used: 0,
            sm_cycles: 0,
            check: None,
            lanes: chip.lanes as usize,
            threads: chip.isa.warp_threads(),
            line_bytes: 4 * u64::from(chip.port_words),
            warps: vec![[Warp::default(); WARP_SIZE]; chip.sms as usize],
            pending: vec![[0; N]; chip.sms as usize],
        }
    }

    /// Charges what a warp waited for before it issued `pc`, or before its end.
    fn settle(&mut self, sm: usize, warp: u32, pc: Option<u32>) {
        let w = &mut self.warps[sm][warp as usize];
        let (last, waited) = (w.last, std::mem::take(&mut w.waited));
        for (why, n) in by_cause(&waited) {
            let own = if is_behind(why) { last.or(pc) } else { pc.or(last) };
            if let Some(pc) = own {
                self.rows.entry(pc).or_default().waited[why.index()] += n;
            }
        }
    }

    /// Requests that an access of `size` bytes needs at least.
    fn ideal(&self, exec: u32, size: u64) -> u64 {
        (0..WARP_SIZE / self.lanes)
            .map(|beat| {
                let lanes = (u64::from(exec) >> (beat * self.lanes)) & ((1 << self.lanes) - 1);
                (u64::from(lanes.count_ones()) * size).div_ceil(self.line_bytes)
            })
            .sum()
    }

    /// Sums of all instructions.
    pub fn total(&self) -> Row {
        let mut t = Row::default();
        for r in self.rows.values() {
            t.executions += r.executions;
            t.active += r.active;
            t.executing += r.executing;
            t.slots += r.slots;
            add(&mut t.lost, &r.lost);
            add(&mut t.waited, &r.waited);
            t.requests += r.requests;
            t.ideal += r.ideal;
            t.splits += r.splits;
        }
        t
    }

    /// The profile as JSON: `instructions`, `outside`, `hot_spots` and the port's use.
    pub fn json(&self) -> Value {
        let named = |c: &ByCause| -> Map<String, Value> {
            let named = by_cause(c).map(|(k, n)| (k.name().to_string(), n.into()));
            named.collect()
        };
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|(pc, r)| {
                let line = self.listing.lines.get(pc).and_then(|l| l.number);
                let source = self.listing.lines.get(pc).and_then(|l| l.source.as_ref());
                json!({
                    "pc": pc, "file": source.map(|s| &s.0), "line": line, "text": self.listing.text(*pc),
                    "executions": r.executions, "active_threads": r.active,
                    "executing_threads": r.executing, "issue_slots": r.slots,
                    "lost": named(&r.lost), "waited": named(&r.waited),
                    "requests": r.requests, "ideal_requests": r.ideal, "splits": r.splits,
                })
            })
            .collect();
        let spots: Vec<Value> =
            self.hot_spots().into_iter().map(|h| json!({"pc": h.pc, "share": h.share, "remarks": h.remarks})).collect();
        json!({
            "instructions": rows, "outside": named(&self.outside), "hot_spots": spots,
            "port_used": self.port_used, "sm_cycles": self.sm_cycles,
        })
    }
}

impl Sink for Profile {
    fn start(&mut self, sm: usize, _cycle: u64, start: &Start) {
        self.warps[sm][start.warp as usize] = Warp::default();
    }

    fn exit(&mut self, sm: usize, _cycle: u64, warp: u32) {
        self.settle(sm, warp, None);
    }

    fn issue(&mut self, sm: usize, _cycle: u64, warp: u32, pc: u32) {
        let pending = std::mem::take(&mut self.pending[sm]);
        for (why, n) in by_cause(&pending) {
            let to = match why == StallCause::Launch {
                true => &mut self.outside,
                false => &mut self.rows.entry(pc).or_default().lost,
            };
            to[why.index()] += n;
        }
        self.settle(sm, warp, Some(pc));
        self.warps[sm][warp as usize].last = Some(pc);
    }

    fn retire(&mut self, _sm: usize, _issued: u64, _retired: u64, r: &RtlRecord) {
        let instr = self.instructions.get(&r.pc).cloned().unwrap_or_default();
        let (access, branch) = (instr.access, instr.branch);
        let ideal = access.map_or(0, |(_, bytes)| self.ideal(r.exec, bytes.into()));
        let row = self.rows.entry(r.pc).or_default();
        row.executions += 1;
        row.active += u64::from(r.active.count_ones());
        row.executing += u64::from(r.exec.count_ones());
        row.slots += u64::from(r.beats);
        row.access = access.map(|a| a.0);
        row.ideal += ideal;
        row.branch = branch;
        row.splits += u64::from(branch && r.exec != 0 && r.exec != r.active);
    }

    fn wait(&mut self, sm: usize, warp: u32, cycles: Range<u64>, why: StallCause) {
        self.warps[sm][warp as usize].waited[why.index()] += cycles.end - cycles.start;
    }

    fn lost(&mut self, sm: usize, cycles: Range<u64>, why: StallCause, culprit: Option<u32>) {
        let n = cycles.end - cycles.start;
        match culprit {
            Some(pc) => self.rows.entry(pc).or_default().lost[why.index()] += n,
            None => self.pending[sm][why.index()] += n,
        }
    }

    fn performed(&mut self, _sm: usize, pc: u32, requests: u64) {
        self.rows.entry(pc).or_default().requests += requests;
    }

    fn port(&mut self, _cycle: u64, taken: bool, _write: bool, _answered: bool) {
        self.port_used += u64::from(taken);
    }

    fn finish(&mut self, _end: u64, counters: &Counters) -> Result<(), CosimError> {
        for sm in 0..self.warps.len() {
            for warp in 0..WARP_SIZE as u32 {
                self.settle(sm, warp, None);
            }
            let rest = std::mem::take(&mut self.pending[sm]);
            add(&mut self.outside, &rest);
        }
        self.counters = counters.clone();
        self.sm_cycles = counters.cycles * self.warps.len() as u64;
        Ok(())
    }
}
