//! The injecting build: the same chip, with its state and block outputs open to a simulator.
//!
//! Registers and memories keep their text and get Verilator's `public_flat_rd`: the model keeps each
//! of them as a variable of its own, which the harness changes between clock edges. Every output `y`
//! of a block below the top passes a saboteur, `y = (y_raw & y_keep) ^ y_flip`, whose two masks are
//! constants in the Verilog (all ones, zero) and variables in Verilator. Without a fault the chip is
//! the plain one. Outputs `y` of block RAM are registers, so they are state and have no saboteur: the
//! register is `y_held`.

use super::tree::Node;
use super::Site;
use crate::rtl::{range, LeafKind, MODULE_MARK, PROCEDURAL_MARK};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Text at the top of an injecting file: what a saboteur's mask is.
pub const PREAMBLE: &str = "\
// Masks of the saboteurs: variables that Verilator's harness sets, constants for everybody else.
`ifdef VERILATOR
`define SABOTEUR reg
`else
`define SABOTEUR wire
`endif
";

/// Keeps a signal as a variable of the simulation.
const OPEN: &str = " /*verilator public_flat_rd*/";

/// Name of the block a body describes.
pub fn block_of(node: &Node) -> &str {
    node.body
        .lines()
        .next()
        .and_then(|l| l.strip_prefix(MODULE_MARK))
        .unwrap_or_default()
}

/// Outputs that are registers of a memory primitive: data of block RAM and of tables.
fn is_latched(node: &Node) -> bool {
    let block = block_of(node);
    block.starts_with("bram_") || block.starts_with("rom_")
}

/// Registers that stand as outputs of memory primitives, as sites of their own.
pub fn latches(node: &Node) -> Vec<(&str, usize)> {
    let outputs = node.wires.iter().filter(|w| w.kind == LeafKind::Output);
    outputs
        .filter(|_| is_latched(node))
        .map(|w| (w.name.as_str(), w.width))
        .collect()
}

/// Outputs of a block below the top that pass a saboteur.
pub fn outputs(node: &Node) -> Vec<(&str, usize)> {
    let outputs = node.wires.iter().filter(|w| w.kind == LeafKind::Output);
    outputs
        .filter(|_| !is_latched(node))
        .map(|w| (w.name.as_str(), w.width))
        .collect()
}

/// The sites that only an injecting chip has: latched outputs as `reg`, the others as `out`.
pub fn sites(node: &Node, path: &str, top: bool, out: &mut Vec<Site>) {
    let site = |(name, width): (&str, usize), kind: &str| Site {
        path: format!("{path}{name}"),
        block: block_of(node).into(),
        kind: kind.into(),
        width,
        depth: 1,
    };
    for (name, width) in latches(node) {
        out.push(site((&format!("{name}_held"), width), "reg"));
    }
    if !top {
        out.extend(outputs(node).into_iter().map(|w| site(w, "out")));
    }
    for c in &node.children {
        let label = super::verilog::instance_label(&c.instance);
        sites(c, &format!("{path}{label}."), false, out);
    }
}

/// The body of a node with its state opened and, below the top, saboteurs at its outputs.
pub fn body(node: &Node, top: bool) -> String {
    let registers: BTreeSet<&str> = node
        .wires
        .iter()
        .filter(|w| matches!(w.kind, LeafKind::Reg(_)))
        .map(|w| w.name.as_str())
        .collect();
    let sabotaged = if top { vec![] } else { outputs(node) };
    let held = latches(node);
    let mut marks = String::new();
    let mut code = String::new();
    let mut procedural = BTreeSet::new();
    for line in node.body.lines() {
        if let Some(name) = line.strip_prefix(PROCEDURAL_MARK) {
            if sabotaged.iter().chain(&held).any(|(n, _)| *n == name) {
                procedural.insert(name);
                continue;
            }
        }
        if line.starts_with("//") {
            writeln!(marks, "{line}").unwrap();
            continue;
        }
        let declared = line
            .strip_prefix("    reg ")
            .and_then(|l| l.strip_suffix(';'))
            .and_then(|l| l.split_whitespace().last())
            .is_some_and(|name| registers.contains(name));
        if declared || is_array(line) {
            writeln!(code, "{}{OPEN};", line.trim_end_matches(';')).unwrap();
        } else {
            let line = renamed(line, &sabotaged, "_raw");
            writeln!(code, "{}", renamed(&line, &held, "_held")).unwrap();
        }
    }
    let mut taps = String::new();
    for (name, width) in held {
        let r = range(width);
        writeln!(taps, "    reg  {r}{name}_held{OPEN};").unwrap();
        writeln!(taps, "    assign {name} = {name}_held;").unwrap();
    }
    for (name, width) in sabotaged {
        let r = range(width);
        let net = if procedural.contains(name) {
            "reg "
        } else {
            "wire"
        };
        let ones = format!("{{{width}{{1'b1}}}}");
        writeln!(taps, "    {net} {r}{name}_raw{OPEN};").unwrap();
        writeln!(taps, "    `SABOTEUR {r}{name}_keep{OPEN} = {ones};").unwrap();
        writeln!(taps, "    `SABOTEUR {r}{name}_flip{OPEN} = {width}'d0;").unwrap();
        writeln!(
            taps,
            "    assign {name} = ({name}_raw & {name}_keep) ^ {name}_flip;"
        )
        .unwrap();
    }
    format!("{marks}{taps}{code}")
}

/// The declaration of a memory's words.
fn is_array(line: &str) -> bool {
    line.contains(" reg ") && line.contains("mem [0:") && line.ends_with("];")
}

/// A line in which outputs, which are only driven here, have an ending to their names.
fn renamed(line: &str, outputs: &[(&str, usize)], ending: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = line;
    while let Some(from) = rest.find(is_word) {
        let len = rest[from..]
            .find(|c| !is_word(c))
            .unwrap_or(rest.len() - from);
        let word = &rest[from..from + len];
        out += &rest[..from + len];
        if outputs.iter().any(|(n, _)| *n == word) {
            out += ending;
        }
        rest = &rest[from + len..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn only_whole_words_are_renamed() {
        let outputs = [("y", 1), ("q_0", 3)];
        assert_eq!(
            renamed("    assign y = u_y[3] & q_0x;", &outputs, "_raw"),
            "    assign y_raw = u_y[3] & q_0x;"
        );
        assert_eq!(
            renamed("q_0 <= 3'd1;", &outputs, "_held"),
            "q_0_held <= 3'd1;"
        );
    }
}
