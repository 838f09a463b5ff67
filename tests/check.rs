//! `--check`: a hundred seeded mistakes are found, each of its kind and at its line; corrected, and in the kernels of
//! the project, nothing is.

use crate::support::{self, args, outcome, warpsmith};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpsmith_check::Findings;
use warpsmith_isa::{ChipInfo, Tier};
use warpsmith_launch_file::load_apart;
use warpsmith_model::{Launch, ModelConfig};
use warpsmith_run::{Machine, Ran};

/// A kernel with a mistake.
struct Seeded {
    name: String,
    /// Its program.
    file: PathBuf,
    /// The launch file but its program and its options.
    launch: String,
    /// What is found, and in which line.
    kind: String,
    line: u32,
}

/// The folder of the programs.
fn folder() -> PathBuf {
    support::root().join("tests/check")
}

/// Kernels of a file in CUDA C: see the head of `check/races.cu`.
fn seeded_in_c(name: &str) -> Vec<Seeded> {
    let file = folder().join(name);
    let text = std::fs::read_to_string(&file).expect("the file is there");
    let mut all: Vec<Seeded> = Vec::new();
    let mut head = None;
    for (n, line) in (1..).zip(text.lines()) {
        if let Some(h) = line.strip_prefix("//@ ") {
            head = Some(h);
        }
        if let (Some(rest), Some(h)) = (line.strip_prefix("__global__ void "), head) {
            let name = rest.split('(').next().unwrap_or_default().to_string();
            let launch = format!("kernel = \"{name}\"\n{}", launch(h));
            all.push(Seeded { name, file: file.clone(), launch, kind: String::new(), line: 0 });
            head = None;
        }
        let marked = line.rsplit_once("// ").filter(|(code, _)| !code.trim().is_empty());
        if let (Some((_, kind)), Some(last)) = (marked, all.last_mut()) {
            (last.kind, last.line) = (kind.to_string(), n);
        }
    }
    all
}

/// The launch file of a head: grid, block, arguments.
fn launch(head: &str) -> String {
    let mut words = head.split_whitespace();
    let mut shape = |n: usize| {
        let sizes = words.next().expect("a size").split('x').map(str::to_string);
        let sizes: Vec<String> = sizes.chain(std::iter::repeat("1".to_string())).take(n).collect();
        sizes.join(", ")
    };
    let (grid, block) = (shape(2), shape(3));
    let (mut text, mut args, mut buffers) = (String::new(), vec![], String::new());
    for word in words {
        match (word.split_once(':'), word.split_once('=')) {
            (Some((name, n)), _) => {
                let n: u32 = n.parse().expect("words");
                let values: Vec<String> = (0..n).map(|v| v.to_string()).collect();
                args.push(format!("\"{name}\""));
                // Buffers that are written begin with zeros.
                let content = match name {
                    "x" | "p" | "a" | "b" => format!("words = [{}]", values.join(", ")),
                    _ => format!("bytes = {}", 4 * n),
                };
                let _ = writeln!(buffers, "[[buffer]]\nname = \"{name}\"\n{content}");
            }
            (_, Some(("dynamic", n))) => text += &format!("dynamic_shared_bytes = {n}\n"),
            (_, Some(("level", level))) => text += &format!("level = \"{level}\"\n"),
            (_, Some((_, value))) => args.push(value.to_string()),
            _ => panic!("{head}"),
        }
    }
    format!("grid = [{grid}]\nblock = [{block}]\nargs = [{}]\n{text}{buffers}", args.join(", "))
}

/// Programs in assembly: their heads, their text, and the comment at the line of the mistake; `|` stands for what is
/// there without it.
const IN_ASSEMBLY: [(&str, &str, &str); 6] = [
    (
        "unwritten_register",
        "1 32 out:32",
        "SHL R1, R0, 0x2;\nIADD R1, g [0x4], R1;\n~|MVI R2, 0x5;\nGST.U32 global14[R1], R2;  // undefined\nRET;",
    ),
    (
        "unwritten_flags",
        "1 32 out:32",
        "SHL R1, R0, 0x2;\nIADD R1, g [0x4], R1;\nMVI R2, 0x5;\n~|ISET.C0 o[0x7f], R0, R2, LT;\n\
         BRA C0.NE, on;  // undefined\nMVI R2, 0x6;\non:\nGST.U32 global14[R1], R2;\nRET;",
    ),
    (
        "barrier_left_out",
        "1 64 out:64",
        "SHL R1, R0, 0x2;\nR2A A1, R1, 0x0;\nIADD R1, g [0x4], R1;\nR2G.U32.U32 g[A1+0x8], R0;  // race\n\
         ~|BAR.ARV.WAIT b0, 0xfff;\nMVI R3, 0x3f;\nISUB R3, R3, R0;\nR2A A2, R3, 0x2;\nMOV R4, g [A2+0x8];\n\
         GST.U32 global14[R1], R4;\nRET;",
    ),
    (
        "barrier_under_a_branch",
        "1 32 out:32",
        "SHL R1, R0, 0x2;\nIADD R1, g [0x4], R1;\nMVI R2, 0x5;\nISET.C0 o[0x7f], R0, R2, LT;\n\
         SSY on;\n~BRA C0.NE, on;|\nBAR.ARV.WAIT b0, 0xfff;  // barrier_divergence\non:\nNOP.S;\n\
         GST.U32 global14[R1], R2;\nRET;",
    ),
    (
        "word_behind_the_buffer",
        "1 32 out:32",
        "SHL R1, R0, 0x2;\nIADD R1, g [0x4], R1;\n~IADD32I R1, R1, 0x4;|\nMVI R2, 0x5;\n\
         GST.U32 global14[R1], R2;  // out_of_bounds\nRET;",
    ),
    (
        "not_a_multiple_of_four",
        "1 32 out:33",
        "SHL R1, R0, 0x2;\nIADD R1, g [0x4], R1;\n~IADD32I R1, R1, 0x2;|\nMVI R2, 0x5;\n\
         GST.U32 global14[R1], R2;  // misaligned\nRET;",
    ),
];

/// A program in assembly, with its mistake or without.
fn assembly(text: &str, fixed: bool) -> String {
    let line = |l: &str| match l.strip_prefix('~') {
        Some(both) => {
            let (wrong, right) = both.split_once('|').expect("both");
            format!("{}\n", if fixed { right } else { wrong })
        }
        None => format!("{l}\n"),
    };
    text.lines().map(line).collect()
}

/// Those of [`IN_ASSEMBLY`], written into a folder.
fn seeded_in_assembly(dir: &Path, fixed: bool) -> Vec<Seeded> {
    let one = |(name, head, text): &(&str, &str, &str)| {
        let file = dir.join(format!("{name}-{fixed}.sass"));
        std::fs::write(&file, assembly(text, fixed)).expect("the folder can be written");
        let marked = (1..).zip(text.lines()).find_map(|(n, l)| Some((n, l.split_once("// ")?.1.to_string())));
        let (line, kind) = marked.expect("a marked line");
        let launch = format!("registers = 8\nshared_bytes = 512\n{}", launch(head));
        Seeded { name: name.to_string(), file, launch, kind, line }
    };
    IN_ASSEMBLY.iter().map(one).collect()
}

/// Loads a launch for `--check`.
fn load(dir: &Path, s: &Seeded, fixed: bool) -> Launch {
    let c = s.file.extension().is_some_and(|e| e == "cu");
    let options = if c && fixed { "options = [\"-DFIXED\"]\n" } else { "" };
    let path = dir.join(format!("{}.toml", s.name));
    let text = format!("program = {:?}\n{options}{}", s.file, s.launch);
    std::fs::write(&path, text).expect("the folder can be written");
    load_apart(&path, &ChipInfo::unlimited()).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a launch on the model under the sanitizer.
fn run(launch: &Launch) -> Ran {
    let tier = Tier::full().at(launch.level);
    let config = ModelConfig { tier, tracked: true, ..ModelConfig::default() };
    let machine = Machine::Model { config, limit: 100_000_000, threads: 1, trace: None, check: true };
    machine.run(launch).unwrap_or_else(|e| panic!("{e}"))
}

fn check(launch: &Launch) -> Findings {
    run(launch).check.expect("it was looked for")
}

/// All seeded kernels that can be compiled here.
fn seeded(dir: &Path, fixed: bool) -> Vec<Seeded> {
    let mut all = seeded_in_assembly(dir, fixed);
    if support::clang() {
        all.extend(["races.cu", "others.cu"].iter().flat_map(|name| seeded_in_c(name)));
    }
    all
}

#[test]
fn a_hundred_seeded_mistakes_are_found_at_their_lines() {
    let dir = tempfile::tempdir().expect("a folder");
    let all = seeded(dir.path(), false);
    let mut wrong = vec![];
    for s in &all {
        let found = check(&load(dir.path(), s, false));
        let line = |line: &Option<(String, u32)>| line.as_ref().is_some_and(|l| l.1 == s.line);
        let right = |f: &warpsmith_check::Finding| {
            f.kind.name() == s.kind && f.sides.iter().any(|side| line(&side.at.line))
        };
        if !found.list.iter().any(right) {
            wrong.push(format!("{}: no {} at line {}:\n{}", s.name, s.kind, s.line, found.lines().join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), all.len(), wrong.join("\n"));
    if support::clang() {
        assert!(all.len() >= 100, "there are {}", all.len());
    }
}

#[test]
fn nothing_is_found_without_the_mistakes() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut wrong = vec![];
    for s in &seeded(dir.path(), true) {
        let found = check(&load(dir.path(), s, true));
        if !found.list.is_empty() {
            wrong.push(format!("{}:\n{}", s.name, found.lines().join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Launch files below a folder.
fn launches(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => launches(&path, out),
            false if path.extension().is_some_and(|e| e == "toml") => out.push(path),
            false => {}
        }
    }
}

#[test]
fn kernels_of_the_project_have_no_mistakes() {
    let mut all = vec![];
    launches(&support::root().join("kernels"), &mut all);
    assert!(all.len() > 40, "{all:?}");
    let mut wrong = vec![];
    for path in all {
        let compiled = std::fs::read_to_string(&path).is_ok_and(|t| [".cu\"", ".cl\"", ".ptx\""].iter().any(|e| t.contains(e)));
        if compiled && !support::clang() {
            continue;
        }
        let ran = run(&load_apart(&path, &ChipInfo::unlimited()).unwrap_or_else(|e| panic!("{e}")));
        let found = ran.check.expect("it was looked for");
        if !found.list.is_empty() || !ran.differences.is_empty() {
            wrong.push(format!("{}:\n{}", path.display(), found.lines().join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn findings_fail_the_command_and_are_keys_of_its_json() {
    let dir = tempfile::tempdir().expect("a folder");
    let all = seeded_in_assembly(dir.path(), false);
    let s = all.iter().find(|s| s.name == "barrier_left_out").expect("it is there");
    load(dir.path(), s, false);
    let path = dir.path().join("barrier_left_out.toml");
    for command in [&args!["run", &path, "--check", "--json"][..], &args!["cosim", &path, "--check", "--json", "--engine", "native"]] {
        let (code, out, err) = outcome(&warpsmith(command));
        assert_eq!(code, 1, "{out}{err}");
        let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
        assert_eq!(json["outcome"], "fail");
        let found = &json["check"]["findings"][0];
        assert_eq!((&found["kind"], &found["memory"]), (&"race".into(), &"shared".into()), "{out}");
        let lines = [&found["sides"][0]["line"], &found["sides"][1]["line"]];
        assert!(lines.contains(&&serde_json::json!(s.line)), "{out}");
        assert!(json["details"][0].as_str().is_some_and(|d| d.starts_with("check: race: ")), "{out}");
    }
    // Without --check the run is as it was.
    let (code, out, _) = outcome(&warpsmith(&args!["run", &path, "--json"]));
    assert!(code == 0 && !out.contains("check"), "{out}");
    let (code, _, err) = outcome(&warpsmith(&args!["run", &path, "--check", "--on", "rtl"]));
    assert!(code == 2 && err.contains("--check") && err.contains("cosim"), "{err}");
}
