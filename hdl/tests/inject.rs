//! The injecting build of a block is the block: Yosys proves it, and finds a saboteur that is not.
//!
//! Both designs are flattened with their memories turned into registers; signals of the same name are
//! taken as pairs and proven equal by induction over the clock.

use std::path::Path;
use std::process::Command;
use warpsmith_cxx::tool::plain_temporary;
use warpsmith_hdl::config::{Floats, GpuConfig, Semantics};
use warpsmith_hdl::emit::{emit_injecting_leaf, emit_leaf};
use warpsmith_hdl::sm;

/// What Yosys says about the equality of two files' module `top`; `None` without Yosys.
fn equal(top: &str, plain: &Path, injecting: &Path) -> Option<Result<(), String>> {
    let side = |file: &Path, name: &str| {
        format!(
            "read_verilog \"{}\"; hierarchy -check -top {top}; proc; flatten; memory -nordff; opt_clean; rename {top} {name}; design -stash {name}; ",
            file.display()
        )
    };
    let script = format!(
        "{}{}design -copy-from plain -as plain plain; design -copy-from open -as open open; \
         equiv_make plain open both; hierarchy -top both; opt -fast; equiv_struct; equiv_simple; equiv_induct -seq 2; \
         equiv_status -assert",
        side(plain, "plain"),
        side(injecting, "open"),
    );
    let mut yosys = Command::new("yosys");
    plain_temporary(&mut yosys);
    match yosys.args(["-q", "-p", &script]).output() {
        Ok(out) if out.status.success() => Some(Ok(())),
        Ok(out) => {
            Some(Err(format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))))
        }
        Err(e) => {
            warpsmith_testkit::absent(format!("yosys ({e})"));
            None
        }
    }
}

/// Emits a block both ways, changes the injecting text, and compares.
fn compared(
    top: &str, block: &dyn rust_hdl_core::block::Block, change: impl Fn(String) -> String,
) -> Option<Result<(), String>> {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let plain = emit_leaf(block).files["warpsmith.v"].clone();
    let open = emit_injecting_leaf(block).files["warpsmith.v"].clone();
    assert!(!plain.contains("SABOTEUR") && !plain.contains("public"));
    assert!(open.contains("`SABOTEUR [") && open.contains("public_flat_rd"));
    equal(top, &write("plain.v", &plain), &write("open.v", &change(open)))
}

#[track_caller]
fn is_the_block(top: &str, block: &dyn rust_hdl_core::block::Block) {
    let started = std::time::Instant::now();
    if let Some(Err(text)) = compared(top, block, |t| t) {
        panic!("{top}: {text}");
    }
    println!("{top}: {:.1} s", started.elapsed().as_secs_f64());
}

#[test]
fn injecting_blocks_are_the_plain_ones() {
    let mut cfg = GpuConfig::named("tiny").unwrap();
    // A stack is one register here, a bit a pair to prove: a small one will do.
    cfg.set("stack_depth=4").unwrap();
    is_the_block("fifo", &sm::mem::fifo::Fifo::new(8, 40));
    is_the_block("warps", &sm::pipeline::warps::Warps::new(&cfg));
    is_the_block("scoreboard", &sm::pipeline::scoreboard::Scoreboard::new(&cfg));
    is_the_block("barrier", &sm::barrier::Barrier::new(&cfg));
    is_the_block("divergence", &sm::divergence::Divergence::new(&cfg));
    is_the_block("lane", &sm::pipeline::execute::lane::Lane::new(Floats::All, Semantics::G80));
}

#[test]
fn a_wrong_saboteur_is_found() {
    let cfg = GpuConfig::named("tiny").unwrap();
    // One mask that clears a bit, one that inverts a bit.
    for (from, to) in [
        (
            "rdata_0_keep /*verilator public_flat_rd*/ = {23{1'b1}}",
            "rdata_0_keep /*verilator public_flat_rd*/ = {1'b0, {22{1'b1}}}",
        ),
        ("rdata_0_flip /*verilator public_flat_rd*/ = 23'd0", "rdata_0_flip /*verilator public_flat_rd*/ = 23'd4"),
    ] {
        let broken = |text: String| {
            assert!(text.contains(from), "the saboteur of a scoreboard entry");
            text.replacen(from, to, 1)
        };
        match compared("scoreboard", &sm::pipeline::scoreboard::Scoreboard::new(&cfg), broken) {
            Some(Err(text)) => assert!(text.contains("unproven"), "{text}"),
            Some(Ok(())) => panic!("`{to}` was not found"),
            None => return,
        }
    }
}
