//! Runs the cocotb suite of `tests/axi/` on a wrapped chip.

use super::{chip, support};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsmith_contract::registers;
use warpsmith_cosim::{chip::Placement, launch_sequence};
use warpsmith_fpga::chip::ChipManifest;
use warpsmith_fpga::wrap::axi::{render, AxiOptions};
use warpsmith_model::{Machine, ModelConfig};

/// A Python that has cocotb and cocotbext-axi, and Icarus. Without them the test is skipped by
/// name, or fails.
pub fn python() -> Option<PathBuf> {
    let has_cocotb = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", "import cocotb, cocotbext.axi"]);
        command.output().is_ok_and(|o| o.status.success())
    };
    if !support::tools(&["iverilog"]) {
        return None;
    }
    let python = support::python_tool("python3").filter(has_cocotb);
    if python.is_none() {
        support::absent("python3 with cocotb and cocotbext-axi");
    }
    python
}

/// A kernel as the suite reads it: bus writes, memory before, memory after on the model.
fn kernel(chip: &ChipManifest, path: &Path) -> serde_json::Value {
    let launch = warpsmith_launch_file::load(path).unwrap_or_else(|e| panic!("{e}"));
    let hex = |bytes: Vec<u8>| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let mut machine = Machine::new(&launch, ModelConfig::default());
    let size = launch.global_bytes as usize;
    let memory = hex(machine.global().read(0, size));
    machine.run(1 << 20).expect("the model runs it");
    assert!(launch.compare(machine.global()).is_empty());
    let info = chip.info().expect("a chip's numbers");
    let placement = Placement::new(&info, &launch).expect("the kernel fits");
    serde_json::json!({
        "writes": launch_sequence(&launch, &placement),
        "memory": memory,
        "expect": hex(machine.global().read(0, size)),
    })
}

/// What a run of the suite said.
pub struct Outcome {
    /// Tests that ran, of all seeds.
    pub tests: usize,
    /// Of them failed.
    pub failed: usize,
    /// All it printed.
    pub log: String,
}

/// Byte addresses of all registers by name.
fn registers() -> BTreeMap<&'static str, u32> {
    let all = registers::CHIP.iter().chain(registers::AXI);
    all.chain(registers::MEMORIES).map(|r| (r.name, r.address)).collect()
}

/// Fields of STATUS, each with its bit set, by name.
fn status() -> BTreeMap<&'static str, u32> {
    let fields = registers::STATUS.fields.iter();
    fields.map(|f| (f.name, f.put(1))).collect()
}

/// A suite on one wrapper.
pub struct Suite<'a> {
    /// Name of the chip's configuration.
    pub chip: &'a str,
    /// Width of the master's data in bits.
    pub data_bits: usize,
    /// Width of its addresses in bits.
    pub address_bits: usize,
    /// Seeds.
    pub seeds: &'a [u32],
    /// Tests, a regular expression.
    pub filter: &'a str,
    /// Text of the wrapper to replace, and by what.
    pub mutation: Option<(&'a str, &'a str)>,
}

impl Suite<'_> {
    /// Builds and runs it.
    pub fn run(&self, python: &Path) -> Outcome {
        let (folder, chip) = chip(self.chip);
        let options =
            AxiOptions { data_bits: self.data_bits, address_bits: self.address_bits, ..AxiOptions::of(&chip) };
        let mut text = render(&chip, &options).expect("possible options");
        if let Some((from, to)) = self.mutation {
            assert_eq!(text.matches(from).count(), 1, "{from} is there once");
            text = text.replace(from, to);
        }
        let work = tempfile::tempdir().expect("a folder");
        let wrapper = work.path().join("warpsmith_axi.v");
        std::fs::write(&wrapper, text).expect("writable");
        let here = support::root().join("tests/axi");
        let job = serde_json::json!({
            "sources": [folder.join("warpsmith.v"), wrapper],
            "seeds": self.seeds,
            "filter": self.filter,
            "data_bits": self.data_bits,
            "address_bits": self.address_bits,
            "line_bytes": chip.line_bits() / 8,
            "outstanding": options.outstanding,
            "registers": registers(),
            "status": status(),
            "id": registers::ID_VALUE,
            "kernels": {
                "vector_add": kernel(&chip, &support::kernel("vector_add")),
                "order": kernel(&chip, &here.join("order.toml")),
            },
        });
        let job_file = work.path().join("job.json");
        std::fs::write(&job_file, job.to_string()).expect("writable");
        let out = Command::new(python)
            .arg(here.join("run.py"))
            .arg(&job_file)
            .current_dir(work.path())
            .output()
            .expect("python starts");
        let log = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        let (mut tests, mut failed, mut seeds) = (0, 0, 0);
        for line in log.lines().filter(|l| l.starts_with("RESULT ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            tests += words[4].parse::<usize>().expect("a number");
            failed += words[6].parse::<usize>().expect("a number");
            seeds += 1;
        }
        assert_eq!(seeds, self.seeds.len(), "the suite did not end:\n{log}");
        Outcome { tests, failed, log }
    }

    /// Runs it; all of `tests` have to pass with every seed.
    #[track_caller]
    pub fn pass(&self, python: &Path, tests: usize) {
        let o = self.run(python);
        let notes = o.log.lines().filter(|l| l.contains("CYCLES") || l.contains("bursts"));
        println!(
            "{} with {} bits of data: {} tests, {} failed\n{}",
            self.chip,
            self.data_bits,
            o.tests,
            o.failed,
            notes.collect::<Vec<_>>().join("\n")
        );
        let told = o.failed == 0 && o.tests == tests * self.seeds.len();
        assert!(told, "{} tests, {} failed:\n{}", o.tests, o.failed, o.log);
    }
}
