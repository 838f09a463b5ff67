//! Array tasks on a cluster of this machine alone, with a fault simulator that needs no chip.
//!
//! The process that submits and the tasks are this test program again, started with the name of an
//! ignored test: the first so that it can be killed, the others because the cluster starts them.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{campaign, control, meta, sites, whole, Dummy, Trouble};
use warpsmith_fault::run::Work;
use warpsmith_fault::slurm::{self, part, select};
use warpsmith_fault::{Row, Store};
use warpsmith_testkit::slurm::Cluster;

/// More than the process that submits runs itself to measure the rate.
const ROWS: u64 = 1_200;
const DIR: &str = "WARPSMITH_TEST_DIR";

fn with_work<T>(rows: &[Row], f: impl FnOnce(&Work) -> T) -> T {
    let simulator = || {
        Ok(Box::new(Dummy { trouble: Trouble::None, time: Duration::from_millis(4) })
            as Box<dyn warpsmith_fault::FaultSimulator>)
    };
    f(&Work {
        rows,
        sites: &sites(),
        simulator: &simulator,
        ran_on: warpsmith_fault::RanOn::Engine(warpsmith_fault::Engine::Verilator),
        side_by_side: false,
        workers: 1,
        time: None,
        stop: || false,
    })
}

#[test]
#[ignore = "the process that submits, started by the tests below"]
fn submitter() {
    let Some(dir) = std::env::var_os(DIR).map(PathBuf::from) else { return };
    let c = campaign(ROWS);
    let mut store = Store::open_on_network(&dir.join("r.db"), &meta(&c)).unwrap();
    let command = [dir.join("task.sh").display().to_string(), "an 'argument".into()];
    let cluster = slurm::Cluster { command: &command, task_seconds: 1, sbatch: &["--comment=a test".into()] };
    let done = with_work(&c.rows, |work| slurm::run(&cluster, work, Ok(control()), &mut store, &mut |_| {}));
    match done {
        Ok(p) => assert_eq!((p.done(), p.classes.values().sum()), (ROWS, ROWS)),
        Err(e) => {
            eprintln!("warpsmith: {e}");
            std::process::exit(2);
        }
    }
}

#[test]
#[ignore = "a task of the cluster"]
fn task() {
    let Ok(arguments) = std::env::var("WARPSMITH_TEST_TASK") else { return };
    // Of the environment comes what a task needs, and no more.
    assert_eq!(std::env::var("WARPSMITH_CACHE").as_deref(), Ok("it's a cache"));
    assert!(std::env::var_os("NOT_FOR_TASKS").is_none());
    let words: Vec<&str> = arguments.lines().collect();
    let ["an 'argument", "--jobs", "1", "--rows", rows, "--results", results] = words[..] else {
        panic!("{words:?}");
    };
    let c = campaign(ROWS);
    let rows = select(&c.rows, rows).unwrap();
    let path = Path::new(results);
    with_work(&rows, |work| {
        part(work, Ok(control()), &meta(&c), path, &mut |_| {}).unwrap();
    });
}

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The program of a task: `first`, then this program.
fn task_program(dir: &Path, first: &str) {
    let me = std::env::current_exe().unwrap();
    let text = format!(
        "{first}\nWARPSMITH_TEST_TASK=$(printf '%s\\n' \"$@\") exec '{}' --exact --ignored slurm::task",
        me.display()
    );
    script(&dir.join("task.sh"), &text);
}

fn submit(dir: &Path) -> Command {
    let mut c = Command::new(std::env::current_exe().unwrap());
    c.args(["--exact", "--ignored", "--nocapture", "slurm::submitter"])
        .env(DIR, dir)
        .env("WARPSMITH_CACHE", "it's a cache")
        .env("NOT_FOR_TASKS", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    c
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

#[test]
fn a_cluster_gives_the_table_of_one_machine() {
    let Some(cluster) = Cluster::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (dir, folder) = (dir.path(), dir.path().join("r.db.slurm"));
    // Task 1 fails the first time; task 2 is killed in the middle of a run the first time.
    task_program(
        dir,
        &format!(
            "cd '{}'\ncase $SLURM_ARRAY_TASK_ID in\n\
             1) [ -e one ] || {{ touch one; echo 'no such chip' >&2; exit 3; }} ;;\n\
             2) [ -e two ] || {{ touch two; (sleep 0.1; kill -9 $$) & }} ;;\nesac",
            dir.display()
        ),
    );
    // The process that submits is killed when the first task has begun.
    let mut first = submit(dir).env("SLURM_CONF", cluster.conf()).spawn().unwrap();
    let begun = Instant::now();
    while !dir.join("one").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(folder.join("state.json").exists(), "{:?}", first.try_wait());
    first.kill().unwrap();
    first.wait().unwrap();
    let jobs = || cluster.command("squeue", &["-h", "-t", "all", "-o", "%A"]);
    let before = jobs();
    let out = submit(dir).env("SLURM_CONF", cluster.conf()).output().unwrap();
    assert!(out.status.success(), "{}", said(&out));
    assert!(!folder.exists(), "nothing is left");
    assert!(dir.join("two").exists());
    // Queued tasks have not been submitted again, except the two that failed.
    let arrays = cluster.command("squeue", &["-h", "-r", "-t", "all", "-o", "%F %K %T"]);
    let tasks = |n: &str| arrays.lines().filter(|l| l.split(' ').nth(1) == Some(n)).count();
    assert_eq!(tasks("0"), 1, "{arrays}{before}");
    assert_eq!(tasks("1"), 2, "{arrays}");
    assert_eq!(tasks("2"), 2, "{arrays}");
    let c = campaign(ROWS);
    let merged = Store::open_read(&dir.join("r.db")).unwrap();
    let alone = whole(&c, &dir.join("alone.db"));
    assert_eq!(merged.records().unwrap(), alone.records().unwrap());
    assert_eq!(merged.control().unwrap(), alone.control().unwrap());
    // All is done: once more submits nothing.
    let count = jobs().lines().count();
    let out = submit(dir).env("SLURM_CONF", cluster.conf()).output().unwrap();
    assert!(out.status.success(), "{}", said(&out));
    assert_eq!(jobs().lines().count(), count);
}

#[test]
fn a_task_that_always_fails_ends_the_run_and_keeps_what_is_done() {
    let Some(cluster) = Cluster::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    task_program(dir, "[ $SLURM_ARRAY_TASK_ID != 2 ] || { echo 'no Verilator here' >&2; exit 2; }");
    let out = submit(dir).env("SLURM_CONF", cluster.conf()).output().unwrap();
    let text = said(&out);
    assert_eq!(out.status.code(), Some(2), "{text}");
    for part in ["task 2 failed 3 times", "no Verilator here", "log.2.txt"] {
        assert!(text.contains(part), "{text}");
    }
    let done = Store::open_read(&dir.join("r.db")).unwrap().done().unwrap().len();
    assert!((1..ROWS as usize).contains(&done), "{done}");
    // Mended, it goes on.
    task_program(dir, "");
    let out = submit(dir).env("SLURM_CONF", cluster.conf()).output().unwrap();
    assert!(out.status.success(), "{}", said(&out));
    let merged = Store::open_read(&dir.join("r.db")).unwrap();
    let alone = whole(&campaign(ROWS), &dir.join("alone.db"));
    assert_eq!(merged.records().unwrap(), alone.records().unwrap());
}

#[test]
fn without_a_cluster_the_error_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let missing = dir.join("no-such-sbatch");
    let out = submit(dir).env("WARPSMITH_SBATCH", &missing).output().unwrap();
    let text = said(&out);
    assert_eq!(out.status.code(), Some(2), "{text}");
    for part in ["no-such-sbatch is missing", "slurm-client", "WARPSMITH_SBATCH"] {
        assert!(text.contains(part), "{text}");
    }
    // Installed, but this machine is of no cluster.
    let (sbatch, squeue) = (dir.join("sbatch"), dir.join("squeue"));
    script(&squeue, "exit 0");
    let faked = || {
        let mut c = submit(dir);
        c.env("WARPSMITH_SBATCH", &sbatch).env("WARPSMITH_SQUEUE", &squeue).env("WARPSMITH_SCANCEL", &squeue);
        c
    };
    script(&sbatch, "echo 'sbatch: fatal: no configuration' >&2; exit 1");
    let text = said(&faked().output().unwrap());
    assert!(text.contains("no cluster: sbatch: fatal: no configuration"), "{text}");
    // A cluster that refuses.
    script(&sbatch, "[ $1 = --version ] || { echo 'sbatch: error: invalid partition' >&2; exit 1; }");
    let out = faked().output().unwrap();
    let text = said(&out);
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("refuses the job: sbatch: error: invalid partition"), "{text}");
    let kept = Store::open_read(&dir.join("r.db")).unwrap().done().unwrap();
    assert!(!kept.is_empty(), "the rows of the measurement are kept");
}
