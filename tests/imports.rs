//! No file of the source imports itself through others; no stage of the chip asks which instruction set it serves.

use crate::support::imports::{self, Rule};
use crate::support::root;

/// A folder without exceptions.
const fn strict(folder: &'static str) -> Rule {
    Rule { folder, parents: true, together: &[] }
}

/// Source folders of crates.
const FOLDERS: [Rule; 19] = [
    strict("fpga/src"),
    strict("hdl/contract/src"),
    strict("hdl/netlist/src"),
    strict("hdl/src"),
    strict("launch/file/src"),
    strict("launch/src"),
    strict("opencl/src"),
    strict("sim/bench/src"),
    strict("sim/cosim/src"),
    strict("sim/cxx/src"),
    strict("sim/engine/native/src"),
    strict("sim/engine/src"),
    strict("sim/engine/verilator/src"),
    strict("sim/fault/src"),
    strict("sim/model/src"),
    strict("sim/plot/src"),
    strict("sim/run/src"),
    Rule {
        folder: "compiler/src",
        parents: false,
        together: &[
            &["alloc/color.rs", "alloc/web.rs"],
            &["alloc/rewrite.rs", "alloc/spill.rs"],
            &["flow/dominators.rs", "flow/graph.rs", "flow/loops.rs"],
            &["flow/joins.rs", "flow/layer.rs"],
            &["ptx/body.rs", "ptx/parse.rs"],
            &["select/address.rs", "select/plan.rs", "select/predicate.rs"],
        ],
    },
    Rule {
        folder: "isa/src",
        parents: false,
        together: &[
            &["ivb/lower/alu.rs", "ivb/lower/float.rs", "ivb/lower/integer.rs"],
            &["sm10/asm/bind.rs", "sm10/asm/operand.rs", "sm10/asm/suffix.rs"],
        ],
    },
];

#[test]
fn no_file_imports_itself_through_others() {
    let mut circles = vec![];
    let mut edges = 0;
    for rule in FOLDERS {
        match imports::check(root(), &rule) {
            Ok(n) => edges += n,
            Err(e) => circles.push(format!("{}: {e}", rule.folder)),
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
    assert!(edges > 500, "{edges} imports");
}

#[test]
fn stages_ask_for_parts_and_not_for_the_instruction_set() {
    let mut files = vec![];
    for folder in ["pipeline", "mem", "controller"] {
        imports::files(&root().join("hdl/src/sm").join(folder), &mut files);
    }
    assert!(files.len() > 90, "{} files", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let asks = code.lines().find(|line| line.contains("Isa::") || line.contains(".isa"));
        assert_eq!(asks, None, "{}: hdl/src/front/features.rs names what a chip has", file.display());
    }
}
