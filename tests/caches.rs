//! Chips with caches in lockstep: random programs, kernels in turn, atomic accesses of several SMs; memories of several kinds.

use crate::support::set_chip::{self, native};
use crate::support::{self, outcome, prints, refuses, warpsmith};
use warpsmith_cosim::{run_in_turn, run_rtl, Chip, Ending, MemoryOptions, MemoryTiming, RunOptions, DDR3, SDRAM};
use warpsmith_model::Launch;

/// Four SMs whose warps meet at the same words.
const SEVERAL: [&str; 3] = ["level=sm12", "sms=4", "l2_bytes=2048"];
/// Both caches, one in front of the other.
const BOTH: [&str; 3] = ["sms=3", "l1_bytes=1024", "l2_bytes=2048"];
/// One way, and lines that many places share.
const SMALLEST: [&str; 2] = ["l1_bytes=1024", "cache_ways=1"];

#[test]
fn random_programs_agree_behind_caches() {
    set_chip::random_programs_agree(&native("tiny", &SMALLEST), 5_000, 100);
    set_chip::random_programs_agree(&native("default", &["l2_bytes=2048", "cache_ways=4"]), 5_000, 100);
    set_chip::random_programs_agree(&native("tiny", &SEVERAL), 5_000, 100);
    set_chip::random_programs_agree(&native("tiny", &BOTH), 5_000, 100);
    set_chip::random_programs_agree(&native("wide", &["l1_bytes=1024", "l2_bytes=4096"]), 4_000, 60);
}

#[test]
fn random_programs_of_other_sets_agree_behind_caches() {
    set_chip::random_programs_agree(&native("default", &["isa=fermi", "atomics=true", "l2_bytes=1024"]), 5_000, 60);
    set_chip::random_programs_agree(&native("default", &["isa=g13", "atomics=true", "l1_bytes=1024"]), 5_000, 60);
    set_chip::random_programs_agree(&native("default", &["isa=ivb", "l1_bytes=1024"]), 3_000, 60);
}

/// Kernels one after the other, each with a memory of its own, on whatever the last one left.
fn in_turn(chip: &Chip) -> Vec<String> {
    let order: Vec<Launch> =
        ["reduction", "matmul_tiled", "vector_add", "reduction", "vector_add"].map(support::load).into();
    let mut other = order[2].clone();
    // The same addresses with other words.
    let bytes = &mut other.globals[0].bytes;
    bytes.iter_mut().for_each(|b| *b = b.wrapping_add(1));
    let order: Vec<&Launch> = order.iter().chain([&other, &order[2]]).collect();
    let mut wrong = vec![];
    for (seed, latency, ready) in [(1, 1, 256), (2, 60, 200)] {
        let memory = MemoryOptions { timing: MemoryTiming::Latency(1, latency), ready_of_256: ready, seed };
        let options = RunOptions { seed, memory, ..RunOptions::default() };
        let reports = run_in_turn(chip, &order, &options).unwrap_or_else(|e| panic!("{e}"));
        for (i, (launch, report)) in order.iter().zip(&reports).enumerate() {
            assert_eq!(report.ending, Ending::Done, "{}", launch.name);
            // The changed one has no expectation of its own: it differs from the one it was made of.
            if report.differences.is_empty() == (i == 5) {
                wrong.push(format!("{i}: {}", launch.name));
            }
        }
    }
    wrong
}

#[test]
fn a_kernel_sees_the_memory_that_its_host_has_changed() {
    for set in [&["l1_bytes=1024"][..], &["l2_bytes=4096", "cache_ways=1"], &["l1_bytes=2048", "l2_bytes=2048"]] {
        assert_eq!(in_turn(&native("tiny", set)), [""; 0], "{set:?}");
    }
}

#[test]
fn must_fail_copies_that_outlive_their_kernel_are_noticed() {
    let chip = set_chip::native_without("tiny", &["l2_bytes=4096"], "swept", "sweep_begins");
    assert!(!in_turn(&chip).is_empty(), "no kernel saw what another one had read");
}

#[test]
fn faults_of_a_cached_chip_have_one_record() {
    set_chip::faults_of_kernel_have_one_record("sm11", "histogram", &["level=sm11", "l1_bytes=1024"]);
}

/// Cycles, and lines at the port, of a kernel on `tiny` with some parameters and a memory.
fn figures(set: &[&str], timing: MemoryTiming) -> (u64, u64) {
    let options = RunOptions { memory: MemoryOptions { timing, ..MemoryOptions::default() }, ..RunOptions::default() };
    let launch = support::load("matmul_tiled");
    let ran = run_rtl(&native("tiny", set), &launch, &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(ran.ending == Ending::Done && ran.differences.is_empty(), "{set:?}, {timing:?}");
    let lines = ran.counters.lines.expect("a simulated memory");
    if set.is_empty() {
        assert_eq!(lines.read + lines.written, ran.counters.global_requests, "every request is one of the port");
    }
    (ran.counters.cycles, lines.read + lines.written)
}

#[test]
fn a_cache_saves_lines_and_time_behind_a_slow_memory() {
    let ideal = figures(&[], MemoryTiming::Latency(1, 1));
    for slow in [MemoryTiming::Latency(100, 100), MemoryTiming::Dram(SDRAM), MemoryTiming::Dram(DDR3)] {
        let (without, with) = (figures(&[], slow), figures(&["l1_bytes=2048"], slow));
        println!("{slow:?}: {ideal:?} ideal, {without:?} without, {with:?} with a cache");
        assert!(without.0 > ideal.0 && without.1 == ideal.1, "{slow:?}: {without:?} against {ideal:?}");
        assert!(with.1 < without.1, "{slow:?}: {with:?} against {without:?}");
        // A kernel that hardly waits for DDR3 gains nothing.
        let most = if slow == MemoryTiming::Dram(DDR3) { without.0 * 101 / 100 } else { without.0 - 1 };
        assert!(with.0 <= most, "{slow:?}: {with:?} against {without:?}");
    }
}

#[test]
fn memory_is_chosen_on_the_command_line() {
    let launch = support::kernel("vector_add");
    let launch = launch.to_str().expect("plain text");
    let run = |options: &[&str]| -> serde_json::Value {
        let fixed = ["run", launch, "--on", "rtl", "--config", "tiny", "--engine", "native", "--json"];
        serde_json::from_str(&prints(&[&fixed[..], options].concat())).expect("one JSON object")
    };
    let of = |v: &serde_json::Value| {
        (v["cycles"].as_u64().expect("cycles"), v["memory_lines"]["read"].as_u64().expect("lines"))
    };
    let plain = of(&run(&[]));
    assert_eq!(plain, of(&run(&["--memory-model", "ideal"])));
    assert_eq!(plain, of(&run(&["--memory-latency", "1"])));
    for slow in [["--memory-latency", "50"], ["--memory-model", "sdram"], ["--memory-model", "ddr3"]] {
        assert!(of(&run(&slow)).0 > plain.0, "{slow:?}");
    }
    assert!(of(&run(&["--set", "l1_bytes=1024"])).1 < plain.1);
}

#[test]
fn wrong_caches_and_memories_are_refused() {
    let emit = |set: &[&str]| {
        let set: Vec<&str> = set.iter().flat_map(|s| ["--set", s]).collect();
        refuses(&[&["emit", "--out", "target/never"][..], &set].concat(), &[])
    };
    assert!(emit(&["l1_bytes=512"]).contains("l1_bytes = 512 is impossible: 0 or a power of two from 1024 to 65536"));
    assert!(emit(&["l2_bytes=3000"]).contains("l2_bytes = 3000 is impossible: 0 or a power of two from 1024 to 262144"));
    assert!(emit(&["cache_ways=3"]).contains("cache_ways = 3 is impossible: 1, 2 or 4"));
    assert!(emit(&["l1_bytes=lots"]).contains("l1_bytes is 0 or a power of two"));
    for several in [["isa=fermi", "sms=2", "l1_bytes=1024"], ["level=sm11", "sms=2", "l1_bytes=1024"]] {
        assert!(emit(&several).contains("set l2_bytes, or sms = 1"), "{several:?}");
    }
    assert!(emit(&["l2_bytes=262144", "cache_ways=1"]).contains("8192 sets to be cleared; 4096 at most"));
    assert!(emit(&["l2_bytes=262144", "watchdog=4096"]).contains("4096 sets of the cache to be cleared: 4352 or more"));
    let launch = support::kernel("vector_add");
    let launch = launch.to_str().expect("plain text");
    refuses(
        &["run", launch, "--memory-latency", "9"],
        &["--memory-latency says what memory is simulated behind a chip; add --on rtl"],
    );
    for (args, says) in [
        (&["run", launch, "--on", "rtl", "--memory-latency", "0"][..], "1..=10000"),
        (&["run", launch, "--memory-latency", "9", "--memory-model", "sdram"], "cannot be used with"),
        (&["cosim", launch, "--memory-model", "flash"], "ideal, sdram, ddr3"),
        (&["bench", "--check", "--memory-latency", "9"], "cannot be used with"),
    ] {
        let (code, out, err) = outcome(&warpsmith(args));
        assert!(code == 2 && out.is_empty() && err.contains(says), "{args:?}: {err}");
    }
}
