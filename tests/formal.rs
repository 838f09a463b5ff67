//! Formal proofs of blocks, for every sequence of inputs: by induction over the clock, with Yosys'
//! yosys-smtbmc and z3.
//!
//! The properties stand in `formal/BLOCK.v`, text that goes before the block's `endmodule`; its memories
//! get one more read port, `f_NAME_addr`, `f_NAME_data`, through which a property sees a word. Each proof
//! is of a block as it is emitted, in a small configuration. A mutant of each block must fail, and each
//! cover must be reached: a proof of nothing would be noticed.

use crate::support::{self, smt};
use smt::{Mode, Problem};
use std::path::Path;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit::{emit_leaf, Emitted};
use warpsmith_hdl::sm;

/// The emitted text with its memories opened and the properties added to module `top`.
fn opened(text: &str, top: &str, constants: &str, properties: &str) -> String {
    let mut out = String::new();
    let mut peeks = String::new();
    for module in text.split_inclusive("\nendmodule\n") {
        // What follows the last module is no module.
        let Some(at) = module.find("\nmodule ").map(|i| i + 1) else {
            out += module;
            continue;
        };
        let name = module[at + 7..].split([' ', '(']).next().expect("a name");
        let mut m = module.to_string();
        if memory(name) {
            // Sizes are numbers, or parameters where memories differ in them alone.
            let (address, width) = match ram_shape(name) {
                Some((depth, width)) => ((depth_bits(depth) - 1).to_string(), (width - 1).to_string()),
                None => ("ADDRESS-1".into(), "WIDTH-1".into()),
            };
            let ports = format!(
                "input  wire clock,\n    input wire [{address}:0] f_addr,\n    output wire [{width}:0] f_data,"
            );
            m = m.replacen("input  wire clock,", &ports, 1);
            m = m.replacen("\nendmodule\n", "\n    assign f_data = mem[f_addr];\nendmodule\n", 1);
        } else if name == top {
            for line in module.lines() {
                // `    RAM u_NAME (`, with parameters `    RAM #(.DEPTH(4), .WIDTH(8)) u_NAME (`
                let kind = line.split_whitespace().next().unwrap_or_default();
                let short = line.split_whitespace().find_map(|w| w.strip_prefix("u_"));
                if !memory(kind) {
                    continue;
                }
                let (Some((depth, width)), Some(short)) = (ram_shape(kind).or_else(|| sizes(line)), short) else {
                    continue;
                };
                let address = depth_bits(depth);
                peeks += &format!(
                    "    wire [{}:0] f_{short}_addr;\n    wire [{}:0] f_{short}_data;\n",
                    address - 1,
                    width - 1
                );
                m = m.replacen(line, &format!("{line}\n        .f_addr(f_{short}_addr), .f_data(f_{short}_data),"), 1);
            }
            m = m.replacen(
                "\nendmodule\n",
                &format!("\n    localparam {constants};\n{peeks}{properties}\nendmodule\n"),
                1,
            );
        }
        out += &m;
    }
    out
}

/// Whether a module is a memory.
fn memory(module: &str) -> bool {
    module.starts_with("lutram_") || module.starts_with("bram_")
}

/// Bits of an address.
fn depth_bits(depth: usize) -> u32 {
    usize::BITS - (depth - 1).leading_zeros()
}

/// Words and width of a memory by the parameters of its instance.
fn sizes(line: &str) -> Option<(usize, usize)> {
    let number = |name: &str| line.split_once(name)?.1.split(')').next()?.parse().ok();
    Some((number(".DEPTH(")?, number(".WIDTH(")?))
}

/// Words and width of a memory by its module's name, `bram_64x39_1r`, `lutram_4x23g8_2r`.
fn ram_shape(name: &str) -> Option<(usize, usize)> {
    let rest = name.strip_prefix("lutram_").or_else(|| name.strip_prefix("bram_"))?;
    let (depth, rest) = rest.split_once('x')?;
    let width = rest.split(['g', '_']).next()?;
    Some((depth.parse().ok()?, width.parse().ok()?))
}

/// Proves the properties of `text`'s module `top`: `depth` cycles from reset, and a step of `depth`
/// cycles from anywhere; what the solver said when they do not hold.
fn prove(dir: &Path, top: &str, text: &str, depth: usize) -> Result<Problem, String> {
    std::fs::write(dir.join("block.v"), text).unwrap();
    let script = format!("read_verilog -formal block.v; prep -flatten -top {top}; memory_nordff; async2sync; dffunmap");
    let problem = Problem::new(dir, &script);
    problem.prove(Mode::Bounded, depth)?;
    problem.prove(Mode::Induction, depth)?;
    Ok(problem)
}

/// A block: its text, constants of the properties, induction depth, and a mutant (from, to).
struct Block<'a> {
    top: &'a str,
    leaf: Emitted,
    constants: String,
    depth: usize,
    reached_in: usize,
    mutants: &'a [(&'a str, &'a str)],
}

fn check(test: &str, block: &Block) {
    if !smt::ready(test) {
        return;
    }
    let file = support::root().join("tests/formal").join(format!("{}.v", block.top));
    let properties = std::fs::read_to_string(&file).unwrap();
    let text = &block.leaf.files["warpsmith.v"];
    // A failed proof is looked at there.
    let dir = support::Scratch::new(&format!("formal-{}", block.top));
    let dir = dir.path();
    let proof = |text: &str| {
        let all = opened(text, block.top, &block.constants, &properties);
        prove(dir, block.top, &all, block.depth)
    };
    let started = std::time::Instant::now();
    let problem = proof(text).unwrap_or_else(|said| panic!("{}: {said}", block.top));
    println!("{} ({}): proved in {:.1} s", block.top, block.constants, started.elapsed().as_secs_f64());
    // The cover is reached: the assumptions leave something to prove.
    if let Err(said) = problem.prove(Mode::Cover, block.reached_in) {
        panic!("{}: not reached: {said}", block.top);
    }
    for (from, to) in block.mutants {
        assert!(text.contains(from), "{}: no `{from}` to change", block.top);
        let Err(said) = proof(&text.replacen(from, to, 1)) else { panic!("{}: `{to}` was proved", block.top) };
        let why = said.lines().find(|l| l.contains("Assert failed"));
        println!("{}: `{to}` refuted: {}", block.top, why.unwrap_or_else(|| panic!("{}: `{to}`: {said}", block.top)));
    }
}

fn small() -> GpuConfig {
    let mut cfg = GpuConfig::named("tiny").unwrap();
    for set in ["warps=2", "stack_depth=4", "program_bytes=256"] {
        cfg.set(set).unwrap();
    }
    cfg
}

#[test]
#[ignore = "a minute or more; make soak runs it"]
fn queues_keep_order_and_content() {
    for (depth, width) in [(2usize, 1), (4, 3), (8, 3), (16, 2)] {
        check(
            "queues_keep_order_and_content",
            &Block {
                top: "fifo",
                leaf: emit_leaf(&sm::mem::fifo::Fifo::new(depth, width)),
                constants: format!("P = {}, W = {width}, DEPTH = {depth}", depth.ilog2()),
                depth: 3,
                reached_in: 3 * depth + 4,
                mutants: &[
                    ("tail <= next_tail", "tail <= next_tail + out_ready"),
                    ("| (enter & last_place)", ""),
                    (".wen(enter)", ".wen(in_valid)"),
                ],
            },
        );
        check(
            "queues_keep_order_and_content",
            &Block {
                top: "front_fifo",
                leaf: emit_leaf(&sm::mem::front_fifo::FrontFifo::new(depth, width)),
                constants: format!("P = {}, W = {width}, DEPTH = {depth}", depth.ilog2()),
                depth: 3,
                reached_in: 3 * depth + 8,
                mutants: &[
                    ("if (enter & (queued | (~load)))", "if (enter)"),
                    ("queued ? words_rdata_0 : in_data", "in_data"),
                    ("if (load & queued)", "if (load)"),
                ],
            },
        );
    }
}

#[test]
#[ignore = "a minute or more; make soak runs it"]
fn the_scoreboard_misses_no_hazard() {
    check(
        "the_scoreboard_misses_no_hazard",
        &Block {
            top: "scoreboard",
            leaf: emit_leaf(&sm::pipeline::scoreboard::Scoreboard::new(&small())),
            constants: "WARP = 1".into(),
            depth: 3,
            reached_in: 12,
            mutants: &[
                ("(number_r2 - e1_reg) <= {5'd0, e1_more}", "(number_r2 - e1_reg) <= 7'd0"),
                ("h0_by_dst <= more", "h0_by_dst < more"),
                ("n_s3_half ? (e2_gpr", "n_s2_half ? (e2_gpr"),
                ("c_areg == h2_inum", "c_areg == h2_anum"),
                (".wen(allocate & free[1])", ".wen(allocate & free[2])"),
            ],
        },
    );
}

#[test]
#[ignore = "a minute or more; make soak runs it"]
fn the_divergence_stack_is_a_stack() {
    let cfg = small();
    let pc = sm::dims::Dims::of(&cfg).pc;
    check(
        "the_divergence_stack_is_a_stack",
        &Block {
            top: "divergence",
            leaf: emit_leaf(&sm::divergence::Divergence::new(&cfg)),
            constants: format!("WARP = 1, L = 2, PC = {pc}, ENTRIES = 4"),
            depth: 3,
            reached_in: 20,
            mutants: &[
                ("held_depth - 7'd2", "held_depth - 7'd1"),
                ("trap <= (push &", "trap <= (1'd0 &"),
                ("{7{~fresh[warp]}}", "7'h7f"),
                ("survive = stack_rdata_0[31:0] &", "survive = 32'hffffffff &"),
            ],
        },
    );
}
