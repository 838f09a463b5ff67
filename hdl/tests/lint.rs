//! Every block of the SM alone: it emits, and Verilator's lint has nothing to say.

use std::process::Command;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm;

fn lint(name: &str, block: &dyn rust_hdl_core::block::Block) {
    let dir = tempfile::tempdir().unwrap();
    emit_leaf(block).write(dir.path()).unwrap();
    let out = Command::new("verilator")
        .args([
            "--lint-only",
            "-Wall",
            "-Wno-UNUSEDSIGNAL",
            "-Wno-DECLFILENAME",
            "--top-module",
            name,
        ])
        .arg(dir.path().join("warpsmith.v"))
        .output();
    match out {
        Ok(o) => assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr)),
        Err(e) => assert!(
            std::env::var("WARPSMITH_REQUIRE_TOOLS").is_err(),
            "verilator: {e}"
        ),
    }
}

#[test]
fn blocks_lint_clean_in_every_width() {
    for name in ["tiny", "default", "wide"] {
        let cfg = GpuConfig::named(name).unwrap();
        lint("decode", &sm::pipeline::decode::Decode::new(&cfg));
        lint("fetch", &sm::pipeline::fetch::Fetch::new(&cfg));
        lint("warps", &sm::pipeline::warps::Warps::new(&cfg));
        lint(
            "scoreboard",
            &sm::pipeline::scoreboard::Scoreboard::new(&cfg),
        );
        lint("dispatch", &sm::pipeline::dispatch::Dispatch::new(&cfg));
        lint("issue_stage", &sm::pipeline::issue::IssueStage::new(&cfg));
        lint(
            "address_lane",
            &sm::pipeline::address::lane::AddressLane::new(),
        );
        lint(
            "access_check",
            &sm::pipeline::address::lane::AccessCheck::new(),
        );
        lint(
            "operand_select",
            &sm::pipeline::operand::select::OperandSelect::new(),
        );
        lint("constant_memory", &sm::constant::ConstantMemory::new(&cfg));
        lint("registers", &sm::pipeline::registers::Registers::new(&cfg));
        lint("datapath", &sm::pipeline::datapath::Datapath::new(&cfg));
        lint("sm", &sm::Sm::new(&cfg));
        lint("warpsmith", &warpsmith_hdl::gpu::Gpu::new(&cfg));
    }
}
