//! Runs an emitted block under Verilator, cycle by cycle: rows of inputs in, rows of outputs out.
//!
//! A tool that is not installed skips the test with a line that says so; with
//! `WARPSMITH_REQUIRE_TOOLS` set (as in continuous integration) it fails it.
#![allow(dead_code)]

#[path = "../support_cxx/mod.rs"]
mod cxx;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use warpsmith_contract::bits::fits;
use warpsmith_contract::{Direction, Manifest, Port};
use warpsmith_hdl::emit::Emitted;

/// A built simulation of one block.
pub struct Simulation {
    exe: PathBuf,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Simulation {
    /// Builds the block `leaf` (from `emit_leaf`), or takes what was built from the same text.
    /// `None`: Verilator is not installed.
    pub fn build(leaf: &Emitted) -> Option<Self> {
        let manifest: Manifest =
            serde_json::from_str(&leaf.files["manifest.json"]).expect("the manifest parses");
        let has = |n: &str| manifest.port(n).is_some();
        let of = |direction: Direction| -> Vec<Port> {
            let data =
                |p: &&Port| p.direction == direction && p.name != "clock" && p.name != "reset";
            manifest.ports.iter().filter(data).cloned().collect()
        };
        let (inputs, outputs) = (of(Direction::Input), of(Direction::Output));
        let main = harness(&inputs, &outputs, has("clock"), has("reset"));
        let exe = cxx::build(leaf, &["-O3", "-Wno-fatal"], ("-O1", "-O1"), &main)?;
        Some(Self {
            exe,
            inputs,
            outputs,
        })
    }

    /// 32-bit words a row of inputs has: each port in order, least significant word first.
    pub fn input_words(&self) -> usize {
        words(&self.inputs)
    }

    /// Holds reset for two cycles (when the block has one), then applies one row a cycle. Row i of
    /// the result holds the outputs in the cycle of row i, before the clock edge that ends it.
    pub fn run(&self, rows: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let (width, out_width) = (self.input_words(), words(&self.outputs));
        let mut bytes = Vec::with_capacity(rows.len() * width * 4);
        for row in rows {
            assert_eq!(row.len(), width, "words of a row of inputs");
            let mut at = row.iter();
            for (port, i) in
                (self.inputs.iter()).flat_map(|p| (0..p.width.div_ceil(32)).map(move |i| (p, i)))
            {
                let word = *at.next().expect("a word");
                assert!(
                    fits(port.width, i, word),
                    "0x{word:x} does not fit word {i} of `{}`",
                    port.name
                );
                bytes.extend(word.to_le_bytes());
            }
        }
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (input, output) = (dir.path().join("in"), dir.path().join("out"));
        std::fs::write(&input, bytes).expect("room for vectors");
        succeed(
            &Command::new(&self.exe)
                .args([&input, &output])
                .output()
                .expect("the built program"),
        );
        let bytes = std::fs::read(&output).expect("the program's output");
        assert_eq!(
            bytes.len(),
            rows.len() * out_width * 4,
            "a row of outputs a row of inputs"
        );
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        bytes
            .chunks(out_width * 4)
            .map(|r| r.chunks(4).map(word).collect())
            .collect()
    }
}

/// Runs a tool; `None` when it is not installed.
pub fn run(tool: &str, command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(o) => Some(o),
        Err(e) => {
            assert!(
                std::env::var("WARPSMITH_REQUIRE_TOOLS").is_err(),
                "{tool}: {e}"
            );
            println!("skipped: {tool} is not installed");
            None
        }
    }
}

/// Fails with what the tool said unless it succeeded.
pub fn succeed(out: &Output) {
    let (o, e) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert!(out.status.success(), "{}\n{o}\n{e}", out.status);
}

/// The folder of reference data, or `None` after saying that `test` is skipped.
pub fn shared(test: &str, file: &str) -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let root = std::env::var_os("WARPSMITH_SHARED").map_or(default, PathBuf::from);
    let path = root.join(file);
    if !path.exists() {
        println!("skipped: {test}: shared data absent");
        return None;
    }
    Some(path)
}

/// A small deterministic generator (xorshift64*), so that a failure can be repeated.
pub struct Random(pub u64);

impl Random {
    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }
}

fn words(ports: &[Port]) -> usize {
    ports.iter().map(|p| p.width.div_ceil(32)).sum()
}

/// The C++ main: reads rows, drives, evaluates, records, clocks.
fn harness(inputs: &[Port], outputs: &[Port], clock: bool, reset: bool) -> String {
    let mut drive = String::new();
    for Port { name, width, .. } in inputs {
        match width {
            0..=32 => writeln!(drive, "    d.{name} = *w++;"),
            33..=64 => writeln!(drive, "    d.{name} = w[0] | (uint64_t)w[1] << 32; w += 2;"),
            _ => writeln!(
                drive,
                "    for (int i = 0; i < {}; i++) d.{name}[i] = *w++;",
                width.div_ceil(32)
            ),
        }
        .expect("a string");
    }
    let mut record = String::new();
    for Port { name, width, .. } in outputs {
        match width {
            0..=32 => writeln!(record, "    *r++ = d.{name};"),
            33..=64 => writeln!(
                record,
                "    *r++ = (uint32_t)d.{name}; *r++ = (uint32_t)(d.{name} >> 32);"
            ),
            _ => writeln!(
                record,
                "    for (int i = 0; i < {}; i++) *r++ = d.{name}[i];",
                width.div_ceil(32)
            ),
        }
        .expect("a string");
    }
    let edge = if clock {
        "d.clock = 1; d.eval(); d.clock = 0; d.eval();"
    } else {
        ""
    };
    let before = if reset {
        "d.reset = 1; edge(d); edge(d); d.reset = 0;"
    } else {
        ""
    };
    format!(
        r#"#include <cstdint>
#include <cstdio>
static void drive([[maybe_unused]] Model& d, [[maybe_unused]] const uint32_t* w) {{
{drive}}}
static void record([[maybe_unused]] Model& d, uint32_t* r) {{
{record}}}
static void edge([[maybe_unused]] Model& d) {{ {edge} }}
int main(int, char** argv) {{
    FILE* in = fopen(argv[1], "rb");
    FILE* out = fopen(argv[2], "wb");
    if (!in || !out) return 1;
    VerilatedContext context;
    Model d(&context);
    uint32_t w[{i}] = {{}}, r[{o}] = {{}};
    drive(d, w);
    {before}
    while (fread(w, 4, {i}, in) == {i}) {{
        drive(d, w);
        d.eval();
        record(d, r);
        fwrite(r, 4, {o}, out);
        edge(d);
    }}
    return fclose(out);
}}
"#,
        i = words(inputs),
        o = words(outputs),
    )
}
