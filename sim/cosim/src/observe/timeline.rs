//! Timelines in the JSON trace event format, which Perfetto and chrome://tracing read.
//!
//! One cycle is shown as one microsecond. A process is an SM, numbered from 1; the last process is
//! the memory port.
//!
//! | track of an SM           | events                                                           |
//! |--------------------------|------------------------------------------------------------------|
//! | `blocks N`               | a slice a block, one track a block slot                          |
//! | `warp W`                 | its residence, inside it a slice for each wait, named by cause; instants for barriers passed and the exit |
//! | `warp W instructions`    | a slice an instruction from issue to its last beat; what overlaps lies on further tracks |
//! | counters                 | resident warps; issue slots used, in percent of 64 cycles        |
//!
//! The file is written as the run goes; memory does not grow with its length.
//! Source: "Trace Event Format", Google, 2016.

use super::listing::Listing;
use super::Sink;
use crate::error::CosimError;
use crate::lockstep::collect::{RtlRecord, Start};
use crate::readout::Counters;
use serde_json::{json, Value};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use warpsmith_cache::whole::Whole;
use warpsmith_contract::StallCause;
use warpsmith_isa::ChipInfo;
use warpsmith_isa::WARP_SIZE;
use warpsmith_model::Launch;

/// Cycles of one value of a counter.
const WINDOW: u64 = 64;

/// First thread number of the tracks of blocks.
const BLOCKS: u64 = 0;
/// First thread number of the tracks of warps, and numbers a warp has: one for its state, the rest
/// for instructions, which overlap by less than the pipeline is long.
const WARPS: u64 = 100;
const TRACKS: u64 = 32;

#[derive(Clone, Default)]
struct Warp {
    block: u32,
    ctaid: [u32; 2],
    live: bool,
    /// End of the last slice on each track of instructions.
    ends: Vec<u64>,
}

#[derive(Clone, Copy, Default)]
struct Block {
    since: u64,
    ctaid: [u32; 2],
    warps: u32,
    named: bool,
}

/// Values of a counter by window of cycles; a value is written when it changes.
#[derive(Clone, Default)]
struct Meter {
    window: u64,
    sum: u64,
    shown: Option<u64>,
}

impl Meter {
    /// Windows complete before `cycle`: start and sum of those whose value changes.
    fn until(&mut self, cycle: u64, mut show: impl FnMut(u64, u64)) {
        while (self.window + 1) * WINDOW <= cycle {
            let sum = std::mem::take(&mut self.sum);
            if self.shown != Some(sum) {
                self.shown = Some(sum);
                show(self.window * WINDOW, sum);
            }
            // Nothing happens in the windows between.
            let idle = cycle / WINDOW;
            self.window = if sum == 0 { idle.max(self.window + 1) } else { self.window + 1 };
        }
    }
}

struct Sm {
    warps: Vec<Warp>,
    blocks: Vec<Block>,
    resident: u64,
    /// Cycles lost.
    lost: Meter,
}

/// Writes a timeline; see the module.
pub struct Timeline {
    path: PathBuf,
    whole: Option<Whole>,
    out: Option<BufWriter<File>>,
    error: Option<std::io::Error>,
    events: u64,
    listing: Listing,
    title: String,
    warps_per_block: u32,
    sms: Vec<Sm>,
    taken: Meter,
    in_flight: u64,
    peak: u64,
    peak_shown: Option<u64>,
    port_window: u64,
}

impl Timeline {
    /// A timeline to be written to `path`, under a temporary name until it is complete.
    ///
    /// # Errors
    /// [`CosimError::Write`] when the file cannot be made.
    pub fn create(path: &Path, launch: &Launch, chip: &ChipInfo) -> Result<Self, CosimError> {
        let whole = Whole::new(path);
        let file =
            File::create(whole.part()).map_err(|source| CosimError::Write { path: path.to_path_buf(), source })?;
        let sm = || Sm {
            warps: vec![Warp::default(); WARP_SIZE],
            blocks: vec![Block::default(); 8],
            resident: 0,
            lost: Meter::default(),
        };
        let mut timeline = Timeline {
            path: path.to_path_buf(),
            whole: Some(whole),
            out: Some(BufWriter::new(file)),
            error: None,
            events: 0,
            listing: Listing::of(launch),
            title: format!("{} on {}", launch.name, chip.name),
            warps_per_block: launch.warps_per_block(),
            sms: (0..chip.sms).map(|_| sm()).collect(),
            taken: Meter::default(),
            in_flight: 0,
            peak: 0,
            peak_shown: None,
            port_window: 0,
        };
        timeline.raw("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
        for sm in 0..timeline.sms.len() {
            timeline.process(sm, &format!("SM {sm}"));
        }
        timeline.process(timeline.sms.len(), "memory port");
        Ok(timeline)
    }

    fn raw(&mut self, text: &str) {
        if let (Some(out), None) = (&mut self.out, &self.error) {
            self.error = out.write_all(text.as_bytes()).err();
        }
    }

    fn event(&mut self, event: &Value) {
        let comma = if self.events == 0 { "\n" } else { ",\n" };
        self.events += 1;
        self.raw(&format!("{comma}{event}"));
    }

    fn process(&mut self, sm: usize, name: &str) {
        self.event(
            &json!({"ph": "M", "pid": sm + 1, "tid": 0, "ts": 0, "name": "process_name", "args": {"name": name}}),
        );
        self.event(&json!({"ph": "M", "pid": sm + 1, "tid": 0, "ts": 0, "name": "process_sort_index", "args": {"sort_index": sm}}));
    }

    fn track(&mut self, sm: usize, tid: u64, name: &str) {
        self.event(
            &json!({"ph": "M", "pid": sm + 1, "tid": tid, "ts": 0, "name": "thread_name", "args": {"name": name}}),
        );
        self.event(&json!({"ph": "M", "pid": sm + 1, "tid": tid, "ts": 0, "name": "thread_sort_index", "args": {"sort_index": tid}}));
    }

    fn counter(&mut self, pid: usize, ts: u64, name: &str, key: &str, value: u64) {
        self.event(&json!({"ph": "C", "pid": pid, "tid": 0, "ts": ts, "name": name, "args": {key: value}}));
    }

    fn resident(&mut self, sm: usize, cycle: u64) {
        self.counter(sm + 1, cycle, "resident warps", "warps", self.sms[sm].resident);
    }

    /// Counters of the windows of `sm` that ended before `cycle`.
    fn issue_windows(&mut self, sm: usize, cycle: u64) {
        let mut shown = vec![];
        self.sms[sm].lost.until(cycle, |ts, lost| shown.push((ts, lost)));
        for (ts, lost) in shown {
            let used = 100 * (WINDOW - lost.min(WINDOW)) / WINDOW;
            self.counter(sm + 1, ts, "issue slots used", "percent", used);
        }
    }

    fn port_windows(&mut self, cycle: u64) {
        let pid = self.sms.len() + 1;
        let mut shown = vec![];
        self.taken.until(cycle, |ts, n| shown.push((ts, n)));
        for (ts, n) in shown {
            self.counter(pid, ts, "requests taken", "percent", 100 * n / WINDOW);
        }
        while (self.port_window + 1) * WINDOW <= cycle {
            if self.peak_shown.replace(self.peak) != Some(self.peak) {
                let ts = self.port_window * WINDOW;
                self.counter(pid, ts, "reads in flight", "lines", self.peak);
            }
            self.peak = self.in_flight;
            // Until the next event nothing changes.
            let idle = self.peak_shown == Some(self.peak);
            let next = self.port_window + 1;
            self.port_window = if idle { next.max(cycle / WINDOW) } else { next };
        }
    }

    fn end_block(&mut self, sm: usize, slot: usize, cycle: u64) {
        let b = self.sms[sm].blocks[slot];
        let [x, y] = b.ctaid;
        self.event(&json!({
            "ph": "X", "pid": sm + 1, "tid": BLOCKS + slot as u64, "ts": b.since, "dur": cycle - b.since,
            "name": format!("block ({x}, {y})"), "cat": "block", "args": {},
        }));
        self.sms[sm].blocks[slot].warps = 0;
    }

    fn end_warp(&mut self, sm: usize, warp: u32, cycle: u64) {
        let tid = state_track(warp);
        self.event(&json!({"ph": "E", "pid": sm + 1, "tid": tid, "ts": cycle, "name": "resident"}));
        let s = &mut self.sms[sm];
        let w = &mut s.warps[warp as usize];
        w.live = false;
        let slot = w.block as usize;
        s.resident -= 1;
        s.blocks[slot].warps -= 1;
        if s.blocks[slot].warps == 0 {
            self.end_block(sm, slot, cycle);
        }
        self.resident(sm, cycle);
    }
}

fn state_track(warp: u32) -> u64 {
    WARPS + TRACKS * u64::from(warp)
}

/// A colour name of the format for a cause; Perfetto chooses its own.
fn colour(cause: StallCause) -> &'static str {
    match cause {
        StallCause::Hazard => "yellow",
        StallCause::Load | StallCause::Memory => "thread_state_iowait",
        StallCause::Sfu => "olive",
        StallCause::Control => "thread_state_runnable",
        StallCause::Barrier => "grey",
        StallCause::SharedConflict | StallCause::ConstantConflict => "terrible",
        StallCause::Fetch => "rail_load",
        StallCause::Launch | StallCause::Operand | StallCause::Select => "generic_work",
    }
}

impl Sink for Timeline {
    fn start(&mut self, sm: usize, cycle: u64, start: &Start) {
        let (slot, tid, [x, y]) = (start.block as usize, state_track(start.warp), start.ctaid);
        let s = &mut self.sms[sm];
        let new_warp = s.warps[start.warp as usize].ends.is_empty();
        let w = &mut s.warps[start.warp as usize];
        (w.block, w.ctaid, w.live) = (start.block, start.ctaid, true);
        s.resident += 1;
        let b = &mut s.blocks[slot];
        let new_block = !std::mem::replace(&mut b.named, true);
        if b.warps == 0 {
            (b.since, b.ctaid, b.warps) = (cycle, start.ctaid, self.warps_per_block);
        }
        if new_block {
            self.track(sm, BLOCKS + slot as u64, &format!("blocks {slot}"));
        }
        if new_warp {
            self.track(sm, tid, &format!("warp {}", start.warp));
        }
        self.event(&json!({
            "ph": "B", "pid": sm + 1, "tid": tid, "ts": cycle, "name": "resident", "cat": "warp",
            "args": {"block": [x, y], "warp of the block": start.index, "threads": format!("{:#010x}", start.mask)},
        }));
        self.resident(sm, cycle);
    }

    fn exit(&mut self, sm: usize, cycle: u64, warp: u32) {
        let tid = state_track(warp);
        self.event(&json!({"ph": "i", "pid": sm + 1, "tid": tid, "ts": cycle, "name": "exit", "s": "t"}));
        self.end_warp(sm, warp, cycle);
    }

    fn issue(&mut self, _sm: usize, _cycle: u64, _warp: u32, _pc: u32) {}

    fn retire(&mut self, sm: usize, issued: u64, retired: u64, r: &RtlRecord) {
        let w = &mut self.sms[sm].warps[r.warp as usize];
        let ends = &mut w.ends;
        let (k, new) = match ends.iter().position(|e| *e <= issued) {
            Some(k) => (k, false),
            None => {
                ends.push(0);
                (ends.len() - 1, true)
            }
        };
        ends[k] = retired + 1;
        let ctaid = w.ctaid;
        let tid = state_track(r.warp) + 1 + k as u64;
        if new {
            self.track(sm, tid, &format!("warp {} instructions", r.warp));
        }
        let mut args = json!({
            "pc": format!("{:#06x}", r.pc), "active": format!("{:#010x}", r.active), "block": ctaid,
        });
        if let Some(line) = self.listing.lines.get(&r.pc) {
            if let Some(n) = line.number {
                args["line"] = n.into();
            }
            if let Some((file, text)) = &line.source {
                args["file"] = file.as_str().into();
                args["source"] = text.as_str().into();
            }
        }
        self.event(&json!({
            "ph": "X", "pid": sm + 1, "tid": tid, "ts": issued, "dur": retired + 1 - issued,
            "name": self.listing.text(r.pc), "cat": "instruction", "args": args,
        }));
    }

    fn wait(&mut self, sm: usize, warp: u32, cycles: Range<u64>, why: StallCause) {
        let (tid, name) = (state_track(warp), why.name());
        self.event(&json!({
            "ph": "X", "pid": sm + 1, "tid": tid, "ts": cycles.start, "dur": cycles.end - cycles.start,
            "name": name, "cat": "wait", "cname": colour(why), "args": {},
        }));
        if why == StallCause::Barrier {
            self.event(
                &json!({"ph": "i", "pid": sm + 1, "tid": tid, "ts": cycles.end, "name": "barrier passed", "s": "t"}),
            );
        }
    }

    fn lost(&mut self, sm: usize, cycles: Range<u64>, _cause: StallCause, _culprit: Option<u32>) {
        let mut at = cycles.start;
        while at < cycles.end {
            self.issue_windows(sm, at);
            let end = ((at / WINDOW + 1) * WINDOW).min(cycles.end);
            self.sms[sm].lost.sum += end - at;
            at = end;
        }
    }

    fn performed(&mut self, _sm: usize, _pc: u32, _requests: u64) {}

    fn port(&mut self, cycle: u64, taken: bool, write: bool, answered: bool) {
        self.port_windows(cycle);
        self.taken.sum += u64::from(taken);
        self.in_flight += u64::from(taken && !write);
        self.in_flight -= u64::from(answered).min(self.in_flight);
        self.peak = self.peak.max(self.in_flight);
    }

    fn finish(&mut self, end: u64, counters: &Counters) -> Result<(), CosimError> {
        for sm in 0..self.sms.len() {
            for warp in 0..WARP_SIZE as u32 {
                // After a trap warps are left.
                if self.sms[sm].warps[warp as usize].live {
                    self.end_warp(sm, warp, end);
                }
            }
            for slot in 0..self.sms[sm].blocks.len() {
                if self.sms[sm].blocks[slot].warps > 0 {
                    self.end_block(sm, slot, end);
                }
            }
            self.issue_windows(sm, end);
        }
        self.port_windows(end);
        let other = json!({
            "title": self.title, "time": "1 us is 1 cycle", "cycles": end,
            "warp instructions": counters.warp_instructions,
        });
        self.raw(&format!("\n],\"otherData\":{other}}}\n"));
        let mut result = self.error.take().map_or(Ok(()), Err);
        if let (Ok(()), Some(out), Some(whole)) = (&result, self.out.take(), self.whole.take()) {
            result = out.into_inner().map_err(std::io::IntoInnerError::into_error).and_then(|_| whole.finish());
        }
        result.map_err(|source| CosimError::Write { path: self.path.clone(), source })
    }
}
