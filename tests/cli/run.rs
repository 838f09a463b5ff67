//! What a run prints: words that differ, traps, JSON, dumps.

use super::{folder, refuses, EXIT, LAUNCH};
use crate::support::{self, args, outcome, warpsmith};

#[test]
fn a_difference_of_floats_shows_both_and_their_distance() {
    let text = format!("{LAUNCH}[[expect]]\noffset = 16\nfloats = [0.0, 1.5]\n");
    let (_dir, path) = folder(&[("launch.toml", text.as_bytes()), ("k.hex", EXIT)]);
    let (code, out, _) = outcome(&warpsmith(&args!["run", &path]));
    assert_eq!(code, 1);
    let shown = "element 1: expected 1.5 (0x3fc00000), found 0.0 (0x00000000), 1069547520 ulp apart";
    assert!(out.contains(shown), "{out}");
}

#[test]
fn an_instruction_the_chip_lacks_is_named_with_its_key() {
    let run = |text: &[u8], key: &str| {
        let launch = LAUNCH.replace("k.hex", "k.sass");
        let (_dir, path) = folder(&[("launch.toml", launch.as_bytes()), ("k.sass", text)]);
        let args = args!["run", &path, "--set", "float=false", "--set", "sfus=0"];
        let (code, out, err) = outcome(&warpsmith(&args));
        assert_eq!(code, 1, "{err}");
        assert!(out.contains(&format!("--set {key} brings it")), "{out}");
    };
    run(b"FADD R0, R0, R1;\nRET;\n", "float=true");
    run(b"RCP R0, R0;\nRET;\n", "sfus=2");
}

#[test]
fn missed_expectation_exits_with_1_and_shows_the_words() {
    let launch = format!("{LAUNCH}[[expect]]\noffset = 8\nwords = [7]\n");
    let (_dir, path) = folder(&[("l.toml", launch.as_bytes()), ("k.hex", EXIT)]);
    let (code, out, err) = outcome(&warpsmith(&args!["run", &path]));
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.starts_with("fail: ") && out.contains("0x00000008") && out.contains("0x00000007"), "{out}");
}

#[test]
fn trap_exits_with_1_and_names_cause_and_place() {
    // GLD from address 1: misaligned. MVI R0, 1; GLD.U32 R1, global14[R0]; RET.
    let source = b"MVI R0, 0x1;\nGLD.U32 R1, global14[R0];\nRET;\n";
    let launch = LAUNCH.replace("k.hex", "k.sass");
    let (_dir, path) = folder(&[("l.toml", launch.as_bytes()), ("k.sass", source)]);
    let (code, out, _) = outcome(&warpsmith(&args!["run", &path, "--json"]));
    assert_eq!(code, 1);
    let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!(json["outcome"], "trap");
    assert!(json["details"][0].as_str().is_some_and(|d| d.contains("misaligned") && d.contains("0x0008")), "{out}");
}

#[test]
fn json_of_a_run_has_the_keys_of_the_contract() {
    let launch = support::kernel("vector_add");
    let (code, out, _) = outcome(&warpsmith(&args!["run", &launch, "--json"]));
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
    let (code, ..) = outcome(&warpsmith(&args!["run", &launch, "--dump", &dump]));
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
fn the_model_traps_where_the_chip_lacks_the_unit() {
    let launch = support::root().join("kernels/saxpy/launch.toml");
    let on = |config: &str| outcome(&warpsmith(&args!["run", "--on", "model", "--config", config, &launch]));
    assert_eq!(on("default").0, 0);
    let (code, out, _) = on("tiny");
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("trap 2 (unimplemented)"), "{out}");
}
