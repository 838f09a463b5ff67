//! A campaign of 2,000 faults through the program: killed and resumed, repeated, with and without
//! checkpoints; on one worker and two; changed files are refused and nothing is lost.

use crate::support;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{kernel, outcome, prints, tools, warpsmith, SIMULATION};
use warpsmith_fault::{FaultOutcome, Record, Store};
use warpsmith_testkit::slurm::Cluster;

const FAULTS: &str = "2000";

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

#[track_caller]
fn refuses(args: &[&str], fragments: &[&str]) {
    let (code, out, err) = outcome(&warpsmith(args));
    assert_eq!(code, 2, "{args:?}: {err}");
    assert_eq!(out, "", "{args:?}");
    for f in fragments {
        assert!(err.contains(f), "'{f}' is missing in: {err}");
    }
}

/// Draws faults of the models into a file.
fn plan(folder: &Path, name: &str, kinds: &[&str], count: &str, seed: &str) -> PathBuf {
    let path = folder.join(name);
    let launch = kernel("vector_add");
    let mut args = vec!["fault", "plan", text(&launch), "--config", "tiny"];
    for kind in kinds {
        args.extend(["--kind", kind]);
    }
    args.extend(["--count", count, "--seed", seed, "-o", text(&path)]);
    prints(&args);
    path
}

fn records(results: &Path) -> BTreeMap<u64, Record> {
    Store::open_read(results).unwrap().records().unwrap()
}

/// What does not depend on where a run began and stopped.
fn without_effort(mut records: BTreeMap<u64, Record>) -> BTreeMap<u64, Record> {
    for r in records.values_mut() {
        r.simulated = 0;
    }
    records
}

#[test]
fn killed_resumed_repeated_and_without_checkpoints_a_campaign_gives_the_same_table() {
    if !tools(&SIMULATION) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let models = ["seu", "stuck-at", "transient", "intermittent"];
    let campaign = plan(folder.path(), "campaign.csv", &models, FAULTS, "7");
    let run = ["fault", "run", text(&campaign)];

    // Uninterrupted.
    let whole = at("whole.db");
    let said = prints(&[&run[..], &["--results", text(&whole)]].concat());
    assert!(said.contains("0 were there"), "{said}");
    let table = records(&whole);
    assert!(table.len() >= 2000, "{} rows", table.len());
    let of = |o| table.values().filter(|r| r.outcome == o).count();
    assert!(of(FaultOutcome::Masked) > of(FaultOutcome::Sdc) && of(FaultOutcome::Sdc) > 20);
    assert!(of(FaultOutcome::Due) > 5 && of(FaultOutcome::NotActivated) > 0);

    // Killed as soon as some rows are there, and resumed; slow, so that the kill comes in time.
    let killed = at("killed.db");
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpsmith"))
        .args(run)
        .args(["--results", text(&killed), "--jobs", "1"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let some = || Store::open_read(&killed).and_then(|s| s.done()).map_or(0, |d| d.len());
    while some() < 200 && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(600), "no rows came");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = records(&killed);
    assert!(!kept.is_empty() && kept.len() < table.len(), "{}", kept.len());
    assert!(kept.iter().all(|(row, r)| table[row] == *r));
    let said = prints(&[&run[..], &["--results", text(&killed), "--jobs", "2"]].concat());
    assert!(!said.contains(" 0 were there"), "{said}");
    assert_eq!(records(&killed), table);

    // Again, from a plan of the same seed, on one worker; another seed is another campaign.
    let again = plan(folder.path(), "again.csv", &models, FAULTS, "7");
    prints(&["fault", "run", text(&again), "--jobs", "1"]);
    assert_eq!(records(&at("again.db")), table);

    // From the beginning every time, and to the end.
    let slow = at("slow.db");
    prints(&[&run[..], &["--no-checkpoints", "--no-early-stop", "--results", text(&slow)]].concat());
    let slow = records(&slow);
    let effort = |t: &BTreeMap<u64, Record>| t.values().map(|r| r.simulated).sum::<u64>();
    assert!(4 * effort(&slow) > 5 * effort(&table), "checkpoints save nothing");
    assert_eq!(without_effort(slow), without_effort(table));

    // A report of it all.
    let json = prints(&["fault", "report", text(&campaign), "--results", text(&whole), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["outcome"], "pass");

    // Two campaigns side by side: of one seed they agree in every cell.
    let (one, two) = (at("again.csv"), at("twice.csv"));
    std::fs::copy(&one, &two).unwrap();
    std::fs::copy(at("again.db"), at("twice.db")).unwrap();
    let page = at("compare.html");
    let compare = ["fault", "compare", text(&one), text(&two), "--json", "--html"];
    let json = prints(&[&compare[..], &[text(&page)]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert!(rows.len() > 5 && rows.iter().all(|r| r["cells"][0] == r["cells"][1]));
    assert!(std::fs::read_to_string(page).unwrap().contains("</html>"));
    let table = prints(&["fault", "compare", text(&one), "--by", "class", "--markdown"]);
    assert!(table.contains("| AVF | "), "{table}");
    std::fs::remove_file(at("twice.db")).unwrap();
    refuses(&["fault", "compare", text(&one), text(&two)], &["twice.db"]);
}

#[test]
fn what_has_changed_is_refused_and_nothing_is_lost() {
    if !tools(&SIMULATION) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let campaign = plan(folder.path(), "campaign.csv", &["seu"], "50", "1");
    prints(&["fault", "run", text(&campaign)]);
    let results = folder.path().join("campaign.db");
    let table = records(&results);
    let original = std::fs::read_to_string(&campaign).unwrap();
    let rewrite = |find: &str, replace: &str| {
        assert!(original.contains(find), "{find}");
        std::fs::write(&campaign, original.replacen(find, replace, 1)).unwrap();
    };

    // A row edited.
    let line = original.lines().last().unwrap();
    rewrite(line, &line.replacen("seu", "mbu", 1));
    refuses(&["fault", "run", text(&campaign)], &["campaign.csv"]);
    // The same as a list of one's own: it is not the campaign of these results.
    let digest = original.lines().find(|l| l.starts_with("# rows")).unwrap();
    let own = original.replacen(digest, "#", 1).replacen("# seed = 1", "# seed = 2", 1);
    std::fs::write(&campaign, own).unwrap();
    refuses(&["fault", "run", text(&campaign)], &["campaign.db"]);
    // A site that is not there.
    let site = line.split(',').nth(1).unwrap();
    rewrite(site, &format!("{site}x"));
    refuses(&["fault", "run", text(&campaign)], &["campaign.csv"]);
    // Another chip, another launch.
    let chip = original.lines().find(|l| l.starts_with("# chip")).unwrap();
    rewrite(chip, &chip.replace(['0', '1', '2'], "3"));
    refuses(&["fault", "run", text(&campaign)], &["campaign.csv", "the chip has changed"]);
    refuses(&["fault", "report", text(&campaign)], &["the chip has changed"]);
    let program = original.lines().find(|l| l.starts_with("# program")).unwrap();
    rewrite(program, &program.replace(['0', '1', '2'], "3"));
    refuses(&["fault", "run", text(&campaign)], &["the launch has changed"]);
    rewrite("# config = tiny", "# config = tinier");
    refuses(&["fault", "run", text(&campaign)], &["tinier"]);

    std::fs::write(&campaign, &original).unwrap();
    assert_eq!(records(&results), table);
    let said = prints(&["fault", "run", text(&campaign)]);
    assert!(said.contains("0 run now"), "{said}");
    assert_eq!(records(&results), table);
}

#[test]
fn a_list_made_by_hand_runs() {
    if !tools(&SIMULATION) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let campaign = folder.path().join("mine.csv");
    let launch = kernel("vector_add");
    let list = |rows: &str| {
        let head = format!("# warpsmith campaign 1\n# config = tiny\n# launch = {}\n", text(&launch));
        std::fs::write(&campaign, format!("{head}site,bit,cycle,kind\n{rows}")).unwrap();
    };
    list("u_sm_0.u_warps.live,0,5,stuck-at-0\nu_sm_0.u_warps.live,0,5,seu\n");
    prints(&["fault", "run", text(&campaign)]);
    assert_eq!(records(&folder.path().join("mine.db")).len(), 2);

    // Nothing ever changes: a campaign that shows nothing is an error.
    std::fs::remove_file(folder.path().join("mine.db")).unwrap();
    list("u_launch.u_counters.u_sums.mem,63,0,stuck-at-0\n");
    refuses_after_running(&["fault", "run", text(&campaign)], "activated");
    list("u_sm_0.u_warps.lives,0,5,seu\n");
    refuses(&["fault", "run", text(&campaign)], &["mine.csv:5", "u_sm_0.u_warps.live"]);
}

/// Exit code 2 although the rows were run.
#[track_caller]
fn refuses_after_running(args: &[&str], fragment: &str) {
    let (code, _, err) = outcome(&warpsmith(args));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains(fragment), "{err}");
}

/// A cluster of this machine gives, row by row, what the machine alone gives.
#[test]
fn a_cluster_gives_the_same_table() {
    if !tools(&SIMULATION) {
        return;
    }
    let Some(cluster) = Cluster::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let campaign = plan(folder.path(), "campaign.csv", &["seu", "stuck-at"], FAULTS, "11");
    prints(&["fault", "run", text(&campaign)]);
    let alone = records(&folder.path().join("campaign.db"));
    let results = folder.path().join("cluster.db");
    let output = Command::new(env!("CARGO_BIN_EXE_warpsmith"))
        .args(["fault", "run", text(&campaign), "--engine", "slurm"])
        .args(["--task-seconds", "1", "--no-early-stop", "--no-checkpoints"])
        .args(["--results", text(&results)])
        .env("SLURM_CONF", cluster.conf())
        .output()
        .unwrap();
    let (code, out, err) = outcome(&output);
    assert_eq!(code, 0, "{out}{err}");
    let tasks = cluster.command("squeue", &["-h", "-t", "all", "-r", "-o", "%K %T"]);
    let completed = tasks.lines().filter(|l| l.ends_with("COMPLETED")).count();
    assert!(completed > 1, "the cluster ran: {tasks:?}");
    assert_eq!(without_effort(records(&results)), without_effort(alone));
}

/// Kernels with atomic accesses, locks, shuffles, doubles, textures and `printf`.
const OF_COMPUTE: [&str; 7] = [
    "sm11/histogram/launch.toml",
    "sm12/histogram/launch.toml",
    "sm11/bfs/launch.toml",
    "warp_reduction/by_groups_cu.toml",
    "spmv/by_thread_double_cu.toml",
    "textured_convolution/textured_convolution_cl.toml",
    "printing/printing_cl.toml",
];

#[test]
#[ignore = "long: 1,400 faults of seven kernels"]
fn kernels_of_compute_have_campaigns() {
    let folder = tempfile::tempdir().unwrap();
    for (i, name) in OF_COMPUTE.iter().enumerate() {
        let (launch, file) = (support::root().join("kernels").join(name), folder.path().join(format!("{i}.csv")));
        let plan = ["fault", "plan", text(&launch), "--config", "compute", "--engine", "native", "--kind", "seu"];
        prints(&[&plan[..], &["--count", "200", "--seed", "3", "-o", text(&file)]].concat());
        prints(&["fault", "run", text(&file), "--engine", "native"]);
        let found = records(&file.with_extension("db"));
        let masked = found.values().filter(|r| r.outcome == FaultOutcome::Masked).count();
        assert!(found.len() == 200 && masked > 150, "{name}: {} records, {masked} masked", found.len());
    }
}
