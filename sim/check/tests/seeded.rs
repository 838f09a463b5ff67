//! `--check`: a hundred seeded mistakes are found, each of its kind and at its line; corrected, and in the kernels of
//! the project, nothing is.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpsmith_check::{Check, Findings, Kind};
use warpsmith_compiler::clang::find;
use warpsmith_isa::{ChipInfo, Tier};
use warpsmith_launch_file::load_apart;
use warpsmith_model::{Launch, Model, ModelConfig};
use warpsmith_testkit::{found, root};

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

/// Whether C can be compiled here; tests of a machine that has all tools insist on it.
fn clang() -> bool {
    found(find::find(None)).is_some()
}

/// Kernels of a file in CUDA C: see the head of `races.cu`.
fn seeded_in_c(name: &str) -> Vec<Seeded> {
    let file = root().join("sim/check/tests").join(name);
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
         ~|BAR.ARV.WAIT b0, 0xfff;\nMVI R3, 0x3f;\nLOP.XOR R3, R3, R0;\nR2A A2, R3, 0x2;\nMOV R4, g [A2+0x8];\n\
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
fn load(dir: &Path, s: &Seeded, fixed: bool) -> Result<Launch, String> {
    let c = s.file.extension().is_some_and(|e| e == "cu");
    let options = if c && fixed { "options = [\"-DFIXED\"]\n" } else { "" };
    let path = dir.join(format!("{}.toml", s.name));
    let text = format!("program = {:?}\n{options}{}", s.file, s.launch);
    std::fs::write(&path, text).expect("the folder can be written");
    load_apart(&path, &ChipInfo::unlimited()).map_err(|e| e.to_string())
}

/// Runs a launch on the model under the sanitizer; false where its results are not as expected.
fn run(launch: &Launch) -> (Findings, bool) {
    let tier = Tier::full().at(launch.level);
    let mut model = Model::new(launch, ModelConfig { tier, tracked: true, ..ModelConfig::default() });
    let mut check = Check::new(launch);
    let ended = model.run_watched(100_000_000, None, &mut check);
    let state = model.state();
    let right = ended.is_ok() && launch.compare(state.global).is_empty();
    (check.finish(&state.undefined, state.trap.as_ref()), right)
}

/// All seeded kernels that can be compiled here.
fn seeded(dir: &Path, fixed: bool) -> Vec<Seeded> {
    let mut all = seeded_in_assembly(dir, fixed);
    if clang() {
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
        let found = match load(dir.path(), s, false) {
            Ok(launch) => run(&launch).0,
            Err(e) => {
                wrong.push(e);
                continue;
            }
        };
        let line = |line: &Option<(String, u32)>| line.as_ref().is_some_and(|l| l.1 == s.line);
        let right =
            |f: &warpsmith_check::Finding| f.kind.name() == s.kind && f.sides.iter().any(|side| line(&side.at.line));
        if !found.list.iter().any(right) {
            wrong.push(format!("{}: no {} at line {}:\n{}", s.name, s.kind, s.line, found.lines().join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), all.len(), wrong.join("\n"));
    if clang() {
        assert!(all.len() >= 100, "there are {}", all.len());
    }
}

#[test]
fn nothing_is_found_without_the_mistakes() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut wrong = vec![];
    for s in &seeded(dir.path(), true) {
        let (found, ended) = match load(dir.path(), s, true) {
            Ok(launch) => run(&launch),
            Err(e) => {
                wrong.push(e);
                continue;
            }
        };
        if !found.list.is_empty() || !ended {
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
    launches(&root().join("kernels"), &mut all);
    assert!(all.len() > 40, "{all:?}");
    let mut wrong = vec![];
    for path in all {
        let compiled =
            std::fs::read_to_string(&path).is_ok_and(|t| [".cu\"", ".cl\"", ".ptx\""].iter().any(|e| t.contains(e)));
        if compiled && !clang() {
            continue;
        }
        let (found, right) = run(&load_apart(&path, &ChipInfo::unlimited()).unwrap_or_else(|e| panic!("{e}")));
        // Its threads read distances that others set in the same round: both are right.
        let races = path.ends_with("bfs/search_cu.toml") && found.list.iter().all(|f| f.kind == Kind::Race);
        if !found.list.is_empty() && !races || !right {
            wrong.push(format!("{}:\n{}", path.display(), found.lines().join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
