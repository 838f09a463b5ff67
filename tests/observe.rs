//! Timelines and profiles of runs on the chip: the trace event format, and figures that are known.

use crate::support::set_chip::native;
use crate::support::{self, args, sim, trace_events};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use trace_events::validate;
use warpsmith_cosim::lockstep::collect::{RtlRecord, Start};
use warpsmith_cosim::observe::profile::{Profile, Row};
use warpsmith_cosim::observe::timeline::Timeline;
use warpsmith_cosim::observe::{Observer, Sink};
use warpsmith_cosim::{
    cosim_observed, run_observed, run_rtl, Chip, CosimError, CosimOptions, Counters, Ran, RunOptions, StallCause,
};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::timing::drain;
use warpsmith_model::Launch;

/// Counts instructions of each warp slot.
#[derive(Default)]
struct Count(BTreeMap<(u64, u64), u64>);

impl Sink for Count {
    fn start(&mut self, _: usize, _: u64, _: &Start) {}
    fn exit(&mut self, _: usize, _: u64, _: u32) {}
    fn issue(&mut self, _: usize, _: u64, _: u32, _: u32) {}
    fn retire(&mut self, sm: usize, _: u64, _: u64, r: &RtlRecord) {
        *self.0.entry((sm as u64, r.warp.into())).or_default() += 1;
    }
    fn wait(&mut self, _: usize, _: u32, _: Range<u64>, _: StallCause) {}
    fn lost(&mut self, _: usize, _: Range<u64>, _: StallCause, _: Option<u32>) {}
    fn performed(&mut self, _: usize, _: u32, _: u64) {}
    fn port(&mut self, _: u64, _: bool, _: bool, _: bool) {}
    fn finish(&mut self, _: u64, _: &Counters) -> Result<(), CosimError> {
        Ok(())
    }
}

/// How long after the end of its warp an instruction retires at most, in cycles.
#[derive(Default)]
struct Late {
    /// When warps ended, by SM and slot.
    ended: BTreeMap<(usize, u32), u64>,
    most: u64,
}

impl Sink for Late {
    fn start(&mut self, sm: usize, _: u64, start: &Start) {
        self.ended.remove(&(sm, start.warp));
    }
    fn exit(&mut self, sm: usize, cycle: u64, warp: u32) {
        self.ended.insert((sm, warp), cycle);
    }
    fn issue(&mut self, _: usize, _: u64, _: u32, _: u32) {}
    fn retire(&mut self, sm: usize, _: u64, retired: u64, r: &RtlRecord) {
        if let Some(ended) = self.ended.get(&(sm, r.warp)) {
            self.most = self.most.max(retired.saturating_sub(*ended));
        }
    }
    fn wait(&mut self, _: usize, _: u32, _: Range<u64>, _: StallCause) {}
    fn lost(&mut self, _: usize, _: Range<u64>, _: StallCause, _: Option<u32>) {}
    fn performed(&mut self, _: usize, _: u32, _: u64) {}
    fn port(&mut self, _: u64, _: bool, _: bool, _: bool) {}
    fn finish(&mut self, _: u64, _: &Counters) -> Result<(), CosimError> {
        Ok(())
    }
}

fn options() -> RunOptions {
    RunOptions { seed: sim::seed(), ..RunOptions::default() }
}

fn load(path: &Path) -> Launch {
    warpsmith_launch_file::load(path).unwrap_or_else(|e| panic!("{e}"))
}

struct Seen {
    trace: Value,
    count: Count,
    profile: Profile,
    ran: Ran,
}

/// Runs with a timeline, a profile and a count beside each other.
fn observe(chip: &Chip, launch: &Launch) -> Seen {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("t.json");
    let mut timeline = Timeline::create(&path, launch, chip.info()).expect("created");
    let mut profile = Profile::new(launch, chip.info());
    let mut count = Count::default();
    let sinks: Vec<&mut dyn Sink> = vec![&mut timeline, &mut profile, &mut count];
    let mut observer = Observer::new(chip.info().sms, sinks);
    let ran = run_observed(chip, launch, &options(), &mut observer).expect("runs");
    let text = std::fs::read_to_string(&path).expect("written");
    Seen { trace: serde_json::from_str(&text).expect("JSON"), count, profile, ran }
}

/// What must hold for every kernel: nothing is counted twice or forgotten.
#[track_caller]
fn consistent(s: &Seen) {
    let c = &s.ran.counters;
    let checked = validate(&s.trace, c.cycles).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(checked.instructions.values().sum::<u64>(), c.warp_instructions);
    assert_eq!(checked.instructions, s.count.0);
    let total = s.profile.total();
    assert_eq!(total.executions, c.warp_instructions);
    assert_eq!(total.active, c.thread_instructions);
    assert_eq!(total.requests, c.global_requests);
    for cause in StallCause::ALL {
        let charged = Row::by(&total.lost, cause) + Row::by(&s.profile.outside, cause);
        assert_eq!(charged, Row::by(&c.stalls, cause), "cycles lost by {}", cause.name());
    }
}

#[test]
fn timelines_and_profiles_of_kernels_agree_with_the_counters() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    for name in ["transpose", "collatz", "reduction", "nested_calls"] {
        println!("{name}");
        let launch = support::load(name);
        let seen = observe(&chip, &launch);
        consistent(&seen);
        assert!(seen.ran.differences.is_empty());
        // Observed or not: the same cycles.
        let plain = run_rtl(&chip, &launch, &options()).expect("runs");
        assert_eq!(plain.counters.cycles, seen.ran.counters.cycles);
    }
}

/// A block's slot is free so many moves after its warps have ended: whatever retires later than they end is gone by then.
#[test]
fn what_retires_behind_the_end_of_its_warp_does_before_the_slot_is_free() {
    for (name, isa) in
        [("tiny", "sm10"), ("default", "sm10"), ("wide", "sm10"), ("default", "fermi"), ("default", "g13")]
    {
        let isa_is = format!("isa={isa}");
        let set: &[&str] = if isa == "sm10" { &[] } else { &[&isa_is] };
        let folder = if isa == "sm10" { "kernels".into() } else { format!("kernels/{isa}") };
        let launch = load(&support::root().join(folder).join("reduction/launch.toml"));
        let chip = native(name, set);
        let mut late = Late::default();
        let mut observer = Observer::new(chip.info().sms, vec![&mut late]);
        run_observed(&chip, &launch, &options(), &mut observer).expect("runs");
        let drained = drain(&Dims::of(&sim::config(name, set))) as u64;
        assert!((1..=drained).contains(&late.most), "{name} of {isa}: {} cycles, {drained} moves", late.most);
    }
}

#[test]
fn lockstep_writes_the_same_kind_of_timeline() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let launch = support::load("vector_add");
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("t.json");
    let mut timeline = Timeline::create(&path, &launch, chip.info()).expect("created");
    assert!(!path.exists(), "only a complete file gets the name");
    let mut observer = Observer::new(1, vec![&mut timeline]);
    let options = CosimOptions { run: options(), ..CosimOptions::default() };
    let report = cosim_observed(&chip, &launch, &options, &mut observer).expect("runs");
    assert!(report.outcome.is_agreement(), "{}", report.outcome);
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("written")).expect("JSON");
    let checked = validate(&trace, report.counters.cycles).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(checked.instructions.values().sum::<u64>(), report.compared);
    drop(timeline);
    let files = std::fs::read_dir(dir.path()).expect("readable").count();
    assert_eq!(files, 1, "no temporary file is left");
}

/// Every thread its own line of memory, and a bank that all lanes of a beat want.
const KNOWN: &str = "\
    I2I.U32.U16 R0, R0L;            // tid
    SHL R1, R0, 0x5;                // 32 bytes a thread
    R2A A1, R0, 0x5;
    R2G.U32.U32 g[A1+0x8], R0;
    GLD.U32 R2, global14[R1];
    ISET.S32.C0 o[0x7f], g [0x4], R0, LE;
    SSY join;
    BRA C0.NE, join;                // threads from 16 on
    IADD32 R2, R2, R0;
join:
    NOP.S;
    SHL R3, R0, 0x2;
    GST.U32 global14[R3], R2;
    RET;
";

const KNOWN_LAUNCH: &str = "
name = \"known\"
program = \"known.sass\"
grid = [2, 1]
block = [64, 1, 1]
registers = 4
shared_bytes = 2112
params = [16]
global_bytes = 4096
";

#[test]
fn a_profile_shows_known_conflicts_requests_and_splits() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    assert_eq!((chip.info().lanes, chip.info().port_words), (8, 8));
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("known.sass"), KNOWN).expect("written");
    let path = dir.path().join("launch.toml");
    std::fs::write(&path, KNOWN_LAUNCH).expect("written");
    let seen = observe(&chip, &load(&path));
    consistent(&seen);
    let p = &seen.profile;
    let row = |line: usize| -> &Row {
        let at = |pc: &u32| p.listing.lines[pc].number == Some(line);
        let (_, row) = p.rows.iter().find(|r| at(r.0)).expect("executed");
        row
    };
    // Four warps; 8 lanes want one bank: 7 cycles more for each of 4 beats.
    let conflicts: Vec<u64> =
        (1..=14).filter(|l| *l != 10).map(|l| Row::by(&row(l).lost, StallCause::SharedConflict)).collect();
    // In line 6 two warps load right behind another warp's store, and wait a cycle each.
    assert_eq!(conflicts, [0, 0, 0, 4 * 4 * 7, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(row(4).executions, 4);
    // 32 lines where the 32 words of a warp fill 4.
    assert_eq!((row(5).requests, row(5).ideal), (4 * 32, 4 * 4));
    assert_eq!((row(13).requests, row(13).ideal), (4 * 4, 4 * 4));
    // In each block the first warp splits: 16 threads jump. The second jumps as a whole.
    assert_eq!((row(8).executions, row(8).splits), (4, 2));
    assert_eq!((row(9).executions, row(9).active), (2, 32));
    assert_eq!((row(1).active, row(1).slots), (4 * 32, 4 * 4));

    let remarks: Vec<String> = p.hot_spots().into_iter().flat_map(|h| h.remarks).collect();
    for said in [
        "its loads touch 32 lines an execution where 4 would do",
        "bank conflicts in shared memory cost 28 extra cycles an execution",
    ] {
        assert!(remarks.iter().any(|r| r.contains(said)), "{remarks:#?}");
    }
    let html = p.html().expect("rendered");
    assert!(html.contains("R2G.U32.U32 g[A1+0x8], R0"));
    for outside in ["http:", "https:", "src=", "<link", "@import"] {
        assert!(!html.contains(outside), "the page needs {outside}");
    }
    assert!(p.text().contains("GLD.U32 R2, global14[R1]"));
    // Bars have a scale, causes their colours.
    assert!(html.contains("<span>100 %</span>") && html.contains("bars 0 to "));
    for (cause, n) in StallCause::ALL.into_iter().zip(p.counters.stalls) {
        let [r, g, b] = warpsmith_cosim::figures::colour(cause);
        let row = format!("--c: #{r:02x}{g:02x}{b:02x}\"><td class=\"left\"><i class=\"key\"></i>{}", cause.name());
        assert_eq!(html.contains(&row), n > 0, "{row}");
    }
    // Of a run so long that each instruction is 0.0 % of it none is a hot spot.
    let mut p = seen.profile;
    p.sm_cycles *= 100_000;
    assert_eq!(p.hot_spots(), []);
    assert!(p.html().expect("rendered").contains("none: no instruction takes"));
}

#[test]
fn a_trap_ends_a_timeline_whole() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let dir = tempfile::tempdir().expect("a folder");
    // The load lies outside: the trap leaves warps and blocks unfinished.
    let launch = KNOWN_LAUNCH.replace("4096", "64");
    std::fs::write(dir.path().join("known.sass"), KNOWN).expect("written");
    let path = dir.path().join("launch.toml");
    std::fs::write(&path, launch).expect("written");
    let seen = observe(&chip, &load(&path));
    assert!(matches!(seen.ran.ending, warpsmith_cosim::Ending::Trap(_)));
    // What was in the pipeline retires after the chip has stopped counting.
    let end = seen.trace["otherData"]["cycles"].as_u64().expect("cycles");
    assert!((0..40).contains(&(end - seen.ran.counters.cycles)));
    validate(&seen.trace, end).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn the_program_writes_timeline_and_page() {
    if !support::tools(&support::SIMULATION) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let (json, html) = (dir.path().join("t.json"), dir.path().join("p.html"));
    let kernel = support::kernel("vector_add");
    let profile = format!("--profile={}", html.display());
    let out = support::warpsmith(&args![
        "run", &kernel, "--on", "rtl", "--config", "tiny", "--engine", "verilator", "--timeline", &json, &profile,
        "--json",
    ]);
    let (code, stdout, err) = support::outcome(&out);
    assert_eq!(code, 0, "{err}");
    let report: Value = serde_json::from_str(&stdout).expect("one object");
    let cycles = report["cycles"].as_u64().expect("cycles");
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("JSON");
    validate(&trace, cycles).unwrap_or_else(|e| panic!("{e}"));
    let rows = report["profile"]["instructions"].as_array().expect("rows");
    let executions: u64 = rows.iter().filter_map(|r| r["executions"].as_u64()).sum();
    assert_eq!(Some(executions), report["warp_instructions"].as_u64());
    let page = std::fs::read_to_string(&html).expect("written");
    assert!(page.trim_end().ends_with("</html>"));
}

#[test]
fn the_validator_refuses_broken_traces() {
    let good = trace_events::small();
    let seen = validate(&good, 100).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(seen.instructions, BTreeMap::from([((0, 0), 2)]));
    for (what, say, change) in trace_events::breakages() {
        let mut bad = good.clone();
        change(bad["traceEvents"].as_array_mut().expect("events"));
        match validate(&bad, 100) {
            Ok(_) => panic!("accepted a trace with {what}"),
            Err(e) => assert!(e.contains(say), "{what}: {e}"),
        }
    }
}
