//! The commands of the documents, as typed: in a copy of the repository, with nothing but Rust's tools on `PATH`.
//!
//! Every line behind `$` in README and docs runs, and prints what the page shows below it, numbers of seconds and lines
//! `engine: …` aside; `…` stands for any text, alone for any lines. A block begins in the repository's folder. Comments
//! in front of it:
//!
//! - `<!-- file: NAME -->`: the block is that file, in the folder where the page's lines run;
//! - `<!-- needs: A, B -->`: its lines need more than Rust and run with all of `PATH` where it is there ([`there`]);
//! - `<!-- not run: WHY -->`: they do not run.
//!
//! `WARPSMITH_BLESS=1 cargo test commands::` writes what lines print now into the pages, where they show no `…`.

use crate::support::{self, root, Scratch};
use rayon::prelude::*;
use regex::Regex;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a block is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// Its lines run with Rust's tools alone.
    Bare,
    File(String),
    Needs(Vec<String>),
    NotRun,
}

/// A command of a page, with what is shown below it.
#[derive(Debug)]
struct Line {
    mark: Mark,
    command: String,
    /// First line of its block.
    block: usize,
    /// Lines of the page with the output, from 0.
    shown: std::ops::Range<usize>,
}

/// A page's commands and files in order.
#[derive(Debug, Default)]
struct Page {
    lines: Vec<Line>,
    files: Vec<(String, String)>,
}

fn marked(comment: &str) -> Option<Mark> {
    let inner = comment.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (key, value) = inner.split_once(": ")?;
    match key {
        "file" => Some(Mark::File(value.into())),
        "needs" => Some(Mark::Needs(value.split(", ").map(str::to_string).collect())),
        "not run" => Some(Mark::NotRun),
        _ => None,
    }
}

fn parsed(text: &str) -> Page {
    let all: Vec<&str> = text.lines().collect();
    let mut page = Page::default();
    let mut mark = Mark::Bare;
    let mut at = 0;
    while at < all.len() {
        if let Some(found) = marked(all[at]) {
            mark = found;
        } else if all[at].starts_with("```") {
            let begin = at + 1;
            let length = all[begin..].iter().position(|l| l.starts_with("```"));
            let end = begin + length.expect("a block ends");
            block(&mut page, &mark, &all, begin..end);
            (mark, at) = (Mark::Bare, end);
        }
        at += 1;
    }
    page
}

fn block(page: &mut Page, mark: &Mark, all: &[&str], lines: std::ops::Range<usize>) {
    if let Mark::File(name) = mark {
        let text = all[lines].join("\n") + "\n";
        page.files.push((name.clone(), text));
        return;
    }
    let mut at = lines.start;
    while at < lines.end {
        let Some(first) = all[at].strip_prefix("$ ") else {
            at += 1;
            continue;
        };
        let mut command = first.to_string();
        at += 1;
        while command.ends_with('\\') {
            command.pop();
            command += all[at].trim_start();
            at += 1;
        }
        let begin = at;
        while at < lines.end && !all[at].starts_with("$ ") {
            at += 1;
        }
        page.lines.push(Line { mark: mark.clone(), command, block: lines.start, shown: begin..at });
    }
}

/// README and the pages of docs that have commands.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![root().join("docs")];
    let mut found = vec![root().join("README.md")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    found.retain(|p| !parsed(&read(p)).lines.is_empty());
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Copies a folder of the repository without what builds and git put there.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let (name, path) = (entry.file_name(), entry.path());
        if path.is_dir() {
            if !["target", ".git"].iter().any(|n| name == *n) {
                copy(&path, &to.join(name));
            }
        } else if path.is_file() {
            std::fs::copy(&path, to.join(name)).expect("writable");
        }
    }
}

/// A folder with programs and nothing else: `cargo`, `rustc`, `cc`, and the program under test.
fn rust_alone(folder: &Path) -> OsString {
    std::fs::create_dir_all(folder).expect("writable");
    let cargo = PathBuf::from(env!("CARGO"));
    let rustc = cargo.with_file_name("rustc");
    let cc = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|d| d.join("cc"))
        .find(|p| p.is_file())
        .expect("cargo links with cc");
    for (name, path) in [
        ("cargo", cargo.as_path()),
        ("rustc", &rustc),
        ("cc", &cc),
        ("warpsmith", Path::new(env!("CARGO_BIN_EXE_warpsmith"))),
    ] {
        symlink(path, folder.join(name)).expect("writable");
    }
    folder.into()
}

/// Without variables that change what the program does; the cache and shared data stay where they are.
fn unset(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("WARPSMITH_") && text != "WARPSMITH_CACHE" {
            command.env_remove(&name);
        }
    }
    command.env("WARPSMITH_SHARED", warpsmith_testkit::shared_folder());
    command.env("PYOPENCL_NO_CACHE", "1").env("LC_ALL", "C");
    // A make around this one has options of its own; outputs are shown below the folder's own target.
    command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").env_remove("CARGO_TARGET_DIR");
}

/// Whether what a block needs is there; else the line is reported as skipped, or fails where tools are demanded.
fn there(what: &str, need: &str) -> bool {
    match need {
        "clang" => support::clang(),
        "soak" => support::soak(),
        // The others of the page run: this is no skipped test.
        "shared data" => warpsmith_testkit::shared_folder().join("kernels").is_dir(),
        "pyopencl" => {
            let python = support::python_tool("python");
            let has = python.is_some_and(|p| {
                let import = Command::new(p).args(["-c", "import pyopencl"]).output();
                import.is_ok_and(|o| o.status.success())
            });
            has || support::absent(format!("{what}: pyopencl (`make python`)"))
        }
        // It builds in no folder with spaces in its name.
        "LiteX" if env!("CARGO_TARGET_TMPDIR").contains(char::is_whitespace) => false,
        "LiteX" => {
            let found = warpsmith_fpga::synth::tools::Tool::Litex.find();
            found.is_ok() || support::absent(format!("{what}: LiteX (`make tools`)"))
        }
        "PoCL" => {
            let icd = Path::new("/etc/OpenCL/vendors/pocl.icd");
            icd.is_file() || support::absent(format!("{what}: PoCL (pocl-opencl-icd)"))
        }
        program => {
            let path = support::command("x").get_envs().find_map(|(k, v)| (k == "PATH").then_some(v?.to_os_string()));
            let dirs: Vec<PathBuf> = std::env::split_paths(&path.unwrap_or_default()).collect();
            dirs.iter().any(|d| d.join(program).is_file()) || support::absent(format!("{what}: {program}"))
        }
    }
}

/// The line that says which engine ran, of a command or of the OpenCL driver.
fn names_engine(line: &str) -> bool {
    line.trim_start_matches("warpsmith: ").starts_with("engine: ")
}

/// What is the same in every run: without seconds, faults a second, the line about the engine. Lines break where
/// they are full, which depends on the seconds: any space is one.
fn steady(text: &str) -> String {
    let seconds = Regex::new(r"\b\d+(\.\d+)?\s+s\b").expect("an expression");
    let rate = Regex::new(r"\b\d+ faults/s").expect("an expression");
    let lines = text.lines().filter(|l| !names_engine(l));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    let text = seconds.replace_all(&text, "N s");
    rate.replace_all(&text, "N faults/s").into_owned()
}

/// Whether an output is the one shown.
fn as_shown(shown: &[&str], printed: &str) -> bool {
    if shown.iter().all(|l| l.trim().is_empty()) {
        return true;
    }
    let shown = steady(&shown.join("\n"));
    let parts: Vec<String> = shown.split('…').map(|p| regex::escape(p.trim())).collect();
    let pattern = Regex::new(&format!("^{}$", parts.join(".*"))).expect("an expression");
    pattern.is_match(&steady(printed))
}

/// A line as it runs: of the program under test, whatever builds it.
fn typed(command: &str) -> String {
    let target = format!("make CARGO=true WARPSMITH={} ", env!("CARGO_BIN_EXE_warpsmith"));
    command.replace("cargo run --release -- ", "warpsmith ").replacen(
        "make ",
        &target,
        usize::from(command.starts_with("make ")),
    )
}

/// Runs the lines of a page; the faults, and the page with what lines print now.
fn run_page(path: &Path) -> (usize, Vec<String>, String) {
    let text = read(path);
    let page = parsed(&text);
    let all: Vec<&str> = text.lines().collect();
    let name = path.strip_prefix(root()).expect("below the root").display().to_string();
    let scratch = Scratch::new("page");
    let here = scratch.path().join("warpsmith");
    copy(root(), &here);
    // Made by the build of the program.
    std::fs::create_dir_all(here.join("target")).expect("writable");
    for (file, contents) in &page.files {
        std::fs::write(here.join(file), contents).expect("writable");
    }
    let bare = rust_alone(&scratch.path().join("bin"));
    let full = {
        let path = warpsmith_fpga::synth::tools::search_path();
        let dirs = std::iter::once(PathBuf::from(&bare)).chain(std::env::split_paths(&path));
        std::env::join_paths(dirs).expect("a path")
    };
    let (mut folder, mut ran, mut faults, mut blessed) = (here.clone(), 0, vec![], text.clone());
    let mut block = 0;
    for line in &page.lines {
        if block != line.block {
            (folder, block) = (here.clone(), line.block);
        }
        let place = format!("{name}:{}: {}", line.shown.start, line.command);
        let path = match &line.mark {
            Mark::NotRun | Mark::File(_) => continue,
            Mark::Bare => &bare,
            Mark::Needs(needs) => match needs.iter().all(|n| there(&place, n)) {
                true => &full,
                false => continue,
            },
        };
        if let Some(to) = line.command.strip_prefix("cd ") {
            folder = folder.join(to);
            continue;
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{{ {}\n}} 2>&1", typed(&line.command))]);
        unset(&mut command);
        let out =
            command.env("PATH", path).current_dir(&folder).stdin(Stdio::null()).output().expect("the shell starts");
        ran += 1;
        let printed = String::from_utf8_lossy(&out.stdout).into_owned();
        let shown = &all[line.shown.clone()];
        if !out.status.success() {
            faults.push(format!("{place}\nends with {}:\n{printed}", out.status));
        } else if !as_shown(shown, &printed) {
            let old = shown.join("\n");
            faults.push(format!("{place}\nthe page shows:\n{old}\nit prints:\n{printed}"));
            if !old.contains('…') {
                let lines = printed.lines().filter(|l| !names_engine(l));
                let now: Vec<&str> = lines.map(str::trim_end).collect();
                let with = |l: &str| format!("$ {}\n{l}", line.command);
                blessed = blessed.replacen(&with(&old), &with(&now.join("\n")), 1);
            }
        }
    }
    (ran, faults, blessed)
}

#[test]
fn lines_of_readme_and_docs_run_and_print_what_the_pages_show() {
    let pages = pages();
    let results: Vec<_> = pages.par_iter().map(|p| (p, run_page(p))).collect();
    let mut faults = vec![];
    let mut ran = 0;
    for (path, (lines, wrong, blessed)) in results {
        ran += lines;
        if std::env::var_os("WARPSMITH_BLESS").is_some() && !wrong.is_empty() {
            std::fs::write(path, blessed).expect("writable");
        }
        faults.extend(wrong);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(ran >= 10, "{ran} lines");
}

/// Few lines are left out, each with its reason.
#[test]
fn commands_that_no_test_runs_are_counted() {
    let lines = |p: &PathBuf| {
        let page = parsed(&read(p));
        let left = page.lines.into_iter().filter(|l| l.mark == Mark::NotRun);
        left.map(|l| l.command).collect::<Vec<_>>()
    };
    let left: Vec<String> = pages().iter().flat_map(lines).collect();
    assert!(left.len() <= NOT_RUN, "{left:?}");
}

/// `make test`, the three lines that install, build and export for OpenCL, the six of Khronos's suite, the five of the suites in CUDA C, the one of
/// faults of gates, the one of tests that write themselves, the two of configuration memory.
const NOT_RUN: usize = 19;

/// Every command that runs without other tools does, and the others name what they need.
#[test]
fn with_rust_alone_every_command_works_or_names_what_it_needs() {
    let scratch = Scratch::new("rust-alone");
    let here = scratch.path().join("warpsmith");
    copy(&root().join("kernels"), &here.join("kernels"));
    let bare = rust_alone(&scratch.path().join("bin"));
    let run = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpsmith"));
        command.args(line.split(' ')).current_dir(&here);
        unset(&mut command);
        // No simulation that was compiled before, no Python packages.
        command.env("WARPSMITH_CACHE", scratch.path().join("cache"));
        let out = command.env("PATH", &bare).output();
        support::outcome(&out.expect("the program starts"))
    };
    let kernel = "kernels/vector_add/launch.toml --config tiny";
    // Command, exit code, how often the line about the engine comes, a part of what it prints.
    for (line, code, engine, part) in [
        (format!("run {kernel}"), 0, 0, "pass: vector_add on the model"),
        (format!("run {kernel} --on rtl"), 0, 1, "pass: vector_add on the rtl"),
        (format!("run {kernel} --on rtl --wave w.fst"), 0, 1, "pass: vector_add"),
        (format!("cosim {kernel}"), 0, 1, "pass: vector_add, model and rtl"),
        ("cosim --random 500 --config tiny --seed 7".into(), 0, 1, "pass: "),
        ("bench --config tiny --filter kernels/vector_add".into(), 0, 1, "vector_add"),
        (format!("fault plan {kernel} --count 50 --seed 1 -o c.csv"), 0, 1, "c.csv: 50 rows"),
        ("fault run c.csv".into(), 0, 1, "50 faults"),
        ("fault report c.csv".into(), 0, 0, "masked"),
        ("fault replay c.csv 1 --wave f.fst".into(), 0, 1, "outcome: "),
        (format!("fault gates --unit int_unit --launch {kernel}"), 2, 0, "make tools"),
        ("fault selftest --unit int --config tiny".into(), 2, 0, "make tools"),
        (format!("fault cram . --launch {kernel}"), 2, 0, "synth --target ecp5"),
        ("package --config tiny --out p".into(), 0, 0, "warpsmith:gpu:tiny"),
        ("doctor".into(), 0, 0, "optional  verilator"),
        (format!("run {kernel} --on rtl --engine verilator"), 2, 0, "apt install verilator"),
        ("board --config tiny".into(), 2, 0, "apt install verilator"),
        ("cc kernels/saxpy/saxpy.cu".into(), 2, 0, "clang-19"),
        ("synth --target ulx3s --config tiny".into(), 2, 0, "make tools"),
        ("soc --board ulx3s --config tiny".into(), 2, 0, "make tools"),
    ] {
        let (ended, out, err) = run(&line);
        let said = format!("{line}: {out}{err}");
        assert_eq!(ended, code, "{said}");
        assert!(said.contains(part), "{part} is missing: {said}");
        let chosen = err.lines().filter(|l| l.starts_with("engine: native: ")).count();
        assert_eq!(chosen, engine, "{said}");
    }
    // The loader's library lies outside PATH: with or without it, clang is missing, and what is missing is said.
    let (code, out, err) = run("opencl doctor");
    assert_eq!(code, 2, "{out}{err}");
    let missing = |l: &str| l.starts_with("MISSING   clang") && l.contains("make tools");
    assert!(out.lines().any(missing), "{out}{err}");
}

/// The check is one: of a wrong page every line is reported.
#[test]
fn must_fail_a_page_that_shows_something_else_is_noticed() {
    let page = "<!-- file: f -->\n```\nx\n```\n\n```\n$ one \\\n  two\nabc\n…\nd 1.5 s\n$ three\n```\n<!-- not run: it is long -->\n```\n$ four\n```\n";
    let found = parsed(page);
    assert_eq!(found.files, [("f".to_string(), "x\n".to_string())]);
    let commands: Vec<&str> = found.lines.iter().map(|l| l.command.as_str()).collect();
    assert_eq!(commands, ["one two", "three", "four"]);
    assert_eq!(found.lines[2].mark, Mark::NotRun);
    let all: Vec<&str> = page.lines().collect();
    let shown = &all[found.lines[0].shown.clone()];
    assert!(as_shown(shown, "abc\nany\nengine: native: so\nd 0.25 s\n"));
    assert!(as_shown(shown, "abc\nd 3 s\n"));
    for other in ["", "abc\n", "abd\nd 1 s\n", "abc\nd 1.5 s\nmore\n", "abc\nd 1.5\n"] {
        assert!(!as_shown(shown, other), "{other:?}");
    }
    assert!(as_shown(&["a, 1.5 s"], "a,\n  0.05 s\n") && !as_shown(&["a 1 c"], "a 2 c\n"));
    assert!(as_shown(&["a … b"], "a one b\n") && !as_shown(&["a … b"], "a one c\n"));
    assert!(as_shown(&[], "anything\n"));
}
