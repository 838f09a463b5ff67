//! Runs one emitted block under Verilator with a C++ player written by the test: for blocks whose
//! handshakes decide when the next input comes, which rows of inputs cannot say.

use rust_hdl_core::block::Block;
use std::process::Command;
use warpsmith_hdl::emit::emit_leaf;

/// Builds `block` (module `top`) with `player`, the text of a C++ `main`, runs it with the file of
/// `vectors` as its argument, and gives its standard output. `PLAYER` is put before the player:
/// `Dut` is the model, `tick` a clock cycle, `reset` a reset.
///
/// `None`, and a line that says so, when there is no Verilator and `WARPSMITH_REQUIRE_TOOLS` is
/// not set.
pub fn simulate(top: &str, block: &dyn Block, player: &str, vectors: &str) -> Option<String> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    emit_leaf(block).write(dir.path()).expect("emitted files");
    let main = PLAYER.replace("@TOP@", top) + player;
    std::fs::write(dir.path().join("main.cpp"), main).expect("the player");
    std::fs::write(dir.path().join("vectors.txt"), vectors).expect("the vectors");
    let built = Command::new("verilator")
        .args([
            "--cc",
            "--exe",
            "--build",
            "-Wall",
            "-Wno-UNUSEDSIGNAL",
            "-Wno-DECLFILENAME",
        ])
        .args([
            "--top-module",
            top,
            "--Mdir",
            "obj",
            "warpsmith.v",
            "main.cpp",
        ])
        .env_remove("CXXFLAGS")
        .current_dir(dir.path())
        .output();
    match built {
        Ok(o) => {
            let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            assert!(o.status.success(), "{}{}", text(&o.stdout), text(&o.stderr));
        }
        Err(e) => {
            assert!(
                std::env::var("WARPSMITH_REQUIRE_TOOLS").is_err(),
                "verilator: {e}"
            );
            println!("skipped: {top}: verilator absent");
            return None;
        }
    }
    let run = Command::new(dir.path().join("obj").join(format!("V{top}")))
        .arg(dir.path().join("vectors.txt"))
        .output()
        .expect("the simulation runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.success(),
        "simulation of {top}: {} {errors}",
        run.status
    );
    Some(text)
}

const PLAYER: &str = r#"
#include "V@TOP@.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
using Dut = V@TOP@;
double sc_time_stamp() { return 0; }
static long cycle = 0;
[[maybe_unused]] static void tick(Dut& d) {
    d.clock = 1; d.eval(); d.clock = 0; d.eval();
    if (++cycle > 20000000) { fprintf(stderr, "no end after %ld cycles\n", cycle); exit(1); }
}
[[maybe_unused]] static void reset(Dut& d) {
    d.clock = 0; d.reset = 1; d.eval(); tick(d); tick(d); d.reset = 0; d.eval();
}
"#;
