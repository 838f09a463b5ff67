//! Configurations and their parameters: files, mistakes, limits.

use super::{folder, refuses};
use crate::support::{args, prints};

#[test]
fn a_wrong_parameter_is_named_with_what_it_takes() {
    let emit = |set: &str, fragments: &[&str]| {
        refuses(&["emit", "--set", set, "--out", "target/never"], fragments);
    };
    emit("lanes=abc", &["lanes=abc", "lanes is 2, 4, 8, 16 or 32, not abc"]);
    emit("lane=8", &["no key lane", "did you mean lanes?", "keys: "]);
    emit("float=1", &["float is true or false"]);
    emit("isa=sm20", &["\"sm10\", \"fermi\", \"g13\" or \"ivb\""]);
    emit("warps=3", &["warps = 3", "a power of two from 2 to 32"]);
    let file = |text: &[u8], fragments: &[&str]| {
        let (_dir, path) = folder(&[("c.toml", text)]);
        refuses(&args!["emit", "--config", &path], fragments);
    };
    file(b"base = \"tiny\"\nlanes = \"x\"\n", &["c.toml:2: lanes = \"x\"", "2, 4, 8, 16 or 32"]);
    file(b"base = \"tiny\"\n\nlanse = 4\n", &["c.toml:3:", "no key lanse, did you mean lanes?"]);
    file(b"base = \"tiny\"\nlanes = 3\n", &["c.toml:2: lanes = 3 is impossible"]);
    let ivb = b"base = \"default\"\nisa = \"ivb\"\nshared_banks = 4\nlanes = 4\n";
    file(ivb, &["c.toml:4: lanes = 4 is impossible", "a register of Ivy Bridge is 8 dwords: 8, 16 or 32 lanes"]);
    file(b"base = \"default\"\nisa = \"ivb\"\nregisters = 1024\n", &["c.toml:3: registers = 1024", "2048 or more"]);
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
    let args = args!["emit", "--config", &path, "--out", &out];
    prints(&args);
    let manifest = std::fs::read_to_string(out.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let text = manifest.to_string();
    assert!(text.contains("\"sms\":2") && text.contains("\"warps\":8"), "{text}");
}

#[test]
fn the_name_of_a_configuration_file_ends_no_comment() {
    let (dir, path) = folder(&[("a\nmodule evil*-->`x.toml", b"base = \"tiny\"\n")]);
    let out = dir.path().join("chip");
    let args = args!["emit", "--config", &path, "--out", &out];
    prints(&args);
    for file in std::fs::read_dir(&out).expect("a folder").flatten() {
        let Ok(text) = std::fs::read_to_string(file.path()) else { continue };
        let begins = |l: &str| l.trim_start().starts_with("module evil");
        assert!(!text.lines().any(begins), "{}", file.path().display());
    }
}

#[test]
fn impossible_configurations_are_refused_with_the_reason() {
    let emit = |set: &str| refuses(&["emit", "--set", set, "--out", "target/never"], &[]);
    assert!(emit("lanes=12").contains("2, 4, 8, 16 or 32"));
    refuses(
        &[
            "emit", "--set", "lanes=2", "--set", "port_words=2", "--set", "shared_banks=2", "--set", "sfus=4", "--out",
            "target/never",
        ],
        &["sfus", "2 lanes"],
    );
    assert!(emit("sfus=0").contains("float"));
    assert!(
        emit("double=true").contains("double = true is impossible: floats of 64 bits of SM 1.x come with its level")
    );
    assert!(emit("atomics=true")
        .contains("atomics = true is impossible: atomic accesses of SM 1.x come with its level: set level = \"sm11\""));
    refuses(
        &["emit", "--set", "isa=ivb", "--set", "atomics=true", "--out", "target/never"],
        &["ivb has no atomic accesses on a chip: set isa = \"fermi\" or \"g13\""],
    );
    assert!(emit("double=1").contains("double is true or false"));
    assert!(emit("blocks=9").contains("blocks"));
    for wrong in ["watchdog=255", "watchdog=16777217"] {
        assert!(emit(wrong).contains("256 (a load may take as long) to 16777216, or 0 for no watchdog"));
    }
    assert!(emit("color=red").contains("there is no key color (keys: "));
    assert!(emit("lanes").contains("KEY=VALUE"));
    refuses(&["emit", "--config", "huge"], &["huge", "tiny, default, wide, quad, compute and hardened"]);
    let (_dir, path) = folder(&[("c.toml", b"base = \"tiny\"\nlanes = 16\nport_words = 8\n")]);
    refuses(&args!["emit", "--config", &path], &["port_words"]);
    let (_dir, path) = folder(&[("c.toml", b"base = \"tiny\"\nlane = 16\n")]);
    refuses(&args!["emit", "--config", &path], &["c.toml", "lane"]);
}
