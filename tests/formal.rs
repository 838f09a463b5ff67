//! Formal proofs of blocks, for every sequence of inputs: by induction over the clock, with Yosys'
//! yosys-smtbmc and z3.
//!
//! What can be said with the block's own signals is said in the block (`assertion`) and printed behind
//! `FORMAL`, which Yosys defines when it reads for proofs. What needs signals of its own stands in
//! `formal/BLOCK.v`, text that goes before the block's `endmodule`; its memories get one more read port,
//! `f_NAME_addr`, `f_NAME_data`, through which a property sees a word. Each proof is of a block as it is
//! emitted, in a small configuration. A mutant of each block must fail, and each cover must be reached: a
//! proof of nothing would be noticed.

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
            let ranges = ["raddr_0", "rdata_0"].map(|port| range(module, port).expect("a port"));
            let ports = format!(
                "input  wire clock,\n    input wire [{}:0] f_addr,\n    output wire [{}:0] f_data,",
                ranges[0], ranges[1]
            );
            m = m.replacen("input  wire clock,", &ports, 1);
            m = m.replacen("\nendmodule\n", "\n    assign f_data = mem[f_addr];\nendmodule\n", 1);
        } else if name == top {
            for line in module.lines() {
                // `    RAM u_NAME (`, with parameters `    RAM #(.DEPTH(4), .WIDTH(8)) u_NAME (`
                let kind = line.split_whitespace().next().unwrap_or_default();
                let short = line.split_whitespace().find_map(|w| w.strip_prefix("u_"));
                let (true, Some(short)) = (memory(kind), short) else { continue };
                let named = format!("\nmodule {kind} ");
                let mut modules = text.split_inclusive("\nendmodule\n");
                let (_, below) = modules.find_map(|m| m.split_once(&named)).expect("a module");
                let [address, width] = ["raddr_0", "rdata_0"].map(|port| bits(below, port, line).expect("a port"));
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

/// Number of a port's highest bit as the module says it.
fn range<'a>(module: &'a str, port: &str) -> Option<&'a str> {
    let declared = module.lines().find(|l| l.contains(&format!(" {port}")) && l.contains("put "))?;
    declared.split_once('[').map_or(Some("0"), |(_, range)| range.split(':').next())
}

/// Width of a memory's port in the instance that begins with `line`: sizes are numbers, or parameters where
/// memories differ in them.
fn bits(module: &str, port: &str, line: &str) -> Option<u32> {
    let number = |name: &str| line.split_once(name)?.1.split(')').next()?.parse::<u32>().ok();
    match range(module, port)? {
        "ADDRESS-1" => number(".DEPTH(").map(|depth| u32::BITS - (depth - 1).leading_zeros()),
        "WIDTH-1" => number(".WIDTH("),
        high => Some(high.parse::<u32>().ok()? + 1),
    }
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

fn check(block: &Block) {
    if !smt::ready() {
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
        check(&Block {
            top: "fifo",
            leaf: emit_leaf(&sm::mem::fifo::Fifo::new(depth, width)),
            constants: format!("P = {}, W = {width}, DEPTH = {depth}", depth.ilog2()),
            depth: 3,
            reached_in: 3 * depth + 4,
            mutants: &[
                ("tail <= next_tail", "tail <= next_tail + out_ready"),
                ("| (enter & last_place)", ""),
                (".wen(room)", ".wen(in_valid)"),
            ],
        });
        check(&Block {
            top: "ping_pong_fifo",
            leaf: emit_leaf(&sm::mem::ping_pong_fifo::PingPongFifo::new(depth, width)),
            constants: format!("P = {}, W = {width}, DEPTH = {depth}", depth.ilog2()),
            depth: 3,
            reached_in: 3 * depth + 8,
            mutants: &[
                ("stays = enter & (queued | (~empty))", "stays = enter"),
                ("leave = empty & queued", "leave = queued"),
                ("oldest <= oldest ^ takes", "oldest <= oldest ^ out_ready"),
                (".wen(room)", ".wen(in_valid)"),
            ],
        });
        check(&Block {
            top: "front_fifo",
            leaf: emit_leaf(&sm::mem::front_fifo::FrontFifo::new(depth, width, 0)),
            constants: format!("P = {}, W = {width}, DEPTH = {depth}", depth.ilog2()),
            depth: 3,
            reached_in: 3 * depth + 8,
            mutants: &[
                ("stays = enter & (queued | (~load))", "stays = enter"),
                ("queued ? words_rdata_0 : in_data", "in_data"),
                ("leave = load & queued", "leave = load"),
                ("| (stays & last_place)", ""),
            ],
        });
    }
}

#[test]
#[ignore = "a minute or more; make soak runs it"]
fn the_scoreboard_misses_no_hazard() {
    check(&Block {
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
    });
}

#[test]
#[ignore = "a minute or more; make soak runs it"]
fn the_divergence_stack_is_a_stack() {
    let cfg = small();
    let pc = sm::dims::Dims::of(&cfg).pc;
    check(&Block {
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
    });
}
