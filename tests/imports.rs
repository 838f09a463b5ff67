//! No file of the source imports itself through others.

use crate::support::{self, imports};

/// Source folders of crates.
const FOLDERS: [&str; 15] = [
    "fpga/src",
    "hdl/contract/src",
    "hdl/netlist/src",
    "hdl/src",
    "launch/file/src",
    "launch/src",
    "opencl/src",
    "sim/bench/src",
    "sim/cosim/src",
    "sim/cxx/src",
    "sim/engine/native/src",
    "sim/engine/src",
    "sim/engine/verilator/src",
    "sim/fault/src",
    "sim/model/src",
];

#[test]
fn no_file_imports_itself_through_others() {
    let mut circles = vec![];
    let mut edges = 0;
    for folder in FOLDERS {
        match imports::check(&support::root().join(folder)) {
            Ok(n) => edges += n,
            Err(e) => circles.push(format!("{folder}: {e}")),
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
    assert!(edges > 300, "{edges} imports");
}
