//! The AXI halves proved: `tests/formal/axi_*.sv` put into the modules, Yosys, yosys-smtbmc, Z3.
//!
//! Bounded from reset and by induction, so for every time, host, chip and memory; wrong modules
//! must be refuted, and what the proofs speak of must be reachable.

use crate::support::{self, smt};
use smt::{Mode, Problem};
use std::path::Path;
use warpsmith_fpga::chip::ChipManifest;
use warpsmith_fpga::wrap::axi::{render, AxiOptions};

/// Cycles from reset, and length of the induction.
const BOUND: usize = 8;
const STEP: usize = 2;
/// Cycles within which the covers are reached.
const REACHED_IN: usize = 16;

/// A module of the wrapper with its properties.
struct Proof {
    half: &'static str,
    options: AxiOptions,
    mutation: Option<(&'static str, &'static str)>,
}

impl Proof {
    /// Writes the SMT problem of `half` into `folder`.
    fn problem(&self, folder: &Path) -> Problem {
        const LINE: usize = 128;
        let o = &self.options;
        let ports = [("clock", 1), ("reset", 1), ("bus_rdata", 32), ("mem_rdata", LINE)]
            .into_iter()
            .chain([("mem_error", 1), ("mem_pending", 1)])
            .map(|(name, width)| serde_json::json!({"name": name, "width": width, "direction": "input"}))
            .collect::<Vec<_>>();
        let manifest = serde_json::json!({"name": "proof", "top": "warpsmith", "config": {}, "ports": ports});
        let chip = ChipManifest::from_manifest(&manifest.to_string()).expect("a chip");
        let mut text = render(&chip, o).expect("possible options");
        if let Some((from, to)) = self.mutation {
            assert_eq!(text.matches(from).count(), 1, "{from} is there once");
            text = text.replace(from, to);
        }
        let properties = support::root().join(format!("tests/formal/{}.sv", self.half));
        let properties = std::fs::read_to_string(properties).expect("the properties");
        let counts = if o.data_bits < LINE {
            "`define F_R_COUNT r_count\n`define F_W_COUNT w_count"
        } else {
            "`define F_R_COUNT 0\n`define F_W_COUNT 0"
        };
        let constants = format!(
            "{counts}\n    localparam F_ADDRESS = {}, F_LINE = {LINE}, F_DATA = {}, F_LOG = {}, F_OUT = {}, F_SLOT = {}, F_BEAT = {};\n",
            o.address_bits,
            o.data_bits,
            (LINE / 8).ilog2(),
            o.outstanding,
            o.outstanding.ilog2(),
            // Not the first and not the last, where there is one.
            LINE / o.data_bits / 2,
        );
        let top = format!("warpsmith_{}", self.half);
        let start = text.find(&format!("module {top} (")).expect("the module");
        let end = start + text[start..].find("endmodule").expect("its end");
        let module = format!("{}{constants}{properties}endmodule\n", &text[start..end]);
        std::fs::write(folder.join("half.sv"), module).expect("writable");
        let script = format!("read_verilog -formal -sv half.sv; prep -nordff -top {top}; memory_map; opt_clean");
        Problem::new(folder, &script)
    }

    /// Whether it holds: bounded, then by induction; and that the covers can be reached.
    fn judge(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().expect("a folder");
        let problem = self.problem(folder.path());
        for (name, mode, cycles) in [
            ("bounded", Mode::Bounded, BOUND),
            ("induction", Mode::Induction, STEP),
            ("cover", Mode::Cover, REACHED_IN),
        ] {
            let proof = problem.prove(mode, cycles);
            proof.map_err(|said| format!("{name}: {said}"))?;
        }
        Ok(())
    }
}

fn options(data_bits: usize, address_bits: usize) -> AxiOptions {
    AxiOptions { data_bits, address_bits, outstanding: 2, id_bits: 1 }
}

fn hold(half: &'static str, data_bits: usize, address_bits: usize) {
    if smt::ready() {
        let options = options(data_bits, address_bits);
        let proof = Proof { half, options, mutation: None };
        proof.judge().unwrap_or_else(|e| panic!("{half}, {data_bits} bits: {e}"));
    }
}

#[test]
#[ignore = "make soak"]
fn master_of_one_beat_a_line() {
    hold("axi_master", 128, 32);
}

#[test]
#[ignore = "make soak"]
fn master_of_four_beats_a_line() {
    hold("axi_master", 32, 40);
}

#[test]
#[ignore = "make soak"]
fn slave() {
    hold("axi_slave", 64, 40);
    hold("axi_slave", 64, 32);
}

/// Half, its text, and what stands there instead.
const WRONG: [(&str, &str, &str); 9] = [
    ("axi_master", "!(|w_hit)", "1'b1"),
    ("axi_master", "!(|r_hit)", "1'b1"),
    ("axi_master", "&& !r_busy[r_tail]", ""),
    ("axi_master", "w_count == 1'd1", "w_count == 1'd0"),
    ("axi_master", "write && !aw_sent", "write"),
    ("axi_master", "{q_line, 4'b0};\n    assign m_axi_awaddr", "{q_line, 4'b1000};\n    assign m_axi_awaddr"),
    ("axi_slave", "&& (!busy ||", "&& (1'b1 ||"),
    ("axi_slave", "w_full && !b_full", "w_full"),
    ("axi_slave", "assign s_axi_rdata = r_data", "assign s_axi_rdata = bus_rdata"),
];

#[test]
#[ignore = "make soak"]
fn wrong_halves_are_refuted() {
    if !smt::ready() {
        return;
    }
    for (half, from, to) in WRONG {
        let proof = Proof { half, options: options(64, 40), mutation: Some((from, to)) };
        let refuted = proof.judge().expect_err("a wrong module holds");
        let bounded = refuted.starts_with("bounded") && refuted.contains("Assert failed");
        assert!(bounded, "{half}, {from}: {refuted}");
    }
}
