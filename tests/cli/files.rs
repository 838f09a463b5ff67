//! Launch files, programs and cubins with mistakes: each is refused with its line.

use super::{folder, refuses, EXIT, LAUNCH};
use crate::support::args;

#[track_caller]
fn refuses_launch(files: &[(&str, &[u8])], fragments: &[&str]) {
    let (_dir, path) = folder(files);
    refuses(&args!["run", &path], fragments);
}

#[test]
fn truncated_cubin_is_refused_with_its_line() {
    let text = b"architecture {sm_10}\ncode {\n name = k\n reg = 2\n bincode { 0x10000005 ";
    let (_dir, path) = folder(&[("k.cubin", text)]);
    refuses(&args!["disasm", &path], &["k.cubin:"]);
}

#[test]
fn foreign_cubin_is_refused_by_its_architecture() {
    let (_dir, path) = folder(&[("k.cubin", b"architecture {sm_20}\nabiversion {1}\n")]);
    refuses(&args!["disasm", &path], &["k.cubin:1", "sm_20", "sm_10"]);
    let (_dir, elf) = folder(&[("k.cubin", b"\x7fELF\x02\x01\x01\xff\xfe")]);
    refuses(&args!["disasm", &elf], &["k.cubin", "binary"]);
}

#[test]
fn unknown_mnemonic_is_refused_with_line_and_column() {
    let (_dir, path) = folder(&[("k.sass", b"NOP;\n  FROB R0, R1;\n")]);
    refuses(&args!["asm", &path], &["k.sass:2:3", "FROB"]);
}

#[test]
fn register_beyond_the_allocation_is_refused() {
    let source = b".registers 4\nMVI R4, 0x1;\nRET;\n";
    let (_dir, path) = folder(&[("k.sass", source)]);
    refuses(&args!["asm", &path], &["k.sass:2", "R4", "4"]);
    let launch = LAUNCH.replace("k.hex", "k.sass");
    let source = b"MVI R4, 0x1;\nRET;\n";
    refuses_launch(&[("l.toml", launch.as_bytes()), ("k.sass", source)], &["R4", "registers"]);
}

#[test]
fn branch_into_the_middle_of_an_instruction_is_refused() {
    let source = b"MVI R0, 0x1;\nBRA 0x4;\nRET;\n";
    let (_dir, path) = folder(&[("k.sass", source)]);
    refuses(&args!["asm", &path], &["k.sass:2", "0x4", "middle"]);
    let launch = LAUNCH.replace("k.hex", "k.sass");
    refuses_launch(&[("l.toml", launch.as_bytes()), ("k.sass", source)], &["middle"]);
}

#[test]
fn odd_word_count_is_refused() {
    refuses_launch(
        &[("l.toml", LAUNCH.as_bytes()), ("k.hex", b"10000005\n0403c780\nf0000001\n")],
        &["k.hex", "long instruction"],
    );
    let (_dir, path) = folder(&[("k.bin", &[0x05, 0, 0, 0x10, 0x80])]);
    refuses(&args!["disasm", &path], &["k.bin", "4 bytes", "5"]);
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
    refuses(&args!["run", &path, "--config", "tiny"], &["l.toml:3", "5 warps", "tiny has 4"]);
}

#[test]
fn missing_files_are_named() {
    refuses(&["run", "no/such/launch.toml"], &["no/such/launch.toml"]);
    refuses(&["asm", "no/such.sass"], &["no/such.sass"]);
    refuses(&["disasm", "no/such.hex"], &["no/such.hex"]);
    refuses_launch(&[("l.toml", LAUNCH.as_bytes())], &["k.hex", "relative to the launch file"]);
}

#[test]
fn input_is_shown_without_control_characters_and_cut() {
    let name = "x".repeat(100_000);
    for text in ["\u{1b}[31mred\u{7} R0, R1;\n".to_string(), format!("{name} R0, R1;\n")] {
        let (_dir, path) = folder(&[("k.sass", text.as_bytes())]);
        let err = refuses(&args!["asm", &path], &["k.sass:1"]);
        assert!(err.len() < 600, "{} bytes", err.len());
        assert!(!err.trim_end().contains(|c: char| c.is_control()), "{err:?}");
    }
    let launch = format!("{LAUNCH}\"{name}\" = 1\n");
    let (_dir, path) = folder(&[("launch.toml", launch.as_bytes())]);
    let err = refuses(&args!["run", &path], &["launch.toml:"]);
    assert!(err.len() < 2000, "{} bytes", err.len());
}

#[test]
fn an_empty_file_has_no_program() {
    for name in ["k.hex", "k.bin", "k.cubin"] {
        let (_dir, path) = folder(&[(name, b"")]);
        refuses(&args!["disasm", &path], &[name, "the file is empty"]);
    }
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
    let run = args!["run", &launch];
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
