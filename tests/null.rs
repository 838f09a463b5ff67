//! Use of NULL traps and is called so: launches with `args` and in CUDA C, on the model, the native engine and
//! Verilator; a launch with addresses of its own keeps address 0.

use crate::support::{self, sim, warpsmith};
use std::path::Path;

/// Writes through its first parameter at an offset in bytes, after a read there.
const SASS: &str = ".registers 4\nMVI R1, 0x0; IADD R1, g[0x4], R1; IADD R1, g[0x5], R1\n\
    GLD.U32 R2, global14[R1]; GST.U32 global14[R1], R0; RET\n";
const CUDA: &str = "__global__ void poke(int *p, int *q, int at) {\n  q[0] = 1;\n  p[at] = 7;\n}\n";

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.to_string_lossy().into()
}

/// Launch files, and whether they trap as NULL.
fn launches(folder: &Path, cuda: bool) -> Vec<(String, bool)> {
    write(folder, "poke.sass", SASS);
    write(folder, "poke.cu", CUDA);
    let head = "program = \"poke.sass\"\ngrid = [2, 1]\nblock = [40, 1, 1]\n";
    let buffer = "[[buffer]]\nname = \"x\"\nbytes = 4096\n";
    let mut all = vec![
        ("null.toml", format!("{head}args = [0, 0]\n{buffer}"), true),
        ("near.toml", format!("{head}args = [0, 4092]\n{buffer}"), true),
        ("before.toml", format!("{head}args = [\"x\", -4]\n{buffer}"), true),
        ("first.toml", format!("{head}args = [\"x\", 0]\n{buffer}"), false),
        ("off.toml", format!("{head}guard = false\nargs = [0, 0]\n{buffer}"), false),
        ("on.toml", format!("{head}guard = true\nparams = [16, 0]\nglobal_bytes = 4096\n"), true),
        (
            "contract.toml",
            format!("{head}params = [0, 0]\nglobal_bytes = 4096\n[[global]]\noffset = 0\nwords = [1]\n"),
            false,
        ),
    ];
    if cuda {
        let head = "program = \"poke.cu\"\ngrid = [2, 1]\nblock = [40, 1, 1]\n";
        let args = |p: &str, at: i32| format!("{head}args = [{p}, \"x\", {at}]\n{buffer}");
        all.push(("cuda-null.toml", args("0", 0), true));
        all.push(("cuda-before.toml", args("\"x\"", -1), true));
        all.push(("cuda-first.toml", args("\"x\"", 0), false));
    }
    let all = all.into_iter();
    all.map(|(name, text, traps)| (write(folder, name, &text), traps)).collect()
}

/// Every launch, through `run` or `cosim`.
fn runs(command: &str, options: &[&str]) {
    let cuda = support::clang();
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (launch, traps) in launches(folder.path(), cuda) {
        let out = warpsmith(&[&[command, &launch], options].concat());
        let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert_eq!(out.status.code(), Some(i32::from(traps)), "{launch}: {text}");
        assert_eq!(text.contains("NULL"), traps, "{launch}: {text}");
    }
}

#[test]
fn use_of_null_traps_on_the_model() {
    runs("run", &["--on", "model"]);
}

#[test]
fn use_of_null_traps_on_the_native_engine() {
    for config in ["tiny", "default"] {
        let options = ["--engine", "native", "--config", config];
        runs("run", &[&["--on", "rtl"], &options[..]].concat());
        runs("cosim", &options);
    }
}

/// Programs of the other sets that there are chips of: a load and a store through a pointer and an offset.
const SETS: [(&str, &str, &str); 2] = [
    ("fermi", "p.sass", "MOV R1, c[0x0][0x20];\nIADD R1, R1, c[0x0][0x24];\nLD R2, [R1];\nST [R1], R2;\nEXIT;\n"),
    (
        "g13",
        "p.asm",
        "mov r2, u2\ndevice_load 0, i32, x, r3, u0_u1, r2, unsigned\nwait 0\n\
         device_store 0, i32, x, r3, u0_u1, r2, unsigned, 0\nstop\n",
    ),
];

#[test]
fn use_of_null_traps_on_chips_of_other_sets() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (isa, program, source) in SETS {
        write(folder.path(), program, source);
        let head = format!(
            "isa = \"{isa}\"\nprogram = \"{program}\"\nregisters = 8\ngrid = [1, 1]\nblock = [40, 1, 1]\n\
             [[buffer]]\nname = \"x\"\nbytes = 4096\n"
        );
        // The offset is in bytes in one, in words in the other; a pointer of G13 has two words.
        let none = if isa == "g13" { "0, 0" } else { "0" };
        for (args, traps) in [("\"x\", 0", false), (none, true)] {
            let args = if traps { format!("{args}, 12") } else { args.into() };
            let launch = write(folder.path(), "l.toml", &format!("args = [{args}]\n{head}"));
            for options in [
                &["run", &launch, "--on", "model"][..],
                &["cosim", &launch, "--engine", "native", "--set", &format!("isa={isa}")],
            ] {
                let (code, text, errors) = support::outcome(&warpsmith(options));
                assert_eq!(code, i32::from(traps), "{options:?}: {text}{errors}");
                assert_eq!(format!("{text}{errors}").contains("NULL"), traps, "{text}{errors}");
            }
        }
    }
}

#[test]
fn use_of_null_traps_in_verilator() {
    if sim::chip("tiny", &[]).is_some() {
        let options = ["--engine", "verilator", "--config", "tiny"];
        runs("cosim", &options);
    }
}
