//! Lint and synthesis of one block.

use crate::support;
use std::path::Path;
use std::process::Command;
use warpsmith_cxx::tool::plain_temporary;
use warpsmith_hdl::emit::Emitted;

/// Fails when a linter finds something in the block.
pub fn lints(leaf: &Emitted, top: &str) {
    let dir = tempfile::tempdir().unwrap();
    leaf.write(dir.path()).unwrap();
    let lint = ["--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME", "--top-module", top];
    tool(dir.path(), "verilator", &[&lint[..], &["warpsmith.v"]].concat());
    tool(dir.path(), "iverilog", &["-t", "null", "warpsmith.v"]);
}

/// `None`: the tool is not installed.
fn tool(dir: &Path, name: &str, args: &[&str]) -> Option<()> {
    let mut command = Command::new(name);
    plain_temporary(&mut command);
    // Icarus bears no preloaded allocator.
    command.env_remove("LD_PRELOAD");
    let out = support::run(name, command.current_dir(dir).args(args))?;
    support::succeed(&out);
    Some(())
}

/// Fails when a tool finds something in the block, when it has a latch, or more cells of a kind
/// (the first letters of its name) on Xilinx 7 than the limits say.
pub fn fits(leaf: &Emitted, top: &str, limits: [(&str, usize); 3]) {
    lints(leaf, top);
    let dir = tempfile::tempdir().unwrap();
    leaf.write(dir.path()).unwrap();
    let script =
        format!("read_verilog warpsmith.v; synth_xilinx -family xc7 -flatten -top {top}; tee -o cells.txt stat");
    if tool(dir.path(), "yosys", &["-q", "-p", &script]).is_none() {
        return;
    }
    let cells = std::fs::read_to_string(dir.path().join("cells.txt")).unwrap();
    println!("{cells}");
    let count = |kind: &str| -> usize {
        let row = |l: &str| {
            let mut w = l.split_whitespace();
            let name = w.next()?;
            name.starts_with(kind).then(|| w.next()?.parse::<usize>().ok())?
        };
        cells.lines().filter_map(row).sum()
    };
    assert_eq!(count("LD"), 0, "latches");
    for (kind, most) in limits {
        assert!(count(kind) <= most, "{} {kind}, not {most}", count(kind));
    }
}
