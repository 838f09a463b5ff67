//! The command line: help, exit codes, one error line for every mistake.

use crate::support;
use std::path::{Path, PathBuf};
use support::{outcome, warpsmith, warpsmith_with};

/// A folder with files, and the path of the first.
fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        std::fs::write(dir.path().join(name), content).expect("written");
    }
    let first = dir.path().join(files[0].0);
    (dir, first)
}

/// Runs, and asserts exit code 2, nothing on stdout, and one line on stderr holding every fragment.
#[track_caller]
fn refuses<S: AsRef<std::ffi::OsStr>>(args: &[S], fragments: &[&str]) -> String {
    let (code, out, err) = outcome(&warpsmith(args));
    check_refusal(code, &out, &err, fragments);
    err
}

#[track_caller]
fn check_refusal(code: i32, out: &str, err: &str, fragments: &[&str]) {
    assert_eq!(code, 2, "stderr: {err}");
    assert_eq!(out, "", "results belong to a run that took place");
    assert!(err.starts_with("warpsmith: "), "{err}");
    assert_eq!(err.trim_end().lines().count(), 1, "one line, found: {err}");
    for f in fragments {
        assert!(err.contains(f), "'{f}' is missing in: {err}");
    }
}

const LAUNCH: &str = r#"program = "k.hex"
grid = [1, 1]
block = [32, 1, 1]
registers = 4
global_bytes = 256
"#;

/// NOP with the exit marker.
const EXIT: &[u8] = b"f0000001\ne0000001\n";

#[track_caller]
fn refuses_launch(files: &[(&str, &[u8])], fragments: &[&str]) {
    let (_dir, path) = folder(files);
    refuses(&[Path::new("run"), &path], fragments);
}

#[test]
fn truncated_cubin_is_refused_with_its_line() {
    let text = b"architecture {sm_10}\ncode {\n name = k\n reg = 2\n bincode { 0x10000005 ";
    let (_dir, path) = folder(&[("k.cubin", text)]);
    refuses(&[Path::new("disasm"), &path], &["k.cubin:"]);
}

#[test]
fn foreign_cubin_is_refused_by_its_architecture() {
    let (_dir, path) = folder(&[("k.cubin", b"architecture {sm_20}\nabiversion {1}\n")]);
    refuses(&[Path::new("disasm"), &path], &["k.cubin:1", "sm_20", "sm_10"]);
    let (_dir, elf) = folder(&[("k.cubin", b"\x7fELF\x02\x01\x01\xff\xfe")]);
    refuses(&[Path::new("disasm"), &elf], &["k.cubin", "binary"]);
}

#[test]
fn unknown_mnemonic_is_refused_with_line_and_column() {
    let (_dir, path) = folder(&[("k.sass", b"NOP;\n  FROB R0, R1;\n")]);
    refuses(&[Path::new("asm"), &path], &["k.sass:2:3", "FROB"]);
}

#[test]
fn register_beyond_the_allocation_is_refused() {
    let source = b".registers 4\nMVI R4, 0x1;\nRET;\n";
    let (_dir, path) = folder(&[("k.sass", source)]);
    refuses(&[Path::new("asm"), &path], &["k.sass:2", "R4", "4"]);
    let launch = LAUNCH.replace("k.hex", "k.sass");
    let source = b"MVI R4, 0x1;\nRET;\n";
    refuses_launch(&[("l.toml", launch.as_bytes()), ("k.sass", source)], &["R4", "registers"]);
}

#[test]
fn branch_into_the_middle_of_an_instruction_is_refused() {
    let source = b"MVI R0, 0x1;\nBRA 0x4;\nRET;\n";
    let (_dir, path) = folder(&[("k.sass", source)]);
    refuses(&[Path::new("asm"), &path], &["k.sass:2", "0x4", "middle"]);
    let launch = LAUNCH.replace("k.hex", "k.sass");
    refuses_launch(&[("l.toml", launch.as_bytes()), ("k.sass", source)], &["middle"]);
}

#[test]
fn timeline_and_profile_of_the_model_are_refused() {
    let kernel = support::kernel("vector_add");
    for option in ["--timeline", "--profile"] {
        let given = format!("{option}=x");
        refuses(&[Path::new("run"), &kernel, Path::new(&given)], &[option, "--on rtl"]);
    }
    refuses(&["cosim", "--random", "1", "--timeline", "x"], &["--timeline", "--random"]);
}

#[test]
fn odd_word_count_is_refused() {
    refuses_launch(
        &[("l.toml", LAUNCH.as_bytes()), ("k.hex", b"10000005\n0403c780\nf0000001\n")],
        &["k.hex", "long instruction"],
    );
    let (_dir, path) = folder(&[("k.bin", &[0x05, 0, 0, 0x10, 0x80])]);
    refuses(&[Path::new("disasm"), &path], &["k.bin", "4 bytes", "5"]);
}

#[test]
fn unknown_key_of_a_launch_file_is_refused_with_its_line() {
    let launch = format!("{LAUNCH}threads = 7\n");
    refuses_launch(&[("l.toml", launch.as_bytes()), ("k.hex", EXIT)], &["l.toml:6", "threads"]);
}

#[test]
fn overlapping_memory_is_refused_with_its_line() {
    let launch = format!("{LAUNCH}[[global]]\noffset = 0\nwords = [1, 2]\n[[global]]\noffset = 4\nwords = [3]\n");
    refuses_launch(&[("l.toml", launch.as_bytes()), ("k.hex", EXIT)], &["l.toml:", "overlap"]);
}

#[test]
fn memory_beyond_its_size_is_refused() {
    let launch = format!("{LAUNCH}[[global]]\noffset = 252\nwords = [1, 2]\n");
    refuses_launch(&[("l.toml", launch.as_bytes()), ("k.hex", EXIT)], &["l.toml:6", "0x104", "0x100"]);
}

#[test]
fn launch_larger_than_the_chip_is_refused_with_the_limit() {
    let launch = LAUNCH.replace("[32, 1, 1]", "[160, 1, 1]");
    let (_dir, path) = folder(&[("l.toml", launch.as_bytes()), ("k.hex", EXIT)]);
    refuses(
        &[Path::new("run"), &path, Path::new("--config"), Path::new("tiny")],
        &["l.toml:3", "5 warps", "tiny has 4"],
    );
}

#[test]
fn missing_files_are_named() {
    refuses(&["run", "no/such/launch.toml"], &["no/such/launch.toml"]);
    refuses(&["asm", "no/such.sass"], &["no/such.sass"]);
    refuses(&["disasm", "no/such.hex"], &["no/such.hex"]);
    refuses_launch(&[("l.toml", LAUNCH.as_bytes())], &["k.hex", "relative to the launch file"]);
}

#[test]
fn missing_verilator_is_named_with_the_way_out() {
    let launch = support::kernel("vector_add");
    let cache = tempfile::tempdir().expect("a temporary folder");
    let args = [
        Path::new("run"),
        &launch,
        Path::new("--on"),
        Path::new("rtl"),
        Path::new("--config"),
        Path::new("tiny"),
        Path::new("--engine"),
        Path::new("verilator"),
    ];
    let out = warpsmith_with(&args, |c| {
        c.env("WARPSMITH_VERILATOR", "no-such-verilator").env("WARPSMITH_CACHE", cache.path())
    });
    let (code, out, err) = outcome(&out);
    check_refusal(
        code,
        &out,
        &err,
        &["no-such-verilator", "WARPSMITH_VERILATOR", "--engine native", "warpsmith doctor"],
    );
}

/// Every tool is optional: the model and the native engine need none. A cache that cannot be written is not.
#[test]
fn doctor_says_what_missing_tools_are_for_and_fails_only_without_a_cache() {
    let doctor = |cache: &Path| {
        let out = warpsmith_with(&["doctor"], |c| {
            c.env("PATH", "").env("WARPSMITH_VERILATOR", "no-such-verilator").env("WARPSMITH_CACHE", cache)
        });
        outcome(&out)
    };
    let cache = tempfile::tempdir().expect("a temporary folder");
    let (code, out, err) = doctor(cache.path());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for (tool, needed_for) in [
        ("verilator", "board"),
        ("g++", "--engine verilator"),
        ("clang", "cc"),
        ("sbatch", "slurm"),
        ("yosys", "synth"),
    ] {
        let found = out.lines().find(|l| {
            let mut words = l.split_whitespace();
            words.next() == Some("optional") && words.next() == Some(tool)
        });
        let line = found.unwrap_or_else(|| panic!("no line of {tool}: {out}"));
        assert!(line.contains(needed_for), "{line}");
        assert!(line.contains("install"), "{line}");
    }
    let (code, out, err) = doctor(Path::new("/proc/no-cache"));
    assert_eq!(code, 2, "{out}");
    let missing = |l: &str| l.starts_with("MISSING") && l.contains("WARPSMITH_CACHE");
    assert!(out.lines().any(missing), "{out}");
    assert!(err.starts_with("warpsmith: "), "{err}");
}

#[test]
fn a_wrong_parameter_is_named_with_what_it_takes() {
    let emit = |set: &str, fragments: &[&str]| {
        refuses(&["emit", "--set", set, "--out", "target/never"], fragments);
    };
    emit("lanes=abc", &["lanes=abc", "lanes is 2, 4, 8, 16 or 32, not abc"]);
    emit("lane=8", &["no key lane", "did you mean lanes?", "keys: "]);
    emit("float=1", &["float is true or false"]);
    emit("isa=sm20", &["\"sm10\", \"fermi\" or \"g13\""]);
    emit("warps=3", &["warps = 3", "a power of two from 2 to 32"]);
    let file = |text: &[u8], fragments: &[&str]| {
        let (_dir, path) = folder(&[("c.toml", text)]);
        refuses(&[Path::new("emit"), Path::new("--config"), &path], fragments);
    };
    file(b"base = \"tiny\"\nlanes = \"x\"\n", &["c.toml:2: lanes = \"x\"", "2, 4, 8, 16 or 32"]);
    file(b"base = \"tiny\"\n\nlanse = 4\n", &["c.toml:3:", "no key lanse, did you mean lanes?"]);
    file(b"base = \"tiny\"\nlanes = 3\n", &["c.toml:2: lanes = 3 is impossible"]);
    file(b"base = \"tiny\"\nlanes = \n", &["c.toml:2:"]);
    file(b"lanes = 8\n", &["c.toml:", "is missing", "base ="]);
    file(b"base = 4\n", &["c.toml:1:", "base = \"tiny\""]);
    file(b"base = \"small\"\n", &["c.toml:1: base:", "small"]);
    file(b"base = \"c.toml\"\n", &["c.toml", "leads back to itself"]);
    file(b"base = \"gone.toml\"\n", &["gone.toml", "c.toml", "No such file"]);
}

#[test]
fn a_configuration_starts_from_another_file() {
    let (dir, path) =
        folder(&[("c.toml", b"base = \"b.toml\"\nwarps = 8\n"), ("b.toml", b"base = \"tiny\"\nsms = 2\n")]);
    let out = dir.path().join("chip");
    let args = [Path::new("emit"), Path::new("--config"), &path, Path::new("--out"), &out];
    let (code, _, err) = outcome(&warpsmith(&args));
    assert_eq!(code, 0, "{err}");
    let manifest = std::fs::read_to_string(out.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let text = manifest.to_string();
    assert!(text.contains("\"sms\":2") && text.contains("\"warps\":8"), "{text}");
}

#[test]
fn the_name_of_a_configuration_file_ends_no_comment() {
    let (dir, path) = folder(&[("a\nmodule evil*-->`x.toml", b"base = \"tiny\"\n")]);
    let out = dir.path().join("chip");
    let args = [Path::new("emit"), Path::new("--config"), &path, Path::new("--out"), &out];
    let (code, _, err) = outcome(&warpsmith(&args));
    assert_eq!(code, 0, "{err}");
    for file in std::fs::read_dir(&out).expect("a folder").flatten() {
        let Ok(text) = std::fs::read_to_string(file.path()) else {
            continue;
        };
        let begins = |l: &str| l.trim_start().starts_with("module evil");
        assert!(!text.lines().any(begins), "{}", file.path().display());
    }
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let launch = "kernels/vector_add/launch.toml";
    refuses_usage(&["cosim", launch, "--coverage", "x.html"], "--coverage");
    refuses_usage(&["run", launch, "--max-cycles", "0"], "--max-cycles");
    refuses_usage(&["run", launch, "--max-instructions", "0"], "--max-instructions");
    let plan = |more: &[&str], fragments: &[&str]| {
        let first = ["fault", "plan", launch, "-o", "target/never.csv"];
        let all: Vec<&str> = first.iter().chain(more).copied().collect();
        refuses(&all, fragments);
    };
    plan(&["--kind", "seu", "--duration", "3"], &["--duration", "transient or intermittent"]);
    plan(&["--kind", "transient", "--period", "3"], &["--period", "intermittent"]);
    plan(&["--active", "3"], &["--active", "intermittent"]);
    plan(&["--pattern", "adjacent-3"], &["--pattern", "mbu"]);
}

/// The parser of the command line refuses: several lines, the option among them.
#[track_caller]
fn refuses_usage(args: &[&str], option: &str) {
    let (code, _, err) = outcome(&warpsmith(args));
    assert!(code == 2 && err.contains(option), "{code}: {err}");
}

#[test]
fn a_difference_of_floats_shows_both_and_their_distance() {
    let text = format!("{LAUNCH}[[expect]]\noffset = 16\nfloats = [0.0, 1.5]\n");
    let (_dir, path) = folder(&[("launch.toml", text.as_bytes()), ("k.hex", EXIT)]);
    let (code, out, _) = outcome(&warpsmith(&[Path::new("run"), &path]));
    assert_eq!(code, 1);
    let shown = "element 1: expected 1.5 (0x3fc00000), found 0.0 (0x00000000), 1069547520 ulp apart";
    assert!(out.contains(shown), "{out}");
}

#[test]
fn an_instruction_the_chip_lacks_is_named_with_its_key() {
    let run = |text: &[u8], key: &str| {
        let launch = LAUNCH.replace("k.hex", "k.sass");
        let (_dir, path) = folder(&[("launch.toml", launch.as_bytes()), ("k.sass", text)]);
        let set = ["--set", "float=false", "--set", "sfus=0"].map(Path::new);
        let args: Vec<&Path> = [Path::new("run"), &path].into_iter().chain(set).collect();
        let (code, out, err) = outcome(&warpsmith(&args));
        assert_eq!(code, 1, "{err}");
        assert!(out.contains(&format!("--set {key} brings it")), "{out}");
    };
    run(b"FADD R0, R0, R1;\nRET;\n", "float=true");
    run(b"RCP R0, R0;\nRET;\n", "sfus=2");
}

#[test]
fn input_is_shown_without_control_characters_and_cut() {
    let name = "x".repeat(100_000);
    for text in ["\u{1b}[31mred\u{7} R0, R1;\n".to_string(), format!("{name} R0, R1;\n")] {
        let (_dir, path) = folder(&[("k.sass", text.as_bytes())]);
        let err = refuses(&[Path::new("asm"), &path], &["k.sass:1"]);
        assert!(err.len() < 600, "{} bytes", err.len());
        assert!(!err.trim_end().contains(|c: char| c.is_control()), "{err:?}");
    }
    let launch = format!("{LAUNCH}\"{name}\" = 1\n");
    let (_dir, path) = folder(&[("launch.toml", launch.as_bytes())]);
    let err = refuses(&[Path::new("run"), &path], &["launch.toml:"]);
    assert!(err.len() < 2000, "{} bytes", err.len());
}

#[test]
fn an_empty_file_has_no_program() {
    for name in ["k.hex", "k.bin", "k.cubin"] {
        let (_dir, path) = folder(&[(name, b"")]);
        refuses(&[Path::new("disasm"), &path], &[name, "the file is empty"]);
    }
}

#[test]
fn names_of_the_manuals_have_pages() {
    let show = |set: &str, name: &str, form: &str| {
        let (code, out, err) = outcome(&warpsmith(&["isa", "show", name, "--isa", set]));
        assert_eq!(code, 0, "{set} {name}: {err}");
        assert!(out.contains(form), "{set} {name}: {out}");
    };
    for (name, forms) in [("mov", ["mov_imm16", "mov_imm32"]), ("fadd", ["fadd16", "fadd32"])] {
        forms.iter().for_each(|form| show("g13", name, form));
    }
    show("g13", "fmadd", "fmadd32");
    show("g13", "fmul", "fmul16");
    for name in ["GLD.U32", "LOP.PASS", "ISET.S32.CO", "IADD.CARRY0", "BAR.ARV.WAIT", "MVC.U16"] {
        show("sm10", name, name.split('.').next().unwrap_or(name));
    }
    show("fermi", "MUFU.COS", "MUFU");
    show("ivb", "cmp.cmod", "cmp");
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dir.path().join("ptx")).expect("made");
    std::fs::write(dir.path().join("ptx/a"), vec![0; 2_000_000]).expect("written");
    std::fs::write(dir.path().join("mine.txt"), "mine").expect("written");
    let cache = dir.path().display().to_string();
    let run = |args: &[&str]| outcome(&warpsmith_with(args, |c| c.env("WARPSMITH_CACHE", &cache)));
    for args in [&["cache"][..], &["cache", "--size"]] {
        let (code, out, _) = run(args);
        assert!(code == 0 && out.contains(&cache) && out.contains("2.0 MB"), "{out}");
    }
    let (code, out, _) = run(&["cache", "--clear"]);
    assert!(code == 0 && out.contains("1 entries removed, 2.0 MB"), "{out}");
    assert!(!dir.path().join("ptx").exists() && dir.path().join("mine.txt").exists());
}

#[test]
fn impossible_configurations_are_refused_with_the_reason() {
    let emit = |set: &str| refuses(&["emit", "--set", set, "--out", "target/never"], &[]);
    assert!(emit("lanes=12").contains("2, 4, 8, 16 or 32"));
    refuses(
        &[
            "emit",
            "--set",
            "lanes=2",
            "--set",
            "port_words=2",
            "--set",
            "shared_banks=2",
            "--set",
            "sfus=4",
            "--out",
            "target/never",
        ],
        &["sfus", "2 lanes"],
    );
    assert!(emit("sfus=0").contains("float"));
    assert!(emit("blocks=9").contains("blocks"));
    assert!(emit("color=red").contains("there is no key color (keys: "));
    assert!(emit("lanes").contains("KEY=VALUE"));
    refuses(&["emit", "--config", "huge"], &["huge", "tiny, default, wide and quad"]);
    let (_dir, path) = folder(&[("c.toml", b"base = \"tiny\"\nlanes = 16\nport_words = 8\n")]);
    refuses(&[Path::new("emit"), Path::new("--config"), &path], &["port_words"]);
    let (_dir, path) = folder(&[("c.toml", b"base = \"tiny\"\nlane = 16\n")]);
    refuses(&[Path::new("emit"), Path::new("--config"), &path], &["c.toml", "lane"]);
}

#[test]
fn mistakes_on_the_command_line_exit_with_2() {
    for args in [
        &["run"][..],
        &["frobnicate"],
        &["run", "--on", "silicon", "x.toml"],
        &["cosim"],
        &["bench", "--suite", "nonsense"],
        &["bench", "--config", "tiny", "--filter", "nonsense"],
        &["bench", "--config", "tiny,lanes=9"],
        &["bench", "--check", "--baseline", "no-such-file"],
        &["bench", "--results", "no-such-file"],
        &["bench", "--results", "docs/benchmarks/results.json", "--long"],
        &["cosim", "--seed", "x", "--random", "1"],
        &["run", "--threads", "0", "x.toml"],
        &[],
    ] {
        let (code, out, err) = outcome(&warpsmith(args));
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
    }
    let (_, _, err) = outcome(&warpsmith(&["frobnicate"]));
    assert!(err.starts_with("warpsmith: "), "{err}");
}

#[test]
fn help_and_version_exit_with_0_and_name_the_exit_codes() {
    for command in
        ["emit", "cc", "asm", "disasm", "isa", "run", "cosim", "bench", "opencl", "synth", "package", "doctor"]
    {
        for flag in ["-h", "--help"] {
            let (code, out, err) = outcome(&warpsmith(&[command, flag]));
            assert_eq!((code, err.as_str()), (0, ""));
            assert!(out.contains("Exit codes: 0"), "{command} {flag}: {out}");
        }
        let (_, short, _) = outcome(&warpsmith(&[command, "-h"]));
        assert!(short.lines().count() <= 40, "-h of {command} fits a screen");
    }
    let (code, out, _) = outcome(&warpsmith(&["--version"]));
    assert_eq!((code, out.trim()), (0, concat!("warpsmith ", env!("CARGO_PKG_VERSION"))));
}

/// Subcommands that a `--help` lists.
fn subcommands(help: &str) -> Vec<&str> {
    let list = help.split_once("\nCommands:\n").map_or("", |l| l.1);
    let list = list.split("\n\n").next().unwrap_or("");
    let names = list.lines().filter_map(|l| l.strip_prefix("  "));
    let names = names.filter_map(|l| l.split_whitespace().next());
    names.filter(|n| *n != "help").collect()
}

/// The examples of a command and of those below it, in order.
fn examples(path: &[&str], found: &mut Vec<String>) {
    let (_, help, _) = outcome(&warpsmith(&[path, &["--help"]].concat()));
    let lines = help.lines().filter_map(|l| l.strip_prefix("  warpsmith "));
    found.extend(lines.map(str::to_string));
    for name in subcommands(&help) {
        examples(&[path, &[name]].concat(), found);
    }
}

/// The examples of every `--help`, as typed, where a newcomer stands: in a folder with the kernels and without
/// `target`. Those of C need clang.
#[test]
fn examples_of_the_help_run() {
    let dir = support::Scratch::new("examples");
    for name in ["kernels", "sim"] {
        let link = dir.path().join(name);
        std::os::unix::fs::symlink(support::root().join(name), link).expect("a link");
    }
    let mut found = vec![];
    examples(&[], &mut found);
    let mut seen = 0;
    for line in &found {
        assert!(!line.contains("target/"), "a newcomer has no target: {line}");
        // No board is at hand; tests/uart.rs has a simulated one.
        if line.contains("uart:") || line.starts_with("board ") {
            continue;
        }
        let compiles = line.starts_with("cc ") || line.contains("saxpy.cubin");
        if compiles && !support::clang("examples of cc") {
            continue;
        }
        let args: Vec<&str> = line.split_whitespace().collect();
        let (code, _, err) = outcome(&warpsmith_with(&args, |c| c.current_dir(dir.path())));
        assert_eq!(code, 0, "warpsmith {line}: {err}");
        seen += 1;
    }
    assert!(seen >= 20, "{seen} examples of {}", found.len());
}

#[test]
fn every_instruction_of_sm_10_is_listed_as_built() {
    let (code, out, _) = outcome(&warpsmith(&["isa", "list"]));
    assert_eq!(code, 0);
    let (head, rows) = out.split_once('\n').expect("a head");
    let column = |name: &str| head.find(name).expect("a column");
    let (since, model, rtl) = (column("since"), column("model"), column("rtl"));
    let mut refused = vec![];
    for row in rows.lines() {
        let yes = |at: usize| row[at..].starts_with("yes ");
        assert_eq!(yes(model), yes(rtl), "{row}");
        if row[since..].starts_with("SM 1.0") && !yes(rtl) {
            refused.push(row.split(' ').next().expect("a spelling"));
        }
    }
    assert_eq!(rows.lines().count(), warpsmith_isa::FORMS.len());
    // Textures, quads and fragments, nothing that computes.
    let graphics = "TEX32 TEX32.FETCH QUADOP TEX TXB TXL TXQ TEXCSAA DISCARD QUADON QUADPOP";
    assert_eq!(refused.join(" "), graphics);
}

#[test]
fn assembling_and_disassembling_are_inverse_on_our_kernels() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for name in support::kernel_names() {
        let source = support::root().join("kernels").join(&name).join(format!("{name}.sass"));
        let (hex, bin, back) = (dir.path().join("k.hex"), dir.path().join("k.bin"), dir.path().join("back.sass"));
        for out in [&hex, &bin] {
            let (code, _, err) = outcome(&warpsmith(&[Path::new("asm"), &source, Path::new("-o"), out]));
            assert_eq!((code, err.as_str()), (0, ""), "{name}");
        }
        let (code, listing, err) = outcome(&warpsmith(&[Path::new("disasm"), &bin]));
        assert_eq!(code, 0, "{name}: {err}");
        std::fs::write(&back, listing).expect("written");
        let (_, words, err) = outcome(&warpsmith(&[Path::new("asm"), &back]));
        assert_eq!(words, std::fs::read_to_string(&hex).expect("readable"), "{name}: {err}");
    }
}

#[test]
fn cubin_of_the_assembler_disassembles_and_launches() {
    let source =
        b".kernel answer\n.registers 2\n.shared 20\nMVI R0, 0x2a;\nMOV R1, g [0x4];\nGST.U32 global14[R1], R0;\nRET;\n";
    let (dir, path) = folder(&[("k.sass", source)]);
    let cubin = dir.path().join("k.cubin");
    let (code, _, err) = outcome(&warpsmith(&[Path::new("asm"), &path, Path::new("-o"), &cubin]));
    assert_eq!(code, 0, "{err}");
    let (code, text, _) =
        outcome(&warpsmith(&[Path::new("disasm"), &cubin, Path::new("--kernel"), Path::new("answer")]));
    assert_eq!(code, 0);
    assert!(text.contains("MVI R0, 0x2a;") && text.contains(".registers 2"), "{text}");
    refuses(&[Path::new("disasm"), &cubin, Path::new("--kernel"), Path::new("question")], &["question", "answer"]);
    let launch = "program = \"k.cubin\"\nkernel = \"answer\"\ngrid = [1, 1]\nblock = [1, 1, 1]\nparams = [16]\nglobal_bytes = 64\n[[expect]]\noffset = 16\nwords = [42]\n";
    std::fs::write(dir.path().join("l.toml"), launch).expect("written");
    let (code, out, err) = outcome(&warpsmith(&[Path::new("run"), &dir.path().join("l.toml")]));
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn missed_expectation_exits_with_1_and_shows_the_words() {
    let launch = format!("{LAUNCH}[[expect]]\noffset = 8\nwords = [7]\n");
    let (_dir, path) = folder(&[("l.toml", launch.as_bytes()), ("k.hex", EXIT)]);
    let (code, out, err) = outcome(&warpsmith(&[Path::new("run"), &path]));
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.starts_with("fail: ") && out.contains("0x00000008") && out.contains("0x00000007"), "{out}");
}

#[test]
fn trap_exits_with_1_and_names_cause_and_place() {
    // GLD from address 1: misaligned. MVI R0, 1; GLD.U32 R1, global14[R0]; RET.
    let source = b"MVI R0, 0x1;\nGLD.U32 R1, global14[R0];\nRET;\n";
    let launch = LAUNCH.replace("k.hex", "k.sass");
    let (_dir, path) = folder(&[("l.toml", launch.as_bytes()), ("k.sass", source)]);
    let (code, out, _) = outcome(&warpsmith(&[Path::new("run"), &path, Path::new("--json")]));
    assert_eq!(code, 1);
    let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!(json["outcome"], "trap");
    assert!(json["details"][0].as_str().is_some_and(|d| d.contains("misaligned") && d.contains("0x0008")), "{out}");
}

#[test]
fn json_of_a_run_has_the_keys_of_the_contract() {
    let launch = support::kernel("vector_add");
    let (code, out, _) = outcome(&warpsmith(&[Path::new("run"), &launch, Path::new("--json")]));
    assert_eq!(code, 0);
    let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!(json["outcome"], "pass");
    assert_eq!(json["warp_instructions"], 140);
    assert!(json["thread_instructions"].is_u64() && json["seconds"].is_f64());
    assert!(json.get("cycles").is_none(), "the model has no cycles");
}

/// The object of a run without its host time.
fn json_on(launch: &str, threads: &str) -> serde_json::Value {
    let args = ["run", "--json", "--seed", "1", "--threads", threads, launch];
    let (_, out, err) = outcome(&warpsmith(&args));
    let mut object: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    assert!(object["seconds"].take().is_number());
    object
}

#[test]
fn number_of_threads_changes_nothing_but_the_time() {
    let kernel = support::root().join("kernels/mandelbrot/launch.toml");
    let kernel = kernel.to_str().expect("a path in UTF-8");
    let one = json_on(kernel, "1");
    assert_eq!(one["outcome"], "pass");
    for threads in ["2", "5"] {
        assert_eq!(json_on(kernel, threads), one);
    }
    let rtl = ["run", kernel, "--on", "rtl", "--threads", "2"];
    refuses(&rtl, &["--threads", "model"]);
}

#[test]
fn json_of_a_run_that_could_not_take_place_says_error() {
    let (code, out, err) = outcome(&warpsmith(&["run", "no/such.toml", "--json"]));
    assert_eq!(code, 2);
    let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!(json["outcome"], "error");
    assert!(err.starts_with("warpsmith: "));
}

#[test]
fn dump_holds_global_memory_word_by_word() {
    let (launch, dir) = (support::kernel("vector_add"), tempfile::tempdir().expect("a temporary folder"));
    let dump = dir.path().join("out.hex");
    let (code, ..) = outcome(&warpsmith(&[Path::new("run"), &launch, Path::new("--dump"), &dump]));
    assert_eq!(code, 0);
    let text = std::fs::read_to_string(&dump).expect("written");
    let expected = std::fs::read_to_string(support::root().join("kernels/vector_add/expect.hex")).expect("committed");
    let words: Vec<&str> = text.lines().collect();
    assert_eq!(words.len(), 4096 / 4);
    assert_eq!(words[0x800 / 4..][..215], expected.lines().collect::<Vec<_>>());
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 1, "no temporary file stays behind");
}

#[test]
fn closed_pipe_is_quiet() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpsmith"))
        .args(["isa", "doc"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&out.stderr), "");
    assert!(out.status.success());
}

#[test]
fn instruction_set_page_has_a_section_for_every_form() {
    let (code, page, _) = outcome(&warpsmith(&["isa", "doc"]));
    assert_eq!(code, 0);
    for form in &warpsmith_isa::FORMS {
        assert!(page.contains(form.mnemonic), "{} is missing", form.mnemonic);
        assert!(page.contains(form.doc), "{} is not described", form.mnemonic);
    }
}

#[test]
fn the_model_traps_where_the_chip_lacks_the_unit() {
    let launch = support::root().join("kernels/saxpy/launch.toml");
    let on = |config: &str| {
        let args = ["run", "--on", "model", "--config", config];
        let mut args: Vec<&std::ffi::OsStr> = args.iter().map(std::ffi::OsStr::new).collect();
        args.push(launch.as_os_str());
        outcome(&warpsmith(&args))
    };
    assert_eq!(on("default").0, 0);
    let (code, out, _) = on("tiny");
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("trap 2 (unimplemented)"), "{out}");
}

/// What a launch file names by mistake may have no end: kind and size are looked at first.
#[test]
fn devices_pipes_and_endless_files_are_refused() {
    let (dir, launch) = folder(&[("l.toml", b""), ("k.hex", EXIT)]);
    let put = |text: &str| std::fs::write(&launch, text).expect("written");
    let pipe = dir.path().join("pipe.hex");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo starts").success());
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("zero.bin")).expect("a link");
    std::os::unix::fs::symlink("pipe.hex", dir.path().join("pipe.cu")).expect("a link");
    let sparse = std::fs::File::create(dir.path().join("long.bin")).expect("made");
    sparse.set_len(5 << 30).expect("a long file");
    let run = [Path::new("run"), &launch];
    for (name, kind) in [
        ("/dev/zero", "a device"),
        ("zero.bin", "a device"),
        ("pipe.hex", "a pipe"),
        ("pipe.cu", "a pipe"),
        (".", "a folder"),
        ("long.bin", "longer than 256 MiB"),
    ] {
        put(&LAUNCH.replace("k.hex", name));
        refuses(&run, &["l.toml:1", name, kind]);
    }
    for (name, kind) in [("zero.bin", "a device"), ("pipe.hex", "a pipe"), ("long.bin", "longer than 4096 MiB")] {
        for section in
            ["[[global]]\noffset = 0", "[[expect]]\noffset = 0", "[[constant]]\nbank = 0", "[[buffer]]\nname = \"b\""]
        {
            put(&format!("{LAUNCH}{section}\nfile = \"{name}\"\n"));
            refuses(&run, &["l.toml:8", name, kind]);
        }
    }
    // What is named on the command line may be a pipe, and has a bound.
    for args in [["run", "/dev/zero"], ["cosim", "/dev/zero"], ["emit", "--config=/dev/zero"]] {
        refuses(&args, &["/dev/zero", "longer than 256 MiB"]);
    }
    refuses(&["fault", "report", "/dev/zero"], &["/dev/zero", "a device"]);
}
