//! A leaf block under Verilator that makes its own operands: control word and a range of operand
//! numbers in, results out in large chunks.
//!
//! A wrapper registers control and operands, so that nothing depends on an input without a clock
//! edge in between: Verilator then has work on rising edges only. One leaf a simulation:
//! two or four in one Verilog module are no faster for the lane; `vector` is how many run at once.

use super::operands;
use super::operations::Operation;
use super::vector;
use crate::support;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::OnceLock;
use warpsmith_cxx::{program, Port, Program};
use warpsmith_hdl::config::{Floats, Semantics};
use warpsmith_hdl::emit::{emit_leaf, Emitted};
use warpsmith_hdl::sm::control::AluControl;
use warpsmith_hdl::sm::pipeline::execute::{lane::Lane, sfu::Sfu};
use warpsmith_hdl::sm::pipeline::timing::STAGES;

/// Results in a chunk, but for the last.
pub const CHUNK: u64 = 1 << 16;

/// What Verilator is told.
pub const FLAGS: [&str; 7] = ["-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "-Wno-fatal"];

/// A block that is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    Lane,
    Sfu,
}

/// A built leaf.
pub struct Built {
    exe: PathBuf,
    /// The same with many instances on vectors, for whole sweeps, or why not.
    vector: OnceLock<Option<PathBuf>>,
    sources: [(&'static str, String); 2],
    /// Digest of the leaf's Verilog.
    pub digest: String,
}

/// Which operands: numbers `first` to `first + count`, `stride` apart when they count up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub first: u64,
    pub count: u64,
    pub stride: u32,
}

impl Leaf {
    /// The leaf's simulation, built once. `None`, with a line that says so: a tool is missing.
    pub fn built(self) -> Option<&'static Built> {
        static LANE: OnceLock<Option<Built>> = OnceLock::new();
        static SFU: OnceLock<Option<Built>> = OnceLock::new();
        let cell = match self {
            Leaf::Lane => &LANE,
            Leaf::Sfu => &SFU,
        };
        cell.get_or_init(|| support::tools(&support::SIMULATION).then(|| self.build())).as_ref()
    }

    fn emitted(self) -> Emitted {
        match self {
            Leaf::Lane => emit_leaf(&Lane::new(Floats::All, Semantics::G80)),
            Leaf::Sfu => emit_leaf(&Sfu::new()),
        }
    }

    fn control_bits(self) -> usize {
        match self {
            Leaf::Lane => AluControl::width(()),
            Leaf::Sfu => 3,
        }
    }

    fn wrapper(self) -> String {
        let ports = match self {
            Leaf::Lane => {
                "lane u(.clock(clock), .ctl(control_r), .a(a_r), .b(b_r), .c(c_r), .cin(1'b0), .y(y), .flags(flags));"
            }
            Leaf::Sfu => {
                "sfu u(.clock(clock), .func(control_r), .neg(1'b0), .abs(1'b0), .sat(1'b0), .x(a_r), .y(y));\n\
                 assign flags = 4'd0;"
            }
        };
        format!(
            "module sweep(input clock, input [{top}:0] control, input [31:0] a, b, c, output [31:0] y, output [3:0] flags);\n\
             reg [{top}:0] control_r;\nreg [31:0] a_r, b_r, c_r;\n\
             always @(posedge clock) begin control_r <= control; a_r <= a; b_r <= b; c_r <= c; end\n\
             {ports}\nendmodule\n",
            top = self.control_bits() - 1
        )
    }

    fn build(self) -> Built {
        let leaf = self.emitted();
        let sources = [("warpsmith.v", leaf.files["warpsmith.v"].clone()), ("sweep.v", self.wrapper())];
        let texts = sources.each_ref().map(|(n, t)| (*n, t.as_str()));
        let ports = [("clock", 1), ("control", self.control_bits()), ("a", 32), ("b", 32), ("c", 32)];
        let exe = program(&Program {
            sources: &texts,
            top: "sweep",
            parameters: &[],
            ports: &ports.map(|(name, width)| Port::input(name, width)),
            verilator: &FLAGS,
            optimise: ("-O2", "-O2"),
            main: &main_text(false),
        });
        Built { exe: exe.unwrap_or_else(|e| panic!("{e}")), vector: OnceLock::new(), digest: leaf.digest(), sources }
    }
}

/// Results of a range, as they come.
pub struct Stream {
    child: Child,
    chunks: Receiver<Vec<u8>>,
}

impl Built {
    /// The simulation on vectors, built when it is first asked for.
    fn vector(&self) -> Option<&Path> {
        let build = || {
            let main = main_text(true);
            match vector::build(&self.sources, &main) {
                Ok(path) => Some(path),
                Err(e) => {
                    eprintln!("no simulation on vectors, this takes longer: {e}");
                    None
                }
            }
        };
        self.vector.get_or_init(build).as_deref()
    }

    /// Starts an operation; a thread reads its results. With `fast` on vectors where that can be.
    pub fn start(&self, op: &Operation, range: Range, fast: bool) -> Stream {
        let exe = if fast { self.vector() } else { None };
        let mut child = Command::new(exe.unwrap_or(&self.exe))
            .args([op.control, range.first, range.count].map(|n| n.to_string()))
            .args([range.stride.to_string(), (op.shape as u32).to_string()])
            .args([op.seed.to_string(), u32::from(op.flags).to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the built program");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let (send, chunks) = sync_channel(4);
        let (size, mut left) = (4 + u64::from(op.flags), range.count);
        std::thread::spawn(move || {
            while left > 0 {
                let n = left.min(CHUNK);
                let mut chunk = vec![0; (n * size) as usize];
                // A program that ended early, or a reader that lost interest.
                if out.read_exact(&mut chunk).is_err() || send.send(chunk).is_err() {
                    return;
                }
                left -= n;
            }
        });
        Stream { child, chunks }
    }
}

impl Stream {
    /// The next chunk: all results, then a byte of flags each where the operation has them.
    /// `None`: the program ended.
    pub fn next(&self) -> Option<Vec<u8>> {
        self.chunks.recv().ok()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Has ended already unless its results were of no more interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program around the simulation of one instance, or with `vector` of many.
/// Arguments: control word, first, count, stride, shape, seed, whether flags are wanted.
fn main_text(vector: bool) -> String {
    let operands = operands::CPP;
    let (head, side_by_side) = match vector {
        true => ("#include \"vector.h\"\n", vector::INSTANCES),
        false => ("#include \"model.h\"\n", 1),
    };
    let (begin, put, edge, get) = match vector {
        // `step` takes the control word as it is, without the edge that loads the register.
        true => (
            "for (int k = 0; k < SIDE; k++) s.sweep__DOT__control_r[k] = v[0];",
            "s.a[k] = o[0]; s.b[k] = o[1]; s.c[k] = o[2];",
            "step();",
            "y[n] = s.y[k]; flags[n++] = s.flags[k];",
        ),
        // The first evaluation sees no edge.
        false => (
            "VerilatedContext context; Model d(&context); d.control = v[0]; d.clock = 0; d.eval();",
            "d.a = o[0]; d.b = o[1]; d.c = o[2];",
            "d.clock = 1; d.eval(); d.clock = 0; d.eval();",
            "y[n] = d.y; flags[n++] = d.flags;",
        ),
    };
    format!(
        r#"{head}#include <cstdint>
#include <cstdio>
#include <cstdlib>
{operands}
enum {{ SIDE = {side_by_side} }};
static uint32_t y[{CHUNK}];
static uint8_t flags[{CHUNK}];
int main(int, char** argv) {{
    uint64_t v[7];
    for (int n = 0; n < 7; n++) v[n] = strtoull(argv[n + 1], 0, 10);
    uint64_t first = v[1], count = v[2], seed = v[5];
    uint32_t stride = v[3];
    int shape = v[4];
    {begin}
    size_t n = 0;
    for (uint64_t i = 0; i < count + {STAGES} * SIDE; i += SIDE) {{
        for (int k = 0; k < SIDE; k++) {{
            uint32_t o[3];
            if (shape == 0) {{
                o[0] = (uint32_t)(first + i + k) * stride;
                o[1] = o[2] = ~o[0];
            }} else {{
                operands(shape, seed, first + i + k, o);
            }}
            {put}
        }}
        {edge}
        // The wrapper's register takes one edge, the leaf {STAGES}.
        if (i < {STAGES} * SIDE) continue;
        for (int k = 0; k < SIDE; k++) {{
            {get}
        }}
        if (n == {CHUNK} || i + SIDE == count + {STAGES} * SIDE) {{
            if (fwrite(y, 4, n, stdout) != n) return 1;
            if (v[6] && fwrite(flags, 1, n, stdout) != n) return 1;
            n = 0;
        }}
    }}
    return fclose(stdout);
}}
"#
    )
}
