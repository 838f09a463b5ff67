//! Runs one emitted block under Verilator with a C++ player written by the test: for blocks whose
//! handshakes decide when the next input comes, which rows of inputs cannot say.

#[path = "../support_cxx/mod.rs"]
mod cxx;

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
    let flags = ["-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"];
    let main = PLAYER.to_string() + player;
    let program = cxx::build(&emit_leaf(block), &flags, ("-O1", "-O0"), &main)?;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("vectors.txt");
    std::fs::write(&file, vectors).expect("the vectors");
    let run = Command::new(program)
        .arg(file)
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
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
using Dut = Model;
static long cycle = 0;
[[maybe_unused]] static void tick(Dut& d) {
    d.clock = 1; d.eval(); d.clock = 0; d.eval();
    if (++cycle > 20000000) { fprintf(stderr, "no end after %ld cycles\n", cycle); exit(1); }
}
[[maybe_unused]] static void reset(Dut& d) {
    d.clock = 0; d.reset = 1; d.eval(); tick(d); tick(d); d.reset = 0; d.eval();
}
"#;
