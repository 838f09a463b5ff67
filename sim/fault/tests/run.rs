//! The driver, with a fault simulator that needs no chip.

use crate::support;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{campaign, control, go, meta, sites, whole, Dummy, Trouble};
use warpsmith_fault::run::{run, Work};
use warpsmith_fault::slurm::{part, select};
use warpsmith_fault::{FaultError, FaultOutcome, Record, Store};

const FAST: Duration = Duration::ZERO;

#[test]
fn the_number_of_workers_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(2_000);
    let one = whole(&c, &dir.path().join("1.db")).records().unwrap();
    for workers in [2, 5] {
        let path = dir.path().join(format!("{workers}.db"));
        let mut store = Store::open(&path, &meta(&c)).unwrap();
        let done = go(&c.rows, &mut store, workers, FAST, Trouble::None).unwrap();
        assert_eq!((done.ran, done.before, done.done()), (2_000, 0, 2_000));
        assert_eq!(done.classes.values().sum::<u64>(), 2_000);
        assert_eq!(store.records().unwrap(), one);
    }
}

#[test]
fn a_run_that_was_cut_short_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(400);
    let path = dir.path().join("r.db");
    let mut store = Store::open(&path, &meta(&c)).unwrap();
    let work = Work {
        rows: &c.rows,
        sites: &sites(),
        simulator: &|| Ok(Box::new(Dummy { trouble: Trouble::None, time: Duration::from_millis(2) })),
        ran_on: warpsmith_fault::RanOn::Engine(warpsmith_fault::Engine::Verilator),
        side_by_side: false,
        workers: 2,
        time: Some(Duration::from_millis(100)),
        stop: || false,
    };
    let first = run(&work, Ok(control()), &mut store, &mut |_| {}).unwrap();
    assert!(0 < first.ran && first.ran < 400, "{first:?}");
    drop(store);
    let mut store = Store::open(&path, &meta(&c)).unwrap();
    let second = go(&c.rows, &mut store, 2, FAST, Trouble::None).unwrap();
    assert_eq!((second.before, second.ran), (first.ran, 400 - first.ran));
    let uncut = whole(&c, &dir.path().join("uncut.db"));
    assert_eq!(store.records().unwrap(), uncut.records().unwrap());
}

/// The child of the next test; it is killed.
#[test]
#[ignore = "started by a_kill_loses_nothing_that_was_committed"]
fn child_that_is_killed() {
    let Some(path) = std::env::var_os("WARPSMITH_TEST_RESULTS") else { return };
    let c = campaign(3_000);
    let mut store = Store::open(Path::new(&path), &meta(&c)).unwrap();
    let time = Duration::from_millis(1);
    go(&c.rows, &mut store, 2, time, Trouble::None).unwrap();
}

#[test]
fn a_kill_loses_nothing_that_was_committed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.db");
    let c = campaign(3_000);
    let mut seen = 0;
    for kill in 0..4 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--ignored", "run::child_that_is_killed"])
            .env("WARPSMITH_TEST_RESULTS", &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        // The first is killed anywhere from its start on, the others once they have got further.
        let more = |seen: usize| {
            let store = Store::open_read(&path).ok();
            store.is_some_and(|s| s.done().unwrap().len() > seen)
        };
        while begun.elapsed() < Duration::from_secs(20) && (kill == 0 || !more(seen)) {
            std::thread::sleep(Duration::from_millis(20));
            if kill == 0 && path.exists() {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if kill > 0 {
            let done = Store::open_read(&path).unwrap().done().unwrap().len();
            assert!(seen < done, "{done} rows, {seen} before kill {kill}");
            seen = done;
        }
    }
    assert!(seen < 3_000, "killed before the end");
    let mut store = Store::open(&path, &meta(&c)).unwrap();
    let done = go(&c.rows, &mut store, 2, FAST, Trouble::None).unwrap();
    assert_eq!((done.before, done.done()), (seen as u64, 3_000));
    let uncut = whole(&c, &dir.path().join("uncut.db"));
    assert_eq!(store.records().unwrap(), uncut.records().unwrap());
}

#[test]
fn an_error_or_a_panic_of_a_simulator_keeps_what_is_done() {
    for (trouble, what) in [(Trouble::Error(300), "no memory at cycle 300"), (Trouble::Panic(300), "cycle 300 is odd")]
    {
        let dir = tempfile::tempdir().unwrap();
        let c = campaign(601);
        let mut store = Store::open(&dir.path().join("r.db"), &meta(&c)).unwrap();
        let e = go(&c.rows, &mut store, 2, Duration::from_micros(200), trouble).unwrap_err();
        assert!(e.to_string().contains(what), "{e}");
        let done = store.done().unwrap();
        assert!((200..600).contains(&done.len()), "{} rows", done.len());
        let bad = c.rows.iter().find(|r| r.fault.cycle == 300).unwrap();
        assert!(!done.contains(&bad.row));
        let after = go(&c.rows, &mut store, 2, FAST, Trouble::None).unwrap();
        assert_eq!(after.done(), 601);
    }
}

#[test]
fn a_simulator_that_cannot_be_made_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(10);
    let mut store = Store::open(&dir.path().join("r.db"), &meta(&c)).unwrap();
    let work = Work {
        rows: &c.rows,
        sites: &sites(),
        simulator: &|| Err(FaultError::Ask("no Verilator".into())),
        ran_on: warpsmith_fault::RanOn::Engine(warpsmith_fault::Engine::Verilator),
        side_by_side: false,
        workers: 3,
        time: None,
        stop: || false,
    };
    let e = run(&work, Ok(control()), &mut store, &mut |_| {}).unwrap_err();
    assert_eq!(e.to_string(), "no Verilator");
    assert!(store.done().unwrap().is_empty());
}

#[test]
fn without_a_control_run_nothing_runs() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(10);
    let mut store = Store::open(&dir.path().join("r.db"), &meta(&c)).unwrap();
    let work = Work {
        rows: &c.rows,
        sites: &sites(),
        simulator: &|| unreachable!("no simulator is made"),
        ran_on: warpsmith_fault::RanOn::Engine(warpsmith_fault::Engine::Verilator),
        side_by_side: false,
        workers: 1,
        time: None,
        stop: || false,
    };
    let failed = Err(FaultError::Control("word 3 is wrong".into()));
    let e = run(&work, failed, &mut store, &mut |_| {}).unwrap_err();
    assert!(e.to_string().contains("word 3"), "{e}");
    assert_eq!(store.control().unwrap(), None);
    // One that is not the one stored.
    store.set_control(&control()).unwrap();
    let e = run(&work, Ok(Record::of(FaultOutcome::Masked, 1_001)), &mut store, &mut |_| {}).unwrap_err();
    assert!(matches!(e, FaultError::Control(_)), "{e}");
    assert!(e.to_string().contains("cycles 1000, not 1001"), "{e}");
    assert!(store.done().unwrap().is_empty());
}

#[test]
fn a_campaign_without_activation_is_an_error_once_complete() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(40);
    let mut store = Store::open(&dir.path().join("r.db"), &meta(&c)).unwrap();
    go(&c.rows[..39], &mut store, 1, FAST, Trouble::Idle).unwrap();
    store.check_activation().unwrap();
    go(&c.rows, &mut store, 1, FAST, Trouble::Idle).unwrap();
    let e = store.check_activation().unwrap_err().to_string();
    assert!(e.contains("no fault of the campaign was activated"), "{e}");
    whole(&c, &dir.path().join("w.db")).check_activation().unwrap();
}

#[test]
fn a_part_appears_whole_and_may_run_twice() {
    let dir = tempfile::tempdir().unwrap();
    let c = campaign(100);
    let path = dir.path().join("part.db");
    let rows = select(&c.rows, "10-20,30-31").unwrap();
    let run = |rows: &[warpsmith_fault::Row], trouble| {
        let work = Work {
            rows,
            sites: &sites(),
            simulator: &|| Ok(Box::new(Dummy { trouble, time: FAST })),
            ran_on: warpsmith_fault::RanOn::Engine(warpsmith_fault::Engine::Verilator),
            side_by_side: false,
            workers: 1,
            time: None,
            stop: || false,
        };
        part(&work, Ok(control()), &meta(&c), &path, &mut |_| {})
    };
    run(&rows, Trouble::Error(rows[5].fault.cycle)).unwrap_err();
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0, "nothing is left");
    assert_eq!(run(&rows, Trouble::None).unwrap().ran, 11);
    let before = std::fs::read(&path).unwrap();
    assert_eq!(run(&rows, Trouble::None).unwrap().before, 11);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    let e = run(&c.rows[50..60], Trouble::None).unwrap_err().to_string();
    assert!(e.contains("something else"), "{e}");
    let mut store = Store::open(&dir.path().join("r.db"), &meta(&c)).unwrap();
    assert_eq!(store.merge(&path).unwrap(), 11);
}
