//! Every block of the SM alone: it emits, and Verilator's lint has nothing to say.

use crate::support;
use std::path::Path;
use warpsmith_cache::verdict::verdict;
use warpsmith_cxx::tool::{verilator, verilator_version};
use warpsmith_hdl::config::{GpuConfig, Isa};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::divergence::fermi::FermiDivergence;

const FLAGS: [&str; 4] = ["--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"];

fn lint(name: &str, block: &dyn rust_hdl_core::block::Block) {
    let leaf = emit_leaf(block);
    let inputs = [leaf.files["warpsmith.v"].as_bytes(), name.as_bytes()];
    let inputs: Vec<&[u8]> = inputs.into_iter().chain(FLAGS.map(str::as_bytes)).collect();
    verdict(&mut verilator().command(Path::new(".")), "--version", &inputs, || {
        let dir = tempfile::tempdir().unwrap();
        leaf.write(dir.path()).unwrap();
        let mut lint = verilator().command(dir.path());
        let lint = lint.args(FLAGS).args(["--top-module", name, "warpsmith.v"]);
        let out = lint.output().expect("it has just started");
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{name}: {text}");
    })
    .expect("the tool starts and the cache can be written");
}

#[test]
fn blocks_lint_clean_in_every_width() {
    if let Err(e) = verilator_version() {
        support::absent("blocks_lint_clean_in_every_width", e);
        return;
    }
    for (name, isa) in [
        ("tiny", Isa::Sm10),
        ("default", Isa::Sm10),
        ("wide", Isa::Sm10),
        ("default", Isa::Fermi),
        ("wide", Isa::Fermi),
        ("default", Isa::G13),
        ("wide", Isa::G13),
    ] {
        let named = GpuConfig::named(name).unwrap();
        let cfg = GpuConfig { isa, ..named };
        let d = Dims::of(&cfg);
        match isa {
            Isa::Sm10 => lint("decode", &sm::pipeline::decode::Decode::new(&cfg)),
            Isa::Fermi => {
                let lane = sm::pipeline::execute::uop::UopLane::new(false, false);
                lint("uop_lane", &lane);
                let address = sm::pipeline::address::uop_lane::UopAddressLane::new();
                lint("uop_address_lane", &address);
                let decode = sm::pipeline::decode::fermi::FermiDecode::new(&cfg);
                lint("fermi_decode", &decode);
                lint("fermi_divergence", &FermiDivergence::new(&cfg));
            }
            Isa::G13 => {
                let decode = sm::pipeline::decode::g13::G13Decode::new(&cfg);
                lint("g13_decode", &decode);
                lint("g13_fetch", &sm::pipeline::g13_fetch::G13Fetch::new(&cfg));
                lint("mask_unit", &sm::divergence::g13::MaskUnit::new(&cfg));
                let lane = sm::pipeline::execute::uop::UopLane::new(true, true);
                lint("uop_lane", &lane);
                let address = sm::pipeline::address::g13_lane::G13AddressLane::new();
                lint("g13_address_lane", &address);
            }
            Isa::Ivb => unreachable!("no chips"),
        }
        if isa != Isa::G13 {
            lint("fetch", &sm::pipeline::fetch::Fetch::new(&cfg));
        }
        lint("barrier", &sm::barrier::Barrier::new(&cfg));
        lint("warps", &sm::pipeline::warps::Warps::new(&cfg));
        lint("scoreboard", &sm::pipeline::scoreboard::Scoreboard::new(&cfg));
        lint("dispatch", &sm::pipeline::dispatch::Dispatch::new(&cfg));
        lint("issue_stage", &sm::pipeline::issue::IssueStage::new(&cfg));
        lint("address_lane", &sm::pipeline::address::lane::AddressLane::new());
        lint("access_check", &sm::pipeline::access_check::AccessCheck::new());
        lint("operand_select", &sm::pipeline::operand::select::OperandSelect::new(&d));
        lint("constant_memory", &sm::constant::ConstantMemory::new(&cfg));
        lint("registers", &sm::pipeline::registers::Registers::new(&cfg));
        lint("read_stage", &sm::pipeline::read::ReadStage::new(&cfg));
        lint("address_stage", &sm::pipeline::address::AddressStage::new(&cfg));
        lint("memory_stage", &sm::pipeline::memory::MemoryStage::new(&cfg));
        lint("operand_stage", &sm::pipeline::operand::OperandStage::new(&cfg));
        lint("execute_stage", &sm::pipeline::execute::ExecuteStage::new(&cfg));
        lint("write_back_stage", &sm::pipeline::write_back::WriteBackStage::new(&cfg));
        lint("datapath", &sm::pipeline::datapath::Datapath::new(&cfg));
        lint("sm", &sm::Sm::new(&cfg));
        lint("warpsmith", &warpsmith_hdl::gpu::Gpu::new(&cfg));
    }
}
