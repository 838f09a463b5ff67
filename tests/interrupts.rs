//! Ctrl-C and SIGTERM: results are shown, the exit code is 130, and the tools that were started end too.

use crate::support::{self, outcome, warpsmith_with, Scratch};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program in a folder; `env` gives it back the signals that whoever runs the tests may ignore.
fn program(dir: &Path, args: &str) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_warpsmith")]);
    command.args(args.split_whitespace());
    command.current_dir(dir);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

/// Waits until `there` holds; minutes are too long.
fn until(what: &str, mut there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_secs(240), "waiting for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn ended(child: Child) -> (i32, String, String) {
    let begun = Instant::now();
    let out: Output = child.wait_with_output().expect("it ends");
    let result = outcome(&out);
    assert!(begun.elapsed() < Duration::from_secs(240), "{result:?}");
    result
}

/// A script in the folder.
fn script(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it may be run");
    path.display().to_string()
}

/// A tool that never ends by itself, with a child of its own; both write their numbers into `pids`.
fn endless(dir: &Path) -> String {
    let pids = dir.join("pids");
    format!("sleep 600 &\necho $$ $! > '{0}.part'; mv '{0}.part' '{0}'\nwait", pids.display())
}

/// Whether a process runs; one that nobody has waited for yet does not.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|s| s.chars().next());
    state.is_some_and(|s| s != 'Z')
}

/// Ends `child`, which has started [`endless`], by SIGTERM: the tool and its child are gone.
fn ends_its_tools(dir: &Path, child: Child) -> (i32, String, String) {
    let file = dir.join("pids");
    until("the tool", || file.is_file());
    let pids = std::fs::read_to_string(&file).expect("readable");
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert!(pids.len() == 2 && pids.iter().all(|p| runs(p)), "{pids:?}");
    signal(&child, "TERM");
    let result = ended(child);
    until("the end of the tool", || !pids.iter().any(|p| runs(p)));
    result
}

#[test]
fn random_programs_stop_with_their_report() {
    let dir = Scratch::new("interrupt");
    let line = "cosim --random 1000000000 --seed 5 --engine native --config tiny --coverage c.html --json";
    let mut child = program(dir.path(), line).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let first = lines.next().expect("a line").expect("text");
    assert!(first.contains("seed 0x5"), "{first}");
    std::thread::sleep(Duration::from_secs(2));
    signal(&child, "INT");
    let (code, out, _) = ended(child);
    assert_eq!(code, 130, "{out}");
    let report: serde_json::Value = serde_json::from_str(&out).expect("one object");
    assert_eq!(report["stopped"], true);
    assert_eq!(report["outcome"], "pass");
    let (programs, done) = (&report["programs"], &report["warp_instructions"]);
    let (programs, done) = (programs.as_u64().unwrap_or(0), done.as_u64().unwrap_or(0));
    assert!(programs > 0 && done > 0, "{out}");
    let details = report["details"][0].as_str().expect("how to go on");
    let left = 1_000_000_000 - done;
    let next = format!("--random {left} --seed {:#x} --config tiny", 5 + programs);
    assert!(details.contains(&next), "{details}");
    let page = std::fs::read_to_string(dir.path().join("c.html")).expect("the page");
    assert!(page.contains("stopped before the end"));
}

#[test]
fn a_campaign_stops_and_goes_on() {
    let dir = Scratch::new("interrupt");
    let kernel = support::kernel("vector_add");
    let plan = format!("fault plan {} --config tiny --count 100000 --engine native -o c.csv", kernel.display());
    let args: Vec<&str> = plan.split_whitespace().collect();
    let (code, _, err) = outcome(&warpsmith_with(&args, |c| c.current_dir(dir.path())));
    assert_eq!(code, 0, "{err}");
    let line = "fault run c.csv --engine native --jobs 1";
    let child = program(dir.path(), line).spawn().expect("it starts");
    until("results", || dir.path().join("c.db-wal").is_file());
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "TERM");
    let (code, out, err) = ended(child);
    assert_eq!(code, 130, "{out}{err}");
    assert!(out.starts_with("100 000 faults, "), "{out}");
    assert!(err.contains("the same command goes on"), "{err}");
    let names = std::fs::read_dir(dir.path()).expect("a folder");
    let mut names: Vec<String> = names.map(|e| e.expect("readable").file_name().to_string_lossy().into()).collect();
    names.sort();
    assert_eq!(names, ["c.csv", "c.db"]);
    let args: Vec<&str> = line.split_whitespace().collect();
    let (code, out, err) = outcome(&warpsmith_with(&args, |c| c.current_dir(dir.path())));
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains(", 0 were there"), "{out}");
}

#[test]
fn the_benchmarks_stop_with_their_rows() {
    let dir = Scratch::new("interrupt");
    for name in ["kernels", "sim"] {
        let link = dir.path().join(name);
        std::os::unix::fs::symlink(support::root().join(name), link).expect("a link");
    }
    let line = "bench --config default --config wide --suite kernels --engine native --out pages";
    // How long the first row takes depends on what else runs here.
    for seconds in [2, 4, 8, 16, 32] {
        let child = program(dir.path(), line).spawn().expect("it starts");
        until("the first case", || dir.path().join("pages").is_dir());
        std::thread::sleep(Duration::from_secs(seconds));
        signal(&child, "TERM");
        let (code, out, err) = ended(child);
        assert_eq!(code, 130, "{out}{err}");
        let said = err.lines().last().unwrap_or_default();
        assert!(said.contains("stopped after ") && said.contains("--filter"), "{err}");
        let file = dir.path().join("pages/results.json");
        if said.contains("stopped after 0 of ") {
            assert!(!file.exists() && out.is_empty(), "{out}");
            continue;
        }
        let text = std::fs::read_to_string(file).expect("the rows");
        let results: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let rows = results["rows"].as_array().expect("rows").len();
        assert!(said.contains(&format!("stopped after {rows} of ")), "{said}");
        let page = std::fs::read_to_string(dir.path().join("pages/README.md")).expect("the page");
        assert!(page.contains(&format!("**Stopped after {rows} of ")), "{page}");
        return;
    }
    panic!("no row in half a minute");
}

#[test]
fn a_synthesis_ends_its_tools() {
    let dir = Scratch::new("interrupt");
    let bin = dir.path().join("bin");
    std::fs::create_dir(&bin).expect("made");
    let text = format!("[ \"$1\" = -V ] && echo Yosys 0.0 && exit\n{}", endless(dir.path()));
    script(&bin, "yosys", &text);
    let path = std::env::var("PATH").unwrap_or_default();
    let child = program(dir.path(), "synth --target xilinx --config tiny --out area")
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("WARPSMITH_CACHE", dir.path().join("cache"))
        .env("WARPSMITH_PYTHON", dir.path())
        .spawn()
        .expect("it starts");
    let (code, out, err) = ends_its_tools(dir.path(), child);
    assert_eq!((code, out.as_str()), (130, ""), "{err}");
    let said = err.lines().last().unwrap_or_default();
    assert!(said.contains("stopped in stage ") && said.contains("area"), "{err}");
    assert!(!dir.path().join("area/report.md").exists());
}

#[test]
fn a_build_ends_its_tools_and_leaves_nothing() {
    let dir = Scratch::new("interrupt");
    let text = format!(
        "[ \"$1\" = --version ] && echo Verilator 5.006 2023-01-22 && exit\n[ \"$1\" = --getenv ] && echo / && exit\n{}",
        endless(dir.path())
    );
    let verilator = script(dir.path(), "verilator", &text);
    let cache = dir.path().join("cache");
    let kernel = support::kernel("vector_add");
    let line = format!("run {} --on rtl --engine verilator --config tiny", kernel.display());
    let child = program(dir.path(), &line)
        .env("WARPSMITH_VERILATOR", verilator)
        .env("WARPSMITH_CACHE", &cache)
        .spawn()
        .expect("it starts");
    let (code, out, err) = ends_its_tools(dir.path(), child);
    assert_eq!((code, out.as_str()), (130, ""), "{err}");
    let mut left = vec![];
    walk(&cache, &mut left);
    // The Verilog stays; no lock, no half-built simulation does.
    let odd = |name: &&String| name.contains(".lock") || !name.contains("/emitted/");
    assert_eq!(left.iter().find(odd), None);
}

fn walk(dir: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => walk(&path, found),
            false => found.push(path.display().to_string()),
        }
    }
}

#[test]
fn a_compilation_ends_clang() {
    if !support::clang() {
        return;
    }
    let dir = Scratch::new("interrupt");
    let found = warpsmith_compiler::clang::find::find(None).expect("asked before");
    // It answers what it is asked about itself, and never ends a compilation.
    let text =
        format!("case \"$*\" in *k.cu*) ;; *) exec '{}' \"$@\" ;; esac\n{}", found.path.display(), endless(dir.path()));
    let clang = script(dir.path(), "clang", &text);
    let source = "__global__ void k(int *p) { *p = 7; }\n";
    std::fs::write(dir.path().join("k.cu"), source).expect("written");
    let temporary = dir.path().join("tmp");
    std::fs::create_dir(&temporary).expect("made");
    let child = program(dir.path(), &format!("cc k.cu --clang {clang} -o k.hex"))
        .env("WARPSMITH_CACHE", dir.path().join("cache"))
        .env("TMPDIR", &temporary)
        .spawn()
        .expect("it starts");
    let (code, out, err) = ends_its_tools(dir.path(), child);
    assert_eq!((code, out.as_str()), (130, ""), "{err}");
    assert!(!dir.path().join("k.hex").exists());
    let mut left = vec![];
    walk(&temporary, &mut left);
    assert_eq!(left, Vec::<String>::new(), "headers in the temporary folder");
}

/// What `nohup` and shell scripts let a program ignore stays ignored.
#[test]
fn ignored_signals_stay_ignored() {
    let dir = Scratch::new("interrupt");
    let line = "cosim --random 1000000000 --seed 5 --engine native --config tiny";
    let mut child = Command::new("env")
        .args(["--default-signal=TERM", "--ignore-signal=HUP"])
        .arg(env!("CARGO_BIN_EXE_warpsmith"))
        .args(line.split_whitespace())
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    assert!(lines.next().is_some_and(|l| l.is_ok()));
    signal(&child, "HUP");
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().expect("asked").is_none(), "it goes on");
    signal(&child, "TERM");
    assert_eq!(ended(child).0, 130);
}
