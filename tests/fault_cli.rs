//! `warpsmith fault sites` and `plan`: what they print and write, and one error line for every mistake.

use crate::support;
use std::path::{Path, PathBuf};
use support::{kernel, outcome, prints, refuses, tools, warpsmith, SIMULATION};

#[test]
fn sites_are_listed_with_totals() {
    let all = prints(&["fault", "sites", "--config", "tiny"]);
    let json = prints(&["fault", "sites", "--config", "tiny", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("one object");
    let sites = json["sites"].as_array().expect("sites");
    let bits: u64 = sites.iter().filter_map(|s| s["bits"].as_u64()).sum();
    assert!(bits > 100_000 && json["bits"] == bits, "{bits}");
    for group in ["kinds", "blocks"] {
        let parts = json[group].as_object().expect("totals");
        let sum: u64 = parts.values().filter_map(|p| p["bits"].as_u64()).sum();
        assert_eq!(sum, bits, "{group}");
    }
    for s in sites {
        let path = s["site"].as_str().expect("a name");
        assert!(all.contains(path), "{path}");
    }
    let total: Vec<&str> = all.lines().last().expect("a line").split_whitespace().collect();
    assert_eq!(total, ["total", &sites.len().to_string(), &bits.to_string()]);
}

#[test]
fn filters_narrow_and_widen() {
    let count = |more: &[&str]| {
        let args = [&["fault", "sites", "--config", "tiny", "--json"], more].concat();
        let json: serde_json::Value = serde_json::from_str(&prints(&args)).expect("one object");
        json["sites"].as_array().map_or(0, Vec::len)
    };
    let (fetch, warps) = (count(&["--block", "fetch"]), count(&["--block", "warps"]));
    assert!(fetch > 0 && warps > 0);
    assert_eq!(count(&["--block", "fetch", "--block", "warps"]), fetch + warps);
    assert_eq!(count(&["--block", "fetch", "--name", "*.u_fetch.*"]), fetch);
    assert!(count(&["--site-kind", "ram"]) > 0);
    let none = ["fault", "sites", "--block", "fetch", "--site-kind", "ram"];
    refuses(&none, &["--block", "--site-kind"]);
}

#[test]
fn mistakes_of_a_plan_are_refused_before_a_simulation() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("c.csv").display().to_string();
    let launch = kernel("vector_add").display().to_string();
    let plan = |more: &[&str]| -> Vec<String> {
        let args = ["fault", "plan", &launch, "--config", "tiny", "-o", &out];
        args.iter().chain(more).map(|a| a.to_string()).collect()
    };
    for (more, fragments) in [
        (&["--kind", "sue"][..], &["sue", "seu"][..]),
        (&["--kind", "mbu", "--pattern", "adjacent"], &["--pattern adjacent", "adjacent-N"]),
        (&["--kind", "mbu", "--pattern", "adjacent-900"], &["900 bits", "--pattern"]),
        (&["--kind", "seu", "--kind", "seu"], &["--kind seu", "twice"]),
        (&["--kind", "transient", "--duration", "0"], &["--duration"]),
        (&["--kind", "intermittent", "--period", "4"], &["--active", "(4)", "found 8"]),
        (&["--margin", "0"], &["--margin", "between 0 and 1"]),
        (&["--confidence", "95"], &["--confidence", "found 95"]),
        (&["--count", "0"], &["--count"]),
        (&["--weight", "fetch=2"], &["--weight", "--strategy weighted"]),
        (&["--strategy", "weighted"], &["--weight BLOCK=W"]),
        (&["--strategy", "weighted", "--weight", "fetch"], &["--weight fetch", "fetch=4"]),
        (&["--strategy", "weighted", "--weight", "fetsch=2"], &["--weight fetsch", "fetch"]),
        (&["--strategy", "exhaustive", "--count", "4"], &["--count"]),
        (&["--block", "fetsch"], &["no fault site", "--block"]),
        (&["--set", "warps=3"], &["warps"]),
    ] {
        let args = plan(more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, stdout, err) = outcome(&warpsmith(&args));
        assert_eq!((code, stdout.as_str()), (2, ""), "{more:?}: {err}");
        for f in fragments {
            assert!(err.contains(f), "{more:?}: '{f}' is missing in: {err}");
        }
    }
    refuses(&["fault", "plan", "none.toml", "-o", &out], &["none.toml"]);
    let nowhere = format!("{launch}/c.csv");
    refuses(&["fault", "plan", &launch, "-o", &nowhere], &["-o", "cannot be made"]);
    assert_eq!(std::fs::read_dir(dir.path()).expect("read").count(), 0);
}

/// Draws faults of vector_add on `tiny` into a file of a folder.
fn plan(dir: &Path, name: &str, more: &[&str]) -> (PathBuf, String) {
    let path = dir.join(name);
    let (launch, out) = (kernel("vector_add"), path.display().to_string());
    let launch = launch.display().to_string();
    let args = ["fault", "plan", &launch, "--config", "tiny", "-o", &out];
    let printed = prints(&[&args, more].concat());
    (path, printed)
}

#[test]
fn a_plan_is_a_readable_file_that_its_seed_decides() {
    if !tools(&SIMULATION) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let of = |name: &str, seed: &str| {
        let (path, printed) = plan(dir.path(), name, &["--count", "40", "--seed", seed]);
        assert!(printed.contains("40 drawn") && printed.contains("2401"), "{printed}");
        let text = std::fs::read_to_string(path).expect("written");
        // The command differs by the file's name.
        let lines = text.lines().filter(|l| !l.starts_with("# plan"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    let first = of("a.csv", "1");
    assert_eq!(first, of("b.csv", "1"));
    assert_ne!(first, of("c.csv", "2"));
    assert_eq!(first[0], "# warpsmith campaign 1");
    let rows = first.iter().skip_while(|l| l.starts_with('#')).skip(1);
    assert_eq!(rows.filter(|r| r.contains(",seu,")).count(), 40);
    // The launch is found from where the file is.
    let launch = first.iter().find_map(|l| l.strip_prefix("# launch = ")).expect("a launch");
    assert!(dir.path().join(launch).is_file(), "{launch}");
}

#[test]
fn all_stuck_at_faults_of_a_block_are_two_a_bit() {
    if !tools(&SIMULATION) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let more = ["--kind", "stuck-at", "--block", "fetch", "--strategy", "exhaustive", "--no-collapse"];
    let (path, printed) = plan(dir.path(), "s.csv", &more);
    let text = std::fs::read_to_string(path).expect("written");
    let rows = text.lines().filter(|l| l.contains(",stuck-at-")).count();
    let json = prints(&["fault", "sites", "--config", "tiny", "--json", "--block", "fetch", "--site-kind", "reg"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("one object");
    assert_eq!(json["bits"], rows / 2, "{printed}");
    assert_eq!(rows % 2, 0);
}

#[test]
fn a_failing_fault_free_run_exits_with_1() {
    if !tools(&SIMULATION) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let at = |n: &str| dir.path().join(n);
    std::fs::write(at("k.hex"), "f0000001\ne0000001\n").expect("written");
    let text = "program = \"k.hex\"\ngrid = [1, 1]\nblock = [32, 1, 1]\nregisters = 4\nglobal_bytes = 64\n[[expect]]\noffset = 0\nwords = [7]\n";
    std::fs::write(at("l.toml"), text).expect("written");
    let (launch, out) = (at("l.toml").display().to_string(), at("c.csv").display().to_string());
    let args = ["fault", "plan", &launch, "--config", "tiny", "-o", &out];
    let (code, stdout, err) = outcome(&warpsmith(&args));
    assert_eq!((code, stdout.as_str()), (1, ""), "{err}");
    assert!(err.contains("fault-free control run failed"), "{err}");
    assert!(!at("c.csv").exists());
}

/// Damage of any kind is said once, with the file and what to do.
#[test]
fn damaged_results_are_said_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (campaign, db) = (path("c.csv"), path("c.db"));
    let launch = kernel("vector_add").display().to_string();
    prints(&["fault", "plan", &launch, "--config", "tiny", "--count", "400", "--engine", "native", "-o", &campaign]);
    prints(&["fault", "run", &campaign, "--engine", "native"]);
    assert!(!Path::new(&path("c.db.lock")).exists(), "locks go with a run");
    let good = std::fs::read(&db).expect("results");
    let garbage = |from: usize, to: usize| {
        let mut bytes = good.clone();
        bytes[from..to].fill(0xa5);
        bytes
    };
    for (what, bytes) in [
        ("cut", good[..good.len() / 2].to_vec()),
        ("cut in the first page", good[..1000].to_vec()),
        ("another beginning", garbage(0, 16)),
        ("a page of garbage", garbage(4096, 8192)),
        ("the catalogue of garbage", garbage(100, 4096)),
        ("the end of garbage", garbage(good.len() / 2, good.len())),
    ] {
        for command in ["report", "run"] {
            std::fs::write(&db, &bytes).expect("written");
            let (code, out, err) = outcome(&warpsmith(&["fault", command, &campaign]));
            assert_eq!((code, out.as_str()), (2, ""), "{what}: {err}");
            let said = err.lines().filter(|l| !l.starts_with("engine: "));
            assert_eq!(said.count(), 1, "{what}: {err}");
            assert_eq!(err.matches("c.db").count(), 1, "{what}: {err}");
            assert!(err.contains("--results"), "{what}: {err}");
            let why = err.trim_end().rsplit(": ").next().unwrap_or_default();
            assert_eq!(err.matches(why).count(), 1, "{what}: {err}");
        }
        assert!(!Path::new(&path("c.db.lock")).exists(), "{what}");
    }
}

/// The archive stays where it is; what it was unpacked to in the cache may go.
#[test]
fn a_campaign_of_an_archive_names_the_archive() {
    let dir = support::Scratch::new("archive");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (archive, campaign) = (path("k.tar.gz"), path("c.csv"));
    let launch = kernel("collatz").display().to_string();
    prints(&["package", "launch", &launch, "--config", "tiny", "-o", &archive]);
    prints(&["fault", "plan", &archive, "--count", "3", "--seed", "1", "--engine", "native", "-o", &campaign]);
    let text = std::fs::read_to_string(&campaign).expect("written");
    assert!(text.contains("./k.tar.gz") && !text.contains("/chip/"), "{text}");
    let cache = path("cache");
    let run = support::warpsmith_with(&["fault", "run", &campaign, "--engine", "native"], |c| {
        c.env("WARPSMITH_CACHE", &cache)
    });
    let (code, out, err) = outcome(&run);
    assert_eq!(code, 0, "{out}{err}");
    // A file that is no archive of a chip is none for `--config` either.
    std::fs::write(dir.path().join("bad.tar.gz"), [0x1f, 0x8b, 0]).expect("written");
    refuses(&["emit", "--config", &path("bad.tar.gz"), "--out", "target/never"], &["bad.tar.gz", "no launch archive"]);
}
